//! The figures that pages quote in tables are those of `bench/results`. Called by `tidy`.
//!
//! Invariant: between `<!-- numbers: NAME -->` and `<!-- end -->` stands the table of
//! `bench/results/NAME.json`, and nothing else.

use std::fmt::Write as _;

use serde_json::Value;

use super::Finding;
use super::tree::{TextFile, Tree};

const START: &str = "<!-- numbers: ";
const END: &str = "<!-- end -->";

/// Every table of figures is the one that its results give.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.texts().filter(|it| it.ends_with(".md"));
    let places = pages.flat_map(|page| {
        let places = page.text.match_indices(START);
        places.map(move |(at, _)| (page, at))
    });
    places
        .filter_map(|(page, at)| check_table(tree, page, at))
        .collect()
}

fn check_table(tree: &Tree, page: TextFile<'_>, at: usize) -> Option<Finding> {
    let (before, rest) = page.text.split_at_checked(at)?;
    let line = before.lines().count() + 1;
    let finding =
        |what: String, instead: String| Some(Finding::new(page.path, line, what, instead));
    let rest = rest.strip_prefix(START)?;
    let Some((name, rest)) = rest.split_once(" -->\n") else {
        return finding(
            "the mark of a table has no end".into(),
            "close it with ` -->`".into(),
        );
    };
    let path = format!("bench/results/{name}.json");
    let Some(results) = tree.find(&path) else {
        return finding(
            format!("`{path}` is not there"),
            "run its command and keep the output".into(),
        );
    };
    let Some(table) = serde_json::from_str(results.text)
        .ok()
        .and_then(|it| table(&it))
    else {
        return finding(
            format!("`{path}` holds no rows"),
            "run its command again".into(),
        );
    };
    let found = rest.split_once(END).map_or(rest, |(found, _)| found);
    if found.trim() == table.trim() {
        return None;
    }
    finding(
        format!("the table is not that of `{path}`"),
        format!("write\n{table}"),
    )
}

/// The rows of a result as a table.
fn table(results: &Value) -> Option<String> {
    let mut table = String::from("| step | n | seconds | each |\n| --- | --- | --- | --- |\n");
    for row in results.get("rows")?.as_array()? {
        let (step, n) = (row.get("step")?.as_str()?, row.get("n")?.as_u64()?);
        let seconds = row.get("seconds")?.as_f64()?;
        let micros = seconds * 1e6 / f64::from(u32::try_from(n.max(1)).ok()?);
        let each = if micros < 1000.0 {
            format!("{micros:.0} µs")
        } else {
            format!("{:.1} ms", micros / 1000.0)
        };
        writeln!(table, "| {step} | {n} | {seconds:.3} | {each} |").ok()?;
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::super::tree::File;
    use super::*;

    const RESULTS: &str = r#"{"rows": [{"step": "recall", "n": 20, "seconds": 0.049}]}"#;
    const TABLE: &str = "| step | n | seconds | each |\n| --- | --- | --- | --- |\n| recall | 20 | 0.049 | 2.5 ms |\n";

    fn findings(page: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            text: Some(text.to_owned()),
        };
        let files = vec![
            file("docs/page.md", page),
            file("bench/results/size.json", RESULTS),
        ];
        check(&Tree { files })
            .iter()
            .map(|it| it.what.clone())
            .collect()
    }

    #[test]
    fn a_table_is_the_one_that_its_results_give() {
        assert!(findings(&format!("a\n<!-- numbers: size -->\n{TABLE}<!-- end -->\n")).is_empty());
        let wrong = TABLE.replace("0.049", "0.001");
        let page = format!("a\n<!-- numbers: size -->\n{wrong}<!-- end -->\n");
        assert_eq!(
            findings(&page),
            ["the table is not that of `bench/results/size.json`"]
        );
        let page = format!("<!-- numbers: speed -->\n{TABLE}<!-- end -->\n");
        assert_eq!(findings(&page), ["`bench/results/speed.json` is not there"]);
    }
}
