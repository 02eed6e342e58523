//! The commands that bring data in, and those that look after the store.

use std::path::PathBuf;

use clap::Args;
use immune_engine::reason::screen::StatementOutcome;
use immune_ingest::Format;
use immune_model::Trust;

use super::{DryRun, ExtractorArgs, help};

/// Read a mailbox, a table or JSON lines
///
/// An mbox file, a Maildir, one .eml, a CSV with a header, or one JSON object a line. Running it
/// again adds nothing: a message is known by its id or its content. A message that cannot be read
/// is named by its position and skipped.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune ingest mail.mbox --channel inbox --tier 0.7
  immune ingest export.csv --channel inbox --column body=payload --column sender=author
  immune ingest facts.jsonl --channel scraper --tier 0.4 --json")]
pub(crate) struct Ingest {
    /// The file or folder
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// The channel that the messages came through
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: String,
    /// Open the channel with this tier, from 0 to 1; one that exists has to have it
    #[arg(long, value_name = "T")]
    pub(crate) tier: Option<Trust>,
    /// What the path holds [default: found out]
    #[arg(long, value_name = "FORMAT", value_parser = crate::word_of!(Format))]
    pub(crate) format: Option<Format>,
    /// Which column holds what: `body=payload`; repeat it
    #[arg(long, value_name = "COLUMN=NAME", action = clap::ArgAction::Append)]
    pub(crate) column: Vec<String>,
    /// The part of the memory [default: the root]
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) namespace: String,
    /// The run that reads them
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// How sure all of it is at most, from 0 to 1: it can only lower what a source is worth
    #[arg(long, value_name = "T")]
    pub(crate) confidence: Option<Trust>,
    #[command(flatten)]
    pub(crate) extractor: ExtractorArgs,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// What would become of a text: claims, conflicts, strength, verdict; nothing is written
///
/// The report that `remember` and `ingest` give, from the same code, for a text that stays outside.
/// With JSON lines each message is screened after those before it, as `ingest` would take them up;
/// a line may name its `sender` and state its `claims`. Who is asking and through which channel it
/// came is said here: nothing in the text changes that.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune screen 'Our new IBAN is DE89370400440532013000' --from ops@acme.example --channel inbox
  immune screen --file message.txt --from ops@acme.example --channel inbox --json
  immune screen - --lines --channel inbox --fail-on contested,blocked < batch.jsonl")]
pub(crate) struct Screen {
    /// The text; `-` reads it from standard input
    #[arg(value_name = "TEXT|-", required_unless_present_any = ["file", "claim", "claims", "lines"])]
    pub(crate) text: Option<String>,
    /// Read it from a file; JSON lines if it is called `.jsonl` or `.ndjson`
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub(crate) file: Option<PathBuf>,
    /// Read JSON lines: one message a line, as `ingest` does
    #[arg(long)]
    pub(crate) lines: bool,
    /// Whose words they are: a handle, id or alias; of lines, those that name no sender
    #[arg(long, value_name = "HANDLE")]
    pub(crate) from: Option<String>,
    /// The channel they came through; needed for a source that is new or speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// The tier that a channel would have that is not open yet, from 0 to 1
    #[arg(long, value_name = "T", requires = "channel")]
    pub(crate) tier: Option<Trust>,
    #[command(flatten)]
    pub(crate) claims: super::Claims,
    #[command(flatten)]
    pub(crate) extractor: ExtractorArgs,
    #[command(flatten)]
    pub(crate) place: super::Place,
    /// Exit with 1 if a message or a claim has one of these verdicts, or a line could not be screened
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', action = clap::ArgAction::Append, value_parser = crate::word_of!(StatementOutcome))]
    pub(crate) fail_on: Vec<StatementOutcome>,
}

/// Read the whole log, replay it, and compare it with what is stored
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune verify
  immune verify --memory support --json
  immune --store backup.db verify")]
pub(crate) struct Verify {}

/// Check the installation, with one fix for each finding
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune doctor
  immune doctor --model --json
  immune --store other.db doctor")]
pub(crate) struct Doctor {
    /// Ask the model of `IMMUNE_MODEL_URL` to read a sentence, too
    #[arg(long)]
    pub(crate) model: bool,
}

/// Print the completions for a shell
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune completions bash > ~/.local/share/bash-completion/completions/immune
  immune completions zsh > ~/.zfunc/_immune
  immune completions fish > ~/.config/fish/completions/immune.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the man pages into a folder
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune man ~/.local/share/man/man1
  immune man ./man
  immune man ./man && man ./man/immune-recall.1")]
pub(crate) struct Man {
    /// The folder; it is made if it is not there
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// The version of the program and of the log that it writes
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune version
  immune version --json
  immune --version")]
pub(crate) struct Version {}
