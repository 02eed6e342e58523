//! The fold: one event after the other changes the state. There is no other way to change it.

use std::sync::Arc;

use immune_model::{
    ActionClass, ActionId, ActionStatus, BeliefId, ChannelId, Closing, Decided, Derived, Event,
    Incident, Instant, Item, JustificationId, ObservationId, Observed, Premise, Proposal, Recorded,
    SourceId, Standing, Statement, Status, Text, Trust, Verdict,
};

use super::items::NewcomerEvent;
use super::{
    Action, Belief, BeliefNow, Channel, Decision, Edge, Grounds, IncidentRecord, Justification,
    Observation, ReputationEvent, ReputationKind, Reversal, Review, Source, State, Task,
    Transition, Use,
};
use crate::reputation::Scope;
use crate::support::{self, Levels};
use crate::{replay, subject};

/// What the beliefs touched by an event are recomputed for.
enum Seeds {
    /// Support was added to these.
    Added(Vec<BeliefId>),
    /// Anything may have happened to these.
    Any(Vec<BeliefId>),
}

impl State {
    /// Applies the next event of the log.
    ///
    /// # Panics
    /// When the event does not follow the last one, or its ids are not the next ones: the log was
    /// written by no planner of ours. Checked again here because a wrong status is worse than a
    /// stopped process.
    pub fn apply(&mut self, recorded: &Recorded) {
        assert_eq!(
            recorded.seq,
            self.seq + 1,
            "events are applied in order, without gaps"
        );
        assert!(
            self.at.is_none_or(|before| before <= recorded.at),
            "time never goes back"
        );
        self.seq = recorded.seq;
        self.at = Some(recorded.at);
        let first = self.changes.transitions.len();
        let cause = self.fold(&recorded.event, recorded.at);
        self.number_transitions(first, cause);
    }

    fn fold(&mut self, event: &Event, at: Instant) -> Option<Item> {
        match event {
            Event::MemoryCreated { name } => {
                assert!(self.name.is_none(), "a memory begins once");
                self.name = Some(name.clone());
            }
            Event::ChannelSet {
                channel,
                name,
                tier,
                carriage,
            } => {
                self.fold_channel(
                    *channel,
                    Channel {
                        name: name.clone(),
                        tier: *tier,
                        carriage: *carriage,
                        newcomer_events: Vec::new(),
                        sources: Vec::new(),
                    },
                );
            }
            Event::SourceAdded {
                source,
                channel,
                handle,
                kind,
                standing,
            } => {
                let added = Source {
                    channel: *channel,
                    handle: handle.clone(),
                    kind: *kind,
                    standing: *standing,
                    records: Vec::new(),
                    first_seq: self.seq,
                    first_seen: at,
                    events: Vec::new(),
                    last_observation: None,
                    last_derivation: None,
                };
                let id = self.sources.push(added);
                assert_eq!(id, *source, "sources are numbered in order");
                self.channels.get_mut(*channel).sources.push(id);
                self.source_by_handle
                    .insert_mut((*channel, handle.as_str().into()), id);
                self.changes.sources.insert(id);
            }
            Event::SourceDeclared { source } => {
                self.sources.get_mut(*source).standing = Standing::Declared;
                self.changes.sources.insert(*source);
                let touched = self.touched_by_source(*source);
                self.settle(Seeds::Any(touched), at);
            }
            Event::RecordNamed { source, area } => {
                let records = &mut self.sources.get_mut(*source).records;
                if !records.contains(area) {
                    records.push(area.clone());
                }
                self.changes.sources.insert(*source);
            }
            Event::Observed(observed) => self.fold_observed(observed, at),
            Event::Derived(derived) => self.fold_derived(derived, at),
            Event::StatementsClosed {
                justifications,
                closing,
            } => {
                self.fold_closing(justifications, *closing, at);
                return match closing {
                    Closing::Superseded { by } => Some(Item::Justification(*by)),
                    Closing::Expired | Closing::Forgotten => None,
                };
            }
            Event::BeliefClosed { belief, closing } => {
                let so_far: Vec<_> = self.justifications_of(*belief).collect();
                self.fold_closing(&so_far, *closing, at);
            }
            Event::ObservationClosed {
                observation,
                closing,
            } => {
                self.observations.get_mut(*observation).closing = Some(*closing);
                self.changes.observation_states.insert(*observation);
                let statements = self.observations.get(*observation).statements.clone();
                self.fold_closing(&statements, *closing, at);
                let dependents = self.beliefs_on_observation(*observation);
                self.settle(Seeds::Any(dependents), at);
            }
            Event::Checked {
                belief,
                record,
                verdict,
            } => {
                if *verdict == Verdict::Confirmed {
                    self.fold_survived(*belief, *record, at);
                }
                return Some(Item::Source(*record));
            }
            Event::IncidentOpened(incident) => {
                self.fold_incident(incident, at);
                return Some(Item::Incident(incident.incident));
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
            }
            Event::RuleSet(rule) => {
                if self.rules.find(rule.rule).is_some() {
                    *self.rules.get_mut(rule.rule) = rule.clone();
                } else {
                    assert_eq!(
                        self.rules.push(rule.clone()),
                        rule.rule,
                        "rules are numbered in order"
                    );
                }
                self.rule_by_kind.insert_mut(rule.kind.clone(), rule.rule);
                self.changes.rules.insert(rule.rule);
            }
            Event::Decided(decided) => self.fold_decided(decided),
            Event::Proposed(proposal) => self.fold_proposed(proposal, at),
            Event::Executed { action, result } => {
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
        }
        None
    }

    fn fold_channel(&mut self, id: ChannelId, set: Channel) {
        self.changes.channels.insert(id);
        if self.channels.find(id).is_none() {
            self.channel_by_name
                .insert_mut(set.name.as_str().into(), id);
            assert_eq!(
                self.channels.push(set),
                id,
                "channels are numbered in order"
            );
            return;
        }
        let at = self.at.expect("the event has a time");
        let channel = self.channels.get_mut(id);
        channel.tier = set.tier;
        channel.carriage = set.carriage;
        let sources = channel.sources.clone();
        let mut touched = Vec::new();
        for source in sources {
            self.changes.sources.insert(source);
            touched.extend(self.touched_by_source(source));
        }
        self.settle(Seeds::Any(touched), at);
    }

    fn fold_observed(&mut self, observed: &Observed, at: Instant) {
        let source = self.sources.get(observed.source);
        let observation = Observation {
            source: observed.source,
            namespace: observed.namespace.clone(),
            text: observed.text.clone(),
            sent_at: observed.sent_at,
            received_at: at,
            external_id: observed.external_id.clone(),
            run: observed.run.clone(),
            screening: observed.screening,
            statements: observed
                .statements
                .iter()
                .map(|it| it.justification)
                .collect(),
            closing: None,
            previous_of_source: source.last_observation,
            first_dependent: None,
        };
        let id = self.observations.push(observation);
        assert_eq!(
            id, observed.observation,
            "observations are numbered in order"
        );
        self.sources.get_mut(observed.source).last_observation = Some(id);
        for key in replay::keys_of(observed) {
            self.observation_by_replay.insert_mut(key, id);
        }
        self.changes.observations.insert(id);
        self.changes.observation_states.insert(id);
        let mut supported = Vec::new();
        for statement in &observed.statements {
            self.fold_statement(observed, statement, at);
            supported.push(statement.belief);
        }
        self.settle(Seeds::Added(supported), at);
    }

    fn fold_statement(&mut self, observed: &Observed, statement: &Statement, at: Instant) {
        self.ensure_belief(statement.belief, || Belief {
            namespace: observed.namespace.clone(),
            subject: statement.subject.clone(),
            text: statement.text.clone(),
            polarity: statement.polarity,
            literals: statement.literals.clone(),
            believed_at: at,
            refuted_in: None,
            last_justification: None,
            previous_of_subject: None,
            first_dependent: None,
            first_use: None,
        });
        let grounds = Grounds::Statement {
            observation: observed.observation,
            subject_from: statement.subject_from,
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
                closing: None,
                previous_of_belief: None,
                previous_of_agent: None,
            },
        );
    }

    fn fold_derived(&mut self, derived: &Derived, at: Instant) {
        self.ensure_belief(derived.belief, || Belief {
            namespace: derived.namespace.clone(),
            subject: derived.subject.clone(),
            text: derived.text.clone(),
            polarity: derived.polarity,
            literals: derived.literals.clone(),
            believed_at: at,
            refuted_in: None,
            last_justification: None,
            previous_of_subject: None,
            first_dependent: None,
            first_use: None,
        });
        let premises: Arc<[Premise]> = derived.premises.clone().into();
        let grounds = Grounds::Derivation {
            agent: derived.agent,
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
                closing: None,
                previous_of_belief: None,
                previous_of_agent,
            },
        );
        for premise in premises.iter() {
            self.push_edge(*premise, derived.justification);
        }
        self.settle(Seeds::Added(vec![derived.belief]), at);
    }

    fn ensure_belief(&mut self, id: BeliefId, new: impl FnOnce() -> Belief) {
        if self.beliefs.find(id).is_some() {
            return;
        }
        let mut belief = new();
        let about = (belief.namespace.clone(), belief.subject.clone());
        belief.previous_of_subject = self.last_by_subject.get(&about).copied();
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
        self.now.push(BeliefNow {
            status: Status::Unsupported,
            strength: Trust::ZERO,
            ended_at: None,
            levels: Levels::default(),
        });
        self.belief_by_key.insert_mut(key, id);
        self.last_by_subject.insert_mut(about, id);
        self.changes.beliefs.insert(id);
        self.changes.belief_states.insert(id);
    }

    fn push_justification(&mut self, id: JustificationId, mut justification: Justification) {
        let belief = justification.belief;
        justification.previous_of_belief = self.beliefs.get(belief).last_justification;
        if let Some(expires_at) = justification.expires_at {
            self.expiries.insert_mut((expires_at, id));
        }
        let pushed = self.justifications.push(justification);
        assert_eq!(pushed, id, "justifications are numbered in order");
        self.beliefs.get_mut(belief).last_justification = Some(id);
        self.changes.justifications.insert(id);
    }

    fn push_edge(&mut self, premise: Premise, justification: JustificationId) {
        let next = match premise {
            Premise::Belief(id) => self.beliefs.get(id).first_dependent,
            Premise::Observation(id) => self.observations.get(id).first_dependent,
        };
        let edge = Some(self.edges.push(Edge {
            justification,
            next,
        }));
        match premise {
            Premise::Belief(id) => self.beliefs.get_mut(id).first_dependent = edge,
            Premise::Observation(id) => self.observations.get_mut(id).first_dependent = edge,
        }
    }

    fn fold_closing(&mut self, closed: &[JustificationId], closing: Closing, at: Instant) {
        let mut touched = Vec::new();
        for id in closed {
            let seq = self.seq;
            let justification = self.justifications.get_mut(*id);
            justification.closing = Some((seq, closing));
            let (belief, expires_at) = (justification.belief, justification.expires_at);
            touched.push(belief);
            self.changes.justifications.insert(*id);
            if let Some(expires_at) = expires_at {
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
            }
        }
        self.settle(Seeds::Any(touched), at);
    }

    fn beliefs_on_observation(&self, id: ObservationId) -> Vec<BeliefId> {
        let dependents = self.dependents_of(Premise::Observation(id));
        dependents
            .map(|it| self.justifications.get(it).belief)
            .collect()
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
        for belief in &incident.refuted {
            self.beliefs.get_mut(*belief).refuted_in.get_or_insert(id);
            touched.push(*belief);
            for justification in self.justifications_of(*belief) {
                if let Grounds::Statement { observation, .. } =
                    self.justifications.get(justification).grounds
                {
                    stated.push((observation, *belief));
                }
                let voided = self.superseded_by.get(&justification).into_iter().flatten();
                touched.extend(voided.map(|it| self.justifications.get(*it).belief));
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
        self.incidents.get_mut(id).revoked = fallen.collect();
        stated.sort_unstable();
        for (observation, belief) in stated {
            self.fold_refuted_statement(id, observation, belief, at);
        }
    }

    /// The source that stated what was refuted pays, once per incident and per observation.
    fn fold_refuted_statement(
        &mut self,
        incident: immune_model::IncidentId,
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

    fn fold_decided(&mut self, decided: &Decided) {
        let id = self.decisions.push(Decision {
            agent: decided.agent,
            relied_on: decided.relied_on.clone(),
            used_by: decided.used_by,
            waivers: decided.waivers.clone(),
            run: decided.run.clone(),
            action: None,
        });
        assert_eq!(id, decided.decision, "decisions are numbered in order");
        self.changes.decisions.insert(id);
        for belief in &decided.relied_on {
            let next = self.beliefs.get(*belief).first_use;
            let edge = self.uses.push(Use { decision: id, next });
            self.beliefs.get_mut(*belief).first_use = Some(edge);
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
            detail: proposal.refusal.clone(),
            warnings: proposal.warnings.clone(),
            proposed_at: at,
            ended_at: None,
            reversal: None,
        });
        assert_eq!(id, proposal.action, "actions are numbered in order");
        self.decisions.get_mut(proposal.decision).action = Some(id);
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

    fn fold_reversal_queued(
        &mut self,
        id: ActionId,
        incident: immune_model::IncidentId,
        at: Instant,
    ) {
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

    fn move_action(&mut self, id: ActionId, to: ActionStatus, detail: Option<Text>, at: Instant) {
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

    /// Every belief whose strength a source is part of: what it states, and what it derives.
    fn touched_by_source(&self, id: SourceId) -> Vec<BeliefId> {
        let statements = self.observations_of(id).flat_map(|it| {
            let statements = self.observations.get(it).statements.iter();
            let stated = statements.map(|it| self.justifications.get(*it).belief);
            stated
                .chain(self.beliefs_on_observation(it))
                .collect::<Vec<_>>()
        });
        let derived = self
            .derivations_of(id)
            .map(|it| self.justifications.get(it).belief);
        statements.chain(derived).collect()
    }

    /// Recomputes the cone of these beliefs and takes over what comes out.
    fn settle(&mut self, seeds: Seeds, at: Instant) {
        let seeds = match seeds {
            Seeds::Added(seeds) => seeds
                .into_iter()
                .filter(|it| !support::adds_nothing(self, *it))
                .collect(),
            Seeds::Any(seeds) => seeds,
        };
        if seeds.is_empty() {
            return;
        }
        for verdict in support::recompute(self, &seeds) {
            let before = *self.now.get(verdict.belief);
            let ended = before.status == Status::Active && verdict.status != Status::Active;
            let after = BeliefNow {
                status: verdict.status,
                strength: verdict.strength,
                ended_at: match verdict.status {
                    Status::Active => None,
                    _ if ended => Some(at),
                    _ => before.ended_at,
                },
                levels: verdict.levels,
            };
            if before == after {
                continue;
            }
            *self.now.get_mut(verdict.belief) = after;
            self.changes.belief_states.insert(verdict.belief);
            if before.status != after.status {
                self.announce_belief(verdict.belief, before, after, at);
            }
        }
    }

    fn announce_belief(&mut self, id: BeliefId, before: BeliefNow, after: BeliefNow, at: Instant) {
        let decisions: Vec<_> = self.decisions_on(id).collect();
        self.changes.decisions.extend(decisions);
        let known = (before.status != Status::Unsupported).then(|| before.status.name().to_owned());
        self.announce(
            Item::Belief(id),
            "status",
            known,
            after.status.name(),
            None,
            at,
        );
    }

    fn announce(
        &mut self,
        item: Item,
        change: &'static str,
        before: Option<String>,
        after: &str,
        cause: Option<Item>,
        at: Instant,
    ) {
        let seq = self.seq;
        let after = after.to_owned();
        self.changes.transitions.push(Transition {
            seq,
            position: 0,
            at,
            item,
            change,
            before,
            after,
            cause,
        });
    }

    /// Numbers the transitions of one event, and names its item as their cause. An item that
    /// passed through several conditions within the event is announced once, from first to last.
    fn number_transitions(&mut self, first: usize, cause: Option<Item>) {
        let added = self.changes.transitions.split_off(first);
        let mut merged: Vec<Transition> = Vec::with_capacity(added.len());
        let mut places = rustc_hash::FxHashMap::default();
        for transition in added {
            let place = *places
                .entry((transition.item, transition.change))
                .or_insert_with(|| {
                    merged.push(transition.clone());
                    merged.len() - 1
                });
            if let Some(known) = merged.get_mut(place) {
                known.after = transition.after;
            }
        }
        merged.retain(|it| it.before.as_deref() != Some(it.after.as_str()));
        for (position, mut transition) in merged.into_iter().enumerate() {
            transition.position = position as u32;
            transition.cause = transition
                .cause
                .or(cause.filter(|it| *it != transition.item));
            self.changes.transitions.push(transition);
        }
    }
}
