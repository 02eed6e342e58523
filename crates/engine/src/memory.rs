//! Open memories: one writer each, and snapshots for readers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock};

use immune_model::{MemoryName, Principal};
use immune_reason::{Draft, State};
use immune_recall::Embedder;
use immune_store::{Head, SideFile, Store};

use crate::clock::Clock;
use crate::committed::Committed;
use crate::document::Documents;
use crate::error::OpenError;
use crate::kept::{self, Keeper, Opened, OpenedFrom};
use crate::mesh::Live;
use crate::session::Session;
use crate::writer::{self, Job, Writer};

/// What an engine is made of.
#[derive(Clone)]
pub struct Parts {
    /// Where the memories are.
    pub store: Arc<dyn Store>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where content keys come from: fills its argument with bytes that nobody can guess.
    pub fill_random: fn(&mut [u8]),
    /// Who makes vectors of texts; without anybody, recall goes by words alone.
    pub embedder: Option<Arc<dyn Embedder>>,
}

impl Parts {
    /// The parts that a product runs with: this store, the machine's clock and its randomness.
    ///
    /// # Panics
    /// When asked for a key on a machine without a source of randomness.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let clock = Arc::new(crate::SystemClock);
        Self {
            store,
            clock,
            fill_random: |bytes| getrandom::fill(bytes).expect("the system gives random bytes"),
            embedder: None,
        }
    }
}

impl Parts {
    /// The same with somebody who makes vectors of texts.
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { embedder, ..self }
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("store", &self.store.describe())
            .finish_non_exhaustive()
    }
}

/// The memories of one store.
#[derive(Debug)]
pub struct Engine {
    pub(crate) parts: Parts,
    open: Mutex<BTreeMap<MemoryName, Memory>>,
}

impl Engine {
    /// An engine over a store. Nothing is read before a memory is opened.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            open: Mutex::default(),
        }
    }

    /// The names of the memories in the store.
    pub fn memories(&self) -> Result<Vec<MemoryName>, OpenError> {
        Ok(self.parts.store.memories()?)
    }

    /// What the store is and where.
    pub fn describe(&self) -> String {
        self.parts.store.describe()
    }

    /// A memory, opened on first use: what its kept state does not hold is read from its log and
    /// checked. One that was never written to is empty; the first write creates it.
    pub fn memory(&self, name: &MemoryName) -> Result<Memory, OpenError> {
        self.memory_with(name, &mut |_, _| {})
    }

    /// As [`Self::memory`]; `progress` is told the events read so far, and how many there are.
    pub fn memory_with(
        &self,
        name: &MemoryName,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Memory, OpenError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = open.get(name) {
            return Ok(memory.clone());
        }
        let memory = Memory::open(name, self.parts.clone(), progress)?;
        open.insert(name.clone(), memory.clone());
        Ok(memory)
    }
}

/// What readers work on: the state after one event of the log. Cheap to hold.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(crate) committed: Arc<Committed>,
}

impl Snapshot {
    pub(crate) fn of(committed: Committed) -> Self {
        Self {
            committed: Arc::new(committed),
        }
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.committed.state
    }

    /// The place in the log.
    pub fn head(&self) -> Head {
        self.committed.head
    }
}

/// What the writer and the readers of one memory share.
pub(crate) struct Shared {
    pub(crate) name: MemoryName,
    pub(crate) parts: Parts,
    pub(crate) snapshot: RwLock<Snapshot>,
    /// The index, built by the first recall.
    pub(crate) documents: RwLock<Option<Documents>>,
    /// The mesh, begun by the first call that is looked at.
    pub(crate) mesh: OnceLock<Mutex<Live>>,
    pub(crate) published: Mutex<u64>,
    pub(crate) publish: Condvar,
    /// Commands that were refused since the memory was opened.
    pub(crate) refused: AtomicU64,
    opened: Opened,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn latest(&self) -> Snapshot {
        self.snapshot
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Shows readers a new state, its new documents first, and wakes those who wait.
    pub(crate) fn publish(&self, committed: Committed) {
        let next = Snapshot {
            committed: Arc::new(committed),
        };
        if let Some(documents) = self
            .documents
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
        {
            documents.extend(next.state());
        }
        let seq = next.head().seq;
        *self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner) = next;
        *self
            .published
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = seq;
        self.publish.notify_all();
    }
}

/// An open memory. Clones share its writer; the last one dropped ends it, and waits until it has
/// let go of the store.
#[derive(Debug, Clone)]
pub struct Memory {
    pub(crate) shared: Arc<Shared>,
    pub(crate) jobs: Sender<Job>,
    /// After `jobs`, which is dropped first: the writer ends once all of those are gone.
    _writer: Arc<Writer>,
}

impl Memory {
    fn open(
        name: &MemoryName,
        parts: Parts,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, OpenError> {
        let (mut committed, from, kept_len) = begin(name, &*parts.store);
        let first = committed.head.seq;
        committed.catch_up(name, &parts.store, progress)?;
        let replayed = committed.head.seq - first;
        let shared = Arc::new(Shared {
            name: name.clone(),
            parts,
            snapshot: RwLock::new(Snapshot {
                committed: Arc::new(committed),
            }),
            documents: RwLock::default(),
            mesh: OnceLock::new(),
            published: Mutex::default(),
            publish: Condvar::new(),
            refused: AtomicU64::new(0),
            opened: Opened { from, replayed },
        });
        let (jobs, queue) = channel();
        let writer = Arc::new(writer::start(
            Arc::clone(&shared),
            queue,
            Keeper::new(kept_len),
        ));
        Ok(Self {
            shared,
            jobs,
            _writer: writer,
        })
    }

    /// What its state was made from when it was opened.
    pub fn opened(&self) -> Opened {
        self.shared.opened
    }

    /// How many commands were refused since it was opened: none of them wrote anything, and each
    /// was answered with why.
    pub fn refused(&self) -> u64 {
        self.shared.refused.load(Ordering::Relaxed)
    }

    /// Its name.
    pub fn name(&self) -> &MemoryName {
        &self.shared.name
    }

    /// The memory as this principal may use it.
    pub fn session(&self, principal: Principal) -> Session {
        Session {
            memory: self.clone(),
            principal,
            preview: None,
        }
    }

    /// The state now: caught up with what other processes wrote, and with what expired.
    pub fn snapshot(&self) -> Result<Snapshot, OpenError> {
        let latest = self.shared.latest();
        let head = self.shared.parts.store.head(&self.shared.name)?;
        let now = self.shared.parts.clock.now();
        if head == latest.head() && !Draft::expiry_due(latest.state(), now) {
            return Ok(latest);
        }
        writer::refresh(self)?;
        Ok(self.shared.latest())
    }
}

/// The state that the rest of the log is folded on: the kept one, or that before the first event;
/// and the bytes of the kept one.
fn begin(name: &MemoryName, store: &dyn Store) -> (Committed, OpenedFrom, u64) {
    let kept = kept::read(store, name, SideFile::State).map(|kept| {
        let kept = kept?;
        Ok((kept::open(&kept)?, kept.len))
    });
    match kept {
        Some(Ok((committed, len))) => {
            let seq = committed.head.seq;
            (committed, OpenedFrom::KeptState { seq }, len)
        }
        not_used => {
            let passed_over = not_used.and_then(Result::err);
            (Committed::default(), OpenedFrom::Log { passed_over }, 0)
        }
    }
}
