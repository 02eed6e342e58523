//! Sets of candidates: which of them are shown.

use std::fmt;

/// Some of `n` candidates, by number from 0. Two are equal if they hold the same of as many.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subset {
    n: usize,
    words: Vec<u64>,
}

impl Subset {
    /// None of `n`.
    pub fn none(n: usize) -> Self {
        Self {
            n,
            words: vec![0; n.div_ceil(64)],
        }
    }

    /// All of `n`.
    pub fn all(n: usize) -> Self {
        Self::of(n, 0..n)
    }

    /// These of `n`; numbers from `n` on are left out.
    pub fn of(n: usize, numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut subset = Self::none(n);
        for number in numbers {
            subset.insert(number);
        }
        subset
    }

    /// How many candidates there are, in it or not.
    pub fn n_candidates(&self) -> usize {
        self.n
    }

    /// How many are in it.
    pub fn len(&self) -> usize {
        self.words.iter().map(|it| it.count_ones() as usize).sum()
    }

    /// Whether none is in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|it| *it == 0)
    }

    /// Whether this one is in it.
    pub fn contains(&self, number: usize) -> bool {
        let word = self.words.get(number / 64);
        word.is_some_and(|it| it >> (number % 64) & 1 == 1)
    }

    /// Adds one; nothing happens from `n` on.
    pub fn insert(&mut self, number: usize) {
        if number < self.n
            && let Some(word) = self.words.get_mut(number / 64)
        {
            *word |= 1 << (number % 64);
        }
    }

    /// Takes one out.
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Those of it that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        let mut left = self.clone();
        for (word, taken) in left.words.iter_mut().zip(&other.words) {
            *word &= !taken;
        }
        left
    }

    /// Those of either.
    pub fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (word, more) in both.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
        both
    }

    /// Whether all of it are in `other`.
    pub fn is_within(&self, other: &Self) -> bool {
        self.without(other).is_empty()
    }

    /// Those in it, in their order.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.n).filter(|it| self.contains(*it))
    }
}

impl fmt::Debug for Subset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.numbers()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subset_holds_what_it_was_given_and_nothing_beyond_the_last_candidate() {
        let mut subset = Subset::of(70, [3, 64, 69, 70, 500]);
        assert_eq!(subset.numbers().collect::<Vec<_>>(), [3, 64, 69]);
        assert_eq!((subset.len(), subset.n_candidates()), (3, 70));
        subset.remove(64);
        assert_eq!(format!("{subset:?}"), "{3, 69}");
        let rest = Subset::all(70).without(&subset);
        assert_eq!(rest.len(), 68);
        assert_eq!(rest.with(&subset), Subset::all(70));
        assert!(subset.is_within(&Subset::all(70)) && !Subset::all(70).is_within(&subset));
        assert!(Subset::all(0).is_empty() && Subset::none(70).is_empty());
    }
}
