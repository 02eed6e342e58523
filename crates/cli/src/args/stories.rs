//! The commands that tell a story: the demo, and the demo twice.

use std::path::PathBuf;

use clap::Args;

use super::help;

/// Tell the story of a lie and how the memory heals, on the real engine
///
/// Five acts on a store of its own, with payments in a ledger file. It ends with assertions that
/// are read back from the engine and from that file; the exit code is 1 if one does not hold.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune demo
  immune demo --json
  immune demo --keep ./story && immune --store ./story/demo.immune --memory demo list beliefs")]
pub(crate) struct Demo {
    /// Keep the store and the ledger in this folder, which has to be empty or absent
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,
}

/// Tell the demo twice and compare, byte for byte
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune rehearse
  immune rehearse --json
  immune rehearse --quiet")]
pub(crate) struct Rehearse {}
