//! The totals of an ingestion.

use serde::Serialize;

/// What came of an ingestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// Who found the claims of those that state none: `rules` or `model`.
    pub extractor: &'static str,
    /// What a model did, where one was to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelTotals>,
}

/// What a model did in an ingestion.
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

/// A message that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Where it is.
    pub position: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Ingested {
    /// The view of the totals.
    pub fn of(format: &'static str, totals: &immune_engine::IngestTotals, end: IngestEnd) -> Self {
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
            problems: skipped(&totals.problems),
            extractor: match totals.model {
                Some(_) => "model",
                None => "rules",
            },
            model: totals.model.as_ref().map(|it| ModelTotals {
                read: it.read,
                fell_back: it.fell_back,
                rejected: it.rejected,
                notes: skipped(&it.notes),
                calls_sent: it.calls_sent,
                calls_left: it.calls_left,
            }),
        }
    }
}

fn skipped(problems: &[immune_engine::IngestProblem]) -> Vec<Skipped> {
    let problems = problems.iter().map(|it| Skipped {
        position: it.position.clone(),
        reason: it.reason.clone(),
    });
    problems.collect()
}

/// How an ingestion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IngestEnd {
    /// Everything was read.
    Complete,
    /// It was asked to stop.
    Interrupted,
}
