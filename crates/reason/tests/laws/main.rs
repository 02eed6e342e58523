//! The laws of semantics.md 2-4 on random histories: what is kept up step by step equals what a
//! naive twin computes from scratch; a replay equals the life it replays; only the cone moves.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod blast;
mod choke;
mod copies;
mod guard;
mod lead;
mod pack;
mod parole;
mod proof;
mod reasoner;
mod scan;
mod screen;
mod taint;
mod twin;

use std::collections::BTreeSet;

use immune_model::{
    BeliefId, FlagTarget, IncidentId, InferredCopy, ObservationId, Premise, Status, Trust,
};
use immune_reason::State;
use immune_reason::state::Grounds;
use immune_testkit::history::{FlagOf, History, Step, flag_of, steps};
use proptest::prelude::*;

/// Cases in CI; `IMMUNE_SLOW=1` (cargo xtask slow) multiplies them.
fn cases() -> ProptestConfig {
    let slow = std::env::var_os("IMMUNE_SLOW").is_some();
    let cases = if slow { 20_000 } else { 400 };
    ProptestConfig {
        // What is too large for brute force is one in fourteen.
        max_global_rejects: cases.max(1_024),
        ..ProptestConfig::with_cases(cases)
    }
}

fn all(state: &State) -> Vec<(Status, Trust)> {
    let now = |id: BeliefId| state.belief_now(id).unwrap();
    state
        .belief_ids()
        .map(|id| (now(id).status, now(id).strength))
        .collect()
}

/// What an undo has to bring back: statuses and strengths of these beliefs, every reputation,
/// every action.
fn picture(state: &State, n_beliefs: usize) -> String {
    let beliefs = &all(state)[..n_beliefs];
    let reputation = |id| state.reputation(id, immune_reason::Scope::Overall);
    let sources: Vec<_> = state.source_ids().map(reputation).collect();
    let actions: Vec<_> = state
        .action_ids()
        .map(|id| state.action(id).unwrap().status)
        .collect();
    let refuted: Vec<_> = state
        .belief_ids()
        .take(n_beliefs)
        .map(|id| state.refutations_of(id))
        .collect();
    let ids = state.observation_ids();
    let observations: Vec<_> = ids
        .map(|id| state.observation_status(id).unwrap())
        .collect();
    let observations: Vec<_> = observations
        .iter()
        .filter(|it| **it != Status::Retracted)
        .collect();
    format!("{beliefs:?} {sources:?} {actions:?} {refuted:?} {observations:?}")
}

/// Everything whose support these beliefs are part of, themselves included.
fn forward(state: &State, seeds: impl IntoIterator<Item = BeliefId>) -> BTreeSet<BeliefId> {
    let mut closure = BTreeSet::new();
    let mut stack: Vec<BeliefId> = seeds.into_iter().collect();
    while let Some(belief) = stack.pop() {
        if closure.insert(belief) {
            let dependents = state.dependents_of(Premise::Belief(belief));
            stack.extend(dependents.map(|it| state.justification(it).unwrap().belief));
            stack.extend(state.tainted_by(Premise::Belief(belief)));
        }
    }
    closure
}

/// What a source states or derives.
fn of_source(state: &State, source: immune_model::SourceId) -> Vec<BeliefId> {
    let by = |id: &immune_model::JustificationId| match state.justification(*id).unwrap().grounds {
        Grounds::Statement { observation, .. } => {
            state.observation(observation).unwrap().source == source
        }
        Grounds::Derivation { agent, .. } => agent == Some(source),
    };
    let of = state.justification_ids().filter(by);
    of.map(|it| state.justification(it).unwrap().belief)
        .collect()
}

/// Observations, and all that say again what one of them says.
fn repeated_in(state: &State, mut of: Vec<ObservationId>) -> Vec<ObservationId> {
    // What is repeated is always an earlier one.
    for id in state.observation_ids() {
        if let Some(InferredCopy::Content(copy)) = state.inferred_content(id).map(|it| &it.copy)
            && of.contains(&copy.of)
            && !of.contains(&id)
        {
            of.push(id);
        }
    }
    of
}

/// The beliefs that an observation states.
fn stated_in(state: &State, id: ObservationId) -> Vec<BeliefId> {
    let statements = state.observation(id).unwrap().statements.iter();
    let beliefs = statements.map(|it| state.justification(*it).unwrap().belief);
    beliefs.collect()
}

/// What opens an incident.
#[derive(Debug, Clone, Copy)]
enum Trigger {
    Refute(u8, u8),
    Flag(FlagOf, u8),
}

impl Trigger {
    fn pull(self, history: &mut History) -> Option<IncidentId> {
        match self {
            Self::Refute(subject, value) => {
                let (state, n_events) = (history.state.clone(), history.log.len());
                let opened = history.refute(subject, value);
                if opened.is_none() {
                    // There would be a statement, and nothing that undoes it.
                    history.log.truncate(n_events);
                    history.state = state;
                }
                opened
            }
            Self::Flag(of, pick) => history.flag(of, pick),
        }
    }
}

fn trigger() -> impl Strategy<Value = Trigger> {
    prop_oneof![
        (0..4u8, 0..3u8).prop_map(|(subject, value)| Trigger::Refute(subject, value)),
        (flag_of(), any::<u8>()).prop_map(|(of, pick)| Trigger::Flag(of, pick)),
    ]
}

proptest! {
    #![proptest_config(cases())]

    /// S1 and T1: incremental least fixpoint and max-min strength equal the naive ones, cycles
    /// included, after every step.
    #[test]
    fn incremental_equals_naive(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
            prop_assert_eq!(all(&history.state), twin::all(&history.state), "after {:?}", step);
        }
    }

    /// State is a function of facts: the log alone gives the same state.
    #[test]
    fn a_replay_equals_the_life_it_replays(script in steps(40)) {
        let mut history = History::new();
        let mut announced = Vec::new();
        for step in &script {
            history.take(step);
            announced.extend(history.state.take_changes().transitions);
        }
        let mut replayed = State::new();
        for recorded in &history.log {
            replayed.apply(recorded);
        }
        prop_assert_eq!(all(&replayed), all(&history.state));
        prop_assert_eq!(replayed.take_changes().transitions, announced);
        for id in replayed.source_ids() {
            let of = |state: &State| state.reputation(id, immune_reason::Scope::Overall);
            prop_assert_eq!(of(&replayed), of(&history.state));
        }
        for id in replayed.action_ids() {
            let of = |state: &State| state.action(id).unwrap().status;
            prop_assert_eq!(of(&replayed), of(&history.state));
        }
    }

    /// Whatever befell it, a task is open, done or cancelled, and not two of them.
    #[test]
    fn a_task_ends_once(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let transitions = history.state.take_changes().transitions;
        for id in history.state.task_ids() {
            let task = history.state.task(id).unwrap();
            prop_assert!(task.cancelled_at.is_none() || task.done.is_none());
            let ends = transitions.iter().filter(|it| it.item == id.into() && it.before.is_some());
            prop_assert_eq!(ends.count(), usize::from(!task.is_open()));
        }
    }

    /// S2: nothing outside the forward closure of a change moves.
    #[test]
    fn only_the_cone_moves(script in steps(30)) {
        let mut history = History::new();
        for step in &script {
            let before = history.state.clone();
            history.take(step);
            let after = &history.state;
            let mut touched: Vec<BeliefId> = Vec::new();
            touched.extend(after.belief_ids().skip(before.n_beliefs()));
            for id in after.justification_ids() {
                let new = before.justification(id).is_none();
                let closed = before.closing_of(id) != after.closing_of(id);
                if new || closed {
                    touched.push(after.justification(id).unwrap().belief);
                }
            }
            for id in before.belief_ids() {
                let refuted = |state: &State| state.refutations_of(id);
                if refuted(&before) != refuted(after) {
                    touched.push(id);
                }
            }
            for id in before.justification_ids() {
                let flagged = |state: &State| state.flag_against(id).is_some();
                if flagged(&before) != flagged(after) {
                    touched.push(after.justification(id).unwrap().belief);
                }
            }
            for id in before.observation_ids() {
                let flagged = |state: &State| state.flag_over(id).is_some();
                if flagged(&before) != flagged(after) {
                    // What says it again is worth as little.
                    for it in repeated_in(after, vec![id]) {
                        touched.extend(stated_in(after, it));
                        touched.extend(after.tainted_by(Premise::Observation(it)));
                    }
                }
            }
            for id in before.source_ids() {
                let tier = |state: &State| {
                    let channel = state.source(id).unwrap().channel;
                    state.channel(channel).unwrap().tier
                };
                let flags = |state: &State| state.flags_of(FlagTarget::Source(id)).len();
                let events = |state: &State| {
                    state.source(id).unwrap().events.iter().filter(|it| !it.retracted).count()
                };
                // A newcomer is measured by what befell those before it; an undo moves that too.
                let newcomer = matches!(
                    step,
                    Step::Reinstate { .. }
                        | Step::Mirror { .. }
                        | Step::Rule { .. }
                        | Step::Carriage { .. }
                );
                let flagged = flags(&before) != flags(after);
                let moved = tier(&before) != tier(after) || events(&before) != events(after);
                if newcomer || flagged || moved {
                    // What was written with an observation of it before the eyes, too.
                    let said = after.observation_ids().filter(|it| {
                        after.observation(*it).unwrap().source == id
                    });
                    let said = repeated_in(after, said.collect());
                    touched.extend(said.iter().flat_map(|it| stated_in(after, *it)));
                    touched.extend(
                        said.iter().flat_map(|it| after.tainted_by(Premise::Observation(*it))),
                    );
                    // What copies a source moves with it.
                    touched.extend(after.source_ids().flat_map(|it| of_source(after, it)).filter(|_| {
                        !after.source(id).unwrap().mirrored_by.is_empty()
                    }));
                    touched.extend(of_source(after, id));
                }
            }
            let cone = forward(after, touched);
            for id in before.belief_ids().filter(|it| !cone.contains(it)) {
                prop_assert_eq!(before.belief_now(id), after.belief_now(id), "{} after {:?}", id, step);
            }
        }
    }

    /// T2 and section 9: saying a thing again from the same source lifts nothing; every action
    /// that relied on what fell is reversed, and no other.
    #[test]
    fn volume_lifts_nothing_and_every_fallen_action_is_reversed(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
            if let Step::Remember { .. } = step {
                let before = all(&history.state);
                history.say_again(step);
                prop_assert_eq!(&all(&history.state)[..before.len()], &before[..]);
            }
        }
        let state = &history.state;
        for id in state.action_ids() {
            let action = state.action(id).unwrap();
            if action.status == immune_model::ActionStatus::Blocked {
                continue;
            }
            let relied_on = &state.decision(action.decision).unwrap().relied_on;
            let fell = relied_on.iter().any(|it| state.belief_now(*it).unwrap().status.fell());
            prop_assert!(!fell || action.reversal.is_some(), "{} relied on what fell", id);
        }
    }

    /// U: challenge, then reinstate, is identity on every status, strength and reputation.
    #[test]
    fn an_undo_is_identity(script in steps(40), subject in 0..4u8, value in 0..3u8) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let n = history.state.n_beliefs();
        let before = picture(&history.state, n);
        if let Some(incident) = history.refute(subject, value) {
            history.reinstate(incident);
            prop_assert_eq!(picture(&history.state, n), before);
            prop_assert!(all(&history.state)[n..].iter().all(|(status, _)| *status == Status::Retracted));
            let log = history.log.len();
            history.reinstate(incident);
            prop_assert_eq!(history.log.len(), log, "undoing it again changes nothing");
        }
    }

    /// U: flag, then unflag, is identity too; a flag of the same thing again changes nothing.
    #[test]
    fn a_flag_taken_back_was_never_there(script in steps(40), of in flag_of(), pick in any::<u8>()) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let n = history.state.n_beliefs();
        let before = picture(&history.state, n);
        if let Some(incident) = history.flag(of, pick) {
            let (flagged, log) = (picture(&history.state, n), history.log.len());
            prop_assert_eq!(history.flag(of, pick), None);
            prop_assert_eq!((picture(&history.state, n), history.log.len()), (flagged, log));
            history.reinstate(incident);
            prop_assert_eq!(picture(&history.state, n), before);
        }
    }

    /// Overlapping incidents of any kind are undone in any order.
    #[test]
    fn overlapping_incidents_are_undone_in_any_order(
        script in steps(40),
        three in [trigger(), trigger(), trigger()],
        order in Just([0, 1, 2]).prop_shuffle(),
    ) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let n = history.state.n_beliefs();
        let before = picture(&history.state, n);
        let opened = three.map(|it| it.pull(&mut history));
        for place in order {
            if let Some(incident) = opened[place] {
                history.reinstate(incident);
            }
        }
        prop_assert_eq!(picture(&history.state, n), before);
    }

    /// The weight of a value is that of the lightest origins whose loss takes it down.
    #[test]
    fn the_weight_of_a_value_is_its_lightest_hitting_set(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        for id in state.belief_ids() {
            let found = state.weight_of(id, None);
            prop_assert!(found.exact);
            if state.belief_now(id).unwrap().strength >= Trust::FLOOR {
                let right = twin::weight(state, id, &found.origins);
                prop_assert_eq!(found.millionths, right, "{}", id);
            }
        }
    }

    /// Corroboration is the least number of origins whose loss takes the belief down: brute force
    /// over every set of them agrees.
    #[test]
    fn corroboration_is_the_minimum_hitting_set(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let surveyed = state.corroborations(&mut |_| ());
        for (id, surveyed) in state.belief_ids().zip(surveyed) {
            let found = state.corroboration(id);
            prop_assert!(found.exact);
            prop_assert_eq!(found.count, twin::corroboration(state, id), "{}", id);
            prop_assert_eq!(surveyed, found, "{}", id);
        }
    }
}
