//! Why a memory was not moved.

use std::io;

use immune_model::{MemoryName, NameError};
use immune_reason::plan::Forbidden;
use immune_store::StoreError;

/// Why a memory was not written as a stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The principal is no operator.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The store refused, or its log is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stream cannot be written.
    #[error("the stream cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Why a memory was not taken up from a stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The principal is no operator.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The store refused, or an entry is not what its hash says.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stream cannot be read.
    #[error("the stream cannot be read: {0}")]
    Read(io::Error),
    /// It does not begin as one.
    #[error("this is no memory that was exported: {reason}")]
    NotAnExport {
        /// In which way.
        reason: String,
    },
    /// It ends too early.
    #[error("the stream is cut off after {events} events, at byte {at}")]
    CutOff {
        /// How many events came before.
        events: u64,
        /// Where it ends.
        at: u64,
    },
    /// Something in it is not what stands there.
    #[error("the stream is damaged at byte {at}: {reason}")]
    Damaged {
        /// Where.
        at: u64,
        /// In which way.
        reason: String,
    },
    /// Its checksum says that it was altered.
    #[error("the stream was altered: its checksum is another one")]
    Checksum,
    /// It says another head than its entries have.
    #[error("the stream ends at event {said}, its entries at event {found}, or with another hash")]
    OtherHead {
        /// The position that it says.
        said: u64,
        /// The position of its last entry.
        found: u64,
    },
    /// An event that is no planner's.
    #[error("entry {seq} matches its hash and cannot follow those before it")]
    Impossible {
        /// Its position.
        seq: u64,
    },
    /// The name in it is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is something already.
    #[error("memory `{name}` is not empty")]
    NotEmpty {
        /// Its name.
        name: MemoryName,
    },
}
