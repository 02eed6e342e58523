//! Literals: whether a planted change of a value is a conflict, and another spelling is none.

use immune_api::bench::BenchRow;
use immune_model::Subject;
use immune_reason::literal::{find, literals};
use immune_reason::polarity::polarity;
use immune_reason::{Relation, Side, relate};
use immune_testkit::random::Random;
use serde::Deserialize;

use super::changes::{changes, variants};
use super::{Counts, ENGINE};
use crate::machine::float;

/// A value of the data.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Value {
    kind: String,
    text: String,
}

/// The values in a file of lines of JSON.
pub(super) fn read(text: &str) -> Result<Vec<Value>, serde_json::Error> {
    text.lines().map(serde_json::from_str).collect()
}

/// Sentences around a value; the two sides of a pair have different ones.
fn sentences(kind: &str) -> [&'static str; 2] {
    match kind {
        "iban" => ["Please pay to the account {}.", "Our bank account is {}"],
        "email" | "host" => ["You reach us at {}.", "Please write to {} for this"],
        "time" | "date" => ["The meeting is on {}.", "We meet on {} as agreed"],
        "phone" => ["The office is called at {}.", "Please call {} for this"],
        _ => ["The limit is {}.", "They agreed on {} in the end"],
    }
}

/// Rows for each kind of value and each kind of change, and the counts of all.
pub(super) fn rows(values: &[Value], seed: u64) -> (Vec<BenchRow>, Counts) {
    let mut random = Random::new(seed);
    let mut all = Counts::default();
    let mut by: Vec<(String, String, Counts)> = Vec::new();
    for value in values {
        let [left, right] = sentences(&value.kind);
        let given = left.replace("{}", &value.text);
        let kind = value.kind.as_str();
        let same = variants(kind, &value.text)
            .into_iter()
            .map(|it| (false, it));
        let other = changes(kind, &value.text, &mut random);
        let other = other.into_iter().map(|it| (true, it));
        for (changed, written) in same.chain(other) {
            let text = right.replace("{}", &written.text);
            let found = conflict(&given, &text);
            all.add(changed, found);
            let key = |it: &&mut (String, String, Counts)| it.0 == kind && it.1 == written.how;
            if let Some(it) = by.iter_mut().find(key) {
                it.2.add(changed, found);
            } else {
                let mut counts = Counts::default();
                counts.add(changed, found);
                by.push((kind.to_owned(), written.how.to_owned(), counts));
            }
        }
    }
    let mut rows = vec![unread(values)];
    rows.extend(by.into_iter().map(|(kind, how, counts)| {
        let right = counts.found + counts.spared;
        let of = right + counts.missed + counts.wrong;
        BenchRow {
            engine: ENGINE.to_owned(),
            what: format!("literal: {kind}"),
            source: how,
            answer: Some(of as u64),
            percent: Some(float(right) * 100.0 / float(of)),
            ..BenchRow::default()
        }
    }));
    (rows, all)
}

/// How many values are no literal as they stand in the data.
fn unread(values: &[Value]) -> BenchRow {
    let read = values.iter().filter(|it| {
        let [left, _] = sentences(&it.kind);
        !find(&left.replace("{}", &it.text)).is_empty()
    });
    BenchRow {
        engine: ENGINE.to_owned(),
        what: "literal: read as it stands".to_owned(),
        source: "all values".to_owned(),
        answer: Some(values.len() as u64),
        percent: Some(float(read.count()) * 100.0 / float(values.len().max(1))),
        ..BenchRow::default()
    }
}

fn conflict(left: &str, right: &str) -> bool {
    let (ours, theirs) = (literals(left), literals(right));
    let side = |text, literals| Side {
        polarity: polarity(text),
        literals,
        text,
    };
    let subject = Subject::new("value").expect("a name of letters");
    let relation = relate(&subject, side(left, &ours), side(right, &theirs));
    matches!(relation, Relation::Conflict(_))
}
