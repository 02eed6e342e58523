//! Effects and their reversal: the shell around `guard`, and the outbox.

use immune_model::{ActionId, ActionStatus, IncidentId, Kind, Role, Text};
use immune_reason::plan::{
    EffectOutcome, FinishAction, Forbidden, Guard, GuardError, GuardVerdict, Guarded,
    ReversalOutcome,
};

use crate::error::{OpenError, WriteError};
use crate::session::Session;

/// A reversal that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalRequest {
    /// The action to reverse. It is the idempotency key: a compensation that has seen it before
    /// must not run again.
    pub action: ActionId,
    /// What kind of action.
    pub kind: Kind,
    /// What its effect was given.
    pub payload: Text,
    /// What its effect returned, if anything.
    pub result: Option<Text>,
    /// The incident that asks for the reversal.
    pub incident: IncidentId,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The compensation that the rule of the kind registers, if any.
    pub compensation: Option<Text>,
}

/// Runs compensations: a callback, a command, a webhook.
pub trait Compensate {
    /// Whether it can compensate this action at all. One that it cannot is left to somebody who
    /// can, and counts as no attempt.
    fn handles(&self, request: &ReversalRequest) -> bool {
        let _ = request;
        true
    }

    /// Compensates one action. `Err` says what went wrong; it is tried again later.
    fn compensate(&self, request: &ReversalRequest) -> Result<Option<Text>, Text>;
}

impl<F: Fn(&ReversalRequest) -> Result<Option<Text>, Text>> Compensate for F {
    fn compensate(&self, request: &ReversalRequest) -> Result<Option<Text>, Text> {
        self(request)
    }
}

/// What became of a reversal that was due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversed {
    /// The action.
    pub action: ActionId,
    /// What it is now: `reversed`, still `reversing`, or `reversal_failed`.
    pub status: ActionStatus,
    /// What went wrong in this attempt, if something did.
    pub error: Option<Text>,
}

impl Session {
    /// Guards an action, runs its effect if the guard lets it, and records how it ended.
    ///
    /// The effect runs at most once. If the process ends while it runs, the action stays
    /// `executing`, which `doctor` lists.
    pub fn act(
        &self,
        command: Guard,
        effect: impl FnOnce(&Guarded) -> Result<Option<Text>, Text>,
    ) -> Result<(Guarded, ActionStatus), WriteError<GuardError>> {
        let guarded = self.guard(command)?;
        if guarded.verdict == GuardVerdict::Refused {
            return Ok((guarded, ActionStatus::Blocked));
        }
        let outcome = match effect(&guarded) {
            Ok(result) => EffectOutcome::Executed(result),
            Err(error) => EffectOutcome::Failed(error),
        };
        let finish = FinishAction {
            action: guarded.action,
            outcome,
        };
        let status = self.finish(finish).map_err(|error| match error {
            WriteError::Failed(error) => WriteError::Failed(error),
            // Another process ended it: it is what that one said.
            WriteError::Refused(refused) => {
                WriteError::Failed(OpenError::Store(immune_store::StoreError::Engine {
                    operation: "record an outcome",
                    reason: refused.to_string(),
                }))
            }
        })?;
        Ok((guarded, status))
    }

    /// Runs the compensations that are due: at least once each, with the action's id as
    /// idempotency key; a failure is recorded and tried again with backoff.
    ///
    /// An operator's: who reverses an action vouches that its effect was undone.
    pub fn run_reversals(
        &self,
        with: &dyn Compensate,
    ) -> Result<Vec<Reversed>, WriteError<Forbidden>> {
        if self.principal.role < Role::Operator {
            let principal = self.principal.clone();
            return Err(WriteError::Refused(Forbidden {
                principal,
                operation: "reverse an action",
            }));
        }
        let snapshot = self.snapshot().map_err(WriteError::Failed)?;
        let state = snapshot.state();
        let now = self.memory.shared.parts.clock.now();
        let mut done = Vec::new();
        for id in state.reversals_due(now) {
            let Some((action, reversal)) = state
                .action(id)
                .and_then(|it| Some((it, it.reversal.as_ref()?)))
            else {
                continue;
            };
            let rule = state.find_rule(&action.kind);
            let request = ReversalRequest {
                action: id,
                kind: action.kind.clone(),
                payload: action.payload.clone(),
                result: action.result.clone(),
                incident: reversal.incident,
                attempt: reversal.attempts + 1,
                compensation: rule.and_then(|it| it.compensation.clone()),
            };
            if !with.handles(&request) {
                continue;
            }
            let outcome = with.compensate(&request);
            let error = outcome.as_ref().err().cloned();
            let outcome = match outcome {
                Ok(result) => ReversalOutcome::Reversed(result),
                Err(error) => ReversalOutcome::Failed(error),
            };
            match self.write(move |draft| draft.finish_reversal(id, &outcome)) {
                Ok(status) => done.push(Reversed {
                    action: id,
                    status,
                    error,
                }),
                // Another process was faster with the same key.
                Err(WriteError::Refused(_)) => {}
                Err(WriteError::Failed(error)) => return Err(WriteError::Failed(error)),
            }
        }
        Ok(done)
    }
}
