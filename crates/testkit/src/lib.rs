//! For tests only: a fixed clock, a store that fails on purpose.

pub mod fault;

pub use fault::{Fault, FaultStore};
