//! Chokepoint: where all that leads from an item to a decision passes, and what has to be
//! quarantined for the decision to lose its support. Only what stands now is looked at.
//!
//! Paths alone do not tell: a justification needs all its premises and a belief only one of its
//! justifications. So every answer is applied: the least model is grown again without it.

use std::collections::BTreeSet;

use immune_model::{
    BeliefId, Item, JustificationId, ObservationId, SourceId, Status, Trust, limits,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ancestry::{Ancestry, Ground, Level, Model, rests_on};
use super::net::Net;
use crate::origins::hitting;
use crate::state::{Grounds, State};

/// Where all that leads from an item to another passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chokepoint {
    /// The observations and beliefs on some path, the ends left out.
    pub n_between: usize,
    /// Those of them that lie on every path, the nearest to the origin first.
    pub shared: Vec<Item>,
    /// If there is none: the fewest that meet every path. Nothing if a path has none between.
    pub cut: Option<Fewest>,
    /// The first of `shared` without which the target falls.
    pub falls_without: Option<Item>,
    /// Whether the target falls without the answer: all of `shared`, or the cut.
    pub falls: bool,
    /// If it does not: the observations that it stands on then, independent of the origin.
    pub stands_on: Vec<ObservationId>,
    /// Whether the target falls without the origin itself.
    pub falls_without_origin: bool,
    /// The fewest memories without which the target falls, wherever they are.
    pub takedown: Fewest,
}

/// A smallest set of memories, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fewest {
    /// The members; each set was tried, and does what it is for.
    pub members: Vec<Item>,
    /// Fewer than so many do not suffice.
    pub at_least: usize,
    /// What is known of its size.
    pub size: Size,
}

/// What is known of the size of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// No smaller set does it.
    Smallest,
    /// None of its members can be left out; a smaller set may do it.
    Minimal,
    /// The budget was spent before a set was found.
    Unknown,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPaths {
    /// The item is of another kind, or not here.
    NotAnEnd(Item),
    /// The target does not stand.
    TargetOut(Status),
    /// Nothing that stands leads from one to the other.
    Apart,
}

impl State {
    /// Where all that leads from a source, observation or belief to a belief, decision or action
    /// passes.
    pub fn chokepoint(&self, from: Item, to: Item) -> Result<Chokepoint, NoPaths> {
        let is_origin = matches!(
            from,
            Item::Source(_) | Item::Observation(_) | Item::Belief(_)
        );
        if !is_origin || !self.contains(from) {
            return Err(NoPaths::NotAnEnd(from));
        }
        let (targets, status) = self.goals(to).ok_or(NoPaths::NotAnEnd(to))?;
        if status != Status::Active {
            return Err(NoPaths::TargetOut(status));
        }
        let between = Between::of(self, from, to, &targets).ok_or(NoPaths::Apart)?;
        Ok(Target::of(self, to, &targets).answer(&between, from))
    }

    /// The beliefs that a target needs, all of them, and what it is now.
    fn goals(&self, to: Item) -> Option<(Vec<BeliefId>, Status)> {
        match to {
            Item::Belief(id) => Some((vec![id], self.belief_now(id)?.status)),
            Item::Decision(id) => {
                let goals = self.decision(id)?.relied_on.clone();
                Some((goals, self.decision_status(id)?))
            }
            Item::Action(id) => self.goals(self.action(id)?.decision.into()),
            _ => None,
        }
    }
}

/// The part of the graph that lies on a path, as plain numbers: 0 is the origin, 1 the target.
struct Between {
    net: Net,
    items: Vec<Item>,
}

impl Between {
    /// Nothing if no path leads from one to the other.
    fn of(state: &State, from: Item, to: Item, goals: &[BeliefId]) -> Option<Self> {
        let mut numbers: FxHashMap<Item, usize> = FxHashMap::from_iter([(from, 0), (to, 1)]);
        let mut items = vec![from, to];
        let mut net = Net {
            next: vec![Vec::new(); 2],
        };
        let mut at = 1;
        while let Some(item) = items.get(at).copied() {
            let carriers = match item {
                _ if at == 1 && !matches!(to, Item::Belief(_)) => {
                    goals.iter().copied().map(Item::from).collect()
                }
                _ => carriers(state, item),
            };
            for carrier in carriers {
                let number = *numbers.entry(carrier).or_insert_with(|| {
                    items.push(carrier);
                    net.next.push(Vec::new());
                    items.len() - 1
                });
                if let Some(next) = net.next.get_mut(number) {
                    next.push(at);
                }
            }
            at += 1;
        }
        // What nothing leads to from the origin is on no path.
        let mut reached = vec![false; items.len()];
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            let seen = reached.get_mut(node);
            if seen.is_some_and(|it| !std::mem::replace(it, true)) {
                stack.extend(net.next.get(node).into_iter().flatten());
            }
        }
        for (node, next) in net.next.iter_mut().enumerate() {
            if reached.get(node) == Some(&false) {
                next.clear();
            }
        }
        (reached.get(1) == Some(&true)).then_some(Self { net, items })
    }

    fn item(&self, node: usize) -> Option<Item> {
        self.items.get(node).copied()
    }

    /// Whether a path leads through an item.
    fn leads_through(&self, item: Item) -> bool {
        let node = self.items.iter().position(|it| *it == item);
        let next = node.and_then(|it| self.net.next.get(it));
        next.is_some_and(|it| !it.is_empty())
    }

    fn is_memory(&self, node: usize) -> bool {
        matches!(
            self.items.get(node),
            Some(Item::Observation(_) | Item::Belief(_))
        )
    }

    /// How many memories lie between, on some path.
    fn n_between(&self) -> usize {
        let nodes = 2..self.items.len();
        let on_path = |it: &usize| self.net.next.get(*it).is_some_and(|next| !next.is_empty());
        nodes
            .filter(|it| self.is_memory(*it))
            .filter(on_path)
            .count()
    }
}

/// What an item rests on, as far as it stands.
fn carriers(state: &State, item: Item) -> Vec<Item> {
    match item {
        Item::Observation(id) => vec![state.observations.get(id).source.into()],
        Item::Belief(id) => {
            let holding = state.justifications_of(id).filter(|it| state.holds(*it));
            let carriers = holding.flat_map(|it| {
                let agent = agent_of(state, it).map(Item::from);
                let premises = rests_on(state, it).into_iter().map(Item::from);
                premises.chain(agent)
            });
            carriers.collect()
        }
        _ => Vec::new(),
    }
}

/// The agent that derived by a justification, if one did: what it concluded falls with it.
fn agent_of(state: &State, id: JustificationId) -> Option<SourceId> {
    match state.justifications.get(id).grounds {
        Grounds::Statement { .. } => None,
        Grounds::Derivation { agent, .. } => agent,
    }
}

/// What is taken away.
#[derive(Default)]
struct Without {
    beliefs: FxHashSet<BeliefId>,
    observations: FxHashSet<ObservationId>,
    agents: FxHashSet<SourceId>,
}

impl Without {
    fn of(state: &State, items: &[Item]) -> Self {
        let mut without = Self::default();
        for item in items {
            match *item {
                Item::Belief(id) => {
                    without.beliefs.insert(id);
                }
                Item::Observation(id) => {
                    without.observations.insert(id);
                }
                Item::Source(id) => {
                    without.observations.extend(state.observations_of(id));
                    without.agents.insert(id);
                }
                _ => {}
            }
        }
        without
    }
}

/// The target with all that it may rest on.
struct Target<'a> {
    state: &'a State,
    to: Item,
    n_goals: usize,
    ancestry: Ancestry<'a>,
}

impl<'a> Target<'a> {
    fn of(state: &'a State, to: Item, goals: &[BeliefId]) -> Self {
        let goals: BTreeSet<BeliefId> = goals.iter().copied().collect();
        let goals: Vec<BeliefId> = goals.into_iter().collect();
        Self {
            state,
            to,
            n_goals: goals.len(),
            ancestry: Ancestry::of(state, &goals),
        }
    }

    fn answer(&self, between: &Between, from: Item) -> Chokepoint {
        let shared = between.net.on_every_path(0, 1);
        let shared: Vec<Item> = shared
            .iter()
            .filter(|it| between.is_memory(**it))
            .filter_map(|it| between.item(*it))
            .collect();
        let cut = if shared.is_empty() {
            Self::cut(between)
        } else {
            None
        };
        // A proof that passes one of them passes all that follow: what falls, falls from there on.
        let first = shared.partition_point(|it| !self.falls_without(&[*it]));
        let falls_without = shared.get(first).copied();
        let answer = match &cut {
            Some(cut) => cut.members.clone(),
            None => shared.last().copied().into_iter().collect(),
        };
        let left = self.model(&Without::of(self.state, &answer));
        let falls = !self.stands(&left);
        Chokepoint {
            n_between: between.n_between(),
            falls,
            stands_on: if falls || answer.is_empty() {
                Vec::new()
            } else {
                self.proof(&left).1.into_iter().collect()
            },
            falls_without_origin: self.falls_without(&[from]),
            takedown: self.takedown(between, falls_without),
            shared,
            cut,
            falls_without,
        }
    }

    fn cut(between: &Between) -> Option<Fewest> {
        let may = |node: usize| between.is_memory(node);
        let found = between.net.meeting((0, 1), may, limits::CUT_STEPS_MAX)?;
        let mut members: Vec<Item> = found
            .nodes
            .iter()
            .filter_map(|it| between.item(*it))
            .collect();
        members.sort_unstable();
        Some(Fewest {
            members,
            at_least: found.size,
            size: if found.exact {
                Size::Smallest
            } else {
                Size::Unknown
            },
        })
    }

    /// The least model without some memories. What they had replaced holds again.
    fn model(&self, without: &Without) -> Model {
        let void = |it: JustificationId| {
            let justification = self.state.justifications.get(it);
            without.beliefs.contains(&justification.belief)
                || match justification.grounds {
                    Grounds::Statement { observation, .. } => {
                        without.observations.contains(&observation)
                    }
                    Grounds::Derivation { .. } => false,
                }
        };
        self.ancestry.least(None, |ground| {
            let belief = self.ancestry.member(ground.head)?;
            let mut observations = ground.observations.iter();
            let agent = agent_of(self.state, ground.id);
            let taken = without.beliefs.contains(&belief)
                || observations.any(|it| without.observations.contains(it))
                || agent.is_some_and(|it| without.agents.contains(&it));
            let holds = match ground.counts {
                Level::In => true,
                Level::Open => self.would_hold(ground, void),
                Level::Ever => false,
            };
            (holds && !taken).then_some(Trust::ONE)
        })
    }

    /// Whether a closed justification would hold if these newer claims were void.
    fn would_hold(&self, ground: &Ground, void: impl Fn(JustificationId) -> bool) -> bool {
        let stands = |it: &ObservationId| {
            self.state.observation_status_unless(*it, &void) == Some(Status::Active)
        };
        self.state.closing_unless(ground.id, &void).is_none()
            && ground.observations.iter().all(stands)
    }

    fn stands(&self, model: &Model) -> bool {
        (0..self.n_goals).all(|it| model.stands(it))
    }

    fn falls_without(&self, items: &[Item]) -> bool {
        !self.stands(&self.model(&Without::of(self.state, items)))
    }

    /// The places and observations by which the target stands in a model, and whether all of the
    /// justifications hold today.
    fn proof(&self, model: &Model) -> (BTreeSet<usize>, BTreeSet<ObservationId>, bool) {
        let mut places: BTreeSet<usize> = (0..self.n_goals).collect();
        let mut stack: Vec<usize> = places.iter().copied().collect();
        let mut observations = BTreeSet::new();
        let mut today = true;
        while let Some(place) = stack.pop() {
            let at = model.by.get(place).copied().flatten();
            let Some(ground) = at.and_then(|it| self.ancestry.grounds.get(it)) else {
                continue;
            };
            today &= ground.counts == Level::In;
            observations.extend(ground.observations.iter().copied());
            stack.extend(ground.beliefs.iter().filter(|it| places.insert(**it)));
        }
        (places, observations, today)
    }

    /// The fewest memories without which the target falls; one on the way from the origin if one
    /// is enough.
    fn takedown(&self, between: &Between, known: Option<Item>) -> Fewest {
        let one = known.or_else(|| {
            if let Item::Belief(_) = self.to {
                return None;
            }
            // A decision needs all that it relied on: any of it is enough.
            let goals = (0..self.n_goals).filter_map(|it| self.ancestry.member(it));
            let mut goals = goals.map(Item::from);
            let first = goals.clone().next();
            goals.find(|it| between.leads_through(*it)).or(first)
        });
        if let Some(one) = one {
            return Fewest {
                members: vec![one],
                at_least: 1,
                size: Size::Smallest,
            };
        }
        self.flow_takedown().unwrap_or_else(|| self.hit_takedown())
    }

    /// Where every justification needs one premise, the target falls when every path to it is
    /// met: exact, by flows. Nothing where it is not so.
    fn flow_takedown(&self) -> Option<Fewest> {
        let model = self.model(&Without::default());
        let (beliefs, ends) = (self.ancestry.members.len(), 2);
        let mut net = Net {
            next: vec![Vec::new(); ends + beliefs],
        };
        // 0 feeds every observation, 1 is the target, which is the first belief.
        let node_of = |place: usize| if place == 0 { 1 } else { ends + place };
        let mut numbers: FxHashMap<ObservationId, usize> = FxHashMap::default();
        let mut items: FxHashMap<usize, Item> = FxHashMap::default();
        for ground in &self.ancestry.grounds {
            let holds =
                ground.counts == Level::In && ground.beliefs.iter().all(|it| model.stands(*it));
            if !holds {
                continue;
            }
            let before = match (ground.beliefs.as_slice(), ground.observations.as_slice()) {
                ([belief], []) => node_of(*belief),
                ([], [observation]) => *numbers.entry(*observation).or_insert_with(|| {
                    let node = net.next.len();
                    net.next.push(Vec::new());
                    items.insert(node, (*observation).into());
                    if let Some(feeds) = net.next.first_mut() {
                        feeds.push(node);
                    }
                    node
                }),
                _ => return None,
            };
            if let Some(next) = net.next.get_mut(before) {
                next.push(node_of(ground.head));
            }
        }
        for (place, belief) in self.ancestry.members.iter().enumerate().skip(1) {
            items.insert(node_of(place), (*belief).into());
        }
        let may = |node: usize| items.contains_key(&node);
        let found = net.meeting((0, 1), may, limits::CUT_STEPS_MAX)?;
        let members = found.nodes.iter().filter_map(|it| items.get(it).copied());
        let mut members: Vec<Item> = members.collect();
        members.sort_unstable();
        let exact = found.exact && self.falls_without(&members);
        exact.then_some(Fewest {
            members,
            at_least: found.size,
            size: Size::Smallest,
        })
    }

    /// The smallest set that hits every proof found so far is taken away, until the target falls;
    /// past the budget, a set of which none can be left out.
    fn hit_takedown(&self) -> Fewest {
        let mut proofs: Vec<hitting::Set> = Vec::new();
        let mut observations: Vec<ObservationId> = Vec::new();
        let mut numbers: FxHashMap<ObservationId, u32> = FxHashMap::default();
        let beliefs = self.ancestry.members.len() as u32;
        let mut lost = hitting::Set::new();
        let (mut steps, mut at_least, mut exact) = (0, 1, true);
        loop {
            let members = self.named(&lost, &observations);
            let model = self.model(&Without::of(self.state, &members));
            if !self.stands(&model) {
                let size = if exact { Size::Smallest } else { Size::Minimal };
                let members = if exact {
                    members
                } else {
                    self.thinned(members)
                };
                return Fewest {
                    at_least: at_least.max(1),
                    members,
                    size,
                };
            }
            let (places, seen, today) = self.proof(&model);
            // What holds only because of what was taken away bounds no other set.
            exact &= today;
            let mut proof: hitting::Set = places
                .iter()
                .filter(|it| **it != 0)
                .map(|it| *it as u32)
                .collect();
            for observation in seen {
                proof.insert(*numbers.entry(observation).or_insert_with(|| {
                    observations.push(observation);
                    beliefs + observations.len() as u32 - 1
                }));
            }
            proofs.push(proof);
            let cost = proofs.iter().map(hitting::Set::len).sum::<usize>() as u64;
            steps += cost;
            let left = limits::CUT_STEPS_MAX.saturating_sub(steps);
            let found = hitting::smallest(&proofs, lost.len(), Some(left / cost.max(1)), &mut 0);
            if let Some(next) = found.ok().filter(|_| exact) {
                lost = next;
                at_least = lost.len();
            } else {
                exact = false;
                lost.extend(proofs.last().and_then(|it| it.first()));
            }
        }
    }

    /// The members without those that can be left out.
    fn thinned(&self, mut members: Vec<Item>) -> Vec<Item> {
        let mut at = 0;
        while at < members.len() {
            let mut fewer = members.clone();
            fewer.remove(at);
            if self.falls_without(&fewer) {
                members = fewer;
            } else {
                at += 1;
            }
        }
        members
    }

    /// The memories behind numbers: places of beliefs first, then observations.
    fn named(&self, set: &hitting::Set, observations: &[ObservationId]) -> Vec<Item> {
        let beliefs = self.ancestry.members.len();
        let name = |number: &u32| {
            let number = *number as usize;
            match number.checked_sub(beliefs) {
                None => self.ancestry.member(number).map(Item::from),
                Some(at) => observations.get(at).copied().map(Item::from),
            }
        };
        let mut named: Vec<Item> = set.iter().filter_map(name).collect();
        named.sort_unstable();
        named
    }
}
