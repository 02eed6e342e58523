//! Who copies whom: flights as 38 web sites report them, and mirrors that are planted in random
//! worlds. Ours is a memory that is written to through a session, once, claim by claim; it is never
//! shown the truth, and its settings are those that everybody has.

pub(crate) mod flights;
pub(crate) mod planted;
mod published;
mod read;
mod stream;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};

use immune_reason::Evidence;

use crate::machine::float;

/// One claim: who says what about which item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) source: String,
    pub(crate) item: String,
    pub(crate) value: String,
}

/// Two sources, in order.
pub(crate) type Pair = (String, String);

/// What was found on a set of claims.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    /// The value that leads on each item; ties leave nothing.
    pub(crate) values: BTreeMap<String, String>,
    /// The pairs of sources that are taken for copies.
    pub(crate) pairs: BTreeSet<Pair>,
    /// What speaks for each pair of sources in the end; of ours alone.
    pub(crate) evidence: BTreeMap<Pair, Evidence>,
}

/// How many pairs are right of those that were found, and how many of the right ones were found.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Score {
    pub(crate) hits: usize,
    pub(crate) found: usize,
    pub(crate) right: usize,
}

impl Score {
    pub(crate) fn of(found: &BTreeSet<Pair>, right: &BTreeSet<Pair>) -> Self {
        Self {
            hits: found.intersection(right).count(),
            found: found.len(),
            right: right.len(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            found: self.found + other.found,
            right: self.right + other.right,
        }
    }

    /// Of those that were found, how many are right; all of none.
    pub(crate) fn precision(self) -> f64 {
        if self.found == 0 {
            return 1.0;
        }
        float(self.hits) / float(self.found)
    }

    /// Of the right ones, how many were found; all of none.
    pub(crate) fn recall(self) -> f64 {
        if self.right == 0 {
            return 1.0;
        }
        float(self.hits) / float(self.right)
    }

    /// The harmonic mean of both.
    pub(crate) fn f1(self) -> f64 {
        2.0 * float(self.hits) / float((self.found + self.right).max(1))
    }
}

/// Every pair of these.
pub(crate) fn pairs_of<'a>(group: impl IntoIterator<Item = &'a str>) -> BTreeSet<Pair> {
    let mut group: Vec<&str> = group.into_iter().collect();
    group.sort_unstable();
    let mut pairs = BTreeSet::new();
    for (place, one) in group.iter().enumerate() {
        let others = group.iter().skip(place + 1);
        pairs.extend(others.map(|it| ((*one).to_owned(), (*it).to_owned())));
    }
    pairs
}
