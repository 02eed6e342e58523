//! The embedded store from outside: its contract, its file, and what becomes of both when things
//! go wrong.

mod common;
mod conformance;
mod crash;
mod processes;
mod refusals;
mod view;

/// The other process of the tests that need one; see [`common::Writer`].
#[test]
fn child() {
    common::be_a_child(&|line| println!("{line}"));
}
