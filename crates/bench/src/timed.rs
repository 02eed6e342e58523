//! A store that notes what its appends cost.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use immune_model::MemoryName;
use immune_store::{Entry, Head, PartPlanner, Planner, Row, SideFile, Store, StoreError, Table};
use immune_store_sqlite::SqliteStore;

use crate::machine;

/// What the last append cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Append {
    pub(crate) wall_ms: f64,
}

/// The embedded store, with a watch.
#[derive(Debug)]
pub(crate) struct Timed {
    store: SqliteStore,
    last: Mutex<Append>,
}

impl Timed {
    pub(crate) fn new(store: SqliteStore) -> Self {
        Self {
            store,
            last: Mutex::default(),
        }
    }

    pub(crate) fn last(&self) -> Append {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what an append took, if it was made.
    fn note(
        &self,
        append: impl FnOnce(&SqliteStore) -> Result<Head, StoreError>,
    ) -> Result<Head, StoreError> {
        let lap = machine::Lap::start();
        let head = append(&self.store)?;
        let wall_ms = lap.took().wall_ms;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Append { wall_ms };
        Ok(head)
    }
}

impl Store for Timed {
    fn describe(&self) -> String {
        self.store.describe()
    }

    fn memories(&self) -> Result<Vec<MemoryName>, StoreError> {
        self.store.memories()
    }

    fn head(&self, memory: &MemoryName) -> Result<Head, StoreError> {
        self.store.head(memory)
    }

    fn read(
        &self,
        memory: &MemoryName,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.store.read(memory, after, limit)
    }

    fn append(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: Planner<'_>,
    ) -> Result<Head, StoreError> {
        self.note(|store| store.append(memory, known, plan))
    }

    fn append_parts(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: PartPlanner<'_>,
    ) -> Result<Head, StoreError> {
        self.note(|store| store.append_parts(memory, known, plan))
    }

    fn rows(
        &self,
        memory: &MemoryName,
        table: Table,
        after: Option<[i64; 2]>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError> {
        self.store.rows(memory, table, after, limit)
    }

    fn replace_rows(
        &self,
        memory: &MemoryName,
        known: Head,
        rows: &[Row],
    ) -> Result<bool, StoreError> {
        self.store.replace_rows(memory, known, rows)
    }

    fn read_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.read_side_file(memory, which)
    }

    fn replace_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<bool, StoreError> {
        self.store.replace_side_file(memory, which, write)
    }

    fn read_side_file_end(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        self.store.read_side_file_end(memory, which)
    }

    fn hold_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        work: &mut dyn FnMut(),
    ) -> Result<bool, StoreError> {
        self.store.hold_side_file(memory, which, work)
    }

    fn remove_side_file(&self, memory: &MemoryName, which: SideFile) -> Result<(), StoreError> {
        self.store.remove_side_file(memory, which)
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.store.check()
    }
}
