//! `history`: every event that names an item, and every transition that it went through, in order.

use std::collections::BTreeMap;

use immune_model::{Event, Instant, Item, Premise, Principal};
use immune_store::{Head, Table, open_entry};

use crate::error::OpenError;
use crate::session::Session;
use crate::watch::{self, Transition};

/// Entries or rows read at a time.
const PAGE: usize = 4096;

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
    /// What the item passed through in this event.
    pub transitions: Vec<Transition>,
}

impl Session {
    /// The life of an item: the events that name it or moved it, oldest first. Nothing for an
    /// item that does not exist.
    pub fn history(&self, item: Item) -> Result<Vec<Happened>, OpenError> {
        let head = self.snapshot()?.head();
        let mut moved = self.transitions_of(item)?;
        let shared = &self.memory.shared;
        let mut happened = Vec::new();
        let mut at = Head::default();
        while at.seq < head.seq {
            let entries = shared.parts.store.read(&shared.name, at.seq, PAGE)?;
            if entries.is_empty() {
                break;
            }
            for entry in &entries {
                let recorded = open_entry(at, entry)?;
                at = at.after(entry);
                let items = named_by(&recorded.event);
                let transitions = moved.remove(&recorded.seq).unwrap_or_default();
                if items.contains(&item) || !transitions.is_empty() {
                    happened.push(Happened {
                        seq: recorded.seq,
                        at: recorded.at,
                        actor: recorded.actor,
                        event: recorded.event.name(),
                        items,
                        transitions,
                    });
                }
            }
        }
        Ok(happened)
    }

    fn transitions_of(&self, item: Item) -> Result<BTreeMap<u64, Vec<Transition>>, OpenError> {
        let shared = &self.memory.shared;
        let mut found: BTreeMap<u64, Vec<Transition>> = BTreeMap::new();
        let mut after = None;
        loop {
            let store = &shared.parts.store;
            let rows = store.rows(&shared.name, Table::Transition, after, PAGE)?;
            after = rows.last().map(immune_store::Row::key);
            for transition in rows.iter().filter_map(watch::transition) {
                if transition.item == item {
                    let seq = transition.cursor.seq;
                    found.entry(seq).or_default().push(transition);
                }
            }
            if rows.len() < PAGE {
                return Ok(found);
            }
        }
    }
}

/// The items that an event names, each once.
fn named_by(event: &Event) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    match event {
        Event::MemoryCreated { .. } => {}
        Event::ChannelSet { channel, .. } => items.push((*channel).into()),
        Event::SourceAdded {
            source, channel, ..
        } => items.extend([Item::from(*source), Item::from(*channel)]),
        Event::SourceDeclared { source } | Event::RecordNamed { source, .. } => {
            items.push((*source).into());
        }
        Event::Observed(it) => {
            items.extend([Item::from(it.observation), Item::from(it.source)]);
            for statement in &it.statements {
                items.extend([
                    Item::from(statement.belief),
                    Item::from(statement.justification),
                ]);
            }
        }
        Event::Derived(it) => {
            items.extend([
                Item::from(it.belief),
                Item::from(it.justification),
                Item::from(it.agent),
            ]);
            items.extend(it.premises.iter().copied().map(premise));
        }
        Event::StatementsClosed { justifications, .. } => {
            items.extend(justifications.iter().copied().map(Item::from));
        }
        Event::BeliefClosed { belief, .. } => items.push((*belief).into()),
        Event::ObservationClosed { observation, .. } => items.push((*observation).into()),
        Event::Checked { belief, record, .. } => {
            items.extend([Item::from(*belief), Item::from(*record)]);
        }
        Event::IncidentOpened(it) => {
            items.extend([
                Item::from(it.incident),
                Item::from(it.trigger),
                Item::from(it.challenger),
            ]);
            items.extend(it.refuted.iter().copied().map(Item::from));
        }
        Event::ReviewOpened {
            review,
            trigger,
            challenger,
            claimed,
            against,
            ..
        } => {
            items.extend([
                Item::from(*review),
                Item::from(*trigger),
                Item::from(*challenger),
                Item::from(*claimed),
            ]);
            items.extend(against.iter().copied().map(Item::from));
        }
        Event::TaskOpened {
            task,
            belief,
            incident,
        } => items.extend([
            Item::from(*task),
            Item::from(*belief),
            Item::from(*incident),
        ]),
        Event::RuleSet(it) => items.push(it.rule.into()),
        Event::Decided(it) => {
            items.extend([Item::from(it.decision), Item::from(it.agent)]);
            items.extend(it.relied_on.iter().copied().map(Item::from));
        }
        Event::Proposed(it) => {
            items.extend([Item::from(it.action), Item::from(it.decision)]);
        }
        Event::ReversalQueued { action, incident } => {
            items.extend([Item::from(*action), Item::from(*incident)]);
        }
        Event::Reinstated { incident } => items.push((*incident).into()),
        Event::Executed { action, .. }
        | Event::Failed { action, .. }
        | Event::Reversed { action, .. }
        | Event::ReversalTried { action, .. } => items.push((*action).into()),
    }
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|it| seen.insert(*it));
    items
}

fn premise(premise: Premise) -> Item {
    premise.into()
}
