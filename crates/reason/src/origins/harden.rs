//! Beliefs that fall with one origin, and what would change that. Called by `question::scan`.

use immune_model::{BeliefId, SourceId, Subject, Trust};

use super::hitting::Set;
use super::proofs::{Alone, Proofs};
use super::{Origin, fewest};
use crate::state::{Grounds, State};

/// Premises that are tried for one belief: the best ones by the order of [`Hardening`].
const TRIED_MAX: usize = 64;

/// What would make a belief stand on two origins: another, independent source for this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardening {
    /// The belief to be confirmed: a premise, or the belief itself.
    pub confirm: BeliefId,
    /// A system of record for its subject that does not state it yet.
    pub ask: Option<SourceId>,
}

impl State {
    /// Whether a belief falls with one origin, and with which; with none if nothing behind it takes
    /// part at the floor. Counts what it looked at.
    pub(crate) fn single_origin(&self, id: BeliefId, steps: &mut u64) -> (bool, Option<Origin>) {
        let mut alone = Alone::of(self);
        let proofs = Proofs::of(self, id, &mut alone);
        *steps += proofs.n_justifications() as u64 + 1;
        // Of two or more it is no matter how many.
        let (corroboration, lose) = fewest(&proofs, 0, Some(2), steps);
        let origin = lose.first().and_then(|it| alone.name(*it));
        (corroboration.count == 1, origin)
    }

    /// The cheapest premise whose confirmation by an independent source gives a belief a second
    /// origin: one that a system of record can be asked about, else one that somebody states,
    /// else the belief itself; of equals the weakest.
    pub(crate) fn hardening(&self, id: BeliefId, records: &[SourceId]) -> Hardening {
        let proofs = Proofs::of(self, id, &mut Alone::of(self));
        let critical = proofs.single_points();
        let mut tried: Vec<(u8, Trust, usize, Hardening)> = Vec::new();
        for (place, confirm) in proofs.members.iter().copied().enumerate() {
            let subject = &self.beliefs.get(confirm).subject;
            let ask = self.record_to_ask(confirm, subject, records);
            let cost = match (ask, self.is_stated(confirm), place) {
                (Some(_), _, _) => 0,
                (None, true, _) => 1,
                (None, false, 0) => 2,
                (None, false, _) => 3,
            };
            let strength = self.now.get(confirm).strength;
            tried.push((cost, strength, place, Hardening { confirm, ask }));
        }
        tried.sort_unstable_by_key(|(cost, strength, place, _)| (*cost, *strength, *place));
        let raises = |place: usize| {
            let survives = |lost: &u32| {
                let lost = Set::from([*lost]);
                proofs.surviving_given(&lost, Some(place), &mut 0).is_some()
            };
            place == 0 || critical.iter().all(survives)
        };
        let found = tried
            .iter()
            .take(TRIED_MAX)
            .find(|(_, _, place, _)| raises(*place));
        let itself = Hardening {
            confirm: id,
            ask: None,
        };
        found.map_or(itself, |(_, _, _, it)| *it)
    }

    fn is_stated(&self, id: BeliefId) -> bool {
        self.justifications_of(id).any(|it| {
            matches!(
                self.justifications.get(it).grounds,
                Grounds::Statement { .. }
            )
        })
    }

    /// A system of record for the subject that does not stand behind the belief already.
    fn record_to_ask(
        &self,
        id: BeliefId,
        subject: &Subject,
        records: &[SourceId],
    ) -> Option<SourceId> {
        let stating = self.sources_stating(id);
        let mut records = records.iter().copied();
        records.find(|it| !stating.contains(it) && self.is_record(*it, subject))
    }
}
