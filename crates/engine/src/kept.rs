//! The kept state: the state of a memory in the store's side file, so that the next opening reads
//! only what the log says since.
//!
//! It is a cache and nothing more. It is used only if it is whole, of this version, of this memory,
//! and if the log has the entry at its end that it was folded up to; anything else is a replay,
//! never an error and never another state. Writing it is nobody's commit, and may be cut off at any
//! moment. `verify` never reads a state from it; it tells if a replay gives another one.

use std::io::{self, Write};
use std::sync::PoisonError;
use std::thread::JoinHandle;

use immune_model::{MemoryName, limits};
use immune_reason::State;
use immune_reason::pack::Bytes;
use immune_store::{Head, SideFile, Store};

use crate::committed::Committed;
use crate::memory::Shared;

/// What starts a side file, and the version of what is in it.
fn form_of(which: SideFile) -> (&'static [u8; 24], u32) {
    match which {
        SideFile::State => (b"immune kept state form 1", immune_reason::state::VERSION),
        SideFile::Index => (b"immune kept index form 1", immune_recall::VERSION),
        SideFile::Vectors | SideFile::NextVectors => {
            (b"immune kept vector form2", immune_vector::VERSION)
        }
        SideFile::Mesh | SideFile::MeshKey => (b"immune kept mesh, form 1", immune_mesh::VERSION),
    }
}

/// Bytes under one digest: those of several are made at once.
const SEGMENT: usize = 4 << 20;
/// Threads that check digests.
const CHECKERS_MAX: usize = 4;
/// Bytes before the name of the memory: magic, version, position, hash, length of the name.
const FRONT: usize = 24 + 4 + 8 + 32 + 4;

/// Where the state of an open memory came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedFrom {
    /// A replay of the log from its first event.
    Log {
        /// Why the kept state was not used; nothing if none was kept.
        passed_over: Option<PassedOver>,
    },
    /// The kept state, and a replay of the events after it.
    KeptState {
        /// The event up to which it was kept.
        seq: u64,
    },
}

/// How a memory was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// What its state was made from.
    pub from: OpenedFrom,
    /// The events that were read from the log and folded.
    pub replayed: u64,
}

/// Why a kept state is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PassedOver {
    /// The store did not hand it over.
    #[error("it could not be read")]
    Unreadable,
    /// It is no kept state, or not all of it is there, or not as it was written.
    #[error("it is damaged")]
    Damaged,
    /// Another version of the program kept it.
    #[error("another version kept it")]
    Version,
    /// It is the state of another memory, or of another log.
    #[error("it was kept of another log")]
    OtherLog,
}

/// A side file as it was read: whole, and of this version.
pub(crate) struct Kept {
    pub(crate) head: Head,
    /// The state, or the index.
    pub(crate) content: Bytes,
    /// Bytes of the whole file.
    pub(crate) len: u64,
}

impl Kept {
    /// Whether it is this state.
    pub(crate) fn is_of(&self, state: &State) -> bool {
        let mut sink = io::sink();
        let mut replayed = Digesting::new(&mut sink);
        state.pack(&mut replayed).expect("a sink takes everything");
        replayed.digest() == digest_of(self.content.as_slice())
    }
}

/// What is kept of a memory, if the store keeps it.
pub(crate) fn read(
    store: &dyn Store,
    name: &MemoryName,
    which: SideFile,
) -> Option<Result<Kept, PassedOver>> {
    let read = store.read_side_file(name, which);
    let bytes = read.map_err(|_| PassedOver::Unreadable).transpose()?;
    let kept = bytes.and_then(|bytes| parse(bytes, name, which));
    Some(kept.and_then(|kept| {
        // The log has to hold the very entry that it was folded up to.
        let before = kept.head.seq.saturating_sub(1);
        let entries = store.read(name, before, 1);
        let entries = entries.map_err(|_| PassedOver::Unreadable)?;
        let last = entries.first().map(|it| (it.seq, it.hash));
        let is_there = last == Some((kept.head.seq, kept.head.hash));
        is_there.then_some(kept).ok_or(PassedOver::OtherLog)
    }))
}

/// The state in it with its place in the log.
pub(crate) fn open(kept: &Kept) -> Result<Committed, PassedOver> {
    let state = State::unpack(&kept.content).ok_or(PassedOver::Damaged)?;
    if state.seq() != kept.head.seq {
        return Err(PassedOver::OtherLog);
    }
    Ok(Committed {
        head: kept.head,
        state,
        weight: 0,
    })
}

fn parse(bytes: Vec<u8>, name: &MemoryName, which: SideFile) -> Result<Kept, PassedOver> {
    let (wanted, known) = form_of(which);
    let len = bytes.len() as u64;
    let (front, rest) = bytes.split_at_checked(FRONT).ok_or(PassedOver::Damaged)?;
    let (magic, front) = front.split_at(wanted.len());
    if magic != wanted {
        return Err(PassedOver::Damaged);
    }
    let mut front = Front(front);
    let version = u32::from_le_bytes(front.take());
    if version != known {
        return Err(PassedOver::Version);
    }
    let seq = u64::from_le_bytes(front.take());
    let hash = front.take();
    let name_len = u32::from_le_bytes(front.take()) as usize;
    let (content, digest) = bytes.split_last_chunk().ok_or(PassedOver::Damaged)?;
    if digest_of(content) != *digest {
        return Err(PassedOver::Damaged);
    }
    if rest.get(..name_len) != Some(name.as_str().as_bytes()) {
        return Err(PassedOver::OtherLog);
    }
    let content = FRONT + name_len..content.len();
    let content = Bytes::new(bytes).part(content);
    Ok(Kept {
        head: Head { seq, hash },
        content: content.ok_or(PassedOver::Damaged)?,
        len,
    })
}

/// The front, from which parts of fixed lengths are taken.
struct Front<'a>(&'a [u8]);

impl Front<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (part, rest) = self
            .0
            .split_first_chunk()
            .expect("the front has its length");
        self.0 = rest;
        *part
    }
}

/// Keeps the state or the index of a memory at this place of its log. Gives the bytes that it
/// takes, as many as there can be where nothing is kept, or nothing if that was refused.
pub(crate) fn keep(
    store: &dyn Store,
    name: &MemoryName,
    head: Head,
    which: SideFile,
    pack: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Option<u64> {
    let mut len = 0;
    let kept = store.replace_side_file(name, which, &mut |out| {
        let mut out = Digesting::new(out);
        put_front(&mut out, name, head, which)?;
        pack(&mut out)?;
        let digest = out.digest();
        out.write_all(&digest)?;
        len = out.len;
        Ok(())
    });
    match kept {
        Ok(true) => Some(len),
        // Nothing is kept here, so that it need not be tried.
        Ok(false) => Some(u64::MAX),
        Err(_) => None,
    }
}

fn put_front(
    out: &mut dyn Write,
    name: &MemoryName,
    head: Head,
    which: SideFile,
) -> io::Result<()> {
    let (magic, version) = form_of(which);
    let name = name.as_str().as_bytes();
    let name_len = u32::try_from(name.len()).expect("names are short");
    out.write_all(magic)?;
    out.write_all(&version.to_le_bytes())?;
    out.write_all(&head.seq.to_le_bytes())?;
    out.write_all(&head.hash)?;
    out.write_all(&name_len.to_le_bytes())?;
    out.write_all(name)
}

/// The digest of bytes: that of the digests of their segments.
fn digest_of(bytes: &[u8]) -> [u8; 32] {
    let segments: Vec<&[u8]> = bytes.chunks(SEGMENT).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = segments.len().div_ceil(threads.min(CHECKERS_MAX)).max(1);
    let digests: Vec<blake3::Hash> = std::thread::scope(|scope| {
        let check = |share: &[&[u8]]| share.iter().map(|it| blake3::hash(it)).collect::<Vec<_>>();
        let mut shares = segments.chunks(share);
        let first = shares.next().unwrap_or_default();
        let others: Vec<_> = shares.map(|it| scope.spawn(move || check(it))).collect();
        let mut digests = check(first);
        for other in others {
            digests.extend(other.join().expect("a digest is made of any bytes"));
        }
        digests
    });
    let mut all = blake3::Hasher::new();
    for digest in digests {
        all.update(digest.as_bytes());
    }
    all.finalize().into()
}

/// A writer that makes the digest of what it passes on.
struct Digesting<'a> {
    out: &'a mut dyn Write,
    len: u64,
    segment: blake3::Hasher,
    in_segment: usize,
    all: blake3::Hasher,
}

impl<'a> Digesting<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            len: 0,
            segment: blake3::Hasher::new(),
            in_segment: 0,
            all: blake3::Hasher::new(),
        }
    }

    fn end_segment(&mut self) {
        self.all.update(self.segment.finalize().as_bytes());
        self.segment.reset();
        self.in_segment = 0;
    }

    fn digest(&mut self) -> [u8; 32] {
        if self.in_segment > 0 {
            self.end_segment();
        }
        self.all.finalize().into()
    }
}

impl Write for Digesting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.len += bytes.len() as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(SEGMENT - self.in_segment));
            self.segment.update(part);
            self.in_segment += part.len();
            if self.in_segment == SEGMENT {
                self.end_segment();
            }
            rest = after;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Keeps the state of one open memory up, in a thread of its own: neither readers nor the writer
/// wait for it, but whoever closes the memory does.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// The weight that was folded when the state was last kept.
    weight: u64,
    /// Bytes of the last kept state.
    len: u64,
    at_work: Option<JoinHandle<Option<u64>>>,
}

impl Keeper {
    /// That of a memory that was opened from a kept state of so many bytes, or from its log.
    pub(crate) fn new(len: u64) -> Self {
        Self {
            weight: 0,
            len,
            at_work: None,
        }
    }

    /// Has the latest state kept once much lies on top of the last one. A memory that stays open
    /// keeps it seldom: it is of use to whoever opens it next.
    pub(crate) fn look(&mut self, shared: &Shared) {
        if self.at_work.as_ref().is_none_or(JoinHandle::is_finished) {
            self.keep_if_due(shared, limits::KEPT_STATE_SHARE_AT_WORK);
        }
    }

    /// Has everything kept that is due. Nobody else uses the memory any more.
    pub(crate) fn close(mut self, shared: &Shared) {
        self.keep_if_due(shared, limits::KEPT_STATE_SHARE);
        let documents = shared.documents.read();
        let documents = documents.unwrap_or_else(PoisonError::into_inner);
        if let Some(documents) = documents.as_ref() {
            documents.keep(shared);
        }
    }

    fn keep_if_due(&mut self, shared: &Shared, share: u64) {
        self.join();
        let latest = shared.latest();
        let since = latest.committed.weight - self.weight;
        if since <= limits::KEPT_STATE_TAIL_BYTES.max(self.len / share) {
            return;
        }
        // One that could not be kept is tried again once as much has come on top.
        self.weight = latest.committed.weight;
        let (store, name) = (shared.parts.store.clone(), shared.name.clone());
        let keeping = std::thread::Builder::new().name(format!("immune keeper {name}"));
        let keeping = keeping.spawn(move || {
            let pack = &mut |out: &mut dyn Write| latest.state().pack(out);
            keep(&*store, &name, latest.head(), SideFile::State, pack)
        });
        // A machine that starts no thread now keeps no state now.
        self.at_work = keeping.ok();
    }

    fn join(&mut self) {
        if let Some(at_work) = self.at_work.take() {
            // What could not be kept is replayed.
            let len = at_work.join().ok().flatten();
            self.len = len.unwrap_or(self.len);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.join();
    }
}
