//! `blast`, `origins`, `chokepoint`, `scan`, `record`, `diff`, and the proof or cut of `explain`.

use expect_test::expect;
use serde_json::Value;

use crate::common::World;

/// A spoofed mail and a signed invoice about a vendor; three agents build on them, the last pays.
fn paid() -> World {
    let world = World::new();
    for line in [
        "channels set inbox --tier 0.7",
        "channels set records --tier 0.98 --authored",
        "sources record ledger --channel records --area 'vendor.*'",
        "sources declare billing@acme.example --channel inbox",
        "rules set pay --class irreversible --unknown warn",
        "remember --from mallory@evil.example --channel inbox --about vendor.acme.iban \
         --claim 'Acme is paid at GB29 NWBK 6016 1331 9268 19'",
        "remember --from billing@acme.example --channel inbox --about vendor.acme.address \
         --claim 'Acme is at 118 Mission Rock'",
        "derive --agent researcher --from bel_1 --about payables.acme --claim 'Acme can be paid'",
        "derive --agent invoicing --from bel_3 --from bel_2 --about invoice.7 --claim 'Ready'",
        "guard --agent scheduler --kind pay --uses bel_4 --payload 'EUR 10' -- true",
    ] {
        world.ok(line);
    }
    world
}

/// The paths of an object, each once, with the types of the leaves.
fn shape(value: &Value) -> String {
    fn walk(prefix: &str, value: &Value, paths: &mut Vec<String>) {
        let leaf = match value {
            Value::Object(parts) => {
                for (name, part) in parts {
                    walk(&format!("{prefix}.{name}"), part, paths);
                }
                return;
            }
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    walk(&format!("{prefix}[]"), item, paths);
                }
                return;
            }
            Value::Array(_) => format!("{prefix}[]"),
            Value::Null => format!("{prefix}?"),
            Value::Bool(_) => format!("{prefix} bool"),
            Value::Number(_) => format!("{prefix} number"),
            Value::String(_) => format!("{prefix} text"),
        };
        if !paths.contains(&leaf) {
            paths.push(leaf);
        }
    }
    let mut paths = Vec::new();
    walk("", value, &mut paths);
    paths.join("\n")
}

#[test]
fn a_blast_goes_across_agents_down_to_the_payment() {
    let world = paid();
    expect![[r"
        src_3 reaches 1 observation, 3 beliefs, 1 decision, 1 action within 6 hops
        would fall: 3 beliefs, 1 decision, 1 action; would stand: 0 beliefs
        across researcher (agents), invoicing (agents), scheduler (agents)
        src_3  hop 0            flagged
        obs_1  hop 1  active    falls: quarantined                    mallory@evil.example (inbox)
        bel_1  hop 2  active    falls: revoked      vendor.acme.iban  mallory@evil.example (inbox)
        bel_3  hop 3  active    falls: revoked      payables.acme     researcher (agents)
        bel_4  hop 4  active    falls: revoked      invoice.7         invoicing (agents)
        dec_1  hop 5  active    falls: revoked                        scheduler (agents)
        act_1  hop 6  executed  would be reversed   pay               scheduler (agents)
        2> next: immune flag src_3 --dry-run
        exit 0
    "]]
    .assert_eq(&world.run("blast mallory@evil.example").shown());
    expect![[r"
        .schema text
        .item text
        .totals.observations number
        .totals.beliefs number
        .totals.beliefs_fall number
        .totals.beliefs_stand number
        .totals.decisions number
        .totals.decisions_fall number
        .totals.actions number
        .totals.actions_fall number
        .totals.hops number
        .agents[].source text
        .agents[].handle text
        .agents[].channel text
        .reached[].item text
        .reached[].hop number
        .reached[].from?
        .reached[].by?
        .reached[].about?
        .reached[].status?
        .reached[].fate text
        .reached[].then?
        .reached[].stands_by?
        .reached[].from text
        .reached[].by.source text
        .reached[].by.handle text
        .reached[].by.channel text
        .reached[].status text
        .reached[].then text
        .reached[].about text
        .more number
        .returns[]
        .exposed[]
        .copied_by[]"]]
    .assert_eq(&shape(&world.json("blast src_3")));
    let listed = world.json("blast mallory@evil.example --limit 2");
    assert_eq!(listed["reached"].as_array().unwrap().len(), 2);
    assert_eq!(listed["more"], 5);
    assert_eq!(listed["totals"]["beliefs_fall"], 3, "all of it is counted");
}

#[test]
fn a_blast_says_what_would_stand_and_what_would_come_back() {
    let world = paid();
    world.ok("remember --from web@x.example --channel inbox --about payables.acme --claim 'Acme can be paid'");
    let blast = world.json("blast bel_1");
    let fate = |item: &str| {
        let all = blast["reached"].as_array().unwrap();
        let found = all.iter().find(|it| it["item"] == item).unwrap();
        (found["fate"].clone(), found["stands_by"].clone())
    };
    assert_eq!(fate("bel_3"), ("stands".into(), "jus_5".into()));
    assert_eq!(fate("act_1").0, "stands");
    world.ok("remember --from mallory@evil.example --channel inbox --about vendor.acme.iban --claim 'To DE89 3704 0044 0532 0130 00'");
    let newer = world.json("list beliefs --subject vendor.acme.iban");
    let newer = newer["items"][1]["belief"].as_str().unwrap().to_owned();
    let blast = world.json(&format!("blast {newer}"));
    assert_eq!(blast["returns"][0], "bel_1", "what it had replaced");
    world.ok(&format!("flag {newer}"));
    assert_eq!(world.status("bel_1"), "active", "and it does come back");
}

#[test]
fn mirrors_are_named_beside_a_blast() {
    let world = paid();
    world.ok("sources declare page --channel inbox");
    world.ok("sources mirror page --of billing@acme.example");
    let blast = world.json("blast billing@acme.example");
    assert_eq!(blast["copied_by"][0]["handle"], "page");
}

#[test]
fn origins_name_who_has_to_be_lost() {
    let world = paid();
    expect![[r"
        act_1  corroboration 1
          falls without billing@acme.example (inbox)
          2 sources, 1 independent origin
          src_2  billing@acme.example (inbox)
          src_3  mallory@evil.example (inbox), counts as newcomers in chn_1
        each by itself
          bel_4  1  falls without billing@acme.example (inbox)
        2> next: immune explain bel_4
        exit 0
    "]]
    .assert_eq(&world.run("origins act_1").shown());
    expect![[r"
        .schema text
        .item text
        .corroboration number
        .exact bool
        .lose[].origin text
        .lose[].kind text
        .lose[].handle text
        .lose[].channel text
        .origins[].origin text
        .origins[].kind text
        .origins[].handle text
        .origins[].channel text
        .origins[].handle?
        .sources[].source text
        .sources[].handle text
        .sources[].channel text
        .sources[].origins[] text
        .parts[].item text
        .parts[].corroboration number
        .parts[].exact bool
        .parts[].lose[].origin text
        .parts[].lose[].kind text
        .parts[].lose[].handle text
        .parts[].lose[].channel text
        .parts[].origins[].origin text
        .parts[].origins[].kind text
        .parts[].origins[].handle text
        .parts[].origins[].channel text
        .parts[].origins[].handle?
        .parts[].sources[].source text
        .parts[].sources[].handle text
        .parts[].sources[].channel text
        .parts[].sources[].origins[] text"]]
    .assert_eq(&shape(&world.json("origins bel_4")));
    world.ok("sources declare page --channel inbox");
    world.ok("remember --from page --channel inbox --about vendor.acme.address --claim 'Acme is at 118 Mission Rock'");
    let two = world.json("origins bel_2");
    assert_eq!(two["corroboration"], 2);
    assert_eq!(two["lose"].as_array().unwrap().len(), 2);
    for part in two["parts"].as_array().unwrap() {
        assert_eq!(part["corroboration"], 1, "each justification by itself");
    }
    world.ok("sources mirror page --of billing@acme.example");
    let one = world.json("origins bel_2");
    assert_eq!(
        (&one["corroboration"], &one["exact"]),
        (&1.into(), &true.into())
    );
    assert_eq!(one["lose"][0]["handle"], "billing@acme.example");
    assert_eq!(
        one["sources"].as_array().unwrap().len(),
        2,
        "two sources, one origin"
    );
}

#[test]
fn a_chokepoint_is_named_and_applied() {
    let world = paid();
    expect![[r"
        from src_3 to act_1: 4 memories between
          every path passes obs_1, bel_1, bel_3, bel_4
          quarantining obs_1 takes act_1 down
          the fewest that take act_1 down: obs_1 (1 quarantine)
        2> next: immune flag obs_1 --dry-run
        exit 0
    "]]
    .assert_eq(
        &world
            .run("chokepoint --from mallory@evil.example --to act_1")
            .shown(),
    );
    expect![[r"
        .schema text
        .from text
        .to text
        .between number
        .shared[] text
        .cut?
        .falls_without text
        .falls bool
        .stands_on[]
        .falls_without_origin bool
        .takedown.members[] text
        .takedown.at_least number
        .takedown.size text"]]
    .assert_eq(&shape(&world.json("chokepoint --from src_3 --to bel_4")));
    let seq = world.json("recall")["seq"].clone();
    world.ok("flag bel_1");
    let ran = world.run("--json chokepoint --from obs_1 --to act_1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("not_standing"))
    );
    let then = world.json(&format!("--as-of {seq} chokepoint --from obs_1 --to act_1"));
    assert_eq!(then["shared"][0], "bel_1");
    let ran = world.run("--json chokepoint --from obs_2 --to bel_2");
    assert_eq!(ran.code, 0);
    let ran = world.run("--json chokepoint --from obs_1 --to bel_2");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("no_path"))
    );
    for line in ["--from act_1 --to bel_2", "--from obs_1 --to obs_2"] {
        let ran = world.run(&format!("--json chokepoint {line}"));
        assert_eq!(
            (ran.code, ran.problem()["code"].as_str()),
            (2, Some("wrong_kind")),
            "{line}"
        );
    }
}

#[test]
fn where_paths_part_the_fewest_that_meet_them_are_named_with_what_stands_then() {
    let world = paid();
    world.ok("derive --agent a --from bel_1 --about way.one --claim 'One way'");
    world.ok("derive --agent a --from bel_1 --about way.two --claim 'Another way'");
    for from in ["bel_5", "bel_6", "bel_2"] {
        world.ok(&format!(
            "derive --agent a --from {from} --about goal.x --claim 'The goal'"
        ));
    }
    let found = world.json("chokepoint --from bel_1 --to bel_7");
    assert_eq!(found["shared"], Value::Array(Vec::new()));
    assert_eq!(
        found["cut"]["members"],
        serde_json::json!(["bel_5", "bel_6"])
    );
    assert_eq!(found["cut"]["size"], "smallest");
    assert_eq!(
        (&found["falls"], &found["stands_on"][0]),
        (&false.into(), &"obs_2".into())
    );
    assert_eq!(found["takedown"]["at_least"], 2, "the mail and the invoice");
}

#[test]
fn a_scan_ranks_what_one_origin_carries_and_says_how_to_harden_it() {
    let world = paid();
    expect![[r#"
        bel_1  vendor.acme.iban
          rests on the newcomers of inbox
          carries 1 action (act_1, irreversible), 1 decision (dec_1), 2 beliefs
          to harden: ask ledger (records) about it
            immune challenge --from ledger --channel records --about vendor.acme.iban --claim "$CLAIM"
        bel_2  vendor.acme.address
          rests on billing@acme.example (inbox)
          carries 1 action (act_1, irreversible), 1 decision (dec_1), 1 belief
          to harden: ask ledger (records) about it
            immune challenge --from ledger --channel records --about vendor.acme.address --claim "$CLAIM"
        and 2 more
        no two of 4 beliefs at or above the floor 0.50 disagree
        2> next: immune blast bel_1
        exit 0
    "#]].assert_eq(&world.run("scan --limit 2").shown());
    expect![[r"
        .schema text
        .weak[].belief text
        .weak[].subject text
        .weak[].strength number
        .weak[].origin.origin text
        .weak[].origin.kind text
        .weak[].origin.handle?
        .weak[].origin.channel text
        .weak[].class text
        .weak[].actions[] text
        .weak[].decisions[] text
        .weak[].dependants number
        .weak[].harden.confirm text
        .weak[].harden.subject text
        .weak[].harden.namespace text
        .weak[].harden.ask.source text
        .weak[].harden.ask.handle text
        .weak[].harden.ask.channel text
        .weak[].harden.command text
        .weak[].origin.handle text
        .weak[].harden.ask?
        .weak[].harden.command?
        .found number
        .candidates number
        .looked_at number
        .conflicts.pairs[]
        .conflicts.found number
        .conflicts.compared number
        .conflicts.below_floor number
        .conflicts.unscreened number"]]
    .assert_eq(&shape(&world.json("scan")));
    assert_eq!(world.run("scan --limit 0").code, 2);
    let command = "challenge --from ledger --channel records --about vendor.acme.iban \
                   --claim 'Acme is paid at GB29 NWBK 6016 1331 9268 19'";
    world.ok(command);
    assert_eq!(
        world.json("origins bel_1")["corroboration"],
        2,
        "it is hardened"
    );
    let weak = world.json("scan");
    let weak = weak["weak"].as_array().unwrap();
    assert!(weak.iter().all(|it| it["belief"] != "bel_1"));
}

#[test]
fn a_record_loses_the_poisoned_field_and_no_other() {
    let world = paid();
    let before = world.json("recall")["seq"].clone();
    world.ok("remember --from billing@acme.example --channel inbox --about vendor.acme.iban --claim 'Acme is paid at DE89 3704 0044 0532 0130 00'");
    let fields = world.json("record vendor.acme");
    let standing = |fields: &Value, at: usize| fields["fields"][at]["standing"].clone();
    assert_eq!(
        (standing(&fields, 0), standing(&fields, 1)),
        ("held".into(), "contested".into())
    );
    assert_eq!(
        fields["fields"][1]["values"].as_array().unwrap().len(),
        2,
        "both sides"
    );
    world.ok("flag bel_1");
    world.ok("forget bel_5");
    expect![[r"
        address  held  bel_2  single-origin         Acme is at 118 Mission Rock                              billing@acme.example (inbox)
        iban     lost  bel_1  quarantined in inc_1  stood from TIME to TIME  mallory@evil.example (inbox)
                       bel_5  forgotten
        2> next: immune explain bel_1
        exit 0
    "]].assert_eq(&world.run("record vendor.acme").shown());
    expect![[r"
        .schema text
        .prefix text
        .seq number
        .fields[].name text
        .fields[].subject text
        .fields[].standing text
        .fields[].values[].belief text
        .fields[].values[].subject text
        .fields[].values[].claim text
        .fields[].values[].polarity text
        .fields[].values[].literals[]
        .fields[].values[].label text
        .fields[].values[].strength number
        .fields[].values[].corroboration number
        .fields[].values[].sources[].source text
        .fields[].values[].sources[].handle text
        .fields[].values[].sources[].channel text
        .fields[].values[].rivals[]
        .fields[].values[].believed_at text
        .fields[].values[].score number
        .fields[].values[].matched[]
        .fields[].values[].why text
        .fields[].lost[]
        .fields[].excluded[]
        .fields[].values[]
        .fields[].lost[].belief text
        .fields[].lost[].status text
        .fields[].lost[].incident text
        .fields[].lost[].believed_at text
        .fields[].lost[].ended_at text
        .fields[].lost[].sources[].source text
        .fields[].lost[].sources[].handle text
        .fields[].lost[].sources[].channel text
        .fields[].excluded[].item text
        .fields[].excluded[].reason text
        .more number"]]
    .assert_eq(&shape(&world.json("record vendor.acme")));
    assert!(
        !world.ok("--json record vendor.acme").contains("GB29"),
        "what fell is not repeated"
    );
    let then = world.json(&format!("--as-of {before} record vendor.acme"));
    assert_eq!(standing(&then, 1), "held");
    assert_eq!(
        world.json("record vendor.ac")["fields"],
        Value::Array(Vec::new())
    );
    assert_eq!(world.run("record 'no subject'").code, 2);
}

#[test]
fn a_diff_groups_what_moved_between_two_moments() {
    let world = paid();
    let seq = world.json("recall")["seq"].clone();
    world.heal();
    world.ok("flag mallory@evil.example --channel inbox");
    expect![[r"
        event 19 (TIME) against event 23 (TIME)
        believed since
          bel_5  none -> 0.98  refund.destination  Refunds go to DE89 3704 0044 0532 0130 00
        believed no longer
          bel_1  0.70 -> revoked  vendor.acme.iban  Acme is paid at GB29 NWBK 6016 1331 9268 19
          bel_3  0.70 -> revoked  payables.acme     Acme can be paid
          bel_4  0.70 -> revoked  invoice.7         Ready
        actions
          act_1  executed -> irreversible  pay
        at one of them only
          obs_3
          inc_1
          tsk_1
        2> next: immune explain bel_5
        exit 0
    "]]
    .assert_eq(&world.run(&format!("diff --at {seq}")).shown());
    let diff = world.json(&format!("diff --at {seq}"));
    expect![[r"
        .schema text
        .at.seq number
        .at.time text
        .vs.seq number
        .vs.time text
        .gained[].belief text
        .gained[].subject text
        .gained[].claim text
        .gained[].valid_from?
        .gained[].valid_until?
        .gained[].at?
        .gained[].vs.status text
        .gained[].vs.strength number
        .gained[].vs.valid bool
        .dropped[].belief text
        .dropped[].subject text
        .dropped[].claim text
        .dropped[].valid_from?
        .dropped[].valid_until?
        .dropped[].at.status text
        .dropped[].at.strength number
        .dropped[].at.valid bool
        .dropped[].vs.status text
        .dropped[].vs.strength number
        .dropped[].vs.valid bool
        .strength[]
        .status[]
        .validity[]
        .sources[]
        .actions[].action text
        .actions[].kind text
        .actions[].at text
        .actions[].vs text
        .items[] text"]]
    .assert_eq(&shape(&diff));
    let back = world.json(
        &format!("diff --at 999999 --vs {seq}").replace("999999", &diff["vs"]["seq"].to_string()),
    );
    assert_eq!(
        back["dropped"].as_array().unwrap().len(),
        diff["gained"].as_array().unwrap().len()
    );
    assert_eq!(
        back["gained"].as_array().unwrap().len(),
        diff["dropped"].as_array().unwrap().len()
    );
    assert_eq!(world.run("diff --at 999999").code, 1, "it has not happened");
    for line in [
        "diff --at 2025-07-25T02:00:00",
        "diff --at soon",
        "--as-of 3 diff --at 1",
        "diff",
    ] {
        assert_eq!(world.run(line).code, 2, "{line}");
    }
}

#[test]
fn valid_time_is_that_of_the_claim_whatever_the_zone_of_the_host() {
    // D34: written as of 02:00 in UTC, on a host in another zone, and asked about by that date.
    let world = World::with_record();
    let run = |line: &str| {
        let mut command = world.command();
        let command = command
            .env("TZ", "America/Los_Angeles")
            .args(crate::common::split(line));
        crate::common::Ran::of(&command.output().unwrap())
    };
    let written = run(
        "remember --from a@b.example --channel inbox --about shop.offer --claim 'Shoes are 10% off' \
         --sent-at 2025-07-25T02:00:00Z --valid-from 2025-07-25T02:00:00Z \
         --valid-until 2025-07-26",
    );
    assert_eq!(written.code, 0, "{}", written.err);
    for (at, n) in [
        ("2025-07-25T12:00:00Z", 1),
        ("2025-07-24T19:00:00-07:00", 1),
        ("2025-07-25", 0),
        ("2025-07-26", 0),
    ] {
        let ran = run(&format!("--json recall --about shop.offer --valid-at {at}"));
        let recalled: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(recalled["facts"].as_array().unwrap().len(), n, "{at}");
    }
    let naive = run("recall --about shop.offer --valid-at 2025-07-25T02:00:00");
    assert_eq!(
        naive.code, 2,
        "a time without a zone is refused, not guessed at"
    );
    let ran = run("--json diff --at 1");
    let diff: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(diff["gained"][0]["valid_from"], "2025-07-25T02:00:00Z");
    assert_eq!(
        diff["gained"][0]["vs"]["valid"], false,
        "believed, and over by its own words"
    );
    let listed = run("--json list observations");
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed["items"][0]["sent_at"], "2025-07-25T02:00:00Z");
}

#[test]
fn explain_shows_the_proof_and_the_cut_and_that_the_judge_accepts() {
    let world = paid();
    let proof = world.json("explain bel_4")["belief"]["certificate"].clone();
    assert_eq!(
        (&proof["kind"], &proof["accepted"]),
        (&"proof".into(), &true.into())
    );
    assert_eq!(proof["length"], 4);
    world.ok("flag src_3");
    let cut = world.json("explain bel_4")["belief"]["certificate"].clone();
    assert_eq!(
        (&cut["kind"], &cut["accepted"]),
        (&"cut".into(), &true.into())
    );
    expect![[r"
        .kind text
        .level text
        .accepted bool
        .rejected?
        .length number
        .steps[]
        .lost[].belief text
        .lost[].refuted_in?
        .lost[].losses[].justification text
        .lost[].losses[].lost text
        .lost[].losses[].closed?
        .lost[].losses[].flagged_in?"]]
    .assert_eq(&shape(&cut));
    world.ok("flag src_5");
    let shown = world.ok("explain bel_3");
    assert!(shown.contains("accepted by the judge"), "{shown}");
    let last = &world.json("explain bel_3")["belief"]["certificate"]["lost"];
    expect![[r#"[{"belief":"bel_3","refuted_in":null,"losses":[{"justification":"jus_3","lost":"bel_1","closed":null,"flagged_in":null}]},{"belief":"bel_1","refuted_in":null,"losses":[{"justification":"jus_1","lost":"obs_1","closed":null,"flagged_in":null}]}]"#]].assert_eq(&last.to_string());
}
