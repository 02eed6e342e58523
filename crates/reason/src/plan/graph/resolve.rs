//! From aliases to items: what a graph names, in the file or in the memory, and the nodes that are
//! new. Nothing is written before every line is found to be right.

use immune_model::{BeliefId, ChannelId, FlagTarget, IncidentId, Premise, SourceId, Text, Trust};
use rustc_hash::FxHashMap;

use super::{
    Alias, ChannelName, GraphAction, GraphDecision, GraphImported, GraphJustification, GraphNode,
    GraphObservation, GraphSource, Handle, Item, UNNAMED_AGENT, belief_node, limits, text_or,
};
use crate::arena::Slot;
use crate::graph::{Fields, Graph, GraphError, GraphProblem, Line, Word, differing};
use crate::plan::source::check_new_handle;
use crate::state::aliases::print_of;
use crate::state::nodes::fields_of;
use crate::state::{Cause, State};

/// How many items are new, by kind, and how many lines were known.
pub(super) struct Counts {
    pub(super) new: GraphImported,
    pub(super) known: u64,
}

/// The new nodes, in the order of their ids.
#[derive(Default)]
pub(super) struct Checked {
    /// Sources, observations, beliefs, justifications.
    pub(super) nodes: Vec<GraphNode>,
    /// Who copies whom.
    pub(super) mirrors: Vec<(SourceId, SourceId)>,
    /// Decisions, each with its agent, whose source may be yet to be added.
    pub(super) decided: Vec<(GraphDecision, Handle)>,
    /// Actions.
    pub(super) actions: Vec<GraphAction>,
    /// What is flagged, with the reason.
    pub(super) flags: Vec<(Item, Option<Text>)>,
}

/// What each word of a file means.
pub(super) struct Resolver<'a> {
    state: &'a State,
    graph: &'a Graph,
    /// The item of each word, if it is there or will be.
    items: Vec<Option<Item>>,
    /// The channels, with those that are new, and the first line that gives each its tier.
    channels: FxHashMap<ChannelName, (ChannelId, usize)>,
    new: GraphImported,
}

impl<'a> Resolver<'a> {
    /// Finds the words that the memory knows, and gives ids to the lines that are new.
    pub(super) fn new(state: &'a State, graph: &'a Graph) -> Result<Self, GraphError> {
        let words = (0..graph.n_words()).map(|it| Word(it as u32));
        let items = words
            .map(|word| state.find_item(graph.text(word)))
            .collect();
        let mut resolver = Self {
            state,
            graph,
            items,
            channels: FxHashMap::default(),
            new: GraphImported::default(),
        };
        resolver.find_channels()?;
        let next = state.sources.next_id();
        resolver.new.sources = resolver.number(&graph.sources, next)?;
        let next = state.observations.next_id();
        resolver.new.observations = resolver.number(&graph.observations, next)?;
        let next = state.beliefs.next_id();
        resolver.new.beliefs = resolver.number(&graph.beliefs, next)?;
        let next = state.justifications.next_id();
        resolver.new.justifications = resolver.number(&graph.justifications, next)?;
        let next = state.decisions.next_id();
        resolver.new.decisions = resolver.number(&graph.decisions, next)?;
        let next = state.actions.next_id();
        resolver.new.actions = resolver.number(&graph.actions, next)?;
        Ok(resolver)
    }

    pub(super) fn counts(&self) -> Counts {
        let new = self.new;
        let written = new.sources
            + new.observations
            + new.beliefs
            + new.justifications
            + new.decisions
            + new.actions;
        let flags = self.graph.flags.len() as u64;
        let known = self.graph.n_lines() - self.graph.n_repeated - flags - written;
        Counts { new, known }
    }

    /// Gives the lines whose alias the memory does not know the next ids, and tells how many.
    fn number<T, I: Slot + Into<Item>>(
        &mut self,
        lines: &[Line<T>],
        next: I,
    ) -> Result<u64, GraphError> {
        let first = next.slot();
        let mut next = first;
        for line in lines {
            let item: Item = I::at(next).into();
            match self.items.get_mut(line.alias.0 as usize) {
                Some(Some(known)) if known.prefix() != item.prefix() => {
                    let known = *known;
                    let (there, here) = (known.kind(), item.kind());
                    let how = format!("{there} there and {here} here");
                    return Err(self.wrong(line, GraphProblem::Known { item: known, how }));
                }
                Some(slot @ None) => {
                    *slot = Some(item);
                    next += 1;
                }
                _ => {}
            }
        }
        Ok((next - first) as u64)
    }

    /// One tier for each channel: in the file, and in the memory.
    fn find_channels(&mut self) -> Result<(), GraphError> {
        let mut next = self.state.channels.next_id().index();
        for (index, line) in self.graph.sources.iter().enumerate() {
            let (name, tier) = (&line.said.channel, line.said.tier);
            if let Some((_, first)) = self.channels.get(name) {
                let first = self.graph.sources.get(*first).expect("an index of a line");
                if first.said.tier != tier {
                    let problem = GraphProblem::OtherTier {
                        channel: name.clone(),
                        tier,
                        other: first.said.tier,
                        line: first.number,
                        alias: self.graph.text(first.alias).to_owned(),
                    };
                    return Err(self.wrong(line, problem));
                }
                continue;
            }
            let known = self.state.find_channel(name);
            let found = known.map(|it| self.state.channels.get(it).tier);
            if let Some(found) = found.filter(|it| *it != tier) {
                let channel = name.clone();
                let problem = GraphProblem::KnownTier {
                    channel,
                    found,
                    tier,
                };
                return Err(self.wrong(line, problem));
            }
            let channel = known.unwrap_or_else(|| {
                next += 1;
                ChannelId::from_index(next - 1)
            });
            self.channels.insert(name.clone(), (channel, index));
        }
        Ok(())
    }

    /// The channels that are to be opened, in the order of their ids.
    pub(super) fn new_channels(&self) -> Vec<(ChannelName, Trust)> {
        let mut new: Vec<_> = self
            .channels
            .iter()
            .filter(|(name, _)| self.state.find_channel(name).is_none())
            .map(|(name, (id, first))| {
                let first = self.graph.sources.get(*first).expect("an index of a line");
                (*id, name.clone(), first.said.tier)
            })
            .collect();
        new.sort_unstable();
        new.into_iter()
            .map(|(_, name, tier)| (name, tier))
            .collect()
    }

    /// The nodes that are new. Every line is checked, those that are known too.
    pub(super) fn nodes(&self) -> Result<Checked, GraphError> {
        let mut checked = Checked::default();
        for line in &self.graph.sources {
            self.source(line, &mut checked)?;
        }
        for line in &self.graph.observations {
            let alias = self.alias(line);
            let node = GraphNode::Observation(GraphObservation {
                observation: self.own(line),
                source: self.find(line, line.said.source, "source")?,
                sent_at: line.said.sent_at,
                text: text_or(line.said.text.as_ref(), &alias),
                alias,
            });
            self.keep(line, node, &mut checked.nodes)?;
        }
        for line in &self.graph.beliefs {
            let node = belief_node(self.own(line), self.alias(line), &line.said);
            self.keep(line, GraphNode::Belief(node), &mut checked.nodes)?;
        }
        for line in &self.graph.justifications {
            self.justification(line, &mut checked)?;
        }
        for line in &self.graph.decisions {
            self.decision(line, &mut checked)?;
        }
        for line in &self.graph.actions {
            let node = GraphAction {
                action: self.own(line),
                alias: self.alias(line),
                decision: self.find(line, line.said.decision, "decision")?,
                kind: line.said.kind.clone(),
                class: line.said.class,
                status: line.said.status,
            };
            if self.is_new(line, &GraphNode::Action(node.clone()))? {
                checked.actions.push(node);
            }
        }
        self.flags(&mut checked)?;
        Ok(checked)
    }

    /// What is flagged: one reason for each item, in the file and in the memory.
    fn flags(&self, checked: &mut Checked) -> Result<(), GraphError> {
        let mut said: FxHashMap<Item, (u64, Option<&Text>)> = FxHashMap::default();
        for line in &self.graph.flags {
            let (item, reason) = (self.item(line, line.alias)?, line.said.reason.as_ref());
            let target = match item {
                Item::Source(id) => FlagTarget::Source(id),
                Item::Observation(id) => FlagTarget::Observation(id),
                Item::Belief(id) => FlagTarget::Belief(id),
                _ => {
                    return Err(self.no_such(line, line.alias, "source, observation or belief"));
                }
            };
            let (number, before) = *said.entry(item).or_insert((line.number, reason));
            if before != reason {
                let how = differing(&reason_of(before), &reason_of(reason));
                let line_before = number;
                return Err(self.wrong(
                    line,
                    GraphProblem::SaidBefore {
                        line: line_before,
                        how,
                    },
                ));
            }
            if let Some((incident, known)) = self.state.flagged_otherwise(target, reason) {
                let (item, how) = (
                    incident.into(),
                    differing(&reason_of(known), &reason_of(reason)),
                );
                return Err(self.wrong(line, GraphProblem::Known { item, how }));
            }
            checked.flags.push((item, reason.cloned()));
        }
        Ok(())
    }

    fn source(
        &self,
        line: &Line<crate::graph::SourceLine>,
        checked: &mut Checked,
    ) -> Result<(), GraphError> {
        let (source, alias) = (self.own(line), self.alias(line));
        let channel = self.channels.get(&line.said.channel).map(|(id, _)| *id);
        let channel = channel.expect("every channel was looked up");
        self.check_number(line, "mirrors", line.said.mirrors.len())?;
        let mut mirrors = Vec::with_capacity(line.said.mirrors.len());
        for word in &line.said.mirrors {
            let of: SourceId = self.find(line, *word, "source")?;
            if of == source {
                return Err(self.wrong(line, GraphProblem::OwnMirror));
            }
            mirrors.push(of);
        }
        mirrors.sort_unstable();
        mirrors.dedup();
        let handle = Handle::new(alias.as_str()).expect("an alias keeps to what a handle keeps to");
        let node = GraphNode::Source(GraphSource {
            source,
            alias,
            channel,
            tier: line.said.tier,
            kind: line.said.kind,
            mirrors: mirrors.clone(),
        });
        if !self.is_new(line, &node)? {
            return Ok(());
        }
        if let Some(known) = self.state.find_source(channel, &handle) {
            let problem = GraphProblem::KnownSource {
                item: known.into(),
                channel: line.said.channel.clone(),
            };
            return Err(self.wrong(line, problem));
        }
        self.check_new_handle(line, &handle)?;
        checked.nodes.push(node);
        checked
            .mirrors
            .extend(mirrors.into_iter().map(|of| (source, of)));
        Ok(())
    }

    fn justification(
        &self,
        line: &Line<crate::graph::JustificationLine>,
        checked: &mut Checked,
    ) -> Result<(), GraphError> {
        self.check_number(line, "premises", line.said.premises.len())?;
        if line.said.premises.is_empty() {
            return Err(self.wrong(line, GraphProblem::NoPremises));
        }
        let mut premises = Vec::with_capacity(line.said.premises.len());
        for word in &line.said.premises {
            premises.push(match self.item(line, *word)? {
                Item::Observation(id) => Premise::Observation(id),
                Item::Belief(id) => Premise::Belief(id),
                _ => return Err(self.no_such(line, *word, "observation or belief")),
            });
        }
        premises.sort_unstable();
        premises.dedup();
        let node = GraphNode::Justification(GraphJustification {
            justification: self.own(line),
            alias: self.alias(line),
            belief: self.find(line, line.said.belief, "belief")?,
            premises,
        });
        self.keep(line, node, &mut checked.nodes)
    }

    fn decision(
        &self,
        line: &Line<crate::graph::DecisionLine>,
        checked: &mut Checked,
    ) -> Result<(), GraphError> {
        self.check_number(line, "relied_on", line.said.relied_on.len())?;
        let mut relied_on: Vec<BeliefId> = Vec::with_capacity(line.said.relied_on.len());
        for word in &line.said.relied_on {
            relied_on.push(self.find(line, *word, "belief")?);
        }
        relied_on.sort_unstable();
        relied_on.dedup();
        let unnamed = || Handle::new(UNNAMED_AGENT).expect("a constant that is a name");
        let agent = line.said.agent.clone().unwrap_or_else(unnamed);
        let node = GraphDecision {
            decision: self.own(line),
            alias: self.alias(line),
            // One that is yet to be added decided nothing that is known.
            agent: self
                .state
                .find_agent(&agent)
                .unwrap_or(SourceId::new(u32::MAX)),
            relied_on,
        };
        if self.is_new(line, &GraphNode::Decision(node.clone()))? {
            if self.state.find_agent(&agent).is_none() {
                self.check_new_handle(line, &agent)?;
            }
            checked.decided.push((node, agent));
        }
        Ok(())
    }

    /// Keeps a node that is new.
    fn keep<T>(
        &self,
        line: &Line<T>,
        node: GraphNode,
        nodes: &mut Vec<GraphNode>,
    ) -> Result<(), GraphError> {
        if self.is_new(line, &node)? {
            nodes.push(node);
        }
        Ok(())
    }

    /// Whether a node is not in the memory yet; refuses one that says something else there.
    fn is_new<T>(&self, line: &Line<T>, node: &GraphNode) -> Result<bool, GraphError> {
        match self.state.print_of_alias(self.graph.text(line.alias)) {
            None => Ok(true),
            Some((item, print)) if item == node.item() && print == print_of(node) => Ok(false),
            Some((item, _)) => {
                let there = self.state.node_of(item, self.alias(line));
                let there = there
                    .map(|it| fields_of(self.state, &it))
                    .unwrap_or_default();
                let how = differing(&there, &fields_of(self.state, node));
                Err(self.wrong(line, GraphProblem::Known { item, how }))
            }
        }
    }

    fn check_new_handle<T>(&self, line: &Line<T>, handle: &Handle) -> Result<(), GraphError> {
        let checked = check_new_handle(handle);
        checked.map_err(|error| self.wrong(line, GraphProblem::Handle(Box::new(error))))
    }

    fn check_number<T>(
        &self,
        line: &Line<T>,
        key: &'static str,
        found: usize,
    ) -> Result<(), GraphError> {
        let limit = limits::PREMISES_MAX;
        if found <= limit {
            return Ok(());
        }
        Err(self.wrong(line, GraphProblem::TooMany { key, found, limit }))
    }

    /// The id of the line's own item.
    fn own<T, I: TryFrom<Item>>(&self, line: &Line<T>) -> I {
        let item = self.items.get(line.alias.0 as usize).copied().flatten();
        item.and_then(|it| I::try_from(it).ok())
            .expect("every line of a kind was given an id of it")
    }

    fn alias<T>(&self, line: &Line<T>) -> Alias {
        Alias::new(self.graph.text(line.alias)).expect("aliases were checked when they were added")
    }

    fn item<T>(&self, line: &Line<T>, word: Word) -> Result<Item, GraphError> {
        let found = self.items.get(word.0 as usize).copied().flatten();
        found.ok_or_else(|| {
            let word = self.graph.text(word).to_owned();
            self.wrong(line, GraphProblem::Missing { word })
        })
    }

    fn find<T, I: TryFrom<Item>>(
        &self,
        line: &Line<T>,
        word: Word,
        wanted: &'static str,
    ) -> Result<I, GraphError> {
        let item = self.item(line, word)?;
        I::try_from(item).map_err(|_| self.no_such(line, word, wanted))
    }

    fn no_such<T>(&self, line: &Line<T>, word: Word, wanted: &'static str) -> GraphError {
        let word = self.graph.text(word).to_owned();
        self.wrong(line, GraphProblem::NotA { word, wanted })
    }

    fn wrong<T>(&self, line: &Line<T>, problem: GraphProblem) -> GraphError {
        GraphError::new(line.number, self.graph.text(line.alias), problem)
    }
}

/// The one thing that a flag says, for a message.
fn reason_of(reason: Option<&Text>) -> Fields {
    let said = reason.map(|it| ("reason", it.as_str().to_owned()));
    said.into_iter().collect()
}

impl State {
    /// The standing flag of all of an item, if its reason is another one and no flag of the item,
    /// standing or taken back, has this one.
    fn flagged_otherwise(
        &self,
        target: FlagTarget,
        reason: Option<&Text>,
    ) -> Option<(IncidentId, Option<&Text>)> {
        let standing = self.flags_of(target).iter();
        let standing = standing.filter(|it| it.received_from.is_none());
        let incident = standing.map(|it| it.incident).next()?;
        let reason_in = |id: IncidentId| match self.incident(id).map(|it| &it.cause) {
            Some(Cause::Flag { reason, .. }) => reason.as_ref(),
            _ => None,
        };
        let of_target = self.incidents.iter().filter(|(_, it)| {
            matches!(&it.cause, Cause::Flag { target: flagged, .. } if *flagged == target)
        });
        let known = of_target
            .map(|(id, _)| reason_in(id))
            .any(|it| it == reason);
        (!known).then(|| (incident, reason_in(incident)))
    }
}
