//! Vectors kept in memory, for whoever has no other place to read them from.
//!
//! Beside an [`Index`](crate::Index), with the same rows. A clone shares everything; a write
//! copies the few hundred kilobytes that it touches.

use std::convert::Infallible;
use std::sync::Arc;

/// Rows that are copied together when one of them is written.
const ROWS: usize = 256;

/// Numbered vectors of some dimensions.
#[derive(Debug, Clone)]
pub struct Vectors {
    n_dims: usize,
    n_rows: u32,
    blocks: Arc<Vec<Arc<Vec<f32>>>>,
}

impl Vectors {
    /// None yet, of so many dimensions.
    pub fn new(n_dims: usize) -> Self {
        Self {
            n_dims,
            n_rows: 0,
            blocks: Arc::default(),
        }
    }

    /// Adds a row: its vector, or zeros for one that waits.
    /// Numbers are dense and ascending, as those of the index.
    pub fn add(&mut self, row: u32, vector: Option<&[f32]>) {
        assert_eq!(row, self.n_rows, "rows are added in order and without gaps");
        let blocks = Arc::make_mut(&mut self.blocks);
        if (row as usize).is_multiple_of(ROWS) {
            blocks.push(Arc::default());
        }
        let last = blocks
            .last_mut()
            .expect("one was added when the last was full");
        let last = Arc::make_mut(last);
        last.resize(last.len() + self.n_dims, 0.0);
        self.n_rows += 1;
        if let Some(vector) = vector {
            self.put(row, vector);
        }
    }

    /// Puts a vector in the place of what a row has; zeros erase it.
    pub fn put(&mut self, row: u32, vector: &[f32]) {
        assert_eq!(
            vector.len(),
            self.n_dims,
            "a vector has the dimensions of the others"
        );
        let from = row as usize % ROWS * self.n_dims;
        let block = Arc::make_mut(&mut self.blocks).get_mut(row as usize / ROWS);
        let part = block.and_then(|it| Arc::make_mut(it).get_mut(from..from + self.n_dims));
        part.expect("a row that was added").copy_from_slice(vector);
    }

    /// The vector of a row.
    pub fn find(&self, row: u32) -> Option<&[f32]> {
        let from = row as usize % ROWS * self.n_dims;
        self.blocks
            .get(row as usize / ROWS)?
            .get(from..from + self.n_dims)
    }

    /// What [`Index::search`](crate::Index::search) reads them by.
    pub fn read(&self) -> impl FnMut(u32, &mut [f32]) -> Result<(), Infallible> + '_ {
        |row, into| {
            let vector = self.find(row).expect("the rows are those of the index");
            into.copy_from_slice(vector);
            Ok(())
        }
    }
}
