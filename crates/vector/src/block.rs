//! Some rows beside each other: their signs, their codes of eight bits, and what is there.
//!
//! Called by `index`, `search` and `pack`. Invariant: what is kept of a row that is absent or was
//! erased is what is kept of nothing, and neither bit of an erased row is ever set back.

use crate::code::{Code, Estimate, LINE_WORDS, Line, Scale, Words};

/// Rows of one block. A write copies the one that it touches: some 50 microseconds.
pub(crate) const ROWS: usize = 1024;
/// Words of a bit for each row.
pub(crate) const ROW_WORDS: usize = ROWS / 64;

/// Lines of the signs of a row of so many words.
pub(crate) fn sign_lines(n_words: usize) -> usize {
    n_words.div_ceil(LINE_WORDS)
}

/// Whether the last line of signs has room for the estimate, so that a row is looked at in one
/// place.
pub(crate) fn has_room(n_words: usize) -> bool {
    !n_words.is_multiple_of(LINE_WORDS)
}

/// Some rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Block {
    pub(crate) filled: [u64; ROW_WORDS],
    pub(crate) erased: [u64; ROW_WORDS],
    /// Of each row, where its signs leave no room for it.
    pub(crate) estimates: Vec<Estimate>,
    pub(crate) scales: Vec<Scale>,
    /// So many lines for each row as the dimensions take; the last word of the last one is the
    /// estimate, if there is room.
    pub(crate) signs: Vec<Words>,
    /// So many lines for each row as the dimensions take.
    pub(crate) lines: Vec<Line>,
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Adds a row; an absent one if there is no code.
    pub(crate) fn push(&mut self, code: Option<&Code>, n_words: usize) {
        let row = self.len();
        assert!(row < ROWS, "a full block gets no more rows");
        if !has_room(n_words) {
            self.estimates.push(Estimate::default());
        }
        self.scales.push(Scale::default());
        let n_lines = sign_lines(n_words);
        self.signs.resize((row + 1) * n_lines, Words::default());
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

    /// How the signs of a row estimate a product.
    #[inline]
    pub(crate) fn estimate(&self, row: usize, n_words: usize) -> Estimate {
        if !has_room(n_words) {
            return self.estimates.get(row).copied().unwrap_or_default();
        }
        let last = self.signs.get((row + 1) * sign_lines(n_words) - 1);
        let [.., word] = last.copied().unwrap_or_default().0;
        Estimate::of_word(word)
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
            + self.signs.capacity() * size_of::<Words>()
            + self.lines.capacity() * size_of::<Line>()
    }

    fn put(&mut self, row: usize, code: &Code) {
        if let Some(scale) = self.scales.get_mut(row) {
            *scale = code.scale;
        }
        let n_words = code.signs.len();
        let n_lines = sign_lines(n_words);
        let signs = self.signs.get_mut(row * n_lines..(row + 1) * n_lines);
        for (line, words) in signs
            .into_iter()
            .flatten()
            .zip(code.signs.chunks(LINE_WORDS))
        {
            for (word, signs) in line.0.iter_mut().zip(words) {
                *word = *signs;
            }
        }
        if let Some(estimate) = self.estimates.get_mut(row) {
            *estimate = code.estimate;
        } else if let Some(Words([.., word])) = self.signs.get_mut((row + 1) * n_lines - 1) {
            *word = code.estimate.to_word();
        }
        let part = row * n_words..(row + 1) * n_words;
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
