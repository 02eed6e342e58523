//! What has no vector: the texts that wait for one, and those that an embedder gives none of.
//!
//! For people who look after a memory. Words find all of them; nothing of their texts is told.

use immune_model::Item;
use immune_reason::EmbedderChoice;

use super::make::ReindexError;
use super::{Off, Vectors, in_use};
use crate::session::Session;

/// A text without a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithoutVector {
    /// The belief, or the note.
    pub item: Item,
    /// Why it has none.
    pub why: WhyWithout,
}

/// Why a text has no vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyWithout {
    /// The next question, or `reindex`, makes it.
    Waiting,
    /// The embedder refused it; `reindex` asks again.
    Failed(String),
}

/// The texts without vectors of the model that a memory goes by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WithoutVectors {
    /// Why there is no such model, and so no text that waits.
    pub off: Option<Off>,
    /// Those that failed, then those that wait.
    pub listed: Vec<WithoutVector>,
    /// How many failed.
    pub n_failed: usize,
    /// How many wait.
    pub n_waiting: usize,
}

impl Session {
    /// The texts without vectors, at most so many. A model that is cheap to ask has none: the
    /// question makes what is missing. Refused to whoever may not choose an embedder, for a model
    /// may repeat a text where it says what is wrong with it.
    pub fn without_vectors(&self, most: usize) -> Result<WithoutVectors, ReindexError> {
        let snapshot = self.snapshot()?;
        let shared = &self.memory.shared;
        let in_use = match in_use(snapshot.state(), shared.parts.embedder.as_ref()) {
            Ok(in_use) => in_use,
            Err(off) => {
                return Ok(WithoutVectors {
                    off: Some(off),
                    ..WithoutVectors::default()
                });
            }
        };
        let model = in_use.embedder.model();
        let choice = EmbedderChoice::of(&model.name, model.dimensions, in_use.threshold);
        self.check_may_choose(&choice)?;
        let documents = self.documents();
        let documents = documents.as_ref().expect("it was built before");
        let in_memory = documents.vectors.as_ref();
        let in_memory = in_memory.filter(|it| it.model == *model);
        let kept = match in_memory {
            Some(_) => None,
            None => Vectors::kept_or_new(shared, documents, &*in_use.embedder).ok(),
        };
        let Some(vectors) = in_memory.or(kept.as_ref()) else {
            return Ok(WithoutVectors::default());
        };
        let failed = vectors.failed.iter();
        let failed = failed.map(|(document, why)| (*document, WhyWithout::Failed(why.clone())));
        let begin = if in_use.embedder.is_cheap() {
            documents.len()
        } else {
            vectors.n_documents
        };
        let waiting = begin..documents.len();
        let (n_failed, n_waiting) = (vectors.failed.len(), waiting.len());
        let all = failed.chain(waiting.map(|it| (it, WhyWithout::Waiting)));
        let all = all.filter_map(|(document, why)| {
            let item = documents.item(document)?;
            Some(WithoutVector { item, why })
        });
        Ok(WithoutVectors {
            off: None,
            listed: all.take(most).collect(),
            n_failed,
            n_waiting,
        })
    }
}
