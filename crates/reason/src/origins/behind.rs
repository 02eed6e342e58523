//! All that stands behind one belief or one justification, origin by origin: for naming who they
//! are, and which of them have to be lost. Called by `origins` only; counting alone is in
//! `proofs`.

use std::collections::BTreeMap;

use immune_model::{BeliefId, JustificationId, ObservationId, Premise, SourceId, Trust};
use rustc_hash::FxHashMap;

use super::hitting::Set;
use super::{Corroboration, Origin, STEPS_MAX, hitting};
use crate::state::{Grounds, State};
use crate::support::justification_cap;

/// Everything that stands behind a belief, or behind one justification, at or above the floor.
pub(super) struct Proofs {
    /// The beliefs; what is in question is the first.
    pub(super) members: Vec<BeliefId>,
    justifications: Vec<Ground>,
    /// For each belief, the justifications that have it as a premise.
    dependents: Vec<Vec<usize>>,
    /// The origins, by number.
    pub(super) origins: Vec<Origin>,
    /// Who speaks, each with the numbers of its origins.
    pub(super) spoken: BTreeMap<SourceId, Set>,
}

/// One justification, with what it needs.
struct Ground {
    head: usize,
    beliefs: Vec<usize>,
    /// Each has to be untouched: the origins of one observation.
    observations: Vec<Set>,
}

/// What is to be visited, and the places that were given out.
struct Growing<'a> {
    state: &'a State,
    proofs: Proofs,
    places: FxHashMap<BeliefId, usize>,
    numbers: FxHashMap<Origin, u32>,
}

impl Proofs {
    pub(super) fn of(state: &State, id: BeliefId) -> Self {
        let mut growing = Growing::of(state);
        growing.place(id);
        growing.grow(0)
    }

    /// Those of one justification: it is the only one of what is in question.
    pub(super) fn of_justification(state: &State, id: JustificationId) -> Self {
        let mut growing = Growing::of(state);
        // The first place is not that of a belief: the belief itself may be among the premises.
        growing
            .proofs
            .members
            .push(state.justifications.get(id).belief);
        if takes_part(state, id) {
            growing.add(0, id);
        }
        growing.grow(1)
    }

    /// How many justifications take part.
    pub(super) fn n_justifications(&self) -> usize {
        self.justifications.len()
    }

    /// The origins of one derivation that does without those lost; nothing if there is none.
    pub(super) fn surviving(&self, lost: &Set, steps: &mut u64) -> Option<Set> {
        self.surviving_given(lost, None, steps)
    }

    /// As [`Self::surviving`], if the belief at a place stood by itself.
    pub(super) fn surviving_given(
        &self,
        lost: &Set,
        given: Option<usize>,
        steps: &mut u64,
    ) -> Option<Set> {
        let mut missing: Vec<usize> = Vec::with_capacity(self.justifications.len());
        let mut standing: Vec<(usize, usize)> =
            given.map(|it| (it, usize::MAX)).into_iter().collect();
        for (place, ground) in self.justifications.iter().enumerate() {
            *steps += 1;
            let touched = ground.observations.iter().any(|it| !it.is_disjoint(lost));
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
        let mut by: Vec<Option<usize>> = vec![None; self.members.len()];
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
        let mut seen = vec![false; self.members.len()];
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
                origins.extend(ground.observations.iter().flatten());
                stack.extend(&ground.beliefs);
            }
        }
        origins
    }
}

impl<'a> Growing<'a> {
    fn of(state: &'a State) -> Self {
        let proofs = Proofs {
            members: Vec::new(),
            justifications: Vec::new(),
            dependents: Vec::new(),
            origins: Vec::new(),
            spoken: BTreeMap::new(),
        };
        Self {
            state,
            proofs,
            places: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    fn place(&mut self, id: BeliefId) -> usize {
        let members = &mut self.proofs.members;
        *self.places.entry(id).or_insert_with(|| {
            members.push(id);
            members.len() - 1
        })
    }

    /// Visits the members from this place on, and those that turn up on the way.
    fn grow(mut self, from: usize) -> Proofs {
        let mut next = from;
        while let Some(belief) = self.proofs.members.get(next).copied() {
            let state = self.state;
            for id in state.justifications_of(belief) {
                if takes_part(state, id) {
                    self.add(next, id);
                }
            }
            next += 1;
        }
        let mut proofs = self.proofs;
        proofs.dependents = vec![Vec::new(); proofs.members.len()];
        for (place, ground) in proofs.justifications.iter().enumerate() {
            for belief in &ground.beliefs {
                if let Some(list) = proofs.dependents.get_mut(*belief) {
                    list.push(place);
                }
            }
        }
        proofs
    }

    fn add(&mut self, head: usize, id: JustificationId) {
        let mut ground = Ground {
            head,
            beliefs: Vec::new(),
            observations: Vec::new(),
        };
        match &self.state.justifications.get(id).grounds {
            Grounds::Statement { observation, .. } => {
                ground.observations.push(self.observe(*observation));
            }
            Grounds::Derivation { premises, .. } => {
                for premise in premises.iter() {
                    match *premise {
                        Premise::Observation(it) => ground.observations.push(self.observe(it)),
                        Premise::Belief(it) => ground.beliefs.push(self.place(it)),
                    }
                }
            }
        }
        self.proofs.justifications.push(ground);
    }

    /// The origins of an observation, numbered.
    fn observe(&mut self, id: ObservationId) -> Set {
        let source = self.state.observations.get(id).source;
        if let Some(known) = self.proofs.spoken.get(&source) {
            return known.clone();
        }
        let mut set = Set::new();
        for origin in self.state.origins_of(source) {
            let origins = &mut self.proofs.origins;
            set.insert(*self.numbers.entry(origin).or_insert_with(|| {
                origins.push(origin);
                u32::try_from(origins.len() - 1).expect("origins fit in 32 bits")
            }));
        }
        self.proofs.spoken.insert(source, set.clone());
        set
    }
}

/// Only what stands at or above the floor takes part.
fn takes_part(state: &State, id: JustificationId) -> bool {
    if !state.counts(id) || justification_cap(state, id) < Trust::FLOOR {
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

/// How many origins have to be lost, and the last set that was tried: one that takes the belief
/// down if the count is exact.
///
/// Implicit hitting sets: the smallest set of origins that hits every derivation found so far
/// is taken away; if the belief still stands, the derivation by which it does is another one.
/// Each smallest set is a lower bound, and the first that takes the belief down is the answer.
pub(super) fn search(proofs: &Proofs, steps: &mut u64) -> (Corroboration, Set) {
    let mut derivations: Vec<Set> = Vec::new();
    let mut lost = Set::default();
    let found = |lost: &Set, exact: bool| {
        let count = u32::try_from(lost.len()).expect("there are fewer than u32::MAX origins");
        // Below the floor nothing is left to lose; the belief itself is there once.
        let count = count.max(1);
        (Corroboration { count, exact }, lost.clone())
    };
    loop {
        match proofs.surviving(&lost, steps) {
            None => return found(&lost, true),
            Some(derivation) => derivations.push(derivation),
        }
        let budget = (lost.len() >= 2).then_some(STEPS_MAX);
        match hitting::smallest(&derivations, lost.len(), budget, steps) {
            Some(next) => lost = next,
            None => return found(&lost, false),
        }
    }
}
