//! The drift guard: what the quick benches give today beside what is kept of them.
//!
//! Invariant: every cell of every row and target is compared, and none is tolerated to differ.

use std::path::Path;

use immune_api::bench::{BenchChecked, BenchDifference, BenchSkipped, CheckedFile};
use serde_json::{Map, Value};

use super::{Ask, QUICK, Quick};
use crate::BenchError;

/// Runs the quick benches again whose results are kept in a folder, each with the seed of its file,
/// and compares: the named ones, or all if none is named. A bench without a file differs; one whose
/// data is absent is skipped.
pub fn check(results: &Path, named: &[&Quick], ask: &Ask) -> Result<BenchChecked, BenchError> {
    let mut checked = BenchChecked::default();
    let all: Vec<&Quick> = QUICK.iter().collect();
    for quick in if named.is_empty() { &all } else { named } {
        let path = results.join(format!("{}.json", quick.name()));
        let kept = match fs_err::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Value::Null,
            Err(error) => return Err(error.into()),
        };
        match compare(quick, &kept, ask) {
            Ok(mut file) => {
                file.file = path.display().to_string();
                checked.files.push(file);
            }
            Err(BenchError::Absent { what }) => checked.skipped.push(BenchSkipped {
                bench: quick.name().to_owned(),
                why: what,
            }),
            Err(error) => return Err(error),
        }
    }
    Ok(checked)
}

fn compare(quick: &Quick, kept: &Value, ask: &Ask) -> Result<CheckedFile, BenchError> {
    let seed = kept.get("seed").and_then(Value::as_u64);
    let ask = Ask {
        mode: None,
        seed: seed.unwrap_or(ask.seed),
        data: ask.data.clone(),
    };
    let found = quick.run(&ask)?;
    let found = serde_json::to_value(&found).expect("views have string keys only");
    let mut file = CheckedFile {
        bench: quick.name().to_owned(),
        ..CheckedFile::default()
    };
    if kept.is_null() {
        file.differences.push(BenchDifference {
            row: quick.name().to_owned(),
            cell: "file".to_owned(),
            kept: Value::Null,
            found: Value::from("results"),
        });
        return Ok(file);
    }
    for part in ["rows", "targets"] {
        compare_part(&mut file, kept.get(part), found.get(part));
    }
    Ok(file)
}

/// Rows have the same name in the same place, or one of them is missing.
fn compare_part(file: &mut CheckedFile, kept: Option<&Value>, found: Option<&Value>) {
    let list = |of: Option<&Value>| of.and_then(Value::as_array).cloned().unwrap_or_default();
    let (kept, found) = (list(kept), list(found));
    let at = |rows: &[Value], name: &str| {
        let row = rows.iter().find(|it| name_of(it) == name);
        row.and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let mut names: Vec<String> = kept.iter().map(name_of).collect();
    let new = found.iter().map(name_of).filter(|it| !names.contains(it));
    let new: Vec<String> = new.collect();
    names.extend(new);
    for name in names {
        compare_row(file, &name, &at(&kept, &name), &at(&found, &name));
    }
}

fn compare_row(
    file: &mut CheckedFile,
    name: &str,
    kept: &Map<String, Value>,
    found: &Map<String, Value>,
) {
    let new = found.keys().filter(|it| !kept.contains_key(*it));
    for cell in kept.keys().chain(new) {
        file.cells += 1;
        let of = |row: &Map<String, Value>| row.get(cell).cloned().unwrap_or_default();
        let (kept, found) = (of(kept), of(found));
        if kept != found {
            file.differences.push(BenchDifference {
                row: name.to_owned(),
                cell: cell.clone(),
                kept,
                found,
            });
        }
    }
}

/// What tells a row or a target from the others of its bench.
fn name_of(row: &Value) -> String {
    let words = ["engine", "what", "source", "name"].iter();
    let words = words.filter_map(|it| row.get(it).and_then(Value::as_str));
    let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
    words.join(" · ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept_here() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/results")
    }

    fn ask() -> Ask {
        Ask {
            mode: None,
            seed: 5,
            data: crate::test_data(),
        }
    }

    /// The published figures are those that this code gives, cell by cell: a test for each bench.
    macro_rules! kept {
        ($($name:ident)*) => {
            $(#[test]
            fn $name() {
                is_kept(stringify!($name));
            })*

            #[test]
            fn each_bench_is_compared() {
                let names: Vec<&str> = QUICK.iter().map(Quick::name).collect();
                assert_eq!(names, [$(stringify!($name)),*]);
            }
        };
    }

    kept! {
        poison launder mincap contradiction reliability decoy endorsement flood taint policy wrapper
        episodic flights mirrors poisoned scenes
    }

    fn is_kept(name: &str) {
        let named: Vec<&Quick> = QUICK.iter().filter(|it| it.name() == name).collect();
        assert_eq!(named.len(), 1);
        let checked = check(&kept_here(), &named, &ask()).unwrap();
        for file in &checked.files {
            assert!(file.cells > 0);
            assert!(file.differences.is_empty(), "{:#?}", file.differences);
        }
        for it in &checked.skipped {
            println!("skipped: {}", it.why);
        }
        assert_eq!(checked.files.len() + checked.skipped.len(), 1);
    }

    #[test]
    fn rows_of_a_bench_are_told_apart_by_their_words() {
        for quick in QUICK {
            let kept = kept_here().join(format!("{}.json", quick.name()));
            let bench: Value = serde_json::from_slice(&fs_err::read(kept).unwrap()).unwrap();
            let rows = bench["rows"].as_array().unwrap();
            let mut names: Vec<String> = rows.iter().map(name_of).collect();
            names.sort_unstable();
            let doubled = names.windows(2).find(|it| it[0] == it[1]);
            assert_eq!(doubled, None, "{}", quick.name());
        }
    }

    #[test]
    fn each_difference_is_named() {
        let row = |what: &str, percent: f64| json!({"engine": "x", "what": what, "source": "", "percent": percent});
        let kept = json!([row("same", 1.0), row("other", 2.0), row("gone", 3.0)]);
        let found = json!([row("same", 1.0), row("other", 2.5), row("new", 4.0)]);
        let mut file = CheckedFile::default();
        compare_part(&mut file, Some(&kept), Some(&found));
        let lines = file.differences.iter();
        let lines = lines.map(|it| format!("{} {} {} {}", it.row, it.cell, it.kept, it.found));
        let lines: Vec<String> = lines
            .filter(|it| !it.contains("engine") && !it.contains("what") && !it.contains("source"))
            .collect();
        assert_eq!(
            lines,
            [
                "x · other percent 2.0 2.5",
                "x · gone percent 3.0 null",
                "x · new percent null 4.0",
            ]
        );
    }
}
