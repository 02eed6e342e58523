//! The vectors of documents: rows of an index, each of a span of one document.

use std::convert::Infallible;
use std::ops::Range;

use immune_model::limits;
use immune_reason::State;
use immune_recall::{Embedder, EmbeddingModel, Window, chunk};
use immune_vector::{Bitmap, Index, VectorError};

use super::Asked;
use crate::document::{Documents, text_of};

/// Documents whose vectors one step makes.
const DOCUMENTS_AT_ONCE: u32 = 256;
/// Hits by meaning that are looked for. Constant, so that the pages of an answer are of one order.
const HITS_MAX: usize = 100;

/// A part of a document, in bytes of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) document: u32,
    pub(crate) bytes: Range<u32>,
}

/// The vectors of the documents.
#[derive(Debug)]
pub(crate) struct Vectors {
    pub(crate) model: EmbeddingModel,
    pub(crate) index: Index,
    /// The vectors themselves, where making them again costs much.
    pub(crate) floats: Option<immune_vector::Vectors>,
    /// The span behind each row.
    pub(crate) spans: Vec<Span>,
    /// Documents whose rows are there.
    pub(crate) n_documents: u32,
    /// How many of them are in the side file.
    pub(crate) n_kept: u32,
}

/// Documents whose vectors are to be made.
pub(crate) struct Wanted {
    documents: Range<u32>,
    spans: Vec<Span>,
    texts: Vec<String>,
}

impl Wanted {
    /// The texts, in order.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }
}

/// A document among the nearest to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) document: u32,
    /// The cosine.
    pub(crate) cosine: f32,
    /// Whether it is near enough to answer without a word of the question.
    pub(crate) is_near: bool,
}

impl Vectors {
    /// Those of no documents.
    pub(crate) fn new(model: &EmbeddingModel, is_cheap: bool) -> Result<Self, VectorError> {
        let n_dims = model.dimensions as usize;
        Ok(Self {
            index: Index::new(n_dims)?,
            model: model.clone(),
            floats: (!is_cheap).then(|| immune_vector::Vectors::new(n_dims)),
            spans: Vec::new(),
            n_documents: 0,
            n_kept: 0,
        })
    }

    /// The next documents without vectors, cut to what the embedder reads.
    pub(crate) fn wanted(
        &self,
        documents: &Documents,
        state: &State,
        embedder: &dyn Embedder,
    ) -> Option<Wanted> {
        let end = documents.len().min(self.n_documents + DOCUMENTS_AT_ONCE);
        let next = self.n_documents..end;
        if next.is_empty() {
            return None;
        }
        let window = Window::of(embedder);
        let mut wanted = Wanted {
            documents: next.start..next.start,
            spans: Vec::new(),
            texts: Vec::new(),
        };
        for document in next {
            let item = documents.item(document);
            let Some(text) = item.and_then(|it| text_of(state, it)) else {
                // It is of a state that is about to be published.
                break;
            };
            wanted.documents.end = document + 1;
            for bytes in chunk(&text, window, &|it| embedder.n_tokens(it)) {
                wanted
                    .texts
                    .push(text.get(bytes.clone()).unwrap_or("").to_owned());
                wanted.spans.push(Span {
                    document,
                    bytes: offset(bytes.start)..offset(bytes.end),
                });
            }
        }
        (!wanted.documents.is_empty()).then_some(wanted)
    }

    /// Whether so many cost something and are not in the side file that it is worth writing.
    pub(super) fn is_due(&self) -> bool {
        let since = (self.n_documents - self.n_kept) as usize;
        self.floats.is_some() && since >= limits::KEPT_INDEX_DOCUMENTS
    }

    /// Takes in vectors that were made, unless somebody else did before.
    pub(crate) fn take(
        &mut self,
        wanted: &Wanted,
        vectors: &[Vec<f32>],
    ) -> Result<(), VectorError> {
        if wanted.documents.start != self.n_documents {
            return Ok(());
        }
        let mut index = self.index.clone();
        let rows = || (self.index.len()..).zip(vectors);
        for (row, vector) in rows() {
            index.add(row, Some(vector))?;
        }
        if let Some(floats) = &mut self.floats {
            rows().for_each(|(row, vector)| floats.add(row, Some(vector)));
        }
        self.index = index;
        self.spans.extend_from_slice(&wanted.spans);
        self.n_documents = wanted.documents.end;
        Ok(())
    }

    /// The documents among those that `is_in` has that are nearest to a question, each once. Of refused ones nothing but which they are may be told.
    pub(crate) fn near(
        &self,
        asked: &Asked,
        is_in: &dyn Fn(u32) -> bool,
        read: &dyn Fn(&Span) -> Option<Vec<f32>>,
    ) -> Vec<Near> {
        let rows = (0..).zip(&self.spans);
        let rows: Bitmap = rows
            .filter(|(_, span)| is_in(span.document))
            .map(|(row, _)| row)
            .collect();
        let found = self
            .index
            .search(&asked.vector, HITS_MAX, rows.words(), |row, into| {
                let kept = self.floats.as_ref().and_then(|it| it.find(row));
                let span = self.spans.get(row as usize);
                let made = || span.and_then(read).filter(|it| it.len() == into.len());
                match kept {
                    Some(vector) => into.copy_from_slice(vector),
                    // One that cannot be made again is as far from everything as nothing is.
                    None => into.copy_from_slice(&made().unwrap_or_else(|| vec![0.0; into.len()])),
                }
                Ok::<(), Infallible>(())
            });
        let hits = found.map(|it| it.hits).unwrap_or_default();
        let least = f32::from(asked.in_use.threshold.thousandths()) / 1_000.0;
        let mut near: Vec<Near> = Vec::new();
        for hit in hits {
            let span = self.spans.get(hit.row as usize);
            let is_new = |it: &&Span| near.iter().all(|other| other.document != it.document);
            if let Some(span) = span.filter(is_new) {
                near.push(Near {
                    document: span.document,
                    cosine: hit.score,
                    is_near: hit.score >= least,
                });
            }
        }
        near
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a text is shorter than 4 GiB")
}
