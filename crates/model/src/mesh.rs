//! The mesh of agents as the log has it: payloads that copied themselves, what is remembered of
//! them, and whom that quarantined (semantics.md 12).
//!
//! Names of agents are handles, and hashes stand for texts: of a payload itself nothing is here.

use crate::id::{AntibodyId, MeshIncidentId, SourceId};
use crate::name::{Handle, RunId};
use crate::time::Instant;
use crate::trust::Trust;

/// Why an incident of the mesh was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeshGround {
    /// A token was said that the model must not say.
    Canary,
    /// What was shown asks to be carried on, and the output carries it.
    Directive,
    /// A span went along two hops of agents or more.
    Hops,
    /// A span is in the outputs of three agents or more.
    Agents,
    /// An agent took unusually much of what came along.
    Mirroring,
    /// An antibody knows the output.
    Antibody,
}

impl MeshGround {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Canary => "canary",
            Self::Directive => "directive",
            Self::Hops => "hops",
            Self::Agents => "agents",
            Self::Mirroring => "mirroring",
            Self::Antibody => "antibody",
        }
    }
}

/// An agent in whose output a payload was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The name under which it was observed.
    pub agent: Handle,
    /// When the payload was first seen in what it said, as far as that is known.
    pub since: Instant,
    /// The runs in which that was, if any was named.
    pub runs: Vec<RunId>,
    /// The sources that the agent was in this memory when the incident was opened.
    pub sources: Vec<SourceId>,
}

/// One payload that copied itself, and what is known of its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshIncident {
    /// Its id, the next of its kind.
    pub incident: MeshIncidentId,
    /// When the exchange was in which it was found.
    pub observed_at: Instant,
    /// Why it was opened.
    pub ground: MeshGround,
    /// Whether the output was withheld; otherwise somebody has to look at it.
    pub is_confirmed: bool,
    /// How strong the ground is.
    pub score: Trust,
    /// The agents that the payload went through, in order; the last is where it was found.
    pub path: Vec<Handle>,
    /// Every agent in whose output it was seen.
    pub reached: Vec<Reached>,
}

/// The hash of a run of letters of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64);

/// What a text is known by once an antibody blocked it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextDigest(pub [u8; 16]);

/// A remembered payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Antibody {
    /// Its id, the next of its kind.
    pub antibody: AntibodyId,
    /// The incident that it is from.
    pub incident: MeshIncidentId,
    /// The agents that it is for; without any, every one.
    pub agents: Vec<Handle>,
    /// How sure it is.
    pub confidence: Trust,
    /// When it was made.
    pub made_at: Instant,
    /// When it ends; what it blocked stays blocked.
    pub expires_at: Instant,
    /// The fingerprints of its span, sorted: at most `limits::MESH_ANTIBODY_PRINTS_MAX`.
    pub prints: Vec<Fingerprint>,
}
