//! The answer-set solver `clingo` as a judge: base facts and answers go in, differences come out.
//!
//! It is looked for as `clingo` on the path, as the module of the `python3` there, and in
//! `target/tools`, where `cargo xtask slow` installs it. Without it, a line says so.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::facts::Why;
use crate::world::World;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/support.lp");
const TOOLS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../target/tools/bin/python3"
);

#[derive(Debug)]
pub(crate) struct Clingo {
    /// The command and its first arguments; nothing where it is not there.
    command: Vec<String>,
}

impl fmt::Display for Clingo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_there() {
            write!(f, "clingo is `{}`", self.command.join(" "))
        } else {
            f.write_str("clingo is not there: skipped, `cargo xtask slow` installs it")
        }
    }
}

impl Clingo {
    pub(crate) fn find() -> Self {
        let mut candidates = vec![vec!["clingo".to_owned()]];
        for python in [TOOLS, "python3"] {
            if python != TOOLS || Path::new(TOOLS).exists() {
                candidates.push(["-m", "clingo"].iter().fold(
                    vec![python.to_owned()],
                    |mut command, it| {
                        command.push((*it).to_owned());
                        command
                    },
                ));
            }
        }
        let runs = |command: &Vec<String>| {
            let version = Command::new(&command[0])
                .args(&command[1..])
                .arg("--version")
                .output();
            version.is_ok_and(|it| it.status.success())
        };
        let command = candidates.into_iter().find(runs).unwrap_or_default();
        Self { command }
    }

    pub(crate) fn is_there(&self) -> bool {
        !self.command.is_empty()
    }

    /// Appends the base facts of a world as graph `case`, and what its state says.
    pub(crate) fn describe(&self, case: u64, world: &World, out: &mut String) {
        if self.is_there() {
            describe(case, world, out).expect("a string takes everything");
        }
    }

    /// The differences, one after the other; nothing when there is none.
    pub(crate) fn solve(&self, facts: &str) -> String {
        let mut solver = Command::new(&self.command[0])
            .args(&self.command[1..])
            .args([PROGRAM, "-", "--outf=0", "--verbose=0", "--warn=none"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = solver.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(facts.as_bytes()).unwrap());
            solver.wait_with_output().unwrap()
        });
        let text = String::from_utf8(output.stdout).unwrap();
        let wrong = text.trim().strip_suffix("SATISFIABLE");
        wrong.expect("clingo finds one model").trim().to_owned()
    }
}

fn describe(case: u64, world: &World, out: &mut String) -> fmt::Result {
    let facts = &world.facts;
    for (belief, (status, strength)) in world.answers().into_iter().enumerate() {
        let (status, strength) = (status.name(), strength.thousandths());
        write!(
            out,
            "belief({case},{belief}).said({case},{belief},{status},{strength})."
        )?;
        if facts.is_refuted(belief) {
            write!(out, "refutes({case},{belief}).")?;
        }
    }
    for (place, note) in facts.notes.iter().enumerate() {
        let worth = facts.worth_at(note.source, note.at);
        write!(out, "note({case},{place},{worth}).")?;
        if facts.is_note_flagged(note) {
            write!(out, "note_flagged({case},{place}).")?;
        }
        if note.closed {
            write!(out, "note_closed({case},{place}).")?;
        }
    }
    for (place, link) in facts.links.iter().enumerate() {
        let most = facts.given(link);
        write!(out, "link({case},{place},{},{most}).", link.head)?;
        if facts.is_link_flagged(link) {
            write!(out, "flagged({case},{place}).")?;
        }
        for belief in &link.beliefs {
            write!(out, "on_belief({case},{place},{belief}).")?;
        }
        for note in &link.notes {
            write!(out, "on_note({case},{place},{note}).")?;
        }
        for (seq, why) in &link.closings {
            match why {
                Why::Superseded(by) => write!(out, "replaced({case},{place},{seq},{by}).")?,
                Why::Expired => write!(out, "closing({case},{place},{seq},expired).")?,
                Why::Forgotten => write!(out, "closing({case},{place},{seq},forgotten).")?,
            }
        }
    }
    out.push('\n');
    Ok(())
}
