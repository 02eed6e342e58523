//! The embedded default: one SQLite file, any number of memories in it.
//!
//! For the composition roots (CLI, Python), which hand it to the engine as a [`Store`]. The file
//! opens in any tool that reads SQLite; its tables are the projections, and `active_beliefs` is
//! what may be read. Any number of threads and processes may use one file.
//!
//! Invariants: the log, its keys and the projections change in one transaction, which is on disk
//! when [`Store::append`] returns; every statement names the memory that it is about; readers
//! never wait for a writer.

mod backup;
mod failure;
mod log;
mod open;
mod pool;
mod projection;
mod schema;
mod side;
mod statements;
mod wait;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use immune_model::MemoryName;
use immune_store::chain::assert_follows;
use immune_store::{
    Batch, Entry, Head, PartPlanner, Planner, Row, SideFile, Store, StoreError, Table,
};
use rusqlite::Connection;

use failure::{Failure, engine};
use pool::{Readers, Writer};
use wait::Deadline;

/// How to open a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long a call waits for other writers before it is [`StoreError::Busy`].
    pub timeout: Duration,
    /// Whether an absent or empty file becomes a store.
    pub create: bool,
}

impl Default for SqliteOptions {
    /// Ten seconds, and a new file where there is none.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            create: true,
        }
    }
}

/// Memories in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    given: PathBuf,
    file: PathBuf,
    timeout: Duration,
    writer: Writer,
    readers: Readers,
}

impl SqliteStore {
    /// Opens the store in this file, or makes one if the options say so.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let deadline = Deadline::after(options.timeout);
        let file = open::find(path, options)?;
        let writer = open::open(path, &file, options, deadline)?;
        Ok(Self {
            given: path.to_owned(),
            file: file.clone(),
            timeout: options.timeout,
            writer: Writer::new(writer),
            readers: Readers::new(file),
        })
    }

    /// Copies the store as it is at this moment to a new file, while others read and write on. The
    /// copy is whole and on disk, or it is not there. `progress` is told the pages copied so far,
    /// and how many there are.
    pub fn back_up(
        &self,
        path: &Path,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), StoreError> {
        self.reading("back up the store", |connection| {
            // The first statement fixes the moment.
            log::memories(connection)?;
            backup::back_up(connection, path, progress)
        })
    }

    /// Where a side file of a memory is, if it was ever written to.
    fn side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<PathBuf>, StoreError> {
        let found = self.reading("find the memory", |connection| {
            log::find(connection, memory)
        })?;
        Ok(found.map(|found| side::path(&self.file, which, found.id)))
    }

    /// What `read` makes of one snapshot of the file.
    fn reading<T>(
        &self,
        operation: &'static str,
        mut read: impl FnMut(&Connection) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let deadline = Deadline::after(self.timeout);
        deadline.wait_for(operation, || {
            self.readers.with(|connection| {
                // One statement is a snapshot by itself, several need the transaction.
                let transaction = connection.unchecked_transaction()?;
                let value = read(&transaction)?;
                transaction.commit()?;
                Ok(value)
            })
        })
    }

    /// What `write` makes of the file while nobody else writes; committed if it says so.
    fn writing<T>(
        &self,
        operation: &'static str,
        write: impl FnOnce(&Connection) -> Result<(T, Outcome), Failure>,
    ) -> Result<T, StoreError> {
        let deadline = Deadline::after(self.timeout);
        let connection = self.writer.take(deadline)?;
        deadline.wait_for(operation, || {
            // Asking for the write lock first: a transaction that begins by reading could not
            // write any more once another process wrote (SQLITE_BUSY_SNAPSHOT).
            Ok(connection.execute_batch("BEGIN IMMEDIATE")?)
        })?;
        let (value, outcome) = write(&connection).map_err(|failure| {
            let seconds = deadline.seconds();
            failure.into_store_error(operation, seconds)
        })?;
        match outcome {
            Outcome::Commit => deadline.wait_for(operation, || {
                // The log is on disk once this returns: `synchronous` is FULL.
                Ok(connection.execute_batch("COMMIT")?)
            })?,
            // Returning the connection rolls back.
            Outcome::Discard => {}
        }
        Ok(value)
    }
}

/// What becomes of a write.
enum Outcome {
    /// It is committed.
    Commit,
    /// There is nothing to commit.
    Discard,
}

impl Store for SqliteStore {
    fn describe(&self) -> String {
        format!("sqlite {}", self.given.display())
    }

    fn memories(&self) -> Result<Vec<MemoryName>, StoreError> {
        self.reading("list the memories", log::memories)
    }

    fn head(&self, memory: &MemoryName) -> Result<Head, StoreError> {
        self.reading("read the head", |connection| {
            Ok(log::find(connection, memory)?.map_or_else(Head::default, |found| found.head))
        })
    }

    fn read(
        &self,
        memory: &MemoryName,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.reading("read the log", |connection| {
            match log::find(connection, memory)? {
                Some(found) => log::entries(connection, found.id, after, limit),
                None => Ok(Vec::new()),
            }
        })
    }

    fn append(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: Planner<'_>,
    ) -> Result<Head, StoreError> {
        self.append_parts(memory, known, &mut |tail, put| match plan(tail) {
            Some(batch) => put(batch).map(|()| true),
            None => Ok(false),
        })
    }

    fn append_parts(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: PartPlanner<'_>,
    ) -> Result<Head, StoreError> {
        const APPEND: &str = "append to the log";
        self.writing(APPEND, |connection| {
            let found = log::find(connection, memory)?;
            let head = found.map_or_else(Head::default, |found| found.head);
            let tail = if let Some(found) = found {
                log::tail(connection, found, known)?
            } else {
                head.check_known(known, None)?;
                Vec::new()
            };
            let (mut end, mut id) = (head, found.map(|it| it.id));
            let mut n_rows = 0;
            let mut put = |Batch { entries, rows }: Batch| -> Result<(), Failure> {
                let before = n_rows;
                n_rows += rows.len();
                if before < schema::LARGE_APPEND_ROWS && n_rows >= schema::LARGE_APPEND_ROWS {
                    connection.execute_batch(schema::LARGE_APPEND_PRAGMAS)?;
                }
                end = assert_follows(end, &entries);
                assert!(
                    end != head || rows.is_empty(),
                    "projections change with the log only"
                );
                if end == head {
                    return Ok(());
                }
                let id = match id {
                    Some(id) => id,
                    None => *id.insert(log::create(connection, memory)?),
                };
                log::append(connection, id, &entries, end)?;
                projection::put(connection, id, &rows)
            };
            let mut put = |batch| put(batch).map_err(|it| it.into_store_error(APPEND, 0));
            let planned = plan(&tail, &mut put);
            if n_rows >= schema::LARGE_APPEND_ROWS {
                connection.execute_batch(schema::WRITER_PRAGMAS_IN_USE)?;
            }
            let keeps = planned?;
            let outcome = if keeps && end != head {
                Outcome::Commit
            } else {
                Outcome::Discard
            };
            let after = if keeps { end } else { head };
            Ok((after, outcome))
        })
    }

    fn rows(
        &self,
        memory: &MemoryName,
        table: Table,
        after: Option<[i64; 2]>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError> {
        self.reading("read a projection", |connection| {
            match log::find(connection, memory)? {
                Some(found) => projection::page(connection, found.id, table, after, limit),
                None => Ok(Vec::new()),
            }
        })
    }

    fn replace_rows(
        &self,
        memory: &MemoryName,
        known: Head,
        rows: &[Row],
    ) -> Result<bool, StoreError> {
        self.writing("replace the projections", |connection| {
            let Some(found) = log::find(connection, memory)? else {
                assert!(rows.is_empty(), "a memory without a log has no projections");
                return Ok((known == Head::default(), Outcome::Discard));
            };
            if found.head != known {
                return Ok((false, Outcome::Discard));
            }
            projection::clear(connection, found.id)?;
            projection::put(connection, found.id, rows)?;
            Ok((true, Outcome::Commit))
        })
    }

    fn read_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self
            .side_file(memory, which)?
            .and_then(|path| side::read(&path)))
    }

    fn replace_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<bool, StoreError> {
        let Some(path) = self.side_file(memory, which)? else {
            return Ok(false);
        };
        let replaced = side::replace(&path, write);
        let failed = |it: io::Error| engine("keep a side file", it.to_string());
        replaced.map(|()| true).map_err(failed)
    }

    fn read_side_file_end(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        Ok(self
            .side_file(memory, which)?
            .and_then(|path| side::read_end(&path)))
    }

    fn hold_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        work: &mut dyn FnMut(),
    ) -> Result<bool, StoreError> {
        let Some(path) = self.side_file(memory, which)? else {
            return Ok(false);
        };
        let failed = |it: io::Error| engine("hold a side file", it.to_string());
        let lock = side::lock_of(&path).map_err(failed)?;
        Deadline::after(self.timeout).wait_until(|| lock.try_lock().is_ok())?;
        work();
        // Whoever drops it lets it go.
        drop(lock);
        Ok(true)
    }

    fn remove_side_file(&self, memory: &MemoryName, which: SideFile) -> Result<(), StoreError> {
        let failed = |it: io::Error| engine("remove a side file", it.to_string());
        match self.side_file(memory, which)? {
            Some(path) => side::remove(&path).map_err(failed),
            None => Ok(()),
        }
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.reading("check the file", open::check)
    }
}
