//! Who is meant by a word, who may what, and that a command that is printed can be pasted.

use crate::common::{World, write};

/// A record in a channel whose names begin with dashes, and a claim of it in a namespace.
fn dashed() -> World {
    let world = World::new();
    world.ok("channels set --tier 0.98 --authored -- --books");
    world.ok("sources record --channel=--books --area '*' -- --ledger");
    world.ok("channels set inbox --tier 0.7");
    world.ok("rules set payout --class irreversible --unknown warn");
    world.ok(
        "remember 'Pay to GB29NWBK60161331926819' --from a@b.example --channel inbox \
              --about vendor.iban --claim 'Pay to GB29NWBK60161331926819' --namespace 'the shop'",
    );
    world.ok(
        "derive --from bel_1 --about vendor.ok --claim 'It is fine' --agent=--bot \
              --namespace 'the shop'",
    );
    world.ok(
        "guard --kind payout --payload 'GB29NWBK60161331926819' --uses bel_2 --agent=--bot \
              --namespace 'the shop' -- true",
    );
    world
}

/// The command, as a shell takes it with the variable set.
fn pasted(command: &str) -> String {
    let command = command.replace("\"$CLAIM\"", "'Pay to DE89370400440532013000'");
    command.strip_prefix("immune ").unwrap().to_owned()
}

#[test]
fn the_command_of_a_scan_and_of_a_task_can_be_pasted_in_a_namespace() {
    let world = dashed();
    let scan = world.json("scan");
    let harden = &scan["weak"][0]["harden"];
    assert_eq!(harden["namespace"], "the shop");
    let command = harden["command"].as_str().unwrap();
    assert!(world.ok("scan").contains(command), "{command}");
    let found = world.run(&pasted(command));
    assert_eq!(found.code, 0, "{command}: {}", found.err);
    assert!(found.out.contains("bel_1"), "it refutes: {}", found.out);
    assert!(
        found
            .err
            .contains("recall --about vendor.iban --namespace 'the shop'"),
        "{}",
        found.err
    );
    let tasks = world.json("tasks");
    let command = tasks["tasks"][0]["command"].as_str().unwrap();
    assert!(command.contains(" --agent=--bot "), "{command}");
    assert_eq!(world.run(&pasted(command)).code, 0, "{command}");
}

#[test]
fn a_hint_names_a_channel_that_begins_with_a_dash() {
    let world = World::with_record();
    let ran = world.run("remember x --from a --channel=--new");
    let command = "channels set --tier 0.7 -- --new";
    assert!(ran.err.contains(command), "{}", ran.err);
    world.ok(command);
    let ran = world.run("channels set --tier 0.5 -- --new");
    let undo = "channels set --tier 0.70 --relays -- --new";
    assert!(ran.err.contains(undo), "{}", ran.err);
    world.ok(undo);
}

#[test]
fn a_viewer_moves_no_memory() {
    let world = World::with_lie();
    world.ok("export m.immune");
    for (line, operation) in [
        ("export other.immune", "export a memory"),
        ("export -", "export a memory"),
        ("--store other.db import m.immune", "import a memory"),
        ("backup copy.db", "back up a store"),
    ] {
        for role in ["viewer", "agent", "verifier"] {
            let problem = world.refused(&format!("--as {role}:v {line}"), 1, "forbidden");
            assert_eq!(
                problem["message"],
                format!("{role} `v` may not {operation}")
            );
        }
    }
    for left in ["other.immune", "other.immune.part", "copy.db"] {
        assert!(!world.path(left).exists(), "{left}");
    }
    world.ok("backup copy.db");
}

#[test]
fn what_is_there_is_not_written_over_and_the_hint_names_the_memory_once() {
    let world = World::with_lie();
    world.ok("export m.immune");
    for line in ["export m.immune", "backup m.db", "import m.immune"] {
        let ran = world.run(line);
        assert_eq!(ran.code, 2, "{line}");
        assert!(ran.err.contains("hint: name"), "{line}: {}", ran.err);
    }
    let ran = world.run("--memory twin import m.immune");
    assert!(
        ran.err.contains("next: immune --memory twin verify"),
        "{}",
        ran.err
    );
}

#[test]
fn a_handle_that_looks_like_an_id_or_like_nothing_is_no_new_source() {
    let world = World::with_lie();
    let graph = |line: &str| world.fed("--json graph import -", line.as_bytes());
    for handle in [
        "src_1",
        "bel_7",
        "obs_99",
        " src_2",
        "inc_1\u{200b}",
        "\u{200b}\u{3164}",
    ] {
        for line in [
            format!("remember x --from '{handle}' --channel inbox"),
            format!("challenge --from '{handle}' --channel inbox --about a.b --claim c"),
            format!("sources declare '{handle}' --channel inbox"),
            format!("sources record '{handle}' --channel records --area '*'"),
            format!("derive --from bel_1 --about a.b --claim c --agent '{handle}'"),
            format!("guard --kind k --payload p --uses bel_1 --agent '{handle}'"),
        ] {
            let problem = world.refused(&line, 2, "invalid_name");
            assert!(problem["hint"].is_string(), "{line}");
        }
        let decided = serde_json::json!({"decision": "d", "relied_on": ["bel_1"], "agent": handle});
        assert_eq!(graph(&decided.to_string()).code, 2, "{handle}");
        let source = serde_json::json!({"source": handle, "channel": "inbox", "tier": 0.7});
        assert_eq!(graph(&source.to_string()).code, 2, "{handle}");
    }
    write(
        &world.path("in.jsonl"),
        "{\"sender\":\"src_1\",\"text\":\"Hello there\"}\n",
    );
    let totals = world.json("ingest in.jsonl --channel inbox");
    assert_eq!(
        (&totals["skipped"], &totals["observations"]),
        (&1.into(), &0.into())
    );
    let reason = totals["problems"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("looks like an id"), "{reason}");
}

#[test]
fn every_command_takes_an_id_an_alias_or_a_handle() {
    let world = World::with_lie();
    let graph = "{\"source\":\"web-shop\",\"channel\":\"web\",\"tier\":0.6}\n";
    assert_eq!(world.fed("graph import -", graph.as_bytes()).code, 0);
    let sources = world.json("list sources");
    let of = |handle: &str| {
        let items = sources["items"].as_array().unwrap().clone();
        let found = items.into_iter().find(|it| it["handle"] == handle);
        found.unwrap()["source"].as_str().unwrap().to_owned()
    };
    let (mallory, shop) = (of("mallory@evil.example"), of("web-shop"));
    for (line, item) in [
        ("flag mallory@evil.example --dry-run", &mallory),
        ("explain mallory@evil.example", &mallory),
        ("history web-shop", &shop),
        ("blast web-shop", &shop),
        ("sources show web-shop", &shop),
        (&format!("sources mirror {mallory} --of web-shop"), &mallory),
        (
            &format!("sources mirror web-shop --of {mallory} --dry-run"),
            &shop,
        ),
        (&format!("remember x --from {shop} --dry-run"), &shop),
    ] {
        let json = world.json(line);
        let named = json["item"].as_str().or(json["source"]["source"].as_str());
        assert_eq!(named, Some(item.as_str()), "{line}: {json}");
    }
}

#[test]
fn a_name_that_means_several_things_is_refused_with_their_ids() {
    let world = World::with_lie();
    world.ok("sources declare good --channel inbox");
    let graph = "{\"source\":\"good\",\"channel\":\"web\",\"tier\":0.6}\n";
    assert_eq!(world.fed("graph import -", graph.as_bytes()).code, 0);
    for line in [
        "flag good",
        "unflag good",
        "blast good",
        "explain good",
        "sources show good",
        "sources mirror good --of ledger",
        "remember x --from good",
        "chokepoint --from good --to bel_1",
        "list beliefs --source good",
    ] {
        let ran = world.run(&format!("--json {line}"));
        let problem = ran.problem();
        assert_eq!(problem["code"], "ambiguous_source", "{line}");
        let hint = problem["hint"].as_str().unwrap();
        assert!(hint.contains("`src_5` in channel web"), "{line}: {hint}");
        assert!(hint.contains("`src_4` in channel inbox"), "{hint}");
    }
    let json = world.json("flag good --channel inbox --dry-run");
    let declared = json["item"].as_str().unwrap();
    assert_ne!(
        declared,
        world.json("flag good --channel web --dry-run")["item"]
    );
}

#[test]
fn an_item_of_the_wrong_kind_is_named_with_what_is_wanted() {
    let world = World::with_lie();
    world.run("guard --kind k --payload p --uses bel_1 -- true");
    for line in [
        "blast act_1",
        "origins src_1",
        "chokepoint --from act_1 --to bel_1",
        "chokepoint --from bel_1 --to src_1",
        "chokepoint --from src_1 --to src_1",
        "incidents bel_1",
        "reinstate bel_1",
        "flag act_1",
        "forget src_1",
        "derive --from act_1 --about a.b --claim c",
        "list beliefs --after act_1",
        "remember x --from bel_1",
        "sources show bel_1",
        "sources mirror bel_1 --of src_1",
        "guard --kind k --payload p --uses src_1",
    ] {
        let problem = world.refused(line, 2, "wrong_kind");
        let message = problem["message"].as_str().unwrap();
        let kinds = ["is an action", "is a source", "is a belief"];
        assert!(
            kinds.iter().any(|it| message.contains(it)),
            "{line}: {message}"
        );
        assert!(problem["hint"].is_string(), "{line}");
    }
    for line in [
        "explain bel_99",
        "blast obs_99",
        "forget bel_99",
        "reinstate inc_9",
        "incidents inc_9",
        "challenge --from ledger --about a.b --claim c --against bel_99",
        "guard --kind k --payload p --uses bel_99",
        "guard --finish act_9 --result x",
    ] {
        let problem = world.refused(line, 1, "not_in_memory");
        assert!(problem["hint"].is_string(), "{line}");
    }
}

#[test]
fn a_handle_does_not_read_as_several_sources() {
    let world = World::new();
    world.ok(
        "remember 'The shop opens at nine' --from 'ledger (books), ops' --channel inbox \
              --tier 0.7 --about shop.opening",
    );
    let recalled = world.ok("recall --about shop.opening");
    let from = "from \"ledger (books), ops\" (inbox)";
    assert!(recalled.contains(from), "{recalled}");
}

#[test]
fn an_agent_that_takes_the_name_of_a_record_hides_it_from_nobody() {
    let world = World::with_lie();
    for line in [
        "--as agent:ledger derive --agent ledger --from bel_1 --about a.b --claim 'It is so'",
        "--as agent:ledger remember hi --from ledger --channel inbox",
    ] {
        world.ok(line);
    }
    let record = world.json("sources show ledger --channel records")["source"]["source"].clone();
    let own = world.json("sources show ledger --channel agents")["source"]["source"].clone();
    let said = world.json("remember x --from ledger --dry-run");
    assert_eq!(said["source"]["source"], record);
    let said = world.json("--as agent:ledger remember x --from ledger --channel agents --dry-run");
    assert_eq!(said["source"]["source"], own);
    assert_eq!(world.heal().code, 0);
    assert_eq!(world.status("bel_1"), "quarantined");
    // What is done to a source is never guessed.
    let refused = world.refused("flag ledger", 1, "ambiguous_source");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("`--channel "), "{hint}");
    world.ok("flag ledger --channel agents --dry-run");
}
