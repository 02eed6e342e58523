//! Lists that two places keep: dependencies and limits, in code and in prose. Called by `tidy`.
//!
//! Invariant: what the manifest or `limits.rs` has, the page has, and the other way round. A page
//! or a manifest that is not there yet is not asked for.

use std::collections::BTreeMap;

use super::Finding;
use super::tree::{TextFile, Tree};

const MANIFEST: &str = "Cargo.toml";
const DEPENDENCIES: &str = "docs/decisions/dependencies.md";
const LIMITS: &str = "crates/model/src/limits.rs";
const LIMITS_PAGE: &str = "LIMITS.md";

/// Every dependency of the workspace has its line on the page, and every line its dependency.
pub(super) fn check_dependencies(tree: &Tree) -> Vec<Finding> {
    let (Some(manifest), Some(page)) = (tree.find(MANIFEST), tree.find(DEPENDENCIES)) else {
        return Vec::new();
    };
    let used = workspace_dependencies(manifest);
    let listed: BTreeMap<&str, usize> = rows(page).map(|(line, name, _)| (name, line)).collect();
    let missing = used.iter().filter(|(name, _)| !listed.contains_key(*name));
    let unknown = listed.iter().filter(|(name, _)| !used.contains_key(*name));
    let missing = missing.map(|(name, line)| {
        let what = format!("`{name}` has no row in `{DEPENDENCIES}`");
        let instead = "add what it is for, what it costs and what we would do without";
        Finding::new(MANIFEST, *line, what, instead)
    });
    let unknown = unknown.map(|(name, line)| {
        let what = format!("`{name}` is not in `[workspace.dependencies]`");
        Finding::new(DEPENDENCIES, *line, what, "take the row out")
    });
    missing.chain(unknown).collect()
}

/// Every limit is on the page with its value, and every row is a limit.
pub(super) fn check_limits(tree: &Tree) -> Vec<Finding> {
    let (Some(code), Some(page)) = (tree.find(LIMITS), tree.find(LIMITS_PAGE)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let rows: BTreeMap<&str, (usize, &str)> = rows(page)
        .map(|(line, name, rest)| (name, (line, rest)))
        .collect();
    let mut known = Vec::new();
    for (line, name, expression) in constants(code) {
        known.push(name);
        let Some(value) = value_of(expression) else {
            let what = format!("the value of `{name}` cannot be read");
            let instead = "write a number, or two with `<<` or `*` between them";
            findings.push(Finding::new(LIMITS, line, what, instead));
            continue;
        };
        let Some((row, rest)) = rows.get(name) else {
            let what = format!("`{name}` is not in `{LIMITS_PAGE}`");
            let instead = "add its value and what happens when it is hit";
            findings.push(Finding::new(LIMITS, line, what, instead));
            continue;
        };
        if first_number(rest) != Some(value) {
            let what = format!("`{name}` is {value} in `{LIMITS}`");
            findings.push(Finding::new(LIMITS_PAGE, *row, what, "write that value"));
        }
    }
    for (name, (line, _)) in rows.iter().filter(|(name, _)| !known.contains(*name)) {
        let what = format!("`{name}` is not in `{LIMITS}`");
        findings.push(Finding::new(LIMITS_PAGE, *line, what, "take the row out"));
    }
    findings
}

/// The rows of the tables of a page that begin with a name in backticks, and what follows it.
fn rows(page: TextFile<'_>) -> impl Iterator<Item = (usize, &str, &str)> {
    page.lines().filter_map(|(number, line)| {
        let (name, rest) = line.strip_prefix("| `")?.split_once('`')?;
        Some((number, name, rest))
    })
}

/// The dependencies of the workspace that are not ours, with their lines.
fn workspace_dependencies(manifest: TextFile<'_>) -> BTreeMap<&str, usize> {
    let mut inside = false;
    let mut found = BTreeMap::new();
    for (number, line) in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        } else if inside && line.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            if !name.starts_with("immune-") {
                found.insert(name, number);
            }
        }
    }
    found
}

/// The public constants of a file: line, name, expression.
fn constants(code: TextFile<'_>) -> impl Iterator<Item = (usize, &str, &str)> {
    code.lines().filter_map(|(number, line)| {
        let (name, rest) = line.strip_prefix("pub const ")?.split_once(':')?;
        let expression = rest.split_once('=')?.1.trim().trim_end_matches(';');
        Some((number, name, expression))
    })
}

/// The value of a number, of a shift, or of a product.
fn value_of(expression: &str) -> Option<u128> {
    let number = |text: &str| text.trim().replace('_', "").parse::<u128>().ok();
    if let Some((number_shifted, by)) = expression.split_once("<<") {
        return number(number_shifted)?.checked_shl(u32::try_from(number(by)?).ok()?);
    }
    expression.split('*').try_fold(1_u128, |product, factor| {
        product.checked_mul(number(factor)?)
    })
}

/// The first number of a table's row, thousands separated by commas or not at all.
fn first_number(row: &str) -> Option<u128> {
    let start = row.find(|c: char| c.is_ascii_digit())?;
    let rest = row.get(start..)?;
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == ','))
        .unwrap_or(rest.len());
    rest.get(..end)?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(findings: &[Finding]) -> Vec<String> {
        findings
            .iter()
            .map(|f| format!("{}:{} {}", f.path, f.line, f.what))
            .collect()
    }

    #[test]
    fn every_dependency_has_its_row_and_every_row_its_dependency() {
        let manifest = "[workspace.dependencies]\nimmune-model = { path = \"m\" }\n# Theirs.\n\
            regex = \"1\"\nurl = { version = \"2\" }\n[profile.dev]\nlto = \"thin\"\n";
        let good = "| crate | for |\n|---|---|\n| `regex` | a |\n| `url` | b |\n";
        let check = |page: &str| {
            let tree = Tree::of(&[(MANIFEST, manifest), (DEPENDENCIES, page)]);
            shown(&check_dependencies(&tree))
        };
        assert_eq!(check(good), [""; 0]);
        assert_eq!(
            check("| `regex` | a |\n| `time` | b |\n"),
            [
                format!("Cargo.toml:5 `url` has no row in `{DEPENDENCIES}`"),
                format!("{DEPENDENCIES}:2 `time` is not in `[workspace.dependencies]`"),
            ]
        );
        let without_page = Tree::of(&[(MANIFEST, manifest)]);
        assert_eq!(check_dependencies(&without_page), []);
    }

    #[test]
    fn every_limit_is_on_the_page_with_its_value() {
        let code =
            "/// A.\npub const A_MAX: usize = 1 << 20;\npub const B_MAX: u32 = 60 * 1_000;\n";
        let check = |page: &str| {
            let tree = Tree::of(&[(LIMITS, code), (LIMITS_PAGE, page)]);
            shown(&check_limits(&tree))
        };
        assert_eq!(
            check("| `A_MAX` | 1,048,576 bytes | x |\n| `B_MAX` | 60000 | y |\n"),
            [""; 0]
        );
        assert_eq!(
            check("| `A_MAX` | 1,048,577 | x |\n| `C_MAX` | 1 | y |\n"),
            [
                format!("{LIMITS_PAGE}:1 `A_MAX` is 1048576 in `{LIMITS}`"),
                format!("{LIMITS}:3 `B_MAX` is not in `{LIMITS_PAGE}`"),
                format!("{LIMITS_PAGE}:2 `C_MAX` is not in `{LIMITS}`"),
            ]
        );
    }

    #[test]
    fn a_value_that_cannot_be_read_is_said() {
        let tree = Tree::of(&[
            (LIMITS, "pub const A_MAX: usize = other();\n"),
            (LIMITS_PAGE, "| `A_MAX` | 1 |\n"),
        ]);
        assert_eq!(
            shown(&check_limits(&tree)),
            [format!("{LIMITS}:1 the value of `A_MAX` cannot be read")]
        );
    }
}
