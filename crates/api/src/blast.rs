//! Blast radius: what rests on an item, and what would fall with it.

use std::collections::BTreeSet;

use immune_engine::reason::State;
use immune_engine::reason::question::{Blast as Found, Fate, Reached as Inner};
use immune_model::{Item, SourceId, Status};
use serde::Serialize;

use crate::value::{SourceName, ids};

/// What rests on an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blast {
    /// The item.
    pub item: String,
    /// How much there is, listed or not.
    pub totals: Totals,
    /// The agents that concluded or decided any of it.
    pub agents: Vec<SourceName>,
    /// The item at hop 0 and what rests on it, nearest first.
    pub reached: Vec<Reached>,
    /// What is not listed.
    pub more: usize,
    /// Beliefs that do not stand now and would, because what replaced them falls.
    pub returns: Vec<String>,
    /// Beliefs that were written by runs which were shown some of it, or rest on those: their
    /// strength may fall, their status stays.
    pub exposed: Vec<String>,
    /// Sources that are declared to copy the item, if it is a source: their own words are not
    /// part of this.
    pub copied_by: Vec<SourceName>,
}

/// How much rests on an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Observations, the item among them if it is one.
    pub observations: usize,
    /// Beliefs, the item among them if it is one.
    pub beliefs: usize,
    /// Beliefs that stand now and would fall.
    pub beliefs_fall: usize,
    /// Beliefs that would stand on other grounds.
    pub beliefs_stand: usize,
    /// Decisions.
    pub decisions: usize,
    /// Decisions that would fall.
    pub decisions_fall: usize,
    /// Actions.
    pub actions: usize,
    /// Actions that would be reversed, or stand as irreversible.
    pub actions_fall: usize,
    /// The most hops.
    pub hops: u32,
}

/// Something that rests on the item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// A source, observation, belief, decision or action.
    pub item: String,
    /// Edges of provenance from the item asked about.
    pub hop: u32,
    /// What it rests on, one hop nearer.
    pub from: Option<String>,
    /// Who said, concluded or decided it.
    pub by: Option<SourceName>,
    /// The subject of a belief, the kind of an action.
    pub about: Option<String>,
    /// What it is now.
    pub status: Option<&'static str>,
    /// `falls`, `stands`, or `out` if it does not stand now.
    pub fate: &'static str,
    /// What it would be.
    pub then: Option<&'static str>,
    /// The justification by which it would stand.
    pub stands_by: Option<String>,
}

impl Blast {
    /// The view of what was found; `limit` of it are listed.
    pub fn of(state: &State, item: Item, found: &Found, limit: usize) -> Self {
        let mut totals = Totals::default();
        let mut agents: BTreeSet<SourceId> = BTreeSet::new();
        for it in &found.reached {
            totals.add(state, it);
            let concluded = matches!(it.from, Some(Item::Belief(_) | Item::Observation(_)))
                && !is_statement(state, it);
            agents.extend(it.by.filter(|_| concluded));
        }
        let listed = found.reached.iter().take(limit);
        Self {
            item: item.to_string(),
            totals,
            agents: agents.iter().map(|it| SourceName::of(state, *it)).collect(),
            reached: listed.map(|it| Reached::of(state, it)).collect(),
            more: found.reached.len().saturating_sub(limit),
            returns: ids(found.returns.iter().take(limit)),
            exposed: ids(found.exposed.iter().take(limit)),
            copied_by: copied_by(state, item),
        }
    }
}

/// Whether somebody else stated what was reached from an observation.
fn is_statement(state: &State, reached: &Inner) -> bool {
    match reached.from {
        Some(Item::Observation(id)) => state.observation(id).map(|it| it.source) == reached.by,
        _ => false,
    }
}

/// The sources that are declared to copy one, through any number of steps.
fn copied_by(state: &State, item: Item) -> Vec<SourceName> {
    let Item::Source(id) = item else {
        return Vec::new();
    };
    let mut copies = BTreeSet::new();
    let mut stack = vec![id];
    while let Some(source) = stack.pop() {
        let by = state.source(source).map(|it| it.mirrored_by.iter());
        for copy in by.into_iter().flatten().filter(|it| **it != id) {
            if copies.insert(*copy) {
                stack.push(*copy);
            }
        }
    }
    copies.iter().map(|it| SourceName::of(state, *it)).collect()
}

/// What would become of it: what does not stand cannot fall.
fn fate(state: &State, reached: &Inner) -> &'static str {
    let status = match reached.item {
        Item::Observation(id) => state.observation_status(id),
        Item::Belief(id) => state.belief_now(id).map(|it| it.status),
        Item::Decision(id) => state.decision_status(id),
        _ => None,
    };
    match reached.fate {
        Fate::Falls if status.is_none_or(|it| it == Status::Active) => "falls",
        Fate::Stands(_) => "stands",
        Fate::Falls | Fate::Out => "out",
    }
}

impl Totals {
    fn add(&mut self, state: &State, reached: &Inner) {
        let falls = usize::from(fate(state, reached) == "falls");
        self.hops = self.hops.max(reached.hop);
        match reached.item {
            Item::Observation(_) => self.observations += 1,
            Item::Belief(_) => {
                self.beliefs += 1;
                self.beliefs_fall += falls;
                self.beliefs_stand += usize::from(matches!(reached.fate, Fate::Stands(_)));
            }
            Item::Decision(_) => {
                self.decisions += 1;
                self.decisions_fall += falls;
            }
            Item::Action(_) => {
                self.actions += 1;
                self.actions_fall += falls;
            }
            _ => {}
        }
    }
}

impl Reached {
    fn of(state: &State, reached: &Inner) -> Self {
        let about = match reached.item {
            Item::Belief(id) => state.belief(id).map(|it| it.subject.to_string()),
            Item::Action(id) => state.action(id).map(|it| it.kind.to_string()),
            _ => None,
        };
        let status = match reached.item {
            Item::Observation(id) => state.observation_status(id).map(immune_model::Status::name),
            Item::Belief(id) => state.belief_now(id).map(|it| it.status.name()),
            Item::Decision(id) => state.decision_status(id).map(immune_model::Status::name),
            Item::Action(id) => state.action(id).map(|it| it.status.name()),
            _ => None,
        };
        Self {
            item: reached.item.to_string(),
            hop: reached.hop,
            from: reached.from.map(|it| it.to_string()),
            by: reached.by.map(|it| SourceName::of(state, it)),
            about,
            status,
            fate: fate(state, reached),
            then: reached.then.map(immune_model::Status::name),
            stands_by: match reached.fate {
                Fate::Stands(by) => by.map(|it| it.to_string()),
                Fate::Falls | Fate::Out => None,
            },
        }
    }
}
