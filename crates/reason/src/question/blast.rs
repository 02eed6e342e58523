//! Blast radius: everything that rests on an item, at how many hops, and what of it would fall if
//! the item were refuted or flagged. Linear in what is reached.
//!
//! What would fall is computed as it would be after the fact: OPEN and IN grown anew over the cone
//! without the item, and without the supersessions that hang on it.

use std::collections::VecDeque;

use immune_model::{
    ActionId, ActionStatus, BeliefId, DecisionId, Item, JustificationId, ObservationId, Premise,
    SourceId, Status,
};

use rustc_hash::FxHashSet;

use super::ancestry::rests_on;
use crate::network::Levels;
use crate::state::{Grounds, State, closing_status};

/// What rests on an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blast {
    /// The item and everything that rests on it, nearest first.
    pub reached: Vec<Reached>,
    /// Beliefs that do not stand now and would, because what replaced them falls.
    pub returns: Vec<BeliefId>,
    /// Active beliefs outside that were written by runs which were shown some of it, or rest on
    /// those: their strength may fall, their status stays.
    pub exposed: Vec<BeliefId>,
}

/// Something that rests on the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// A source, observation, belief, decision or action.
    pub item: Item,
    /// Edges of provenance from the item, which is at 0.
    pub hop: u32,
    /// What it rests on, one hop nearer.
    pub from: Option<Item>,
    /// Who said, concluded or decided it.
    pub by: Option<SourceId>,
    /// What would become of it.
    pub fate: Fate,
    /// Its status after the fact; nothing for a source or an action.
    pub then: Option<Status>,
}

/// What would become of something if the item asked about were refuted or flagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It would fall; an action would be reversed, or stand as irreversible.
    Falls,
    /// It would stand; a belief by this justification.
    Stands(Option<JustificationId>),
    /// It does not stand now, and nothing new would befall it.
    Out,
}

impl State {
    /// What rests on a source, an observation or a belief; nothing for another kind of item, or
    /// one that is not here.
    pub fn blast(&self, item: Item) -> Option<Blast> {
        let is_origin = matches!(
            item,
            Item::Source(_) | Item::Observation(_) | Item::Belief(_)
        );
        if !is_origin || !self.contains(item) {
            return None;
        }
        let mut cone = Cone::reached_from(self, item);
        cone.add_reopened();
        let after = After::of(&cone);
        let mut reached = cone.reached.clone();
        for it in &mut reached {
            (it.fate, it.then) = cone.fate(&after, it.item);
        }
        let back = |(place, id): (usize, &BeliefId)| {
            let stands = after.levels.get(place).is_some_and(|it| it.in_now);
            (stands && !self.now.get(*id).levels.in_now).then_some(*id)
        };
        let mut returns: Vec<BeliefId> = cone.members.iter().enumerate().filter_map(back).collect();
        returns.sort_unstable();
        let exposed = cone.exposed();
        Some(Blast {
            reached,
            returns,
            exposed,
        })
    }
}

/// No place in the cone.
const OUTSIDE: u32 = u32::MAX;

/// The beliefs that may change, and what is reached on the way.
struct Cone<'a> {
    state: &'a State,
    item: Item,
    reached: Vec<Reached>,
    members: Vec<BeliefId>,
    /// The place of each belief of the memory among the members.
    places: Vec<u32>,
    /// How many of the members rest on the item; the others may return.
    n_reached: usize,
}

impl<'a> Cone<'a> {
    fn reached_from(state: &'a State, item: Item) -> Self {
        let mut cone = Self {
            state,
            item,
            reached: Vec::new(),
            members: Vec::new(),
            places: vec![OUTSIDE; state.n_beliefs()],
            n_reached: 0,
        };
        let mut seen = Seen::of(state);
        cone.reach(item, 0, None, None);
        let mut at = 0;
        while let Some(it) = cone.reached.get(at).copied() {
            let hop = it.hop + 1;
            match it.item {
                Item::Source(id) => {
                    for observation in state.observations_of(id) {
                        if !state.observations.get(observation).retracted {
                            cone.reach(observation.into(), hop, Some(it.item), Some(id));
                        }
                    }
                    for derived in state.derivations_of(id) {
                        cone.reach_head(derived, hop, it.item);
                    }
                }
                Item::Observation(id) => cone.reach_from_observation(id, hop),
                Item::Belief(id) => {
                    let dependents = state.dependents_of(Premise::Belief(id));
                    for justification in dependents {
                        cone.reach_head(justification, hop, it.item);
                    }
                    for decision in state.decisions_on(id) {
                        if seen.decision(decision) {
                            let by = state.decisions.get(decision).agent;
                            cone.reach(decision.into(), hop, Some(it.item), Some(by));
                        }
                    }
                }
                Item::Decision(id) => {
                    let decision = state.decisions.get(id);
                    for action in &decision.actions {
                        let by = Some(decision.agent);
                        cone.reach((*action).into(), hop, Some(it.item), by);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        cone.n_reached = cone.members.len();
        cone
    }

    fn reach_from_observation(&mut self, id: ObservationId, hop: u32) {
        let state = self.state;
        let stated = state.observations.get(id).statements.iter().copied();
        let used = state.dependents_of(Premise::Observation(id));
        for justification in stated.chain(used) {
            self.reach_head(justification, hop, id.into());
        }
    }

    fn reach_head(&mut self, id: JustificationId, hop: u32, from: Item) {
        let justification = self.state.justifications.get(id);
        if justification.retracted {
            return;
        }
        let by = match justification.grounds {
            Grounds::Statement { observation, .. } => {
                Some(self.state.observations.get(observation).source)
            }
            Grounds::Derivation { agent, .. } => agent,
        };
        if self.enter(justification.belief) {
            self.reach(justification.belief.into(), hop, Some(from), by);
        }
    }

    fn reach(&mut self, item: Item, hop: u32, from: Option<Item>, by: Option<SourceId>) {
        if let (Item::Belief(id), 0) = (item, hop) {
            self.enter(id);
        }
        self.reached.push(Reached {
            item,
            hop,
            from,
            by,
            fate: Fate::Out,
            then: None,
        });
    }

    /// What stands and was written with something of the cone before the eyes, or rests on that.
    fn exposed(&self) -> Vec<BeliefId> {
        let state = self.state;
        let mut shown = state.exposure();
        let mut stack: Vec<Item> = self.reached.iter().map(|it| it.item).collect();
        let mut seen = FxHashSet::default();
        while let Some(item) = stack.pop() {
            let (tainted, dependents) = match item {
                Item::Belief(id) => {
                    let on = state.dependents_of(Premise::Belief(id));
                    let on = on.map(|it| state.justifications.get(it).belief);
                    (shown.to(Premise::Belief(id)).beliefs, on.collect())
                }
                Item::Observation(id) => (shown.to(Premise::Observation(id)).beliefs, Vec::new()),
                _ => continue,
            };
            let outside = |it: &BeliefId| !self.is_reached(*it);
            for next in tainted.into_iter().chain(dependents).filter(outside) {
                if seen.insert(next) {
                    stack.push(next.into());
                }
            }
        }
        let active = |it: &BeliefId| state.now.get(*it).status == Status::Active;
        let mut exposed: Vec<BeliefId> = seen.into_iter().filter(active).collect();
        exposed.sort_unstable();
        exposed
    }

    /// Whether a belief rests on the item.
    fn is_reached(&self, id: BeliefId) -> bool {
        let place = self.places.get(id.index());
        place.is_some_and(|it| (*it as usize) < self.n_reached)
    }

    /// Whether a belief is new to the cone.
    fn enter(&mut self, id: BeliefId) -> bool {
        let place = u32::try_from(self.members.len()).expect("fewer than u32::MAX beliefs");
        let slot = self.places.get_mut(id.index());
        let Some(slot) = slot.filter(|it| **it == OUTSIDE) else {
            return false;
        };
        *slot = place;
        self.members.push(id);
        true
    }

    fn place(&self, id: BeliefId) -> Option<usize> {
        let place = self.places.get(id.index()).copied();
        place.filter(|it| *it != OUTSIDE).map(|it| it as usize)
    }

    /// Whether an observation would be flagged.
    fn takes_observation(&self, id: ObservationId) -> bool {
        match self.item {
            Item::Source(source) => self.state.observations.get(id).source == source,
            Item::Observation(flagged) => flagged == id,
            _ => false,
        }
    }

    /// Whether a justification would be void: nothing is superseded by it any more.
    fn takes(&self, id: JustificationId) -> bool {
        let justification = self.state.justifications.get(id);
        match (self.item, &justification.grounds) {
            (Item::Belief(refuted), _) => justification.belief == refuted,
            (_, Grounds::Statement { observation, .. }) => self.takes_observation(*observation),
            (Item::Source(flagged), Grounds::Derivation { agent, .. }) => *agent == Some(flagged),
            _ => false,
        }
    }

    /// What the item had replaced holds again: those beliefs and all that rests on them.
    fn add_reopened(&mut self) {
        let state = self.state;
        let mut voided: Vec<JustificationId> = match self.item {
            Item::Belief(id) => state.justifications_of(id).collect(),
            Item::Observation(id) => state.observations.get(id).statements.clone(),
            Item::Source(id) => state
                .observations_of(id)
                .flat_map(|it| state.observations.get(it).statements.iter().copied())
                .collect(),
            _ => Vec::new(),
        };
        let mut from = self.members.len();
        while let Some(newer) = voided.pop() {
            for id in state.superseded_by.get(&newer).into_iter().flatten() {
                let justification = state.justifications.get(*id);
                self.enter(justification.belief);
                if let Grounds::Statement { observation, .. } = justification.grounds {
                    for used in state.dependents_of(Premise::Observation(observation)) {
                        self.enter(state.justifications.get(used).belief);
                    }
                }
                voided.push(*id);
            }
        }
        while let Some(belief) = self.members.get(from).copied() {
            for dependent in state.dependents_of(Premise::Belief(belief)) {
                self.enter(state.justifications.get(dependent).belief);
            }
            from += 1;
        }
    }

    /// In which models an observation would hold.
    fn observation_levels(&self, id: ObservationId) -> Levels {
        let status = self
            .state
            .observation_status_unless(id, |it| self.takes(it));
        let fallen = self.takes_observation(id) || status.is_some_and(Status::fell);
        Levels {
            open: !fallen,
            in_now: !fallen && status == Some(Status::Active),
            ..Levels::ALL
        }
    }

    /// The levels of a belief after the fact.
    fn levels(&self, after: &After, id: BeliefId) -> Levels {
        let inside = self.place(id).and_then(|it| after.levels.get(it)).copied();
        inside.unwrap_or_else(|| self.state.now.get(id).levels)
    }

    fn fate(&self, after: &After, item: Item) -> (Fate, Option<Status>) {
        let state = self.state;
        match item {
            Item::Source(_) => (Fate::Falls, None),
            Item::Observation(id) => {
                let now = state.observation_status(id);
                let then = if self.takes_observation(id) {
                    Some(Status::Quarantined)
                } else {
                    state.observation_status_unless(id, |it| self.takes(it))
                };
                (fate_of(now, then, None), then)
            }
            Item::Belief(id) => {
                let now = state.now.get(id).status;
                let then = self.status(after, id);
                let by = self
                    .place(id)
                    .and_then(|it| after.by.get(it).copied().flatten());
                (fate_of(Some(now), Some(then), by), Some(then))
            }
            Item::Decision(id) => {
                let now = state.decision_status(id);
                let then = self.decision_after(after, id);
                (fate_of(now, Some(then), None), Some(then))
            }
            Item::Action(id) => (self.action_fate(after, id), None),
            _ => (Fate::Out, None),
        }
    }

    fn decision_after(&self, after: &After, id: DecisionId) -> Status {
        let relied_on = self.state.decisions.get(id).relied_on.iter();
        let levels = relied_on.map(|it| self.levels(after, *it));
        levels.fold(Levels::ALL, Levels::and).status_of_dependent()
    }

    fn action_fate(&self, after: &After, id: ActionId) -> Fate {
        let action = self.state.actions.get(id);
        let then = self.decision_after(after, action.decision);
        match action.status {
            ActionStatus::Executed | ActionStatus::Executing if then.fell() => Fate::Falls,
            ActionStatus::Executed | ActionStatus::Executing => Fate::Stands(None),
            _ => Fate::Out,
        }
    }

    /// The status after the fact: the first row of semantics.md 3 that applies.
    fn status(&self, after: &After, id: BeliefId) -> Status {
        let state = self.state;
        let now = state.now.get(id);
        let refuted = state.beliefs.get(id).refuted_in.is_some();
        if now.status == Status::Retracted {
            return Status::Retracted;
        }
        if refuted || self.item == Item::Belief(id) {
            return Status::Quarantined;
        }
        let derived = self.levels(after, id).status_of_dependent();
        if derived != Status::Stale {
            return derived;
        }
        let closings = state
            .justifications_of(id)
            .filter_map(|it| state.closing_unless(it, |newer| self.takes(newer)));
        let latest = closings.max_by_key(|(seq, _)| *seq);
        latest.map_or(Status::Stale, |(_, closing)| closing_status(closing))
    }
}

/// What a change from one status to another is.
fn fate_of(now: Option<Status>, then: Option<Status>, by: Option<JustificationId>) -> Fate {
    match (now, then) {
        (_, Some(Status::Active)) => Fate::Stands(by),
        (Some(Status::Active), _) => Fate::Falls,
        (Some(now), Some(then)) if then.fell() && !now.fell() => Fate::Falls,
        _ => Fate::Out,
    }
}

/// The decisions that were reached.
struct Seen(Vec<bool>);

impl Seen {
    fn of(state: &State) -> Self {
        Self(vec![false; state.n_decisions()])
    }

    /// Whether it is the first time.
    fn decision(&mut self, id: DecisionId) -> bool {
        let slot = self.0.get_mut(id.index());
        slot.is_some_and(|it| !std::mem::replace(it, true))
    }
}

/// The models after the fact, for the members of the cone.
struct After {
    levels: Vec<Levels>,
    /// The justification by which each member is IN.
    by: Vec<Option<JustificationId>>,
}

/// A justification of a member.
struct Local {
    id: JustificationId,
    head: u32,
    /// In which models its own facts and the premises outside let it count.
    counts: Levels,
    /// How many premises are inside.
    inside: u32,
}

impl After {
    fn of(cone: &Cone<'_>) -> Self {
        let mut locals: Vec<Local> = Vec::with_capacity(cone.members.len());
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (head, belief) in cone.members.iter().enumerate() {
            let refuted = cone.state.beliefs.get(*belief).refuted_in.is_some();
            for id in cone.state.justifications_of(*belief) {
                let at = u32::try_from(locals.len()).expect("fewer than u32::MAX justifications");
                let mut local = local(cone, id, head as u32);
                if refuted || cone.item == Item::Belief(*belief) {
                    local.counts = OUT;
                }
                for premise in rests_on(cone.state, id) {
                    match premise {
                        Premise::Belief(it) => match cone.place(it) {
                            Some(place) => {
                                edges.push((place as u32, at));
                                local.inside += 1;
                            }
                            None => local.counts = local.counts.and(cone.state.now.get(it).levels),
                        },
                        Premise::Observation(it) => {
                            local.counts = local.counts.and(cone.observation_levels(it));
                        }
                    }
                }
                locals.push(local);
            }
        }
        edges.sort_unstable();
        let mut after = Self {
            levels: cone
                .members
                .iter()
                .map(|it| Levels {
                    ever: cone.state.now.get(*it).levels.ever,
                    ..OUT
                })
                .collect(),
            by: vec![None; cone.members.len()],
        };
        after.grow(&locals, &edges, |it| it.open, |it| it.open = true);
        after.by.fill(None);
        after.grow(&locals, &edges, |it| it.in_now, |it| it.in_now = true);
        after
    }

    /// Grows one of the least models by counting missing premises, lowest id first.
    fn grow(
        &mut self,
        locals: &[Local],
        edges: &[(u32, u32)],
        counts: impl Fn(&Levels) -> bool,
        set: impl Fn(&mut Levels),
    ) {
        let mut missing: Vec<u32> = locals.iter().map(|it| it.inside).collect();
        let ready = locals.iter().filter(|it| it.inside == 0);
        let mut ready: Vec<(u32, JustificationId)> = ready
            .filter(|it| counts(&it.counts))
            .map(|it| (it.head, it.id))
            .collect();
        ready.sort_unstable_by_key(|(_, id)| *id);
        let mut standing: VecDeque<(u32, JustificationId)> = ready.into();
        while let Some((head, by)) = standing.pop_front() {
            let place = head as usize;
            let Some((levels, slot)) = self.levels.get_mut(place).zip(self.by.get_mut(place))
            else {
                continue;
            };
            if counts(levels) {
                continue;
            }
            set(levels);
            *slot = Some(by);
            let first = edges.partition_point(|(premise, _)| *premise < head);
            let rest = edges.get(first..).unwrap_or_default();
            for (_, at) in rest.iter().take_while(|(premise, _)| *premise == head) {
                let at = *at as usize;
                let (Some(n), Some(local)) = (missing.get_mut(at), locals.get(at)) else {
                    continue;
                };
                *n -= 1;
                if *n == 0 && counts(&local.counts) {
                    standing.push_back((local.head, local.id));
                }
            }
        }
    }
}

/// In none of the models.
const OUT: Levels = Levels {
    ever: false,
    open: false,
    in_now: false,
};

/// A justification by its own facts.
fn local(cone: &Cone<'_>, id: JustificationId, head: u32) -> Local {
    let flagged = cone.takes(id) || cone.state.flag_against(id).is_some();
    let closed = cone.state.closing_unless(id, |it| cone.takes(it)).is_some();
    let counts = Levels {
        ever: true,
        open: !flagged,
        in_now: !flagged && !closed,
    };
    Local {
        id,
        head,
        counts,
        inside: 0,
    }
}
