//! What repeats the words of an earlier observation, and values in other words of one source.

use serde_json::json;

use crate::common::World;

const PAGE: &str = "All the customers of the spring campaign receive their refunds on the account \
    GB29 NWBK 6016 1331 9268 19 at the bank in London";

fn with_echo() -> World {
    let world = World::new();
    world.ok("channels set web --tier 0.3");
    world.ok("channels set tools --tier 0.9");
    world.ok("sources declare https://page.example --channel web");
    world.ok("sources declare browser --channel tools");
    world.ok(&format!(
        "remember '{PAGE}' --from https://page.example --channel web --about page.text"
    ));
    world
}

fn echo() -> String {
    format!("'{PAGE}' --from browser --channel tools --about refund.destination")
}

#[test]
fn a_tool_that_echoes_a_page_is_told_to_be_worth_the_page() {
    let world = with_echo();
    let screened = world.json(&format!("screen {}", echo()));
    let written = world.json(&format!("remember {}", echo()));
    for it in [&screened["reports"][0], &written] {
        let first = &it["statements"][0];
        assert_eq!(first["verdict"], "inert");
        let reason = "strength 0.30 is below the floor 0.50: its echo decides";
        assert_eq!(first["reason"], reason);
        let terms = first["trusted"]["terms"].as_array().unwrap();
        let echo = terms.iter().find(|it| it["term"] == "echo").unwrap();
        assert_eq!(
            (&echo["trust"], &echo["of"]),
            (&json!(0.3), &json!("obs_1"))
        );
    }
    let explained = world.ok("explain bel_2");
    let words = "at most 0.30, as obs_1 said the same words before it";
    assert!(explained.contains(words), "{explained}");
    assert!(
        explained.contains("trusted 0.30 by its echo of obs_1"),
        "{explained}"
    );
    let then = world.json("verify")["events"].clone();
    world.ok("sources mirror browser --of https://page.example --independent");
    let strength = |line: &str| world.json(line)["belief"]["strength"].clone();
    assert_eq!(strength("explain bel_2"), 0.9);
    assert_eq!(strength(&format!("explain bel_2 --as-of {then}")), 0.3);
    let report = world.json("explain obs_2 --screening");
    assert!(report.to_string().contains("its echo decides"), "{report}");
}

#[test]
fn an_echo_comes_back_from_a_graph_no_stronger() {
    let world = with_echo();
    world.ok(&format!("remember {}", echo()));
    world.ok("-q graph export g.jsonl");
    world.ok("--store copy.db graph import g.jsonl");
    let copy = world.json("--store copy.db graph status");
    let strength = |it: &str| copy[it]["strength"].clone();
    assert_eq!(
        (strength("bel:1"), strength("bel:2")),
        (json!(0.3), json!(0.3))
    );
}

#[test]
fn a_time_in_other_words_of_one_source_is_one_belief() {
    let world = World::new();
    world.ok("channels set inbox --tier 0.7");
    let say = |claim: &str| {
        let line =
            format!("remember '{claim}' --from a@x.example --channel inbox --about office.start");
        world.json(&line)
    };
    let first = say("The office opens at 9 am.");
    let again = say("The office opens at 9:00.");
    let belief = |it: &serde_json::Value| it["statements"][0]["belief"].clone();
    assert_eq!(belief(&first), belief(&again));
    assert_eq!(again["statements"][0]["verdict"], "restated");
}

#[test]
fn an_amount_that_may_be_two_numbers_is_neither_the_same_nor_a_conflict() {
    let world = World::new();
    for other in ["1 EUR", "1000 EUR"] {
        let line = format!("compare 'The price is 1.000 EUR' 'The price is {other}'");
        assert_eq!(world.json(&line)["relation"], "unrelated", "{other}");
    }
}
