//! The search where verdicts err: each question halves what is still likely (Burnashev & Zigangirov
//! 1974), over sets of culprits instead of positions.
//!
//! There are too many sets to weigh all of them. What is weighed, after every reply and from all of
//! them, is what lies around one set of each shape, its *centre*: itself, one culprit less, one
//! other, and one more, which stands for whatever more there is behind it in the line. Where
//! something else becomes likelier than the centre, the centre moves, so that nothing is ever
//! settled by what was asked early. Questions are those of the exact search, with one of the centre
//! put back to doubt it: a prefix of the line without those or with those. How many of a prefix
//! family fail is a histogram over where each set begins to, so that the most even one is found in
//! one pass.
//!
//! Sets of replies are bits by candidate; a set that acts together is one that acts alone on what
//! is left out, so that both shapes are the same code on bits and on their complements.

use crate::prior::Prior;
use crate::{Candidates, Subset};

/// The share of what is likely from which on one more culprit joins its centre.
const JOINS: f64 = 0.5;
/// What is less likely than the likeliest by so many nats is left out.
const IGNORED: f64 = 20.0;
/// How often a centre moves after one reply, at most; what is left moves after the next one.
const MOVES_MAX: usize = 8;

/// How culprits act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Alone,
    Together,
}

/// What is believed, from every reply so far.
#[derive(Debug)]
pub(crate) struct Belief<'c> {
    candidates: &'c Candidates,
    prior: Prior,
    /// By position, the logarithms of the weights.
    suspicions: Vec<f64>,
    /// By position, the replies to questions in which it was shown.
    columns: Vec<Vec<u64>>,
    failed: Vec<u64>,
    n_replies: usize,
    centres: [Centre; 2],
    /// What lies around the centres, weighed by all replies so far.
    near: Vec<Near>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Centre {
    act: Act,
    /// Positions, sorted.
    found: Vec<usize>,
}

impl Centre {
    /// What is kept of it, and what comes to it.
    fn changed(&self, change: Change) -> (impl Iterator<Item = usize> + '_, Option<usize>) {
        let (gone, come, kept) = match change {
            Change::None => (None, None, usize::MAX),
            Change::More(come) => (None, Some(come), usize::MAX),
            Change::Less(gone) => (Some(gone), None, usize::MAX),
            Change::Other(gone, come) => (Some(gone), Some(come), usize::MAX),
            Change::Again(kept, come) => (None, Some(come), kept),
        };
        let first = self.first(kept).iter().copied();
        (first.filter(move |it| Some(*it) != gone), come)
    }

    /// The first so many in the order of the search.
    fn first(&self, kept: usize) -> &[usize] {
        let kept = kept.min(self.found.len());
        let at = match self.act {
            Act::Alone => ..kept,
            Act::Together => return self.found.get(self.found.len() - kept..).unwrap_or(&[]),
        };
        self.found.get(at).unwrap_or(&[])
    }
}

/// A set near a centre, with what it weighs.
#[derive(Debug, Clone, Copy)]
struct Near {
    centre: usize,
    change: Change,
    weight: f64,
    n_errors: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    More(usize),
    Less(usize),
    Other(usize, usize),
    /// The first so many that were found, in the order of the search, and another one instead of
    /// all that came after them.
    Again(usize, usize),
}

/// What the replies leave.
#[derive(Debug, Clone)]
pub(crate) struct Likely {
    pub(crate) act: Act,
    pub(crate) found: Subset,
    /// Its share of what is likely.
    pub(crate) share: f64,
    /// How many replies the set near it that agrees with most of them contradicts.
    pub(crate) n_errors: usize,
}

impl<'c> Belief<'c> {
    pub(crate) fn new(candidates: &'c Candidates) -> Self {
        let centre = |act| Centre {
            act,
            found: Vec::new(),
        };
        let order = candidates.order().iter();
        let suspicions = order.map(|it| candidates.weight(*it).ln());
        let mut belief = Self {
            candidates,
            prior: Prior::new(candidates),
            suspicions: suspicions.collect(),
            columns: vec![Vec::new(); candidates.len()],
            failed: Vec::new(),
            n_replies: 0,
            centres: [centre(Act::Alone), centre(Act::Together)],
            near: Vec::new(),
        };
        belief.near = belief.weighed(0.25);
        belief
    }

    /// Takes up a reply, and moves the centres to where it points at this flip rate; says which
    /// centre is likeliest now.
    pub(crate) fn take(&mut self, shown: &Subset, fails: bool, flip: f64) -> Likely {
        let bit = self.n_replies % 64;
        if bit == 0 {
            self.failed.push(0);
            self.columns.iter_mut().for_each(|it| it.push(0));
        }
        self.n_replies += 1;
        let order = self.candidates.order().iter();
        for (number, column) in order.zip(&mut self.columns) {
            if let Some(last) = column.last_mut() {
                *last |= u64::from(shown.contains(*number)) << bit;
            }
        }
        if let Some(last) = self.failed.last_mut() {
            *last |= u64::from(fails) << bit;
        }
        self.near = self.weighed(flip);
        for _ in 0..MOVES_MAX {
            if !self.moved() {
                break;
            }
            self.near = self.weighed(flip);
        }
        self.likely()
    }

    fn likely(&self) -> Likely {
        let near = &self.near;
        let sum: f64 = near.iter().map(|it| it.weight).sum();
        let own = near.iter().filter(|it| it.change == Change::None);
        let best = own.max_by(|one, other| one.weight.total_cmp(&other.weight));
        let (centre, weight) = best.map_or((0, 0.0), |it| (it.centre, it.weight));
        let centre = self.centre(centre);
        // What has one member is the same in both shapes, and has half of its weight in each.
        let weight = match centre.found.as_slice() {
            [one] => {
                let same = near.iter().filter(|it| self.is_single(it, *one));
                same.map(|it| it.weight).sum()
            }
            _ => weight,
        };
        let order = self.candidates.order();
        let numbers = centre.found.iter().filter_map(|it| order.get(*it).copied());
        Likely {
            act: centre.act,
            found: Subset::of(self.candidates.len(), numbers),
            share: if sum > 0.0 { weight / sum } else { 0.0 },
            n_errors: near.iter().map(|it| it.n_errors).min().unwrap_or(0),
        }
    }

    /// The question whose verdict is least certain.
    pub(crate) fn question(&self) -> Subset {
        let n = self.candidates.len();
        let near = &self.near;
        let sum: f64 = near.iter().map(|it| it.weight).sum();
        let mut best: Option<(f64, usize, Family)> = None;
        for family in self.families() {
            let mut begins = vec![0.0; n + 1];
            for it in near {
                if let Some(at) = begins.get_mut(self.fails_from(it, &family)) {
                    *at += it.weight;
                }
            }
            let mut fails = 0.0;
            for (length, begin) in begins.iter().enumerate() {
                fails += begin;
                let off = (fails / sum - 0.5).abs();
                if best.as_ref().is_none_or(|it| off < it.0 - 1e-9) {
                    best = Some((off, length, family.clone()));
                }
            }
        }
        let (length, family) = best.map_or((n, Family::default()), |it| (it.1, it.2));
        let order = self.candidates.order();
        let at = |positions: &[usize]| {
            Subset::of(n, positions.iter().filter_map(|it| order.get(*it).copied()))
        };
        let first = Subset::of(n, order.iter().take(length).copied());
        first.without(&at(&family.without)).with(&at(&family.with))
    }

    fn is_single(&self, near: &Near, one: usize) -> bool {
        // More than a centre stands for sets of any size.
        let is_exact = !matches!(near.change, Change::More(_));
        let (kept, come) = self.centre(near.centre).changed(near.change);
        is_exact && kept.chain(come).eq([one])
    }

    fn centre(&self, at: usize) -> &Centre {
        let [alone, together] = &self.centres;
        if at == 0 { alone } else { together }
    }

    /// Prefixes without those that act alone, or with those that act together; with each one of
    /// them taken back too.
    fn families(&self) -> Vec<Family> {
        let [alone, together] = &self.centres;
        let mut all = vec![Family::default()];
        all.extend(spared(&alone.found).map(|without| Family {
            without,
            with: Vec::new(),
        }));
        all.extend(spared(&together.found).map(|with| Family {
            without: Vec::new(),
            with,
        }));
        all
    }

    /// The length of prefix from which on a question of a family fails, if a set is the truth; past
    /// the last one if none does.
    fn fails_from(&self, near: &Near, family: &Family) -> usize {
        let centre = self.centre(near.centre);
        let never = self.candidates.len() + 1;
        let (kept, come) = centre.changed(near.change);
        let from = kept.chain(come).map(|it| {
            if family.with.contains(&it) {
                0
            } else if family.without.contains(&it) {
                never
            } else {
                it + 1
            }
        });
        match centre.act {
            Act::Alone => from.min().unwrap_or(never),
            Act::Together => from.max().unwrap_or(never),
        }
    }

    /// What lies around both centres, weighed.
    fn weighed(&self, flip: f64) -> Vec<Near> {
        let mut all = Vec::new();
        let each_error = (flip / (1.0 - flip)).ln();
        for at in [0, 1] {
            self.near_one(at, each_error, &mut all);
        }
        let weights = all.iter().map(|it| it.weight);
        let most = weights.fold(f64::NEG_INFINITY, f64::max);
        all.retain(|it| it.weight > most - IGNORED);
        for it in &mut all {
            it.weight = (it.weight - most).exp();
        }
        all
    }

    /// Around one centre; weights are logarithms.
    fn near_one(&self, at: usize, each_error: f64, all: &mut Vec<Near>) {
        let centre = self.centre(at);
        let n_found = centre.found.len();
        let mut push = |change, prior: f64, (products, n_errors): (f64, usize)| {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
            let weight = prior + products + each_error * n_errors as f64;
            if weight.is_finite() {
                all.push(Near {
                    centre: at,
                    change,
                    weight,
                    n_errors,
                });
            }
        };
        let free = || (0..self.columns.len()).filter(|it| !centre.found.contains(it));
        let set = |k: usize| self.prior.set(k).ln();
        let own = self.base(centre, centre.found.iter());
        for come in free() {
            let prior = self.prior_of_more(centre, come).ln();
            push(Change::More(come), prior, self.with(centre, &own, come));
        }
        for kept in 0..n_found.saturating_sub(1) {
            let base = self.base(centre, centre.first(kept).iter());
            let prior = set(kept + 1);
            for come in free() {
                push(
                    Change::Again(kept, come),
                    prior,
                    self.with(centre, &base, come),
                );
            }
        }
        if n_found == 0 {
            return;
        }
        let prior = set(n_found);
        let errors = self.errors(&own.predicted, centre.act, &[]);
        push(Change::None, prior, (own.products, errors));
        for gone in &centre.found {
            let base = self.base(centre, centre.found.iter().filter(|it| *it != gone));
            if n_found > 1 {
                let errors = self.errors(&base.predicted, centre.act, &[]);
                push(
                    Change::Less(*gone),
                    set(n_found - 1),
                    (base.products, errors),
                );
            }
            for come in free() {
                push(
                    Change::Other(*gone, come),
                    prior,
                    self.with(centre, &base, come),
                );
            }
        }
    }

    /// What some of a centre predict, and the logarithm of their product of weights.
    fn base<'a>(&self, centre: &Centre, of: impl Iterator<Item = &'a usize> + Clone) -> Base {
        Base {
            products: of.clone().map(|it| self.suspicion(*it)).sum(),
            predicted: self.predicted(centre, of),
        }
    }

    /// The same and the errors, with one more.
    fn with(&self, centre: &Centre, base: &Base, come: usize) -> (f64, usize) {
        let errors = self.errors(&base.predicted, centre.act, self.column(come));
        (base.products + self.suspicion(come), errors)
    }

    /// What one more culprit weighs with all that may come behind it: behind in the line for those
    /// that act alone, in front for those that act together.
    fn prior_of_more(&self, centre: &Centre, come: usize) -> f64 {
        let n_found = centre.found.len();
        let single = if n_found == 0 { self.prior.one(1) } else { 0.0 };
        let more = match centre.act {
            Act::Alone => {
                let last = centre.found.last().map_or(come, |it| come.max(*it));
                self.prior.one_and_after(n_found + 1, last + 1)
            }
            Act::Together => {
                let first = centre.found.first().map_or(come, |it| come.min(*it));
                self.prior.one_and_before(n_found + 1, first)
            }
        };
        f64::midpoint(single, more)
    }

    /// Moves a centre to what is likelier than it.
    fn moved(&mut self) -> bool {
        if self.centres.iter().all(|it| it.found.is_empty()) {
            return self.begin();
        }
        for at in [0, 1] {
            let own = || self.near.iter().filter(|it| it.centre == at);
            let Some(best) = own().max_by(|one, other| one.weight.total_cmp(&other.weight)) else {
                continue;
            };
            let grown = |it: &&Near| matches!(it.change, Change::None | Change::More(_));
            let sum: f64 = own().filter(grown).map(|it| it.weight).sum();
            let Some(centre) = self.centres.get_mut(at) else {
                continue;
            };
            match best.change {
                Change::More(come) if best.weight >= JOINS * sum => centre.found.push(come),
                Change::None | Change::More(_) => continue,
                change => {
                    let (kept, come) = centre.changed(change);
                    let found = kept.chain(come).collect();
                    centre.found = found;
                }
            }
            centre.found.sort_unstable();
            return true;
        }
        false
    }

    /// The first culprit ends the first prefix that fails, in either shape.
    fn begin(&mut self) -> bool {
        let mut masses = vec![0.0; self.columns.len()];
        for it in &self.near {
            if let Change::More(come) = it.change
                && let Some(mass) = masses.get_mut(come)
            {
                *mass += it.weight;
            }
        }
        let sum: f64 = masses.iter().sum();
        let found = masses.iter().position(|it| *it >= JOINS * sum);
        if let Some(found) = found {
            for centre in &mut self.centres {
                centre.found = vec![found];
            }
        }
        found.is_some()
    }

    /// The replies that would fail by these; for those that act together, that would pass.
    fn predicted<'a>(&self, centre: &Centre, of: impl Iterator<Item = &'a usize>) -> Vec<u64> {
        let mut all = vec![0; self.failed.len()];
        for position in of {
            for (word, shown) in all.iter_mut().zip(self.column(*position)) {
                *word |= match centre.act {
                    Act::Alone => *shown,
                    Act::Together => !shown,
                };
            }
        }
        all
    }

    /// How many replies are otherwise than predicted, with one more culprit that has this column.
    fn errors(&self, predicted: &[u64], act: Act, column: &[u64]) -> usize {
        let complement = match act {
            Act::Alone => 0,
            Act::Together => u64::MAX,
        };
        let whole = self.n_replies / 64;
        let mut errors = 0;
        for (at, (word, failed)) in predicted.iter().zip(&self.failed).enumerate() {
            let shown = column.get(at).map_or(0, |it| it ^ complement);
            let mask = if at < whole {
                u64::MAX
            } else {
                (1 << (self.n_replies % 64)) - 1
            };
            errors += (((word | shown) ^ failed ^ complement) & mask).count_ones() as usize;
        }
        errors
    }

    fn column(&self, position: usize) -> &[u64] {
        self.columns.get(position).map_or(&[], Vec::as_slice)
    }

    /// The logarithm of the weight of one.
    fn suspicion(&self, position: usize) -> f64 {
        self.suspicions.get(position).copied().unwrap_or(0.0)
    }
}

/// What a set predicts.
struct Base {
    products: f64,
    predicted: Vec<u64>,
}

/// Questions that are a prefix of the line without some, with some.
#[derive(Debug, Clone, Default)]
struct Family {
    without: Vec<usize>,
    with: Vec<usize>,
}

/// All of these, and all but each one.
fn spared(found: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let but = |out: usize| found.iter().copied().filter(|it| *it != out).collect();
    std::iter::once(found.to_vec()).chain(found.iter().map(move |it| but(*it)))
}
