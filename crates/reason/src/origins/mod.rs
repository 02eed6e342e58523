//! Who is behind a belief, and how many independent origins have to fall before it does
//! (semantics.md 5).
//!
//! Corroboration is the minimum hitting set of the belief's derivations: the least number of
//! origins whose loss takes it OUT. Counting names would be wrong both ways: {A,C} and {B,C} have
//! three names and fall with C alone.

mod derivations;
mod grounded;
mod harden;
pub(crate) mod hitting;
mod proofs;
mod reasoner;
mod shown;
mod survey;
mod weigh;

use std::collections::BTreeSet;

use immune_model::{
    BeliefId, ChannelId, InferredCopy, JustificationId, ObservationId, Premise, SourceId, Standing,
    Status,
};
use rustc_hash::FxHashSet;

pub use grounded::{Grounded, Origins, Spoken};
pub use harden::Hardening;
pub use weigh::{Lead, Vote, Weight, log_odds};

use hitting::Set;
use proofs::{Alone, Proofs};

use crate::context::ContextId;
use crate::state::{ReputationEvent, Source, State};

/// Steps that one answer may take once at least two origins are proven necessary: a step is a
/// justification looked at, or a branch of the search for a hitting set.
const STEPS_MAX: u64 = 200_000;

/// How many independent origins have to be lost before a belief falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corroboration {
    /// How many; 0 if it does not stand.
    pub count: u32,
    /// Whether it is that many, or at least. Whether it is two or more is always exact.
    pub exact: bool,
}

impl Corroboration {
    /// That of what does not stand.
    pub const NONE: Self = Self {
        count: 0,
        exact: true,
    };

    const ONE: Self = Self {
        count: 1,
        exact: true,
    };

    /// So many origins were found to be needed. Below the floor nothing is left to lose; the belief
    /// itself is there once.
    fn found(n: usize, exact: bool) -> Self {
        let count = u32::try_from(n).expect("there are fewer than u32::MAX origins");
        Self {
            count: count.max(1),
            exact,
        }
    }

    /// What falls when one of these does has the least of them: exactly so much if one of the
    /// least is known exactly.
    pub fn least(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().min_by_key(|it| (it.count, !it.exact))
    }
}

/// An identity that counts once, however many names it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A source of its own.
    Source(SourceId),
    /// Newcomers without a survived check: a crowd of new names is no crowd.
    Newcomers(ChannelId),
}

impl State {
    /// The sources behind a belief, through every derivation and every context, in order, with the
    /// agents that concluded what no premise carries; systems of record that were merely shown are
    /// left out.
    pub fn sources_behind(&self, id: BeliefId) -> BTreeSet<SourceId> {
        let mut contexts = BTreeSet::new();
        let by = self.justifications_of(id);
        let mut sources = self.sources_through(by, |_| true, &mut contexts);
        let mut shown = shown::Shown::default();
        for context in contexts {
            let behind = shown.behind(self, context);
            sources.extend(behind.iter().map(|it| it.source(self)));
        }
        sources
    }

    /// The sources behind these justifications, through what holds now only.
    pub fn sources_under(
        &self,
        by: impl IntoIterator<Item = JustificationId>,
    ) -> BTreeSet<SourceId> {
        self.sources_through(by, |it| self.holds(it), &mut BTreeSet::new())
    }

    fn sources_through(
        &self,
        by: impl IntoIterator<Item = JustificationId>,
        admits: impl Fn(JustificationId) -> bool,
        contexts: &mut BTreeSet<ContextId>,
    ) -> BTreeSet<SourceId> {
        let mut sources = BTreeSet::new();
        let mut seen: FxHashSet<BeliefId> = FxHashSet::default();
        let mut stack: Vec<JustificationId> = by.into_iter().filter(|it| admits(*it)).collect();
        while let Some(justification) = stack.pop() {
            contexts.extend(self.context_of_justification(justification));
            sources.extend(self.reasoner_of(justification));
            for premise in self.justifications.get(justification).grounds.rests_on() {
                match premise {
                    Premise::Observation(it) => {
                        sources.insert(self.observations.get(it).source);
                    }
                    Premise::Belief(it) if seen.insert(it) => {
                        let more = self.justifications_of(it);
                        stack.extend(more.filter(|it| admits(*it)));
                    }
                    Premise::Belief(_) => {}
                }
            }
        }
        sources
    }

    /// How many independent origins have to be lost before a belief falls. Only what stands at
    /// or above the floor takes part.
    pub fn corroboration(&self, id: BeliefId) -> Corroboration {
        self.corroboration_up_to(id, None)
    }

    /// The same, where it is enough to know that it is at least so much: no more is looked for.
    pub(crate) fn corroboration_up_to(&self, id: BeliefId, enough: Option<u32>) -> Corroboration {
        if self.now.get(id).status != Status::Active {
            return Corroboration::NONE;
        }
        let proofs = Proofs::of(self, id, &mut Alone::of(self));
        fewest(&proofs, 0, enough, &mut 0).0
    }

    /// The origins of a source: itself and all it copies, along the copying. A group of inferred
    /// mirrors is one origin, whoever is a newcomer in it.
    pub(crate) fn origins_of(&self, id: SourceId) -> Vec<Origin> {
        let groups = &self.copying.groups;
        let mut origins = Vec::new();
        for it in self.closure_through(id) {
            origins.push(self.origin(it));
            if !groups.members_of(it).is_empty() {
                origins.push(Origin::Source(groups.first_of(it)));
            }
        }
        for it in &mut origins {
            if let Origin::Source(source) = it {
                *source = groups.first_of(*source);
            }
        }
        origins.sort_unstable();
        origins.dedup();
        origins
    }

    /// The origins of an observation: those of its source, and of what it was inferred to repeat.
    pub(crate) fn origins_of_observation(&self, id: ObservationId) -> Vec<Origin> {
        let mut origins = self.origins_of(self.observations.get(id).source);
        let mut at = id;
        // What is repeated is always an earlier one, so this ends.
        while let Some(InferredCopy::Content(copy)) = self.inferred_content(at).map(|it| &it.copy) {
            at = copy.of;
            origins.extend(self.origins_of(self.observations.get(at).source));
        }
        origins.sort_unstable();
        origins.dedup();
        origins
    }

    /// A source and all that it copies: along declared mirrors, and through the groups of inferred
    /// ones to what any of their members is declared to copy.
    fn closure_through(&self, id: SourceId) -> Vec<SourceId> {
        let groups = &self.copying.groups;
        if self.copying.mirrors.is_empty() {
            return self.closure_of(id, |it| &it.mirrors);
        }
        let mut seen = FxHashSet::from_iter([id]);
        let mut reached = vec![id];
        let mut at = 0;
        while let Some(source) = reached.get(at).copied() {
            let copies = |it: &SourceId| self.sources.get(*it).mirrors.clone();
            let through = groups.members_of(source).iter().flat_map(copies);
            for other in copies(&source).into_iter().chain(through) {
                if seen.insert(other) {
                    reached.push(other);
                }
            }
            at += 1;
        }
        reached
    }

    /// A source and everything reached from it along declared copying, in either direction; any
    /// length, cycles included.
    pub(crate) fn closure_of(
        &self,
        id: SourceId,
        next: impl Fn(&Source) -> &[SourceId],
    ) -> Vec<SourceId> {
        let mut reached = vec![id];
        let mut at = 0;
        while let Some(source) = reached.get(at).copied() {
            for other in next(self.sources.get(source)) {
                if !reached.contains(other) {
                    reached.push(*other);
                }
            }
            at += 1;
        }
        reached
    }

    pub(crate) fn origin(&self, id: SourceId) -> Origin {
        let source = self.sources.get(id);
        let proven = source.standing_events().any(ReputationEvent::survived);
        if source.standing == Standing::Declared || proven {
            Origin::Source(id)
        } else {
            Origin::Newcomers(source.channel)
        }
    }
}

/// The least number of origins whose loss takes a belief down: at least `least`, and `enough` if
/// no fewer do. Beside it a set that takes the belief down if the count is exact and not `enough`.
///
/// Where all derivations can be written down, it is their smallest hitting set. Else these are
/// implicit: the smallest set of origins that hits every derivation found so far is taken away; if
/// the belief still stands, the derivation by which it does is another one. Each smallest set is a
/// lower bound, and the first that takes the belief down is the answer.
fn fewest(
    proofs: &Proofs,
    least: usize,
    enough: Option<u32>,
    steps: &mut u64,
) -> (Corroboration, Set) {
    if let Some(derivations) = proofs.derivations() {
        *steps += derivations.len() as u64;
        return match hitting::smallest(&derivations, least, Some(STEPS_MAX), &mut 0) {
            Ok(lost) => (Corroboration::found(lost.len(), true), lost),
            Err(proven) => (Corroboration::found(proven, false), Set::new()),
        };
    }
    let mut spent = 0;
    let answer = fewest_one_by_one(proofs, least, enough, &mut spent);
    *steps += spent;
    answer
}

fn fewest_one_by_one(
    proofs: &Proofs,
    least: usize,
    enough: Option<u32>,
    steps: &mut u64,
) -> (Corroboration, Set) {
    let mut derivations: Vec<Set> = Vec::new();
    let mut lost = Set::default();
    loop {
        if enough.is_some_and(|it| it as usize <= lost.len()) {
            return (Corroboration::found(lost.len(), true), lost);
        }
        match proofs.surviving(&lost, steps) {
            None => return (Corroboration::found(lost.len(), true), lost),
            Some(derivation) => derivations.push(derivation),
        }
        let budget = (lost.len() >= 2).then_some(STEPS_MAX);
        match hitting::smallest(&derivations, lost.len().max(least), budget, steps) {
            Ok(next) => lost = next,
            Err(proven) => return (Corroboration::found(proven.max(lost.len()), false), lost),
        }
    }
}

#[cfg(test)]
mod tests;
