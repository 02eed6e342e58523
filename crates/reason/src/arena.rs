//! Arenas: append-only vectors under typed ids that are cheap to snapshot.
//!
//! A clone shares everything; a write copies the one chunk that it touches. That is what lets a
//! writer plan on a copy of the state while readers keep theirs, and lets a failed commit be
//! dropped. Everything in `state` lives in these.

use std::marker::PhantomData;
use std::sync::Arc;

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
}

/// A vector under ids of one kind.
#[derive(Debug)]
pub(crate) struct Arena<I, T> {
    chunks: Arc<Vec<Arc<Vec<T>>>>,
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

impl<I: Slot, T: Clone> Arena<I, T> {
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
            chunks.push(Arc::new(Vec::with_capacity(CHUNK)));
        }
        let last = chunks
            .last_mut()
            .expect("a chunk was pushed when the last was full");
        Arc::make_mut(last).push(value);
        self.len += 1;
        id
    }

    pub(crate) fn find(&self, id: I) -> Option<&T> {
        self.chunks.get(id.slot() / CHUNK)?.get(id.slot() % CHUNK)
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
            .and_then(|chunk| Arc::make_mut(chunk).get_mut(id.slot() % CHUNK))
            .expect("ids inside the state were assigned by it")
    }

    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.len).map(I::at)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.iter())
            .enumerate()
            .map(|(slot, value)| (I::at(slot), value))
    }
}

#[cfg(test)]
mod tests {
    use immune_model::BeliefId;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_snapshot_never_sees_later_writes(
            first in proptest::collection::vec(any::<u32>(), 0..1500),
            writes in proptest::collection::vec((any::<u16>(), any::<u32>()), 0..50),
        ) {
            let mut arena = Arena::<BeliefId, u32>::default();
            for value in &first {
                arena.push(*value);
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
            prop_assert_eq!(arena.iter().map(|(_, value)| *value).collect::<Vec<_>>(), twin);
        }
    }
}
