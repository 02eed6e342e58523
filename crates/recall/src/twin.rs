//! The naive twin of the search: BM25 as the textbook has it, over the eligible documents only.
//!
//! Test only. It shares the tokeniser and the stop list with the index and nothing else: every
//! number is counted afresh from the texts, document by document.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::token::{self, Side};
use crate::{Admission, Index, Limits, fold};

/// Words with stop words, forms, scripts and codes among them, so that random texts collide.
const WORDS: [&str; 16] = [
    "iban",
    "brandt",
    "invoice",
    "invoices",
    "the",
    "of",
    "refund",
    "limit",
    "5,000",
    "5000",
    "変更",
    "変更後",
    "billing@brandt.de",
    "🎉",
    "not",
    "gb29nwbk60161331926819",
];

fn terms(text: &str, side: Side) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    token::each(text, side, &mut |token| {
        found.push((token.term.to_owned(), fold::is_stop(token.term)));
    });
    found
}

/// What the twin finds: documents and scores, and refused documents with the words they share.
#[derive(Default)]
struct Found {
    scored: Vec<(u32, u64)>,
    refused: Vec<(u32, usize)>,
}

fn ratio_part(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

#[expect(clippy::cast_sign_loss, reason = "weights are above 0")]
fn millionths(weight: f64) -> u64 {
    (weight * 1e6).round() as u64
}

fn naive(texts: &[String], verdicts: &[Admission], query: &str) -> Found {
    let query: BTreeSet<(String, bool)> = terms(query, Side::Query).into_iter().collect();
    let only_stops = query.iter().all(|(_, stop)| *stop);
    let documents: Vec<Vec<String>> = texts
        .iter()
        .map(|text| {
            terms(text, Side::Document)
                .into_iter()
                .map(|(term, _)| term)
                .collect()
        })
        .collect();
    let eligible: Vec<&Vec<String>> = (0..texts.len())
        .filter(|d| verdicts[*d] == Admission::Eligible)
        .map(|d| &documents[d])
        .collect();
    let n = ratio_part(eligible.len());
    let average = ratio_part(eligible.iter().map(|d| d.len()).sum()) / n.max(1.0);
    let mut found = Found::default();
    for (document, held) in documents.iter().enumerate() {
        let telling = |stop: bool| only_stops || !stop;
        let n_telling = query
            .iter()
            .filter(|(term, stop)| telling(*stop) && held.contains(term))
            .count();
        if n_telling == 0 {
            continue;
        }
        match verdicts[document] {
            Admission::Hidden => {}
            Admission::Refused => found.refused.push((document as u32, n_telling)),
            Admission::Eligible => {
                let score = query.iter().map(|(term, stop)| {
                    let f = ratio_part(held.iter().filter(|h| *h == term).count());
                    let df = ratio_part(eligible.iter().filter(|d| d.contains(term)).count());
                    let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                    let idf = if telling(*stop) { idf } else { 0.1 * idf };
                    let norm = 1.2 * (1.0 - 0.75 + 0.75 * ratio_part(held.len()) / average);
                    millionths(idf * f * 2.2 / (f + norm))
                });
                found.scored.push((document as u32, score.sum()));
            }
        }
    }
    found
        .scored
        .sort_by_key(|(document, score)| (std::cmp::Reverse(*score), *document));
    found
        .refused
        .sort_by_key(|(document, shared)| (std::cmp::Reverse(*shared), *document));
    found
}

/// How many random indexes are tried; `STYLE.md`, "Tests", has the rule.
fn cases() -> u32 {
    if std::env::var_os("IMMUNE_SLOW").is_some() {
        100_000
    } else {
        2_000
    }
}

fn texts(n_max: usize) -> impl Strategy<Value = Vec<String>> {
    let text = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8);
    prop::collection::vec(text.prop_map(|words| words.join(" ")), 0..n_max)
}

fn verdict() -> impl Strategy<Value = Admission> {
    prop_oneof![
        Just(Admission::Eligible),
        Just(Admission::Refused),
        Just(Admission::Hidden)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_index_equals_its_naive_twin(
        texts in texts(24),
        verdicts in prop::collection::vec(verdict(), 24),
        query in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..6),
        hits_max in 0_usize..12,
        excluded_max in 0_usize..6,
    ) {
        let mut index = Index::new();
        for (document, text) in (0..).zip(&texts) {
            index.add(document, text);
        }
        let query = query.join(" ");
        let Found { mut scored, mut refused } = naive(&texts, &verdicts, &query);
        scored.truncate(hits_max);
        refused.truncate(excluded_max);
        let mut excluded: Vec<u32> = refused.into_iter().map(|(document, _)| document).collect();
        excluded.sort_unstable();

        let admitted = index.admit(&|document| verdicts[document as usize]);
        let found = index.search_admitted(&query, &admitted, Limits { hits_max, excluded_max });
        let hits: Vec<(u32, u64)> =
            found.hits.iter().map(|hit| (hit.document, hit.score_millionths)).collect();
        prop_assert_eq!(hits, scored);
        prop_assert_eq!(found.excluded, excluded);
    }
}
