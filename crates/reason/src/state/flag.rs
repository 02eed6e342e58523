//! Flags: what an operator refuted by hand, and what that takes away (semantics.md 3).
//!
//! Only [`State::apply`](super::State::apply) writes here. A flag of a source or an observation
//! touches no belief: it is the justifications that do not count, at OPEN and IN, while it stands;
//! what arrives later from a flagged source is covered too. Flags that overlap are kept one beside
//! the other, so that each can be taken back alone.

use immune_model::{
    BeliefId, FlagTarget, IncidentId, Instant, JustificationId, ObservationId, SourceId,
};

use super::items::{Cause, IncidentRecord};
use super::settle::Seeds;
use super::{Edge, Grounds, State};
use crate::network::EdgeId;

/// A flag that stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// The incident that it opened.
    pub incident: IncidentId,
    /// Of a source, only what was received since then; nothing means everything.
    pub received_from: Option<Instant>,
}

impl Flag {
    /// Whether it covers what was received at this moment.
    pub(crate) fn covers(&self, received_at: Instant) -> bool {
        self.received_from.is_none_or(|from| from <= received_at)
    }
}

impl State {
    /// The flags of this very item that stand, oldest first.
    pub fn flags_of(&self, target: FlagTarget) -> &[Flag] {
        self.flags.get(&target).map_or(&[], Vec::as_slice)
    }

    /// The latest flag that takes an observation away: its own, or that of its source.
    pub fn flag_over(&self, id: ObservationId) -> Option<IncidentId> {
        if self.flags.is_empty() {
            return None;
        }
        let observation = self.observations.find(id)?;
        let own = self.flags_of(FlagTarget::Observation(id)).iter();
        let of_source = self.flags_of(FlagTarget::Source(observation.source)).iter();
        own.chain(of_source.filter(|it| it.covers(observation.received_at)))
            .map(|it| it.incident)
            .max()
    }

    /// The latest flag that takes a justification away: that of its observation or source, or of
    /// the agent that derived it.
    pub fn flag_against(&self, id: JustificationId) -> Option<IncidentId> {
        if self.flags.is_empty() {
            return None;
        }
        let justification = self.justifications.find(id)?;
        match justification.grounds {
            Grounds::Statement { observation, .. } => self.flag_over(observation),
            Grounds::Derivation { agent, .. } => self
                .flags_of(FlagTarget::Source(agent?))
                .iter()
                .filter(|it| it.covers(justification.at))
                .map(|it| it.incident)
                .max(),
        }
    }

    /// Whether a justification is neither closed nor taken away by a flag.
    pub fn counts(&self, id: JustificationId) -> bool {
        self.closing_of(id).is_none() && self.flag_against(id).is_none()
    }

    /// Whether a statement's source is declared to copy one whose words at that time are flagged:
    /// the copied hop is worth nothing (semantics.md 4).
    pub(crate) fn copies_what_is_flagged(&self, id: JustificationId) -> bool {
        let Grounds::Statement { observation, .. } = self.justifications.get(id).grounds else {
            return false;
        };
        self.observation_copies_what_is_flagged(observation)
    }

    /// As [`Self::copies_what_is_flagged`], of an observation.
    pub(crate) fn observation_copies_what_is_flagged(&self, id: ObservationId) -> bool {
        if self.flags.is_empty() {
            return false;
        }
        let observation = self.observations.get(id);
        if self.sources.get(observation.source).mirrors.is_empty() {
            return false;
        }
        let copied = self.closure_of(observation.source, |it| &it.mirrors);
        copied.into_iter().any(|it| {
            let flags = self.flags_of(FlagTarget::Source(it)).iter();
            flags.clone().any(|it| it.covers(observation.received_at))
        })
    }

    pub(super) fn fold_flagged(&mut self, id: IncidentId, opened: IncidentRecord, at: Instant) {
        let Cause::Flag {
            target,
            received_from,
            ..
        } = opened.cause
        else {
            unreachable!("`fold_response` hands over flags, and nothing else");
        };
        assert_eq!(
            self.incidents.push(opened),
            id,
            "incidents are numbered in order"
        );
        self.changes.incidents.insert(id);
        let mut flags = self.flags_of(target).to_vec();
        flags.push(Flag {
            incident: id,
            received_from,
        });
        self.flags.insert_mut(target, flags);
        if let FlagTarget::Belief(belief) = target {
            self.refute(belief, id);
        }
        let (flagged, others) = self.touched_by_flag(target, received_from);
        self.settle(Seeds { flagged, ..others }, at);
    }

    /// Takes a flag back; what it alone took away counts again.
    pub(super) fn lift_flag(&mut self, id: IncidentId, target: FlagTarget, at: Instant) {
        let mut flags = self.flags_of(target).to_vec();
        let lifted = flags.iter().position(|it| it.incident == id);
        let lifted = flags.remove(lifted.expect("a flag stands until it is taken back"));
        if flags.is_empty() {
            self.flags.remove_mut(&target);
        } else {
            self.flags.insert_mut(target, flags);
        }
        if let FlagTarget::Belief(belief) = target {
            self.absolve(belief, id);
        }
        let (no_more, mut seeds) = self.touched_by_flag(target, lifted.received_from);
        seeds.justifications.extend(no_more);
        self.settle(seeds, at);
    }

    /// Everything that a flag is about: the justifications that it takes away, and what else may
    /// move with it.
    fn touched_by_flag(
        &mut self,
        target: FlagTarget,
        received_from: Option<Instant>,
    ) -> (Vec<JustificationId>, Seeds) {
        let (mut flagged, mut others) = (Vec::new(), Seeds::default());
        let mut claims: Vec<JustificationId> = Vec::new();
        match target {
            FlagTarget::Belief(belief) => {
                others.beliefs.push(belief);
                claims.extend(self.justifications_of(belief));
            }
            FlagTarget::Observation(observation) => {
                flagged = self.touch_observations(&[observation]);
                others.observations.push(observation);
                self.touch_repeating(&[observation], &mut others);
                claims.clone_from(&self.observations.get(observation).statements);
            }
            FlagTarget::Source(source) => {
                let received = self.received_since(source, received_from);
                flagged = self.touch_observations(&received);
                others.observations.extend(&received);
                self.touch_repeating(&received, &mut others);
                let stated = received
                    .iter()
                    .map(|it| &self.observations.get(*it).statements);
                claims.extend(stated.flatten());
                let since = |id: &JustificationId| {
                    let derived_at = self.justifications.get(*id).at;
                    received_from.is_none_or(|from| from <= derived_at)
                };
                flagged.extend(self.derivations_of(source).take_while(since));
                // What copies the source is worth as little as what it copies.
                let copies = self.closure_of(source, |it| &it.mirrored_by);
                for copy in copies.into_iter().filter(|it| *it != source) {
                    let received = self.received_since(copy, received_from);
                    let resting = self.touch_observations(&received);
                    others.justifications.extend(resting);
                    self.touch_repeating(&received, &mut others);
                    others.observations.extend(received);
                }
            }
        }
        // What the flagged claims had replaced holds again, or no more.
        others.beliefs.extend(self.reopened_by(&claims));
        (flagged, others)
    }

    /// What repeats the words of these observations is worth as little as they are.
    fn touch_repeating(&mut self, ids: &[ObservationId], others: &mut Seeds) {
        let repeating = self.repeating_any(ids);
        let resting = self.touch_observations(&repeating);
        others.justifications.extend(resting);
        others.observations.extend(repeating);
    }

    /// What a source sent since a moment of receipt, newest first.
    fn received_since(&self, id: SourceId, from: Option<Instant>) -> Vec<ObservationId> {
        let all = self.observations_of(id);
        let received = |it: &ObservationId| self.observations.get(*it).received_at;
        all.take_while(|it| from.is_none_or(|from| from <= received(it)))
            .collect()
    }

    /// Everything that rests on one of these observations. Their lists are gone through side by
    /// side, so that one is not waited for after the other.
    fn touch_observations(&mut self, ids: &[ObservationId]) -> Vec<JustificationId> {
        self.changes.observation_states.extend(ids.iter().copied());
        let mut resting = Vec::with_capacity(4 * ids.len());
        let mut edges: Vec<EdgeId> = Vec::with_capacity(ids.len());
        for id in ids {
            let observation = self.observations.get(*id);
            resting.extend(&observation.statements);
            edges.extend(observation.first_dependent);
        }
        while !edges.is_empty() {
            edges.retain_mut(|edge| {
                let Edge {
                    justification,
                    next,
                } = *self.edges.get(*edge);
                resting.push(justification);
                *edge = next.unwrap_or(*edge);
                next.is_some()
            });
        }
        resting
    }

    /// Notes that an incident refuted a belief.
    pub(super) fn refute(&mut self, belief: BeliefId, incident: IncidentId) {
        let first = &mut self.beliefs.get_mut(belief).refuted_in;
        if first.is_none() {
            *first = Some(incident);
            return;
        }
        let mut others = self.also_refuted(belief).to_vec();
        others.push(incident);
        self.also_refuted.insert_mut(belief, others);
    }

    /// Takes back that an incident refuted a belief; the others that did still do.
    pub(super) fn absolve(&mut self, belief: BeliefId, incident: IncidentId) {
        let first = self.beliefs.get(belief).refuted_in;
        let all = first.into_iter().chain(self.also_refuted(belief).to_vec());
        let mut rest = all.filter(|it| *it != incident);
        self.beliefs.get_mut(belief).refuted_in = rest.next();
        let others: Vec<IncidentId> = rest.collect();
        if others.is_empty() {
            self.also_refuted.remove_mut(&belief);
        } else {
            self.also_refuted.insert_mut(belief, others);
        }
    }

    fn also_refuted(&self, belief: BeliefId) -> &[IncidentId] {
        self.also_refuted.get(&belief).map_or(&[], Vec::as_slice)
    }

    /// The incidents that refuted a belief and were not undone, oldest first.
    pub fn refutations_of(&self, belief: BeliefId) -> Vec<IncidentId> {
        let first = self.beliefs.find(belief).and_then(|it| it.refuted_in);
        let others = self.also_refuted(belief).iter().copied();
        first.into_iter().chain(others).collect()
    }

    /// Whether a challenge refuted a belief; a flag may be taken back, and is no answer to one.
    pub(crate) fn is_refuted_by_record(&self, belief: BeliefId) -> bool {
        let incidents = self.refutations_of(belief).into_iter();
        incidents
            .map(|it| &self.incidents.get(it).cause)
            .any(|it| matches!(it, Cause::Challenge { .. }))
    }
}
