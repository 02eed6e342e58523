//! The commands of an operator: channels, sources, areas, rules, and the reversals that are due.

use clap::{Args, Subcommand};
use immune_model::{ActionClass, SourceKind, Trust, UnknownPolicy};

use super::{DryRun, help};

/// How content arrives, and how far it is trusted at most
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune channels
  immune channels show inbox
  immune channels set inbox --tier 0.7
  immune channels set records --tier 0.98 --authored")]
pub(crate) struct Channels {
    #[command(subcommand)]
    pub(crate) command: Option<ChannelsCommand>,
}

/// What can be done with channels.
#[derive(Debug, Subcommand)]
pub(crate) enum ChannelsCommand {
    /// Every channel with its tier
    List,
    /// One channel: its tier, and what a newcomer of it is worth in each area
    Show(ShowChannel),
    /// Open a channel, or change it
    Set(SetChannel),
}

/// A channel to show.
#[derive(Debug, Args)]
pub(crate) struct ShowChannel {
    /// Its name or id
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// A channel with its tier.
#[derive(Debug, Args)]
pub(crate) struct SetChannel {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The most that anything there is ever trusted, from 0 to 1 [default: as it is]
    #[arg(long, value_name = "T")]
    pub(crate) tier: Option<Trust>,
    /// Nothing that agents here can write arrives through it
    #[arg(long, conflicts_with = "relays")]
    pub(crate) authored: bool,
    /// It may carry what agents here wrote
    #[arg(long)]
    pub(crate) relays: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Who speaks; declare one, name a system of record
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune sources show mallory@evil.example
  immune sources declare ops@acme.example --channel inbox
  immune sources record ledger --channel records --area 'refund.*'")]
pub(crate) struct Sources {
    #[command(subcommand)]
    pub(crate) command: Option<SourcesCommand>,
}

/// What can be done with sources.
#[derive(Debug, Subcommand)]
pub(crate) enum SourcesCommand {
    /// Every source with its reputation
    List,
    /// One source: its reputation, and what moved it
    Show(ShowSource),
    /// Say that a source is known to you: it is no newcomer any more
    Declare(DeclareSource),
    /// Name a system of record for an area
    Record(NameRecord),
    /// Say whether a source copies another: if it does, the two are one origin
    Mirror(SetMirror),
}

/// A source to show.
#[derive(Debug, Args)]
pub(crate) struct ShowSource {
    /// Its handle, id or alias; with `--channel`, its handle in there
    #[arg(value_name = "HANDLE")]
    pub(crate) handle: String,
    /// The channel, for a handle that speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
}

/// A source to declare.
#[derive(Debug, Args)]
pub(crate) struct DeclareSource {
    /// Its handle
    #[arg(value_name = "HANDLE")]
    pub(crate) handle: String,
    /// The channel in which it speaks
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: String,
    /// What kind of identity
    #[arg(long, value_name = "KIND", value_parser = crate::word_of!(SourceKind))]
    pub(crate) kind: Option<SourceKind>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// A system of record.
#[derive(Debug, Args)]
pub(crate) struct NameRecord {
    /// Its handle, id or alias; with `--channel`, its handle in there
    #[arg(value_name = "HANDLE")]
    pub(crate) handle: String,
    /// The channel in which it speaks; it has to be authored
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// The subjects that it speaks for: `refund.*`, one subject, or `*`
    #[arg(long, value_name = "AREA")]
    pub(crate) area: String,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// A source that copies another.
#[derive(Debug, Args)]
pub(crate) struct SetMirror {
    /// The source that copies: its handle, id or alias
    #[arg(value_name = "HANDLE")]
    pub(crate) handle: String,
    /// The channel, for a handle that speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// The source that it copies: its handle, id or alias
    #[arg(long, value_name = "HANDLE")]
    pub(crate) of: String,
    /// The channel of that one, if its handle speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) of_channel: Option<String>,
    /// It does not copy it any more
    #[arg(long)]
    pub(crate) withdraw: bool,
    /// Neither copies the other: what was inferred is taken back, and not inferred again
    #[arg(long, conflicts_with = "withdraw")]
    pub(crate) independent: bool,
    /// Take `--independent` back: that they copy may be inferred again
    #[arg(long, conflicts_with_all = ["withdraw", "independent"])]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// How fast what is stated in an area loses weight
///
/// A half-life acts on weights only, as of the time asked: which of two values leads, and when all
/// that speaks for a value has faded. It moves no status and no strength.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune areas
  immune areas set 'price.*' --half-life 30d
  immune areas set 'price.*' --keep")]
pub(crate) struct Areas {
    #[command(subcommand)]
    pub(crate) command: Option<AreasCommand>,
}

/// What can be done with areas.
#[derive(Debug, Subcommand)]
pub(crate) enum AreasCommand {
    /// Every area with a half-life
    List,
    /// Set the half-life of an area, or take it back
    Set(SetArea),
}

/// An area with its half-life.
#[derive(Debug, Args)]
pub(crate) struct SetArea {
    /// The subjects: `price.*`, one subject, or `*`; of several that cover one the narrowest decides
    #[arg(value_name = "AREA")]
    pub(crate) area: String,
    /// After this long a statement weighs half: `30d`, `12h`
    #[arg(long, value_name = "DURATION", required_unless_present = "keep")]
    pub(crate) half_life: Option<String>,
    /// What is stated there keeps its weight
    #[arg(long, conflicts_with = "half_life")]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Whose vectors recall goes by, with all of them made anew
///
/// Recall goes by words, and by meaning where vectors are at hand. Those of the model in this program need
/// no asking; another model is taken once all texts have its vectors, and the memory answers as before
/// until then. `endpoint` sends every text to the one of `IMMUNE_EMBED_URL`. Set `IMMUNE_EMBEDDER`
/// to the same word for the commands that follow.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune reindex
  immune reindex --dry-run
  immune reindex --embedder words
  immune reindex --list
  IMMUNE_EMBED_URL=http://127.0.0.1:11434/v1 IMMUNE_EMBED_NAME=nomic-embed-text \\
      immune reindex --embedder endpoint")]
pub(crate) struct Reindex {
    /// Who makes vectors: `bundled`, `words` for nobody, `endpoint`, or `folder:PATH` [default:
    /// `IMMUNE_EMBEDDER`, or `bundled`]
    #[arg(long, value_name = "WHO")]
    pub(crate) embedder: Option<String>,
    /// List the texts without vectors, waiting or failed, and change nothing
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// How near is near in meaning, read off the texts of the memory
///
/// Compares the beginnings of texts with texts about other subjects, and takes the cosine that one
/// of a hundred such pairs reaches. At least 50 texts are needed.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune calibrate --dry-run
  immune calibrate
  immune calibrate --json")]
pub(crate) struct Calibrate {
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// What is asked of an action before it runs
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune rules
  immune rules set refund.payout --class compensable --unknown warn --compensation '/opt/pay/undo'
  immune rules set wire.send --class irreversible --waiver wire.skip_check --bar record
  immune rules set invoice.pay --class compensable --min-origins 2")]
pub(crate) struct Rules {
    #[command(subcommand)]
    pub(crate) command: Option<RulesCommand>,
}

/// What can be done with rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Every rule
    List,
    /// Set the rule for a kind of action, in place of the one it has
    Set(SetRule),
}

/// The rule for a kind of action.
#[derive(Debug, Args)]
pub(crate) struct SetRule {
    /// The kind of action
    #[arg(value_name = "KIND")]
    pub(crate) kind: String,
    /// What can be done about such an action later
    #[arg(long, value_name = "CLASS", value_parser = crate::word_of!(ActionClass))]
    pub(crate) class: ActionClass,
    /// What to do when no record confirms a used belief
    ///
    /// Without it: `block` for irreversible actions, `warn` for the others.
    #[arg(long, value_name = "POLICY", value_parser = crate::word_of!(UnknownPolicy))]
    pub(crate) unknown: Option<UnknownPolicy>,
    /// The subject of the belief that may waive the check
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) waiver: Option<String>,
    /// What the waiver has to reach: `record`, or a strength that you lower it to
    #[arg(
        long,
        value_name = "record|T",
        requires = "waiver",
        default_value = "record"
    )]
    pub(crate) bar: String,
    /// How many independent origins have to be lost before any belief that it relies on falls
    ///
    /// An action that relies on a belief with less corroboration is refused.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_origins: u32,
    /// The command that compensates, for `sh -c`; it gets the request as JSON on standard input
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    pub(crate) compensation: Option<String>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Run the compensations that are due
///
/// Each runs at least once, with the id of the action in `IMMUNE_ACTION_ID` as its idempotency
/// key. One that fails is tried again later, at most five times.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune reversals
  immune reversals run
  immune reversals run --json")]
pub(crate) struct Reversals {
    #[command(subcommand)]
    pub(crate) command: Option<ReversalsCommand>,
}

/// What can be done with reversals.
#[derive(Debug, Subcommand)]
pub(crate) enum ReversalsCommand {
    /// What is due, what waits, and what failed
    List,
    /// Run what is due
    Run,
}
