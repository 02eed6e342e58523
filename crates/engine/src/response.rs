//! The response to an incident as one object: what fell, what survives and why, what is exposed.
//!
//! It is read off the states before and after, so that the plan of a dry run, a fresh incident
//! and one of last year are told by the same code.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use immune_model::{
    ActionId, BeliefId, DecisionId, IncidentId, JustificationId, Premise, SourceId, Status, Trust,
    limits,
};
use immune_reason::state::IncidentRecord;
use immune_reason::{Corroboration, State};

use crate::cone::{self, Fallen};
use crate::explain::Explained;
use crate::past::{PastError, When};
use crate::session::Session;

/// How far a belief was and is to be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backing {
    /// How far it is trusted.
    pub strength: Trust,
    /// The independent origins that have to be lost before it falls.
    pub corroboration: Corroboration,
}

/// A belief that lost a justification and stands by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Which belief.
    pub belief: BeliefId,
    /// The justifications that held before and hold no more.
    pub lost: Vec<JustificationId>,
    /// The strongest one by which it stands.
    pub by: JustificationId,
    /// The sources behind that one.
    pub sources: Vec<SourceId>,
    /// Before the incident.
    pub before: Backing,
    /// After it.
    pub after: Backing,
}

/// What is merely tainted: it hangs on something that was struck, and still stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposed {
    /// The beliefs, survivors included, with the hops from where the incident struck.
    pub beliefs: Vec<(BeliefId, u32)>,
    /// The decisions that rely on them and stand.
    pub decisions: Vec<DecisionId>,
    /// The actions that carry those out.
    pub actions: Vec<ActionId>,
}

/// An incident with all that it did, and all that it left standing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Which incident.
    pub incident: IncidentId,
    /// The observations that it quarantined.
    pub n_observations: usize,
    /// What it brought down, each belief below the one that it rested on.
    pub fallen: Vec<Fallen>,
    /// What lost a justification and stands: at most a page, in order.
    pub survivors: Vec<Survivor>,
    /// How many survive in all.
    pub n_survivors: usize,
    /// What is merely tainted.
    pub exposed: Exposed,
}

impl Response {
    /// What an incident did between these two states; nothing if the later one has no such
    /// incident.
    pub fn between(before: &State, after: &State, incident: IncidentId) -> Option<Self> {
        let record = after.incident(incident)?;
        let lost = lost(before, after, record);
        let survivors = lost.iter().take(limits::PAGE_ROWS_MAX);
        Some(Self {
            incident,
            n_observations: cone::observations(after, record).len(),
            fallen: Explained::of(after).fallen(incident),
            survivors: survivors
                .filter_map(|(belief, lost)| survivor(before, after, *belief, lost))
                .collect(),
            n_survivors: lost.len(),
            exposed: exposed(after, record),
        })
    }
}

impl Session {
    /// The response to an incident of this memory: its states before and after are folded from
    /// the log again. Nothing if there is no such incident.
    pub fn response(&self, incident: IncidentId) -> Result<Option<Response>, PastError> {
        let now = self.snapshot()?;
        let Some(record) = now.state().incident(incident) else {
            return Ok(None);
        };
        let before = self.memory.snapshot_at(When::Seq(record.since - 1))?;
        let after = self.memory.snapshot_from(&before, record.seq)?;
        let mut response = Response::between(before.state(), after.state(), incident);
        if let Some(response) = &mut response {
            // What fell is shown as it is now.
            response.fallen = Explained::of(now.state()).fallen(incident);
        }
        Ok(response)
    }
}

/// What stands although it lost justifications, with those that it lost.
fn lost(
    before: &State,
    after: &State,
    record: &IncidentRecord,
) -> BTreeMap<BeliefId, Vec<JustificationId>> {
    let mut touched = cone::struck(after, record);
    let fallen = record.refuted().iter().chain(&record.revoked);
    touched.extend(fallen.flat_map(|it| after.dependents_of(Premise::Belief(*it))));
    touched.sort_unstable();
    touched.dedup();
    let mut lost: BTreeMap<BeliefId, Vec<JustificationId>> = BTreeMap::new();
    for id in touched {
        let head = after.justification(id).map(|it| it.belief);
        let stands =
            |it: &BeliefId| after.belief_now(*it).map(|it| it.status) == Some(Status::Active);
        if let Some(belief) = head.filter(stands)
            && before.holds(id)
            && !after.holds(id)
        {
            lost.entry(belief).or_default().push(id);
        }
    }
    lost
}

fn survivor(
    before: &State,
    after: &State,
    belief: BeliefId,
    lost: &[JustificationId],
) -> Option<Survivor> {
    let standing = after
        .justifications_of(belief)
        .filter(|it| after.holds(*it));
    let by =
        standing.max_by_key(|it| (after.justification_strength(*it), std::cmp::Reverse(*it)))?;
    let backing = |state: &State| {
        Some(Backing {
            strength: state.belief_now(belief)?.strength,
            corroboration: state.corroboration(belief),
        })
    };
    Some(Survivor {
        belief,
        lost: lost.to_vec(),
        by,
        sources: after.sources_under([by]).into_iter().collect(),
        before: backing(before)?,
        after: backing(after)?,
    })
}

/// What stands in the forward closure of what was struck, nearest first.
fn exposed(state: &State, record: &IncidentRecord) -> Exposed {
    let heads = cone::struck(state, record);
    let heads = heads
        .into_iter()
        .filter_map(|it| Some(state.justification(it)?.belief));
    let mut hops: BTreeMap<BeliefId, u32> = heads.map(|it| (it, 1)).collect();
    hops.extend(record.refuted().iter().map(|it| (*it, 0)));
    let mut queue: VecDeque<(BeliefId, u32)> = hops.iter().map(|(it, at)| (*it, *at)).collect();
    let mut exposed = Exposed::default();
    let mut decisions = BTreeSet::new();
    let mut shown = state.exposure();
    for observation in cone::observations(state, record) {
        let tainted = shown.to(Premise::Observation(observation));
        decisions.extend(tainted.decisions);
        for next in tainted.beliefs {
            if let std::collections::btree_map::Entry::Vacant(slot) = hops.entry(next) {
                slot.insert(1);
                queue.push_back((next, 1));
            }
        }
    }
    while let Some((belief, depth)) = queue.pop_front() {
        if state.belief_now(belief).map(|it| it.status) == Some(Status::Active) {
            exposed.beliefs.push((belief, depth));
            decisions.extend(state.decisions_on(belief));
        }
        let dependents = state.dependents_of(Premise::Belief(belief));
        let dependents = dependents.filter_map(|it| Some(state.justification(it)?.belief));
        // What was written with it before the eyes is exposed as what rests on it is.
        let tainted = shown.to(Premise::Belief(belief));
        decisions.extend(tainted.decisions);
        for next in dependents.chain(tainted.beliefs) {
            if let std::collections::btree_map::Entry::Vacant(slot) = hops.entry(next) {
                slot.insert(depth + 1);
                queue.push_back((next, depth + 1));
            }
        }
    }
    let stands = |it: &DecisionId| state.decision_status(*it) == Some(Status::Active);
    exposed.decisions = decisions.into_iter().filter(stands).collect();
    let actions = exposed.decisions.iter();
    exposed.actions = actions
        .filter_map(|it| state.decision(*it))
        .flat_map(|it| it.actions.iter().copied())
        .collect();
    exposed
}
