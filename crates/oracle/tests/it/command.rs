//! Commands that answer, and commands that do what they should not.

use std::time::{Duration, Instant};

use immune_attribution::{Answer, Answerer, Judge, Shown, Unanswered, Verdict};
use immune_oracle::{Command, JudgeCommand};

use crate::memories;

fn run(command: &Command) -> Result<Answer, Unanswered> {
    let memories = memories(&["Refunds go to \"A-77\".", "Ümläut\n✓"]);
    let shown: Vec<&Shown> = memories.iter().collect();
    command.answer("Where do\nrefunds go?", &shown)
}

fn text(line: &str) -> Option<String> {
    run(&Command::new(line)).unwrap().text
}

/// The reason, the advice, and whether it is final.
fn refused(line: &str) -> (String, String, bool) {
    let command = Command::new(line).timeout(Duration::from_secs(20));
    let error = run(&command).unwrap_err();
    (error.reason, error.advice, error.is_final)
}

/// Whether a process still runs; nobody may be there to clear away one that ended.
fn is_alive(number: &str) -> bool {
    let mut ps = std::process::Command::new("ps");
    let shown = ps.args(["-o", "stat=", "-p", number]).output().unwrap();
    let state = String::from_utf8(shown.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

#[test]
fn a_command_gets_one_object_and_what_it_writes_is_the_answer() {
    let input = r#"{"question":"Where do\nrefunds go?","memories":[{"id":"bel_1","source":"wiki","text":"Refunds go to \"A-77\"."},{"id":"bel_2","source":"wiki","text":"Ümläut\n✓"}]}"#;
    assert_eq!(text("cat").as_deref(), Some(input));
    assert_eq!(
        text("cat >/dev/null; printf '  A-77 \\n\\n'").as_deref(),
        Some("A-77")
    );
    assert_eq!(text("echo a; echo b").as_deref(), Some("a\nb"));
    let name = Command::new("ask.sh --all").name();
    assert_eq!(name, "command `ask.sh --all`");
}

#[test]
fn silence_is_no_answer() {
    for line in [
        "true",
        "echo; echo ' '",
        "cat >/dev/null",
        "exec 1>&-; exit 0",
    ] {
        assert_eq!(text(line), None, "{line}");
    }
}

#[test]
fn what_is_no_answer_is_an_error_with_what_to_do() {
    let (reason, advice, is_final) = refused("echo A-77; echo 'no  model' >&2; exit 3");
    let expected =
        "command `echo A-77; echo 'no  model' >&2; exit 3` ended with exit status: 3: no model";
    assert_eq!(reason, expected);
    assert!(advice.starts_with("run it by hand") && !is_final);
    let (reason, _, is_final) = refused("no-such-command-anywhere");
    assert!(reason.contains("exit status: 127") && is_final, "{reason}");
    let (reason, advice, is_final) = refused("printf '\\377\\376'");
    assert!(
        reason.ends_with("wrote what is no UTF-8") && !is_final,
        "{reason}"
    );
    assert!(advice.contains("UTF-8"));
    let (reason, ..) = refused("kill -9 $$");
    assert!(reason.contains("signal: 9"), "{reason}");
}

#[test]
fn an_endless_output_is_cut_off() {
    for line in ["yes", "yes A >&2", "cat /dev/zero"] {
        let command = Command::new(line).timeout(Duration::from_millis(1500));
        let error = run(&command).unwrap_err();
        let expected = if line.contains("&2") {
            "did not end within 1.5 s"
        } else {
            "wrote more than 65536 bytes"
        };
        assert!(error.reason.ends_with(expected), "{}", error.reason);
    }
    // Nobody has to read a long question, nor to stop writing before it has read it.
    let long = "x".repeat(300_000);
    let memories = memories(&[&long]);
    let shown: Vec<&Shown> = memories.iter().collect();
    let answer = |line: &str| Command::new(line).answer("?", &shown).unwrap().text;
    assert_eq!(answer("echo at once").as_deref(), Some("at once"));
    let some = answer("head -c 60000 /dev/zero | tr '\\0' a; wc -c").unwrap();
    assert!(
        some.starts_with("aaa") && some.contains("300"),
        "{}",
        some.len()
    );
}

#[test]
fn a_command_that_hangs_is_ended_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("numbers");
    let line = format!(
        "sleep 300 & echo $! $$ > {}; echo half; wait",
        file.display()
    );
    let command = Command::new(&line).timeout(Duration::from_millis(500));
    let error = run(&command).unwrap_err();
    assert!(
        error.reason.ends_with("did not end within 0.5 s"),
        "{}",
        error.reason
    );
    assert!(error.is_final && error.advice.starts_with("allow it more time"));
    let numbers = fs_err::read_to_string(&file).unwrap();
    for number in numbers.split_whitespace() {
        // The system takes its time to clear away whoever was ended.
        let asked = Instant::now();
        while is_alive(number) && asked.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        assert!(!is_alive(number), "{number} is still there");
    }
}

#[test]
fn what_a_command_leaves_in_the_background_is_not_waited_for() {
    let started = Instant::now();
    assert_eq!(text("sleep 300 & echo A-77").as_deref(), Some("A-77"));
    assert_eq!(
        text("(trap '' HUP; exec sleep 300) & echo A-77").as_deref(),
        Some("A-77")
    );
    assert!(started.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_judge_says_wrong_with_0_and_not_wrong_with_1() {
    let judge = JudgeCommand::new("grep -q '\"answer\":\"A-77\"'");
    assert_eq!(judge.judge("Where?", "A-77").unwrap(), Verdict::Fails);
    assert_eq!(judge.judge("Where?", "B-12").unwrap(), Verdict::Passes);
    let error = JudgeCommand::new("exit 2")
        .judge("Where?", "A-77")
        .unwrap_err();
    assert!(error.reason.contains("exit status: 2"), "{}", error.reason);
    let slow = JudgeCommand::new("sleep 300").timeout(Duration::from_millis(200));
    assert!(slow.judge("Where?", "A-77").unwrap_err().is_final);
}
