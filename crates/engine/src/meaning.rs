//! Recall by meaning: the vectors of the documents, and who makes them.
//!
//! Vectors are made by the question that needs them, outside every lock, and appended in the
//! order of the documents; what has none yet is found by its words. Invariants: a row belongs to
//! a span of one document, and rows of one embedder only are in one index; nothing that was left
//! out of the set that is searched is compared with a question, but to be named.

mod calibrate;
mod embed;
mod make;
mod pack;
mod vectors;
mod without;

use std::sync::Arc;

use immune_model::Trust;
use immune_reason::State;
use immune_recall::{EmbedError, Embedder, EmbeddingModel};

pub use calibrate::{CalibrateError, Calibrated};
pub use make::{Preparing, ReindexError, Reindexed};
pub(crate) use pack::KeptVectors;
pub(crate) use vectors::{Near, Span, Vectors};
pub use without::{WhyWithout, WithoutVector, WithoutVectors};

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
        /// Documents that the model gives no vector of, and are found by their words.
        failed: u32,
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
