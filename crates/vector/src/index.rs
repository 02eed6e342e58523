//! The rows and their codes. `engine` adds each vector once, in order; `search` reads.
//!
//! Invariant: row `n` is the `n`-th that was added. A clone shares everything; a write copies the
//! one block that it touches, so that readers keep what they have.

use std::io::{self, Write};
use std::sync::Arc;

use crate::block::{Block, ROWS};
use crate::code::Coder;
use crate::error::{SearchError, VectorError};
use crate::kernel::Kernel;
use crate::pack;
use crate::search::{self, Asked, Found};

/// An index over numbered vectors of some dimensions.
///
/// It holds codes; a search reads the few vectors that it cannot tell apart by them from the
/// caller, who keeps them (see [`Vectors`](crate::Vectors) for keeping them in memory).
///
/// ```
/// use immune_vector::{Bitmap, Index, Vectors};
///
/// let mut index = Index::new(2)?;
/// let mut vectors = Vectors::new(2);
/// for (row, vector) in (0..).zip([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]) {
///     index.add(row, Some(&vector))?;
///     vectors.add(row, Some(&vector));
/// }
/// let mut eligible = Bitmap::up_to(3);
/// eligible.remove(0);
/// let found = index.search(&[1.0, 0.0], 1, eligible.words(), vectors.read())?;
/// assert_eq!(found.hits[0].row, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Index {
    coder: Arc<Coder>,
    blocks: Arc<Vec<Arc<Block>>>,
    n_rows: u32,
    n_filled: u32,
}

impl Index {
    /// An index of no rows, for vectors of so many dimensions.
    pub fn new(n_dims: usize) -> Result<Self, VectorError> {
        Ok(Self {
            coder: Arc::new(Coder::new(n_dims)?),
            blocks: Arc::default(),
            n_rows: 0,
            n_filled: 0,
        })
    }

    /// The dimensions of its vectors.
    pub fn n_dims(&self) -> usize {
        self.coder.n_dims()
    }

    /// How many rows were added, absent and erased ones included.
    pub fn len(&self) -> u32 {
        self.n_rows
    }

    /// Whether no row was added.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// How many rows have a vector.
    pub fn n_filled(&self) -> u32 {
        self.n_filled
    }

    /// Adds a row: with its vector, of length 1 or less, or one that waits for it.
    /// Numbers are dense and ascending: `row` is `len()` before the call. A vector that is
    /// refused adds no row.
    pub fn add(&mut self, row: u32, vector: Option<&[f32]>) -> Result<(), VectorError> {
        assert_eq!(row, self.n_rows, "rows are added in order and without gaps");
        let code = vector.map(|it| self.coder.code(it)).transpose()?;
        let n_rows = row.checked_add(1).expect("rows fit in 32 bits");
        let blocks = Arc::make_mut(&mut self.blocks);
        if (row as usize).is_multiple_of(ROWS) {
            blocks.push(Arc::default());
        }
        let last = blocks
            .last_mut()
            .expect("one was added when the last was full");
        Arc::make_mut(last).push(code.as_ref(), self.coder.n_words());
        self.n_rows = n_rows;
        self.n_filled += u32::from(code.is_some());
        Ok(())
    }

    /// Gives a row that waits its vector. Answers whether it did: a row that has one, was erased
    /// or was never added takes none.
    pub fn fill(&mut self, row: u32, vector: &[f32]) -> Result<bool, VectorError> {
        let code = self.coder.code(vector)?;
        if !self.is_waiting(row) {
            return Ok(false);
        }
        let was_absent = self
            .block_mut(row)
            .is_some_and(|block| block.fill(row as usize % ROWS, &code));
        self.n_filled += u32::from(was_absent);
        Ok(was_absent)
    }

    /// Takes a vector out, as redaction and forgetting ask: no code of it stays behind, and the
    /// row never has one again. Other snapshots keep theirs.
    pub fn erase(&mut self, row: u32) {
        let nothing = self.coder.code(&vec![0.0; self.n_dims()]);
        let nothing = nothing.expect("zeros are a vector of these dimensions");
        let was_filled = self.is_filled(row);
        if let Some(block) = self.block_mut(row) {
            block.erase(row as usize % ROWS, &nothing);
            self.n_filled -= u32::from(was_filled);
        }
    }

    /// Whether a row has a vector.
    pub fn is_filled(&self, row: u32) -> bool {
        let block = self.blocks.get(row as usize / ROWS);
        block.is_some_and(|it| it.is_filled(row as usize % ROWS))
    }

    /// Whether a row was added, has no vector and may get one.
    pub fn is_waiting(&self, row: u32) -> bool {
        let block = self.blocks.get(row as usize / ROWS);
        let place = row as usize % ROWS;
        row < self.n_rows && block.is_some_and(|it| !it.is_filled(place) && !it.is_erased(place))
    }

    /// The rows that wait for a vector, ascending.
    pub fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.n_rows).filter(|row| self.is_waiting(*row))
    }

    /// The `k` rows with the largest products with `query`, among those that `eligible` has and
    /// that have a vector; never fewer if there are as many. Of equal products, the row that was
    /// added first comes first.
    ///
    /// `eligible` has row `n` in bit `n % 64`, from the lowest, of word `n / 64`; a row behind
    /// its end is not eligible. A row that is not is never looked at. `read` copies the vector
    /// of a row; only eligible rows are read, and [`Found::work`] says how many.
    pub fn search<E>(
        &self,
        query: &[f32],
        k: usize,
        eligible: &[u64],
        read: impl FnMut(u32, &mut [f32]) -> Result<(), E>,
    ) -> Result<Found, SearchError<E>> {
        self.search_by(Kernel::best(), query, k, eligible, read)
    }

    /// [`Self::search`] with other instructions than the best of this machine; the answer is the
    /// same, bit for bit.
    pub fn search_by<E>(
        &self,
        kernel: Kernel,
        query: &[f32],
        k: usize,
        eligible: &[u64],
        read: impl FnMut(u32, &mut [f32]) -> Result<(), E>,
    ) -> Result<Found, SearchError<E>> {
        let code = self.coder.query(query)?;
        let asked = Asked {
            vector: query,
            code: &code,
            k,
            eligible,
            kernel,
        };
        search::search(&self.blocks, &asked, read)
    }

    /// About how many bytes it holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        let of_block = |block: &Arc<Block>| size_of::<Block>() + block.heap_bytes();
        self.blocks.iter().map(of_block).sum()
    }

    /// Writes the index.
    pub fn pack(&self, out: &mut dyn Write) -> io::Result<()> {
        pack::pack(out, self.n_dims(), self.n_rows, &self.blocks)
    }

    /// The index that these bytes are; nothing if they are none.
    ///
    /// The caller vouches that they are what [`Self::pack`] wrote in this
    /// [`VERSION`](crate::VERSION), by a digest of them.
    pub fn unpack(bytes: &[u8]) -> Option<Self> {
        let (n_dims, n_rows, blocks) = pack::unpack(bytes)?;
        let filled = blocks.iter().flat_map(|it| &it.filled);
        Some(Self {
            coder: Arc::new(Coder::new(n_dims).ok()?),
            n_rows,
            n_filled: filled.map(|it| it.count_ones()).sum(),
            blocks: Arc::new(blocks.into_iter().map(Arc::new).collect()),
        })
    }

    fn block_mut(&mut self, row: u32) -> Option<&mut Block> {
        if row >= self.n_rows {
            return None;
        }
        let block = Arc::make_mut(&mut self.blocks).get_mut(row as usize / ROWS)?;
        Some(Arc::make_mut(block))
    }
}
