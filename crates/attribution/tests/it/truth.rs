//! Oracles whose truth is known: a set of causes, or any function of what is shown.

use immune_attribution::{Candidates, Found, Options, Oracle, Subset, Verdict, attribute};

/// An oracle by what fails; it counts, and gives up after so many calls.
pub(crate) struct Truth<F> {
    pub(crate) fails: F,
    pub(crate) n_calls: usize,
    pub(crate) broken_at: Option<usize>,
}

/// One whose function is not named.
pub(crate) type Fails = Truth<Box<dyn FnMut(&Subset) -> bool>>;

/// The endpoint is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone;

impl<F: FnMut(&Subset) -> bool> Oracle for Truth<F> {
    type Error = Gone;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, Gone> {
        let after = self.n_calls + shown.len();
        if self.broken_at.is_some_and(|it| after > it) {
            return Err(Gone);
        }
        self.n_calls = after;
        let verdict = |fails| {
            if fails {
                Verdict::Fails
            } else {
                Verdict::Passes
            }
        };
        Ok(shown.iter().map(|it| verdict((self.fails)(it))).collect())
    }
}

pub(crate) fn truth<F: FnMut(&Subset) -> bool>(fails: F) -> Truth<F> {
    Truth {
        fails,
        n_calls: 0,
        broken_at: None,
    }
}

/// Fails when one of these is shown whole.
pub(crate) fn any_of(causes: Vec<Subset>) -> impl Fn(&Subset) -> bool {
    move |shown| causes.iter().any(|it| it.is_within(shown))
}

/// What is found about these causes.
pub(crate) fn found(n: usize, causes: &[Subset], options: Options<'_>) -> Found<Gone> {
    let mut oracle = truth(any_of(causes.to_vec()));
    attribute(&Candidates::uniform(n), &mut oracle, options)
}

/// Sets of these numbers, sorted.
pub(crate) fn sets(n: usize, of: &[&[usize]]) -> Vec<Subset> {
    let sets = of.iter().map(|it| Subset::of(n, it.iter().copied()));
    sorted(sets.collect())
}

pub(crate) fn sorted(mut sets: Vec<Subset>) -> Vec<Subset> {
    sets.sort_unstable();
    sets
}

/// The set whose bits these are.
pub(crate) fn numbered(n: usize, bits: usize) -> Subset {
    Subset::of(n, (0..n).filter(|it| bits >> it & 1 == 1))
}

/// Numbers that look random (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// So many different numbers below `n`, sorted.
    pub(crate) fn pick(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut picked = Vec::new();
        while picked.len() < k {
            let drawn = (self.bits() % n as u64) as usize;
            if !picked.contains(&drawn) {
                picked.push(drawn);
            }
        }
        picked.sort_unstable();
        picked
    }
}
