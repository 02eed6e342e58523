//! `remember`, `derive`, `recall`, `forget`.

use expect_test::expect;

use crate::common::{TRUTH, World};

#[test]
fn remember_says_what_became_of_each_claim_and_how_to_undo_it() {
    let world = World::new();
    let ran = world.run(
        "remember 'Deliveries go to 118 Mission Rock' --from ops@acme.example --channel inbox \
         --tier 0.7 --about delivery.address --claim 'Deliveries go to 118 Mission Rock'",
    );
    expect![[r"
        remembered obs_1 from ops@acme.example (inbox)
          bel_1  stored, strength 0.70  delivery.address
            Deliveries go to 118 Mission Rock
        2> next: immune explain bel_1
        2> undo: immune forget obs_1
        exit 0
    "]]
    .assert_eq(&ran.shown());
}

#[test]
fn d31_the_same_remember_three_times_is_one_memory_with_one_id() {
    let world = World::with_record();
    let line = format!(
        "remember --from ops@acme.example --channel inbox --about refund.destination \
         --claim '{TRUTH}'"
    );
    let replies: Vec<_> = (0..3).map(|_| world.json(&line)).collect();
    for reply in &replies {
        assert_eq!(reply["observation"], replies[0]["observation"]);
        assert_eq!(
            reply["statements"][0]["belief"],
            replies[0]["statements"][0]["belief"]
        );
    }
    assert_eq!(replies[0]["repeated"], false);
    assert_eq!(replies[2]["repeated"], true);
    let list = world.json("list observations");
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
}

#[test]
fn d33_nul_and_broken_utf_8_are_refused_with_the_position() {
    let world = World::with_record();
    let line = "--json remember - --from a@b.example --channel inbox";
    let ran = world.fed(line, b"ab\0c");
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.problem()["message"],
        "standard input: the text holds a NUL character at byte 2"
    );
    let ran = world.fed(line, b"ab\xffc");
    assert_eq!(ran.problem()["code"], "invalid_text");
    assert_eq!(
        ran.problem()["message"],
        "standard input is no UTF-8 at byte 2"
    );
    let ran = world.fed(line, &vec![b'x'; (1 << 20) + 1]);
    assert_eq!(
        ran.problem()["message"],
        "standard input has more than 1048576 bytes, the limit of a text"
    );
    let most = world.fed(line, &vec![b'x'; 1 << 20]);
    assert_eq!(most.code, 0, "{}", most.err);
    assert_eq!(
        world.json("list observations")["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_utf_8_is_named_with_the_position() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let output = world
        .command()
        .arg("remember")
        .arg(std::ffi::OsStr::from_bytes(b"caf\xe9"))
        .args(["--from", "a"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(err, "error: argument 2 is no UTF-8 at byte 3\n");
}

#[test]
fn text_without_a_claim_is_a_note_and_counted() {
    let world = World::with_record();
    let ran = world.fed(
        "remember - --from a@b.example --channel inbox",
        "hello there\n".as_bytes(),
    );
    assert!(ran.out.contains("no claim was found in it"), "{}", ran.out);
    let list = world.json("list unscreened");
    assert_eq!(list["items"][0]["text"], "hello there\n");
    let recalled = world.json("recall hello");
    assert_eq!(recalled["notes"][0]["observation"], "obs_1");
}

#[test]
fn claims_come_from_options_json_and_files() {
    let world = World::with_record();
    let from = "--from ops@acme.example --channel inbox";
    let pairs = world.json(&format!(
        "remember {from} --about a.one --claim 'It is one' --about a.two --claim 'It is two' \
         --polarity + --polarity -"
    ));
    assert_eq!(pairs["statements"].as_array().unwrap().len(), 2);
    let json = r#"[{"about":"a.three","claim":"It is three","polarity":"?"}]"#;
    let stated = world.json(&format!(
        "remember 'It may be three' {from} --claims '{json}'"
    ));
    assert_eq!(stated["statements"][0]["subject"], "a.three");
    crate::common::write(
        &world.path("claims.json"),
        r#"{"about":"a.four","claim":"Four"}"#,
    );
    let file = world.json(&format!("remember 'Four' {from} --claims @claims.json"));
    assert_eq!(file["statements"][0]["subject"], "a.four");
    let polarity = world.json("list beliefs");
    let signs: Vec<_> = polarity["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["polarity"].as_str().unwrap())
        .collect();
    assert_eq!(signs, ["+", "-", "?", "+"]);
}

#[test]
fn claims_that_do_not_pair_up_are_refused() {
    let world = World::with_record();
    let from = "--json remember --from ops@acme.example --channel inbox";
    for (line, message) in [
        (
            "--about a.one",
            "there are 1 `--about` and 0 `--claim`; each claim has its subject",
        ),
        (
            "--about a.one --claim x --polarity + --polarity -",
            "there are 2 `--polarity` and 1 `--claim`; give one for each, or none",
        ),
        ("", "there is nothing to remember"),
        (
            "text --ttl 30d",
            "how long it holds is said of a claim, and none is stated",
        ),
        ("--about 'a b' --claim x", "the subject holds ` ` at byte 1"),
        ("--about a.b --claim x --ttl soon", "`soon` is no duration"),
        (
            "--about a.b --claim x --sent-at noon",
            "`noon` is no time with a zone",
        ),
    ] {
        let ran = world.run(&format!("{from} {line}"));
        assert_eq!(ran.code, 2, "{line}");
        assert_eq!(ran.problem()["message"], message, "{line}");
    }
    let ran = world.run(&format!("{from} x --claims '[1]'"));
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("usage"))
    );
}

#[test]
fn a_source_without_a_channel_and_a_channel_without_an_operator_are_a_clear_no() {
    let world = World::with_record();
    let ran = world.run("remember hello --from a@b.example");
    expect![[r"
        2> error: no source `a@b.example` is known, and no channel is named for it
        2>
        2> hint: name the channel with `--channel NAME`
        exit 1
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("remember hello --from a@b.example --channel nowhere");
    expect![[r"
        2> error: there is no channel `nowhere`
        2>
        2> hint: an operator opens it: `immune channels set nowhere --tier 0.7`
        exit 1
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("remember hello --from a@b.example --channel inbox --tier 0.9");
    expect![[r"
        2> error: channel `inbox` has tier 0.70, not 0.90
        2>
        2> hint: an operator changes it: `immune channels set inbox --tier 0.90`
        exit 1
    "]]
    .assert_eq(&ran.shown());
}

#[test]
fn what_expires_is_gone_from_recall_and_a_sent_time_is_kept_in_utc() {
    let world = World::with_record();
    let remembered = world.json(
        "remember --from a@b.example --channel inbox --about door.code --claim 'The code is 1234' \
         --ttl 30d --sent-at 2025-07-25T02:00:00+02:00 --id '<m1@b.example>'",
    );
    let observation = remembered["observation"].as_str().unwrap();
    let explained = world.json(&format!("explain {observation}"));
    assert_eq!(explained["observation"]["sent_at"], "2025-07-25T00:00:00Z");
    assert_eq!(explained["observation"]["external_id"], "<m1@b.example>");
    assert_eq!(
        world.json("recall --about door.code")["facts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let late = world.run(
        "--json remember --from a@b.example --channel inbox --about door.code --claim 'It is 9' \
         --valid-from 2026-02-01 --valid-until 2026-01-01",
    );
    assert_eq!(
        (late.code, late.problem()["code"].as_str()),
        (2, Some("invalid_claim"))
    );
}

#[test]
fn a_claim_holds_when_it_says() {
    let world = World::with_record();
    world.ok(
        "remember --from a@b.example --channel inbox --about shop.hours --claim 'Open all night' \
         --valid-from 2026-01-01 --valid-until 2026-02-01",
    );
    let at = |time: &str| {
        let recalled = world.json(&format!("recall --about shop.hours --valid-at {time}"));
        recalled["facts"].as_array().unwrap().len()
    };
    assert_eq!((at("2026-01-15"), at("2026-03-01")), (1, 0));
}

#[test]
fn derive_rests_on_what_stands_and_is_refused_on_what_does_not() {
    let world = World::with_lie();
    let again = world.json(
        "derive --from bel_1 --about refund.verified --claim 'The destination is verified' \
         --agent support-bot",
    );
    assert_eq!(
        (again["belief"].as_str(), again["repeated"].as_bool()),
        (Some("bel_2"), Some(true))
    );
    assert_eq!(again["strength"], 0.7, "not the agent's 0.85");
    world.heal();
    let ran = world.run("derive --from bel_2,obs_1 --about a.b --claim 'So be it'");
    expect![[r"
        2> error: premise `bel_1` is quarantined
        2>
        2> hint: `immune explain bel_1` says why
        exit 1
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("--json derive --from bel_99 --about a.b --claim x");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("not_in_memory"))
    );
    let ran = world.run("derive --about a.b --claim x");
    assert_eq!(ran.code, 2, "premises are required");
    let ran = world.run("derive --from nonsense --about a.b --claim x");
    assert!(ran.err.contains("`nonsense` is no id"), "{}", ran.err);
}

#[test]
fn recall_shows_facts_with_their_grounds_and_names_what_it_left_out() {
    let world = World::with_lie();
    let ran = world.run("recall --about refund.destination");
    expect![[r"
        bel_1  single-origin  0.70  refund.destination
          Refunds go to GB29 NWBK 6016 1331 9268 19
          from mallory@evil.example (inbox)
          rests on mallory@evil.example; strength 0.70, floor 0.50
        2> next: immune explain bel_1
        exit 0
    "]]
    .assert_eq(&ran.shown());
    world.heal();
    let ran = world.run("recall 'where do refunds go?'");
    expect![[r"
        bel_4  single-origin  0.98  refund.destination
          Refunds go to DE89 3704 0044 0532 0130 00
          from ledger (records)
          stated by ledger, a system of record; strength 0.98, floor 0.50
        left out: 3 items
          bel_1  quarantined
          bel_2  revoked
          bel_3  revoked
        2> next: immune explain bel_4
        exit 0
    "]]
    .assert_eq(&ran.shown());
    for form in ["", "--json "] {
        let shown = world.ok(&format!("{form}recall refund"));
        assert!(
            !shown.contains("NWBK"),
            "refused text is never recalled: {shown}"
        );
    }
}

#[test]
fn recall_that_requires_an_answer_says_no_with_one() {
    let world = World::with_lie();
    assert_eq!(
        world
            .run("recall --about refund.destination --require")
            .code,
        0
    );
    let ran = world.run("recall --about nothing.known --require");
    expect![[r"
        nothing that may be relied on answers this
        2> error: nothing that may be relied on answers this
        exit 1
    "]]
    .assert_eq(&ran.shown());
    assert_eq!(world.run("recall --about nothing.known").code, 0);
    let ran = world.run("--json recall x --floor 0");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("no_floor"))
    );
    let ran = world.run("--json recall x --limit 1001");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("too_many"))
    );
    let ran = world.run("recall x --floor 1.5");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no trust value"), "{}", ran.err);
}

#[test]
fn forget_closes_and_names_what_is_stale() {
    let world = World::with_lie();
    let ran = world.run("forget bel_1");
    expect![[r"
        closed bel_1, now forgotten
          bel_2  stale  The destination is verified
          bel_3  stale  The check is not needed
        2> undo: state it again; a later statement opens it
        2> next: immune explain bel_1
        exit 0
    "]]
    .assert_eq(&ran.shown());
    assert_eq!(world.json("forget bel_1")["repeated"], true);
    let ran = world.run("--json --as agent:support-bot forget obs_1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("forbidden"))
    );
    let ran = world.run("--json forget src_1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("wrong_kind"))
    );
    assert_eq!(world.run("forget").code, 2);
}

#[test]
fn odd_texts_are_kept_as_they_are() {
    const ODD: [&str; 6] = ["-n", "--", "$(rm -rf /)", "a\\nb", "日本語 😀", "'"];
    let world = World::with_record();
    for text in ODD {
        let output = world
            .command()
            .args([
                "--json",
                "remember",
                "--from",
                "a@b.example",
                "--channel",
                "inbox",
            ])
            .args(["--about", "odd.text", "--claim", text])
            .output()
            .unwrap();
        assert!(output.status.success(), "{text}: {output:?}");
    }
    let texts: Vec<String> = world.json("list observations")["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts, ODD);
}

#[test]
fn what_ceased_to_hold_is_no_fact_now() {
    let world = World::with_record();
    world.ok(
        "remember 'The old code is 17' --from a@b.example --channel inbox --about door.code \
         --valid-until 2020-01-01T00:00:00Z",
    );
    let now = world.json("recall --about door.code");
    assert_eq!(now["facts"].as_array().unwrap().len(), 0);
    let then = world.json("recall --about door.code --valid-at 2019-01-01T00:00:00Z");
    assert_eq!(then["facts"].as_array().unwrap().len(), 1);
}

#[test]
fn d14_a_changed_liking_replaces_the_old_one_and_leaves_something() {
    let world = World::new();
    let say = |text: &str| {
        world.json(&format!(
            "remember '{text}' --from jo --channel chat --tier 0.8"
        ))
    };
    let (old, new) = (say("I love Chinese food"), say("I hate Chinese food"));
    assert_eq!(new["statements"][0]["verdict"], "superseded");
    let old = old["statements"][0]["belief"].as_str().unwrap();
    assert_eq!(world.status(old), "superseded");
    let recalled = world.json("recall 'Chinese food'");
    let facts = recalled["facts"].as_array().unwrap();
    assert_eq!(facts.len(), 1);
    assert_eq!(facts[0]["claim"], "I hate Chinese food");
}

#[test]
fn d14_under_a_stated_subject_a_changed_liking_replaces_the_old_one_and_two_people_disagree() {
    let world = World::new();
    world.ok("channels set chat --tier 0.8");
    let say = |who: &str, text: &str| {
        world.json(&format!(
            "remember '{text}' --from {who} --channel chat --about user.food"
        ))
    };
    let facts = || {
        let recalled = world.json("recall 'Chinese food'");
        let facts = recalled["facts"].as_array().unwrap().iter();
        let shown = facts.map(|it| format!("{} {}", it["label"].as_str().unwrap(), it["claim"]));
        shown.collect::<Vec<_>>()
    };
    say("jo", "I love Chinese food");
    let other = say("kim", "I hate Chinese food");
    assert_eq!(other["statements"][0]["verdict"], "contested");
    assert_eq!(
        facts(),
        [
            "contested \"I love Chinese food\"",
            "contested \"I hate Chinese food\""
        ]
    );
    assert!(
        world
            .ok("scan")
            .contains("bel_1 and bel_2 disagree on user.food: polarity")
    );
    let own = say("jo", "I hate Chinese food");
    assert_eq!(own["statements"][0]["verdict"], "superseded");
    assert_eq!(world.status("bel_1"), "superseded");
    assert!(world.json("explain bel_1")["belief"]["ended_at"].is_string());
    assert_eq!(facts(), ["single-origin \"I hate Chinese food\""]);
}

#[test]
fn d15_what_a_thing_is_is_replaced_and_forgotten_by_the_id_that_recall_gives() {
    let world = World::new();
    for text in ["Device A is a Synology NAS", "Device A is a fnos NAS"] {
        world.ok(&format!(
            "remember '{text}' --from jo --channel chat --tier 0.8"
        ));
    }
    let recalled = world.json("recall 'Device A'");
    let facts = recalled["facts"].as_array().unwrap();
    assert_eq!(facts.len(), 1);
    assert_eq!(facts[0]["claim"], "Device A is a fnos NAS");
    let belief = facts[0]["belief"].as_str().unwrap();
    world.ok(&format!("forget {belief}"));
    assert_eq!(world.status(belief), "forgotten");
    assert_eq!(
        world.json("recall 'Device A'")["facts"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}

#[test]
fn d16_a_note_that_mentions_two_facts_invalidates_nothing() {
    let world = World::new();
    for nth in 0..100 {
        let text = match nth % 4 {
            0 => format!("The pump {nth} is in Hall {nth}."),
            1 => format!("Dana owns the line {nth} service."),
            2 => format!("The limit for line {nth} is ${nth}00."),
            _ => format!("I attended the training {nth}."),
        };
        world.ok(&format!(
            "remember '{text}' --from jo --channel chat --tier 0.8"
        ));
    }
    let active = |world: &World| {
        let list = world.json("list beliefs --status active --limit 500");
        list["items"].as_array().unwrap().len()
    };
    let before = active(&world);
    assert!(before >= 90, "{before}");
    let note = world.json(
        "remember 'Dana asked about the pump 0 and the limit for line 2 today.' --from jo --channel chat",
    );
    for statement in note["statements"].as_array().unwrap() {
        assert_eq!(statement["verdict"], "stored", "{statement}");
    }
    assert!(active(&world) >= before);
}

#[test]
fn d47_a_scan_finds_two_facts_that_contradict_or_says_what_was_not_compared() {
    let world = World::new();
    for (who, text) in [
        ("bo", "The staging server is in Frankfurt."),
        ("jo", "The staging server is in Paris."),
        ("jo", "It was nice."),
    ] {
        world.ok(&format!(
            "remember '{text}' --from {who} --channel chat --tier 0.8"
        ));
    }
    let scan = world.json("scan");
    assert_eq!(
        scan["conflicts"]["pairs"][0]["subject"],
        "staging_server.location"
    );
    assert_eq!(scan["conflicts"]["unscreened"], 1);
    assert!(world.ok("scan").contains("bel_1 and bel_2 disagree"));
    let low = World::new();
    for (who, text) in [
        ("bo", "The office is in Rome."),
        ("jo", "The office is in Oslo."),
    ] {
        low.ok(&format!(
            "remember '{text}' --from {who} --channel web --tier 0.2"
        ));
    }
    expect![[r"
        nothing that carries anything falls with one origin
        no two of 0 beliefs at or above the floor 0.50 disagree; 2 beliefs below it not
    "]]
    .assert_eq(&low.ok("scan"));
}
