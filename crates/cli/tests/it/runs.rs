//! Runs: what they were shown caps what they write, on the command line.

use serde_json::{Value, json};

use crate::common::{TRUTH, World};

const LIE: &str = "'Acme is paid to DE89370400440532013000'";

/// A web at 0.2, an inbox at 0.7, notes of agents; a page with a lie, and an honest mail.
fn world() -> World {
    let world = World::with_record();
    for (channel, tier) in [("web", "0.2"), ("agents", "0.85")] {
        world.ok(&format!("channels set {channel} --tier {tier}"));
    }
    world.ok("sources declare bot --channel agents");
    world.ok(&format!(
        "remember --from https://acme.example --channel web --about acme/page.iban --claim {LIE}"
    ));
    world.ok(
        "remember --from cfo@acme.example --channel inbox --about acme/open.hours \
         --claim 'Acme opens at nine'",
    );
    world
}

fn head(world: &World) -> u64 {
    world.json("verify")["events"].as_u64().unwrap()
}

#[test]
fn a_run_that_read_a_page_writes_with_its_strength() {
    let world = world();
    let recalled = world.json("recall --about acme/page.iban --floor 0.1 --run run_3");
    assert_eq!(recalled["facts"][0]["belief"], "bel_1");
    let noted = world.json(&format!(
        "--as agent:bot remember --from bot --channel agents --about vendor/acme.iban \
         --claim {LIE} --run run_3"
    ));
    assert_eq!(noted["statements"][0]["strength"], 0.2);
    world.ok(
        "--as agent:bot remember --from bot --channel agents --about vendor/acme.note \
         --claim 'Acme is known' --run run_3",
    );
    let explained = world.json("explain bel_3");
    let justification = &explained["belief"]["justifications"][0];
    let context = |caps: bool| {
        json!({
            "run": "run_3", "items": 1, "strength": 0.2,
            "weakest": {"item": "bel_1", "run": "run_3"}, "caps": caps,
        })
    };
    let premise = &justification["premises"][0]["premise"];
    assert_eq!(premise, "bel_1", "it carries the account");
    assert_eq!(
        justification["context"],
        context(false),
        "the premise is worth no more"
    );
    let explained = world.json("explain bel_4");
    assert_eq!(
        explained["belief"]["justifications"][0]["context"],
        context(true)
    );
    let shown = world.ok("explain bel_4");
    for line in [
        "1 of 1 justifications hold; strength 0.20: shown bel_1 in run_3",
        "capped at 0.20: run_3 was shown 1 item before, the weakest bel_1 in run_3",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    // Nothing of it is recalled, and the same without the run is believed.
    let missing = world.run("recall --about vendor/acme.iban --require");
    assert_eq!(missing.code, 1);
    let direct = world.json(
        "--as agent:bot remember --from bot --channel agents --about vendor/other.note \
         --claim 'Another thing'",
    );
    assert_eq!(direct["statements"][0]["strength"], 0.85);
}

#[test]
fn reading_again_writes_nothing_and_reading_without_a_run_never_does() {
    let world = world();
    let before = head(&world);
    world.ok("recall --about acme/open.hours");
    assert_eq!(head(&world), before);
    world.ok("recall --about acme/open.hours --run run_1");
    assert_eq!(head(&world), before + 1);
    for _ in 0..3 {
        world.ok("recall --about acme/open.hours --run run_1");
        world.ok("explain bel_2 --run run_1");
    }
    assert_eq!(head(&world), before + 1);
    let history = world.ok("history bel_2");
    assert!(history.contains("shown"), "{history}");
}

#[test]
fn runs_are_listed_shown_and_started() {
    let world = world();
    let none = world.run("runs");
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert!(
        none.err.contains("no run was shown anything"),
        "{}",
        none.err
    );
    world.refused("runs show run_1", 1, "not_in_memory");
    world.ok("recall --about acme/page.iban --floor 0.1 --run run_1");
    world.ok("recall --about acme/open.hours --run run_1");
    let listed = world.json("runs");
    assert_eq!(listed["schema"], "immune.runs/1");
    assert_eq!(
        listed["runs"],
        json!([{"run": "run_1", "items": 2, "strength": 0.2, "written": 0}])
    );
    let planned = world.json("runs start run_2 --parent run_1 --dry-run");
    assert_eq!(planned["dry_run"], true);
    let started = world.json("runs start run_2 --parent run_1");
    let mut expected = json!({
        "schema": "immune.run_started/1", "run": "run_2", "parent": "run_1", "whole": true,
        "items": [], "nothing": false,
    });
    assert_eq!(started, expected);
    let run = world.json("runs show run_2");
    let shown: Vec<&Value> = run["shown"].as_array().unwrap().iter().collect();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|it| it["run"] == "run_1"));
    let again = world.refused("runs start run_2 --parent run_1", 1, "run_started");
    assert_eq!(
        again["hint"],
        "start another one; `immune runs show run_2` says what this one has"
    );
    world.refused("runs start run_1 --parent run_1", 2, "usage");
    // Less than the whole is for an operator to hand over.
    let narrow = "runs start run_3 --parent run_1 --items bel_2";
    let refused = world.refused(&format!("--as agent:bot {narrow}"), 1, "forbidden");
    assert_eq!(
        refused["message"],
        "agent `bot` may not narrow what a run is handed"
    );
    expected["run"] = "run_3".into();
    expected["whole"] = false.into();
    expected["items"] = json!(["bel_2"]);
    assert_eq!(world.json(narrow), expected);
    let run = world.ok("runs show run_3");
    assert!(
        run.starts_with("run_3  was shown 1 item; what it writes now has strength 0.70 at most"),
        "{run}"
    );
    let past = world.json("runs --as-of 7");
    assert_eq!(past["runs"], json!([]));
}

#[test]
fn only_an_operator_leaves_out_what_a_run_was_shown() {
    let world = world();
    world.ok("recall --about acme/page.iban --floor 0.1 --run run_1");
    let derive = "derive --from bel_2 --about acme/visit.time --claim 'Visit at nine' --run run_1";
    let derived = world.json(&format!("--as agent:bot {derive}"));
    assert_eq!(derived["strength"], 0.2);
    let refused = world.refused(&format!("--as agent:bot {derive} --narrow"), 1, "forbidden");
    assert_eq!(
        refused["message"],
        "agent `bot` may not leave the context of a run out"
    );
    assert_eq!(world.json(&format!("{derive} --narrow"))["strength"], 0.7);
    let usage = world.run("derive --from bel_2 --about a.b --claim c --narrow");
    assert_eq!(usage.code, 2, "{}", usage.err);
}

#[test]
fn an_action_in_a_tainted_run_is_refused_by_name() {
    let world = world();
    world.ok("rules set pay --class compensable --unknown warn");
    world.ok("recall --about acme/page.iban --floor 0.1 --run run_1");
    let refused = world.run("guard --kind pay --payload 'open at nine' --uses bel_2 --run run_1");
    assert_eq!(refused.code, 1);
    let reason = "run `run_1` was shown bel_1, which counts as 0.20, below 0.50";
    assert!(refused.err.contains(reason), "{}", refused.err);
    let elsewhere =
        world.json("guard --kind pay --payload 'open at nine' --uses bel_2 --run run_2");
    assert_eq!(elsewhere["verdict"], "proceed");
    let narrowed =
        world.json("guard --kind pay --payload 'open at nine' --uses bel_2 --run run_1 --narrow");
    assert_eq!(narrowed["verdict"], "proceed");
    // What carries the account joins what the caller names.
    world.ok(&format!(
        "remember --from mallory@evil.example --channel inbox --about acme/mail.iban --claim {LIE}"
    ));
    let paid = world.json("guard --kind pay --payload 'to DE89370400440532013000' --uses bel_2");
    assert_eq!(
        (&paid["joined"], &paid["used"]),
        (&json!(["bel_3"]), &json!(["bel_2", "bel_3"]))
    );
}

#[test]
fn a_flag_names_what_was_written_with_it_before_the_eyes() {
    let world = world();
    world.ok("recall --about acme/open.hours --run run_1");
    world.ok(
        "--as agent:bot remember --from bot --channel agents --about acme/visit.plan \
         --claim 'Visit in the morning' --run run_1",
    );
    assert_eq!(world.json("blast bel_2")["exposed"], json!(["bel_3"]));
    let origins = world.json("origins bel_3").to_string();
    assert!(origins.contains("cfo@acme.example"), "{origins}");
    let flagged = world.json("flag bel_2 --dry-run");
    assert_eq!(flagged["exposed"]["beliefs"][0]["belief"], "bel_3");
    world.ok("flag bel_2");
    let explained = world.json("explain bel_3");
    assert_eq!(explained["belief"]["status"], "active");
    assert_eq!(explained["belief"]["strength"], 0.0);
    world.ok("unflag bel_2");
    assert_eq!(world.json("explain bel_3")["belief"]["strength"], 0.7);
}

#[test]
fn the_past_is_shown_to_no_run_and_a_run_is_shown_memories() {
    let world = world();
    for line in [
        "recall --about acme/open.hours --run run_1 --as-of 3",
        "explain bel_2 --run run_1 --as-of 7",
    ] {
        let refused = world.refused(line, 2, "usage");
        assert_eq!(
            refused["message"],
            "what was believed in the past is shown to no run"
        );
    }
    world.refused("explain src_1 --run run_1", 2, "wrong_kind");
    let absent = World::new();
    absent.refused("recall x --run run_1", 2, "no_such_store");
}

#[test]
fn an_agent_drops_nothing_by_naming_no_run_and_reads_in_no_other_agents() {
    let world = world();
    world.ok("--as agent:bot recall --about acme/page.iban --floor 0.1");
    let noted = world.json(
        "--as agent:bot remember --from bot --channel agents --about vendor/acme.note \
         --claim 'Acme is known'",
    );
    assert_eq!(noted["statements"][0]["strength"], 0.2);
    let derived = world.json(
        "--as agent:bot derive --agent bot --from bel_2 --about vendor/acme.ok \
         --claim 'Acme may be paid'",
    );
    assert_eq!(derived["strength"], 0.2);
    assert!(world.ok("runs").contains("bot#1"));
    let refused = world.refused(
        "--as agent:mallory recall --about acme/page.iban --floor 0.1 --run 'bot#1'",
        1,
        "forbidden",
    );
    assert_eq!(refused["message"], "run `bot#1` is of agent `bot`");
    // The local user reads what he does not believe, and that is nobody's context.
    let before = head(&world);
    world.ok("recall --about acme/page.iban --floor 0.1");
    assert_eq!(head(&world), before);
}

/// What the own run of an agent was shown, by whatever command printed it.
fn shown_to_bot(world: &World) -> Value {
    let runs = world.json("runs");
    let run = runs["runs"].as_array().unwrap().last();
    let Some(run) = run.and_then(|it| it["run"].as_str().map(str::to_owned)) else {
        return json!([]);
    };
    let run = world.json(&format!("runs show {run}"));
    let items = run["shown"].as_array().unwrap().iter();
    let mut items: Vec<&str> = items.map(|it| it["item"].as_str().unwrap()).collect();
    items.sort_unstable();
    json!(items)
}

#[test]
fn whatever_prints_words_to_an_agent_shows_them_to_its_run() {
    for (command, wanted) in [
        ("list beliefs", json!(["bel_1", "bel_2"])),
        ("list beliefs --limit 1", json!(["bel_1"])),
        ("list observations --limit 1", json!(["bel_1", "obs_1"])),
        ("record acme/open", json!(["bel_2"])),
        ("diff --at 0", json!(["bel_1", "bel_2"])),
        ("list sources", json!([])),
        ("history bel_1", json!([])),
    ] {
        for json in ["", " --json"] {
            let world = world();
            world.ok(&format!("{command}{json}"));
            world.ok(&format!("--as viewer:eve {command}{json}"));
            assert_eq!(shown_to_bot(&world), json!([]), "{command}");
            world.ok(&format!("--as agent:bot {command}{json}"));
            assert_eq!(shown_to_bot(&world), wanted, "{command}{json}");
        }
    }
}

#[test]
fn what_tells_of_beliefs_by_their_ids_has_no_words_for_an_agent() {
    let world = World::with_lie();
    let words = ["GB29", "destination is verified", "check is not needed"];
    world.ok("sources declare kim --channel inbox");
    world.ok("remember --from kim --about refund.verified --claim 'The destination is verified'");
    world.heal();
    let tells = |line: &str| {
        let ran = world.run(line);
        let all = format!("{}{}", ran.out, ran.err);
        words.iter().any(|it| all.contains(it))
    };
    assert!(tells("incidents inc_1"), "people read them");
    for command in [
        "incidents",
        "incidents inc_1",
        "blast src_2",
        "blast bel_1",
        "origins bel_2",
        "scan",
        "chokepoint --from src_3 --to bel_2",
        "watch",
        "history bel_2",
    ] {
        for json in ["", " --json"] {
            let line = format!("--as agent:bot {command}{json}");
            assert!(!tells(&line), "{line}");
        }
    }
    assert_eq!(
        shown_to_bot(&world),
        json!([]),
        "and so it was shown nothing"
    );
}

#[test]
fn a_task_tells_an_agent_what_stands_and_no_words_of_what_fell() {
    let world = World::with_lie();
    world.ok("derive --from bel_1 --about refund.route --agent bot --claim 'Send it there'");
    for about in ["refund.memo", "refund.note"] {
        world.ok(&format!(
            "derive --from bel_4 --about {about} --claim 'As above' --agent bot"
        ));
    }
    world.heal();
    assert!(world.ok("tasks").contains("Send it there"));
    let task = world.json("--as agent:bot tasks")["tasks"][0].clone();
    assert_eq!(task["claim"], json!(null));
    assert_eq!(task["lost"][0]["claim"], json!(null));
    assert_eq!(task["lost"][0]["replacement"], TRUTH);
    assert_eq!(
        shown_to_bot(&world),
        json!([task["lost"][0]["replaced_by"]])
    );
}

#[test]
fn who_may_not_read_in_a_run_is_told_to_ask_without() {
    let refused = world().refused("--as viewer:eve recall acme --run run_1", 1, "forbidden");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.starts_with("leave `--run` out"), "{hint}");
}

#[test]
fn only_an_operator_exports_a_graph() {
    let world = world();
    world.ok("graph export -");
    for who in ["agent:bot", "viewer:eve"] {
        let refused = world.refused(&format!("--as {who} graph export -"), 1, "forbidden");
        let message = refused["message"].as_str().unwrap();
        assert!(message.ends_with("may not export a graph"), "{message}");
    }
}
