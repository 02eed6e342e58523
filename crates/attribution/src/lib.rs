//! Which of `n` candidates make an answer wrong, in as few questions as information allows.
//!
//! The search knows numbers and verdicts; who answers, from which memories, is behind a trait.

mod oracle;
mod subset;

pub use oracle::{Answer, Answerer, Oracle, Shown, Unanswered, Verdict};
pub use subset::Subset;
