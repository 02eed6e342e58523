//! The engine from outside: its verbs, its cases, and what becomes of it when things go wrong.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test says what it expects by panicking, and what it skips by printing"
)]

mod actions;
mod attribute;
mod cascade;
mod cases;
mod child;
mod common;
mod crash;
mod echo;
mod enron;
mod extract;
mod fading;
mod faults;
mod hidden;
mod independence;
mod kept;
mod launder;
mod meaning;
mod mesh;
mod nearness;
mod own_run;
mod parole;
mod past;
mod processes;
mod quarantine;
mod questions;
mod recency;
mod regressions;
mod screening;
mod span;
mod verbs;
