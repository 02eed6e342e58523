//! What one line of a graph says, without its alias.

use immune_model::{
    ActionClass, ActionStatus, ChannelName, Handle, Instant, Kind, SourceKind, Subject, Text, Trust,
};

use super::{Fields, Graph, Word};

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// There is a source.
    Source(SourceLine),
    /// It observed something.
    Observation(ObservationLine),
    /// There is a belief.
    Belief(BeliefLine),
    /// It rests on something.
    Justification(JustificationLine),
    /// Somebody decided.
    Decision(DecisionLine),
    /// Something was done.
    Action(ActionLine),
    /// Something is not to be trusted.
    Flag(FlagLine),
}

/// A source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// Where it speaks.
    pub channel: ChannelName,
    /// The tier of the channel.
    pub tier: Trust,
    /// What kind of identity.
    pub kind: SourceKind,
    /// What it copies; sorted, without repeats.
    pub mirrors: Box<[Word]>,
}

/// An observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservationLine {
    /// Whose words they are.
    pub source: Word,
    /// The content; the alias if there is none.
    pub text: Option<Text>,
    /// When its source sent it.
    pub sent_at: Option<Instant>,
}

/// A belief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeliefLine {
    /// What it is about.
    pub about: Option<Subject>,
    /// The claim; the alias if there is none.
    pub claim: Option<Text>,
    /// Who concluded it.
    pub agent: Option<Handle>,
}

/// A justification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JustificationLine {
    /// What it supports.
    pub belief: Word,
    /// What it rests on; sorted, without repeats.
    pub premises: Box<[Word]>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionLine {
    /// Who decided.
    pub agent: Option<Handle>,
    /// What it relied on; sorted, without repeats.
    pub relied_on: Box<[Word]>,
}

/// An action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionLine {
    /// What it carries out.
    pub decision: Word,
    /// What kind of action.
    pub kind: Kind,
    /// What can be done about it.
    pub class: ActionClass,
    /// Where it is in its life.
    pub status: ActionStatus,
}

/// A flag; the alias of its line is what is flagged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagLine {
    /// Why.
    pub reason: Option<Text>,
}

impl Said {
    /// The word for the kind of line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Source(_) => "source",
            Self::Observation(_) => "observation",
            Self::Belief(_) => "belief",
            Self::Justification(_) => "justification",
            Self::Decision(_) => "decision",
            Self::Action(_) => "action",
            Self::Flag(_) => "flag",
        }
    }

    /// What it says, for a message.
    pub(crate) fn fields(&self, graph: &Graph) -> Fields {
        let word = |word: Word| graph.text(word).to_owned();
        let words = |words: &[Word]| {
            let words: Vec<&str> = words.iter().map(|it| graph.text(*it)).collect();
            words.join(", ")
        };
        let mut fields: Fields = vec![("kind of line", self.name().to_owned())];
        let mut add = |name, value: Option<String>| {
            fields.extend(value.map(|value| (name, value)));
        };
        match self {
            Self::Source(it) => {
                add("channel", Some(it.channel.to_string()));
                add("tier", Some(it.tier.to_string()));
                add("kind", Some(it.kind.name().to_owned()));
                add(
                    "mirrors",
                    (!it.mirrors.is_empty()).then(|| words(&it.mirrors)),
                );
            }
            Self::Observation(it) => {
                add("source", Some(word(it.source)));
                add("text", it.text.as_ref().map(ToString::to_string));
                add("at", it.sent_at.map(|it| it.to_string()));
            }
            Self::Belief(it) => {
                add("about", it.about.as_ref().map(ToString::to_string));
                add("claim", it.claim.as_ref().map(ToString::to_string));
                add("agent", it.agent.as_ref().map(ToString::to_string));
            }
            Self::Justification(it) => {
                add("belief", Some(word(it.belief)));
                add("premises", Some(words(&it.premises)));
            }
            Self::Decision(it) => {
                add("agent", it.agent.as_ref().map(ToString::to_string));
                add("relied_on", Some(words(&it.relied_on)));
            }
            Self::Action(it) => {
                add("decision", Some(word(it.decision)));
                add("kind", Some(it.kind.to_string()));
                add("class", Some(it.class.name().to_owned()));
                add("status", Some(it.status.name().to_owned()));
            }
            Self::Flag(it) => add("reason", it.reason.as_ref().map(ToString::to_string)),
        }
        fields
    }
}
