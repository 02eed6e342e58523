//! Previews: a session whose writes are planned and seen by itself, and appended nowhere.
//!
//! The plans are the same as those of a real write, on the same state and clock; what a preview
//! answers is what the write would have answered, had nobody else written in between. Ids that it
//! hands out are those that the write would assign; they exist in the preview only.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use immune_model::{Instant, MemoryName, Principal};
use immune_reason::Draft;

use crate::committed::Committed;
use crate::error::OpenError;
use crate::memory::Snapshot;
use crate::mesh::Live;
use crate::session::Session;

/// The state that a preview has come to.
#[derive(Debug)]
pub(crate) struct Preview {
    latest: Mutex<Snapshot>,
    /// The time that is asked about, where that is later than the last event before it.
    asked: Option<Instant>,
    /// The mesh as it was, and what this preview adds.
    mesh: OnceLock<Mutex<Live>>,
}

impl Preview {
    /// The mesh of the preview, which begins as this one.
    pub(crate) fn mesh(&self, begin: impl FnOnce() -> Live) -> &Mutex<Live> {
        self.mesh.get_or_init(|| Mutex::new(begin()))
    }

    /// The time that is asked about: never before the state.
    pub(crate) fn asked(&self, state: &immune_reason::State) -> Option<Instant> {
        self.asked.max(state.at())
    }

    pub(crate) fn latest(&self) -> Snapshot {
        self.latest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Plans onto the preview's own state.
    pub(crate) fn plan<T>(
        &self,
        name: &MemoryName,
        principal: &Principal,
        now: Instant,
        plan: impl FnOnce(&mut Draft) -> T,
    ) -> T {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let mut draft = Draft::new(latest.state().clone(), principal.clone(), now);
        draft.name(name);
        if Draft::expiry_due(draft.state(), draft.now()) {
            draft.expire();
        }
        let planned = plan(&mut draft);
        let (mut state, _) = draft.finish();
        state.take_changes();
        let head = latest.head();
        *latest = Snapshot {
            committed: Arc::new(Committed {
                head,
                state,
                weight: 0,
            }),
        };
        planned
    }
}

impl Session {
    /// A session that begins where this one is, sees its own writes, and keeps none of them.
    ///
    /// Only the verbs that write and [`Self::snapshot`] see them; questions to the index and to
    /// the change stream are answered from what is stored.
    pub fn preview(&self) -> Result<Self, OpenError> {
        Ok(self.preview_of(self.snapshot()?, None))
    }

    /// A session that begins at this snapshot, as of that time, and keeps nothing of what it writes.
    pub(crate) fn preview_of(&self, snapshot: Snapshot, asked: Option<Instant>) -> Self {
        let latest = Mutex::new(snapshot);
        Self {
            memory: self.memory.clone(),
            principal: self.principal.clone(),
            preview: Some(Arc::new(Preview {
                latest,
                asked,
                mesh: OnceLock::new(),
            })),
        }
    }

    /// Whether this session keeps nothing of what it writes.
    pub fn is_preview(&self) -> bool {
        self.preview.is_some()
    }
}
