//! The command that tells what runs were shown.

use clap::{Args, Subcommand};

use super::{DryRun, Named, help};

/// What runs were shown, and what they wrote with that before their eyes
///
/// A read that names a run is written down. Whatever the run writes from then on is trusted no
/// further than the weakest of what it was shown, whether it says where its words are from or not.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune runs
  immune runs show run_3
  immune runs start run_4 --parent run_3")]
pub(crate) struct Runs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
}

/// What can be done with runs.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Every run that was shown something
    List,
    /// What one run was shown, and what it wrote
    Show(ShowRun),
    /// A run starts another one, which begins with what it is handed
    Start(StartRun),
}

/// A run.
#[derive(Debug, Args)]
pub(crate) struct ShowRun {
    /// Which run
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// At most so many of each list
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// A run that another one starts.
#[derive(Debug, Args)]
pub(crate) struct StartRun {
    /// The run that is started
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The run that starts it, and hands over what it was shown so far
    #[arg(long, value_name = "RUN", required = true)]
    pub(crate) parent: String,
    /// Hand over these beliefs and observations only (operators only)
    #[arg(long, value_name = "ITEM", action = clap::ArgAction::Append, value_delimiter = ',')]
    pub(crate) items: Vec<Named>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
