//! How an effect ended, and how its reversal did.

use immune_model::{ActionId, ActionStatus, Event, Handle, Role, Text, limits};

use super::{Draft, Forbidden};

/// How an effect ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectOutcome {
    /// It ran to its end, and returned this, if anything.
    Executed(Option<Text>),
    /// It did not, because of this.
    Failed(Text),
}

/// The end of an action's effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishAction {
    /// Which action.
    pub action: ActionId,
    /// How its effect ended.
    pub outcome: EffectOutcome,
}

/// How a compensation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReversalOutcome {
    /// It ran to its end, and returned this, if anything.
    Reversed(Option<Text>),
    /// It did not, because of this.
    Failed(Text),
}

/// Why an outcome was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FinishError {
    /// The principal may not act.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// It does not exist.
    #[error("`{action}` is not in this memory")]
    NotInMemory {
        /// Which action.
        action: ActionId,
    },
    /// It is not running, or not being reversed.
    #[error("`{action}` is {status}", status = .status.name())]
    NotRunning {
        /// Which action.
        action: ActionId,
        /// What it is.
        status: ActionStatus,
    },
}

impl Draft {
    /// Plans the end of an effect. If what it relied on fell meanwhile, its reversal is queued.
    pub fn finish_action(&mut self, command: &FinishAction) -> Result<ActionStatus, FinishError> {
        self.require(Role::Agent, "act")?;
        let id = command.action;
        self.check_status(id, &[ActionStatus::Executing])?;
        if self.actor.role == Role::Agent && self.agent_of(id) != Some(&self.actor.name) {
            let principal = self.actor.clone();
            return Err(Forbidden {
                principal,
                operation: "end another agent's action",
            }
            .into());
        }
        self.push(match &command.outcome {
            EffectOutcome::Executed(result) => Event::Executed {
                action: id,
                result: result.clone(),
            },
            EffectOutcome::Failed(error) => Event::Failed {
                action: id,
                error: error.clone(),
            },
        });
        self.queue_reversals([id]);
        Ok(self.state.actions.get(id).status)
    }

    /// Plans the end of one attempt at a reversal; a failure is tried again with backoff.
    pub fn finish_reversal(
        &mut self,
        id: ActionId,
        outcome: &ReversalOutcome,
    ) -> Result<ActionStatus, FinishError> {
        self.require(Role::Operator, "reverse an action")?;
        // A compensation that ran while its incident was being undone ran all the same.
        let ran = [ActionStatus::Reversing, ActionStatus::Executed];
        let open = match outcome {
            ReversalOutcome::Reversed(_) => &ran[..],
            ReversalOutcome::Failed(_) => &[ActionStatus::Reversing],
        };
        self.check_status(id, open)?;
        let attempts = self
            .state
            .actions
            .get(id)
            .reversal
            .as_ref()
            .map_or(0, |it| it.attempts);
        self.push(match outcome {
            ReversalOutcome::Reversed(result) => Event::Reversed {
                action: id,
                result: result.clone(),
            },
            ReversalOutcome::Failed(error) => {
                let again = attempts + 1 < limits::REVERSAL_ATTEMPTS_MAX;
                let wait = limits::REVERSAL_BACKOFF_SECONDS << attempts.min(16);
                let retry_at = again.then(|| self.now.plus_seconds(wait));
                Event::ReversalTried {
                    action: id,
                    error: error.clone(),
                    retry_at,
                }
            }
        });
        Ok(self.state.actions.get(id).status)
    }

    fn agent_of(&self, id: ActionId) -> Option<&Handle> {
        let decision = self.state.decision(self.state.action(id)?.decision)?;
        self.state.source(decision.agent).map(|it| &it.handle)
    }

    fn check_status(&self, id: ActionId, wanted: &[ActionStatus]) -> Result<(), FinishError> {
        match self.state.action(id) {
            None => Err(FinishError::NotInMemory { action: id }),
            Some(action) if !wanted.contains(&action.status) => Err(FinishError::NotRunning {
                action: id,
                status: action.status,
            }),
            Some(_) => Ok(()),
        }
    }
}
