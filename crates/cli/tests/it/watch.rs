//! `watch`: each transition once, with a token that resumes.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{World, scrubbed, split};

fn objects(out: &str) -> Vec<Value> {
    out.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

#[test]
fn a_token_resumes_where_it_was_printed() {
    let world = World::with_lie();
    let shown = scrubbed(&world.ok("watch"));
    assert_eq!(
        shown,
        "7.0  TIME  bel_1  active\n10.0  TIME  bel_2  active\n11.0  TIME  bel_3  active\n"
    );
    let before = objects(&world.ok("--json watch"));
    let token = before.last().unwrap()["resume"].as_str().unwrap();
    world.heal();
    let rest = objects(&world.ok(&format!("--json watch --resume {token}")));
    let all = objects(&world.ok("--json watch"));
    assert_eq!(all.len(), before.len() + rest.len());
    assert!(rest.iter().all(|it| it["schema"] == "immune.transition/1"));
    let lie = rest.iter().find(|it| it["item"] == "bel_1").unwrap();
    assert_eq!(
        (
            lie["before"].as_str(),
            lie["after"].as_str(),
            lie["cause"].as_str()
        ),
        (Some("active"), Some("quarantined"), Some("inc_1"))
    );
    let one = objects(&world.ok(&format!("--json watch --since {token} --limit 1")));
    assert_eq!(one, rest[..1]);
}

#[test]
fn it_begins_at_a_time_or_so_long_ago() {
    let world = World::with_lie();
    let count = |since: &str| world.ok(&format!("watch --since {since}")).lines().count();
    assert_eq!((count("3600"), count("2h"), count("2020-01-01")), (3, 3, 3));
    assert_eq!(count("2099-01-01"), 0);
    for word in ["yesterday", "12", "1.x"] {
        let ran = world.run(&format!("--json watch --resume {word}"));
        assert_eq!(
            (ran.code, ran.problem()["code"].as_str()),
            (2, Some("invalid_cursor"))
        );
    }
    let ran = world.run("--json watch --since soon");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (2, Some("invalid_time"))
    );
    assert_eq!(world.run("watch --follow --once").code, 2);
}

#[cfg(unix)]
#[test]
fn it_follows_what_another_process_writes_until_it_is_interrupted() {
    let world = World::with_lie();
    let mut child = world
        .command()
        .args(split("--json watch --follow"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let first: Vec<_> = (0..3).map(|_| next()["item"].clone()).collect();
    assert_eq!(first, ["bel_1", "bel_2", "bel_3"]);
    world.heal();
    assert_eq!(next()["item"], "bel_4");
    let pid = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
