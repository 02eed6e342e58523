//! Taint: how far what runs were shown is trusted, without closing facts.
//!
//! A network of its own, beside that of support: it holds every context as a node that rests on
//! the one before it and on what was new, every belief and observation that was ever shown, and all
//! that these rest on, the contexts of what was written for them included. Its labels are the least
//! max-min fixpoint over OPEN, so that what comes round to itself through contexts is worth nothing
//! unless something else carries it. What no run was shown is not in it, and costs nothing.
//!
//! Nothing here says what stands: a context caps strength, and never a status.

use immune_model::{BeliefId, JustificationId, ObservationId, Premise, Trust, Write};

use rustc_hash::FxHashSet;

use super::{ContextId, Contexts};
use crate::arena::{Arena, Slot};
use crate::network::{Column, Facts, Network, Seeds};
use crate::state::{ById, Grounds, State};
use crate::support::{Known, open_cap, open_observation_cap, premises_of};

/// A node of the network of taint, by its own number. It has nothing to do with the belief that
/// has the same number.
pub(super) type Node = BeliefId;
/// A justification of the network of taint, by its own number.
pub(super) type Ground = JustificationId;

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Belief(BeliefId),
    Observation(ObservationId),
    Context(ContextId),
    /// What lets an observation through whose words it repeats: the context of that one, and what
    /// that one repeats in turn.
    Hop(ObservationId),
}

/// What every context is worth.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taint {
    pub(super) network: Network,
    pub(super) nodes: Column<Node, Option<Of>>,
    pub(super) of_belief: Column<BeliefId, Option<Node>>,
    pub(super) of_observation: ById<ObservationId, Node>,
    pub(super) of_context: Arena<ContextId, Node>,
    /// Of observations that repeat what has a context, or repeats such a one.
    pub(super) of_hop: ById<ObservationId, Node>,
    /// The ground of a justification. A statement with a context has two: with it, and after that
    /// one without it, for as long as its channel is authored.
    pub(super) of_justification: Column<JustificationId, Option<Ground>>,
    /// What was added and is settled next, within an event.
    pub(super) pending: Seeds,
}

/// Beliefs that were added, with what is to be written down about them.
#[derive(Default)]
struct Added(Vec<BeliefId>);

impl Taint {
    pub(super) fn take_pending(&mut self) -> Seeds {
        std::mem::take(&mut self.pending)
    }

    fn push(&mut self, of: Of) -> Node {
        self.network.push_belief();
        self.nodes.push(Some(of))
    }

    fn node_of_belief(&mut self, id: BeliefId, added: &mut Added) -> Node {
        if let Some(node) = self.find_belief(id) {
            return node;
        }
        let node = self.push(Of::Belief(id));
        set(&mut self.of_belief, id, node);
        added.0.push(id);
        node
    }

    fn find_belief(&self, id: BeliefId) -> Option<Node> {
        self.of_belief.find(id).copied().flatten()
    }

    fn node_of_observation(&mut self, state: &State, id: ObservationId) -> Node {
        if let Some(node) = self.of_observation.get(&id) {
            return *node;
        }
        let node = self.push(Of::Observation(id));
        self.of_observation.insert_mut(id, node);
        let context = state.observations.get(id).context;
        let context = context.map(|it| *self.of_context.get(it));
        let hop: Vec<Node> = self.of_hop.get(&id).copied().into_iter().collect();
        self.push_ground(node, &hop, context, true);
        let mut pending = self.take_pending();
        self.refresh_observation(state, id, &mut pending);
        self.pending = pending;
        node
    }

    /// A ground, with the context among its premises if there is one; then, of a statement, the
    /// same without.
    fn push_ground(
        &mut self,
        head: Node,
        premises: &[Node],
        context: Option<Node>,
        of_statement: bool,
    ) -> Ground {
        let mut all: Vec<Node> = premises.iter().copied().chain(context).collect();
        all.sort_unstable();
        all.dedup();
        let ground = self.network.next_justification();
        self.network.push_justification(head, &all);
        if context.is_some() && of_statement {
            self.network.push_justification(head, premises);
        }
        ground
    }

    /// Writes down what is known of beliefs that were added, and of those that turn up.
    fn complete(&mut self, state: &State, mut added: Added) {
        while let Some(belief) = added.0.pop() {
            let mut pending = self.take_pending();
            self.refresh_belief(state, belief, &mut pending);
            self.pending = pending;
            let mut all: Vec<JustificationId> = state.written_for(belief).collect();
            all.reverse();
            for id in all {
                self.push_justification(state, id, &mut added);
            }
        }
    }

    fn push_justification(&mut self, state: &State, id: JustificationId, added: &mut Added) {
        let justification = state.justifications.get(id);
        let head = self.node_of_belief(justification.belief, added);
        let mut premises: Vec<Node> = Vec::new();
        for premise in premises_of(state, id) {
            premises.push(match premise {
                Premise::Belief(it) => self.node_of_belief(it, added),
                Premise::Observation(it) => self.node_of_observation(state, it),
            });
        }
        let (context, of_statement) = match justification.grounds {
            Grounds::Statement { observation, .. } => {
                premises.extend(self.of_hop.get(&observation));
                (state.observations.get(observation).context, true)
            }
            Grounds::Derivation { .. } => (justification.context, false),
        };
        premises.sort_unstable();
        premises.dedup();
        let context = context.map(|it| *self.of_context.get(it));
        let ground = self.push_ground(head, &premises, context, of_statement);
        set(&mut self.of_justification, id, ground);
        let mut pending = self.take_pending();
        self.refresh_justification(state, id, &mut pending);
        self.pending = pending;
    }

    /// Takes up a justification that was just written, if what it supports is here.
    pub(crate) fn note_justification(&mut self, state: &State, id: JustificationId) {
        if self
            .find_belief(state.justifications.get(id).belief)
            .is_some()
        {
            let mut added = Added::default();
            self.push_justification(state, id, &mut added);
            self.complete(state, added);
        }
    }

    /// Takes up a context that was just written.
    pub(crate) fn push_context(&mut self, state: &State, id: ContextId) {
        let context = state.contexts.contexts.get(id);
        let mut added = Added::default();
        let before = context.previous.into_iter().chain(context.handed);
        let mut premises: Vec<Node> = before.map(|it| *self.of_context.get(it)).collect();
        for item in &context.items {
            premises.push(match *item {
                Premise::Belief(it) => self.node_of_belief(it, &mut added),
                Premise::Observation(it) => self.node_of_observation(state, it),
            });
        }
        premises.sort_unstable();
        premises.dedup();
        let node = self.push(Of::Context(id));
        let pushed = self.of_context.push(node);
        assert_eq!(pushed, id, "contexts are numbered in order");
        let ground = self.push_ground(node, &premises, None, false);
        let mut pending = self.take_pending();
        self.network
            .set_facts(ground, given(Some(Trust::ONE)), &mut pending);
        self.pending = pending;
        self.complete(state, added);
    }

    /// Reads the facts about a justification anew.
    pub(super) fn refresh_justification(
        &mut self,
        state: &State,
        id: JustificationId,
        seeds: &mut Seeds,
    ) {
        let Some(ground) = self.of_justification.find(id).copied().flatten() else {
            return;
        };
        let cap = open_cap(state, id, &mut Known::default());
        let justification = state.justifications.get(id);
        let observation = match justification.grounds {
            Grounds::Statement { observation, .. } => Some(state.observations.get(observation)),
            Grounds::Derivation { .. } => None,
        };
        let source = observation.and_then(|it| it.context.map(|_| it.source));
        self.set_cap(state, ground, cap, source, seeds);
    }

    /// Reads the facts about an observation anew.
    pub(super) fn refresh_observation(
        &mut self,
        state: &State,
        id: ObservationId,
        seeds: &mut Seeds,
    ) {
        self.refresh_hop(state, id, seeds);
        let Some(node) = self.of_observation.get(&id) else {
            return;
        };
        let ground = self.network.justifications_of(*node).last();
        let ground = ground.expect("an observation has a ground");
        let observation = state.observations.get(id);
        let source = observation.context.map(|_| observation.source);
        let cap = open_observation_cap(state, id);
        self.set_cap(state, ground, cap, source, seeds);
    }

    /// Takes up that an observation repeats an earlier one, which was just inferred.
    pub(crate) fn note_repeated(&mut self, state: &State, id: ObservationId) {
        let Some(of) = state.repeated_by_words(id) else {
            return;
        };
        let context = state.observations.get(of).context;
        let context = context.map(|it| *self.of_context.get(it));
        let before = self.of_hop.get(&of).copied();
        if context.is_none() && before.is_none() {
            return;
        }
        let node = self.push(Of::Hop(id));
        self.of_hop.insert_mut(id, node);
        let before: Vec<Node> = before.into_iter().collect();
        self.network.push_justification(node, &[]);
        self.push_ground(node, &before, context, true);
        let mut pending = self.take_pending();
        self.refresh_hop(state, id, &mut pending);
        // What it states was taken up before this was known.
        let mut added = Added::default();
        for statement in &state.observations.get(id).statements {
            let Some(ground) = self.of_justification.find(*statement).copied().flatten() else {
                continue;
            };
            self.network.set_facts(ground, given(None), &mut pending);
            if state.observations.get(id).context.is_some() {
                let without = Ground::at(ground.slot() + 1);
                self.network.set_facts(without, given(None), &mut pending);
            }
            self.pending = std::mem::take(&mut pending);
            self.push_justification(state, *statement, &mut added);
            pending = self.take_pending();
        }
        self.pending = pending;
        self.complete(state, added);
    }

    /// Reads anew whether what an observation repeats counts, and with its context or without.
    fn refresh_hop(&mut self, state: &State, id: ObservationId, seeds: &mut Seeds) {
        let Some(node) = self.of_hop.get(&id) else {
            return;
        };
        let free = self.network.justifications_of(*node).last();
        let free = free.expect("a hop has a ground without a premise");
        let Some(of) = state.repeated_by_words(id) else {
            return;
        };
        let counts = state.hop_of(id).is_some();
        let hop = state.observations.get(of);
        let no_hop = (!counts).then_some(Trust::ONE);
        self.network.set_facts(free, given(no_hop), seeds);
        let tied = counts.then_some(Trust::ONE);
        let with = Ground::at(free.slot() + 1);
        if hop.context.is_none() {
            self.network.set_facts(with, given(tied), seeds);
            return;
        }
        let in_context = !hop.retracted && state.context_counts(hop.source);
        let with_context = tied.filter(|_| in_context);
        self.network.set_facts(with, given(with_context), seeds);
        let without = tied.filter(|_| !in_context);
        let ground = Ground::at(with.slot() + 1);
        self.network.set_facts(ground, given(without), seeds);
    }

    /// Sets what a ground may give; that of a statement by this source with its context or without,
    /// as it counts.
    fn set_cap(
        &mut self,
        state: &State,
        ground: Ground,
        cap: Option<Trust>,
        source: Option<immune_model::SourceId>,
        seeds: &mut Seeds,
    ) {
        let Some(source) = source else {
            self.network.set_facts(ground, given(cap), seeds);
            return;
        };
        let counts = state.context_counts(source);
        let without = Ground::at(ground.slot() + 1);
        let with = cap.filter(|_| counts);
        self.network.set_facts(ground, given(with), seeds);
        let cap = cap.filter(|_| !counts);
        self.network.set_facts(without, given(cap), seeds);
    }

    /// Reads anew whether a belief is refuted.
    pub(super) fn refresh_belief(&mut self, state: &State, id: BeliefId, seeds: &mut Seeds) {
        if let Some(node) = self.find_belief(id) {
            let refuted = state.beliefs.get(id).refuted_in.is_some();
            self.network.set_refuted(node, refuted, seeds);
        }
    }

    /// Brings all labels up to date, and gives the contexts and hops that moved.
    pub(super) fn update(&mut self, seeds: &Seeds) -> Vec<Of> {
        if seeds.is_empty() {
            return Vec::new();
        }
        let moved = self.network.update(seeds).into_iter().filter_map(|it| {
            let of = (*self.nodes.get(it.belief))?;
            let now = self.network.get(it.belief).strength();
            let is_asked = matches!(of, Of::Context(_) | Of::Hop(_));
            (is_asked && it.before.strength() != now).then_some(of)
        });
        let moved = moved.collect();
        self.network.lay_out();
        moved
    }

    pub(super) fn strength_of_context(&self, id: ContextId) -> Trust {
        self.network.get(*self.of_context.get(id)).strength()
    }

    pub(super) fn strength_of(&self, item: Premise) -> Trust {
        let node = match item {
            Premise::Belief(id) => self.find_belief(id),
            Premise::Observation(id) => self.of_observation.get(&id).copied(),
        };
        node.map_or(Trust::ZERO, |it| self.network.get(it).strength())
    }

    /// What a justification gives without closing facts; 0 if no context has what it supports.
    pub(crate) fn value_of(&self, state: &State, id: JustificationId) -> Trust {
        let Some(ground) = self.of_justification.find(id).copied().flatten() else {
            return Trust::ZERO;
        };
        let with = self.network.strength_given_by(ground);
        let justification = state.justifications.get(id);
        let has_twin = match justification.grounds {
            Grounds::Statement { observation, .. } => {
                state.observations.get(observation).context.is_some()
            }
            Grounds::Derivation { .. } => false,
        };
        if has_twin {
            let without = Ground::at(ground.slot() + 1);
            return with.max(self.network.strength_given_by(without));
        }
        with
    }

    /// What was written in the contexts that have an item, those apart that were seen.
    pub(super) fn writes_over(
        &self,
        contexts: &Contexts,
        item: Premise,
        seen: &mut FxHashSet<Node>,
    ) -> Vec<Write> {
        let node = match item {
            Premise::Belief(id) => self.find_belief(id),
            Premise::Observation(id) => self.of_observation.get(&id).copied(),
        };
        let (mut stack, mut writes): (Vec<Node>, Vec<Write>) = (Vec::new(), Vec::new());
        stack.extend(node);
        while let Some(node) = stack.pop() {
            for head in self.network.heads_on(node) {
                let of = *self.nodes.get(head);
                match of {
                    Some(Of::Context(context)) if seen.insert(head) => {
                        writes.extend(contexts.writes_in(context));
                        stack.push(head);
                    }
                    Some(Of::Hop(id)) if seen.insert(head) => {
                        writes.push(Write::Observation(id));
                        stack.push(head);
                    }
                    _ => {}
                }
            }
        }
        writes
    }

    /// Bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.network.bytes()
            + self.nodes.bytes()
            + self.of_belief.bytes()
            + self.of_justification.bytes()
    }
}

/// What the facts about a ground allow: what is closed is not told apart here.
fn given(cap: Option<Trust>) -> Facts {
    Facts {
        cap,
        open: cap.is_some(),
        written: true,
    }
}

/// Writes a value down under an id that may lie beyond the end.
fn set<I: Slot, T: Copy>(column: &mut Column<I, Option<T>>, id: I, value: T) {
    while column.len() <= id.slot() {
        column.push(None);
    }
    *column.get_mut(id) = Some(value);
}
