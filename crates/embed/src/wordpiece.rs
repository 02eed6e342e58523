//! Word pieces: a text to the numbers of a vocabulary, as BERT without cases does it.
//!
//! Called by the local embedders and by whoever makes the table. Normaliser: controls are left
//! out, ideographs stand alone, accents are taken off, lower case. Words end at white space and
//! punctuation; each is taken apart greedily, the longest piece first (Devlin et al. 2019;
//! Schuster and Nakajima 2012). `tests/wordpiece.rs` holds it against what the original tokenizer
//! gave. One difference is on purpose: `[CLS]` and the like in a text are words of the text.
//!
//! The time is linear in the text: no piece is longer than the longest of the vocabulary.

use std::collections::HashMap;

use unicode_normalization::char::decompose_canonical;

use crate::character::{is_control, is_ideograph, is_mark, is_punctuation};

/// What begins a piece that goes on with a word.
const GOES_ON: &str = "##";
/// Characters of a word; a longer one is unknown as a whole.
const WORD_CHARS_MAX: usize = 100;

/// A vocabulary of word pieces.
#[derive(Debug, Clone, Default)]
pub struct WordPiece {
    begins: HashMap<Box<str>, u32>,
    goes_on: HashMap<Box<str>, u32>,
    piece_bytes_max: usize,
}

impl WordPiece {
    /// The vocabulary of these pieces with their numbers.
    pub fn new<'p>(pieces: impl IntoIterator<Item = (&'p str, u32)>) -> Self {
        let mut vocabulary = Self::default();
        for (piece, number) in pieces {
            let (bare, table) = match piece.strip_prefix(GOES_ON) {
                Some(bare) if !bare.is_empty() => (bare, &mut vocabulary.goes_on),
                _ => (piece, &mut vocabulary.begins),
            };
            vocabulary.piece_bytes_max = vocabulary.piece_bytes_max.max(bare.len());
            table.insert(bare.into(), number);
        }
        vocabulary
    }

    /// Calls `sink` with the number of each piece of `text`, in order; with nothing for a word
    /// that the vocabulary cannot make.
    pub fn each(&self, text: &str, sink: &mut dyn FnMut(Option<u32>)) {
        let mut word = Word {
            vocabulary: self,
            text: String::new(),
            n_characters: 0,
            found: Vec::new(),
            sink,
        };
        for character in text.chars() {
            word.character(character);
        }
        word.end();
    }

    /// How many pieces a text has, unknown words counted as one each.
    pub fn count(&self, text: &str) -> usize {
        let mut n = 0;
        self.each(text, &mut |_| n += 1);
        n
    }

    /// The pieces of a word, put into `found`; false if there is a part that is none.
    fn take_apart(&self, word: &str, found: &mut Vec<u32>) -> bool {
        found.clear();
        let mut start = 0;
        while start < word.len() {
            let table = if start == 0 {
                &self.begins
            } else {
                &self.goes_on
            };
            let mut end = word.len().min(start + self.piece_bytes_max);
            let piece = loop {
                if end == start {
                    return false;
                }
                // Nothing at an offset inside a character.
                let number = word.get(start..end).and_then(|it| table.get(it));
                if let Some(number) = number {
                    break *number;
                }
                end -= 1;
            };
            found.push(piece);
            start = end;
        }
        true
    }
}

/// The word at hand.
struct Word<'a> {
    vocabulary: &'a WordPiece,
    text: String,
    n_characters: usize,
    found: Vec<u32>,
    sink: &'a mut dyn FnMut(Option<u32>),
}

impl Word<'_> {
    fn character(&mut self, character: char) {
        if is_control(character) {
            return;
        }
        if character.is_ascii() {
            self.normal(character.to_ascii_lowercase());
            return;
        }
        if character.is_whitespace() {
            self.end();
            return;
        }
        let stands_alone = is_ideograph(character);
        if stands_alone {
            self.end();
        }
        decompose_canonical(character, |part| {
            if !is_mark(part) {
                for lower in part.to_lowercase() {
                    self.normal(lower);
                }
            }
        });
        if stands_alone {
            self.end();
        }
    }

    fn normal(&mut self, character: char) {
        if character.is_whitespace() {
            self.end();
        } else if is_punctuation(character) {
            self.end();
            self.push(character);
            self.end();
        } else {
            self.push(character);
        }
    }

    fn push(&mut self, character: char) {
        self.n_characters += 1;
        if self.n_characters <= WORD_CHARS_MAX {
            self.text.push(character);
        }
    }

    fn end(&mut self) {
        if self.n_characters == 0 {
            return;
        }
        let is_short = self.n_characters <= WORD_CHARS_MAX;
        if is_short && self.vocabulary.take_apart(&self.text, &mut self.found) {
            for piece in &self.found {
                (self.sink)(Some(*piece));
            }
        } else {
            (self.sink)(None);
        }
        self.text.clear();
        self.n_characters = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECES: [&str; 13] = [
        "un", "##aff", "##able", "affable", "a", "##b", "!", "口", "cafe", "##s", "##", "##affe",
        "##ed",
    ];

    fn pieces(text: &str) -> String {
        let vocabulary = WordPiece::new(PIECES.iter().copied().zip(0..));
        let mut found = Vec::new();
        vocabulary.each(text, &mut |piece| {
            found.push(piece.map_or("?", |it| PIECES[it as usize]));
        });
        found.join(" ")
    }

    #[test]
    fn the_longest_piece_comes_first_and_is_not_taken_back() {
        assert_eq!(pieces("unaffable"), "un ##aff ##able");
        assert_eq!(pieces("unaffed"), "?");
        assert_eq!(pieces("unaff"), "un ##aff");
        assert_eq!(pieces("ab abb abx"), "a ##b a ##b ##b ?");
    }

    #[test]
    fn accents_cases_and_what_cannot_be_seen_make_no_difference() {
        assert_eq!(
            pieces("CAFÉS Cafe\u{301} ca\u{200b}f\u{ad}e"),
            "cafe ##s cafe cafe"
        );
        assert_eq!(pieces("\u{feff}a\u{0}b\ta"), "a ##b a");
    }

    #[test]
    fn ideographs_and_punctuation_stand_alone() {
        assert_eq!(pieces("a口b!a"), "a 口 ? ! a");
        assert_eq!(pieces("##"), "? ?");
    }

    #[test]
    fn a_long_word_is_one_unknown_word() {
        let long = format!("a{}", "b".repeat(WORD_CHARS_MAX));
        assert_eq!(pieces(&long), "?");
        assert_eq!(pieces(&long[1..]).len(), 1);
        assert_eq!(pieces(&long[..WORD_CHARS_MAX]).split(' ').count(), 100);
    }
}
