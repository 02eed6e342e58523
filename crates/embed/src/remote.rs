//! An OpenAI-compatible endpoint as an embedder: batches through the shared client.
//!
//! Whoever calls decides what may leave the machine; this sends what it is given. Invariant: a
//! vector that is kept has the dimensions of the model that was asked for, and length 1.

use immune_client::{Client, ClientError};
use immune_model::limits;
use immune_recall::{EmbedError, Embedder, EmbeddingModel, normalise};

/// Bytes of a text that count as one token: English has four, and code or other scripts less.
const BYTES_PER_TOKEN: usize = 3;

/// What is to be known of a model that only its server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteSettings {
    /// How many numbers a vector has; asked of the endpoint, with one word, where it is not said.
    pub dimensions: Option<u32>,
    /// Tokens of a text that it reads.
    pub window_tokens: usize,
}

impl Default for RemoteSettings {
    fn default() -> Self {
        Self {
            dimensions: None,
            window_tokens: limits::EMBED_WINDOW_TOKENS,
        }
    }
}

/// The embedder behind an endpoint.
#[derive(Debug)]
pub struct Remote {
    client: Client,
    model: EmbeddingModel,
    window_tokens: usize,
}

impl Remote {
    /// The model of this client.
    pub fn new(client: Client, settings: RemoteSettings) -> Result<Self, EmbedError> {
        let name = client.settings().model.clone();
        let dimensions = if let Some(dimensions) = settings.dimensions {
            dimensions
        } else {
            let found = client.embeddings(&["dimensions"]).map_err(|it| said(&it))?;
            let found = found.first().map_or(0, Vec::len);
            u32::try_from(found).unwrap_or(u32::MAX)
        };
        Ok(Self {
            client,
            model: EmbeddingModel { name, dimensions },
            window_tokens: settings.window_tokens.max(1),
        })
    }

    /// Whether texts stay on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.client.settings().endpoint.is_on_this_machine()
    }

    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.client.embeddings(texts).map_err(|it| said(&it))?;
        for (vector, text) in vectors.iter_mut().zip(texts) {
            self.check(vector, text)?;
        }
        Ok(vectors)
    }

    fn check(&self, vector: &mut [f32], text: &str) -> Result<(), EmbedError> {
        let model = self.model.name.clone();
        if vector.len() != self.model.dimensions as usize {
            return Err(EmbedError::Dimensions {
                model,
                expected: self.model.dimensions,
                found: vector.len(),
            });
        }
        if text.trim().is_empty() {
            // Whatever a model says of nothing, nothing is near to it.
            vector.fill(0.0);
        } else if !normalise(vector) {
            return Err(EmbedError::NoDirection { model });
        }
        Ok(())
    }
}

impl Embedder for Remote {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn window_tokens(&self) -> usize {
        self.window_tokens
    }

    fn n_tokens(&self, text: &str) -> usize {
        let words = text.split_whitespace();
        words.map(|it| it.len().div_ceil(BYTES_PER_TOKEN)).sum()
    }

    /// Each batch is a call; the first that fails ends it.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (batch, others) = rest.split_at(first_batch(rest));
            vectors.extend(self.batch(batch)?);
            rest = others;
        }
        Ok(vectors)
    }
}

/// How many of these texts are sent in one call: at least one.
fn first_batch(texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fits = |text: &&&str| {
        bytes += text.len();
        bytes <= limits::EMBED_BATCH_BYTES_MAX
    };
    let texts = texts.iter().take(limits::EMBED_BATCH_TEXTS_MAX);
    texts.take_while(fits).count().max(1)
}

fn said(error: &ClientError) -> EmbedError {
    EmbedError::Endpoint {
        reason: error.to_string(),
        advice: match error {
            ClientError::Refused { .. } => "take a model that gives embeddings".to_owned(),
            error => error.advice(),
        },
        is_about_the_endpoint: error.is_about_the_endpoint(),
    }
}
