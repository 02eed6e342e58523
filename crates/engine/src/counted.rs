//! Corroborations of several beliefs, counted together where that is less work.

use std::collections::HashMap;

use immune_model::BeliefId;
use immune_reason::{Corroboration, State};

/// From so many on, beliefs are counted together: what one says about another is shared.
const TOGETHER: usize = 16;

/// What was counted beforehand; anything else is counted when it is asked for.
pub(crate) struct Counted<'a> {
    state: &'a State,
    known: HashMap<BeliefId, Corroboration>,
}

impl<'a> Counted<'a> {
    /// For an answer about these beliefs.
    pub(crate) fn of(state: &'a State, beliefs: &[BeliefId]) -> Self {
        let mut known = HashMap::new();
        if beliefs.len() >= TOGETHER {
            let counted = state.corroborations_of(beliefs, &mut |_| {});
            known.extend(beliefs.iter().copied().zip(counted));
        }
        Self { state, known }
    }

    pub(crate) fn corroboration(&self, id: BeliefId) -> Corroboration {
        let known = self.known.get(&id).copied();
        known.unwrap_or_else(|| self.state.corroboration(id))
    }
}
