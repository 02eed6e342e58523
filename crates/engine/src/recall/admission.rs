//! Who is in the set that is searched.

use immune_model::{Item, Metadata, Status, Write};
use immune_reason::State;
use immune_recall::Admission;

use super::answer::{Excluded, Reason};
use super::question::Recall;

/// Whether an item is in the set that is searched.
pub(super) fn admission(state: &State, question: &Recall, item: Item) -> Admission {
    let (namespace, in_question) = match item {
        Item::Belief(id) => match state.belief(id) {
            Some(belief) => (
                &belief.namespace,
                question
                    .about
                    .as_ref()
                    .is_none_or(|it| *it == belief.subject),
            ),
            None => return Admission::Hidden,
        },
        Item::Observation(id) => match state.observation(id) {
            Some(observation) => (&observation.namespace, question.about.is_none()),
            None => return Admission::Hidden,
        },
        _ => return Admission::Hidden,
    };
    let in_namespace = if question.below {
        question.namespace.covers(namespace)
    } else {
        question.namespace == *namespace
    };
    if !in_namespace || !in_question {
        return Admission::Hidden;
    }
    let left_out = excluded(state, question, item);
    if !passes(state, question, item, left_out.is_none()) {
        return Admission::Hidden;
    }
    match left_out {
        None => Admission::Eligible,
        Some(Excluded {
            reason: Reason::Status(Status::Retracted),
            ..
        }) => Admission::Hidden,
        Some(_) => Admission::Refused,
    }
}

/// Whether something is noted about an item that passes the filter: for a belief, by one of those
/// who say it and are trusted enough; for one that is left out, by anybody who ever said it.
fn passes(state: &State, question: &Recall, item: Item, is_eligible: bool) -> bool {
    let Some(filter) = &question.filter else {
        return true;
    };
    let nothing = Metadata::default();
    let matches = |it: Option<&Metadata>| filter.matches(it.unwrap_or(&nothing));
    match item {
        Item::Belief(id) => {
            let said = state.justifications_of(id);
            let mut trusted = said.filter(|it| {
                !is_eligible
                    || state.counts(*it) && state.justification_strength(*it) >= question.floor
            });
            trusted.any(|it| matches(state.metadata_behind(it)))
        }
        Item::Observation(id) => matches(state.metadata_of(Write::Observation(id))),
        _ => false,
    }
}

/// Why an item is not in the set that is searched; nothing if it is.
pub(super) fn excluded(state: &State, question: &Recall, item: Item) -> Option<Excluded> {
    let (status, strength) = match item {
        Item::Belief(id) => state.belief_now(id).map(|it| (it.status, it.strength))?,
        Item::Observation(id) => (
            state.observation_status(id)?,
            state.observation_strength(id),
        ),
        _ => return None,
    };
    let floor = question.floor;
    let reason = if status != Status::Active {
        Reason::Status(status)
    } else if strength < floor {
        Reason::BelowFloor { strength, floor }
    } else if !is_valid(state, question, item) {
        Reason::NotValidThen
    } else {
        return None;
    };
    Some(Excluded { item, reason })
}

/// Whether some standing justification says that the claim holds at the time asked about.
fn is_valid(state: &State, question: &Recall, item: Item) -> bool {
    let (Some(at), Item::Belief(id)) = (question.valid_at, item) else {
        return true;
    };
    if !state.has_timed_claims() {
        // What stands has a standing justification, and none says when it holds.
        return true;
    }
    state
        .justifications_of(id)
        .filter(|it| state.counts(*it))
        .any(|it| {
            state.justification(it).is_some_and(|justification| {
                justification.valid_from.is_none_or(|from| from <= at)
                    && justification.valid_until.is_none_or(|until| at < until)
            })
        })
}
