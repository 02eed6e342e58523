//! The scripts in `examples/` are run with the binary that was built; each checks itself.

use std::path::Path;
use std::process::Command;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn run(binary: &Path, temporary: &Path) -> std::process::Output {
    Command::new("bash")
        .arg(Path::new(EXAMPLES).join("patient-zero/run.sh"))
        .env("IMMUNE", binary)
        .env("TMPDIR", temporary)
        .output()
        .unwrap()
}

#[test]
fn patient_zero_is_told_to_its_end_and_leaves_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let ran = run(Path::new(env!("CARGO_BIN_EXE_immune")), temporary.path());
    let out = String::from_utf8(ran.stdout).unwrap();
    let err = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{out}{err}");
    assert!(err.is_empty(), "{err}");
    assert!(out.ends_with("steps are as they should be.\n"), "{out}");
    let left = fs_err::read_dir(temporary.path()).unwrap();
    assert_eq!(left.count(), 0, "the store is removed");
}

/// A script that cannot fail would show nothing: here the binary does nothing, and says yes.
#[test]
fn patient_zero_fails_and_names_the_step_when_something_is_not_so() {
    let temporary = tempfile::tempdir().unwrap();
    let ran = run(Path::new("true"), temporary.path());
    let err = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{err}");
    assert!(err.contains("FAILED in step 3, Patient zero: "), "{err}");
    let left = fs_err::read_dir(temporary.path()).unwrap();
    assert_eq!(left.count(), 0, "the store is removed all the same");
}
