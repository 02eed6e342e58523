//! Moving and copying: what came of an export, an import, a backup.

use serde::Serialize;

/// A memory that was exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Its name.
    pub memory: String,
    /// The events of its log.
    pub events: u64,
    /// The head of its log as hexadecimal digits.
    pub head: String,
}

/// A memory that was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Its name here.
    pub memory: String,
    /// The events of its log.
    pub events: u64,
    /// The head of its log as hexadecimal digits.
    pub head: String,
}

/// A store that was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackedUp {
    /// Where the copy is.
    pub path: String,
    /// The memories in it, each of which was verified there.
    pub memories: Vec<Copied>,
}

/// A memory of a copied store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Its name.
    pub memory: String,
    /// The events of its log.
    pub events: u64,
    /// The head of its log as hexadecimal digits.
    pub head: String,
}

impl From<immune_engine::Transferred> for Exported {
    fn from(moved: immune_engine::Transferred) -> Self {
        let memory = moved.memory.to_string();
        Self {
            memory,
            events: moved.events,
            head: moved.head,
        }
    }
}

impl From<immune_engine::Transferred> for Imported {
    fn from(moved: immune_engine::Transferred) -> Self {
        let memory = moved.memory.to_string();
        Self {
            memory,
            events: moved.events,
            head: moved.head,
        }
    }
}
