//! Answers and paragraphs of evidence that contradict each other, as models wrote them.
//!
//! Reported, whatever it is: most of these contradict in meaning and in no literal, which is not
//! what literals, polarity and words decide.

use immune_api::bench::BenchRow;
use immune_reason::literal::literals;
use immune_reason::polarity::polarity;
use immune_reason::{Relation, Side, relate_apart};
use serde_json::Value;

use super::{ENGINE, percent};
use crate::BenchError;

/// The pairs: an answer and its counter answer, a paragraph and its counter paragraph.
const FIELDS: [(&str, &str, &str); 2] = [
    ("answers", "memory_answer", "counter_answer"),
    ("paragraphs", "parametric_memory", "counter_memory"),
];

/// How many contradictions are seen, and how many pairs of one question and the next are taken
/// for one.
pub(super) fn rows(text: &str) -> Result<Vec<BenchRow>, BenchError> {
    let pairs: Vec<Value> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(BenchError::refused("read the evidence"))?;
    let mut rows = Vec::new();
    for (name, ours, theirs) in FIELDS {
        let field =
            |it: &Value, field: &str| it.get(field).and_then(Value::as_str).map(str::to_owned);
        let left: Vec<String> = pairs.iter().filter_map(|it| field(it, ours)).collect();
        let right: Vec<String> = pairs.iter().filter_map(|it| field(it, theirs)).collect();
        let found = left.iter().zip(&right).filter(|(a, b)| conflict(a, b));
        let row = |source: &str, found: usize, of: usize| BenchRow {
            engine: ENGINE.to_owned(),
            what: format!("contradicting {name}"),
            source: source.to_owned(),
            answer: Some(of as u64),
            percent: Some(percent(found, of)),
            ..BenchRow::default()
        };
        rows.push(row("found", found.count(), left.len().min(right.len())));
        let others = left.iter().zip(right.iter().skip(1));
        let wrong = others.clone().filter(|(a, b)| conflict(a, b)).count();
        rows.push(row("another question's", wrong, others.count()));
    }
    Ok(rows)
}

fn conflict(left: &str, right: &str) -> bool {
    let (ours, theirs) = (literals(left), literals(right));
    let side = |text, literals| Side {
        polarity: polarity(text),
        literals,
        text,
    };
    matches!(
        relate_apart(side(left, &ours), side(right, &theirs)),
        Relation::Conflict(_)
    )
}
