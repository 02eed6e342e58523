//! What the demo showed, and whether two of them are the same.

use serde::Serialize;

/// A claim of the demo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assertion {
    /// The claim, in words.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
}

/// One run of the demo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Demo {
    /// What was claimed, and whether it holds.
    pub assertions: Vec<Assertion>,
    /// Where the store and the ledger are, if they were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// Two runs of the demo, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rehearsal {
    /// Whether they said the same, byte for byte.
    pub identical: bool,
    /// Lines of each.
    pub lines: usize,
    /// The first line that differs, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_difference: Option<usize>,
    /// What was claimed, and whether it holds in both.
    pub assertions: Vec<Assertion>,
}
