//! The corroboration of every belief at once, sharing what one says about another. Called by
//! `graph status`.
//!
//! A belief with one justification falls when one of its premises does, so it has the least of
//! their counts. One with several falls to a single origin only if that is in every one of them;
//! if there is none, two are needed at least, and the sum over its justifications is enough. Only
//! where these two do not meet, and inside cycles, is the question asked for the belief alone.

use std::cell::Cell;
use std::rc::Rc;

use immune_model::{BeliefId, JustificationId, Premise, Status};
use rustc_hash::FxHashMap;

use super::shown::{Shown, Voice};
use super::{Corroboration, Origin, proofs};
use crate::context::ContextId;
use crate::state::{Grounds, State};

impl State {
    /// The corroboration of every belief, in order of ids; see [`State::corroboration`]. Says on
    /// the way of how many it is known.
    pub fn corroborations(&self, progress: &mut dyn FnMut(usize)) -> Vec<Corroboration> {
        let all: Vec<BeliefId> = self.belief_ids().collect();
        self.corroborations_of(&all, progress)
    }

    /// The corroboration of each of these beliefs, sharing what one says about another.
    pub fn corroborations_of(
        &self,
        beliefs: &[BeliefId],
        progress: &mut dyn FnMut(usize),
    ) -> Vec<Corroboration> {
        let mut survey = Survey::of(self);
        survey.run(beliefs, progress);
        let counted = |it: &BeliefId| at(&survey.counts, it.index());
        let counted = beliefs.iter().map(counted);
        counted
            .map(|it| it.unwrap_or(Corroboration::NONE))
            .collect()
    }
}

/// Origins by number, sorted.
type Origins = Rc<[u32]>;

/// What is known of the beliefs so far.
struct Survey<'a> {
    state: &'a State,
    /// Which justifications stand at or above the floor, as far as that was asked.
    takes_part: Vec<Cell<Option<bool>>>,
    /// How many origins have to be lost; nothing where that is not known yet.
    counts: Vec<Option<Corroboration>>,
    /// The origins whose loss alone is enough; for beliefs with a count of 1.
    single: Vec<Origins>,
    of_source: Vec<Option<Origins>>,
    numbers: FxHashMap<Origin, u32>,
    none: Origins,
    shown: Shown,
    /// So many losses answer the question that is asked now: what needs as many stands anyway.
    enough: u32,
}

/// A belief whose premises are looked at first.
struct Frame {
    belief: usize,
    premises: Vec<usize>,
    next: usize,
}

impl<'a> Survey<'a> {
    fn of(state: &'a State) -> Self {
        let none: Origins = Rc::from([]);
        Self {
            state,
            takes_part: vec![Cell::new(None); state.n_justifications()],
            counts: vec![None; state.n_beliefs()],
            single: vec![Rc::clone(&none); state.n_beliefs()],
            of_source: vec![None; state.n_sources()],
            numbers: FxHashMap::default(),
            none,
            shown: Shown::default(),
            enough: u32::MAX,
        }
    }

    /// Tarjan's algorithm: premises come before what rests on them, and cycles come as one.
    fn run(&mut self, roots: &[BeliefId], progress: &mut dyn FnMut(usize)) {
        let n = self.state.n_beliefs();
        let (mut order, mut low) = (vec![u32::MAX; n], vec![u32::MAX; n]);
        let mut is_open = vec![false; n];
        let (mut open, mut frames): (Vec<usize>, Vec<Frame>) = (Vec::new(), Vec::new());
        let (mut next_order, mut n_settled) = (0, 0);
        for root in roots.iter().map(|it| it.index()) {
            if order.get(root) != Some(&u32::MAX) {
                continue;
            }
            frames.push(self.frame(root));
            while let Some(frame) = frames.last_mut() {
                let belief = frame.belief;
                if frame.next == 0 && at(&order, belief) == u32::MAX {
                    set(&mut order, belief, next_order);
                    set(&mut low, belief, next_order);
                    next_order += 1;
                    open.push(belief);
                    set(&mut is_open, belief, true);
                }
                if let Some(premise) = frame.premises.get(frame.next).copied() {
                    frame.next += 1;
                    if at(&order, premise) == u32::MAX {
                        let frame = self.frame(premise);
                        frames.push(frame);
                    } else if at(&is_open, premise) {
                        let least = at(&low, belief).min(at(&order, premise));
                        set(&mut low, belief, least);
                    }
                    continue;
                }
                frames.pop();
                if let Some(above) = frames.last() {
                    let least = at(&low, above.belief).min(at(&low, belief));
                    set(&mut low, above.belief, least);
                }
                if at(&low, belief) == at(&order, belief) {
                    let first = open.iter().rposition(|it| *it == belief);
                    let cycle = open.split_off(first.expect("it was opened"));
                    for member in &cycle {
                        set(&mut is_open, *member, false);
                    }
                    self.settle(&cycle);
                    n_settled += cycle.len();
                    progress(n_settled);
                }
            }
        }
    }

    fn frame(&self, belief: usize) -> Frame {
        let mut premises = Vec::new();
        for id in self.standing(belief) {
            let all = self.state.justifications.get(id).grounds.premises();
            premises.extend(all.filter_map(|it| match it {
                Premise::Belief(id) => Some(id.index()),
                Premise::Observation(_) => None,
            }));
        }
        Frame {
            belief,
            premises,
            next: 0,
        }
    }

    fn standing(&self, belief: usize) -> impl Iterator<Item = JustificationId> + '_ {
        let all = self.state.justifications_of(BeliefId::from_index(belief));
        all.filter(|it| self.takes_part(*it))
    }

    fn takes_part(&self, id: JustificationId) -> bool {
        let Some(known) = self.takes_part.get(id.index()) else {
            return false;
        };
        known.get().unwrap_or_else(|| {
            let found = self.finds_part(id);
            known.set(Some(found));
            found
        })
    }

    fn finds_part(&self, id: JustificationId) -> bool {
        let justification = self.state.justifications.get(id);
        // What rests on itself is no derivation.
        let itself = Premise::Belief(justification.belief);
        let on_itself = justification.grounds.premises().any(|it| it == itself);
        !justification.retracted
            && !on_itself
            && self.state.now.get(justification.belief).status == Status::Active
            && proofs::takes_part(self.state, id)
    }

    /// Settles beliefs that rest on each other, or one that does not.
    fn settle(&mut self, cycle: &[usize]) {
        if let [belief] = cycle {
            let (count, single) = self.judge(*belief);
            self.keep(*belief, count, single);
            return;
        }
        // Those with several justifications are asked for alone: the others rest on them.
        for belief in cycle {
            if self.standing(*belief).nth(1).is_some() {
                let id = BeliefId::from_index(*belief);
                let count = self.ask(id, 0, None);
                let single = if count.count == 1 {
                    let state = self.state;
                    proofs::Proofs::of(state, id, self).single_points().into()
                } else {
                    Rc::clone(&self.none)
                };
                self.keep(*belief, count, single);
            }
        }
        let mut left: Vec<usize> = cycle.to_vec();
        left.retain(|it| at(&self.counts, *it).is_none());
        while !left.is_empty() {
            let before = left.len();
            for belief in left.clone() {
                if self
                    .frame(belief)
                    .premises
                    .iter()
                    .all(|it| at(&self.counts, *it).is_some())
                {
                    let (count, single) = self.judge(belief);
                    self.keep(belief, count, single);
                }
            }
            left.retain(|it| at(&self.counts, *it).is_none());
            assert!(
                left.len() < before,
                "what stands has a derivation without a cycle"
            );
        }
    }

    fn keep(&mut self, belief: usize, count: Corroboration, single: Origins) {
        set(&mut self.counts, belief, Some(count));
        if count.count == 1
            && let Some(slot) = self.single.get_mut(belief)
        {
            *slot = single;
        }
    }

    /// The count of a belief whose premises are known, with the origins that are enough alone.
    fn judge(&mut self, belief: usize) -> (Corroboration, Origins) {
        let id = BeliefId::from_index(belief);
        if self.state.now.get(id).status != Status::Active {
            return (Corroboration::NONE, Rc::clone(&self.none));
        }
        let standing: Vec<JustificationId> = self.standing(belief).collect();
        let n_standing = standing.len();
        let mut enough = Corroboration::NONE;
        let mut common: Option<Origins> = None;
        for justification in standing {
            let (needed, single) = self.weakest(justification);
            enough.count += needed.count;
            enough.exact &= needed.exact;
            common = Some(match common {
                None => single,
                Some(before) if before.is_empty() => before,
                Some(before) => before
                    .iter()
                    .copied()
                    .filter(|it| single.binary_search(it).is_ok())
                    .collect(),
            });
        }
        match common {
            // Below the floor nothing is left to lose; the belief itself is there once.
            None => (Corroboration::ONE, Rc::clone(&self.none)),
            Some(common) if !common.is_empty() => (Corroboration::ONE, common),
            Some(common) if n_standing == 1 || enough.count == 2 => (enough, common),
            // No single origin is enough, so two are needed at least.
            Some(common) => {
                let mut found = self.ask(id, 2, Some(enough.count));
                found.exact &= enough.exact || found.count < enough.count;
                (found, common)
            }
        }
    }

    /// How many origins take a justification down, and those that do it alone.
    fn weakest(&mut self, id: JustificationId) -> (Corroboration, Origins) {
        let state = self.state;
        let grounds = &state.justifications.get(id).grounds;
        if let (
            Grounds::Statement {
                observation,
                carriers,
                ..
            },
            false,
        ) = (grounds, state.has_contexts())
        {
            debug_assert!(carriers.is_empty(), "what carries was shown");
            let voice = Voice::Observation(*observation);
            return (Corroboration::ONE, self.of_voice(voice));
        }
        let mut needed: Vec<Corroboration> = Vec::new();
        let mut single: Vec<Origins> = Vec::new();
        let mut shown = self.of_context(state.context_of_justification(id));
        for premise in grounds.rests_on() {
            let (count, origins) = match premise {
                Premise::Observation(id) => {
                    shown.extend(self.of_context(state.context_of_observation(id)));
                    (Corroboration::ONE, self.of_voice(Voice::Observation(id)))
                }
                Premise::Belief(id) => {
                    let count = at(&self.counts, id.index()).unwrap_or(Corroboration::ONE);
                    let single = self.single.get(id.index()).unwrap_or(&self.none);
                    (count, Rc::clone(single))
                }
            };
            if count.count == 1 {
                single.push(origins);
            }
            needed.push(count);
        }
        if state.reasoner_of(id).is_some() {
            shown.push(self.of_voice(Voice::Conclusion(id)));
        }
        if !shown.is_empty() {
            needed.push(Corroboration::ONE);
            single.extend(shown);
        }
        let least = Corroboration::least(needed).unwrap_or(Corroboration::ONE);
        (least, union(&single, &self.none))
    }

    /// The origins of what was shown before something was written: the loss of any takes it.
    fn of_context(&mut self, context: Option<ContextId>) -> Vec<Origins> {
        let Some(context) = context else {
            return Vec::new();
        };
        let shown = self.shown.behind(self.state, context);
        shown.iter().map(|it| self.of_voice(*it)).collect()
    }

    fn of_voice(&mut self, voice: Voice) -> Origins {
        let source = voice.source(self.state);
        if let Voice::Observation(id) = voice
            && self.state.inferred_content(id).is_some()
        {
            let origins = self.state.origins_of_observation(id);
            return self.numbered(&origins);
        }
        if let Some(Some(known)) = self.of_source.get(source.index()) {
            return Rc::clone(known);
        }
        let origins = self.state.origins_of(source);
        let origins = self.numbered(&origins);
        if let Some(slot) = self.of_source.get_mut(source.index()) {
            *slot = Some(Rc::clone(&origins));
        }
        origins
    }

    /// The count of one belief, found from its derivations.
    fn ask(&mut self, id: BeliefId, least: usize, enough: Option<u32>) -> Corroboration {
        let state = self.state;
        self.enough = enough.unwrap_or(u32::MAX);
        let proofs = proofs::Proofs::of(state, id, self);
        super::fewest(&proofs, least, enough, &mut 0).0
    }

    fn numbered(&mut self, origins: &[Origin]) -> Origins {
        let mut numbers: Vec<u32> = Vec::with_capacity(origins.len());
        for origin in origins {
            let next = self.numbers.len() as u32;
            numbers.push(*self.numbers.entry(*origin).or_insert(next));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into()
    }
}

impl proofs::Known for Survey<'_> {
    fn takes_part(&mut self, id: JustificationId) -> bool {
        Survey::takes_part(self, id)
    }

    fn origins(&mut self, voice: Voice, _: JustificationId) -> Origins {
        self.of_voice(voice)
    }

    fn shown(&mut self, id: ContextId) -> Rc<[Voice]> {
        self.shown.behind(self.state, id)
    }

    fn stands_anyway(&mut self, id: BeliefId) -> bool {
        let count = self.counts.get(id.index()).copied().flatten();
        count.is_some_and(|it| it.count >= self.enough)
    }
}

/// All of several sets; the one itself where there is one.
fn union(sets: &[Origins], none: &Origins) -> Origins {
    match sets {
        [] => Rc::clone(none),
        [one] => Rc::clone(one),
        several => {
            let mut all: Vec<u32> = several.iter().flat_map(|it| it.iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all.into()
        }
    }
}

fn at<T: Copy>(slots: &[T], place: usize) -> T {
    *slots.get(place).expect("beliefs are numbered without gaps")
}

fn set<T>(slots: &mut [T], place: usize, value: T) {
    *slots
        .get_mut(place)
        .expect("beliefs are numbered without gaps") = value;
}
