//! Proofs and cuts as they are written in JSON.

use immune_engine::reason::question::{Level, Loss};
use immune_model::limits;
use serde::Serialize;

use crate::explain::closing;
use crate::value::ids;

/// Why a belief stands or does not, with the verdict of the judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// `proof` if it stands, else `cut`.
    pub kind: &'static str,
    /// Which facts count: `in` all, `open` without closing facts, `ever` without refuting ones
    /// too.
    pub level: &'static str,
    /// Whether the judge accepts it, as a whole.
    pub accepted: bool,
    /// Why not, if it does not.
    pub rejected: Option<String>,
    /// How many steps or beliefs it has; at most a page of them is listed.
    pub length: usize,
    /// The steps of a proof, the ones nearest to the belief last.
    pub steps: Vec<Step>,
    /// The beliefs of a cut, the nearest first.
    pub lost: Vec<Lost>,
}

/// A step of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is shown to stand.
    pub belief: String,
    /// By which justification.
    pub justification: String,
    /// From what: earlier steps, and observations that stand.
    pub premises: Vec<String>,
}

/// A belief of a cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// Which belief.
    pub belief: String,
    /// The incident that refuted it, if one did.
    pub refuted_in: Option<String>,
    /// What each of its justifications lost.
    pub losses: Vec<LostPremise>,
}

/// What a justification lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostPremise {
    /// Which justification.
    pub justification: String,
    /// The belief or observation that it lost.
    pub lost: Option<String>,
    /// `superseded`, `expired` or `forgotten`, if it is closed itself.
    pub closed: Option<&'static str>,
    /// The incident in which the agent that derived it was flagged, if it was.
    pub flagged_in: Option<String>,
}

impl From<&immune_engine::Certified> for Certificate {
    fn from(certified: &immune_engine::Certified) -> Self {
        use immune_engine::Certificate as Grounds;
        let most = limits::PAGE_ROWS_MAX;
        let (kind, length, steps, lost) = match &certified.grounds {
            Grounds::Proof(steps) => {
                let near = steps.iter().skip(steps.len().saturating_sub(most));
                let near = near.map(|it| Step {
                    belief: it.belief.to_string(),
                    justification: it.justification.to_string(),
                    premises: ids(&it.premises),
                });
                ("proof", steps.len(), near.collect(), Vec::new())
            }
            Grounds::Cut(lost) => {
                let near = lost.iter().take(most).map(Lost::from);
                ("cut", lost.len(), Vec::new(), near.collect())
            }
        };
        Self {
            kind,
            level: match certified.level {
                Level::Ever => "ever",
                Level::Open => "open",
                Level::In => "in",
            },
            accepted: certified.rejected.is_none(),
            rejected: certified.rejected.map(|it| it.to_string()),
            length,
            steps,
            lost,
        }
    }
}

impl From<&immune_engine::reason::question::Lost> for Lost {
    fn from(lost: &immune_engine::reason::question::Lost) -> Self {
        let losses = lost.losses.iter().map(|(justification, loss)| LostPremise {
            justification: justification.to_string(),
            lost: match loss {
                Loss::Closed(_) | Loss::Flagged(_) => None,
                Loss::Observation(id) => Some(id.to_string()),
                Loss::Belief(id) => Some(id.to_string()),
            },
            closed: match loss {
                Loss::Closed(why) => Some(closing(*why)),
                Loss::Observation(_) | Loss::Belief(_) | Loss::Flagged(_) => None,
            },
            flagged_in: match loss {
                Loss::Flagged(incident) => Some(incident.to_string()),
                Loss::Closed(_) | Loss::Observation(_) | Loss::Belief(_) => None,
            },
        });
        Self {
            belief: lost.belief.to_string(),
            refuted_in: lost.refuted_in.map(|it| it.to_string()),
            losses: losses.collect(),
        }
    }
}
