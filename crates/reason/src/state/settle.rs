//! Recomputing what an event touched, and announcing what passed from one condition to another.

use immune_model::{BeliefId, Instant, Item, JustificationId, SourceId, Status};

use super::{BeliefNow, State, Transition};
use crate::support;

/// What the beliefs touched by an event are recomputed for.
pub(super) enum Seeds {
    /// Support was added to these, by these justifications.
    Added(Vec<(BeliefId, JustificationId)>),
    /// Anything may have happened to these.
    Any(Vec<BeliefId>),
}

impl State {
    /// Recomputes the cone of these beliefs and takes over what comes out.
    pub(super) fn settle(&mut self, seeds: Seeds, at: Instant) {
        let seeds = match seeds {
            Seeds::Added(seeds) => seeds
                .into_iter()
                .filter(|(_, it)| !support::adds_nothing(self, *it))
                .map(|(belief, _)| belief)
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
            if self.written_for(verdict.belief).nth(1).is_some() {
                // Which of its justifications is the strongest may have moved, and with it the
                // words in which it is shown.
                self.changes.beliefs.insert(verdict.belief);
            }
            if before == after {
                continue;
            }
            *self.now.get_mut(verdict.belief) = after;
            self.changes.belief_states.insert(verdict.belief);
            if before.levels != after.levels {
                // A decision's status follows the levels, also where a belief's own does not.
                let decisions: Vec<_> = self.decisions_on(verdict.belief).collect();
                self.changes.decisions.extend(decisions);
            }
            if before.status != after.status {
                self.announce_belief(verdict.belief, before, after, at);
            }
        }
    }

    /// Every belief whose strength a source is part of: what it states and derives, and what
    /// those state that copy it.
    pub(super) fn touched_by_source(&self, id: SourceId) -> Vec<BeliefId> {
        let copies = self.closure_of(id, |it| &it.mirrored_by);
        let observations = copies.iter().flat_map(|it| self.observations_of(*it));
        let statements = observations.flat_map(|it| {
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

    fn announce_belief(&mut self, id: BeliefId, before: BeliefNow, after: BeliefNow, at: Instant) {
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

    pub(super) fn announce(
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
    pub(super) fn number_transitions(&mut self, first: usize, cause: Option<Item>) {
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
