//! What imported graphs call their items: from alias to item and back.
//!
//! Folded with the nodes, so a replay gives the same. Each alias keeps a digest of what the graph
//! said of it, by which an import that comes again is known. Those of a state that was unpacked
//! are looked up in its bytes.

mod base;

use std::collections::BTreeSet;
use std::sync::Arc;

use immune_model::{BeliefId, GraphNode, Handle, Item, SourceId};

use super::State;
use crate::words::{Words, digest};
use base::Base;

/// The aliases of one memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aliases {
    /// Those that were there when the state was unpacked; the fields below are what came since.
    base: Base,
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
    /// The words of the items of each kind, in the order of [`KINDS`].
    fn kinds(&self) -> [&Vec<(u32, u32)>; N_KINDS] {
        let Self {
            sources,
            observations,
            beliefs,
            justifications,
            decisions,
            actions,
            ..
        } = self;
        [
            sources,
            observations,
            beliefs,
            justifications,
            decisions,
            actions,
        ]
    }

    fn alias_of(&self, item: Item) -> Option<&str> {
        let kind = kind_place(item)?;
        let of_kind = self.kinds().into_iter().nth(kind)?;
        let place = of_kind.binary_search_by_key(&item.number(), |(number, _)| *number);
        match place.ok().and_then(|it| of_kind.get(it)) {
            Some((_, word)) => Some(self.words.get(*word)),
            None => self.base.alias_of(kind, item.number()),
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

/// Kinds of items that graphs name.
const N_KINDS: usize = 6;

/// Their prefixes; the places in this list are in the packed form.
const KINDS: [&str; N_KINDS] = ["src", "obs", "bel", "jus", "dec", "act"];

/// The place of an item's kind among those that graphs name.
fn kind_place(item: Item) -> Option<usize> {
    KINDS.iter().position(|it| *it == item.prefix())
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
        self.aliases.alias_of(item)
    }

    /// Who concluded an imported belief, as its graph says.
    pub fn imported_agent_of(&self, id: BeliefId) -> Option<&Handle> {
        let agents = &self.aliases.agents;
        let place = agents.binary_search_by_key(&id, |(belief, _)| *belief);
        match place.ok().and_then(|it| agents.get(it)) {
            Some((_, agent)) => Some(agent),
            None => self.aliases.base.agent_of(id),
        }
    }

    /// What an alias names, with the digest of what was said of it.
    pub(crate) fn print_of_alias(&self, alias: &str) -> Option<(Item, u64)> {
        match self.aliases.words.find(alias) {
            Some(word) => self.aliases.named.get(word as usize).copied(),
            None => self.aliases.base.find(alias),
        }
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
