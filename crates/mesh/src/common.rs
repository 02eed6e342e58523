//! The words that many texts have: a header, a greeting, a weekday. For `taken`.
//!
//! Invariant: at most `MESH_COMMON_WORDS_MAX` words are counted, over some thousand texts, the last
//! ones weighing most; nobody makes a word common with fewer than one text in twenty.

use std::collections::BTreeMap;

use immune_model::limits::MESH_COMMON_WORDS_MAX;

use crate::letters::Letters;

/// Texts below which nothing is common.
const TEXTS_LEAST: u32 = 40;
/// Texts after which each of them counts half.
const TEXTS_MOST: u32 = 4096;
/// Of so many texts, one has a common word.
const ONE_OF: u32 = 20;

/// How many texts have each word.
#[derive(Debug, Clone, Default, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Common {
    #[n(0)]
    pub(crate) texts: u32,
    #[n(1)]
    pub(crate) counts: BTreeMap<u64, u32>,
}

impl Common {
    /// Counts the words of a text.
    pub(crate) fn learn(&mut self, letters: &Letters) {
        let mut words: Vec<u64> = letters.long_words().map(fnv).collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            if self.counts.len() >= MESH_COMMON_WORDS_MAX {
                self.counts.retain(|_, it| *it > 1);
            }
            if self.counts.len() < MESH_COMMON_WORDS_MAX || self.counts.contains_key(&word) {
                *self.counts.entry(word).or_default() += 1;
            }
        }
        self.texts += 1;
        if self.texts >= TEXTS_MOST {
            self.texts /= 2;
            self.counts.retain(|_, it| {
                *it /= 2;
                *it > 0
            });
        }
    }

    /// Takes up what others counted: of each word the more, since both may have counted the same.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.texts = self.texts.max(other.texts);
        for (word, count) in &other.counts {
            if self.counts.len() < MESH_COMMON_WORDS_MAX || self.counts.contains_key(word) {
                let known = self.counts.entry(*word).or_default();
                *known = (*known).max(*count);
            }
        }
    }

    /// Whether it can have been counted.
    pub(crate) fn is_sound(&self) -> bool {
        let mut counts = self.counts.values();
        self.texts < TEXTS_MOST && counts.all(|it| *it <= self.texts)
    }

    /// Whether many texts have a word.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        self.has_hash(fnv(word))
    }

    /// The same of a word with this hash.
    pub(crate) fn has_hash(&self, hash: u64) -> bool {
        let count = self.counts.get(&hash).copied().unwrap_or(0);
        self.texts >= TEXTS_LEAST && count * ONE_OF > self.texts
    }
}

/// FNV-1a (Fowler, Noll and Vo), 64 bits.
pub(crate) fn fnv<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    let first = 0xCBF2_9CE4_8422_2325_u64;
    bytes.into_iter().fold(first, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_text_in_ten_has_is_common_and_what_few_have_is_not() {
        let mut common = Common::default();
        for number in 0..200 {
            let text = match number % 10 {
                0 => "original message from monday",
                _ => "the meter at the plant",
            };
            common.learn(&Letters::of(text));
            if number < 10 {
                assert!(!common.has(b"meter"));
            }
        }
        common.learn(&Letters::of("the harbour"));
        assert!(common.has(b"original") && common.has(b"meter"));
        assert!(!common.has(b"harbour") && !common.has(b"never"));
    }

    #[test]
    fn there_are_never_more_words_than_the_limit() {
        let mut common = Common::default();
        for number in 0..40_u32 {
            let words = (0..4000).map(|it| format!("word{number}x{it} "));
            common.learn(&Letters::of(&words.collect::<String>()));
        }
        assert!(common.counts.len() <= MESH_COMMON_WORDS_MAX);
    }
}
