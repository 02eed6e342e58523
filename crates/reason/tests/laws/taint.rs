//! Run-scoped taint (semantics.md 4): laws T1 to T3 on random histories, and on chains that an
//! agent does not declare.

use std::collections::BTreeSet;

use immune_model::*;
use immune_reason::State;
use immune_reason::question::Level;
use immune_reason::state::Grounds;
use immune_testkit::history::{FlagOf, History, Step, steps};
use proptest::prelude::*;

use crate::{all, twin};

/// What each run was shown, read off the log alone.
fn shown_by_log(log: &[Recorded], run: &RunId, before: u64) -> BTreeSet<Premise> {
    let mut shown = BTreeSet::new();
    for recorded in log.iter().take_while(|it| it.seq < before) {
        if let Event::Shown {
            run: reader,
            from,
            items,
        } = &recorded.event
            && reader == run
        {
            shown.extend(items.iter().copied());
            if let Some(from) = from {
                shown.extend(shown_by_log(log, from, recorded.seq));
            }
        }
    }
    shown
}

/// The event that wrote something, and the run that it names.
fn written(state: &State, write: Write) -> (u64, Option<RunId>) {
    match write {
        Write::Observation(id) => {
            let found = state.observation(id).unwrap();
            (found.seq, found.run.clone())
        }
        Write::Justification(id) => {
            let found = state.justification(id).unwrap();
            (found.seq, found.run.clone())
        }
        Write::Decision(_) => unreachable!("histories decide in no run"),
    }
}

/// What caps the best derivation of a belief: at each step the source or agent, and the context.
fn parts_of_best(state: &State, id: BeliefId) -> Vec<Trust> {
    let shown = twin::Shown::of(state);
    let steps = state.prove(id, Level::In).unwrap().into_iter();
    let parts = steps.flat_map(|it| {
        let by = it.justification;
        [twin::own_cap(state, by), shown.around(by)]
    });
    parts.collect()
}

proptest! {
    #![proptest_config(crate::cases())]

    /// The context of a write is all that its run was shown before it, and nothing else; what was
    /// narrowed has none.
    #[test]
    fn a_context_is_what_was_shown_before(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let mut dropped = BTreeSet::new();
        for recorded in &history.log {
            if let Event::ContextUsed { write, used: ContextUse::Dropped } = &recorded.event {
                dropped.insert(*write);
            }
        }
        let observations = state.observation_ids().map(Write::Observation);
        let derived = state.justification_ids().filter(|it| {
            matches!(state.justification(*it).unwrap().grounds, Grounds::Derivation { .. })
        });
        for write in observations.chain(derived.map(Write::Justification)) {
            let context = state.context_of(write);
            let found: BTreeSet<Premise> = context
                .into_iter()
                .flat_map(|it| state.shown_in(it))
                .map(|(item, ..)| item)
                .collect();
            let (seq, run) = written(state, write);
            let expected = match run {
                Some(run) if !dropped.contains(&write) => shown_by_log(&history.log, &run, seq),
                _ => BTreeSet::new(),
            };
            prop_assert_eq!(found, expected, "{:?}", write);
        }
    }

    /// A context never moves a status: without any read, every status is what it is with them.
    #[test]
    fn a_context_moves_no_status(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            let before = history.state.clone();
            history.take(step);
            if matches!(step, Step::Read { .. } | Step::ReadObservation { .. } | Step::HandOver { .. }) {
                prop_assert_eq!(all(&before), all(&history.state), "reading moves nothing");
            }
        }
    }

    /// T1: the strength of a belief is the weakest origin, agent or context of its best derivation.
    #[test]
    fn strength_is_the_weakest_part_of_the_best_derivation(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        for id in state.belief_ids() {
            let now = state.belief_now(id).unwrap();
            if now.status == Status::Active && now.strength > Trust::ZERO {
                let weakest = parts_of_best(state, id).into_iter().min();
                prop_assert_eq!(weakest, Some(now.strength), "{}", id);
            }
        }
    }

    /// T2: being shown n items of one source does what being shown its weakest does; reading the
    /// same again does nothing, and writes nothing.
    #[test]
    fn reading_again_is_nothing(script in steps(40), run in 0..3u8, beliefs in prop::collection::vec(any::<u8>(), 1..4)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let read = Step::Read { run, beliefs };
        history.take(&read);
        let (events, before) = (history.log.len(), all(&history.state));
        for _ in 0..50 {
            history.take(&read);
        }
        prop_assert_eq!(history.log.len(), events);
        prop_assert_eq!(all(&history.state), before);
    }

    /// T3: whatever a run was shown, saying it again in other words, under another name or on
    /// another subject raises nothing that was there, gives nothing that is stronger than it, and
    /// adds no origin.
    #[test]
    fn saying_again_what_was_shown_raises_nothing(
        script in steps(40),
        run in 0..3u8,
        pick in any::<u8>(),
        said in prop::collection::vec((0..7u8, 0..4u8, 0..3u8, any::<bool>()), 1..6),
    ) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let n = history.state.n_beliefs();
        let relaying = Step::Carriage { authored: false };
        history.take(&relaying);
        history.take(&Step::Read { run, beliefs: vec![pick] });
        if n == 0 {
            return Ok(());
        }
        let shown = Premise::Belief(BeliefId::from_index(usize::from(pick) % n));
        let most = twin::Shown::of(&history.state);
        let Premise::Belief(belief) = shown else { unreachable!() };
        let most = most.beliefs[belief.index()];
        for (source, subject, value, derives) in said {
            // What a record says in its own channel is no word of an agent.
            let source = if source == 5 { 6 } else { source };
            let before = history.state.clone();
            let step = if derives {
                Step::Conclude { run, premises: vec![subject], subject, value, narrowed: false }
            } else {
                Step::Say { run, source, subject, value }
            };
            history.take(&step);
            let after = &history.state;
            for id in after.justification_ids().skip(before.n_justifications()) {
                prop_assert!(after.justification_strength(id) <= most, "{} above {}", id, shown);
            }
            for id in before.belief_ids() {
                let of = |state: &State| state.belief_now(id).unwrap();
                let raised = of(after).strength > of(&before).strength;
                prop_assert!(!raised || of(after).strength <= most, "{}", id);
            }
        }
    }
}

/// An agent that re-words one belief on and on without a word on where it is from, run after run,
/// ends with what it began with.
#[test]
fn a_chain_of_ten_undeclared_hops_stays_at_its_first_strength() {
    let mut history = History::new();
    history.take(&Step::Remember {
        source: 0,
        subject: 1,
        value: 0,
        ttl: false,
    });
    history.take(&Step::Tier { tier: 200 });
    for hop in 0..10_u8 {
        let run = hop % 3;
        history.take(&Step::Read {
            run,
            beliefs: vec![hop],
        });
        history.take(&Step::Say {
            run,
            source: 6,
            subject: hop % 4,
            value: hop % 3,
        });
        let web = Trust::from_thousandths(200).unwrap();
        for (_, strength) in all(&history.state) {
            assert!(strength <= web, "{strength} after hop {hop}");
        }
    }
}

/// Two thousand reads of one run, a write after each: every read and every write is one event, no
/// context is gone through again for the next, and one flag of what was read first reaches all.
#[test]
fn a_long_run_is_linear() {
    const READS: u32 = 2_000;
    let mut history = History::new();
    history.long_run(READS);
    let events = history.log.len();
    let state = &history.state;
    let run = RunId::new("run 0").unwrap();
    let latest = state.context_of_run(&run).unwrap();
    assert_eq!(state.shown_in(latest).count(), READS as usize);
    assert_eq!(state.written_in_run(&run).len(), READS as usize);
    let shown = history.log.iter();
    let shown = shown.filter(|it| matches!(it.event, Event::Shown { .. }));
    assert_eq!(shown.count(), READS as usize);
    let per_read = state.network_bytes() / READS as usize;
    assert!(per_read < 2_000, "{per_read} bytes for each read");
    let first = history.flag(FlagOf::Belief, 0).unwrap();
    assert_eq!(history.log.len(), events + 1);
    let written = |state: &State| {
        let of = |id: BeliefId| state.belief_now(id).unwrap().strength;
        state
            .belief_ids()
            .skip(READS as usize)
            .map(of)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(written(&history.state), BTreeSet::from([Trust::ZERO]));
    history.reinstate(first);
    assert_eq!(written(&history.state), BTreeSet::from([Trust::NEWCOMER]));
}
