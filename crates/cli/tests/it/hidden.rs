//! The second look of `attribute`: causes that what is true outweighs, and what cuts it short.

use serde_json::Value;

use crate::attribute::ASKED;
use crate::common::{LIE, Ran, TRUTH, World, split, write};

/// Three lies and two truths, and `majority.sh`, which says what more of the memories say.
fn outweighed() -> World {
    let world = World::with_lie();
    for (from, about, claim) in [
        ("m2@evil.example", "refund.account", LIE),
        ("m3@evil.example", "refund.place", LIE),
        ("kim@acme.example", "refund.known", TRUTH),
        ("lee@acme.example", "refund.seen", TRUTH),
    ] {
        world.ok(&format!(
            "remember --from {from} --channel inbox --about {about} --claim '{claim}'"
        ));
    }
    write(
        &world.path("majority.sh"),
        "tr '{' '\\n' | awk '/GB29/ {a++} /DE89/ {b++}\n\
         END {if (a > b) print \"GB29NWBK60161331926819\"; else if (b) print \"the other\"}'\n",
    );
    world
}

fn n(of: &Value) -> usize {
    of.as_array().unwrap().len()
}

const BY_MAJORITY: &str = "--wrong GB29NWBK60161331926819 --oracle 'cmd: sh majority.sh'";

#[test]
fn lies_that_what_is_true_outweighs_are_hidden_causes_and_quarantined_too() {
    let world = outweighed();
    let asked = format!("{ASKED} {BY_MAJORITY} --repeats 1");
    let found = world.json(&asked);
    assert_eq!(found["outcome"], "found");
    assert_eq!(n(&found["hidden"]), 2, "{found}");
    assert_eq!(n(&found["hidden"][0]), 1);
    assert_eq!(n(&found["correction"]) + n(&found["fallen"]), 3, "{found}");
    let shown = world.ok(&asked);
    assert!(shown.contains("  hidden cause 1: bel_"), "{shown}");
    assert!(
        shown.contains(" alone, outweighed by what is true"),
        "{shown}"
    );
    let once = n(&world.json("attribute show att_1")["log"]["calls"]);
    // By default a command is asked several times, so that one that errs is looked behind too.
    let found = world.json(&format!("{ASKED} {BY_MAJORITY}"));
    assert_eq!(found["outcome"], "found");
    assert_eq!(n(&found["correction"]) + n(&found["fallen"]), 3, "{found}");
    assert!(found["certificate"]["calls"].as_u64().unwrap() > 2 * once as u64);
}

#[test]
fn a_budget_that_ends_in_the_second_look_quarantines_nobody() {
    let world = outweighed();
    let asked = format!(
        "{ASKED} {BY_MAJORITY} --repeats 1 --expected '{TRUTH}' --quarantine --from ledger"
    );
    let whole = world.json(&format!("{asked} --dry-run"));
    assert_eq!(n(&whole["quarantine"]["challenged"]), 3, "{whole}");
    let most = whole["certificate"]["calls"].as_u64().unwrap() - 1;
    let cut = world.run(&format!("{asked} --max-calls {most}"));
    let shown = cut.shown();
    assert_eq!(cut.code, 1, "{shown}");
    assert!(
        shown.contains("att_1  budget spent")
            && shown.contains("it was stopped; this is the best so far")
            && shown.contains("the second look was cut short"),
        "{shown}"
    );
    let kept = world.json("explain att_1");
    assert_eq!(kept["attribution"]["outcome"], "budget_spent");
    assert!(n(&kept["attribution"]["correction"]) > 0, "{kept}");
    assert_eq!(world.status("bel_1"), "active");
    assert_eq!(n(&world.json("list incidents")["items"]), 0);
    // By hand it is refused too, with the command that asks again.
    let by_hand = "attribute quarantine att_1 --from ledger";
    for line in [by_hand, &format!("{by_hand} --dry-run")] {
        let refused = world.refused(line, 2, "incomplete");
        let hint = refused["hint"].as_str().unwrap().trim_matches('`');
        let again = hint.strip_prefix("immune ").unwrap();
        assert!(again.contains("--oracle 'cmd: sh majority.sh'"), "{again}");
        assert!(again.ends_with("--quarantine --from ledger"), "{again}");
        let again = world.json(&format!("{again} --dry-run"));
        assert_eq!(again["outcome"], "found", "{again}");
        assert_eq!(n(&again["quarantine"]["challenged"]), 3, "{again}");
    }
    assert_eq!(world.status("bel_1"), "active");
    let taken = world.json(&format!("{by_hand} --incomplete --dry-run"));
    assert!(n(&taken["challenged"]) > 0, "{taken}");
    let taken = world.json(&format!("{by_hand} --incomplete"));
    let n_taken = n(&taken["challenged"]);
    assert!(n_taken > 0, "{taken}");
    assert_eq!(n(&world.json("list incidents")["items"]), n_taken);
}

#[cfg(unix)]
#[test]
fn an_interrupt_in_the_second_look_stops_it_and_quarantines_nobody() {
    use std::process::{Command, Stdio};

    let world = outweighed();
    let whole = world.json(&format!("{ASKED} {BY_MAJORITY} --repeats 1 --dry-run"));
    let stop = whole["certificate"]["calls"].as_u64().unwrap() - 8;
    // Waits in one call of the second look until somebody writes into `go`.
    write(
        &world.path("slow.sh"),
        &format!(
            "echo >> calls\nif [ $(wc -l < calls) -eq {stop} ]; then touch waits; read line < go; \
             fi\nsh majority.sh\n"
        ),
    );
    let made = Command::new("mkfifo").arg(world.path("go")).status();
    assert!(made.unwrap().success());
    let line = format!(
        "--json {ASKED} --wrong GB29NWBK60161331926819 --oracle 'cmd: sh slow.sh' --repeats 1 \
         --expected '{TRUTH}' --quarantine --from ledger"
    );
    let mut child = world
        .command()
        .args(split(&line))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !world.path("waits").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.unwrap().success());
    write(&world.path("go"), "on\n");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    let stopped: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &stopped["outcome"]),
        (130, &"interrupted".into()),
        "{ran:?}"
    );
    let reason = stopped["stopped"]["reason"].as_str().unwrap();
    assert!(reason.contains("the second look was cut short"), "{reason}");
    assert!(n(&stopped["correction"]) > 0, "what was found is kept");
    assert_eq!(stopped.get("quarantine"), None);
    assert_eq!(world.status("bel_1"), "active");
    let kept = world.json("explain att_1");
    assert_eq!(kept["attribution"]["outcome"], "interrupted");
    world.refused("attribute quarantine att_1 --from ledger", 2, "incomplete");
    world.ok("verify");
}
