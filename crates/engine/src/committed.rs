//! From stored entries to events, and from events to a state.

use std::sync::Arc;

use immune_model::MemoryName;
use immune_reason::State;
use immune_store::{Entry, Head, Store, open_entry};

use crate::error::OpenError;

/// Entries read at a time when catching up.
const PAGE: usize = 4096;

/// A state with the place in the log up to which it is applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Committed {
    pub(crate) head: Head,
    pub(crate) state: State,
}

impl Committed {
    /// Checks, decodes and applies the next entries.
    pub(crate) fn follow(&mut self, entries: &[Entry]) -> Result<(), OpenError> {
        for entry in entries {
            let recorded = open_entry(self.head, entry)?;
            self.state.apply(&recorded);
            self.head = self.head.after(entry);
        }
        Ok(())
    }

    /// Catches up with the head of the store.
    pub(crate) fn catch_up(
        &mut self,
        memory: &MemoryName,
        store: &Arc<dyn Store>,
    ) -> Result<(), OpenError> {
        loop {
            let entries = store.read(memory, self.head.seq, PAGE)?;
            self.follow(&entries)?;
            if entries.len() < PAGE {
                return Ok(());
            }
        }
    }
}
