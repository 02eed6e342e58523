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
        ("bench attribute --n 3", "candidates are 4 to 10000"),
        ("bench attribute --flip 0.5", "candidates are 4 to 10000"),
    ] {
        let ran = world.run(line);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(error), "{}", ran.err);
        let bench: Vec<&str> = line.split(' ').take(2).collect();
        assert!(
            ran.err
                .contains(&format!("hint: `immune {} --", bench.join(" "))),
            "{}",
            ran.err
        );
    }
}

#[test]
fn who_is_to_blame_is_a_table_of_calls_beside_the_bound() {
    let world = World::new();
    let shown = world.ok("bench attribute --n 10 --flip 0");
    for part in [
        "of 10, flip 0.00",
        "2 all together",
        "immune, causes proven",
        "QuickXplain",
        "bound",
        "holds",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let bench = world.json("bench attribute --n 10 --flip 0");
    let rows = bench["rows"].as_array().unwrap();
    let ours = rows.iter().find(|it| it["engine"] == "immune").unwrap();
    assert_eq!(
        (&ours["percent"], &ours["calls_bound"]),
        (&100.0.into(), &3.32.into())
    );
}

#[test]
fn what_floods_do_to_a_belief_is_a_table_with_its_targets() {
    let world = World::new();
    let shown = world.ok("bench poison");
    for part in [
        "immune",
        "compat",
        "majority",
        "new names: 5, over 4",
        "holds",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let bench = world.json("bench poison --out poison.json");
    let targets = bench["targets"].as_array().unwrap();
    assert!(targets.iter().all(|it| it["holds"] == true), "{targets:#?}");
    assert!(world.path("poison.json").exists());
}

#[test]
fn a_mode_has_its_own_rows_and_those_that_remember_nothing() {
    let world = World::new();
    for (mode, not) in [("compat", "immune"), ("default", "compat")] {
        let bench = world.json(&format!("bench poison --mode {mode}"));
        let rows = bench["rows"].as_array().unwrap();
        let is_of = |name: &str| rows.iter().any(|it| it["engine"] == name);
        assert!(!is_of(not) && is_of("majority"), "{mode}");
    }
}

#[test]
fn the_check_names_each_cell_that_differs() {
    let world = World::new();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/results");
    let results = world.path("results");
    fs_err::create_dir(&results).unwrap();
    for file in fs_err::read_dir(kept).unwrap() {
        let file = file.unwrap();
        fs_err::copy(file.path(), results.join(file.file_name())).unwrap();
    }
    let same = world.json("bench check decoy flood --results results");
    assert_eq!(same["schema"], "immune.bench_checked/1");

    let path = results.join("decoy.json");
    let text = fs_err::read_to_string(&path).unwrap();
    let changed = text.replacen("\"percent\": 100.0", "\"percent\": 99.0", 1);
    assert_ne!(text, changed);
    fs_err::write(&path, changed).unwrap();
    fs_err::remove_file(results.join("flood.json")).unwrap();
    let ran = world.run("bench check decoy flood --results results");
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("kept 99.0, found 100.0"), "{}", ran.out);
    assert!(ran.out.contains("flood: flood, file"), "{}", ran.out);
    assert!(
        ran.err
            .contains("2 cells differ from what is kept, in decoy, flood"),
        "{}",
        ran.err
    );

    world.refused("bench check decay --results results", 2, "usage");
    let ran = world.run("bench check --results nowhere");
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn laundering_fails_on_ours_alone() {
    let world = World::new();
    let bench = world.json("bench launder --mode default --out launder.json");
    let targets = bench["targets"].as_array().unwrap();
    assert!(targets.iter().all(|it| it["holds"] == true), "{targets:#?}");
    assert!(world.path("launder.json").exists());
    let published = world.ok("bench launder --mode compat");
    for part in ["compat, naive inherit", "trusted-tool echo", "holds"] {
        assert!(published.contains(part), "{published}");
    }
}

#[test]
fn a_filter_is_measured_without_peers_and_written() {
    let world = World::new();
    let out = world.path("filter.json");
    let line = "bench filter --n 1000 --dims 64 --peers none";
    let shown = world.ok(&format!("{line} --out {}", out.display()));
    for part in [
        "5 % of the clusters",
        "hole300",
        "100.0 %",
        "recall of every cell at 1000",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let written: Value = serde_json::from_slice(&fs_err::read(&out).unwrap()).unwrap();
    let rows = written["rows"].as_array().unwrap();
    let asked = |it: &&Value| it["engine"] == "immune" && it["cpu_p99_ms"].is_number();
    assert_eq!(rows.iter().filter(asked).count(), 6);
    world.refused("bench filter --n 10 --peers none", 2, "usage");
    world.refused("bench filter --dims 0 --peers none", 2, "usage");
}

#[test]
fn a_mesh_without_mail_is_refused_with_where_it_was_looked_for() {
    let world = World::new();
    world.refused("bench mesh --mail nowhere", 2, "usage");
}
