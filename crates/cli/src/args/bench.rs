//! The benches.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::help;

/// Measure, beside databases on the same data, and compare with what is asked for
///
/// Rows that lose stay in the table; the exit code is 1 when a target is missed. A peer that is
/// not there is skipped with a row that says so.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench cascade
  immune bench cascade --beliefs 100000 --peers none
  immune bench cascade --beliefs 100000,1000000 --out bench/results/cascade.json")]
pub(crate) struct Bench {
    /// Which bench
    #[command(subcommand)]
    pub(crate) bench: BenchCommand,
}

/// Which bench.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Cascade(BenchCascade),
    Belief(BenchBelief),
    Conflict(BenchConflict),
}

/// A source is flagged: what falls, how long it takes, and what plain reachability would do
///
/// On a layered graph a small, a median and the giant source are flagged. Ours computes what
/// really falls and how strong the rest is; the peers compute bare closure. CPU time leaves the
/// commit out; end to end is wall time with it.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench cascade --beliefs 100000
  immune bench cascade --peers sqlite,postgres --seed 7
  immune bench cascade --json --out bench/results/cascade.json")]
pub(crate) struct BenchCascade {
    /// Sizes of the memory in beliefs, with commas
    #[arg(
        long,
        value_name = "N,N",
        default_value = "100000",
        value_delimiter = ','
    )]
    pub(crate) beliefs: Vec<usize>,
    /// What the graphs are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Which databases beside ours: sqlite, postgres, falkordb; or none
    #[arg(
        long,
        value_name = "LIST",
        default_value = "sqlite,postgres,falkordb",
        value_delimiter = ','
    )]
    pub(crate) peers: Vec<String>,
    /// How often each thing is measured; the median counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) runs: usize,
    /// Seconds that a query of a peer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) limit: u32,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Open this store and tell what that took: how the bench measures a process of its own
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) probe: Option<PathBuf>,
}

/// Floods, decoys, endorsements and laundering: how often a lie is what the memory answers
///
/// Ours beside the published belief update that it began with, the last write and the majority.
/// Nothing is measured in time, so that every run gives the same table.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench belief
  immune bench belief --json
  immune bench belief --out bench/results/belief.json")]
pub(crate) struct BenchBelief {
    /// What the orders of shuffled attacks are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Contradictions: literals under planted changes, long chats, written evidence; without a model
///
/// What needs data that is not there is skipped with a row that says so. The values come from
/// `bench/peers/agentdojo_values.py`; nothing of any data is kept.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench conflict --data DIR
  immune bench conflict --data DIR --values values.jsonl --out bench/results/conflict.json
  immune bench conflict --data DIR --verdicts wrong.tsv")]
pub(crate) struct BenchConflict {
    /// The folder of the test data: `beam`, `conflictqa`
    #[arg(long, value_name = "DIR", env = "IMMUNE_TEST_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Lines of JSON with a `kind` and a `text`: the values to change
    #[arg(long, value_name = "FILE", env = "IMMUNE_AGENTDOJO_VALUES")]
    pub(crate) values: Option<PathBuf>,
    /// What the changes and the random pairs are made from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the pairs of statements that decided among random pairs into this file, to be read
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
