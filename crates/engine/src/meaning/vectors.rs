//! The vectors of documents: rows of an index, each of a span of one document.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Range;

use immune_model::limits;
use immune_reason::State;
use immune_recall::{Embedder, EmbeddingModel, Window, chunk};
use immune_vector::{Bitmap, Index, VectorError};

use super::Asked;
use super::embed::{Made, Wanted};
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
    /// The documents among them that the embedder gave no vector of, with why.
    pub(crate) failed: BTreeMap<u32, String>,
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
            failed: BTreeMap::new(),
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
        let mut wanted = Wanted {
            next: self.n_documents..self.n_documents,
            spans: Vec::new(),
            texts: Vec::new(),
        };
        for document in self.n_documents..end {
            let item = documents.item(document);
            let Some(text) = item.and_then(|it| text_of(state, it)) else {
                // It is of a state that is about to be published.
                break;
            };
            wanted.next.end = document + 1;
            cut(document, &text, embedder, &mut wanted);
        }
        (!wanted.next.is_empty()).then_some(wanted)
    }

    /// Those that failed, which are forgotten to have: the first so many of them.
    pub(crate) fn wanted_again(
        &mut self,
        documents: &Documents,
        state: &State,
        embedder: &dyn Embedder,
    ) -> Wanted {
        let mut wanted = Wanted {
            next: self.n_documents..self.n_documents,
            spans: Vec::new(),
            texts: Vec::new(),
        };
        for document in std::mem::take(&mut self.failed).into_keys() {
            let item = documents.item(document);
            if let Some(text) = item.and_then(|it| text_of(state, it)) {
                cut(document, &text, embedder, &mut wanted);
            }
        }
        wanted
    }

    /// Whether so many cost something and are not in the side file that it is worth writing.
    pub(super) fn is_due(&self) -> bool {
        let since = (self.n_documents - self.n_kept) as usize;
        self.floats.is_some() && since >= limits::KEPT_INDEX_DOCUMENTS
    }

    /// Takes in vectors that were made, unless somebody else did before.
    pub(crate) fn take(&mut self, wanted: &Wanted, made: Made) -> Result<(), VectorError> {
        if wanted.next.start != self.n_documents {
            return Ok(());
        }
        let mut index = self.index.clone();
        let made_of = wanted.spans.iter().zip(&made.vectors);
        let made_of = made_of.filter_map(|(span, it)| Some((span, it.as_ref()?)));
        let made_of = made_of.filter(|(span, _)| !made.failed.contains_key(&span.document));
        let rows: Vec<_> = (self.index.len()..).zip(made_of).collect();
        for (row, (_, vector)) in &rows {
            index.add(*row, Some(vector))?;
        }
        for (row, (span, vector)) in rows {
            if let Some(floats) = &mut self.floats {
                floats.add(row, Some(vector));
            }
            self.spans.push(span.clone());
        }
        self.index = index;
        self.n_documents = wanted.next.end;
        self.failed.extend(made.failed);
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

/// The parts of a document that the embedder reads at once.
fn cut(document: u32, text: &str, embedder: &dyn Embedder, wanted: &mut Wanted) {
    for bytes in chunk(text, Window::of(embedder), &|it| embedder.n_tokens(it)) {
        let part = text.get(bytes.clone()).unwrap_or_default();
        wanted.texts.push(part.to_owned());
        wanted.spans.push(Span {
            document,
            bytes: offset(bytes.start)..offset(bytes.end),
        });
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a text is shorter than 4 GiB")
}
