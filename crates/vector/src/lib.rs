//! The index over vectors: an exact flat search with the filter inside. Rebuildable at any time.
//!
//! `engine` is the only caller: it numbers the rows, says for each search which of them may be
//! found, and keeps the vectors. This crate knows nothing of beliefs, statuses or disks.
//!
//! A search goes through at most three steps, each over what the one before could not rule out:
//! one sign a dimension, which costs 48 bytes a row at 384 dimensions; a number of eight bits a
//! dimension; the vectors themselves. Where few rows are eligible it begins with the second. The
//! bounds of the second step are certain. Those of the first are wrong about a neighbour once in
//! 150,000 times; the seed of the rotation is public, so that a row can be made to be missed by
//! who writes it.
//!
//! Invariants: a row that is not eligible is never looked at; there are `k` hits if there are `k`
//! eligible vectors; the same index and the same question have the same answer on every machine,
//! bit for bit.

mod bitmap;
mod block;
mod code;
mod error;
mod exact;
mod index;
mod kernel;
mod pack;
mod rotation;
mod search;
mod vectors;

pub use bitmap::Bitmap;
pub use error::{SearchError, VectorError};
pub use exact::dot;
pub use index::Index;
pub use kernel::Kernel;
pub use pack::VERSION;
pub use search::{Found, Hit, Work};
pub use vectors::Vectors;
