//! The hash chain over the log: whoever changes, drops or reorders an entry is found out.
//!
//! Anyone may call it. The invariant it keeps: the hash of entry *n* covers every stored byte of
//! entries 1 to *n*, as ciphertext, so that dropping a content key breaks no hash. What it cannot
//! find is a whole store rolled back to an older state (`docs/internals/format.md`, "Attacks").

use std::fmt;

use immune_model::Recorded;

use crate::{Entry, codec};

/// Starts every hash, so that a hash of this log is never one of anything else.
const DOMAIN: &[u8; 24] = b"immune log entry, form 1";

/// The place and hash of the last entry; position 0 and a hash of zeros before the first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// Its position; 0 before the first.
    pub seq: u64,
    /// Its hash.
    pub hash: [u8; 32],
}

/// What is wrong with a log, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// Another entry stands where the next one belongs.
    #[error("entry {found} stands in the log where entry {expected} belongs")]
    Gap {
        /// The position that comes next.
        expected: u64,
        /// The position that was found.
        found: u64,
    },
    /// An entry that the head comes after is not in the log.
    #[error("entry {seq} is missing from the log")]
    Missing {
        /// Its position.
        seq: u64,
    },
    /// An entry, its time or its predecessor is not what was written.
    #[error("entry {seq} does not match its hash")]
    Hash {
        /// Its position.
        seq: u64,
    },
    /// The log ends before an entry that was read from it.
    #[error("the log ends at entry {found}, it had reached entry {known}")]
    Rewound {
        /// The position that it had reached.
        known: u64,
        /// Where it ends.
        found: u64,
    },
    /// An entry is not the one that was read at its place before.
    #[error("entry {seq} was replaced after it was read")]
    Replaced {
        /// Its position.
        seq: u64,
    },
}

impl Head {
    /// The head once this entry, the next one, is the last. Believes the entry's hash; see
    /// [`Head::check`].
    ///
    /// # Panics
    /// When the entry is not the next one.
    pub fn after(self, entry: &Entry) -> Self {
        assert_eq!(entry.seq, self.seq + 1, "the log has no gaps");
        Self {
            seq: entry.seq,
            hash: entry.hash,
        }
    }

    /// The head once this entry is the last, if it is the next one and matches its hash.
    pub fn check(self, entry: &Entry) -> Result<Self, ChainError> {
        if self.seq.checked_add(1) != Some(entry.seq) {
            return Err(ChainError::Gap {
                expected: self.seq.saturating_add(1),
                found: entry.seq,
            });
        }
        if link(self, entry.at, &entry.body) != entry.hash {
            return Err(ChainError::Hash { seq: entry.seq });
        }
        Ok(Self {
            seq: entry.seq,
            hash: entry.hash,
        })
    }

    /// Whether a log that ends at `self`, and holds `at_known` at the place of `known`, still
    /// holds the entry that `known` names. Every store asks this before it plans or replaces.
    pub fn check_known(self, known: Self, at_known: Option<[u8; 32]>) -> Result<(), ChainError> {
        match at_known {
            _ if known.seq == 0 => Ok(()),
            None if known.seq > self.seq => Err(ChainError::Rewound {
                known: known.seq,
                found: self.seq,
            }),
            None => Err(ChainError::Missing { seq: known.seq }),
            Some(hash) if hash == known.hash => Ok(()),
            Some(_) => Err(ChainError::Replaced { seq: known.seq }),
        }
    }
}

impl fmt::Debug for Head {
    /// The position and the first bytes of the hash: enough to tell heads apart in a test.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Head({} ", self.seq)?;
        for byte in self.hash.iter().take(4) {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// Encodes, seals and chains events onto the head that they were planned against.
///
/// `fill_random` fills its argument with bytes that nobody can guess; each content key is made
/// of them.
///
/// # Panics
/// When the positions do not follow `known`, times go back, an event gives an item content twice,
/// or an event would not be read back as it is.
pub fn seal(
    known: Head,
    recorded: &[Recorded],
    fill_random: &mut dyn FnMut(&mut [u8]),
) -> Vec<Entry> {
    let mut head = known;
    let mut latest = None;
    let mut entries = Vec::with_capacity(recorded.len());
    for record in recorded {
        assert_eq!(record.seq, head.seq + 1, "positions follow the head");
        assert!(latest <= Some(record.at), "times never go back");
        latest = Some(record.at);
        let (body, keys) = codec::encode(record, fill_random);
        let at = record.at.micros();
        let hash = link(head, at, &body);
        let entry = Entry {
            seq: record.seq,
            at,
            hash,
            body,
            keys,
        };
        // What is once in the log has to be readable for ever; better no write than that one.
        assert!(
            codec::reads_back(&entry, record),
            "an event is read back as it was written"
        );
        head = head.after(&entry);
        entries.push(entry);
    }
    entries
}

/// The head once a batch is appended.
///
/// # Panics
/// When the batch does not follow `head`: its planner holds another log, and writing it would
/// break the chain for good.
pub fn assert_follows(head: Head, entries: &[Entry]) -> Head {
    entries.iter().fold(head, |head, entry| {
        head.check(entry).unwrap_or_else(|error| {
            panic!("a batch follows the head that it was planned against: {error}")
        })
    })
}

/// The hash of the entry that follows `previous`.
fn link(previous: Head, at: i64, body: &[u8]) -> [u8; 32] {
    let front: [u8; 80] = join(&[
        DOMAIN,
        &previous.hash,
        &(previous.seq + 1).to_be_bytes(),
        &at.to_be_bytes(),
        &(body.len() as u64).to_be_bytes(),
    ]);
    blake3::Hasher::new()
        .update(&front)
        .update(body)
        .finalize()
        .into()
}

/// The parts one after the other, then zeros.
///
/// # Panics
/// When the parts have more than `N` bytes.
pub(crate) fn join<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut joined = [0; N];
    let mut rest = joined.as_mut_slice();
    for part in parts {
        let (place, after) = rest.split_at_mut(part.len());
        place.copy_from_slice(part);
        rest = after;
    }
    joined
}
