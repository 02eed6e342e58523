//! Row numbers, one bit each: who may be found, and what is there.
//!
//! Called by anybody. A change of trust is some bits, in place: nothing is built anew for it.

/// A set of row numbers.
///
/// ```
/// use immune_vector::Bitmap;
///
/// let mut eligible = Bitmap::up_to(100);
/// eligible.remove(7);
/// assert_eq!(eligible.count(), 99);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// A set of no rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// The rows from 0 up to `n_rows`, without it.
    pub fn up_to(n_rows: u32) -> Self {
        let mut words = vec![u64::MAX; (n_rows / u64::BITS) as usize];
        let n_left = n_rows % u64::BITS;
        if n_left > 0 {
            words.push((1 << n_left) - 1);
        }
        Self { words }
    }

    /// Puts a row in.
    pub fn insert(&mut self, row: u32) {
        let (word_idx, bit) = place(row);
        if word_idx >= self.words.len() {
            self.words.resize(word_idx + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word_idx) {
            *word |= bit;
        }
    }

    /// Takes a row out.
    pub fn remove(&mut self, row: u32) {
        let (word_idx, bit) = place(row);
        if let Some(word) = self.words.get_mut(word_idx) {
            *word &= !bit;
        }
    }

    /// Whether a row is in it.
    pub fn has(&self, row: u32) -> bool {
        let (word_idx, bit) = place(row);
        self.words.get(word_idx).is_some_and(|word| word & bit != 0)
    }

    /// How many rows are in it.
    pub fn count(&self) -> usize {
        self.words.iter().map(|it| it.count_ones() as usize).sum()
    }

    /// Its bits: row `n` is bit `n % 64`, from the lowest, of word `n / 64`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The rows in it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        rows_of(&self.words)
    }
}

impl FromIterator<u32> for Bitmap {
    fn from_iter<I: IntoIterator<Item = u32>>(rows: I) -> Self {
        let mut bitmap = Self::new();
        rows.into_iter().for_each(|row| bitmap.insert(row));
        bitmap
    }
}

/// The places of the bits that are set, ascending.
pub(crate) fn rows_of(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(words).flat_map(|(word_idx, word): (u32, _)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(word_idx * u64::BITS + bit)
        })
    })
}

/// The word that a row's bit is in, and the bit.
fn place(row: u32) -> (usize, u64) {
    ((row / u64::BITS) as usize, 1 << (row % u64::BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_bitmap_is_a_set(
            n_rows in 0_u32..300,
            changes in prop::collection::vec((0_u32..400, any::<bool>()), 0..100),
        ) {
            let mut bitmap = Bitmap::up_to(n_rows);
            let mut set: BTreeSet<u32> = (0..n_rows).collect();
            for (row, is_in) in changes {
                if is_in {
                    bitmap.insert(row);
                    set.insert(row);
                } else {
                    bitmap.remove(row);
                    set.remove(&row);
                }
            }
            prop_assert_eq!(bitmap.count(), set.len());
            prop_assert!((0..500).all(|row| bitmap.has(row) == set.contains(&row)));
            prop_assert!(bitmap.iter().eq(set));
        }
    }
}
