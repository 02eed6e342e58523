//! `bench`: small runs, whose figures nobody quotes.

use serde_json::Value;

use crate::common::World;

#[test]
fn a_small_cascade_is_measured_and_written() {
    let world = World::new();
    let out = world.path("cascade.json");
    let line = "bench cascade --beliefs 1000 --runs 1 --peers sqlite";
    let shown = world.ok(&format!("{line} --out {}", out.display()));
    for part in [
        "1000 beliefs, seed 5",
        "fallen: what is right",
        "recursive CTE",
        "open",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let written: Value = serde_json::from_slice(&fs_err::read(&out).unwrap()).unwrap();
    let keys: Vec<_> = written.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["schema", "bench", "seed", "versions", "rows", "targets"]
    );
    assert_eq!(written["schema"], "immune.bench/1");
    let rows = written["rows"].as_array().unwrap();
    let memory = rows.iter().find(|it| it["what"] == "memory of the graph");
    assert!(memory.unwrap()["bytes_each"].as_f64().unwrap() > 10.0);
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_way_on() {
    let world = World::new();
    for (line, error) in [
        ("bench cascade --peers oracle", "`oracle` is no peer"),
        ("bench cascade --beliefs 10", "at least 1000 beliefs"),
    ] {
        let ran = world.run(line);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(error), "{}", ran.err);
        assert!(
            ran.err.contains("hint: `immune bench cascade --"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn what_floods_do_to_a_belief_is_a_table_with_its_targets() {
    let world = World::new();
    let shown = world.ok("bench belief");
    for part in [
        "immune",
        "compat",
        "majority",
        "decoy, 5 + 3 over 4",
        "holds",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let bench = world.json("bench belief --out belief.json");
    let targets = bench["targets"].as_array().unwrap();
    assert!(targets.iter().all(|it| it["holds"] == true), "{targets:#?}");
    assert!(world.path("belief.json").exists());
}

#[test]
fn laundering_fails_on_ours_alone() {
    let world = World::new();
    let bench = world.json("bench launder --out launder.json");
    let targets = bench["targets"].as_array().unwrap();
    assert!(targets.iter().all(|it| it["holds"] == true), "{targets:#?}");
    assert!(world.path("launder.json").exists());
    let published = world.ok("bench launder --mode compat");
    for part in ["compat, naive inherit", "trusted-tool echo", "holds"] {
        assert!(published.contains(part), "{published}");
    }
    let unknown = world.run("bench launder --mode other");
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.err.contains("write `compat` or `default`"),
        "{}",
        unknown.err
    );
}
