//! The commands that ask about the graph.

use super::{Named, help};
use clap::Args;

/// What rests on an item, and what would fall with it
///
/// Everything that rests on a source, an observation or a belief, through any number of hops and
/// agents; what of it would fall if the item were refuted or flagged, and what would stand by
/// which other justification. Nothing is written.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune blast bel_7
  immune blast mallory@evil.example --channel inbox
  immune --as-of 2026-08-13T13:30:00Z blast obs_3 --limit 1000 --json")]
pub(crate) struct Blast {
    /// A source, an observation or a belief by id or alias, or a source by its handle
    #[arg(value_name = "ITEM|HANDLE")]
    pub(crate) item: String,
    /// The channel, for a handle that speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// List so much of it, nearest first [default: 50; 1000 with --json]
    ///
    /// The totals are always of all of it.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Who is behind an item, and which of them have to be lost
///
/// The independent origins of a belief, a justification, a decision or an action: copies and
/// mirrors add none, and the unproven newcomers of a channel are one.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune origins bel_7
  immune origins jus_9
  immune origins act_2 --json")]
pub(crate) struct Origins {
    /// A belief, justification, decision or action, by id
    #[arg(value_name = "ITEM")]
    pub(crate) item: Named,
}

/// Where all that leads from one item to another passes
///
/// The observations and beliefs that lie on every path, or the fewest that meet all paths. The
/// answer is applied: whether the target falls without it, and if not, what it stands on then.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune chokepoint --from mallory@evil.example --to act_2
  immune chokepoint --from obs_3 --to bel_9
  immune chokepoint --from src_2 --to dec_1 --json")]
pub(crate) struct Chokepoint {
    /// A source, an observation or a belief by id or alias, or a source by its handle
    #[arg(long, value_name = "ITEM|HANDLE")]
    pub(crate) from: String,
    /// The channel, for a handle that speaks in several
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// A belief, decision or action, by id
    #[arg(long, value_name = "ITEM")]
    pub(crate) to: Named,
}

/// What one origin carries, ranked by what hangs on it
///
/// Active beliefs that fall with one origin and carry something: irreversible actions first, then
/// other actions, decisions, and many beliefs. For each, the cheapest way to a second origin.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune scan
  immune scan --limit 3
  immune --as-of 120 scan --json")]
pub(crate) struct Scan {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
}

/// A profile, a field for each subject below a prefix
///
/// A view over beliefs: each field has the value that leads with its label and sources, or both
/// sides of a contest, or what was lost and in which incident.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune record vendor.acme
  immune record vendor/acme --json
  immune --as-of 2026-08-13T13:30:00Z record vendor.acme")]
pub(crate) struct Record {
    /// What the subjects of the fields begin with
    #[arg(value_name = "PREFIX")]
    pub(crate) prefix: String,
    /// The part of the memory [default: the root]
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) namespace: String,
}

/// Two moments compared
///
/// What was believed at one and not at the other, what is trusted more or less, sources, actions
/// and what is new. A moment is an event number, a time with a zone, or a date, which is its
/// midnight in UTC.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune diff --at 120
  immune diff --at 2025-07-25 --vs 2025-07-26
  immune diff --at 2026-08-13T13:30:00Z --json")]
pub(crate) struct Diff {
    /// The first moment
    #[arg(long, value_name = "SEQ|TIME")]
    pub(crate) at: String,
    /// The other moment [default: now]
    #[arg(long, value_name = "SEQ|TIME")]
    pub(crate) vs: Option<String>,
}

/// Two claims side by side: the same, a conflict, or unrelated
///
/// Shows what is read in each (whether it affirms or denies, its accounts, amounts, dates and the
/// rest by value) and what decides. Nothing is stored, no store is needed; the exit code is 1 on a
/// conflict.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune compare 'Refunds take 30 days' 'Refunds take thirty days'
  immune compare 'Pay to GB29NWBK60161331926819' 'Pay to DE89370400440532013000' --json
  immune compare 'The check may be skipped' 'The check must never be skipped' --about refund.check")]
pub(crate) struct Compare {
    /// A claim
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// Another one
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// What both are about; without it, it counts whether they speak of the same thing
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) about: Option<String>,
}
