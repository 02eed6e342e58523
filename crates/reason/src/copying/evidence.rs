//! How much speaks for two sources being mirrors of one another, after Dong, Berti-Equille and
//! Srivastava (PVLDB 2009): sharing what is not believed is evidence, as far as it is not what
//! others say too. For `copying`; every plan reads it off the ledger anew, so that it follows what
//! is believed.

use immune_model::{SharedValues, SourceId};

use super::ledger::{Item, Said};
use crate::state::State;

/// How often a mirror repeats what it copies, where others say what it says instead.
const KEEPS: f64 = 0.998;
/// The same where nobody says what it says instead: a slip, or a change to hide the copy.
const SLIPS: f64 = 0.9;
/// How common a value is taken to be at most among those who state one that is not believed:
/// whatever crowd repeats it, sharing it says something.
const COMMON_MAX: f64 = 0.5;
/// And at least: a single subject never says more than some nats.
const COMMON_LEAST: f64 = 0.02;
/// The least share of the subjects that both speak about on which a mirror agrees, in percent: who
/// says something else more often speaks for itself.
const AGREES_PERCENT: u32 = 85;
/// Nats of evidence from which a mirror is inferred: with one copying pair in a thousand, it is
/// then one with a probability of 95 %.
const INFERRED: f64 = 10.0;
/// Nats of evidence, slips counted in full, and subjects, from which what others are compared by
/// counts a pair once. Far more than is inferred from: what is believed while little was said is
/// often wrong, and who is right then shares what is not believed with all others who are.
const SETTLED: f64 = 45.0;
const SETTLED_SUBJECTS: u32 = 10;

/// What two sources share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) shared: u32,
    pub(crate) unbelieved: u32,
    pub(crate) differing: u32,
    /// In nats; negative where it speaks against copying.
    pub(crate) nats: f64,
    /// The same with slips counted in full.
    pub(crate) strict: f64,
}

impl Evidence {
    /// Whether a mirror is inferred from it.
    pub(crate) fn shows_mirror(&self) -> bool {
        self.unbelieved > 0 && self.agrees() && self.nats >= INFERRED
    }

    /// Whether it is so much that what others are compared by counts the two once.
    pub(crate) fn settles(&self) -> bool {
        self.shows_mirror() && self.strict >= SETTLED && self.unbelieved >= SETTLED_SUBJECTS
    }

    /// Whether a mirror that was inferred is taken back: one that settled by less than nothing, so
    /// that what follows from it does not take it back.
    pub(crate) fn speaks_against(&self, settled: bool) -> bool {
        self.nats <= if settled { 0.0 } else { INFERRED / 2.0 } || !self.agrees()
    }

    fn agrees(&self) -> bool {
        100 * self.differing <= (100 - AGREES_PERCENT) * self.shared
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
    pub(crate) fn mirror_evidence(&self, one: SourceId, other: SourceId) -> Evidence {
        let ledger = &self.copying.ledger;
        let (few, many) = if ledger.recent(one).len() <= ledger.recent(other).len() {
            (one, other)
        } else {
            (other, one)
        };
        let mut found = Evidence {
            shared: 0,
            unbelieved: 0,
            differing: 0,
            nats: 0.0,
            strict: 0.0,
        };
        // Who is seldom wrong shares an error with another one seldom by chance.
        let wrongness = ledger.wrongness(one).max(ledger.wrongness(other)).min(1.0);
        let (mut millionths, mut strict) = (0_i64, 0_i64);
        for number in ledger.recent(few) {
            let item = ledger.item(*number);
            let (Some(ours), Some(theirs)) = (item.said_by(few), item.said_by(many)) else {
                continue;
            };
            found.shared += 1;
            if ours.value != theirs.value {
                found.differing += 1;
                let says_so_alone = [ours, theirs].into_iter().any(|it| {
                    let value = item.value(it.value);
                    value.is_none_or(|it| it.origins <= 1)
                });
                let repeats = if says_so_alone { SLIPS } else { KEEPS };
                millionths += rounded((1.0 - repeats).ln());
                strict += rounded((1.0 - KEEPS).ln());
            } else if self.is_unbelieved(item, ours, theirs) {
                found.unbelieved += 1;
                let common = self.common(item, ours, theirs);
                millionths += rounded(surprise(common * wrongness));
                strict += rounded(surprise(common));
            }
        }
        (found.nats, found.strict) = (in_nats(millionths), in_nats(strict));
        found
    }

    /// Whether the value that two sources state is not what is believed: it is refuted, or if the
    /// two counted once, another value would weigh as much.
    pub(crate) fn is_unbelieved(&self, item: &Item, ours: &Said, theirs: &Said) -> bool {
        let refuted = |it: &Said| self.beliefs.get(it.belief).refuted_in.is_some();
        if refuted(ours) || refuted(theirs) {
            return true;
        }
        let Some(stated) = item.value(ours.value) else {
            return false;
        };
        if stated.recorded {
            return false;
        }
        let ledger = &self.copying.ledger;
        let twice = if self.copying.settled.is_one(ours.source, theirs.source) {
            0
        } else {
            ledger.weight(ours).min(ledger.weight(theirs))
        };
        let weight = stated.weight.saturating_sub(twice);
        let others = item.values.iter().filter(|it| it.value != stated.value);
        others
            .into_iter()
            .any(|it| it.recorded || (it.weight > 0 && it.weight >= weight))
    }

    /// How common the value of two sources is among the others: by how many of them state it.
    fn common(&self, item: &Item, ours: &Said, theirs: &Said) -> f64 {
        let stating = item.value(ours.value).map_or(0, |it| it.origins);
        let two = if self.copying.settled.is_one(ours.source, theirs.source) {
            1
        } else {
            2
        };
        let also = stating.saturating_sub(two);
        let others = item.origins.saturating_sub(two);
        f64::from(also + 1) / f64::from(others + 2)
    }
}

/// How much less it surprises that two sources share a value if one copies the other, in nats.
fn surprise(common: f64) -> f64 {
    let common = common.clamp(COMMON_LEAST, COMMON_MAX);
    ((KEEPS + (1.0 - KEEPS) * common) / common).ln()
}

fn in_nats(millionths: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some thousand nats at most")]
    let nats = millionths as f64 / 1e6;
    nats
}

/// Millionths of a nat, rounded so that machines agree.
fn rounded(nats: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the logarithm of a share above a thousandth"
    )]
    let millionths = (nats * 1e6).round() as i64;
    millionths
}
