//! Who answers a question again from some of the memories: a model behind an endpoint, a command,
//! and a reader that takes the answer out of what it is shown.
//!
//! The command line chooses one, and hands it to whoever attributes. Invariant: an answer is what
//! was said, and where nobody could be heard there is none, with the reason; nothing is made up.
//!
//! ```
//! use immune_attribution::{Answerer, Shown};
//! use immune_oracle::Reader;
//!
//! let reader = Reader::new();
//! let memory = |id: &str, text: &str| Shown {
//!     id: id.to_owned(),
//!     source: "handbook".to_owned(),
//!     text: text.to_owned(),
//! };
//! let memories = [
//!     memory("bel_1", "Refunds go to account 44718829."),
//!     memory("bel_2", "The office opens at nine."),
//! ];
//! let shown: Vec<&Shown> = memories.iter().collect();
//! let answer = reader.answer("To which account do refunds go?", &shown)?;
//! assert_eq!(answer.text.as_deref(), Some("account 44718829"));
//! # Ok::<(), immune_attribution::Unanswered>(())
//! ```

mod command;
mod model;
mod reader;

pub use command::{Command, JudgeCommand};
pub use immune_attribution::{AskError, Asked, Call};
pub use model::Model;
pub use reader::Reader;
