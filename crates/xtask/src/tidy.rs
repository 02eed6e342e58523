//! The rules of this repository that no other tool knows. Each is a pure function over the files.
//!
//! Called by `main`, by `ci`, and by the test at the end, so that `cargo test` alone keeps them.
//! Invariant: a finding is one line, `path:line: what; do this instead`.

mod functions;
mod listed;
mod manifest;
mod numbers;
mod rust;
mod text;
mod tree;

use std::fmt;
use std::path::Path;

use tree::Tree;

/// Something that a rule does not like.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    what: String,
    instead: String,
    weight: Weight,
}

/// Whether a finding stops a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Warns,
    Fails,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            what: what.into(),
            instead: instead.into(),
            weight: Weight::Fails,
        }
    }

    fn warning(self) -> Self {
        Self {
            weight: Weight::Warns,
            ..self
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            what,
            instead,
            weight,
        } = self;
        let mark = match weight {
            Weight::Warns => "warning: ",
            Weight::Fails => "",
        };
        writeln!(f, "{path}:{line}: {mark}{what}; {instead}")
    }
}

/// All findings, by file and line.
#[derive(Debug)]
pub(crate) struct Report {
    findings: Vec<Finding>,
    n_files: usize,
}

impl Report {
    /// Whether nothing fails. Warnings may be there.
    pub(crate) fn passes(&self) -> bool {
        self.n_failing() == 0
    }

    fn n_failing(&self) -> usize {
        let fails = |finding: &&Finding| finding.weight == Weight::Fails;
        self.findings.iter().filter(fails).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            finding.fmt(f)?;
        }
        let n_failing = self.n_failing();
        writeln!(
            f,
            "tidy: {} files, {n_failing} to mend, {} warnings",
            self.n_files,
            self.findings.len() - n_failing
        )
    }
}

/// Applies every rule to the files of the repository at `root`.
pub(crate) fn check(root: &Path) -> anyhow::Result<Report> {
    let tree = Tree::read(root)?;
    Ok(Report {
        findings: findings(&tree),
        n_files: tree.files.len(),
    })
}

fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.texts() {
        findings.extend(text::check(file, tree));
        if file.is_rust() {
            findings.extend(rust::check(file));
        }
        if file.is_manifest_of_a_crate() {
            findings.extend(manifest::check(file, tree));
        }
    }
    findings.extend(functions::check(tree));
    findings.extend(listed::check_dependencies(tree));
    findings.extend(listed::check_limits(tree));
    findings.extend(numbers::check(tree));
    findings.sort();
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let report = check(&crate::root().unwrap()).unwrap();
        assert!(report.passes(), "\n{report}");
    }

    #[test]
    fn a_finding_is_one_line_that_says_what_to_do() {
        let finding = Finding::new("a/b.rs", 3, "this is so", "make it otherwise");
        assert_eq!(
            finding.to_string(),
            "a/b.rs:3: this is so; make it otherwise\n"
        );
        let report = Report {
            findings: vec![finding.clone().warning()],
            n_files: 1,
        };
        assert!(report.passes());
        assert!(report.to_string().contains("a/b.rs:3: warning: this is so"));
        let report = Report {
            findings: vec![finding],
            n_files: 1,
        };
        assert!(!report.passes());
    }
}
