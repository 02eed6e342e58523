//! The suite finds stores that break the contract; one that passes everything proves nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use immune_model::MemoryName;
use immune_store::{
    Batch, Entry, Head, MemoryStore, PartPlanner, Planner, Row, Store, StoreError, Table,
    conformance,
};

/// What a store gets wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    KeysAreLost,
    TailIsHidden,
    MemoriesAreOne,
    RowsAreLost,
    PagesRepeatTheirEnd,
    AnyHeadIsKnown,
    DeclinedPlansAreWritten,
    PartsAreAppendedOneByOne,
}

struct Broken {
    inner: MemoryStore,
    wrong: Wrong,
}

impl Broken {
    fn memory(&self, memory: &MemoryName) -> MemoryName {
        match self.wrong {
            Wrong::MemoriesAreOne => MemoryName::new("one").expect("a name"),
            _ => memory.clone(),
        }
    }
}

impl Store for Broken {
    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn memories(&self) -> Result<Vec<MemoryName>, StoreError> {
        self.inner.memories()
    }

    fn head(&self, memory: &MemoryName) -> Result<Head, StoreError> {
        self.inner.head(&self.memory(memory))
    }

    fn read(
        &self,
        memory: &MemoryName,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.inner.read(&self.memory(memory), after, limit)?;
        if self.wrong == Wrong::KeysAreLost {
            for entry in &mut entries {
                entry.keys.clear();
            }
        }
        Ok(entries)
    }

    fn append(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: Planner<'_>,
    ) -> Result<Head, StoreError> {
        let memory = self.memory(memory);
        let known = match self.wrong {
            Wrong::AnyHeadIsKnown => self.inner.head(&memory)?,
            _ => known,
        };
        self.inner.append(&memory, known, &mut |tail| {
            let mut batch = match self.wrong {
                Wrong::TailIsHidden => plan(&[]),
                _ => plan(tail),
            };
            match (self.wrong, &mut batch) {
                (Wrong::RowsAreLost, Some(batch)) => batch.rows.clear(),
                (Wrong::DeclinedPlansAreWritten, None) => {
                    let head = tail.iter().fold(known, Head::after);
                    let entries = conformance::given::entries(head, &["text"]);
                    let rows = Vec::new();
                    batch = Some(Batch { entries, rows });
                }
                _ => {}
            }
            batch
        })
    }

    fn append_parts(
        &self,
        memory: &MemoryName,
        known: Head,
        plan: PartPlanner<'_>,
    ) -> Result<Head, StoreError> {
        if self.wrong != Wrong::PartsAreAppendedOneByOne {
            return self.inner.append_parts(&self.memory(memory), known, plan);
        }
        let mut head = self.inner.head(memory)?;
        let tail = self.inner.read(memory, known.seq, usize::MAX)?;
        plan(&tail, &mut |part| {
            let mut part = Some(part);
            head = self.inner.append(memory, head, &mut |_| part.take())?;
            Ok(())
        })?;
        Ok(head)
    }

    fn rows(
        &self,
        memory: &MemoryName,
        table: Table,
        after: Option<[i64; 2]>,
        limit: usize,
    ) -> Result<Vec<Row>, StoreError> {
        let after = match (self.wrong, after) {
            (Wrong::PagesRepeatTheirEnd, Some([first, second])) => {
                Some([first, second.saturating_sub(1)])
            }
            (_, after) => after,
        };
        self.inner.rows(&self.memory(memory), table, after, limit)
    }

    fn replace_rows(
        &self,
        memory: &MemoryName,
        known: Head,
        rows: &[Row],
    ) -> Result<bool, StoreError> {
        self.inner.replace_rows(&self.memory(memory), known, rows)
    }

    fn check(&self) -> Result<Vec<String>, StoreError> {
        self.inner.check()
    }
}

/// Whether the suite passes such a store.
fn passes(wrong: Wrong) -> bool {
    let suite = || {
        conformance::run(&|| {
            let inner = MemoryStore::new();
            Box::new(Broken { inner, wrong })
        });
    };
    catch_unwind(AssertUnwindSafe(suite)).is_ok()
}

#[test]
fn each_broken_store_is_found() {
    assert!(passes(Wrong::Nothing));
    for wrong in [
        Wrong::KeysAreLost,
        Wrong::TailIsHidden,
        Wrong::MemoriesAreOne,
        Wrong::RowsAreLost,
        Wrong::PagesRepeatTheirEnd,
        Wrong::AnyHeadIsKnown,
        Wrong::DeclinedPlansAreWritten,
        Wrong::PartsAreAppendedOneByOne,
    ] {
        assert!(!passes(wrong), "{wrong:?}");
    }
}
