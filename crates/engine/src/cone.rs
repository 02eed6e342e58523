//! The cone of an incident: what it brought down, each belief below the one that it rested on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use immune_model::{
    ActionId, BeliefId, FlagTarget, IncidentId, JustificationId, ObservationId, Premise, Status,
};
use immune_reason::State;
use immune_reason::state::{Cause, IncidentRecord};

use crate::explain::Explained;

/// A belief that an incident brought down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallen {
    /// Which belief.
    pub belief: BeliefId,
    /// The nearest one that it rested on; nothing for what was refuted itself.
    pub below: Option<BeliefId>,
    /// Hops from what was refuted; 0 for what was refuted itself. From a flagged source or
    /// observation, what it states or derives is one hop away.
    pub depth: u32,
    /// What it is now.
    pub status: Status,
    /// The actions that relied on it, oldest first.
    pub actions: Vec<ActionId>,
}

impl Explained<'_> {
    /// What an incident brought down, as a tree read from the top: each belief once, at its
    /// fewest hops from what was refuted or flagged, right below the one that it rested on.
    pub fn fallen(&self, incident: IncidentId) -> Vec<Fallen> {
        let Some(record) = self.state.incident(incident) else {
            return Vec::new();
        };
        let fell: BTreeSet<BeliefId> = record.revoked.iter().copied().collect();
        let mut below: BTreeMap<BeliefId, Vec<BeliefId>> = BTreeMap::new();
        let roots = self.roots(record, &fell);
        let mut seen: BTreeSet<BeliefId> = roots.iter().copied().collect();
        let mut queue: VecDeque<BeliefId> = roots.iter().copied().collect();
        while let Some(belief) = queue.pop_front() {
            let dependents = self.state.dependents_of(Premise::Belief(belief));
            let next = dependents.filter_map(|it| self.state.justification(it));
            let next: BTreeSet<BeliefId> = next.map(|it| it.belief).collect();
            for child in next {
                if fell.contains(&child) && seen.insert(child) {
                    below.entry(belief).or_default().push(child);
                    queue.push_back(child);
                }
            }
        }
        let top = u32::from(record.refuted().is_empty());
        let roots = roots.iter().rev();
        let mut stack: Vec<_> = roots.map(|it| (*it, None, top)).collect();
        let mut fallen = Vec::new();
        while let Some((belief, parent, depth)) = stack.pop() {
            fallen.extend(self.fallen_belief(belief, parent, depth));
            let children = below.get(&belief).into_iter().flatten().rev();
            stack.extend(children.map(|it| (*it, Some(belief), depth + 1)));
        }
        fallen
    }

    /// Where an incident struck: what was refuted; or, when a source or an observation was flagged,
    /// what fell because that states or derives it.
    fn roots(self, record: &IncidentRecord, fell: &BTreeSet<BeliefId>) -> Vec<BeliefId> {
        let refuted = record.refuted();
        if !refuted.is_empty() {
            return refuted.to_vec();
        }
        let struck = struck(self.state, record).into_iter();
        let heads = struck.filter_map(|it| Some(self.state.justification(it)?.belief));
        let heads: BTreeSet<BeliefId> = heads.filter(|it| fell.contains(it)).collect();
        heads.into_iter().collect()
    }

    fn fallen_belief(
        self,
        belief: BeliefId,
        below: Option<BeliefId>,
        depth: u32,
    ) -> Option<Fallen> {
        let decisions = self.state.decisions_on(belief);
        let actions: BTreeSet<ActionId> = decisions
            .filter_map(|it| self.state.decision(it))
            .flat_map(|it| it.actions.iter().copied())
            .collect();
        Some(Fallen {
            belief,
            below,
            depth,
            status: self.state.belief_now(belief)?.status,
            actions: actions.into_iter().collect(),
        })
    }
}

/// The justifications that an incident took away itself: those of a flagged source or observation.
/// What a refuted belief justified is no such thing; it is reached through the belief.
pub(crate) fn struck(state: &State, record: &IncidentRecord) -> Vec<JustificationId> {
    let mut struck = Vec::new();
    for id in observations(state, record) {
        let observation = state.observation(id);
        struck.extend(observation.into_iter().flat_map(|it| &it.statements));
        struck.extend(state.dependents_of(Premise::Observation(id)));
    }
    if let Cause::Flag {
        target: FlagTarget::Source(id),
        received_from,
        ..
    } = &record.cause
    {
        let covered = |it: &JustificationId| {
            let justification = state.justification(*it);
            justification.is_some_and(|it| received_from.is_none_or(|from| from <= it.at))
        };
        struck.extend(state.derivations_of(*id).filter(covered));
    }
    struck
}

/// The observations that an incident quarantined, newest first.
pub(crate) fn observations(state: &State, record: &IncidentRecord) -> Vec<ObservationId> {
    match &record.cause {
        Cause::Flag {
            target: FlagTarget::Observation(id),
            ..
        } => vec![*id],
        Cause::Flag {
            target: FlagTarget::Source(id),
            received_from,
            ..
        } => {
            let covered = |it: &ObservationId| {
                let observation = state.observation(*it);
                observation.is_some_and(|it| {
                    !it.retracted && received_from.is_none_or(|from| from <= it.received_at)
                })
            };
            state.observations_of(*id).filter(covered).collect()
        }
        Cause::Flag {
            target: FlagTarget::Belief(_),
            ..
        }
        | Cause::Challenge { .. } => Vec::new(),
    }
}
