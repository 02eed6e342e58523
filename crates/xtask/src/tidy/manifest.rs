//! The arrow rule: which crate of ours may know which. Called by `tidy` only.
//!
//! Invariant: an edge between two of our crates is in `ARROWS` or it is a finding. Manifests are
//! read line by line, so only the plain forms are accepted: `name.workspace = true`,
//! `name = ...`, `[dependencies.name]`.

use super::Finding;
use super::tree::{TextFile, Tree};

/// Each crate with those it may depend on, as `ARCHITECTURE.md` draws them.
const ARROWS: [(&str, &[&str]); 20] = [
    ("model", &[]),
    ("certificate", &[]),
    ("attribution", &[]),
    ("client", &["model"]),
    ("process", &[]),
    (
        "oracle",
        &[
            "attribution",
            "client",
            "process",
            "reason",
            "recall",
            "model",
        ],
    ),
    ("reason", &["model"]),
    ("recall", &["model"]),
    ("embed", &["client", "recall", "model"]),
    ("vector", &["model"]),
    ("mesh", &["model"]),
    ("store", &["model"]),
    ("store-sqlite", &["store", "model"]),
    ("ingest", &["reason", "model"]),
    (
        "engine",
        &[
            "attribution",
            "certificate",
            "client",
            "ingest",
            "mesh",
            "reason",
            "recall",
            "store",
            "vector",
            "model",
        ],
    ),
    ("api", &["engine", "model"]),
    (
        "cli",
        &[
            "api",
            "attribution",
            "bench",
            "embed",
            "engine",
            "ingest",
            "model",
            "oracle",
            "process",
            "reason",
            "recall",
            "store",
            "store-sqlite",
        ],
    ),
    ("testkit", &["reason", "store", "model"]),
    (
        "bench",
        &[
            "api",
            "attribution",
            "embed",
            "engine",
            "ingest",
            "mesh",
            "model",
            "oracle",
            "reason",
            "recall",
            "store",
            "store-sqlite",
            "testkit",
            "vector",
        ],
    ),
    ("xtask", &[]),
];

/// The one crate that may hold `unsafe` code. Its lints are those of the workspace, written out,
/// but for the line about that.
const UNSAFE: &str = "vector";
/// That line in the crate, in the place of the workspace's `unsafe_code = "forbid"`.
const UNSAFE_LINT: &str = "unsafe_code = \"deny\"";

/// Where a dependency is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Part of what is built, or of building it.
    Normal,
    /// For tests, examples and benches only.
    Dev,
    Other,
}

/// Applies the rules to `crates/NAME/Cargo.toml`.
pub(super) fn check(file: TextFile<'_>, tree: &Tree) -> Vec<Finding> {
    let name = file.path.split('/').nth(1).unwrap_or_default();
    let find = |line, what: String, instead: &str| Finding::new(file.path, line, what, instead);
    let Some((_, legal)) = ARROWS.iter().find(|(from, _)| *from == name) else {
        return vec![find(
            1,
            format!("the crate `{name}` is not in the picture"),
            "add it to `ARROWS` in `crates/xtask/src/tidy/manifest.rs` and to `ARCHITECTURE.md`",
        )];
    };
    let mut findings = Vec::new();
    if name == UNSAFE {
        let workspace = tree
            .find("Cargo.toml")
            .map(|it| lints(it, "workspace.lints"));
        if workspace.is_some_and(|it| it != lints(file, "lints")) {
            let what = "the lints are not those of the workspace".to_owned();
            findings.push(find(
                1,
                what,
                "copy them, all but the line about `unsafe_code`",
            ));
        }
        if !file.lines().any(|(_, line)| line == UNSAFE_LINT) {
            let what = "`unsafe` code is not asked to be expected".to_owned();
            findings.push(find(
                1,
                what,
                "add `unsafe_code = \"deny\"` to `[lints.rust]`",
            ));
        }
    } else if !has_workspace_lints(file) {
        let what = "the crate does not take the lints of the workspace".to_owned();
        findings.push(find(1, what, "add `[lints]` with `workspace = true`"));
    }
    for (line, section, to) in edges(file) {
        if to.is_empty() {
            let what = "a dependency is renamed".to_owned();
            findings.push(find(line, what, "use the name that the crate has"));
        } else if section == Section::Dev {
            if to == "xtask" {
                let what = "nothing depends on `xtask`".to_owned();
                findings.push(find(line, what, "move what is shared to `testkit`"));
            }
        } else if !legal.contains(&to) {
            let instead = if to == "testkit" {
                "move it to `[dev-dependencies]`"
            } else {
                "move the code to where the arrows allow it; they are in `ARROWS`"
            };
            let what = format!("`{name}` must not depend on `{to}`");
            findings.push(find(line, what, instead));
        }
    }
    findings
}

/// Our crates that a manifest names, without the prefix; an empty name is a renaming.
fn edges(file: TextFile<'_>) -> Vec<(usize, Section, &str)> {
    let mut section = Section::Other;
    let mut found = Vec::new();
    for (number, line) in file.lines() {
        let line = line.trim();
        if let Some(header) = line
            .strip_prefix('[')
            .and_then(|rest| rest.split(']').next())
        {
            let (kind, name) = section_of(header);
            section = kind;
            found.extend(name.and_then(ours).map(|to| (number, section, to)));
        } else if section != Section::Other && !line.starts_with('#') {
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
            found.extend(ours(key).map(|to| (number, section, to)));
            let is_renamed = line.starts_with("package ") || line.contains(" package ");
            if is_renamed && line.contains("\"immune-") {
                found.push((number, section, ""));
            }
        }
    }
    found
}

/// What `[header]` opens, and the dependency that it names.
fn section_of(header: &str) -> (Section, Option<&str>) {
    for (word, section) in [
        ("dev-dependencies", Section::Dev),
        ("build-dependencies", Section::Normal),
        ("dependencies", Section::Normal),
    ] {
        let Some(at) = header.rfind(word) else {
            continue;
        };
        let before = header.get(..at).unwrap_or_default();
        let after = header.get(at + word.len()..).unwrap_or_default();
        if !before.is_empty() && !before.ends_with('.') {
            continue;
        }
        return (section, after.strip_prefix('.'));
    }
    (Section::Other, None)
}

/// The short name of a crate of ours.
fn ours(name: &str) -> Option<&str> {
    let name = name.trim_matches('"');
    match name {
        "xtask" => Some(name),
        "immune" => Some("cli"),
        _ => name.strip_prefix("immune-"),
    }
}

/// The lints below `[table.rust]` and `[table.clippy]`, without that about `unsafe` code.
fn lints<'t>(file: TextFile<'t>, table: &str) -> Vec<&'t str> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for (_, line) in file.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(header) = line.strip_prefix('[') {
            let header = header.strip_suffix(']').unwrap_or_default();
            is_inside = header.rsplit_once('.').is_some_and(|(of, _)| of == table);
        } else if is_inside && !line.is_empty() && !line.starts_with("unsafe_code") {
            found.push(line);
        }
    }
    found
}

fn has_workspace_lints(file: TextFile<'_>) -> bool {
    let mut lines = file.text.lines().map(str::trim);
    lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, dependencies: &str) -> Vec<String> {
        let path = format!("crates/{name}/Cargo.toml");
        let text = format!("[package]\n[lints]\nworkspace = true\n{dependencies}");
        let tree = Tree::of(&[(&path, &text)]);
        let file = tree.find(&path).unwrap();
        check(file, &tree)
            .iter()
            .map(|f| format!("{} {}", f.line, f.what))
            .collect()
    }

    #[test]
    fn legal_arrows_pass() {
        let manifest = "[dependencies]\nregex = \"1\"\nimmune-model.workspace = true\n\
            immune-store = { workspace = true }\n[dev-dependencies]\nimmune-testkit.workspace = true\n";
        assert_eq!(found("engine", manifest), [""; 0]);
        assert_eq!(
            found("model", "[dependencies]\n# immune-store = \"no\"\n"),
            [""; 0]
        );
    }

    #[test]
    fn every_other_arrow_is_found_in_every_spelling() {
        for spelling in [
            "[dependencies]\nimmune-engine.workspace = true\n",
            "[dependencies]\nimmune-engine = { path = \"../engine\" }\n",
            "[dependencies]\n\"immune-engine\" = { workspace = true }\n",
            "[build-dependencies]\nimmune-engine = { workspace = true }\n",
            "[target.'cfg(unix)'.dependencies]\nimmune-engine = { workspace = true }\n",
            "[x]\n[dependencies.immune-engine]\n",
        ] {
            assert_eq!(
                found("model", spelling),
                ["5 `model` must not depend on `engine`"],
                "{spelling}"
            );
        }
    }

    #[test]
    fn the_kit_is_for_tests_and_tasks_are_for_nobody() {
        assert_eq!(
            found(
                "engine",
                "[dependencies]\nimmune-testkit.workspace = true\n"
            ),
            ["5 `engine` must not depend on `testkit`"]
        );
        assert_eq!(
            found(
                "engine",
                "[dev-dependencies]\nxtask = { path = \"../xtask\" }\n"
            ),
            ["5 nothing depends on `xtask`"]
        );
        assert_eq!(
            found(
                "engine",
                "[dependencies]\nx = { package = \"immune-cli\" }\n"
            ),
            ["5 a dependency is renamed"]
        );
    }

    #[test]
    fn a_crate_is_in_the_picture_and_takes_the_lints() {
        assert_eq!(
            found("new", ""),
            ["1 the crate `new` is not in the picture"]
        );
        let tree = Tree::of(&[("crates/model/Cargo.toml", "[package]\n")]);
        let file = tree.find("crates/model/Cargo.toml").unwrap();
        assert_eq!(check(file, &tree).len(), 1);
    }

    #[test]
    fn the_crate_with_unsafe_code_has_all_other_lints() {
        let workspace =
            "[workspace.lints.rust]\nunsafe_code = \"forbid\"\nmissing_docs = \"warn\"\n";
        let found = |lints: &str| {
            let manifest = format!("[package]\n[lints.rust]\n{lints}");
            let path = "crates/vector/Cargo.toml";
            let tree = Tree::of(&[("Cargo.toml", workspace), (path, &manifest)]);
            check(tree.find(path).unwrap(), &tree).len()
        };
        assert_eq!(
            found("unsafe_code = \"deny\"\nmissing_docs = \"warn\" # why\n"),
            0
        );
        assert_eq!(found("unsafe_code = \"deny\"\n"), 1);
        assert_eq!(found("missing_docs = \"warn\"\n"), 1);
        assert_eq!(
            found("unsafe_code = \"allow\"\nmissing_docs = \"warn\"\n"),
            1
        );
    }
}
