//! Plans: what a command writes. A plan is a function of state, command and time to events; it
//! reads no disk and no clock, and pushes nothing before everything is checked.
//!
//! [`Draft`] is where a plan writes: each event pushed is applied at once to the draft's own
//! state, so that the next step of the same plan, and the next command of the same commit, see it.

mod admin;
mod antibody;
mod attribute;
mod challenge;
mod claim;
mod close;
mod context;
mod copies;
mod derive;
mod flag;
mod graph;
mod guard;
mod mesh;
mod outcome;
mod parole;
mod reinstate;
mod remember;
mod source;
mod task;

use std::collections::{BTreeMap, BTreeSet};

use immune_model::{
    ActionId, BeliefId, Event, IncidentId, Instant, Item, MemoryName, Principal, Recorded, Role,
    Status,
};

pub use crate::screen::{StatementOutcome, StatementReport};
use crate::state::{Grounds, State};

pub use admin::{
    AdminError, Copying, DeclareSource, NameRecord, SetChannel, SetHalfLife, SetMirror, SetRule,
};
pub use attribute::AttributeError;
pub use challenge::{Challenge, ChallengeError, ChallengeOutcome, Challenged};
pub use claim::{ClaimError, NewClaim, Sign};
pub use close::{Forget, ForgetError, Forgotten};
pub use context::{HandOver, Handed, Narrowing, OWN_RUN_FRESH_SECONDS, RunError, Show};
pub use derive::{Derivation, DeriveError, DerivedBelief};
pub use flag::{Flag, FlagError, FlagWhat, Flagged, Unflag, Unflagged};
pub use graph::{GraphImported, ImportError, UNNAMED_AGENT};
pub use guard::{Guard, GuardError, GuardVerdict, Guarded};
pub use mesh::{
    FoundAntibody, FoundIncident, MeshCone, MeshFound, MeshPlanError, MeshWrite, MeshWriteOf,
    MeshWritten,
};
pub use outcome::{EffectOutcome, FinishAction, FinishError, ReversalOutcome};
pub use parole::{Contradicted, HeldParole, Parole, ParoleError, Paroled};
pub use reinstate::{Reinstate, ReinstateError, Reinstated};
pub use remember::{Remember, RememberError, Remembered};
pub use source::{SourceError, SourceRef};
pub use task::{Rederivation, RederiveError, Rederived};

/// A role that does not allow the operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{role} `{name}` may not {operation}", role = .principal.role.name(), name = .principal.name)]
pub struct Forbidden {
    /// Who asked.
    pub principal: Principal,
    /// For what, as a verb.
    pub operation: &'static str,
}

impl Forbidden {
    /// Refuses an operation to whoever has a lesser role.
    pub fn check(principal: &Principal, role: Role, operation: &'static str) -> Result<(), Self> {
        if principal.role >= role {
            return Ok(());
        }
        Err(Self {
            principal: principal.clone(),
            operation,
        })
    }
}

/// A state with the events that a plan has written onto it so far.
#[derive(Debug)]
pub struct Draft {
    state: State,
    events: Vec<Recorded>,
    actor: Principal,
    now: Instant,
    name: Option<MemoryName>,
}

impl Draft {
    /// A draft on top of this state. The events carry the later of `now` and the state's time.
    pub fn new(state: State, actor: Principal, now: Instant) -> Self {
        let now = state.at().map_or(now, |before| before.max(now));
        Self {
            state,
            events: Vec::new(),
            actor,
            now,
            name: None,
        }
    }

    /// The state with the events applied.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The events so far.
    pub fn events(&self) -> &[Recorded] {
        &self.events
    }

    /// The state and the events.
    pub fn finish(self) -> (State, Vec<Recorded>) {
        (self.state, self.events)
    }

    /// The time of the events that are pushed next.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Who asked.
    pub fn actor(&self) -> &Principal {
        &self.actor
    }

    /// Names the memory, whose log begins with its name: written before the first other event.
    pub fn name(&mut self, name: &MemoryName) {
        self.name = Some(name.clone());
    }

    fn push(&mut self, event: Event) {
        if self.state.name().is_none()
            && let Some(name) = self.name.take()
        {
            self.record(Event::MemoryCreated { name });
        }
        self.record(event);
    }

    fn record(&mut self, event: Event) {
        let recorded = Recorded {
            seq: self.state.seq() + 1,
            at: self.now,
            actor: self.actor.clone(),
            event,
        };
        self.state.apply(&recorded);
        self.events.push(recorded);
    }

    fn require(&self, role: Role, operation: &'static str) -> Result<(), Forbidden> {
        Forbidden::check(&self.actor, role, operation)
    }

    /// Queues the reversal of every executed action that relied on what fell since event `from`,
    /// once each (semantics.md 9), and opens a task for what was load-bearing.
    fn respond(&mut self, from: usize) {
        let fallen = self.reverse_fallen_since(from);
        self.open_tasks(fallen);
    }

    /// Responds to a flag, the only event since `from`: all that fell since fell in its incident.
    fn respond_to_flag(&mut self, from: usize, incident: IncidentId) {
        let mut lost = self.reverse_fallen_since(from);
        lost.retain(|it| self.was_load_bearing(*it));
        debug_assert!(
            lost.iter()
                .all(|it| self.state.incident_of(*it) == Some(incident)),
            "what fell with a flag fell in its incident"
        );
        if !lost.is_empty() {
            self.push_tasks(incident, lost);
        }
    }

    /// Queues the reversals for what fell since event `from`, and gives that, in order.
    fn reverse_fallen_since(&mut self, from: usize) -> Vec<BeliefId> {
        let fallen = self.fallen_since(from);
        let mut actions: BTreeSet<ActionId> = BTreeSet::new();
        for belief in &fallen {
            for decision in self.state.decisions_on(*belief) {
                actions.extend(&self.state.decisions.get(decision).actions);
            }
        }
        self.queue_reversals(actions);
        fallen
    }

    /// The beliefs that fell since event `from`, in order.
    fn fallen_since(&self, from: usize) -> Vec<BeliefId> {
        let first = self.events.get(from).map_or(u64::MAX, |it| it.seq);
        let transitions = self.state.changes.transitions.iter().rev();
        let recent = transitions.take_while(|it| it.seq >= first);
        let fallen = recent.filter_map(|it| match it.item {
            Item::Belief(id) if self.fell(id) => Some(id),
            _ => None,
        });
        let mut fallen: Vec<BeliefId> = fallen.collect();
        fallen.sort_unstable();
        fallen.dedup();
        fallen
    }

    /// Queues one reversal for each of these actions that ran, relied on what fell, and has none.
    fn queue_reversals(&mut self, actions: impl IntoIterator<Item = ActionId>) {
        let ran = |id: &ActionId| {
            self.state.action(*id).is_some_and(|it| {
                let queued = it.reversal.as_ref().is_some_and(|it| !it.cancelled);
                it.status == immune_model::ActionStatus::Executed && !queued
            })
        };
        let actions: Vec<ActionId> = actions.into_iter().filter(ran).collect();
        let fallen_under = |id: ActionId| {
            let decision = self.state.actions.get(id).decision;
            let relied_on = self.state.decisions.get(decision).relied_on.iter();
            relied_on.copied().find(|it| self.fell(*it))
        };
        let lost: Vec<(ActionId, BeliefId)> = actions
            .into_iter()
            .filter_map(|it| fallen_under(it).map(|belief| (it, belief)))
            .collect();
        let fell_in = self
            .state
            .incidents_of(lost.iter().map(|(_, belief)| *belief));
        for (action, belief) in lost {
            if let Some(incident) = fell_in.get(&belief).copied() {
                self.push(Event::ReversalQueued { action, incident });
            }
        }
    }

    fn fell(&self, belief: BeliefId) -> bool {
        self.state.now.network.get(belief).status().fell()
    }

    /// Opens a task for each of these derived beliefs that fell and was load-bearing.
    fn open_tasks(&mut self, beliefs: impl IntoIterator<Item = BeliefId>) {
        let lost = beliefs.into_iter().filter(|it| self.was_load_bearing(*it));
        let lost: Vec<BeliefId> = lost.collect();
        let fell_in = self.state.incidents_of(lost.iter().copied());
        let mut by_incident: BTreeMap<IncidentId, Vec<BeliefId>> = BTreeMap::new();
        for belief in lost {
            if let Some(incident) = fell_in.get(&belief) {
                by_incident.entry(*incident).or_default().push(belief);
            }
        }
        for (incident, beliefs) in by_incident {
            self.push_tasks(incident, beliefs);
        }
    }

    fn push_tasks(&mut self, incident: IncidentId, beliefs: Vec<BeliefId>) {
        let first = self.state.tasks.next_id();
        self.push(Event::TasksOpened {
            incident,
            first,
            beliefs,
        });
    }

    /// Whether something was built on a derived belief that fell: a decision, or at least two
    /// other beliefs (seeds.md 1.3).
    fn was_load_bearing(&self, id: BeliefId) -> bool {
        let state = &self.state;
        let network = &state.now.network;
        if network.get(id).status() != Status::Revoked {
            return false;
        }
        let mut built = network.heads_on(id);
        let first = built.next();
        let is_used = state.decisions_on(id).next().is_some()
            || first.is_some_and(|first| built.any(|it| it != first));
        let derived = |it| {
            let grounds = &state.justifications.get(it).grounds;
            matches!(grounds, Grounds::Derivation { .. })
        };
        is_used && state.justifications_of(id).any(derived)
    }
}
