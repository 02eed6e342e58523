//! The console blocks of README under "Sixty seconds", and those of the guides to attribution and to
//! the mesh, are
//! run, in order, in one shell's folder; where a block shows output, that is the output.

use std::path::Path;
use std::process::Command;

use crate::common::scrubbed;

const ATTRIBUTION: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/guides/attribution.md"
));
const MESH: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/guides/mesh.md"
));
const README: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));

/// One command of a block, with the output that the page shows for it.
struct Shown<'a> {
    command: &'a str,
    output: String,
}

fn blocks(section: &str) -> Vec<Shown<'_>> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    let mut inside = false;
    for line in section.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            shown.push(Shown {
                command,
                output: String::new(),
            });
        } else if inside && let Some(last) = shown.last_mut() {
            last.output.push_str(line);
            last.output.push('\n');
        }
    }
    shown
}

/// Runs the blocks in a folder and compares what they show, times aside; how many show something.
fn run_in(folder: &Path, shown: Vec<Shown<'_>>) -> usize {
    let binary = Path::new(env!("CARGO_BIN_EXE_immune"));
    let path = std::env::join_paths(
        std::iter::once(binary.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let mut compared = 0;
    for Shown { command, output } in shown {
        let ran = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder)
            .env("PATH", &path)
            .env("USER", "me")
            .env("IMMUNE_STORE", folder.join("readme.db"))
            .output()
            .unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        // A clear no is an answer too.
        assert!(
            matches!(ran.status.code(), Some(0 | 1)),
            "{command}\n{out}{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        if !output.is_empty() {
            assert_eq!(scrubbed(&out), scrubbed(&output), "{command}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_guide_to_attribution_is_as_the_page_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let (guide, _) = ATTRIBUTION
        .split_once("\n## Oracles")
        .unwrap_or((ATTRIBUTION, ""));
    assert!(run_in(folder.path(), blocks(guide)) >= 7);
}

#[test]
fn the_guide_to_the_mesh_is_as_the_page_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run_in(folder.path(), blocks(MESH)) >= 8);
}

#[test]
fn the_sixty_seconds_are_as_the_page_shows_them() {
    let (_, section) = README.split_once("## Sixty seconds").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let shown = blocks(section);
    assert!(shown.len() >= 7, "the section has its blocks");
    assert!(run_in(folder.path(), shown) >= 4, "outputs are shown");
    let ledger = fs_err::read_to_string(folder.path().join("ledger.txt")).unwrap();
    assert_eq!(
        ledger,
        "GBP 4200 to GB29NWBK60161331926819\ntook back act_1\n"
    );
}
