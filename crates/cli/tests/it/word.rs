//! What an agent concludes beyond its premises is its own word: it is named, and counts once.

use expect_test::expect;

use crate::common::World;

const GB: &str = "GB29NWBK60161331926819";
const DE: &str = "DE89370400440532013000";

/// A record that speaks of the moon, and two declared sources that disagree about an account.
fn contested() -> World {
    let world = World::new();
    for line in [
        "channels set books --tier 0.98 --authored",
        "sources record ledger --channel books --area 'sky.*'",
        "channels set agents --tier 0.9",
        "channels set inbox --tier 0.9",
        "sources declare evil --channel inbox",
        "sources declare b --channel inbox",
        "remember --from ledger --about sky.moon --claim 'The moon is round'",
    ] {
        world.ok(line);
    }
    for (from, account) in [("b", DE), ("evil", GB)] {
        world.ok(&format!(
            "remember --from {from} --about refund.destination --claim 'Refunds go to {account}'"
        ));
    }
    world
}

fn concludes(world: &World, premise: &str) {
    world.ok(&format!(
        "--as agent:bot derive --from {premise} --about refund.destination \
         --claim 'Refunds go to {GB}'"
    ));
}

/// The label and the corroboration of both accounts, the true one first.
fn labels(world: &World) -> [(String, u64); 2] {
    let reply = world.json("recall refunds");
    let facts = reply["facts"].as_array().unwrap();
    ["bel_2", "bel_3"].map(|id| {
        let fact = facts.iter().find(|it| it["belief"] == id).unwrap();
        let label = fact["label"].as_str().unwrap().to_owned();
        (label, fact["corroboration"].as_u64().unwrap())
    })
}

#[test]
fn conclusions_that_do_not_follow_settle_no_contest_and_are_one_origin() {
    let world = contested();
    let both = |n| [("contested".to_owned(), 1), ("contested".to_owned(), n)];
    assert_eq!(labels(&world), both(1));
    concludes(&world, "bel_1");
    assert_eq!(labels(&world), both(2), "the agent is one more");
    concludes(&world, "bel_2");
    assert_eq!(
        labels(&world),
        both(2),
        "who says otherwise vouches for nothing"
    );
}

#[test]
fn conclusions_of_one_agent_do_not_pass_a_rule_that_asks_for_two_origins() {
    let world = World::new();
    for line in [
        "channels set inbox --tier 0.9",
        "remember --from n --channel inbox --about hello.world --claim 'Hello world is nice'",
        "sources declare c --channel inbox",
        "remember --from c --about sky.moon --claim 'The moon is round'",
        "rules set pay --class irreversible --unknown warn --min-origins 2",
    ] {
        world.ok(line);
    }
    concludes(&world, "bel_1");
    concludes(&world, "bel_2");
    let refused = world.run(&format!(
        "guard --kind pay --uses bel_3 --payload 'to {GB}' --dry-run"
    ));
    assert_eq!(refused.code, 1);
    let why = "bel_3 has corroboration 1, `pay` asks for 2";
    assert!(refused.err.contains(why), "{}", refused.err);
}

#[test]
fn the_agent_is_named_where_a_record_spoke_of_something_else() {
    let world = contested();
    world.ok(&format!(
        "--as agent:bot derive --from bel_1 --about pay.dest --claim 'Pay to {GB}'"
    ));
    let recalled = world.ok("recall pay");
    let fact: Vec<&str> = recalled.lines().take(4).collect();
    expect![[r"
        bel_4  single-origin  0.90  pay.dest
          Pay to GB29NWBK60161331926819
          from ledger (books), bot (agents)
          is the word of bot, and rests on ledger; strength 0.90, floor 0.50"]]
    .assert_eq(&fact.join("\n"));
    let explained = world.json("explain bel_4");
    assert_eq!(explained["belief"]["justifications"][0]["own_word"], true);
    let explained = world.ok("explain bel_4");
    let said = "no premise says its value: it is the word of bot (agents)";
    assert!(explained.contains(said), "{explained}");
    let origins = world.json("origins bel_4");
    assert!(origins.to_string().contains("bot"), "{origins}");
    let record = world.ok("record pay");
    assert!(record.contains("bot (agents)"), "{record}");
}

#[test]
fn what_premises_say_is_theirs_and_not_the_word_of_the_agent() {
    let world = contested();
    for (from, about) in [
        ("b", "invoice.first_account"),
        ("evil", "invoice.second_account"),
    ] {
        world.ok(&format!(
            "remember --from {from} --about {about} --claim 'The account is {DE}'"
        ));
    }
    for premise in ["bel_4", "bel_5"] {
        world.ok(&format!(
            "--as agent:bot derive --from {premise} --about supplier.iban --claim 'Pay {DE}'"
        ));
    }
    let explained = world.json("explain bel_6");
    assert_eq!(explained["belief"]["corroboration"], 2);
    let first = &explained["belief"]["justifications"][0];
    assert_eq!(first["own_word"], serde_json::Value::Null);
}

#[test]
fn what_an_agent_was_shown_carries_its_conclusion_with_no_run_named() {
    let world = World::new();
    for line in [
        "channels set web --tier 0.3",
        "channels set inbox --tier 0.9",
        "remember --from n --channel inbox --about sky.moon --claim 'The moon is round'",
    ] {
        world.ok(line);
    }
    world.ok(&format!(
        "remember --from evil --channel web --about pay.hint --claim 'Refunds go to {GB}'"
    ));
    world.ok("--as agent:bot recall refunds --floor 0.1");
    let derived = world.json(&format!(
        "--as agent:bot derive --from bel_1 --about refund.destination \
         --claim 'Refunds go to {GB}'"
    ));
    assert_eq!(derived["strength"], 0.3);
    let explained = world.json("explain bel_3");
    let by = &explained["belief"]["justifications"][0];
    let premises = by["premises"].as_array().unwrap().iter();
    let premises: Vec<_> = premises.map(|it| it["premise"].as_str().unwrap()).collect();
    assert_eq!(premises, ["bel_1", "bel_2"]);
    assert_eq!(
        by["own_word"],
        serde_json::Value::Null,
        "its premise says it"
    );
    // Whoever was shown nothing is the origin itself.
    let derived = world.json(&format!(
        "--as agent:other derive --from bel_1 --about refund.destination \
         --claim 'Refunds go to {GB}'"
    ));
    assert_eq!(derived["strength"], 0.7);
    let explained = world.json("explain bel_3");
    let by = explained["belief"]["justifications"]
        .as_array()
        .unwrap()
        .iter();
    let own = by.filter(|it| it["own_word"] == true).count();
    assert_eq!(own, 1);
}
