//! What holds for every command: streams, colour, widths, pipes, odd names, hostile text, help.

use std::process::Stdio;

use crate::common::{LIE, Ran, World, split};

#[test]
fn d37_odd_memory_names_work_or_are_refused_at_once() {
    let world = World::new();
    let long = "x".repeat(300);
    for name in [
        "session-agent:main:main",
        "a b",
        "a/b",
        "100%",
        "日本",
        "-dash",
        "../up",
        &long,
    ] {
        let memory = format!("--memory='{name}'");
        world.ok(&format!("{memory} channels set inbox --tier 0.7"));
        let remembered = world.ok(&format!(
            "{memory} remember --from a --channel inbox --about a.b --claim '{}'",
            name.replace('\'', "")
        ));
        assert!(
            remembered.starts_with("remembered obs_1"),
            "{name}: {remembered}"
        );
        let recalled = world.json(&format!("{memory} recall --about a.b"));
        assert_eq!(
            recalled["facts"][0]["claim"], name,
            "nothing crosses between memories"
        );
        world.ok(&format!("{memory} verify"));
    }
    for name in ["", " ", "a\nb", &"x".repeat(513)] {
        let ran = Ran::of(
            &world
                .command()
                .args(["--json", &format!("--memory={name}"), "recall", "x"])
                .output()
                .unwrap(),
        );
        assert_eq!(
            (ran.code, ran.problem()["code"].as_str()),
            (2, Some("invalid_name")),
            "{name:?}"
        );
    }
}

#[test]
fn text_from_a_memory_never_drives_the_terminal() {
    let world = World::with_record();
    let evil = "\u{1b}[2J\u{9b}31mred\u{202e}gnp.exe\u{7}\nfake: line";
    let output = world
        .command()
        .args([
            "remember",
            "--from",
            "evil\u{202e}@b.example",
            "--channel",
            "inbox",
        ])
        .args(["--about", "evil.text", "--claim", evil])
        .output()
        .unwrap();
    assert!(output.status.success());
    let hostile =
        |it: char| it != '\n' && (it.is_control() || ('\u{202a}'..='\u{202e}').contains(&it));
    for line in [
        "recall --about evil.text",
        "recall red",
        "explain bel_1",
        "explain obs_1",
        "list beliefs",
        "list observations",
        "sources",
        "history bel_1",
        "forget bel_1",
        "--json list beliefs",
        "--json recall --about evil.text",
    ] {
        let ran = world.run(line);
        let both = format!("{}{}", ran.out, ran.err);
        assert!(!both.contains(hostile), "{line}: {both:?}");
        assert!(
            !ran.out.lines().any(|it| it.starts_with("fake:")),
            "{line}: {both}"
        );
    }
    let kept = world.json("list beliefs");
    assert_eq!(kept["items"][0]["claim"], evil, "it is kept exactly");
}

#[test]
fn data_goes_to_one_stream_and_everything_else_to_the_other() {
    let world = World::with_lie();
    let quiet = world.run("-q recall --about refund.destination");
    assert!(
        quiet.out.contains("bel_1") && quiet.err.is_empty(),
        "{quiet:?}"
    );
    let silent = world.run("-qq recall --about nothing.known --require");
    assert_eq!(
        (silent.code, silent.out.as_str(), silent.err.as_str()),
        (1, "", "")
    );
    let silent = world.run("-qq --json recall --about refund.destination");
    assert_eq!((silent.out.as_str(), silent.err.as_str()), ("", ""));
    let verbose = world.run("-v recall --about refund.destination");
    assert!(
        verbose.err.contains("memory default, at event"),
        "{}",
        verbose.err
    );
    let json = world.run("--json remember hi --from a@b.example --channel inbox");
    assert_eq!((json.out.lines().count(), json.err.as_str()), (1, ""));
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let world = World::with_lie();
    let plain = |ran: &Ran| !ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}');
    assert!(plain(&world.run("recall --about refund.destination")));
    assert!(plain(&world.run("explain bel_99")));
    let always = world.run("--color always explain bel_99");
    assert!(always.err.contains('\u{1b}'), "{}", always.err);
    assert!(plain(&world.run("--color never explain bel_99")));
    let with = |name: &str, value: &str| {
        let mut command = world.command();
        Ran::of(
            &command
                .env(name, value)
                .args(split("list beliefs"))
                .output()
                .unwrap(),
        )
    };
    assert!(!plain(&with("CLICOLOR_FORCE", "1")));
    assert!(plain(&with("NO_COLOR", "1")));
    assert!(plain(&with("TERM", "dumb")));
    let usage = world.run("--color always remembr");
    assert!(usage.err.contains('\u{1b}'));
    assert!(plain(&world.run("--color never remembr")));
}

#[test]
fn sixty_eighty_and_a_hundred_and_twenty_columns_do_not_break() {
    use unicode_width::UnicodeWidthStr;
    let world = World::with_lie();
    let claim = "The quick brown fox jumps over the lazy dog again and again, 日本語の長い文章もここにあります, until it is tired";
    world.ok(&format!(
        "remember --from ops@acme.example --channel inbox --about long.claim --claim '{claim}'"
    ));
    world.heal();
    for columns in [60, 80, 120] {
        for line in [
            "list beliefs",
            "recall --about long.claim",
            "list sources",
            "history bel_1",
        ] {
            let mut command = world.command();
            let command = command
                .env("COLUMNS", columns.to_string())
                .args(split(line));
            let ran = Ran::of(&command.output().unwrap());
            assert_eq!(ran.code, 0);
            let widest = ran.out.lines().map(UnicodeWidthStr::width).max().unwrap();
            // A history has columns that are wider than 60 together; its last one is cut.
            let room = if line.starts_with("history") {
                columns.max(100)
            } else {
                columns
            };
            assert!(widest <= room, "{line} at {columns}: {widest}\n{}", ran.out);
        }
    }
    let uncut = world.ok("list beliefs");
    assert!(
        uncut.contains(claim),
        "a pipe gets plain rows, uncut: {uncut}"
    );
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let world = World::with_lie();
    for line in [
        "completions zsh",
        "list beliefs",
        "--json recall refund",
        "--help",
    ] {
        let mut child = world
            .command()
            .args(split(line))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{line}: {err}");
        assert!(!err.contains("error"), "{line}: {err}");
    }
}

#[test]
fn words_that_cannot_be_read_get_a_suggestion_in_either_form() {
    let world = World::new();
    let ran = world.run("remembr x");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("'remember'"), "{}", ran.err);
    let ran = world.run("recall --flor 0.3");
    assert!(ran.err.contains("'--floor'"), "{}", ran.err);
    let ran = world.run("--json remembr x");
    let problem = ran.problem();
    assert_eq!(problem["code"], "usage");
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("'remember'"), "{hint}");
    assert_eq!(problem["docs"], "errors.md#usage");
    let ran = world.run("--as king:me recall x");
    assert!(
        ran.err.contains("viewer, agent, verifier, operator"),
        "{}",
        ran.err
    );
    assert_eq!(world.run("").code, 2);
}

#[test]
fn roles_only_narrow() {
    let world = World::with_lie();
    let ran = world.run("--json --as viewer:me remember hi --from a --channel inbox");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("forbidden"))
    );
    assert_eq!(world.run("--as viewer:me recall refund").code, 0);
    let own = world.json("--as agent:helper derive --from bel_1 --about a.b --claim c");
    assert_eq!(own["belief"], "bel_4");
    let other = world
        .run("--json --as agent:helper derive --from bel_1 --about a.b --claim d --agent boss");
    assert_eq!(
        other.problem()["message"],
        "agent `helper` may not derive for another agent"
    );
}

#[test]
fn help_leads_with_examples_and_its_short_form_fits_a_screen() {
    let world = World::new();
    let long = world.ok("--help");
    let at = |word: &str| long.find(word).unwrap_or_else(|| panic!("{word}: {long}"));
    assert!(at("Examples:") < at("Usage:"));
    for line in [
        "-h",
        "recall -h",
        "derive -h",
        "challenge -h",
        "remember -h",
        "guard -h",
    ] {
        let lines = world.ok(line).lines().count();
        assert!(lines <= 26, "{line} has {lines} lines");
    }
    assert!(world.ok("-h").lines().count() <= 24);
    let remember = world.ok("remember --help");
    assert!(remember.find("Examples:").unwrap() < remember.find("Usage:").unwrap());
}

#[test]
fn two_processes_write_to_one_file_and_every_reply_is_kept() {
    let world = World::with_record();
    let spawn = |n: usize| {
        world
            .command()
            .args([
                "--json",
                "remember",
                "--from",
                "a@b.example",
                "--channel",
                "inbox",
            ])
            .args([
                "--about",
                &format!("n.n{n}"),
                "--claim",
                &format!("Number {n}"),
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..12).map(spawn).collect();
    for child in children {
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let list = world.json("list beliefs");
    assert_eq!(list["items"].as_array().unwrap().len(), 12);
    assert_eq!(world.json("verify")["sound"], true);
}

#[test]
fn memories_are_isolated() {
    let world = World::with_lie();
    let ran = world.run("--memory other recall refund");
    assert!(!ran.out.contains("NWBK"), "{}", ran.out);
    let ran = world.run("--json --memory other explain bel_1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("no_memory"))
    );
    world.ok("--memory other channels set inbox --tier 0.7");
    let ran = world.run("--json --memory other explain bel_1");
    assert_eq!(
        (ran.code, ran.problem()["code"].as_str()),
        (1, Some("not_in_memory"))
    );
    assert!(LIE.contains("NWBK"));
}
