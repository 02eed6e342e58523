//! The search where no verdict errs.
//!
//! Candidates stand in a line, and what is asked next is nearly always a prefix of it, with the
//! culprits that are known left out (each acts alone) or added (all act together). The first prefix
//! to fail ends with a culprit whichever it is, so that the shape costs nothing until one is
//! known; where that one lies says half of the rest. Each question splits what is still likely as
//! evenly as a prefix can: generalised binary splitting (Hwang 1972) with the group sizes of the
//! nested test plan (Sobel & Groll 1959), over an unknown count and either shape.
//!
//! A question whether anybody is left, where that is hardly likely, costs a call and tells little.
//! So it is asked together with the last questions about whom it is: one verdict of the two then
//! answers both, and the other one leaves what it leaves in doubt, to be asked at the end.
//!
//! Removing a set cures joint causes if and only if the set meets them, so that both shapes are
//! group testing, once on those that are shown and once on those that are left out.

use crate::ledger::Ledger;
use crate::prior::Prior;
use crate::{Candidates, Oracle, Part, Proof, Subset, Why, causes};

mod first;
mod others;

/// Up to this share of what is likely, all who may be left are asked about at once: below it, the
/// code of Huffman (1952) for one heavy outcome and many light ones gives the heavy one a bit.
const WHOLE: f64 = 2.0 / 3.0;
/// Where there is hardly another one, this is asked together with who the next one is: where all
/// ways to have another weigh less than this against 1 for none, and that one is among no more than
/// [`FEW`]. Among more, who it is is asked alone, so that little is in doubt. Both were chosen among
/// some ten on other draws than the bench's.
const LIGHT: f64 = 0.3;
/// See [`LIGHT`].
const FEW: usize = 3;

/// What is known so far: kept outside of the search, so that a stop loses none of it.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) causes: Vec<Subset>,
    pub(crate) correction: Option<Subset>,
    pub(crate) all_causes: bool,
    pub(crate) flip_rate: f64,
    pub(crate) confidence: f64,
}

/// Finds the causes of a failure that the guards have seen.
pub(crate) fn search<O: Oracle>(
    ledger: &mut Ledger<'_, '_, O>,
    candidates: &Candidates,
    proof: Proof,
    draft: &mut Draft,
) -> Result<(), Why<O::Error>> {
    let mut line = Line {
        ledger,
        candidates,
        prior: Prior::new(candidates),
        draft,
    };
    let presumed = line.presume()?;
    causes::prove(line.ledger, candidates, proof, &presumed, line.draft)
}

/// What the search takes the causes to be, before any of it is proven.
#[derive(Debug)]
pub(crate) enum Presumed {
    /// Each of these alone, in the order in which they were found, each with a set that failed, and
    /// in which it is and none of the others.
    Alone(Vec<Subset>, Vec<Subset>),
    /// These together, which were shown and failed, and of which none can be spared.
    Together(Subset),
}

struct Line<'l, 'a, 'p, O: Oracle> {
    ledger: &'l mut Ledger<'a, 'p, O>,
    candidates: &'l Candidates,
    prior: Prior,
    draft: &'l mut Draft,
}

impl<O: Oracle> Line<'_, '_, '_, O> {
    fn presume(&mut self) -> Result<Presumed, Why<O::Error>> {
        self.ledger.remaining = self.prior.bits();
        let first = self.first()?;
        let found = self.subset(&[first.at]);
        self.draft.causes = vec![found.clone()];
        self.draft.correction = Some(found.clone());
        let Some(second) = self.second(first)? else {
            return Ok(Presumed::Together(found));
        };
        let found = self.gather(second)?;
        if !second.others.is_alone {
            return Ok(Presumed::Together(self.subset(&found)));
        }
        let ones: Vec<Subset> = found.iter().map(|it| self.subset(&[*it])).collect();
        let failed = self.failed(&ones);
        Ok(Presumed::Alone(ones, failed))
    }

    /// The position in front of which the failure begins: the prefix of length `low` passes, that
    /// of length `high` fails.
    fn narrow(&mut self, mut low: usize, mut high: usize) -> Result<usize, Why<O::Error>> {
        while high - low > 1 {
            let to = self.middle(low, high);
            if self.ask(&self.between(0, to), high - low)? {
                high = to;
            } else {
                low = to;
            }
        }
        Ok(low)
    }

    /// Where a prefix between these ends that splits what is likely, while nobody is known.
    fn middle(&self, low: usize, high: usize) -> usize {
        let mass = |to| self.prior.boundary_before(to);
        let half = f64::midpoint(mass(low), mass(high));
        nearest(low + 1, high - 1, |it| (mass(it) - half, half))
    }

    fn ask(&mut self, shown: &Subset, left: usize) -> Result<bool, Why<O::Error>> {
        let spent = self.ledger.calls_for(Part::Search);
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let (left, spent) = (left as f64, spent as f64);
        self.ledger.remaining = (self.prior.bits() - spent).max(left.log2()).max(1.0);
        self.ledger.fails_once(Part::Search, shown)
    }

    /// For each of these the smallest set that failed, and in which it is and none of the others.
    fn failed(&self, ones: &[Subset]) -> Vec<Subset> {
        let n = self.candidates.len();
        let all = ones.iter().fold(Subset::none(n), |all, it| all.with(it));
        let of = |one: &Subset| {
            let replies = self.ledger.settled().iter();
            let failed = replies.filter(|it| it.verdict.fails() && one.is_within(&it.shown));
            let others = all.without(one);
            let apart = failed.filter(|it| it.shown.without(&others) == it.shown);
            let smallest = apart.min_by_key(|it| it.shown.len());
            smallest.map_or_else(|| Subset::all(n), |it| it.shown.clone())
        };
        ones.iter().map(of).collect()
    }

    /// Those in the line from one position on and before another.
    fn between(&self, from: usize, to: usize) -> Subset {
        let order = self.candidates.order();
        let numbers = order.get(from..to).unwrap_or_default();
        Subset::of(self.candidates.len(), numbers.iter().copied())
    }

    fn subset(&self, positions: &[usize]) -> Subset {
        let order = self.candidates.order();
        let numbers = positions.iter().filter_map(|it| order.get(*it));
        Subset::of(self.candidates.len(), numbers.copied())
    }
}

/// What share of what is likely a question should hit where somebody may be left, or nobody: half
/// of it; or all who may be left, if they are no more than [`WHOLE`]. A pass then ends the search,
/// while after a half one more question would have to end it.
fn aim(left: f64, all: f64) -> f64 {
    if left <= WHOLE * all { left } else { all / 2.0 }
}

/// Where, from `low` to `high`, a quantity that never falls comes nearest to 0; the quantity comes
/// with what it is measured in, and within a billionth of that the first place is taken.
fn nearest(low: usize, high: usize, off: impl Fn(usize) -> (f64, f64)) -> usize {
    let (mut below, mut above) = (low, high.max(low));
    while below < above {
        let middle = usize::midpoint(below, above);
        if off(middle).0 < 0.0 {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    let before = below.max(low + 1) - 1;
    let (under, unit) = off(before);
    let (over, _) = off(below);
    if under.abs() <= over.abs() + unit.abs() * 1e-9 {
        before
    } else {
        below
    }
}
