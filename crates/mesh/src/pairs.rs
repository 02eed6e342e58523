//! Pairs of words near each other: what stays of a text in which words are changed or put between.
//!
//! A print is gone with any of its four words, a pair with one of its two; and a word that is put
//! between them, or dropped, leaves it. They say less than prints do: a pair counts where one of its
//! words is long and not common, and only several of them in one place say anything.

use crate::common::{Common, fnv};
use crate::letters::{Letters, WORD_LEAST};
use crate::prints::{Mark, mixed};

/// Pairs in one place for them to say anything, and for what has them to be known.
pub(crate) const PAIRS_LEAST: usize = 4;
/// Words that the second one of a pair comes after the first one at most.
const APART_MOST: usize = 3;

/// Two words, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) mark: Mark,
    words: [Word; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    hash: u64,
    start: u32,
    end: u32,
}

impl Word {
    fn is_rare(self, common: &Common) -> bool {
        (self.end - self.start) as usize >= WORD_LEAST && !common.has_hash(self.hash)
    }
}

impl Pair {
    fn of(first: Word, second: Word) -> Self {
        let mark = Mark {
            hash: mixed(first.hash.rotate_left(1) ^ second.hash),
            start: first.start,
            end: second.end,
        };
        Self {
            mark,
            words: [first, second],
        }
    }

    /// Whether one of the words is long, and not common.
    pub(crate) fn is_rare(&self, common: &Common) -> bool {
        self.words.iter().any(|it| it.is_rare(common))
    }
}

/// The words of a text, for its pairs. An address is one word.
pub(crate) struct Words(Vec<Word>);

impl Words {
    pub(crate) fn of(letters: &Letters) -> Self {
        let numbers = 0..letters.words.len();
        let numbers = numbers.filter(|it| !letters.of_address.contains(it));
        let words = numbers.filter_map(|number| {
            let word = letters.word(number)?;
            let start = *letters.words.get(number)?;
            Some(Word {
                hash: fnv(word),
                start,
                end: start + word.len() as u32,
            })
        });
        Self(words.collect())
    }

    /// The pairs in their order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Pair> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(number, first)| {
            let seconds = self.0.iter().skip(number + 1).take(APART_MOST);
            seconds.map(|second| Pair::of(*first, *second))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<u64> {
        let words = Words::of(&Letters::of(text));
        words.pairs().map(|it| it.mark.hash).collect()
    }

    #[test]
    fn a_pair_has_its_place_and_a_rare_one_has_a_long_word() {
        let common = Common::default();
        let words = Words::of(&Letters::of("To the Harbour, now!"));
        let found: Vec<(u32, u32, bool)> = words
            .pairs()
            .map(|it| (it.mark.start, it.mark.end, it.is_rare(&common)))
            .collect();
        let far = (0, 15, false);
        let (one, two) = ((0, 5, false), (0, 12, true));
        assert_eq!(
            found,
            [one, two, far, (2, 12, true), (2, 15, false), (5, 15, true)]
        );
        assert!(of("word").is_empty() && of("").is_empty());
    }

    #[test]
    fn an_address_is_one_word() {
        assert_eq!(of("From: ann.lee@example.com, today").len(), 3);
        assert_eq!(of("From: ann lee, today").len(), 6);
        assert_eq!(of("ann.lee@example.com"), []);
    }

    proptest! {
        /// What is left of a text in which every second word is another one, or in which a word is
        /// put after each: the pairs of the words that stay.
        #[test]
        fn words_that_are_put_between_leave_the_pairs_of_those_that_follow_one_another(
            words in prop::collection::vec("[a-e]{1,6}", 2..20),
        ) {
            let filled: Vec<String> = words.iter().map(|it| format!("{it} zzzz")).collect();
            let filled = of(&filled.join(" "));
            for pair in words.windows(2) {
                prop_assert!(filled.contains(&of(&pair.join(" "))[0]));
            }
        }

        #[test]
        fn a_changed_word_takes_its_own_pairs_and_no_other(
            words in prop::collection::vec("[a-e]{1,6}", 3..20),
            place in any::<prop::sample::Index>(),
        ) {
            let place = place.index(words.len());
            let mut changed = words.clone();
            "zzzz".clone_into(&mut changed[place]);
            let (before, after) = (of(&words.join(" ")), of(&changed.join(" ")));
            let left = before.iter().zip(&after).filter(|(one, other)| one == other).count();
            let earlier = place.min(APART_MOST);
            let later = (words.len() - 1 - place).min(APART_MOST);
            prop_assert_eq!(before.len() - left, earlier + later);
        }
    }
}
