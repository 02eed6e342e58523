//! `flag`, `unflag`, `incidents`, `tasks`, and `derive --replaces`.

use expect_test::expect;

use crate::common::{TRUTH, World};

/// With a lie told by mallory, built on, and one fact that kim says too.
fn world() -> World {
    let world = World::with_lie();
    for (from, channel) in [
        ("mallory@evil.example", "inbox"),
        ("kim@acme.example", "mail"),
    ] {
        world.ok(&format!(
            "remember --from {from} --channel {channel} --tier 0.7 --about shop.city \
             --claim 'The shop is in Ghent'"
        ));
    }
    world
}

#[test]
fn a_dry_run_of_a_flag_gives_the_whole_plan_and_writes_nothing() {
    let world = world();
    let before = world.ok("verify");
    let planned = world.run("flag mallory@evil.example --dry-run");
    expect![[r"
        would flag: src_2 mallory@evil.example (inbox) in inc_1
          2 observations quarantined
            bel_1      active -> revoked  Refunds go to GB29 NWBK 6016 1331 9268 19
              bel_2    active -> revoked  The destination is verified
                bel_3  active -> revoked  The check is not needed
        survives
          bel_4  by jus_5, from kim@acme.example (mail); corroboration 2 -> 1, strength 0.70 -> 0.70  The shop is in Ghent
          exposed, and stands: bel_4
        exit 0
    "]].assert_eq(&planned.shown());
    assert_eq!(world.ok("verify"), before);
    let json = world.json("flag mallory@evil.example --dry-run");
    assert_eq!(json["dry_run"], true);
    let done = world.json("flag mallory@evil.example");
    for part in ["cone", "survivors", "exposed", "queue", "tasks", "revoked"] {
        assert_eq!(json[part], done[part], "{part}");
    }
}

#[test]
fn a_flag_is_told_found_again_and_taken_back() {
    let world = world();
    let flagged = world.run("flag mallory@evil.example --reason 'it lies'");
    expect![[r"
        flagged: src_2 mallory@evil.example (inbox) in inc_1
          2 observations quarantined
            bel_1      active -> revoked  Refunds go to GB29 NWBK 6016 1331 9268 19
              bel_2    active -> revoked  The destination is verified
                bel_3  active -> revoked  The check is not needed
        survives
          bel_4  by jus_5, from kim@acme.example (mail); corroboration 2 -> 1, strength 0.70 -> 0.70  The shop is in Ghent
          exposed, and stands: bel_4
        2> next: immune incidents inc_1
        2> undo: immune unflag src_2
        exit 0
    "]].assert_eq(&flagged.shown());
    let again = world.json("flag src_2");
    assert_eq!(
        (&again["repeated"], &again["incident"]),
        (&true.into(), &"inc_1".into())
    );
    let listed = world.run("incidents");
    expect![[r"
        inc_1  TIME  mallory@evil.example (inbox)  stands  0 refuted, 3 revoked, by a flag
        2> next: immune incidents inc_1
        exit 0
    "]]
    .assert_eq(&listed.shown());
    let shown = world.run("incidents inc_1");
    expect![[r"
        inc_1  stands  TIME  by a flag: mallory@evil.example (inbox)
          it lies
          2 observations quarantined
            bel_1      revoked  Refunds go to GB29 NWBK 6016 1331 9268 19
              bel_2    revoked  The destination is verified
                bel_3  revoked  The check is not needed
        survives
          bel_4  by jus_5, from kim@acme.example (mail); corroboration 2 -> 1, strength 0.70 -> 0.70  The shop is in Ghent
          exposed, and stands: bel_4
        2> undo: immune reinstate inc_1
        exit 0
    "]].assert_eq(&shown.shown());
    let source = world.json("explain src_2");
    assert_eq!(source["source"]["flagged_in"][0], "inc_1");
    let taken_back = world.run("unflag mallory@evil.example");
    expect![[r"
        undone: inc_1
          bel_1  active  Refunds go to GB29 NWBK 6016 1331 9268 19
          bel_2  active  The destination is verified
          bel_3  active  The check is not needed
        2> next: immune explain src_2
        2> undo: immune flag src_2
        exit 0
    "]]
    .assert_eq(&taken_back.shown());
    let again = world.json("unflag src_2");
    assert_eq!(again["undone"][0]["repeated"], true);
    assert!(world.json("incidents inc_1")["reinstated_at"].is_string());
}

#[test]
fn what_cannot_be_flagged_is_said_with_the_next_step() {
    let world = world();
    let lines = [
        "flag bel_99",
        "flag act_1",
        "flag chn_1",
        "flag nobody@x.example",
        "flag bel_1 --since 2h",
        "flag src_2 --since 2999-01-01",
        "flag src_2 --since later",
        "unflag bel_1",
        "incidents inc_9",
        "--as agent:bot flag bel_1",
        "derive --from bel_4 --about a.b --claim c --replaces bel_4",
    ];
    let refusals = lines.map(|it| format!("{it}\n{}", world.run(it).shown()));
    expect![[r"
        flag bel_99
        2> error: `bel_99` is not in this memory
        2>
        2> hint: `immune list beliefs` shows what is there
        exit 1
        flag act_1
        2> error: `act_1` is not in this memory
        2>
        2> hint: `immune list actions` shows what is there
        exit 1
        flag chn_1
        2> error: `chn_1` is a channel, no source, observation or belief
        2>
        2> hint: name a source, an observation or a belief: `immune flag bel_1`
        exit 2
        flag nobody@x.example
        2> error: no source `nobody@x.example` is known
        2>
        2> hint: `immune sources` lists them
        exit 1
        flag bel_1 --since 2h
        2> error: `bel_1` is a belief, and only a source is flagged since a moment
        2>
        2> hint: leave `--since` out: `immune flag bel_1`
        exit 2
        flag src_2 --since 2999-01-01
        2> error: `2999-01-01T00:00:00Z` is to come: a flag holds from the moment it is set
        2>
        2> hint: leave `--since` out, and what is to come is covered too
        exit 2
        flag src_2 --since later
        2> error: `later` is no time and no duration
        2>
        2> hint: write `TIME`, or `2h` for two hours ago
        exit 2
        unflag bel_1
        2> error: `bel_1` was never flagged
        2>
        2> hint: `immune incidents` shows what was flagged
        exit 1
        incidents inc_9
        2> error: `inc_9` is not in this memory
        2>
        2> hint: `immune list incidents` shows what is there
        exit 1
        --as agent:bot flag bel_1
        2> error: agent `bot` may not flag
        exit 1
        derive --from bel_4 --about a.b --claim c --replaces bel_4
        2> error: `bel_4` has no open task
        2>
        2> hint: `immune tasks` shows what waits; without `--replaces` it is derived all the same
        exit 1
    "]]
    .assert_eq(&refusals.concat());
}

#[test]
fn a_task_names_the_command_that_does_it() {
    let world = World::with_lie();
    world.ok(
        "derive --from bel_1 --about refund.route --agent support-bot \
         --claim 'Send it to GB29 NWBK 6016 1331 9268 19'",
    );
    for about in ["refund.memo", "refund.note"] {
        world.ok(&format!(
            "derive --from bel_4 --about {about} --claim 'As above' --agent support-bot"
        ));
    }
    world.heal();
    let tasks = world.run("tasks");
    expect![[r"
        tsk_1  open  bel_4  refund.route
          Send it to GB29 NWBK 6016 1331 9268 19
          derived by support-bot (agents), fell in inc_1
          bel_1  quarantined  Refunds go to GB29 NWBK 6016 1331 9268 19
            bel_7 took its place: Refunds go to DE89 3704 0044 0532 0130 00
          immune derive --from bel_7 --about refund.route --claim 'Send it to DE89370400440532013000' --agent support-bot --replaces bel_4
        exit 0
    "]].assert_eq(&tasks.shown());
    let json = world.json("tasks");
    let task = &json["tasks"][0];
    assert_eq!(task["lost"][0]["replacement"], TRUTH);
    let command = task["command"].as_str().unwrap();
    let done = world.run(command.strip_prefix("immune ").unwrap());
    expect![[r"
        derived bel_8  active, strength 0.85  refund.route
          Send it to DE89370400440532013000
          rests on bel_7
          done: tsk_1
        2> next: immune explain bel_8
        2> undo: immune forget bel_8
        exit 0
    "]]
    .assert_eq(&done.shown());
    expect![[r"
        2> nothing waits to be derived again
        exit 0
    "]]
    .assert_eq(&world.run("tasks").shown());
    let all = world.json("tasks --all");
    assert_eq!(all["tasks"][0]["state"], "done");
    let opened = &world.json("history tsk_1")["events"][0]["seq"];
    let then = world.json(&format!("tasks --as-of {opened}"));
    assert_eq!(then["tasks"], json["tasks"]);
}
