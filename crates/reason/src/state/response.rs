//! Folding responses: checks that were survived, refutations and what they cost, reviews, tasks.

use std::sync::Arc;

use immune_model::{
    BeliefId, Event, Incident, IncidentId, Instant, Item, JustificationId, ObservationId, SourceId,
    Standing, Status, Verdict,
};

use super::items::NewcomerEvent;
use super::settle::Seeds;
use super::{Grounds, IncidentRecord, ReputationEvent, ReputationKind, Review, State, Task};
use crate::reputation::Scope;

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
            Event::ReviewOpened {
                review,
                trigger,
                challenger,
                claimed,
                subject,
                against,
            } => {
                let opened = Review {
                    trigger: *trigger,
                    challenger: *challenger,
                    claimed: *claimed,
                    subject: subject.clone(),
                    against: against.clone(),
                    opened_at: at,
                };
                assert_eq!(
                    self.reviews.push(opened),
                    *review,
                    "reviews are numbered in order"
                );
                self.review_by_key
                    .insert_mut((*challenger, *claimed), *review);
                self.changes.reviews.insert(*review);
                self.announce(Item::Review(*review), "status", None, "open", None, at);
                None
            }
            Event::TaskOpened {
                task,
                belief,
                incident,
            } => {
                let opened = Task {
                    belief: *belief,
                    incident: *incident,
                    opened_at: at,
                };
                assert_eq!(
                    self.tasks.push(opened),
                    *task,
                    "tasks are numbered in order"
                );
                self.changes.tasks.insert(*task);
                let cause = Some(Item::Incident(*incident));
                self.announce(Item::Task(*task), "status", None, "open", cause, at);
                None
            }
            _ => unreachable!("`fold` hands over responses, and nothing else"),
        }
    }

    fn fold_survived(&mut self, belief: BeliefId, record: SourceId, at: Instant) {
        for source in self.sources_stating(belief) {
            let survived = ReputationKind::Survived { belief };
            let known = self
                .sources
                .get(source)
                .events
                .iter()
                .any(|it| it.kind == survived);
            if source != record && !known {
                self.push_reputation(source, belief, survived, at);
            }
        }
    }

    fn fold_incident(&mut self, incident: &Incident, at: Instant) {
        let id = incident.incident;
        let opened = IncidentRecord {
            trigger: incident.trigger,
            challenger: incident.challenger,
            subject: incident.subject.clone(),
            refuted: incident.refuted.clone(),
            revoked: Vec::new(),
            reputations: Vec::new(),
            reversals: Vec::new(),
            opened_at: at,
            seq: self.seq,
        };
        assert_eq!(
            self.incidents.push(opened),
            id,
            "incidents are numbered in order"
        );
        self.changes.incidents.insert(id);
        let mut touched = Vec::new();
        let mut stated = Vec::new();
        let mut voided: Vec<JustificationId> = Vec::new();
        for belief in &incident.refuted {
            self.beliefs.get_mut(*belief).refuted_in.get_or_insert(id);
            touched.push(*belief);
            for justification in self.justifications_of(*belief) {
                if let Grounds::Statement { observation, .. } =
                    self.justifications.get(justification).grounds
                {
                    stated.push((observation, *belief));
                }
                voided.extend(self.superseded_by.get(&justification).into_iter().flatten());
            }
        }
        // What the refuted claims had replaced holds again.
        for justification in voided {
            let reopened = self.justifications.get(justification);
            touched.push(reopened.belief);
            if let Grounds::Statement { observation, .. } = reopened.grounds {
                self.changes.observation_states.insert(observation);
                touched.extend(self.beliefs_on_observation(observation));
            }
        }
        let before = self.changes.transitions.len();
        self.settle(Seeds::Any(touched), at);
        let fallen = self
            .changes
            .transitions
            .iter()
            .skip(before)
            .filter_map(|it| match it.item {
                Item::Belief(belief) if it.after == Status::Revoked.name() => Some(belief),
                _ => None,
            });
        let mut fallen: Vec<BeliefId> = fallen.collect();
        fallen.sort_unstable();
        self.incidents.get_mut(id).revoked = fallen;
        stated.sort_unstable();
        for (observation, belief) in stated {
            self.fold_refuted_statement(id, observation, belief, at);
        }
    }

    /// The source that stated what was refuted pays, once per incident and per observation.
    fn fold_refuted_statement(
        &mut self,
        incident: IncidentId,
        observation: ObservationId,
        belief: BeliefId,
        at: Instant,
    ) {
        let source = self.observations.get(observation).source;
        let paid = self
            .sources
            .get(source)
            .events
            .iter()
            .any(|it| match it.kind {
                ReputationKind::Refuted {
                    incident: other,
                    observation: earlier,
                } => other == incident || earlier == observation,
                ReputationKind::Survived { .. } => false,
            });
        if !paid {
            let before = self.reputation(source, Scope::Overall);
            self.push_reputation(
                source,
                belief,
                ReputationKind::Refuted {
                    incident,
                    observation,
                },
                at,
            );
            let after = self.reputation(source, Scope::Overall);
            self.incidents
                .get_mut(incident)
                .reputations
                .push((source, before, after));
        }
    }

    fn push_reputation(
        &mut self,
        id: SourceId,
        belief: BeliefId,
        kind: ReputationKind,
        at: Instant,
    ) {
        let area: Arc<str> = self.beliefs.get(belief).subject.area().into();
        let before = self.reputation(id, Scope::Overall);
        let seq = self.seq;
        let survived = matches!(kind, ReputationKind::Survived { .. });
        let source = self.sources.get_mut(id);
        source.events.push(ReputationEvent {
            seq,
            area: Arc::clone(&area),
            kind,
        });
        if source.standing == Standing::Newcomer {
            let channel = source.channel;
            let events = &mut self.channels.get_mut(channel).newcomer_events;
            let known = events
                .iter()
                .any(|it| it.source == id && it.survived == survived && it.area == area);
            if !known {
                events.push(NewcomerEvent {
                    seq,
                    source: id,
                    area,
                    survived,
                });
            }
        }
        self.changes.sources.insert(id);
        let after = self.reputation(id, Scope::Overall);
        if before != after {
            let (before, after) = (before.to_string(), after.to_string());
            self.announce(
                Item::Source(id),
                "reputation",
                Some(before),
                &after,
                None,
                at,
            );
        }
        let touched = self.touched_by_source(id);
        self.settle(Seeds::Any(touched), at);
    }
}
