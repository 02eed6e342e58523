//! The state: what a log says, folded. Only [`State::apply`] changes it; a clone is a snapshot.
//!
//! Statuses and strengths are never set by hand: `apply` notes the base fact and has `support`
//! recompute the affected cone.

mod action;
pub(crate) mod aliases;
mod apply;
mod attribution;
mod changes;
mod content;
mod context;
mod fall;
mod flag;
mod graph;
pub(crate) mod items;
mod lookup;
pub(crate) mod mesh;
pub(crate) mod nodes;
mod pack;
mod response;
mod settle;
mod setup;
mod standing;
mod undo;

use std::sync::Arc;

use immune_model::{
    ActionId, Area, AttributionId, BeliefId, ChannelId, DecisionId, FlagTarget, IncidentId,
    Instant, JustificationId, Kind, MemoryName, Metadata, ObservationId, ReviewId, RuleId,
    SourceId, Status, TaskId, Text, Trust, Write,
};
use rpds::{HashTrieMapSync, RedBlackTreeSetSync};

use crate::arena::Arena;
use crate::context::Contexts;
use crate::copying::Copying;
use crate::network::{Column, EdgeId, Network};
use crate::origins::Origin;
use crate::pack::Keys;

pub use changes::{Changes, Touched, Transition};
pub use flag::Flag;
pub use items::{
    Action, Attribution, Belief, BeliefNow, Cause, Channel, Decision, Grounds, IncidentRecord,
    Justification, Observation, ReputationEvent, ReputationKind, Reversal, Review, Source, Task,
};
pub(crate) use lookup::closing_status;
pub use mesh::{AntibodyRecord, MeshRecord};
pub use pack::VERSION;

/// A justification that has this observation as a premise, and the next one: a list threaded
/// through an arena, so that appending is O(1) and a snapshot costs nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) justification: JustificationId,
    pub(crate) next: Option<EdgeId>,
}

/// A decision that relied on this belief, and the next one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) decision: DecisionId,
    pub(crate) next: Option<EdgeId>,
}

/// What is derived about every belief: recomputed, never written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Now {
    pub(crate) network: Network,
    ended_at: Column<BeliefId, EndedAt>,
}

/// When a belief last ceased to be active, if it did, in eight bytes.
#[derive(Debug, Clone, Copy)]
struct EndedAt(i64);

impl EndedAt {
    /// No moment: these are dates.
    const NEVER: i64 = i64::MIN;

    fn get(self) -> Option<Instant> {
        (self.0 != Self::NEVER)
            .then(|| Instant::from_micros(self.0))
            .flatten()
    }
}

impl Default for EndedAt {
    fn default() -> Self {
        Self(Self::NEVER)
    }
}

impl From<Option<Instant>> for EndedAt {
    fn from(at: Option<Instant>) -> Self {
        Self(at.map_or(Self::NEVER, Instant::micros))
    }
}

impl Now {
    fn push_belief(&mut self) {
        self.network.push_belief();
        self.ended_at.push(EndedAt::default());
    }

    /// Notes when beliefs ceased to be active, or that they are again; they are given in order.
    fn set_ended(&mut self, ended: impl Iterator<Item = (BeliefId, Option<Instant>)> + Clone) {
        let mut times = ended.clone().map(|(_, at)| EndedAt::from(at));
        self.ended_at
            .write_in_order(ended.map(|(belief, _)| belief), |_, slot| {
                *slot = times.next().unwrap_or(*slot);
            });
    }

    fn find(&self, id: BeliefId) -> Option<BeliefNow> {
        let node = self.network.find(id)?;
        Some(BeliefNow {
            status: node.status(),
            strength: node.strength(),
            ended_at: self.ended_at.get(id).get(),
            levels: node.levels(),
        })
    }

    /// # Panics
    /// On an id of another memory: ids are checked where they come in.
    pub(crate) fn get(&self, id: BeliefId) -> BeliefNow {
        self.find(id)
            .expect("ids inside the state were assigned by it")
    }
}

/// A map under ids or digests: nobody outside chooses them, so that a plain hash will do.
pub(crate) type ById<K, V> =
    HashTrieMapSync<K, V, std::hash::BuildHasherDefault<rustc_hash::FxHasher>>;

/// Whose vectors the index of a memory has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedderChoice {
    /// The name of the model; nothing if recall goes by words alone.
    pub model: Option<Text>,
    /// How many numbers a vector has; 0 without a model.
    pub dimensions: u32,
    /// The least cosine of a text that answers a question.
    pub threshold: Trust,
}

impl EmbedderChoice {
    /// Recall by words alone.
    pub fn words() -> Self {
        Self {
            model: None,
            dimensions: 0,
            threshold: Trust::ONE,
        }
    }

    /// The vectors of a model, and how near is near. A name that is no text is none.
    pub fn of(model: &str, dimensions: u32, threshold: Trust) -> Self {
        Self {
            model: Text::new(model).ok(),
            dimensions,
            threshold,
        }
    }

    /// Whether it is of this model.
    pub fn is_of(&self, model: &str, dimensions: u32) -> bool {
        let name = self.model.as_ref().map(Text::as_str);
        name == Some(model) && self.dimensions == dimensions
    }
}

/// All that one memory's log says.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub(crate) name: Option<MemoryName>,
    pub(crate) seq: u64,
    pub(crate) at: Option<Instant>,
    pub(crate) channels: Arena<ChannelId, Channel>,
    pub(crate) sources: Arena<SourceId, Source>,
    pub(crate) observations: Arena<ObservationId, Observation>,
    pub(crate) beliefs: Arena<BeliefId, Belief>,
    pub(crate) now: Now,
    pub(crate) justifications: Arena<JustificationId, Justification>,
    pub(crate) edges: Arena<EdgeId, Edge>,
    pub(crate) uses: Arena<EdgeId, Use>,
    pub(crate) decisions: Arena<DecisionId, Decision>,
    pub(crate) actions: Arena<ActionId, Action>,
    pub(crate) rules: Arena<RuleId, immune_model::Rule>,
    pub(crate) incidents: Arena<IncidentId, IncidentRecord>,
    pub(crate) reviews: Arena<ReviewId, Review>,
    pub(crate) tasks: Arena<TaskId, Task>,
    pub(crate) attributions: Arena<AttributionId, Attribution>,
    pub(crate) channel_by_name: HashTrieMapSync<Arc<str>, ChannelId>,
    /// By channel and handle.
    pub(crate) source_by_handle: Keys<SourceId>,
    pub(crate) belief_by_key: Keys<BeliefId>,
    /// By namespace and subject.
    pub(crate) last_by_subject: Keys<BeliefId>,
    pub(crate) observation_by_replay: Keys<ObservationId>,
    pub(crate) superseded_by: ById<JustificationId, Vec<JustificationId>>,
    pub(crate) review_by_key: HashTrieMapSync<(Origin, BeliefId), ReviewId>,
    /// The flags that stand.
    pub(crate) flags: ById<FlagTarget, Vec<Flag>>,
    /// The incidents that refuted a belief besides the one in `Belief::refuted_in`.
    pub(crate) also_refuted: ById<BeliefId, Vec<IncidentId>>,
    pub(crate) rule_by_kind: HashTrieMapSync<Kind, RuleId>,
    /// The smallest corroboration that rules ask for; nothing where one asks for none.
    pub(crate) corroboration_asked: ById<RuleId, u32>,
    /// Seconds after which what is stated in an area weighs half; nothing where it keeps its weight.
    pub(crate) half_lives: HashTrieMapSync<Area, u32>,
    /// How sure the claims are that are not made plainly.
    pub(crate) confidences: ById<JustificationId, Trust>,
    /// Whose vectors the index has, once an operator said so.
    pub(crate) embedder: Option<EmbedderChoice>,
    /// What callers noted about writes.
    pub(crate) metadata: ById<Write, Metadata>,
    pub(crate) expiries: RedBlackTreeSetSync<(Instant, JustificationId)>,
    pub(crate) pending: RedBlackTreeSetSync<ActionId>,
    pub(crate) aliases: Arc<aliases::Aliases>,
    /// What runs were shown.
    pub(crate) contexts: Contexts,
    /// Who copies whom, as far as that was inferred, and what it is inferred from.
    pub(crate) copying: Copying,
    /// What is known of the mesh of agents.
    pub(crate) mesh: mesh::MeshState,
    /// Claims that say when they hold.
    n_timed: usize,
    /// The beliefs whose status moved within the event that is being applied, each with the
    /// status before.
    pub(crate) passed: Vec<(BeliefId, Status)>,
    pub(crate) changes: Changes,
}

impl State {
    /// The state of a memory without a log.
    pub fn new() -> Self {
        Self::default()
    }

    /// The position of the last event applied; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The time of the last event applied.
    pub fn at(&self) -> Option<Instant> {
        self.at
    }

    /// Whose vectors the index has; nothing if nobody said so: those of the bundled model.
    pub fn embedder(&self) -> Option<&EmbedderChoice> {
        self.embedder.as_ref()
    }

    /// The name of the memory, once its first event is applied.
    pub fn name(&self) -> Option<&MemoryName> {
        self.name.as_ref()
    }

    /// What changed since the last call, for the projections and the change stream.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes).sorted()
    }

    /// Bytes that the network of beliefs and justifications takes in memory, texts left out.
    pub fn network_bytes(&self) -> usize {
        self.now.network.bytes() + self.now.ended_at.bytes() + self.contexts.taint.bytes()
    }
}
