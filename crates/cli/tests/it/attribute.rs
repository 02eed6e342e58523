//! `attribute`, `parole` and `redteam`: from a wrong answer to a healed memory, and the ways in which
//! that is refused.

use expect_test::expect;
use serde_json::Value;

use crate::common::{LIE, TRUTH, World, write};

/// A lie that was built on, and facts that have nothing to do with it.
pub(crate) fn world() -> World {
    let world = World::with_lie();
    for (about, claim) in [
        ("refund.time", "Refunds take 30 days"),
        ("shop.city", "The shop is in Ghent"),
    ] {
        world.ok(&format!(
            "remember --from kim@acme.example --channel inbox --about {about} --claim '{claim}'"
        ));
    }
    world
}

pub(crate) const ASKED: &str = "attribute --question 'To which account do refunds go?'";

#[test]
fn a_wrong_answer_is_attributed_quarantined_and_answered_right() {
    let world = world();
    let found = world.run(&format!("{ASKED} --wrong GB29NWBK60161331926819"));
    expect![[r"
        att_1  found, single: without what is to quarantine, the answer is wrong no more
          cause 1: bel_1 alone
          to quarantine
            bel_1  active  mallory@evil.example (inbox)  Refunds go to GB29 NWBK 6016 1331 9268 19
          9 answers from 4 memories, 2 to check that memory is to blame; at least 2.0 are needed to tell them; right 1 of 1 times without them; confidence 1.00
        2> next: immune explain bel_1
        exit 0
    "]].assert_eq(&found.shown());
    let healed = world.run(&format!(
        "{ASKED} --expected '{TRUTH}' --quarantine --from ledger"
    ));
    expect![[r"
        att_2  found, single: without what is to quarantine, the answer is wrong no more
          cause 1: bel_1 alone
          to quarantine
            bel_1  quarantined  mallory@evil.example (inbox)  Refunds go to GB29 NWBK 6016 1331 9268 19
          9 answers from 4 memories, 2 to check that memory is to blame; at least 2.0 are needed to tell them; right 1 of 1 times without them; confidence 1.00
        refuted by ledger (records) in inc_1
          bel_1      active -> quarantined  Refunds go to GB29 NWBK 6016 1331 9268 19
            bel_2    active -> revoked      The destination is verified
              bel_3  active -> revoked      The check is not needed
          mallory@evil.example (inbox)  reputation 0.70 -> 0.28; 5 checks back to 0.50
        2> next: immune incidents inc_1
        2> undo: immune reinstate inc_1
        exit 0
    "]].assert_eq(&healed.shown());
    let recalled = world.json("recall 'To which account do refunds go?'");
    assert_eq!(recalled["facts"][0]["claim"], TRUTH);
    expect![[r"
        att_2  found  TIME  operator:tester
          asked To which account do refunds go?
          expected Refunds go to DE89 3704 0044 0532 0130 00
          answered by extractive reader
          cause 1: bel_1 alone
          to quarantine
            bel_1  quarantined  mallory@evil.example (inbox)  Refunds go to GB29 NWBK 6016 1331 9268 19
          9 answers from 4 memories, 2 to check that memory is to blame; at least 2.0 are needed to tell them; right 1 of 1 times without them; confidence 1.00
          the evidence of inc_1
          1  wrong  all 4                GB29 NWBK 6016 1331 9268 19
          2  right  none                 no answer
          3  right  bel_4, bel_3         Refunds take 30 days
          4  wrong  bel_1, bel_4, bel_3  GB29 NWBK 6016 1331 9268 19
          5  wrong  bel_1                GB29 NWBK 6016 1331 9268 19
          6  right  bel_4, bel_3, bel_2  Refunds take 30 days
          7  right  bel_4                Refunds take 30 days
          8  right  bel_3                no answer
          9  right  bel_3, bel_2         no answer
        2> next: immune history att_2
        exit 0
    "]].assert_eq(&world.run("attribute show att_2").shown());
    expect![[r"
        inc_1  stands  TIME  by ledger (records): refund.destination
          the evidence is att_2
          bel_1      quarantined  Refunds go to GB29 NWBK 6016 1331 9268 19
            bel_2    revoked      The destination is verified
              bel_3  revoked      The check is not needed
          mallory@evil.example (inbox)  reputation 0.70 -> 0.28; 5 checks back to 0.50
        2> undo: immune reinstate inc_1
        exit 0
    "]]
    .assert_eq(&world.run("incidents inc_1").shown());
    expect![[r"
        att_1  found  TIME  bel_1  To which account do refunds go?
        att_2  found  TIME  bel_1  To which account do refunds go?
        exit 0
    "]]
    .assert_eq(&world.run("list attributions").shown());
    assert_eq!(
        world.json("explain att_2")["attribution"]["outcome"],
        "found"
    );
    assert_eq!(
        world.json("history att_2")["events"][0]["event"],
        "attributed"
    );
    world.ok("reinstate inc_1");
    assert_eq!(world.status("bel_1"), "active");
    world.ok("verify");
}

#[test]
fn what_is_on_record_is_told_and_what_was_found_is_challenged_later() {
    let world = world();
    world.ok(&format!(
        "remember --from ledger --channel records --about refund.destination --claim '{TRUTH}'"
    ));
    let found = world.run(&format!(
        "{ASKED} --wrong GB29NWBK60161331926819 --candidates bel_1,bel_4"
    ));
    expect![[r"
        att_1  found, single: without what is to quarantine, the answer is wrong no more
          cause 1: bel_1 alone
          to quarantine
            bel_1  active  mallory@evil.example (inbox)  Refunds go to GB29 NWBK 6016 1331 9268 19
          4 answers from 2 memories, 2 to check that memory is to blame; at least 1.0 are needed to tell them; right 1 of 1 times without them; confidence 1.00
          about refund.destination, ledger (records) states bel_6: Refunds go to DE89 3704 0044 0532 0130 00
        2> next: immune attribute quarantine att_1 --from ledger --channel records --expected 'Refunds go to DE89 3704 0044 0532 0130 00' --about refund.destination
        exit 0
    "]].assert_eq(&found.shown());
    let planned = world.json(&format!(
        "attribute quarantine att_1 --from ledger --expected '{TRUTH}' --dry-run"
    ));
    assert_eq!(
        (&planned["dry_run"], &planned["challenged"][0]["outcome"]),
        (&true.into(), &"refuted".into())
    );
    assert_eq!(world.status("bel_1"), "active");
    let done = world.run(&format!(
        "attribute quarantine att_1 --from ledger --expected '{TRUTH}'"
    ));
    expect![[r"
        refuted by ledger (records) in inc_1
          bel_1      active -> quarantined  Refunds go to GB29 NWBK 6016 1331 9268 19
            bel_2    active -> revoked      The destination is verified
              bel_3  active -> revoked      The check is not needed
          mallory@evil.example (inbox)  reputation 0.70 -> 0.28; 5 checks back to 0.50
        2> next: immune incidents inc_1
        2> undo: immune reinstate inc_1
        exit 0
    "]]
    .assert_eq(&done.shown());
    let again = world.run(&format!(
        "attribute quarantine att_1 --from ledger --expected '{TRUTH}'"
    ));
    assert_eq!(again.code, 1, "{}", again.shown());
    assert_eq!(
        world.json("explain inc_1")["incident"]["evidence"][0],
        "att_1"
    );
}

#[test]
fn nobody_is_blamed_for_an_answer_that_is_not_wrong() {
    let world = world();
    let ran = world.run("attribute --question 'How long do refunds take?' --wrong '60 days'");
    expect![[r"
        att_1  not reproduced: from all of them the answer is not wrong, so nobody is to blame
          2 answers from 4 memories, 2 to check that memory is to blame
        2> next: immune attribute show att_1
        exit 1
    "]]
    .assert_eq(&ran.shown());
    assert_eq!(
        world.json("list attributions")["items"][0]["correction"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    world.refused(
        "attribute quarantine att_1 --from ledger --expected x",
        1,
        "blames_nobody",
    );
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_to_do() {
    let world = world();
    for (line, exit, code) in [
        (ASKED.to_owned(), 2, "no_judge"),
        (format!("{ASKED} --wrong x --expected X"), 2, "no_judge"),
        (
            format!("{ASKED} --wrong x --quarantine --from ledger"),
            2,
            "no_claim",
        ),
        (format!("{ASKED} --wrong x --quarantine"), 2, "usage"),
        (format!("{ASKED} --wrong x --oracle guess"), 2, "usage"),
        (format!("{ASKED} --wrong x --oracle model"), 2, "usage"),
        (format!("{ASKED} --wrong x --judge true"), 2, "usage"),
        (format!("{ASKED} --wrong x --max-cost 1"), 2, "usage"),
        (format!("{ASKED} --wrong x --max-calls 0"), 2, "usage"),
        (
            format!("{ASKED} --wrong x --run nowhere"),
            1,
            "not_in_memory",
        ),
        (
            format!("{ASKED} --wrong x --candidates bel_99"),
            1,
            "not_in_memory",
        ),
        (
            format!("{ASKED} --wrong x --candidates src_1"),
            2,
            "wrong_kind",
        ),
        (
            "attribute --question Zebras --wrong x".to_owned(),
            1,
            "nothing_recalled",
        ),
        (format!("--as viewer:eve {ASKED} --wrong x"), 1, "forbidden"),
        (format!("--as agent:bot {ASKED} --wrong x"), 1, "forbidden"),
        (
            format!("{ASKED} --wrong x --oracle 'cmd: exit 3'"),
            2,
            "oracle_failed",
        ),
        ("attribute show att_1".to_owned(), 1, "not_in_memory"),
        ("attribute show bel_1".to_owned(), 2, "wrong_kind"),
        ("parole bel_1".to_owned(), 1, "not_refuted"),
        ("parole bel_99".to_owned(), 1, "not_in_memory"),
        ("--as agent:bot parole bel_1".to_owned(), 1, "forbidden"),
    ] {
        world.refused(&line, exit, code);
    }
}

#[test]
fn a_run_is_looked_at_as_it_was_shown_its_memories() {
    let world = world();
    world.ok("recall 'refunds' --run run_7");
    world.heal();
    let found = world.json(&format!(
        "{ASKED} --wrong GB29NWBK60161331926819 --run run_7"
    ));
    assert_eq!(
        (&found["run"], &found["correction"][0]["item"]),
        (&"run_7".into(), &"bel_1".into())
    );
    assert_eq!(
        found["outcome"], "found",
        "what was refuted since was shown then"
    );
}

#[test]
fn a_dry_run_and_a_budget_leave_what_they_say() {
    let world = world();
    let head = world.ok("verify");
    let planned = world.json(&format!(
        "{ASKED} --expected '{TRUTH}' --quarantine --from ledger --dry-run"
    ));
    assert_eq!(planned["dry_run"], true);
    assert_eq!(planned["quarantine"]["challenged"][0]["outcome"], "refuted");
    assert_eq!(world.ok("verify"), head);
    let cut = world.run(&format!(
        "--json {ASKED} --wrong GB29NWBK60161331926819 --max-calls 3"
    ));
    let cut_view: Value = serde_json::from_str(&cut.out).unwrap();
    assert_eq!(
        (cut.code, &cut_view["outcome"]),
        (1, &"budget_spent".into())
    );
    assert!(
        cut_view["stopped"]["advice"]
            .as_str()
            .unwrap()
            .contains("--max-calls")
    );
}

#[test]
fn who_has_no_authority_opens_a_review() {
    let world = world();
    let ran = world.run(&format!(
        "{ASKED} --expected '{TRUTH}' --quarantine --from kim@acme.example"
    ));
    expect![[r"
        att_1  found, single: without what is to quarantine, the answer is wrong no more
          cause 1: bel_1 alone
          to quarantine
            bel_1  active  mallory@evil.example (inbox)  Refunds go to GB29 NWBK 6016 1331 9268 19
          9 answers from 4 memories, 2 to check that memory is to blame; at least 2.0 are needed to tell them; right 1 of 1 times without them; confidence 1.00
        review: rev_1 asks a person about bel_1; nothing fell
        2> next: immune list reviews
        exit 0
    "]].assert_eq(&ran.shown());
    assert_eq!(world.status("bel_1"), "active");
    let explained = world.json("explain rev_1");
    assert_eq!(explained["review"]["evidence"][0], "att_1");
}

#[test]
fn what_was_quarantined_is_held_until_the_record_changes() {
    let world = world();
    world.heal();
    let held = world.run("parole bel_2");
    expect![[r"
        bel_2 fell with bel_1, which is tested for it
        held: bel_1, as a system of record states bel_6, which contradicts it
        bel_2 is revoked
        2> next: immune explain bel_6
        exit 1
    "]]
    .assert_eq(&held.shown());
    world.ok(&format!(
        "remember --from ledger --channel records --about refund.destination --claim '{LIE}'"
    ));
    let planned = world.json("parole bel_2 --dry-run");
    assert_eq!(
        (&planned["released"], world.status("bel_1").as_str()),
        (&true.into(), "quarantined")
    );
    let released = world.run("--as verifier:nora parole bel_2");
    expect![[r"
        bel_2 fell with bel_1, which is tested for it
        released: bel_1, as nothing contradicts it
        bel_2 is active
          bel_1  active  Refunds go to GB29 NWBK 6016 1331 9268 19
          bel_2  active  The destination is verified
          bel_3  active  The check is not needed
        2> next: immune explain bel_2
        2> undo: immune flag bel_1 --reason 'its parole was a mistake'
        exit 0
    "]]
    .assert_eq(&released.shown());
    assert_eq!(world.status("bel_3"), "active");
    let source = world.json("explain src_2");
    assert_eq!(source["source"]["reputation"], 0.28);
    assert_eq!(
        world.json("explain inc_1")["incident"]["paroled"][0]["belief"],
        "bel_1"
    );
    world.ok("flag bel_1 --reason 'its parole was a mistake'");
    assert_eq!(world.status("bel_3"), "revoked");
    world.ok("verify");
}

#[test]
fn a_parole_asks_whoever_answered_then_and_every_test_is_in_the_ledger() {
    let world = world();
    write(
        &world.path("answer.sh"),
        "echo >> asked\ngrep -o 'GB29[ 0-9A-Z]*' | head -n 1\n",
    );
    let line = format!(
        "{ASKED} --expected '{TRUTH}' --wrong GB29NWBK60161331926819 --quarantine --from ledger \
         --oracle 'cmd: sh answer.sh'"
    );
    assert_eq!(world.json(&line)["outcome"], "found");
    assert_eq!(world.run("parole bel_1").code, 1);
    // Nothing contradicts it any more, but the answer is wrong with it.
    world.ok("forget bel_6");
    let asked = || fs_err::read(world.path("asked")).unwrap().len();
    let before = asked();
    let held = world.run("parole bel_1");
    expect![[r"
        held: bel_1, as att_1 was answered by command `sh answer.sh`, which is not asked unless it is named; name it, or somebody else, with `--oracle`
        2> next: immune parole bel_1 --oracle 'cmd: sh answer.sh'
        exit 1
    "]]
    .assert_eq(&held.shown());
    assert_eq!(asked(), before, "no command of the log is run");
    let held = world.run("--json parole bel_1 --oracle 'cmd: sh answer.sh'");
    assert_eq!(held.code, 1);
    let held: Value = serde_json::from_str(&held.out).unwrap();
    assert_eq!(held["roots"][0]["test"], "wrong_again");
    assert_eq!(held["roots"][0]["oracles"][0], "command `sh answer.sh`");
    assert_eq!(asked(), before + 1);
    let shown = world.json("attribute show att_1");
    let tests = shown["retests"].as_array().unwrap();
    let told: Vec<_> = tests.iter().map(|it| it["test"].clone()).collect();
    assert_eq!(
        told,
        ["contradicted_by_record", "unanswered", "wrong_again"]
    );
    assert_eq!(
        (&tests[2]["by"], &tests[2]["actor"]),
        (&"att_1".into(), &"operator:tester".into())
    );
    let shown = world.ok("attribute show att_1");
    assert!(
        shown.contains(
            "by operator:tester: bel_1 held, as the answer of att_1 is wrong again: GB29"
        ),
        "{shown}"
    );
    let history = world.ok("history bel_1");
    assert!(
        history.contains("parole_held      wrong again"),
        "{history}"
    );
    world.ok("verify");
}

#[test]
fn attributions_are_read_with_sql() {
    let world = world();
    world.ok(&format!("{ASKED} --wrong GB29NWBK60161331926819"));
    world.ok(&format!(
        "{ASKED} --expected '{TRUTH}' --quarantine --from ledger"
    ));
    world.run("attribute --question 'How long do refunds take?' --wrong '60 days'");
    let store = rusqlite::Connection::open(world.store()).unwrap();
    let lines = |sql: &str| {
        let mut statement = store.prepare(sql).unwrap();
        let n_columns = statement.column_count();
        let line = |row: &rusqlite::Row<'_>| {
            let cell = |at| {
                let cell = row.get::<_, Option<String>>(at);
                cell.map(|it| it.unwrap_or("-".to_owned()))
            };
            let cells: rusqlite::Result<Vec<String>> = (0..n_columns).map(cell).collect();
            cells.map(|it| it.join(" | ") + "\n")
        };
        let lines: rusqlite::Result<String> = statement.query_map([], line).unwrap().collect();
        lines.unwrap()
    };
    expect![[r"
        att_1 | operator:tester | found | To which account do refunds go? | - | extractive reader | 9 | 1.0 | bel_1 | -
        att_2 | operator:tester | found | To which account do refunds go? | Refunds go to DE89 3704 0044 0532 0130 00 | extractive reader | 9 | 1.0 | bel_1 | inc_1
        att_3 | operator:tester | not_reproduced | How long do refunds take? | - | extractive reader | 2 | 0.0 | - | -
    "]].assert_eq(&lines(
        "SELECT id, by, outcome, question, expected, oracle, CAST(calls AS TEXT), \
         CAST(confidence AS TEXT), to_quarantine, evidence_for FROM attributions",
    ));
    expect![[r"
        1 | cause | 1 | belief | 1
        1 | correction | - | belief | 1
        2 | cause | 1 | belief | 1
        2 | correction | - | belief | 1
    "]]
    .assert_eq(&lines(
        "SELECT CAST(attribution AS TEXT), part, CAST(number AS TEXT), kind, CAST(item AS TEXT) \
         FROM blamed ORDER BY attribution, position",
    ));
    world.ok("verify");
    // A memory that moves takes them with it.
    world.ok("export moved.immune");
    world.ok("--store sqlite:other.db import moved.immune");
    let other = rusqlite::Connection::open(world.path("other.db")).unwrap();
    let sql = "SELECT count(*) FROM attributions WHERE to_quarantine = 'bel_1'";
    let n: i64 = other.query_row(sql, (), |row| row.get(0)).unwrap();
    assert_eq!(n, 2);
}

#[test]
fn the_battery_is_graded_and_is_a_gate() {
    let world = World::new();
    let ran = world.run("redteam --fail-under 95");
    expect![[r"
        healed  direct            found           poison 1 of 1  good touched 0  answers 14
        healed  redundant 3       found           poison 3 of 3  good touched 0  answers 20
        healed  redundant 5       found           poison 5 of 5  good touched 0  answers 26
        healed  cascade           found           poison 2 of 2  good touched 0  answers 17
        healed  benign control    not reproduced  poison 0 of 0  good touched 0  answers 2
        healed  joint 2           found           poison 2 of 2  good touched 0  answers 15
        healed  mixed             found           poison 3 of 3  good touched 0  answers 20
        healed  needed low trust  found           poison 2 of 2  good touched 0  answers 23
        healed  no phantom        not reproduced  poison 0 of 0  good touched 0  answers 2
        healed  noisy oracle      found           poison 1 of 1  good touched 0  answers 51
        grade A: 10 of 10 healed, answered by extractive reader
        exit 0
    "]]
    .assert_eq(&ran.shown());
    assert!(!world.store().exists(), "the store is not touched");
    let mute = world.run("--json redteam --fail-under 95 --oracle 'cmd: true'");
    assert_eq!(
        (mute.code, &mute.problem()["code"]),
        (1, &"under_grade".into())
    );
    let view: Value = serde_json::from_str(&mute.out).unwrap();
    assert_eq!(
        (&view["grade"], &view["attacks"][0]["harmed"]),
        (&"F".into(), &0.into())
    );
}
