//! Tasks of this repository: `cargo xtask ci`, `tidy`, `neon` and `slow`.
//!
//! For developers and CI; nothing of the product depends on it, and it depends on nothing of
//! ours, so that it runs while a crate does not compile. Invariant: what it prints is plain text,
//! one finding a line, and its exit code alone says whether all is well.

mod ci;
mod neon;
mod tidy;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

const USAGE: &str = "\
usage: cargo xtask <task>

  ci     format, lints, tidy, dependencies, doc tests, tests: what a change has to pass
  tidy   the rules of this repository that no other tool knows
  neon   the vector kernels of 64-bit ARM, under qemu-user (installs what it needs, where it can)
  slow   the above, then the tests with their long suites (sets IMMUNE_SLOW to 1)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let task = match arguments.as_slice() {
        [task] => task.as_str(),
        _ => "",
    };
    let done = root().and_then(|root| match task {
        "ci" => ci::ci(&root),
        "neon" => neon::neon(&root),
        "slow" => ci::slow(&root),
        "tidy" => report_tidy(&root),
        "help" | "--help" | "-h" => say(USAGE).map(|()| true),
        _ => {
            say(USAGE)?;
            Ok(false)
        }
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Standard error may be closed; then there is nobody left to tell.
            let _ = writeln!(io::stderr(), "xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints all findings; true when none of them fails.
fn report_tidy(root: &Path) -> anyhow::Result<bool> {
    let report = tidy::check(root)?;
    say(&report.to_string())?;
    Ok(report.passes())
}

/// Writes to standard output, which may be a pipe that somebody closed.
fn say(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("standard output cannot be written")
}

/// The folder of the workspace. Cargo says at run time where this crate is; the place it was
/// compiled in is the second choice, because a build folder may be shared by two clones.
fn root() -> anyhow::Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .context("xtask is not two folders below the root of the repository")
}
