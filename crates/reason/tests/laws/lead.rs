//! Laws B1-B6 of semantics.md 6: which of two values leads, with a half-life in the area and without.

use immune_model::{
    Area, BeliefId, Carriage, ChannelName, Handle, Instant, Literal, LiteralKind, MemoryName,
    Namespace, Polarity, Principal, Role, Screening, Subject, SubjectFrom, Text, Trust,
};
use immune_reason::plan::{
    Challenge, ChallengeOutcome, Copying, DeclareSource, NewClaim, Remember, SetChannel,
    SetHalfLife, SetMirror, SourceRef,
};
use immune_reason::{Draft, Lead, State};
use proptest::prelude::*;

use super::cases;

/// The tiers of the channels `c0`…: what is trusted little, half, and much.
pub(crate) const TIERS: [&str; 6] = ["0.2", "0.5", "0.6", "0.7", "0.9", "0.99"];

/// A memory in which declared sources say what an account is.
#[derive(Clone)]
pub(crate) struct Forum {
    pub(crate) state: State,
    n_sources: u32,
    now: Instant,
    /// Days that pass before each that speaks, in turn.
    waits: Vec<u32>,
}

const DAY: u32 = 86_400;

/// Ages of what is said: the half-life of its area in days, if it has one, and the days that pass
/// before each that speaks.
type Ages = (Option<u32>, Vec<u32>);

/// The channel of a source, and what it says.
pub(crate) type Said = (usize, u8);

impl Forum {
    pub(crate) fn new() -> Self {
        let state = State::new();
        let mut forum = Self {
            state,
            n_sources: 0,
            now: "2026-08-13T13:30:00Z".parse().unwrap(),
            waits: Vec::new(),
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

    pub(crate) fn after(said: &[Said]) -> Self {
        Self::aged(said, &(None, Vec::new()))
    }

    fn aged(said: &[Said], (days, waits): &Ages) -> Self {
        let mut forum = Self::new();
        forum.waits.clone_from(waits);
        if let Some(days) = days {
            forum.fade(*days);
        }
        for (place, value) in said {
            forum.say(*place, *value);
        }
        forum
    }

    /// What is said of refunds weighs half after so many days.
    fn fade(&mut self, days: u32) {
        let command = SetHalfLife {
            area: Area::new("refund.*").unwrap(),
            seconds: std::num::NonZeroU32::new(days * DAY),
        };
        self.plan(|draft| draft.set_half_life(&command).map(drop).unwrap());
    }

    /// Two months after all that was said.
    fn later(&self) -> Instant {
        let waited: u32 = self.waits.iter().sum();
        let start: Instant = "2026-08-13T13:30:00Z".parse().unwrap();
        start.plus_seconds((4 * waited + 60) * DAY)
    }

    pub(crate) fn plan<T>(&mut self, plan: impl FnOnce(&mut Draft) -> T) -> T {
        let operator = Principal {
            role: Role::Operator,
            name: Handle::new("me").unwrap(),
        };
        let mut draft = Draft::new(self.state.clone(), operator, self.now);
        draft.name(&MemoryName::new("forum").unwrap());
        let done = plan(&mut draft);
        (self.state, _) = draft.finish();
        done
    }

    /// A source of its own in this channel says what the account is.
    pub(crate) fn say(&mut self, place: usize, value: u8) -> SourceRef {
        let turn = self.n_sources as usize;
        if let Some(days) = self.waits.get(turn % self.waits.len().max(1)) {
            self.now = self.now.plus_seconds(days * DAY);
        }
        let from = self.declare(place);
        self.say_again(&from, value);
        from
    }

    pub(crate) fn declare(&mut self, place: usize) -> SourceRef {
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

    pub(crate) fn belief(&self, value: u8) -> Option<BeliefId> {
        let words = claim(value).text;
        let about = self.state.beliefs_about(&Namespace::ROOT, &subject());
        let mut about = about.filter(|it| self.state.belief(*it).unwrap().text == words);
        about.next()
    }

    /// From 0, where the second value leads, to 2, where the first does.
    pub(crate) fn rank(&self, first: u8, second: u8) -> u8 {
        self.rank_at(first, second, Some(self.later()))
    }

    fn rank_at(&self, first: u8, second: u8, asked: Option<Instant>) -> u8 {
        let (Some(first), Some(second)) = (self.belief(first), self.belief(second)) else {
            panic!("both were said");
        };
        let lead = self.state.lead(first, second, asked);
        assert_eq!(lead.turned(), self.state.lead(second, first, asked));
        match lead {
            Lead::First => 2,
            Lead::Contested => 1,
            Lead::Second => 0,
        }
    }

    pub(crate) fn weight(&self, value: u8) -> u64 {
        let belief = self.belief(value).unwrap();
        self.state.weight_of(belief, Some(self.later())).millionths
    }
}

pub(crate) fn channel(place: usize) -> ChannelName {
    ChannelName::new(&format!("c{place}")).unwrap()
}

pub(crate) fn subject() -> Subject {
    Subject::new("refund.destination").unwrap()
}

pub(crate) fn claim(value: u8) -> NewClaim {
    let account = format!("ACCOUNT{value}");
    NewClaim {
        subject: subject(),
        subject_from: SubjectFrom::Caller,
        text: Text::new(&format!("Refunds go to {account}")).unwrap(),
        polarity: Polarity::Affirmed,
        literals: vec![Literal::new(LiteralKind::Account, &account)],
        confidence: None,
        valid_from: None,
        valid_until: None,
        expires_at: None,
    }
}

pub(crate) fn statement(from: &SourceRef, value: u8) -> Remember {
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
        metadata: immune_model::Metadata::default(),
    }
}

/// Values 0 and 1 are said once at least, by somebody; 2 and 3 perhaps.
pub(crate) fn said() -> impl Strategy<Value = Vec<Said>> {
    let one = 0..TIERS.len();
    let rest = proptest::collection::vec((0..TIERS.len(), 0..4_u8), 0..10);
    (one.clone(), one, rest).prop_map(|(first, second, mut rest)| {
        rest.extend([(first, 0), (second, 1)]);
        rest
    })
}

/// With a half-life in two of three cases.
fn ages() -> impl Strategy<Value = Ages> {
    let days = proptest::option::weighted(0.66, 1..60_u32);
    (days, proptest::collection::vec(0..40_u32, 1..5))
}

proptest! {
    #![proptest_config(cases())]

    /// B1 and B3: whoever adds to a value, however little trusted, never harms it.
    #[test]
    fn agreement_never_hurts(said in said(), ages in ages(), place in 0..TIERS.len()) {
        let before = Forum::aged(&said, &ages);
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
        ages in ages(),
        decoys in proptest::collection::vec((0..TIERS.len(), 2..8_u8), 1..12),
    ) {
        let before = Forum::aged(&said, &ages);
        let mut after = before.clone();
        for (place, value) in decoys {
            after.say(place, value);
        }
        prop_assert_eq!(after.rank(0, 1), before.rank(0, 1));
    }

    /// B4: who says it again, or has it copied by others, counts once.
    #[test]
    fn volume_from_one_origin_counts_once(said in said(), ages in ages(), place in 0..TIERS.len(), n in 1..6_u8) {
        let mut before = Forum::aged(&said, &ages);
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
    fn a_source_may_replace_its_own_words(said in said(), ages in ages(), place in 1..TIERS.len()) {
        let mut before = Forum::aged(&said, &ages);
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
    fn a_challenger_brings_no_authority_of_its_own(said in said(), ages in ages(), place in 0..TIERS.len()) {
        let mut forum = Forum::aged(&said, &ages);
        let challenger = forum.declare(place);
        let led = forum.rank_at(0, 1, Some(forum.now)) == 2;
        let rival = forum.belief(1).unwrap();
        let command = Challenge {
            statement: statement(&challenger, 0),
            against: vec![rival],
        };
        let done = forum.plan(|draft| draft.challenge(&command).unwrap());
        prop_assert_eq!(done.outcome == ChallengeOutcome::Refuted, led);
    }

    /// A half-life is of weights only: every status and strength stays, and whoever is below the
    /// floor leads nobody, however old the other is.
    #[test]
    fn fading_moves_no_status_and_no_strength(said in said(), ages in ages(), days in 1..60_u32) {
        let before = Forum::aged(&said, &(None, ages.1));
        let mut after = before.clone();
        after.fade(days);
        for id in before.state.belief_ids() {
            prop_assert_eq!(before.state.belief_now(id), after.state.belief_now(id));
        }
        let trusted = |it: u8| {
            let now = after.state.belief_now(after.belief(it).unwrap()).unwrap();
            now.strength >= Trust::FLOOR
        };
        let (one, other) = (trusted(0), trusted(1));
        prop_assert!(other || after.rank(0, 1) > 0);
        prop_assert!(one || after.rank(0, 1) < 2);
        prop_assert!(after.weight(0) <= before.weight(0));
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
            assert!(!forum.state.is_contested(forum.belief(0).unwrap(), None));
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
fn a_thousand_do_not_fall_to_one_of_their_age_however_old_they_are() {
    let mut forum = Forum::after(&vec![(4, 0); 1_000]);
    forum.say(3, 1);
    forum.fade(3);
    for days in [0, 3, 30, 59] {
        let asked = Some(forum.now.plus_seconds(days * DAY));
        assert_eq!(forum.rank_at(0, 1, asked), 2, "{days} days");
    }
    let asked = Some(forum.now.plus_seconds(60 * DAY));
    assert_eq!(forum.rank_at(0, 1, asked), 1, "nothing is left of either");
}

#[test]
fn what_is_fresh_leads_what_was_as_good_once_it_has_lost_half() {
    let mut forum = Forum::aged(&[(4, 0)], &(Some(30), Vec::new()));
    let old = forum.belief(0).unwrap();
    let after = |days: u32| {
        Some(
            "2026-08-13T13:30:00Z"
                .parse::<Instant>()
                .unwrap()
                .plus_seconds(days * DAY),
        )
    };
    let weight = |forum: &Forum, days| forum.state.weight_of(old, after(days)).millionths;
    assert_eq!(
        [0, 30, 60].map(|it| weight(&forum, it)),
        [2_197_225, 1_098_613, 549_306]
    );
    let faded = |days| forum.state.weight_of(old, after(days)).is_faded();
    assert!(
        !faded(599) && faded(600),
        "a value that nobody denies fades too"
    );
    forum.now = after(29).unwrap();
    forum.say(4, 1);
    assert_eq!(forum.rank_at(0, 1, after(29)), 1);
    let mut forum = Forum::aged(&[(4, 0)], &(Some(30), Vec::new()));
    forum.now = after(31).unwrap();
    forum.say(4, 1);
    assert_eq!(forum.rank_at(0, 1, after(31)), 0);
    assert_eq!(forum.rank_at(0, 1, None), 0, "as of the last event");
    assert_eq!(
        forum.rank_at(0, 1, after(0)),
        1,
        "then they were as good as each other"
    );
}

#[test]
fn a_claim_weighs_no_more_than_it_is_sure() {
    let mut forum = Forum::after(&[(4, 1)]);
    let from = forum.declare(4);
    let mut command = statement(&from, 0);
    command.claims[0].confidence = "0.6".parse().ok();
    forum.plan(|draft| draft.remember(&command).map(drop).unwrap());
    assert_eq!(forum.weight(0), 405_465, "the weight of 0.6");
    assert_eq!(forum.rank(0, 1), 0);
    // Whoever is sure of it lends nothing to who is not.
    forum.say(4, 0);
    assert_eq!(forum.weight(0), 405_465 + 2_197_225);
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
