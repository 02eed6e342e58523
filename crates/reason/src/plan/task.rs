//! Tasks: what had fallen is derived again, and that closes the task.

use immune_model::{BeliefId, Event, JustificationId, TaskId};

use super::{Derivation, DeriveError, DerivedBelief, Draft};

/// A conclusion that takes the place of one that fell.
#[derive(Debug, Clone)]
pub struct Rederivation {
    /// The conclusion with what it rests on.
    pub derivation: Derivation,
    /// The belief that fell, whose open tasks it closes.
    pub replaces: BeliefId,
}

/// Why nothing was derived again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RederiveError {
    /// The derivation itself is refused.
    #[error(transparent)]
    Derive(#[from] DeriveError),
    /// The belief does not exist.
    #[error("`{belief}` is not in this memory")]
    NotInMemory {
        /// What was named.
        belief: BeliefId,
    },
    /// Nothing waits to be derived again for the belief.
    #[error("`{belief}` has no open task")]
    NoTask {
        /// What was named.
        belief: BeliefId,
    },
}

impl RederiveError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Derive(error) => error.hint(),
            Self::NotInMemory { .. } => {
                Some("`immune list beliefs` shows what is there".to_owned())
            }
            Self::NoTask { .. } => Some(
                "`immune tasks` shows what waits; without `--replaces` it is derived all the same"
                    .to_owned(),
            ),
        }
    }
}

/// What was derived, and what that closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rederived {
    /// The derivation.
    pub derived: DerivedBelief,
    /// The tasks that it closes; those it had closed before, if this is a repeat.
    pub tasks: Vec<TaskId>,
}

impl Draft {
    /// Plans `derive` in place of what fell.
    pub fn rederive(&mut self, command: &Rederivation) -> Result<Rederived, RederiveError> {
        let belief = command.replaces;
        if self.state.belief(belief).is_none() {
            return Err(RederiveError::NotInMemory { belief });
        }
        let of_belief = self.state.tasks.iter();
        let of_belief = of_belief.filter(|(_, it)| it.belief == belief);
        let known: Vec<(TaskId, Option<JustificationId>)> = of_belief
            .filter(|(_, it)| it.cancelled_at.is_none())
            .map(|(id, it)| (id, it.done.map(|(by, _)| by)))
            .collect();
        let done_by_this = |derived: Option<JustificationId>| {
            let closed = known
                .iter()
                .filter(|(_, done)| done.is_some() && *done == derived);
            closed.map(|(id, _)| *id).collect::<Vec<_>>()
        };
        let open = known.iter().filter(|(_, done)| done.is_none());
        let open: Vec<TaskId> = open.map(|(id, _)| *id).collect();
        if open.is_empty() {
            let before = self.find_known(&command.derivation)?;
            let tasks = done_by_this(before.as_ref().map(|it| it.justification));
            return match before.filter(|_| !tasks.is_empty()) {
                Some(derived) => Ok(Rederived { derived, tasks }),
                None => Err(RederiveError::NoTask { belief }),
            };
        }
        let derived = self.derive(&command.derivation)?;
        for task in &open {
            self.push(Event::TaskDone {
                task: *task,
                justification: derived.justification,
            });
        }
        let tasks = done_by_this(Some(derived.justification));
        let tasks = tasks.into_iter().chain(open).collect();
        Ok(Rederived { derived, tasks })
    }
}
