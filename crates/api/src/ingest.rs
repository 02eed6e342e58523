//! The totals of an ingestion.

use immune_engine::reason::State;
use immune_model::Principal;
use serde::Serialize;

use crate::extract::ModelTotals;
use crate::screen::{Message, Verdicts};

/// What came of an ingestion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ingested {
    /// What the path holds: `mbox`, `csv`.
    pub format: &'static str,
    /// Whether everything was read; an interrupt leaves the rest to the next run.
    pub complete: bool,
    /// Messages read, skipped ones included.
    pub messages: u64,
    /// Observations written.
    pub observations: u64,
    /// Claims that those made.
    pub claims: u64,
    /// Beliefs that are new.
    pub beliefs: u64,
    /// Observations without a claim, kept as notes.
    pub unscreened: u64,
    /// Messages that were there already.
    pub repeated: u64,
    /// Messages that could not be read or kept.
    pub skipped: u64,
    /// The first of those.
    pub problems: Vec<Skipped>,
    /// How many observations there are of each verdict.
    pub verdicts: Verdicts,
    /// How many claims.
    pub claim_verdicts: Verdicts,
    /// The first reports that are worth a look: contested, blocked, below the floor, or in place of
    /// something.
    pub reports: Vec<Message>,
    /// Who found the claims of those that state none: `rules` or `model`.
    pub extractor: &'static str,
    /// What a model did, where one was to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelTotals>,
}

/// A message that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Where it is.
    pub position: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Ingested {
    /// The view of the totals for this principal, as of the state after it.
    pub fn of(
        format: &'static str,
        totals: &immune_engine::IngestTotals,
        end: IngestEnd,
        (state, principal): (&State, &Principal),
    ) -> Self {
        let problems = totals.problems.iter().map(|it| Skipped {
            position: it.position.clone(),
            reason: it.reason.clone(),
        });
        Self {
            format,
            complete: end == IngestEnd::Complete,
            messages: totals.messages,
            observations: totals.observations,
            claims: totals.claims,
            beliefs: totals.beliefs,
            unscreened: totals.unscreened,
            repeated: totals.repeated,
            skipped: totals.skipped,
            problems: problems.collect(),
            verdicts: Verdicts::of(&totals.outcomes),
            claim_verdicts: Verdicts::of(&totals.claim_outcomes),
            reports: Message::of_all(state, principal, totals),
            extractor: match totals.model {
                Some(_) => "model",
                None => "rules",
            },
            model: totals.model.as_ref().map(ModelTotals::from),
        }
    }
}

/// How an ingestion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IngestEnd {
    /// Everything was read.
    Complete,
    /// It was asked to stop.
    Interrupted,
}
