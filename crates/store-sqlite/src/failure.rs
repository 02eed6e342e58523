//! What goes wrong below the contract, until it is known whether waiting helps.

use immune_store::{ChainError, StoreError};
use rusqlite::ErrorCode;

/// SQLite's error, or one that is already the contract's.
#[derive(Debug)]
pub(crate) enum Failure {
    Sqlite(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ChainError> for Failure {
    fn from(error: ChainError) -> Self {
        Self::Store(error.into())
    }
}

impl Failure {
    /// Whether another connection is in the way, and will not be for long.
    pub(crate) fn is_busy(&self) -> bool {
        // The codes cover their extended forms: recovery of a write-ahead log by another process,
        // a snapshot that was overtaken. A locking race inside SQLite is one of its protocol.
        matches!(
            self.code(),
            Some(
                ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
                    | ErrorCode::FileLockingProtocolFailed
            )
        )
    }

    /// SQLite's own code, if it is SQLite's error.
    pub(crate) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            Self::Store(_) => None,
        }
    }

    /// The contract's error, after waiting for this many seconds if it was busy.
    pub(crate) fn into_store_error(self, operation: &'static str, seconds: u64) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Sqlite(_) if self.is_busy() => StoreError::Busy { seconds },
            Self::Sqlite(error) => engine(operation, error.to_string()),
        }
    }
}

/// The contract's error for what SQLite, or the file, says.
pub(crate) fn engine(operation: &'static str, reason: impl Into<String>) -> StoreError {
    let reason = reason.into();
    StoreError::Engine { operation, reason }
}
