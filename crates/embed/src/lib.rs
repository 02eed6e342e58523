//! The embedders: whoever makes vectors of texts for recall, behind the trait of `immune_recall`.
//!
//! - [`StaticModel`] is in the binary: a table of word pieces, distilled from `all-MiniLM-L6-v2`.
//!   It needs no download, gives the same bits on every machine, and takes microseconds a text.
//! - `Transformer` (feature `candle`) is a sentence transformer from a folder.
//! - [`Remote`] is any OpenAI-compatible endpoint.
//!
//! `cli` and `bench` choose one; `engine` is handed it and knows the trait only. Nothing here
//! knows of beliefs or statuses: whoever calls says which texts, and which of them may leave the
//! machine.

mod character;
mod remote;
mod table;
#[cfg(feature = "candle")]
mod transformer;
mod wordpiece;

pub use remote::{Remote, RemoteSettings};
pub use table::{StaticModel, pack};
#[cfg(feature = "candle")]
pub use transformer::{OpenError, Precision, Transformer};
pub use wordpiece::WordPiece;
