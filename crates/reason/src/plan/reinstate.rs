//! `reinstate`: an incident was a mistake, and counts as never written.

use std::collections::BTreeSet;

use immune_model::{ActionId, ActionStatus, BeliefId, Event, IncidentId, Item, Role, Status};

use super::{Draft, Forbidden};

/// An incident that is to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reinstate {
    /// Which incident.
    pub incident: IncidentId,
}

/// Why nothing was undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReinstateError {
    /// The principal is no operator.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// It does not exist.
    #[error("`{incident}` is not in this memory")]
    NotInMemory {
        /// What was named.
        incident: IncidentId,
    },
}

/// What was undone, and what could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reinstated {
    /// The incident.
    pub incident: IncidentId,
    /// It had been undone before: nothing was written.
    pub repeated: bool,
    /// The beliefs that had fallen and are active again.
    pub active: Vec<BeliefId>,
    /// The actions whose reversal was cancelled in time.
    pub cancelled: Vec<ActionId>,
    /// The actions that had been compensated already: the world does not follow by itself.
    pub compensated: Vec<ActionId>,
}

impl Draft {
    /// Plans `reinstate`: every status, strength and reputation is as without the incident.
    pub fn reinstate(&mut self, command: &Reinstate) -> Result<Reinstated, ReinstateError> {
        self.require(Role::Operator, "reinstate")?;
        let id = command.incident;
        let Some(before) = self.state.incident(id).cloned() else {
            return Err(ReinstateError::NotInMemory { incident: id });
        };
        let repeated = before.reinstated_at.is_some();
        let from = self.events.len();
        if !repeated {
            let tasks = self.state.tasks.iter().filter(|(_, it)| it.incident == id);
            let asked: Vec<BeliefId> = tasks.map(|(_, it)| it.belief).collect();
            self.push(Event::Reinstated { incident: id });
            // What still rests on something else that fell is reversed because of that.
            self.queue_reversals(before.reversals.iter().copied());
            self.respond(from);
            // What fell for another reason too still has to be derived again.
            self.open_tasks(asked);
        }
        let with = |wanted: ActionStatus| {
            let found = before.reversals.iter().copied();
            found
                .filter(|it| self.state.actions.get(*it).status == wanted)
                .collect()
        };
        Ok(Reinstated {
            incident: id,
            repeated,
            active: self.risen_since(from),
            cancelled: with(ActionStatus::Executed),
            compensated: with(ActionStatus::Reversed),
        })
    }

    /// The beliefs that had fallen before these events and are active now.
    pub(super) fn risen_since(&self, from: usize) -> Vec<BeliefId> {
        let first = self.events.get(from).map_or(u64::MAX, |it| it.seq);
        let transitions = self.state.changes.transitions.iter().rev();
        let recent = transitions.take_while(|it| it.seq >= first);
        let fell = [Status::Quarantined.name(), Status::Revoked.name()];
        let risen: BTreeSet<BeliefId> = recent
            .filter(|it| it.before.as_deref().is_some_and(|it| fell.contains(&it)))
            .filter_map(|it| match it.item {
                Item::Belief(id) if self.state.now.get(id).status == Status::Active => Some(id),
                _ => None,
            })
            .collect();
        risen.into_iter().collect()
    }
}
