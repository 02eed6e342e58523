//! Folding content: what sources state, what agents derive, what is closed.

use std::sync::Arc;

use immune_model::{
    BeliefId, Closing, Derived, Hedge, Instant, JustificationId, Metadata, ObservationId, Observed,
    Premise, Statement, Write,
};

use super::context::Taken;
use super::lookup::subject_key;
use super::settle::Seeds;
use super::{Belief, Edge, Grounds, Justification, Observation, State};
use crate::{replay, subject};

impl State {
    pub(super) fn fold_observed(&mut self, observed: &Observed, at: Instant) {
        let write = Write::Observation(observed.observation);
        let taken = self.take_context(observed.run.as_ref(), write);
        let source = self.sources.get(observed.source);
        let observation = Observation {
            source: observed.source,
            namespace: observed.namespace.clone(),
            text: observed.text.clone(),
            sent_at: observed.sent_at,
            received_at: at,
            external_id: observed.external_id.clone(),
            run: observed.run.clone(),
            context: taken.context,
            screening: observed.screening,
            statements: observed
                .statements
                .iter()
                .map(|it| it.justification)
                .collect(),
            closing: None,
            retracted: false,
            seq: self.seq,
            previous_of_source: source.last_observation,
            first_dependent: None,
        };
        let id = self.observations.push(observation);
        assert_eq!(
            id, observed.observation,
            "observations are numbered in order"
        );
        self.sources.get_mut(observed.source).last_observation = Some(id);
        self.note_in_context(taken.context, write);
        for key in replay::keys_of(observed) {
            self.observation_by_replay.insert(key, id);
        }
        self.changes.observations.insert(id);
        self.changes.observation_states.insert(id);
        let mut supported = Vec::new();
        for statement in &observed.statements {
            self.fold_statement(observed, statement, &taken, at);
            supported.push(statement.justification);
        }
        self.settle(Seeds::justifications(supported), at);
        self.note_for_copying(observed);
    }

    /// Notes how sure the claims of the next event are, before they are folded and trusted.
    pub(super) fn fold_hedged(&mut self, claims: &[Hedge]) {
        for it in claims {
            assert!(
                it.justification >= self.justifications.next_id(),
                "a claim is hedged before it is made"
            );
            self.confidences.insert_mut(it.justification, it.confidence);
        }
    }

    pub(super) fn fold_annotated(&mut self, write: Write, metadata: &Metadata) {
        assert!(self.contains(write.into()), "what is annotated is there");
        if metadata.is_empty() {
            self.metadata.remove_mut(&write);
        } else {
            self.metadata.insert_mut(write, metadata.clone());
        }
    }

    fn fold_statement(
        &mut self,
        observed: &Observed,
        statement: &Statement,
        taken: &Taken,
        at: Instant,
    ) {
        self.ensure_belief(statement.belief, || Belief {
            namespace: observed.namespace.clone(),
            subject: statement.subject.clone(),
            text: statement.text.clone(),
            polarity: statement.polarity,
            literals: statement.literals.clone(),
            believed_at: at,
            refuted_in: None,
            previous_of_subject: None,
        });
        let grounds = Grounds::Statement {
            observation: observed.observation,
            subject_from: statement.subject_from,
            carriers: taken.carriers_of(statement.justification),
        };
        self.push_justification(
            statement.justification,
            Justification {
                belief: statement.belief,
                grounds,
                text: statement.text.clone(),
                valid_from: statement.valid_from,
                valid_until: statement.valid_until,
                expires_at: statement.expires_at,
                seq: self.seq,
                at,
                run: observed.run.clone(),
                context: taken.context,
                closings: Vec::new(),
                retracted: false,
                previous_of_agent: None,
            },
        );
    }

    pub(super) fn fold_derived(&mut self, derived: &Derived, at: Instant) {
        self.ensure_belief(derived.belief, || Belief {
            namespace: derived.namespace.clone(),
            subject: derived.subject.clone(),
            text: derived.text.clone(),
            polarity: derived.polarity,
            literals: derived.literals.clone(),
            believed_at: at,
            refuted_in: None,
            previous_of_subject: None,
        });
        let write = Write::Justification(derived.justification);
        let taken = self.take_context(derived.run.as_ref(), write);
        self.note_in_context(taken.context, write);
        let premises: Arc<[Premise]> = derived.premises.clone().into();
        let grounds = Grounds::Derivation {
            agent: Some(derived.agent),
            premises: Arc::clone(&premises),
        };
        let previous_of_agent = self
            .sources
            .get_mut(derived.agent)
            .last_derivation
            .replace(derived.justification);
        self.push_justification(
            derived.justification,
            Justification {
                belief: derived.belief,
                grounds,
                text: derived.text.clone(),
                valid_from: None,
                valid_until: None,
                expires_at: derived.expires_at,
                seq: self.seq,
                at,
                run: derived.run.clone(),
                context: taken.context,
                closings: Vec::new(),
                retracted: false,
                previous_of_agent,
            },
        );
        self.settle(Seeds::justifications(vec![derived.justification]), at);
    }

    fn ensure_belief(&mut self, id: BeliefId, new: impl FnOnce() -> Belief) {
        if self.beliefs.find(id).is_some() {
            return;
        }
        let mut belief = new();
        let deciding = subject::decisive(&belief.subject, &belief.literals);
        if !deciding.is_empty() {
            // Whoever states a value first must not hang other literals on it.
            belief.literals = deciding.into_iter().cloned().collect();
        }
        let about = subject_key(&belief.namespace, &belief.subject);
        belief.previous_of_subject = self.last_by_subject.get(&about);
        let key = subject::belief_key(
            &belief.namespace,
            &belief.subject,
            belief.polarity,
            &belief.literals,
            belief.text.as_str(),
        );
        assert_eq!(
            self.beliefs.push(belief),
            id,
            "beliefs are numbered in order"
        );
        self.now.push_belief();
        self.belief_by_key.insert(key, id);
        self.last_by_subject.insert(about, id);
        self.changes.beliefs.insert(id);
        self.changes.belief_states.insert(id);
    }

    /// Links a justification to what it supports and what it rests on.
    pub(super) fn push_justification(&mut self, id: JustificationId, justification: Justification) {
        let belief = justification.belief;
        let is_timed = justification.valid_from.is_some() || justification.valid_until.is_some();
        self.n_timed += usize::from(is_timed);
        if let Some(expires_at) = justification.expires_at {
            self.expiries.insert_mut((expires_at, id));
        }
        let beliefs: Vec<BeliefId> = match &justification.grounds {
            Grounds::Statement { carriers, .. } => carriers.to_vec(),
            Grounds::Derivation { premises, .. } => {
                let premises = Arc::clone(premises);
                let mut beliefs = Vec::with_capacity(premises.len());
                for premise in premises.iter() {
                    match *premise {
                        Premise::Belief(it) => beliefs.push(it),
                        Premise::Observation(it) => self.push_edge(it, id),
                    }
                }
                beliefs
            }
        };
        let network = &mut self.now.network;
        network.push_justification(belief, &beliefs);
        if self.beliefs.get(belief).text != justification.text {
            network.note_words(belief);
        }
        let pushed = self.justifications.push(justification);
        assert_eq!(pushed, id, "justifications are numbered in order");
        self.changes.justifications.insert(id);
        if !self.contexts.is_empty() {
            let mut taint = std::mem::take(&mut self.contexts.taint);
            taint.note_justification(self, id);
            self.contexts.taint = taint;
        }
    }

    fn push_edge(&mut self, premise: ObservationId, justification: JustificationId) {
        let next = self.observations.get(premise).first_dependent;
        let edge = self.edges.push(Edge {
            justification,
            next,
        });
        self.observations.get_mut(premise).first_dependent = Some(edge);
    }

    pub(super) fn fold_closing(
        &mut self,
        closed: &[JustificationId],
        closing: Closing,
        at: Instant,
    ) {
        let mut touched = Vec::new();
        for id in closed {
            let seq = self.seq;
            let justification = self.justifications.get_mut(*id);
            justification.closings.push((seq, closing));
            let (belief, expires_at) = (justification.belief, justification.expires_at);
            touched.push(belief);
            self.changes.justifications.insert(*id);
            // What is superseded may come back, and has to expire then.
            let for_good = !matches!(closing, Closing::Superseded { .. });
            if let Some(expires_at) = expires_at.filter(|_| for_good) {
                self.expiries.remove_mut(&(expires_at, *id));
            }
            if let Grounds::Statement { observation, .. } = self.justifications.get(*id).grounds {
                self.changes.observation_states.insert(observation);
                touched.extend(self.beliefs_on_observation(observation));
            }
            if let Closing::Superseded { by } = closing {
                let mut all = self.superseded_by.get(&by).cloned().unwrap_or_default();
                all.push(*id);
                self.superseded_by.insert_mut(by, all);
                // What this one had replaced is replaced by the newer one too.
                touched.extend(self.reopened_by(&[*id]));
            }
        }
        self.settle(Seeds::beliefs(touched), at);
    }

    pub(super) fn fold_observation_closed(
        &mut self,
        id: ObservationId,
        closing: Closing,
        at: Instant,
    ) {
        self.observations.get_mut(id).closing = Some(closing);
        self.changes.observation_states.insert(id);
        let statements = self.observations.get(id).statements.clone();
        self.fold_closing(&statements, closing, at);
        let dependents = self.beliefs_on_observation(id);
        self.settle(Seeds::beliefs(dependents), at);
    }

    pub(super) fn beliefs_on_observation(&self, id: ObservationId) -> Vec<BeliefId> {
        let dependents = self.dependents_of(Premise::Observation(id));
        dependents
            .map(|it| self.justifications.get(it).belief)
            .collect()
    }
}
