//! `graph import`: the lines of a file become items under their aliases, all or none.

use std::collections::BTreeSet;

use immune_model::{
    Alias, Carriage, ChannelName, Event, GraphAction, GraphBelief, GraphDecision,
    GraphJustification, GraphNode, GraphObservation, GraphSource, Handle, Item, Role, Subject,
    Text, limits,
};

use self::resolve::{Counts, Resolver};
use super::{Draft, Flag, FlagWhat, Forbidden, NewClaim};
use crate::graph::{Graph, GraphError};
use crate::state::Cause;

mod resolve;

/// Why nothing was imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The principal may not: an import declares sources.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// A line is refused.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// What an import wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GraphImported {
    /// Lines that say something.
    pub lines: u64,
    /// Those whose content was there before.
    pub known: u64,
    /// New sources.
    pub sources: u64,
    /// New observations.
    pub observations: u64,
    /// New beliefs.
    pub beliefs: u64,
    /// New justifications.
    pub justifications: u64,
    /// New decisions.
    pub decisions: u64,
    /// New actions.
    pub actions: u64,
    /// New flags, each an incident.
    pub flags: u64,
}

/// Who decided, where the graph does not say.
pub const UNNAMED_AGENT: &str = "unnamed";

impl Draft {
    /// Plans the import of a graph.
    pub fn import_graph(&mut self, graph: &Graph) -> Result<GraphImported, ImportError> {
        self.require(Role::Operator, "import a graph")?;
        let resolver = Resolver::new(&self.state, graph)?;
        let channels = resolver.new_channels();
        let checked = resolver.nodes()?;
        let Counts { mut new, mut known } = resolver.counts();
        let lines = graph.n_lines();
        let from = self.state.seq();
        self.push_channels(&channels);
        let (nodes, mirrors, decided) = (checked.nodes, checked.mirrors, checked.decided);
        let n_sources = nodes
            .iter()
            .take_while(|it| matches!(it, GraphNode::Source(_)))
            .count();
        let mut nodes = nodes.into_iter();
        self.push_parts(nodes.by_ref().take(n_sources), None);
        for (source, of) in mirrors {
            self.push(Event::MirrorDeclared { source, of });
        }
        let since = (new.justifications > 0).then_some(from + 1);
        self.push_parts(nodes, since);
        let mut decisions = Vec::with_capacity(decided.len());
        for (mut decision, agent) in decided {
            decision.agent = self.ensure_agent(&agent);
            decisions.push(GraphNode::Decision(decision));
        }
        let actions: BTreeSet<_> = checked.actions.iter().map(|it| it.action).collect();
        let acted = checked.actions.into_iter().map(GraphNode::Action);
        self.push_parts(decisions.into_iter().chain(acted), None);
        self.queue_reversals(actions);
        for (item, reason) in checked.flags {
            if self.import_flag(item, reason) {
                new.flags += 1;
            } else {
                known += 1;
            }
        }
        Ok(GraphImported {
            lines,
            known: known + graph.n_repeated,
            ..new
        })
    }

    /// Flags an item, and tells whether that is new: a flag that was taken back since stays so.
    fn import_flag(&mut self, item: Item, reason: Option<Text>) -> bool {
        let known = self.state.incidents.iter().any(|(_, it)| match &it.cause {
            Cause::Flag {
                target,
                reason: given,
                ..
            } => Item::from(*target) == item && *given == reason,
            Cause::Challenge { .. } => false,
        });
        if known {
            return false;
        }
        let command = Flag {
            what: FlagWhat::Item(item),
            received_from: None,
            reason,
        };
        let flagged = self.flag(&command);
        !flagged.expect("an operator flags what is there").repeated
    }

    fn push_channels(&mut self, channels: &[(ChannelName, immune_model::Trust)]) {
        for (name, tier) in channels {
            let channel = self.state.channels.next_id();
            self.push(Event::ChannelSet {
                channel,
                name: name.clone(),
                tier: *tier,
                carriage: Carriage::Relays,
            });
        }
    }

    /// Pushes nodes in events of a bounded size; `since` goes with the last one.
    fn push_parts(&mut self, nodes: impl Iterator<Item = GraphNode>, since: Option<u64>) {
        let mut nodes = nodes.peekable();
        while nodes.peek().is_some() {
            let (mut part, mut bytes) = (Vec::new(), 0);
            while let Some(node) = nodes.next_if(|_| {
                part.len() < limits::GRAPH_PART_NODES_MAX && bytes < limits::GRAPH_PART_BYTES_MAX
            }) {
                bytes += node.bytes();
                part.push(node);
            }
            let since = since.filter(|_| nodes.peek().is_none());
            self.push(Event::GraphImported { since, nodes: part });
        }
    }
}

/// The text of a node: what the graph says, else its alias.
fn text_or(text: Option<&Text>, alias: &Alias) -> Text {
    let own = || Text::new(alias.as_str()).expect("an alias keeps to what a text keeps to");
    text.cloned().unwrap_or_else(own)
}

/// The claim of a belief with what it says in itself: polarity and literals, as a statement has.
fn belief_node(
    belief: immune_model::BeliefId,
    alias: Alias,
    line: &crate::graph::BeliefLine,
) -> GraphBelief {
    let text = text_or(line.claim.as_ref(), &alias);
    let subject = line.about.clone().unwrap_or_else(Subject::none);
    let claim = NewClaim::read(subject, immune_model::SubjectFrom::Caller, text);
    let mut literals = claim.literals;
    literals.sort_unstable();
    literals.dedup();
    literals.truncate(limits::LITERALS_MAX);
    GraphBelief {
        belief,
        alias,
        subject: claim.subject,
        polarity: claim.polarity,
        agent: line.agent.clone(),
        text: claim.text,
        literals,
    }
}
