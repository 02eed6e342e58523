//! What is said beside a write: what it takes from the context of its run, how its claims were
//! found, and how sure they are.

use crate::id::{BeliefId, JustificationId};
use crate::trust::Trust;

/// What a write takes from the context of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextUse {
    /// Nothing: who may narrow named what it rests on.
    Dropped,
    /// These statements have a decisive literal from a belief of the context, and rest on it.
    Carried(Vec<Carrier>),
}

/// A belief of a context that carries a decisive literal of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Carrier {
    /// The justification that the statement gives.
    pub justification: JustificationId,
    /// The belief on which it rests.
    pub belief: BeliefId,
}

/// A claim that is trusted no further than its words, or whoever handed it in, are sure of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hedge {
    /// The justification that the claim is about to give.
    pub justification: JustificationId,
    /// How sure it is: it can only lower what its source is worth.
    pub confidence: Trust,
}

/// How the claims of an observation were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Screening {
    /// The caller stated them.
    Explicit,
    /// Deterministic rules found them in the text.
    Rules,
    /// None were found: the text is kept as a note.
    Unscreened,
    /// A model found them, each with words of the text that say it.
    Model,
}
