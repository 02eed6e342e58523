//! For tests only: a fixed clock, keys that repeat, a store that fails on purpose, random histories, layered graphs, scenarios of contradictions, vectors, an endpoint on this machine.

pub mod arranged;
pub mod clock;
pub mod endpoint;
pub mod fault;
pub mod graph;
#[cfg(feature = "history")]
pub mod history;
pub mod random;
pub mod vectors;

pub use clock::{FixedClock, fill_the_same};
pub use fault::{Fault, FaultStore};
