//! Recomputing what an event touched, and announcing what passed from one condition to another.

use immune_model::{BeliefId, Instant, Item, JustificationId, SourceId, Status};

use super::{State, Transition};
use crate::network;
use crate::support::{self, Known};

/// What an event touched.
#[derive(Default)]
pub(super) struct Seeds {
    /// Anything may have happened to these, and to any of their justifications.
    pub(super) beliefs: Vec<BeliefId>,
    /// These are new, or the facts about them may have moved.
    pub(super) justifications: Vec<JustificationId>,
}

impl Seeds {
    pub(super) fn beliefs(beliefs: Vec<BeliefId>) -> Self {
        Self {
            beliefs,
            justifications: Vec::new(),
        }
    }

    pub(super) fn justifications(justifications: Vec<JustificationId>) -> Self {
        Self {
            beliefs: Vec::new(),
            justifications,
        }
    }

    /// Each belief once, and each justification about which the facts are read anew.
    fn asked(self, state: &State) -> (Vec<BeliefId>, Vec<JustificationId>) {
        let (mut beliefs, mut justifications) = (self.beliefs, self.justifications);
        beliefs.sort_unstable();
        beliefs.dedup();
        justifications.extend(beliefs.iter().flat_map(|it| state.written_for(*it)));
        justifications.sort_unstable();
        justifications.dedup();
        (beliefs, justifications)
    }
}

impl State {
    /// Reads the facts about what was touched anew, recomputes what they affect, and takes over
    /// what comes out.
    pub(super) fn settle(&mut self, seeds: Seeds, at: Instant) {
        let (mut beliefs, justifications) = seeds.asked(self);
        let mut known = Known::default();
        let facts = justifications.into_iter();
        let facts: Vec<_> = facts
            .map(|it| (it, support::facts_of(self, it, &mut known)))
            .collect();
        let mut changed = network::Seeds::default();
        for (id, facts) in facts {
            if self.now.network.set_facts(id, facts) {
                changed.justifications.push(id);
            }
        }
        for belief in &beliefs {
            let refuted = self.beliefs.get(*belief).refuted_in.is_some();
            if self.now.network.set_refuted(*belief, refuted) {
                changed.beliefs.push(*belief);
            }
        }
        let heads = changed.justifications.iter();
        beliefs.extend(heads.map(|it| self.now.network.head_of(*it)));
        let moved = self.now.network.update(&changed);
        self.note_words(&beliefs, &moved);
        for it in &moved {
            let now = self.now.network.get(it.belief);
            if it.before.strength() != now.strength() {
                self.changes.belief_states.insert(it.belief);
            }
            if it.before.levels() != now.levels() && self.now.network.uses_of(it.belief).is_some() {
                // A decision's status follows the levels, also where a belief's own does not.
                let decisions: Vec<_> = self.decisions_on(it.belief).collect();
                self.changes.decisions.extend(decisions);
            }
            self.settle_status(it.belief, at);
        }
        for belief in beliefs {
            self.settle_status(belief, at);
        }
    }

    fn settle_status(&mut self, belief: BeliefId, at: Instant) {
        let before = self.now.network.get(belief).status();
        let after = support::status_of(self, belief);
        if before == after {
            return;
        }
        self.now.network.set_status(belief, after);
        if after == Status::Active {
            *self.now.ended_at.get_mut(belief) = None;
        } else if before == Status::Active {
            *self.now.ended_at.get_mut(belief) = Some(at);
        }
        self.changes.belief_states.insert(belief);
        self.passed.push((belief, before));
    }

    /// Which of its justifications is the strongest may have moved, and with it the words in which
    /// a belief is shown.
    fn note_words(&mut self, beliefs: &[BeliefId], moved: &[network::Moved]) {
        if !self.now.network.has_words_to_choose() {
            return;
        }
        let network = &self.now.network;
        let heads = moved.iter().flat_map(|it| network.dependents_of(it.belief));
        let heads = heads.map(|it| network.head_of(it));
        let touched = beliefs.iter().copied().chain(heads);
        let shown: Vec<BeliefId> = touched.filter(|it| network.has_many_words(*it)).collect();
        self.changes.beliefs.extend(shown);
    }

    /// The beliefs that were revoked since so many had passed within this event, in order.
    pub(super) fn revoked_since(&self, passed: usize) -> Vec<BeliefId> {
        let passed = self.passed.iter().skip(passed);
        let revoked = |it: &BeliefId| self.now.network.get(*it).status() == Status::Revoked;
        let mut revoked: Vec<BeliefId> =
            passed.map(|(belief, _)| *belief).filter(revoked).collect();
        revoked.sort_unstable();
        revoked.dedup();
        revoked
    }

    /// Every belief whose strength a source is part of: what it states and derives, and what
    /// those state that copy it.
    pub(super) fn touched_by_source(&self, id: SourceId) -> Vec<BeliefId> {
        let copies = self.closure_of(id, |it| &it.mirrored_by);
        let observations = copies.iter().flat_map(|it| self.observations_of(*it));
        let statements = observations.flat_map(|it| {
            let statements = self.observations.get(it).statements.iter();
            let stated = statements.map(|it| self.justifications.get(*it).belief);
            stated
                .chain(self.beliefs_on_observation(it))
                .collect::<Vec<_>>()
        });
        let derived = self
            .derivations_of(id)
            .map(|it| self.justifications.get(it).belief);
        statements.chain(derived).collect()
    }

    pub(super) fn announce(
        &mut self,
        item: Item,
        change: &'static str,
        before: Option<String>,
        after: &str,
        cause: Option<Item>,
        at: Instant,
    ) {
        let seq = self.seq;
        self.changes.transitions.push(Transition {
            seq,
            position: 0,
            at,
            item,
            change,
            before: before.map(Into::into),
            after: after.to_owned().into(),
            cause,
        });
    }

    /// Announces the beliefs that passed within the event, and numbers the transitions of the
    /// event, beliefs first. The item that the event is about is named as their cause. An item
    /// that passed through several conditions is announced once, from first to last.
    pub(super) fn number_transitions(&mut self, first: usize, cause: Option<Item>, at: Instant) {
        let others = self.changes.transitions.split_off(first);
        let mut passed = std::mem::take(&mut self.passed);
        let in_order = passed.is_sorted_by(|one, other| one.0 < other.0);
        if !in_order {
            // Stable, so that of one belief's conditions the first comes first.
            passed.sort_by_key(|(belief, _)| *belief);
            passed.dedup_by_key(|(belief, _)| *belief);
        }
        let seq = self.seq;
        for (belief, before) in passed {
            let after = self.now.network.get(belief).status();
            if before != after {
                self.changes.transitions.push(Transition {
                    seq,
                    position: 0,
                    at,
                    item: Item::Belief(belief),
                    change: "status",
                    before: (before != Status::Unsupported).then(|| before.name().into()),
                    after: after.name().into(),
                    cause: None,
                });
            }
        }
        self.changes.transitions.extend(merged(others));
        let numbered = self.changes.transitions.iter_mut().skip(first);
        for (position, transition) in (0..).zip(numbered) {
            transition.position = position;
            let cause = cause.filter(|it| *it != transition.item);
            transition.cause = transition.cause.or(cause);
        }
    }
}

/// One transition for each item and change, from its first condition to its last.
fn merged(transitions: Vec<Transition>) -> Vec<Transition> {
    let mut merged: Vec<Transition> = Vec::with_capacity(transitions.len());
    let mut places = rustc_hash::FxHashMap::default();
    for transition in transitions {
        let key = (transition.item, transition.change);
        let place = *places.entry(key).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(known) => known.after = transition.after,
            None => merged.push(transition),
        }
    }
    merged.retain(|it| it.before.as_deref() != Some(&*it.after));
    merged
}
