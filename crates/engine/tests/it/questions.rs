//! Questions about the graph: who has to be lost, what would fall, what was believed when.

use std::sync::Arc;

use immune_engine::reason::Origin;
use immune_engine::reason::plan::{Flag, FlagWhat};
use immune_engine::reason::question::Fate;
use immune_engine::{Certificate, Explained, When};
use immune_model::{BeliefId, Item, Status};
use immune_store::MemoryStore;

use crate::common::*;

/// One source each for `a`, `b` and so on; a conclusion for each group, all of it together.
fn concluded(groups: &[&[&str]]) -> (World, BeliefId) {
    let world = World::new();
    let mut said = std::collections::BTreeMap::new();
    for name in groups.iter().flat_map(|it| it.iter()) {
        said.entry(*name).or_insert_with(|| {
            world.declare("inbox", name);
            let about = format!("ground.{name}");
            world.believe("inbox", name, &about, &format!("{name} said so"))
        });
    }
    let mut belief = None;
    for group in groups {
        let premises: Vec<BeliefId> = group.iter().map(|it| said[it]).collect();
        belief = Some(world.derive(&premises, "the.conclusion", "It is so").belief);
    }
    (world, belief.unwrap())
}

/// The handles of the origins without which a conclusion falls, and what each justification has.
fn lost(groups: &[&[&str]]) -> (Vec<String>, Vec<u32>) {
    let (world, belief) = concluded(groups);
    let snapshot = world.memory.snapshot().unwrap();
    let state = snapshot.state();
    let found = state.origins(belief.into()).unwrap();
    assert!(found.whole.corroboration.exact);
    assert_eq!(found.whole.corroboration, state.corroboration(belief));
    let name = |it: &Origin| match it {
        Origin::Source(id) => state.source(*id).unwrap().handle.to_string(),
        Origin::Newcomers(id) => format!("newcomers in {id}"),
    };
    let lose = found.whole.lose.iter().map(name).collect();
    let parts = found.parts.iter();
    (lose, parts.map(|(_, it)| it.corroboration.count).collect())
}

#[test]
fn independence_is_the_set_that_has_to_be_lost() {
    let names = |list: &[&str]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    assert_eq!(
        lost(&[&["a", "c"], &["b", "c"]]),
        (names(&["c"]), vec![1, 1])
    );
    assert_eq!(lost(&[&["a"], &["b"]]), (names(&["a", "b"]), vec![1, 1]));
    assert_eq!(lost(&[&["a", "b"]]).0.len(), 1);
    assert_eq!(
        lost(&[&["a"], &["b"], &["c"]]),
        (names(&["a", "b", "c"]), vec![1, 1, 1])
    );
    let many: Vec<String> = (0..24).map(|it| format!("s{it:02}")).collect();
    let groups: Vec<[&str; 1]> = many.iter().map(|it| [it.as_str()]).collect();
    let groups: Vec<&[&str]> = groups.iter().map(|it| &it[..]).collect();
    assert_eq!(lost(&groups).0, many, "exact for 24 origins");
}

#[test]
fn a_chain_and_a_cycle_of_mirrors_are_one_origin_behind_many_sources() {
    use immune_engine::reason::plan::{Copying, SetMirror};
    let world = World::new();
    let names: Vec<String> = (0..11).map(|it| format!("page{it}")).collect();
    for name in &names {
        world.declare("inbox", name);
        world.believe("inbox", name, "shop.hours", "The shop opens at nine");
    }
    let mirror = |name: &str, of: &str| {
        let command = SetMirror {
            source: source("inbox", name),
            of: source("inbox", of),
            copying: Copying::Declared,
        };
        world.operator.set_mirror(command).unwrap();
    };
    for pair in names.windows(2) {
        mirror(&pair[1], &pair[0]);
    }
    for round in ["chain", "cycle"] {
        let snapshot = world.memory.snapshot().unwrap();
        let found = snapshot.state().origins(BeliefId::new(1).into()).unwrap();
        assert_eq!(found.whole.corroboration.count, 1, "{round}");
        assert_eq!(found.whole.spoken.len(), 11, "{round}");
        assert_eq!(found.whole.lose.len(), 1, "{round}");
        mirror(&names[0], &names[10]);
    }
}

#[test]
fn a_decision_is_as_corroborated_as_the_weakest_it_relied_on() {
    let (world, strong) = concluded(&[&["a"], &["b"]]);
    let weak = world.believe("inbox", "a", "weak.one", "Only one says so");
    let guarded = world.guard("pay", "x", Some(&[strong, weak]));
    let snapshot = world.memory.snapshot().unwrap();
    let found = snapshot.state().origins(guarded.action.into()).unwrap();
    assert_eq!(found.whole.corroboration.count, 1);
    let counts = found.parts.iter().map(|(_, it)| it.corroboration.count);
    assert_eq!(counts.collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn what_a_blast_says_is_not_what_is_reached() {
    let (world, belief) = concluded(&[&["a"], &["b"]]);
    let below = world.derive(&[belief], "more.x", "And so on").belief;
    let snapshot = world.memory.snapshot().unwrap();
    let state = snapshot.state();
    let source = state.find_sources(&handle("a"))[0];
    let blast = state.blast(source.into()).unwrap();
    let fate = |id: BeliefId| {
        let found = blast.reached.iter().find(|it| it.item == id.into());
        found.map(|it| (it.hop, it.fate)).unwrap()
    };
    let first = state.justifications_of(below).next().unwrap();
    assert_eq!(fate(below), (4, Fate::Stands(Some(first))));
    assert_eq!(fate(BeliefId::new(1)), (2, Fate::Falls));
    assert!(
        state
            .blast(Item::Action(immune_model::ActionId::new(1)))
            .is_none()
    );
}

#[test]
fn a_day_is_a_day_of_utc() {
    // D34: written at 02:00 in UTC, which is the day before on a host further west.
    let world = World::over_at(Arc::new(MemoryStore::new()), "2025-07-25T02:00:00Z");
    set_up_record(&world.operator);
    let belief = world.believe(
        "inbox",
        "a@x.example",
        "shop.hours",
        "The shop opens at nine",
    );
    world.clock.0.advance(3 * 86_400);
    let when = |word: &str| -> When { word.parse().unwrap() };
    let day = |from: &str, until: &str| {
        let diff = world.operator.diff(when(from), Some(when(until))).unwrap();
        diff.gained.iter().map(|it| it.belief).collect::<Vec<_>>()
    };
    assert_eq!(
        day("2025-07-25T00:00:00Z", "2025-07-26T00:00:00Z"),
        [belief]
    );
    assert_eq!(day("2025-07-24T00:00:00Z", "2025-07-25T00:00:00Z"), []);
    assert_eq!(day("2025-07-26T00:00:00Z", "2025-07-27T00:00:00Z"), []);
    let west = day("2025-07-24T18:59:59-07:00", "2025-07-24T19:00:00-07:00");
    assert_eq!(west, [belief], "a zone is an offset and nothing more");
}

#[test]
fn a_diff_there_and_back_is_the_same_turned_round() {
    let world = World::new();
    let lie = world.believe(
        "inbox",
        "m@evil.example",
        "shop.limit",
        "The limit is USD 100",
    );
    let before = world.memory.snapshot().unwrap().head().seq;
    let truth = world.challenge("records", "ledger", "shop.limit", "The limit is USD 200");
    let after = world.memory.snapshot().unwrap().head().seq;
    let (one, other) = (When::Seq(before), When::Seq(after));
    let there = world.operator.diff(one, Some(other)).unwrap();
    let back = world.operator.diff(other, Some(one)).unwrap();
    let ids = |list: &[immune_engine::BeliefMoved]| -> Vec<BeliefId> {
        list.iter().map(|it| it.belief).collect()
    };
    assert_eq!(
        (ids(&there.gained), ids(&there.dropped)),
        (vec![truth.claimed], vec![lie])
    );
    assert_eq!(
        (ids(&back.gained), ids(&back.dropped)),
        (vec![lie], vec![truth.claimed])
    );
    assert_eq!(there.items.len(), back.items.len());
    let (_, at, vs) = there.sources[0];
    assert!(at > vs, "the liar pays");
    let none = world.operator.diff(other, None).unwrap();
    assert!(none.gained.is_empty() && none.dropped.is_empty() && none.items.is_empty());
}

#[test]
fn a_long_chain_has_a_proof_and_a_cut_of_its_length() {
    let world = World::new();
    let root = world.believe("inbox", "m@evil.example", "step.s0", "Step 0");
    let mut last = root;
    for step in 1..300 {
        let (about, claim) = (format!("step.s{step}"), format!("Step {step}"));
        last = world.derive(&[last], &about, &claim).belief;
    }
    let certified = || {
        let snapshot = world.memory.snapshot().unwrap();
        let found = Explained::of(snapshot.state()).certified(last).unwrap();
        assert_eq!(found.rejected, None);
        found.grounds
    };
    let Certificate::Proof(steps) = certified() else {
        panic!("it stands");
    };
    assert_eq!(steps.len(), 300);
    let flag = Flag {
        what: FlagWhat::Item(root.into()),
        received_from: None,
        reason: None,
    };
    world.operator.flag(flag).unwrap();
    assert_eq!(world.status(last), Status::Revoked);
    let Certificate::Cut(cut) = certified() else {
        panic!("it fell");
    };
    assert_eq!(cut.len(), 300);
}
