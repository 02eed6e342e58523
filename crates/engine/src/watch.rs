//! `watch`: the change stream. Each transition is announced once, under a cursor that resumes.

use std::fmt;
use std::str::FromStr;
use std::sync::PoisonError;
use std::time::Duration;

use immune_model::{Instant, Item};
use immune_store::{Cell, Row, Table, pack};

use crate::error::OpenError;
use crate::session::Session;

/// Runs of transitions that are read at a time.
const RUNS_OF_A_PAGE: usize = 64;

/// A place in the change stream: the event, and the position among its transitions. Written as
/// `12.0`; it is the resume token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cursor {
    /// The event of the log.
    pub seq: u64,
    /// The place among its transitions.
    pub position: u32,
}

/// A word that is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no resume token; tokens look like `12.0`")]
pub struct CursorError {
    /// The word as it was given.
    pub word: String,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.position)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(word: &str) -> Result<Self, CursorError> {
        let parsed = word.split_once('.').and_then(|(seq, position)| {
            let cursor = Self {
                seq: seq.parse().ok()?,
                position: position.parse().ok()?,
            };
            // Only a place that the stream can have: positions are signed 64-bit in stores.
            i64::try_from(cursor.seq).is_ok().then_some(cursor)
        });
        parsed.ok_or_else(|| CursorError {
            word: word.to_owned(),
        })
    }
}

/// One announcement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Where it is; resume after it with this.
    pub cursor: Cursor,
    /// When it happened.
    pub at: Instant,
    /// What passed from one condition to another.
    pub item: Item,
    /// What is announced: `status` or `reputation`.
    pub change: String,
    /// The condition before; nothing for what is new.
    pub before: Option<String>,
    /// The condition after.
    pub after: String,
    /// The item that caused it, if it is another one.
    pub cause: Option<Item>,
}

impl Session {
    /// At most `limit` transitions after a cursor, in order; from the beginning without one.
    pub fn transitions(
        &self,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<Vec<Transition>, OpenError> {
        self.snapshot()?;
        let shared = &self.memory.shared;
        let cursor = after;
        // A run is found by its last position: the one in which the cursor stands comes first.
        let after = after.map(|it| {
            [
                i64::try_from(it.seq).unwrap_or(i64::MAX),
                it.position.into(),
            ]
        });
        let mut found: Vec<Transition> = Vec::new();
        let mut at = after;
        while found.len() < limit {
            let store = &shared.parts.store;
            let rows = store.rows(&shared.name, Table::TransitionRun, at, RUNS_OF_A_PAGE)?;
            for run in rows.iter().filter_map(Run::of) {
                let left = limit - found.len();
                found.extend(run.after(cursor).take(left));
            }
            at = rows.last().map(Row::key);
            if rows.len() < RUNS_OF_A_PAGE {
                break;
            }
        }
        Ok(found)
    }

    /// Waits until the memory has changed since event `seq`, or the time is up. Writes of this
    /// process wake it at once, those of others when the store is looked at again.
    pub fn wait_for_change(&self, seq: u64, at_most: Duration) -> Result<bool, OpenError> {
        let shared = &self.memory.shared;
        if self.snapshot()?.head().seq > seq {
            return Ok(true);
        }
        let published = shared
            .published
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (published, _) = shared
            .publish
            .wait_timeout_while(published, at_most, |published| *published <= seq)
            .unwrap_or_else(PoisonError::into_inner);
        drop(published);
        Ok(self.snapshot()?.head().seq > seq)
    }
}

/// A row of the change stream: transitions of one kind of item that are alike.
pub(crate) struct Run {
    first: Transition,
    numbers: Vec<u32>,
}

impl Run {
    /// The run in a row; nothing if it is not one that this version writes.
    pub(crate) fn of(row: &Row) -> Option<Self> {
        let [
            Cell::Int(seq),
            Cell::Int(_),
            Cell::Int(first),
            Cell::Int(at),
            Cell::Text(kind),
            Cell::Text(items),
            Cell::Text(change),
            before,
            Cell::Text(after),
            cause,
        ] = row.cells.as_slice()
        else {
            return None;
        };
        let words = |cell: &Cell| match cell {
            Cell::Text(text) => Some(text.to_string()),
            Cell::Null | Cell::Int(_) => None,
        };
        let numbers = pack::numbers_in(items)?;
        let first = Transition {
            cursor: Cursor {
                seq: u64::try_from(*seq).ok()?,
                position: u32::try_from(*first).ok()?,
            },
            at: Instant::from_micros(*at)?,
            item: Item::from_parts(kind, *numbers.first()?)?,
            change: change.to_string(),
            before: words(before),
            after: after.to_string(),
            cause: words(cause).and_then(|it| it.parse().ok()),
        };
        Some(Self { first, numbers })
    }

    /// The transitions that follow a cursor, in order.
    pub(crate) fn after(&self, cursor: Option<Cursor>) -> impl Iterator<Item = Transition> {
        let all = self.places().filter(move |it| Some(it.0) > cursor);
        all.filter_map(|(cursor, number)| self.at(cursor, number))
    }

    /// The transitions of one item, in order.
    pub(crate) fn of_item(&self, item: Item) -> impl Iterator<Item = Transition> {
        let is_kind = self.first.item.prefix() == item.prefix();
        let of_item = self
            .places()
            .filter(move |it| is_kind && it.1 == item.number());
        of_item.filter_map(|(cursor, number)| self.at(cursor, number))
    }

    fn places(&self) -> impl Iterator<Item = (Cursor, u32)> {
        let Cursor { seq, position } = self.first.cursor;
        let numbers = (0..).zip(self.numbers.iter().copied());
        numbers.map(move |(place, number)| {
            let position = position.saturating_add(place);
            (Cursor { seq, position }, number)
        })
    }

    fn at(&self, cursor: Cursor, number: u32) -> Option<Transition> {
        Some(Transition {
            cursor,
            item: Item::from_parts(self.first.item.prefix(), number)?,
            ..self.first.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_from_its_token() {
        let cursor = Cursor {
            seq: 12,
            position: 3,
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for word in [
            "",
            "12",
            "12.",
            ".1",
            "a.b",
            "-1.0",
            "9223372036854775808.0",
        ] {
            assert!(word.parse::<Cursor>().is_err(), "{word}");
        }
    }
}
