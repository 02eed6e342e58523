//! The index: lexical search with the filter inside. Rebuildable from the log at any time.
//!
//! `engine` is the only caller: it numbers the documents, says for each one whether a reader may
//! be shown it, and attaches the reasons to what was left out. This crate knows nothing of
//! beliefs, statuses or disks.
//!
//! The invariant it keeps: a document that is not eligible is never scored, ranked or counted.
//! Every statistic that BM25 needs (how many documents, how long, how many hold a word) is taken
//! over the eligible documents of that one search, so a search answers exactly as an index that
//! holds nothing but them. Writing, refuting or erasing refused content can therefore neither
//! move an eligible document nor be felt in its score.

mod admission;
mod chunk;
mod embedder;
mod filter;
mod fold;
mod fuse;
mod index;
mod literal;
mod pack;
mod postings;
mod search;
mod stem;
mod term;
mod terms;
mod threads;
mod token;
mod tokens;
#[cfg(test)]
mod twin;

pub use admission::{Admission, Admitted};
pub use chunk::{Window, chunk};
pub use embedder::{EmbedError, Embedder, EmbeddingModel, normalise};
pub use filter::{Comparison, Filter, FilterError, Test};
pub use fuse::{Combined, Fused, combine, fuse};
pub use index::Index;
pub use pack::{Shared, VERSION};
pub use search::{Hit, Hits, Limits, ThreadHit};
pub use terms::{is_stop_word, terms};
pub use threads::Threads;
pub use tokens::n_tokens;
