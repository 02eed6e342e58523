//! A store without a disk, for tests and for memories that may be lost.
//!
//! Anyone may use it. It keeps the contract of [`Store`] in full, but for durability: whoever
//! drops it drops the memories.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use immune_model::MemoryName;

use crate::chain::assert_follows;
use crate::{Batch, Entry, Head, Planner, Row, Store, StoreError, Table};

/// A store without a disk.
#[derive(Debug, Default)]
pub struct MemoryStore {
    memories: Mutex<BTreeMap<MemoryName, Memory>>,
}

#[derive(Debug, Default)]
struct Memory {
    log: Vec<Entry>,
    rows: BTreeMap<(Table, [i64; 2]), Row>,
}

impl MemoryStore {
    /// A store without memories.
    pub fn new() -> Self {
        Self::default()
    }

    /// The lock is taken over from a planner that panicked: nothing changes before it answers.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<MemoryName, Memory>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn head(&self) -> Head {
        self.log.last().map_or_else(Head::default, |entry| Head {
            seq: entry.seq,
            hash: entry.hash,
        })
    }

    /// The entries after `known`, if that is still in the log.
    fn tail(&self, known: Head) -> Result<&[Entry], StoreError> {
        let at_known = known
            .seq
            .checked_sub(1)
            .and_then(|index| self.log.get(index as usize))
            .map(|entry| entry.hash);
        self.head().check_known(known, at_known)?;
        Ok(self.log.get(known.seq as usize..).unwrap_or_default())
    }

    fn put_rows(&mut self, rows: impl IntoIterator<Item = Row>) {
        self.rows
            .extend(rows.into_iter().map(|row| ((row.table, row.key()), row)));
    }
}

impl Store for MemoryStore {
    fn describe(&self) -> String {
        "memory".to_owned()
    }

    fn memories(&self) -> Result<Vec<MemoryName>, StoreError> {
        Ok(self.lock().keys().cloned().collect())
    }

    fn head(&self, memory: &MemoryName) -> Result<Head, StoreError> {
        Ok(self
            .lock()
            .get(memory)
            .map_or_else(Head::default, Memory::head))
    }

    fn read(
        &self,
        memory: &MemoryName,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let after = usize::try_from(after).unwrap_or(usize::MAX);
        Ok(self.lock().get(memory).map_or_else(Vec::new, |memory| {
            memory.log.iter().skip(after).take(limit).cloned().collect()
        }))
    }

    fn append(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: Planner<'_>,
    ) -> Result<Head, StoreError> {
        let mut memories = self.lock();
        let none = Memory::default();
        let found = memories.get(memory).unwrap_or(&none);
        let head = found.head();
        let Some(Batch { entries, rows }) = plan(found.tail(known)?) else {
            return Ok(head);
        };
        let after = assert_follows(head, &entries);
        if entries.is_empty() {
            assert!(rows.is_empty(), "projections change with the log only");
            return Ok(head);
        }
        let memory = memories.entry(memory.clone()).or_default();
        memory.log.extend(entries);
        memory.put_rows(rows);
        Ok(after)
    }

    fn rows(
        &self,
        memory: &MemoryName,
        table: Table,
        after: Option<[i64; 2]>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let memories = self.lock();
        let Some(memory) = memories.get(memory) else {
            return Ok(Vec::new());
        };
        let first = after.unwrap_or([i64::MIN; 2]);
        let last = [i64::MAX; 2];
        Ok(memory
            .rows
            .range((table, first)..=(table, last))
            .filter(|((_, key), _)| Some(*key) != after)
            .take(limit)
            .map(|(_, row)| row.clone())
            .collect())
    }

    fn replace_rows(
        &self,
        memory: &MemoryName,
        known: Head,
        rows: &[Row],
    ) -> Result<bool, StoreError> {
        let mut memories = self.lock();
        let Some(memory) = memories.get_mut(memory) else {
            assert!(rows.is_empty(), "a memory without a log has no projections");
            return Ok(known == Head::default());
        };
        if memory.head() != known {
            return Ok(false);
        }
        memory.rows.clear();
        memory.put_rows(rows.iter().cloned());
        Ok(true)
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}
