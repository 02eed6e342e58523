//! Rules for every line of every text: what cannot be seen, what is of one machine only, what is
//! banned, and what is named but not there. Called by `tidy` only.
//!
//! Invariant: fixtures and lock files are kept as they are, so the rules on form skip them.

use super::Finding;
use super::tree::{TextFile, Tree};

/// What must not be in Rust code, and what to write in its place. In pieces, so that this table
/// does not find itself.
const BANNED: [(&str, &str); 9] = [
    (
        concat!("todo", "!("),
        "write it, or leave the item out until it is written",
    ),
    (
        concat!("unimplemented", "!("),
        "write it, or leave the item out until it is written",
    ),
    (
        concat!("dbg", "!("),
        "take it out, or log through the printer",
    ),
    (
        concat!("#[", "ignore"),
        "make it quick, or have it read the variable of `cargo xtask slow`",
    ),
    (
        concat!("should", "_panic"),
        "assert on the result, or on `std::panic::catch_unwind`",
    ),
    (
        concat!("#[", "allow("),
        "use `#[expect(..., reason = \"...\")]`, which goes when it is not needed",
    ),
    (
        concat!("#![", "allow("),
        "use `#![expect(..., reason = \"...\")]`, which goes when it is not needed",
    ),
    (
        concat!("error(\"", "failed to"),
        "say what is true, as in \"`x` is not there\"",
    ),
    (
        concat!("error(\"", "Failed to"),
        "say what is true, as in \"`x` is not there\"",
    ),
];

/// Folders that exist on one machine only.
const MACHINE_FOLDERS: [&str; 3] = [
    concat!("/", "work/"),
    concat!("/", "root/"),
    concat!("/", "home/"),
];

/// How a mention of a fixture begins.
const FIXTURES: &str = concat!("fixtures", "/");

/// Applies the rules to one file.
pub(super) fn check(file: TextFile<'_>, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line: usize, what: String, instead: &str| {
        findings.push(Finding::new(file.path, line, what, instead));
    };
    if !file.is_verbatim() {
        check_end(file, &mut find);
    }
    for (number, line) in file.lines() {
        if !file.is_verbatim() {
            check_form(line, &mut |what, instead| find(number, what, instead));
        }
        if let Some(folder) = machine_folder(line) {
            find(
                number,
                format!("`{folder}` is a folder of one machine"),
                "use a path relative to the root of the repository",
            );
        }
        if file.is_rust() && !line.trim_start().starts_with("//") {
            for (banned, instead) in BANNED.iter().filter(|(banned, _)| line.contains(banned)) {
                find(number, format!("`{banned}` is banned"), instead);
            }
        }
        if names_files(file) {
            for path in fixtures_of(line).filter(|path| !is_there(path, file, tree)) {
                find(
                    number,
                    format!("`{path}` does not exist"),
                    "add the fixture or mend the path",
                );
            }
        }
    }
    findings
}

fn check_end(file: TextFile<'_>, find: &mut impl FnMut(usize, String, &str)) {
    let n_lines = file.text.lines().count();
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        let what = "the last line has no end".to_owned();
        find(n_lines, what, "end the file with a newline");
    }
    if file.text.ends_with("\n\n") {
        let what = "the file ends with an empty line".to_owned();
        find(n_lines, what, "end it with one newline");
    }
}

fn check_form(line: &str, find: &mut impl FnMut(String, &str)) {
    if line.ends_with([' ', '\t', '\r']) {
        let what = "white space at the end of the line".to_owned();
        find(what, "take it out");
    }
    let shown = line.trim_end_matches('\r');
    for character in shown.chars().filter(|c| is_invisible(*c)) {
        find(
            format!("U+{:04X} cannot be seen", u32::from(character)),
            "write it as an escape, or take it out",
        );
    }
}

/// Controls, marks of direction, joiners and other characters without a shape: they make a
/// reviewer read another text than the compiler or the model does.
fn is_invisible(character: char) -> bool {
    (character.is_control() && character != '\t')
        || matches!(u32::from(character),
            0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
            | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF)
}

/// The machine's folder that a line names, if it does. The path of an address does not count.
fn machine_folder(line: &str) -> Option<&'static str> {
    let starts_here =
        |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || "._-~*)}>$".contains(c));
    MACHINE_FOLDERS.into_iter().find(|folder| {
        line.match_indices(folder)
            .any(|(at, _)| line.get(..at).is_some_and(starts_here))
    })
}

fn names_files(file: TextFile<'_>) -> bool {
    file.is_rust() || file.ends_with(".md") || file.ends_with(".toml")
}

/// The fixtures that a line names. A pattern counts as the folder that it is in.
fn fixtures_of(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices(FIXTURES).filter_map(move |(at, _)| {
        let rest = line.get(at..)?;
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "._-/".contains(c)))
            .unwrap_or(rest.len());
        let (path, after) = rest.split_at_checked(end)?;
        let path = if after.starts_with(['{', '*', '<', '$', '%', '[']) {
            path.rsplit_once('/').map_or(path, |(folder, _)| folder)
        } else {
            path.trim_end_matches('.')
        };
        (path.len() > FIXTURES.len()).then_some(path)
    })
}

/// Whether a fixture is at the root or in the crate that names it.
fn is_there(path: &str, from: TextFile<'_>, tree: &Tree) -> bool {
    let mut folders = from.path.split('/');
    let in_crate = match (folders.next(), folders.next()) {
        (Some("crates"), Some(name)) => tree.has(&format!("crates/{name}/{path}")),
        _ => false,
    };
    in_crate || tree.has(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number and the start of each finding in a file of this name and text.
    fn found(path: &str, text: &str) -> Vec<String> {
        let tree = Tree::of(&[(path, text), (concat!("fix", "tures/there.txt"), "")]);
        let file = tree.find(path).unwrap();
        check(file, &tree)
            .iter()
            .map(|finding| format!("{} {}", finding.line, finding.what))
            .collect()
    }

    #[test]
    fn lines_end_cleanly() {
        assert_eq!(found("a.md", "a\n\n\tb\n"), [""; 0]);
        assert_eq!(found("a.md", ""), [""; 0]);
        assert_eq!(
            found("a.md", "a\u{20}\nb\t\nc"),
            [
                "3 the last line has no end",
                "1 white space at the end of the line",
                "2 white space at the end of the line",
            ]
        );
        assert_eq!(found("a.md", "a\r\n").len(), 1);
        assert_eq!(
            found("a.md", "a\n\n"),
            ["2 the file ends with an empty line"]
        );
        assert_eq!(
            found(concat!("fix", "tures/mail.eml"), "a \r\n\n\n"),
            [""; 0]
        );
    }

    #[test]
    fn what_cannot_be_seen_is_found() {
        assert_eq!(found("a.md", "größe, 変更, 🎉\n"), [""; 0]);
        assert_eq!(
            found("a.rs", "//! A\u{202e}.\nlet a\u{200b} = 1;\u{7}\n"),
            [
                "1 U+202E cannot be seen",
                "2 U+200B cannot be seen",
                "2 U+0007 cannot be seen"
            ]
        );
    }

    #[test]
    fn folders_of_one_machine_are_found_and_addresses_are_not() {
        let home = concat!("/", "home/");
        assert_eq!(
            found("a.md", "https://example.com/work/1 and crates/work/\n"),
            [""; 0]
        );
        assert_eq!(
            found("a.md", &format!("see `{home}me/x`\n")),
            [format!("1 `{home}` is a folder of one machine")]
        );
    }

    #[test]
    fn banned_words_are_found_in_code_only() {
        let banned = concat!("todo", "!(");
        let code = format!("//! A.\n// no {banned} here\nfn a() {{ {banned}) }}\n");
        assert_eq!(found("a.rs", &code), [format!("3 `{banned}` is banned")]);
        assert_eq!(found("a.md", &code), [""; 0]);
        for (banned, instead) in BANNED {
            assert_eq!(found("a.rs", &format!("{banned}\n")).len(), 1);
            assert!(!instead.is_empty());
        }
    }

    #[test]
    fn a_fixture_that_is_named_exists() {
        let (there, absent) = (
            concat!("fix", "tures/there.txt"),
            concat!("fix", "tures/absent"),
        );
        let good = format!("see `{there}`, ../../{there}. and fixtures/{{name}}\n");
        assert_eq!(found("a.md", &good), [""; 0]);
        assert_eq!(
            found("a.md", &format!("see {absent}/x.txt.\n")),
            [format!("1 `{absent}/x.txt` does not exist")]
        );
        assert_eq!(found("a.md", &format!("see {absent}/*.txt\n")).len(), 1);
    }
}
