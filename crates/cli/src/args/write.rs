//! The commands of the memory path that write.

use clap::Args;
use immune_model::{BeliefId, IncidentId, Polarity, Trust};

use super::{DryRun, Named, help};

/// Content arrives from a source
///
/// Claims are those that you state with `--about` and `--claim`; without any, rules look for them
/// in the text, or a model does with `--extractor model`. Text in which none are found is kept as a note, and counted as unscreened. The
/// same content from the same source again is nothing new: you get the same ids.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune remember 'Our new IBAN is DE89370400440532013000' --from ops@acme.example \\
      --channel inbox --tier 0.7
  immune remember --from ledger --channel records --about refund.destination \\
      --claim 'Refunds go to DE89370400440532013000' --ttl 30d
  immune remember 'Alice prefers tea' --from chat --channel inbox --meta user=alice
  immune remember - --from mallory@evil.example --channel inbox < message.txt")]
pub(crate) struct Remember {
    /// The content; `-` reads it from standard input; the claims are the content if it is left out
    #[arg(value_name = "TEXT|-")]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) claims: Claims,
    #[command(flatten)]
    pub(crate) times: ClaimTimes,
    #[command(flatten)]
    pub(crate) extractor: ExtractorArgs,
    /// When its source sent it: a time with a zone
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) sent_at: Option<String>,
    /// What its channel calls it: a Message-ID, a row
    #[arg(long = "id", value_name = "EXTERNAL", hide_short_help = true)]
    pub(crate) external_id: Option<String>,
    #[command(flatten)]
    pub(crate) noted: Noted,
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Who speaks, and where.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// Whose words they are: a handle, id or alias
    #[arg(long, value_name = "HANDLE", required = true)]
    pub(crate) from: String,
    /// The channel they came through; needed for a source that is new or speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// Open the channel with this tier, from 0 to 1; one that exists has to have it
    #[arg(long, value_name = "T", requires = "channel")]
    pub(crate) tier: Option<Trust>,
}

/// The claims, each with its subject.
#[derive(Debug, Args)]
pub(crate) struct Claims {
    /// What the next claim is about: `vendor/acme.iban`
    #[arg(long, value_name = "SUBJECT", action = clap::ArgAction::Append)]
    pub(crate) about: Vec<String>,
    /// What it says about it, for each subject [default: the whole text, for one subject]
    #[arg(long, value_name = "TEXT", action = clap::ArgAction::Append, allow_hyphen_values = true)]
    pub(crate) claim: Vec<String>,
    /// Whether it affirms (+), denies (-) or leaves open (?); read from the words if left out
    #[arg(
        long,
        value_name = "+|-|?",
        action = clap::ArgAction::Append,
        allow_hyphen_values = true,
        hide_short_help = true,
        value_parser = polarity
    )]
    pub(crate) polarity: Vec<Polarity>,
    /// How sure the claims are at most, from 0 to 1: it can only lower what their source is worth
    #[arg(long, value_name = "T", hide_short_help = true)]
    pub(crate) confidence: Option<Trust>,
    /// The claims as JSON: a list of `{"about":…,"claim":…}`; `@FILE` reads a file
    #[arg(long, value_name = "JSON", conflicts_with_all = ["about", "claim"], hide_short_help = true)]
    pub(crate) claims: Option<String>,
}

fn polarity(word: &str) -> Result<Polarity, String> {
    let mut signs = word.chars();
    let sign = signs.next().filter(|_| signs.next().is_none());
    sign.and_then(Polarity::from_sign)
        .ok_or_else(|| "write `+`, `-` or `?`".to_owned())
}

/// Who finds the claims of a text that states none.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExtractorArgs {
    /// Who finds claims: `rules`, or the `model` of `IMMUNE_MODEL_URL` [default:
    /// `IMMUNE_EXTRACTOR`, or `rules`]
    #[arg(long, value_name = "WHO", hide_short_help = true, value_parser = crate::word_of!(ExtractorName))]
    pub(crate) extractor: Option<ExtractorName>,
    /// Where the model fails, stop: leave nothing to the rules
    #[arg(long, hide_short_help = true)]
    pub(crate) extractor_required: bool,
    /// Send so many calls to the model at most, attempts counted [default: any number]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) model_calls: Option<u64>,
}

/// Who finds claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExtractorName {
    /// Deterministic rules.
    Rules,
    /// A model behind an endpoint.
    Model,
}

impl ExtractorName {
    /// Every one.
    pub(crate) const ALL: [Self; 2] = [Self::Rules, Self::Model];

    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model => "model",
        }
    }

    /// The one with this word.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// How long a claim holds.
#[derive(Debug, Default, Args)]
pub(crate) struct ClaimTimes {
    /// Let the claims expire after this long: `30d`, `2h 30m`
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<String>,
    /// When what they say starts to hold
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) valid_from: Option<String>,
    /// When what they say ceases to hold
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) valid_until: Option<String>,
}

/// What is noted about a write, for filtering.
#[derive(Debug, Default, Args)]
pub(crate) struct Noted {
    /// Note something about it, for `recall --filter`; can be repeated
    #[arg(long = "meta", value_name = "KEY=VALUE", hide_short_help = true)]
    pub(crate) entries: Vec<String>,
    /// The same as a JSON object; `@FILE` reads a file
    #[arg(long, value_name = "JSON", hide_short_help = true)]
    pub(crate) metadata: Option<String>,
}

/// The part of the memory, and the run.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The part of the memory [default: the root]
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true,
        hide_short_help = true
    )]
    pub(crate) namespace: String,
    /// The run in which it happens
    #[arg(long, value_name = "ID", hide_short_help = true)]
    pub(crate) run: Option<String>,
}

/// An agent concludes something from what stands
///
/// All premises together have to stand, and the conclusion is trusted no more than the weakest of
/// them. When one of them falls, so does the conclusion.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune derive --from bel_1 --about refund.verified --claim 'The destination is verified'
  immune derive --from bel_1 --from obs_4 --about refund.auto --claim 'Refunds may be automatic' \\
      --agent support-bot
  immune derive --from bel_2 --about lane.today --claim 'Use the west lane' --ttl 1d")]
pub(crate) struct Derive {
    /// A premise: a belief or an observation; repeat it for several
    #[arg(long, value_name = "ITEM", required = true, action = clap::ArgAction::Append, value_delimiter = ',')]
    pub(crate) from: Vec<Named>,
    /// What the conclusion is about
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) about: String,
    /// The conclusion in words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) claim: String,
    /// Whether it affirms (+), denies (-) or leaves open (?); read from the words if left out
    #[arg(long, value_name = "+|-|?", allow_hyphen_values = true, hide_short_help = true, value_parser = polarity)]
    pub(crate) polarity: Option<Polarity>,
    /// How sure it is at most, from 0 to 1: it can only lower what its premises are worth
    #[arg(long, value_name = "T", hide_short_help = true)]
    pub(crate) confidence: Option<Trust>,
    /// The agent that concludes it [default: who asks]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Let it expire after this long: `30d`, `2h 30m`
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<String>,
    /// Leave out what the run was shown: the premises are all it rests on (operators only)
    #[arg(long, requires = "run", hide_short_help = true)]
    pub(crate) narrow: bool,
    /// A belief that fell and whose open tasks this closes
    #[arg(long, value_name = "BELIEF")]
    pub(crate) replaces: Option<Named<BeliefId>>,
    #[command(flatten)]
    pub(crate) noted: Noted,
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Say that what is believed is false
///
/// A system of record for the subject refutes: what disagrees is quarantined, all that was built
/// on it alone falls, executed actions are reversed, and the sources lose reputation, once. From
/// anybody else it opens one review, and nothing changes until a person decides.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune challenge --from ledger --about refund.destination \\
      --claim 'Refunds go to DE89370400440532013000'
  immune challenge --from ledger --about shop.hours --claim 'The shop opens at ten' --dry-run
  immune challenge --from ledger --about shop.hours --claim 'The shop opens at nine' --against bel_7")]
pub(crate) struct Challenge {
    #[command(flatten)]
    pub(crate) source: Source,
    /// What it is about
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) about: String,
    /// What is true instead
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) claim: String,
    /// Whether it affirms (+), denies (-) or leaves open (?); read from the words if left out
    #[arg(long, value_name = "+|-|?", allow_hyphen_values = true, hide_short_help = true, value_parser = polarity)]
    pub(crate) polarity: Option<Polarity>,
    /// The beliefs it is against [default: every active one that disagrees]
    #[arg(long, value_name = "BELIEF", action = clap::ArgAction::Append, value_delimiter = ',')]
    pub(crate) against: Vec<Named<BeliefId>>,
    /// Leave the compensations that it queues to `immune reversals run`
    #[arg(long)]
    pub(crate) no_reversals: bool,
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Close a belief or an observation without refuting it
///
/// Nobody lied and nobody loses reputation; conclusions that rested on it alone become stale.
/// Nothing is deleted: a later statement opens it again.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune forget bel_7
  immune forget obs_3 --dry-run
  immune --as agent:support-bot forget bel_9")]
pub(crate) struct Forget {
    /// A belief or an observation
    #[arg(value_name = "ITEM")]
    pub(crate) item: Named,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Flag a source, an observation or a belief: it is not to be believed
///
/// What rests on nothing else falls, executed actions that relied on it are reversed, and tasks are
/// opened, as for a refutation; nobody loses reputation. A flag of a source covers what it sent,
/// what it concluded, and what it sends from now on. Nothing is deleted: `immune unflag` takes all
/// of it back.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune flag mallory@evil.example --dry-run
  immune flag src_3 --since 2026-08-13T09:00:00Z --reason 'its mailbox was taken over'
  immune flag bel_7 --reason 'a test entry'
  immune flag msh_1")]
pub(crate) struct Flag {
    /// A source, an observation or a belief by id or alias, a source by its handle, or an incident
    /// of the mesh: what its agents wrote since it reached them
    #[arg(value_name = "ITEM|HANDLE")]
    pub(crate) what: String,
    /// The channel of the handle; needed if it speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// Of a source, only what was received since then: a time, or `2h` ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Why, in your words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    /// Leave the compensations that it queues to `immune reversals run`
    #[arg(long)]
    pub(crate) no_reversals: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Take the flags of an item back: they were a mistake
///
/// Every status and strength is as without them: the undo of their incidents, addressed by what was
/// flagged.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune unflag mallory@evil.example
  immune unflag src_3 --dry-run
  immune unflag bel_7 --json")]
pub(crate) struct Unflag {
    /// A source, an observation or a belief by id or alias, or a source by its handle
    #[arg(value_name = "ITEM|HANDLE")]
    pub(crate) what: String,
    /// The channel of the handle; needed if it speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Undo an incident: it was a mistake
///
/// Every status, strength and reputation is as without it: the refutation, what it cost, its
/// tasks and the challenger's statement count as never written. Queued reversals are cancelled;
/// what was compensated already is listed, because the world does not follow by itself.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune reinstate inc_1
  immune reinstate inc_1 --dry-run
  immune list incidents && immune reinstate inc_2 --json")]
pub(crate) struct Reinstate {
    /// The incident
    #[arg(value_name = "INCIDENT")]
    pub(crate) incident: Named<IncidentId>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Run an action only if what it relies on stands
///
/// The decision and the action are written before the effect runs, with what they rely on: that
/// is what lets a later refutation reverse it. The command gets the payload on standard input and
/// `IMMUNE_ACTION_ID` and `IMMUNE_ACTION_KIND` in its environment; its output is passed on, and
/// recorded as the result. Refused: exit code 1, and the command does not run.
///
/// Without a command the action is written only; end it with `--finish`.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune guard --kind refund.payout --payload '4200 to DE89370400440532013000' -- ./pay.sh
  immune guard --kind dispatch --payload @order.json --uses bel_1,bel_2 --agent support-bot -- ./ship
  immune guard --finish act_3 --result 'sent'")]
pub(crate) struct Guard {
    /// What kind of action: `refund.payout`; its rule says what is asked of it
    #[arg(long, value_name = "K", required_unless_present = "finish")]
    pub(crate) kind: Option<String>,
    /// What the effect is given; `-` reads standard input, `@FILE` a file
    #[arg(
        long,
        value_name = "TEXT|@FILE|-",
        required_unless_present = "finish",
        allow_hyphen_values = true
    )]
    pub(crate) payload: Option<String>,
    /// The beliefs it relies on [default: those that carry an account, address or name of the payload]
    #[arg(long, value_name = "BELIEF", action = clap::ArgAction::Append, value_delimiter = ',')]
    pub(crate) uses: Vec<Named<BeliefId>>,
    /// The agent that decides [default: who asks]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Leave out what the run was shown: `--uses` is all it relies on (operators only)
    #[arg(long, requires_all = ["run", "uses"], hide_short_help = true)]
    pub(crate) narrow: bool,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Record how the effect of an action ended
    #[arg(long, value_name = "ACTION", conflicts_with_all = ["kind", "payload", "uses", "agent", "command"])]
    pub(crate) finish: Option<Named<immune_model::ActionId>>,
    /// What it returned
    #[arg(
        long,
        value_name = "TEXT",
        requires = "finish",
        conflicts_with = "failed",
        allow_hyphen_values = true
    )]
    pub(crate) result: Option<String>,
    /// Why it did not end well
    #[arg(
        long,
        value_name = "TEXT",
        requires = "finish",
        allow_hyphen_values = true
    )]
    pub(crate) failed: Option<String>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
    /// The effect: a command and its arguments
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<std::ffi::OsString>,
}
