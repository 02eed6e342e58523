//! What an output says in other words: the embedder of this process makes the vectors, outside of
//! every lock.

use std::sync::{Arc, Mutex, PoisonError};

use immune_mesh::{Earlier, Near, Pieces, near_from};
use immune_model::Trust;
use immune_recall::{EmbedError, Embedder};

use super::{MeshExchange, MeshRefusal, Refused, agent_of, messages_of};
use crate::error::WriteError;
use crate::session::Session;

/// That outputs are compared by meaning too, and from which margin on they are near.
#[derive(Debug, Clone)]
pub struct MeshMeaning {
    embedder: Arc<dyn Embedder>,
    from: u16,
    /// What came along while this was used: shared by all that compare with it.
    earlier: Arc<Mutex<Earlier>>,
}

/// Why outputs cannot be compared by meaning.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshMeaningError {
    /// This process has no embedder.
    #[error("outputs cannot be compared by meaning without an embedder")]
    NoEmbedder,
    /// Nobody measured how near honest outputs are by this one.
    #[error("nobody measured from which margin on an output is near by the vectors of `{model}`")]
    NotMeasured {
        /// Its name.
        model: String,
    },
}

impl Session {
    /// Comparing by meaning, from this margin on, or from the one that was measured for the embedder
    /// of this process.
    pub fn mesh_meaning(&self, from: Option<Trust>) -> Result<MeshMeaning, MeshMeaningError> {
        let embedder = self.memory.shared.parts.embedder.as_ref();
        let embedder = embedder.ok_or(MeshMeaningError::NoEmbedder)?;
        let model = &embedder.model().name;
        let from = from.map(Trust::thousandths).or_else(|| near_from(model));
        let from = from.ok_or_else(|| MeshMeaningError::NotMeasured {
            model: model.clone(),
        })?;
        let embedder = Arc::clone(embedder);
        Ok(MeshMeaning {
            embedder,
            from,
            earlier: Arc::default(),
        })
    }
}

impl MeshMeaning {
    /// How near an output is to what came along, and from where on that is near.
    pub(super) fn near(&self, exchange: &MeshExchange) -> Result<Option<(Near, u16)>, Refused> {
        let call = &exchange.call;
        let said = exchange.output.iter().chain(&exchange.said);
        let said: Vec<&str> = said.map(String::as_str).collect();
        let (name, input) = (agent_of(call).name, messages_of(call));
        let pieces = Pieces::of(name, &input, &said);
        let texts = pieces.texts();
        if texts.is_empty() {
            return Ok(None);
        }
        let vectors = self.embedder.embed(&texts);
        let vectors = vectors.map_err(|it| WriteError::Refused(MeshRefusal::Meaning(it)))?;
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        let near = pieces.near(&vectors, &mut earlier);
        Ok(near.map(|near| (near, self.from)))
    }
}

/// The next step where an embedder failed.
pub(super) fn hint(error: &EmbedError) -> String {
    match error {
        EmbedError::Endpoint { advice, .. } => advice.clone(),
        _ => "leave `--meaning` out, and outputs are judged by words alone".to_owned(),
    }
}
