//! Some rows beside each other: their signs, their codes of eight bits, and what is there.
//!
//! Called by `index`, `search` and `pack`. Invariant: what is kept of a row that is absent or was
//! erased is what is kept of nothing, and neither bit of an erased row is ever set back.

use crate::code::{Code, Estimate, Line, Scale};

/// Rows of one block. A write copies the one that it touches: some 50 microseconds.
pub(crate) const ROWS: usize = 1024;
/// Words of a bit for each row.
pub(crate) const ROW_WORDS: usize = ROWS / 64;

/// Some rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Block {
    pub(crate) filled: [u64; ROW_WORDS],
    pub(crate) erased: [u64; ROW_WORDS],
    pub(crate) estimates: Vec<Estimate>,
    pub(crate) scales: Vec<Scale>,
    /// So many words for each row as the dimensions take.
    pub(crate) signs: Vec<u64>,
    /// So many lines for each row as the dimensions take.
    pub(crate) lines: Vec<Line>,
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.estimates.len()
    }

    /// Adds a row; an absent one if there is no code.
    pub(crate) fn push(&mut self, code: Option<&Code>, n_words: usize) {
        let row = self.len();
        assert!(row < ROWS, "a full block gets no more rows");
        self.estimates.push(Estimate::default());
        self.scales.push(Scale::default());
        self.signs.resize((row + 1) * n_words, 0);
        self.lines.resize((row + 1) * n_words, Line::EMPTY);
        if let Some(code) = code {
            self.put(row, code);
            set(&mut self.filled, row);
        }
    }

    /// Fills a row that is absent; whether it was.
    pub(crate) fn fill(&mut self, row: usize, code: &Code) -> bool {
        let is_absent = row < self.len() && !has(&self.filled, row) && !has(&self.erased, row);
        if is_absent {
            self.put(row, code);
            set(&mut self.filled, row);
        }
        is_absent
    }

    /// Erases a row for ever.
    pub(crate) fn erase(&mut self, row: usize, nothing: &Code) {
        self.put(row, nothing);
        set(&mut self.erased, row);
        if let Some(word) = self.filled.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    pub(crate) fn is_filled(&self, row: usize) -> bool {
        has(&self.filled, row)
    }

    pub(crate) fn is_erased(&self, row: usize) -> bool {
        has(&self.erased, row)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.estimates.capacity() * size_of::<Estimate>()
            + self.scales.capacity() * size_of::<Scale>()
            + self.signs.capacity() * size_of::<u64>()
            + self.lines.capacity() * size_of::<Line>()
    }

    fn put(&mut self, row: usize, code: &Code) {
        if let Some(estimate) = self.estimates.get_mut(row) {
            *estimate = code.estimate;
        }
        if let Some(scale) = self.scales.get_mut(row) {
            *scale = code.scale;
        }
        let n_words = code.signs.len();
        let part = row * n_words..(row + 1) * n_words;
        if let Some(signs) = self.signs.get_mut(part.clone()) {
            signs.copy_from_slice(&code.signs);
        }
        if let Some(lines) = self.lines.get_mut(part) {
            lines.copy_from_slice(&code.lines);
        }
    }
}

fn has(words: &[u64; ROW_WORDS], row: usize) -> bool {
    words
        .get(row / 64)
        .is_some_and(|word| word >> (row % 64) & 1 == 1)
}

fn set(words: &mut [u64; ROW_WORDS], row: usize) {
    if let Some(word) = words.get_mut(row / 64) {
        *word |= 1 << (row % 64);
    }
}
