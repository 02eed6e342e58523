//! What an application of events touched: for the projections and the change stream.

use std::collections::BTreeSet;

use immune_model::{
    ActionId, BeliefId, ChannelId, DecisionId, IncidentId, Instant, Item, JustificationId,
    ObservationId, ReviewId, RuleId, SourceId, TaskId,
};

/// The items that were written or moved since the changes were last taken.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Channels opened or set.
    pub channels: BTreeSet<ChannelId>,
    /// Sources that are new, or whose standing, records or reputation moved.
    pub sources: BTreeSet<SourceId>,
    /// Observations that are new.
    pub observations: BTreeSet<ObservationId>,
    /// Observations whose status or strength may have moved.
    pub observation_states: BTreeSet<ObservationId>,
    /// Beliefs that are new.
    pub beliefs: BTreeSet<BeliefId>,
    /// Beliefs whose status or strength moved.
    pub belief_states: BTreeSet<BeliefId>,
    /// Justifications that are new or were closed.
    pub justifications: BTreeSet<JustificationId>,
    /// Decisions that are new or whose status moved.
    pub decisions: BTreeSet<DecisionId>,
    /// Actions that are new or moved.
    pub actions: BTreeSet<ActionId>,
    /// Rules that were set.
    pub rules: BTreeSet<RuleId>,
    /// Incidents that were opened.
    pub incidents: BTreeSet<IncidentId>,
    /// Reviews that were opened.
    pub reviews: BTreeSet<ReviewId>,
    /// Tasks that were opened.
    pub tasks: BTreeSet<TaskId>,
    /// The transitions, in order.
    pub transitions: Vec<Transition>,
}

/// One announcement: an item passed from one condition to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The event that caused it.
    pub seq: u64,
    /// The place among the transitions of that event, from 0.
    pub position: u32,
    /// When.
    pub at: Instant,
    /// What passed.
    pub item: Item,
    /// What is announced: `status` or `reputation`.
    pub change: &'static str,
    /// The condition before; nothing for what is new.
    pub before: Option<String>,
    /// The condition after.
    pub after: String,
    /// The item that caused it, if it is another one.
    pub cause: Option<Item>,
}
