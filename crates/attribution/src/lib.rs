//! Which of `n` candidates make an answer wrong, in as few questions as information allows.
//!
//! The search knows numbers and verdicts; who answers, from which memories, is behind a trait.
//! [`attribute`] is the search; [`ddmin`](baseline::ddmin) and its like are what it is measured
//! against.

mod asked;
mod attribute;
pub mod baseline;
mod behind;
pub mod bound;
mod budget;
mod candidates;
mod causes;
mod exact;
mod extend;
mod found;
mod heard;
mod hitting;
mod ledger;
mod noise;
mod noisy;
mod options;
mod oracle;
mod prior;
mod subset;

pub use asked::{AskError, Asked, Call};
pub use attribute::attribute;
pub use behind::{Behind, Said, Sides, look_behind};
pub use candidates::Candidates;
pub use found::{Certificate, Found, Outcome, Part, Reply, Shape, Why};
pub use options::{Noise, Options, Progress, Proof};
pub use oracle::{Answer, Answerer, Judge, Oracle, Shown, Spent, Unanswered, Verdict};
pub use subset::Subset;
