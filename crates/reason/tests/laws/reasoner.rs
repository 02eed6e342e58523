//! The agent that concludes what no premise says is an origin of it (semantics.md 4 and 5): however
//! often it concludes that, and from whatever, it counts as if it had said so once.

use immune_model::{
    BeliefId, Handle, Item, Namespace, Polarity, Status, Subject, SubjectFrom, Text,
};
use immune_reason::plan::{Derivation, Narrowing, NewClaim, Remember, Show, SourceRef};
use immune_testkit::history::{History, Step};
use proptest::prelude::*;

use crate::lead::{Forum, Said, TIERS, claim, said, statement};
use crate::{cases, twin};

/// Nobody else knows this account.
const LIE: u8 = 9;

fn words(about: &str, text: &str) -> NewClaim {
    let subject = if about.is_empty() {
        Subject::none()
    } else {
        Subject::new(about).unwrap()
    };
    NewClaim::read(subject, SubjectFrom::Caller, Text::new(text).unwrap())
}

impl Forum {
    /// A source of its own states this.
    fn states(&mut self, place: usize, claim: NewClaim) -> BeliefId {
        let from = self.declare(place);
        let command = Remember {
            text: claim.text.clone(),
            claims: vec![claim],
            ..statement(&from, 0)
        };
        let done = self.plan(|draft| draft.remember(&command).unwrap());
        let by = self.state.observation(done.observation).unwrap().statements[0];
        self.state.justification(by).unwrap().belief
    }

    /// A source of its own states what has to do with nothing.
    fn ground(&mut self, place: usize) -> BeliefId {
        let n = self.state.n_beliefs();
        self.states(place, words(&format!("ground.n{n}"), "The moon is round"))
    }

    fn concludes(&mut self, agent: &str, premises: &[BeliefId], claim: NewClaim) -> BeliefId {
        let command = Derivation {
            agent: Handle::new(agent).unwrap(),
            namespace: Namespace::ROOT,
            premises: premises.iter().map(|it| Item::Belief(*it)).collect(),
            claim,
            run: None,
            narrowing: Narrowing::Whole,
            metadata: immune_model::Metadata::default(),
        };
        self.plan(|draft| draft.derive(&command).unwrap().belief)
    }

    fn count(&self, id: BeliefId) -> u32 {
        let found = self.state.corroboration(id);
        assert!(found.exact);
        let surveyed = self.state.corroborations_of(&[id], &mut |_| ());
        assert_eq!(surveyed, [found]);
        let grounded = self.state.origins(id.into()).unwrap().whole;
        assert_eq!(grounded.corroboration, found);
        found.count
    }

    /// The handles of the sources that are behind a belief.
    fn behind(&self, id: BeliefId) -> Vec<String> {
        let all = self.state.sources_behind(id);
        let under = self.state.sources_under(self.state.justifications_of(id));
        assert!(under.is_subset(&all));
        let handle =
            |it: &immune_model::SourceId| self.state.source(*it).unwrap().handle.to_string();
        all.iter().map(handle).collect()
    }
}

/// Two declared sources that state an account under a subject of their own.
fn two_that_carry(forum: &mut Forum, value: u8) -> [BeliefId; 2] {
    ["invoice.first", "invoice.second"].map(|about| {
        let mut claim = claim(value);
        claim.subject = Subject::new(&format!("{about}_account")).unwrap();
        forum.states(4, claim)
    })
}

proptest! {
    #![proptest_config(cases())]

    /// n conclusions of one agent from what has nothing to do with them count once, and weigh no
    /// more than its word.
    #[test]
    fn conclusions_of_one_agent_count_once(
        said in said(),
        places in prop::collection::vec(0..TIERS.len(), 1..6),
        n in 1..8_usize,
    ) {
        let mut before = Forum::after(&said);
        let grounds: Vec<BeliefId> = places.iter().map(|it| before.ground(*it)).collect();
        let value = before.belief(0).unwrap();
        let mut concluded = before.clone();
        for turn in 0..n {
            let first = grounds[turn % grounds.len()];
            let second = grounds[(turn * turn + 1) % grounds.len()];
            prop_assert_eq!(concluded.concludes("bot", &[first, second], claim(0)), value);
        }
        let mut stated = before.clone();
        stated.concludes("bot", &grounds, claim(7));
        let word = SourceRef {
            channel: Some("agents".parse().unwrap()),
            handle: Handle::new("bot").unwrap(),
            kind: None,
        };
        let command = statement(&word, 0);
        stated.plan(|draft| draft.remember(&command).map(drop).unwrap());
        let at_most = before.count(value) + 1;
        prop_assert!(concluded.count(value) <= at_most);
        prop_assert!(concluded.weight(0) <= stated.weight(0));
        prop_assert!(concluded.rank(0, 1) <= stated.rank(0, 1));
    }

    /// Whoever is behind it otherwise, a value that only one agent concluded falls with that agent.
    #[test]
    fn what_one_agent_alone_concluded_falls_with_it(
        said in said(),
        places in prop::collection::vec(2..TIERS.len(), 1..6),
    ) {
        let mut forum = Forum::after(&said);
        let grounds: Vec<BeliefId> = places.iter().map(|it| forum.ground(*it)).collect();
        let others = [forum.belief(0).unwrap(), forum.belief(1).unwrap()];
        let mut lie = None;
        for premise in grounds.iter().chain(&others) {
            lie = Some(forum.concludes("bot", &[*premise], claim(LIE)));
        }
        let lie = lie.unwrap();
        prop_assert_eq!(forum.count(lie), 1);
        prop_assert!(forum.behind(lie).contains(&"bot".to_owned()));
    }
}

/// F30 of a review: what was contested stays so, whatever is concluded from what.
#[test]
fn conclusions_from_what_has_nothing_to_do_with_them_settle_no_contest() {
    let trusted: &[Said] = &[(4, 0), (4, 1)];
    let mut forum = Forum::after(trusted);
    assert_eq!(forum.rank(0, 1), 1);
    let (moon, rival) = (forum.ground(4), forum.belief(0).unwrap());
    let lie = forum.belief(1).unwrap();
    assert_eq!(forum.count(lie), 1);
    for premise in [moon, rival] {
        forum.concludes("bot", &[premise], claim(1));
        assert_eq!(forum.rank(0, 1), 1, "still contested");
    }
    assert_eq!(forum.count(lie), 2, "its source, and the agent");
    assert!(forum.behind(lie).contains(&"bot".to_owned()));
}

#[test]
fn two_names_of_one_channel_that_nothing_is_known_of_are_one_origin() {
    let mut forum = Forum::new();
    let moon = forum.ground(4);
    let lie = forum.concludes("bot", &[moon], claim(LIE));
    forum.concludes("other bot", &[moon], claim(LIE));
    assert_eq!(forum.count(lie), 1);
}

#[test]
fn what_premises_carry_is_as_independent_as_they_are() {
    let mut forum = Forum::new();
    let carriers = two_that_carry(&mut forum, 0);
    let mut last = None;
    for premise in carriers {
        last = Some(forum.concludes("bot", &[premise], claim(0)));
    }
    assert_eq!(forum.count(last.unwrap()), 2);
    assert!(!forum.behind(last.unwrap()).contains(&"bot".to_owned()));
}

#[test]
fn what_of_several_accounts_no_premise_carries_is_the_word_of_the_agent() {
    let mut forum = Forum::new();
    let mut both = claim(0);
    both.literals.extend(claim(LIE).literals);
    both.literals.sort_unstable();
    let mut last = None;
    for premise in two_that_carry(&mut forum, 0) {
        last = Some(forum.concludes("bot", &[premise], both.clone()));
    }
    assert_eq!(forum.count(last.unwrap()), 1);
}

#[test]
fn another_value_of_the_subject_and_one_that_denies_vouch_for_nothing() {
    let mut forum = Forum::new();
    let mut both = claim(0);
    both.literals.extend(claim(1).literals);
    let wider = [4, 5].map(|place| forum.states(place, both.clone()));
    let mut last = None;
    for premise in wider {
        last = Some(forum.concludes("bot", &[premise], claim(0)));
    }
    assert_eq!(
        forum.count(last.unwrap()),
        1,
        "they name another account too"
    );
    for about in ["warning.first", "warning.second"] {
        let mut denied = claim(2);
        denied.polarity = Polarity::Denied;
        denied.subject = Subject::new(&format!("{about}_account")).unwrap();
        let premise = forum.states(4, denied);
        last = Some(forum.concludes("bot", &[premise], claim(2)));
    }
    assert_eq!(forum.count(last.unwrap()), 1, "they say that it is not");
}

#[test]
fn words_without_a_value_are_as_independent_as_their_premises() {
    let mut forum = Forum::new();
    let grounds = [forum.ground(4), forum.ground(4)];
    let counts = |forum: &mut Forum, claim: &NewClaim| {
        let each = grounds.map(|it| forum.concludes("bot", &[it], claim.clone()));
        forum.count(each[1])
    };
    let waits = words("", "Refunds need two approvals, so this one waits");
    assert_eq!(counts(&mut forum, &waits), 2, "an inference");
    let waits = words("refund.next_step", "It waits");
    assert_eq!(counts(&mut forum, &waits), 2, "on an open subject too");
    let owner = words("van.owner", "somebody in the office");
    assert_eq!(
        counts(&mut forum, &owner),
        1,
        "the value of a registered one"
    );
    let bare = words("", "Pay 300 dollars to ops@acme.example");
    assert_eq!(counts(&mut forum, &bare), 1, "literals that nobody stated");
}

#[test]
fn a_conclusion_from_a_note_is_how_the_agent_reads_it() {
    let mut forum = Forum::new();
    let from = forum.declare(4);
    let mut note = statement(&from, 0);
    note.claims.clear();
    let done = forum.plan(|draft| draft.remember(&note).unwrap());
    let command = Derivation {
        agent: Handle::new("bot").unwrap(),
        namespace: Namespace::ROOT,
        premises: vec![done.observation.into()],
        claim: claim(0),
        run: None,
        narrowing: Narrowing::Whole,
        metadata: immune_model::Metadata::default(),
    };
    let belief = forum.plan(|draft| draft.derive(&command).unwrap().belief);
    assert!(forum.behind(belief).contains(&"bot".to_owned()));
}

/// Whoever was shown a conclusion of an agent and says it too is no second origin beside it.
#[test]
fn an_agent_is_behind_what_is_written_by_who_was_shown_its_word() {
    let mut forum = Forum::new();
    let moon = forum.ground(4);
    let lie = forum.concludes("bot", &[moon], claim(LIE));
    let run = Some("reading".parse().unwrap());
    let show = Show {
        run: run.clone(),
        items: vec![lie.into()],
    };
    forum.plan(|draft| draft.show(&show).map(drop).unwrap());
    let from = forum.declare(4);
    let said = Remember {
        run,
        ..statement(&from, LIE)
    };
    forum.plan(|draft| draft.remember(&said).map(drop).unwrap());
    assert_eq!(forum.state.belief_now(lie).unwrap().status, Status::Active);
    assert_eq!(forum.count(lie), 1);
    let alone = statement(&from, LIE);
    let alone = Remember {
        external_id: Some(Text::new("again").unwrap()),
        ..alone
    };
    forum.plan(|draft| draft.remember(&alone).map(drop).unwrap());
    assert_eq!(
        forum.count(lie),
        2,
        "without that before its eyes it is one"
    );
}

/// An agent that was shown to others both as who repeats a record and as who concluded something
/// is behind them with the origins of both.
#[test]
fn who_repeats_and_concludes_is_shown_with_the_origins_of_both() {
    let mut history = History::new();
    let repeats = |source| Step::Repeat {
        source,
        subject: 3,
        value: 2,
        drift: 0,
        run: None,
    };
    for step in [
        repeats(5),
        Step::Read {
            run: 2,
            beliefs: vec![0],
        },
        Step::Derive {
            premises: vec![0],
            subject: 3,
            value: 2,
        },
        Step::Say {
            run: 2,
            source: 0,
            subject: 0,
            value: 0,
        },
        repeats(6),
    ] {
        history.take(&step);
    }
    let state = &history.state;
    let said = BeliefId::new(2);
    let found = state.weight_of(said, None);
    assert_eq!(found.origins.len(), 3);
    assert_eq!(found.millionths, twin::weight(state, said, &found.origins));
}
