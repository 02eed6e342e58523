//! The ranking of one search: by words, by meaning where the memory has vectors, and by age where
//! the question asks for that.
//!
//! Invariant: the order of the hits does not depend on how many of them are asked for, so that
//! pages of one answer fit together.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use immune_reason::State;
use immune_recall::{Admitted, Hit, Limits, combine};

use super::answer::Score;
use super::recency::Recency;
use crate::document::{Documents, text_of};
use crate::meaning::{Asked, Meaning, Near, Off, Span};

/// Hits by words that are ranked together with those by meaning; the others follow.
const COMBINED_WORDS: usize = 256;

/// What of one kind fits a question.
pub(super) struct Ranking {
    pub(super) hits: Vec<Ranked>,
    /// Refused documents that fit.
    pub(super) excluded: Vec<u32>,
}

/// A hit with its place.
pub(super) struct Ranked {
    pub(super) document: u32,
    pub(super) score: Score,
}

/// What is asked of one search.
pub(super) struct Asking<'a> {
    /// The question.
    pub(super) words: &'a str,
    /// The same with its vector, where the memory has vectors.
    pub(super) meaning: Option<&'a Asked>,
    /// How fresh things are, where that counts.
    pub(super) recency: Option<Recency<'a>>,
}

impl Ranking {
    /// The first `n` of the documents that are admitted.
    pub(super) fn of(
        documents: &Documents,
        state: &State,
        asking: &Asking<'_>,
        admitted: &Admitted,
        n: usize,
    ) -> Self {
        let limits = Limits {
            hits_max: n.max(COMBINED_WORDS),
            ..Limits::default()
        };
        let hits =
            documents
                .index
                .search_beside(asking.words, admitted, &documents.threads, limits);
        let (mut by_words, mut excluded) = (hits.hits, hits.excluded);
        let mut near = Vec::new();
        if let (Some(asked), Some(vectors)) = (asking.meaning, documents.vectors.as_ref()) {
            let read = |span: &Span| vector_of(documents, state, asked, span);
            near = vectors.near(asked, &|it| admitted.is_eligible(it), &read);
            let room = limits.excluded_max.saturating_sub(excluded.len());
            let refused = vectors.near(asked, &|it| admitted.is_refused(it), &read);
            let refused = refused
                .into_iter()
                .filter(|it| it.is_near)
                .map(|it| it.document);
            let refused = refused.filter(|it| !excluded.contains(it)).take(room);
            excluded.extend(refused.collect::<Vec<_>>());
            excluded.sort_unstable();
        }
        if near.is_empty() && asking.recency.is_none() {
            let hits = worded(by_words, n);
            return Self { hits, excluded };
        }
        let rest = by_words.split_off(by_words.len().min(COMBINED_WORDS));
        let mut hits = combined(by_words, &near);
        if let Some(recency) = &asking.recency {
            hits = freshened(hits, documents, recency);
        }
        let rest = rest.into_iter().map(|it| Ranked {
            document: it.document,
            score: score_of(Some(it), None, Some(0)),
        });
        hits.extend(rest);
        hits.truncate(n);
        Self { hits, excluded }
    }
}

/// The hits with how fresh they are added to their scores; of equal ones the newer first.
fn freshened(hits: Vec<Ranked>, documents: &Documents, recency: &Recency<'_>) -> Vec<Ranked> {
    let fresh = hits.into_iter().map(|mut hit| {
        let item = documents.item(hit.document);
        let said_at = item.and_then(|it| recency.said_at(it));
        let left = said_at.map_or(0, |it| recency.millionths(it));
        hit.score.recency_millionths = Some(left);
        hit.score.millionths += left;
        (said_at, hit)
    });
    let mut fresh: Vec<_> = fresh.collect();
    fresh.sort_by_key(|(said_at, hit)| Reverse((hit.score.millionths, *said_at)));
    fresh.into_iter().map(|(_, hit)| hit).collect()
}

/// The hits by words alone.
fn worded(hits: Vec<Hit>, n: usize) -> Vec<Ranked> {
    let hits = hits.into_iter().take(n).map(|it| Ranked {
        document: it.document,
        score: score_of(Some(it), None, None),
    });
    hits.collect()
}

/// The best hits by words together with the nearest by meaning. What is among the nearest counts
/// where it has a word of the question too, or is near enough without.
fn combined(by_words: Vec<Hit>, nearest: &[Near]) -> Vec<Ranked> {
    let words: Vec<(u32, u64)> = by_words
        .iter()
        .map(|it| (it.document, it.score_millionths))
        .collect();
    let best: BTreeSet<u32> = words.iter().map(|it| it.0).collect();
    let counts = |it: &&Near| it.is_near || best.contains(&it.document);
    let near = nearest.iter().filter(counts);
    let near: Vec<(u32, f32)> = near.map(|it| (it.document, it.cosine)).collect();
    let hits = by_words.into_iter();
    let mut hits: BTreeMap<u32, Hit> = hits.map(|it| (it.document, it)).collect();
    let mut ranked: Vec<Ranked> = Vec::new();
    for combined in combine(&words, &near, usize::MAX) {
        let document = combined.document;
        let is_near = near.iter().any(|it| it.0 == document);
        let meaning = is_near.then_some(combined.near_millionths);
        let score = score_of(
            hits.remove(&document),
            meaning,
            Some(combined.score_millionths()),
        );
        ranked.push(Ranked { document, score });
    }
    ranked
}

fn score_of(hit: Option<Hit>, meaning: Option<u64>, combined: Option<u64>) -> Score {
    let (words, matched) = hit.map_or((0, Vec::new()), |it| (it.score_millionths, it.matched));
    Score {
        millionths: combined.unwrap_or(words),
        words_millionths: words,
        meaning_millionths: meaning,
        recency_millionths: None,
        matched,
    }
}

/// The vector of a span, made again.
fn vector_of(documents: &Documents, state: &State, asked: &Asked, span: &Span) -> Option<Vec<f32>> {
    let text = text_of(state, documents.item(span.document)?)?;
    let part = text.get(span.bytes.start as usize..span.bytes.end as usize)?;
    asked.in_use.embedder.embed(&[part]).ok()?.pop()
}

/// What an answer says about meaning.
pub(super) fn meaning_of(documents: &Documents, asked: &Result<Asked, Off>) -> Meaning {
    match asked {
        Err(off) => Meaning::Off(off.clone()),
        Ok(asked) => {
            let vectors = documents.vectors.as_ref();
            let ready = vectors.map_or(0, |it| it.n_documents);
            let failed = vectors.map_or(0, |it| it.failed.len());
            Meaning::On {
                model: asked.in_use.embedder.model().clone(),
                threshold: asked.in_use.threshold,
                waiting: documents.len().saturating_sub(ready),
                failed: u32::try_from(failed).unwrap_or(u32::MAX),
            }
        }
    }
}
