//! What a verification found.

use serde::Serialize;

/// Whether a memory is what its log says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Which memory.
    pub memory: String,
    /// Whether nothing is wrong.
    pub sound: bool,
    /// Events whose hash and content are right.
    pub events: u64,
    /// Rows of projections that are as a replay gives them.
    pub rows: u64,
    /// The head of the log in hexadecimal: what a witness elsewhere would compare.
    pub head: String,
    /// What is wrong.
    pub findings: Vec<String>,
    /// How many more there are.
    pub findings_left_out: u64,
}

impl Verified {
    /// The view of a verification.
    pub fn of(memory: &immune_model::MemoryName, verified: &immune_engine::Verified) -> Self {
        Self {
            memory: memory.to_string(),
            sound: verified.is_sound(),
            events: verified.events,
            rows: verified.rows,
            head: verified.head.clone(),
            findings: verified.findings.clone(),
            findings_left_out: verified.findings_left_out,
        }
    }
}
