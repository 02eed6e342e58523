//! Folding what moves reputations: survived checks, refuted statements, and both undone.
//!
//! Every event is kept; what counts is decided by the fold in `reputation`, so that undoing one
//! leaves what the log without it would give.

use std::collections::BTreeMap;
use std::sync::Arc;

use immune_model::{
    BeliefId, ChannelId, IncidentId, Instant, Item, ObservationId, SourceId, Standing, Trust,
};

use super::items::NewcomerEvent;
use super::settle::Seeds;
use super::{Grounds, ReputationEvent, ReputationKind, State};
use crate::reputation::Scope;

impl State {
    pub(super) fn fold_survived(&mut self, belief: BeliefId, record: SourceId, at: Instant) {
        for source in self.sources_stating(belief) {
            if source != record && !self.has_survived(source, belief) {
                let before = self.reputation(source, Scope::Overall);
                self.push_reputation(source, belief, ReputationKind::Survived { belief });
                self.settle_source(source, before, at);
            }
        }
    }

    /// Whether a source's statement of this belief survived a check before: it counts once.
    pub(crate) fn has_survived(&self, source: SourceId, belief: BeliefId) -> bool {
        let survived = ReputationKind::Survived { belief };
        let mut events = self.sources.get(source).events.iter();
        events.any(|it| it.kind == survived && !it.retracted)
    }

    /// The sources that stated what was refuted pay.
    pub(super) fn fold_refuted_statements(
        &mut self,
        incident: IncidentId,
        stated: &[(ObservationId, BeliefId)],
        at: Instant,
    ) {
        let mut before: BTreeMap<SourceId, Trust> = BTreeMap::new();
        for (observation, belief) in stated {
            let observation = *observation;
            let source = self.observations.get(observation).source;
            before
                .entry(source)
                .or_insert_with(|| self.reputation(source, Scope::Overall));
            let kind = ReputationKind::Refuted {
                incident,
                observation,
            };
            self.push_reputation(source, *belief, kind);
        }
        let mut touched = Seeds::default();
        for (source, before) in before {
            let after = self.note_reputation(source, before, at);
            touched.extend(self.touched_by_source(source));
            if before != after {
                self.incidents
                    .get_mut(incident)
                    .reputations
                    .push((source, before, after));
            }
        }
        self.settle(touched, at);
    }

    fn push_reputation(&mut self, id: SourceId, belief: BeliefId, kind: ReputationKind) {
        let area: Arc<str> = self.beliefs.get(belief).subject.area().into();
        let seq = self.seq;
        let source = self.sources.get_mut(id);
        source.events.push(ReputationEvent {
            seq,
            area: Arc::clone(&area),
            kind,
            retracted: false,
        });
        if source.standing == Standing::Newcomer {
            let channel = source.channel;
            let survived = matches!(kind, ReputationKind::Survived { .. });
            let event = NewcomerEvent {
                seq,
                source: id,
                area,
                survived,
                retracted: false,
            };
            self.channels.get_mut(channel).newcomer_events.push(event);
        }
    }

    /// Recomputes what a source is part of, and announces its reputation if that moved. Returns
    /// the reputation now.
    pub(super) fn settle_source(&mut self, id: SourceId, before: Trust, at: Instant) -> Trust {
        let after = self.note_reputation(id, before, at);
        let touched = self.touched_by_source(id);
        self.settle(touched, at);
        after
    }

    /// Announces a source's reputation if that moved, and gives it.
    fn note_reputation(&mut self, id: SourceId, before: Trust, at: Instant) -> Trust {
        self.changes.sources.insert(id);
        let after = self.reputation(id, Scope::Overall);
        if before != after {
            let (before, after) = (before.to_string(), after.to_string());
            self.announce(
                Item::Source(id),
                "reputation",
                Some(before),
                after,
                None,
                at,
            );
        }
        after
    }

    /// Takes back what an incident did to reputations: the refutations, and the checks that were
    /// survived by the same command.
    pub(super) fn retract_reputations(&mut self, id: IncidentId, at: Instant) {
        let incident = self.incidents.get(id);
        let command = incident.since..=incident.seq;
        let stated = incident.refuted().iter().copied();
        let trigger = incident.trigger();
        let trigger = trigger.map(|it| self.observations.get(it).statements.iter());
        let claimed = trigger
            .into_iter()
            .flatten()
            .map(|it| self.justifications.get(*it).belief);
        let beliefs: Vec<BeliefId> = stated.chain(claimed).collect();
        let mut touched = Seeds::default();
        for source in self.sources_that_stated(&beliefs) {
            let before = self.reputation(source, Scope::Overall);
            let of_incident = |kind: ReputationKind, seq: u64| match kind {
                ReputationKind::Refuted { incident, .. } => incident == id,
                ReputationKind::Survived { .. } => command.contains(&seq),
            };
            let mut undone = Vec::new();
            for event in &mut self.sources.get_mut(source).events {
                if of_incident(event.kind, event.seq) && !event.retracted {
                    event.retracted = true;
                    undone.push(event.seq);
                }
            }
            if undone.is_empty() {
                continue;
            }
            let channel = self.sources.get(source).channel;
            self.retract_newcomer_events(channel, source, &undone, at);
            self.note_reputation(source, before, at);
            touched.extend(self.touched_by_source(source));
        }
        self.settle(touched, at);
    }

    /// Newcomers that turned up since were measured by what is undone now.
    fn retract_newcomer_events(
        &mut self,
        id: ChannelId,
        of: SourceId,
        undone: &[u64],
        at: Instant,
    ) {
        let mut first = u64::MAX;
        for event in &mut self.channels.get_mut(id).newcomer_events {
            if event.source == of && undone.contains(&event.seq) && !event.retracted {
                event.retracted = true;
                first = first.min(event.seq);
            }
        }
        let later = self.channels.get(id).sources.iter().copied();
        let later: Vec<SourceId> = later
            .filter(|it| *it != of && self.sources.get(*it).first_seq > first)
            .collect();
        for source in later {
            self.changes.sources.insert(source);
            let touched = self.touched_by_source(source);
            self.settle(touched, at);
        }
    }

    /// The sources of every statement of these beliefs, closed ones included.
    fn sources_that_stated(&self, beliefs: &[BeliefId]) -> Vec<SourceId> {
        let justifications = beliefs.iter().flat_map(|it| self.written_for(*it));
        let mut sources: Vec<SourceId> = justifications
            .filter_map(|it| match self.justifications.get(it).grounds {
                Grounds::Statement { observation, .. } => {
                    Some(self.observations.get(observation).source)
                }
                Grounds::Derivation { .. } => None,
            })
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}
