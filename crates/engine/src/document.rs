//! The documents of the index: each belief, and each observation that is only a note.
//!
//! An index of some size is kept in a side file when the memory is closed, and taken up by the
//! next first question, which then adds only what turned up since.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use immune_model::{BeliefId, Item, ObservationId, RunId, limits};
use immune_reason::State;
use immune_reason::pack::Bytes;
use immune_recall::{Index, Threads};
use immune_store::SideFile;

use crate::kept;
use crate::meaning::{KeptVectors, Vectors, in_use};
use crate::memory::Shared;

/// Items after which somebody who waits is told.
const ITEMS_AT_ONCE: usize = 4_096;

/// The lexical index with the item behind each document. Documents are appended in the order in
/// which items turned up; whether one may be shown is asked of a snapshot at each search.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    pub(crate) index: Index,
    items: Vec<Item>,
    n_observations: usize,
    n_beliefs: usize,
    /// How many documents the kept index has.
    n_kept: usize,
    /// The notes of one run follow one another, and so say what each other is about.
    pub(crate) threads: Threads,
    thread_of_run: BTreeMap<RunId, u32>,
    /// Their vectors, once a question went by meaning.
    pub(crate) vectors: Option<Vectors>,
}

impl Documents {
    /// The documents of a memory, from its kept index if that can be used, with the vectors that
    /// were kept of them; both are read at once. `progress` is told how many items were read, and
    /// of how many.
    pub(crate) fn of(shared: &Shared, progress: &mut dyn FnMut(usize, usize)) -> Self {
        let latest = shared.latest();
        let embedder = in_use(latest.state(), shared.parts.embedder.as_ref());
        let embedder = embedder.ok().map(|it| it.embedder);
        let read = || KeptVectors::read(shared, &**embedder.as_ref()?);
        let (mut documents, vectors) = std::thread::scope(|scope| {
            let reader =
                std::thread::Builder::new().name(format!("immune vectors {}", shared.name));
            // A machine that starts no thread now has its vectors read by the question.
            let reading = reader.spawn_scoped(scope, read).ok();
            let documents = Self::kept(shared);
            (documents, reading.and_then(|it| it.join().ok().flatten()))
        });
        documents.extend_with(latest.state(), progress);
        documents.vectors = vectors.and_then(|it| it.of(&documents));
        documents
    }

    /// Those of the kept index, or none.
    fn kept(shared: &Shared) -> Self {
        let kept = kept::read(&*shared.parts.store, &shared.name, SideFile::Index);
        let kept = kept.and_then(Result::ok);
        let kept = kept.and_then(|it| Self::unpack(&it.content));
        kept.unwrap_or_default()
    }

    /// Keeps the index, if building it anew would take a while.
    pub(crate) fn keep(&self, shared: &Shared) {
        self.keep_vectors(shared);
        let since = self.items.len() - self.n_kept;
        if since <= limits::KEPT_INDEX_DOCUMENTS.max(self.n_kept / limits::KEPT_INDEX_SHARE) {
            return;
        }
        let (store, name) = (&*shared.parts.store, &shared.name);
        let head = shared.latest().head();
        // What cannot be kept is built by whoever asks next.
        kept::keep(store, name, head, SideFile::Index, &mut |out| {
            self.pack(out)
        });
    }

    /// Keeps the vectors, if making them anew would take a while.
    fn keep_vectors(&self, shared: &Shared) {
        let Some(vectors) = &self.vectors else {
            return;
        };
        let since = (vectors.n_documents - vectors.n_kept) as usize;
        let few =
            limits::KEPT_INDEX_DOCUMENTS.max(vectors.n_kept as usize / limits::KEPT_INDEX_SHARE);
        // What was paid for is kept at once.
        if since > if vectors.floats.is_some() { 0 } else { few } {
            vectors.keep(SideFile::Vectors, shared, self);
        }
    }

    fn pack(&self, out: &mut dyn Write) -> io::Result<()> {
        for count in [self.n_observations, self.n_beliefs, self.items.len()] {
            out.write_all(&(count as u64).to_le_bytes())?;
        }
        for item in &self.items {
            out.write_all(&number_of(*item).to_le_bytes())?;
        }
        self.index.pack(out)
    }

    fn unpack(bytes: &Bytes) -> Option<Self> {
        let (counts, rest) = bytes.as_slice().split_at_checked(3 * 8)?;
        let mut counts = counts
            .as_chunks()
            .0
            .iter()
            .map(|it| u64::from_le_bytes(*it));
        let mut count = || usize::try_from(counts.next()?).ok();
        let (n_observations, n_beliefs, n_items) = (count()?, count()?, count()?);
        let (items, _) = rest.split_at_checked(n_items.checked_mul(8)?)?;
        let items = items.as_chunks().0.iter();
        let items: Option<Vec<Item>> = items.map(|it| item_of(i64::from_le_bytes(*it))).collect();
        let index = bytes.part(3 * 8 + n_items * 8..bytes.len())?;
        Some(Self {
            index: Index::unpack(Arc::new(index))?,
            items: items?,
            n_observations,
            n_beliefs,
            n_kept: n_items,
            threads: Threads::new(),
            thread_of_run: BTreeMap::new(),
            vectors: None,
        })
    }

    /// The item behind a document.
    pub(crate) fn item(&self, document: u32) -> Option<Item> {
        self.items.get(document as usize).copied()
    }

    /// How many documents there are.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.items.len()).expect("fewer than u32::MAX documents")
    }

    /// Adds what turned up since.
    pub(crate) fn extend(&mut self, state: &State) {
        self.extend_with(state, &mut |_, _| {});
    }

    fn extend_with(&mut self, state: &State, progress: &mut dyn FnMut(usize, usize)) {
        let all = state.n_observations() + state.n_beliefs();
        let mut read = |n: usize| {
            if n.is_multiple_of(ITEMS_AT_ONCE) {
                progress(n, all);
            }
        };
        // An index that was kept knows no threads.
        for place in self.threads.len()..self.items.len() {
            self.add_to_thread(state, place);
        }
        for slot in self.n_observations..state.n_observations() {
            read(slot);
            let id = ObservationId::from_index(slot);
            let is_note = state
                .observation(id)
                .is_some_and(|it| it.statements.is_empty());
            if is_note {
                self.add(state, Item::Observation(id));
            }
        }
        for slot in self.n_beliefs..state.n_beliefs() {
            read(state.n_observations() + slot);
            self.add(state, Item::Belief(BeliefId::from_index(slot)));
        }
        self.n_observations = self.n_observations.max(state.n_observations());
        self.n_beliefs = self.n_beliefs.max(state.n_beliefs());
    }

    fn add(&mut self, state: &State, item: Item) {
        if let Some(text) = text_of(state, item) {
            self.index.add(self.len(), &text);
            self.items.push(item);
            self.add_to_thread(state, self.items.len() - 1);
        }
    }

    fn add_to_thread(&mut self, state: &State, place: usize) {
        let run = match self.items.get(place) {
            Some(Item::Observation(id)) => state.observation(*id).and_then(|it| it.run.clone()),
            _ => None,
        };
        let n_runs = u32::try_from(self.thread_of_run.len()).expect("fewer runs than documents");
        let thread = run.map(|it| *self.thread_of_run.entry(it).or_insert(n_runs));
        self.threads.push(thread);
    }
}

/// The number of the item of a document: beliefs above 0, observations below.
pub(crate) fn number_of(item: Item) -> i64 {
    let number = i64::from(item.number());
    match item {
        Item::Belief(_) => number,
        _ => -number,
    }
}

/// The item of this number.
pub(crate) fn item_of(number: i64) -> Option<Item> {
    let prefix = if number > 0 { "bel" } else { "obs" };
    Item::from_parts(prefix, u32::try_from(number.unsigned_abs()).ok()?)
}

/// What the document of an item says: the words of an observation, the subject and the first words
/// of a belief.
pub(crate) fn text_of(state: &State, item: Item) -> Option<String> {
    match item {
        Item::Observation(id) => Some(state.observation(id)?.text.to_string()),
        Item::Belief(id) => {
            let belief = state.belief(id)?;
            Some(format!("{} {}", belief.subject, belief.text))
        }
        _ => None,
    }
}
