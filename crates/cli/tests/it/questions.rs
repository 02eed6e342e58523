//! `explain`, `history`, `list`.

use expect_test::expect;

use crate::common::World;

#[test]
fn explain_tells_the_grounds_the_fall_and_what_was_built_on_it() {
    let world = World::with_lie();
    world.heal();
    let ran = world.run("explain bel_1");
    expect![[r"
        bel_1  quarantined, strength 0.00  refund.destination
          Refunds go to GB29 NWBK 6016 1331 9268 19
          refuted by ledger in inc_1
          believed since TIME, until TIME
          holds iban GB29NWBK60161331926819
        justified by
          jus_1  refuted  stated in obs_1 by mallory@evil.example (inbox)
            Refunds go to GB29 NWBK 6016 1331 9268 19
        cut of 1 belief, accepted by the judge
          bel_1  refuted in inc_1
        disputed by bel_4
        2 beliefs built on it
          bel_2  revoked  The destination is verified
            bel_3  revoked  The check is not needed
        2> next: immune history bel_1
        exit 0
    "]]
    .assert_eq(&ran.shown());
}

#[test]
fn every_kind_of_item_is_explained() {
    let world = World::with_lie();
    world.ok("rules set k --class compensable --compensation true");
    world.ok("guard --kind k --payload x --uses bel_2 -- true");
    world.ok("challenge --from visitor --channel inbox --about refund.destination --claim 'To FR14 2004 1010 0505 0001 3M02 606'");
    world.heal();
    for (item, kind) in [
        ("bel_1", "belief"),
        ("obs_1", "observation"),
        ("src_2", "source"),
        ("chn_1", "channel"),
        ("dec_1", "decision"),
        ("act_1", "action"),
        ("rul_1", "rule"),
        ("inc_1", "incident"),
        ("rev_1", "review"),
        ("tsk_1", "task"),
        ("jus_1", "belief"),
    ] {
        let explained = world.json(&format!("explain {item}"));
        assert_eq!(explained["schema"], "immune.explained/1");
        assert!(explained[kind].is_object(), "{item}: {explained}");
        assert_eq!(world.run(&format!("explain {item}")).code, 0, "{item}");
        assert_eq!(world.run(&format!("history {item}")).code, 0, "{item}");
    }
    let ran = world.run("explain bel_99");
    expect![[r"
        2> error: `bel_99` is not in this memory
        2>
        2> hint: `immune list beliefs` shows what is there
        exit 1
    "]]
    .assert_eq(&ran.shown());
    assert_eq!(world.run("explain bel_07").code, 2);
}

#[test]
fn history_is_every_event_and_transition_in_order() {
    let world = World::with_lie();
    world.heal();
    let ran = world.run("history bel_2");
    expect![[r"
        10  TIME  derived          active             operator:tester  jus_2 src_3 bel_1
        11  TIME  derived                             operator:tester  bel_3 jus_3 src_3
        13  TIME  incident_opened  active -> revoked  operator:tester  inc_1 obs_2 src_1 bel_1
        2> next: immune explain bel_2
        exit 0
    "]]
    .assert_eq(&ran.shown());
    let history = world.json("history bel_1");
    assert_eq!(history["events"][0]["event"], "observed");
    let last = history["events"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(last["transitions"][0]["after"], "quarantined");
    let ran = world.run("--json history act_1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("not_in_memory"))
    );
    assert_eq!(world.run("history 12").code, 2);
}

#[test]
fn lists_are_filtered_and_paged() {
    let world = World::with_lie();
    world.heal();
    let ran = world.run("list beliefs --limit 2");
    expect![[r"
        bel_1  quarantined  0.00  refund.destination  Refunds go to GB29 NWBK 6016 1331 9268 19
        bel_2  revoked      0.00  refund.verified     The destination is verified
        2> next: immune list beliefs --limit 2 --after bel_2
        exit 0
    "]]
    .assert_eq(&ran.shown());
    let ids = |line: &str| -> Vec<String> {
        let list = world.json(&format!("list {line}"));
        let items = list["items"].as_array().unwrap().clone();
        let id = |it: &serde_json::Value| it.as_object().unwrap().values().next().unwrap().clone();
        items
            .iter()
            .map(|it| id(it).as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids("beliefs --limit 2 --after bel_2"), ["bel_3", "bel_4"]);
    assert_eq!(ids("beliefs --status active"), ["bel_4"]);
    assert_eq!(
        ids("beliefs --subject refund.destination"),
        ["bel_1", "bel_4"]
    );
    assert_eq!(ids("beliefs --source ledger"), ["bel_4"]);
    assert_eq!(ids("observations --source src_2"), ["obs_1"]);
    assert_eq!(
        ids("observations --subject refund.destination"),
        ["obs_1", "obs_2"]
    );
    assert_eq!(ids("incidents --source mallory@evil.example"), ["inc_1"]);
    for what in [
        "sources",
        "channels",
        "decisions",
        "actions",
        "reviews",
        "tasks",
        "rules",
        "unscreened",
    ] {
        assert_eq!(world.json(&format!("list {what}"))["of"], what);
    }
    assert!(
        world.json("list beliefs --limit 4")["next"].is_null(),
        "the last page has no next"
    );
}

#[test]
fn a_list_refuses_what_says_nothing_about_it() {
    let world = World::with_lie();
    for (line, message) in [
        ("channels --status active", "channels have no status"),
        ("rules --source ledger", "rules have no source"),
        ("sources --subject a.b", "sources have no subject"),
        ("beliefs --status gone", "`gone` is no status of beliefs"),
        (
            "beliefs --after obs_1",
            "`obs_1` is an observation; the ids of beliefs begin with `bel_`",
        ),
        (
            "beliefs --limit 0",
            "the limit is 0; 1 to 1000 are possible",
        ),
    ] {
        let ran = world.run(&format!("--json list {line}"));
        assert_eq!(ran.code, 2, "{line}");
        assert_eq!(ran.problem()["message"], message, "{line}");
    }
    let ran = world.run("--json list beliefs --source nobody");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("unknown_source"))
    );
    let ran = world.run("list believes");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("'beliefs'"), "{}", ran.err);
}

#[test]
fn the_past_is_asked_as_of_then_and_takes_no_writes() {
    let world = World::with_lie();
    let before = world.json("recall --about refund.destination");
    let seq = before["seq"].as_u64().unwrap();
    world.heal();
    let past = world.json(&format!("--as-of {seq} recall --about refund.destination"));
    assert_eq!(past, before);
    let present = world.json("recall --about refund.destination");
    assert_ne!(present["facts"], before["facts"]);
    let then = world.json("--as-of 2000-01-01T00:00:00Z list beliefs");
    assert_eq!(then["items"].as_array().unwrap().len(), 0);
    assert_eq!(
        world.run("--as-of 9999 recall x").code,
        1,
        "it has not happened"
    );
    for line in ["--as-of 3 forget bel_1", "--as-of soon recall x"] {
        assert_eq!(world.run(line).code, 2, "{line}");
    }
}
