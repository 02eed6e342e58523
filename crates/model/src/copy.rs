//! Copies that the memory infers, and what is ruled about them (semantics.md 5).
//!
//! What shows a copy is logged with it, so that a replay reads no text and everybody can check it.

use crate::id::{ObservationId, SourceId};
use crate::text::Text;

/// What copies what, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InferredCopy {
    /// An observation says almost the same words as an earlier one of another source.
    Content(RepeatedContent),
    /// Two sources belong to one registrable domain: they are mirrors of one another.
    Domain(SharedDomain),
    /// Two sources share values that are not believed: they are mirrors of one another.
    Values(SharedValues),
}

impl InferredCopy {
    /// What shows it, in a word: `content`, `domain` or `values`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Content(_) => "content",
            Self::Domain(_) => "domain",
            Self::Values(_) => "values",
        }
    }
}

/// An observation that repeats an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatedContent {
    /// The later one.
    pub observation: ObservationId,
    /// The earlier one.
    pub of: ObservationId,
    /// How many of a hundred runs of words of the later one stand in the earlier one.
    pub percent: u32,
}

/// Two sources of one registrable domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedDomain {
    /// The one that turned up later.
    pub source: SourceId,
    /// The other one.
    pub of: SourceId,
    /// The domain.
    pub domain: Text,
}

/// Two sources that share values which are not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedValues {
    /// The one whose statement showed it.
    pub source: SourceId,
    /// The other one.
    pub of: SourceId,
    /// Subjects about which both spoke, of those that were looked at.
    pub shared: u32,
    /// Those of them where both state the same value, and it is not believed.
    pub unbelieved: u32,
    /// Those of them where they state different values.
    pub differing: u32,
    /// By how much copying explains it better than chance, in thousandths of a nat.
    pub evidence: u32,
    /// It is so much that what other pairs are compared by counts the two once.
    pub settled: bool,
}

/// What was ruled about two sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MirrorRuling {
    /// An operator says that neither copies the other: it is not inferred any more.
    Independent,
    /// An operator took that back: it may be inferred again.
    Open,
    /// What had shown it does not show it any more.
    Lapsed,
}

impl MirrorRuling {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Open => "open",
            Self::Lapsed => "lapsed",
        }
    }
}
