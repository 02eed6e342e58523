//! Recomputing what an event touched, and announcing what passed from one condition to another.

use std::borrow::Cow;

use immune_model::{
    BeliefId, Instant, Item, JustificationId, ObservationId, Premise, SourceId, Status, Write,
};

use super::{State, Transition};
use crate::context;
use crate::network::{self, Facts};
use crate::support::{self, Known};

/// What an event touched.
#[derive(Default)]
pub(super) struct Seeds {
    /// Anything may have happened to these, and to any of their justifications.
    pub(super) beliefs: Vec<BeliefId>,
    /// These are new, or the facts about them may have moved.
    pub(super) justifications: Vec<JustificationId>,
    /// These rest on what is flagged now: nothing else about them matters, so it is not read.
    pub(super) flagged: Vec<JustificationId>,
    /// How far these are trusted may have moved; what rests on them is among the others.
    pub(super) observations: Vec<ObservationId>,
}

impl Seeds {
    pub(super) fn beliefs(beliefs: Vec<BeliefId>) -> Self {
        Self {
            beliefs,
            ..Self::default()
        }
    }

    pub(super) fn justifications(justifications: Vec<JustificationId>) -> Self {
        Self {
            justifications,
            ..Self::default()
        }
    }

    /// Adds what another one has.
    pub(super) fn extend(&mut self, other: Self) {
        self.beliefs.extend(other.beliefs);
        self.justifications.extend(other.justifications);
        self.flagged.extend(other.flagged);
        self.observations.extend(other.observations);
    }

    /// Each belief once, and with each its justifications.
    fn spread(&mut self, state: &State) {
        self.beliefs.sort_unstable();
        self.beliefs.dedup();
        let written = self.beliefs.iter().flat_map(|it| state.written_for(*it));
        self.justifications.extend(written);
    }

    /// Each belief once, and each justification with what the facts about it say now.
    fn facts(self, state: &State) -> (Vec<BeliefId>, Vec<(JustificationId, Facts)>) {
        let (beliefs, mut justifications) = (self.beliefs, self.justifications);
        justifications.sort_unstable();
        justifications.dedup();
        let mut known = Known::default();
        let read = justifications.into_iter();
        let read = read.map(|it| (it, support::facts_of(state, it, &mut known)));
        let mut facts: Vec<_> = read.collect();
        let mut flagged = self.flagged;
        flagged.sort_unstable();
        flagged.dedup();
        let network = &state.now.network;
        facts.extend(
            flagged
                .iter()
                .map(|it| (*it, network.facts_under_flag(*it))),
        );
        let of_flagged =
            |it: &JustificationId| support::facts_of(state, *it, &mut Known::default());
        debug_assert!(
            flagged
                .iter()
                .all(|it| of_flagged(it) == network.facts_under_flag(*it)),
            "what rests on what is flagged gives nothing"
        );
        (beliefs, facts)
    }
}

impl State {
    /// Reads the facts about what was touched anew, recomputes what they affect, and takes over
    /// what comes out.
    pub(super) fn settle(&mut self, mut seeds: Seeds, at: Instant) {
        seeds.spread(self);
        if !self.contexts.is_empty() {
            let tainted = self.tainted_by_seeds(&seeds);
            seeds.justifications.extend(tainted);
        }
        let (mut beliefs, facts) = seeds.facts(self);
        let mut changed = network::Seeds::default();
        for (id, facts) in facts {
            self.now.network.set_facts(id, facts, &mut changed);
        }
        for belief in &beliefs {
            let refuted = self.beliefs.get(*belief).refuted_in.is_some();
            self.now.network.set_refuted(*belief, refuted, &mut changed);
        }
        let heads = changed.justifications.iter();
        beliefs.extend(heads.map(|it| self.now.network.head_of(*it)));
        beliefs.sort_unstable();
        beliefs.dedup();
        let moved = self.now.network.update(&changed);
        self.note_words(&beliefs, &moved);
        let any_decision = self.decisions.len() > 0;
        for it in &moved {
            let now = self.now.network.get(it.belief);
            if it.before.strength() != now.strength() {
                self.changes.belief_states.insert(it.belief);
            }
            if any_decision && it.before.levels() != now.levels() {
                // A decision's status follows the levels, also where a belief's own does not.
                let decisions: Vec<_> = self.decisions_on(it.belief).collect();
                self.changes.decisions.extend(decisions);
            }
        }
        self.settle_statuses(moved.iter().map(|it| it.belief), at);
        self.settle_statuses(beliefs.into_iter(), at);
    }

    /// Brings what runs were shown up to date, and gives what rests on a context that moved.
    fn tainted_by_seeds(&mut self, seeds: &Seeds) -> Vec<JustificationId> {
        let (touched, flagged) = (&seeds.justifications, &seeds.flagged);
        let justifications: Vec<JustificationId> = touched.iter().chain(flagged).copied().collect();
        let written = self.settle_taint(&context::Touched {
            beliefs: &seeds.beliefs,
            justifications: &justifications,
            observations: &seeds.observations,
        });
        let mut tainted = Vec::new();
        for write in written {
            match write {
                Write::Observation(id) => {
                    self.changes.observation_states.insert(id);
                    tainted.extend(&self.observations.get(id).statements);
                    tainted.extend(self.dependents_of(Premise::Observation(id)));
                }
                Write::Justification(id) => tainted.push(id),
                // What a decision is worth is read off its context when it is asked for.
                Write::Decision(_) => {}
            }
        }
        tainted
    }

    /// Brings the statuses of these up to date; they are given in order.
    fn settle_statuses(&mut self, beliefs: impl Iterator<Item = BeliefId>, at: Instant) {
        let first = self.passed.len();
        let mut after: Vec<(BeliefId, Status)> = Vec::new();
        for belief in beliefs {
            let before = self.now.network.get(belief).status();
            let status = support::status_of(self, belief);
            if before != status {
                self.passed.push((belief, before));
                after.push((belief, status));
            }
        }
        self.now.network.set_statuses(&after);
        let passed = self.passed.iter().skip(first).zip(&after);
        let ended = |((belief, before), (_, after)): (&(BeliefId, Status), &(BeliefId, Status))| {
            let ends = [*before, *after].contains(&Status::Active);
            ends.then_some((*belief, (*before == Status::Active).then_some(at)))
        };
        self.now.set_ended(passed.filter_map(ended));
        let moved = after.iter().map(|(belief, _)| *belief);
        self.changes.belief_states.extend(moved);
    }

    /// Which of its justifications is the strongest may have moved, and with it the words in which
    /// a belief is shown.
    fn note_words(&mut self, beliefs: &[BeliefId], moved: &[network::Moved]) {
        if !self.now.network.has_words_to_choose() {
            return;
        }
        let network = &self.now.network;
        let heads = moved.iter().flat_map(|it| network.heads_on(it.belief));
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
    pub(super) fn touched_by_source(&self, id: SourceId) -> Seeds {
        let copies = self.closure_of(id, |it| &it.mirrored_by);
        let observations = copies.iter().flat_map(|it| self.observations_of(*it));
        let observations: Vec<ObservationId> = observations.collect();
        let repeating = self.repeating_any(&observations);
        let mut seeds = Seeds::default();
        for observation in observations.into_iter().chain(repeating) {
            self.touch_observation(observation, &mut seeds);
        }
        let derived = self
            .derivations_of(id)
            .map(|it| self.justifications.get(it).belief);
        seeds.beliefs.extend(derived);
        seeds
    }

    /// Adds every belief whose strength an observation is part of.
    fn touch_observation(&self, id: ObservationId, seeds: &mut Seeds) {
        let statements = self.observations.get(id).statements.iter();
        let stated = statements.map(|it| self.justifications.get(*it).belief);
        seeds.beliefs.extend(stated);
        seeds.beliefs.extend(self.beliefs_on_observation(id));
        if !self.contexts.is_empty() {
            seeds.observations.push(id);
        }
    }

    /// Settles what observations say of which the hops may have moved, and what repeats them.
    pub(crate) fn settle_hops(&mut self, mut moved: Vec<ObservationId>, at: Instant) {
        moved.extend(self.repeating_any(&moved));
        let mut seeds = Seeds::default();
        for id in moved {
            self.changes.observation_states.insert(id);
            self.touch_observation(id, &mut seeds);
        }
        self.settle(seeds, at);
    }

    pub(super) fn announce(
        &mut self,
        item: Item,
        change: &'static str,
        before: Option<String>,
        after: impl Into<Cow<'static, str>>,
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
            after: after.into(),
            cause,
        });
    }

    /// Announces the beliefs that passed within the event, and numbers the transitions of the
    /// event, beliefs first. The item that the event is about is named as their cause. An item
    /// that passed through several conditions is announced once, from first to last.
    pub(super) fn number_transitions(&mut self, first: usize, cause: Option<Item>, at: Instant) {
        let others = merged(self.changes.transitions.split_off(first));
        let mut passed = std::mem::take(&mut self.passed);
        let in_order = passed.is_sorted_by(|one, other| one.0 < other.0);
        if !in_order {
            // Stable, so that of one belief's conditions the first comes first.
            passed.sort_by_key(|(belief, _)| *belief);
            passed.dedup_by_key(|(belief, _)| *belief);
        }
        let (seq, network) = (self.seq, &self.now.network);
        let transitions = &mut self.changes.transitions;
        transitions.reserve(passed.len() + others.len());
        let number = |mut transition: Transition, position: usize| {
            let position = u32::try_from(position).expect("fewer than u32::MAX transitions");
            transition.position = position;
            let cause = cause.filter(|it| *it != transition.item);
            transition.cause = transition.cause.or(cause);
            transition
        };
        for (belief, before) in passed {
            let after = network.get(belief).status();
            if before != after {
                let transition = Transition {
                    seq,
                    position: 0,
                    at,
                    item: Item::Belief(belief),
                    change: "status",
                    before: (before != Status::Unsupported).then(|| before.name().into()),
                    after: after.name().into(),
                    cause: None,
                };
                let position = transitions.len() - first;
                transitions.push(number(transition, position));
            }
        }
        for transition in others {
            let position = transitions.len() - first;
            transitions.push(number(transition, position));
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
