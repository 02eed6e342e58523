//! What is wrong with a graph, and where.

use immune_model::{ChannelName, Item, NameError, TextError, Trust};

use crate::plan::SourceError;

/// A line of a graph that is refused, and with it the whole file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{named}: {problem}", named = .alias.as_ref().map_or_else(String::new, |it| format!(", `{it}`")))]
pub struct GraphError {
    /// The line, from 1.
    pub line: u64,
    /// The alias that it is about, if it has got so far.
    pub alias: Option<String>,
    /// What is wrong.
    pub problem: GraphProblem,
}

impl GraphError {
    /// A problem with the line of this alias.
    pub fn new(line: u64, alias: &str, problem: GraphProblem) -> Self {
        let alias = Some(alias.to_owned());
        Self {
            line,
            alias,
            problem,
        }
    }
}

impl GraphError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match &self.problem {
            GraphProblem::Handle(error) => Some(error.hint()),
            _ => None,
        }
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphProblem {
    /// It is no line of the format.
    #[error("{reason}")]
    Malformed {
        /// In which way.
        reason: String,
    },
    /// The file system said so.
    #[error("the file cannot be read: {reason}")]
    Unreadable {
        /// What it said.
        reason: String,
    },
    /// The line is too long.
    #[error("it has more than {limit} bytes, the limit of a line")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The alias is refused.
    #[error(transparent)]
    Alias(NameError),
    /// The alias could be taken for an id.
    #[error("an alias must not look like an id")]
    LikeAnId,
    /// It adds a source under a handle that no new source may have.
    #[error(transparent)]
    Handle(Box<SourceError>),
    /// A name in it is refused.
    #[error("`{key}`: {error}")]
    Name {
        /// Under which key.
        key: &'static str,
        /// Why.
        error: NameError,
    },
    /// A text in it is refused.
    #[error("`{key}`: {error}")]
    Text {
        /// Under which key.
        key: &'static str,
        /// Why.
        error: TextError,
    },
    /// The file says something else of it before.
    #[error("line {line} says something else of it: {how}")]
    SaidBefore {
        /// The line before.
        line: u64,
        /// The first difference.
        how: String,
    },
    /// The memory knows it otherwise.
    #[error("it is `{item}` in this memory, and that says something else: {how}")]
    Known {
        /// The item that has the alias.
        item: Item,
        /// The first difference.
        how: String,
    },
    /// What it names is nowhere.
    #[error("`{word}` is neither in the file nor in this memory")]
    Missing {
        /// What it names.
        word: String,
    },
    /// What it names is of another kind.
    #[error("`{word}` is no {wanted}")]
    NotA {
        /// What it names.
        word: String,
        /// What belongs there.
        wanted: &'static str,
    },
    /// Two sources of one channel give it different tiers.
    #[error("channel `{channel}` has tier {tier} here and tier {other} in line {line}, `{alias}`")]
    OtherTier {
        /// The channel.
        channel: ChannelName,
        /// Its tier here.
        tier: Trust,
        /// Its tier there.
        other: Trust,
        /// The other line.
        line: u64,
        /// The other source.
        alias: String,
    },
    /// The channel is there with another tier.
    #[error("channel `{channel}` has tier {found} in this memory, not {tier}")]
    KnownTier {
        /// The channel.
        channel: ChannelName,
        /// Its tier in the memory.
        found: Trust,
        /// Its tier here.
        tier: Trust,
    },
    /// The source is there, and no graph named it.
    #[error("`{item}` has this handle in channel `{channel}` already, and is of no graph")]
    KnownSource {
        /// The source.
        item: Item,
        /// The channel.
        channel: ChannelName,
    },
    /// A source copies others, not itself.
    #[error("a source cannot copy itself")]
    OwnMirror,
    /// A justification without premises would be a belief from nowhere.
    #[error("a justification needs at least one premise")]
    NoPremises,
    /// More than one line may name.
    #[error("`{key}` names {found}, the limit is {limit}")]
    TooMany {
        /// Under which key.
        key: &'static str,
        /// How many.
        found: usize,
        /// The limit.
        limit: usize,
    },
}
