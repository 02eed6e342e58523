//! The shape of every JSON reply: the schema in front, numbers as numbers, times in UTC.

use serde_json::Value;

use crate::common::World;

/// The paths of an object with the type of each leaf.
fn shape(value: &Value) -> String {
    fn walk(prefix: &str, value: &Value, lines: &mut Vec<String>) {
        match value {
            Value::Object(parts) => {
                for (name, part) in parts {
                    walk(&format!("{prefix}.{name}"), part, lines);
                }
            }
            Value::Array(items) => match items.first() {
                Some(first) => walk(&format!("{prefix}[]"), first, lines),
                None => lines.push(format!("{prefix}[]")),
            },
            Value::Null => lines.push(format!("{prefix}?")),
            Value::Bool(_) => lines.push(format!("{prefix} bool")),
            Value::Number(_) => lines.push(format!("{prefix} number")),
            Value::String(_) => lines.push(format!("{prefix} text")),
        }
    }
    let mut lines = Vec::new();
    walk("", value, &mut lines);
    lines.join("\n")
}

#[test]
fn every_reply_names_its_schema() {
    let world = World::with_lie();
    world.ok("rules set k --class compensable --compensation true");
    for (line, schema) in [
        (
            "remember hi --from a@b.example --channel inbox",
            "remembered",
        ),
        ("derive --from bel_1 --about a.b --claim c", "derived"),
        ("recall refund", "recalled"),
        ("guard --kind k --payload x --uses bel_1", "guarded"),
        ("guard --finish act_1 --result done", "finished"),
        ("explain bel_1", "explained"),
        ("history bel_1", "history"),
        ("blast bel_1", "blast"),
        ("origins bel_1", "origins"),
        ("chokepoint --from obs_1 --to bel_2", "chokepoint"),
        ("scan", "scan"),
        ("recall refund --run r", "recalled"),
        ("runs", "runs"),
        ("runs show r", "run"),
        ("runs start s --parent r", "run_started"),
        ("record refund", "record"),
        ("diff --at 1", "diff"),
        ("compare 30 'thirty'", "compared"),
        ("list beliefs", "list"),
        ("channels", "list"),
        ("channels set inbox --tier 0.7", "set"),
        ("reversals", "list"),
        ("reversals run", "reversals"),
        ("verify", "verified"),
        ("doctor", "doctor"),
        ("version", "version"),
        ("screen x --from a@b.example --channel inbox", "screened"),
        ("reindex", "reindexed"),
        ("reindex --list", "without_vectors"),
        ("areas", "areas"),
        ("areas set 'a.*' --half-life 30d", "area_set"),
        ("channels show inbox", "explained"),
        ("explain obs_1 --screening", "explained"),
        (
            "attribute --question refund --wrong GB29NWBK60161331926819",
            "attributed",
        ),
        ("attribute show att_1", "attribution"),
        ("attribute list", "list"),
        (
            "attribute quarantine att_1 --from ledger --expected DE89370400440532013000",
            "quarantined",
        ),
        ("explain att_1", "explained"),
        ("redteam", "redteam"),
        (
            "challenge --from ledger --about a.c --claim c",
            "challenged",
        ),
        ("forget obs_1", "forgotten"),
    ] {
        let reply = world.json(line);
        assert_eq!(reply["schema"], format!("immune.{schema}/1"), "{line}");
        let first = reply.as_object().unwrap().keys().next().unwrap();
        assert_eq!(first, "schema", "{line}");
    }
}

#[test]
fn the_shape_of_what_is_recalled_and_challenged_is_a_contract() {
    let world = World::with_lie();
    world.ok("rules set k --class compensable --compensation true");
    world.ok("guard --kind k --payload x --uses bel_2 -- true");
    world.ok("remember 'refunds are slow' --from a@b.example --channel inbox");
    let challenged = world.heal_json();
    let recalled = world.json("recall refunds");
    expect_test::expect![[r"
        .schema text
        .seq number
        .facts[].belief text
        .facts[].subject text
        .facts[].claim text
        .facts[].polarity text
        .facts[].literals[].kind text
        .facts[].literals[].value text
        .facts[].label text
        .facts[].strength number
        .facts[].corroboration number
        .facts[].sources[].source text
        .facts[].sources[].handle text
        .facts[].sources[].channel text
        .facts[].rivals[]
        .facts[].believed_at text
        .facts[].score number
        .facts[].scores.words number
        .facts[].scores.meaning number
        .facts[].matched[] text
        .facts[].why text
        .notes[].observation text
        .notes[].source.source text
        .notes[].source.handle text
        .notes[].source.channel text
        .notes[].text text
        .notes[].strength number
        .notes[].sent_at?
        .notes[].score number
        .notes[].scores.words number
        .notes[].scores.meaning number
        .notes[].matched[] text
        .excluded[].item text
        .excluded[].reason text
        .meaning.model text
        .meaning.dimensions number
        .meaning.threshold number
        .meaning.waiting number
        .meaning.failed number
        .meaning.problem?"]]
    .assert_eq(&shape(&recalled));
    expect_test::expect![[r"
        .schema text
        .outcome text
        .observation text
        .claimed text
        .incident.incident text
        .incident.cause text
        .incident.trigger text
        .incident.challenger.source text
        .incident.challenger.handle text
        .incident.challenger.channel text
        .incident.subject text
        .incident.refuted[] text
        .incident.revoked[] text
        .incident.reputations[].source text
        .incident.reputations[].handle text
        .incident.reputations[].channel text
        .incident.reputations[].before number
        .incident.reputations[].after number
        .incident.reputations[].checks_to_floor number
        .incident.reversals[].action text
        .incident.reversals[].kind text
        .incident.reversals[].status text
        .incident.opened_at text
        .review?
        .disputed[]
        .undecided[]
        .tasks[] text
        .fell[].belief text
        .fell[].subject text
        .fell[].depth number
        .fell[].status text
        .fell[].actions[]
        .survivors[]
        .exposed.beliefs[]
        .exposed.decisions[]
        .exposed.actions[]
        .reversals[].action text
        .reversals[].kind text
        .reversals[].status text
        .reversals[].error?
        .reversals[].next_at?"]]
    .assert_eq(&shape(&challenged));
}

#[test]
fn trust_has_at_most_three_decimals_and_times_are_in_utc() {
    let world = World::with_lie();
    world.heal();
    for line in [
        "list beliefs",
        "sources",
        "explain bel_1",
        "history bel_1",
        "recall refund",
    ] {
        let raw = world.ok(&format!("--json {line}"));
        for word in raw.split([':', ',', '}', ']']) {
            if let Some((_, decimals)) = word.split_once("0.") {
                let is_number = decimals.bytes().all(|it| it.is_ascii_digit());
                assert!(!is_number || decimals.len() <= 6, "{line}: {word}");
            }
        }
        let value: Value = serde_json::from_str(&raw).unwrap();
        check_times(&value, line);
    }
}

fn check_times(value: &Value, line: &str) {
    match value {
        Value::Object(parts) => {
            for (name, part) in parts {
                if name.ends_with("_at") || name == "at" {
                    let is_utc = part.as_str().is_none_or(|it| it.ends_with('Z'));
                    assert!(is_utc, "{line}: {name} {part}");
                }
                check_times(part, line);
            }
        }
        Value::Array(items) => items.iter().for_each(|it| check_times(it, line)),
        _ => {}
    }
}
