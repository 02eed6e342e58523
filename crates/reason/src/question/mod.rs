//! Questions about the graph that need reasoning: why something stands or does not, what hangs on
//! it, who is behind it, where one memory carries all. Nothing here writes.
//!
//! Each is answered from the facts by a least fixpoint of its own over the part of the graph that
//! it is about, never from what `support` keeps up to date; laws compare the two.

mod ancestry;
mod blast;
mod choke;
mod disagree;
mod net;
mod proof;
mod scan;

pub use ancestry::Level;
pub use blast::{Blast, Fate, Reached};
pub use choke::{Chokepoint, Fewest, NoPaths, Size};
pub use disagree::{Disagreement, Disagreements};
pub use proof::{Loss, Lost, ProofStep};
pub use scan::{Scan, Weak};
