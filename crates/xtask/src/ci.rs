//! Running the other tools, in the one order that CI and the README's test command use.
//!
//! Called by `main` only. Invariant: the tests come last, and nothing is printed after them, so
//! that the last lines of a run are the test runner's own.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::neon::neon;
use crate::{say, tidy};

/// The variable that turns long suites on. This is the one place where it is written; `STYLE.md`
/// says how a test reads it.
const SLOW: &str = "IMMUNE_SLOW";

/// The answer-set solver, from PyPI.
const SOLVER: &str = "clingo==5.8.3";

/// What `cargo xtask ci` runs. True when all passed; it stops at the first that did not.
pub(crate) fn ci(root: &Path) -> anyhow::Result<bool> {
    let quick = [
        &["fmt", "--all", "--check"][..],
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    ];
    for arguments in quick {
        if !step(root, arguments)? {
            return Ok(false);
        }
    }
    say("xtask: tidy\n")?;
    let report = tidy::check(root)?;
    say(&report.to_string())?;
    Ok(report.passes() && dependencies(root)? && tests(root, Suites::Usual)?)
}

/// What `cargo xtask slow` runs.
pub(crate) fn slow(root: &Path) -> anyhow::Result<bool> {
    solver(root)?;
    Ok(neon(root)? && tests(root, Suites::Long)?)
}

/// The solver that the suite of law S1 compares with: into `target/tools`, as `.ci/run` has it.
/// Where it cannot be had, the suite says so and goes on without.
fn solver(root: &Path) -> anyhow::Result<()> {
    let tools = root.join("target/tools");
    let python = tools.join("bin/python3");
    if !answers(Command::new(&python).args(["-m", "clingo", "--version"])) {
        answers(Command::new("python3").args(["-m", "venv"]).arg(&tools));
        let install = [
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            SOLVER,
        ];
        let installed = answers(Command::new(&python).args(install));
        let word = if installed {
            "is installed"
        } else {
            "cannot be installed"
        };
        say(&format!("xtask: {SOLVER} {word}\n"))?;
    }
    Ok(())
}

/// Which tests are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suites {
    Usual,
    Long,
}

/// Bans, licences and sources of what we depend on. Known vulnerabilities are not looked up: the
/// list of them is on a server that CI does not reach.
fn dependencies(root: &Path) -> anyhow::Result<bool> {
    if !has(root, "deny") {
        say("xtask: cargo deny is not installed; bans, licences and sources are not checked\n")?;
        return Ok(true);
    }
    step(
        root,
        &[
            "deny",
            "--locked",
            "--color",
            "never",
            "check",
            "--hide-inclusion-graph",
            "bans",
            "licenses",
            "sources",
        ],
    )
}

fn tests(root: &Path, suites: Suites) -> anyhow::Result<bool> {
    let profile = match suites {
        Suites::Usual => "ci",
        Suites::Long => "slow",
    };
    let mut runner = if has(root, "nextest") {
        vec![
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--profile",
            profile,
        ]
    } else {
        say("xtask: cargo nextest is not installed; cargo test runs the tests\n")?;
        vec![
            "test",
            "--workspace",
            "--all-targets",
            "--locked",
            "--no-fail-fast",
        ]
    };
    match (suites, runner.first()) {
        (Suites::Usual, _) => {}
        // Millions of graphs: what is built for speed is done in minutes.
        (Suites::Long, Some(&"nextest")) => runner.extend(["--cargo-profile", "slow"]),
        (Suites::Long, _) => runner.extend(["--profile", "slow"]),
    }
    if suites == Suites::Usual && !step(root, &["test", "--workspace", "--doc", "--locked"])? {
        return Ok(false);
    }
    announce(&runner)?;
    let mut command = cargo(root, &runner);
    if suites == Suites::Long {
        command.env(SLOW, "1");
    }
    run(&mut command)
}

/// Whether `cargo NAME` is there.
fn has(root: &Path, name: &str) -> bool {
    answers(&mut cargo(root, &[name, "--version"]))
}

/// Whether a command is there and does what it is asked, quietly.
pub(crate) fn answers(command: &mut Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Runs one tool and says so before and, when it does not pass, after.
fn step(root: &Path, arguments: &[&str]) -> anyhow::Result<bool> {
    announce(arguments)?;
    let passes = run(&mut cargo(root, arguments))?;
    if !passes {
        say(&format!(
            "xtask: cargo {} does not pass\n",
            arguments.join(" ")
        ))?;
    }
    Ok(passes)
}

pub(crate) fn announce(arguments: &[&str]) -> anyhow::Result<()> {
    say(&format!("xtask: cargo {}\n", arguments.join(" ")))
}

pub(crate) fn run(command: &mut Command) -> anyhow::Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("{command:?} cannot be started"))?;
    Ok(status.success())
}

/// The cargo that runs us, without colour.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(arguments)
        .current_dir(root)
        .env("CARGO_TERM_COLOR", "never")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}
