//! The binary, as a shell runs it: each command with a success, a clear no and a failure; what
//! goes to which stream; exit codes; shapes of JSON.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

mod admin;
mod attribute;
mod bench;
mod bounds;
mod challenge;
mod common;
mod compare;
mod echo;
mod examples;
mod extractor;
mod filter;
mod graph;
mod guard;
mod hidden;
mod ingest;
mod meaning;
mod memory;
mod mesh;
mod names;
mod operate;
mod oracle;
mod provenance;
mod questions;
mod readme;
mod response;
mod runs;
mod schema;
mod screening;
mod story;
mod surface;
mod watch;
mod word;
