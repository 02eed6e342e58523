//! Origins: who is behind an item, and which of them have to be lost.

use immune_engine::reason::{self, State};
use immune_model::Item;
use serde::Serialize;

use crate::value::SourceName;

/// Who is behind an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origins {
    /// The item.
    pub item: String,
    /// Who is behind it as a whole: of a decision or action, behind the belief with the smallest
    /// corroboration.
    #[serde(flatten)]
    pub whole: Grounded,
    /// Of a belief each justification, of a decision or action each belief it relied on.
    pub parts: Vec<Part>,
}

/// Who is behind a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The justification or belief.
    pub item: String,
    /// Who is behind it.
    #[serde(flatten)]
    pub grounded: Grounded,
}

/// Who is behind something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grounded {
    /// How many origins have to be lost before it falls; 0 if it does not stand.
    pub corroboration: u32,
    /// Whether it is that many, or at least.
    pub exact: bool,
    /// Origins whose loss takes it down: a smallest set if `exact`, else one of which none can be
    /// left out.
    pub lose: Vec<Origin>,
    /// Every origin behind it.
    pub origins: Vec<Origin>,
    /// Who speaks, and with which origins.
    pub sources: Vec<Spoken>,
}

/// An identity that counts once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// `src_3`, or `newcomers in chn_1`.
    pub origin: String,
    /// `source`, or `newcomers`: the unproven ones of a channel count as one.
    pub kind: &'static str,
    /// Its handle, if it is a source.
    pub handle: Option<String>,
    /// Its channel.
    pub channel: String,
}

/// A source behind something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spoken {
    /// Its names.
    #[serde(flatten)]
    pub name: SourceName,
    /// Its own origin and those of all that it is declared to copy.
    pub origins: Vec<String>,
}

impl Origins {
    /// The view of what was found.
    pub fn of(state: &State, item: Item, found: &reason::Origins) -> Self {
        let parts = found.parts.iter().map(|(item, grounded)| Part {
            item: item.to_string(),
            grounded: Grounded::of(state, grounded),
        });
        Self {
            item: item.to_string(),
            whole: Grounded::of(state, &found.whole),
            parts: parts.collect(),
        }
    }
}

impl Grounded {
    fn of(state: &State, grounded: &reason::Grounded) -> Self {
        let each = |list: &[reason::Origin]| list.iter().map(|it| Origin::of(state, *it)).collect();
        let sources = grounded.spoken.iter().map(|it| Spoken {
            name: SourceName::of(state, it.source),
            origins: it.origins.iter().map(|it| word(*it)).collect(),
        });
        Self {
            corroboration: grounded.corroboration.count,
            exact: grounded.corroboration.exact,
            lose: each(&grounded.lose),
            origins: each(&grounded.origins),
            sources: sources.collect(),
        }
    }
}

impl Origin {
    /// The view of an origin.
    pub fn of(state: &State, origin: reason::Origin) -> Self {
        let channel_name = |id| {
            state
                .channel(id)
                .map_or_else(String::new, |it| it.name.to_string())
        };
        match origin {
            reason::Origin::Source(id) => {
                let name = SourceName::of(state, id);
                Self {
                    origin: word(origin),
                    kind: "source",
                    handle: Some(name.handle),
                    channel: name.channel,
                }
            }
            reason::Origin::Newcomers(id) => Self {
                origin: word(origin),
                kind: "newcomers",
                handle: None,
                channel: channel_name(id),
            },
        }
    }
}

fn word(origin: reason::Origin) -> String {
    match origin {
        reason::Origin::Source(id) => id.to_string(),
        reason::Origin::Newcomers(id) => format!("newcomers in {id}"),
    }
}
