//! Text from a memory, made harmless: it may come from anybody and must not drive the terminal.
//! How that is done, and how a word is quoted for a shell, is one thing for the whole product.

pub(crate) use immune_model::shell::{escaped as line, quoted};
