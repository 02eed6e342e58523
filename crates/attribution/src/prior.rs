//! What is likely before anybody is asked: how many culprits, and which.
//!
//! A set of `k` culprits of `n` has the probability `share(n, k)`, split evenly over both shapes for `k` of 2
//! and more, times its product of weights over the sum of such products, which is an elementary
//! symmetric polynomial. Candidates stand in a line, so that what a prefix holds or a suffix leaves
//! is one number from a table. The prior decides what is asked next, never what is concluded.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]

use crate::Candidates;

/// The bits that the search spends on 1, 2, 3 and 4 culprits beyond those that name them, their
/// shape and their count: of some sixty that were tried on other draws of the same kind as the
/// bench's, those by which the worst of the rows of a hundred candidates is the least.
const SPENT: [f64; 4] = [0.5, 0.1, 0.2, 0.6];
/// What each bit of `log2 C(n, k)` may cost beyond a call.
const MARGIN: f64 = 0.1;
/// The probability of more than four culprits, half as much for each further one.
const MORE: f64 = 0.01;
/// How many culprits past those found are looked ahead to.
const AHEAD: usize = 8;
/// Counts up to this have their polynomial computed; larger ones go by the count of candidates.
const COUNTS: usize = 64;

/// The prior over candidates in a line, by position.
#[derive(Debug)]
pub(crate) struct Prior {
    n: usize,
    /// Polynomials of degree 0 to [`AHEAD`] over the positions from here on.
    suffixes: Vec<[f64; AHEAD + 1]>,
    /// And over those before here.
    prefixes: Vec<[f64; AHEAD + 1]>,
    /// By `k`, what one set of `k + 1` weighs beside one of `k`, products of weights left out.
    steps: Vec<f64>,
    /// What one set of one weighs.
    single: f64,
}

impl Prior {
    pub(crate) fn new(candidates: &Candidates) -> Self {
        let line = candidates.order().iter();
        let line: Vec<f64> = line.map(|it| candidates.weight(*it)).collect();
        let prefixes = polynomials(line.iter().copied());
        let mut suffixes = polynomials(line.iter().rev().copied());
        suffixes.reverse();
        let n = line.len();
        let all = elementary(&line, COUNTS.min(n));
        let one = |k: usize| share(n, k) / all.get(k).copied().unwrap_or(1.0);
        let steps = (1..COUNTS.min(n)).map(|k| one(k + 1) / one(k)).collect();
        Self {
            n,
            suffixes,
            prefixes,
            steps,
            single: one(1),
        }
    }

    /// What one set of `k + 1` weighs beside one of `k`.
    fn step(&self, k: usize) -> f64 {
        let computed = k.checked_sub(1).and_then(|it| self.steps.get(it));
        computed.copied().unwrap_or_else(|| {
            let left = self.n.saturating_sub(k);
            if left == 0 {
                0.0
            } else {
                (k + 1) as f64 / left as f64 / 2.0
            }
        })
    }

    /// All ways to have at least one more culprit from `from` on beside `found` ones, against 1 for
    /// none. `found` is at least 1.
    pub(crate) fn more_after(&self, found: usize, from: usize) -> f64 {
        self.suffixes
            .get(from)
            .map_or(0.0, |it| self.more(found, it))
    }

    /// All ways to have at least one more culprit before `to` beside `found` ones.
    pub(crate) fn more_before(&self, found: usize, to: usize) -> f64 {
        self.prefixes.get(to).map_or(0.0, |it| self.more(found, it))
    }

    /// What one set of so many weighs, products of weights left out; both shapes together.
    pub(crate) fn one(&self, k: usize) -> f64 {
        (1..k).map(|it| self.step(it)).product::<f64>() * self.single
    }

    /// What one set of so many weighs in one shape; half of it also where both are the same.
    pub(crate) fn set(&self, k: usize) -> f64 {
        self.one(k) / 2.0
    }

    /// All sets of `k` that are known and any number more from `from` on, shapes of several only.
    pub(crate) fn one_and_after(&self, k: usize, from: usize) -> f64 {
        let alone = if k > 1 { 1.0 } else { 0.0 };
        self.one(k) * (alone + self.more_after(k, from))
    }

    /// All sets of `k` that are known and any number more before `to`, shapes of several only.
    pub(crate) fn one_and_before(&self, k: usize, to: usize) -> f64 {
        let alone = if k > 1 { 1.0 } else { 0.0 };
        self.one(k) * (alone + self.more_before(k, to))
    }

    fn more(&self, found: usize, ways: &[f64; AHEAD + 1]) -> f64 {
        let mut weight = 1.0;
        let mut sum = 0.0;
        for (ahead, ways) in ways.iter().enumerate().skip(1) {
            weight *= self.step(found + ahead - 1);
            sum += weight * ways;
        }
        sum
    }

    /// The probability that the first prefix to fail ends before `to`: the least culprit of several
    /// that each act alone, the last one of those that act together.
    pub(crate) fn boundary_before(&self, to: usize) -> f64 {
        let none = [0.0; AHEAD + 1];
        let prefix = self.prefixes.get(to).unwrap_or(&none);
        let suffix = self.suffixes.get(to).unwrap_or(&none);
        let all = self.suffixes.first().unwrap_or(&none);
        let mut weight = self.single;
        let mut sum = 0.0;
        for (k, ((prefix, suffix), all)) in prefix.iter().zip(suffix).zip(all).enumerate().skip(1) {
            sum += weight / 2.0 * ((all - suffix).max(0.0) + prefix);
            weight *= self.step(k);
        }
        sum
    }

    /// The bits that tell the culprits, on average over how many there may be.
    pub(crate) fn bits(&self) -> f64 {
        let bits = |k: usize| share(self.n, k) * crate::bound::bits(self.n, k);
        (1..=AHEAD.min(self.n)).map(bits).sum()
    }
}

/// The probability of `k` culprits of `n`. Naming a count and a shape costs the logarithm of its
/// share, so that with these each count of up to four is left with the same number of calls above
/// `1.1 * log2 C(n, k)`.
fn share(n: usize, k: usize) -> f64 {
    let listed = |k: usize, spent: f64| {
        let shapes = if k == 1 { 1.0 } else { 2.0 };
        shapes * (spent - MARGIN * crate::bound::bits(n, k)).exp2()
    };
    let Some(spent) = k.checked_sub(1).and_then(|it| SPENT.get(it)) else {
        let further = k.saturating_sub(SPENT.len());
        return MORE * (-(further as f64)).exp2();
    };
    let all = (1..).zip(SPENT).map(|(k, spent)| listed(k, spent));
    (1.0 - MORE) * listed(k, *spent) / all.sum::<f64>()
}

/// After each of these weights, the polynomials of all up to it; before the first one as well.
fn polynomials(weights: impl Iterator<Item = f64>) -> Vec<[f64; AHEAD + 1]> {
    let mut now = [0.0; AHEAD + 1];
    if let Some(first) = now.first_mut() {
        *first = 1.0;
    }
    let mut all = vec![now];
    for weight in weights {
        let before = now;
        for (higher, lower) in now.iter_mut().skip(1).zip(&before) {
            *higher += weight * lower;
        }
        all.push(now);
    }
    all
}

/// The elementary symmetric polynomials of these up to a degree.
fn elementary(weights: &[f64], degree: usize) -> Vec<f64> {
    let mut all = vec![0.0; degree + 1];
    if let Some(first) = all.first_mut() {
        *first = 1.0;
    }
    for weight in weights {
        let before = all.clone();
        for (higher, lower) in all.iter_mut().skip(1).zip(&before) {
            *higher += weight * lower;
        }
    }
    all
}
