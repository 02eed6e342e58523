//! Folding a graph that was imported: items as they are, nothing read from their texts.
//!
//! The parts of one import lie in one commit; what its justifications support is recomputed once,
//! with the last part.

use std::sync::Arc;

use immune_model::{
    GraphAction, GraphBelief, GraphDecision, GraphJustification, GraphNode, GraphObservation,
    GraphSource, Instant, Item, Namespace, Premise, Screening, Standing, Text, UsedBy,
};

use super::lookup::subject_key;
use super::settle::Seeds;
use super::{Action, Belief, Decision, Grounds, Justification, Observation, State};
use crate::subject;

impl State {
    pub(super) fn fold_graph(&mut self, since: Option<u64>, nodes: &[GraphNode], at: Instant) {
        for node in nodes {
            self.add_alias(node);
            match node {
                GraphNode::Source(it) => self.fold_graph_source(it, at),
                GraphNode::Observation(it) => self.fold_graph_observation(it, at),
                GraphNode::Belief(it) => self.fold_graph_belief(it, at),
                GraphNode::Justification(it) => self.fold_graph_justification(it, at),
                GraphNode::Decision(it) => self.fold_graph_decision(it),
                GraphNode::Action(it) => self.fold_graph_action(it, at),
            }
        }
        if let Some(since) = since {
            let written = self.justifications.ids().rev();
            let imported = written.take_while(|it| self.justifications.get(*it).seq >= since);
            let supported = imported.collect();
            self.settle(Seeds::justifications(supported), at);
        }
    }

    fn fold_graph_source(&mut self, node: &GraphSource, at: Instant) {
        let handle = immune_model::Handle::new(node.alias.as_str());
        let handle = handle.expect("an alias keeps to what a handle keeps to");
        let standing = Standing::Declared;
        let added = self.new_source(node.channel, handle, node.kind, standing, at);
        self.fold_source_added(added, node.source);
    }

    fn fold_graph_observation(&mut self, node: &GraphObservation, at: Instant) {
        let previous_of_source = self.sources.get(node.source).last_observation;
        let id = self.observations.push(Observation {
            source: node.source,
            namespace: Namespace::ROOT,
            text: node.text.clone(),
            sent_at: node.sent_at,
            received_at: at,
            external_id: None,
            run: None,
            context: None,
            screening: Screening::Explicit,
            statements: Vec::new(),
            closing: None,
            retracted: false,
            seq: self.seq,
            previous_of_source,
            first_dependent: None,
        });
        assert_eq!(id, node.observation, "observations are numbered in order");
        self.sources.get_mut(node.source).last_observation = Some(id);
        self.changes.observations.insert(id);
        self.changes.observation_states.insert(id);
    }

    fn fold_graph_belief(&mut self, node: &GraphBelief, at: Instant) {
        let deciding = subject::decisive(&node.subject, &node.literals);
        let literals = if deciding.is_empty() {
            node.literals.clone()
        } else {
            deciding.into_iter().cloned().collect()
        };
        let about = subject_key(&Namespace::ROOT, &node.subject);
        let named = !node.subject.is_none();
        let before = self.last_by_subject.get(&about);
        let key = subject::belief_key(
            &Namespace::ROOT,
            &node.subject,
            node.polarity,
            &literals,
            node.text.as_str(),
        );
        let id = self.beliefs.push(Belief {
            namespace: Namespace::ROOT,
            subject: node.subject.clone(),
            text: node.text.clone(),
            polarity: node.polarity,
            literals,
            believed_at: at,
            refuted_in: None,
            previous_of_subject: before.filter(|_| named),
        });
        assert_eq!(id, node.belief, "beliefs are numbered in order");
        self.now.push_belief();
        if named {
            // Two that say the same are two; who states the value later adds to the first.
            if self.belief_by_key.get(&key).is_none() {
                self.belief_by_key.insert(key, id);
            }
            self.last_by_subject.insert(about, id);
        }
        self.changes.beliefs.insert(id);
        self.changes.belief_states.insert(id);
    }

    fn fold_graph_justification(&mut self, node: &GraphJustification, at: Instant) {
        let premises: Arc<[Premise]> = node.premises.clone().into();
        let justification = Justification {
            belief: node.belief,
            text: self.beliefs.get(node.belief).text.clone(),
            grounds: Grounds::Derivation {
                agent: None,
                premises,
            },
            valid_from: None,
            valid_until: None,
            expires_at: None,
            seq: self.seq,
            at,
            run: None,
            context: None,
            closings: Vec::new(),
            retracted: false,
            previous_of_agent: None,
        };
        self.push_justification(node.justification, justification);
    }

    fn fold_graph_decision(&mut self, node: &GraphDecision) {
        self.push_decision(
            node.decision,
            Decision {
                agent: node.agent,
                relied_on: node.relied_on.clone(),
                used_by: UsedBy::Named,
                waivers: Vec::new(),
                run: None,
                context: None,
                actions: Vec::new(),
            },
        );
    }

    fn fold_graph_action(&mut self, node: &GraphAction, at: Instant) {
        let payload = Text::new(node.alias.as_str());
        let id = self.actions.push(Action {
            decision: node.decision,
            kind: node.kind.clone(),
            class: node.class,
            payload: payload.expect("an alias keeps to what a text keeps to"),
            status: node.status,
            result: None,
            detail: None,
            warnings: Vec::new(),
            proposed_at: at,
            ended_at: None,
            reversal: None,
        });
        assert_eq!(id, node.action, "actions are numbered in order");
        self.decisions.get_mut(node.decision).actions.push(id);
        self.changes.actions.insert(id);
        let cause = Some(Item::Decision(node.decision));
        self.announce(
            Item::Action(id),
            "status",
            None,
            node.status.name(),
            cause,
            at,
        );
    }
}
