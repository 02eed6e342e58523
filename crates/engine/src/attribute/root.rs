//! What has to be quarantined, of what has to be absent: a conclusion that falls with its premise is
//! not to blame beside it.
//!
//! The correction that a search finds names each memory that has to be gone. What rests on another
//! one of them alone is gone once that one is refuted, so it is left out and listed as what falls.

use std::collections::BTreeSet;

use immune_attribution::Subset;
use immune_model::{BeliefId, Handle, Instant, Item, Premise, Principal, Role, SourceId, Status};
use immune_reason::plan::{Flag, FlagWhat};
use immune_reason::state::Grounds;
use immune_reason::{Draft, Lead, State};

use super::{KnownValue, Suspect, belief_of};
use crate::session::Session;

impl Session {
    /// What of a correction has to be quarantined, and what of it falls with that.
    pub(super) fn rooted(
        &self,
        state: &State,
        suspects: &[Suspect],
        correction: &Subset,
    ) -> (Vec<u32>, Vec<u32>) {
        let item = |number: &usize| suspects.get(*number).map(|it| it.candidate.item);
        let mut left: Vec<usize> = correction.numbers().collect();
        let mut fallen = Vec::new();
        let derived: Vec<usize> = left
            .iter()
            .copied()
            .filter(|it| {
                item(it)
                    .and_then(belief_of)
                    .is_some_and(|it| is_derived(state, it))
            })
            .collect();
        let now = self.memory.shared.parts.clock.now();
        for number in derived {
            let others = left.iter().filter(|it| **it != number);
            let others: BTreeSet<Premise> = others.filter_map(item).collect();
            let own = item(&number);
            let others = others.into_iter().filter(|it| Some(*it) != own);
            let Some(belief) = own.and_then(belief_of) else {
                continue;
            };
            if falls_with(state, belief, others, now) {
                left.retain(|it| *it != number);
                fallen.push(number);
            }
        }
        let written = |it: Vec<usize>| it.into_iter().map(super::count).collect();
        (written(left), written(fallen))
    }

    /// What the memory holds true about the subjects of the causes, and contradicts one of them.
    pub(super) fn known_values(
        &self,
        state: &State,
        what: &immune_model::Attributed,
    ) -> Vec<KnownValue> {
        let asked = self.present(state);
        let blamed = what.correction.iter();
        let blamed = blamed.filter_map(|it| what.candidates.get(*it as usize));
        let blamed: BTreeSet<BeliefId> = blamed.filter_map(|it| belief_of(it.item)).collect();
        let mut known = Vec::new();
        for cause in &blamed {
            let Some(belief) = state.belief(*cause) else {
                continue;
            };
            let mut about = state.beliefs_about(&belief.namespace, &belief.subject);
            let record = about.by_ref().find_map(|it| {
                let record = record_of(state, it).filter(|_| it != *cause)?;
                Some((it, Some(record)))
            });
            let leading = || {
                let mut rivals = state.rivals_of(*cause).into_iter();
                let leads = |it: &BeliefId| state.lead(*it, *cause, asked) == Lead::First;
                rivals.find(leads).map(|it| (it, None))
            };
            if let Some((belief, record)) = record.or_else(leading)
                && !blamed.contains(&belief)
            {
                known.push(KnownValue {
                    cause: *cause,
                    belief,
                    record,
                });
            }
        }
        known
    }
}

/// The system of record that states a belief, if one does.
fn record_of(state: &State, id: BeliefId) -> Option<SourceId> {
    let subject = &state.belief(id)?.subject;
    let sources = state.sources_stating(id).into_iter();
    let mut records = sources.filter(|it| state.is_record(*it, subject));
    records.next()
}

/// Whether nobody states it: it stands by derivations alone.
fn is_derived(state: &State, id: BeliefId) -> bool {
    let mut standing = state.justifications_of(id).filter(|it| state.holds(*it));
    standing.all(|it| {
        let grounds = state.justification(it).map(|it| &it.grounds);
        matches!(grounds, Some(Grounds::Derivation { .. }))
    })
}

/// Whether a belief that stands would fall if all these were refuted, and it was not.
fn falls_with(
    state: &State,
    belief: BeliefId,
    refuted: impl Iterator<Item = Premise>,
    now: Instant,
) -> bool {
    let status = |state: &State| state.belief_now(belief).map(|it| it.status);
    if status(state) != Some(Status::Active) {
        return false;
    }
    // A scratch that is dropped: flags take away what a refutation would.
    let operator = Principal {
        role: Role::Operator,
        name: Handle::new("scratch").expect("it is a word"),
    };
    let mut scratch = Draft::new(state.clone(), operator, now);
    for item in refuted {
        let flag = Flag {
            what: FlagWhat::Item(Item::from(item)),
            received_from: None,
            reason: None,
        };
        // What is flagged already is gone already.
        drop(scratch.flag(&flag));
    }
    status(scratch.state()) != Some(Status::Active)
}
