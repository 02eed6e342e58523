//! A memory to try the verbs on: a fixed clock, an operator, an inbox, a ledger.

use std::sync::Arc;

use immune_engine::reason::plan::{
    Challenge, Challenged, DeclareSource, Derivation, DerivedBelief, Guard, Guarded, NameRecord,
    Narrowing, NewClaim, Remember, Remembered, SetChannel, SetRule, SourceRef,
};
use immune_engine::{Clock, Engine, Memory, Parts, Recall, Recalled, Session};
use immune_model::*;
use immune_store::{MemoryStore, Store};
use immune_testkit::{FixedClock, fill_the_same};

pub(crate) struct TestClock(pub(crate) FixedClock);

impl Clock for TestClock {
    fn now(&self) -> Instant {
        self.0.shown()
    }
}

pub(crate) struct World {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) memory: Memory,
    pub(crate) operator: Session,
}

pub(crate) fn handle(name: &str) -> Handle {
    Handle::new(name).unwrap()
}

pub(crate) fn text(words: &str) -> Text {
    Text::new(words).unwrap()
}

pub(crate) fn subject(key: &str) -> Subject {
    Subject::new(key).unwrap()
}

pub(crate) fn trust(word: &str) -> Trust {
    word.parse().unwrap()
}

pub(crate) fn source(channel: &str, name: &str) -> SourceRef {
    SourceRef {
        channel: Some(ChannelName::new(channel).unwrap()),
        handle: handle(name),
        kind: None,
    }
}

pub(crate) fn said(channel: &str, name: &str, about: &str, claim: &str) -> Remember {
    Remember {
        from: source(channel, name),
        namespace: Namespace::ROOT,
        text: text(claim),
        sent_at: None,
        external_id: None,
        run: None,
        screening: Screening::Explicit,
        claims: vec![NewClaim::read(
            subject(about),
            SubjectFrom::Caller,
            text(claim),
        )],
        metadata: immune_model::Metadata::default(),
    }
}

pub(crate) fn reputation(state: &immune_engine::reason::State, channel: &str, name: &str) -> Trust {
    let channel = state
        .find_channel(&ChannelName::new(channel).unwrap())
        .unwrap();
    let source = state.find_source(channel, &handle(name)).unwrap();
    state.reputation(source, immune_engine::reason::Scope::Overall)
}

pub(crate) fn derivation(from: &[Item], about: &str, claim: &str) -> Derivation {
    Derivation {
        agent: handle("support-bot"),
        namespace: Namespace::ROOT,
        premises: from.to_vec(),
        claim: NewClaim::read(subject(about), SubjectFrom::Caller, text(claim)),
        run: None,
        narrowing: Narrowing::Whole,
        metadata: immune_model::Metadata::default(),
    }
}

pub(crate) fn guard_command(kind: &str, payload: &str, used: Option<&[BeliefId]>) -> Guard {
    Guard {
        agent: handle("support-bot"),
        namespace: Namespace::ROOT,
        kind: Kind::new(kind).unwrap(),
        payload: text(payload),
        literals: Vec::new(),
        used: used.map(<[_]>::to_vec),
        run: None,
        narrowing: Narrowing::Whole,
    }
}

/// An inbox at 0.7, a ledger that is the record for everything.
pub(crate) fn set_up_record(me: &Session) {
    for (name, tier, carriage) in [
        ("inbox", "0.7", Carriage::Relays),
        ("records", "0.98", Carriage::Authored),
    ] {
        let (name, tier, carriage) = (ChannelName::new(name).unwrap(), trust(tier), Some(carriage));
        let command = SetChannel {
            name,
            tier,
            carriage,
            create_only: false,
        };
        me.set_channel(command).unwrap();
    }
    let area = Area::new("*").unwrap();
    let source = source("records", "ledger");
    me.name_record(NameRecord { source, area }).unwrap();
}

impl World {
    /// An inbox at 0.7, a ledger that is the record for everything.
    pub(crate) fn new() -> Self {
        let world = Self::over(Arc::new(MemoryStore::new()));
        set_up_record(&world.operator);
        world
    }

    pub(crate) fn over(store: Arc<dyn Store>) -> Self {
        Self::over_at(store, "2026-08-13T13:30:00Z")
    }

    /// At another time.
    pub(crate) fn over_at(store: Arc<dyn Store>, time: &str) -> Self {
        let clock = Arc::new(TestClock(FixedClock::at(time)));
        let parts = Parts {
            store: Arc::clone(&store),
            clock: clock.clone(),
            fill_random: fill_the_same,
        };
        let memory = Engine::new(parts)
            .memory(&MemoryName::new("default").unwrap())
            .unwrap();
        let operator = memory.session(Principal {
            role: Role::Operator,
            name: handle("me"),
        });
        Self {
            store,
            clock,
            memory,
            operator,
        }
    }

    pub(crate) fn agent(&self, name: &str) -> Session {
        self.memory.session(Principal {
            role: Role::Agent,
            name: handle(name),
        })
    }

    pub(crate) fn channel(&self, name: &str, tier: &str, carriage: Carriage) {
        let name = ChannelName::new(name).unwrap();
        let tier = trust(tier);
        let carriage = Some(carriage);
        self.operator
            .set_channel(SetChannel {
                name,
                tier,
                carriage,
                create_only: false,
            })
            .unwrap();
    }

    pub(crate) fn declare(&self, channel: &str, name: &str) {
        let channel = ChannelName::new(channel).unwrap();
        let command = DeclareSource {
            channel,
            handle: handle(name),
            kind: None,
        };
        self.operator.declare_source(command).unwrap();
    }

    pub(crate) fn remember(
        &self,
        channel: &str,
        name: &str,
        about: &str,
        claim: &str,
    ) -> Remembered {
        self.operator
            .remember(said(channel, name, about, claim))
            .unwrap()
    }

    /// Remembers one claim and gives its belief.
    pub(crate) fn believe(&self, channel: &str, name: &str, about: &str, claim: &str) -> BeliefId {
        self.remember(channel, name, about, claim).statements[0].belief
    }

    pub(crate) fn derive(&self, from: &[BeliefId], about: &str, claim: &str) -> DerivedBelief {
        let from: Vec<Item> = from.iter().map(|it| Item::Belief(*it)).collect();
        self.operator
            .derive(derivation(&from, about, claim))
            .unwrap()
    }

    pub(crate) fn challenge(
        &self,
        channel: &str,
        name: &str,
        about: &str,
        claim: &str,
    ) -> Challenged {
        let statement = said(channel, name, about, claim);
        self.operator
            .challenge(Challenge {
                statement,
                against: Vec::new(),
            })
            .unwrap()
    }

    pub(crate) fn guard(&self, kind: &str, payload: &str, used: Option<&[BeliefId]>) -> Guarded {
        self.operator
            .guard(guard_command(kind, payload, used))
            .unwrap()
    }

    pub(crate) fn rule(&self, kind: &str, class: ActionClass, unknown: UnknownPolicy) {
        let kind = Kind::new(kind).unwrap();
        let rule = Rule {
            rule: RuleId::new(1),
            kind,
            class,
            unknown,
            waiver: None,
            compensation: None,
        };
        self.set_rule(rule, 0);
    }

    pub(crate) fn set_rule(&self, rule: Rule, corroboration: u32) -> bool {
        let set = SetRule {
            rule,
            corroboration,
        };
        self.operator.set_rule(set).unwrap().1
    }

    pub(crate) fn recall(&self, about: &str) -> Recalled {
        self.operator
            .recall(&Recall::about(subject(about)))
            .unwrap()
    }

    pub(crate) fn status(&self, belief: BeliefId) -> Status {
        self.memory
            .snapshot()
            .unwrap()
            .state()
            .belief_now(belief)
            .unwrap()
            .status
    }

    pub(crate) fn strength(&self, belief: BeliefId) -> Trust {
        self.memory
            .snapshot()
            .unwrap()
            .state()
            .belief_now(belief)
            .unwrap()
            .strength
    }

    pub(crate) fn reputation(&self, channel: &str, name: &str) -> Trust {
        reputation(self.memory.snapshot().unwrap().state(), channel, name)
    }

    pub(crate) fn verify(&self) {
        let verified = self.memory.verify(&mut |_| {}).unwrap();
        assert!(verified.is_sound(), "{:#?}", verified.findings);
    }
}
