//! The life of an item.

use serde::Serialize;

use crate::stream::Transition;
use crate::value::ids;

/// What happened to an item, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct History {
    /// Which item.
    pub item: String,
    /// The events that name it or moved it.
    pub events: Vec<Happened>,
}

/// One event in the life of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Happened {
    /// Position in the log.
    pub seq: u64,
    /// When it was appended.
    pub at: String,
    /// Who asked for it: `agent:support-bot`.
    pub actor: String,
    /// The kind of event.
    pub event: &'static str,
    /// What came out, where the event says so: what held a belief that was tested again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'static str>,
    /// The items that it names.
    pub items: Vec<String>,
    /// What the item passed through in it.
    pub transitions: Vec<Transition>,
}

impl History {
    /// The view of a history.
    pub fn of(item: immune_model::Item, history: &[immune_engine::Happened]) -> Self {
        Self {
            item: item.to_string(),
            events: history.iter().map(Happened::of).collect(),
        }
    }
}

impl Happened {
    fn of(happened: &immune_engine::Happened) -> Self {
        let actor = &happened.actor;
        Self {
            seq: happened.seq,
            at: happened.at.to_string(),
            actor: format!("{}:{}", actor.role.name(), actor.name),
            event: happened.event,
            result: happened.result,
            items: ids(&happened.items),
            transitions: happened.transitions.iter().map(Into::into).collect(),
        }
    }
}
