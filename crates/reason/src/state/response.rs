//! Folding responses: checks that were survived, refutations and what they cost, reviews, tasks.

use immune_model::{
    BeliefId, Event, Incident, IncidentId, Instant, Item, JustificationId, TaskId, Verdict,
};

use super::settle::Seeds;
use super::{Cause, Grounds, IncidentRecord, Review, State, Task};

impl State {
    pub(super) fn fold_response(&mut self, event: &Event, at: Instant) -> Option<Item> {
        match event {
            Event::Checked {
                belief,
                record,
                verdict,
            } => {
                if *verdict == Verdict::Confirmed {
                    self.fold_survived(*belief, *record, at);
                }
                Some(Item::Source(*record))
            }
            Event::IncidentOpened(incident) => {
                self.fold_incident(incident, at);
                Some(Item::Incident(incident.incident))
            }
            Event::ReviewOpened { .. } => {
                self.fold_review(event, at);
                None
            }
            Event::TaskOpened { .. } | Event::TasksOpened { .. } | Event::TaskDone { .. } => {
                self.fold_tasks(event, at);
                None
            }
            Event::Flagged {
                incident,
                since,
                target,
                received_from,
                reason,
            } => {
                let cause = Cause::Flag {
                    target: *target,
                    received_from: *received_from,
                    reason: reason.clone(),
                };
                self.fold_flag(*incident, *since, cause, at);
                Some(Item::Incident(*incident))
            }
            Event::Attributed(_) | Event::EvidenceGiven { .. } | Event::Paroled { .. } => {
                self.fold_attribution(event, at)
            }
            // It stays where it is: the log keeps that it was tested.
            Event::ParoleHeld { .. } => None,
            Event::Reinstated { incident } => {
                self.fold_reinstated(*incident, at);
                Some(Item::Incident(*incident))
            }
            _ => unreachable!("`fold` hands over responses, and nothing else"),
        }
    }

    fn fold_tasks(&mut self, event: &Event, at: Instant) {
        match event {
            Event::TaskOpened {
                task,
                belief,
                incident,
            } => {
                self.fold_task(*task, *belief, *incident, at);
            }
            Event::TasksOpened {
                incident,
                first,
                beliefs,
            } => {
                for (task, belief) in (first.number()..).map(TaskId::new).zip(beliefs) {
                    self.fold_task(task, *belief, *incident, at);
                }
            }
            Event::TaskDone {
                task,
                justification,
            } => {
                self.tasks.get_mut(*task).done = Some((*justification, at));
                self.changes.tasks.insert(*task);
                let (item, before) = (Item::Task(*task), Some("open".to_owned()));
                let cause = Some(Item::Justification(*justification));
                self.announce(item, "status", before, "done", cause, at);
            }
            _ => unreachable!("`fold_response` hands over tasks, and nothing else"),
        }
    }

    fn fold_task(&mut self, task: TaskId, belief: BeliefId, incident: IncidentId, at: Instant) {
        let opened = Task {
            belief,
            incident,
            opened_at: at,
            cancelled_at: None,
            done: None,
        };
        assert_eq!(self.tasks.push(opened), task, "tasks are numbered in order");
        self.changes.tasks.insert(task);
        let cause = Some(Item::Incident(incident));
        self.announce(Item::Task(task), "status", None, "open", cause, at);
    }

    fn fold_review(&mut self, event: &Event, at: Instant) {
        let Event::ReviewOpened {
            review,
            trigger,
            challenger,
            claimed,
            subject,
            against,
        } = event
        else {
            unreachable!("`fold_response` hands over reviews, and nothing else");
        };
        let opened = Review {
            trigger: *trigger,
            challenger: *challenger,
            claimed: *claimed,
            subject: subject.clone(),
            against: against.clone(),
            opened_at: at,
            retracted: false,
            seq: self.seq,
        };
        assert_eq!(
            self.reviews.push(opened),
            *review,
            "reviews are numbered in order"
        );
        let key = (self.origin(*challenger), *claimed);
        self.review_by_key.insert_mut(key, *review);
        self.changes.reviews.insert(*review);
        self.announce(Item::Review(*review), "status", None, "open", None, at);
    }

    fn incident_record(&self, cause: Cause, since: u64, at: Instant) -> IncidentRecord {
        IncidentRecord {
            cause,
            revoked: Vec::new(),
            reputations: Vec::new(),
            reversals: Vec::new(),
            opened_at: at,
            since,
            seq: self.seq,
            reinstated_at: None,
            paroled: Vec::new(),
        }
    }

    fn fold_flag(&mut self, id: IncidentId, since: u64, cause: Cause, at: Instant) {
        let opened = self.incident_record(cause, since, at);
        let before = self.passed.len();
        self.fold_flagged(id, opened, at);
        self.incidents.get_mut(id).revoked = self.revoked_since(before);
    }

    fn fold_incident(&mut self, incident: &Incident, at: Instant) {
        let id = incident.incident;
        let cause = Cause::Challenge {
            trigger: incident.trigger,
            challenger: incident.challenger,
            subject: incident.subject.clone(),
            refuted: incident.refuted.clone(),
        };
        let opened = self.incident_record(cause, incident.since, at);
        assert_eq!(
            self.incidents.push(opened),
            id,
            "incidents are numbered in order"
        );
        self.changes.incidents.insert(id);
        let mut touched = Vec::new();
        let mut stated = Vec::new();
        let mut claims: Vec<JustificationId> = Vec::new();
        for belief in &incident.refuted {
            self.refute(*belief, id);
            touched.push(*belief);
            for justification in self.justifications_of(*belief) {
                if let Grounds::Statement { observation, .. } =
                    self.justifications.get(justification).grounds
                {
                    stated.push((observation, *belief));
                }
                claims.push(justification);
            }
        }
        // What the refuted claims had replaced holds again.
        touched.extend(self.reopened_by(&claims));
        let before = self.passed.len();
        self.settle(Seeds::beliefs(touched), at);
        self.incidents.get_mut(id).revoked = self.revoked_since(before);
        stated.sort_unstable();
        self.fold_refuted_statements(id, &stated, at);
    }
}
