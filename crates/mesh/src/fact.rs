//! What the mesh is told, what it answers, and the facts that change it.
//!
//! Everything here is plain: public fields, no state. A log can carry a [`Fact`], and another mesh
//! takes it up with [`Mesh::apply`](crate::Mesh::apply).

use std::collections::BTreeSet;

use immune_model::Instant;

use crate::view::Reading;

/// Who is asked or speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent<'a> {
    /// Its name.
    pub name: &'a str,
    /// What stays when it takes another name: a key, a principal. What is usual is known of this.
    pub identity: &'a str,
}

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The operator or the principal: a system message, the words of the user.
    Trusted,
    /// Outside of the mesh: a page, a mail of somebody.
    Outside,
    /// An agent of the mesh.
    Agent(&'a str),
    /// It is not known.
    Unknown,
}

/// Why a text is in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// The principal has the agent work on this very text: answer it, forward it, proofread it.
    Task,
    /// It came along: it was recalled, retrieved, or returned by a tool.
    #[default]
    Found,
}

/// A text of an input or an output: a message, a part of a list of contents, an argument of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// Where it comes from.
    pub origin: Origin<'a>,
    /// Why it is there; of an argument of a tool it says nothing.
    pub purpose: Purpose,
    /// What it is: `system`, `user`, `mail`, the name of a tool and an argument. Told, not judged.
    pub label: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// One call of a model and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// When.
    pub at: Instant,
    /// Whose model was called.
    pub agent: Agent<'a>,
    /// The tokens that the model was given for its calls so far and must not say; the last
    /// `MESH_CANARIES_MAX` are looked for.
    pub canaries: &'a [crate::Canary],
    /// What the model was shown.
    pub input: &'a [Message<'a>],
    /// What it answered, in parts.
    pub output: &'a [&'a str],
    /// The arguments of the tools that it called.
    pub tool_calls: &'a [Message<'a>],
}

/// Where a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the message of the input with this number.
    Input(usize),
    /// In the output with this number; arguments of tools come after its parts.
    Output(usize),
}

/// Bytes of a text that a verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Which text.
    pub place: Place,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// How the text was read there.
    pub reading: Reading,
}

/// What is thought of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// Nothing.
    Clean,
    /// Somebody should look at it; it is delivered.
    Advisory,
    /// A payload that is known: the model is not called.
    BlockedAntibody,
    /// The agent is quarantined: its model is not called, and it is not heard.
    BlockedQuarantined,
    /// A payload copied itself, or a canary was said: the output is withheld.
    Confirmed,
}

impl Judgement {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Advisory => "advisory",
            Self::BlockedAntibody => "blocked_antibody",
            Self::BlockedQuarantined => "blocked_quarantined",
            Self::Confirmed => "confirmed",
        }
    }

    /// Whether a call or its output is stopped.
    pub fn stops(self) -> bool {
        !matches!(self, Self::Clean | Self::Advisory)
    }
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// There is nothing to say.
    Nothing,
    /// A canary was said.
    Canary,
    /// What was shown asks to be carried on, and the output carries it.
    Directive,
    /// What was shown asks to be carried on; nobody did so far.
    Asked,
    /// A span of it went along two hops of agents or more, in their own words.
    Hops,
    /// A span of it is in the outputs of three agents or more, none of whom had it of another.
    Agents,
    /// The output takes unusually much of what came along.
    Mirroring,
    /// The output is near in meaning to what came along.
    Meaning,
    /// An antibody knows it.
    Antibody,
    /// It was blocked before, by an antibody that expired.
    Blocked,
    /// The agent is quarantined.
    Quarantined,
}

impl Ground {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Canary => "canary",
            Self::Directive => "directive",
            Self::Asked => "asked",
            Self::Hops => "hops",
            Self::Agents => "agents",
            Self::Mirroring => "mirroring",
            Self::Meaning => "meaning",
            Self::Antibody => "antibody",
            Self::Blocked => "blocked",
            Self::Quarantined => "quarantined",
        }
    }

    /// What stands in the place of an output that is withheld on this ground.
    pub fn notice(self, incident: Option<impl std::fmt::Display>) -> String {
        let incident = incident.map(|it| format!(" (incident {it})"));
        let incident = incident.unwrap_or_default();
        format!("This message was withheld{incident}: {}.", self.reason())
    }

    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Nothing => "nothing was found",
            Self::Canary => "the output holds a token that the model must not say",
            Self::Directive => "what was shown asks to be carried on, and the output carries it",
            Self::Asked => "what was shown asks to be carried on",
            Self::Hops => "a span went from agent to agent, along two hops or more",
            Self::Agents => "a span is in the outputs of three agents or more",
            Self::Mirroring => "the output takes more of what came along than is usual",
            Self::Meaning => "the output is near in meaning to what came along",
            Self::Antibody => "an antibody knows a span of it",
            Self::Blocked => "it was blocked before",
            Self::Quarantined => "the agent is quarantined",
        }
    }
}

/// A judgement with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is thought.
    pub judgement: Judgement,
    /// Why.
    pub ground: Ground,
    /// How strong the ground is, in thousandths.
    pub score: u16,
    /// Where.
    pub spans: Vec<Span>,
    /// The antibody that knows it.
    pub antibody: Option<u32>,
}

impl Verdict {
    /// Nothing was found.
    pub fn clean() -> Self {
        Self {
            judgement: Judgement::Clean,
            ground: Ground::Nothing,
            score: 0,
            spans: Vec::new(),
            antibody: None,
        }
    }
}

/// What comes of a check: a verdict, and what should be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// What to give [`Mesh::apply`](crate::Mesh::apply), in this order, once it is logged.
    pub facts: Vec<Fact>,
    /// What to hand on in place of the output; nothing where it is delivered as it is.
    pub notice: Option<String>,
}

/// Whom an antibody is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Every agent of the mesh.
    Mesh,
    /// These agents, by name.
    Agents(BTreeSet<String>),
}

/// A remembered payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Antibody {
    /// Its number, one after the other.
    pub id: u32,
    /// The incident that it is from.
    pub incident: u32,
    /// The hashes of the prints of its span, or of its pairs of words, sorted: at most `MESH_ANTIBODY_PRINTS_MAX`.
    pub prints: Vec<u64>,
    /// Whom it is for.
    pub scope: Scope,
    /// How sure it is, in thousandths; below [`BLOCKS`](crate::BLOCKS) it blocks nothing.
    pub confidence: u16,
    /// How often it blocked something.
    pub hits: u32,
    /// When it was made.
    pub made: Instant,
    /// When it ends.
    pub expires: Instant,
}

/// One payload that copied itself, and what is known of its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// Its number, one after the other.
    pub id: u32,
    /// When it was found.
    pub at: Instant,
    /// Why it is one.
    pub ground: Ground,
    /// Whether it stops what carries the payload, or somebody has to look at it first.
    pub is_confirmed: bool,
    /// How strong the ground is, in thousandths.
    pub score: u16,
    /// The agents that the payload went through, in order; the last is where it was found.
    pub path: Vec<String>,
    /// Every agent in whose output it was seen.
    pub reached: Vec<String>,
    /// When it was first seen in the output of each of them.
    pub since: Vec<Instant>,
}

impl Incident {
    /// The first agent that carried it.
    pub fn patient_zero(&self) -> Option<&str> {
        self.path.first().map(String::as_str)
    }
}

/// What happened: the only thing that changes what a mesh blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// An incident was opened.
    IncidentOpened(Incident),
    /// An antibody was made.
    AntibodyMade(Antibody),
    /// An agent is quarantined over an incident.
    AgentQuarantined {
        /// Its identity.
        identity: String,
        /// The incident.
        incident: u32,
    },
    /// An antibody blocked a text.
    TextBlocked {
        /// The antibody.
        antibody: u32,
        /// A digest of the text.
        digest: [u8; 16],
    },
    /// Somebody looked at an antibody and set how sure it is, in thousandths.
    AntibodyReviewed {
        /// The antibody.
        antibody: u32,
        /// How sure it is now.
        confidence: u16,
    },
    /// An antibody was wrong: what it blocked is released.
    AntibodyRetracted {
        /// The antibody.
        antibody: u32,
    },
    /// An incident was none: its antibodies are retracted and its agents released.
    IncidentRetracted {
        /// The incident.
        incident: u32,
    },
    /// The first calls say whether the agents cite what came along.
    HabitLearned {
        /// Whether they do.
        cites: bool,
    },
    /// An agent is heard again.
    AgentReleased {
        /// Its identity.
        identity: String,
    },
}
