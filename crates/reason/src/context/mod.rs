//! Contexts: what each run was shown, in order, and what was written with that before its eyes
//! (semantics.md 4).
//!
//! Each read of something new is one context, chained to the one before it; what a run writes has
//! the latest. Here is who was shown what; how strong that still is, `taint` keeps up. Folded by
//! `state::context`, and written to by nothing else.

pub(crate) mod own;
mod pack;
mod taint;

use std::num::NonZeroU32;

use immune_model::{
    BeliefId, ContextUse, DecisionId, Handle, Instant, JustificationId, Literal, Premise,
    Principal, Role, RunId, Trust, Write,
};
use rpds::{HashTrieMapSync, RedBlackTreeSetSync};
use rustc_hash::FxHashSet;

use crate::arena::{Arena, Slot};
use crate::network::{EdgeId, Seeds};
use crate::state::State;
use taint::Of;

pub(crate) use taint::Taint;

macro_rules! numbers {
    ($($(#[$doc:meta])* $visible:vis $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visible struct $name(NonZeroU32);

        impl Slot for $name {
            fn slot(self) -> usize {
                self.0.get() as usize - 1
            }

            fn at(slot: usize) -> Self {
                let number = u32::try_from(slot + 1).ok();
                let number = number.and_then(NonZeroU32::new);
                Self(number.expect("fewer than u32::MAX of them"))
            }
        }
    )*};
}

numbers! {
    /// A run of a memory, by number.
    pub(crate) RunNumber
    /// What a run had been shown at some time.
    pub ContextId
}

/// A run that was shown something.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) name: RunId,
    /// The agent that reads in it, from its first read on; nobody where only people did.
    pub(crate) agent: Option<Handle>,
    /// What it was shown so far.
    pub(crate) latest: ContextId,
}

/// What a run had been shown after one read: this, and all before it.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) run: RunNumber,
    /// The one before it.
    pub(crate) previous: Option<ContextId>,
    /// The context of another run that was handed over with this one.
    pub(crate) handed: Option<ContextId>,
    /// The latest at or before it with which another run's was handed over.
    pub(crate) last_handed: Option<ContextId>,
    /// What was new.
    pub(crate) items: Vec<Premise>,
    /// The event that wrote it.
    pub(crate) seq: u64,
    pub(crate) at: Instant,
    pub(crate) first_write: Option<EdgeId>,
}

/// Something that was written with a context, and the next one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    pub(crate) write: Write,
    pub(crate) next: Option<EdgeId>,
}

/// A belief that a run was shown and that has a literal, and the next one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carrying {
    pub(crate) belief: BeliefId,
    /// Since when the run has it.
    pub(crate) since: ContextId,
    pub(crate) next: Option<EdgeId>,
}

/// What the runs of a memory were shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contexts {
    pub(crate) runs: Arena<RunNumber, Run>,
    pub(crate) run_by_name: HashTrieMapSync<RunId, RunNumber>,
    pub(crate) contexts: Arena<ContextId, Context>,
    pub(crate) shown: RedBlackTreeSetSync<(RunNumber, Premise)>,
    /// By the literals of the beliefs that a run was shown, the latest first.
    pub(crate) carriers: HashTrieMapSync<(RunNumber, Literal), EdgeId>,
    pub(crate) carrying: Arena<EdgeId, Carrying>,
    pub(crate) written: Arena<EdgeId, Written>,
    pub(crate) taint: Taint,
    /// What the next write takes from its context, once that is said: between two events of one
    /// commit.
    pub(crate) announced: Option<(Write, ContextUse)>,
}

impl Contexts {
    /// Whether no run was ever shown anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.len() == 0
    }

    /// What a run was shown so far.
    pub(crate) fn latest(&self, run: &RunId) -> Option<ContextId> {
        let number = self.run_by_name.get(run)?;
        Some(self.runs.get(*number).latest)
    }

    /// Notes whose run it is, once an agent was shown something in it.
    pub(crate) fn note_reader(&mut self, run: &RunId, reader: &Principal) {
        let number = self.run_by_name.get(run).copied();
        if let Some(number) = number.filter(|_| reader.role == Role::Agent)
            && self.runs.get(number).agent.is_none()
        {
            self.runs.get_mut(number).agent = Some(reader.name.clone());
        }
    }

    /// The agent whose run it is, if one read in it.
    pub(crate) fn agent_of(&self, run: &RunId) -> Option<&Handle> {
        let number = self.run_by_name.get(run)?;
        self.runs.get(*number).agent.as_ref()
    }

    /// Whether a run was shown something, by itself.
    pub(crate) fn has(&self, run: &RunId, item: Premise) -> bool {
        let number = self.run_by_name.get(run);
        number.is_some_and(|it| self.shown.contains(&(*it, item)))
    }

    /// Links what is written to its context.
    pub(crate) fn note_write(&mut self, context: ContextId, write: Write) {
        let next = self.contexts.get(context).first_write;
        let edge = self.written.push(Written { write, next });
        self.contexts.get_mut(context).first_write = Some(edge);
    }

    /// What was written with a context, newest first; what came after the next read is not.
    pub(crate) fn writes_in(&self, context: ContextId) -> impl Iterator<Item = Write> + '_ {
        let first = self.contexts.get(context).first_write;
        std::iter::successors(first, |it| self.written.get(*it).next)
            .map(|it| self.written.get(it).write)
    }

    /// A context with all before it and all that was handed over, each once, latest first.
    pub(crate) fn chain(&self, context: ContextId) -> Vec<ContextId> {
        let mut seen = FxHashSet::default();
        let (mut stack, mut chain) = (vec![context], Vec::new());
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                chain.push(id);
                let it = self.contexts.get(id);
                stack.extend(it.handed);
                stack.extend(it.previous);
            }
        }
        chain
    }

    /// The beliefs in a context that carry a literal, without an order.
    pub(crate) fn carriers_of(&self, context: ContextId, literal: &Literal) -> Vec<BeliefId> {
        let mut seen = FxHashSet::default();
        let (mut stack, mut found) = (vec![context], Vec::new());
        while let Some(until) = stack.pop() {
            if !seen.insert(until) {
                continue;
            }
            let run = self.contexts.get(until).run;
            let first = self.carriers.get(&(run, literal.clone())).copied();
            let carrying = std::iter::successors(first, |it| self.carrying.get(*it).next);
            let carrying = carrying.map(|it| self.carrying.get(it));
            found.extend(carrying.filter(|it| it.since <= until).map(|it| it.belief));
            let mut handed = self.contexts.get(until).last_handed;
            while let Some(it) = handed.map(|it| self.contexts.get(it)) {
                stack.extend(it.handed);
                let before = it.previous.map(|it| self.contexts.get(it));
                handed = before.and_then(|it| it.last_handed);
            }
        }
        found
    }
}

impl State {
    /// Whether any run was ever shown anything.
    pub fn has_contexts(&self) -> bool {
        !self.contexts.is_empty()
    }

    /// The agent whose run it is: the first that read in it.
    pub fn agent_of_run(&self, run: &RunId) -> Option<&Handle> {
        self.contexts.agent_of(run)
    }

    /// What a run was shown so far.
    pub fn context_of_run(&self, run: &RunId) -> Option<ContextId> {
        self.contexts.latest(run)
    }

    /// The context of something that was written: what its run had been shown by then, unless
    /// that was dropped by who may narrow.
    pub fn context_of(&self, write: Write) -> Option<ContextId> {
        match write {
            Write::Observation(id) => self.observations.find(id)?.context,
            Write::Justification(id) => self.justifications.find(id)?.context,
            Write::Decision(id) => self.decisions.find(id)?.context,
        }
    }

    /// How far a context is trusted: its weakest item, where what was refuted counts as 0 and
    /// what was closed by its strength without closing facts.
    pub fn context_strength(&self, context: ContextId) -> Trust {
        self.contexts.taint.strength_of_context(context)
    }

    /// The run that a context is of.
    pub fn run_of(&self, context: ContextId) -> &RunId {
        let run = self.contexts.contexts.get(context).run;
        &self.contexts.runs.get(run).name
    }

    /// The runs that were shown something, in the order in which they first were.
    pub fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.contexts.runs.iter().map(|(_, it)| &it.name)
    }

    /// All that is in a context, latest first: what was shown, in which run, and when.
    pub fn shown_in(&self, context: ContextId) -> impl Iterator<Item = (Premise, &RunId, Instant)> {
        let chain = self.contexts.chain(context).into_iter();
        chain.flat_map(|id| {
            let it = self.contexts.contexts.get(id);
            let run = &self.contexts.runs.get(it.run).name;
            let items = it.items.iter().rev();
            items.map(move |item| (*item, run, it.at))
        })
    }

    /// All that is in a context in the order in which it was shown: each item once, with the number
    /// of the read that first showed it, from 1.
    pub(crate) fn turns_in(&self, context: ContextId) -> Vec<(Premise, u32)> {
        let mut reads = self.contexts.chain(context);
        reads.sort_unstable_by_key(|it| self.contexts.contexts.get(*it).seq);
        let mut seen = FxHashSet::default();
        let mut turns = Vec::new();
        let with_items = |it: &ContextId| !self.contexts.contexts.get(*it).items.is_empty();
        for (read, turn) in reads.into_iter().filter(with_items).zip(1..) {
            let items = self.contexts.contexts.get(read).items.iter();
            turns.extend(items.filter(|it| seen.insert(**it)).map(|it| (*it, turn)));
        }
        turns
    }

    /// What a run wrote, with any of its contexts, newest context first.
    pub fn written_in_run(&self, run: &RunId) -> Vec<Write> {
        let contexts = &self.contexts;
        let latest = contexts.latest(run);
        let chain = std::iter::successors(latest, |it| contexts.contexts.get(*it).previous);
        chain.flat_map(|it| contexts.writes_in(it)).collect()
    }

    /// The weakest item of a context, as it counts there, and the run that was shown it: of
    /// several the one that was shown first.
    pub fn weakest_in(&self, context: ContextId) -> Option<(Premise, Trust, &RunId)> {
        let taint = &self.contexts.taint;
        let strength = taint.strength_of_context(context);
        let mut weakest = self
            .shown_in(context)
            .filter(|(item, ..)| taint.strength_of(*item) == strength);
        let (item, run, _) = weakest.by_ref().last()?;
        Some((item, strength, run))
    }

    /// Whether a run was shown an item, by itself.
    pub fn was_shown(&self, run: &RunId, item: Premise) -> bool {
        self.contexts.has(run, item)
    }

    /// Whether the context of a justification is what caps it: it would give more without.
    pub fn is_capped_by_context(&self, id: JustificationId) -> bool {
        self.context_of_justification(id).is_some_and(|context| {
            let strength = self.context_strength(context);
            let cap = crate::support::cap_without_context(self, id);
            let premises = crate::support::premises_of(self, id);
            premises
                .map(|it| crate::support::premise_strength(self, it))
                .all(|it| it > strength)
                && cap > strength
        })
    }

    /// How far something that was shown counts in the contexts that have it.
    pub fn strength_shown(&self, item: Premise) -> Trust {
        self.contexts.taint.strength_of(item)
    }

    /// Whether the context of what a source states counts: not in an authored channel, unless an
    /// agent speaks there itself.
    pub(crate) fn context_counts(&self, source: immune_model::SourceId) -> bool {
        let source = self.sources.get(source);
        source.kind == immune_model::SourceKind::Agent
            || self.channels.get(source.channel).carriage == immune_model::Carriage::Relays
    }

    /// The context that counts in an observation.
    pub(crate) fn context_of_observation(
        &self,
        id: immune_model::ObservationId,
    ) -> Option<ContextId> {
        if self.contexts.is_empty() {
            return None;
        }
        let observation = self.observations.get(id);
        let context = observation.context?;
        self.context_counts(observation.source).then_some(context)
    }

    /// The context that counts in a justification.
    pub fn context_of_justification(&self, id: JustificationId) -> Option<ContextId> {
        if self.contexts.is_empty() {
            return None;
        }
        let justification = self.justifications.get(id);
        match justification.grounds {
            crate::state::Grounds::Statement { observation, .. } => {
                self.context_of_observation(observation)
            }
            crate::state::Grounds::Derivation { .. } => justification.context,
        }
    }

    /// The most that a context lets through; all where there is none.
    pub(crate) fn let_through(&self, context: Option<ContextId>) -> Trust {
        context.map_or(Trust::ONE, |it| self.context_strength(it))
    }

    /// The most that the context of an observation lets through, and those of its hops.
    pub(crate) fn let_through_around(&self, id: immune_model::ObservationId) -> Trust {
        let context = self.let_through(self.context_of_observation(id));
        context.min(self.let_through_around_hops(id))
    }

    /// The most that the context of a justification lets through; of a statement, those of its
    /// hops too.
    pub(crate) fn let_through_around_justification(&self, id: JustificationId) -> Trust {
        match self.justifications.get(id).grounds {
            crate::state::Grounds::Statement { observation, .. } => {
                self.let_through_around(observation)
            }
            crate::state::Grounds::Derivation { .. } => {
                self.let_through(self.context_of_justification(id))
            }
        }
    }

    /// The strongest belief of a context that carries a literal and stands, and could be a
    /// premise in a namespace; the one that was first there of equals. None is needed where what
    /// is written is itself among the carriers.
    pub(crate) fn strongest_carrier(
        &self,
        context: ContextId,
        namespace: &immune_model::Namespace,
        literal: &Literal,
        itself: Option<BeliefId>,
    ) -> Option<BeliefId> {
        let carriers = self.contexts.carriers_of(context, literal);
        if itself.is_some_and(|it| carriers.contains(&it)) {
            return None;
        }
        let standing = carriers.into_iter().filter(|it| {
            self.now.get(*it).status == immune_model::Status::Active
                && self.beliefs.get(*it).namespace == *namespace
        });
        standing.max_by_key(|it| (self.now.get(*it).strength, std::cmp::Reverse(*it)))
    }

    /// The beliefs that were written in a context that has this item: their strength may move with
    /// it, their status does not.
    pub fn tainted_by(&self, item: Premise) -> Vec<BeliefId> {
        self.exposure().to(item).beliefs
    }

    /// What was written with this or that before the eyes, each once.
    pub fn exposure(&self) -> Exposure<'_> {
        Exposure {
            state: self,
            seen: FxHashSet::default(),
        }
    }
}

/// Finds what was written with something before the eyes; a context that was gone through is not
/// gone through again, so that any number of questions is linear in what there is.
#[derive(Debug)]
pub struct Exposure<'a> {
    state: &'a State,
    seen: FxHashSet<BeliefId>,
}

/// What was written with something before the eyes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExposedTo {
    /// The beliefs that it was written for, in order.
    pub beliefs: Vec<BeliefId>,
    /// The decisions, in order.
    pub decisions: Vec<DecisionId>,
}

impl Exposure<'_> {
    /// What was written in the contexts that have an item, those apart that an earlier question
    /// had.
    pub fn to(&mut self, item: Premise) -> ExposedTo {
        let state = self.state;
        let contexts = &state.contexts;
        let mut exposed = ExposedTo::default();
        for write in contexts.taint.writes_over(contexts, item, &mut self.seen) {
            match write {
                Write::Observation(id)
                    if state.context_of_observation(id).is_some() || state.hop_of(id).is_some() =>
                {
                    let stated = state.observations.get(id).statements.iter().copied();
                    let all = stated.chain(state.dependents_of(Premise::Observation(id)));
                    let heads = all.map(|it| state.justifications.get(it).belief);
                    exposed.beliefs.extend(heads);
                }
                Write::Justification(id) => {
                    exposed.beliefs.push(state.justifications.get(id).belief);
                }
                Write::Decision(id) => exposed.decisions.push(id),
                Write::Observation(_) => {}
            }
        }
        exposed.beliefs.sort_unstable();
        exposed.beliefs.dedup();
        exposed.decisions.sort_unstable();
        exposed
    }
}

/// What a change to facts touched, as far as it matters to what was shown.
#[derive(Default)]
pub(crate) struct Touched<'a> {
    pub(crate) beliefs: &'a [BeliefId],
    pub(crate) justifications: &'a [JustificationId],
    pub(crate) observations: &'a [immune_model::ObservationId],
}

impl State {
    /// Brings what the contexts are worth up to date, and gives what was written with those that
    /// moved.
    pub(crate) fn settle_taint(&mut self, touched: &Touched<'_>) -> Vec<Write> {
        let mut taint = std::mem::take(&mut self.contexts.taint);
        let mut seeds: Seeds = taint.take_pending();
        for id in touched.justifications {
            taint.refresh_justification(self, *id, &mut seeds);
        }
        for id in touched.observations {
            taint.refresh_observation(self, *id, &mut seeds);
        }
        for id in touched.beliefs {
            taint.refresh_belief(self, *id, &mut seeds);
        }
        let moved = taint.update(&seeds);
        self.contexts.taint = taint;
        let contexts = &self.contexts;
        let mut written = Vec::new();
        for it in moved {
            match it {
                Of::Context(id) => written.extend(contexts.writes_in(id)),
                Of::Hop(id) => written.push(Write::Observation(id)),
                Of::Belief(_) | Of::Observation(_) => {}
            }
        }
        written
    }
}
