//! The commands of the mesh: what a model is about to be shown, what it said, and what followed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use immune_engine::Judgement;
use immune_model::{AntibodyId, MeshIncidentId, Trust};

use super::{DryRun, Named, help};

/// Text that copies itself from agent to agent: found, stopped, remembered
///
/// Before a model is called, `screen` tells whether it may be; after it, `observe` tells whether what
/// it said may be delivered. What is found is in the log of the memory, so that every process on the
/// store blocks it.
#[derive(Debug, Args)]
#[command(
    help_template = help::COMMAND,
    subcommand_required = true,
    arg_required_else_help = true,
    before_long_help = "\
Examples:
  immune mesh screen < calls.jsonl
  immune mesh observe --fail-on confirmed < exchanges.jsonl
  immune mesh status
  immune mesh show msh_1")]
pub(crate) struct Mesh {
    #[command(subcommand)]
    pub(crate) command: MeshCommand,
}

/// What can be done with the mesh.
#[derive(Debug, Subcommand)]
pub(crate) enum MeshCommand {
    Screen(MeshLines),
    Observe(MeshObserve),
    /// Who is quarantined, and how much is remembered
    Status,
    /// Every incident of the mesh, the latest last
    Incidents(MeshIncidents),
    /// One incident: its path, what its agents wrote since, and the command that heals
    Show(ShowMeshIncident),
    /// What is remembered of payloads
    Antibodies(Antibodies),
    Habit(MeshHabit),
    /// An agent that is quarantined is heard again
    Release(ReleaseAgent),
    /// An incident was none: its antibodies go, its agents are heard again
    Retract(RetractMeshIncident),
}

/// Calls of models, a line of JSON each; a verdict is a line of JSON, in the same order
///
/// A line for `screen` has `messages`, one for `observe` has `input`, `output` and `tool_calls`;
/// both have `agent`, and may have `identity` and `at`. A message has a `role` or an `origin`, a
/// `content`, and a `purpose`: `task` if the agent works on that very text, else `found`. `screen` answers a `call` and a `canary`: append the sentence to the system message,
/// and hand the call to `observe`. What gets no verdict must not be delivered.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune mesh screen < calls.jsonl
  echo '{\"agent\":\"ann\",\"messages\":[{\"role\":\"tool\",\"content\":\"...\"}]}' | immune mesh screen")]
pub(crate) struct MeshLines {
    /// A file of JSON lines, or `-` for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// End with 1 where a verdict is one of these, separated by commas
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', value_parser = verdict())]
    pub(crate) fail_on: Vec<Judgement>,
    /// Stop at the first line that cannot be judged; else it is answered by an error, and the next
    /// one is read
    #[arg(long)]
    pub(crate) fail_fast: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// What models said, a line of JSON each; a verdict is a line of JSON, in the same order
///
/// A line is as for `screen`, with `input` in place of `messages`, and with `output`, `tool_calls`
/// and the `call` that `screen` answered. What is confirmed must not be delivered: the `notice` of
/// the answer stands in its place. What gets no verdict must not be delivered either.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune mesh observe --fail-on confirmed < exchanges.jsonl
  immune --as agent:ann mesh observe exchanges.jsonl --fail-on confirmed,advisory
  IMMUNE_EMBEDDER=folder:all-MiniLM-L6-v2 immune mesh observe --meaning < exchanges.jsonl")]
pub(crate) struct MeshObserve {
    #[command(flatten)]
    pub(crate) lines: MeshLines,
    #[command(flatten)]
    pub(crate) meaning: ByMeaning,
}

/// Whether outputs are compared by meaning too.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ByMeaning {
    /// Tell too of an output that says in other words what came along, by the vectors of the
    /// embedder
    #[arg(long)]
    pub(crate) meaning: bool,
    /// From this margin on: twice the cosine, less what both sides are near to anyway; without it,
    /// from the one that was measured for the embedder
    #[arg(long, value_name = "MARGIN", requires = "meaning")]
    pub(crate) near: Option<Trust>,
}

/// The verdicts that say something.
const VERDICTS: [Judgement; 4] = [
    Judgement::Advisory,
    Judgement::BlockedAntibody,
    Judgement::BlockedQuarantined,
    Judgement::Confirmed,
];

fn verdict() -> impl clap::builder::TypedValueParser<Value = Judgement> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(VERDICTS.map(Judgement::name)).map(|word| {
        let found = VERDICTS.into_iter().find(|it| it.name() == word);
        found.expect("it is one of the possible values")
    })
}

/// The latest incidents.
#[derive(Debug, Args)]
pub(crate) struct MeshIncidents {
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// An incident of the mesh.
#[derive(Debug, Args)]
pub(crate) struct ShowMeshIncident {
    /// Which incident
    #[arg(value_name = "MESH_INCIDENT")]
    pub(crate) incident: Named<MeshIncidentId>,
    /// At most so many lines of what was written
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// An incident that was none.
#[derive(Debug, Args)]
pub(crate) struct RetractMeshIncident {
    /// Which incident
    #[arg(value_name = "MESH_INCIDENT")]
    pub(crate) incident: Named<MeshIncidentId>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// What agents do with what came along beside their task
///
/// The first 50 calls of a mesh say it by themselves; here an operator does, at any time. Where agents
/// cite, an output that takes unusually much of what came along is told of, and stopped only if words
/// ask for it; where they take nothing of it, it is stopped whatever it says.
#[derive(Debug, Args)]
#[command(help_template = help::COMMAND, before_long_help = "\
Examples:
  immune mesh habit cites
  immune mesh habit takes-nothing")]
pub(crate) struct MeshHabit {
    /// What they do
    #[arg(value_name = "HABIT", value_enum)]
    pub(crate) habit: Habit,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// What agents do with what came along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Habit {
    /// They cite it
    Cites,
    /// They take nothing of it
    TakesNothing,
}

/// A quarantined agent.
#[derive(Debug, Args)]
pub(crate) struct ReleaseAgent {
    /// Its identity: its name, where no other was given
    #[arg(value_name = "AGENT")]
    pub(crate) identity: String,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Antibodies.
#[derive(Debug, Args)]
pub(crate) struct Antibodies {
    #[command(subcommand)]
    pub(crate) command: Option<AntibodiesCommand>,
}

/// What can be done with antibodies.
#[derive(Debug, Subcommand)]
pub(crate) enum AntibodiesCommand {
    /// Every antibody, the latest last
    List(MeshIncidents),
    /// Say how sure an antibody is; below 0.5 it blocks nothing new
    Review(ReviewAntibody),
    /// An antibody was wrong: what it blocked is released
    Retract(RetractAntibody),
}

/// An antibody that somebody looked at.
#[derive(Debug, Args)]
pub(crate) struct ReviewAntibody {
    /// Which antibody
    #[arg(value_name = "ANTIBODY")]
    pub(crate) antibody: Named<AntibodyId>,
    /// How sure it is, from 0 to 1
    #[arg(long, value_name = "TRUST")]
    pub(crate) confidence: Trust,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// An antibody that was wrong.
#[derive(Debug, Args)]
pub(crate) struct RetractAntibody {
    /// Which antibody
    #[arg(value_name = "ANTIBODY")]
    pub(crate) antibody: Named<AntibodyId>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
