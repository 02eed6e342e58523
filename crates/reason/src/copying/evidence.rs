//! How much speaks for two sources being mirrors of one another: sharing what is not believed is
//! evidence, as far as it is not what others say too, and every difference speaks against it. For
//! `copying`; every plan reads it off the ledger anew, so that it follows what is believed.

use immune_model::{SharedValues, SourceId};

use super::hypotheses::Compared;
use super::ledger::{Item, Said};
use crate::state::State;

/// Nats by which a mirror is more probable than two sources of their own, from which it is
/// inferred: with one mirror in a thousand pairs, it is then one with a probability of 95 %.
const INFERRED: f64 = 10.0;
/// The same, slips counted in full, subjects, and nats by which it is more probable than that the
/// two share a source in part, from which what others are compared by counts a pair once. Far more
/// than is inferred from: what is believed while little was said is often wrong, and who is right
/// then shares what is not believed with all others who are.
const SETTLED: f64 = 45.0;
const SETTLED_SUBJECTS: u32 = 10;
const SETTLED_BEYOND: f64 = 3.0;

/// What two sources share, and what it says. In nats, negative where it speaks against a mirror.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Subjects about which both speak, of those that were looked at.
    pub shared: u32,
    /// Those of them where both state one value, and it is not believed.
    pub unbelieved: u32,
    /// Those of them where they differ.
    pub differing: u32,
    /// By how much more probable it is if one repeats the other than if neither does.
    pub nats: f64,
    /// By how much more probable it is if one repeats the other than if both have a share of what
    /// they say from one place, whatever share.
    pub beyond: f64,
    /// As `nats`, with each slip counted as what others say too.
    pub(super) strict: f64,
}

impl Evidence {
    /// Whether a mirror is inferred from it.
    pub fn shows_mirror(&self) -> bool {
        self.unbelieved > 0 && self.nats >= INFERRED && self.beyond >= 0.0
    }

    /// Whether it is so much that what others are compared by counts the two once.
    pub(crate) fn settles(&self) -> bool {
        self.shows_mirror()
            && self.strict >= SETTLED
            && self.unbelieved >= SETTLED_SUBJECTS
            && self.beyond >= SETTLED_BEYOND
    }

    /// Whether a mirror that was inferred is taken back: one that settled by less than nothing, so
    /// that what follows from it does not take it back.
    pub(crate) fn speaks_against(&self, settled: bool) -> bool {
        self.nats <= if settled { 0.0 } else { INFERRED / 2.0 } || self.beyond < 0.0
    }

    /// Whether two sources differ so often that they are no mirrors of a third one either.
    pub(crate) fn contradicts(&self) -> bool {
        self.differing > 0 && self.beyond < 0.0
    }

    /// As it is logged.
    pub(crate) fn logged(&self, source: SourceId, of: SourceId) -> SharedValues {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some hundred subjects give some thousand nats at most"
        )]
        let evidence = (self.nats.max(0.0) * 1000.0).round() as u32;
        SharedValues {
            source,
            of,
            shared: self.shared,
            unbelieved: self.unbelieved,
            differing: self.differing,
            evidence,
            settled: self.settles(),
        }
    }
}

impl State {
    /// What speaks for two sources being mirrors of one another, by the last subjects about which
    /// the one with fewer of them spoke.
    pub fn mirror_evidence(&self, one: SourceId, other: SourceId) -> Evidence {
        let ledger = &self.copying.ledger;
        let (few, many) = if ledger.recent(one).len() <= ledger.recent(other).len() {
            (one, other)
        } else {
            (other, one)
        };
        // Who is seldom wrong shares an error with another one seldom by chance.
        let wrongness = ledger.wrongness(one).max(ledger.wrongness(other));
        // The two count once among those who speak.
        let two = if self.copying.settled.is_one(one, other) {
            1
        } else {
            2
        };
        let mut compared = Compared::new();
        for number in ledger.recent(few) {
            let item = ledger.item(*number);
            let (Some(ours), Some(theirs)) = (item.said_by(few), item.said_by(many)) else {
                continue;
            };
            let others = item.origins.saturating_sub(two);
            let also = |it: &Said, but: u32| {
                let origins = item.value(it.value).map_or(0, |it| it.origins);
                origins.saturating_sub(but)
            };
            let share = |also: u32| f64::from(also + 1) / f64::from(others.max(also) + 2);
            if ours.value != theirs.value {
                let (one, other) = (also(ours, 1), also(theirs, 1));
                let is_supported = one.min(other) > 0;
                compared.differ(share(one.max(other)), wrongness, is_supported);
            } else if self.is_unbelieved(item, ours, theirs) {
                compared.agree_unbelieved(share(also(ours, two)), wrongness);
            } else {
                compared.agree();
            }
        }
        compared.evidence()
    }

    /// Whether the value that two sources state is not what is believed: it is refuted, or if the
    /// two counted once, another value would weigh as much.
    pub(crate) fn is_unbelieved(&self, item: &Item, ours: &Said, theirs: &Said) -> bool {
        let ledger = &self.copying.ledger;
        let is_one = self.copying.settled.is_one(ours.source, theirs.source);
        let twice = if is_one {
            0
        } else {
            ledger.weight(ours).min(ledger.weight(theirs))
        };
        self.is_refuted(theirs) || self.is_unbelieved_less(item, ours, twice)
    }

    /// Whether it may be that what a source states is not believed, whoever else states it.
    pub(crate) fn may_be_unbelieved(&self, item: &Item, ours: &Said) -> bool {
        self.is_unbelieved_less(item, ours, self.copying.ledger.weight(ours))
    }

    /// Whether what a source states is not believed, if so much of its weight is left out.
    fn is_unbelieved_less(&self, item: &Item, ours: &Said, twice: u64) -> bool {
        if self.is_refuted(ours) {
            return true;
        }
        let Some(stated) = item.value(ours.value) else {
            return false;
        };
        if stated.recorded {
            return false;
        }
        let weight = stated.weight.saturating_sub(twice);
        let others = item.values.iter().filter(|it| it.value != stated.value);
        others
            .into_iter()
            .any(|it| it.recorded || (it.weight > 0 && it.weight >= weight))
    }

    fn is_refuted(&self, said: &Said) -> bool {
        self.beliefs.get(said.belief).refuted_in.is_some()
    }
}
