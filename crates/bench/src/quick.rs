//! The benches that take no time to speak of and give the same rows on every machine: each is a
//! name and a function, and what is kept of it in `bench/results` is compared cell by cell.
//!
//! To add one: a file with a `pub(crate) fn run(&Ask) -> Found`, a line in [`QUICK`], a variant in
//! the arguments of the command line, and its results file.

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use immune_api::bench::{Bench, BenchRow, BenchTarget};

use crate::{BenchError, agent, belief, copies, poisoned, scenes};

pub use check::check;

/// What the rows are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Ours.
    Default,
    /// The belief update of nous-state, as published.
    Compat,
}

/// How a quick bench is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// One mode; both without.
    pub mode: Option<Mode>,
    /// What random orders are made from.
    pub seed: u64,
    /// A folder with data that is not part of the repository, for a bench that reads some.
    pub data: Option<PathBuf>,
}

impl Ask {
    /// What a bench reads in the folder of data; else what it answers: what is not there.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Path) -> Result<T, String>,
    ) -> Result<T, Found> {
        let folder = self.data.as_deref();
        let folder = folder.ok_or_else(|| "no folder of data was given: `--data`".to_owned());
        folder.and_then(read).map_err(|absent| Found {
            absent: Some(absent),
            ..Found::default()
        })
    }

    pub(crate) fn wants(&self, mode: Mode) -> bool {
        self.mode.is_none_or(|it| it == mode)
    }
}

/// What a quick bench found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) rows: Vec<BenchRow>,
    pub(crate) targets: Vec<BenchTarget>,
    /// What it reads and is not there, with where it was looked for; then the rest does not count.
    pub(crate) absent: Option<String>,
}

/// A quick bench.
#[derive(Debug, Clone, Copy)]
pub struct Quick {
    name: &'static str,
    run: fn(&Ask) -> Found,
}

/// All of them, in the order of `immune bench --help`.
pub const QUICK: &[Quick] = &[
    Quick::new("poison", belief::poison::run),
    Quick::new("launder", belief::launder::run),
    Quick::new("mincap", belief::mincap::run),
    Quick::new("contradiction", belief::contradiction::run),
    Quick::new("reliability", belief::reliability::run),
    Quick::new("decoy", belief::decoy::run),
    Quick::new("endorsement", belief::endorsement::run),
    Quick::new("flood", belief::flood::run),
    Quick::new("taint", agent::taint::run),
    Quick::new("policy", agent::policy::run),
    Quick::new("wrapper", agent::wrapper::run),
    Quick::new("episodic", agent::episodic::run),
    Quick::new("flights", copies::flights::run),
    Quick::new("mirrors", copies::planted::run),
    Quick::new("poisoned", poisoned::run),
    Quick::new("scenes", scenes::run),
];

impl Quick {
    const fn new(name: &'static str, run: fn(&Ask) -> Found) -> Self {
        Self { name, run }
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        QUICK.iter().find(|it| it.name == name)
    }

    /// Its name: the word after `immune bench`, and the stem of its results file.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs it.
    pub fn run(&self, ask: &Ask) -> Result<Bench, BenchError> {
        let found = (self.run)(ask);
        if let Some(what) = found.absent {
            return Err(BenchError::Absent { what });
        }
        Ok(Bench {
            bench: self.name.to_owned(),
            seed: ask.seed,
            versions: BTreeMap::from([("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
            rows: found.rows,
            targets: found.targets,
        })
    }
}
