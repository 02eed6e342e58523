//! The benches: ours and its peers on the same data in the same run, every losing row kept.
//!
//! The command line calls [`attribute()`], [`cascade`], [`conflict()`], [`filter()`], [`open()`], [`recall()`] and the [`QUICK`] ones; nothing of the product depends on this crate otherwise.
//! Ours runs through the public surface only: a memory in a SQLite file, sessions, and the fold of
//! an event on a state. Peers are SQLite in this process, and servers that scripts start and end.
//! Invariant: a peer that is absent is a row that says so, and no reason to fail.

mod agent;
mod attribute;
mod belief;
mod cascade;
mod conflict;
mod copies;
mod filter;
mod launder;
mod machine;
mod mesh;
mod open;
mod ours;
mod peers;
mod poisoned;
mod quick;
mod recall;
mod scenes;
mod shape;
mod sqlite;
mod targets;
mod timed;

use std::path::PathBuf;

pub use attribute::{AttributeOptions, attribute};
pub use cascade::cascade;
pub use conflict::{ConflictOptions, Verdict, conflict, conflict_verdicts};
pub use filter::{FilterOptions, Peers, filter};
pub use mesh::{MeshOptions, MeshPart, mesh};
pub use open::{OpenOptions, OpenProbe, open, open_probe};
pub use ours::{Probe, probe};
pub use quick::{Ask, Mode, QUICK, Quick, check};
pub use recall::{Conversations, RecallOptions, recall};

/// The test data: where `IMMUNE_TEST_DATA` says, or in `shared/data` beside the checkout.
#[cfg(test)]
fn test_data() -> Option<PathBuf> {
    let named = std::env::var_os("IMMUNE_TEST_DATA").map(PathBuf::from);
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let beside = || {
        beside
            .map(|it| it.join("shared/data"))
            .find(|it| it.is_dir())
    };
    let found = named.or_else(beside);
    if found.is_none() {
        println!("skipped: no test data; set `IMMUNE_TEST_DATA` to the folder that holds it");
    }
    found
}

/// A database that is measured beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// SQLite, in this process.
    Sqlite,
    /// PostgreSQL, started by a script.
    Postgres,
    /// FalkorDB, started by a script.
    Falkordb,
}

impl Peer {
    /// Every peer.
    pub const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::Falkordb];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Falkordb => "falkordb",
        }
    }

    /// The peer with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|peer| peer.name() == name)
    }
}

/// What to measure, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The sizes of the memories, in beliefs.
    pub beliefs: Vec<usize>,
    /// What the graphs are made from.
    pub seed: u64,
    /// Which databases beside ours.
    pub peers: Vec<Peer>,
    /// How often each thing is measured; the median counts.
    pub runs: usize,
    /// How many seconds a query of a peer may take.
    pub limit_seconds: u32,
    /// The command that opens a store and prints a [`Probe`]; its path is appended.
    pub probe: Vec<PathBuf>,
}

/// Why a bench could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The disk refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The store or the memory could not be opened.
    #[error(transparent)]
    Open(#[from] immune_engine::OpenError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] immune_store::StoreError),
    /// SQLite, as a peer, refused.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A write was refused.
    #[error("{operation}: {reason}")]
    Refused {
        /// What was asked for.
        operation: &'static str,
        /// Why not.
        reason: String,
    },
    /// What it reads is not there.
    #[error("{what}")]
    Absent {
        /// What, and where it was looked for.
        what: String,
    },
    /// What was computed is not what a plain reference says.
    #[error("{what}: {found} of {right} beliefs")]
    Wrong {
        /// About what.
        what: String,
        /// How many were found.
        found: usize,
        /// How many are right.
        right: usize,
    },
}

impl BenchError {
    fn refused<E: std::fmt::Display>(operation: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Refused {
            operation,
            reason: error.to_string(),
        }
    }
}
