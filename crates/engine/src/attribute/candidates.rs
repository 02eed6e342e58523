//! Who may be to blame: the memories that the answer was given from, each with how suspicious it is
//! before anybody is asked.
//!
//! What recall would refuse is no candidate of a question of today. A run is looked at as it was:
//! what it was shown is a candidate, whatever became of it since.

use immune_attribution::Shown;
use immune_model::{BeliefId, Candidate, DecisionId, Premise, RunId, Status, Trust, limits};
use immune_reason::State;
use immune_reason::plan::AttributeError;

use super::{Attribute, AttributeRefusal};
use crate::recall::Recall;
use crate::session::Session;

/// What an answer was given from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenFrom {
    /// What the question recalls now.
    Recall {
        /// At most so many facts, and so many notes.
        limit: usize,
    },
    /// These beliefs and observations.
    Named(Vec<Premise>),
    /// What a run was shown.
    Run {
        /// Which run.
        run: RunId,
        /// Up to this decision; nothing means so far.
        decision: Option<DecisionId>,
    },
}

/// A memory that may be to blame.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspect {
    /// Which memory, and in which turn.
    pub candidate: Candidate,
    /// The memory as whoever answers sees it.
    pub shown: Shown,
    /// How suspicious it is, in no unit: see [`Session::suspects`].
    pub suspicion: f64,
}

/// What a place in the ranking costs: the ninth is half as suspicious as the first.
const RANK_HALVES_AT: f64 = 8.0;
/// The least distrust: nothing is beyond suspicion.
const DISTRUST_MIN: f64 = 0.02;
/// How much more suspicious is what something that stands contradicts.
const DISPUTED: f64 = 2.0;
/// How much more suspicious is what a system of record contradicts.
const CONTRADICTED: f64 = 4.0;
/// How suspicious the oldest is beside the newest.
const OLDEST: f64 = 0.5;

impl Session {
    /// The memories that an answer was given from, each with its suspicion: the product of
    ///
    /// - its rank: `1 / (1 + r / 8)`, where `r` counts the candidates before it; of a run, those
    ///   that it was shown later come first;
    /// - distrust: `1 - strength`, at least 0.02; 1 for what does not stand;
    /// - conflict: 4 if a system of record states something that contradicts it, 2 if anything
    ///   that stands does, else 1;
    /// - age: from 1 for the newest down to 1/2 for the oldest, evenly in their order.
    ///
    /// Suspicion orders the search and can spare calls; it decides nothing.
    pub(super) fn suspects(
        &self,
        state: &State,
        request: &Attribute,
    ) -> Result<Vec<Suspect>, AttributeRefusal> {
        let ranked = self.ranked(state, request)?;
        if ranked.is_empty() {
            return Err(AttributeRefusal::NoCandidates);
        }
        let (found, limit) = (ranked.len(), limits::ATTRIBUTION_CANDIDATES_MAX);
        if found > limit {
            let what = "candidates";
            return Err(AttributeRefusal::Refused(AttributeError::TooMany {
                what,
                found,
                limit,
            }));
        }
        let last = ranked.iter().map(|it| it.turn).max().unwrap_or(1);
        let mut by_age: Vec<(u64, Premise)> = ranked
            .iter()
            .map(|it| (written_at(state, it.item), it.item))
            .collect();
        by_age.sort_unstable();
        by_age.dedup();
        let age = |item: Premise| {
            let place = by_age.iter().position(|(_, it)| *it == item).unwrap_or(0);
            let newest = by_age.len().saturating_sub(1).max(1);
            OLDEST + (1.0 - OLDEST) * ratio(place, newest)
        };
        let is_run = request.from.run().is_some();
        let suspects = ranked.iter().enumerate().map(|(place, candidate)| {
            let rank = if is_run { found - 1 - place } else { place };
            let rank = 1.0 / (1.0 + ratio(rank, 1) / RANK_HALVES_AT);
            let (distrust, conflict) = doubt(state, candidate.item);
            Suspect {
                candidate: *candidate,
                shown: shown(state, *candidate, last),
                suspicion: rank * distrust * conflict * age(candidate.item),
            }
        });
        Ok(suspects.collect())
    }

    /// The candidates, in the order in which whoever answers is shown them.
    fn ranked(
        &self,
        state: &State,
        request: &Attribute,
    ) -> Result<Vec<Candidate>, AttributeRefusal> {
        let once = |item| Candidate { item, turn: 1 };
        match &request.from {
            GivenFrom::Recall { limit } => {
                let recalled = self.recall(&Recall {
                    namespace: request.namespace.clone(),
                    limit: *limit,
                    ..Recall::query(request.question.as_str())
                })?;
                let facts = recalled.facts.iter().map(|it| Premise::Belief(it.belief));
                let notes = recalled.notes.iter();
                let notes = notes.map(|it| Premise::Observation(it.observation));
                Ok(facts.chain(notes).map(once).collect())
            }
            GivenFrom::Named(items) => {
                let known = |it: &&Premise| !state.contains((**it).into());
                if let Some(item) = items.iter().find(known) {
                    let item = (*item).into();
                    return Err(AttributeRefusal::Refused(AttributeError::NotInMemory {
                        item,
                    }));
                }
                let mut seen = std::collections::BTreeSet::new();
                let items = items.iter().filter(|it| seen.insert(**it));
                Ok(items.copied().map(once).collect())
            }
            GivenFrom::Run { run, decision } => {
                let turns = state
                    .turns_of(run, *decision)
                    .map_err(AttributeRefusal::Refused)?;
                let turns = turns.into_iter();
                Ok(turns.map(|(item, turn)| Candidate { item, turn }).collect())
            }
        }
    }
}

/// A quotient of counts.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]
fn ratio(number: usize, of: usize) -> f64 {
    number as f64 / of as f64
}

/// The event that first wrote it.
fn written_at(state: &State, item: Premise) -> u64 {
    match item {
        Premise::Observation(id) => state.observation(id).map_or(0, |it| it.seq),
        Premise::Belief(id) => {
            let written = state.written_for(id);
            let events = written.filter_map(|it| Some(state.justification(it)?.seq));
            events.min().unwrap_or(0)
        }
    }
}

/// How far something is distrusted, and how much more because of what contradicts it.
fn doubt(state: &State, item: Premise) -> (f64, f64) {
    let distrust = |strength: Trust| {
        let thousandths = f64::from(strength.thousandths());
        (1.0 - thousandths / 1000.0).max(DISTRUST_MIN)
    };
    match item {
        Premise::Observation(id) => (distrust(state.observation_strength(id)), 1.0),
        Premise::Belief(id) => {
            let now = state.belief_now(id);
            let stands = now.filter(|it| it.status == Status::Active);
            let rivals: Vec<BeliefId> = state.rivals_of(id);
            let conflict = if rivals.iter().any(|it| state.stated_by_record(*it)) {
                CONTRADICTED
            } else if rivals.is_empty() {
                1.0
            } else {
                DISPUTED
            };
            (stands.map_or(1.0, |it| distrust(it.strength)), conflict)
        }
    }
}

/// A memory as whoever answers sees it.
pub(super) fn shown(state: &State, candidate: Candidate, last_turn: u32) -> Shown {
    let (source, text) = match candidate.item {
        Premise::Observation(id) => {
            let observation = state.observation(id);
            let source = observation.map(|it| it.source);
            let text = observation.map(|it| it.text.to_string());
            (source.into_iter().collect(), text)
        }
        Premise::Belief(id) => {
            let text = state.words_of(id).map(ToString::to_string);
            (state.sources_behind(id), text)
        }
    };
    let handles = source.iter().filter_map(|it| state.source(*it));
    let handles: Vec<String> = handles.map(|it| it.handle.to_string()).collect();
    let Candidate { item, turn } = candidate;
    Shown {
        id: if turn == last_turn {
            item.to_string()
        } else {
            format!("turn_{turn}/{item}")
        },
        source: handles.join(", "),
        text: text.unwrap_or_default(),
    }
}
