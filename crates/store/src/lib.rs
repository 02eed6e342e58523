//! The store contract: what the engine asks of a disk, and nothing about what the content means.
//!
//! A store keeps, for each memory, a log of [`Entry`]s under a hash chain, the content keys beside
//! it, and projections ([`Row`]s) that people query. [`Store::append`] is the only way to write,
//! and commits all three in one transaction. Every store passes the suite in `conformance`.

pub mod chain;
pub mod codec;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod memory;
pub mod pack;
pub mod row;

pub use chain::{ChainError, Head, seal};
pub use codec::{ContentKey, DecodeError, FORMAT, open_entry};
pub use memory::MemoryStore;
pub use row::{Cell, ColumnType, Row, Table};

use std::io::{self, Write};

use immune_model::MemoryName;

/// One event as it is stored: the skeleton in the clear, content as ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Position in the log, from 1, without gaps.
    pub seq: u64,
    /// Time of the event, in microseconds of UTC.
    pub at: i64,
    /// BLAKE3 over the predecessor's hash, `seq`, `at` and `body`.
    pub hash: [u8; 32],
    /// The encoded event, with its actor; content in it is sealed with `keys`.
    pub body: Vec<u8>,
    /// The content keys, one for each item whose content is in the body, sorted by item; kept
    /// outside the log.
    pub keys: Vec<ContentKey>,
}

/// What one commit writes.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The entries, chained onto the head that they were planned against.
    pub entries: Vec<Entry>,
    /// The rows of projections that they change; a later row of the same key wins.
    pub rows: Vec<Row>,
}

/// What a store cannot do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store was written by a version that this one does not read.
    #[error("the store has format {found}, this version reads format {known}")]
    Format {
        /// The format found.
        found: u32,
        /// The format that this version writes.
        known: u32,
    },
    /// The path holds something else.
    #[error("`{path}` is no memory store: {reason}")]
    NotAStore {
        /// Where it is.
        path: String,
        /// What is there.
        reason: String,
    },
    /// A memory that was never created.
    #[error("there is no memory `{name}` in this store")]
    NoMemory {
        /// Its name.
        name: MemoryName,
    },
    /// Other writers held the store for longer than the time limit.
    #[error("the store was busy for {seconds} s")]
    Busy {
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The log does not hold what its hashes say.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// An entry matches its hash, and yet cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The disk or the engine below refused.
    #[error("{operation}: {reason}")]
    Engine {
        /// What was asked of it.
        operation: &'static str,
        /// What it said.
        reason: String,
    },
}

impl StoreError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Format { .. } => Some("open it with the version that wrote it".to_owned()),
            Self::NotAStore { .. } => Some("name another file with `--store FILE`".to_owned()),
            Self::NoMemory { .. } => Some(
                "the first write creates it: `immune channels set inbox --tier 0.7`".to_owned(),
            ),
            Self::Busy { .. } => Some("try again, or give `--timeout` more seconds".to_owned()),
            Self::Decode(DecodeError::Format { .. } | DecodeError::UnknownEvent { .. }) => {
                Some("open it with the version that wrote it".to_owned())
            }
            Self::Chain(_) | Self::Decode(_) => {
                Some("`immune verify` lists every damaged entry".to_owned())
            }
            Self::Engine { .. } => None,
        }
    }
}

/// What may be kept beside the log of a memory. It can be made again at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideFile {
    /// The state after some event.
    State,
    /// The index of the texts up to some event.
    Index,
    /// The vectors of the texts up to some event.
    Vectors,
    /// Those of another model, until it is chosen.
    NextVectors,
    /// What the mesh learned of agents that no event says.
    Mesh,
    /// The key of the canaries of the mesh. Made again, those of earlier calls are not known.
    MeshKey,
}

impl SideFile {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::State,
        Self::Index,
        Self::Vectors,
        Self::NextVectors,
        Self::Mesh,
        Self::MeshKey,
    ];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Index => "index",
            Self::Vectors => "vectors",
            Self::NextVectors => "next-vectors",
            Self::Mesh => "mesh",
            Self::MeshKey => "mesh-key",
        }
    }
}

/// Plans what to write, given what other writers appended since the caller last looked.
///
/// Called with the store's write lock held, once per append. `tail` is empty when the known head
/// is still the head. Returning `None` appends nothing.
pub type Planner<'a> = &'a mut dyn FnMut(&[Entry]) -> Option<Batch>;

/// Takes a part of what one append writes: entries that follow those before, rows, or both.
pub type Sink<'a> = &'a mut dyn FnMut(Batch) -> Result<(), StoreError>;

/// Plans what to write as [`Planner`] does, and hands it over in parts. Answering `false`, or an
/// error, appends nothing of them.
pub type PartPlanner<'a> = &'a mut dyn FnMut(&[Entry], Sink<'_>) -> Result<bool, StoreError>;

/// A place for memories. Calls block; a store is shared between threads.
pub trait Store: Send + Sync + 'static {
    /// What it is and where, for people: `sqlite immune.db`.
    fn describe(&self) -> String;

    /// The memories in it, in the order of their names.
    fn memories(&self) -> Result<Vec<MemoryName>, StoreError>;

    /// The last entry's place; the empty head if there is no such memory.
    fn head(&self, memory: &MemoryName) -> Result<Head, StoreError>;

    /// At most `limit` entries after position `after`, in order, with their keys.
    /// The bytes are as stored; the caller checks the chain.
    fn read(&self, memory: &MemoryName, after: u64, limit: usize)
    -> Result<Vec<Entry>, StoreError>;

    /// Appends what `plan` answers, and its rows, in one transaction; durable when it returns.
    ///
    /// Takes the write lock, hands `plan` the entries after `known`, and appends the batch, whose
    /// first entry must follow the head. Returns the new head. Creates the memory on first use.
    fn append(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: Planner<'_>,
    ) -> Result<Head, StoreError>;

    /// Appends as [`Self::append`] does, all or nothing, what `plan` hands over in parts: a store
    /// that can writes each as it comes, so that an import of any size is never in memory whole.
    fn append_parts(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: PartPlanner<'_>,
    ) -> Result<Head, StoreError> {
        let mut failed = None;
        let head = self.append(memory, known, &mut |tail| {
            let mut whole = Batch::default();
            let planned = plan(tail, &mut |part| {
                whole.entries.extend(part.entries);
                whole.rows.extend(part.rows);
                Ok(())
            });
            match planned {
                Ok(true) => Some(whole),
                Ok(false) => None,
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        })?;
        failed.map_or(Ok(head), Err)
    }

    /// At most `limit` rows of a projection whose key follows `after`, in key order.
    fn rows(
        &self,
        memory: &MemoryName,
        table: Table,
        after: Option<[i64; 2]>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError>;

    /// Replaces every projection of a memory (`verify --repair`), if its head is still `known`.
    /// Returns whether it was.
    fn replace_rows(
        &self,
        memory: &MemoryName,
        known: Head,
        rows: &[Row],
    ) -> Result<bool, StoreError>;

    /// A side file of a memory: what was last kept beside the log to open it faster, if the store
    /// keeps such a thing and it is there. The bytes may be any: the caller checks them, and
    /// does without.
    fn read_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let _ = (memory, which);
        Ok(None)
    }

    /// Replaces a side file of a memory, whole or not at all, by what `write` writes; returns
    /// whether the store keeps such a thing. Never takes part in a commit.
    fn replace_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<bool, StoreError> {
        let _ = (memory, which, write);
        Ok(false)
    }

    /// The last bytes of a side file of a memory, if there is one: those who end theirs with a
    /// digest tell by it whether somebody replaced it.
    fn read_side_file_end(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        let _ = (memory, which);
        Ok(None)
    }

    /// Calls `work` while nobody else who calls this, in any process, has the side file; returns
    /// whether the store keeps such a thing, for else nothing is called. Whoever dies in it lets
    /// it go.
    fn hold_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        work: &mut dyn FnMut(),
    ) -> Result<bool, StoreError> {
        let _ = (memory, which, work);
        Ok(false)
    }

    /// Removes a side file of a memory, if there is one.
    fn remove_side_file(&self, memory: &MemoryName, which: SideFile) -> Result<(), StoreError> {
        let _ = (memory, which);
        Ok(())
    }

    /// The engine's own consistency check; one line for each finding, none if it is sound.
    fn check(&self) -> Result<Vec<String>, StoreError>;
}
