//! `graph`, `export`, `import` and `backup`, as a shell runs them.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{Ran, World, write};

/// A mail that a scrape copies, a conclusion, and what was done because of it.
const GRAPH: &str = r#"{"source":"mail","channel":"inbox","tier":0.7,"kind":"email","mirrors":["scrape"]}
{"justification":"j1","belief":"b1","premises":["o1","b0"]}
{"source":"scrape","channel":"web","tier":0.6}
{"observation":"o1","source":"mail","text":"Refunds go to DE89370400440532013000","at":"2026-08-13T13:30:00Z"}
{"observation":"o2","source":"scrape"}

{"belief":"b1","about":"refund.destination","claim":"Refunds go to DE89370400440532013000","agent":"researcher"}
{"belief":"b0"}
{"belief":"lonely"}
{"justification":"j0","belief":"b0","premises":["o2"]}
{"justification":"back","belief":"b0","premises":["b1"]}
{"decision":"d 1","agent":"invoicing","relied_on":["b1"]}
{"action":"a1","decision":"d 1","kind":"refund.payout","class":"compensable","status":"executed"}
"#;

fn with_graph() -> World {
    let world = World::new();
    write(&world.path("g.jsonl"), GRAPH);
    world.ok("graph import g.jsonl");
    world
}

fn standing(status: &str, strength: f64, corroboration: u32) -> Value {
    json!({"status": status, "strength": strength, "corroboration": corroboration})
}

#[test]
fn a_graph_is_imported_and_shown_under_its_aliases() {
    let world = with_graph();
    let status = world.json("graph status");
    let wanted = json!({
        "o1": standing("active", 0.6, 1), "o2": standing("active", 0.6, 1),
        "b1": standing("active", 0.6, 1), "b0": standing("active", 0.6, 1),
        "lonely": standing("unsupported", 0.0, 0),
        "d 1": standing("active", 0.6, 1), "a1": standing("executed", 0.6, 1),
    });
    assert_eq!(status, wanted);
    assert_eq!(world.json("verify")["sound"], true);
    assert_eq!(world.json("explain b1")["belief"]["belief"], "bel_1");
    assert_eq!(world.json("explain 'd 1'")["item"], "dec_1");
    world.ok("history a1");
    let derived = "derive --from b1 --about x.y --claim 'so it is' --agent bot";
    assert_eq!(world.json(derived)["premises"][0], "bel_1");
    world.ok("flag mail --reason spoofed");
    let status = world.json("graph status");
    assert_eq!(status["o1"]["status"], "quarantined");
    assert_eq!(status["b1"], standing("revoked", 0.0, 0));
    assert_eq!(status["b0"]["status"], "active");
    assert_eq!(status["bel_4"]["status"], "revoked", "no alias: its id");
    assert_eq!(status["d 1"]["status"], "revoked");
    assert_eq!(status["a1"]["status"], "reversing");
    let again = world.json("graph import g.jsonl");
    assert_eq!(
        (&again["known"], &again["lines"]),
        (&json!(12), &json!(12)),
        "{again}"
    );
    assert_eq!(world.json("graph status"), status, "nothing happens");
}

#[test]
fn an_export_comes_back_byte_for_byte_and_names_what_it_leaves_out() {
    let world = with_graph();
    let ran = world.run("-q graph export --strict");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "nothing is left out");
    world.ok("flag o2");
    let first = world.ok("graph export");
    write(&world.path("first.jsonl"), &first);
    world.ok("--store other.db graph import first.jsonl");
    assert_eq!(world.ok("--store other.db graph export -"), first);
    assert_eq!(
        world.ok("--store other.db --json graph status"),
        world.ok("--json graph status")
    );
    world.ok("graph export whole.jsonl");
    assert_eq!(
        fs_err::read_to_string(world.path("whole.jsonl")).unwrap(),
        first
    );
    let ran = world.run("graph export --strict");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .ends_with("  1 reversals: act_1\n  1 tasks: tsk_1\n"),
        "{}",
        ran.err
    );

    let healed = World::with_lie();
    healed.heal();
    let ran = healed.run("graph export --strict");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("warning: a graph cannot say all that this memory holds")
    );
    assert!(
        ran.err.contains("  1 refutations, now flags: bel_1"),
        "{}",
        ran.err
    );
    let report = healed.json("graph export healed.jsonl");
    let left = report["left_out"].as_array().unwrap();
    let refuted = left
        .iter()
        .find(|it| it["what"] == "refutations, now flags")
        .unwrap();
    assert_eq!(
        (&refuted["count"], &refuted["ids"]),
        (&json!(1), &json!(["bel_1"]))
    );
    healed.ok("--store copy.db graph import healed.jsonl");
    let status = healed.json("--store copy.db graph status");
    assert_eq!(status["bel:1"]["status"], "quarantined", "a lie stays one");
    assert_eq!(status["bel:2"]["status"], "revoked");
    let exported = fs_err::read_to_string(healed.path("healed.jsonl")).unwrap();
    assert_eq!(healed.ok("--store copy.db graph export"), exported);
}

#[test]
fn nothing_comes_back_from_a_graph_stronger_than_it_was() {
    let world = World::new();
    world.ok("channels set notes --tier 0.9");
    world.ok("sources declare me --channel notes");
    for (from, about, claim) in [
        ("me", "gate.sure", "The gate code is 4411"),
        ("me", "gate.rumour", "The gate code is allegedly 4412"),
        ("stranger", "gate.other", "The gate code is 4413"),
    ] {
        let said = format!("remember '{claim}' --from {from} --channel notes --about {about}");
        world.ok(&said);
    }
    world.ok("remember 'The gate code is 4414' --from me --channel notes --about gate.low --confidence 0.2");
    world.ok("flag stranger");
    world.ok("unflag stranger");
    let report = world.json("-q graph export g.jsonl");
    let left = report["left_out"].as_array().unwrap();
    let count = |what: &str| {
        let found = left.iter().find(|it| it["what"] == what);
        found.map(|it| it["count"].clone())
    };
    assert_eq!(count("strengths, now held by a premise"), Some(json!(2)));
    let moved = count("sources, now in a channel of the tier they have");
    assert_eq!(moved, Some(json!(1)));
    world.ok("--store copy.db graph import g.jsonl");
    let copy = world.json("--store copy.db graph status");
    let strength = |it: usize| copy[format!("bel:{it}")]["strength"].clone();
    let all: Vec<_> = (1..=4).map(strength).collect();
    assert_eq!(all, [0.9, 0.15, 0.7, 0.2]);
}

#[test]
fn a_graph_that_is_wrong_is_refused_whole() {
    let world = with_graph();
    let before = world.ok("--json graph status");
    for (text, code, message) in [
        (
            "{\"belief\":\"b9\"}\n{\"justification\":\"j9\",\"belief\":\"b9\",\"premises\":[\"nope\"]}",
            "invalid_graph",
            "line 2, `j9`: `nope` is neither in the file nor in this memory",
        ),
        (
            "{\"source\":\"s\",\"channel\":\"c\",\"tier\":0.5}\n{\"source\":\"t\",\"channel\":\"c\",\"tier\":0.6}",
            "invalid_graph",
            "line 2, `t`: channel `c` has tier 0.60 here and tier 0.50 in line 1, `s`",
        ),
        (
            "{\"source\":\"s\",\"channel\":\"inbox\",\"tier\":0.5}",
            "graph_conflict",
            "line 1, `s`: channel `inbox` has tier 0.70 in this memory, not 0.50",
        ),
        (
            "{\"belief\":\"b1\",\"about\":\"refund.destination\",\"claim\":\"elsewhere\"}",
            "graph_conflict",
            "line 1, `b1`: it is `bel_1` in this memory, and that says something else: `claim` \
             `Refunds go to DE89370400440532013000` there and `elsewhere` here",
        ),
        (
            "{\"observation\":\"b1\",\"source\":\"mail\"}",
            "graph_conflict",
            "line 1, `b1`: it is `bel_1` in this memory, and that says something else: \
             a belief there and an observation here",
        ),
        (
            "{\"justification\":\"j9\",\"belief\":\"o1\",\"premises\":[\"b1\"]}",
            "invalid_graph",
            "line 1, `j9`: `o1` is no belief",
        ),
        (
            "{\"justification\":\"j9\",\"belief\":\"b1\",\"premises\":[]}",
            "invalid_graph",
            "line 1, `j9`: a justification needs at least one premise",
        ),
        (
            "{\"source\":\"s\",\"channel\":\"c\",\"tier\":0.5,\"mirrors\":[\"s\"]}",
            "invalid_graph",
            "line 1, `s`: a source cannot copy itself",
        ),
        (
            "{\"belief\":\"new\"}\n{\"decision\":\"d9\",\"relied_on\":[\"new\"",
            "invalid_graph",
            "line 2, `d9`: it is no JSON object: EOF while parsing a list at column 35",
        ),
        (
            "{\"flag\":\"d 1\"}",
            "invalid_graph",
            "line 1, `d 1`: `d 1` is no source, observation or belief",
        ),
    ] {
        let ran = world.fed("--json graph import -", text.as_bytes());
        let problem = ran.problem();
        assert_eq!(
            (problem["code"].as_str(), problem["message"].as_str()),
            (Some(code), Some(message))
        );
        let wanted = if code == "graph_conflict" { 1 } else { 2 };
        assert_eq!(ran.code, wanted, "{message}");
        assert_eq!(world.ok("--json graph status"), before, "{message}");
    }
    let many: Vec<String> = (0..1_000_000).map(|it| format!("\"p{it}\"")).collect();
    let line = format!(
        r#"{{"justification":"j9","belief":"b1","premises":[{}]}}"#,
        many.join(",")
    );
    let ran = world.fed("graph import -", line.as_bytes());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("line 1"), "{}", ran.err);
    let ran = world.run("--as agent:bot graph import g.jsonl");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = world.run("graph import nowhere.jsonl");
    assert_eq!(ran.code, 2);
    assert_eq!(world.run("explain nope").code, 2);
}

#[test]
fn cycles_stand_on_their_grounds_alone() {
    let world = World::new();
    let text = r#"{"belief":"self"}
{"justification":"j1","belief":"self","premises":["self"]}
{"belief":"a"}
{"belief":"b"}
{"justification":"ab","belief":"b","premises":["a"]}
{"justification":"ba","belief":"a","premises":["b"]}
{"source":"s","channel":"c","tier":0.555}
{"observation":"o","source":"s"}
"#;
    assert_eq!(world.fed("graph import -", text.as_bytes()).code, 0);
    let status = world.json("graph status");
    for name in ["self", "a", "b"] {
        assert_eq!(status[name], standing("unsupported", 0.0, 0), "{name}");
    }
    let ground = r#"{"justification":"ob","belief":"b","premises":["o"]}"#;
    assert_eq!(world.fed("graph import -", ground.as_bytes()).code, 0);
    let status = world.json("graph status");
    assert_eq!(status["self"]["status"], "unsupported");
    assert_eq!(status["a"], standing("active", 0.555, 1));
    assert_eq!(status["b"], standing("active", 0.555, 1));
}

fn layered(n: usize) -> String {
    let graph = immune_testkit::graph::layered(n, 5);
    graph.lines().map(|it| it + "\n").collect()
}

#[test]
fn an_import_that_is_killed_leaves_all_or_nothing() {
    let world = World::new();
    write(&world.path("large.jsonl"), &layered(3_000));
    for round in 0..3 {
        let mut command = world.command();
        let command = command.args(["graph", "import", "large.jsonl"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if round > 0 {
            // Once the store is there, it is being written to or about to be.
            while !world.store().exists() && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if world.store().exists() {
        let ran = world.run("--json graph status");
        if ran.code == 0 {
            let status: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(status.as_object().unwrap().len(), 3_000 + 1_200);
        } else {
            // Killed before, or while the file was laid out.
            let code = ran.problem()["code"].clone();
            assert!(code == "no_memory" || code == "not_a_store", "{code}");
        }
    }
    world.ok("graph import large.jsonl");
    assert_eq!(world.json("verify")["sound"], true);
}

#[test]
fn two_imports_at_once_are_one_after_the_other() {
    let world = World::new();
    write(&world.path("large.jsonl"), &layered(1_000));
    let start = || {
        let mut command = world.command();
        let command = command.args(["--json", "graph", "import", "large.jsonl"]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let running = [start(), start()];
    let mut known = Vec::new();
    for child in running {
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let imported: Value = serde_json::from_str(&ran.out).unwrap();
        known.push(imported["known"] == imported["lines"]);
    }
    known.sort_unstable();
    assert_eq!(known, [false, true], "the later one finds everything there");
    assert_eq!(world.json("verify")["sound"], true);
}

#[test]
fn a_memory_moves_whole_and_what_is_not_whole_is_refused() {
    let world = World::with_lie();
    world.heal();
    let head = world.json("verify")["head"].clone();
    world.ok("export moved.immune");
    let moved = world.json("--store other.db import moved.immune");
    assert_eq!(
        (&moved["memory"], &moved["head"]),
        (&json!("default"), &head)
    );
    let verified = world.json("--store other.db verify");
    assert_eq!(
        (&verified["sound"], &verified["head"]),
        (&json!(true), &head)
    );
    assert_eq!(
        world.ok("--store other.db --json list beliefs"),
        world.ok("--json list beliefs")
    );
    let again = world.run("--json --store other.db import moved.immune");
    assert_eq!(
        (again.code, again.problem()["code"].as_str()),
        (2, Some("not_empty"))
    );
    world.ok("--store other.db --memory twin import moved.immune");
    assert_eq!(
        world.json("--store other.db --memory twin verify")["head"],
        head
    );

    let bytes = fs_err::read(world.path("moved.immune")).unwrap();
    let refuse = |name: &str, bytes: &[u8]| {
        let ran = world.fed("--json --store third.db import -", bytes);
        assert_eq!(ran.code, 2, "{name}");
        let problem = ran.problem();
        let ran = world.run("--json --store third.db list beliefs");
        assert_eq!(ran.code, 1, "{name}: nothing is kept");
        problem
    };
    for cut in [0, 10, 30, bytes.len() / 2, bytes.len() - 1] {
        let problem = refuse("cut", &bytes[..cut]);
        assert_eq!(problem["code"], "invalid_export", "{problem}");
    }
    for at in (20..bytes.len()).step_by(bytes.len() / 60) {
        let mut altered = bytes.clone();
        altered[at] ^= 0x20;
        refuse(&format!("altered at {at}"), &altered);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let problem = refuse("longer", &longer);
    assert!(
        problem["message"]
            .as_str()
            .unwrap()
            .contains("after the end"),
        "{problem}"
    );
    let ran = world.run("--json export moved.immune");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("already_there"))
    );
}

#[test]
fn a_backup_is_a_store_that_is_sound() {
    let world = World::with_lie();
    let head = world.json("verify")["head"].clone();
    let copied = world.json("backup copy.db");
    assert_eq!(copied["memories"][0]["head"], head);
    world.heal();
    let verified = world.json("--store copy.db verify");
    assert_eq!(
        (&verified["sound"], &verified["head"]),
        (&json!(true), &head)
    );
    let ran = world.run("backup copy.db");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(!world.path("copy.db.part").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs_err::metadata(world.path("copy.db"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "nobody else reads it");
    }
    assert_eq!(world.run("--store nowhere.db backup x.db").code, 2);
}

#[test]
fn an_import_that_is_killed_while_it_is_committed_leaves_all_or_nothing() {
    let world = World::new();
    write(&world.path("large.jsonl"), &layered(2_000));
    world.ok("channels set inbox --tier 0.7");
    let before = world.json("verify")["head"].clone();
    let wal = world.path("m.db-wal");
    let wal_bytes = || fs_err::metadata(&wal).map_or(0, |it| it.len());
    let mut n_cut_off = 0;
    let all = 2_000 + 800;
    let n_standing = || world.json("graph status").as_object().unwrap().len();
    for round in 0..5_u64 {
        let mut import = world.command();
        let import = import.args(["graph", "import", "large.jsonl"]);
        let mut import = import.stdout(Stdio::null()).spawn().unwrap();
        // All of it is written in one go; each round lets more of that happen, the first nothing.
        let enough = round * 400_000;
        while import.try_wait().unwrap().is_none() && wal_bytes() < enough {
            std::thread::yield_now();
        }
        import.kill().unwrap();
        import.wait().unwrap();
        let verified = world.json("verify");
        assert_eq!(verified["sound"], true, "round {round}");
        if verified["head"] != before {
            assert_eq!(n_standing(), all, "round {round}");
            break;
        }
        n_cut_off += 1;
    }
    assert!(n_cut_off > 0, "the first was killed before its end");
    world.ok("graph import large.jsonl");
    assert_eq!(n_standing(), all);
}
