//! What can go wrong on the way to and from the log.

use std::fmt;

use immune_model::MemoryName;
use immune_store::StoreError;

/// A memory that cannot be opened or brought up to date.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A command met a state that must not be: a fault of ours. Nothing was written.
    #[error("memory `{memory}` met a state that must not be; nothing was written")]
    Broken {
        /// Which memory.
        memory: MemoryName,
    },
    /// The writer of the memory ended: it met a state that must not be.
    #[error("the writer of memory `{memory}` has stopped")]
    Stopped {
        /// Which memory.
        memory: MemoryName,
    },
}

impl OpenError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Broken { .. } => {
                Some("`immune verify` checks the log; please report it".to_owned())
            }
            Self::Stopped { .. } => {
                Some("open it again; `immune verify` checks the log".to_owned())
            }
        }
    }
}

/// A write that was not made: refused by its plan, or not accepted by the store.
#[derive(Debug)]
pub enum WriteError<E> {
    /// The plan refused it; nothing was written.
    Refused(E),
    /// The store failed; whether it was written shows after the store is back.
    Failed(OpenError),
}

impl<E: fmt::Display> fmt::Display for WriteError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for WriteError<E> {}
