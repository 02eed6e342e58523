//! The stage: a store, a clock that stands still, a ledger, and short words for the verbs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use immune_engine::reason::plan::{
    Challenge, Challenged, Derivation, Guard, Guarded, NameRecord, Narrowing, NewClaim, Remember,
    Remembered, SetChannel, SetRule, SourceRef,
};
use immune_engine::{Clock, Engine, Memory, Parts, Recall, Recalled, Session};
use immune_model::{
    ActionClass, ActionStatus, Area, BeliefId, Carriage, ChannelName, Handle, Instant, Item, Kind,
    MemoryName, Namespace, Principal, Role, Rule, RuleId, Screening, Subject, SubjectFrom, Text,
    Trust, UnknownPolicy, Waiver, WaiverBar,
};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

use super::ledger::Ledger;

/// The moment at which everything happens.
const NOON: &str = "2026-08-13T12:00:00Z";
/// The agent of the story.
const AGENT: &str = "support-bot";

#[derive(Debug)]
struct Standstill(Instant);

impl Clock for Standstill {
    fn now(&self) -> Instant {
        self.0
    }
}

/// A memory with its surroundings.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) memory: Memory,
    pub(super) operator: Session,
    pub(super) agent: Session,
    pub(super) ledger: Ledger,
}

impl Stage {
    /// A new memory in a folder; the folder is made if it is absent.
    pub(super) fn set(folder: &Path) -> anyhow::Result<Self> {
        fs_err::create_dir_all(folder)?;
        let options = SqliteOptions {
            timeout: Duration::from_secs(10),
            create: true,
        };
        let store = SqliteStore::open(&folder.join("demo.immune"), options)?;
        let parts = Parts {
            clock: Arc::new(Standstill(NOON.parse()?)),
            ..Parts::new(Arc::new(store))
        };
        let memory = Engine::new(parts).memory(&MemoryName::new("demo")?)?;
        let principal = |role, name| {
            anyhow::Ok(Principal {
                role,
                name: Handle::new(name)?,
            })
        };
        Ok(Self {
            operator: memory.session(principal(Role::Operator, "operator")?),
            agent: memory.session(principal(Role::Agent, AGENT)?),
            ledger: Ledger::at(folder),
            memory,
        })
    }

    pub(super) fn channel(&self, name: &str, tier: &str, carriage: Carriage) -> anyhow::Result<()> {
        let (name, tier) = (ChannelName::new(name)?, tier.parse()?);
        let carriage = Some(carriage);
        self.operator.set_channel(SetChannel {
            name,
            tier,
            carriage,
            create_only: false,
        })?;
        Ok(())
    }

    pub(super) fn record(&self, channel: &str, name: &str, area: &str) -> anyhow::Result<()> {
        let area = Area::new(area)?;
        self.operator.name_record(NameRecord {
            source: source(channel, name)?,
            area,
        })?;
        Ok(())
    }

    /// The rule for a kind of action that another effect can make up for.
    pub(super) fn rule(
        &self,
        kind: &str,
        unknown: UnknownPolicy,
        waiver: Option<(&str, WaiverBar)>,
    ) -> anyhow::Result<()> {
        let waiver = waiver.map(|(subject, bar)| {
            anyhow::Ok(Waiver {
                subject: Subject::new(subject)?,
                bar,
            })
        });
        let rule = Rule {
            rule: RuleId::new(1),
            kind: Kind::new(kind)?,
            class: ActionClass::Compensable,
            unknown,
            waiver: waiver.transpose()?,
            compensation: None,
        };
        let corroboration = 0;
        self.operator.set_rule(SetRule {
            rule,
            corroboration,
        })?;
        Ok(())
    }

    pub(super) fn remember(
        &self,
        name: &str,
        about: &str,
        claim: &str,
    ) -> anyhow::Result<Remembered> {
        Ok(self.agent.remember(said("inbox", name, about, claim)?)?)
    }

    pub(super) fn derive(
        &self,
        from: BeliefId,
        about: &str,
        claim: &str,
    ) -> anyhow::Result<BeliefId> {
        let derivation = Derivation {
            agent: Handle::new(AGENT)?,
            namespace: Namespace::ROOT,
            premises: vec![Item::Belief(from)],
            claim: NewClaim::read(Subject::new(about)?, SubjectFrom::Caller, Text::new(claim)?),
            run: None,
            narrowing: Narrowing::Whole,
            metadata: immune_model::Metadata::default(),
        };
        Ok(self.agent.derive(derivation)?.belief)
    }

    pub(super) fn challenge(&self, about: &str, claim: &str) -> anyhow::Result<Challenged> {
        let statement = said("books", "ledger", about, claim)?;
        Ok(self.operator.challenge(Challenge {
            statement,
            against: Vec::new(),
        })?)
    }

    /// Guards an action whose effect is an entry in the ledger.
    pub(super) fn act(
        &self,
        what: &str,
        command: Guard,
    ) -> anyhow::Result<(Guarded, ActionStatus)> {
        let payload = command.payload.clone();
        Ok(self.agent.act(command, |guarded| {
            self.ledger
                .post(guarded.action, what, &payload)
                .map_err(|error| text_of(&error))?;
            Ok(None)
        })?)
    }

    /// Runs the reversals that are due; each compensation is an entry in the ledger.
    pub(super) fn reverse(&self) -> anyhow::Result<Vec<immune_engine::Reversed>> {
        let compensate = |request: &immune_engine::ReversalRequest| {
            let posted = self
                .ledger
                .post(request.action, "reversal", &request.payload);
            posted.map(|()| None).map_err(|error| text_of(&error))
        };
        Ok(self.operator.run_reversals(&compensate)?)
    }

    pub(super) fn recall(&self, about: &str) -> anyhow::Result<Recalled> {
        Ok(self.agent.recall(&Recall::about(Subject::new(about)?))?)
    }

    pub(super) fn reputation(&self, channel: &str, name: &str) -> anyhow::Result<Trust> {
        let snapshot = self.memory.snapshot()?;
        let state = snapshot.state();
        let channel = state.find_channel(&ChannelName::new(channel)?);
        let source = channel.and_then(|it| state.find_source(it, &Handle::new(name).ok()?));
        let source = source.ok_or_else(|| anyhow::anyhow!("source `{name}` never spoke"))?;
        Ok(state.reputation(source, immune_engine::reason::Scope::Overall))
    }
}

/// An action of the agent; without `used`, it relies on what carries the payload's literals.
pub(super) fn guard_command(
    kind: &str,
    payload: &str,
    used: Option<&[BeliefId]>,
) -> anyhow::Result<Guard> {
    let payload = Text::new(payload)?;
    Ok(Guard {
        agent: Handle::new(AGENT)?,
        namespace: Namespace::ROOT,
        kind: Kind::new(kind)?,
        literals: immune_engine::reason::literal::literals(payload.as_str()),
        payload,
        used: used.map(<[_]>::to_vec),
        run: None,
        narrowing: Narrowing::Whole,
    })
}

fn source(channel: &str, name: &str) -> anyhow::Result<SourceRef> {
    let channel = Some(ChannelName::new(channel)?);
    Ok(SourceRef {
        channel,
        handle: Handle::new(name)?,
        kind: None,
    })
}

fn said(channel: &str, name: &str, about: &str, claim: &str) -> anyhow::Result<Remember> {
    let text = Text::new(claim)?;
    Ok(Remember {
        from: source(channel, name)?,
        namespace: Namespace::ROOT,
        text: text.clone(),
        sent_at: None,
        external_id: None,
        run: None,
        screening: Screening::Explicit,
        claims: vec![NewClaim::read(
            Subject::new(about)?,
            SubjectFrom::Caller,
            text,
        )],
        metadata: immune_model::Metadata::default(),
    })
}

fn text_of(error: &std::io::Error) -> Text {
    Text::new(&error.to_string().replace('\0', " ")).expect("an error says something")
}
