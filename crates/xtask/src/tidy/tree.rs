//! The files of the repository, as the rules see them. Called by `tidy` only.
//!
//! Invariant: paths are relative to the root and use `/`; what git ignores is not here, and what
//! is new but not ignored is, so a rule speaks before the commit.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// All files.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
}

/// One file; `text` is `None` when it is not UTF-8 text.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: Option<String>,
}

/// A file that has text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextFile<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
}

impl Tree {
    /// Reads what git knows or would take up.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let listed = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root)
            .output()
            .context("git cannot be started")?;
        ensure!(
            listed.status.success(),
            "git does not list the files of `{}`: {}",
            root.display(),
            String::from_utf8_lossy(&listed.stderr).trim()
        );
        let listed = String::from_utf8(listed.stdout).context("a path is not UTF-8")?;
        let mut files = Vec::new();
        for path in listed.split_terminator('\0') {
            let place = root.join(path);
            // Deleted in the work tree but not yet in the index, or a link: not a text of ours.
            if !place.is_file() || place.is_symlink() {
                continue;
            }
            let text = String::from_utf8(fs_err::read(&place)?).ok();
            files.push(File {
                path: path.to_owned(),
                text: text.filter(|text| !text.contains('\0')),
            });
        }
        Ok(Self { files })
    }

    /// The files that have text.
    pub(super) fn texts(&self) -> impl Iterator<Item = TextFile<'_>> {
        self.files.iter().filter_map(|file| {
            Some(TextFile {
                path: &file.path,
                text: file.text.as_deref()?,
            })
        })
    }

    /// The text at `path`, if it is there.
    pub(super) fn find(&self, path: &str) -> Option<TextFile<'_>> {
        self.texts().find(|file| file.path == path)
    }

    /// Whether `path` is a file, or a folder of one.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl<'a> TextFile<'a> {
    pub(super) fn is_rust(self) -> bool {
        self.ends_with(".rs")
            && !self
                .text
                .lines()
                .take(5)
                .any(|line| line.contains("@generated"))
    }

    /// Whether all of it is tests; those may be long.
    pub(super) fn is_test(self) -> bool {
        self.path.contains("/tests/")
            || self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
    }

    /// `crates/NAME/Cargo.toml`.
    pub(super) fn is_manifest_of_a_crate(self) -> bool {
        self.path.starts_with("crates/") && self.path.ends_with("/Cargo.toml")
    }

    /// Evidence and old formats are kept byte for byte, and lock files are not ours to write.
    pub(super) fn is_verbatim(self) -> bool {
        self.path.starts_with("fixtures/")
            || self.path.contains("/fixtures/")
            || self.ends_with(".lock")
            || self.ends_with("package-lock.json")
    }

    /// The lines with their numbers from 1; a carriage return stays in its line.
    pub(super) fn lines(self) -> impl Iterator<Item = (usize, &'a str)> {
        (1..).zip(self.text.split_terminator('\n'))
    }

    /// The lines before the tests at the end of the file.
    pub(super) fn lines_before_tests(self) -> Vec<&'a str> {
        let lines: Vec<&str> = self.text.lines().collect();
        let starts_tests = |pair: &[&str]| {
            matches!(pair, [mark, module]
                if mark.trim() == "#[cfg(test)]" && module.starts_with("mod ") && module.ends_with('{'))
        };
        let end = lines
            .windows(2)
            .position(starts_tests)
            .unwrap_or(lines.len());
        lines.into_iter().take(end).collect()
    }

    pub(super) fn ends_with(self, end: &str) -> bool {
        self.path.ends_with(end)
    }
}

#[cfg(test)]
impl Tree {
    /// A tree of the given paths and texts.
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            text: Some((*text).to_owned()),
        };
        Self {
            files: files.iter().map(file).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_when_a_file_of_it_is() {
        let tree = Tree::of(&[("docs/a/b.md", "")]);
        assert!(tree.has("docs/a/b.md") && tree.has("docs/a") && tree.has("docs/a/"));
        assert!(!tree.has("docs/a/b") && !tree.has("doc"));
    }

    #[test]
    fn the_tests_at_the_end_are_left_out() {
        let text = "//! A.\n#[cfg(test)]\nmod twin;\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n";
        let tree = Tree::of(&[("a.rs", text)]);
        let before = tree.find("a.rs").unwrap().lines_before_tests();
        assert_eq!(before.len(), 5);
    }
}
