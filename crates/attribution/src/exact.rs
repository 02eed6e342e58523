//! The search where no verdict errs.
//!
//! Candidates stand in a line, and what is asked next is nearly always a prefix of it, with the
//! culprits that are known left out (each acts alone) or added (all act together). The first prefix
//! to fail ends with a culprit whichever it is, so that the shape costs nothing until one is
//! known; where that one lies says half of the rest. Each question splits what is still likely as
//! evenly as a prefix can: generalised binary splitting (Hwang 1972) with the group sizes of the
//! nested test plan (Sobel & Groll 1959), over an unknown count and either shape.
//!
//! Removing a set cures joint causes if and only if the set meets them, so that both shapes are
//! group testing, once on those that are shown and once on those that are left out.

use crate::ledger::Ledger;
use crate::prior::Prior;
use crate::{Candidates, Oracle, Part, Proof, Subset, Why, causes};

/// Up to this share of what is likely, all who may be left are asked about at once: below it, the
/// code of Huffman (1952) for one heavy outcome and many light ones gives the heavy one a bit.
const WHOLE: f64 = 2.0 / 3.0;

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
    /// Each of these alone: positions in the order in which they were found, each with the prefix
    /// that failed for it.
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

/// On which side of what is found the others are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Behind,
    InFront,
}

impl Side {
    /// How many positions there are on that side of one.
    fn reach(self, edge: usize, n: usize) -> usize {
        match self {
            Self::Behind => n - edge,
            Self::InFront => edge,
        }
    }

    /// The length of the prefix that ends so many positions from there.
    fn place(self, edge: usize, known: usize) -> usize {
        match self {
            Self::Behind => edge + known,
            Self::InFront => edge - known,
        }
    }
}

/// What was told of the second culprit.
enum Second {
    /// There is none.
    None,
    /// Each acts alone, and the next one lies in these positions.
    Alone(usize, usize),
    /// They act together, and so on.
    Together(usize, usize),
}

impl<O: Oracle> Line<'_, '_, '_, O> {
    fn presume(&mut self) -> Result<Presumed, Why<O::Error>> {
        let n = self.candidates.len();
        self.ledger.remaining = self.prior.bits();
        let none = Subset::none(n);
        let mass = |prior: &Prior, to| prior.boundary_before(to);
        let first = self.narrow(0, n, mass, |line, to| line.prefix(to, &none, &none))?;
        let found = self.subset([first]);
        self.draft.causes = vec![found.clone()];
        self.draft.correction = Some(found.clone());
        match self.second(first)? {
            Second::None => Ok(Presumed::Together(found)),
            Second::Alone(low, high) => self.alone(first, low, high),
            Second::Together(low, high) => self.together(first, low, high),
        }
    }

    /// The position in front of which the failure begins: the prefix of length `low` passes, that
    /// of length `high` fails.
    fn narrow(
        &mut self,
        mut low: usize,
        mut high: usize,
        mass: impl Fn(&Prior, usize) -> f64,
        shown: impl Fn(&Self, usize) -> Subset,
    ) -> Result<usize, Why<O::Error>> {
        while high - low > 1 {
            let (least, most) = (mass(&self.prior, low), mass(&self.prior, high));
            let half = f64::midpoint(least, most);
            let to = nearest(low + 1, high - 1, |it| (mass(&self.prior, it) - half, half));
            if self.ask(&shown(self, to), high - low)? {
                high = to;
            } else {
                low = to;
            }
        }
        Ok(low)
    }

    /// Whether there is a second culprit beside the one that ends the first failing prefix, and
    /// how it acts. A failure without the first one, among those behind it, says that each acts
    /// alone; a pass with it, among those in front of it, that they act together.
    fn second(&mut self, first: usize) -> Result<Second, Why<O::Error>> {
        let n = self.candidates.len();
        let found = self.subset([first]);
        let none = Subset::none(n);
        let (mut behind, mut ahead) = (first + 1, first);
        while behind < n || ahead > 0 {
            let alone = self.prior.more_after(1, behind) / 2.0;
            let together = self.prior.more_before(1, ahead) / 2.0;
            let half = (1.0 + alone + together) / 2.0;
            let prior = &self.prior;
            let mass_alone = |to| alone - prior.more_after(1, to) / 2.0;
            let mass_together = |to| together - prior.more_before(1, to) / 2.0;
            let is_open = behind < n;
            let aim = aim(alone, 2.0 * half);
            let to = nearest(behind + 1, n, |it| (mass_alone(it) - aim, half));
            let aim = self::aim(together, 2.0 * half);
            let from = ahead.saturating_sub(1);
            let from = from - nearest(0, from, |it| (mass_together(from - it) - aim, half));
            let off_alone = (mass_alone(to) - half).abs();
            let off_together = (mass_together(from) - half).abs();
            if is_open && (ahead == 0 || off_alone <= off_together) {
                if self.ask(&self.prefix(to, &none, &found), n)? {
                    return Ok(Second::Alone(behind, to));
                }
                behind = to;
            } else {
                if !self.ask(&self.prefix(from, &found, &none), n)? {
                    return Ok(Second::Together(from, ahead));
                }
                ahead = from;
            }
        }
        Ok(Second::None)
    }

    /// Each acts alone: the next one in the line, until what is left passes.
    fn alone(
        &mut self,
        first: usize,
        mut low: usize,
        mut high: usize,
    ) -> Result<Presumed, Why<O::Error>> {
        let n = self.candidates.len();
        let none = Subset::none(n);
        let mut out = self.subset([first]);
        let mut found = vec![out.clone()];
        let mut within = vec![self.prefix(first + 1, &none, &none)];
        loop {
            let n_found = found.len();
            let mass = move |prior: &Prior, to| -prior.more_after(n_found, to);
            let next = self.narrow(low, high, mass, |line, to| line.prefix(to, &none, &out))?;
            within.push(self.prefix(next + 1, &none, &out));
            found.push(self.subset([next]));
            out = out.with(&self.subset([next]));
            self.draft.causes.clone_from(&found);
            self.draft.correction = Some(out.clone());
            match self.next_open(Side::Behind, found.len(), next + 1, &out)? {
                Some(open) => (low, high) = open,
                None => return Ok(Presumed::Alone(found, within)),
            }
        }
    }

    /// All act together: the next one towards the front of the line, until those found fail alone.
    fn together(
        &mut self,
        first: usize,
        mut low: usize,
        mut high: usize,
    ) -> Result<Presumed, Why<O::Error>> {
        let none = Subset::none(self.candidates.len());
        let mut found = self.subset([first]);
        loop {
            let n_found = found.len();
            let mass = move |prior: &Prior, to| prior.more_before(n_found, to);
            let next = self.narrow(low, high, mass, |line, to| line.prefix(to, &found, &none))?;
            found = found.with(&self.subset([next]));
            self.draft.causes = vec![found.clone()];
            match self.next_open(Side::InFront, found.len(), next, &found)? {
                Some(open) => (low, high) = open,
                None => return Ok(Presumed::Together(found)),
            }
        }
    }

    /// Where the next one lies, of those behind or in front of `edge`, with so many found; nothing
    /// where there is none. Those behind are shown without the found ones and fail, those in front
    /// with them and pass: the same questions, mirrored.
    fn next_open(
        &mut self,
        side: Side,
        n_found: usize,
        edge: usize,
        found: &Subset,
    ) -> Result<Option<(usize, usize)>, Why<O::Error>> {
        let n = self.candidates.len();
        let none = Subset::none(n);
        // So many of that side are known to hold nobody, the nearest first.
        let (mut known, all) = (0, side.reach(edge, n));
        let place = |known: usize| side.place(edge, known);
        while known < all {
            let prior = &self.prior;
            let left = |known: usize| match side {
                Side::Behind => prior.more_after(n_found, place(known)),
                Side::InFront => prior.more_before(n_found, place(known)),
            };
            let more = left(known);
            let aim = aim(more, 1.0 + more);
            let next = nearest(known + 1, all, |it| (more - left(it) - aim, aim));
            let shown = match side {
                Side::Behind => self.prefix(place(next), &none, found),
                Side::InFront => self.prefix(place(next), found, &none),
            };
            if self.ask(&shown, all - known)? == (side == Side::Behind) {
                let (one, other) = (place(known), place(next));
                return Ok(Some((one.min(other), one.max(other))));
            }
            known = next;
        }
        Ok(None)
    }

    fn ask(&mut self, shown: &Subset, left: usize) -> Result<bool, Why<O::Error>> {
        let spent = self.ledger.calls_for(Part::Search);
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let (left, spent) = (left as f64, spent as f64);
        self.ledger.remaining = (self.prior.bits() - spent).max(left.log2()).max(1.0);
        self.ledger.fails_once(Part::Search, shown)
    }

    /// The first so many of the line with these, without those.
    fn prefix(&self, length: usize, with: &Subset, without: &Subset) -> Subset {
        let order = self.candidates.order().iter();
        let first = Subset::of(self.candidates.len(), order.take(length).copied());
        first.with(with).without(without)
    }

    fn subset<const N: usize>(&self, positions: [usize; N]) -> Subset {
        let order = self.candidates.order();
        let numbers = positions.into_iter().filter_map(|it| order.get(it));
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
