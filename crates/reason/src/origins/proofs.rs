//! The derivations of one belief, for asking what survives the loss of some origins. Called by
//! `origins` only.

use std::rc::Rc;

use immune_model::{BeliefId, JustificationId, ObservationId, Premise, Trust};
use rustc_hash::FxHashMap;

use super::hitting::Set;
use crate::state::{Grounds, State};
use crate::support::justification_cap;

/// What is asked about justifications and observations while a belief's proofs are gathered: for
/// one belief it is found out, for a survey of all it is known.
pub(super) trait Known {
    /// Whether a justification stands at or above the floor.
    fn takes_part(&mut self, id: JustificationId) -> bool;

    /// The origins of an observation, by number.
    fn origins(&mut self, id: ObservationId) -> Rc<[u32]>;

    /// Whether a belief stands whatever is lost, as far as the question goes.
    fn stands_anyway(&mut self, id: BeliefId) -> bool;
}

/// Everything that stands behind a belief at or above the floor.
pub(super) struct Proofs {
    /// The beliefs; the one in question is the first.
    n_beliefs: usize,
    justifications: Vec<Ground>,
    /// For each belief, the justifications that have it as a premise.
    dependents: Vec<Vec<usize>>,
}

/// One justification, with what it needs.
struct Ground {
    head: usize,
    beliefs: Vec<usize>,
    /// The origins of its observations: none may be lost.
    origins: Vec<u32>,
}

impl Proofs {
    pub(super) fn of(state: &State, id: BeliefId, known: &mut dyn Known) -> Self {
        let mut places: FxHashMap<BeliefId, usize> = FxHashMap::from_iter([(id, 0)]);
        let mut members = vec![id];
        let mut justifications = Vec::new();
        let mut next = 0;
        while let Some(belief) = members.get(next).copied() {
            for it in state.justifications_of(belief) {
                if !known.takes_part(it) {
                    continue;
                }
                let mut ground = Ground {
                    head: next,
                    beliefs: Vec::new(),
                    origins: Vec::new(),
                };
                match &state.justifications.get(it).grounds {
                    Grounds::Statement { observation, .. } => {
                        ground.origins.extend(known.origins(*observation).iter());
                    }
                    Grounds::Derivation { premises, .. } => {
                        for premise in premises.iter() {
                            match *premise {
                                Premise::Observation(it) => {
                                    ground.origins.extend(known.origins(it).iter());
                                }
                                Premise::Belief(it) if known.stands_anyway(it) => {}
                                Premise::Belief(it) => {
                                    let place = *places.entry(it).or_insert_with(|| {
                                        members.push(it);
                                        members.len() - 1
                                    });
                                    ground.beliefs.push(place);
                                }
                            }
                        }
                    }
                }
                justifications.push(ground);
            }
            next += 1;
        }
        let mut dependents = vec![Vec::new(); members.len()];
        for (place, ground) in justifications.iter().enumerate() {
            for belief in &ground.beliefs {
                if let Some(list) = dependents.get_mut(*belief) {
                    list.push(place);
                }
            }
        }
        Self {
            n_beliefs: members.len(),
            justifications,
            dependents,
        }
    }

    /// The origins whose loss alone takes the belief down.
    pub(super) fn single_points(&self) -> Vec<u32> {
        let Some(derivation) = self.surviving(&Set::new(), &mut 0) else {
            return Vec::new();
        };
        let falls = |it: &u32| self.surviving(&Set::from([*it]), &mut 0).is_none();
        derivation.into_iter().filter(falls).collect()
    }

    /// The origins of one derivation that does without those lost; nothing if there is none.
    pub(super) fn surviving(&self, lost: &Set, steps: &mut u64) -> Option<Set> {
        let mut missing: Vec<usize> = Vec::with_capacity(self.justifications.len());
        let mut standing: Vec<(usize, usize)> = Vec::new();
        for (place, ground) in self.justifications.iter().enumerate() {
            *steps += 1;
            let touched = !lost.is_empty() && ground.origins.iter().any(|it| lost.contains(it));
            missing.push(if touched {
                usize::MAX
            } else {
                ground.beliefs.len()
            });
            if !touched && ground.beliefs.is_empty() {
                standing.push((ground.head, place));
            }
        }
        // The justification by which each belief first stood: well-founded by construction.
        let mut by: Vec<Option<usize>> = vec![None; self.n_beliefs];
        while let Some((head, place)) = standing.pop() {
            let Some(slot) = by.get_mut(head).filter(|it| it.is_none()) else {
                continue;
            };
            *slot = Some(place);
            for dependent in self.dependents.get(head).into_iter().flatten() {
                *steps += 1;
                let (Some(count), Some(ground)) = (
                    missing.get_mut(*dependent),
                    self.justifications.get(*dependent),
                ) else {
                    continue;
                };
                if *count != usize::MAX {
                    *count -= 1;
                    if *count == 0 {
                        standing.push((ground.head, *dependent));
                    }
                }
            }
        }
        by.first().copied().flatten()?;
        Some(self.origins_under(&by))
    }

    /// The origins of the derivation of the first belief that `by` records.
    fn origins_under(&self, by: &[Option<usize>]) -> Set {
        let mut origins = Set::new();
        let mut seen = vec![false; self.n_beliefs];
        let mut stack = vec![0];
        while let Some(belief) = stack.pop() {
            let ground = by
                .get(belief)
                .copied()
                .flatten()
                .and_then(|it| self.justifications.get(it));
            let (Some(ground), Some(seen)) = (ground, seen.get_mut(belief)) else {
                continue;
            };
            if !std::mem::replace(seen, true) {
                origins.extend(&ground.origins);
                stack.extend(&ground.beliefs);
            }
        }
        origins
    }
}

/// Only what stands at or above the floor takes part.
pub(super) fn takes_part(state: &State, id: JustificationId) -> bool {
    if state.closing_of(id).is_some() || justification_cap(state, id) < Trust::FLOOR {
        return false;
    }
    match &state.justifications.get(id).grounds {
        Grounds::Statement { .. } => true,
        Grounds::Derivation { premises, .. } => premises.iter().all(|premise| match *premise {
            Premise::Belief(it) => state.now.get(it).strength >= Trust::FLOOR,
            Premise::Observation(it) => state.observation_strength(it) >= Trust::FLOOR,
        }),
    }
}
