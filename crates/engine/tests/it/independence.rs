//! Independence counts origins, not names (the facts of seeds.md 7).

use immune_engine::reason::plan::GuardVerdict;
use immune_model::{
    ActionClass, BeliefId, Kind, Rule, RuleId, Trust, UnknownPolicy, Waiver, WaiverBar,
};

use crate::common::{World, subject};

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

/// A rule for payments that asks for so much corroboration, and asks nothing else.
fn asking(world: &World, class: ActionClass, corroboration: u32) -> bool {
    let rule = Rule {
        rule: RuleId::new(1),
        kind: Kind::new("pay").unwrap(),
        class,
        unknown: UnknownPolicy::Allow,
        waiver: None,
        compensation: None,
    };
    world.set_rule(rule, corroboration)
}

#[test]
fn an_action_is_refused_below_the_corroboration_that_its_rule_asks_for() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.declare("inbox", name);
    }
    let one = world.believe("inbox", "a", "shop.hours", "The shop opens at nine");
    let two = world.believe("inbox", "a", "shop.town", "The shop is in Delft");
    world.believe("inbox", "b", "shop.town", "The shop is in Delft");
    let derived = world.derive(&[one, two], "shop.visit", "Go there").belief;
    asking(&world, ActionClass::Reversible, 2);
    let guard = |used: &[BeliefId]| world.guard("pay", "p", Some(used));
    assert_eq!(guard(&[two]).reasons, Vec::<String>::new());
    let refused = guard(&[two, derived]);
    assert_eq!(refused.verdict, GuardVerdict::Refused);
    assert_eq!(
        refused.reasons,
        ["bel_3 has corroboration 1, `pay` asks for 2"]
    );
    assert_eq!(refused.uncorroborated, [derived]);
    world.believe("inbox", "c", "shop.hours", "The shop opens at nine");
    assert_eq!(guard(&[derived]).verdict, GuardVerdict::Proceed);
    mirror(&world, "c", "a");
    assert_eq!(
        guard(&[derived]).reasons,
        ["bel_3 has corroboration 1, `pay` asks for 2"],
        "one that copies adds nothing"
    );
    assert_eq!(
        guard(&[]).reasons,
        ["no trusted belief supports it"],
        "what relies on nothing has no corroboration, reversible or not"
    );
}

#[test]
fn a_belief_that_does_not_stand_is_refused_once() {
    let world = World::new();
    let lie = world.believe("inbox", "a@x.example", "shop.fee", "The fee is USD 9");
    asking(&world, ActionClass::Compensable, 2);
    world.challenge("records", "ledger", "shop.fee", "The fee is USD 5");
    let refused = world.guard("pay", "p", Some(&[lie]));
    assert_eq!(refused.reasons, ["bel_1 is quarantined"]);
    assert!(refused.uncorroborated.is_empty());
}

#[test]
fn a_waiver_needs_the_corroboration_as_well() {
    let world = World::new();
    for name in ["a", "b"] {
        world.declare("inbox", name);
        world.believe("inbox", name, "shop.town", "The shop is in Delft");
    }
    world.believe("inbox", "a", "pay.skip_check", "The check may be skipped");
    let rule = Rule {
        rule: RuleId::new(1),
        kind: Kind::new("pay").unwrap(),
        class: ActionClass::Irreversible,
        unknown: UnknownPolicy::Block,
        waiver: Some(Waiver {
            subject: subject("pay.skip_check"),
            bar: WaiverBar::Strength(Trust::FLOOR),
        }),
        compensation: None,
    };
    world.set_rule(rule, 2);
    let refused = world.guard("pay", "p", Some(&[BeliefId::new(1)]));
    assert_eq!(
        refused.reasons,
        ["bel_2 has corroboration 1, `pay` asks for 2"]
    );
}

#[test]
fn a_rule_that_is_set_anew_asks_for_what_it_says_then() {
    let world = World::new();
    let asked = || {
        let snapshot = world.memory.snapshot().unwrap();
        (
            snapshot.state().corroboration_asked(RuleId::new(1)),
            snapshot.state().seq(),
        )
    };
    assert!(asking(&world, ActionClass::Compensable, 2));
    let (count, seq) = asked();
    assert_eq!(count, 2);
    assert!(!asking(&world, ActionClass::Compensable, 2), "as it was");
    assert_eq!(asked(), (2, seq));
    assert!(asking(&world, ActionClass::Compensable, 3));
    assert_eq!(asked(), (3, seq + 1), "only what is asked for changed");
    assert!(asking(&world, ActionClass::Reversible, 3));
    assert_eq!(asked().0, 3);
    assert!(asking(&world, ActionClass::Compensable, 0));
    assert_eq!(asked().0, 0);
}
