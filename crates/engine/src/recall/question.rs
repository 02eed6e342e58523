//! A question to the memory, and why one is not answered.

use immune_model::{Instant, Namespace, Subject, Trust};
use immune_reason::plan::RunError;
use immune_recall::Filter;

use crate::error::{OpenError, WriteError};
use crate::page::Page;
use crate::past::PastError;

/// A question to the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recall {
    /// The question in words; everything about `about` if nothing is said.
    pub query: Option<String>,
    /// Only beliefs about this subject.
    pub about: Option<Subject>,
    /// The part of the memory that is asked.
    pub namespace: Namespace,
    /// Also the parts below it: `team/alice` with `team`.
    pub below: bool,
    /// Only what something is noted about that passes.
    pub filter: Option<Filter>,
    /// The least strength; `Trust::FLOOR` unless a lower one is asked for, never 0.
    pub floor: Trust,
    /// Only claims that hold at this time, as far as they say when; now if nothing is said.
    pub valid_at: Option<Instant>,
    /// The time as of which what is stated is weighed where its area has a half-life; now if
    /// nothing is said.
    pub weighed_at: Option<Instant>,
    /// The half-life, in seconds, by which what was said lately is ranked higher; nothing where its
    /// age does not count. Only a question in words is ranked.
    pub recency_seconds: Option<u32>,
    /// At most so many facts, and so many notes.
    pub limit: usize,
    /// Where to go on with an answer of which a page was seen.
    pub after: Option<Page>,
    /// Keep what fits so many tokens, and say it in a block for a prompt.
    pub budget: Option<usize>,
}

impl Recall {
    /// A question in words, with the defaults.
    pub fn query(words: &str) -> Self {
        Self {
            query: Some(words.to_owned()),
            ..Self::default()
        }
    }

    /// Everything about a subject, with the defaults.
    pub fn about(subject: Subject) -> Self {
        Self {
            about: Some(subject),
            ..Self::default()
        }
    }
}

impl Default for Recall {
    fn default() -> Self {
        Self {
            query: None,
            about: None,
            namespace: Namespace::ROOT,
            below: false,
            filter: None,
            floor: Trust::FLOOR,
            valid_at: None,
            weighed_at: None,
            recency_seconds: None,
            limit: 10,
            after: None,
            budget: None,
        }
    }
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The memory is not to be had.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A floor of 0 would let everything in.
    #[error("the floor has to be above 0")]
    NoFloor,
    /// What the run is shown cannot be written down.
    #[error(transparent)]
    Run(WriteError<RunError>),
    /// The state that a page is of is not to be had.
    #[error(transparent)]
    Past(#[from] PastError),
    /// A page so far down that nobody reads it.
    #[error("the page begins after {found} items, at most {limit} is possible")]
    Offset {
        /// Where it begins.
        found: usize,
        /// The most that is possible.
        limit: usize,
    },
    /// More than one answer may hold.
    #[error("the limit is {found}, at most {limit} is possible")]
    Limit {
        /// What was asked for.
        found: usize,
        /// The most that is possible.
        limit: usize,
    },
}

impl Recall {
    /// How many items of each kind are on earlier pages.
    pub(super) fn offset(&self) -> usize {
        self.after.map_or(0, |it| it.offset)
    }

    /// How many items of each kind are looked for: one more than are shown, to know whether there
    /// are more.
    pub(super) fn n_looked_for(&self) -> usize {
        self.offset() + self.limit + 1
    }
}
