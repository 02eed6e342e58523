//! Arenas: append-only vectors under typed ids that are cheap to snapshot.
//!
//! A clone shares everything; a write copies the one chunk that it touches. That is what lets a
//! writer plan on a copy of the state while readers keep theirs, and lets a failed commit be
//! dropped. Everything in `state` lives in these. A chunk that was read from a packed state is
//! unpacked when it is first looked at.

use std::io;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use crate::pack::{Bytes, Input, Packed, Packer, Unpacker};

/// Slots of one chunk: copying one costs microseconds, and a million slots are 2,000 chunks.
const CHUNK: usize = 512;

/// An id that names a slot.
pub(crate) trait Slot: Copy {
    fn slot(self) -> usize;
    fn at(slot: usize) -> Self;
}

macro_rules! slots {
    ($($id:ty)*) => {$(
        impl Slot for $id {
            fn slot(self) -> usize {
                self.index()
            }

            fn at(slot: usize) -> Self {
                Self::from_index(slot)
            }
        }
    )*};
}

slots! {
    immune_model::ChannelId immune_model::SourceId immune_model::ObservationId
    immune_model::BeliefId immune_model::JustificationId immune_model::DecisionId
    immune_model::ActionId immune_model::RuleId immune_model::IncidentId immune_model::ReviewId
    immune_model::TaskId
    immune_model::AttributionId immune_model::MeshIncidentId immune_model::AntibodyId
}

/// Some slots: values, or the bytes that they are unpacked from.
#[derive(Debug, Clone)]
struct Chunk<T> {
    values: OnceLock<Vec<T>>,
    /// What the values are packed as, as long as nobody wrote to them.
    packed: Option<Bytes>,
    len: usize,
}

impl<T: Packed> Chunk<T> {
    fn new() -> Self {
        Self {
            values: OnceLock::from(Vec::with_capacity(CHUNK)),
            packed: None,
            len: 0,
        }
    }

    #[inline]
    fn values(&self) -> &[T] {
        match self.values.get() {
            Some(values) => values,
            None => self.unpacked(),
        }
    }

    #[cold]
    fn unpacked(&self) -> &[T] {
        self.values.get_or_init(|| {
            let packed = self.packed.as_ref().map_or(&[][..], Bytes::as_slice);
            let mut input = Input::new(packed);
            let values: Option<Vec<T>> = (0..self.len).map(|_| T::unpack(&mut input)).collect();
            // Whoever hands over a packed state answers for its bytes; see `State::unpack`.
            values.expect("what is unpacked was packed by this version")
        })
    }

    fn values_mut(&mut self) -> &mut Vec<T> {
        self.unpacked();
        self.packed = None;
        self.values.get_mut().expect("they were unpacked")
    }
}

/// A vector under ids of one kind.
#[derive(Debug)]
pub(crate) struct Arena<I, T> {
    chunks: Arc<Vec<Arc<Chunk<T>>>>,
    len: usize,
    ids: PhantomData<fn(I)>,
}

impl<I, T> Clone for Arena<I, T> {
    fn clone(&self) -> Self {
        Self {
            chunks: Arc::clone(&self.chunks),
            len: self.len,
            ids: PhantomData,
        }
    }
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self {
            chunks: Arc::default(),
            len: 0,
            ids: PhantomData,
        }
    }
}

impl<I: Slot, T: Clone + Packed> Arena<I, T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The id that the next push gets.
    pub(crate) fn next_id(&self) -> I {
        I::at(self.len)
    }

    pub(crate) fn push(&mut self, value: T) -> I {
        let id = self.next_id();
        let chunks = Arc::make_mut(&mut self.chunks);
        if self.len.is_multiple_of(CHUNK) {
            chunks.push(Arc::new(Chunk::new()));
        }
        let last = chunks
            .last_mut()
            .expect("a chunk was pushed when the last was full");
        let last = Arc::make_mut(last);
        last.values_mut().push(value);
        last.len += 1;
        self.len += 1;
        id
    }

    pub(crate) fn find(&self, id: I) -> Option<&T> {
        let chunk = self.chunks.get(id.slot() / CHUNK)?;
        chunk.values().get(id.slot() % CHUNK)
    }

    /// # Panics
    /// On an id of another memory or from the future: ids are checked where they come in.
    pub(crate) fn get(&self, id: I) -> &T {
        self.find(id)
            .expect("ids inside the state were assigned by it")
    }

    /// # Panics
    /// As [`Self::get`].
    pub(crate) fn get_mut(&mut self, id: I) -> &mut T {
        Arc::make_mut(&mut self.chunks)
            .get_mut(id.slot() / CHUNK)
            .and_then(|chunk| Arc::make_mut(chunk).values_mut().get_mut(id.slot() % CHUNK))
            .expect("ids inside the state were assigned by it")
    }

    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.len).map(I::at)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.values())
            .enumerate()
            .map(|(slot, value)| (I::at(slot), value))
    }

    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        to.note(&self.len);
        self.chunks
            .iter()
            .try_for_each(|chunk| match &chunk.packed {
                Some(packed) => to.body(packed.as_slice()),
                None => to.values(chunk.values().iter()),
            })
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let len: usize = from.noted()?;
        let chunk = |first: usize| {
            Some(Arc::new(Chunk {
                values: OnceLock::new(),
                packed: Some(from.body()?),
                len: CHUNK.min(len - first),
            }))
        };
        let chunks: Option<Vec<_>> = (0..len).step_by(CHUNK).map(chunk).collect();
        Some(Self {
            chunks: Arc::new(chunks?),
            len,
            ids: PhantomData,
        })
    }
}

#[cfg(test)]
mod tests {
    use immune_model::BeliefId;
    use proptest::prelude::*;

    use super::*;

    fn packed_again(arena: &Arena<BeliefId, u32>) -> Arena<BeliefId, u32> {
        let mut bytes = Vec::new();
        let mut packer = Packer::new(&mut bytes);
        arena.pack(&mut packer).unwrap();
        packer.finish().unwrap();
        Arena::unpack(&mut Unpacker::new(&Bytes::new(bytes)).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn a_snapshot_never_sees_later_writes(
            first in proptest::collection::vec(any::<u32>(), 0..1500),
            writes in proptest::collection::vec((any::<u16>(), any::<u32>()), 0..50),
            packs: bool,
        ) {
            let mut arena = Arena::<BeliefId, u32>::default();
            for value in &first {
                arena.push(*value);
            }
            if packs {
                arena = packed_again(&arena);
            }
            let snapshot = arena.clone();
            let mut twin = first.clone();
            for (place, value) in writes {
                if let Some(slot) = twin.get_mut(usize::from(place)) {
                    *slot = value;
                    *arena.get_mut(BeliefId::from_index(place.into())) = value;
                } else {
                    twin.push(value);
                    arena.push(value);
                }
            }
            prop_assert_eq!(snapshot.iter().map(|(_, value)| *value).collect::<Vec<_>>(), first);
            let again = packed_again(&arena);
            prop_assert_eq!(arena.iter().map(|(_, value)| *value).collect::<Vec<_>>(), twin.clone());
            prop_assert_eq!(again.iter().map(|(_, value)| *value).collect::<Vec<_>>(), twin);
        }
    }
}
