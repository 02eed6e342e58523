//! The tests of refuted beliefs, as the log has them: who tested, when, and what came out.
//!
//! They are read from the log, as a history is: what held a belief moved nothing, so that no state
//! keeps it.

use immune_model::{AttributionId, BeliefId, Event, Instant, ParoleHold, Premise, Principal, Text};

use crate::error::OpenError;
use crate::session::Session;

/// A test of a refuted belief, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retest {
    /// Position in the log.
    pub seq: u64,
    /// When it was.
    pub at: Instant,
    /// Who tested.
    pub actor: Principal,
    /// Which belief.
    pub belief: BeliefId,
    /// What held it; nothing if it was released.
    pub hold: Option<ParoleHold>,
    /// How many answers that took, those of other attributions counted.
    pub calls: u32,
    /// Who answered, if anybody was asked.
    pub oracle: Option<Text>,
    /// The answer that is wrong again, or why nobody answered.
    pub said: Option<Text>,
}

impl Session {
    /// The tests of what an attribution blames, and those in which its wrong answer was to be asked
    /// for again, oldest first.
    pub fn retests(&self, attribution: AttributionId) -> Result<Vec<Retest>, OpenError> {
        let snapshot = self.snapshot()?;
        let of = snapshot.state().attribution(attribution);
        let blames = |it| of.is_some_and(|of| of.blames(Premise::Belief(it)));
        let mut found = Vec::new();
        self.each_recorded(|recorded| {
            let (belief, hold, retested, calls, oracle, said) = match recorded.event {
                Event::Paroled {
                    belief,
                    retested,
                    calls,
                    oracle,
                    ..
                } => (belief, None, retested, calls, oracle, None),
                Event::ParoleHeld {
                    belief,
                    hold,
                    retested,
                    calls,
                    oracle,
                    said,
                } => (belief, Some(hold), retested, calls, oracle, said),
                _ => return,
            };
            if retested.contains(&attribution) || blames(belief) {
                found.push(Retest {
                    seq: recorded.seq,
                    at: recorded.at,
                    actor: recorded.actor,
                    belief,
                    hold,
                    calls,
                    oracle,
                    said,
                });
            }
        })?;
        Ok(found)
    }
}
