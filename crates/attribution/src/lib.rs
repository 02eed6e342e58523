//! Which of `n` candidates make an answer wrong, in as few questions as information allows.
//!
//! The search knows numbers and verdicts; who answers, from which memories, is behind a trait.

mod asked;
mod oracle;
mod subset;

pub use asked::{AskError, Asked, Call};
pub use oracle::{Answer, Answerer, Judge, Oracle, Shown, Spent, Unanswered, Verdict};
pub use subset::Subset;
