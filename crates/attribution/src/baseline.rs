//! What the search is measured against: published ways to find who is to blame.
//!
//! None of them asks whether the failure is there at all, but [`peel`]; what was asked once is not
//! asked again, but by [`peel`], whose counts are the published ones. Each gives one set: [`ddmin`], [`probdd`] and [`quickxplain`] one cause, of which
//! none can be spared if the oracle is monotone; [`peel`] what to leave out.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]

use std::collections::HashMap;

use crate::{Candidates, Oracle, Subset};

/// How a baseline asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asking {
    /// A verdict is that of most of so many calls, which end once most are known; 1 trusts the
    /// first one.
    pub majority_of: usize,
    /// At most so many calls; what is still to be asked passes then.
    pub calls_max: usize,
}

impl Default for Asking {
    fn default() -> Self {
        Self {
            majority_of: 1,
            calls_max: usize::MAX,
        }
    }
}

/// What a baseline blames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed {
    /// Whom.
    pub blamed: Subset,
    /// The calls it took.
    pub calls: usize,
}

/// Delta debugging (Zeller & Hildebrandt 2002): halves, then complements, then finer parts, until
/// no single candidate can be spared.
pub fn ddmin<O: Oracle>(n: usize, oracle: &mut O, asking: Asking) -> Result<Blamed, O::Error> {
    let mut asked = Asked::new(n, oracle, asking);
    let mut left: Vec<usize> = (0..n).collect();
    let mut n_parts = 2;
    'reduced: while left.len() > 1 {
        let parts = split(&left, n_parts);
        for part in &parts {
            if asked.fails(part)? {
                left.clone_from(part);
                n_parts = 2;
                continue 'reduced;
            }
        }
        for part in &parts {
            let rest: Vec<usize> = left
                .iter()
                .copied()
                .filter(|it| !part.contains(it))
                .collect();
            if n_parts > 2 && asked.fails(&rest)? {
                left = rest;
                n_parts = (n_parts - 1).max(2);
                continue 'reduced;
            }
        }
        if n_parts >= left.len() {
            break;
        }
        n_parts = (2 * n_parts).min(left.len());
    }
    Ok(asked.blame(&left))
}

/// Probabilistic delta debugging (Wang et al. 2021): takes out what is expected to shrink it most,
/// and each failure to do so raises the probability that one of those is needed. Starts at 0.1.
pub fn probdd<O: Oracle>(n: usize, oracle: &mut O, asking: Asking) -> Result<Blamed, O::Error> {
    let mut asked = Asked::new(n, oracle, asking);
    let mut left: Vec<(usize, f64)> = (0..n).map(|it| (it, 0.1)).collect();
    loop {
        left.sort_by(|one, other| one.1.total_cmp(&other.1));
        let (mut spared, mut gain, mut n_out) = (1.0, 0.0, 0);
        for (n_before, (_, needed)) in left.iter().enumerate() {
            spared *= 1.0 - needed;
            let expected = spared * (n_before + 1) as f64;
            if expected > gain {
                (gain, n_out) = (expected, n_before + 1);
            }
        }
        if n_out == 0 || gain < 1e-6 || left.len() <= 1 {
            break;
        }
        let (out, kept) = left.split_at(n_out);
        let kept: Vec<(usize, f64)> = kept.to_vec();
        let numbers: Vec<usize> = kept.iter().map(|it| it.0).collect();
        if asked.fails(&numbers)? {
            left = kept;
            continue;
        }
        let none_needed: f64 = out.iter().map(|it| 1.0 - it.1).product();
        for (_, needed) in left.iter_mut().take(n_out) {
            *needed = if n_out == 1 {
                1.0
            } else {
                (*needed / (1.0 - none_needed)).min(1.0)
            };
        }
    }
    let left: Vec<usize> = left.into_iter().map(|it| it.0).collect();
    Ok(asked.blame(&left))
}

/// QuickXplain (Junker 2004): divides, and keeps one half while it finds what is needed of the
/// other.
pub fn quickxplain<O: Oracle>(
    n: usize,
    oracle: &mut O,
    asking: Asking,
) -> Result<Blamed, O::Error> {
    let mut asked = Asked::new(n, oracle, asking);
    let all: Vec<usize> = (0..n).collect();
    let needed = explain(&mut asked, &[], false, &all)?;
    Ok(asked.blame(&needed))
}

fn explain<O: Oracle>(
    asked: &mut Asked<'_, O>,
    kept: &[usize],
    is_new: bool,
    of: &[usize],
) -> Result<Vec<usize>, O::Error> {
    if of.is_empty() || is_new && asked.fails(kept)? {
        return Ok(Vec::new());
    }
    if of.len() == 1 {
        return Ok(of.to_vec());
    }
    let (first, second) = of.split_at(of.len() / 2);
    let with = |more: &[usize]| [kept, more].concat();
    let needed_second = explain(asked, &with(first), true, second)?;
    let needed_first = explain(
        asked,
        &with(&needed_second),
        !needed_second.is_empty(),
        first,
    )?;
    Ok([needed_first, needed_second].concat())
}

/// Peel and shrink: leaves out one after the other, the most suspicious first, until the answer
/// passes, then puts back each one that is not needed, in one pass. It asks first whether all fail;
/// 2 calls for one culprit that is first in line, `1 + 2k` for `k` of them. Nobody is blamed if it
/// never passes.
pub fn peel<O: Oracle>(
    candidates: &Candidates,
    oracle: &mut O,
    asking: Asking,
) -> Result<Blamed, O::Error> {
    let n = candidates.len();
    let mut asked = Asked::new(n, oracle, asking);
    asked.remembers = false;
    let mut left: Vec<usize> = candidates.order().to_vec();
    let mut out = Vec::new();
    while asked.fails(&left)? {
        if left.is_empty() {
            return Ok(asked.blame(&[]));
        }
        out.push(left.remove(0));
    }
    if out.len() > 1 {
        for number in out.clone() {
            let back = [left.as_slice(), &[number]].concat();
            if !asked.fails(&back)? {
                left = back;
                out.retain(|it| *it != number);
            }
        }
    }
    Ok(asked.blame(&out))
}

/// Whom to ask, and what was answered before.
struct Asked<'a, O: Oracle> {
    n: usize,
    oracle: &'a mut O,
    asking: Asking,
    before: HashMap<Subset, bool>,
    remembers: bool,
    calls: usize,
}

impl<'a, O: Oracle> Asked<'a, O> {
    fn new(n: usize, oracle: &'a mut O, asking: Asking) -> Self {
        Self {
            n,
            oracle,
            asking,
            before: HashMap::new(),
            remembers: true,
            calls: 0,
        }
    }

    fn fails(&mut self, shown: &[usize]) -> Result<bool, O::Error> {
        let shown = Subset::of(self.n, shown.iter().copied());
        if let Some(before) = self.before.get(&shown)
            && self.remembers
        {
            return Ok(*before);
        }
        let most = self.asking.majority_of.max(1) / 2 + 1;
        let (mut failed, mut passed) = (0, 0);
        while failed < most && passed < most {
            if self.calls >= self.asking.calls_max {
                return Ok(false);
            }
            self.calls += 1;
            let verdicts = self.oracle.ask(std::slice::from_ref(&shown))?;
            if verdicts.first().is_some_and(|it| it.fails()) {
                failed += 1;
            } else {
                passed += 1;
            }
        }
        self.before.insert(shown, failed >= most);
        Ok(failed >= most)
    }

    fn blame(&self, blamed: &[usize]) -> Blamed {
        Blamed {
            blamed: Subset::of(self.n, blamed.iter().copied()),
            calls: self.calls,
        }
    }
}

/// So many parts, as even as they go.
fn split(all: &[usize], n_parts: usize) -> Vec<Vec<usize>> {
    let mut rest = all;
    let mut parts = Vec::new();
    for left in (1..=n_parts).rev() {
        let (part, more) = rest.split_at(rest.len() / left);
        parts.push(part.to_vec());
        rest = more;
    }
    parts
}
