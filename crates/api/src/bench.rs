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
    /// The size of the memory.
    #[serde(default)]
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
