//! Opening a file: what is there, whether this version reads it, and laying out a new one.
//!
//! The file is touched through SQLite only: whoever opens and closes it by other means in this
//! process drops the locks of every connection in the process (a trait of POSIX file locks).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use immune_store::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::failure::{Failure, engine};
use crate::wait::Deadline;
use crate::{SqliteOptions, schema, statements};

const OPEN: &str = "open the store";
const NO_SQLITE: &str = "it is no SQLite file";

/// The absolute path of a file that is a store, or may become one.
///
/// Absolute, because SQLite reads `:memory:`, `file:…` and the empty path as something else.
pub(crate) fn find(path: &Path, options: SqliteOptions) -> Result<PathBuf, StoreError> {
    let file = std::path::absolute(path).map_err(|error| no_store(path, error.to_string()))?;
    let found = match std::fs::metadata(&file) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let folder = file.parent().is_some_and(Path::is_dir);
            return match (folder, options.create) {
                (true, true) => create_private(&file)
                    .map(|()| file)
                    .map_err(|error| no_store(path, error.to_string())),
                (true, false) => Err(no_store(path, "there is no such file")),
                (false, _) => Err(no_store(path, "there is no such folder")),
            };
        }
        Err(error) => return Err(no_store(path, error.to_string())),
    };
    if found.is_dir() {
        return Err(no_store(path, "it is a folder"));
    }
    if !found.is_file() {
        return Err(no_store(path, "it is no regular file"));
    }
    // SQLite takes a file of one byte for an empty one, and would write over it.
    if found.len() == 1 {
        return Err(no_store(path, NO_SQLITE));
    }
    if found.len() == 0 && !options.create {
        return Err(no_store(path, "it is an empty file"));
    }
    Ok(file)
}

/// Makes an empty file that nobody else on the machine may read: it holds what agents believe,
/// and the content keys. SQLite gives its log the same mode.
pub(crate) fn create_private(file: &Path) -> std::io::Result<()> {
    match private().open(file) {
        // Another process was faster; what it made is looked at like any other file.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// How a new file is made that nobody else may read.
pub(crate) fn private() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The writing connection to a file that is a store, or becomes one now.
pub(crate) fn open(
    path: &Path,
    file: &Path,
    options: SqliteOptions,
    deadline: Deadline,
) -> Result<Connection, StoreError> {
    deadline.wait_for(OPEN, || {
        let opened = try_open(path, file, options);
        match opened {
            Err(failure) if failure.code() == Some(ErrorCode::NotADatabase) => {
                Err(no_store(path, NO_SQLITE).into())
            }
            opened => opened,
        }
    })
}

fn try_open(path: &Path, file: &Path, options: SqliteOptions) -> Result<Connection, Failure> {
    let create = if options.create {
        OpenFlags::SQLITE_OPEN_CREATE
    } else {
        OpenFlags::empty()
    };
    let connection = connect(file, create)?;
    connection.execute_batch(schema::WRITER_PRAGMAS)?;
    // In a transaction, lest another process lays the file out while it is looked at.
    let transaction = connection.unchecked_transaction()?;
    let found = look(&transaction)?;
    transaction.commit()?;
    match found {
        Found::Store => {}
        Found::Nothing if options.create => lay_out(path, &connection)?,
        found => return Err(refuse(path, &found).into()),
    }
    // A new file has this mode already; another tool may have changed that of an old one.
    write_ahead(&connection)?;
    Ok(connection)
}

/// A connection that cannot write.
pub(crate) fn reader(file: &Path) -> Result<Connection, Failure> {
    let connection = connect(file, OpenFlags::empty())?;
    connection.execute_batch(schema::READER_PRAGMAS)?;
    Ok(connection)
}

fn connect(file: &Path, create: OpenFlags) -> Result<Connection, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(std::time::Duration::ZERO)?;
    // A file from elsewhere may hold views that call functions; those of ours are harmless ones.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_prepared_statement_cache_capacity(statements::COUNT_MAX);
    Ok(connection)
}

/// What a file holds.
enum Found {
    /// A store of this version.
    Store,
    /// A store of another version.
    OtherLayout(u32),
    /// No tables, and no sign of who made it.
    Nothing,
    /// The tables of another application.
    Foreign,
}

fn look(connection: &Connection) -> Result<Found, Failure> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let layout = number("PRAGMA user_version")?;
    let n_objects = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match (application, layout, n_objects) {
        (schema::APPLICATION, layout, _) if layout == i64::from(schema::LAYOUT) => Found::Store,
        (schema::APPLICATION, layout, _) => {
            Found::OtherLayout(u32::try_from(layout).unwrap_or(u32::MAX))
        }
        (0, 0, 0) => Found::Nothing,
        _ => Found::Foreign,
    })
}

fn refuse(path: &Path, found: &Found) -> StoreError {
    match found {
        Found::OtherLayout(found) => StoreError::Format {
            found: *found,
            known: schema::LAYOUT,
        },
        Found::Store | Found::Nothing => no_store(path, "it is an empty SQLite file"),
        Found::Foreign => no_store(path, "it is an SQLite file of another application"),
    }
}

/// Makes an empty file a store, unless another process just did.
fn lay_out(path: &Path, connection: &Connection) -> Result<(), Failure> {
    connection.execute_batch(schema::NEW_FILE_PRAGMAS)?;
    write_ahead(connection)?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    match look(&transaction)? {
        Found::Store => {}
        Found::Nothing => transaction.execute_batch(&schema::layout())?,
        found => return Err(refuse(path, &found).into()),
    }
    Ok(transaction.commit()?)
}

/// Puts the file into write-ahead mode, in which readers and the writer do not wait for each other.
fn write_ahead(connection: &Connection) -> Result<(), Failure> {
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    Err(engine(OPEN, format!("the file system keeps journal mode `{mode}`")).into())
}

/// SQLite's own check of the file: one line for each finding.
pub(crate) fn check(connection: &Connection) -> Result<Vec<String>, Failure> {
    let lines = || -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare("PRAGMA quick_check")?;
        let lines = statement.query_map([], |row| row.get(0))?;
        lines.collect()
    };
    match lines().map_err(Failure::from) {
        Ok(mut lines) => {
            lines.retain(|line| line != "ok");
            Ok(lines)
        }
        // Damage that stops the check is a finding, not an error.
        Err(Failure::Sqlite(error))
            if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) =>
        {
            Ok(vec![error.to_string()])
        }
        Err(failure) => Err(failure),
    }
}

fn no_store(path: &Path, reason: impl Into<String>) -> StoreError {
    StoreError::NotAStore {
        path: path.display().to_string(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_commit_waits_for_the_disk_and_a_reader_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.immune");
        let deadline = Deadline::after(Duration::from_secs(5));
        let writer = open(&path, &path, SqliteOptions::default(), deadline).unwrap();
        let synchronous: i64 = writer
            .query_row("PRAGMA synchronous", [], |row| row.get(0))
            .unwrap();
        assert_eq!(synchronous, 2, "FULL");
        let reader = reader(&path).unwrap();
        assert!(reader.execute_batch("DELETE FROM log").is_err());
    }
}
