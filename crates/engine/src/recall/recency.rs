//! How fresh a hit is, where a question asks for that.
//!
//! What is left of a whole score after so many half-lives, added to what the words and the meaning
//! say (as in Park et al., UIST 2023: each part from 0 to 1, without weights). Invariants: an older
//! hit never gets more than a younger one; and only what fits a question and may be shown is looked
//! at, so that freshness lets nothing in.

use immune_model::{Instant, Item};
use immune_reason::{State, left_of};

use super::question::Recall;

/// A whole score, in millionths.
const MILLION: u64 = 1_000_000;

/// Who tells how fresh an item is, as of the time that is asked about.
pub(super) struct Recency<'a> {
    state: &'a State,
    question: &'a Recall,
    half_life_seconds: u32,
    asked_at: Instant,
}

impl<'a> Recency<'a> {
    /// Nothing where the question does not ask for it, or is asked of a memory without events.
    pub(super) fn of(state: &'a State, question: &'a Recall) -> Option<Self> {
        Some(Self {
            state,
            question,
            half_life_seconds: question.recency_seconds?,
            asked_at: question.weighed_at?,
        })
    }

    /// When an item was last said: a note when it arrived; a belief when somebody who is above the
    /// floor last stated or concluded it.
    pub(super) fn said_at(&self, item: Item) -> Option<Instant> {
        let (state, floor) = (self.state, self.question.floor);
        match item {
            Item::Observation(id) => state.observation(id).map(|it| it.received_at),
            Item::Belief(id) => {
                let stands =
                    |it: &_| state.counts(*it) && state.justification_strength(*it) >= floor;
                let standing = state.justifications_of(id).filter(stands);
                let said = standing.filter_map(|it| state.justification(it));
                said.map(|it| it.at).max()
            }
            _ => None,
        }
    }

    /// What is left of a whole score, in millionths.
    pub(super) fn millionths(&self, said_at: Instant) -> u64 {
        left_of(MILLION, self.half_life_seconds, said_at, self.asked_at)
    }
}
