//! What a search found, with everything that it rests on.

use crate::{Subset, Verdict};

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<E> {
    /// How it ended.
    pub outcome: Outcome<E>,
    /// The sets each of which makes the answer wrong by itself, and of which none can be spared.
    /// Empty where nobody is to blame.
    pub causes: Vec<Subset>,
    /// The fewest candidates without which the answer passes. Where the search was stopped, the
    /// best one so far, which may be empty and may not have been replayed.
    pub correction: Subset,
    /// Where the search was stopped, the smallest set that failed without any of the correction:
    /// who is to blame is among them. Empty otherwise.
    pub suspects: Subset,
    /// How the causes lie to each other; nothing where there is none.
    pub shape: Option<Shape>,
    /// What it rests on.
    pub certificate: Certificate,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<E> {
    /// The correction was replayed, and the answer passes.
    Found,
    /// The answer is not wrong with all of them: there is nothing to explain, and nobody is blamed.
    NotReproduced,
    /// The answer is wrong with none of them too: it comes from elsewhere, and nobody is blamed.
    FailsWithout,
    /// The same set gets different verdicts so often that nothing can be told from them.
    Unstable,
    /// It could not go on; what is there is the best so far.
    Stopped(Why<E>),
}

/// Why a search could not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why<E> {
    /// The calls are used up.
    Budget,
    /// The oracle has no verdict.
    Oracle(E),
}

/// How the causes lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One candidate does it alone.
    Single,
    /// Several do it together, and each is needed.
    Joint,
    /// Several do it, each alone.
    Redundant,
    /// Several sets do it, and some of them have several members.
    Mixed,
}

impl Shape {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Joint => "joint",
            Self::Redundant => "redundant",
            Self::Mixed => "mixed",
        }
    }

    /// That of these causes.
    pub(crate) fn of(causes: &[Subset]) -> Option<Self> {
        Some(match causes {
            [] => return None,
            [one] if one.len() <= 1 => Self::Single,
            [_] => Self::Joint,
            all if all.iter().all(|it| it.len() == 1) => Self::Redundant,
            _ => Self::Mixed,
        })
    }
}

/// What a result rests on: enough to judge it again without asking anybody.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Certificate {
    /// The calls that asked whether all of them fail, and none of them passes.
    pub guard_calls: usize,
    /// The calls that looked for the causes.
    pub search_calls: usize,
    /// The calls that proved what the search had found.
    pub proof_calls: usize,
    /// The bits that tell these culprits from as many others: `log2 C(n, k)`, the fewest calls on
    /// average without knowing more; 0 where nobody is blamed.
    pub bound_bits: f64,
    /// The bound in calls: the bits divided by what one call can tell at the flip rate.
    pub bound_calls: f64,
    /// How often a verdict is wrong, as known or estimated; 0 to one half.
    pub flip_rate: f64,
    /// How sure it is of the culprits: 1 where replies prove them of a monotone oracle that never
    /// errs, else the share of what is possible, 0 where nothing was found.
    pub confidence: f64,
    /// Whether the causes are all there are: each way to break them was replayed.
    pub all_causes: bool,
    /// How often the correction was left out, and how often the answer passed then.
    pub replayed: (usize, usize),
    /// Replies that fail although a set that holds theirs passed.
    pub non_monotone: usize,
    /// Every reply, in order.
    pub replies: Vec<Reply>,
}

impl Certificate {
    /// All calls.
    pub fn calls(&self) -> usize {
        self.guard_calls + self.search_calls + self.proof_calls
    }
}

/// One reply of the oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Which were shown.
    pub shown: Subset,
    /// What came back.
    pub verdict: Verdict,
    /// What it was asked for.
    pub part: Part,
}

/// What a reply was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Whether the failure is there at all.
    Guard,
    /// Who it is.
    Search,
    /// Whether that is so.
    Proof,
}
