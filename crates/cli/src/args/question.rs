//! The commands that ask about the graph: what rests on what, and who is behind it.

use clap::Args;
use immune_engine::When;

use super::{Named, help};

/// What rests on an item, with its hops, and what would fall with it
///
/// Every observation, belief, decision and action that a source, observation or belief is part of,
/// nearest first: each edge of provenance is a hop. Nothing is changed; `immune flag --dry-run`
/// shows the whole response.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune blast obs_2
  immune blast mallory@evil.example
  immune blast bel_7 --limit 1000 --json")]
pub(crate) struct Blast {
    /// A source by id or handle, an observation or a belief
    #[arg(value_name = "ITEM|HANDLE")]
    pub(crate) item: String,
    /// Items that are listed; all are counted
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) limit: usize,
}

/// Who is behind an item, and how many of them have to be lost before it falls
///
/// Copies count once, however many names they have. Of a belief each justification is told apart,
/// of a decision or action each belief that it relied on.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune origins bel_7
  immune origins act_2
  immune origins jus_9 --json")]
pub(crate) struct Origins {
    /// A belief, justification, decision or action
    #[arg(value_name = "ITEM")]
    pub(crate) item: Named,
}

/// Where all that leads from one item to another passes
///
/// The memories that lie on every path; where there is none, the fewest that meet every path. What
/// is named is applied to see whether the target falls without it.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune chokepoint obs_2 act_1
  immune chokepoint src_3 dec_4
  immune chokepoint bel_1 bel_9 --json")]
pub(crate) struct Chokepoint {
    /// A source, observation or belief
    #[arg(value_name = "FROM")]
    pub(crate) from: Named,
    /// A belief, decision or action
    #[arg(value_name = "TO")]
    pub(crate) to: Named,
}

/// What falls with one origin, ranked by what hangs on it, and the cheapest way to harden it
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune scan
  immune scan --limit 5
  immune scan --json")]
pub(crate) struct Scan {
    /// Beliefs that are listed
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

/// Two moments of the memory compared
///
/// What was believed at one and not at the other, and the reverse; sources and actions that moved.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune diff --at 12
  immune diff --at 2026-08-13T13:30:00Z --vs 2026-08-14T00:00:00Z
  immune diff --at 12 --vs 40 --json")]
pub(crate) struct Diff {
    /// The first moment: a place in the log or a time
    #[arg(long, value_name = "SEQ|TIME")]
    pub(crate) at: When,
    /// The other one; now if it is left out
    #[arg(long, value_name = "SEQ|TIME")]
    pub(crate) vs: Option<When>,
}

/// A profile: the fields below a prefix, each with the value that leads
///
/// Each field is a belief of its own, so that one that fell takes no other with it.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune record vendor.acme
  immune record vendor.acme --as-of 2026-08-13T13:30:00Z
  immune record vendor.acme --json")]
pub(crate) struct Record {
    /// What the subjects of the fields begin with
    #[arg(value_name = "PREFIX")]
    pub(crate) prefix: String,
    /// The part of the memory
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) namespace: String,
}
