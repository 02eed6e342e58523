//! Folding attributions and paroles: what was asked again, and what that released.
//!
//! An attribution moves no status. A parole takes back refutations of one belief and nothing else:
//! what was built on it stands again by the same fold, and what the incident cost stays.

use immune_model::{
    ActionStatus, Attributed, AttributionId, BeliefId, Event, EvidenceFor, IncidentId, Instant,
    Item, Premise, Principal, Status,
};

use super::settle::Seeds;
use super::{Attribution, State};

impl State {
    pub(super) fn fold_attribution(&mut self, event: &Event, at: Instant) -> Option<Item> {
        match event {
            Event::Attributed(attributed) => {
                self.fold_attributed(attributed, at);
                None
            }
            Event::EvidenceGiven {
                attribution,
                target,
            } => {
                let found = self.attributions.get_mut(*attribution);
                found.evidence_for.push(*target);
                self.changes.attributions.insert(*attribution);
                if let EvidenceFor::Incident(id) = target {
                    self.changes.incidents.insert(*id);
                }
                None
            }
            Event::Paroled {
                belief, incidents, ..
            } => {
                self.fold_paroled(*belief, incidents, at);
                Some(Item::Belief(*belief))
            }
            _ => unreachable!("`fold` hands over attributions and paroles, and nothing else"),
        }
    }

    fn fold_attributed(&mut self, attributed: &Attributed, at: Instant) {
        let id = self.attributions.push(Attribution {
            what: attributed.clone(),
            by: None,
            at,
            seq: self.seq,
            evidence_for: Vec::new(),
        });
        assert_eq!(
            id, attributed.attribution,
            "attributions are numbered in order"
        );
        self.changes.attributions.insert(id);
        let after = attributed.outcome.name();
        self.announce(Item::Attribution(id), "outcome", None, after, None, at);
    }

    /// Notes who asked for an attribution.
    pub(super) fn note_asker(&mut self, id: AttributionId, by: &Principal) {
        self.attributions.get_mut(id).by = Some(by.clone());
    }

    fn fold_paroled(&mut self, belief: BeliefId, incidents: &[IncidentId], at: Instant) {
        for incident in incidents {
            self.absolve(belief, *incident);
            let record = self.incidents.get_mut(*incident);
            record.paroled.push((belief, at));
            self.changes.incidents.insert(*incident);
        }
        let mut touched = vec![belief];
        let claims: Vec<_> = self.justifications_of(belief).collect();
        touched.extend(self.reopened_by(&claims));
        let before = self.passed.len();
        self.settle(Seeds::beliefs(touched), at);
        self.cancel_tasks_of(&self.risen_since(before), at);
        for incident in incidents {
            self.cancel_needless_reversals(*incident, at);
        }
    }

    /// The beliefs that are active since so many had passed within this event, in order.
    fn risen_since(&self, passed: usize) -> Vec<BeliefId> {
        let passed = self.passed.iter().skip(passed).map(|(belief, _)| *belief);
        let stands = |it: &BeliefId| self.now.network.get(*it).status() == Status::Active;
        let mut risen: Vec<BeliefId> = passed.filter(stands).collect();
        risen.sort_unstable();
        risen.dedup();
        risen
    }

    /// What stands again need not be derived again.
    fn cancel_tasks_of(&mut self, risen: &[BeliefId], at: Instant) {
        let open = self.tasks.iter().filter(|(_, it)| it.is_open());
        let found = open.filter(|(_, it)| risen.binary_search(&it.belief).is_ok());
        let found: Vec<_> = found.map(|(task, _)| task).collect();
        for task in found {
            self.cancel_task(task, at);
        }
    }

    /// A reversal that waits is cancelled where nothing that its action relied on is down any more.
    fn cancel_needless_reversals(&mut self, id: IncidentId, at: Instant) {
        for action in self.incidents.get(id).reversals.clone() {
            let found = self.actions.get(action);
            let relied_on = &self.decisions.get(found.decision).relied_on;
            let is_down = |it: &BeliefId| self.now.network.get(*it).status().fell();
            if found.status == ActionStatus::Reversing && !relied_on.iter().any(is_down) {
                self.cancel_reversal(action, id, at);
            }
        }
    }

    /// The attributions in which an item took part, oldest first.
    pub fn attributions_with(&self, item: Premise) -> impl Iterator<Item = AttributionId> + '_ {
        let all = self.attributions.iter();
        let took_part = all.filter(move |(_, it)| it.number_of(item).is_some());
        took_part.map(|(id, _)| id)
    }

    /// The attributions that blame an item: it is in a cause, hidden or not, or to be
    /// quarantined. Oldest first.
    pub fn blamed_in(&self, item: Premise) -> impl Iterator<Item = AttributionId> + '_ {
        let all = self.attributions.iter();
        let blames = all.filter(move |(_, it)| it.blames(item));
        blames.map(|(id, _)| id)
    }

    /// The attributions that were evidence for an incident or a review, oldest first.
    pub fn evidence_of(&self, target: EvidenceFor) -> impl Iterator<Item = AttributionId> + '_ {
        let all = self.attributions.iter();
        let given = all.filter(move |(_, it)| it.evidence_for.contains(&target));
        given.map(|(id, _)| id)
    }
}
