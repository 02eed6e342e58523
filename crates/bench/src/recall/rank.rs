//! One conversation as an index, and how each way to search ranks its turns and its threads.
//!
//! Words are those of `immune_recall`: BM25 (k1 1.2, b 0.75) over English stems. Vectors are
//! compared exactly; a turn that is longer than the window of the embedder is as near as the
//! nearest of its spans. No number here is chosen on the questions: what is fused is fused by
//! reciprocal ranks (k 60), or by sums of a share and a cosine, without weights.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use immune_recall::{
    Admission, Admitted, Embedder, Hits, Index, Limits, Threads, Window, chunk, combine, fuse,
};

use super::dialogs::Dialog;
use crate::BenchError;

/// Every turn may be ranked: no list is cut before it is fused.
const ALL: Limits = Limits {
    hits_max: usize::MAX,
    excluded_max: 0,
};

/// A way to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// BM25 over stems: turns by themselves, threads as one text.
    Words,
    /// The same, where neighbours in a thread count by half, and a thread by its best turn too.
    Beside,
    /// Vectors alone; a thread is as near as its nearest turn.
    Vectors,
    /// The last two, by reciprocal ranks.
    Ranks,
    /// The last two, by scores; a thread by its words and by its best turn.
    Hybrid,
}

/// The best turns and threads for one question.
pub(super) struct Ranked {
    pub(super) turns: Vec<u32>,
    pub(super) threads: Vec<u32>,
}

/// A conversation that can be searched.
pub(super) struct Indexed {
    index: Index,
    admitted: Admitted,
    threads: Threads,
}

/// Vectors of a conversation, with the turn of each.
pub(super) struct Vectors {
    of_turns: Vec<(u32, Vec<f32>)>,
    of_questions: Vec<Vec<f32>>,
}

impl Vectors {
    /// Those that an embedder makes of a conversation and its questions.
    pub(super) fn of(dialog: &Dialog, embedder: &dyn Embedder) -> Result<Self, BenchError> {
        let refused = || BenchError::refused("make the vectors");
        let window = Window::of(embedder);
        let mut turns = Vec::new();
        let mut pieces = Vec::new();
        for (number, turn) in (0_u32..).zip(&dialog.turns) {
            let said = turn.said();
            for span in chunk(said, window, &|it| embedder.n_tokens(it)) {
                turns.push(number);
                pieces.extend(said.get(span));
            }
        }
        let vectors = embedder.embed(&pieces).map_err(refused())?;
        let questions: Vec<&str> = dialog.questions.iter().map(|it| it.text.as_str()).collect();
        Ok(Self {
            of_turns: turns.into_iter().zip(vectors).collect(),
            of_questions: embedder.embed(&questions).map_err(refused())?,
        })
    }

    /// The turns with how near they are, the nearest first.
    fn near(&self, question: usize) -> Vec<(u32, f32)> {
        let Some(asked) = self.of_questions.get(question) else {
            return Vec::new();
        };
        let mut near: Vec<(u32, f32)> = Vec::new();
        for (turn, vector) in &self.of_turns {
            let product = vector.iter().zip(asked).map(|(a, b)| a * b).sum();
            match near.last_mut() {
                Some(last) if last.0 == *turn => last.1 = last.1.max(product),
                _ => near.push((*turn, product)),
            }
        }
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near
    }
}

impl Indexed {
    /// The index of a conversation.
    pub(super) fn of(dialog: &Dialog) -> Self {
        let mut index = Index::new();
        let mut threads = Threads::new();
        for (number, turn) in (0_u32..).zip(&dialog.turns) {
            index.add(number, &turn.text);
            threads.push(Some(turn.thread));
        }
        Self {
            admitted: index.admit(&|_| Admission::Eligible),
            index,
            threads,
        }
    }

    /// How one way ranks for the question with this number.
    pub(super) fn ranked(
        &self,
        way: Way,
        vectors: Option<&Vectors>,
        (number, question): (usize, &str),
    ) -> Ranked {
        let near = vectors.map(|it| it.near(number)).unwrap_or_default();
        let nearest: Vec<u32> = near.iter().map(|it| it.0).collect();
        match way {
            Way::Words => Ranked {
                turns: documents(&self.words(question)),
                threads: documents(&self.threads(question)),
            },
            Way::Beside => {
                let turns = self.beside(question);
                let threads = self.with_best(question, &shares(&turns));
                Ranked {
                    turns: documents(&turns),
                    threads,
                }
            }
            Way::Vectors => Ranked {
                threads: documents(&self.best(&near)),
                turns: nearest,
            },
            Way::Ranks => {
                let of_words = documents(&self.best(&self.words(question)));
                let of_near = documents(&self.best(&near));
                let of_threads = documents(&self.threads(question));
                Ranked {
                    turns: fused(&[&documents(&self.beside(question)), &nearest]),
                    threads: fused(&[&of_threads, &of_words, &of_near]),
                }
            }
            Way::Hybrid => {
                let turns = combine(&self.beside(question), &near, usize::MAX);
                let scores = turns.iter().map(|it| (it.document, it.score_millionths()));
                let scores: Vec<(u32, u64)> = scores.collect();
                Ranked {
                    turns: documents(&scores),
                    threads: self.with_best(question, &scores),
                }
            }
        }
    }

    /// Threads by their words, as a share of the best, and the score of their best turn.
    fn with_best(&self, question: &str, turns: &[(u32, u64)]) -> Vec<u32> {
        let mut scores: BTreeMap<u32, u64> = self.best(turns).into_iter().collect();
        for (thread, share) in shares(&self.threads(question)) {
            *scores.entry(thread).or_default() += share;
        }
        let mut scores: Vec<(u32, u64)> = scores.into_iter().collect();
        scores.sort_by_key(|it| (Reverse(it.1), it.0));
        documents(&scores)
    }

    fn words(&self, question: &str) -> Vec<(u32, u64)> {
        scored(self.index.search_admitted(question, &self.admitted, ALL))
    }

    fn beside(&self, question: &str) -> Vec<(u32, u64)> {
        let (admitted, threads) = (&self.admitted, &self.threads);
        scored(self.index.search_beside(question, admitted, threads, ALL))
    }

    fn threads(&self, question: &str) -> Vec<(u32, u64)> {
        let (admitted, threads) = (&self.admitted, &self.threads);
        let found = self
            .index
            .search_threads(question, admitted, threads, usize::MAX);
        found
            .iter()
            .map(|it| (it.thread, it.score_millionths))
            .collect()
    }

    /// The threads of ranked turns, each where its best turn is, with the score of that.
    fn best<S: Copy>(&self, turns: &[(u32, S)]) -> Vec<(u32, S)> {
        let mut found: Vec<(u32, S)> = Vec::new();
        for (turn, score) in turns {
            if let Some(thread) = self.threads.of(*turn)
                && !found.iter().any(|it| it.0 == thread)
            {
                found.push((thread, *score));
            }
        }
        found
    }
}

fn scored(found: Hits) -> Vec<(u32, u64)> {
    let hits = found.hits.into_iter();
    hits.map(|it| (it.document, it.score_millionths)).collect()
}

fn documents<S>(scored: &[(u32, S)]) -> Vec<u32> {
    scored.iter().map(|it| it.0).collect()
}

/// Scores as millionths of the best.
fn shares(scored: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let combined = combine(scored, &[], usize::MAX);
    combined
        .iter()
        .map(|it| (it.document, it.words_millionths))
        .collect()
}

fn fused(lists: &[&[u32]]) -> Vec<u32> {
    let fused = fuse(lists, usize::MAX);
    fused.into_iter().map(|it| it.document).collect()
}
