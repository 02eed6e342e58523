//! Who read a text that states no claims, and what of a model's reply was not taken up.

use serde::Serialize;

use crate::ingest::Skipped;
use crate::write::screening;

/// Who read a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadBy {
    /// `rules` or `model`.
    pub extractor: &'static str,
    /// Why rules read it, where a model was to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fell_back: Option<String>,
    /// The claims of the model's reply that were not taken up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedClaim>,
}

/// A claim of a model's reply that was not taken up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectedClaim {
    /// Which claim of the reply, from 1; 0 is the reply itself.
    pub position: usize,
    /// What it would have been about, as the reply writes it.
    pub subject: String,
    /// Why not.
    pub reason: String,
}

impl From<&immune_engine::Extraction> for ReadBy {
    fn from(extraction: &immune_engine::Extraction) -> Self {
        let rejected = extraction.rejected.iter().map(|it| RejectedClaim {
            position: it.position,
            subject: it.subject.clone(),
            reason: it.reason.to_string(),
        });
        Self {
            extractor: screening(extraction.screening),
            fell_back: extraction.fell_back.as_ref().map(ToString::to_string),
            rejected: rejected.collect(),
        }
    }
}

/// What a model did with many texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelTotals {
    /// Texts that it read.
    pub read: u64,
    /// Texts that rules read, because it could not.
    pub fell_back: u64,
    /// Claims of its replies that were not taken up.
    pub rejected: u64,
    /// The first of both, with the reasons.
    pub notes: Vec<Skipped>,
    /// Calls that were sent, attempts counted.
    pub calls_sent: u64,
    /// Calls that the budget still has, if there is one.
    pub calls_left: Option<u64>,
}

impl From<&immune_engine::ModelTotals> for ModelTotals {
    fn from(totals: &immune_engine::ModelTotals) -> Self {
        let notes = totals.notes.iter().map(|it| Skipped {
            position: it.position.clone(),
            reason: it.reason.clone(),
        });
        Self {
            read: totals.read,
            fell_back: totals.fell_back,
            rejected: totals.rejected,
            notes: notes.collect(),
            calls_sent: totals.calls_sent,
            calls_left: totals.calls_left,
        }
    }
}
