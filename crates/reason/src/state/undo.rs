//! Folding an undo: all that an incident's command wrote counts as never written (law U).

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use immune_model::{
    ActionId, ActionStatus, BeliefId, IncidentId, Instant, Item, JustificationId, ObservationId,
    Status, TaskId,
};

use super::settle::Seeds;
use super::{Cause, Grounds, State};
use crate::replay;

impl State {
    pub(super) fn fold_reinstated(&mut self, id: IncidentId, at: Instant) {
        let incident = self.incidents.get_mut(id);
        assert!(
            incident.reinstated_at.is_none(),
            "an incident is undone once"
        );
        incident.reinstated_at = Some(at);
        let (cause, since, seq) = (incident.cause.clone(), incident.since, incident.seq);
        self.changes.incidents.insert(id);
        self.announce(
            Item::Incident(id),
            "status",
            Some("open".to_owned()),
            "reinstated",
            None,
            at,
        );
        match &cause {
            Cause::Challenge {
                trigger, refuted, ..
            } => self.undo_challenge(id, *trigger, refuted, at),
            Cause::Flag { target, .. } => self.lift_flag(id, *target, at),
        }
        self.hand_over(id);
        self.cancel_tasks(id, at);
        if let Cause::Challenge { trigger, .. } = cause {
            self.retract_reviews(trigger, since..=seq + 1, at);
        }
        self.cancel_reversals(id, at);
    }

    /// What had fallen in an incident that is undone, and is down all the same, fell in another.
    fn hand_over(&mut self, id: IncidentId) {
        let incident = self.incidents.get(id);
        let fell = incident.refuted().iter().chain(&incident.revoked).copied();
        let down: Vec<BeliefId> = fell
            .filter(|it| self.now.get(*it).status == Status::Revoked)
            .collect();
        let mut under: BTreeMap<IncidentId, Vec<BeliefId>> = BTreeMap::new();
        for (belief, incident) in self.incidents_of(down) {
            if self.now.get(belief).status == Status::Revoked {
                under.entry(incident).or_default().push(belief);
            }
        }
        for (incident, beliefs) in under {
            let revoked = &mut self.incidents.get_mut(incident).revoked;
            revoked.extend(beliefs);
            revoked.sort_unstable();
            revoked.dedup();
            self.changes.incidents.insert(incident);
        }
    }

    fn undo_challenge(
        &mut self,
        id: IncidentId,
        trigger: ObservationId,
        refuted: &[BeliefId],
        at: Instant,
    ) {
        self.retract_reputations(id, at);
        let mut touched = Vec::new();
        for belief in refuted {
            self.absolve(*belief, id);
            touched.push(*belief);
            let claims: Vec<_> = self.justifications_of(*belief).collect();
            touched.extend(self.reopened_by(&claims));
        }
        if self.observations.get(trigger).seq >= self.incidents.get(id).since {
            let source = self.observations.get(trigger).source;
            let before = self.reputation(source, crate::reputation::Scope::Overall);
            let statements = self.retract_observation(trigger);
            self.settle_source(source, before, at);
            touched.extend(self.reopened_by(&statements));
            touched.extend(
                statements
                    .iter()
                    .map(|it| self.justifications.get(*it).belief),
            );
            self.settle_hops(self.repeating_any(&[trigger]), at);
        }
        self.settle(Seeds::beliefs(touched), at);
    }

    /// The beliefs whose statements these claims had replaced: whether that holds may have moved.
    pub(super) fn reopened_by(&mut self, claims: &[JustificationId]) -> Vec<BeliefId> {
        let mut touched = Vec::new();
        let mut stack = claims.to_vec();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(newer) = stack.pop() {
            if !seen.insert(newer) {
                continue;
            }
            for id in self.superseded_by.get(&newer).cloned().unwrap_or_default() {
                let justification = self.justifications.get(id);
                touched.push(justification.belief);
                if let Grounds::Statement { observation, .. } = justification.grounds {
                    self.changes.observation_states.insert(observation);
                    touched.extend(self.beliefs_on_observation(observation));
                }
                // What that one had replaced hangs on it in turn.
                stack.push(id);
            }
        }
        touched
    }

    /// An observation counts as never written: saying it again is no replay.
    fn retract_observation(&mut self, id: ObservationId) -> Vec<JustificationId> {
        for key in replay::keys_of_known(self, id) {
            if self.observation_by_replay.get(&key) == Some(id) {
                self.observation_by_replay.remove(&key);
            }
        }
        self.forget_for_copying(id);
        let observation = self.observations.get_mut(id);
        observation.retracted = true;
        let statements = observation.statements.clone();
        self.changes.observation_states.insert(id);
        for statement in &statements {
            self.justifications.get_mut(*statement).retracted = true;
            self.changes.justifications.insert(*statement);
        }
        statements
    }

    fn cancel_tasks(&mut self, id: IncidentId, at: Instant) {
        let of_incident: Vec<_> = self
            .tasks
            .iter()
            .filter(|(_, it)| it.incident == id && it.is_open())
            .map(|(task, _)| task)
            .collect();
        for task in of_incident {
            self.cancel_task(task, at);
        }
    }

    pub(super) fn cancel_task(&mut self, task: TaskId, at: Instant) {
        self.tasks.get_mut(task).cancelled_at = Some(at);
        self.changes.tasks.insert(task);
        let (item, before) = (Item::Task(task), Some("open".to_owned()));
        self.announce(item, "status", before, "cancelled", None, at);
    }

    /// The review that the same command opened beside the incident.
    fn retract_reviews(
        &mut self,
        trigger: ObservationId,
        command: RangeInclusive<u64>,
        at: Instant,
    ) {
        let of_command = self
            .reviews
            .iter()
            .filter(|(_, it)| it.trigger == trigger && command.contains(&it.seq));
        let found: Vec<_> = of_command
            .map(|(id, it)| (id, it.challenger, it.claimed))
            .collect();
        for (review, challenger, claimed) in found {
            self.reviews.get_mut(review).retracted = true;
            let key = (self.origin(challenger), claimed);
            self.review_by_key.remove_mut(&key);
            self.changes.reviews.insert(review);
            let before = Some("open".to_owned());
            self.announce(
                Item::Review(review),
                "status",
                before,
                "retracted",
                None,
                at,
            );
        }
    }

    /// The reversals that it queued are cancelled; what was compensated stays so, and is listed.
    fn cancel_reversals(&mut self, id: IncidentId, at: Instant) {
        for action in self.incidents.get(id).reversals.clone() {
            self.cancel_reversal(action, id, at);
        }
    }

    /// Cancels the reversal of an action that an incident queued, unless it is done.
    pub(super) fn cancel_reversal(&mut self, action: ActionId, id: IncidentId, at: Instant) {
        let found = self.actions.get_mut(action);
        let done = found.status == ActionStatus::Reversed;
        let reversal = found
            .reversal
            .as_mut()
            .filter(|it| it.incident == id && !done);
        let Some(reversal) = reversal.filter(|it| !it.cancelled) else {
            return;
        };
        reversal.cancelled = true;
        reversal.next_at = None;
        let detail = found.detail.clone();
        self.pending.remove_mut(&action);
        self.move_action(action, ActionStatus::Executed, detail, at);
    }
}
