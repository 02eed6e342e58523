//! What imported graphs call their items: from alias to item and back.
//!
//! Folded with the nodes, so a replay gives the same. Each alias keeps a digest of what the graph
//! said of it, by which an import that comes again is known.

use std::collections::BTreeSet;
use std::sync::Arc;

use immune_model::{BeliefId, GraphNode, Handle, Item, SourceId};

use super::State;
use crate::words::{Words, digest};

/// The aliases of one memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aliases {
    words: Words,
    /// For each word, what it names, and the digest of what was said of it.
    named: Vec<(Item, u64)>,
    /// The words of the items of one kind, by number: imported items get their ids in order.
    sources: Vec<(u32, u32)>,
    observations: Vec<(u32, u32)>,
    beliefs: Vec<(u32, u32)>,
    justifications: Vec<(u32, u32)>,
    decisions: Vec<(u32, u32)>,
    actions: Vec<(u32, u32)>,
    /// Who concluded a belief, as its graph says; each name is kept once.
    agents: Vec<(BeliefId, Handle)>,
    agent_names: BTreeSet<Handle>,
}

impl Aliases {
    fn of_kind(&self, item: Item) -> Option<&Vec<(u32, u32)>> {
        match item {
            Item::Source(_) => Some(&self.sources),
            Item::Observation(_) => Some(&self.observations),
            Item::Belief(_) => Some(&self.beliefs),
            Item::Justification(_) => Some(&self.justifications),
            Item::Decision(_) => Some(&self.decisions),
            Item::Action(_) => Some(&self.actions),
            _ => None,
        }
    }

    fn add(&mut self, node: &GraphNode) {
        let item = node.item();
        let word = self.words.insert(node.alias().as_str());
        assert_eq!(word as usize, self.named.len(), "an alias is given once");
        self.named.push((item, print_of(node)));
        let of_kind = match node {
            GraphNode::Source(_) => &mut self.sources,
            GraphNode::Observation(_) => &mut self.observations,
            GraphNode::Belief(_) => &mut self.beliefs,
            GraphNode::Justification(_) => &mut self.justifications,
            GraphNode::Decision(_) => &mut self.decisions,
            GraphNode::Action(_) => &mut self.actions,
        };
        of_kind.push((item.number(), word));
        if let GraphNode::Belief(belief) = node
            && let Some(agent) = &belief.agent
        {
            let kept = self.agent_names.get(agent).cloned().unwrap_or_else(|| {
                self.agent_names.insert(agent.clone());
                agent.clone()
            });
            self.agents.push((belief.belief, kept));
        }
    }
}

impl State {
    /// The item that a graph calls so.
    pub fn find_alias(&self, alias: &str) -> Option<Item> {
        self.print_of_alias(alias).map(|(item, _)| item)
    }

    /// The item of this id or alias. No alias looks like an id.
    pub fn find_item(&self, word: &str) -> Option<Item> {
        let id = word.parse().ok().filter(|id| self.contains(*id));
        id.or_else(|| self.find_alias(word))
    }

    /// What a graph calls this item, if it was imported.
    pub fn alias_of(&self, item: Item) -> Option<&str> {
        let of_kind = self.aliases.of_kind(item)?;
        let place = of_kind.binary_search_by_key(&item.number(), |(number, _)| *number);
        let (_, word) = of_kind.get(place.ok()?)?;
        Some(self.aliases.words.get(*word))
    }

    /// Who concluded an imported belief, as its graph says.
    pub fn imported_agent_of(&self, id: BeliefId) -> Option<&Handle> {
        let agents = &self.aliases.agents;
        let place = agents.binary_search_by_key(&id, |(belief, _)| *belief);
        agents.get(place.ok()?).map(|(_, agent)| agent)
    }

    /// What an alias names, with the digest of what was said of it.
    pub(crate) fn print_of_alias(&self, alias: &str) -> Option<(Item, u64)> {
        let word = self.aliases.words.find(alias)?;
        self.aliases.named.get(word as usize).copied()
    }

    pub(super) fn add_alias(&mut self, node: &GraphNode) {
        Arc::make_mut(&mut self.aliases).add(node);
    }
}

/// A digest of all that a node says, but for its own id.
pub(crate) fn print_of(node: &GraphNode) -> u64 {
    let mut parts = Parts::default();
    match node {
        GraphNode::Source(it) => {
            parts
                .number(1)
                .number(it.channel.number())
                .number(u32::from(it.tier.thousandths()));
            parts.word(it.kind.name());
            let mut mirrors: Vec<SourceId> = it.mirrors.clone();
            mirrors.sort_unstable();
            for of in mirrors {
                parts.number(of.number());
            }
        }
        GraphNode::Observation(it) => {
            parts
                .number(2)
                .number(it.source.number())
                .word(it.text.as_str());
            if let Some(at) = it.sent_at {
                parts.bytes(&at.micros().to_le_bytes());
            }
        }
        GraphNode::Belief(it) => {
            parts
                .number(3)
                .word(it.subject.as_str())
                .word(it.text.as_str());
            if let Some(agent) = &it.agent {
                parts.word(agent.as_str());
            }
        }
        GraphNode::Justification(it) => {
            parts.number(4).number(it.belief.number());
            for premise in &it.premises {
                let item = Item::from(*premise);
                parts.word(item.prefix()).number(item.number());
            }
        }
        GraphNode::Decision(it) => {
            parts.number(5).number(it.agent.number());
            for belief in &it.relied_on {
                parts.number(belief.number());
            }
        }
        GraphNode::Action(it) => {
            parts.number(6).number(it.decision.number());
            parts
                .word(it.kind.as_str())
                .word(it.class.name())
                .word(it.status.name());
        }
    }
    digest(&parts.0)
}

/// Bytes in which no two lists of parts look alike.
#[derive(Default)]
struct Parts(Vec<u8>);

impl Parts {
    fn number(&mut self, number: u32) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn word(&mut self, word: &str) -> &mut Self {
        self.bytes(word.as_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0
            .extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytes);
        self
    }
}
