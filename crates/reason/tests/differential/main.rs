//! Law S1: what is kept up change by change equals what independent engines say of the same base
//! facts, on random AND/OR graphs with cycles and on every small one.
//!
//! Three engines that share no code with `reason`: all subsets (`oracles::brute`), plain iteration
//! (`oracles::iterate`), and the answer-set solver `clingo` on `support.lp`, where it can be had.
//! `IMMUNE_SLOW=1` runs 1,000,000 graphs instead of 20,000; `IMMUNE_SEED=7` other ones.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod clingo;
mod exhaustive;
mod facts;
mod oracles;
mod random;
mod world;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clingo::Clingo;
use exhaustive::Choices;
use random::Script;
use world::World;

/// Graphs between two calls of the solver.
const BATCH: u64 = 2_000;

fn is_slow() -> bool {
    std::env::var_os("IMMUNE_SLOW").is_some()
}

fn seed() -> u64 {
    let named = std::env::var("IMMUNE_SEED").ok();
    named.map_or(20_260_813, |it| {
        it.parse().expect("IMMUNE_SEED is a whole number")
    })
}

/// What a run covered.
#[derive(Debug, Default)]
struct Covered {
    states: u64,
    cyclic: u64,
    by_clingo: u64,
    statuses: BTreeMap<&'static str, u64>,
}

#[test]
fn random_graphs_with_cycles_have_one_meaning() {
    let (seed, n_graphs) = (seed(), if is_slow() { 1_000_000 } else { 20_000 });
    let starts: Vec<World> = (0..=12).map(|it| World::new(it.max(1))).collect();
    let clingo = Clingo::find();
    println!("S1: {n_graphs} graphs from IMMUNE_SEED={seed}; {clingo}");
    let (next, covered) = (AtomicU64::new(0), Mutex::new(Covered::default()));
    on_every_core(|| {
        while let first = next.fetch_add(BATCH, Ordering::Relaxed)
            && first < n_graphs
        {
            let cases = first..n_graphs.min(first + BATCH);
            batch(&starts, &clingo, seed, cases, &covered);
        }
    });
    let covered = covered.into_inner().unwrap();
    println!("S1: 0 differences; {covered:?}");
    assert!(covered.cyclic * 4 > n_graphs, "cycles are common");
    assert_eq!(covered.statuses.len(), 9, "every status occurs");
    assert!(covered.by_clingo == n_graphs || !clingo.is_there());
}

fn batch(
    starts: &[World],
    clingo: &Clingo,
    seed: u64,
    cases: std::ops::Range<u64>,
    covered: &Mutex<Covered>,
) {
    let mut program = String::new();
    let mut found = Covered::default();
    let n_cases = cases.end - cases.start;
    for case in cases {
        let script = Script::new(seed, case);
        let start = &starts[script.n_beliefs];
        let outcome = random::run(start, &script.changes).unwrap_or_else(|first| {
            let smallest = random::smallest(start, &script.changes);
            let again = random::run(start, &smallest).err();
            panic!(
                "IMMUNE_SEED={seed}, graph {case} of {} beliefs differs; the least of it: \
                 {smallest:#?}\n{}",
                script.n_beliefs,
                again.unwrap_or(first)
            )
        });
        found.states += outcome.n_states;
        found.cyclic += u64::from(random::has_cycle(&outcome.world.facts));
        random::count_statuses(&outcome.world, &mut found.statuses);
        clingo.describe(case, &outcome.world, &mut program);
    }
    if clingo.is_there() {
        let wrong = clingo.solve(&program);
        assert_eq!(
            wrong, "",
            "IMMUNE_SEED={seed}: clingo disagrees, as wrong(GRAPH,BELIEF)"
        );
        found.by_clingo += n_cases;
    }
    let mut covered = covered.lock().unwrap();
    covered.states += found.states;
    covered.cyclic += found.cyclic;
    covered.by_clingo += found.by_clingo;
    for (status, n) in found.statuses {
        *covered.statuses.entry(status).or_default() += n;
    }
}

/// Up to three beliefs; up to four in the slow suite.
#[test]
fn every_small_graph_has_one_meaning() {
    let most = if is_slow() { 4 } else { 3 };
    for n_beliefs in 1..=most {
        let choices = Choices::new(n_beliefs);
        let mut start = World::new(n_beliefs);
        start.take(&world::Change::Note { source: 0 });
        start.take(&world::Change::Note { source: 1 });
        start.state.take_changes();
        let (next, counts) = (AtomicU64::new(0), Mutex::new((0, 0)));
        on_every_core(|| {
            while let share = next.fetch_add(1, Ordering::Relaxed)
                && share < choices.n_shares() as u64
            {
                let found = choices.share(&start, usize::try_from(share).unwrap());
                let mut counts = counts.lock().unwrap();
                *counts = (counts.0 + found.0, counts.1 + found.1);
            }
        });
        let (n_graphs, n_states) = counts.into_inner().unwrap();
        println!("S1: all {n_graphs} graphs of {n_beliefs} beliefs, {n_states} states");
        // As many as Burnside's lemma counts.
        assert_eq!(n_graphs, choices.n_classes());
    }
}

fn on_every_core(work: impl Fn() + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(&work);
        }
    });
}

/// A solver that never disagrees proves nothing.
#[test]
fn clingo_sees_a_wrong_answer() {
    let clingo = Clingo::find();
    println!("S1: {clingo}");
    if !clingo.is_there() {
        return;
    }
    let mut world = World::new(2);
    for change in [
        world::Change::State {
            heads: 1,
            source: 0,
        },
        world::Change::Derive {
            head: 1,
            beliefs: 1,
            notes: 0,
            agent: 1,
        },
    ] {
        world.take(&change);
    }
    let mut program = String::new();
    clingo.describe(7, &world, &mut program);
    assert_eq!(clingo.solve(&program), "");
    let before = program.len();
    let lie = program.replace("said(7,1,active,1000)", "said(7,1,active,999)");
    assert_eq!(lie.len() + 1, before, "{program}");
    assert_eq!(clingo.solve(&lie), "wrong(7,1)");
    let lie = program.replace("said(7,0,active,1000)", "said(7,0,revoked,1000)");
    assert_eq!(clingo.solve(&lie), "wrong(7,0)");
}
