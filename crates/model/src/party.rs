//! Who takes part: principals and what they may do, sources and the channels that carry their words.

use crate::name::Handle;

/// What somebody may do (semantics.md 2, "Who may").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Writes to its channels, derives, challenges, guards, forgets its own.
    Agent,
    /// Checks and paroles.
    Verifier,
    /// Everything.
    Operator,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Agent, Self::Verifier, Self::Operator];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Agent => "agent",
            Self::Verifier => "verifier",
            Self::Operator => "operator",
        }
    }

    /// The role with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Who is authenticated; handed in by the caller's surface, never read from content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal {
    /// What they may do.
    pub role: Role,
    /// Who they are.
    pub name: Handle,
}

/// Whether a channel may carry an agent's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Carriage {
    /// It may carry what agents here wrote.
    Relays,
    /// Nothing that agents here can write arrives through it.
    Authored,
}

/// How a source came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It turned up by itself.
    Newcomer,
    /// An operator declared it.
    Declared,
}

/// What kind of identity a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A mail address.
    Email,
    /// A host or page.
    Web,
    /// A tool.
    Tool,
    /// An agent.
    Agent,
    /// A person.
    Human,
    /// A business record: a ledger, a CRM.
    Record,
    /// Anything else.
    Other,
}

impl SourceKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Email,
        Self::Web,
        Self::Tool,
        Self::Agent,
        Self::Human,
        Self::Record,
        Self::Other,
    ];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Web => "web",
            Self::Tool => "tool",
            Self::Agent => "agent",
            Self::Human => "human",
            Self::Record => "record",
            Self::Other => "other",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
