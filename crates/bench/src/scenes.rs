//! `bench scenes`: who made an answer wrong, on real texts.
//!
//! Questions of PoisonedRAG and RealtimeQA, each with one to five of its published false texts among
//! honest ones, answered by the extractive reader. A scene counts if the reader is right without the
//! false texts and says the published wrong answer with them; the others are counted by the reason.
//! Nothing is fitted: the reader learns nothing, every candidate is as suspicious as any other, and
//! the search sees numbers and verdicts.
//!
//! Who is to blame: each set of the false texts, 31 at most, is shown alone. A cause is one with
//! which the answer is wrong and of which none can be spared, and every false text that is in a
//! cause is a culprit; an honest text never is.

mod build;
mod score;

use std::collections::BTreeMap;

use immune_api::bench::{BenchRow, BenchTarget};

use crate::machine::float;
use crate::poisoned::data;
use crate::quick::{Ask, Found};
use crate::targets::{at_least, at_most};
use build::{POISON_MAX, scenes};
use score::{ENGINES, Excluded, Scored, score};

/// Scenes that have to be left, of all sets together.
const SCENES_MIN: f64 = 150.0;
/// Scenes whose culprits are named exactly, in percent, at least.
const EXACT_PERCENT: f64 = 97.0;
/// Honest texts that are blamed, in percent of those shown, at most.
const BLAMED_PERCENT: f64 = 1.0;

pub(crate) fn run(ask: &Ask) -> Found {
    let sets = match ask.read(data::sets) {
        Ok(sets) => sets,
        Err(absent) => return absent,
    };
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (name, questions) in &sets {
        let mut excluded: BTreeMap<Excluded, usize> = BTreeMap::new();
        let mut counted = Vec::new();
        for scene in scenes(name, questions, &sets, ask.seed) {
            match score(&scene) {
                Ok(scored) => counted.push(scored),
                Err(why) => *excluded.entry(why).or_default() += 1,
            }
        }
        rows.extend(rows_of(name, &counted, &excluded));
        all.extend(counted);
    }
    Found {
        targets: targets(&all),
        rows,
        absent: None,
    }
}

/// How one engine did on some scenes.
#[derive(Debug, Default)]
struct Sum {
    scenes: usize,
    /// Scenes whose culprits are exactly those who are blamed.
    exact: usize,
    /// Scenes in which each culprit is blamed.
    whole: usize,
    /// Honest texts that are blamed, and those that are shown.
    innocent: usize,
    honest: usize,
    calls: usize,
    /// The bounds in calls.
    bound: f64,
    /// Scenes in which the answer without those who are blamed is not wrong, and right.
    flipped: usize,
    right: usize,
}

impl Sum {
    fn of<'s>(scored: impl Iterator<Item = &'s Scored>, engine: usize) -> Self {
        let mut sum = Self::default();
        for scene in scored {
            let Some(found) = scene.found.get(engine) else {
                continue;
            };
            sum.scenes += 1;
            sum.exact += usize::from(found.blamed == scene.culprits);
            sum.whole += usize::from(scene.culprits.is_within(&found.blamed));
            sum.innocent += found.innocent;
            sum.honest += scene.honest;
            sum.calls += found.calls;
            sum.bound += scene.bound;
            sum.flipped += usize::from(found.is_flipped);
            sum.right += usize::from(found.is_right);
        }
        sum
    }

    fn percent(&self, part: usize) -> f64 {
        percent(part, self.scenes)
    }
}

fn rows_of(set: &str, scored: &[Scored], excluded: &BTreeMap<Excluded, usize>) -> Vec<BenchRow> {
    let n_scenes = scored.len() + excluded.values().sum::<usize>();
    let count = |what: &str, n: usize| BenchRow {
        engine: "reader".to_owned(),
        what: what.to_owned(),
        source: set.to_owned(),
        answer: Some(n as u64),
        percent: Some(percent(n, n_scenes)),
        ..BenchRow::default()
    };
    let mut rows = vec![count("scenes that count", scored.len())];
    rows.extend(Excluded::ALL.map(|why| {
        let n = excluded.get(&why).copied().unwrap_or_default();
        count(why.name(), n)
    }));
    for (number, engine) in ENGINES.into_iter().enumerate() {
        let sum = Sum::of(scored.iter(), number);
        let row = |what: &str, answer: usize, percent: f64| BenchRow {
            engine: engine.to_owned(),
            what: what.to_owned(),
            source: set.to_owned(),
            answer: Some(answer as u64),
            percent: Some(rounded(percent)),
            ..BenchRow::default()
        };
        let mean = |all: f64| all / float(sum.scenes.max(1));
        let share = |what: &str, n: usize| row(what, n, sum.percent(n));
        rows.extend([
            share("culprits exactly", sum.exact),
            share("every culprit", sum.whole),
            row(
                "honest texts blamed",
                sum.innocent,
                percent(sum.innocent, sum.honest),
            ),
            share("not wrong without them", sum.flipped),
            share("right without them", sum.right),
            BenchRow {
                calls: Some(rounded(mean(float(sum.calls)))),
                calls_bound: Some(rounded(mean(sum.bound))),
                ..row(
                    "calls, of the bound",
                    sum.calls,
                    100.0 * float(sum.calls) / sum.bound.max(1.0),
                )
            },
        ]);
        for n_poison in 1..=POISON_MAX {
            let sum = Sum::of(scored.iter().filter(|it| it.n_poison == n_poison), number);
            if sum.scenes == 0 {
                continue;
            }
            rows.push(BenchRow {
                source: format!("{set}, {n_poison} false"),
                ..row("culprits exactly", sum.exact, sum.percent(sum.exact))
            });
        }
    }
    rows
}

fn targets(scored: &[Scored]) -> Vec<BenchTarget> {
    let sum = Sum::of(scored.iter(), 0);
    let named = |what: &str| format!("{}: {what}", ENGINES[0]);
    vec![
        at_least("scenes that count", float(sum.scenes), SCENES_MIN),
        at_least(
            named("culprits exactly, percent of the scenes"),
            rounded(sum.percent(sum.exact)),
            EXACT_PERCENT,
        ),
        at_most(
            named("honest texts blamed, percent"),
            rounded(percent(sum.innocent, sum.honest)),
            BLAMED_PERCENT,
        ),
        at_least(
            named("not wrong without them, percent of the scenes"),
            rounded(sum.percent(sum.flipped)),
            100.0,
        ),
    ]
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * float(part) / float(whole.max(1))
}

/// To a hundredth: what lies below says nothing of some hundred scenes.
fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
