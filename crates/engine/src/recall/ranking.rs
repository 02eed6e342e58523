//! The ranking of one search: by words, and by meaning where the memory has vectors.
//!
//! Invariant: the order of the hits does not depend on how many of them are asked for, so that
//! pages of one answer fit together.

use std::collections::BTreeMap;

use immune_reason::State;
use immune_recall::{Admitted, Fused, Hit, Limits, fuse};

use super::answer::Score;
use crate::document::{Documents, text_of};
use crate::meaning::{Asked, Meaning, Near, Off, Span};

/// Hits by words that are ranked together with those by meaning; the others follow.
const FUSED_WORDS: usize = 256;

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

impl Ranking {
    /// The first `n` of the documents that are admitted.
    pub(super) fn of(
        documents: &Documents,
        state: &State,
        words: &str,
        asked: Option<&Asked>,
        admitted: &Admitted,
        n: usize,
    ) -> Self {
        let limits = Limits {
            hits_max: n.max(FUSED_WORDS),
            ..Limits::default()
        };
        let hits = documents.index.search_admitted(words, admitted, limits);
        let (mut by_words, mut excluded) = (hits.hits, hits.excluded);
        let vectors = documents.vectors.as_ref();
        let (Some(asked), Some(vectors)) = (asked, vectors) else {
            let hits = by_words.into_iter().map(|it| Ranked {
                document: it.document,
                score: score_of(Some(it), None, None),
            });
            let hits = hits.take(n).collect();
            return Self { hits, excluded };
        };
        let read = |span: &Span| vector_of(documents, state, asked, span);
        let near = vectors.near(asked, &|it| admitted.is_eligible(it), &read);
        let room = limits.excluded_max.saturating_sub(excluded.len());
        let refused = vectors.near(asked, &|it| admitted.is_refused(it), &read);
        let refused = refused.into_iter().map(|it| it.document);
        let refused = refused.filter(|it| !excluded.contains(it)).take(room);
        excluded.extend(refused.collect::<Vec<_>>());
        excluded.sort_unstable();
        let rest = by_words.split_off(by_words.len().min(FUSED_WORDS));
        let mut hits = fused(by_words, rest, &near);
        hits.truncate(n);
        Self { hits, excluded }
    }
}

/// The best hits by words with those by meaning, then the others by words.
fn fused(by_words: Vec<Hit>, rest: Vec<Hit>, near: &[Near]) -> Vec<Ranked> {
    let ranked = |hits: &[Hit]| hits.iter().map(|it| it.document).collect::<Vec<u32>>();
    let words = ranked(&by_words);
    let meaning: Vec<u32> = near.iter().map(|it| it.document).collect();
    let mut hits: BTreeMap<u32, Hit> = by_words.into_iter().map(|it| (it.document, it)).collect();
    let mut later: BTreeMap<u32, Hit> = BTreeMap::new();
    let mut order = Vec::new();
    for hit in rest {
        order.push(hit.document);
        later.insert(hit.document, hit);
    }
    let cosine: BTreeMap<u32, u64> = near
        .iter()
        .map(|it| (it.document, it.cosine_millionths))
        .collect();
    let first = fuse(&[&words, &meaning], usize::MAX).into_iter().map(|it| {
        let hit = hits
            .remove(&it.document)
            .or_else(|| later.remove(&it.document));
        let cosine = cosine.get(&it.document).copied();
        Ranked {
            document: it.document,
            score: score_of(hit, cosine, Some(&it)),
        }
    });
    let mut ranked: Vec<Ranked> = first.collect();
    let others = order.into_iter().filter_map(|it| later.remove(&it));
    ranked.extend(others.map(|it| Ranked {
        document: it.document,
        score: Score {
            millionths: 0,
            ..score_of(Some(it), None, None)
        },
    }));
    ranked
}

fn score_of(hit: Option<Hit>, meaning: Option<u64>, fused: Option<&Fused>) -> Score {
    let (words, matched) = hit.map_or((0, Vec::new()), |it| (it.score_millionths, it.matched));
    Score {
        millionths: fused.map_or(words, |it| it.score_billionths / 1_000),
        words_millionths: words,
        meaning_millionths: meaning,
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
            let ready = documents.vectors.as_ref().map_or(0, |it| it.n_documents);
            Meaning::On {
                model: asked.in_use.embedder.model().clone(),
                threshold: asked.in_use.threshold,
                waiting: documents.len().saturating_sub(ready),
            }
        }
    }
}
