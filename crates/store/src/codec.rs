//! The codec: how an event is written in the log, version 1 (`docs/internals/format.md`).
//!
//! `seal` and [`open_entry`] are the ways in. An entry's body is CBOR: the format, the number of
//! the event's kind, the actor, the fields, each in a fixed place. Ids, names, times and
//! polarities are in the clear: the *skeleton*, which stays for ever. Content (what a source, an
//! agent or an effect said) is sealed with one key per item and event, kept outside the log, so
//! that dropping a key destroys the content and breaks no hash.
//!
//! Invariants: what was once written decodes for ever, so numbers and places never change; a
//! body that is not exactly what this version writes is a named error, never a panic.

mod events;
mod fields;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

use immune_model::{Instant, Item, Principal, Recorded};

use crate::{Entry, Head, StoreError};
use fields::Field;
use read::Reader;
use write::Writer;

/// The format of entries that this version writes and reads.
pub const FORMAT: u32 = 1;

/// The key to the content that one event gave one item.
#[derive(Clone, PartialEq, Eq)]
pub struct ContentKey {
    /// Whose content it opens.
    pub item: Item,
    /// The key; random, never used for anything else.
    pub key: [u8; 32],
}

impl fmt::Debug for ContentKey {
    /// Without the key: what is printed ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentKey({})", self.item)
    }
}

/// Why an entry cannot be read, although its hash is right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Another version wrote it.
    #[error("entry {seq} has format {found}, this version reads format {known}")]
    Format {
        /// Its position.
        seq: u64,
        /// The format found.
        found: u32,
        /// The format that this version reads.
        known: u32,
    },
    /// A kind of event that this version does not know.
    #[error("entry {seq} holds an event of kind {number}, which this version does not know")]
    UnknownEvent {
        /// Its position.
        seq: u64,
        /// The number of the kind.
        number: u32,
    },
    /// It is not what a codec of this format writes.
    #[error("entry {seq} is malformed: {reason}")]
    Malformed {
        /// Its position.
        seq: u64,
        /// What is wrong.
        reason: String,
    },
    /// A value that no event can hold: an id 0, a trust above 1, an empty name.
    #[error("entry {seq} holds an impossible value: {reason}")]
    Value {
        /// Its position.
        seq: u64,
        /// What is wrong.
        reason: String,
    },
    /// Bytes are left after the event.
    #[error("entry {seq} has {found} bytes after its event")]
    Trailing {
        /// Its position.
        seq: u64,
        /// How many.
        found: usize,
    },
    /// The key to its content is gone.
    #[error("entry {seq} holds content of `{item}`, whose key is gone")]
    NoKey {
        /// Its position.
        seq: u64,
        /// Whose content it is.
        item: Item,
    },
    /// The key does not open the content.
    #[error("entry {seq} holds content of `{item}` that its key does not open")]
    WrongKey {
        /// Its position.
        seq: u64,
        /// Whose content it is.
        item: Item,
    },
}

/// The event of an entry, if the entry is the next after `previous`, matches its hash and decodes.
pub fn open_entry(previous: Head, entry: &Entry) -> Result<Recorded, StoreError> {
    previous.check(entry)?;
    Ok(decode(entry)?)
}

/// The body of an entry, and the keys to the content in it, sorted by item.
pub(crate) fn encode(
    recorded: &Recorded,
    fill_random: &mut dyn FnMut(&mut [u8]),
) -> (Vec<u8>, Vec<ContentKey>) {
    let Recorded {
        seq,
        at: _, // beside the body in the entry
        actor,
        event,
    } = recorded;
    let mut writer = Writer::new(*seq, events::number(event), fill_random);
    writer.array(4);
    FORMAT.put(&mut writer);
    events::number(event).put(&mut writer);
    actor.put(&mut writer);
    events::put(event, &mut writer);
    writer.finish()
}

/// Whether an entry decodes to this event.
pub(crate) fn reads_back(entry: &Entry, recorded: &Recorded) -> bool {
    decode(entry).as_ref() == Ok(recorded)
}

/// The event of an entry; its hash is the caller's to check.
fn decode(entry: &Entry) -> Result<Recorded, DecodeError> {
    let mut reader = Reader::new(entry);
    reader.array(4)?;
    let found = u32::get(&mut reader)?;
    if found != FORMAT {
        return Err(DecodeError::Format {
            seq: entry.seq,
            found,
            known: FORMAT,
        });
    }
    let number = u32::get(&mut reader)?;
    reader.of_event(number);
    let actor = Principal::get(&mut reader)?;
    let event = events::get(number, &mut reader)?;
    reader.finish()?;
    let at = Instant::from_micros(entry.at).ok_or_else(|| DecodeError::Value {
        seq: entry.seq,
        reason: format!("`{}` is no moment", entry.at),
    })?;
    Ok(Recorded {
        seq: entry.seq,
        at,
        actor,
        event,
    })
}
