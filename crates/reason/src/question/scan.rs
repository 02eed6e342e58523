//! What is carried by one origin only, ranked by what hangs on it. Called through `State::scan`.
//!
//! Which beliefs carry an action or a decision is marked in one pass from the actions back. Who
//! is behind a belief is asked in that order until the budget is spent, so that the work is
//! bounded and what matters most is looked at first.

use std::cmp::Reverse;

use immune_model::{
    ActionClass, ActionId, ActionStatus, BeliefId, DecisionId, Premise, SourceId, Status, limits,
};

use crate::origins::{Hardening, Origin};
use crate::state::State;

/// The beliefs that fall with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// What hangs most on first.
    pub weak: Vec<Weak>,
    /// Beliefs on which something hangs.
    pub n_candidates: usize,
    /// How many of them were looked at before the budget was spent.
    pub n_looked_at: usize,
    /// How many of those fall with one origin.
    pub n_weak: usize,
}

/// A belief that falls with one origin, and what hangs on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weak {
    /// Which belief.
    pub belief: BeliefId,
    /// The origin; nothing if all behind it is below the floor.
    pub origin: Option<Origin>,
    /// The gravest class among the actions.
    pub class: Option<ActionClass>,
    /// Executed and running actions that rest on it, lowest ids first.
    pub actions: Vec<ActionId>,
    /// Decisions that rest on it, lowest ids first.
    pub decisions: Vec<DecisionId>,
    /// How many beliefs rest on it, through any number of steps.
    pub n_dependants: usize,
    /// Whether there may be more of them: the budget was spent.
    pub at_least: bool,
    /// The cheapest way to give it a second origin.
    pub harden: Hardening,
}

/// What hangs on a belief, as far as it is known before anything is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Weight {
    class: Option<ActionClass>,
    decided: bool,
}

impl State {
    /// Active beliefs with a corroboration of 1 on which something hangs; at most `limit` of them,
    /// irreversible actions first, then the other actions, decisions, and many dependants. What a
    /// system of record states is not among them: it is where one would ask.
    pub fn scan(&self, limit: usize) -> Scan {
        let weights = self.weights();
        let mut candidates: Vec<(Reverse<Weight>, Reverse<usize>, BeliefId)> = Vec::new();
        for id in self.belief_ids() {
            let weight = weights.get(id.index()).copied().unwrap_or_default();
            let n = self.standing_dependents(id).filter(|it| *it != id).count();
            if self.is_active(id) && (n > 0 || weight != Weight::default()) {
                candidates.push((Reverse(weight), Reverse(n), id));
            }
        }
        candidates.sort_unstable();
        let mut found = Vec::new();
        let (mut steps, mut looked_at) = (0, 0);
        for (_, _, id) in &candidates {
            if steps >= limits::SCAN_STEPS_MAX || found.len() >= limits::SCAN_BELIEFS_MAX {
                break;
            }
            looked_at += 1;
            let (falls_with_one, origin) = self.single_origin(*id, &mut steps);
            if falls_with_one && !self.stated_by_record(*id) {
                found.push((*id, origin));
            }
        }
        let n_weak = found.len();
        let mut counter = Counter::of(self);
        let mut weak: Vec<Weak> = found
            .into_iter()
            .map(|(id, origin)| counter.hanging_on(id, origin))
            .collect();
        weak.sort_by_key(|it| {
            let weight = (it.class, !it.decisions.is_empty(), it.n_dependants);
            (Reverse(weight), it.belief)
        });
        weak.truncate(limit);
        let has_area = |it: &SourceId| !self.sources.get(*it).records.is_empty();
        let records: Vec<SourceId> = self.source_ids().filter(has_area).collect();
        for it in &mut weak {
            it.harden = self.hardening(it.belief, &records);
        }
        Scan {
            weak,
            n_candidates: candidates.len(),
            n_looked_at: looked_at,
            n_weak,
        }
    }

    fn is_active(&self, id: BeliefId) -> bool {
        self.now.get(id).status == Status::Active
    }

    /// The beliefs that rest on one by a justification that holds.
    fn standing_dependents(&self, id: BeliefId) -> impl Iterator<Item = BeliefId> + '_ {
        let dependents = self.dependents_of(Premise::Belief(id));
        let holding = dependents.filter(|it| self.holds(*it));
        holding.map(|it| self.justifications.get(it).belief)
    }

    /// For each belief the gravest action and whether a decision rests on it: from the gravest
    /// actions back, each belief once a kind.
    fn weights(&self) -> Vec<Weight> {
        let mut weights = vec![Weight::default(); self.n_beliefs()];
        let classes = ActionClass::ALL.into_iter().rev();
        for class in classes {
            let of_class = self.actions.iter().filter(|(_, it)| it.class == class);
            let live = of_class.filter(|(_, it)| is_live(it.status));
            let relied_on = live.flat_map(|(_, it)| &self.decisions.get(it.decision).relied_on);
            self.mark(relied_on.copied().collect(), &mut weights, |weight| {
                let new = weight.class.is_none();
                weight.class.get_or_insert(class);
                new
            });
        }
        let decided = self.decisions.iter().filter(|(id, _)| {
            let status = self.decision_status(*id);
            status == Some(Status::Active)
        });
        let relied_on = decided.flat_map(|(_, it)| &it.relied_on);
        self.mark(relied_on.copied().collect(), &mut weights, |weight| {
            !std::mem::replace(&mut weight.decided, true)
        });
        weights
    }

    /// Marks these beliefs and all that they rest on by what holds; `mark` says what is new.
    fn mark(
        &self,
        mut stack: Vec<BeliefId>,
        weights: &mut [Weight],
        mark: impl Fn(&mut Weight) -> bool,
    ) {
        while let Some(id) = stack.pop() {
            if !weights.get_mut(id.index()).is_some_and(&mark) {
                continue;
            }
            for justification in self.justifications_of(id) {
                if self.holds(justification) {
                    let premises = self.justifications.get(justification).grounds.premises();
                    let beliefs = premises.filter_map(|it| match it {
                        Premise::Belief(id) => Some(id),
                        Premise::Observation(_) => None,
                    });
                    stack.extend(beliefs);
                }
            }
        }
    }
}

/// Whether an action ran, or is running, and was not taken back.
fn is_live(status: ActionStatus) -> bool {
    matches!(status, ActionStatus::Executed | ActionStatus::Executing)
}

/// Counts what hangs on beliefs, one after the other, within one budget.
struct Counter<'a> {
    state: &'a State,
    /// For each belief, the question in which it was seen last.
    seen: Vec<u32>,
    question: u32,
    steps: u64,
}

impl<'a> Counter<'a> {
    fn of(state: &'a State) -> Self {
        Self {
            state,
            seen: vec![0; state.n_beliefs()],
            question: 0,
            steps: 0,
        }
    }

    fn hanging_on(&mut self, id: BeliefId, origin: Option<Origin>) -> Weak {
        self.question += 1;
        let mut weak = Weak {
            belief: id,
            origin,
            class: None,
            actions: Vec::new(),
            decisions: Vec::new(),
            n_dependants: 0,
            at_least: false,
            harden: Hardening {
                confirm: id,
                ask: None,
            },
        };
        let mut stack = vec![id];
        self.see(id);
        while let Some(belief) = stack.pop() {
            let state = self.state;
            weak.decisions.extend(state.decisions_on(belief));
            for next in state.standing_dependents(belief) {
                self.steps += 1;
                if self.see(next) {
                    weak.n_dependants += 1;
                    stack.push(next);
                }
            }
            if self.steps > limits::SCAN_STEPS_MAX {
                weak.at_least = !stack.is_empty();
                break;
            }
        }
        weak.decisions.sort_unstable();
        weak.decisions.dedup();
        let state = self.state;
        let actions = weak
            .decisions
            .iter()
            .flat_map(|it| state.decisions.get(*it).actions.iter().copied());
        let live = actions.filter(|it| is_live(state.actions.get(*it).status));
        weak.actions = live.collect();
        weak.decisions
            .retain(|it| state.decision_status(*it) == Some(Status::Active));
        let classes = weak.actions.iter().map(|it| state.actions.get(*it).class);
        weak.class = classes.max();
        weak
    }

    /// Whether it is the first time within this question.
    fn see(&mut self, id: BeliefId) -> bool {
        let seen = self.seen.get_mut(id.index());
        seen.is_some_and(|it| std::mem::replace(it, self.question) != self.question)
    }
}
