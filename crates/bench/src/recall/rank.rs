//! One conversation as an index, and how each way to search ranks its turns and its threads.
//!
//! Words are those of `immune_recall`: BM25 (k1 1.2, b 0.75) over English stems. Vectors are
//! compared exactly; a turn that is longer than the window of the embedder is as near as the
//! nearest of its spans. Rankings are fused by reciprocal ranks (k 60). No number here is chosen
//! on the questions.

use immune_recall::{Admission, Admitted, Embedder, Index, Limits, Threads, Window, chunk, fuse};

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
    /// The last two, fused.
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
            for span in chunk(&turn.text, window, &|it| embedder.n_tokens(it)) {
                turns.push(number);
                pieces.extend(turn.text.get(span));
            }
        }
        let vectors = embedder.embed(&pieces).map_err(refused())?;
        let questions: Vec<&str> = dialog.questions.iter().map(|it| it.text.as_str()).collect();
        Ok(Self {
            of_turns: turns.into_iter().zip(vectors).collect(),
            of_questions: embedder.embed(&questions).map_err(refused())?,
        })
    }

    /// The turns, the nearest first.
    fn ranked(&self, question: usize) -> Vec<u32> {
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
        near.into_iter().map(|it| it.0).collect()
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
        let near = || vectors.map(|it| it.ranked(number)).unwrap_or_default();
        match way {
            Way::Words => Ranked {
                turns: self.words(question),
                threads: self.threads(question),
            },
            Way::Beside => {
                let turns = self.beside(question);
                let best = self.best(&self.words(question));
                let threads = fused(&[&self.threads(question), &best]);
                Ranked { turns, threads }
            }
            Way::Vectors => {
                let turns = near();
                let threads = self.best(&turns);
                Ranked { turns, threads }
            }
            Way::Hybrid => {
                let near = near();
                let turns = fused(&[&self.beside(question), &near]);
                let best = self.best(&self.words(question));
                let threads = fused(&[&self.threads(question), &best, &self.best(&near)]);
                Ranked { turns, threads }
            }
        }
    }

    fn words(&self, question: &str) -> Vec<u32> {
        let found = self.index.search_admitted(question, &self.admitted, ALL);
        found.hits.iter().map(|it| it.document).collect()
    }

    fn beside(&self, question: &str) -> Vec<u32> {
        let (admitted, threads) = (&self.admitted, &self.threads);
        let found = self.index.search_beside(question, admitted, threads, ALL);
        found.hits.iter().map(|it| it.document).collect()
    }

    fn threads(&self, question: &str) -> Vec<u32> {
        let (admitted, threads) = (&self.admitted, &self.threads);
        let found = self
            .index
            .search_threads(question, admitted, threads, usize::MAX);
        found.iter().map(|it| it.thread).collect()
    }

    /// The threads of ranked turns, each where its best turn is.
    fn best(&self, turns: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        for thread in turns.iter().filter_map(|it| self.threads.of(*it)) {
            if !found.contains(&thread) {
                found.push(thread);
            }
        }
        found
    }
}

fn fused(lists: &[&[u32]]) -> Vec<u32> {
    let fused = fuse(lists, usize::MAX);
    fused.into_iter().map(|it| it.document).collect()
}
