//! What is wrong with a vector, and why a search found nothing.

use immune_model::limits::VECTOR_DIMENSIONS_MAX;

/// Why a vector is not taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// An index is of at least one dimension and not of any number.
    #[error("an index of {n_dims} dimensions; it may have 1 to {VECTOR_DIMENSIONS_MAX}")]
    Dimensions {
        /// How many were asked for.
        n_dims: usize,
    },
    /// The vector has other dimensions than the index.
    #[error("a vector of {found} dimensions in an index of {n_dims}")]
    OtherDimensions {
        /// The dimensions of the index.
        n_dims: usize,
        /// Those of the vector.
        found: usize,
    },
    /// The vector holds a number that is none or infinite.
    #[error("a vector holds a number that is not finite")]
    NotFinite,
    /// The vector was to be normalised.
    #[error("a vector of length {length}; the longest has the length 1")]
    TooLong {
        /// Its length.
        length: f64,
    },
}

/// Why a search has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError<E> {
    /// The query is no vector of this index.
    #[error(transparent)]
    Query(#[from] VectorError),
    /// A vector could not be read.
    #[error("a vector could not be read: {0}")]
    Read(E),
}
