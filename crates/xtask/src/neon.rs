//! The vector kernels of another processor, under an emulator: `cargo xtask neon`, and part of `slow`.
//!
//! Called by `main` and `ci`. Invariant: where it cannot be tested it does not pass; nobody takes a
//! kernel that did not run for one that agrees with plain code.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::ci::{announce, answers, cargo, run};
use crate::say;

/// The target, its linker and its emulator, with the packages of Debian that have the latter two.
const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
const PACKAGES: [&str; 2] = ["gcc-aarch64-linux-gnu", "qemu-user"];
/// Cases of each law: an emulator takes a hundred times as long.
const CASES: &str = "8";

/// Runs the tests of `immune-vector` as that processor would. True when they pass.
pub(crate) fn neon(root: &Path) -> anyhow::Result<bool> {
    if cfg!(target_arch = "aarch64") {
        say("xtask: this processor has NEON, which every test run compares with plain code\n")?;
        return Ok(true);
    }
    install();
    answers(
        Command::new("rustup")
            .args(["target", "add", TARGET])
            .current_dir(root),
    );
    let missing: Vec<&str> = [LINKER, EMULATOR]
        .into_iter()
        .filter(|it| !is_there(it))
        .collect();
    if !missing.is_empty() {
        let (missing, packages) = (missing.join(" and "), PACKAGES.join(" "));
        say(&format!(
            "xtask: NEON is not tested, and so this does not pass: {missing} cannot be started; \
             install `{packages}` (Debian)\n"
        ))?;
        return Ok(false);
    }
    let arguments = [
        "test",
        "--locked",
        "--target",
        TARGET,
        "-p",
        "immune-vector",
        "--lib",
        "--tests",
    ];
    announce(&arguments)?;
    let name = TARGET.to_uppercase().replace('-', "_");
    let mut command = cargo(root, &arguments);
    command
        .env(format!("CARGO_TARGET_{name}_LINKER"), LINKER)
        .env(format!("CARGO_TARGET_{name}_RUNNER"), EMULATOR)
        // The emulator of Debian 12 hangs where a thread is started through a shared C library.
        .env(
            format!("CARGO_TARGET_{name}_RUSTFLAGS"),
            "-C target-feature=+crt-static",
        )
        .env("PROPTEST_CASES", CASES);
    let passes = run(&mut command)?;
    if !passes {
        say(&format!(
            "xtask: the tests for {TARGET} do not pass; `rustup target add {TARGET}` has its library\n"
        ))?;
    }
    Ok(passes)
}

fn is_there(program: &str) -> bool {
    answers(Command::new(program).arg("--version"))
}

/// Installs what is missing where that is possible; what happens without it is told by the caller.
fn install() {
    if [LINKER, EMULATOR].into_iter().all(is_there) {
        return;
    }
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        answers(command.args(arguments).stdin(Stdio::null()))
    };
    if apt(&["update", "-qq"]) {
        let mut arguments = vec!["install", "-y", "-qq"];
        arguments.extend(PACKAGES);
        apt(&arguments);
    }
}
