//! The response: flags, incidents with all that they did, and the tasks that they left.

use immune_engine::reason::State;
use immune_engine::reason::plan;
use immune_engine::{Rederivable, Response};
use immune_model::shell::Command;
use immune_model::{ActionId, BeliefId, IncidentId, Premise, TaskId};
use serde::Serialize;

use crate::value::{SourceName, Trust, ids, time};
use crate::write::{self, ActionBrief, Fallen, Reinstated, ReputationChange, Reversal, subject};

/// What a flag led to, or would lead to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flagged {
    /// What was flagged.
    pub item: String,
    /// A flag that covers this one stood already: nothing was written.
    pub repeated: bool,
    /// The incident, with all that it did.
    #[serde(flatten)]
    pub incident: Incident,
    /// The compensations that ran after it, or tried to.
    pub ran: Vec<Reversal>,
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unflagged {
    /// What was flagged.
    pub item: String,
    /// Each flag of it, undone.
    pub undone: Vec<Reinstated>,
}

impl From<&plan::Unflagged> for Unflagged {
    fn from(unflagged: &plan::Unflagged) -> Self {
        Self {
            item: unflagged.target.to_string(),
            undone: unflagged.undone.iter().map(Into::into).collect(),
        }
    }
}

/// Every incident in a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Incidents {
    /// Every one, oldest first.
    pub incidents: Vec<ListedIncident>,
}

/// An incident in a line: of each list the first ids, and how many there are in all. One incident
/// by itself has all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedIncident {
    /// The incident, with lists of at most `INCIDENT_IDS_MAX` entries.
    #[serde(flatten)]
    pub what: write::Incident,
    /// How many beliefs were refuted themselves.
    pub refuted_total: usize,
    /// How many beliefs fell with them.
    pub revoked_total: usize,
    /// How many sources had their reputation moved.
    pub reputations_total: usize,
    /// How many reversals it queued.
    pub reversals_total: usize,
}

impl ListedIncident {
    /// The line of an incident; nothing if this state has none of that id.
    pub fn of(state: &State, id: IncidentId) -> Option<Self> {
        let mut what = write::Incident::of(state, id)?;
        let most = immune_model::limits::INCIDENT_IDS_MAX;
        let (refuted_total, revoked_total) = (what.refuted.len(), what.revoked.len());
        let (reputations_total, reversals_total) = (what.reputations.len(), what.reversals.len());
        what.refuted.truncate(most);
        what.revoked.truncate(most);
        what.reputations.truncate(most);
        what.reversals.truncate(most);
        Some(Self {
            what,
            refuted_total,
            revoked_total,
            reputations_total,
            reversals_total,
        })
    }
}

/// An incident with all that it did, and all that it left standing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Incident {
    /// What opened it, what it refuted, whose reputation it moved.
    #[serde(flatten)]
    pub what: write::Incident,
    /// How many observations it quarantined.
    pub n_observations: usize,
    /// What it brought down, each below what it rested on.
    pub cone: Vec<Fallen>,
    /// What lost a justification and stands by another: at most a page.
    pub survivors: Vec<Survivor>,
    /// How many survive in all.
    pub n_survivors: usize,
    /// Each reversal that it queued, as it stands.
    pub queue: Vec<Queued>,
    /// What is to be derived again because of it.
    pub tasks: Vec<TaskBrief>,
    /// What is merely tainted.
    pub exposed: Exposed,
}

impl Incident {
    /// The view of a response, with the state now; nothing if there is no such incident.
    pub fn of(state: &State, response: &Response) -> Option<Self> {
        let what = write::Incident::of(state, response.incident)?;
        let record = state.incident(response.incident)?;
        let reversals = record.reversals.iter();
        Some(Self {
            what,
            n_observations: response.n_observations,
            cone: cone(state, response),
            survivors: survivors(state, response),
            n_survivors: response.n_survivors,
            queue: reversals.map(|it| Queued::of(state, *it)).collect(),
            tasks: tasks_of(state, response.incident),
            exposed: Exposed::of(state, response),
        })
    }

    /// The sources whose reputation it moved.
    pub fn reputations(&self) -> &[ReputationChange] {
        &self.what.reputations
    }
}

/// What fell, each below what it rested on.
pub(crate) fn cone(state: &State, response: &Response) -> Vec<Fallen> {
    let fallen = response.fallen.iter();
    fallen.map(|it| Fallen::of(state, it)).collect()
}

/// What survives, and by what.
pub(crate) fn survivors(state: &State, response: &Response) -> Vec<Survivor> {
    let survivors = response.survivors.iter();
    survivors.map(|it| Survivor::of(state, it)).collect()
}

/// A belief that lost a justification and stands by another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survivor {
    /// Which belief.
    pub belief: String,
    /// What it is about.
    pub subject: String,
    /// The justifications that it lost.
    pub lost: Vec<String>,
    /// The strongest one by which it stands.
    pub by: String,
    /// The sources behind that one.
    pub sources: Vec<SourceName>,
    /// Before.
    pub before: Backing,
    /// After.
    pub after: Backing,
}

/// How far a belief may be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Backing {
    /// How far it is trusted.
    pub strength: Trust,
    /// The independent origins that have to be lost before it falls.
    pub corroboration: u32,
    /// Whether it is that many, or at least.
    pub exact: bool,
}

impl From<immune_engine::Backing> for Backing {
    fn from(backing: immune_engine::Backing) -> Self {
        Self {
            strength: backing.strength.into(),
            corroboration: backing.corroboration.count,
            exact: backing.corroboration.exact,
        }
    }
}

impl Survivor {
    fn of(state: &State, survivor: &immune_engine::Survivor) -> Self {
        let sources = survivor.sources.iter();
        Self {
            belief: survivor.belief.to_string(),
            subject: subject(state, survivor.belief),
            lost: ids(&survivor.lost),
            by: survivor.by.to_string(),
            sources: sources.map(|it| SourceName::of(state, *it)).collect(),
            before: survivor.before.into(),
            after: survivor.after.into(),
        }
    }
}

/// What is merely tainted: it hangs on something that was struck, and still stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Exposed {
    /// The beliefs, survivors included.
    pub beliefs: Vec<ExposedBelief>,
    /// The decisions that rely on them.
    pub decisions: Vec<String>,
    /// The actions that carry those out.
    pub actions: Vec<ActionBrief>,
}

/// A belief that is merely tainted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExposedBelief {
    /// Which belief.
    pub belief: String,
    /// Hops from what was refuted or flagged.
    pub depth: u32,
}

impl Exposed {
    pub(crate) fn of(state: &State, response: &Response) -> Self {
        let exposed = &response.exposed;
        let beliefs = exposed.beliefs.iter().map(|(belief, depth)| ExposedBelief {
            belief: belief.to_string(),
            depth: *depth,
        });
        let actions = exposed.actions.iter();
        Self {
            beliefs: beliefs.collect(),
            decisions: ids(&exposed.decisions),
            actions: actions.map(|it| ActionBrief::of(state, *it)).collect(),
        }
    }
}

/// A reversal as the outbox has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Queued {
    /// The action.
    #[serde(flatten)]
    pub action: ActionBrief,
    /// The incident was undone before it was done.
    pub cancelled: bool,
    /// How often it was tried without success.
    pub attempts: u32,
    /// When it is tried again, if it is.
    pub next_at: Option<String>,
    /// What went wrong last.
    pub error: Option<String>,
}

impl Queued {
    fn of(state: &State, id: ActionId) -> Self {
        let reversal = state.action(id).and_then(|it| it.reversal.as_ref());
        Self {
            action: ActionBrief::of(state, id),
            cancelled: reversal.is_some_and(|it| it.cancelled),
            attempts: reversal.map_or(0, |it| it.attempts),
            next_at: time(reversal.and_then(|it| it.next_at)),
            error: reversal.and_then(|it| it.last_error.as_ref().map(ToString::to_string)),
        }
    }
}

/// A task in a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskBrief {
    /// Which task.
    pub task: String,
    /// The belief that fell.
    pub belief: String,
    /// `open`, `done` or `cancelled`.
    pub state: &'static str,
}

fn tasks_of(state: &State, incident: IncidentId) -> Vec<TaskBrief> {
    let tasks = state.task_ids().filter_map(|id| {
        let task = state.task(id).filter(|it| it.incident == incident)?;
        Some(TaskBrief {
            task: id.to_string(),
            belief: task.belief.to_string(),
            state: task_state(task),
        })
    });
    tasks.collect()
}

/// Where a task is in its life.
pub fn task_state(task: &immune_engine::reason::state::Task) -> &'static str {
    if task.done.is_some() {
        "done"
    } else if task.cancelled_at.is_some() {
        "cancelled"
    } else {
        "open"
    }
}

/// What waits to be derived again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tasks {
    /// Each task with what it takes, oldest first.
    pub tasks: Vec<Task>,
}

/// A conclusion to derive again, with what that takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Task {
    /// Which task.
    pub task: String,
    /// `open`, `done` or `cancelled`.
    pub state: &'static str,
    /// The belief that fell.
    pub belief: String,
    /// What it is about.
    pub subject: String,
    /// The old claim, in the words of the agent; kept from agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The agent that derived it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<SourceName>,
    /// The incident in which it fell.
    pub incident: String,
    /// When the task was opened.
    pub opened_at: String,
    /// Its premises that stand.
    pub intact: Vec<TaskPremise>,
    /// Its premises that do not.
    pub lost: Vec<TaskPremise>,
    /// The actions that relied on it.
    pub actions: Vec<ActionBrief>,
    /// The derivation that did it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_by: Option<String>,
    /// The command that derives it again; nothing while there is nothing to derive it from.
    pub command: Option<String>,
}

impl Task {
    /// Without the words of what fell: an agent that reads them has a lie before its eyes, and
    /// nothing that it derives is worth more.
    pub fn withhold(&mut self) {
        self.claim = None;
        for premise in &mut self.lost {
            premise.claim = None;
        }
    }

    /// The beliefs whose words it has.
    pub fn told(&self) -> impl Iterator<Item = BeliefId> {
        let fell = self.claim.as_ref().and(Some(&self.belief));
        let premises = self.intact.iter().chain(&self.lost);
        let premises = premises.flat_map(|it| {
            let premise = it.claim.as_ref().and(Some(&it.premise));
            premise.into_iter().chain(&it.replaced_by)
        });
        fell.into_iter()
            .chain(premises)
            .filter_map(|it| it.parse().ok())
    }
}

/// A premise of what fell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskPremise {
    /// Which one.
    pub premise: String,
    /// What it is now.
    pub status: &'static str,
    /// How far it is trusted.
    pub strength: Trust,
    /// What it says, if it is a belief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// What is believed in its place, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// What that says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

impl TaskPremise {
    fn of(state: &State, support: &immune_engine::Support, by: Option<BeliefId>) -> Self {
        let words = |id| state.words_of(id).map(ToString::to_string);
        let claim = match support.premise {
            Premise::Belief(id) => words(id),
            Premise::Observation(_) => None,
        };
        Self {
            premise: support.premise.to_string(),
            status: support.status.name(),
            strength: support.strength.into(),
            claim,
            replaced_by: by.map(|it| it.to_string()),
            replacement: by.and_then(words),
        }
    }
}

impl Task {
    /// The view of a task; nothing if there is none, or nothing was derived.
    pub fn of(state: &State, id: TaskId) -> Option<Self> {
        let task = immune_engine::Explained::of(state).task(id)?;
        let belief = state.belief(task.record.belief)?;
        let intact = task.intact.iter();
        let lost = task.lost.iter();
        let actions = task.actions.iter();
        Some(Self {
            task: id.to_string(),
            state: task_state(&task.record),
            belief: task.record.belief.to_string(),
            subject: belief.subject.to_string(),
            claim: Some(task.claim.to_string()),
            agent: task.agent.map(|it| SourceName::of(state, it)),
            incident: task.record.incident.to_string(),
            opened_at: task.record.opened_at.to_string(),
            intact: intact.map(|it| TaskPremise::of(state, it, None)).collect(),
            lost: lost
                .map(|it| TaskPremise::of(state, &it.premise, it.by))
                .collect(),
            actions: actions.map(|it| ActionBrief::of(state, *it)).collect(),
            done_by: task.record.done.map(|(by, _)| by.to_string()),
            command: command(state, &task),
        })
    }
}

/// The command that derives it again from what stands. The words of the new claim are the
/// variable `CLAIM`, which is to be set first, where the old ones carry a value that nothing
/// replaced.
fn command(state: &State, task: &Rederivable) -> Option<String> {
    let premises = task.premises();
    if premises.is_empty() || !task.record.is_open() {
        return None;
    }
    let from: Vec<String> = premises.iter().map(|it| format!("--from {it}")).collect();
    let command = Command::new("immune derive").plain(&from.join(" "));
    let command = stated_in(command, state, task.record.belief, task.proposal.as_deref());
    let unflagged = |it: &immune_model::SourceId| {
        state
            .flags_of(immune_model::FlagTarget::Source(*it))
            .is_empty()
    };
    let agent = task.agent.filter(unflagged).and_then(|it| state.source(it));
    let command = command.option_if("--agent", agent.map(|it| it.handle.as_str()));
    let replaced = task.record.belief.to_string();
    Some(command.option("--replaces", &replaced).to_string())
}

/// The command with a claim about the subject of a belief, in its namespace. The words that nobody
/// can say yet are the variable `CLAIM`, which is to be set first.
pub(crate) fn stated_in(
    command: Command,
    state: &State,
    belief: immune_model::BeliefId,
    claim: Option<&str>,
) -> Command {
    let belief = state.belief(belief);
    let subject = belief.map(|it| it.subject.as_str());
    let command = command.option_if("--about", subject);
    let command = match claim {
        Some(claim) => command.option("--claim", claim),
        None => command.plain("--claim \"$CLAIM\""),
    };
    let namespace = belief.map(|it| it.namespace.as_str());
    command.option_if("--namespace", namespace.filter(|it| !it.is_empty()))
}
