//! Words that are told apart by number: the aliases of a graph, without an allocation for each.
//!
//! For `graph` and `state::aliases`. Numbers are given from 0 in the order in which words first
//! came. Nothing depends on the order of the table: it only answers whether a word is known.

use rustc_hash::FxHashMap;

/// A set of words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Words {
    /// All of them, one after the other.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// Each by the digest of its characters; one whose place is taken stands in the next.
    places: FxHashMap<u64, u32>,
}

impl Words {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a word, if it is known.
    pub(crate) fn find(&self, word: &str) -> Option<u32> {
        self.look(word).ok()
    }

    /// The number of a word, new or known.
    pub(crate) fn insert(&mut self, word: &str) -> u32 {
        match self.look(word) {
            Ok(known) => known,
            Err(place) => {
                let number = u32::try_from(self.ends.len()).expect("fewer than u32::MAX words");
                self.text.push_str(word);
                self.ends.push(self.text.len());
                self.places.insert(place, number);
                number
            }
        }
    }

    /// The word of this number.
    ///
    /// # Panics
    /// On a number that was never given.
    pub(crate) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number
            .checked_sub(1)
            .map_or(Some(0), |it| self.ends.get(it).copied());
        let range = start.zip(self.ends.get(number).copied());
        range
            .and_then(|(start, end)| self.text.get(start..end))
            .expect("numbers are those that were given")
    }

    /// The number of the word, or the place at which it would stand.
    fn look(&self, word: &str) -> Result<u32, u64> {
        // A digest that nobody can steer: whoever chooses the words must not choose the places.
        let mut place = digest(word.as_bytes());
        while let Some(number) = self.places.get(&place) {
            if self.get(*number) == word {
                return Ok(*number);
            }
            place = place.wrapping_add(1);
        }
        Err(place)
    }
}

/// The first eight bytes of a BLAKE3 hash.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    let (first, _) = hash
        .as_bytes()
        .split_first_chunk()
        .expect("a hash has 32 bytes");
    u64::from_le_bytes(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_number() {
        let mut words = Words::default();
        assert_eq!(words.find("b1"), None);
        assert_eq!(
            (words.insert("b1"), words.insert(""), words.insert("é")),
            (0, 1, 2)
        );
        assert_eq!((words.insert("b1"), words.len()), (0, 3));
        assert_eq!((words.get(0), words.get(1), words.get(2)), ("b1", "", "é"));
        assert_eq!(words.find("é"), Some(2));
    }
}
