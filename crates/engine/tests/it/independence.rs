//! Independence counts origins, not names (the facts of seeds.md 7).

use immune_model::{BeliefId, Trust};

use crate::common::World;

/// What stands on these sources: each group is one justification, all of its sources together.
fn count(groups: &[&[&str]]) -> u32 {
    let world = World::new();
    let mut said = std::collections::BTreeMap::new();
    for name in groups.iter().flat_map(|it| it.iter()) {
        said.entry(*name).or_insert_with(|| {
            world.declare("inbox", name);
            world.believe(
                "inbox",
                name,
                &format!("ground.{name}"),
                &format!("{name} said so"),
            )
        });
    }
    let mut belief = None;
    for group in groups {
        let premises: Vec<BeliefId> = group.iter().map(|it| said[it]).collect();
        belief = Some(world.derive(&premises, "the.conclusion", "It is so").belief);
    }
    let snapshot = world.memory.snapshot().unwrap();
    let found = snapshot.state().corroboration(belief.unwrap());
    assert!(found.exact);
    found.count
}

#[test]
fn corroboration_is_what_has_to_be_lost() {
    assert_eq!(count(&[&["a"], &["b"]]), 2);
    assert_eq!(count(&[&["a", "b"]]), 1);
    assert_eq!(count(&[&["a", "c"], &["b", "c"]]), 1);
    assert_eq!(count(&[&["a"], &["b"], &["c"]]), 3);
    assert_eq!(count(&[&["a", "b"], &["b", "c"], &["c", "a"]]), 2);
}

#[test]
fn twenty_four_origins_are_counted_exactly() {
    let names: Vec<String> = (0..24).map(|it| format!("source{it}")).collect();
    let groups: Vec<[&str; 1]> = names.iter().map(|it| [it.as_str()]).collect();
    let groups: Vec<&[&str]> = groups.iter().map(|it| &it[..]).collect();
    assert_eq!(count(&groups), 24);
}

#[test]
fn a_crowd_of_new_names_is_one_origin() {
    let world = World::new();
    for n in 0..5 {
        world.believe(
            "inbox",
            &format!("sybil{n}@x.example"),
            "shop.hours",
            "The shop opens at nine",
        );
    }
    let snapshot = world.memory.snapshot().unwrap();
    assert_eq!(snapshot.state().corroboration(BeliefId::new(1)).count, 1);
    world.declare("inbox", "sybil0@x.example");
    let snapshot = world.memory.snapshot().unwrap();
    assert_eq!(snapshot.state().corroboration(BeliefId::new(1)).count, 2);
}

#[test]
fn what_is_below_the_floor_takes_no_part() {
    let world = World::new();
    world.channel("rumours", "0.3", immune_model::Carriage::Relays);
    world.declare("inbox", "a");
    world.declare("rumours", "b");
    let belief = world.believe("inbox", "a", "shop.hours", "The shop opens at nine");
    world.believe("rumours", "b", "shop.hours", "The shop opens at nine");
    assert!(world.strength(belief) >= Trust::FLOOR);
    let snapshot = world.memory.snapshot().unwrap();
    assert_eq!(snapshot.state().corroboration(belief).count, 1);
}

fn mirror(world: &World, source: &str, of: &str) {
    use immune_engine::reason::plan::{Copying, SetMirror};
    let named = |name: &str| crate::common::source("inbox", name);
    let copying = Copying::Declared;
    let command = SetMirror {
        source: named(source),
        of: named(of),
        copying,
    };
    world.operator.set_mirror(command).unwrap();
}

#[test]
fn false_corroboration_is_seen_through() {
    let world = World::new();
    let names: Vec<String> = (0..11).map(|it| format!("page{it}")).collect();
    let mut belief = None;
    for name in &names {
        world.declare("inbox", name);
        belief = Some(world.believe("inbox", name, "shop.hours", "The shop opens at nine"));
    }
    let count = || {
        let snapshot = world.memory.snapshot().unwrap();
        snapshot.state().corroboration(belief.unwrap()).count
    };
    assert_eq!(count(), 11);
    for pair in names.windows(2) {
        mirror(&world, &pair[1], &pair[0]);
    }
    assert_eq!(count(), 1, "a chain of ten mirrors is one origin");
    mirror(&world, &names[0], &names[10]);
    assert_eq!(count(), 1, "so is a cycle");
}

#[test]
fn an_aggregator_of_two_does_not_make_them_one() {
    let world = World::new();
    for name in ["a", "b", "aggregator"] {
        world.declare("inbox", name);
        world.believe("inbox", name, "shop.hours", "The shop opens at nine");
    }
    mirror(&world, "aggregator", "a");
    mirror(&world, "aggregator", "b");
    let snapshot = world.memory.snapshot().unwrap();
    assert_eq!(snapshot.state().corroboration(BeliefId::new(1)).count, 2);
}

#[test]
fn a_copy_is_worth_no_more_than_what_it_copies() {
    let world = World::new();
    world.channel("rumours", "0.3", immune_model::Carriage::Relays);
    world.declare("rumours", "original");
    world.believe("rumours", "original", "x.y", "Something else");
    world.declare("inbox", "copy");
    let belief = world.believe("inbox", "copy", "shop.hours", "The shop opens at nine");
    let command = immune_engine::reason::plan::SetMirror {
        source: crate::common::source("inbox", "copy"),
        of: crate::common::source("rumours", "original"),
        copying: immune_engine::reason::plan::Copying::Declared,
    };
    world.operator.set_mirror(command).unwrap();
    assert_eq!(world.strength(belief), crate::common::trust("0.3"));
}
