//! The console blocks of README under "Sixty seconds" are run, in order, in one shell's folder;
//! where a block shows output, that is the output.

use std::path::Path;
use std::process::Command;

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

#[test]
fn the_sixty_seconds_are_as_the_page_shows_them() {
    let (_, section) = README.split_once("## Sixty seconds").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_immune"));
    let path = std::env::join_paths(
        std::iter::once(binary.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let shown = blocks(section);
    assert!(shown.len() >= 7, "the section has its blocks");
    let mut compared = 0;
    for Shown { command, output } in shown {
        let ran = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("IMMUNE_STORE", folder.path().join("readme.db"))
            .output()
            .unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        assert!(
            ran.status.success(),
            "{command}\n{out}{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        if !output.is_empty() {
            assert_eq!(out, output, "{command}");
            compared += 1;
        }
    }
    assert!(compared >= 4, "outputs are shown");
    let ledger = fs_err::read_to_string(folder.path().join("ledger.txt")).unwrap();
    assert_eq!(
        ledger,
        "GBP 4200 to GB29NWBK60161331926819\ntook back act_1\n"
    );
}
