//! `verify`, `doctor`, `completions`, `version`, and which store is used.

use expect_test::expect;
use serde_json::Value;

use crate::common::{Ran, World, write};

#[test]
fn verify_says_sound_and_finds_what_was_changed_behind_its_back() {
    let world = World::with_lie();
    let verified = world.json("verify");
    assert_eq!(verified["sound"], true);
    assert_eq!(verified["head"].as_str().unwrap().len(), 64);
    let database = rusqlite::Connection::open(world.store()).unwrap();
    // One belief of the block is given a state of its own.
    let changed = database.execute(
        "UPDATE belief_state_block SET marks = char(48 + length(states) / 37) || substr(marks, 2),
            states = states || printf('%-12s%-5s%-20s', 'active', '990', '')",
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(database);
    let ran = world.run("verify");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("is not sound"), "{}", ran.out);
    assert!(
        ran.out
            .contains("belief_state row 1: strength is 990, not 700"),
        "{}",
        ran.out
    );
    assert!(
        ran.err
            .contains("error: the memory is not what its log says: 1 finding"),
        "{}",
        ran.err
    );
    let ran = world.run("--json doctor");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("check_failed"))
    );
}

#[test]
fn a_broken_log_is_named_and_nothing_opens_it() {
    let world = World::with_lie();
    let database = rusqlite::Connection::open(world.store()).unwrap();
    let broken = database.execute("UPDATE log SET at = at + 1 WHERE seq = 3", []);
    assert_eq!(broken.unwrap(), 1);
    drop(database);
    let ran = world.run("verify");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let ran = world.run("--json recall x");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("log_broken"))
    );
    let ran = world.run("--json doctor");
    assert_eq!(ran.code, 1);
    let doctor: Value = serde_json::from_str(&ran.out).unwrap();
    let results: Vec<_> = doctor["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["result"].as_str().unwrap())
        .collect();
    assert_eq!(results[2..4], ["failed", "skipped"]);
}

#[test]
fn verify_and_questions_need_a_store_and_a_memory() {
    let world = World::new();
    let ran = world.run("--store gone.db verify");
    expect![[r"
        2> error: there is no store at `gone.db`
        2>
        2> hint: the first write makes it: `immune --store gone.db channels set inbox --tier 0.7`
        exit 2
    "]]
    .assert_eq(&ran.shown());
    world.ok("channels set inbox --tier 0.7");
    let ran = world.run("--json --memory other verify");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("no_memory"))
    );
    let ran = world.run("--memory other recall x");
    expect![[r"
        2> error: there is no memory `other` in this store
        2>
        2> hint: the first write creates it: `immune --memory other channels set inbox --tier 0.7`
        exit 1
    "]]
    .assert_eq(&ran.shown());
    for line in ["forget bel_1", "reversals run", "reinstate inc_1"] {
        assert_eq!(
            world.run(&format!("--store nowhere.db {line}")).code,
            2,
            "{line}"
        );
        assert!(!world.path("nowhere.db").exists(), "{line} makes no store");
    }
    write(
        &world.path("prose.db"),
        "these are just words, and more than a header of them\n",
    );
    let ran = world.run("--json --store prose.db recall x");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("not_a_store"))
    );
    let ran = world.run("--json --store postgres://host/db recall x");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("unsupported_store"))
    );
    assert_eq!(world.run("--store sqlite:m.db channels").code, 0);
    assert_eq!(
        world
            .run("--store memory: channels set inbox --tier 0.7")
            .code,
        0
    );
}

#[test]
fn doctor_checks_in_order_and_says_where_each_setting_came_from() {
    let world = World::new();
    let fresh = world.json("doctor");
    assert_eq!(
        (
            fresh["healthy"].as_bool(),
            fresh["checks"][0]["result"].as_str()
        ),
        (Some(true), Some("warning"))
    );
    let skipped = fresh["checks"][2]["found"].as_str().unwrap();
    assert_eq!(skipped, "skipped because there is no store yet");
    assert!(!world.store().exists(), "doctor makes nothing");

    let world = World::with_lie();
    let doctor = world.json("--memory default doctor");
    let names: Vec<_> = doctor["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {}",
                it["name"].as_str().unwrap(),
                it["result"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            "store ok",
            "permissions ok",
            "memory ok",
            "projections ok",
            "recall ok",
            "clock ok",
            "actions ok",
            "reversals ok",
            "extractor ok"
        ]
    );
    let from: Vec<_> = doctor["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["from"].as_str().unwrap())
        .collect();
    assert_eq!(
        from,
        [
            "environment",
            "option",
            "default",
            "default",
            "default",
            "default"
        ]
    );
    let shown = world.ok("doctor");
    assert!(shown.contains("(IMMUNE_STORE)"), "{shown}");
}

#[test]
fn doctor_names_effects_that_never_ended() {
    let world = World::with_lie();
    world.ok("rules set k --class reversible");
    world.ok("guard --kind k --payload x --uses bel_1");
    let doctor = world.json("doctor");
    let actions = doctor["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "actions")
        .unwrap()
        .clone();
    assert_eq!(actions["result"], "warning");
    assert!(
        actions["fix"]
            .as_str()
            .unwrap()
            .contains("immune guard --finish act_1")
    );
}

#[test]
fn without_a_store_setting_one_file_in_the_data_folder_is_used() {
    let world = World::new();
    let run = |line: &str| {
        let mut command = world.command();
        command
            .env_remove("IMMUNE_STORE")
            .env("XDG_DATA_HOME", world.path("data"));
        Ran::of(&command.args(crate::common::split(line)).output().unwrap())
    };
    assert_eq!(run("recall x").code, 2);
    assert!(!world.path("data").exists(), "a question makes nothing");
    assert_eq!(run("channels set inbox --tier 0.7").code, 0);
    assert!(world.path("data/immune/immune.db").exists());
    assert_eq!(run("channels").code, 0);
    let ran = run("--store no/such/folder.db channels set inbox --tier 0.7");
    assert_eq!(
        ran.code, 2,
        "only the default's folder is made: {}",
        ran.err
    );
}

#[cfg(unix)]
#[test]
fn a_new_store_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::with_record();
    let mode = fs_err::metadata(world.store())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600, "it holds the content keys");
}

#[test]
fn completions_and_versions() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = world.ok(&format!("completions {shell}"));
        assert!(script.contains("challenge"), "{shell}");
    }
    assert_eq!(world.run("completions cmd").code, 2);
    assert_eq!(
        world.ok("version"),
        format!("immune {}, log format 1\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(world.json("version")["format"], 1);
    assert_eq!(
        world.ok("--version"),
        format!("immune {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(world.run("version --loud").code, 2);
}

#[test]
fn man_pages_are_written_for_every_command() {
    let world = World::new();
    world.ok("man pages");
    for page in ["immune.1", "immune-recall.1", "immune-channels-set.1"] {
        let page = fs_err::read_to_string(world.path("pages").join(page)).unwrap();
        assert!(page.contains("immune"), "{page}");
    }
    write(&world.path("file"), "no folder");
    let ran = world.run("--json man file");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("unreadable"))
    );
}

/// What `doctor` found out about opening the memory.
fn opened(world: &World) -> String {
    let doctor = world.json("doctor");
    let mut checks = doctor["checks"].as_array().unwrap().iter();
    let memory = checks.find(|it| it["name"] == "memory").unwrap();
    assert_eq!(memory["result"], "ok");
    memory["found"].as_str().unwrap().to_owned()
}

#[test]
fn a_large_memory_opens_from_its_kept_state_and_from_its_log_without_it() {
    let world = World::new();
    let line = |n: u32| {
        let words = format!("note {n} ").repeat(90_000);
        format!("{{\"observation\":\"o{n}\",\"source\":\"mail\",\"text\":\"{words}\"}}\n")
    };
    let graph = "{\"source\":\"mail\",\"channel\":\"inbox\",\"tier\":0.7}\n".to_owned();
    write(&world.path("g.jsonl"), &(graph + &line(1) + &line(2)));
    world.ok("graph import g.jsonl");
    let events = world.json("verify")["events"].as_u64().unwrap();
    assert_eq!(
        opened(&world),
        format!(
            "{events} events, format 1, opened from the state kept at event {events}, and 0 events after it"
        )
    );
    world.ok("channels set web --tier 0.5");
    let shown = world.run("-v list channels").err;
    let wanted = format!("opened from the state kept at event {events}, and 1 event after it");
    assert!(shown.contains(&wanted), "{shown}");
    let side = format!("{}-state-1", world.store().display());
    let listed = world.ok("list channels");
    let bytes = fs_err::read(&side).unwrap();
    fs_err::write(&side, &bytes[..bytes.len() / 2]).unwrap();
    let found = opened(&world);
    let log = format!("opened from the log: {} events", events + 1);
    assert!(
        found.contains(&log) && found.ends_with("kept state, but it is damaged"),
        "{found}"
    );
    fs_err::remove_file(&side).unwrap();
    assert_eq!(world.ok("list channels"), listed);
    assert!(fs_err::exists(&side).unwrap(), "it is kept again");
    assert_eq!(world.json("verify")["sound"], true);
}
