//! Laws B1-B6 of semantics.md 6: which of two values leads.

use immune_model::{
    BeliefId, Carriage, ChannelName, Handle, Instant, Literal, LiteralKind, MemoryName, Namespace,
    Polarity, Principal, Role, Screening, Subject, SubjectFrom, Text,
};
use immune_reason::plan::{
    Challenge, ChallengeOutcome, Copying, DeclareSource, NewClaim, Remember, SetChannel, SetMirror,
    SourceRef,
};
use immune_reason::{Draft, Lead, State};
use proptest::prelude::*;

use super::cases;

/// The tiers of the channels `c0`…: what is trusted little, half, and much.
const TIERS: [&str; 6] = ["0.2", "0.5", "0.6", "0.7", "0.9", "0.99"];

/// A memory in which declared sources say what an account is.
#[derive(Clone)]
struct Forum {
    state: State,
    n_sources: u32,
}

/// The channel of a source, and what it says.
type Said = (usize, u8);

impl Forum {
    fn new() -> Self {
        let state = State::new();
        let mut forum = Self {
            state,
            n_sources: 0,
        };
        for (place, tier) in TIERS.into_iter().enumerate() {
            let command = SetChannel {
                name: channel(place),
                tier: tier.parse().unwrap(),
                carriage: Some(Carriage::Relays),
                create_only: false,
            };
            forum.plan(|draft| draft.set_channel(&command).map(drop).unwrap());
        }
        forum
    }

    fn after(said: &[Said]) -> Self {
        let mut forum = Self::new();
        for (place, value) in said {
            forum.say(*place, *value);
        }
        forum
    }

    fn plan<T>(&mut self, plan: impl FnOnce(&mut Draft) -> T) -> T {
        let operator = Principal {
            role: Role::Operator,
            name: Handle::new("me").unwrap(),
        };
        let now: Instant = "2026-08-13T13:30:00Z".parse().unwrap();
        let mut draft = Draft::new(self.state.clone(), operator, now);
        draft.name(&MemoryName::new("forum").unwrap());
        let done = plan(&mut draft);
        (self.state, _) = draft.finish();
        done
    }

    /// A source of its own in this channel says what the account is.
    fn say(&mut self, place: usize, value: u8) -> SourceRef {
        let from = self.declare(place);
        self.say_again(&from, value);
        from
    }

    fn declare(&mut self, place: usize) -> SourceRef {
        self.n_sources += 1;
        let from = SourceRef {
            channel: Some(channel(place)),
            handle: Handle::new(&format!("source {}", self.n_sources)).unwrap(),
            kind: None,
        };
        let command = DeclareSource {
            channel: channel(place),
            handle: from.handle.clone(),
            kind: None,
        };
        self.plan(|draft| draft.declare_source(&command).map(drop).unwrap());
        from
    }

    fn say_again(&mut self, from: &SourceRef, value: u8) {
        let command = statement(from, value);
        self.plan(|draft| draft.remember(&command).map(drop).unwrap());
    }

    fn belief(&self, value: u8) -> Option<BeliefId> {
        let words = claim(value).text;
        let about = self.state.beliefs_about(&Namespace::ROOT, &subject());
        let mut about = about.filter(|it| self.state.belief(*it).unwrap().text == words);
        about.next()
    }

    /// From 0, where the second value leads, to 2, where the first does.
    fn rank(&self, first: u8, second: u8) -> u8 {
        let (Some(first), Some(second)) = (self.belief(first), self.belief(second)) else {
            panic!("both were said");
        };
        let lead = self.state.lead(first, second);
        assert_eq!(lead.turned(), self.state.lead(second, first));
        match lead {
            Lead::First => 2,
            Lead::Contested => 1,
            Lead::Second => 0,
        }
    }

    fn weight(&self, value: u8) -> u64 {
        let belief = self.belief(value).unwrap();
        self.state.weight_of(belief).millionths
    }
}

fn channel(place: usize) -> ChannelName {
    ChannelName::new(&format!("c{place}")).unwrap()
}

fn subject() -> Subject {
    Subject::new("refund.destination").unwrap()
}

fn claim(value: u8) -> NewClaim {
    let account = format!("ACCOUNT{value}");
    NewClaim {
        subject: subject(),
        subject_from: SubjectFrom::Caller,
        text: Text::new(&format!("Refunds go to {account}")).unwrap(),
        polarity: Polarity::Affirmed,
        literals: vec![Literal::new(LiteralKind::Account, &account)],
        valid_from: None,
        valid_until: None,
        expires_at: None,
    }
}

fn statement(from: &SourceRef, value: u8) -> Remember {
    let claim = claim(value);
    Remember {
        from: from.clone(),
        namespace: Namespace::ROOT,
        text: claim.text.clone(),
        sent_at: None,
        external_id: None,
        run: None,
        screening: Screening::Explicit,
        claims: vec![claim],
    }
}

/// Values 0 and 1 are said once at least, by somebody; 2 and 3 perhaps.
fn said() -> impl Strategy<Value = Vec<Said>> {
    let one = 0..TIERS.len();
    let rest = proptest::collection::vec((0..TIERS.len(), 0..4_u8), 0..10);
    (one.clone(), one, rest).prop_map(|(first, second, mut rest)| {
        rest.extend([(first, 0), (second, 1)]);
        rest
    })
}

proptest! {
    #![proptest_config(cases())]

    /// B1 and B3: whoever adds to a value, however little trusted, never harms it.
    #[test]
    fn agreement_never_hurts(said in said(), place in 0..TIERS.len()) {
        let before = Forum::after(&said);
        let mut after = before.clone();
        after.say(place, 0);
        prop_assert!(after.weight(0) >= before.weight(0));
        prop_assert_eq!(after.weight(1), before.weight(1));
        prop_assert!(after.rank(0, 1) >= before.rank(0, 1));
    }

    /// B2: decoys change nothing between two others.
    #[test]
    fn other_values_change_nothing(
        said in said(),
        decoys in proptest::collection::vec((0..TIERS.len(), 2..8_u8), 1..12),
    ) {
        let before = Forum::after(&said);
        let mut after = before.clone();
        for (place, value) in decoys {
            after.say(place, value);
        }
        prop_assert_eq!(after.rank(0, 1), before.rank(0, 1));
    }

    /// B4: who says it again, or has it copied by others, counts once.
    #[test]
    fn volume_from_one_origin_counts_once(said in said(), place in 0..TIERS.len(), n in 1..6_u8) {
        let mut before = Forum::after(&said);
        let origin = before.say(place, 0);
        let mut after = before.clone();
        for _ in 0..n {
            after.say_again(&origin, 0);
            let copy = after.declare(place);
            let command = SetMirror { source: copy.clone(), of: origin.clone(), copying: Copying::Declared };
            after.plan(|draft| draft.set_mirror(&command).map(drop).unwrap());
            after.say_again(&copy, 0);
        }
        prop_assert_eq!(after.weight(0), before.weight(0));
        prop_assert_eq!(after.rank(0, 1), before.rank(0, 1));
    }

    /// B6: who is no less trusted there may replace what it said, and nothing of it is left.
    #[test]
    fn a_source_may_replace_its_own_words(said in said(), place in 1..TIERS.len()) {
        let mut before = Forum::after(&said);
        let from = before.declare(place);
        let mut after = before.clone();
        after.say_again(&from, 0);
        after.say_again(&from, 1);
        prop_assert_eq!(after.weight(0), before.weight(0));
        before.say_again(&from, 1);
        prop_assert_eq!(after.weight(1), before.weight(1));
    }

    /// What the challenger adds never gives it the authority to refute: only what leads without it.
    #[test]
    fn a_challenger_brings_no_authority_of_its_own(said in said(), place in 0..TIERS.len()) {
        let mut forum = Forum::after(&said);
        let challenger = forum.declare(place);
        let led = forum.rank(0, 1) == 2;
        let rival = forum.belief(1).unwrap();
        let command = Challenge {
            statement: statement(&challenger, 0),
            against: vec![rival],
        };
        let done = forum.plan(|draft| draft.challenge(&command).unwrap());
        prop_assert_eq!(done.outcome == ChallengeOutcome::Refuted, led);
    }
}

/// Four statements of 0 at 0.9, then `flood` of 1 in this channel.
fn flooded(channel: usize, n: usize) -> Forum {
    let flood = vec![(channel, 1); n];
    Forum::after(&[vec![(4, 0); 4], flood].concat())
}

#[test]
fn what_is_not_trusted_never_wins_by_volume() {
    for place in [0, 1] {
        for n in [1, 3, 10, 50] {
            let forum = flooded(place, n);
            assert_eq!(forum.rank(0, 1), 2, "{} x {n}", TIERS[place]);
            assert!(!forum.state.is_contested(forum.belief(0).unwrap()));
        }
    }
}

#[test]
fn decoys_and_endorsement_move_nothing() {
    let mut forum = Forum::after(&[(4, 0); 4]);
    for decoy in 2..32 {
        forum.say(1, decoy);
    }
    for _ in 0..50 {
        forum.say(1, 1);
    }
    assert_eq!(forum.rank(0, 1), 2);
    // Two that are as good as each other stay so, whoever that is not trusted agrees with one.
    let mut torn = Forum::after(&[(4, 0), (4, 1)]);
    assert_eq!(torn.rank(0, 1), 1);
    torn.say(0, 0);
    assert_eq!(torn.rank(0, 1), 1);
}

#[test]
fn one_that_is_as_trusted_makes_a_single_one_contested_and_flips_no_four() {
    assert_eq!(Forum::after(&[(4, 0), (4, 1)]).rank(0, 1), 1);
    assert_eq!(Forum::after(&[(4, 0), (5, 1)]).rank(0, 1), 0, "one is more");
    assert_eq!(flooded(4, 1).rank(0, 1), 2);
}

#[test]
fn a_thousand_do_not_fall_to_one() {
    let mut forum = Forum::after(&vec![(4, 0); 1_000]);
    forum.say(3, 1);
    assert_eq!(forum.rank(0, 1), 2);
    assert_eq!(
        forum.weight(0),
        1_000 * immune_reason::log_odds("0.9".parse().unwrap())
    );
}

#[test]
fn the_weight_of_trust_is_its_log_odds() {
    for (trust, millionths) in [
        ("0.2", 0),
        ("0.5", 0),
        ("0.6", 405_465),
        ("0.9", 2_197_225),
        ("0.99", 4_595_120),
        ("1", 4_595_120),
    ] {
        assert_eq!(
            immune_reason::log_odds(trust.parse().unwrap()),
            millionths,
            "{trust}"
        );
    }
}
