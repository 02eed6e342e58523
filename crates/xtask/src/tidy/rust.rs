//! Rules for a Rust file as a whole: its head and its length. Called by `tidy` only.
//!
//! Invariant: generated files are not judged, and tests do not count towards the length.

use super::Finding;
use super::tree::TextFile;

/// Lines from which a file is asked to be split.
const LINES_WARN: usize = 600;
/// Lines that a file may have.
const LINES_MAX: usize = 900;

/// Applies the rules to one file.
pub(super) fn check(file: TextFile<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !file.text.starts_with("//! ") {
        findings.push(Finding::new(
            file.path,
            1,
            "the file has no module comment",
            "start with `//!`: what it is, who may call it, which invariant it keeps",
        ));
    }
    findings.extend(check_length(file));
    findings
}

fn check_length(file: TextFile<'_>) -> Option<Finding> {
    if file.is_test() {
        return None;
    }
    let n_lines = file.lines_before_tests().len();
    let finding = |max: usize| {
        let what = format!("the file has {n_lines} lines before its tests, more than {max}");
        Finding::new(file.path, n_lines, what, "split it by idea")
    };
    if n_lines > LINES_MAX {
        Some(finding(LINES_MAX))
    } else if n_lines > LINES_WARN {
        Some(finding(LINES_WARN).warning())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::tidy::tree::Tree;
    use crate::tidy::{Weight, findings};

    fn weights(path: &str, text: &str) -> Vec<Weight> {
        let tree = Tree::of(&[(path, text)]);
        findings(&tree)
            .iter()
            .map(|finding| finding.weight)
            .collect()
    }

    #[test]
    fn a_file_starts_with_its_module_comment() {
        assert_eq!(weights("a.rs", "//! What it is.\n"), []);
        assert_eq!(weights("a.rs", "// @generated\nuse a;\n"), []);
        assert_eq!(weights("a.rs", "use a;\n"), [Weight::Fails]);
        assert_eq!(weights("a.rs", "//!\n"), [Weight::Fails]);
    }

    #[test]
    fn a_long_file_warns_and_a_longer_one_fails() {
        let file = |n_lines: usize| format!("//! A.\n{}", "// b\n".repeat(n_lines - 1));
        assert_eq!(weights("a.rs", &file(600)), []);
        assert_eq!(weights("a.rs", &file(601)), [Weight::Warns]);
        assert_eq!(weights("a.rs", &file(900)), [Weight::Warns]);
        assert_eq!(weights("a.rs", &file(901)), [Weight::Fails]);
        assert_eq!(weights("crates/a/tests/b.rs", &file(901)), []);
        let with_tests = format!("{}#[cfg(test)]\nmod tests {{\n{}", file(600), file(600));
        assert_eq!(weights("a.rs", &with_tests), []);
    }
}
