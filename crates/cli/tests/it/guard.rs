//! `guard`, `rules`, `reversals`: effects that run once, are recorded, and are taken back.

use expect_test::expect;

use crate::common::World;

/// A payload that carries the account of the lie.
const PAYLOAD: &str = "4200 to GB29NWBK60161331926819";

/// A rule for payouts whose compensation writes what it gets into a file.
fn with_rule() -> World {
    let world = World::with_lie();
    world.ok("rules set refund.payout --class compensable \
         --compensation 'cat >> undone.jsonl; echo undone $IMMUNE_ACTION_ID'");
    world
}

#[test]
fn the_effect_gets_the_payload_and_the_action_and_its_output_is_passed_on() {
    let world = with_rule();
    let ran = world.run(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' --agent support-bot -- sh -c \
         'cat; echo; echo $IMMUNE_ACTION_ID $IMMUNE_ACTION_KIND'"
    ));
    expect![[r"
        4200 to GB29NWBK60161331926819
        act_1 refund.payout
        2> act_1  proceeds, relies on bel_1 (inferred from the payload)
        2> warning: no system of record confirms bel_1
        2> act_1  executed
        2> next: immune explain act_1
        exit 0
    "]]
    .assert_eq(&ran.shown());
    let explained = world.json("explain act_1");
    let action = &explained["action"];
    assert_eq!(
        action["detail"],
        "4200 to GB29NWBK60161331926819\nact_1 refund.payout"
    );
    assert_eq!(action["decision"]["relied_on"][0], "bel_1");
}

#[test]
fn with_json_the_output_of_the_effect_is_in_the_reply() {
    let world = with_rule();
    let reply = world.json(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' -- sh -c 'echo paid; echo noise >&2'"
    ));
    assert_eq!(reply["verdict"], "proceed");
    assert_eq!(
        (reply["status"].as_str(), reply["detail"].as_str()),
        (Some("executed"), Some("paid"))
    );
    let failed = world.run(&format!(
        "--json guard --kind refund.payout --payload '{PAYLOAD}' -- sh -c 'echo boom >&2; exit 3'"
    ));
    assert_eq!(failed.code, 1);
    assert_eq!(failed.problem()["code"], "effect_failed");
    let reply: serde_json::Value = serde_json::from_str(&failed.out).unwrap();
    assert_eq!(reply["detail"], "it ended with exit status: 3: boom");
}

#[test]
fn a_refused_effect_does_not_run_and_the_way_out_is_named() {
    let world = with_rule();
    let ran = world.run("guard --kind refund.payout --payload 'to nobody' -- touch ran");
    expect![[r"
        2> error: the guard refused `act_1`: no trusted belief supports it
        2>
        2> hint: `immune recall WORDS` shows what may be relied on; name it with `--uses`
        exit 1
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("guard --kind wire.send --payload x --uses bel_1 -- touch ran");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("no system of record confirms bel_1"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("immune rules set"), "{}", ran.err);
    world.heal();
    let ran = world.run("guard --kind refund.payout --payload x --uses bel_2 -- touch ran");
    expect![[r"
        2> error: the guard refused `act_3`: bel_2 is revoked
        2>
        2> hint: `immune explain bel_2` says why
        exit 1
    "]]
    .assert_eq(&ran.shown());
    assert!(!world.path("ran").exists());
    assert_eq!(world.status("act_3"), "blocked", "refusals are recorded");
}

#[test]
fn an_effect_that_fails_is_recorded_and_shown() {
    let world = with_rule();
    let guard = format!("guard --kind refund.payout --payload '{PAYLOAD}' --");
    let ran = world.run(&format!("{guard} sh -c 'echo half; echo boom >&2; exit 3'"));
    expect![[r"
        half
        2> act_1  proceeds, relies on bel_1 (inferred from the payload)
        2> warning: no system of record confirms bel_1
        2> boom
        2> act_1  failed
        2> next: immune explain act_1
        2> error: the effect of `act_1` failed: it ended with exit status: 3
        2>
        2> hint: the failure is recorded; guard the action again once its cause is gone
        exit 1
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run(&format!("{guard} no-such-program"));
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("cannot run `no-such-program`"),
        "{}",
        ran.err
    );
    assert_eq!(world.status("act_2"), "failed");
}

#[test]
fn without_a_command_the_action_waits_for_its_end() {
    let world = with_rule();
    let ran = world.run(&format!("guard --kind refund.payout --payload '{PAYLOAD}'"));
    expect![[r"
        act_1  executing, relies on bel_1 (inferred from the payload)
        2> warning: no system of record confirms bel_1
        2> when it ran: immune guard --finish act_1 --result TEXT
        2> if it did not: immune guard --finish act_1 --failed TEXT
        exit 0
    "]]
    .assert_eq(&ran.shown());
    world.ok("guard --finish act_1 --result paid");
    assert_eq!(world.status("act_1"), "executed");
    let ran = world.run("--json guard --finish act_1 --failed 'too late'");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("not_running"))
    );
    let ran = world.run("guard --finish act_1");
    assert_eq!(ran.code, 2);
    assert_eq!(world.run("guard --kind k").code, 2, "a payload is required");
}

#[test]
fn a_dry_run_of_a_guard_runs_nothing() {
    let world = with_rule();
    let ran = world.run(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' --dry-run -- touch ran"
    ));
    assert!(ran.out.contains("act_1  would be executing"), "{}", ran.out);
    assert!(!world.path("ran").exists());
    assert!(
        world.json("list actions")["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_challenge_runs_the_compensation_once_with_the_request() {
    let world = with_rule();
    world.ok(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' -- true"
    ));
    let ran = world.heal();
    expect![[r"
        refuted by ledger (records) in inc_1: refund.destination
          bel_1      active -> quarantined  Refunds go to GB29 NWBK 6016 1331 9268 19
            act_1    executed -> reversing  refund.payout
            bel_2    active -> revoked      The destination is verified
              bel_3  active -> revoked      The check is not needed
          mallory@evil.example (inbox)  reputation 0.70 -> 0.28; 5 checks back to 0.50
          act_1  reversed  refund.payout
        2> next: immune recall --about refund.destination
        2> undo: immune reinstate inc_1
        exit 0
    "]]
    .assert_eq(&ran.shown());
    world.heal();
    world.ok("reversals run");
    let undone = fs_err::read_to_string(world.path("undone.jsonl")).unwrap();
    assert_eq!(
        undone,
        concat!(
            r#"{"schema":"immune.reversal_request/1","action":"act_1","kind":"refund.payout","#,
            r#""payload":"4200 to GB29NWBK60161331926819","result":null,"incident":"inc_1","#,
            r#""attempt":1}"#,
            "\n"
        )
    );
    assert_eq!(
        world.json("explain act_1")["action"]["detail"],
        "undone act_1"
    );
}

#[test]
fn a_compensation_that_fails_is_seen_and_waits_for_the_next_attempt() {
    let world = with_rule();
    world.ok("rules set refund.payout --class compensable --compensation 'echo no >&2; exit 1'");
    world.ok(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' -- true"
    ));
    let healed = world.run(
        "--json challenge --from ledger --about refund.destination --claim 'Refunds go to DE89 \
         3704 0044 0532 0130 00' --no-reversals",
    );
    assert_eq!(healed.code, 0);
    let listed = world.ok("reversals");
    assert!(
        listed.starts_with("act_1  reversing  refund.payout"),
        "{listed}"
    );
    let ran = world.run("reversals run");
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains(
            "act_1  reversing  refund.payout  it ended with exit status: 1: no, again at"
        ),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("error: `act_1` was not reversed"),
        "{}",
        ran.err
    );
    let reversal = &world.json("explain act_1")["action"]["reversal"];
    assert_eq!(reversal["attempts"], 1);
    assert_eq!(reversal["last_error"], "it ended with exit status: 1: no");
    let nothing = world.json("reversals run");
    assert_eq!(nothing["waiting"], 1, "not before it is due");
}

#[test]
fn a_kind_without_a_compensation_is_left_waiting_and_named() {
    let world = World::with_lie();
    world.ok("rules set refund.payout --class compensable");
    world.ok(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' -- true"
    ));
    let ran = world.heal();
    assert!(
        ran.err
            .contains("act_1 waits: no rule names a command that compensates refund.payout"),
        "{}",
        ran.err
    );
    world.ok("rules set refund.payout --class compensable --compensation 'echo back'");
    let done = world.json("reversals run");
    assert_eq!(done["reversals"][0]["status"], "reversed");
}

#[test]
fn rules_are_set_listed_and_refused_to_agents() {
    let world = World::new();
    world.ok("channels set inbox --tier 0.7");
    let ran =
        world.run("rules set wire.send --class irreversible --waiver wire.skip_check --bar 0.7");
    expect![[r"
        set:
        rul_1  irreversible  unknown block  wire.send  waived by wire.skip_check at 0.70
        exit 0
    "]]
    .assert_eq(&ran.shown());
    let again =
        world.run("rules set wire.send --class irreversible --waiver wire.skip_check --bar 0.7");
    assert!(again.out.starts_with("as it was:"), "{}", again.out);
    assert_eq!(world.json("rules")["items"][0]["waiver_bar"], 0.7);
    let ran = world.run("--json --as agent:bot rules set wire.send --class reversible");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("forbidden"))
    );
    assert_eq!(ran.problem()["message"], "agent `bot` may not set a rule");
    let ran = world.run("rules set wire.send --class eternal");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("reversible, compensable, irreversible"),
        "{}",
        ran.err
    );
}

#[test]
fn a_rule_asks_for_corroboration() {
    let world = World::with_lie();
    let ran =
        world.run("rules set refund.payout --class compensable --min-origins 2 --unknown allow");
    expect![[r"
        set:
        rul_1  compensable  unknown allow  refund.payout  asks for corroboration 2
        exit 0
    "]]
    .assert_eq(&ran.shown());
    assert_eq!(world.json("rules")["items"][0]["corroboration"], 2);
    let ran = world.run(&format!(
        "guard --kind refund.payout --payload '{PAYLOAD}' --uses bel_2 -- touch ran"
    ));
    expect![[r"
        2> error: the guard refused `act_1`: bel_1 has corroboration 1, `refund.payout` asks for 2; bel_2 has corroboration 1, `refund.payout` asks for 2
        2>
        2> hint: have an independent source state it; `immune explain bel_1` says who does
        exit 1
    "]]
    .assert_eq(&ran.shown());
    assert!(!world.path("ran").exists());
    let history = world.ok("history rul_1");
    assert!(history.contains("rule_asks"), "{history}");
    world.ok("rules set refund.payout --class compensable --unknown allow");
    assert_eq!(world.json("rules")["items"][0]["corroboration"], 0);
    assert!(world.run("verify").code == 0);
}

#[test]
fn what_a_command_leaves_in_the_background_does_not_hold_the_guard() {
    let world = World::with_record();
    world.ok("rules set note.write --class reversible --unknown allow");
    let started = std::time::Instant::now();
    let ran = world
        .run("guard --kind note.write --payload x -- sh -c 'sleep 20 2>/dev/null & echo done'");
    assert_eq!((ran.code, ran.out.trim()), (0, "done"), "{}", ran.err);
    assert!(
        started.elapsed().as_secs() < 15,
        "it does not wait for the sleeper"
    );
}
