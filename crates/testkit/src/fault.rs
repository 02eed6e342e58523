//! A store that fails on purpose, once, at a chosen moment.
//!
//! For tests of what stands on a store. The invariant: everything but the chosen call behaves as
//! the store inside does.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use immune_model::MemoryName;
use immune_store::{Entry, Head, Planner, Row, SideFile, Store, StoreError, Table};

/// When a [`FaultStore`] fails; calls are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// At the n-th append or replacing of rows: its planner ran, nothing was written.
    BeforeAppend(u32),
    /// At the n-th append or replacing of rows: it took effect, and the caller is not told.
    AfterAppend(u32),
    /// At the n-th reading call of any kind.
    Read(u32),
}

/// A store that answers [`StoreError::Engine`] once, at the moment of its [`Fault`].
pub struct FaultStore {
    inner: Arc<dyn Store>,
    fault: Fault,
    n_appends: AtomicU32,
    n_reads: AtomicU32,
}

impl FaultStore {
    /// The store inside, which stays usable by itself, with this fault.
    pub fn new(inner: Arc<dyn Store>, fault: Fault) -> Self {
        Self {
            inner,
            fault,
            n_appends: AtomicU32::new(0),
            n_reads: AtomicU32::new(0),
        }
    }

    /// Whether the fault's moment has come.
    pub fn failed(&self) -> bool {
        match self.fault {
            Fault::BeforeAppend(nth) | Fault::AfterAppend(nth) => {
                self.n_appends.load(Ordering::SeqCst) >= nth
            }
            Fault::Read(nth) => self.n_reads.load(Ordering::SeqCst) >= nth,
        }
    }

    fn reading(&self) -> Result<&dyn Store, StoreError> {
        let nth = self.n_reads.fetch_add(1, Ordering::SeqCst) + 1;
        if self.fault == Fault::Read(nth) {
            return Err(refusal());
        }
        Ok(&*self.inner)
    }

    fn count_append(&self) -> u32 {
        self.n_appends.fetch_add(1, Ordering::SeqCst) + 1
    }
}

fn refusal() -> StoreError {
    StoreError::Engine {
        operation: "fault",
        reason: "the test asked for it".to_owned(),
    }
}

impl Store for FaultStore {
    fn describe(&self) -> String {
        format!("{}, failing on purpose", self.inner.describe())
    }

    fn memories(&self) -> Result<Vec<MemoryName>, StoreError> {
        self.reading()?.memories()
    }

    fn head(&self, memory: &MemoryName) -> Result<Head, StoreError> {
        self.reading()?.head(memory)
    }

    fn read(
        &self,
        memory: &MemoryName,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.reading()?.read(memory, after, limit)
    }

    fn append(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: Planner<'_>,
    ) -> Result<Head, StoreError> {
        let nth = self.count_append();
        if self.fault == Fault::BeforeAppend(nth) {
            let mut plan_in_vain = |tail: &[Entry]| {
                plan(tail);
                None
            };
            self.inner.append(memory, known, &mut plan_in_vain)?;
            return Err(refusal());
        }
        let head = self.inner.append(memory, known, plan)?;
        if self.fault == Fault::AfterAppend(nth) {
            return Err(refusal());
        }
        Ok(head)
    }

    fn rows(
        &self,
        memory: &MemoryName,
        table: Table,
        after: Option<[i64; 2]>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError> {
        self.reading()?.rows(memory, table, after, limit)
    }

    fn replace_rows(
        &self,
        memory: &MemoryName,
        known: Head,
        rows: &[Row],
    ) -> Result<bool, StoreError> {
        let nth = self.count_append();
        if self.fault == Fault::BeforeAppend(nth) {
            return Err(refusal());
        }
        let replaced = self.inner.replace_rows(memory, known, rows)?;
        if self.fault == Fault::AfterAppend(nth) {
            return Err(refusal());
        }
        Ok(replaced)
    }

    fn read_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        // A cache: no failure of it is one of the memory.
        self.inner.read_side_file(memory, which)
    }

    fn replace_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<bool, StoreError> {
        self.inner.replace_side_file(memory, which, write)
    }

    fn read_side_file_end(
        &self,
        memory: &MemoryName,
        which: SideFile,
    ) -> Result<Option<[u8; 32]>, StoreError> {
        self.inner.read_side_file_end(memory, which)
    }

    fn hold_side_file(
        &self,
        memory: &MemoryName,
        which: SideFile,
        work: &mut dyn FnMut(),
    ) -> Result<bool, StoreError> {
        self.inner.hold_side_file(memory, which, work)
    }

    fn remove_side_file(&self, memory: &MemoryName, which: SideFile) -> Result<(), StoreError> {
        self.inner.remove_side_file(memory, which)
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.reading()?.check()
    }
}

#[cfg(test)]
mod tests {
    use immune_model::{Event, Handle, Instant, Principal, Recorded, Role};
    use immune_store::{Batch, MemoryStore, conformance, seal};

    use super::*;

    fn append(store: &dyn Store) -> (Result<Head, StoreError>, bool) {
        let ap = MemoryName::new("ap").unwrap();
        let mut planned = false;
        let appended = store.append(&ap, Head::default(), &mut |tail| {
            planned = true;
            let head = tail.iter().fold(Head::default(), Head::after);
            let recorded = Recorded {
                seq: head.seq + 1,
                at: Instant::from_seconds(1_800_000_000).unwrap(),
                actor: Principal {
                    role: Role::Operator,
                    name: Handle::new("op").unwrap(),
                },
                event: Event::MemoryCreated { name: ap.clone() },
            };
            Some(Batch {
                entries: seal(head, &[recorded], &mut |key| key.fill(1)),
                rows: Vec::new(),
            })
        });
        (appended, planned)
    }

    #[test]
    fn the_nth_append_fails_once_before_or_after_it_took_effect() {
        for (fault, written) in [(Fault::BeforeAppend(2), 1), (Fault::AfterAppend(2), 2)] {
            let inner = Arc::new(MemoryStore::new());
            let store = FaultStore::new(inner.clone(), fault);
            assert!(append(&store).0.is_ok());
            assert!(!store.failed());
            let (refused, planned) = append(&store);
            assert!(matches!(refused, Err(StoreError::Engine { .. })));
            assert!(planned, "the planner ran in either case");
            assert!(store.failed());
            let ap = MemoryName::new("ap").unwrap();
            assert_eq!(inner.head(&ap).unwrap().seq, written, "{fault:?}");
            assert_eq!(
                append(&store).0.unwrap().seq,
                written + 1,
                "the next one works"
            );
        }
    }

    #[test]
    fn the_nth_read_fails_once() {
        let store = FaultStore::new(Arc::new(MemoryStore::new()), Fault::Read(2));
        assert!(store.memories().is_ok());
        assert!(store.check().is_err());
        assert!(store.check().is_ok());
    }

    #[test]
    fn a_store_whose_fault_never_comes_keeps_the_contract() {
        conformance::run(&|| {
            let inner = Arc::new(MemoryStore::new());
            Box::new(FaultStore::new(inner, Fault::Read(u32::MAX)))
        });
    }
}
