//! A sentence transformer from a folder: `config.json`, `tokenizer.json`, `model.safetensors`.
//!
//! It runs on the processor, in Rust, with the tensors of candle. BERT models without cases that
//! pool by the mean or by their first token are known (MiniLM, E5 and BGE small are such);
//! others are refused by name. Nothing is downloaded. Texts are computed one by one, so that a
//! vector does not depend on what else was asked for.

mod bert;
mod folder;

use std::path::Path;

use candle_core::DType;
use immune_recall::{EmbedError, Embedder, EmbeddingModel, normalise};

use crate::wordpiece::WordPiece;
use bert::Bert;
pub use folder::OpenError;
use folder::{Pooling, Specials};

/// How exact the numbers of a computation are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As the weights are: what vectors of texts are made with.
    Single,
    /// So exact that another processor rounds to the same `i8`: what a table is made with.
    Double,
}

/// A sentence transformer from a folder.
#[derive(Debug)]
pub struct Transformer {
    model: EmbeddingModel,
    vocabulary: WordPiece,
    pieces: Vec<(String, u32)>,
    specials: Specials,
    pooling: Pooling,
    window_tokens: usize,
    bert: Bert,
}

impl Transformer {
    /// The model in this folder.
    pub fn open(folder: &Path, precision: Precision) -> Result<Self, OpenError> {
        let files = folder::read(folder)?;
        let dtype = match precision {
            Precision::Single => DType::F32,
            Precision::Double => DType::F64,
        };
        let weights = |it: candle_core::Error| OpenError::Weights {
            reason: it.to_string(),
        };
        let bert = Bert::new(&files.weights, &files.shape, dtype).map_err(weights)?;
        Ok(Self {
            model: EmbeddingModel {
                name: files.name,
                dimensions: files.dimensions,
            },
            vocabulary: WordPiece::new(files.pieces.iter().map(|(it, n)| (it.as_str(), *n))),
            pieces: files.pieces,
            specials: files.specials,
            pooling: files.pooling,
            window_tokens: files.window_tokens,
            bert,
        })
    }

    /// The pieces of its vocabulary with their numbers, in the order of the numbers.
    pub fn pieces(&self) -> &[(String, u32)] {
        &self.pieces
    }

    /// The vectors of some pieces, each computed as a text of that piece alone, without scaling.
    pub fn alone(&self, pieces: &[u32]) -> Result<Vec<Vec<f64>>, EmbedError> {
        let rows: Vec<_> = pieces
            .iter()
            .map(|it| self.specials.around(&[*it]))
            .collect();
        self.pooled(&rows)
    }

    /// The vectors of texts of one length, in pieces.
    fn pooled(&self, rows: &[Vec<u32>]) -> Result<Vec<Vec<f64>>, EmbedError> {
        let pooled = self
            .bert
            .states(rows)
            .and_then(|states| match self.pooling {
                Pooling::Mean => states.mean(1),
                Pooling::First => states.narrow(1, 0, 1)?.squeeze(1),
            });
        let vectors = pooled.and_then(|it| it.to_dtype(DType::F64)?.to_vec2());
        vectors.map_err(|it| EmbedError::Model {
            model: self.model.name.clone(),
            reason: it.to_string(),
        })
    }

    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut pieces = Vec::new();
        self.vocabulary.each(text, &mut |piece| {
            if pieces.len() < self.window_tokens {
                pieces.push(piece.unwrap_or(self.specials.unknown));
            }
        });
        if pieces.is_empty() {
            return Ok(vec![0.0; self.model.dimensions as usize]);
        }
        let found = self.pooled(&[self.specials.around(&pieces)])?;
        let found = found.into_iter().next().unwrap_or_default();
        let mut vector: Vec<f32> = found.into_iter().map(|it| it as f32).collect();
        if !normalise(&mut vector) {
            let model = self.model.name.clone();
            return Err(EmbedError::NoDirection { model });
        }
        Ok(vector)
    }
}

impl Embedder for Transformer {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn window_tokens(&self) -> usize {
        self.window_tokens
    }

    fn n_tokens(&self, text: &str) -> usize {
        self.vocabulary.count(text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|it| self.vector(it)).collect()
    }
}
