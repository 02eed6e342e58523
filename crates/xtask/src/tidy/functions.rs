//! The ratchet on long functions. Called by `tidy` only.
//!
//! Code is read by its shape, not parsed: rustfmt puts the end of a function at the indentation
//! of its start. Invariant: a function of more than `LINES_MAX` lines is in the list with exactly
//! the lines it has, so the list can only shrink, and nothing in it can grow unseen.

use std::collections::BTreeMap;

use super::Finding;
use super::tree::{TextFile, Tree};

/// Lines that a function may have, from its name to its end.
const LINES_MAX: usize = 70;
/// The functions that are longer; each line is `path function lines`.
const RATCHET: &str = "crates/xtask/tidy-ratchet.txt";

/// A function and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Function<'a> {
    path: &'a str,
    name: &'a str,
    line: usize,
    n_lines: usize,
}

/// Compares the long functions with the list of them.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut long: BTreeMap<(&str, &str), Function<'_>> = BTreeMap::new();
    let rust = tree
        .texts()
        .filter(|file| file.is_rust() && !file.is_test());
    for function in rust.flat_map(functions) {
        if function.n_lines > LINES_MAX {
            let known = long
                .entry((function.path, function.name))
                .or_insert(function);
            if known.n_lines < function.n_lines {
                *known = function;
            }
        }
    }
    let mut findings = Vec::new();
    for (number, line) in tree.find(RATCHET).into_iter().flat_map(TextFile::lines) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        findings.extend(check_entry(number, line, &mut long));
    }
    findings.extend(long.into_values().map(|function| {
        let Function { name, n_lines, .. } = function;
        let what = format!("`{name}` has {n_lines} lines, more than {LINES_MAX}");
        Finding::new(
            function.path,
            function.line,
            what,
            "split it by what it does",
        )
    }));
    findings
}

/// Compares one entry of the list, and takes its function out of `long`.
fn check_entry<'a>(
    number: usize,
    line: &'a str,
    long: &mut BTreeMap<(&'a str, &'a str), Function<'a>>,
) -> Option<Finding> {
    let find = |what: String, instead: &str| Some(Finding::new(RATCHET, number, what, instead));
    let words: Vec<&str> = line.split(' ').collect();
    let [path, name, listed] = words.as_slice() else {
        let what = format!("`{line}` is not an entry");
        return find(what, "write `path function lines`");
    };
    let Some(function) = long.remove(&(*path, *name)) else {
        let what = format!("`{name}` has at most {LINES_MAX} lines now");
        return find(what, "take the entry out");
    };
    let n_lines = function.n_lines;
    match listed.parse::<usize>() {
        Ok(listed) if listed == n_lines => None,
        Ok(listed) if listed > n_lines => find(
            format!("`{name}` has {n_lines} lines now, not {listed}"),
            "lower the number",
        ),
        _ => Some(Finding::new(
            path,
            function.line,
            format!("`{name}` has {n_lines} lines, the list allows {listed}"),
            "bring it back, or split it",
        )),
    }
}

/// The functions of a file that have a body, its tests left out.
fn functions(file: TextFile<'_>) -> Vec<Function<'_>> {
    let lines = file.lines_before_tests();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = name_of(line) else { continue };
        let rest = lines.get(start..).unwrap_or_default();
        if let Some(n_lines) = n_lines_of(rest) {
            found.push(Function {
                path: file.path,
                name,
                line: start + 1,
                n_lines,
            });
        }
    }
    found
}

/// The name of the function that starts on this line.
fn name_of(line: &str) -> Option<&str> {
    let (head, rest) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        matches!(
            word,
            "pub" | "const" | "async" | "unsafe" | "default" | "extern" | "\"C\""
        ) || word.starts_with("pub(")
    };
    if !head.split_whitespace().all(is_qualifier) {
        return None;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    rest.get(..end).filter(|name| !name.is_empty())
}

/// The lines of the function that starts with the first of `lines`, if it has a body.
fn n_lines_of(lines: &[&str]) -> Option<usize> {
    let first = lines.first()?;
    let indentation = first.len() - first.trim_start().len();
    let opens = lines
        .iter()
        .position(|line| line.ends_with('{') || line.ends_with(';') || line.ends_with('}'))?;
    if !lines.get(opens)?.ends_with('{') {
        return None;
    }
    let ends = |line: &&str| line.trim() == "}" && line.len() == indentation + 1;
    let after = lines.get(opens + 1..)?.iter().position(ends)?;
    Some(opens + after + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, n_lines: usize) -> String {
        let body = "        let _ = 1;\n".repeat(n_lines - 4);
        format!("    pub(crate) async fn {name}(\n        a: u8,\n    ) {{\n{body}    }}\n")
    }

    fn found(ratchet: &str, code: &str) -> Vec<String> {
        let tree = Tree::of(&[(RATCHET, ratchet), ("a.rs", code)]);
        check(&tree)
            .iter()
            .map(|f| f.to_string().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn a_long_function_that_is_not_listed_is_found() {
        assert_eq!(found("", &function("short", 70)), [""; 0]);
        assert_eq!(
            found("", &format!("//! A.\n{}", function("long", 71))),
            ["a.rs:2: `long` has 71 lines, more than 70; split it by what it does"]
        );
    }

    #[test]
    fn the_list_is_exact_and_can_only_shrink() {
        let code = function("long", 80);
        assert_eq!(found("# why\n\na.rs long 80\n", &code), [""; 0]);
        assert_eq!(
            found("a.rs long 79\n", &code),
            ["a.rs:1: `long` has 80 lines, the list allows 79; bring it back, or split it"]
        );
        let path = RATCHET;
        assert_eq!(
            found("a.rs long 81\n", &code),
            [format!(
                "{path}:1: `long` has 80 lines now, not 81; lower the number"
            )]
        );
        assert_eq!(
            found("a.rs long 80\na.rs gone 90\n", &code),
            [format!(
                "{path}:2: `gone` has at most 70 lines now; take the entry out"
            )]
        );
        assert_eq!(found("a.rs long\n", &code).len(), 2);
    }

    #[test]
    fn declarations_and_other_uses_of_the_word_are_no_functions() {
        let n_lines = |code: &str| {
            let tree = Tree::of(&[("a.rs", code)]);
            let file = tree.find("a.rs").unwrap();
            functions(file)
                .iter()
                .map(|f| f.n_lines)
                .collect::<Vec<_>>()
        };
        assert_eq!(n_lines("    fn declared(&self) -> u8;\n"), [0; 0]);
        assert_eq!(n_lines("fn in_one_line() {}\n"), [0; 0]);
        assert_eq!(n_lines("type F = fn (u8) -> u8;\n// the fn a\n"), [0; 0]);
        assert_eq!(n_lines("const fn a() -> u8 {\n    1\n}\n"), [3]);
    }
}
