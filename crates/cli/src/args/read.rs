//! The commands that ask.

use clap::{Args, ValueEnum};
use immune_model::{IncidentId, Trust};

use super::{Named, help};

/// What may be believed about a question, and what was left out
///
/// Only what is active and trusted enough is searched; the text of the rest is not shown, its id
/// and the reason are.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune recall 'where do refunds go?'
  immune recall --about refund.destination --require
  immune recall 'opening hours' --floor 0.3 --limit 3 --json
  immune recall 'refunds' --filter '{\"user\":\"alice\",\"age\":{\"$gte\":18}}'
  immune recall 'refunds' --recency 30d
  immune recall 'refunds' --budget 500")]
pub(crate) struct Recall {
    /// The question in words; everything, or everything about a subject, if it is left out
    #[arg(value_name = "QUERY")]
    pub(crate) query: Option<String>,
    /// Only beliefs about this subject
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) about: Option<String>,
    /// The least strength, above 0
    #[arg(long, value_name = "T", default_value = "0.5")]
    pub(crate) floor: Trust,
    /// At most so many facts, and so many notes
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// The part of the memory [default: the root]
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) namespace: String,
    /// Also the parts below it: `team/alice` with `team`
    #[arg(long, hide_short_help = true)]
    pub(crate) below: bool,
    /// Only what something is noted about that passes: JSON, with `$eq $ne $gt $gte $lt $lte $in $and $or`
    #[arg(long, value_name = "JSON", hide_short_help = true)]
    pub(crate) filter: Option<String>,
    /// Go on with an answer: the `next` of the page before
    #[arg(long, value_name = "PAGE", hide_short_help = true)]
    pub(crate) after: Option<String>,
    /// Print a block for a prompt that takes about so many tokens at most
    #[arg(
        long,
        value_name = "TOKENS",
        conflicts_with = "after",
        hide_short_help = true
    )]
    pub(crate) budget: Option<usize>,
    /// Only claims that hold at this time, as far as they say when
    #[arg(long, value_name = "TIME")]
    pub(crate) valid_at: Option<String>,
    /// Rank what was said lately higher: how fresh it is halves in this time, as `12h` or `30d`
    #[arg(long, value_name = "SPAN", requires = "query", hide_short_help = true)]
    pub(crate) recency: Option<String>,
    /// Exit with 1 if no fact answers
    #[arg(long)]
    pub(crate) require: bool,
    /// The run that is shown the answer: it caps what the run writes from then on
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
}

/// Why an item is what it is, and what was built on it
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune explain bel_7
  immune explain inc_1
  immune explain src_3 --json")]
pub(crate) struct Explain {
    /// A belief, observation, source, channel, decision, action, rule, incident, review, task or attribution
    #[arg(value_name = "ITEM")]
    pub(crate) item: Named,
    /// The run that is shown it: it caps what the run writes from then on
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
    /// How an observation was screened when it was written; folds the log up to there
    #[arg(long)]
    pub(crate) screening: bool,
}

/// What was refuted or flagged, and all that followed
///
/// With an id: what opened the incident, what fell, what survives and by what, what was reversed,
/// whose reputation moved, what is to be derived again, and what is merely tainted.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune incidents
  immune incidents inc_1
  immune incidents inc_1 --json")]
pub(crate) struct Incidents {
    /// The incident; every one, in a line each, if it is left out
    #[arg(value_name = "INCIDENT")]
    pub(crate) incident: Option<Named<IncidentId>>,
}

/// What has fallen and waits to be derived again
///
/// Each task comes with the old claim, what of it stands, what took the place of the rest, and the
/// command that derives it again.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune tasks
  immune tasks --all
  immune tasks --json")]
pub(crate) struct Tasks {
    /// Those that were done or cancelled too
    #[arg(long)]
    pub(crate) all: bool,
}

/// Every event and transition of an item, in order
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune history bel_7
  immune history act_2
  immune history src_3 --json")]
pub(crate) struct History {
    /// Any item, by id or alias
    #[arg(value_name = "ITEM")]
    pub(crate) item: Named,
}

/// What there is, in pages
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune list beliefs --status quarantined
  immune list observations --source mallory@evil.example --limit 20
  immune list unscreened --after obs_120")]
pub(crate) struct List {
    /// What to list
    #[arg(value_name = "WHAT")]
    pub(crate) what: Listed,
    /// Only items of this status
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Only items about this subject
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) subject: Option<String>,
    /// Only items from, or resting on a statement of, the source with this handle or id
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// Items of one page
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Begin after this item
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<Named>,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// What is believed or was.
    Beliefs,
    /// What arrived.
    Observations,
    /// What arrived without a claim that was found.
    Unscreened,
    /// Who speaks.
    Sources,
    /// How content arrives.
    Channels,
    /// What agents concluded to do.
    Decisions,
    /// What was run, or refused.
    Actions,
    /// What was refuted, and all it changed.
    Incidents,
    /// Questions for a person.
    Reviews,
    /// Conclusions to derive again.
    Tasks,
    /// What is asked of actions.
    Rules,
    /// Which memories made an answer wrong.
    Attributions,
}

impl Listed {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Beliefs => "beliefs",
            Self::Observations => "observations",
            Self::Unscreened => "unscreened",
            Self::Sources => "sources",
            Self::Channels => "channels",
            Self::Decisions => "decisions",
            Self::Actions => "actions",
            Self::Incidents => "incidents",
            Self::Reviews => "reviews",
            Self::Tasks => "tasks",
            Self::Rules => "rules",
            Self::Attributions => "attributions",
        }
    }
}

/// The change stream: one line for each transition
///
/// Each line carries a token; `--resume` goes on after it, and nothing is announced twice.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune watch --once
  immune watch --since 2h --follow
  immune watch --resume 12.0 --follow --json")]
pub(crate) struct Watch {
    /// Begin at a time, so many seconds or `2h` ago, or after a token
    #[arg(long, value_name = "TIME|SECONDS|TOKEN", conflicts_with = "resume")]
    pub(crate) since: Option<String>,
    /// Go on after this token
    #[arg(long, value_name = "TOKEN")]
    pub(crate) resume: Option<String>,
    /// Wait for more
    #[arg(long, conflicts_with = "once")]
    pub(crate) follow: bool,
    /// Print what there is and end; so it is without `--follow`
    #[arg(long)]
    pub(crate) once: bool,
    /// End after so many transitions
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}
