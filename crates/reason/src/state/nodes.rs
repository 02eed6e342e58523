//! Items of the state as the nodes of a graph: what an export says, and what a message compares.

use immune_model::{
    Alias, BeliefId, GraphAction, GraphBelief, GraphDecision, GraphJustification, GraphNode,
    GraphObservation, GraphSource, Item, JustificationId,
};

use super::{Grounds, State};
use crate::graph::Fields;

impl State {
    /// An item as the node of a graph that calls it so; nothing if it is none. What a node cannot
    /// say is left out.
    pub fn node_of(&self, item: Item, alias: Alias) -> Option<GraphNode> {
        Some(match item {
            Item::Source(source) => {
                let found = self.source(source)?;
                GraphNode::Source(GraphSource {
                    source,
                    alias,
                    channel: found.channel,
                    tier: self.channel(found.channel)?.tier,
                    kind: found.kind,
                    mirrors: found.mirrors.clone(),
                })
            }
            Item::Observation(observation) => {
                let found = self.observation(observation)?;
                GraphNode::Observation(GraphObservation {
                    observation,
                    alias,
                    source: found.source,
                    sent_at: found.sent_at,
                    text: found.text.clone(),
                })
            }
            Item::Belief(belief) => self.belief_node(belief, alias)?,
            Item::Justification(justification) => self.justification_node(justification, alias)?,
            Item::Decision(decision) => {
                let found = self.decision(decision)?;
                GraphNode::Decision(GraphDecision {
                    decision,
                    alias,
                    agent: found.agent,
                    relied_on: found.relied_on.clone(),
                })
            }
            Item::Action(action) => {
                let found = self.action(action)?;
                GraphNode::Action(GraphAction {
                    action,
                    alias,
                    decision: found.decision,
                    kind: found.kind.clone(),
                    class: found.class,
                    status: found.status,
                })
            }
            _ => return None,
        })
    }

    fn belief_node(&self, belief: BeliefId, alias: Alias) -> Option<GraphNode> {
        let found = self.belief(belief)?;
        Some(GraphNode::Belief(GraphBelief {
            belief,
            alias,
            subject: found.subject.clone(),
            polarity: found.polarity,
            agent: self.agent_of_belief(belief),
            text: found.text.clone(),
            literals: found.literals.clone(),
        }))
    }

    fn justification_node(
        &self,
        justification: JustificationId,
        alias: Alias,
    ) -> Option<GraphNode> {
        let found = self.justification(justification)?;
        Some(GraphNode::Justification(GraphJustification {
            justification,
            alias,
            belief: found.belief,
            premises: found.grounds.rests_on(),
        }))
    }

    /// Who concluded a belief: as its graph says, or the agent of its first derivation.
    fn agent_of_belief(&self, id: BeliefId) -> Option<immune_model::Handle> {
        if self.alias_of(id.into()).is_some() {
            return self.imported_agent_of(id).cloned();
        }
        let agents =
            self.justifications_of(id)
                .filter_map(|it| match self.justifications.get(it).grounds {
                    Grounds::Derivation { agent, .. } => agent,
                    Grounds::Statement { .. } => None,
                });
        let first = agents.last()?;
        Some(self.sources.get(first).handle.clone())
    }

    /// The alias of an item, or its id.
    pub fn name_of(&self, item: Item) -> String {
        self.alias_of(item)
            .map_or_else(|| item.to_string(), str::to_owned)
    }
}

/// What a node says, for a message: the keys of its line, each with its value.
pub(crate) fn fields_of(state: &State, node: &GraphNode) -> Fields {
    let name = |item: Item| state.name_of(item);
    let names = |items: &mut dyn Iterator<Item = Item>| {
        let names: Vec<String> = items.map(name).collect();
        names.join(", ")
    };
    match node {
        GraphNode::Source(it) => {
            let channel = state.channel(it.channel);
            let channel = channel.map_or_else(|| it.channel.to_string(), |it| it.name.to_string());
            vec![
                ("channel", channel),
                ("tier", it.tier.to_string()),
                ("kind", it.kind.name().to_owned()),
                (
                    "mirrors",
                    names(&mut it.mirrors.iter().map(|it| Item::Source(*it))),
                ),
            ]
        }
        GraphNode::Observation(it) => vec![
            ("source", name(it.source.into())),
            ("text", it.text.to_string()),
            (
                "at",
                it.sent_at
                    .map_or_else(|| "none".to_owned(), |it| it.to_string()),
            ),
        ],
        GraphNode::Belief(it) => vec![
            ("about", it.subject.to_string()),
            ("claim", it.text.to_string()),
            (
                "agent",
                it.agent
                    .as_ref()
                    .map_or_else(|| "none".to_owned(), ToString::to_string),
            ),
        ],
        GraphNode::Justification(it) => vec![
            ("belief", name(it.belief.into())),
            (
                "premises",
                names(&mut it.premises.iter().map(|it| Item::from(*it))),
            ),
        ],
        GraphNode::Decision(it) => {
            let agent = state.source(it.agent).map(|it| it.handle.to_string());
            vec![
                (
                    "relied_on",
                    names(&mut it.relied_on.iter().map(|it| Item::Belief(*it))),
                ),
                ("agent", agent.unwrap_or_else(|| "another".to_owned())),
            ]
        }
        GraphNode::Action(it) => vec![
            ("decision", name(it.decision.into())),
            ("kind", it.kind.to_string()),
            ("class", it.class.name().to_owned()),
            ("status", it.status.name().to_owned()),
        ],
    }
}
