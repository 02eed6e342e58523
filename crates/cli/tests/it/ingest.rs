//! `ingest`: totals, repeats, what is skipped, and going on after an interrupt.

use std::process::Stdio;

use expect_test::expect;

use crate::common::{Ran, World, split, write};

const MAILBOX: &str = "\
From a@b.example Thu Aug 13 13:30:00 2026
From: Ann <ann@acme.example>
Message-ID: <1@acme.example>
Date: Thu, 13 Aug 2026 13:30:00 +0000
Subject: our account

Our new IBAN is DE89 3704 0044 0532 0130 00.

From a@b.example Thu Aug 13 13:31:00 2026
Message-ID: <2@acme.example>
Subject: nobody

Who am I?

From a@b.example Thu Aug 13 13:32:00 2026
From: Bob <bob@acme.example>
Message-ID: <3@acme.example>
Date: Thu, 13 Aug 2026 13:32:00 +0000

See you then.
";

#[test]
fn a_mailbox_becomes_observations_once() {
    let world = World::new();
    write(&world.path("mail.mbox"), MAILBOX);
    let ran = world.run("ingest mail.mbox --channel inbox --tier 0.7");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("3  messages"), "{}", ran.out);
    assert!(ran.out.contains("1  skipped"), "{}", ran.out);
    assert!(
        ran.out.contains("skipped message 2: it has no sender"),
        "{}",
        ran.out
    );
    let again = world.json("ingest mail.mbox --channel inbox --tier 0.7");
    assert_eq!(again["complete"], true);
    assert_eq!(
        (
            again["observations"].as_u64(),
            again["repeated"].as_u64(),
            again["skipped"].as_u64()
        ),
        (Some(0), Some(2), Some(1))
    );
    let list = world.json("list observations --source ann@acme.example");
    assert_eq!(list["items"][0]["external_id"], "1@acme.example");
    assert_eq!(list["items"][0]["sent_at"], "2026-08-13T13:30:00Z");
}

#[test]
fn a_table_has_its_columns_named_or_found() {
    let world = World::new();
    write(
        &world.path("t.csv"),
        "who,what\nann@acme.example,The shop opens at nine\n",
    );
    let ran = world.run("ingest t.csv --channel table --tier 0.6 --format csv");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--column"), "{}", ran.err);
    let totals = world.json(
        "ingest t.csv --channel table --tier 0.6 --format csv --column body=what --column sender=who",
    );
    assert_eq!(totals["observations"], 1, "{totals}");
    let ran = world.run("ingest t.csv --channel table --column colour=what");
    assert!(ran.err.contains("`colour` is no column"), "{}", ran.err);
}

#[test]
fn what_cannot_be_ingested_is_refused_before_anything_is_written() {
    let world = World::new();
    write(&world.path("mail.mbox"), MAILBOX);
    let ran = world.run("ingest mail.mbox --channel inbox");
    expect![[r"
        2> error: there is no channel `inbox`
        2>
        2> hint: add `--tier 0.7` to open it
        exit 1
    "]]
    .assert_eq(&ran.shown());
    world.ok("channels set inbox --tier 0.7");
    let ran = world.run("ingest mail.mbox --channel inbox --tier 0.9");
    expect![[r"
        2> error: channel `inbox` has tier 0.70, not 0.90
        2>
        2> hint: an operator changes it: `immune channels set inbox --tier 0.90`
        exit 1
    "]]
    .assert_eq(&ran.shown());
    let ran = world.run("--json ingest nothing.mbox --channel inbox");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("unreadable"))
    );
    assert!(
        ran.problem()["message"]
            .as_str()
            .unwrap()
            .contains("nothing.mbox")
    );
    write(&world.path("prose.txt"), "just some words\n");
    let ran = world.run("ingest prose.txt --channel inbox");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--format mbox"), "{}", ran.err);
}

#[test]
fn a_dry_run_counts_and_keeps_nothing() {
    let world = World::new();
    write(&world.path("mail.mbox"), MAILBOX);
    let totals = world.json("ingest mail.mbox --channel inbox --tier 0.7 --dry-run");
    assert_eq!(
        (totals["observations"].as_u64(), totals["dry_run"].as_bool()),
        (Some(2), Some(true))
    );
    assert!(!world.store().exists());
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_in_order_and_the_next_run_goes_on() {
    const ROWS: usize = 6000;
    let world = World::new();
    let rows = (0..ROWS).fold(String::new(), |mut rows, it| {
        let row = serde_json::json!({
            "id": it.to_string(), "from": "a@b.example", "body": format!("Line {it}")
        });
        rows.push_str(&row.to_string());
        rows.push('\n');
        rows
    });
    write(&world.path("many.jsonl"), &rows);
    let line = "--json ingest many.jsonl --channel feed --tier 0.5";
    let mut child = world
        .command()
        .args(split(line))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first commit shows that it is under way.
    while !fs_err::metadata(world.path("m.db-wal")).is_ok_and(|it| it.len() > 100_000) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(sent.unwrap().success());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    let stopped: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, stopped["complete"].as_bool()),
        (130, Some(false)),
        "{ran:?}"
    );
    let first = stopped["observations"].as_u64().unwrap();
    assert!(first > 0 && first < ROWS as u64, "{first}");
    let rest = world.json(line.trim_start_matches("--json "));
    assert_eq!(rest["complete"], true);
    assert_eq!(
        rest["repeated"].as_u64(),
        Some(first),
        "what was acknowledged is there"
    );
    assert_eq!(rest["observations"].as_u64().unwrap() + first, ROWS as u64);
    assert_eq!(world.json("verify")["sound"], true);
}

#[test]
fn the_same_id_with_other_words_is_told() {
    let world = World::new();
    let first = world.path("first.jsonl");
    let second = world.path("second.jsonl");
    fs_err::write(
        &first,
        r#"{"id":"k","from":"a@b.example","text":"The first words"}"#,
    )
    .unwrap();
    fs_err::write(
        &second,
        r#"{"id":"k","from":"a@b.example","text":"Other words"}"#,
    )
    .unwrap();
    world.ok(&format!(
        "ingest {} --channel inbox --tier 0.7",
        first.display()
    ));
    let totals = world.json(&format!("ingest {} --channel inbox", second.display()));
    assert_eq!(totals["repeated"], 1);
    let reason = totals["problems"][0]["reason"].as_str().unwrap();
    assert_eq!(
        reason,
        "its id is that of obs_1, which says something else and is kept"
    );
}

#[test]
fn what_is_not_there_is_named_in_our_words() {
    let world = World::new();
    let problem = world.refused(
        "ingest nofile.mbox --channel inbox --tier 0.7",
        2,
        "unreadable",
    );
    assert_eq!(problem["message"], "there is no `nofile.mbox`");
}
