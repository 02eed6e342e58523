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
