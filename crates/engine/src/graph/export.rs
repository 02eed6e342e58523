//! `graph export`: a state as the lines of a graph, in one canonical order and spelling.
//!
//! Each kind stands in the order of ids, and flags in that of incidents, so that importing what was
//! exported into an empty memory and exporting again gives the same bytes. What has no alias gets
//! one that is made of its id (`bel:7`), which it keeps wherever it is imported.

use std::collections::BTreeSet;

use immune_model::{
    ActionClass, ActionId, ActionStatus, Alias, BeliefId, FlagTarget, GraphNode, Handle, Item,
    JustificationId, ObservationId, Premise, SourceId, Text,
};
use immune_reason::State;
use immune_reason::plan::UNNAMED_AGENT;
use immune_reason::state::{Cause, Grounds};

use super::held::Held;

/// The channel of agents: a source there that never spoke is named by what it decided.
pub(super) const AGENTS: &str = "agents";

/// One line of a graph, with names for items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportedLine {
    /// An item under its alias.
    Node {
        /// What it says.
        node: GraphNode,
        /// The name of its channel, if it is a source.
        channel: Option<String>,
        /// The name of its agent, if it is a decision that names one.
        agent: Option<Handle>,
        /// The names of what it refers to, in the order of its keys.
        names: Vec<String>,
    },
    /// A flag.
    Flag {
        /// What is flagged.
        name: String,
        /// Why.
        reason: Option<Text>,
    },
}

/// What is exported of a state.
#[derive(Debug)]
pub struct GraphExport<'a> {
    state: &'a State,
    /// The sources that are no more than the name of an agent.
    only_agents: BTreeSet<SourceId>,
    flags: Vec<(FlagTarget, Option<Text>)>,
    /// The actions that ran and stand, but not without what is closed: the flags of the graph
    /// alone would reverse them, so it says that they are.
    reversed: BTreeSet<ActionId>,
    held: Held,
}

impl<'a> GraphExport<'a> {
    /// The graph of a state.
    pub fn of(state: &'a State) -> Self {
        let mut export = Self {
            state,
            only_agents: BTreeSet::new(),
            flags: Vec::new(),
            reversed: BTreeSet::new(),
            held: Held::default(),
        };
        export.find_flags();
        export.find_agents();
        export.find_reversed();
        export.find_held();
        export
    }

    /// Its lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = ExportedLine> + '_ {
        let state = self.state;
        let node = |item| self.node(item);
        let sources = self.sources().map(Item::from).filter_map(node);
        let observations = state.observation_ids().filter(|it| is_written(state, *it));
        let observations = observations.map(Item::from).filter_map(node);
        let rest = state
            .belief_ids()
            .map(Item::from)
            .chain(self.justifications().map(Item::from))
            .chain(state.decision_ids().map(Item::from))
            .chain(state.action_ids().map(Item::from));
        let nodes = sources
            .chain(self.held.source_lines(state))
            .chain(observations)
            .chain(self.held.observation_lines(state))
            .chain(rest.filter_map(node));
        let flags = self
            .flags
            .iter()
            .map(|(target, reason)| ExportedLine::Flag {
                name: self.name(Item::from(*target)),
                reason: reason.clone(),
            });
        nodes.chain(flags)
    }

    fn sources(&self) -> impl Iterator<Item = SourceId> + '_ {
        let all = self.state.source_ids();
        all.filter(|it| !self.only_agents.contains(it))
    }

    fn justifications(&self) -> impl Iterator<Item = JustificationId> + use<'a> {
        let state = self.state;
        let all = state.justification_ids();
        all.filter(move |it| is_sayable(state, *it))
    }

    fn find_held(&mut self) {
        let flags = self.flags.iter().filter_map(|(it, _)| match it {
            FlagTarget::Source(it) => Some(*it),
            FlagTarget::Observation(_) | FlagTarget::Belief(_) => None,
        });
        let flagged: Vec<SourceId> = flags.collect();
        self.held = Held::of(self.state, self.sources(), self.justifications(), &flagged);
    }

    /// What keeps the graph from being stronger than this memory.
    pub(super) fn held(&self) -> &Held {
        &self.held
    }

    /// What the graph calls an item: its alias, or one that is made for it.
    pub fn name(&self, item: Item) -> String {
        let state = self.state;
        if let Some(alias) = state.alias_of(item) {
            return alias.to_owned();
        }
        if let Item::Source(id) = item
            && let Some(handle) = self.handle_as_alias(id)
        {
            return handle.to_owned();
        }
        let mut name = format!("{}:{}", item.prefix(), item.number());
        while state.find_alias(&name).is_some() {
            name.push('+');
        }
        name
    }

    /// The handle of a source, if nothing else could be meant by it.
    pub(super) fn handle_as_alias(&self, id: SourceId) -> Option<&'a str> {
        let handle = &self.state.source(id)?.handle;
        let word = handle.as_str();
        let like_ours = word
            .trim_end_matches('+')
            .split_once(':')
            .is_some_and(|(kind, number)| {
                number
                    .parse()
                    .is_ok_and(|number| Item::from_parts(kind, number).is_some())
            });
        let free = word.parse::<Item>().is_err()
            && !like_ours
            && self.state.find_alias(word).is_none()
            && self.state.find_sources(handle).len() == 1;
        free.then_some(word)
    }

    fn node(&self, item: Item) -> Option<ExportedLine> {
        let state = self.state;
        let name = self.name(item);
        let mut node = state.node_of(item, Alias::new(&name).ok()?)?;
        if let GraphNode::Action(action) = &mut node
            && self.reversed.contains(&action.action)
        {
            action.status = match action.class {
                ActionClass::Irreversible => ActionStatus::Irreversible,
                ActionClass::Reversible | ActionClass::Compensable => ActionStatus::Reversing,
            };
        }
        let mut names: Vec<String> = Vec::new();
        let (mut channel, mut agent) = (None, None);
        match &mut node {
            GraphNode::Source(it) => {
                it.tier = self.held.tier(state, it.source);
                channel = self.held.channel(state, it.source);
                let mut mirrors = it.mirrors.clone();
                mirrors.sort_unstable();
                names.extend(mirrors.into_iter().map(|it| self.name(it.into())));
            }
            GraphNode::Observation(it) => names.push(self.name(it.source.into())),
            GraphNode::Belief(_) => {}
            GraphNode::Justification(it) => {
                names.push(self.name(it.belief.into()));
                let observed = |it: &&Premise| matches!(it, Premise::Observation(_));
                // Premises stand in the order of their ids, observations first.
                let n_observed = it.premises.iter().take_while(observed).count();
                let (observed, believed) = it.premises.split_at(n_observed);
                names.extend(observed.iter().map(|it| self.name((*it).into())));
                names.extend(self.held.premise(state, it.justification));
                names.extend(believed.iter().map(|it| self.name((*it).into())));
            }
            GraphNode::Decision(it) => {
                let decided = state.source(it.agent).map(|it| it.handle.clone());
                agent = decided.filter(|it| it.as_str() != UNNAMED_AGENT);
                let mut relied_on = it.relied_on.clone();
                relied_on.sort_unstable();
                names.extend(relied_on.into_iter().map(|it| self.name(it.into())));
            }
            GraphNode::Action(it) => names.push(self.name(it.decision.into())),
        }
        Some(ExportedLine::Node {
            node,
            channel,
            agent,
            names,
        })
    }

    /// What is flagged or refuted now, each once, in the order in which that came.
    fn find_flags(&mut self) {
        let mut seen: BTreeSet<Item> = BTreeSet::new();
        let mut flags = Vec::new();
        for id in self.state.incident_ids() {
            let Some(incident) = self.state.incident(id) else {
                continue;
            };
            if incident.reinstated_at.is_some() {
                continue;
            }
            let (targets, reason) = match &incident.cause {
                Cause::Challenge { refuted, .. } => {
                    let refuted = refuted.iter().filter(|it| incident.refutes(**it));
                    let refuted = refuted.map(|it| FlagTarget::Belief(*it));
                    (
                        refuted.collect(),
                        Text::new(&format!("refuted in {id}")).ok(),
                    )
                }
                Cause::Flag {
                    target: FlagTarget::Source(source),
                    received_from: Some(from),
                    reason,
                } => {
                    let sent = self.state.observations_of(*source).filter(|it| {
                        let observation = self.state.observation(*it);
                        observation.is_some_and(|it| it.received_at >= *from)
                            && is_written(self.state, *it)
                    });
                    let mut sent: Vec<ObservationId> = sent.collect();
                    sent.sort_unstable();
                    let sent = sent.into_iter().map(FlagTarget::Observation);
                    (sent.collect::<Vec<_>>(), reason.clone())
                }
                Cause::Flag { target, reason, .. } => (vec![*target], reason.clone()),
            };
            for target in targets {
                let there = match target {
                    FlagTarget::Observation(it) => is_written(self.state, it),
                    FlagTarget::Source(_) | FlagTarget::Belief(_) => true,
                };
                if there && seen.insert(target.into()) {
                    flags.push((target, reason.clone()));
                }
            }
        }
        self.flags = flags;
    }

    fn find_agents(&mut self) {
        let flagged = |id: SourceId| {
            self.flags
                .iter()
                .any(|(target, _)| *target == FlagTarget::Source(id))
        };
        let only_agent = |id: &SourceId| {
            self.state.source(*id).is_some_and(|it| {
                let channel = self.state.channel(it.channel);
                channel.is_some_and(|it| it.name.as_str() == AGENTS)
                    && it.mirrors.is_empty()
                    && it.mirrored_by.is_empty()
            }) && self.state.observations_of(*id).next().is_none()
                && self.state.alias_of((*id).into()).is_none()
                && !flagged(*id)
        };
        self.only_agents = self.state.source_ids().filter(only_agent).collect();
    }

    fn find_reversed(&mut self) {
        let state = self.state;
        let closed = |it| state.closing_of(it).is_some();
        if self.flags.is_empty() || !state.justification_ids().any(closed) {
            return;
        }
        let flagged: BTreeSet<Item> = self.flags.iter().map(|(it, _)| (*it).into()).collect();
        let (ever, open) = (self.standing(&BTreeSet::new()), self.standing(&flagged));
        let fell = |it: &BeliefId| {
            flagged.contains(&Item::Belief(*it)) || (ever.contains(it) && !open.contains(it))
        };
        let falls = |id: &ActionId| {
            let action = state
                .action(*id)
                .filter(|it| it.status == ActionStatus::Executed);
            let decision = action.and_then(|it| state.decision(it.decision));
            decision.is_some_and(|it| it.relied_on.iter().any(fell))
        };
        self.reversed = state.action_ids().filter(falls).collect();
    }

    /// The beliefs that stand by what the graph says, without what is flagged.
    fn standing(&self, flagged: &BTreeSet<Item>) -> BTreeSet<BeliefId> {
        let state = self.state;
        let speaks = |id: ObservationId| {
            let source = state.observation(id).map(|it| Item::Source(it.source));
            !flagged.contains(&Item::Observation(id))
                && source.is_some_and(|it| !flagged.contains(&it))
        };
        let mut standing: BTreeSet<BeliefId> = BTreeSet::new();
        loop {
            let before = standing.len();
            for id in state
                .justification_ids()
                .filter(|it| is_sayable(state, *it))
            {
                let Some(justification) = state.justification(id) else {
                    continue;
                };
                let rests_on = justification.grounds.rests_on();
                let holds = rests_on.iter().all(|it| match it {
                    Premise::Observation(id) => speaks(*id),
                    Premise::Belief(id) => standing.contains(id),
                });
                if holds && !flagged.contains(&Item::Belief(justification.belief)) {
                    standing.insert(justification.belief);
                }
            }
            if standing.len() == before {
                return standing;
            }
        }
    }

    /// The actions that the graph says are reversed, and that are not.
    pub(super) fn reversed(&self) -> &BTreeSet<ActionId> {
        &self.reversed
    }

    /// The sources that are no more than the name of an agent.
    pub(super) fn only_agents(&self) -> &BTreeSet<SourceId> {
        &self.only_agents
    }
}

/// Whether an observation counts as written.
pub(super) fn is_written(state: &State, id: ObservationId) -> bool {
    state.observation(id).is_some_and(|it| !it.retracted)
}

/// Whether a graph can say a justification: it counts as written, is not closed, and neither is an
/// observation that it rests on; and no flag of an agent takes it away, whom a graph does not know.
pub(super) fn is_sayable(state: &State, id: JustificationId) -> bool {
    let Some(justification) = state.justification(id) else {
        return false;
    };
    let is_open = |id: ObservationId| {
        let observation = state.observation(id);
        observation.is_some_and(|it| !it.retracted && it.closing.is_none())
    };
    let rests_on = justification.grounds.rests_on();
    let observations_stand = rests_on.iter().all(|it| match it {
        Premise::Observation(id) => is_open(*id),
        Premise::Belief(_) => true,
    });
    !justification.retracted
        && !is_of_flagged_agent(state, id)
        && state.closing_of(id).is_none()
        && observations_stand
}

/// Whether an agent derived it who is flagged.
pub(super) fn is_of_flagged_agent(state: &State, id: JustificationId) -> bool {
    let derived = state
        .justification(id)
        .is_some_and(|it| matches!(it.grounds, Grounds::Derivation { agent: Some(_), .. }));
    derived && state.flag_against(id).is_some()
}
