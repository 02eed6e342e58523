//! Recall by meaning: the vectors of the documents, and who makes them.
//!
//! Vectors are made by the question that needs them, outside every lock, and appended in the
//! order of the documents; what has none yet is found by its words. Invariants: a row belongs to
//! a span of one document, and rows of one embedder only are in one index; nothing that was left
//! out of the set that is searched is compared with a question, but to be named.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use immune_model::Trust;
use immune_reason::State;
use immune_recall::{EmbedError, Embedder, EmbeddingModel, Window, chunk};
use immune_vector::{Bitmap, Index, VectorError};

use crate::document::{Documents, text_of};

/// Documents whose vectors one step makes.
const DOCUMENTS_AT_ONCE: u32 = 256;
/// Hits by meaning that are looked for. Constant, so that the pages of an answer are of one order.
const HITS_MAX: usize = 100;

/// Whether an answer goes by meaning too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// By words alone.
    Off(Off),
    /// By words and by the vectors of this model.
    On {
        /// Which model.
        model: EmbeddingModel,
        /// The least cosine of what is near.
        threshold: Trust,
        /// Documents that have no vector yet, and are found by their words.
        waiting: u32,
    },
}

/// Why an answer goes by words alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Off {
    /// It is what was chosen, or what a listing needs.
    Chosen,
    /// The index is to have the vectors of another model than the one at hand.
    OtherModel {
        /// The one that was chosen for the memory.
        chosen: Option<EmbeddingModel>,
        /// The one at hand, if there is one.
        found: Option<EmbeddingModel>,
    },
    /// The model gave none.
    Failed(EmbedError),
}

impl Off {
    /// What is wrong, in words; nothing where words alone are what was chosen.
    pub fn problem(&self) -> Option<String> {
        let named = |model: &Option<EmbeddingModel>, none: &str| {
            model
                .as_ref()
                .map_or_else(|| none.to_owned(), |it| format!("`{it}`"))
        };
        match self {
            Self::Chosen => None,
            Self::OtherModel { chosen, found } => Some(format!(
                "the memory has vectors of {}, and {} is at hand: recall goes by words alone",
                named(chosen, "the bundled model"),
                named(found, "no model"),
            )),
            Self::Failed(error) => Some(format!("{error}: recall goes by words alone")),
        }
    }
}

/// Who makes the vectors of a memory, and how near is near.
#[derive(Debug, Clone)]
pub(crate) struct InUse {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) threshold: Trust,
}

/// Who makes the vectors that the index is to have, or why nobody does.
pub(crate) fn in_use(state: &State, found: Option<&Arc<dyn Embedder>>) -> Result<InUse, Off> {
    let other = |chosen| {
        Err(Off::OtherModel {
            chosen,
            found: found.map(|it| it.model().clone()),
        })
    };
    match (state.embedder(), found) {
        (None, None) => Err(Off::Chosen),
        // Nobody chose: the bundled model needs no asking, any other one does.
        (None, Some(embedder)) if embedder.is_cheap() => Ok(InUse {
            embedder: Arc::clone(embedder),
            threshold: embedder.threshold(),
        }),
        (None, Some(_)) => other(None),
        (Some(choice), found) => {
            let Some(name) = &choice.model else {
                return Err(Off::Chosen);
            };
            let chosen = EmbeddingModel {
                name: name.to_string(),
                dimensions: choice.dimensions,
            };
            match found {
                Some(embedder) if *embedder.model() == chosen => Ok(InUse {
                    embedder: Arc::clone(embedder),
                    threshold: choice.threshold,
                }),
                _ => other(Some(chosen)),
            }
        }
    }
}

/// A question with its vector.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) in_use: InUse,
    pub(crate) vector: Vec<f32>,
}

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
    /// The span behind each row.
    pub(crate) spans: Vec<Span>,
    /// Documents whose rows are there.
    pub(crate) n_documents: u32,
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

/// A document that is near a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Near {
    pub(crate) document: u32,
    /// The cosine, in millionths.
    pub(crate) cosine_millionths: u64,
}

impl Vectors {
    /// Those of no documents.
    pub(crate) fn new(model: &EmbeddingModel) -> Result<Self, VectorError> {
        Ok(Self {
            index: Index::new(model.dimensions as usize)?,
            model: model.clone(),
            spans: Vec::new(),
            n_documents: 0,
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
            documents: next.clone(),
            spans: Vec::new(),
            texts: Vec::new(),
        };
        for document in next {
            let item = documents.item(document);
            let text = item.and_then(|it| text_of(state, it)).unwrap_or_default();
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
        Some(wanted)
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
        for (row, vector) in (self.index.len()..).zip(vectors) {
            index.add(row, Some(vector))?;
        }
        self.index = index;
        self.spans.extend_from_slice(&wanted.spans);
        self.n_documents = wanted.documents.end;
        Ok(())
    }

    /// The documents among those that `is_in` has that are near a question, nearest first, each
    /// once. Of refused ones nothing but which they are may be told.
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
                let span = self.spans.get(row as usize);
                match span.and_then(read) {
                    Some(vector) if vector.len() == into.len() => into.copy_from_slice(&vector),
                    _ => into.fill(0.0),
                }
                Ok::<(), Infallible>(())
            });
        let hits = found.map(|it| it.hits).unwrap_or_default();
        let least = u64::from(asked.in_use.threshold.thousandths()) * 1_000;
        let mut near: Vec<Near> = Vec::new();
        for hit in hits {
            let Some(span) = self.spans.get(hit.row as usize) else {
                continue;
            };
            let cosine_millionths = (f64::from(hit.score.max(0.0)) * 1e6) as u64;
            let is_new = near.iter().all(|it| it.document != span.document);
            if cosine_millionths >= least && is_new {
                near.push(Near {
                    document: span.document,
                    cosine_millionths,
                });
            }
        }
        near
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a text is shorter than 4 GiB")
}
