//! What `doctor` found, and what `version` says.

use serde::Serialize;

/// Ordered checks, and where each setting came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doctor {
    /// Whether no check failed.
    pub healthy: bool,
    /// The settings in force.
    pub settings: Vec<Setting>,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
}

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name: `store`.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Where the value came from: `option`, `environment` or `default`.
    pub from: &'static str,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name: `store`.
    pub name: &'static str,
    /// What was tried.
    pub tried: String,
    /// What came of it.
    pub result: CheckResult,
    /// What was found, or why it was skipped.
    pub found: String,
    /// One fix, where one is needed.
    pub fix: Option<String>,
    /// How long it took in milliseconds.
    pub took_ms: u64,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It is as it should be.
    Ok,
    /// It works, and somebody should look at it.
    Warning,
    /// It is not as it should be.
    Failed,
    /// It depends on a check that failed.
    Skipped,
}

impl CheckResult {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// The version of the program and of the log that it writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Of the program.
    pub version: String,
    /// Of the log.
    pub format: u32,
}
