//! `as_of`: what was believed then. The log up to there, folded again, by event time.

use std::fmt;
use std::str::FromStr;

use immune_model::Instant;
use immune_store::{Head, open_entry};

use crate::committed::Committed;
use crate::error::OpenError;
use crate::memory::{Memory, Snapshot};
use crate::session::Session;

/// Entries read at a time.
const PAGE: usize = 4096;

/// A moment of a memory's past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// After this event of the log; 0 is before the first.
    Seq(u64),
    /// After the last event that had happened by then.
    Time(Instant),
}

/// A word that is no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` is no event number, no time with a zone and no date; write `42`, \
     `2026-08-13T13:30:00Z` or `2026-08-13`"
)]
pub struct WhenError {
    /// The word as it was given.
    pub word: String,
}

/// Why the past is not to be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PastError {
    /// The memory is not to be had at all.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A time that has not come.
    #[error("`{asked}` is to come, it is `{now}` now")]
    ToCome {
        /// Which time was asked for.
        asked: Instant,
        /// The time now, or of the last event if that is later.
        now: Instant,
    },
    /// An event that has not happened.
    #[error("event {asked} has not happened, the log ends at event {last}")]
    NotYet {
        /// Which event was asked for.
        asked: u64,
        /// The last one.
        last: u64,
    },
}

impl FromStr for When {
    type Err = WhenError;

    fn from_str(word: &str) -> Result<Self, WhenError> {
        let word = word.trim();
        let seq = word.parse().ok().map(Self::Seq);
        let time = || time_of(word).map(Self::Time);
        seq.or_else(time).ok_or_else(|| WhenError {
            word: word.to_owned(),
        })
    }
}

/// A time as people write it: with a zone, or a date alone for its midnight in UTC.
pub fn time_of(word: &str) -> Option<Instant> {
    let is_date = word.len() == 10 && word.bytes().all(|it| it.is_ascii_digit() || it == b'-');
    let midnight = || format!("{word}T00:00:00Z").parse().ok();
    word.parse()
        .ok()
        .or_else(|| is_date.then(midnight).flatten())
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seq(seq) => write!(f, "event {seq}"),
            Self::Time(time) => time.fmt(f),
        }
    }
}

impl Memory {
    /// The state as it was then. Reads the log from its beginning to there.
    pub fn snapshot_at(&self, when: When) -> Result<Snapshot, PastError> {
        // What expired since the last event is in the log before it is looked at.
        let latest = self.snapshot()?;
        let last = latest.head();
        if let When::Time(asked) = when {
            let now = self.shared.parts.clock.now();
            let now = latest.state().at().map_or(now, |it| it.max(now));
            if asked > now {
                return Err(PastError::ToCome { asked, now });
            }
        }
        if let When::Seq(asked) = when
            && asked > last.seq
        {
            return Err(PastError::NotYet {
                asked,
                last: last.seq,
            });
        }
        let past = self.go_on(Committed::default(), when, last)?;
        Ok(Snapshot::of(past))
    }

    /// The state after an event, from an earlier one of the same memory.
    pub(crate) fn snapshot_from(
        &self,
        earlier: &Snapshot,
        seq: u64,
    ) -> Result<Snapshot, PastError> {
        let last = self.snapshot()?.head();
        let past = Committed::clone(&earlier.committed);
        Ok(Snapshot::of(self.go_on(past, When::Seq(seq), last)?))
    }

    /// Folds what the log says from there until then.
    fn go_on(&self, mut past: Committed, when: When, last: Head) -> Result<Committed, OpenError> {
        let (name, store) = (&self.shared.name, &self.shared.parts.store);
        while past.head.seq < last.seq {
            let entries = store.read(name, past.head.seq, PAGE)?;
            for entry in &entries {
                let later = match when {
                    When::Seq(asked) => entry.seq > asked,
                    When::Time(asked) => entry.at > asked.micros(),
                };
                if later {
                    return Ok(past);
                }
                past.state.apply(&open_entry(past.head, entry)?);
                past.head = Head {
                    seq: entry.seq,
                    hash: entry.hash,
                };
            }
            past.state.take_changes();
            if entries.is_empty() {
                break;
            }
        }
        Ok(past)
    }
}

impl Session {
    /// A session that sees the memory as it was then. What it writes is kept nowhere.
    pub fn at(&self, when: When) -> Result<Self, PastError> {
        let asked = match when {
            When::Time(asked) => Some(asked),
            When::Seq(_) => None,
        };
        Ok(self.preview_of(self.memory.snapshot_at(when)?, asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_an_event_a_time_or_a_date() {
        let midnight = When::Time("2026-08-13T00:00:00Z".parse().unwrap());
        for (word, when) in [
            ("42", When::Seq(42)),
            (" 42 ", When::Seq(42)),
            ("2026-08-13", midnight),
            ("2026-08-13T02:00:00+02:00", midnight),
        ] {
            assert_eq!(word.parse(), Ok(when), "{word}");
        }
        for word in [
            "",
            "-1",
            "tomorrow",
            "2026-08-13T13:30",
            "2026-02-30",
            "20260813T",
        ] {
            assert!(word.parse::<When>().is_err(), "{word}");
        }
    }
}
