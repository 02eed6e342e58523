//! The benches.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use immune_bench::LaunderMode;

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
    Launder(BenchLaunder),
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

/// A lie that goes through the hands of agents: how often it is what the memory answers
///
/// Chains of 1 to 10 hops through three channels, each hop with what it rests on declared or not:
/// ours beside a defence that looks at the content and one that looks at declared lineage. With
/// `--mode compat` the published update, which rates a hop by its writer or by what it declares.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune bench launder
  immune bench launder --mode compat --json
  immune bench launder --out bench/results/launder.json")]
pub(crate) struct BenchLaunder {
    /// Whose engine: compat is the published update, default ours beside its peers
    #[arg(long, value_name = "MODE", default_value = "default", value_parser = launder_mode)]
    pub(crate) mode: LaunderMode,
    /// What mixed chains are drawn from
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seed: u64,
    /// Write the results into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

fn launder_mode(word: &str) -> Result<LaunderMode, String> {
    LaunderMode::from_name(word).ok_or_else(|| "write `compat` or `default`".to_owned())
}
