//! Support: what the facts say about each justification, and the status that follows.
//!
//! The least fixpoints themselves are kept up in `network`; this module tells it what the log says:
//! which justifications are closed or undone, and how far the source or agent behind each is
//! trusted. Nothing here writes; `State::settle` takes over what comes out.

use immune_model::{BeliefId, JustificationId, ObservationId, Premise, SourceId, Status, Trust};
use rustc_hash::FxHashMap;

use crate::network::{Facts, Levels};
use crate::reputation::Scope;
use crate::state::{Grounds, State};

/// What sources are worth, asked once each: a source speaks in few areas and says much in each.
#[derive(Default)]
pub(crate) struct Known<'a> {
    trust: FxHashMap<(SourceId, Scope<'a>), Trust>,
}

impl<'a> Known<'a> {
    fn trust_of(&mut self, state: &'a State, source: SourceId, scope: Scope<'a>) -> Trust {
        let asked = self.trust.entry((source, scope));
        *asked.or_insert_with(|| state.trust_of(source, scope))
    }

    /// How far the source of an observation is trusted, and those of its hops; nothing if one of
    /// these is flagged, or any copies what is.
    fn trust_along(&mut self, state: &'a State, id: ObservationId, scope: Scope<'a>) -> Trust {
        if state.observation_copies_what_is_flagged(id) {
            return Trust::ZERO;
        }
        let mut least = self.trust_of(state, state.observations.get(id).source, scope);
        for hop in state.hops_of(id) {
            if state.is_hop_flagged(hop) {
                return Trust::ZERO;
            }
            let source = state.observations.get(hop).source;
            least = least.min(self.trust_of(state, source, scope));
        }
        least
    }
}

/// What the facts about a justification allow: semantics.md 3 and 4, its beliefs left out.
pub(crate) fn facts_of<'a>(state: &'a State, id: JustificationId, known: &mut Known<'a>) -> Facts {
    let justification = state.justifications.get(id);
    if justification.retracted {
        return Facts::default();
    }
    let mut levels = match state.flag_against(id) {
        Some(_) => Levels::FLAGGED,
        None => Levels {
            in_now: state.closing_of(id).is_none(),
            ..Levels::ALL
        },
    };
    for observation in observations_of(state, id) {
        levels = levels.and(observation_levels(state, observation));
    }
    Facts {
        cap: levels.in_now.then(|| cap_of(state, id, known)),
        open: levels.open,
        written: levels.ever,
    }
}

/// The most that a justification can give while its observations stand.
fn cap_of<'a>(state: &'a State, id: JustificationId, known: &mut Known<'a>) -> Trust {
    let cap = said_cap(state, id, known);
    let observed = observations_of(state, id)
        .map(|it| observation_cap(state, it, known).min(state.let_through_around(it)));
    observed
        .fold(cap, Trust::min)
        .min(state.let_through_around_justification(id))
}

/// What the source of a statement is worth where it speaks, and whose words it repeats, or the
/// deriving agent's tier; no more than its words are sure.
fn said_cap<'a>(state: &'a State, id: JustificationId, known: &mut Known<'a>) -> Trust {
    let cap = match state.said_in(id) {
        Some((observation, scope)) => known.trust_along(state, observation, scope),
        None => derivation_cap(state, id),
    };
    state.confidence_of(id).map_or(cap, |it| it.min(cap))
}

/// What the source of an observation is worth, and whose words it repeats.
fn observation_cap<'a>(state: &'a State, id: ObservationId, known: &mut Known<'a>) -> Trust {
    known.trust_along(state, id, Scope::Overall)
}

/// The most that a justification can give without closing facts, its premises and its context left
/// out; nothing if a refuting fact takes it away, or it was undone.
pub(crate) fn open_cap<'a>(
    state: &'a State,
    id: JustificationId,
    known: &mut Known<'a>,
) -> Option<Trust> {
    let stands = !state.justifications.get(id).retracted && state.flag_against(id).is_none();
    stands.then(|| said_cap(state, id, known))
}

/// The same of an observation.
pub(crate) fn open_observation_cap(state: &State, id: ObservationId) -> Option<Trust> {
    let stands = !state.observations.get(id).retracted && state.flag_over(id).is_none();
    stands.then(|| observation_cap(state, id, &mut Known::default()))
}

/// The tier of the agent that derived; all that there is for what was imported.
fn derivation_cap(state: &State, id: JustificationId) -> Trust {
    match state.justifications.get(id).grounds {
        Grounds::Derivation {
            agent: Some(it), ..
        } => state.channels.get(state.sources.get(it).channel).tier,
        Grounds::Derivation { agent: None, .. } | Grounds::Statement { .. } => Trust::ONE,
    }
}

/// What a derivation can give by its agent and its words.
pub(crate) fn said_unflagged(state: &State, id: JustificationId) -> Trust {
    let cap = derivation_cap(state, id);
    state.confidence_of(id).map_or(cap, |it| it.min(cap))
}

/// The observations among the premises of a derivation; a statement has none: what it says itself
/// is in its own facts.
fn observations_of(state: &State, id: JustificationId) -> impl Iterator<Item = ObservationId> {
    premises_of(state, id).filter_map(|it| match it {
        Premise::Observation(id) => Some(id),
        Premise::Belief(_) => None,
    })
}

/// The premises of a derivation; of a statement the beliefs of its context that carry it.
pub(crate) fn premises_of(
    state: &State,
    id: JustificationId,
) -> impl Iterator<Item = Premise> + '_ {
    state.justifications.get(id).grounds.premises()
}

fn observation_levels(state: &State, id: ObservationId) -> Levels {
    match state.observation_status(id) {
        Some(Status::Quarantined) => Levels::FLAGGED,
        status => Levels {
            in_now: status == Some(Status::Active),
            ..Levels::ALL
        },
    }
}

pub(crate) fn premise_strength(state: &State, premise: Premise) -> Trust {
    match premise {
        Premise::Belief(id) => state.now.get(id).strength,
        Premise::Observation(id) => state.observation_strength(id),
    }
}

/// The most that a justification can give, whatever its premises: what its source is worth, or
/// the deriving agent's tier, no more than its words are sure, and its context.
pub(crate) fn justification_cap(state: &State, id: JustificationId) -> Trust {
    let context = state.let_through(state.context_of_justification(id));
    cap_without_context(state, id).min(context)
}

/// The same, if it had been written with nothing before the eyes.
pub(crate) fn cap_without_context(state: &State, id: JustificationId) -> Trust {
    let cap = match state.justifications.get(id).grounds {
        Grounds::Statement { .. } if state.copies_what_is_flagged(id) => Trust::ZERO,
        _ if state.flag_against(id).is_some() => Trust::ZERO,
        Grounds::Statement { observation, .. } => {
            let hops = state.let_through_around_hops(observation);
            state.source_trust(id).min(hops)
        }
        Grounds::Derivation { .. } => derivation_cap(state, id),
    };
    state.confidence_of(id).map_or(cap, |it| it.min(cap))
}

/// What a justification gives its belief now: 0 if a premise does not stand.
pub(crate) fn justification_strength(state: &State, id: JustificationId) -> Trust {
    premises_of(state, id)
        .map(|it| premise_strength(state, it))
        .fold(justification_cap(state, id), Trust::min)
}

/// Whether all that was ever written for a belief was undone.
fn is_retracted(state: &State, id: BeliefId) -> bool {
    state.justifications_of(id).next().is_none() && state.written_for(id).next().is_some()
}

/// The first row of semantics.md 3 that applies.
pub(crate) fn status_of(state: &State, id: BeliefId) -> Status {
    let node = state.now.network.get(id);
    let derived = node.levels().status_of_dependent();
    if derived == Status::Unsupported && is_retracted(state, id) {
        return Status::Retracted;
    }
    if node.is_refuted() {
        return Status::Quarantined;
    }
    if derived != Status::Stale {
        return derived;
    }
    let latest = state
        .justifications_of(id)
        .filter_map(|it| state.closing_of(it))
        .max_by_key(|(seq, _)| *seq);
    latest.map_or(Status::Stale, |(_, closing)| {
        crate::state::closing_status(closing)
    })
}
