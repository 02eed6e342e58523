//! The connections of a store: one that writes, handed from thread to thread, and some that read.
//!
//! The invariant: a connection that is given back is in no transaction.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use immune_store::StoreError;
use rusqlite::Connection;

use crate::failure::Failure;
use crate::open;
use crate::wait::Deadline;

/// Reading connections that are kept open; more are opened and closed as they are needed.
const READERS_KEPT_MAX: usize = 8;

/// The connection that writes.
pub(crate) struct Writer {
    free: Mutex<Option<Connection>>,
    returned: Condvar,
}

impl Writer {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            free: Mutex::new(Some(connection)),
            returned: Condvar::new(),
        }
    }

    /// The connection, once no other thread has it. It goes back, rolled back, when dropped.
    pub(crate) fn take(&self, deadline: Deadline) -> Result<Writing<'_>, StoreError> {
        let mut free = self.lock();
        loop {
            if let Some(connection) = free.take() {
                return Ok(Writing {
                    writer: self,
                    connection: Some(connection),
                });
            }
            let left = deadline.left().ok_or_else(|| deadline.busy())?;
            (free, _) = self
                .returned
                .wait_timeout(free, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing that holds the lock can panic halfway, so a poisoned one is whole.
    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

/// The writing connection in the hands of one thread.
pub(crate) struct Writing<'w> {
    writer: &'w Writer,
    connection: Option<Connection>,
}

impl Deref for Writing<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
            .as_ref()
            .expect("it is given back in `drop` only")
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if !self.is_autocommit() {
            // If even this is refused, the next `BEGIN` says why.
            drop(self.execute_batch("ROLLBACK"));
        }
        *self.writer.lock() = self.connection.take();
        self.writer.returned.notify_one();
    }
}

/// The connections that read.
pub(crate) struct Readers {
    file: PathBuf,
    free: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self {
            file,
            free: Mutex::new(Vec::new()),
        }
    }

    /// What `read` makes of a connection that nobody else has.
    pub(crate) fn with<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let free = self.lock().pop();
        let connection = match free {
            Some(connection) => connection,
            None => open::reader(&self.file)?,
        };
        let value = read(&connection)?;
        // Only a connection that did well is kept.
        let mut free = self.lock();
        if free.len() < READERS_KEPT_MAX {
            free.push(connection);
        }
        Ok(value)
    }

    /// As with the writer's.
    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Readers({})", self.file.display())
    }
}
