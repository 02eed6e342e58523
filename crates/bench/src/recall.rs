//! Recall: of the turns and the threads that answer a question, how many are among the first.
//!
//! `R@k` of one question is `|first k ∩ evidence| / |evidence|`, of turns by the turns that the
//! data names, of threads by the threads of those turns; of a category it is the mean over its
//! questions. Nothing is fitted on the questions; who was better stays in the table.

mod dialogs;
mod rank;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use immune_api::bench::{Bench, BenchRow, BenchTarget};
use immune_embed::StaticModel;
use immune_recall::Embedder;

use crate::BenchError;
use crate::machine::float;
use crate::targets::at_least;
use dialogs::{Dialog, Question};
use rank::{Indexed, Ranked, Vectors, Way};

/// The baseline that no category may fall below.
const BASELINE: &str = "BM25 with stems";
/// The way that has its targets without a download.
const BUNDLED: &str = "hybrid, static";
/// The way that has them with a model from a folder.
const FOLDER: &str = "hybrid, model";
/// Of all questions of a set.
const ALL: &str = "all";

/// A set of conversations with questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversations {
    /// LoCoMo: a file.
    Locomo,
    /// BEAM: a folder.
    Beam,
}

impl Conversations {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Locomo, Self::Beam];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Locomo => "locomo",
            Self::Beam => "beam",
        }
    }

    /// Where it lies in the folder of the test data.
    pub fn place(self) -> &'static str {
        match self {
            Self::Locomo => "locomo/conversations.json",
            Self::Beam => "beam",
        }
    }
}

/// What to measure.
#[derive(Debug, Clone, Default)]
pub struct RecallOptions {
    /// Each set with its file or folder.
    pub sets: Vec<(Conversations, PathBuf)>,
    /// An embedder beside the one in the binary.
    pub model: Option<Arc<dyn Embedder>>,
}

/// What is measured of one question, in this order.
const MEASURES: [&str; 3] = ["sessions R@5", "sessions R@10", "turns R@10"];

/// Measures every way on every set.
pub fn recall(options: &RecallOptions) -> Result<Bench, BenchError> {
    let bundled = StaticModel::bundled();
    let mut ways: Vec<(&str, Way, Option<&dyn Embedder>)> = vec![
        (BASELINE, Way::Words, None),
        ("words, neighbours count", Way::Beside, None),
        ("static alone", Way::Vectors, Some(&*bundled)),
        ("by ranks, static", Way::Ranks, Some(&*bundled)),
        (BUNDLED, Way::Hybrid, Some(&*bundled)),
    ];
    let mut versions =
        BTreeMap::from([("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
    versions.insert("static".to_owned(), bundled.model().to_string());
    if let Some(model) = &options.model {
        ways.push(("model alone", Way::Vectors, Some(&**model)));
        ways.push(("by ranks, model", Way::Ranks, Some(&**model)));
        ways.push((FOLDER, Way::Hybrid, Some(&**model)));
        versions.insert("model".to_owned(), model.model().to_string());
    }
    let mut rows = Vec::new();
    let mut targets = Vec::new();
    for (set, path) in &options.sets {
        let dialogs = match set {
            Conversations::Locomo => dialogs::locomo(path)?,
            Conversations::Beam => dialogs::beam(path)?,
        };
        let found = measured(&dialogs, &ways)?;
        for (engine, means) in &found {
            rows.extend(means.iter().flat_map(|it| of_category(*set, engine, it)));
        }
        if *set == Conversations::Locomo {
            targets.extend(targets_of(&found));
        }
    }
    Ok(Bench {
        bench: "recall".to_owned(),
        seed: 0,
        versions,
        rows,
        targets,
    })
}

/// The means of one way: by category, how many questions, and each of [`MEASURES`].
type Means = BTreeMap<String, (usize, [f64; MEASURES.len()])>;

fn measured(
    dialogs: &[Dialog],
    ways: &[(&'static str, Way, Option<&dyn Embedder>)],
) -> Result<Vec<(&'static str, Means)>, BenchError> {
    let mut sums: Vec<(&str, Means)> = ways.iter().map(|it| (it.0, Means::new())).collect();
    for dialog in dialogs {
        let indexed = Indexed::of(dialog);
        let mut known: Vec<(String, Vectors)> = Vec::new();
        for ((_, way, embedder), (_, sums)) in ways.iter().zip(&mut sums) {
            let vectors = match embedder {
                Some(embedder) => Some(vectors_of(dialog, *embedder, &mut known)?),
                None => None,
            };
            for (number, question) in dialog.questions.iter().enumerate() {
                let asked = (number, question.text.as_str());
                let ranked = indexed.ranked(*way, vectors, asked);
                let found = recalls(dialog, question, &ranked);
                for category in [ALL, &question.category] {
                    let (n, of) = sums.entry(category.to_owned()).or_default();
                    *n += 1;
                    for (sum, one) in of.iter_mut().zip(found) {
                        *sum += one;
                    }
                }
            }
        }
    }
    for (_, means) in &mut sums {
        for (n, sums) in means.values_mut() {
            for sum in sums {
                *sum /= float(*n);
            }
        }
    }
    Ok(sums)
}

/// The vectors of this embedder, made once for all ways of a conversation.
fn vectors_of<'k>(
    dialog: &Dialog,
    embedder: &dyn Embedder,
    known: &'k mut Vec<(String, Vectors)>,
) -> Result<&'k Vectors, BenchError> {
    let name = &embedder.model().name;
    if !known.iter().any(|it| it.0 == *name) {
        known.push((name.clone(), Vectors::of(dialog, embedder)?));
    }
    let found = known.iter().find(|it| it.0 == *name);
    Ok(&found.expect("it was made right before").1)
}

fn recalls(dialog: &Dialog, question: &Question, ranked: &Ranked) -> [f64; MEASURES.len()] {
    let threads = question
        .evidence
        .iter()
        .filter_map(|it| dialog.turns.get(*it as usize));
    let threads: BTreeSet<u32> = threads.map(|it| it.thread).collect();
    let turns: BTreeSet<u32> = question.evidence.iter().copied().collect();
    [
        among(&ranked.threads, &threads, 5),
        among(&ranked.threads, &threads, 10),
        among(&ranked.turns, &turns, 10),
    ]
}

/// The share of `right` among the first `n`.
fn among(ranked: &[u32], right: &BTreeSet<u32>, n: usize) -> f64 {
    let found = ranked.iter().take(n).filter(|it| right.contains(it));
    float(found.count()) / float(right.len().max(1))
}

fn of_category(
    set: Conversations,
    engine: &str,
    (category, (n, means)): (&String, &(usize, [f64; MEASURES.len()])),
) -> Vec<BenchRow> {
    let row = |(what, mean): (&&str, &f64)| BenchRow {
        engine: engine.to_owned(),
        what: format!("{}: {what}", set.name()),
        source: category.clone(),
        answer: Some(*n as u64),
        percent: Some(rounded(100.0 * mean)),
        ..BenchRow::default()
    };
    MEASURES.iter().zip(means).map(row).collect()
}

/// To a hundredth: what lies below says nothing of some hundred questions.
fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}

fn targets_of(found: &[(&'static str, Means)]) -> Vec<BenchTarget> {
    let of = |engine: &str| found.iter().find(|it| it.0 == engine).map(|it| &it.1);
    let mean = |means: &Means, at: usize| {
        let all = means.get(ALL).and_then(|it| it.1.get(at).copied());
        all.unwrap_or_default()
    };
    let mut targets = Vec::new();
    for (engine, sessions, turns) in [(BUNDLED, 0.955, 0.64), (FOLDER, 0.96, 0.68)] {
        let Some(means) = of(engine) else {
            continue;
        };
        targets.push(at_least(
            format!("{engine}: sessions R@10"),
            mean(means, 1),
            sessions,
        ));
        targets.push(at_least(
            format!("{engine}: turns R@10"),
            mean(means, 2),
            turns,
        ));
        let baseline = of(BASELINE).into_iter().flatten();
        let below = baseline.flat_map(|(category, (_, right))| {
            let (_, found) = means.get(category).copied().unwrap_or_default();
            // R@10 of sessions and of turns.
            [1, 2].map(|it| found.get(it) < right.get(it))
        });
        let name = format!("{engine}: categories below {BASELINE} at R@10");
        let below = below.filter(|it| *it).count();
        targets.push(BenchTarget {
            name,
            value: float(below),
            target: "<= 0".to_owned(),
            holds: below == 0,
        });
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_the_share_of_the_evidence_among_the_first() {
        let right = BTreeSet::from([3, 4]);
        assert!((among(&[1, 3, 2, 4], &right, 3) - 0.5).abs() < f64::EPSILON);
        assert!((among(&[4, 3], &right, 10) - 1.0).abs() < f64::EPSILON);
        assert!(among(&[], &right, 10).abs() < f64::EPSILON);
    }

    /// The model in the folder that `IMMUNE_TEST_MODEL` names, with the feature `candle`.
    fn test_model() -> Option<Arc<dyn Embedder>> {
        let folder = std::env::var_os("IMMUNE_TEST_MODEL").map(PathBuf::from);
        let opened = folder.as_deref().and_then(opened);
        if opened.is_none() {
            println!(
                "skipped: the rows of a model; build with `--features candle` and set \
                 `IMMUNE_TEST_MODEL` to its folder"
            );
        }
        opened
    }

    #[cfg(feature = "candle")]
    fn opened(folder: &std::path::Path) -> Option<Arc<dyn Embedder>> {
        let model = immune_embed::Transformer::open(folder, immune_embed::Precision::Single);
        Some(Arc::new(model.unwrap()))
    }

    #[cfg(not(feature = "candle"))]
    fn opened(_: &std::path::Path) -> Option<Arc<dyn Embedder>> {
        None
    }

    /// The published figures are those that this code gives, cell by cell, where the data is, and
    /// those of a model where that is. `STYLE.md`, "Tests", has the rule for what is slow: the
    /// chats of BEAM.
    #[test]
    fn the_results_are_those_that_are_kept() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let kept = fs_err::read_to_string(root.join("../../bench/results/recall.json")).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        let Some(data) = crate::test_data() else {
            return;
        };
        let mut sets = Conversations::ALL.to_vec();
        if std::env::var_os("IMMUNE_SLOW").is_none() {
            sets.truncate(1);
        }
        let sets = sets.into_iter().map(|it| (it, data.join(it.place())));
        let options = RecallOptions {
            sets: sets.collect(),
            model: test_model(),
        };
        let found = recall(&options).unwrap();
        let rows = kept["rows"].as_array().unwrap();
        for row in &found.rows {
            let row = serde_json::to_value(row).unwrap();
            assert!(rows.contains(&row), "{row} is not kept");
        }
        assert!(
            found.targets.iter().all(|it| it.holds),
            "{:?}",
            found.targets
        );
        // What is published of a model holds too, whoever has it.
        let targets = kept["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 6, "three of each of two ways");
        assert!(targets.iter().all(|it| it["holds"] == true), "{targets:?}");
    }
}
