//! The letters of a text: what is left when it no longer matters how they are written. For `view`.
//!
//! Letters and digits in lower case, without spaces, marks, markup and what is not seen;
//! compatibility forms (NFKD, accents dropped), look-alikes (UTS #39) and numeric entities are
//! read as what they show. Invariant: each letter knows the bytes of the text that it stands for,
//! and nothing of a text that shows a letter or digit is left out but names of plain tags.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// Bytes of a tag that is taken for markup: a name without attributes.
const TAG_BYTES_MAX: usize = 12;
/// Letters that a word has at least, to say something.
pub(crate) const WORD_LEAST: usize = 4;

/// The letters of a text, as UTF-8, with where they are from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Letters {
    /// The letters.
    pub(crate) bytes: Vec<u8>,
    /// For each byte of them, where in the text it starts.
    pub(crate) from: Vec<u32>,
    /// Where each word starts in `bytes`; it ends where the next one starts.
    pub(crate) words: Vec<u32>,
    /// The words but the first one of what stands between two spaces and has an `@`.
    pub(crate) of_address: BTreeSet<usize>,
    /// The bytes of the text.
    pub(crate) text_bytes: u32,
}

impl Letters {
    /// The letters of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut letters = Self {
            bytes: Vec::with_capacity(text.len()),
            from: Vec::with_capacity(text.len()),
            words: Vec::with_capacity(text.len() / 5),
            of_address: BTreeSet::new(),
            text_bytes: text.len() as u32,
        };
        let mut first = 0;
        let mut is_address = false;
        let mut in_word = false;
        let mut rest = text;
        let mut at = 0_u32;
        while let Some(&byte) = rest.as_bytes().first() {
            if byte.is_ascii_whitespace() {
                letters.end_of_token(&mut first, &mut is_address);
            }
            is_address |= byte == b'@';
            let taken = if byte.is_ascii_alphanumeric() {
                letters.put(byte.to_ascii_lowercase(), at, &mut in_word);
                1
            } else if byte.is_ascii() {
                letters.mark(rest, byte, at, &mut in_word)
            } else {
                let character = rest.chars().next().unwrap_or(' ');
                letters.character(character, at, &mut in_word);
                character.len_utf8()
            };
            rest = rest.get(taken..).unwrap_or_default();
            at += taken as u32;
        }
        letters.end_of_token(&mut first, &mut is_address);
        letters
    }

    /// Notes the words of what stood between two spaces.
    fn end_of_token(&mut self, first: &mut usize, is_address: &mut bool) {
        if *is_address {
            self.of_address.extend(*first + 1..self.words.len());
        }
        *first = self.words.len();
        *is_address = false;
    }

    fn put(&mut self, byte: u8, at: u32, in_word: &mut bool) {
        if !*in_word {
            self.words.push(self.bytes.len() as u32);
            *in_word = true;
        }
        self.bytes.push(byte);
        self.from.push(at);
    }

    /// A character of ASCII that is no letter: how many bytes belong to it.
    fn mark(&mut self, rest: &str, byte: u8, at: u32, in_word: &mut bool) -> usize {
        match byte {
            b'*' | b'_' | b'`' | b'~' | b'\'' | 0..=8 | 14..=31 | 127 => 1,
            b'<' => tag(rest).unwrap_or_else(|| {
                *in_word = false;
                1
            }),
            b'&' => {
                let Some((character, taken)) = entity(rest) else {
                    *in_word = false;
                    return 1;
                };
                self.character(character, at, in_word);
                taken
            }
            _ => {
                *in_word = false;
                1
            }
        }
    }

    fn character(&mut self, character: char, at: u32, in_word: &mut bool) {
        if is_unseen(character) {
            return;
        }
        if let Some(ascii) = tagged(character) {
            return self.shown(ascii, at, in_word);
        }
        for part in character.nfkd() {
            if is_combining_mark(part) || is_unseen(part) {
                continue;
            }
            if part.is_ascii() {
                self.shown(part, at, in_word);
                continue;
            }
            let mut buffer = [0; 4];
            let looks: String = skeleton(part.encode_utf8(&mut buffer)).collect();
            if looks.is_ascii() {
                looks.chars().for_each(|it| self.shown(it, at, in_word));
                continue;
            }
            for lower in part.to_lowercase() {
                let looks: String = skeleton(lower.encode_utf8(&mut buffer)).collect();
                if looks.is_ascii() {
                    looks.chars().for_each(|it| self.shown(it, at, in_word));
                } else {
                    self.shown(lower, at, in_word);
                }
            }
        }
    }

    fn shown(&mut self, character: char, at: u32, in_word: &mut bool) {
        if !character.is_alphanumeric() {
            *in_word = false;
            return;
        }
        let mut buffer = [0; 4];
        let lower = character.to_ascii_lowercase();
        for byte in lower.encode_utf8(&mut buffer).bytes() {
            self.put(byte, at, in_word);
        }
    }

    /// The word with this number.
    pub(crate) fn word(&self, number: usize) -> Option<&[u8]> {
        let start = *self.words.get(number)? as usize;
        let end = self
            .words
            .get(number + 1)
            .map_or(self.bytes.len(), |it| *it as usize);
        self.bytes.get(start..end)
    }

    /// The words that are long enough to say something.
    pub(crate) fn long_words(&self) -> impl Iterator<Item = &[u8]> {
        let words = (0..self.words.len()).filter_map(|it| self.word(it));
        words.filter(|it| it.len() >= WORD_LEAST)
    }

    /// The bytes of the text behind the letters from `start` to `end`.
    pub(crate) fn behind(&self, start: u32, end: u32) -> (u32, u32) {
        let first = self.from.get(start as usize).copied().unwrap_or(0);
        let last = end.saturating_sub(1) as usize;
        let last = self.from.get(last).copied().unwrap_or(first);
        (first, (last + 1).max(first))
    }
}

/// Not seen, and no space either.
fn is_unseen(character: char) -> bool {
    matches!(character as u32,
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
        | 0xFFA0 | 0xFFF0..=0xFFFB | 0xE0000..=0xE001F | 0xE007F..=0xE0FFF)
}

/// The character of ASCII that a character of the tags block stands for: such text is not seen, and
/// models read it.
fn tagged(character: char) -> Option<char> {
    let code = (character as u32).checked_sub(0xE0000)?;
    (0x20..0x7F)
        .contains(&code)
        .then(|| char::from_u32(code))
        .flatten()
}

/// The bytes of a tag without attributes at the start.
fn tag(rest: &str) -> Option<usize> {
    let end = rest.bytes().take(TAG_BYTES_MAX).position(|it| it == b'>')?;
    let name = rest.get(1..end)?.trim_matches('/');
    let plain = !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric());
    plain.then_some(end + 1)
}

/// A numeric entity at the start, and its bytes.
fn entity(rest: &str) -> Option<(char, usize)> {
    let end = rest.bytes().take(10).position(|it| it == b';')?;
    let digits = rest.get(1..end)?.strip_prefix('#')?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((char::from_u32(code)?, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        String::from_utf8(Letters::of(text).bytes).unwrap()
    }

    #[test]
    fn one_text_in_many_spellings_has_the_same_letters() {
        for spelling in [
            "Copy this text",
            "COPY  this\n> text",
            "c o p y  t h i s  t e x t",
            "c\u{200b}opy\u{ad} th\u{2060}is te\u{fe0f}xt",
            "ｃｏｐｙ ｔｈｉｓ ｔｅｘｔ",
            "соpу thіs tехt",
            "СOPY ΤHIS TEXT",
            "𝐜𝐨𝐩𝐲 𝓽𝓱𝓲𝓼 𝕥𝕖𝕩𝕥",
            "cópÿ thi\u{301}s text",
            "**co**py _this_ <b>te</b>xt",
            "c&#111;py this t&#x65;xt",
            "\u{e0063}\u{e006f}\u{e0070}\u{e0079} this text",
        ] {
            assert_eq!(shown(spelling), "copythistext", "{spelling}");
        }
    }

    #[test]
    fn what_looks_like_markup_and_has_words_in_it_is_read() {
        assert_eq!(shown("<copy this text>"), "copythistext");
        assert_eq!(shown("<!-- copy -->"), "copy");
        assert_eq!(shown("a < b && c > d"), "abcd");
    }

    #[test]
    fn words_are_told_apart() {
        let letters = Letters::of("Don't **sto**p, Ann");
        let words = (0..).map_while(|it| letters.word(it));
        let words: Vec<&str> = words.map(|it| std::str::from_utf8(it).unwrap()).collect();
        assert_eq!(words, ["dont", "stop", "ann"]);
    }

    proptest! {
        #[test]
        fn each_letter_is_of_the_text(text in "\\PC{0,60}") {
            let letters = Letters::of(&text);
            prop_assert_eq!(letters.bytes.len(), letters.from.len());
            prop_assert!(std::str::from_utf8(&letters.bytes).is_ok());
            prop_assert!(letters.from.is_sorted());
            for from in &letters.from {
                prop_assert!(text.is_char_boundary(*from as usize));
                prop_assert!((*from as usize) < text.len());
            }
        }

        #[test]
        fn nothing_that_is_plain_is_lost(text in "[a-z0-9 .,!?\n-]{0,80}") {
            let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
            prop_assert_eq!(shown(&text), plain);
        }
    }
}
