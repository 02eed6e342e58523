//! What an application of events touched: for the projections and the change stream.

use std::borrow::Cow;

use immune_model::{
    ActionId, AttributionId, BeliefId, ChannelId, DecisionId, IncidentId, Instant, Item,
    JustificationId, ObservationId, ReviewId, RuleId, SourceId, TaskId,
};

/// The items that were written or moved since the changes were last taken.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Channels opened or set.
    pub channels: Touched<ChannelId>,
    /// Sources that are new, or whose standing, records or reputation moved.
    pub sources: Touched<SourceId>,
    /// Observations that are new.
    pub observations: Touched<ObservationId>,
    /// Observations whose status or strength may have moved.
    pub observation_states: Touched<ObservationId>,
    /// Beliefs that are new.
    pub beliefs: Touched<BeliefId>,
    /// Beliefs whose status or strength moved.
    pub belief_states: Touched<BeliefId>,
    /// Justifications that are new or were closed.
    pub justifications: Touched<JustificationId>,
    /// Decisions that are new or whose status moved.
    pub decisions: Touched<DecisionId>,
    /// Actions that are new or moved.
    pub actions: Touched<ActionId>,
    /// Rules that were set.
    pub rules: Touched<RuleId>,
    /// Incidents that were opened.
    pub incidents: Touched<IncidentId>,
    /// Reviews that were opened.
    pub reviews: Touched<ReviewId>,
    /// Attributions that were written down, or given as evidence.
    pub attributions: Touched<AttributionId>,
    /// Tasks that were opened.
    pub tasks: Touched<TaskId>,
    /// The transitions, in order.
    pub transitions: Vec<Transition>,
}

impl Changes {
    /// Each item once, in order.
    pub(super) fn sorted(mut self) -> Self {
        self.channels.sort();
        self.sources.sort();
        self.observations.sort();
        self.observation_states.sort();
        self.beliefs.sort();
        self.belief_states.sort();
        self.justifications.sort();
        self.decisions.sort();
        self.actions.sort();
        self.rules.sort();
        self.incidents.sort();
        self.reviews.sort();
        self.attributions.sort();
        self.tasks.sort();
        self
    }
}

/// Items that an application of events touched; each once and in order once they are taken.
#[derive(Debug, Clone)]
pub struct Touched<I>(Vec<I>);

impl<I> Default for Touched<I> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I: Copy + Ord> Touched<I> {
    pub(super) fn insert(&mut self, item: I) {
        self.0.push(item);
    }

    pub(crate) fn extend(&mut self, items: impl IntoIterator<Item = I>) {
        self.0.extend(items);
    }

    fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// The items.
    pub fn iter(&self) -> std::slice::Iter<'_, I> {
        self.0.iter()
    }
}

impl<'a, I: Copy + Ord> IntoIterator for &'a Touched<I> {
    type Item = &'a I;
    type IntoIter = std::slice::Iter<'a, I>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I> FromIterator<I> for Touched<I> {
    fn from_iter<T: IntoIterator<Item = I>>(items: T) -> Self {
        Self(items.into_iter().collect())
    }
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
    pub before: Option<Cow<'static, str>>,
    /// The condition after.
    pub after: Cow<'static, str>,
    /// The item that caused it, if it is another one.
    pub cause: Option<Item>,
}
