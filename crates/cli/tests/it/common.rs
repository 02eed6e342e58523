//! A folder of its own with a store in it, and the binary to run there.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A lie, and the truth that refutes it.
pub(crate) const LIE: &str = "Refunds go to GB29 NWBK 6016 1331 9268 19";
pub(crate) const TRUTH: &str = "Refunds go to DE89 3704 0044 0532 0130 00";

/// A folder with a store.
pub(crate) struct World {
    folder: TempDir,
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    /// An inbox at 0.7, a ledger that is the record for everything.
    pub(crate) fn with_record() -> Self {
        let world = Self::new();
        world.ok("channels set inbox --tier 0.7");
        world.ok("channels set records --tier 0.98 --authored");
        world.ok("sources record ledger --channel records --area '*'");
        world
    }

    /// A world in which a lie was told and built on: bel_1, and below it bel_2 and bel_3.
    pub(crate) fn with_lie() -> Self {
        let world = Self::with_record();
        world.ok(&format!(
            "remember --from mallory@evil.example --channel inbox --about refund.destination \
             --claim '{LIE}'"
        ));
        world.ok(
            "derive --from bel_1 --about refund.verified --claim 'The destination is verified' \
             --agent support-bot",
        );
        world.ok(
            "derive --from bel_2 --about refund.check --claim 'The check is not needed' \
             --agent support-bot",
        );
        world
    }

    /// The challenge of the ledger.
    pub(crate) fn heal(&self) -> Ran {
        self.run(&format!(
            "challenge --from ledger --about refund.destination --claim '{TRUTH}'"
        ))
    }

    /// The challenge of the ledger, as JSON.
    pub(crate) fn heal_json(&self) -> Value {
        self.json(&format!(
            "challenge --from ledger --about refund.destination --claim '{TRUTH}'"
        ))
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The store that is used unless another is named.
    pub(crate) fn store(&self) -> PathBuf {
        self.path("m.db")
    }

    /// The binary, in an environment with nothing of ours in it.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_immune"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("USER", "tester")
            .env("IMMUNE_STORE", self.store())
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs words as a shell splits them.
    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::of(&self.command().args(split(line)).output().unwrap())
    }

    /// Runs words that have to succeed, and gives what they print.
    pub(crate) fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
        ran.out
    }

    /// Runs words with bytes on standard input.
    pub(crate) fn fed(&self, line: &str, input: &[u8]) -> Ran {
        let mut command = self.command();
        let command = command.args(split(line));
        let command = command.stdin(Stdio::piped());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ran::of(&child.wait_with_output().unwrap())
    }

    /// Runs words with `--json` that have to succeed, and gives the object.
    pub(crate) fn json(&self, line: &str) -> Value {
        let out = self.ok(&format!("--json {line}"));
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}: {out}"))
    }

    /// Runs words with `--json` that have to be refused, and gives the error object.
    pub(crate) fn refused(&self, line: &str, exit: i32, code: &str) -> Value {
        let ran = self.run(&format!("--json {line}"));
        let problem = ran.problem();
        assert_eq!((ran.code, &problem["code"]), (exit, &code.into()), "{line}");
        assert!(ran.out.is_empty(), "{line}");
        problem
    }

    /// The status of an item.
    pub(crate) fn status(&self, item: &str) -> String {
        let explained = self.json(&format!("explain {item}"));
        let kind = if item.starts_with("bel") {
            "belief"
        } else {
            "action"
        };
        explained[kind]["status"].as_str().unwrap().to_owned()
    }
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// The error object that `--json` puts on standard error.
    pub(crate) fn problem(&self) -> Value {
        let problem: Value =
            serde_json::from_str(&self.err).unwrap_or_else(|error| panic!("{error}: {}", self.err));
        assert_eq!(problem["schema"], "immune.error/1");
        problem
    }

    /// Both streams and the exit code, without what differs from run to run.
    pub(crate) fn shown(&self) -> String {
        let mut shown = self.out.clone();
        for line in self.err.lines() {
            let line = if line.is_empty() {
                "2>\n".to_owned()
            } else {
                format!("2> {line}\n")
            };
            shown.push_str(&line);
        }
        scrubbed(&format!("{shown}exit {}\n", self.code))
    }
}

/// The text with `TIME` for each moment.
pub(crate) fn scrubbed(text: &str) -> String {
    let mut scrubbed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("20") {
        let candidate = &rest[at..];
        let end = candidate
            .find(|it: char| !(it.is_ascii_digit() || "-:.TZ".contains(it)))
            .unwrap_or(candidate.len());
        let (word, tail) = candidate.split_at(end);
        scrubbed.push_str(&rest[..at]);
        let is_time = word.len() >= 20 && word.ends_with('Z') && word[..11].ends_with('T');
        scrubbed.push_str(if is_time { "TIME" } else { word });
        rest = tail;
    }
    scrubbed + rest
}

/// Words as a shell splits them: white space between, single quotes around.
pub(crate) fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            it if it.is_whitespace() && !quoted => words.extend(word.take()),
            it => word.get_or_insert_default().push(it),
        }
    }
    assert!(!quoted, "an open quote in {line}");
    words.extend(word);
    words
}

/// Puts a file into a folder.
pub(crate) fn write(path: &Path, content: &str) {
    fs_err::write(path, content).unwrap();
}

#[test]
fn words_are_split_as_a_shell_does() {
    assert_eq!(split("a 'b c'  d'e'"), ["a", "b c", "de"]);
    assert_eq!(split("''"), [""]);
}

#[test]
fn times_are_scrubbed_and_nothing_else() {
    assert_eq!(
        scrubbed("at 2026-08-13T13:30:00.12Z 2026 bel_20"),
        "at TIME 2026 bel_20"
    );
}
