//! For tests only: a fixed clock, keys that repeat, a store that fails on purpose.

pub mod clock;
pub mod fault;

pub use clock::{FixedClock, fill_the_same};
pub use fault::{Fault, FaultStore};
