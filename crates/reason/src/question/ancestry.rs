//! The ancestry of some beliefs: every justification that their support may come from, with the
//! least model of it. Called by the questions only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use immune_model::{BeliefId, JustificationId, ObservationId, Premise, Status, Trust};
use rustc_hash::FxHashMap;

use crate::state::{Grounds, State};
use crate::support::justification_cap;

/// Which facts count (semantics.md 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// None against: whether there ever was support.
    Ever,
    /// Refuting facts only.
    Open,
    /// Refuting and closing facts.
    In,
}

/// One justification of the ancestry.
pub(super) struct Ground {
    pub(super) id: JustificationId,
    /// The place of the belief that it supports.
    pub(super) head: usize,
    /// The places of its premises among the beliefs.
    pub(super) beliefs: Vec<usize>,
    /// Its other premises; for a statement the observation that makes it.
    pub(super) observations: Vec<ObservationId>,
    /// The strictest level at which its own facts let it count.
    pub(super) counts: Level,
}

/// The backward closure of some beliefs.
pub(super) struct Ancestry<'a> {
    pub(super) state: &'a State,
    /// The beliefs asked about come first, in their order.
    pub(super) members: Vec<BeliefId>,
    pub(super) grounds: Vec<Ground>,
    /// For each belief, the grounds that have it as a premise.
    dependents: Vec<Vec<usize>>,
}

/// A least model: what stands, in an order in which each rests on earlier ones.
pub(super) struct Model {
    /// The places of what stands.
    pub(super) order: Vec<usize>,
    /// For each place, the ground by which it stands.
    pub(super) by: Vec<Option<usize>>,
}

impl Model {
    pub(super) fn stands(&self, place: usize) -> bool {
        self.by.get(place).is_some_and(Option::is_some)
    }
}

impl<'a> Ancestry<'a> {
    pub(super) fn of(state: &'a State, beliefs: &[BeliefId]) -> Self {
        let mut members: Vec<BeliefId> = Vec::new();
        let mut place: FxHashMap<BeliefId, usize> = FxHashMap::default();
        let mut enter = |belief: BeliefId, members: &mut Vec<BeliefId>| {
            *place.entry(belief).or_insert_with(|| {
                members.push(belief);
                members.len() - 1
            })
        };
        for belief in beliefs {
            enter(*belief, &mut members);
        }
        let mut grounds: Vec<Ground> = Vec::new();
        let mut next = 0;
        while let Some(belief) = members.get(next).copied() {
            for id in state.justifications_of(belief) {
                let mut ground = Ground {
                    id,
                    head: next,
                    beliefs: Vec::new(),
                    observations: Vec::new(),
                    counts: Level::In,
                };
                for premise in rests_on(state, id) {
                    match premise {
                        Premise::Belief(it) => ground.beliefs.push(enter(it, &mut members)),
                        Premise::Observation(it) => ground.observations.push(it),
                    }
                }
                ground.counts = counts(state, belief, &ground);
                grounds.push(ground);
            }
            next += 1;
        }
        let mut dependents = vec![Vec::new(); members.len()];
        for (at, ground) in grounds.iter().enumerate() {
            for belief in &ground.beliefs {
                if let Some(list) = dependents.get_mut(*belief) {
                    list.push(at);
                }
            }
        }
        Self {
            state,
            members,
            grounds,
            dependents,
        }
    }

    pub(super) fn member(&self, place: usize) -> Option<BeliefId> {
        self.members.get(place).copied()
    }

    /// The least model of the grounds that may be used, each with the most that it can give:
    /// strongest first, then the lowest id (Knuth). Ends early once `goal` stands.
    pub(super) fn least(
        &self,
        goal: Option<usize>,
        may: impl Fn(&Ground) -> Option<Trust>,
    ) -> Model {
        let mut missing: Vec<(usize, Trust)> = Vec::with_capacity(self.grounds.len());
        let mut candidates: BinaryHeap<(Trust, Reverse<JustificationId>, usize)> =
            BinaryHeap::new();
        for (at, ground) in self.grounds.iter().enumerate() {
            let cap = may(ground);
            let n = cap.map_or(usize::MAX, |_| ground.beliefs.len());
            missing.push((n, cap.unwrap_or(Trust::ZERO)));
            if let (0, Some(cap)) = (n, cap) {
                candidates.push((cap, Reverse(ground.id), at));
            }
        }
        let mut model = Model {
            order: Vec::new(),
            by: vec![None; self.members.len()],
        };
        while let Some((strength, _, at)) = candidates.pop() {
            let head = self.grounds.get(at).map(|it| it.head);
            let slot = head.and_then(|it| model.by.get_mut(it).zip(Some(it)));
            let Some((slot, head)) = slot.filter(|(slot, _)| slot.is_none()) else {
                continue;
            };
            *slot = Some(at);
            model.order.push(head);
            if goal == Some(head) {
                break;
            }
            for dependent in self.dependents.get(head).into_iter().flatten() {
                let Some((n, weakest)) = missing.get_mut(*dependent) else {
                    continue;
                };
                if *n == usize::MAX {
                    continue;
                }
                *n -= 1;
                *weakest = strength.min(*weakest);
                if let (0, Some(ground)) = (*n, self.grounds.get(*dependent)) {
                    candidates.push((*weakest, Reverse(ground.id), *dependent));
                }
            }
        }
        model
    }

    /// What a ground can give at most, from its own facts.
    pub(super) fn cap(&self, ground: &Ground) -> Trust {
        match self.state.justifications.get(ground.id).grounds {
            Grounds::Statement { .. } => justification_cap(self.state, ground.id),
            Grounds::Derivation { .. } => ground
                .observations
                .iter()
                .map(|it| self.state.observation_strength(*it))
                .fold(justification_cap(self.state, ground.id), Trust::min),
        }
    }
}

/// All that a justification rests on: its premises, or the observation that states it.
pub(super) fn rests_on(state: &State, id: JustificationId) -> Vec<Premise> {
    state.justifications.get(id).grounds.rests_on()
}

/// The strictest level at which an observation holds.
pub(super) fn holds_at(state: &State, id: ObservationId) -> Level {
    match state.observation_status(id) {
        Some(Status::Active) => Level::In,
        Some(status) if status.fell() => Level::Ever,
        _ => Level::Open,
    }
}

/// The strictest level at which the facts about a justification itself, its belief and its
/// observations let it count.
fn counts(state: &State, belief: BeliefId, ground: &Ground) -> Level {
    let refuted = state.beliefs.get(belief).refuted_in.is_some();
    let own = if refuted || state.flag_against(ground.id).is_some() {
        Level::Ever
    } else if state.closing_of(ground.id).is_some() {
        Level::Open
    } else {
        Level::In
    };
    let observations = ground.observations.iter();
    observations
        .map(|it| holds_at(state, *it))
        .fold(own, Level::min)
}
