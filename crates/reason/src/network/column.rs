//! Columns: append-only vectors of small plain values under typed ids, cheap to snapshot.
//!
//! Like [`crate::arena`], for values that are read and written in the millions: a chunk is a flat
//! array, so that a read is two loads, and small, so that a cascade that is scattered over a large
//! memory copies little.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::arena::Slot;
use crate::pack::{Input, Packed, Packer, Unpacker, records};

/// Values of one chunk.
const CHUNK: usize = 128;

/// A vector under ids of one kind.
#[derive(Debug)]
pub(crate) struct Column<I, T> {
    chunks: Arc<Vec<Arc<[T; CHUNK]>>>,
    len: usize,
    ids: PhantomData<fn(I)>,
}

impl<I, T> Clone for Column<I, T> {
    fn clone(&self) -> Self {
        Self {
            chunks: Arc::clone(&self.chunks),
            len: self.len,
            ids: PhantomData,
        }
    }
}

impl<I, T> Default for Column<I, T> {
    fn default() -> Self {
        Self {
            chunks: Arc::default(),
            len: 0,
            ids: PhantomData,
        }
    }
}

impl<I: Slot, T: Copy + Default> Column<I, T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, value: T) -> I {
        let (chunk, place) = (self.len / CHUNK, self.len % CHUNK);
        let chunks = Arc::make_mut(&mut self.chunks);
        if place == 0 {
            chunks.push(Arc::new([T::default(); CHUNK]));
        }
        let slot = chunks
            .get_mut(chunk)
            .and_then(|it| Arc::make_mut(it).get_mut(place));
        *slot.expect("a chunk was pushed when the last was full") = value;
        self.len += 1;
        I::at(self.len - 1)
    }

    #[inline]
    pub(crate) fn find(&self, id: I) -> Option<&T> {
        let slot = id.slot();
        if slot >= self.len {
            return None;
        }
        self.chunks.get(slot / CHUNK)?.get(slot % CHUNK)
    }

    /// # Panics
    /// On an id of another memory or from the future: ids are checked where they come in.
    #[inline]
    pub(crate) fn get(&self, id: I) -> &T {
        self.find(id)
            .expect("ids inside the state were assigned by it")
    }

    /// # Panics
    /// As [`Self::get`].
    #[inline]
    pub(crate) fn get_mut(&mut self, id: I) -> &mut T {
        let slot = id.slot();
        assert!(slot < self.len, "ids inside the state were assigned by it");
        Arc::make_mut(&mut self.chunks)
            .get_mut(slot / CHUNK)
            .and_then(|chunk| Arc::make_mut(chunk).get_mut(slot % CHUNK))
            .expect("a slot below the length is in a chunk")
    }

    /// Writes to values in the order of their ids, which is how they lie in memory: what is
    /// shared is looked at once a chunk, not once a value.
    ///
    /// # Panics
    /// As [`Self::get`].
    pub(crate) fn write_in_order(
        &mut self,
        ids: impl IntoIterator<Item = I>,
        mut write: impl FnMut(I, &mut T),
    ) {
        let mut ids = ids.into_iter().peekable();
        if ids.peek().is_none() {
            return;
        }
        let chunks = Arc::make_mut(&mut self.chunks);
        while let Some(first) = ids.peek() {
            let number = first.slot() / CHUNK;
            let chunk = chunks.get_mut(number).map(Arc::make_mut);
            let chunk = chunk.expect("ids inside the state were assigned by it");
            while let Some(id) = ids.next_if(|it| it.slot() / CHUNK == number) {
                assert!(
                    id.slot() < self.len,
                    "ids inside the state were assigned by it"
                );
                if let Some(value) = chunk.get_mut(id.slot() % CHUNK) {
                    write(id, value);
                }
            }
        }
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.len()
            * (size_of::<[T; CHUNK]>() + size_of::<Arc<()>>() + 2 * size_of::<usize>())
    }
}

impl<I: Slot, T: Copy + Default + Packed> Column<I, T> {
    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        to.note(&self.len);
        let chunks = self.chunks.iter();
        to.values(chunks.flat_map(|it| it.iter()).take(self.len))
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let len: usize = from.noted()?;
        let body = from.body()?;
        let mut input = Input::new(body.as_slice());
        let mut chunks = Vec::with_capacity(len.min(body.len()).div_ceil(CHUNK));
        for first in (0..len).step_by(CHUNK) {
            let mut chunk = [T::default(); CHUNK];
            for value in chunk.iter_mut().take(len - first) {
                *value = T::unpack(&mut input)?;
            }
            chunks.push(Arc::new(chunk));
        }
        input.is_empty().then_some(Self {
            chunks: Arc::new(chunks),
            len,
            ids: PhantomData,
        })
    }
}

/// Runs of values, each written once and read as one slice.
#[derive(Debug, Clone)]
pub(crate) struct Runs<T> {
    chunks: Arc<Vec<Arc<Vec<T>>>>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Self {
            chunks: Arc::default(),
        }
    }
}

/// Values of one chunk of runs; a longer run has a chunk of its own.
const RUNS_CHUNK: usize = 2048;

/// Where a run is, in eight bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    chunk: u32,
    first: u16,
    /// Of a run with a chunk of its own, which is all of it, more than a chunk has.
    len: u16,
}

impl Run {
    const WHOLE_CHUNK: u16 = u16::MAX;
}

records! {
    Run { chunk first len }
}

impl<T: Copy> Runs<T> {
    pub(crate) fn push(&mut self, values: &[T]) -> Run {
        if values.is_empty() {
            return Run::default();
        }
        let chunks = Arc::make_mut(&mut self.chunks);
        let fits = chunks
            .last()
            .is_some_and(|last| last.len() + values.len() <= RUNS_CHUNK);
        if !fits {
            chunks.push(Arc::new(Vec::with_capacity(RUNS_CHUNK.max(values.len()))));
        }
        let chunk = chunks.len() - 1;
        let last = chunks
            .get_mut(chunk)
            .map(Arc::make_mut)
            .expect("a chunk was pushed when the run did not fit");
        let first = last.len();
        last.extend_from_slice(values);
        let short = |it: usize| u16::try_from(it).expect("a chunk is shorter than u16::MAX");
        Run {
            chunk: u32::try_from(chunk).expect("fewer than u32::MAX premises"),
            first: short(first),
            len: if values.len() > RUNS_CHUNK {
                Run::WHOLE_CHUNK
            } else {
                short(values.len())
            },
        }
    }

    #[inline]
    pub(crate) fn get(&self, run: Run) -> &[T] {
        if run.len == 0 {
            return &[];
        }
        let chunk = self.chunks.get(run.chunk as usize);
        let (first, len) = (usize::from(run.first), usize::from(run.len));
        let values = match run.len {
            Run::WHOLE_CHUNK => chunk.map(|it| it.as_slice()),
            _ => chunk.and_then(|it| it.get(first..first + len)),
        };
        values.expect("a run was written before it is read")
    }

    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()>
    where
        T: Packed,
    {
        to.note(&self.chunks.len());
        for chunk in self.chunks.iter() {
            to.values(chunk.iter())?;
        }
        Ok(())
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self>
    where
        T: Packed,
    {
        let n_chunks: usize = from.noted()?;
        let chunks: Option<Vec<_>> = (0..n_chunks)
            .map(|_| from.values().map(|it: Vec<T>| Arc::new(it)))
            .collect();
        Some(Self {
            chunks: Arc::new(chunks?),
        })
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let of = |chunk: &Arc<Vec<T>>| chunk.capacity() * size_of::<T>() + 5 * size_of::<usize>();
        self.chunks.iter().map(of).sum()
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
            first in proptest::collection::vec(any::<u32>(), 0..500),
            writes in proptest::collection::vec((any::<u16>(), any::<u32>()), 0..50),
        ) {
            let mut column = Column::<BeliefId, u32>::default();
            for value in &first {
                column.push(*value);
            }
            let snapshot = column.clone();
            let mut twin = first.clone();
            for (place, value) in writes {
                if let Some(slot) = twin.get_mut(usize::from(place)) {
                    *slot = value;
                    *column.get_mut(BeliefId::from_index(place.into())) = value;
                } else {
                    twin.push(value);
                    column.push(value);
                }
            }
            let read = |column: &Column<BeliefId, u32>| -> Vec<u32> {
                (0..column.len()).map(|it| *column.get(BeliefId::from_index(it))).collect()
            };
            prop_assert_eq!(read(&snapshot), first);
            prop_assert_eq!(read(&column), twin);
            prop_assert!(column.find(BeliefId::from_index(column.len())).is_none());
        }

        #[test]
        fn what_is_written_in_order_is_written_as_one_by_one(
            first in proptest::collection::vec(any::<u32>(), 1..1000),
            places in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let mut column = Column::<BeliefId, u32>::default();
            for value in &first {
                column.push(*value);
            }
            let snapshot = column.clone();
            let mut slots: Vec<usize> = places.iter().map(|it| it.index(first.len())).collect();
            slots.sort_unstable();
            let mut twin = column.clone();
            let ids = || slots.iter().map(|it| BeliefId::from_index(*it));
            column.write_in_order(ids(), |_, value| *value = value.wrapping_add(1));
            ids().for_each(|id| *twin.get_mut(id) = twin.get(id).wrapping_add(1));
            for (id, value) in first.iter().enumerate() {
                let id = BeliefId::from_index(id);
                prop_assert_eq!(column.get(id), twin.get(id));
                prop_assert_eq!(snapshot.get(id), value);
            }
        }

        #[test]
        fn a_run_is_read_as_it_was_written(
            runs in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..3000), 0..12),
        ) {
            let mut written = Runs::default();
            let places: Vec<Run> = runs.iter().map(|it| written.push(it)).collect();
            for (run, place) in runs.iter().zip(places) {
                prop_assert_eq!(&written.get(place), run);
            }
        }
    }
}
