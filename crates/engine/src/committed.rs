//! From stored entries to events, and from events to a state.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use immune_model::{MemoryName, Recorded};
use immune_reason::State;
use immune_store::{Entry, Head, Store, open_entry};

use crate::error::OpenError;

/// Entries read at a time when catching up.
const PAGE: usize = 256;
/// Pages that are read ahead of the fold.
const PAGES_AHEAD: usize = 2;
/// About how many bytes of a log take as long to fold as one transition.
const BYTES_OF_A_TRANSITION: u64 = 64;

/// A state with the place in the log up to which it is applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Committed {
    pub(crate) head: Head,
    pub(crate) state: State,
    /// About how many bytes of the log were folded since it was opened.
    pub(crate) weight: u64,
}

/// Entries that were checked and decoded.
struct Page {
    events: Vec<Recorded>,
    head: Head,
    bytes: u64,
    is_last: bool,
}

impl Page {
    fn of(mut head: Head, entries: &[Entry]) -> Result<Self, OpenError> {
        let mut events = Vec::with_capacity(entries.len());
        for entry in entries {
            events.push(open_entry(head, entry)?);
            head = head.after(entry);
        }
        Ok(Self {
            events,
            head,
            bytes: weight_of(entries),
            is_last: entries.len() < PAGE,
        })
    }

    fn read(head: Head, memory: &MemoryName, store: &dyn Store) -> Result<Self, OpenError> {
        Self::of(head, &store.read(memory, head.seq, PAGE)?)
    }
}

/// What events weigh that have so many bytes and made so many transitions.
pub(crate) fn weight(bytes: u64, transitions: usize) -> u64 {
    bytes + BYTES_OF_A_TRANSITION * transitions as u64
}

/// The bytes of entries.
pub(crate) fn weight_of(entries: &[Entry]) -> u64 {
    entries.iter().map(|it| it.body.len() as u64).sum()
}

impl Committed {
    /// Checks, decodes and applies the next entries. What they change is not kept.
    pub(crate) fn follow(&mut self, entries: &[Entry]) -> Result<(), OpenError> {
        let page = Page::of(self.head, entries)?;
        self.fold(&page);
        Ok(())
    }

    /// Catches up with the head of the store; `progress` is told the position that is reached, and
    /// that of the head, where that takes a while. What that changes is not kept.
    pub(crate) fn catch_up(
        &mut self,
        memory: &MemoryName,
        store: &Arc<dyn Store>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), OpenError> {
        let first = Page::read(self.head, memory, &**store)?;
        self.fold(&first);
        if first.is_last {
            return Ok(());
        }
        let total = store.head(memory)?.seq;
        // The next pages are read, checked and decoded while those before are folded.
        std::thread::scope(|scope| {
            let (sender, pages) = sync_channel(PAGES_AHEAD);
            let mut head = self.head;
            scope.spawn(move || {
                loop {
                    let page = Page::read(head, memory, &**store);
                    let goes_on = page.as_ref().is_ok_and(|it| !it.is_last);
                    head = page.as_ref().map_or(head, |it| it.head);
                    if sender.send(page).is_err() || !goes_on {
                        return;
                    }
                }
            });
            for page in pages {
                self.fold(&page?);
                progress(self.head.seq, total);
            }
            Ok(())
        })
    }

    fn fold(&mut self, page: &Page) {
        for event in &page.events {
            self.state.apply(event);
        }
        self.head = page.head;
        let changes = self.state.take_changes();
        self.weight += weight(page.bytes, changes.transitions.len());
    }
}
