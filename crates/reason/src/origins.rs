//! Who is behind a belief: a first, proven lower bound on its corroboration (semantics.md 5).
//!
//! Unproven newcomers of one channel are one origin. A derivation counts with the sources of all
//! its premises; justifications whose sources do not meet need one loss each, so the number of
//! pairwise disjoint ones is a lower bound on the minimum hitting set.

use std::collections::BTreeSet;

use immune_model::{BeliefId, ChannelId, Premise, SourceId, Standing, Status, Trust};
use rustc_hash::FxHashSet;

use crate::state::{Grounds, State};

/// Beliefs that one answer visits at most; past it the bound is 1.
const STEPS_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Source(SourceId),
    /// Newcomers without a survived check: a crowd of new names is no crowd.
    Newcomers(ChannelId),
}

impl State {
    /// The sources behind a belief, through every derivation, in order.
    pub fn sources_behind(&self, id: BeliefId) -> BTreeSet<SourceId> {
        let mut steps = 0;
        let sources = self
            .justifications_of(id)
            .map(|it| self.sources_of(it, &mut steps));
        sources.flatten().flatten().collect()
    }

    /// At least so many origins have to be lost before the belief falls; 0 if it does not stand.
    pub fn corroboration(&self, id: BeliefId) -> u32 {
        if self.now.get(id).status != Status::Active {
            return 0;
        }
        let mut steps = 0;
        let mut sets: Vec<BTreeSet<Origin>> = Vec::new();
        for justification in self.justifications_of(id) {
            if self.closing_of(justification).is_some() || !self.counts(justification) {
                continue;
            }
            let Some(sources) = self.sources_of(justification, &mut steps) else {
                return 1;
            };
            sets.push(sources.into_iter().map(|it| self.origin(it)).collect());
        }
        sets.sort_by(|left, right| left.len().cmp(&right.len()).then_with(|| left.cmp(right)));
        let mut spent: BTreeSet<Origin> = BTreeSet::new();
        let mut disjoint = 0;
        for set in sets {
            if set.iter().all(|it| !spent.contains(it)) {
                spent.extend(set);
                disjoint += 1;
            }
        }
        disjoint.max(1)
    }

    /// Only what stands at or above the floor takes part.
    fn counts(&self, id: immune_model::JustificationId) -> bool {
        match &self.justifications.get(id).grounds {
            Grounds::Statement { .. } => self.statement_strength(id) >= Trust::FLOOR,
            Grounds::Derivation { premises, .. } => premises.iter().all(|premise| match *premise {
                Premise::Belief(it) => self.now.get(it).strength >= Trust::FLOOR,
                Premise::Observation(it) => self.observation_strength(it) >= Trust::FLOOR,
            }),
        }
    }

    /// The sources of a justification and of everything under it; nothing past the step budget.
    fn sources_of(
        &self,
        id: immune_model::JustificationId,
        steps: &mut usize,
    ) -> Option<BTreeSet<SourceId>> {
        let mut sources = BTreeSet::new();
        let mut seen: FxHashSet<BeliefId> = FxHashSet::default();
        let mut stack = vec![id];
        while let Some(justification) = stack.pop() {
            *steps += 1;
            if *steps > STEPS_MAX {
                return None;
            }
            match &self.justifications.get(justification).grounds {
                Grounds::Statement { observation, .. } => {
                    sources.insert(self.observations.get(*observation).source);
                }
                Grounds::Derivation { premises, .. } => {
                    for premise in premises.iter() {
                        match *premise {
                            Premise::Observation(it) => {
                                sources.insert(self.observations.get(it).source);
                            }
                            Premise::Belief(it) if seen.insert(it) => {
                                stack.extend(self.justifications_of(it));
                            }
                            Premise::Belief(_) => {}
                        }
                    }
                }
            }
        }
        Some(sources)
    }

    fn origin(&self, id: SourceId) -> Origin {
        let source = self.sources.get(id);
        let proven = source
            .standing_events()
            .any(crate::state::ReputationEvent::survived);
        if source.standing == Standing::Declared || proven {
            Origin::Source(id)
        } else {
            Origin::Newcomers(source.channel)
        }
    }
}
