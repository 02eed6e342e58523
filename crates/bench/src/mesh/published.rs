//! The eight benign cases of ImmuneMesh 0.2.0: how near its outputs are to their inputs, as it
//! measures that, and what this mesh says of them.
//!
//! Its texts are read from a file that `bench/peers/immunemesh_cases.py` printed; none is kept.

use std::path::Path;
use std::sync::Arc;

use immune_api::bench::{BenchRow, BenchTarget};
use immune_mesh::{Agent, Exchange, Judgement, Mesh, Message, Origin, Purpose};
use immune_recall::Embedder;

use super::honest::{at, name};
use super::row;
use crate::BenchError;
use crate::machine::float;
use crate::targets::at_most;

/// The cosine from which ImmuneMesh takes an output for a copy.
const FLAGGED: f32 = 0.75;

/// A benign case.
#[derive(Debug, serde::Deserialize)]
struct Case {
    category: String,
    input: String,
    output: String,
}

/// What came of them.
#[derive(Debug, Default)]
pub(super) struct Published {
    pub(super) rows: Vec<BenchRow>,
    pub(super) targets: Vec<BenchTarget>,
}

/// Reads the cases and judges them; by the models too that are there.
pub(super) fn run(
    file: &Path,
    model: Option<&Arc<dyn Embedder>>,
    warm: &Mesh,
) -> Result<Published, BenchError> {
    let absent = |why: String| BenchError::Absent {
        what: format!("the cases in `{}`: {why}", file.display()),
    };
    let text = fs_err::read_to_string(file).map_err(|it| absent(it.to_string()))?;
    let cases = text.lines().map(serde_json::from_str);
    let cases: Result<Vec<Case>, _> = cases.collect();
    let cases = cases.map_err(|it| absent(it.to_string()))?;
    let bundled: Arc<dyn Embedder> = immune_embed::StaticModel::bundled();
    let mut found = Published::default();
    for (engine, model) in [("bundled model", Some(&bundled)), ("MiniLM", model)] {
        let Some(model) = model else {
            continue;
        };
        cosines(&cases, engine, model.as_ref(), &mut found.rows)?;
    }
    let stopped = cases.iter().map(|case| judged(case, warm, &mut found.rows));
    let stopped = stopped.filter(|it| *it).count();
    found.targets.push(at_most(
        "benign cases of ImmuneMesh that are told of or stopped, of 8",
        float(stopped),
        0.0,
    ));
    Ok(found)
}

/// A row for each case with the cosine of what was shown and what was said.
fn cosines(
    cases: &[Case],
    engine: &str,
    model: &dyn Embedder,
    rows: &mut Vec<BenchRow>,
) -> Result<(), BenchError> {
    let mut flagged = 0;
    for case in cases {
        let vectors = model.embed(&[&case.input, &case.output]);
        let vectors = vectors.map_err(|it| BenchError::Refused {
            operation: "embed",
            reason: it.to_string(),
        })?;
        let [shown, said] = vectors.as_slice() else {
            continue;
        };
        let cosine: f32 = shown.iter().zip(said).map(|(a, b)| a * b).sum();
        flagged += usize::from(cosine >= FLAGGED);
        rows.push(BenchRow {
            engine: engine.to_owned(),
            percent: Some((1000.0 * f64::from(cosine)).round() / 10.0),
            note: Some(format!("{cosine:.3}")),
            ..row("cosine of input and output", case.category.clone())
        });
    }
    rows.push(BenchRow {
        engine: engine.to_owned(),
        answer: Some(flagged as u64),
        note: Some(format!("{flagged} of {}", cases.len())),
        ..row("benign, taken for a copy at 0.75", String::new())
    });
    Ok(())
}

/// What the mesh says of a case whose input came along; whether it says anything.
fn judged(case: &Case, warm: &Mesh, rows: &mut Vec<BenchRow>) -> bool {
    let who = name(0);
    let message = Message {
        origin: Origin::Outside,
        purpose: Purpose::Found,
        label: "user",
        text: &case.input,
    };
    let outcome = warm.clone().observe(&Exchange {
        at: at(0),
        agent: Agent {
            name: &who,
            identity: &who,
        },
        canaries: &[],
        input: &[message],
        output: &[&case.output],
        tool_calls: &[],
    });
    let judgement = outcome.map_or(Judgement::Confirmed, |it| it.verdict.judgement);
    rows.push(BenchRow {
        note: Some(judgement.name().to_owned()),
        ..row("benign case of ImmuneMesh", case.category.clone())
    });
    judgement != Judgement::Clean
}
