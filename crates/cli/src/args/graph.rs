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

/// Write the whole memory, log and keys, as one stream
///
/// Who has the stream has all that the memory knows: keep it like the store. `immune import` takes
/// it up elsewhere, with the same head.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune export support.immune
  immune --memory support export - | gzip > support.immune.gz
  immune export support.immune --json")]
pub(crate) struct Export {
    /// The new file; `-` writes to standard output
    #[arg(value_name = "PATH|-", default_value = "-")]
    pub(crate) path: String,
}

/// Take up a memory that was exported, into one that is empty
///
/// Every entry is checked against its hash and replayed; a stream that is cut off or altered is
/// refused, and nothing of it is kept. Without `--memory` it gets the name that it had.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune import support.immune
  immune import support.immune --memory copy
  immune import - < support.immune")]
pub(crate) struct Import {
    /// The file; `-` reads standard input
    #[arg(value_name = "PATH|-")]
    pub(crate) path: String,
}

/// Copy the store while it is in use
///
/// The copy is the store as it was at one moment, with every memory in it; others read and write
/// on meanwhile. It is verified before this says that it is done.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune backup backup.db
  immune backup backup.db --json
  immune backup backup.db && immune --store backup.db verify")]
pub(crate) struct Backup {
    /// The new file
    #[arg(value_name = "PATH")]
    pub(crate) path: std::path::PathBuf,
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
