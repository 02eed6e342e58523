//! Copied hops: what repeats the words of an earlier observation, in a channel that relays, is
//! trusted no further than that one (semantics.md 4). For `support`, `screen` and the taint of
//! contexts.
//!
//! A hop counts while it was not ruled independent; one that is flagged gives nothing, one that was
//! undone is passed over. Whether the channel relays, and how far a hop is trusted, is read as it
//! is now. Hops cap strength, and move no status.

use immune_model::{InferredCopy, ObservationId, Trust};

use super::Copying;
use crate::reputation::Scope;
use crate::state::State;

impl Copying {
    /// Notes that one observation repeats another, for the way back.
    pub(super) fn note_repeated(&mut self, copy: &InferredCopy) {
        if let InferredCopy::Content(it) = copy {
            self.repeated.insert_mut((it.of, it.observation));
        }
    }

    /// What was inferred to repeat an observation, oldest first, whether it counts or not.
    fn repeating(&self, id: ObservationId) -> impl Iterator<Item = ObservationId> + '_ {
        let first = ObservationId::from_index(0);
        let from = self.repeated.range((id, first)..);
        from.take_while(move |(of, _)| *of == id).map(|(_, it)| *it)
    }
}

impl State {
    /// The earlier observation whose words this one was inferred to repeat, whether that counts or
    /// not.
    pub(crate) fn repeated_by_words(&self, id: ObservationId) -> Option<ObservationId> {
        match &self.copying.content.get(&id)?.copy {
            // Only what came before can be repeated: so the way back ends.
            InferredCopy::Content(copy) => Some(copy.of).filter(|it| *it < id),
            InferredCopy::Domain(_) | InferredCopy::Values(_) => None,
        }
    }

    /// The earlier observation that caps how far this one is trusted.
    pub(crate) fn hop_of(&self, id: ObservationId) -> Option<ObservationId> {
        let of = self.repeated_by_words(id)?;
        let counts = self.context_counts(self.observations.get(id).source);
        (counts && self.inferred_content(id).is_some()).then_some(of)
    }

    /// All that caps an observation by its words, nearest first; what was undone is left out.
    pub(crate) fn hops_of(&self, id: ObservationId) -> impl Iterator<Item = ObservationId> + '_ {
        let hops = std::iter::successors(self.hop_of(id), |it| self.hop_of(*it));
        hops.filter(|it| !self.observations.get(*it).retracted)
    }

    /// How far a hop is trusted, its context left out.
    fn hop_trust(&self, hop: ObservationId, scope: Scope<'_>) -> Trust {
        if self.is_hop_flagged(hop) {
            return Trust::ZERO;
        }
        self.trust_of(self.observations.get(hop).source, scope)
    }

    /// Whether what repeats this is worth nothing: it is flagged, or copies what is.
    pub(crate) fn is_hop_flagged(&self, hop: ObservationId) -> bool {
        self.flag_over(hop).is_some() || self.observation_copies_what_is_flagged(hop)
    }

    /// The most that the hops of an observation let through, their contexts left out.
    pub(crate) fn let_through_by_hops(&self, id: ObservationId, scope: Scope<'_>) -> Trust {
        let hops = self.hops_of(id).map(|it| self.hop_trust(it, scope));
        hops.fold(Trust::ONE, Trust::min)
    }

    /// The most that the contexts of its hops let through.
    pub(crate) fn let_through_around_hops(&self, id: ObservationId) -> Trust {
        let hops = self.hops_of(id).map(|it| self.context_of_observation(it));
        hops.map(|it| self.let_through(it))
            .fold(Trust::ONE, Trust::min)
    }

    /// The hop of an observation that lets least through, with how much: of several the nearest.
    pub fn weakest_hop(
        &self,
        id: ObservationId,
        scope: Scope<'_>,
    ) -> Option<(ObservationId, Trust)> {
        let hops = self.hops_of(id).map(|it| {
            let context = self.let_through(self.context_of_observation(it));
            (it, self.hop_trust(it, scope).min(context))
        });
        hops.min_by_key(|(_, trust)| *trust)
    }

    /// What repeats one of these, or what repeats that, and so on: each once, in order, those that
    /// were given left out.
    pub(crate) fn repeating_any(&self, of: &[ObservationId]) -> Vec<ObservationId> {
        let copying = &self.copying;
        if copying.repeated.is_empty() {
            return Vec::new();
        }
        let mut seen: rustc_hash::FxHashSet<ObservationId> = of.iter().copied().collect();
        let mut found = Vec::new();
        let mut stack = of.to_vec();
        while let Some(it) = stack.pop() {
            let new = copying.repeating(it).filter(|it| seen.insert(*it));
            let new: Vec<ObservationId> = new.collect();
            found.extend(&new);
            stack.extend(new);
        }
        found.sort_unstable();
        found
    }

    /// What the sources of a pair say in the words of one another.
    pub(super) fn repeated_between(
        &self,
        one: immune_model::SourceId,
        other: immune_model::SourceId,
    ) -> Vec<ObservationId> {
        let both = [(one, other), (other, one)].into_iter();
        let found = both.flat_map(|(source, of)| {
            let all = self.observations_of(source);
            all.filter(move |it| {
                let inferred = self.copying.content.get(it).map(|it| &it.copy);
                matches!(inferred, Some(InferredCopy::Content(copy))
                    if self.observations.get(copy.of).source == of)
            })
        });
        found.collect()
    }
}
