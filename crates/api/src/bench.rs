//! What a bench measured: rows, and the targets that they are held against.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The results of one bench.
#[derive(Debug, Clone, Serialize)]
pub struct Bench {
    /// Which bench.
    pub bench: String,
    /// What its data was made from.
    pub seed: u64,
    /// What ran, and on what.
    pub versions: BTreeMap<String, String>,
    /// What was measured, losing rows too.
    pub rows: Vec<BenchRow>,
    /// What is asked of it.
    pub targets: Vec<BenchTarget>,
}

/// One measurement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// The size of the memory, where that is a parameter.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beliefs: usize,
    /// What ran.
    pub engine: String,
    /// What was asked of it.
    pub what: String,
    /// About what: the source that is flagged.
    pub source: String,
    /// How many beliefs the answer is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<u64>,
    /// CPU time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<f64>,
    /// CPU time in milliseconds that 99 of 100 questions keep below, where many are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_p99_ms: Option<f64>,
    /// Time that passed, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<f64>,
    /// Memory in megabytes (10^6 bytes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megabytes: Option<f64>,
    /// Bytes for each belief.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_each: Option<f64>,
    /// How often, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<f64>,
    /// Calls of an oracle, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<f64>,
    /// The most calls of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_max: Option<u64>,
    /// The calls below which no search gets on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_bound: Option<f64>,
    /// The calls divided by the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Why there is no measurement: `timeout`, `skipped`; or what else is to be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One figure that has to be reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchTarget {
    /// Which figure, with its unit.
    pub name: String,
    /// What was measured.
    pub value: f64,
    /// What is asked for: `<= 14`, `>= 20`.
    pub target: String,
    /// Whether it is reached.
    pub holds: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that the derive calls"
)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// What the quick benches give today, beside what is kept of them.
#[derive(Debug, Clone, Default, Serialize)]
pub struct BenchChecked {
    /// Each bench that ran again.
    pub files: Vec<CheckedFile>,
    /// Each bench that could not.
    pub skipped: Vec<BenchSkipped>,
}

/// One bench that ran again.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CheckedFile {
    /// Which bench.
    pub bench: String,
    /// Where its results are kept.
    pub file: String,
    /// How many cells were compared.
    pub cells: usize,
    /// The cells that differ.
    pub differences: Vec<BenchDifference>,
}

/// One cell that differs.
#[derive(Debug, Clone, Serialize)]
pub struct BenchDifference {
    /// The row or target, by its words.
    pub row: String,
    /// Which cell of it.
    pub cell: String,
    /// What is kept; null where the row or cell is new.
    pub kept: serde_json::Value,
    /// What was found; null where it is gone.
    pub found: serde_json::Value,
}

/// One bench that could not run again.
#[derive(Debug, Clone, Serialize)]
pub struct BenchSkipped {
    /// Which bench.
    pub bench: String,
    /// Why.
    pub why: String,
}
