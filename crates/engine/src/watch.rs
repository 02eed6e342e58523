//! `watch`: the change stream. Each transition is announced once, under a cursor that resumes.

use std::fmt;
use std::str::FromStr;
use std::sync::PoisonError;
use std::time::Duration;

use immune_model::{Instant, Item};
use immune_store::{Cell, Row, Table};

use crate::error::OpenError;
use crate::session::Session;

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
        let after = after.map(|it| {
            [
                i64::try_from(it.seq).unwrap_or(i64::MAX),
                it.position.into(),
            ]
        });
        let rows = shared
            .parts
            .store
            .rows(&shared.name, Table::Transition, after, limit)?;
        Ok(rows.iter().filter_map(transition).collect())
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

/// A row of the change stream; nothing if it is not one that this version writes.
pub(crate) fn transition(row: &Row) -> Option<Transition> {
    let [
        Cell::Int(seq),
        Cell::Int(position),
        Cell::Int(at),
        Cell::Text(item),
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
    Some(Transition {
        cursor: Cursor {
            seq: u64::try_from(*seq).ok()?,
            position: u32::try_from(*position).ok()?,
        },
        at: Instant::from_micros(*at)?,
        item: item.parse().ok()?,
        change: change.to_string(),
        before: words(before),
        after: after.to_string(),
        cause: words(cause).and_then(|it| it.parse().ok()),
    })
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
