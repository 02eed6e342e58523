//! Who answers again for `attribute`: a command that ends with it, a model that costs and fails.

use immune_testkit::endpoint::{Answer, Endpoint};
use serde_json::Value;

use crate::attribute::{ASKED, world};
use crate::common::{Ran, World, split, write};

#[test]
fn a_command_answers_and_a_command_judges() {
    let world = world();
    // Says the first line that speaks of an account, as JSON has it.
    let answer = "cmd: grep -o 'GB29[ 0-9A-Z]*' | head -n 1";
    let found = world.json(&format!(
        "{ASKED} --wrong GB29NWBK60161331926819 --oracle '{}'",
        answer.replace('\'', "\"")
    ));
    assert_eq!(found["correction"][0]["item"], "bel_1");
    assert!(
        found["oracle"]
            .as_str()
            .unwrap()
            .starts_with("command `grep")
    );
    let judged = world.json(&format!("{ASKED} --judge 'cmd: grep -q NWBK'"));
    assert_eq!(
        (&judged["judge"], &judged["correction"][0]["item"]),
        (&"grep -q NWBK".into(), &"bel_1".into())
    );
}

/// Whether a process of this number is at work.
#[cfg(unix)]
fn is_at_work(pid: &str) -> bool {
    let ps = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output();
    let stat = String::from_utf8(ps.unwrap().stdout).unwrap();
    // One that ended and that nobody waited for yet is no more.
    !stat.trim().is_empty() && !stat.trim().starts_with('Z')
}

#[cfg(unix)]
#[test]
fn however_a_command_ends_the_one_that_answers_ends_with_it() {
    use std::process::{Command, Stdio};

    let world = world();
    // What it started has its process group, and outlasts any test.
    let script = "sleep 9999 & echo $! > other\necho $$ > pids.new; mv pids.new pids\nwait\n";
    write(&world.path("slow.sh"), script);
    let attribute = format!("{ASKED} --wrong GB29NWBK60161331926819 --oracle 'cmd: sh slow.sh'");
    let redteam = "redteam --oracle 'cmd: sh slow.sh'".to_owned();
    for (line, signal, code) in [
        (&attribute, "INT", Some(130)),
        (&attribute, "TERM", None),
        (&attribute, "KILL", None),
        (&redteam, "INT", None),
    ] {
        let mut child = world
            .command()
            .args(split(line))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !world.path("pids").exists() {
            assert!(
                child.try_wait().unwrap().is_none(),
                "{line}: it ended by itself"
            );
            std::thread::yield_now();
        }
        let pids = ["pids", "other"].map(|it| {
            let pid = fs_err::read_to_string(world.path(it)).unwrap();
            fs_err::remove_file(world.path(it)).unwrap();
            pid.trim().to_owned()
        });
        assert!(pids.iter().all(|it| is_at_work(it)), "{line}");
        // The first interrupt asks `attribute` to stop in order, which waits for the answer.
        let ended = loop {
            let pid = child.id().to_string();
            let sent = Command::new("kill")
                .args([&format!("-{signal}"), &pid])
                .status();
            assert!(sent.unwrap().success());
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
        };
        assert_eq!(ended.code(), code, "{line} {signal}");
        while pids.iter().any(|it| is_at_work(it)) {
            std::thread::yield_now();
        }
    }
    world.ok("verify");
}

/// Runs words with a model that says what the lie says where it is shown it, and answers nothing
/// from this request on.
fn asking_model(line: &str, fails_from: usize) -> (World, Ran) {
    let world = world();
    let endpoint = Endpoint::new(move |number, asked| {
        if number >= fails_from {
            return Answer::status(401, r#"{"error":{"message":"no such key"}}"#);
        }
        let is_shown = asked.body.contains("GB29 NWBK 6016 1331 9268 19");
        Answer::reply(if is_shown {
            "GB29 NWBK 6016 1331 9268 19"
        } else {
            "I do not know"
        })
    });
    let ran = world
        .command()
        .args(split(&format!("--json {ASKED} {line}")))
        .env("IMMUNE_MODEL_URL", endpoint.url())
        .env("IMMUNE_MODEL_NAME", "small")
        .env("IMMUNE_MODEL_PRICE_READ", "0.15")
        .env("IMMUNE_MODEL_PRICE_WRITTEN", "0.60")
        .output()
        .unwrap();
    (world, Ran::of(&ran))
}

#[test]
fn a_model_answers_and_what_it_costs_is_told() {
    let line = "--wrong GB29NWBK60161331926819 --oracle model --max-cost 1";
    let (world, ran) = asking_model(line, usize::MAX);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &found["outcome"]),
        (0, &"found".into()),
        "{ran:?}"
    );
    assert_eq!(found["correction"][0]["item"], "bel_1");
    assert!(
        found["oracle"]
            .as_str()
            .unwrap()
            .starts_with("model small at http://127.0.0.1")
    );
    assert!(found["spent"].as_f64().unwrap() > 0.0);
    let flips = found["certificate"]["flips"].as_f64().unwrap();
    assert!(flips < 0.1, "nothing flipped: {flips}");
    world.ok("verify");
    // Not a single answer is affordable: nobody is asked, and nothing is written.
    let (world, ran) = asking_model("--wrong x --oracle model --max-cost 0.000001", usize::MAX);
    assert_eq!(
        (ran.code, &ran.problem()["code"]),
        (2, &"oracle_failed".into())
    );
    assert!(
        world.json("list attributions")["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_model_that_fails_on_the_way_loses_no_answer() {
    let (world, ran) = asking_model("--wrong GB29NWBK60161331926819 --oracle model", 7);
    let cut: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &cut["outcome"]),
        (2, &"oracle_failed".into()),
        "{ran:?}"
    );
    assert!(cut["stopped"]["reason"].as_str().unwrap().contains("401"));
    let shown = world.json("attribute show att_1");
    assert!(shown["log"]["calls"].as_array().unwrap().len() >= 6);
    world.ok("verify");
}
