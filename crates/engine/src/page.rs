//! Pages of one answer: the next one is from the memory as the first one saw it.
//!
//! What is written, expires or is refuted in between moves nothing from one page to another. The
//! invariant: all pages of an answer together hold each of its items once.

use std::fmt;
use std::str::FromStr;

use immune_model::{Event, Instant};
use immune_store::{Head, open_entry};

use crate::memory::Snapshot;
use crate::past::{PastError, When};
use crate::session::Session;

/// Entries that are looked at for whether anything but reading happened.
const ENTRIES_MAX: usize = 256;

/// Where the next page of an answer begins. As text `SEQ.MICROSECONDS.OFFSET`; its parts are no
/// promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The event up to which the answer knows the log.
    pub seq: u64,
    /// The time as of which it was asked.
    pub at: Instant,
    /// Facts, and notes, on earlier pages.
    pub offset: usize,
}

/// A word that is no page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no place in an answer")]
pub struct PageError {
    /// The word as it was given.
    pub word: String,
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seq, at, offset } = self;
        write!(f, "{seq}.{}.{offset}", at.micros())
    }
}

impl FromStr for Page {
    type Err = PageError;

    fn from_str(word: &str) -> Result<Self, PageError> {
        let parse = || {
            let mut parts = word.split('.');
            let seq = parts.next()?.parse().ok()?;
            let at = Instant::from_micros(parts.next()?.parse().ok()?)?;
            let offset = parts.next()?.parse().ok()?;
            parts.next().is_none().then_some(Self { seq, at, offset })
        };
        parse().ok_or_else(|| PageError {
            word: word.to_owned(),
        })
    }
}

impl Session {
    /// The memory as the answer saw it that this page is of.
    pub(crate) fn snapshot_of(&self, page: Page) -> Result<Snapshot, PastError> {
        let latest = self.snapshot()?;
        let seq = latest.state().seq();
        if seq == page.seq || (seq > page.seq && self.only_reads_since(page.seq, latest.head())?) {
            return Ok(latest);
        }
        self.memory.snapshot_at(When::Seq(page.seq))
    }

    /// Whether nothing but reading was written down after an event: that changes no answer.
    fn only_reads_since(&self, seq: u64, last: Head) -> Result<bool, PastError> {
        let after = last.seq - seq;
        if seq == 0 || after > ENTRIES_MAX as u64 {
            return Ok(false);
        }
        let (name, store) = (&self.memory.shared.name, &self.memory.shared.parts.store);
        let entries = store.read(name, seq - 1, ENTRIES_MAX + 1);
        let entries = entries.map_err(crate::error::OpenError::from)?;
        let Some((first, rest)) = entries.split_first() else {
            return Ok(false);
        };
        let mut head = Head {
            seq: first.seq,
            hash: first.hash,
        };
        for entry in rest.iter().take_while(|it| it.seq <= last.seq) {
            let recorded = open_entry(head, entry).map_err(crate::error::OpenError::from)?;
            // What an agent is shown caps what it writes later, and nothing that is there.
            if !matches!(recorded.event, Event::Shown { .. }) {
                return Ok(false);
            }
            head = Head {
                seq: entry.seq,
                hash: entry.hash,
            };
        }
        Ok(head.seq == last.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_back_and_what_is_none_is_refused() {
        let page = Page {
            seq: 42,
            at: "2026-08-13T13:30:00Z".parse().expect("it is a time"),
            offset: 10,
        };
        assert_eq!(page.to_string().parse(), Ok(page));
        for word in ["", "42", "1.2", "1.2.3.4", "a.b.c", "1.2.-3", "-1.2.3"] {
            assert!(word.parse::<Page>().is_err(), "{word}");
        }
    }
}
