//! Graph exchange, and moving whole memories.

use clap::{Args, Subcommand};

use super::{DryRun, help};

/// Import a graph, see what stands in it, export one
///
/// A graph is one JSON object a line: sources, observations, beliefs, justifications, decisions,
/// actions and flags, each under an alias that every command accepts like an id.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune graph import graph.jsonl
  immune graph status --json
  immune graph export - > graph.jsonl")]
pub(crate) struct Graph {
    #[command(subcommand)]
    pub(crate) command: GraphCommand,
}

/// What can be done with graphs.
#[derive(Debug, Subcommand)]
pub(crate) enum GraphCommand {
    /// Take up a graph: all of it, or nothing
    Import(ImportGraph),
    /// Write the memory as a graph, and name what a graph cannot say
    Export(ExportGraph),
    /// The status, strength and corroboration of everything
    Status,
}

/// A graph to take up.
#[derive(Debug, Args)]
pub(crate) struct ImportGraph {
    /// The file; `-` reads standard input
    #[arg(value_name = "PATH|-")]
    pub(crate) path: String,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Where a graph is written.
#[derive(Debug, Args)]
pub(crate) struct ExportGraph {
    /// The file, which is replaced; `-` writes to standard output
    #[arg(value_name = "PATH|-", default_value = "-")]
    pub(crate) path: String,
    /// Exit with 1 if the memory holds what a graph cannot say
    #[arg(long)]
    pub(crate) strict: bool,
}
