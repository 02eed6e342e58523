//! Conflict: literals under planted changes, contradictions in long chats, written evidence.
//!
//! All of it is what the product runs, without a model: the literals, the polarity, the rules that
//! find claims, and the comparison. Nothing is fitted on what is measured: the rules were written
//! from the language and tested on sentences of our own. Data that is absent is a row that says so.

mod bm25;
mod changes;
mod chats;
mod evidence;
mod values;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use immune_api::bench::{Bench, BenchRow, BenchTarget};

use crate::BenchError;
use crate::machine::{float, processor};
use crate::targets::at_least;
use chats::{Chat, Found};

pub use chats::Verdict;

const ENGINE: &str = "immune";
/// The file of the contradicting evidence.
const EVIDENCE: &str = "conflictqa/strategyqa-gpt4.jsonl";

/// Why a part is skipped.
const NO_DATA: &str = "no data; name it with `--data`";

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct ConflictOptions {
    /// The folder of the test data; without it the parts that need it are skipped.
    pub data: Option<PathBuf>,
    /// The file that `bench/peers/agentdojo_values.py` printed.
    pub values: Option<PathBuf>,
    /// What the changes and the random pairs are made from.
    pub seed: u64,
    /// Whether a write is timed; its rows differ from run to run.
    pub timed: bool,
}

/// How often a conflict was found, missed, and seen where there was none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    found: usize,
    missed: usize,
    wrong: usize,
    spared: usize,
}

impl Counts {
    fn add(&mut self, changed: bool, conflict: bool) {
        match (changed, conflict) {
            (true, true) => self.found += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.wrong += 1,
            (false, false) => self.spared += 1,
        }
    }

    /// The harmonic mean of precision and recall.
    fn f1(self) -> f64 {
        let sum = 2 * self.found + self.missed + self.wrong;
        2.0 * float(self.found) / float(sum.max(1))
    }
}

fn percent(part: usize, of: usize) -> f64 {
    float(part) * 100.0 / float(of.max(1))
}

/// Runs every part whose data is there.
pub fn conflict(options: &ConflictOptions) -> Result<Bench, BenchError> {
    let mut rows = Vec::new();
    let mut targets = Vec::new();
    of_values(options, &mut rows, &mut targets)?;
    let folder = |set: &str| {
        options
            .data
            .as_ref()
            .map(|it| it.join(set))
            .filter(|it| it.exists())
    };
    let chats = if let Some(path) = folder("beam") {
        chats::read(&path)?
    } else {
        rows.push(skipped("contradictions in chats", NO_DATA));
        Vec::new()
    };
    if !chats.is_empty() {
        let (found, asked) = of_chats(&chats, options.seed);
        rows.extend(found);
        targets.extend(asked);
    }
    match folder(EVIDENCE) {
        Some(path) => rows.extend(evidence::rows(&fs_err::read_to_string(path)?)?),
        None => rows.push(skipped("contradicting evidence", NO_DATA)),
    }
    let mut versions =
        BTreeMap::from([("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
    if options.timed && !chats.is_empty() {
        versions.insert("machine".to_owned(), processor());
        let (found, target) = write::rows(&chats);
        rows.extend(found);
        targets.push(target);
    }
    Ok(Bench {
        bench: "conflict".to_owned(),
        seed: options.seed,
        versions,
        rows,
        targets,
    })
}

/// What the literals make of the values, or that there are none.
fn of_values(
    options: &ConflictOptions,
    rows: &mut Vec<BenchRow>,
    targets: &mut Vec<BenchTarget>,
) -> Result<(), BenchError> {
    let Some(path) = &options.values else {
        let why = "no file of values; see `bench/peers/agentdojo_values.py`";
        rows.push(skipped("literals", why));
        return Ok(());
    };
    let text = fs_err::read_to_string(path)?;
    let values = values::read(&text).map_err(BenchError::refused("read the values"))?;
    let (found, counts) = values::rows(&values, options.seed);
    rows.extend(found);
    let (changed, spelled) = (counts.found + counts.missed, counts.spared + counts.wrong);
    rows.push(count_row(
        "literal: all changes",
        "found",
        counts.found,
        changed,
    ));
    rows.push(count_row(
        "literal: all spellings",
        "no conflict",
        counts.spared,
        spelled,
    ));
    let name = "F1 of conflicts by literals under planted changes";
    targets.push(at_least(name, counts.f1(), 0.98));
    Ok(())
}

/// The verdicts on random pairs of turns, as the two statements that decided: to be read.
pub fn conflict_verdicts(options: &ConflictOptions) -> Result<Vec<Verdict>, BenchError> {
    let Some(data) = &options.data else {
        return Ok(Vec::new());
    };
    let chats = chats::read(&data.join("beam"))?;
    let verdicts = chats.iter().flat_map(|it| it.verdicts(options.seed));
    Ok(verdicts.collect())
}

fn of_chats(chats: &[Chat], seed: u64) -> (Vec<BenchRow>, Vec<BenchTarget>) {
    let mut rows = Vec::new();
    let mut all = Found::default();
    let (mut statements, mut claimed) = (0, 0);
    for chat in chats {
        let found = chat.found(seed);
        let row = |what: &str, part, of| count_row(what, &chat.name, part, of);
        rows.push(row("contradictions found", found.found, found.labelled));
        rows.push(row("verdicts on random pairs", found.wrong, found.pairs));
        all.labelled += found.labelled;
        all.found += found.found;
        all.bm25 += found.bm25;
        all.either += found.either;
        all.pairs += found.pairs;
        all.wrong += found.wrong;
        all.read += found.read;
        let (n, with) = chat.coverage();
        statements += n;
        claimed += with;
    }
    let row = |what: &str, part, of| count_row(what, "all chats", part, of);
    let strict = all.found + all.wrong;
    rows.push(row("contradictions found", all.found, all.labelled));
    rows.push(BenchRow {
        engine: "BM25".to_owned(),
        ..row(
            "the other side among the first five",
            all.bm25,
            all.labelled,
        )
    });
    rows.push(row(
        "found, or among the first five of BM25",
        all.either,
        all.labelled,
    ));
    rows.push(row("verdicts on random pairs", all.wrong, all.pairs));
    rows.push(row(
        "of those verdicts, contradictions on reading",
        all.read,
        all.wrong,
    ));
    rows.push(row(
        "precision if every verdict without a label is wrong",
        all.found,
        strict,
    ));
    rows.push(row("statements with a claim", claimed, statements));
    let precision = float(all.found + all.read) / float(strict.max(1));
    let name = "precision of verdicts beside 1,000 random pairs a chat, those without a label read by hand";
    let targets = vec![
        at_least(
            "labelled contradictions found in chats",
            float(all.found),
            6.0,
        ),
        at_least(name, precision, 0.9),
    ];
    (rows, targets)
}

fn count_row(what: &str, source: &str, part: usize, of: usize) -> BenchRow {
    BenchRow {
        engine: ENGINE.to_owned(),
        what: what.to_owned(),
        source: source.to_owned(),
        answer: Some(part as u64),
        percent: Some(percent(part, of)),
        note: Some(format!("{part} of {of}")),
        ..BenchRow::default()
    }
}

fn skipped(what: &str, why: &str) -> BenchRow {
    BenchRow {
        engine: ENGINE.to_owned(),
        what: what.to_owned(),
        note: Some(format!("skipped: {why}")),
        ..BenchRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published figures are those that this code gives, cell by cell, where the data is.
    #[test]
    fn the_results_are_those_that_are_kept() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../bench/results/conflict.json"
        );
        let kept: serde_json::Value =
            serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap();
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let Some(data) = crate::test_data() else {
            return;
        };
        let options = ConflictOptions {
            data: Some(data),
            values: variable("IMMUNE_AGENTDOJO_VALUES"),
            seed: 5,
            timed: false,
        };
        let found = conflict(&options).unwrap();
        let kept = kept["rows"].as_array().unwrap();
        for row in &found.rows {
            let skipped = row
                .note
                .as_ref()
                .is_some_and(|it| it.starts_with("skipped"));
            let row = serde_json::to_value(row).unwrap();
            assert!(skipped || kept.contains(&row), "{row} is not kept");
        }
    }
}
