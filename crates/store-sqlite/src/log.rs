//! The log of a memory, its head and its content keys.
//!
//! Called with a transaction open. Bytes are handed out as stored: whether they are what was
//! written is for the chain to say.

use immune_model::{Item, MemoryName};
use immune_store::{ChainError, ContentKey, Entry, Head};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use crate::failure::{Failure, engine};
use crate::statements;

/// A memory that is in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// Its number in the file.
    pub(crate) id: i64,
    /// The end of its log.
    pub(crate) head: Head,
}

/// The memories in the file, by name.
pub(crate) fn memories(connection: &Connection) -> Result<Vec<MemoryName>, Failure> {
    let mut statement = connection.prepare_cached(statements::MEMORIES)?;
    let mut rows = statement.query([])?;
    let mut names = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        names.push(
            MemoryName::new(&name)
                .map_err(|error| engine("list the memories", error.to_string()))?,
        );
    }
    Ok(names)
}

/// The memory of this name, if it was ever written.
pub(crate) fn find(connection: &Connection, memory: &MemoryName) -> Result<Option<Found>, Failure> {
    let id = connection
        .prepare_cached(statements::MEMORY_ID)?
        .query_row([memory.as_str()], |row| row.get::<_, i64>(0))
        .optional()?;
    let Some(id) = id else {
        return Ok(None);
    };
    let head = connection
        .prepare_cached(statements::HEAD)?
        .query_row([id], |row| {
            Ok((row.get::<_, i64>(0)?, hash(row.get_ref(1)?)))
        })
        .optional()?;
    let (seq, hash) = head.ok_or_else(|| {
        engine(
            "read the head",
            format!("memory `{memory}` has lost its head"),
        )
    })?;
    let seq = position(seq)?;
    let hash = hash.ok_or(ChainError::Hash { seq })?;
    Ok(Some(Found {
        id,
        head: Head { seq, hash },
    }))
}

/// Adds a memory, and answers its number.
pub(crate) fn create(connection: &Connection, memory: &MemoryName) -> Result<i64, Failure> {
    connection
        .prepare_cached(statements::CREATE_MEMORY)?
        .execute([memory.as_str()])?;
    Ok(connection.last_insert_rowid())
}

/// The entries after `known`, if that is still in the log.
pub(crate) fn tail(
    connection: &Connection,
    found: Found,
    known: Head,
) -> Result<Vec<Entry>, Failure> {
    let at_known = connection
        .prepare_cached(statements::ENTRY_HASH)?
        .query_row(params![found.id, number(known.seq)], |row| {
            Ok(hash(row.get_ref(0)?))
        })
        .optional()?;
    let at_known = match at_known {
        Some(None) => return Err(ChainError::Hash { seq: known.seq }.into()),
        at_known => at_known.flatten(),
    };
    found.head.check_known(known, at_known)?;
    let entries = entries(connection, found.id, known.seq, usize::MAX)?;
    let end = entries.last().map_or(known.seq, |entry| entry.seq);
    if end < found.head.seq {
        return Err(ChainError::Missing { seq: end + 1 }.into());
    }
    if end > found.head.seq {
        return Err(ChainError::Rewound {
            known: end,
            found: found.head.seq,
        }
        .into());
    }
    Ok(entries)
}

/// At most `limit` entries after a position, in order, with their keys.
pub(crate) fn entries(
    connection: &Connection,
    id: i64,
    after: u64,
    limit: usize,
) -> Result<Vec<Entry>, Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(statements::ENTRIES)?;
    let mut rows = statement.query(params![id, number(after), limit])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let seq = position(row.get(0)?)?;
        // A cell of another type is damage, and damage is named by its entry.
        let damaged = ChainError::Hash { seq };
        entries.push(Entry {
            seq,
            at: row.get_ref(1)?.as_i64().map_err(|_| damaged.clone())?,
            hash: hash(row.get_ref(2)?).ok_or(damaged.clone())?,
            body: row.get_ref(3)?.as_blob().map_err(|_| damaged)?.to_vec(),
            keys: Vec::new(),
        });
    }
    add_keys(connection, id, after, &mut entries)?;
    for entry in &mut entries {
        // The table orders them as text: `bel_10` before `bel_2`.
        entry.keys.sort_unstable_by_key(|key| key.item);
    }
    Ok(entries)
}

/// Gives entries, all those after a position, their keys.
fn add_keys(
    connection: &Connection,
    id: i64,
    after: u64,
    entries: &mut [Entry],
) -> Result<(), Failure> {
    let Some(last) = entries.last().map(|entry| entry.seq) else {
        return Ok(());
    };
    let mut statement = connection.prepare_cached(statements::KEYS)?;
    let mut rows = statement.query(params![id, number(after), number(last)])?;
    let mut entries = entries.iter_mut().peekable();
    while let Some(row) = rows.next()? {
        let seq = position(row.get(0)?)?;
        let key = key(row.get_ref(1)?, row.get_ref(2)?).ok_or_else(|| {
            engine(
                "read the content keys",
                format!("a key of entry {seq} is damaged"),
            )
        })?;
        while entries.next_if(|entry| entry.seq < seq).is_some() {}
        // A key of an entry that is missing opens nothing; the chain tells of the entry.
        if let Some(entry) = entries.peek_mut().filter(|entry| entry.seq == seq) {
            entry.keys.push(key);
        }
    }
    Ok(())
}

/// Appends entries, and makes `after` the head.
pub(crate) fn append(
    connection: &Connection,
    id: i64,
    entries: &[Entry],
    after: Head,
) -> Result<(), Failure> {
    let mut add_entry = connection.prepare_cached(statements::ADD_ENTRY)?;
    let mut add_key = connection.prepare_cached(statements::ADD_KEY)?;
    for entry in entries {
        let seq = number(entry.seq);
        add_entry.execute(params![id, seq, entry.at, entry.hash, entry.body])?;
        for ContentKey { item, key } in &entry.keys {
            add_key.execute(params![id, seq, item.to_string(), key])?;
        }
    }
    connection
        .prepare_cached(statements::SET_HEAD)?
        .execute(params![id, number(after.seq), after.hash])?;
    Ok(())
}

/// A position as SQLite keeps it; no log reaches the largest.
fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

fn position(number: i64) -> Result<u64, Failure> {
    u64::try_from(number)
        .map_err(|_| engine("read the log", format!("`{number}` is no position")).into())
}

fn hash(cell: ValueRef<'_>) -> Option<[u8; 32]> {
    cell.as_blob().ok()?.try_into().ok()
}

fn key(item: ValueRef<'_>, key: ValueRef<'_>) -> Option<ContentKey> {
    let item: Item = item.as_str().ok()?.parse().ok()?;
    let key = key.as_blob().ok()?.try_into().ok()?;
    Some(ContentKey { item, key })
}
