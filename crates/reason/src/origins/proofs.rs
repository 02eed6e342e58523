//! The derivations of one belief, or of one justification, for asking what survives the loss of
//! some origins. Called by `origins` only.

use std::collections::BTreeMap;
use std::rc::Rc;

use immune_model::{BeliefId, JustificationId, ObservationId, Premise, SourceId, Trust};
use rustc_hash::FxHashMap;

use super::Origin;
use super::hitting::Set;
use super::shown::{Shown, Voice};
use crate::context::ContextId;
use crate::state::State;
use crate::support::{justification_cap, premises_of};

/// What is asked about justifications and observations while a belief's proofs are gathered: for
/// one belief it is found out, for a survey of all it is known.
pub(super) trait Known {
    /// Whether a justification stands at or above the floor.
    fn takes_part(&mut self, id: JustificationId) -> bool;

    /// The origins of who speaks, by number, as one of the grounds of a justification.
    fn origins(&mut self, voice: Voice, by: JustificationId) -> Rc<[u32]>;

    /// Who speaks behind a context so that their origins count: see [`Shown`].
    fn shown(&mut self, id: ContextId) -> Rc<[Voice]>;

    /// Whether a belief stands whatever is lost, as far as the question goes.
    fn stands_anyway(&mut self, id: BeliefId) -> bool;
}

/// What is found out for one belief: its origins with their names, and who speaks.
pub(super) struct Alone<'a> {
    pub(super) state: &'a State,
    /// The origins, by number.
    pub(super) origins: Vec<Origin>,
    numbers: FxHashMap<Origin, u32>,
    /// Who speaks, each with the numbers of its origins.
    pub(super) spoken: BTreeMap<SourceId, Rc<[u32]>>,
    /// The same for what repeats an earlier observation, with the origins of that too.
    pub(super) repeated: BTreeMap<ObservationId, Rc<[u32]>>,
    shown: Shown,
}

impl<'a> Alone<'a> {
    pub(super) fn of(state: &'a State) -> Self {
        Self {
            state,
            origins: Vec::new(),
            numbers: FxHashMap::default(),
            spoken: BTreeMap::new(),
            repeated: BTreeMap::new(),
            shown: Shown::default(),
        }
    }

    /// The origin of a number.
    pub(super) fn name(&self, number: u32) -> Option<Origin> {
        self.origins.get(number as usize).copied()
    }
}

impl Known for Alone<'_> {
    fn takes_part(&mut self, id: JustificationId) -> bool {
        takes_part(self.state, id)
    }

    fn origins(&mut self, voice: Voice, _: JustificationId) -> Rc<[u32]> {
        self.origins_of(voice)
    }

    fn shown(&mut self, id: ContextId) -> Rc<[Voice]> {
        self.shown.behind(self.state, id)
    }

    fn stands_anyway(&mut self, _: BeliefId) -> bool {
        false
    }
}

impl Alone<'_> {
    /// The origins of who speaks, by number.
    pub(super) fn origins_of(&mut self, voice: Voice) -> Rc<[u32]> {
        let source = voice.source(self.state);
        let repeating = voice.repeating(self.state);
        let known = match repeating {
            Some(id) => self.repeated.get(&id),
            None => self.spoken.get(&source),
        };
        if let Some(known) = known {
            return Rc::clone(known);
        }
        let (numbers, origins) = (&mut self.numbers, &mut self.origins);
        let found = match repeating {
            Some(id) => self.state.origins_of_observation(id),
            None => self.state.origins_of(source),
        };
        let of_source = found.into_iter().map(|origin| {
            *numbers.entry(origin).or_insert_with(|| {
                origins.push(origin);
                u32::try_from(origins.len() - 1).expect("origins fit in 32 bits")
            })
        });
        let of_source: Rc<[u32]> = of_source.collect();
        let known = Rc::clone(&of_source);
        match repeating {
            Some(id) => self.repeated.insert(id, known),
            None => self.spoken.insert(source, known),
        };
        of_source
    }
}

/// Everything that stands behind a belief, or behind one justification, at or above the floor.
#[derive(Debug)]
pub(super) struct Proofs {
    /// The beliefs; what is in question is the first.
    pub(super) members: Vec<BeliefId>,
    pub(super) justifications: Vec<Ground>,
    /// For each belief, the justifications that have it as a premise.
    pub(super) dependents: Vec<Vec<usize>>,
}

/// One justification, with what it needs.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) head: usize,
    pub(super) beliefs: Vec<usize>,
    /// The origins of its observations, and of the agent of whose word it is: none may be lost.
    pub(super) origins: Vec<u32>,
}

/// What is to be visited, and the places that were given out.
struct Growing<'a> {
    state: &'a State,
    known: &'a mut dyn Known,
    proofs: Proofs,
    places: FxHashMap<BeliefId, usize>,
}

impl<'a> Growing<'a> {
    fn of(state: &'a State, known: &'a mut dyn Known) -> Self {
        let proofs = Proofs {
            members: Vec::new(),
            justifications: Vec::new(),
            dependents: Vec::new(),
        };
        Self {
            state,
            known,
            proofs,
            places: FxHashMap::default(),
        }
    }

    fn place(&mut self, id: BeliefId) -> usize {
        let members = &mut self.proofs.members;
        *self.places.entry(id).or_insert_with(|| {
            members.push(id);
            members.len() - 1
        })
    }

    fn add(&mut self, head: usize, id: JustificationId) {
        if !self.known.takes_part(id) {
            return;
        }
        let mut ground = Ground {
            head,
            beliefs: Vec::new(),
            origins: Vec::new(),
        };
        for premise in self.state.justifications.get(id).grounds.rests_on() {
            match premise {
                Premise::Observation(it) => {
                    let voice = Voice::Observation(it);
                    ground.origins.extend(self.known.origins(voice, id).iter());
                    let context = self.state.context_of_observation(it);
                    self.add_context(context, id, &mut ground);
                }
                Premise::Belief(it) if self.known.stands_anyway(it) => {}
                Premise::Belief(it) => ground.beliefs.push(self.place(it)),
            }
        }
        if self.state.reasoner_of(id).is_some() {
            let voice = Voice::Conclusion(id);
            ground.origins.extend(self.known.origins(voice, id).iter());
        }
        let context = self.state.context_of_justification(id);
        self.add_context(context, id, &mut ground);
        self.proofs.justifications.push(ground);
    }

    /// Adds the origins of what was shown before it was written.
    fn add_context(
        &mut self,
        context: Option<ContextId>,
        by: JustificationId,
        ground: &mut Ground,
    ) {
        let Some(context) = context else { return };
        for voice in self.known.shown(context).iter() {
            let origins = self.known.origins(*voice, by);
            ground.origins.extend(origins.iter());
        }
    }

    /// Visits the members from this place on, and those that turn up on the way.
    fn grow(mut self, from: usize) -> Proofs {
        let mut next = from;
        while let Some(belief) = self.proofs.members.get(next).copied() {
            for id in self.state.justifications_of(belief) {
                self.add(next, id);
            }
            next += 1;
        }
        self.proofs.linked()
    }
}

impl Proofs {
    pub(super) fn of(state: &State, id: BeliefId, known: &mut dyn Known) -> Self {
        let mut growing = Growing::of(state, known);
        growing.place(id);
        growing.grow(0)
    }

    /// Those of one justification: it is the only one of what is in question.
    pub(super) fn of_justification(
        state: &State,
        id: JustificationId,
        known: &mut dyn Known,
    ) -> Self {
        let mut growing = Growing::of(state, known);
        // The first place is not that of a belief: the belief itself may be among the premises.
        let head = state.justifications.get(id).belief;
        growing.proofs.members.push(head);
        growing.add(0, id);
        growing.grow(1)
    }

    /// With the dependents of each belief, once all justifications are there.
    pub(super) fn linked(mut self) -> Self {
        self.dependents = vec![Vec::new(); self.members.len()];
        for (place, ground) in self.justifications.iter().enumerate() {
            for belief in &ground.beliefs {
                if let Some(list) = self.dependents.get_mut(*belief) {
                    list.push(place);
                }
            }
        }
        self
    }

    /// How many justifications take part.
    pub(super) fn n_justifications(&self) -> usize {
        self.justifications.len()
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
                origins.extend(&ground.origins);
                stack.extend(&ground.beliefs);
            }
        }
        origins
    }
}

/// Only what stands at or above the floor takes part.
pub(super) fn takes_part(state: &State, id: JustificationId) -> bool {
    if !state.counts(id) || justification_cap(state, id) < Trust::FLOOR {
        return false;
    }
    premises_of(state, id).all(|premise| match premise {
        Premise::Belief(it) => state.now.get(it).strength >= Trust::FLOOR,
        Premise::Observation(it) => state.observation_strength(it) >= Trust::FLOOR,
    })
}
