//! The change stream: one object for each transition.

use serde::Serialize;

/// An item passed from one condition to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// Resume after it with this.
    pub resume: String,
    /// When it happened.
    pub at: String,
    /// What passed.
    pub item: String,
    /// What is announced: `status` or `reputation`.
    pub change: String,
    /// The condition before; nothing for what is new.
    pub before: Option<String>,
    /// The condition after.
    pub after: String,
    /// The item that caused it, if it is another one.
    pub cause: Option<String>,
}

impl From<&immune_engine::Transition> for Transition {
    fn from(transition: &immune_engine::Transition) -> Self {
        Self {
            resume: transition.cursor.to_string(),
            at: transition.at.to_string(),
            item: transition.item.to_string(),
            change: transition.change.clone(),
            before: transition.before.clone(),
            after: transition.after.clone(),
            cause: transition.cause.map(|it| it.to_string()),
        }
    }
}
