//! `history`: every event that names an item, and every transition that it went through, in order.

use std::collections::BTreeMap;

use immune_model::{ContextUse, Event, InferredCopy, Instant, Item, Principal, Recorded, TaskId};
use immune_store::{Head, Table, open_entry};

use crate::error::OpenError;
use crate::session::Session;
use crate::watch::{Run, Transition};

/// Entries read at a time.
const PAGE: usize = 4096;
/// Runs of transitions read at a time.
const RUNS: usize = 512;

/// One event in the life of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// Position in the log.
    pub seq: u64,
    /// When it was appended.
    pub at: Instant,
    /// Who asked for it.
    pub actor: Principal,
    /// The kind of event: `observed`, `incident_opened`.
    pub event: &'static str,
    /// The items that the event names, in the order of the event.
    pub items: Vec<Item>,
    /// What came out, where the event says so in a word: what held a belief that was tested.
    pub result: Option<&'static str>,
    /// What the item passed through in this event.
    pub transitions: Vec<Transition>,
}

impl Session {
    /// The life of an item: the events that name it or moved it, oldest first. Nothing for an
    /// item that does not exist.
    pub fn history(&self, item: Item) -> Result<Vec<Happened>, OpenError> {
        let mut moved = self.transitions_of(item)?;
        let mut happened = Vec::new();
        self.each_recorded(|recorded| {
            let items = named_by(&recorded.event);
            let transitions = moved.remove(&recorded.seq).unwrap_or_default();
            if items.contains(&item) || !transitions.is_empty() {
                happened.push(Happened {
                    seq: recorded.seq,
                    at: recorded.at,
                    event: recorded.event.name(),
                    result: result_of(&recorded.event),
                    actor: recorded.actor,
                    items,
                    transitions,
                });
            }
        })?;
        Ok(happened)
    }

    /// Hands over every event so far, in order, each checked against the chain.
    pub(crate) fn each_recorded(&self, mut take: impl FnMut(Recorded)) -> Result<(), OpenError> {
        let head = self.snapshot()?.head();
        let shared = &self.memory.shared;
        let mut at = Head::default();
        while at.seq < head.seq {
            let entries = shared.parts.store.read(&shared.name, at.seq, PAGE)?;
            if entries.is_empty() {
                break;
            }
            for entry in &entries {
                let recorded = open_entry(at, entry)?;
                at = at.after(entry);
                take(recorded);
            }
        }
        Ok(())
    }

    fn transitions_of(&self, item: Item) -> Result<BTreeMap<u64, Vec<Transition>>, OpenError> {
        let shared = &self.memory.shared;
        let mut found: BTreeMap<u64, Vec<Transition>> = BTreeMap::new();
        let mut after = None;
        loop {
            let store = &shared.parts.store;
            let rows = store.rows(&shared.name, Table::TransitionRun, after, RUNS)?;
            after = rows.last().map(immune_store::Row::key);
            for run in rows.iter().filter_map(Run::of) {
                for transition in run.of_item(item) {
                    let seq = transition.cursor.seq;
                    found.entry(seq).or_default().push(transition);
                }
            }
            if rows.len() < RUNS {
                return Ok(found);
            }
        }
    }
}

/// What came out of an event, in a word, where it says so.
fn result_of(event: &Event) -> Option<&'static str> {
    match event {
        Event::ParoleHeld { hold, .. } => Some(hold.name()),
        _ => None,
    }
}

/// The items that an event names, each once.
fn named_by(event: &Event) -> Vec<Item> {
    let mut items = named_in_content(event);
    items.extend(named_in_response(event));
    items.extend(named_in_attribution(event));
    items.extend(named_in_action(event));
    items.extend(named_in_mesh(event));
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|it| seen.insert(*it));
    items
}

/// The items that an event of setting up, stating, deriving or closing names.
fn named_in_content(event: &Event) -> Vec<Item> {
    match event {
        Event::ChannelSet { channel, .. } => vec![(*channel).into()],
        Event::SourceAdded {
            source, channel, ..
        } => vec![(*source).into(), (*channel).into()],
        Event::CopyInferred { copy } => match copy {
            InferredCopy::Content(it) => vec![it.observation.into(), it.of.into()],
            InferredCopy::Domain(it) => vec![it.source.into(), it.of.into()],
            InferredCopy::Values(it) => vec![it.source.into(), it.of.into()],
        },
        Event::MirrorDeclared { source, of }
        | Event::MirrorWithdrawn { source, of }
        | Event::MirrorRuled { source, of, .. } => {
            vec![(*source).into(), (*of).into()]
        }
        Event::SourceDeclared { source } | Event::RecordNamed { source, .. } => {
            vec![(*source).into()]
        }
        Event::RuleSet(it) => vec![it.rule.into()],
        Event::RuleAsks { rule, .. } => vec![(*rule).into()],
        Event::Hedged { claims } => claims.iter().map(|it| it.justification.into()).collect(),
        Event::Observed(it) => {
            let stated = it.statements.iter();
            let stated = stated.flat_map(|it| [it.belief.into(), it.justification.into()]);
            [it.observation.into(), it.source.into()]
                .into_iter()
                .chain(stated)
                .collect()
        }
        Event::Derived(it) => {
            let premises = it.premises.iter().copied().map(Item::from);
            let own = [it.belief.into(), it.justification.into(), it.agent.into()];
            own.into_iter().chain(premises).collect()
        }
        Event::StatementsClosed { justifications, .. } => {
            justifications.iter().copied().map(Item::from).collect()
        }
        Event::GraphImported { nodes, .. } => {
            nodes.iter().map(immune_model::GraphNode::item).collect()
        }
        Event::Shown { items, .. } => items.iter().copied().map(Item::from).collect(),
        Event::ContextUsed { write, used } => {
            let carriers = match used {
                ContextUse::Dropped => &[][..],
                ContextUse::Carried(carriers) => carriers,
            };
            let carriers = carriers.iter();
            let carriers = carriers.flat_map(|it| [it.justification.into(), it.belief.into()]);
            std::iter::once((*write).into()).chain(carriers).collect()
        }
        Event::Annotated { write, .. } => vec![(*write).into()],
        Event::BeliefClosed { belief, .. } => vec![(*belief).into()],
        Event::ObservationClosed { observation, .. } => vec![(*observation).into()],
        _ => Vec::new(),
    }
}

/// The items that an event of checking, refuting, reviewing or undoing names.
fn named_in_response(event: &Event) -> Vec<Item> {
    match event {
        Event::Checked { belief, record, .. } => vec![(*belief).into(), (*record).into()],
        Event::IncidentOpened(it) => {
            let refuted = it.refuted.iter().copied().map(Item::from);
            let own = [it.incident.into(), it.trigger.into(), it.challenger.into()];
            own.into_iter().chain(refuted).collect()
        }
        Event::ReviewOpened {
            review,
            trigger,
            challenger,
            claimed,
            against,
            ..
        } => {
            let against = against.iter().copied().map(Item::from);
            let own = [
                (*review).into(),
                (*trigger).into(),
                (*challenger).into(),
                (*claimed).into(),
            ];
            own.into_iter().chain(against).collect()
        }
        Event::TaskOpened {
            task,
            belief,
            incident,
        } => {
            vec![(*task).into(), (*belief).into(), (*incident).into()]
        }
        Event::TasksOpened {
            incident,
            first,
            beliefs,
        } => {
            let tasks = (first.number()..).map(TaskId::new).zip(beliefs);
            let opened = tasks.flat_map(|(task, belief)| [task.into(), (*belief).into()]);
            std::iter::once((*incident).into()).chain(opened).collect()
        }
        Event::TaskDone {
            task,
            justification,
        } => vec![(*task).into(), (*justification).into()],
        Event::Flagged {
            incident, target, ..
        } => vec![(*incident).into(), (*target).into()],
        Event::Reinstated { incident } => vec![(*incident).into()],
        _ => Vec::new(),
    }
}

/// The items that an event of attributing or releasing names.
fn named_in_attribution(event: &Event) -> Vec<Item> {
    match event {
        Event::Attributed(it) => {
            let decided = it.decision.map(Item::from);
            let items = it.candidates.iter().map(|it| it.item.into());
            let own = std::iter::once(it.attribution.into());
            own.chain(decided).chain(items).collect()
        }
        Event::EvidenceGiven {
            attribution,
            target,
        } => vec![(*attribution).into(), (*target).into()],
        Event::Paroled {
            belief,
            incidents,
            retested,
            ..
        } => {
            let incidents = incidents.iter().copied().map(Item::from);
            let retested = retested.iter().copied().map(Item::from);
            let own = std::iter::once((*belief).into());
            own.chain(incidents).chain(retested).collect()
        }
        Event::ParoleHeld {
            belief,
            hold,
            retested,
            ..
        } => {
            let retested = retested.iter().copied().map(Item::from);
            let own = std::iter::once((*belief).into());
            own.chain(hold.by()).chain(retested).collect()
        }
        _ => Vec::new(),
    }
}

/// The items that an event of the mesh names.
fn named_in_mesh(event: &Event) -> Vec<Item> {
    match event {
        Event::MeshIncidentOpened(it) => {
            let sources = it.reached.iter().flat_map(|it| it.sources.iter().copied());
            let own = std::iter::once(it.incident.into());
            own.chain(sources.map(Item::from)).collect()
        }
        Event::AntibodyMade(it) => vec![it.antibody.into(), it.incident.into()],
        Event::AgentQuarantined { incident, .. } | Event::MeshIncidentRetracted { incident } => {
            vec![(*incident).into()]
        }
        Event::TextBlocked { antibody, .. }
        | Event::AntibodyReviewed { antibody, .. }
        | Event::AntibodyRetracted { antibody } => vec![(*antibody).into()],
        _ => Vec::new(),
    }
}

/// The items that an event of deciding, acting or reversing names.
fn named_in_action(event: &Event) -> Vec<Item> {
    match event {
        Event::Decided(it) => {
            let relied_on = it.relied_on.iter().copied().map(Item::from);
            [it.decision.into(), it.agent.into()]
                .into_iter()
                .chain(relied_on)
                .collect()
        }
        Event::Proposed(it) => vec![it.action.into(), it.decision.into()],
        Event::ReversalQueued { action, incident } => vec![(*action).into(), (*incident).into()],
        Event::Executed { action, .. }
        | Event::Failed { action, .. }
        | Event::Reversed { action, .. }
        | Event::ReversalTried { action, .. } => vec![(*action).into()],
        _ => Vec::new(),
    }
}
