//! What a graph has no words for and what must not come back stronger for that: newcomers, earned
//! reputations, hedges, the tiers of agents, and what a run had been shown (semantics.md 4, T3).
//!
//! A source that is worth less than its channel is exported in a channel of its own tier. A
//! justification that is worth less than what it rests on gets one more premise: an observation of
//! a source of its own, whose tier is what the justification is worth.

use std::collections::BTreeMap;

use immune_model::{
    Alias, ChannelId, ChannelName, GraphNode, GraphObservation, GraphSource, JustificationId,
    ObservationId, Premise, SourceId, SourceKind, Status, Text, Trust,
};
use immune_reason::State;

use super::export::ExportedLine;

/// What holds sources and justifications where they are.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// The sources that are exported in another channel, with its tier.
    pub(super) sources: BTreeMap<SourceId, Trust>,
    /// The justifications that get a premise, with the tier of its source.
    pub(super) justifications: BTreeMap<JustificationId, Trust>,
}

impl Held {
    /// Of these sources and justifications; `flagged` are the sources of which the graph itself says
    /// that they are flagged.
    pub(super) fn of(
        state: &State,
        sources: impl Iterator<Item = SourceId>,
        justifications: impl Iterator<Item = JustificationId>,
        flagged: &[SourceId],
    ) -> Self {
        let mut held = Self::default();
        for id in sources {
            let own = state.reputation(id, immune_reason::reputation::Scope::Overall);
            if own < tier_of(state, id) {
                held.sources.insert(id, own);
            }
        }
        for id in justifications {
            let worth = state.worth_unflagged(id, flagged);
            if worth < held.said_by_graph(state, id) {
                held.justifications.insert(id, worth);
            }
        }
        held
    }

    /// What the graph would make of a justification, its flags left out.
    fn said_by_graph(&self, state: &State, id: JustificationId) -> Trust {
        let rests_on = state
            .justification(id)
            .map(|it| it.grounds.rests_on())
            .unwrap_or_default();
        let each = rests_on.iter().map(|it| match it {
            Premise::Observation(id) => self.tier_of_observation(state, *id),
            Premise::Belief(id) => {
                let now = state.belief_now(*id);
                let now = now.filter(|it| it.status == Status::Active);
                now.map_or(Trust::ONE, |it| it.strength)
            }
        });
        each.min().unwrap_or(Trust::ONE)
    }

    fn tier_of_observation(&self, state: &State, id: ObservationId) -> Trust {
        let Some(observation) = state.observation(id) else {
            return Trust::ZERO;
        };
        let hops = state.copied_by(observation.source).into_iter();
        let tiers = hops.map(|it| self.tier(state, it));
        tiers.min().unwrap_or(Trust::ZERO)
    }

    /// The tier under which a source is exported.
    pub(super) fn tier(&self, state: &State, id: SourceId) -> Trust {
        let held = self.sources.get(&id).copied();
        held.unwrap_or_else(|| tier_of(state, id))
    }

    /// The channel in which a source is exported.
    pub(super) fn channel(&self, state: &State, id: SourceId) -> Option<String> {
        let channel = state.source(id).and_then(|it| state.channel(it.channel))?;
        let name = channel.name.as_str();
        let held = self.sources.get(&id);
        Some(held.map_or_else(|| name.to_owned(), |tier| free_channel(state, name, *tier)))
    }

    /// The sources of the premises that hold justifications.
    pub(super) fn source_lines<'a>(
        &'a self,
        state: &'a State,
    ) -> impl Iterator<Item = ExportedLine> + 'a {
        let each = self.justifications.iter().enumerate();
        let (n_sources, n_channels) = (state.source_ids().count(), state.channel_ids().count());
        each.filter_map(move |(n, (id, tier))| {
            let source = SourceId::from_index(n_sources + n);
            Some(ExportedLine::Node {
                node: GraphNode::Source(GraphSource {
                    source,
                    alias: Alias::new(&source_name(state, *id)).ok()?,
                    channel: ChannelId::from_index(n_channels),
                    tier: *tier,
                    kind: SourceKind::Other,
                    mirrors: Vec::new(),
                }),
                channel: Some(free_channel(state, "held", *tier)),
                agent: None,
                names: Vec::new(),
            })
        })
    }

    /// The premises that hold justifications.
    pub(super) fn observation_lines<'a>(
        &'a self,
        state: &'a State,
    ) -> impl Iterator<Item = ExportedLine> + 'a {
        let each = self.justifications.keys().enumerate();
        let n_sources = state.source_ids().count();
        each.filter_map(move |(n, id)| {
            let name = premise_name(state, *id);
            Some(ExportedLine::Node {
                node: GraphNode::Observation(GraphObservation {
                    observation: ObservationId::from_index(state.n_observations() + n),
                    alias: Alias::new(&name).ok()?,
                    source: SourceId::from_index(n_sources + n),
                    sent_at: None,
                    text: Text::new(&name).ok()?,
                }),
                channel: None,
                agent: None,
                names: vec![source_name(state, *id)],
            })
        })
    }

    /// The premise that a justification gets, if it gets one.
    pub(super) fn premise(&self, state: &State, id: JustificationId) -> Option<String> {
        let held = self.justifications.contains_key(&id);
        held.then(|| premise_name(state, id))
    }
}

fn tier_of(state: &State, id: SourceId) -> Trust {
    let channel = state.source(id).and_then(|it| state.channel(it.channel));
    channel.map_or(Trust::ZERO, |it| it.tier)
}

fn source_name(state: &State, id: JustificationId) -> String {
    free_name(state, format!("held:{}", id.number()))
}

fn premise_name(state: &State, id: JustificationId) -> String {
    free_name(state, format!("holds:{}", id.number()))
}

/// A name that means nothing yet in this memory, nor in a graph of it.
fn free_name(state: &State, mut name: String) -> String {
    let is_handle = |name: &str| {
        let handle = immune_model::Handle::new(name);
        handle.is_ok_and(|it| !state.find_sources(&it).is_empty())
    };
    while state.find_alias(&name).is_some() || is_handle(&name) {
        name.push('+');
    }
    name
}

/// A channel that has this tier, or is not there yet.
fn free_channel(state: &State, channel: &str, tier: Trust) -> String {
    let mut name = format!("{channel}:{tier}");
    if ChannelName::new(&name).is_err() {
        name = format!("held:{tier}");
    }
    let has_other_tier = |name: &str| {
        let found = ChannelName::new(name).ok();
        let found = found.and_then(|it| state.find_channel(&it));
        let found = found.and_then(|it| state.channel(it));
        found.is_some_and(|it| it.tier != tier)
    };
    while has_other_tier(&name) {
        name.push('+');
    }
    name
}
