//! Recall by meaning with the model in the program: every path hides what fell, at once.

use serde_json::Value;

use crate::common::World;

const CLAIM: &str = "The automobile needs a new motor";
/// No word of the claim is in it.
const QUESTION: &str = "car engine";

fn facts(answer: &Value) -> Vec<String> {
    let facts = answer["facts"].as_array().unwrap().iter();
    facts
        .map(|it| it["belief"].as_str().unwrap().to_owned())
        .collect()
}

/// What an active belief is found by: meaning, words, subject, a list, and SQL.
fn paths(world: &World) -> [usize; 5] {
    let store = rusqlite::Connection::open(world.store()).unwrap();
    let counted = "SELECT count(*) FROM active_beliefs";
    let in_sql: i64 = store.query_row(counted, (), |row| row.get(0)).unwrap();
    let recalled = |line: &str| facts(&world.json(line)).len();
    [
        recalled(&format!("recall '{QUESTION}'")),
        recalled("recall automobile"),
        recalled("recall --about fleet.repair"),
        recalled("recall"),
        usize::try_from(in_sql).unwrap(),
    ]
}

fn world() -> World {
    let world = World::new();
    world.ok("channels set inbox --tier 0.7");
    world.ok(&format!(
        "remember --from a --channel inbox --about fleet.repair --claim '{CLAIM}'"
    ));
    world
}

#[test]
fn what_is_quarantined_is_on_no_path_and_comes_back_on_all() {
    let world = world();
    assert_eq!(paths(&world), [1; 5]);
    world.ok("flag bel_1");
    assert_eq!(paths(&world), [0; 5]);
    let left_out = world.json(&format!("recall '{QUESTION}'"));
    assert_eq!(left_out["excluded"][0]["item"], "bel_1");
    assert!(!left_out.to_string().contains("automobile"));
    world.ok("unflag bel_1");
    assert_eq!(paths(&world), [1; 5]);
    world.ok("channels set inbox --tier 0.3");
    assert_eq!(paths(&world)[..4], [0; 4]);
}

#[test]
fn an_answer_names_the_model_and_words_alone_can_be_chosen() {
    let world = world();
    let answer = world.json(&format!("recall '{QUESTION}'"));
    assert_eq!(answer["meaning"]["dimensions"], 256);
    assert!(answer["facts"][0]["scores"]["meaning"].as_f64().unwrap() > 0.6);
    assert_eq!(answer["facts"][0]["scores"]["words"], 0.0);
    let chosen = world.json("reindex --embedder words");
    assert_eq!(chosen["changed"], true);
    let answer = world.json(&format!("recall '{QUESTION}'"));
    assert!(facts(&answer).is_empty() && answer["meaning"].is_null());
    let back = world.json("reindex --embedder bundled");
    assert_eq!(
        (&back["documents"], &back["vectors"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        facts(&world.json(&format!("recall '{QUESTION}'"))),
        ["bel_1"]
    );
    world.ok("verify");
}

#[test]
fn what_cannot_be_chosen_is_refused_with_what_can() {
    let world = world();
    let unknown = world.refused("reindex --embedder bert", 2, "usage");
    assert!(unknown["hint"].as_str().unwrap().contains("`bundled`"));
    let unset = world.refused("reindex --embedder endpoint", 2, "usage");
    assert!(
        unset["message"]
            .as_str()
            .unwrap()
            .contains("IMMUNE_EMBED_URL")
    );
    let few = world.refused("calibrate", 1, "too_few");
    assert!(few["message"].as_str().unwrap().contains("50 are needed"));
    assert_eq!(facts(&world.json("recall automobile")), ["bel_1"]);
}

#[test]
fn how_fresh_it_is_is_a_part_of_the_score_on_request() {
    let world = world();
    let first = |line: &str| world.json(line)["facts"][0].clone();
    let plain = first("recall automobile");
    assert!(plain["scores"].get("recency").is_none());
    let fresh = first("recall automobile --recency 30d");
    let part = |of: &Value, name: &str| of["scores"][name].as_f64().unwrap();
    assert!(part(&fresh, "recency") > 0.99);
    let without = fresh["score"].as_f64().unwrap() - part(&fresh, "recency");
    assert!((without - plain["score"].as_f64().unwrap()).abs() < 1e-3);
    world.ok("remember --from b --channel inbox --about fleet.look --claim 'An automobile is red'");
    let page = world.ok("recall automobile --recency 30d --limit 1");
    assert!(page.contains("bel_"), "{page}");
    world.refused("recall --about fleet.repair --recency 30d", 2, "usage");
    world.refused("recall motor --recency soon", 2, "invalid_time");
}

#[test]
fn what_has_no_vector_is_listed_and_nothing_waits_for_the_bundled_model() {
    let world = world();
    let listed = world.json("reindex --list");
    assert_eq!(
        (&listed["failed"], &listed["waiting"]),
        (&0.into(), &0.into())
    );
    assert_eq!(listed["items"], serde_json::json!([]));
    world.ok("reindex --embedder words");
    let listed = world.json("reindex --list");
    assert_eq!(listed["items"], serde_json::json!([]));
    assert!(listed["problem"].is_null(), "it is what was chosen");
}

/// A model in a folder, with the feature `candle`, where `IMMUNE_TEST_MODEL` names one.
#[test]
fn a_model_in_a_folder_is_taken_and_finds_what_means_the_same() {
    let folder = std::env::var("IMMUNE_TEST_MODEL").ok();
    let Some(folder) = folder.filter(|_| cfg!(feature = "candle")) else {
        println!(
            "skipped: build with `--features candle` and set `IMMUNE_TEST_MODEL` to the folder of \
             a sentence transformer"
        );
        return;
    };
    let world = world();
    let option = format!("--embedder folder:{folder}");
    let chosen = world.json(&format!("reindex {option}"));
    assert_eq!(
        (&chosen["changed"], &chosen["documents"]),
        (&true.into(), &1.into())
    );
    assert_eq!(
        (&chosen["dimensions"], &chosen["failed"]),
        (&384.into(), &0.into())
    );
    // The bundled model is another one: words answer, and the answer says why.
    let other = world.json(&format!("recall '{QUESTION}'"));
    assert!(facts(&other).is_empty());
    assert!(
        other["meaning"]["problem"]
            .as_str()
            .unwrap()
            .contains("384 dimensions")
    );
    let mut command = world.command();
    command.env("IMMUNE_EMBEDDER", format!("folder:{folder}"));
    let output = command
        .args(["recall", QUESTION, "--json"])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(facts(&answer), ["bel_1"], "{answer}");
    world.ok("verify");
}
