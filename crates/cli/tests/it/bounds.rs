//! What is printed is bounded whatever a memory holds, and moments and limits are read alike.

use std::fmt::Write as _;

use crate::common::World;

/// Items of each kind, far more than are shown.
const MANY: usize = 70;
/// Sources, more than are shown.
const SOURCES: usize = 55;

/// A belief that many sources state, and below it many beliefs, one that rests on them all, and as
/// many in a chain.
fn crowded() -> World {
    let world = World::with_record();
    let mut lines = String::from("{\"belief\":\"root\",\"about\":\"crowd.root\"}\n");
    for n in 0..SOURCES {
        let _ = writeln!(lines, r#"{{"source":"s{n}","channel":"mail","tier":0.8}}"#);
        let _ = writeln!(lines, r#"{{"observation":"o{n}","source":"s{n}"}}"#);
        let _ = writeln!(
            lines,
            r#"{{"justification":"by{n}","belief":"root","premises":["o{n}"]}}"#
        );
    }
    for n in 0..MANY {
        let _ = writeln!(lines, r#"{{"belief":"b{n}","about":"crowd.wide"}}"#);
        let _ = writeln!(
            lines,
            r#"{{"justification":"j{n}","belief":"b{n}","premises":["root"]}}"#
        );
        let below = if n == 0 {
            "root".to_owned()
        } else {
            format!("c{}", n - 1)
        };
        let _ = writeln!(lines, r#"{{"belief":"c{n}","about":"crowd.deep"}}"#);
        let _ = writeln!(
            lines,
            r#"{{"justification":"d{n}","belief":"c{n}","premises":["{below}"]}}"#
        );
    }
    let ran = world.fed("graph import -", lines.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wide: Vec<String> = (0..MANY).map(|n| format!("--from b{n}")).collect();
    let wide = wide.join(" ");
    world.ok(&format!(
        "derive {wide} --about crowd.all --claim 'All of them' --agent bot"
    ));
    world.run("guard --kind k --payload p --uses bel_142 --agent bot -- true");
    world.ok("derive --from bel_142 --about crowd.x --claim 'One' --agent bot");
    world.ok("derive --from bel_142 --about crowd.y --claim 'Two' --agent bot");
    world
}

/// Bounded lines, each bounded, and how many more there are.
fn check(world: &World, line: &str, says_more: bool) {
    let ran = world.run(line);
    assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    let shown = format!("{}{}", ran.out, ran.err);
    let lines = shown.lines().count();
    assert!(lines <= 320, "{line}: {lines} lines");
    let longest = shown.lines().map(str::len).max().unwrap_or(0);
    assert!(longest <= 1_200, "{line}: a line of {longest} bytes");
    assert_eq!(shown.contains(" more"), says_more, "{line}: {shown}");
}

#[test]
fn nothing_that_is_printed_grows_with_the_memory() {
    let world = crowded();
    for line in [
        "explain root",
        "explain bel_142",
        "origins root",
        "origins bel_142",
        "blast root",
        "record crowd",
        "chokepoint --from root --to c69",
        "flag root --dry-run",
        "flag bel_1 --dry-run",
        "forget root --dry-run",
    ] {
        check(&world, line, true);
    }
    world.ok("flag root --no-reversals");
    for line in [
        "explain inc_1",
        "incidents inc_1",
        "tasks",
        "reinstate inc_1 --dry-run",
        "unflag root --dry-run",
        "diff --at 1",
    ] {
        check(&world, line, true);
    }
    check(&world, "incidents", false);
    let json = world.json("incidents");
    let incident = &json["incidents"][0];
    assert_eq!(incident["refuted"].as_array().unwrap().len(), 1);
    assert_eq!(incident["revoked"].as_array().unwrap().len(), 20);
    let whole = world.json("incidents inc_1");
    let whole = whole["revoked"].as_array().unwrap().len();
    assert_eq!(incident["revoked_total"], whole);
    check(&world, "unflag root", true);
    check(&world, "reinstate inc_1", false);
    world.ok("flag b0");
    check(&world, "tasks", true);
    let tasks = world.ok("tasks");
    let long = "its command is long: `immune tasks --json` has it";
    assert!(tasks.contains(long), "{tasks}");
}

#[test]
fn a_limit_of_nothing_is_refused_by_all_alike() {
    let world = World::with_lie();
    for line in ["scan", "list beliefs", "blast bel_1", "watch --once"] {
        let problem = world.refused(&format!("{line} --limit 0"), 2, "too_many");
        let message = problem["message"].as_str().unwrap();
        assert!(message.starts_with("the limit is 0; "), "{line}: {message}");
    }
}

#[test]
fn a_moment_is_read_alike_and_what_is_to_come_is_refused() {
    let world = World::with_lie();
    for moment in ["2999-01-01", "2999-01-01T00:00:00Z", "99999"] {
        for line in [
            format!("--as-of {moment} list beliefs"),
            format!("diff --at {moment}"),
            format!("diff --at 1 --vs {moment}"),
        ] {
            let problem = world.refused(&line, 1, "not_in_memory");
            assert!(problem["hint"].is_string(), "{line}");
        }
    }
    for moment in ["2001-02-03", "2001-02-03T00:00:00Z", "0"] {
        let then = world.json(&format!("--as-of {moment} list beliefs"));
        assert_eq!(then["items"].as_array().unwrap().len(), 0, "{moment}");
        assert_eq!(world.json(&format!("diff --at {moment}"))["at"]["seq"], 0);
    }
    for moment in ["2001-02-30", "soon", "-1"] {
        assert_eq!(
            world.run(&format!("--as-of={moment} list beliefs")).code,
            2,
            "{moment}"
        );
        assert_eq!(
            world.run(&format!("diff --at={moment}")).code,
            2,
            "{moment}"
        );
    }
}

#[test]
fn columns_of_a_record_line_up_when_what_is_lost_and_held_is_mixed() {
    let world = World::with_lie();
    world.heal();
    world.ok("remember --from ledger --about refund.limit --claim 'At most 50 EUR'");
    let shown = world.ok("record refund");
    let lines: Vec<&str> = shown.lines().collect();
    let column = |line: &str| line.find("bel_").unwrap();
    let third = |line: &str| {
        let after = line.find("bel_").unwrap();
        let gap = line[after..].find("  ").unwrap();
        after + gap + line[after + gap..].find(|it| it != ' ').unwrap()
    };
    let fourth = |line: &str| {
        let at = third(line);
        let gap = line[at..].find("  ").unwrap();
        at + gap + line[at + gap..].find(|it| it != ' ').unwrap()
    };
    assert!(
        lines.iter().any(|it| it.contains("lost")) && lines.iter().any(|it| it.contains("held"))
    );
    let columns: [&dyn Fn(&str) -> usize; 3] = [&column, &third, &fourth];
    for at in columns {
        let first = at(lines[0]);
        assert!(lines.iter().all(|it| at(it) == first), "{shown}");
    }
}

#[test]
fn a_blast_says_when_nothing_hangs_on_an_item_and_when_it_does_not_stand() {
    let world = World::with_lie();
    world.ok("sources declare quiet --channel inbox");
    assert_eq!(world.ok("blast quiet"), "nothing rests on src_4\n");
    assert!(
        world
            .ok("blast bel_3")
            .starts_with("nothing rests on bel_3\nwould fall: 1 belief")
    );
    world.ok("forget bel_3");
    let shown = world.ok("blast bel_3");
    assert!(
        shown.starts_with(
            "bel_3 does not stand: it is forgotten\nnothing rests on bel_3\nwould fall: nothing"
        ),
        "{shown}"
    );
    assert!(!shown.contains("falls"), "{shown}");
}

#[test]
fn a_flag_of_a_graph_with_another_reason_is_other_content() {
    let world = World::with_record();
    let import = |lines: &str| {
        let ran = world.fed("--json graph import -", lines.as_bytes());
        let code = if ran.code == 0 {
            String::new()
        } else {
            ran.problem()["code"].as_str().unwrap().to_owned()
        };
        (ran.code, code)
    };
    let belief = "{\"belief\":\"b\"}\n";
    let spoofed = "{\"flag\":\"b\",\"reason\":\"spoofed\"}\n";
    let stolen = "{\"flag\":\"b\",\"reason\":\"stolen\"}\n";
    let refused = (2, "invalid_graph".to_owned());
    assert_eq!(import(&format!("{belief}{spoofed}{stolen}")), refused);
    assert_eq!(import(&format!("{belief}{spoofed}{spoofed}")).0, 0);
    assert_eq!(import(spoofed).0, 0, "the same again is nothing new");
    let conflict = (1, "graph_conflict".to_owned());
    assert_eq!(import(stolen), conflict);
    assert_eq!(import("{\"flag\":\"b\"}\n"), conflict);
    world.ok("unflag b");
    assert_eq!(import(spoofed).0, 0, "it stays taken back");
    assert_eq!(world.json("explain b")["belief"]["status"], "unsupported");
}
