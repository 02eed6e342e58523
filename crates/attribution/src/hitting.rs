//! Hitting sets: the fewest candidates that meet every cause, and all sets of which none can be
//! spared. What hits every cause is what breaks all of them (Reiter 1987), so a correction is one.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]

use std::collections::BTreeSet;

use crate::{Candidates, Subset};

/// How many branches are looked at before a set is taken that may not be the smallest.
const BRANCHES_MAX: usize = 20_000;

/// A smallest set that meets each of these, the most suspicious one of several; none of it can be
/// spared. Past [`BRANCHES_MAX`] branches it may not be the smallest.
pub(crate) fn fewest(causes: &[Subset], candidates: &Candidates) -> Subset {
    let n = candidates.len();
    let mut search = Search {
        causes,
        candidates,
        best: spared(causes, greedy(causes, candidates)),
        branches: 0,
    };
    search.branch(&Subset::none(n));
    search.best
}

/// All sets that meet each of these and of which none can be spared (Berge 1989); nothing if there
/// are more than so many on the way.
pub(crate) fn all(causes: &[Subset], n: usize, most: usize) -> Option<Vec<Subset>> {
    let mut found = BTreeSet::from([Subset::none(n)]);
    for cause in causes {
        let mut grown = BTreeSet::new();
        for set in &found {
            if meets(set, cause) {
                grown.insert(set.clone());
                continue;
            }
            grown.extend(cause.numbers().map(|it| set.with(&Subset::of(n, [it]))));
        }
        let least = |set: &&Subset| !grown.iter().any(|it| it != *set && it.is_within(set));
        found = grown.iter().filter(least).cloned().collect();
        if found.len() > most {
            return None;
        }
    }
    Some(found.into_iter().collect())
}

fn meets(one: &Subset, other: &Subset) -> bool {
    one.without(other) != *one
}

struct Search<'a> {
    causes: &'a [Subset],
    candidates: &'a Candidates,
    best: Subset,
    branches: usize,
}

impl Search<'_> {
    fn branch(&mut self, taken: &Subset) {
        self.branches += 1;
        let open = self.causes.iter().filter(|it| !meets(it, taken));
        let Some(open) = open.min_by_key(|it| it.len()) else {
            if self.is_better(taken) {
                self.best = spared(self.causes, taken.clone());
            }
            return;
        };
        if taken.len() + 1 > self.best.len() || self.branches > BRANCHES_MAX {
            return;
        }
        let order = self.candidates.order().iter();
        for number in order.filter(|it| open.contains(**it)) {
            let mut more = taken.clone();
            more.insert(*number);
            self.branch(&more);
        }
    }

    fn is_better(&self, set: &Subset) -> bool {
        let weight = |set: &Subset| -> f64 {
            let weights = set.numbers().map(|it| self.candidates.weight(it));
            weights.sum::<f64>() - set.len() as f64 * 1e-9
        };
        let fewer = set.len() < self.best.len();
        fewer || set.len() == self.best.len() && weight(set) > weight(&self.best) + 1e-9
    }
}

/// Takes the one that meets most causes, and again.
fn greedy(causes: &[Subset], candidates: &Candidates) -> Subset {
    let mut taken = Subset::none(candidates.len());
    loop {
        let open: Vec<&Subset> = causes.iter().filter(|it| !meets(it, &taken)).collect();
        let counted = candidates.order().iter().rev();
        let counted = counted.map(|it| (open.iter().filter(|of| of.contains(*it)).count(), *it));
        match counted.max_by_key(|it| it.0) {
            Some((1.., number)) => taken.insert(number),
            _ => return taken,
        }
    }
}

/// Without those that can be spared.
fn spared(causes: &[Subset], mut set: Subset) -> Subset {
    for number in set.clone().numbers() {
        let mut less = set.clone();
        less.remove(number);
        if causes.iter().all(|it| meets(it, &less)) {
            set = less;
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hitting_sets_are_those_that_every_subset_gives() {
        let n = 5;
        let sets: Vec<Subset> = (1_u32..32).map(|it| numbered(n, it)).collect();
        for (one, two, three) in [(3, 6, 24), (7, 7, 1), (31, 5, 20), (10, 18, 9), (1, 2, 4)] {
            let causes = [one, two, three].map(|it| numbered(n, it));
            let hits = |set: &&Subset| causes.iter().all(|it| meets(it, set));
            let hitting: Vec<&Subset> = sets.iter().filter(hits).collect();
            let minimal =
                |set: &&&Subset| !hitting.iter().any(|it| it != *set && it.is_within(set));
            let mut expected: Vec<Subset> = hitting
                .iter()
                .filter(minimal)
                .map(|it| (*it).clone())
                .collect();
            expected.sort_unstable();
            assert_eq!(all(&causes, n, 100).unwrap(), expected);
            let fewest = fewest(&causes, &Candidates::uniform(n));
            assert!(expected.contains(&fewest));
            assert_eq!(Some(fewest.len()), expected.iter().map(Subset::len).min());
        }
        assert_eq!(all(&[numbered(n, 31), numbered(n, 31)], n, 4), None);
    }

    #[test]
    fn of_two_sets_as_small_the_more_suspicious_one_is_taken() {
        let causes = [Subset::of(3, [0, 1, 2])];
        let candidates = Candidates::weighted(&[1.0, 5.0, 2.0]);
        assert_eq!(fewest(&causes, &candidates), Subset::of(3, [1]));
    }

    fn numbered(n: usize, bits: u32) -> Subset {
        Subset::of(n, (0..n).filter(|it| bits >> it & 1 == 1))
    }
}
