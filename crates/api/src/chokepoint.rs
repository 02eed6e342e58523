//! Chokepoints: where all that leads from one item to another passes.

use immune_engine::reason::question::{Chokepoint as Found, Fewest as Inner, Size};
use immune_model::Item;
use serde::Serialize;

use crate::value::ids;

/// Where all that leads from an item to another passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chokepoint {
    /// The origin.
    pub from: String,
    /// The target.
    pub to: String,
    /// Observations and beliefs on some path, the ends left out.
    pub between: usize,
    /// Those of them that lie on every path, the nearest to the origin first.
    pub shared: Vec<String>,
    /// If there is none: the fewest that meet every path; nothing if a path has none between.
    pub cut: Option<Fewest>,
    /// The first of `shared` without which the target falls.
    pub falls_without: Option<String>,
    /// Whether the target falls without the last of `shared`, or without the cut.
    pub falls: bool,
    /// If not: observations that it stands on then, which do not come from the origin.
    pub stands_on: Vec<String>,
    /// Whether it falls without the origin itself.
    pub falls_without_origin: bool,
    /// The fewest memories without which it falls, wherever they are.
    pub takedown: Fewest,
}

/// A smallest set of memories, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fewest {
    /// The members.
    pub members: Vec<String>,
    /// Fewer than so many do not suffice.
    pub at_least: usize,
    /// `smallest`; `verified_minimal` if none can be left out; `unknown` if the budget was spent.
    pub size: &'static str,
}

impl Chokepoint {
    /// The view of what was found.
    pub fn of(from: Item, to: Item, found: &Found) -> Self {
        Self {
            from: from.to_string(),
            to: to.to_string(),
            between: found.n_between,
            shared: ids(&found.shared),
            cut: found.cut.as_ref().map(Fewest::from),
            falls_without: found.falls_without.map(|it| it.to_string()),
            falls: found.falls,
            stands_on: ids(&found.stands_on),
            falls_without_origin: found.falls_without_origin,
            takedown: Fewest::from(&found.takedown),
        }
    }
}

impl From<&Inner> for Fewest {
    fn from(fewest: &Inner) -> Self {
        Self {
            members: ids(&fewest.members),
            at_least: fewest.at_least,
            size: match fewest.size {
                Size::Smallest => "smallest",
                Size::Minimal => "verified_minimal",
                Size::Unknown => "unknown",
            },
        }
    }
}
