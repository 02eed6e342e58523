//! Laws of inferred copies (semantics.md 5): mirrors of one source are one origin, agreement on
//! what is believed shows nothing, an operator has the last word, and a record never copies.

use immune_model::{
    Area, BeliefId, Carriage, ChannelName, Event, Handle, Instant, Literal, LiteralKind,
    MemoryName, MirrorRuling, Namespace, Polarity, Principal, Recorded, Role, Screening, SourceId,
    Subject, SubjectFrom, Text,
};
use immune_reason::plan::{
    Copying, DeclareSource, NameRecord, NewClaim, Remember, SetChannel, SetMirror, SourceRef,
};
use immune_reason::{Draft, State};
use proptest::prelude::*;

use super::cases;

/// A memory with what it was told, event by event.
struct World {
    state: State,
    log: Vec<Recorded>,
}

const WEB: &str = "web";
const RECORDS: &str = "records";

impl World {
    fn new() -> Self {
        let mut world = Self {
            state: State::new(),
            log: Vec::new(),
        };
        for (name, tier, carriage) in [
            (WEB, "0.9", Carriage::Relays),
            (RECORDS, "0.95", Carriage::Authored),
        ] {
            let command = SetChannel {
                name: ChannelName::new(name).unwrap(),
                tier: tier.parse().unwrap(),
                carriage: Some(carriage),
                create_only: false,
            };
            world.plan(|draft| draft.set_channel(&command).map(drop).unwrap());
        }
        world
    }

    fn plan<T>(&mut self, plan: impl FnOnce(&mut Draft) -> T) -> T {
        let operator = Principal {
            role: Role::Operator,
            name: Handle::new("operator").unwrap(),
        };
        let at: Instant = "2026-08-13T13:30:00Z".parse().unwrap();
        let mut draft = Draft::new(self.state.clone(), operator, at);
        draft.name(&MemoryName::new("copies").unwrap());
        let done = plan(&mut draft);
        let (state, events) = draft.finish();
        self.state = state;
        self.log.extend(events);
        done
    }

    fn declare(&mut self, handle: &str) -> SourceId {
        let command = DeclareSource {
            channel: ChannelName::new(WEB).unwrap(),
            handle: Handle::new(handle).unwrap(),
            kind: None,
        };
        self.plan(|draft| draft.declare_source(&command).unwrap().0)
    }

    fn record(&mut self, handle: &str) -> SourceId {
        let command = NameRecord {
            source: from(RECORDS, handle),
            area: Area::new("*").unwrap(),
        };
        self.plan(|draft| draft.name_record(&command).unwrap().0)
    }

    fn say(&mut self, channel: &str, handle: &str, item: usize, value: &str) -> BeliefId {
        let text = Text::new(&format!("It is {value}")).unwrap();
        self.tell(channel, handle, &text, Some((item, value)))
            .unwrap()
    }

    fn tell(
        &mut self,
        channel: &str,
        handle: &str,
        text: &Text,
        claim: Option<(usize, &str)>,
    ) -> Option<BeliefId> {
        let claims = claim.map(|(item, value)| NewClaim {
            subject: Subject::new(&format!("thing-{item}/fact.value")).unwrap(),
            subject_from: SubjectFrom::Caller,
            text: text.clone(),
            polarity: Polarity::Affirmed,
            literals: vec![Literal::new(LiteralKind::Identifier, value)],
            confidence: None,
            valid_from: None,
            valid_until: None,
            expires_at: None,
        });
        let command = Remember {
            from: from(channel, handle),
            namespace: Namespace::ROOT,
            text: text.clone(),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Explicit,
            claims: claims.into_iter().collect(),
            metadata: immune_model::Metadata::default(),
        };
        let told = self.plan(|draft| draft.remember(&command).unwrap());
        told.statements.first().map(|it| it.belief)
    }

    fn rule(&mut self, source: &str, of: &str, copying: Copying) {
        let command = SetMirror {
            source: from(WEB, source),
            of: from(WEB, of),
            copying,
        };
        self.plan(|draft| draft.set_mirror(&command).map(drop).unwrap());
    }

    fn count(&self, belief: BeliefId) -> u32 {
        self.state.corroboration(belief).count
    }

    /// A record states the truth of so many things, and these sources state other values, all the
    /// same ones.
    fn lies(&mut self, sources: &[String], n_items: usize) {
        for item in 0..n_items {
            self.say(RECORDS, "ledger", item, &format!("T{item}"));
            for source in sources {
                self.say(WEB, source, item, &format!("F{item}"));
            }
        }
    }
}

fn from(channel: &str, handle: &str) -> SourceRef {
    SourceRef {
        channel: Some(ChannelName::new(channel).unwrap()),
        handle: Handle::new(handle).unwrap(),
        kind: None,
    }
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|it| format!("mirror {it}")).collect()
}

#[test]
fn any_number_of_mirrors_of_one_source_is_one_origin() {
    for n in [2, 3, 17] {
        let mut world = World::new();
        world.record("ledger");
        let names = names(n);
        for name in &names {
            world.declare(name);
        }
        world.lies(&names, 24);
        let mut belief = None;
        for name in &names {
            belief = Some(world.say(WEB, name, 1_000, "X1000"));
        }
        assert_eq!(world.count(belief.unwrap()), 1, "{n} mirrors");
        world.declare("honest");
        world.say(WEB, "honest", 1_000, "X1000");
        assert_eq!(
            world.count(belief.unwrap()),
            2,
            "{n} mirrors and an honest source"
        );
    }
}

#[test]
fn copies_of_a_text_are_one_origin() {
    let mut world = World::new();
    let text = "The harbour office says that all ferries to the northern island are cancelled \
        until the storm has passed";
    let mut belief = None;
    for n in 0..40 {
        world.declare(&format!("paper {n}"));
        let text = Text::new(&format!("{text}{}", "!".repeat(n % 3))).unwrap();
        belief = world.tell(WEB, &format!("paper {n}"), &text, Some((1, "FERRY-1")));
    }
    assert_eq!(world.count(belief.unwrap()), 1);
}

/// One more copy of a text that was said so often already touches what it states itself, and the
/// original nothing of the others that do not hang on it.
#[test]
fn one_more_copy_touches_itself_alone() {
    let mut world = World::new();
    let text = "The harbour office says that all ferries to the northern island are cancelled \
        until the storm has passed";
    let text = Text::new(text).unwrap();
    for n in 0..500 {
        let paper = format!("paper {n}");
        world.declare(&paper);
        world.state.take_changes();
        world.tell(WEB, &paper, &text, Some((n, "FERRY-1")));
        let changes = world.state.take_changes();
        assert_eq!(changes.belief_states.iter().len(), 1, "paper {n}");
        assert_eq!(changes.observation_states.iter().len(), 1, "paper {n}");
    }
}

#[test]
fn a_thousand_names_of_one_domain_are_one_origin() {
    let mut world = World::new();
    let mut belief = None;
    for n in 0..1_000 {
        let name = format!("user{n}@mail{}.flood.example.com", n % 7);
        if n % 2 == 0 {
            world.declare(&name);
        }
        belief = Some(world.say(WEB, &name, 1, "FLOOD-1"));
    }
    assert_eq!(world.count(belief.unwrap()), 1);
    world.declare("other@example.org");
    world.say(WEB, "other@example.org", 1, "FLOOD-1");
    assert_eq!(world.count(belief.unwrap()), 2);
}

#[test]
fn a_record_never_copies_and_is_never_copied_by_inference() {
    let mut world = World::new();
    let ledger = world.record("ledger@bank.example.com");
    world.declare("clerk@bank.example.com");
    let text = "The account of the vendor is the one that was given in the contract of May, and no \
        other account is to be used";
    let text = Text::new(text).unwrap();
    world.tell(WEB, "clerk@bank.example.com", &text, Some((1, "ACCOUNT-1")));
    let belief = world.tell(
        RECORDS,
        "ledger@bank.example.com",
        &text,
        Some((1, "ACCOUNT-1")),
    );
    assert_eq!(world.count(belief.unwrap()), 2);
    let is_in_one = world
        .state
        .inferred_mirrors()
        .any(|(a, b, _)| a == ledger || b == ledger);
    assert!(!is_in_one);
}

#[test]
fn an_operator_has_the_last_word_until_it_is_taken_back() {
    let mut world = World::new();
    world.record("ledger");
    let names = names(2);
    let [one, other] = [0, 1].map(|it| names[it].as_str());
    world.declare(one);
    world.declare(other);
    world.lies(&names, 24);
    assert_eq!(world.state.inferred_mirrors().count(), 1);
    world.rule(one, other, Copying::Independent);
    assert_eq!(world.state.inferred_mirrors().count(), 0);
    world.lies(&names, 48);
    assert_eq!(
        world.state.inferred_mirrors().count(),
        0,
        "it is not inferred again"
    );
    world.say(WEB, one, 1_000, "X1000");
    let belief = world.say(WEB, other, 1_000, "X1000");
    assert_eq!(world.count(belief), 2);
    world.rule(one, other, Copying::Open);
    world.say(RECORDS, "ledger", 2_000, "T2000");
    world.say(WEB, one, 2_000, "F2000");
    world.say(WEB, other, 2_000, "F2000");
    assert_eq!(world.state.inferred_mirrors().count(), 1);
    assert_eq!(world.count(belief), 1);
}

#[test]
fn evidence_goes_when_what_was_not_believed_is() {
    let mut world = World::new();
    let names = names(2);
    for name in names.iter().map(String::as_str).chain(["a", "b", "c"]) {
        world.declare(name);
    }
    for item in 0..24 {
        for source in ["a", "b", "c"] {
            world.say(WEB, source, item, &format!("V{item}"));
        }
        for source in &names {
            world.say(WEB, source, item, &format!("W{item}"));
        }
    }
    assert_eq!(world.state.inferred_mirrors().count(), 1);
    world.record("ledger");
    for item in 0..24 {
        world.say(RECORDS, "ledger", item, &format!("W{item}"));
    }
    world.say(WEB, "a", 99, "V99");
    world.say(WEB, "b", 98, "V98");
    let of_these = world.state.inferred_mirrors().any(|(one, other, _)| {
        let is_first = |it| world.state.source(it).unwrap().handle.as_str() == names[0];
        is_first(one) || is_first(other)
    });
    assert!(!of_these, "what they share is true");
    let lapsed = |it: &Recorded| {
        matches!(
            it.event,
            Event::MirrorRuled {
                ruling: MirrorRuling::Lapsed,
                ..
            }
        )
    };
    assert!(world.log.iter().any(lapsed));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases().cases / 20, ..cases() })]

    /// Whoever only says what is believed is nobody's mirror, however often others say it too.
    #[test]
    fn agreement_on_what_is_believed_shows_nothing(
        n_sources in 2_usize..8,
        order in proptest::collection::vec((any::<u8>(), 0_usize..40), 1..160),
    ) {
        let mut world = World::new();
        let names = names(n_sources);
        for name in &names {
            world.declare(name);
        }
        for (source, item) in order {
            let name = &names[usize::from(source) % n_sources];
            world.say(WEB, name, item, &format!("T{item}"));
        }
        prop_assert_eq!(world.state.inferred_mirrors().count(), 0);
    }

    /// What is inferred is a function of the log: a replay and a kept state know the same.
    #[test]
    fn what_is_inferred_depends_on_the_log_alone(
        said in proptest::collection::vec((0_usize..6, 0_usize..12, 0_u8..3), 1..160),
    ) {
        let mut world = World::new();
        let names = names(6);
        for name in &names {
            world.declare(name);
        }
        for (source, item, value) in said {
            world.say(WEB, &names[source], item, &format!("V{value}-{item}"));
        }
        let mut replayed = State::new();
        for recorded in &world.log {
            replayed.apply(recorded);
        }
        let known = |state: &State| {
            let mirrors: Vec<_> = state
                .inferred_mirrors()
                .map(|(one, other, it)| (one, other, it.clone()))
                .collect();
            let weights: Vec<_> = state.belief_ids().map(|it| state.weight_of(it, None)).collect();
            (mirrors, weights)
        };
        prop_assert_eq!(known(&replayed), known(&world.state));
        let mut bytes = Vec::new();
        world.state.pack(&mut bytes).unwrap();
        let kept = State::unpack(&immune_reason::pack::Bytes::new(bytes)).unwrap();
        prop_assert_eq!(known(&kept), known(&world.state));
    }
}
