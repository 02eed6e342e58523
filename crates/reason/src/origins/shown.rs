//! Who is behind a context: the origins that what is written with it shares (semantics.md 5).
//!
//! These are all sources, and the agents that concluded what no premise carries, through any derivation of what was shown that is at or above the floor
//! without closing facts, and of what was shown before these were written in turn. Systems of
//! record are left out: that everybody looks a thing up makes nobody dependent on another. Called
//! by `proofs` and `survey` only.

use std::collections::BTreeMap;
use std::rc::Rc;

use immune_model::{BeliefId, Instant, JustificationId, ObservationId, Premise, SourceId, Trust};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::ContextId;
use crate::state::{Grounds, State};
use crate::support::{Known, open_cap, open_observation_cap};

/// By what a source speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// An observation of it.
    Observation(ObservationId),
    /// What an agent concluded, and no premise carries.
    Conclusion(JustificationId),
}

impl Voice {
    /// Who speaks.
    pub(super) fn source(self, state: &State) -> SourceId {
        match self {
            Self::Observation(id) => state.observations.get(id).source,
            Self::Conclusion(id) => state
                .speaker_of(id)
                .expect("what an agent concluded names it"),
        }
    }

    /// The observation, if it repeats another one.
    pub(super) fn repeating(self, state: &State) -> Option<ObservationId> {
        match self {
            Self::Observation(id) => Some(id).filter(|it| state.inferred_content(*it).is_some()),
            Self::Conclusion(_) => None,
        }
    }

    /// Since when.
    pub(super) fn at(self, state: &State) -> Instant {
        match self {
            Self::Observation(id) => state.observations.get(id).received_at,
            Self::Conclusion(id) => state.justifications.get(id).at,
        }
    }

    /// How far that is trusted without closing facts, its context and its premises left out.
    pub(super) fn open_cap(self, state: &State) -> Trust {
        let cap = match self {
            Self::Observation(id) => open_observation_cap(state, id),
            Self::Conclusion(id) => open_cap(state, id, &mut Known::default())
                .map(|it| it.min(state.trust_of_reasoner(id, self.source(state)))),
        };
        cap.unwrap_or(Trust::ZERO)
    }
}

/// What is known of contexts so far.
#[derive(Default)]
pub(super) struct Shown {
    behind: FxHashMap<ContextId, Rc<[Voice]>>,
}

/// By what each source speaks most strongly, and each observation of it that repeats another one:
/// that has origins of its own.
type Sources = BTreeMap<(SourceId, Option<ObservationId>), (Trust, Voice)>;

/// What is to be visited.
struct Visit<'a> {
    state: &'a State,
    sources: Sources,
    contexts: Vec<ContextId>,
    beliefs: Vec<BeliefId>,
    seen_contexts: FxHashSet<ContextId>,
    seen_beliefs: FxHashSet<BeliefId>,
}

impl Shown {
    /// By what each source behind a context speaks most strongly: linear in what is new since
    /// the last context of the run that was asked about.
    pub(super) fn behind(&mut self, state: &State, id: ContextId) -> Rc<[Voice]> {
        let contexts = &state.contexts.contexts;
        let previous = |it: &ContextId| contexts.get(*it).previous;
        let unknown = std::iter::successors(Some(id), previous);
        let unknown = unknown.take_while(|it| !self.behind.contains_key(it));
        let mut unknown: Vec<ContextId> = unknown.collect();
        // The oldest first: each of the others has all that is behind the one before it.
        unknown.reverse();
        for context in unknown {
            let found = self.visit(state, context);
            self.behind.insert(context, found);
        }
        self.behind.get(&id).map_or_else(|| Rc::from([]), Rc::clone)
    }

    fn visit(&self, state: &State, id: ContextId) -> Rc<[Voice]> {
        let mut visit = Visit {
            state,
            sources: Sources::new(),
            contexts: vec![id],
            beliefs: Vec::new(),
            seen_contexts: FxHashSet::default(),
            seen_beliefs: FxHashSet::default(),
        };
        loop {
            if let Some(context) = visit.contexts.pop() {
                if visit.seen_contexts.insert(context) {
                    match self.behind.get(&context) {
                        Some(known) => known.iter().for_each(|it| visit.speaks(*it)),
                        None => visit.context(context),
                    }
                }
            } else if let Some(belief) = visit.beliefs.pop() {
                if visit.seen_beliefs.insert(belief) {
                    visit.belief(belief);
                }
            } else {
                let found = visit.sources.into_values();
                return found.map(|(_, it)| it).collect();
            }
        }
    }
}

impl Visit<'_> {
    fn context(&mut self, id: ContextId) {
        let context = self.state.contexts.contexts.get(id);
        self.contexts.extend(context.previous);
        self.contexts.extend(context.handed);
        for item in &context.items {
            match *item {
                Premise::Belief(it) => self.beliefs.push(it),
                Premise::Observation(it) => self.observation(it),
            }
        }
    }

    fn belief(&mut self, id: BeliefId) {
        let state = self.state;
        let subject = &state.beliefs.get(id).subject;
        for justification in state.justifications_of(id) {
            let value = state.contexts.taint.value_of(state, justification);
            if value < Trust::FLOOR {
                continue;
            }
            let found = state.justifications.get(justification);
            if let Grounds::Statement { observation, .. } = found.grounds {
                let source = state.observations.get(observation).source;
                if !state.is_record(source, subject) {
                    self.speaks(Voice::Observation(observation));
                }
            }
            if state.reasoner_of(justification).is_some() {
                self.speaks(Voice::Conclusion(justification));
            }
            self.contexts
                .extend(state.context_of_justification(justification));
            for premise in found.grounds.premises() {
                match premise {
                    Premise::Belief(it) => self.beliefs.push(it),
                    Premise::Observation(it) => self.observation(it),
                }
            }
        }
    }

    fn observation(&mut self, id: ObservationId) {
        self.speaks(Voice::Observation(id));
        self.contexts.extend(self.state.context_of_observation(id));
    }

    /// Notes who speaks.
    fn speaks(&mut self, by: Voice) {
        let strength = by.open_cap(self.state);
        let speaker = (by.source(self.state), by.repeating(self.state));
        let strongest = self.sources.entry(speaker).or_insert((strength, by));
        *strongest = (*strongest).max((strength, by));
    }
}
