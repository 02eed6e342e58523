//! Folding actions: decided, proposed, ended, reversed.

use immune_model::{
    ActionClass, ActionId, ActionStatus, Decided, DecisionId, Event, IncidentId, Instant, Item,
    Proposal, Text, Write,
};

use super::{Action, Decision, Reversal, State, Use};

impl State {
    pub(super) fn fold_action(&mut self, event: &Event, at: Instant) -> Option<Item> {
        match event {
            Event::Decided(decided) => self.fold_decided(decided),
            Event::Proposed(proposal) => self.fold_proposed(proposal, at),
            Event::Executed { action, result } => {
                self.actions.get_mut(*action).result.clone_from(result);
                self.end_action(*action, ActionStatus::Executed, result.clone(), at);
            }
            Event::Failed { action, error } => {
                self.end_action(*action, ActionStatus::Failed, Some(error.clone()), at);
            }
            Event::ReversalQueued { action, incident } => {
                self.fold_reversal_queued(*action, *incident, at);
                return Some(Item::Incident(*incident));
            }
            Event::Reversed { action, result } => {
                self.pending.remove_mut(action);
                if let Some(reversal) = &mut self.actions.get_mut(*action).reversal {
                    reversal.next_at = None;
                }
                self.move_action(*action, ActionStatus::Reversed, result.clone(), at);
            }
            Event::ReversalTried {
                action,
                error,
                retry_at,
            } => {
                self.fold_reversal_tried(*action, error, *retry_at, at);
            }
            _ => unreachable!("`fold` hands over what befalls actions, and nothing else"),
        }
        None
    }

    fn fold_decided(&mut self, decided: &Decided) {
        let write = Write::Decision(decided.decision);
        let taken = self.take_context(decided.run.as_ref(), write);
        self.note_in_context(taken.context, write);
        self.push_decision(
            decided.decision,
            Decision {
                agent: decided.agent,
                relied_on: decided.relied_on.clone(),
                used_by: decided.used_by,
                waivers: decided.waivers.clone(),
                run: decided.run.clone(),
                context: taken.context,
                actions: Vec::new(),
            },
        );
    }

    pub(super) fn push_decision(&mut self, id: DecisionId, decision: Decision) {
        let relied_on = decision.relied_on.clone();
        let pushed = self.decisions.push(decision);
        assert_eq!(pushed, id, "decisions are numbered in order");
        self.changes.decisions.insert(id);
        for belief in &relied_on {
            let next = self.now.network.uses_of(*belief);
            let edge = self.uses.push(Use { decision: id, next });
            self.now.network.set_uses(*belief, edge);
        }
    }

    fn fold_proposed(&mut self, proposal: &Proposal, at: Instant) {
        let status = match proposal.refusal {
            Some(_) => ActionStatus::Blocked,
            None => ActionStatus::Executing,
        };
        let id = self.actions.push(Action {
            decision: proposal.decision,
            kind: proposal.kind.clone(),
            class: proposal.class,
            payload: proposal.payload.clone(),
            status,
            result: None,
            detail: proposal.refusal.clone(),
            warnings: proposal.warnings.clone(),
            proposed_at: at,
            ended_at: None,
            reversal: None,
        });
        assert_eq!(id, proposal.action, "actions are numbered in order");
        self.decisions.get_mut(proposal.decision).actions.push(id);
        self.changes.actions.insert(id);
        let cause = Some(Item::Decision(proposal.decision));
        self.announce(Item::Action(id), "status", None, status.name(), cause, at);
    }

    fn end_action(&mut self, id: ActionId, to: ActionStatus, detail: Option<Text>, at: Instant) {
        let action = self.actions.get_mut(id);
        assert_eq!(
            action.status,
            ActionStatus::Executing,
            "only what runs can end"
        );
        action.ended_at = Some(at);
        self.move_action(id, to, detail, at);
    }

    fn fold_reversal_queued(&mut self, id: ActionId, incident: IncidentId, at: Instant) {
        let action = self.actions.get_mut(id);
        assert_eq!(
            action.status,
            ActionStatus::Executed,
            "only what ran is reversed, once"
        );
        let irreversible = action.class == ActionClass::Irreversible;
        let next_at = (!irreversible).then_some(at);
        action.reversal = Some(Reversal {
            incident,
            attempts: 0,
            next_at,
            last_error: None,
            cancelled: false,
        });
        let to = if irreversible {
            ActionStatus::Irreversible
        } else {
            ActionStatus::Reversing
        };
        if !irreversible {
            self.pending.insert_mut(id);
        }
        self.incidents.get_mut(incident).reversals.push(id);
        self.changes.incidents.insert(incident);
        let detail = self.actions.get(id).detail.clone();
        self.move_action(id, to, detail, at);
    }

    fn fold_reversal_tried(
        &mut self,
        id: ActionId,
        error: &Text,
        retry_at: Option<Instant>,
        at: Instant,
    ) {
        let action = self.actions.get_mut(id);
        let reversal = action
            .reversal
            .as_mut()
            .expect("only a queued reversal is tried");
        reversal.attempts += 1;
        reversal.next_at = retry_at;
        reversal.last_error = Some(error.clone());
        self.changes.actions.insert(id);
        if retry_at.is_none() {
            self.pending.remove_mut(&id);
            self.move_action(id, ActionStatus::ReversalFailed, Some(error.clone()), at);
        }
    }

    pub(super) fn move_action(
        &mut self,
        id: ActionId,
        to: ActionStatus,
        detail: Option<Text>,
        at: Instant,
    ) {
        let action = self.actions.get_mut(id);
        let before = std::mem::replace(&mut action.status, to);
        action.detail = detail;
        self.changes.actions.insert(id);
        self.announce(
            Item::Action(id),
            "status",
            Some(before.name().to_owned()),
            to.name(),
            None,
            at,
        );
    }
}
