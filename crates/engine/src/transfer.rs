//! Moving a whole memory: its log with the content keys, as one stream that says when it is not
//! whole.
//!
//! ```text
//! "immune memory 1\n"                    16 bytes
//! the name of the memory                 4 bytes of length, then the characters
//! for each entry, in order:
//!     "E" seq at hash                    1, 8, 8 and 32 bytes
//!     body                               4 bytes of length, then the bytes
//!     number of keys                     4 bytes
//!     for each key: item, key            2 bytes of length and the characters, then 32 bytes
//! "H" seq hash                           1, 8 and 32 bytes: the head
//! checksum                               32 bytes: BLAKE3 over all of the above
//! ```
//!
//! Numbers stand big end first. What is imported has the same entries, hashes and keys, so its head
//! is the same; projections are made anew.

mod error;
mod stream;

use std::io::{Read, Write};
use std::panic::AssertUnwindSafe;

use immune_model::{MemoryName, Principal, Recorded, Role};
use immune_reason::State;
use immune_reason::plan::Forbidden;
use immune_store::{Batch, Entry, Head, Row, Sink, StoreError, open_entry};

use crate::memory::Engine;
use crate::projection;

pub use error::{ExportError, TransferError};
use stream::{Item, Source, Target};

/// Entries read or written at a time.
const PAGE: usize = 64;
/// Rows that are made before they are handed to the store.
const ROWS: usize = 16_384;

/// A memory that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transferred {
    /// Its name where it is now.
    pub memory: MemoryName,
    /// The events of its log.
    pub events: u64,
    /// The head of its log as hexadecimal digits.
    pub head: String,
}

impl Transferred {
    fn of(memory: &MemoryName, head: Head) -> Self {
        let digits = head.hash.iter().map(|byte| format!("{byte:02x}"));
        Self {
            memory: memory.clone(),
            events: head.seq,
            head: digits.collect(),
        }
    }
}

impl Engine {
    /// Writes a memory as a stream, for an operator: its log up to now, keys included. `progress`
    /// is told the events so far, and how many there are.
    pub fn export_memory(
        &self,
        principal: &Principal,
        name: &MemoryName,
        to: &mut dyn Write,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Transferred, ExportError> {
        Forbidden::check(principal, Role::Operator, "export a memory")?;
        let store = &self.parts.store;
        let end = store.head(name)?;
        if end.seq == 0 {
            let name = name.clone();
            return Err(StoreError::NoMemory { name }.into());
        }
        let mut target = Target::new(to, name)?;
        let mut head = Head::default();
        while head.seq < end.seq {
            let left = usize::try_from(end.seq - head.seq).unwrap_or(usize::MAX);
            let entries = store.read(name, head.seq, left.min(PAGE))?;
            if entries.is_empty() {
                let seq = head.seq + 1;
                return Err(StoreError::from(immune_store::ChainError::Missing { seq }).into());
            }
            for entry in &entries {
                // What cannot be read here could not be imported there.
                open_entry(head, entry)?;
                head = head.after(entry);
                target.entry(entry)?;
            }
            progress(head.seq, end.seq);
        }
        target.finish(head)?;
        Ok(Transferred::of(name, head))
    }

    /// Takes up a memory from a stream, for an operator, all of it or nothing, into one that is
    /// empty: `into`, or the one that the stream names. `progress` is told the events so far.
    pub fn import_memory(
        &self,
        principal: &Principal,
        from: &mut dyn Read,
        into: Option<&MemoryName>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Transferred, TransferError> {
        Forbidden::check(principal, Role::Operator, "import a memory")?;
        let mut source = Source::new(from)?;
        let name = into.unwrap_or(source.name()).clone();
        let store = &self.parts.store;
        if store.head(&name)?.seq > 0 {
            return Err(TransferError::NotEmpty { name });
        }
        let mut failed = None;
        let head = store.append_parts(&name, Head::default(), &mut |tail, put| {
            let taken = if tail.is_empty() {
                take_up(&mut source, put, progress)
            } else {
                Err(TransferError::NotEmpty { name: name.clone() })
            };
            Ok(taken.map_err(|error| failed = Some(error)).is_ok())
        })?;
        match failed {
            Some(error) => Err(error),
            None => Ok(Transferred::of(&name, head)),
        }
    }
}

/// Checks, replays and hands over every entry, then the projections.
fn take_up(
    source: &mut Source<'_>,
    put: Sink<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<(), TransferError> {
    let (mut state, mut head) = (State::new(), Head::default());
    loop {
        let (mut entries, mut rows, mut end) = (Vec::new(), Vec::new(), None);
        while entries.len() < PAGE && end.is_none() {
            match source.next()? {
                Item::Entry(entry) => {
                    let recorded = open_entry(head, &entry)?;
                    apply(&mut state, &recorded)?;
                    head = head.after(&entry);
                    let changes = state.take_changes();
                    rows.extend(projection::runs(&changes.transitions));
                    entries.push(entry);
                }
                Item::End(found) => end = Some(found),
            }
        }
        hand_over(entries, rows, put)?;
        progress(head.seq);
        if let Some(found) = end {
            if found != head || head.seq == 0 {
                return Err(TransferError::OtherHead {
                    said: found.seq,
                    found: head.seq,
                });
            }
            return put_projections(&state, put);
        }
    }
}

fn hand_over(entries: Vec<Entry>, rows: Vec<Row>, put: Sink<'_>) -> Result<(), TransferError> {
    if entries.is_empty() {
        return Ok(());
    }
    put(Batch { entries, rows })?;
    Ok(())
}

fn put_projections(state: &State, put: Sink<'_>) -> Result<(), TransferError> {
    let mut rows = Vec::new();
    projection::each_row(state, &projection::everything(state), &mut |row| {
        rows.push(row);
        if rows.len() < ROWS {
            return Ok(());
        }
        let rows = std::mem::take(&mut rows);
        let entries = Vec::new();
        put(Batch { entries, rows })
    })?;
    let entries = Vec::new();
    put(Batch { entries, rows })?;
    Ok(())
}

/// Applies an event that somebody else may have made up: its hash is right, and it may still be
/// none that a planner writes.
fn apply(state: &mut State, recorded: &Recorded) -> Result<(), TransferError> {
    let applied = std::panic::catch_unwind(AssertUnwindSafe(|| state.apply(recorded)));
    applied.map_err(|_| TransferError::Impossible { seq: recorded.seq })
}
