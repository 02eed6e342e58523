//! What an output takes of texts that came along: letters in a row, or words in order of which some
//! are others. For `observe`.
//!
//! What a principal has an agent work on is repeated in honest outputs; what was found beside it
//! seldom is, and a payload is always. Two measures, of which the greater counts: stretches of shared
//! prints in any view, and chains of shared words, which bear that words are changed and sentences
//! change places. Invariant: what the trusted texts and the task say too is not taken.

use std::collections::BTreeMap;

use crate::common::Common;
use crate::fact::Span;
use crate::letters::{Letters, WORD_LEAST};
use crate::prints::{sorted, stretches};
use crate::read::{Input, Read};

/// Places of a word in an output above which it says nothing.
const PLACES_MOST: usize = 4;
/// Words by which the way from one shared word to the next may differ in the two texts.
const SHIFT_MOST: usize = 3;
/// Words between two shared ones of a chain.
const APART_MOST: usize = 12;
/// Shared words of a chain for it to count.
const CHAIN_LEAST: usize = 4;
/// Chains that may still go on at a time.
const OPEN_MOST: usize = 64;
/// Prints of a stretch for it to count.
const PRINTS_LEAST: usize = 2;

/// What was taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken {
    /// Letters of the output.
    pub(crate) letters: u32,
    /// Where they are from, and where they are.
    pub(crate) spans: Vec<Span>,
    /// The hashes of their prints, sorted: those of the texts that they are from and their own.
    pub(crate) payload: Vec<u64>,
}

impl Taken {
    /// What `said` takes of the texts of an input that came along; common words say nothing.
    pub(crate) fn of(input: &Input, said: &Read, common: &Common) -> Self {
        let words = input.words();
        let mut taken = Self::default();
        for (view, prints) in &said.views {
            let mut places: Vec<(u32, u32)> = Vec::new();
            let own = stretches(prints, &input.known);
            let is_known = |at: u32| own.iter().any(|it| (it.start..it.end).contains(&at));
            let is_told = |word: &[u8]| words.contains(word) || common.has(word);
            let is_new = |word: &[u8], at: u32| !is_known(at) && !is_told(word);
            for text in input.found() {
                for stretch in stretches(prints, &text.hashes) {
                    let is_other = |it: &&u64| input.known.binary_search(it).is_err();
                    if stretch.hashes.iter().filter(is_other).count() >= PRINTS_LEAST {
                        places.push((stretch.start, stretch.end));
                    }
                }
                for (from, _) in &text.views {
                    let chains = chains(&from.letters, &view.letters, is_new);
                    places.extend(chains);
                }
            }
            let places = joined(places);
            let letters = places.iter().map(|(start, end)| end - start).sum();
            if letters > taken.letters {
                let within = |at: u32| places.iter().any(|it| (it.0..it.1).contains(&at));
                let prints = prints.iter().filter(|it| within(it.at) && !is_known(it.at));
                let payload = sorted(prints.map(|it| it.hash));
                let spans = places.iter().map(|it| said.span(view, *it));
                taken = Self {
                    letters,
                    spans: spans.collect(),
                    payload,
                };
            }
        }
        if taken.letters > 0 {
            taken.trace(input);
        }
        taken
    }

    /// Adds where it is from, and how it stands there.
    fn trace(&mut self, input: &Input) {
        let mut payload = self.payload.clone();
        for text in input.found() {
            for (stretch, span) in text.shared(&self.payload) {
                if stretch.hashes.len() >= PRINTS_LEAST {
                    self.spans.insert(0, span);
                    payload.extend(stretch.hashes);
                }
            }
        }
        self.payload = sorted(payload);
    }
}

/// A chain of words that two texts share in order.
#[derive(Debug, Clone, Copy)]
struct Chain {
    /// The last shared word, in both.
    from: usize,
    to: usize,
    words: usize,
    /// The letters of the second text.
    start: u32,
    end: u32,
}

/// The letters of `said` that go along `from`, of words that are new.
fn chains(from: &Letters, said: &Letters, is_new: impl Fn(&[u8], u32) -> bool) -> Vec<(u32, u32)> {
    let mut places: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (number, start) in said.words.iter().enumerate() {
        let word = said.word(number).unwrap_or_default();
        if word.len() >= WORD_LEAST && is_new(word, *start) {
            places.entry(word).or_default().push(number);
        }
    }
    places.retain(|_, it| it.len() <= PLACES_MOST);
    let mut done: Vec<Chain> = Vec::new();
    let mut open: Vec<Chain> = Vec::new();
    for number in 0..from.words.len() {
        let found = from.word(number).and_then(|it| places.get(it));
        let Some(found) = found else {
            continue;
        };
        open.retain(|it| {
            let goes_on = number - it.from <= APART_MOST;
            if !goes_on && it.words >= CHAIN_LEAST {
                done.push(*it);
            }
            goes_on
        });
        for place in found {
            extend(&mut open, number, *place, said);
        }
    }
    done.extend(open.into_iter().filter(|it| it.words >= CHAIN_LEAST));
    done.into_iter().map(|it| (it.start, it.end)).collect()
}

fn extend(open: &mut Vec<Chain>, from: usize, to: usize, said: &Letters) {
    let start = said.words.get(to).copied().unwrap_or(0);
    let end = start + said.word(to).map_or(0, <[u8]>::len) as u32;
    let follows = |it: &&Chain| {
        let near = to.saturating_sub(it.to).abs_diff(from - it.from) <= SHIFT_MOST;
        it.from < from && it.to < to && near
    };
    let best = open
        .iter()
        .filter(follows)
        .max_by_key(|it| it.words)
        .copied();
    if open.len() >= OPEN_MOST {
        open.remove(0);
    }
    open.push(match best {
        Some(chain) => Chain {
            from,
            to,
            words: chain.words + 1,
            start: chain.start,
            end,
        },
        None => Chain {
            from,
            to,
            words: 1,
            start,
            end,
        },
    });
}

/// Places in order, those that touch as one.
fn joined(mut places: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    places.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (start, end) in places {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The harbour office keeps the blue ledger under the third lamp, and whoever \
        reads of the ledger speaks of the lamp to the next person. Nobody in the house forgets \
        where it lies when the boats come in from the north.";

    fn letters(from: &str, said: &str) -> u32 {
        let places = chains(&Letters::of(from), &Letters::of(said), |_, _| true);
        joined(places).iter().map(|(start, end)| end - start).sum()
    }

    #[test]
    fn words_that_are_changed_and_sentences_that_change_places_leave_most_of_it() {
        let said = "Nobody in the building forgets where it stands when the boats come back from \
            the north. The harbour desk keeps a blue ledger under the second lamp, and whoever \
            hears of the ledger speaks of that lamp to the next man.";
        assert!(letters(TEXT, said) > 120, "{}", letters(TEXT, said));
    }

    #[test]
    fn what_two_mails_have_in_common_is_little() {
        let one = "Ann, the numbers for March look right to me. Please let me know if you have any \
            questions, and say hello to the people in the Houston office. Thanks, Bob";
        let other = "Chris, I talked to the pipeline about the meter. Please let me know if you \
            have any questions about the contract, or call me at the office. Thanks, Daren";
        assert!(letters(one, other) < 105, "{}", letters(one, other));
    }

    #[test]
    fn what_is_known_otherwise_is_not_taken() {
        let from = Letters::of(TEXT);
        assert!(chains(&from, &from, |_, _| false).is_empty());
        assert_eq!(joined(chains(&from, &from, |_, _| true)).len(), 1);
    }

    #[test]
    fn places_that_touch_are_one() {
        assert_eq!(
            joined(vec![(5, 9), (0, 3), (3, 4), (8, 12)]),
            [(0, 4), (5, 12)]
        );
    }
}
