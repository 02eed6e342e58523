//! The nodes of a graph that was imported: items under an alias, taken literally.
//!
//! An event holds them with their ids, so a replay resolves no alias. Nothing is read from their
//! texts when they are folded: two beliefs that say the same are two beliefs, and an observation as
//! a premise means that observation.

use crate::claim::{Literal, Polarity};
use crate::id::{
    ActionId, BeliefId, ChannelId, DecisionId, JustificationId, ObservationId, Premise, SourceId,
};
use crate::name::{Alias, Handle, Kind, Subject};
use crate::party::SourceKind;
use crate::status::{ActionClass, ActionStatus};
use crate::text::Text;
use crate::time::Instant;
use crate::trust::Trust;

/// One imported item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphNode {
    /// A source.
    Source(GraphSource),
    /// An observation.
    Observation(GraphObservation),
    /// A belief.
    Belief(GraphBelief),
    /// A justification.
    Justification(GraphJustification),
    /// A decision.
    Decision(GraphDecision),
    /// An action.
    Action(GraphAction),
}

/// A declared source; its handle is its alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphSource {
    /// Its id, the next of its kind.
    pub source: SourceId,
    /// Its alias, and its handle in the channel.
    pub alias: Alias,
    /// Where it speaks.
    pub channel: ChannelId,
    /// The tier of the channel, as the graph says it.
    pub tier: Trust,
    /// What kind of identity.
    pub kind: SourceKind,
    /// The sources that it copies, as the graph says it; the mirrors themselves are events of
    /// their own.
    pub mirrors: Vec<SourceId>,
}

/// An observation without claims of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphObservation {
    /// Its id, the next of its kind.
    pub observation: ObservationId,
    /// Its alias.
    pub alias: Alias,
    /// Whose words they are.
    pub source: SourceId,
    /// When its source sent it, if the graph says so.
    pub sent_at: Option<Instant>,
    /// The content; the alias if the graph has none.
    pub text: Text,
}

/// A belief that is one whatever it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphBelief {
    /// Its id, the next of its kind.
    pub belief: BeliefId,
    /// Its alias.
    pub alias: Alias,
    /// What it is about; [`Subject::none`] if the graph does not say.
    pub subject: Subject,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// Who concluded it, if the graph says so; it caps nothing.
    pub agent: Option<Handle>,
    /// The claim in words; the alias if the graph has none.
    pub text: Text,
    /// The typed literals in it, sorted, without repeats.
    pub literals: Vec<Literal>,
}

/// A justification by premises alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphJustification {
    /// Its id, the next of its kind.
    pub justification: JustificationId,
    /// Its alias.
    pub alias: Alias,
    /// Which belief it supports.
    pub belief: BeliefId,
    /// What it rests on, all of them together; sorted, without repeats.
    pub premises: Vec<Premise>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphDecision {
    /// Its id, the next of its kind.
    pub decision: DecisionId,
    /// Its alias.
    pub alias: Alias,
    /// The source that is the deciding agent.
    pub agent: SourceId,
    /// The beliefs it relied on; sorted, without repeats.
    pub relied_on: Vec<BeliefId>,
}

/// An action, in the status that it had where it was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphAction {
    /// Its id, the next of its kind.
    pub action: ActionId,
    /// Its alias.
    pub alias: Alias,
    /// The decision that it carries out.
    pub decision: DecisionId,
    /// What kind of action.
    pub kind: Kind,
    /// What can be done about it later.
    pub class: ActionClass,
    /// Where it is in its life.
    pub status: ActionStatus,
}

impl GraphNode {
    /// What the graph calls it.
    pub fn alias(&self) -> &Alias {
        match self {
            Self::Source(it) => &it.alias,
            Self::Observation(it) => &it.alias,
            Self::Belief(it) => &it.alias,
            Self::Justification(it) => &it.alias,
            Self::Decision(it) => &it.alias,
            Self::Action(it) => &it.alias,
        }
    }

    /// The item that it is.
    pub fn item(&self) -> crate::id::Item {
        match self {
            Self::Source(it) => it.source.into(),
            Self::Observation(it) => it.observation.into(),
            Self::Belief(it) => it.belief.into(),
            Self::Justification(it) => it.justification.into(),
            Self::Decision(it) => it.decision.into(),
            Self::Action(it) => it.action.into(),
        }
    }

    /// Bytes of its content and its premises, about: what an event of it weighs.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Source(it) => it.mirrors.len() * 5,
            Self::Observation(it) => it.text.as_str().len(),
            Self::Belief(it) => it.text.as_str().len() + it.literals.len() * 32,
            Self::Justification(it) => it.premises.len() * 8,
            Self::Decision(it) => it.relied_on.len() * 5,
            Self::Action(_) => 0,
        }
    }
}
