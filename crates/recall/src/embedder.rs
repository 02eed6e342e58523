//! What makes vectors of texts, seen from the index: the trait, and why it may fail.
//!
//! The implementations are in `embed`; `engine` gets one handed in, and knows this trait only.
//! Invariants: an embedder gives one vector for each text, in their order, all of the dimensions
//! that its [`EmbeddingModel`] names, each of length 1 or all zero; and two embedders whose models
//! are equal give vectors that may be compared.

use std::fmt;

/// Makes vectors of texts, so that texts of a similar meaning have vectors in a similar direction.
///
/// Calls block, and may come from any thread.
pub trait Embedder: Send + Sync + fmt::Debug {
    /// Which model it is. A memory keeps it, and takes no vectors of another one.
    fn model(&self) -> &EmbeddingModel;

    /// Tokens of one text that it reads; whoever has a longer one cuts it with
    /// [`chunk`](crate::chunk()).
    fn window_tokens(&self) -> usize;

    /// How many tokens a text has for it; where only a server knows, a number that is not too low
    /// for most texts. Two pieces that are cut between words have the sum of both.
    fn n_tokens(&self, text: &str) -> usize;

    /// One vector for each text, in their order.
    ///
    /// A vector has length 1; that of a text without a word is all zero, and near to nothing. Of a
    /// text that is longer than the window, the beginning is read.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Which model vectors come from: they may be compared with those of an equal one only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbeddingModel {
    /// Its name; that of a local one ends with a digest of its weights.
    pub name: String,
    /// How many numbers a vector has.
    pub dimensions: u32,
}

impl fmt::Display for EmbeddingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} dimensions)", self.name, self.dimensions)
    }
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The endpoint gave none.
    #[error("{reason}")]
    Endpoint {
        /// What happened, with the endpoint in it.
        reason: String,
        /// What to do about it.
        advice: String,
        /// Whether the next call would most likely end so too.
        is_about_the_endpoint: bool,
    },
    /// A vector has another size than those of the model that was asked for.
    #[error("`{model}` gave a vector of {found} dimensions where {expected} are expected")]
    Dimensions {
        /// The name of the model.
        model: String,
        /// How many there should be.
        expected: u32,
        /// How many there are.
        found: usize,
    },
    /// A vector is no direction: a number in it is none, or all of them are 0.
    #[error("`{model}` gave a vector without a direction")]
    NoDirection {
        /// The name of the model.
        model: String,
    },
    /// The computation broke off.
    #[error("`{model}` gave no vectors: {reason}")]
    Model {
        /// The name of the model.
        model: String,
        /// What happened.
        reason: String,
    },
}

/// Brings a vector to length 1. False, and the vector as it was, if it has no direction.
pub fn normalise(vector: &mut [f32]) -> bool {
    let squares: f64 = vector.iter().map(|it| f64::from(*it).powi(2)).sum();
    let length = squares.sqrt();
    if !length.is_finite() || length <= 0.0 {
        return false;
    }
    for number in vector {
        *number = (f64::from(*number) / length) as f32;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_brought_to_length_one_if_it_has_a_direction() {
        let mut vector = [3.0, 4.0];
        assert!(normalise(&mut vector));
        assert_eq!(vector.map(f32::to_bits), [0.6_f32, 0.8].map(f32::to_bits));
        for mut none in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            assert!(!normalise(&mut none));
        }
        let mut tiny = [1e-30, 0.0];
        assert!(normalise(&mut tiny));
        assert_eq!(tiny.map(f32::to_bits), [1.0_f32, 0.0].map(f32::to_bits));
    }

    #[test]
    fn a_model_is_shown_with_its_dimensions() {
        let model = EmbeddingModel {
            name: "static".to_owned(),
            dimensions: 256,
        };
        assert_eq!(model.to_string(), "static (256 dimensions)");
    }
}
