//! How long what happens before a write takes without a model: finding claims, literals and
//! polarity, and comparing with what is there already.

use immune_api::bench::{BenchRow, BenchTarget};
use immune_ingest::claims::{Context, extract};
use immune_reason::literal::literals;
use immune_reason::polarity::polarity;
use immune_reason::{Said, Side, relate_read};

use super::ENGINE;
use super::chats::Chat;
use crate::machine::Lap;

/// Statements with which a new one is compared.
const CANDIDATES: usize = 64;
/// The most that a write may take, in milliseconds.
const MOST_MS: f64 = 1.0;

/// The median and the 99th percentile over every statement of the chats.
pub(super) fn rows(chats: &[Chat]) -> (Vec<BenchRow>, BenchTarget) {
    let texts: Vec<&str> = chats.iter().flat_map(Chat::statements).collect();
    let context = Context {
        sender: Some("user"),
    };
    let known: Vec<_> = texts
        .iter()
        .map(|it| (*it, literals(it), polarity(it), Said::read(it)))
        .collect();
    let mut laps = Vec::with_capacity(texts.len());
    // A statement's candidates are those before it; every text is read once more as a new one.
    for (at, text) in texts.iter().enumerate().skip(CANDIDATES) {
        let lap = Lap::start();
        let claims = extract(&context, text);
        let found = literals(text);
        let new = Side {
            polarity: polarity(text),
            literals: &found,
            text,
        };
        let said = Said::read(text);
        let mut conflicts = claims.len();
        for (text, literals, polarity, before) in known.iter().take(at).skip(at - CANDIDATES) {
            let side = Side {
                polarity: *polarity,
                literals,
                text,
            };
            let relation = relate_read((new, &said), (side, before));
            conflicts += usize::from(relation != immune_reason::Relation::Unrelated);
        }
        std::hint::black_box(conflicts);
        laps.push(lap.took().cpu_ms);
    }
    laps.sort_by(f64::total_cmp);
    let at = |percent: usize| laps.get(laps.len() * percent / 100).copied();
    let row = |source: &str, value: Option<f64>| BenchRow {
        engine: ENGINE.to_owned(),
        what: format!("a write: claims, literals, {CANDIDATES} comparisons"),
        source: source.to_owned(),
        answer: Some(laps.len() as u64),
        cpu_ms: value,
        ..BenchRow::default()
    };
    let slowest = at(99).unwrap_or(f64::NAN);
    let rows = vec![row("median", at(50)), row("99th percentile", at(99))];
    let target = BenchTarget {
        name: "99th percentile of a write without a model, CPU ms".to_owned(),
        value: slowest,
        target: format!("<= {MOST_MS}"),
        holds: slowest <= MOST_MS,
    };
    (rows, target)
}
