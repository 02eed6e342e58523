//! How probable what two sources state is by three accounts of them: one repeats the other, one
//! takes a share of what it says from where the other does, or neither. For `evidence`.
//!
//! After Dong, Berti-Equille and Srivastava (PVLDB 2009), whose copier repeats a known share; here
//! that share is not known, and only who repeats all but its slips is a mirror. Invariant: what
//! both state and is believed is as probable by each account, so that it shows nothing.

use super::evidence::Evidence;

/// The shares of what they say that two sources may have from one place, each as probable: midpoints
/// of five equal parts of all shares.
const SHARES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Half of the mirrors change nothing. The others change one value in ten on the average, by a
/// Beta(1, 9) distribution.
const FAITHFUL: f64 = 0.5;
const CHANGES_BETA: f64 = 9.0;
/// How often a value that a mirror changes becomes one that somebody else states too: there are
/// taken to be ten false values, as in the paper.
const CHANGE_HITS: f64 = 0.1;
/// The same for two sources of their own that differ: nothing is known, so as often as not.
const OWN_HITS: f64 = 0.5;
/// A value that is not believed is never taken for rarer among sources of their own than this: one
/// subject says at most some nats. Nor for more common: whatever crowd repeats it, and however often
/// the two are wrong, sharing it says something, or mirrors without number would hide one another.
const COMMON_LEAST: f64 = 0.02;
const COMMON_MAX: f64 = 0.5;

/// What two sources state, subject by subject.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compared {
    shared: u32,
    unbelieved: u32,
    /// Where they differ, and nobody else states what one of them does.
    alone: u32,
    /// Where they differ, and others state what either does.
    supported: u32,
    own: Product,
    partly: [Product; 5],
    /// As `own`, by who else states the values alone.
    popular: Product,
}

impl Compared {
    pub(super) fn new() -> Self {
        Self {
            shared: 0,
            unbelieved: 0,
            alone: 0,
            supported: 0,
            own: Product::ONE,
            partly: [Product::ONE; 5],
            popular: Product::ONE,
        }
    }

    /// Both state one value, and it is believed.
    pub(super) fn agree(&mut self) {
        self.shared += 1;
    }

    /// Both state one value that is not believed, and this share of the others does. `wrongness` is
    /// the odds that a source like these is wrong, against those of all.
    pub(super) fn agree_unbelieved(&mut self, share: f64, wrongness: f64) {
        self.shared += 1;
        self.unbelieved += 1;
        let common = more_often(share, wrongness).clamp(COMMON_LEAST, COMMON_MAX);
        self.own.times(common);
        for (partly, from_one) in self.partly.iter_mut().zip(SHARES) {
            partly.times(from_one + (1.0 - from_one) * common);
        }
        self.popular.times(share.clamp(COMMON_LEAST, COMMON_MAX));
    }

    /// They differ, and this share of the others states the more common value of the two; whether
    /// others state both. `wrongness` as above.
    pub(super) fn differ(&mut self, share: f64, wrongness: f64, is_supported: bool) {
        self.shared += 1;
        let hits = if is_supported {
            self.supported += 1;
            OWN_HITS
        } else {
            self.alone += 1;
            1.0 - OWN_HITS
        };
        let differs = more_often(1.0 - share, wrongness) * hits;
        // On the safe side: sources of their own are taken to differ wherever these two do.
        self.own.times(hits);
        for (partly, from_one) in self.partly.iter_mut().zip(SHARES) {
            partly.times((1.0 - from_one) * differs);
        }
    }

    /// What that says.
    pub(super) fn evidence(&self) -> Evidence {
        let differing = self.alone + self.supported;
        let changed = self.changes(differing);
        let mirror = changed
            + f64::from(self.supported) * CHANGE_HITS.ln()
            + f64::from(self.alone) * (1.0 - CHANGE_HITS).ln();
        let partly = self.partly.map(Product::nats);
        let most = partly.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = partly.iter().map(|it| (it - most).exp()).sum();
        let partly = most + (sum / 5.0).ln();
        let strict = changed + f64::from(differing) * CHANGE_HITS.ln() - self.popular.nats();
        Evidence {
            shared: self.shared,
            unbelieved: self.unbelieved,
            differing,
            nats: rounded(mirror - self.own.nats()),
            beyond: rounded(mirror - partly),
            strict: rounded(strict),
        }
    }

    /// How probable it is that a mirror differs on so many of the subjects, in nats.
    fn changes(&self, differing: u32) -> f64 {
        let mut nats = FAITHFUL.ln();
        if differing > 0 {
            // The beta function B(1 + d, 9 + n - d) against B(1, 9).
            let most = CHANGES_BETA + f64::from(self.shared);
            nats += CHANGES_BETA.ln() - most.ln();
            let each = (1..=differing).map(|it| (f64::from(it) / (most - f64::from(it))).ln());
            nats += each.sum::<f64>();
        }
        nats
    }
}

/// A chance, with its odds so many times as high.
fn more_often(chance: f64, times: f64) -> f64 {
    chance * times / (1.0 - chance + chance * times)
}

/// To a millionth of a nat, so that machines agree.
fn rounded(nats: f64) -> f64 {
    (nats * 1e6).round() / 1e6
}

/// A product of many chances; logarithms are taken of some factors at a time.
#[derive(Debug, Clone, Copy)]
struct Product {
    nats: f64,
    factor: f64,
}

impl Product {
    const ONE: Self = Self {
        nats: 0.0,
        factor: 1.0,
    };

    fn times(&mut self, chance: f64) {
        self.factor *= chance;
        if self.factor < 1e-200 {
            self.nats += self.factor.ln();
            self.factor = 1.0;
        }
    }

    fn nats(self) -> f64 {
        self.nats + self.factor.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many subjects of each kind, in a crowd of ten others of which three state what both do.
    fn found(believed: u32, unbelieved: u32, alone: u32, supported: u32) -> Evidence {
        let mut compared = Compared::new();
        (0..believed).for_each(|_| compared.agree());
        (0..unbelieved).for_each(|_| compared.agree_unbelieved(0.3, 1.0));
        (0..alone).for_each(|_| compared.differ(0.6, 1.0, false));
        (0..supported).for_each(|_| compared.differ(0.6, 1.0, true));
        compared.evidence()
    }

    #[test]
    fn what_is_believed_shows_nothing() {
        let few = found(0, 12, 0, 0);
        let many = found(400, 12, 0, 0);
        assert_eq!((few.nats, few.beyond), (many.nats, many.beyond));
        assert!(!found(500, 0, 0, 0).shows_mirror());
    }

    #[test]
    fn who_repeats_all_that_is_not_believed_is_a_mirror_and_who_repeats_a_share_is_none() {
        assert!(found(60, 12, 0, 0).shows_mirror());
        assert!(found(300, 100, 1, 0).shows_mirror());
        for (unbelieved, supported) in [(12, 4), (40, 6), (60, 20)] {
            let found = found(60, unbelieved, 0, supported);
            assert!(found.beyond < 0.0, "{found:?}");
            assert!(!found.shows_mirror());
        }
    }

    #[test]
    fn a_value_that_others_state_speaks_more_against_a_mirror_than_a_slip() {
        let (slip, own) = (found(60, 20, 1, 0), found(60, 20, 0, 1));
        assert!(own.nats < slip.nats && own.beyond < slip.beyond);
    }

    #[test]
    fn a_product_of_many_chances_keeps_its_logarithm() {
        let mut product = Product::ONE;
        (0..2000).for_each(|_| product.times(0.02));
        assert!((product.nats() - 2000.0 * 0.02_f64.ln()).abs() < 1e-6);
    }
}
