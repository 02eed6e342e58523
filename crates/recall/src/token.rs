//! Text to terms: the same way for documents and queries. Called by `index` and `search`.
//!
//! What becomes a term, after NFKC and lower case:
//! - a run of letters, digits and marks, English endings folded (`fold`);
//! - what is joined inside by `. - _ / : @ +` as a whole *and* in its parts, so that an address,
//!   a host or an invoice number is found by either; hyphens in words are left out of the whole
//!   (`e-mail` is `email`);
//! - a number with separators in its plain form only (`5,000` is `5000`, see `literal`), and an
//!   account number in groups of four also in one piece;
//! - scripts that are written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer,
//!   Burmese) by pairs of characters; a document also yields the single characters, so that a
//!   query of one character finds it;
//! - each pictograph by itself.
//!
//! Invisible characters (joiners, marks of direction, soft hyphens) are left out first, so none
//! can hide a word from a search. Accents are kept. A term is at most `TERM_CHARS_MAX` long.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::fold;
use crate::literal::{self, Iban};

/// Characters of a term; the rest of a longer run does not count.
const TERM_CHARS_MAX: usize = 128;

/// Which of the two a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Document,
    Query,
}

/// One term and the text it came from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    /// Normal form, not folded: what to show.
    pub(crate) surface: &'a str,
    /// What is looked up.
    pub(crate) term: &'a str,
}

/// Calls `sink` with each token of `text`, in the order of the text.
pub(crate) fn each(text: &str, side: Side, sink: &mut dyn FnMut(Token<'_>)) {
    let normal = normal_form(text);
    let mut tokens = Tokens {
        text: &normal,
        side,
        sink,
        parts: Vec::new(),
        open: None,
        dense: Vec::new(),
        scratch: String::new(),
        iban: Iban::default(),
        ended_at: 0,
    };
    let mut previous = ' ';
    let mut characters = normal.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        tokens.character(at, character, (previous, next));
        previous = character;
    }
    tokens.end_chunk(normal.len());
    tokens.end_dense();
}

/// NFKC, lower case, nothing invisible.
fn normal_form(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .filter(|character| !is_invisible(*character))
        .nfkc()
        .flat_map(char::to_lowercase)
        // Lower case by single characters does not know where a Greek word ends.
        .map(|character| if character == 'ς' { 'σ' } else { character })
        .collect()
}

/// Characters without a shape: format controls, fillers and variation selectors.
fn is_invisible(character: char) -> bool {
    matches!(u32::from(character),
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xE0000..=0xE0FFF)
}

/// What a character does to the token it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Word,
    /// Part of a run without spaces.
    Dense,
    /// A term by itself.
    Picture,
    /// Joins two words when it stands between them.
    Joiner,
    /// Ends everything.
    Other,
}

/// Whether a character is of a script that is written without spaces.
pub(crate) fn is_dense(character: char) -> bool {
    class(character, (' ', ' ')) == Class::Dense
}

fn class(character: char, (previous, next): (char, char)) -> Class {
    if character.is_ascii() {
        return match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
            '.' | '-' | '_' | '/' | ':' | '@' | '+' => Class::Joiner,
            ',' | '\'' if previous.is_ascii_digit() && next.is_ascii_digit() => Class::Joiner,
            _ => Class::Other,
        };
    }
    match u32::from(character) {
        // Thai, Lao, Burmese, Khmer; Hangul; kana, ideographs and their extensions.
        0x0E01..=0x0E4E
        | 0x0E81..=0x0ECE
        | 0x1000..=0x103F
        | 0x1780..=0x17D3
        | 0x1100..=0x11FF
        | 0xAC00..=0xD7FF
        | 0x3005..=0x3007
        | 0x3041..=0x30FF
        | 0x3105..=0x312F
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF => Class::Dense,
        0x2190..=0x21FF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x1F000..=0x1FAFF => Class::Picture,
        _ if character.is_alphanumeric() || is_combining_mark(character) => Class::Word,
        _ => Class::Other,
    }
}

/// The state between two characters. Offsets are bytes of `text`.
struct Tokens<'a> {
    text: &'a str,
    side: Side,
    sink: &'a mut dyn FnMut(Token<'_>),
    /// The finished words of the chunk, which is what joiners hold together.
    parts: Vec<(usize, usize)>,
    /// Where the word at hand began.
    open: Option<usize>,
    dense: Vec<(usize, usize)>,
    scratch: String,
    iban: Iban,
    ended_at: usize,
}

impl Tokens<'_> {
    fn character(&mut self, at: usize, character: char, around: (char, char)) {
        let class = class(character, around);
        let end = at + character.len_utf8();
        if class != Class::Dense {
            self.end_dense();
        }
        match class {
            Class::Word => {
                self.open.get_or_insert(at);
            }
            // A second joiner finds no open word and ends the chunk.
            Class::Joiner if self.open.is_some() => self.end_part(at),
            Class::Joiner | Class::Other => self.end_chunk(at),
            Class::Dense => {
                self.end_chunk(at);
                self.dense.push((at, end));
            }
            Class::Picture => {
                self.end_chunk(at);
                self.emit(at, end);
            }
        }
    }

    fn end_part(&mut self, at: usize) {
        if let Some(start) = self.open.take() {
            self.parts.push((start, at));
        }
    }

    /// Emits the words since the last gap, and what they make together.
    fn end_chunk(&mut self, at: usize) {
        self.end_part(at);
        let parts = std::mem::take(&mut self.parts);
        let (Some((start, _)), Some((_, end))) = (parts.first(), parts.last()) else {
            return;
        };
        let (start, end) = (*start, *end);
        if parts.len() == 1 {
            self.word(start, end);
        } else {
            self.iban.interrupt();
            self.compound(start, end, &parts);
        }
        self.ended_at = end;
        self.parts = parts;
        self.parts.clear();
    }

    /// A word that stands alone: it may be a group of an account number.
    fn word(&mut self, start: usize, end: usize) {
        self.emit(start, end);
        let follows = slice(self.text, self.ended_at, start) == " ";
        let (text, sink) = (self.text, &mut self.sink);
        if let Some(whole) = self.iban.next(slice(text, start, end), follows) {
            sink(Token {
                surface: whole,
                term: whole,
            });
        }
    }

    /// Words held together by joiners.
    fn compound(&mut self, start: usize, end: usize, parts: &[(usize, usize)]) {
        let whole = slice(self.text, start, end);
        if let Some(number) = literal::plain_number(whole) {
            (self.sink)(Token {
                surface: whole,
                term: &number,
            });
            return;
        }
        let only_hyphens = whole.chars().all(|c| c == '-' || c.is_alphanumeric());
        if only_hyphens && whole.contains(char::is_alphabetic) {
            let squeezed = whole.replace('-', "");
            self.emit_as(whole, &squeezed);
        } else {
            self.emit(start, end);
        }
        for (start, end) in parts {
            self.emit(*start, *end);
        }
    }

    /// Emits a run without spaces: pairs, and for a document also the single characters.
    fn end_dense(&mut self) {
        let run = std::mem::take(&mut self.dense);
        if self.side == Side::Document || run.len() == 1 {
            for (start, end) in &run {
                self.emit(*start, *end);
            }
        }
        for pair in run.windows(2) {
            if let [(start, _), (_, end)] = pair {
                self.emit(*start, *end);
            }
        }
        self.dense = run;
        self.dense.clear();
    }

    fn emit(&mut self, start: usize, end: usize) {
        let surface = slice(self.text, start, end);
        self.emit_as(surface, surface);
    }

    fn emit_as(&mut self, surface: &str, term: &str) {
        self.scratch.clear();
        self.scratch.push_str(cut(term));
        fold::fold(&mut self.scratch);
        (self.sink)(Token {
            surface: cut(surface),
            term: &self.scratch,
        });
    }
}

fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end)
        .expect("offsets are those of characters of the same text")
}

/// The first `TERM_CHARS_MAX` characters.
fn cut(text: &str) -> &str {
    if text.len() <= TERM_CHARS_MAX {
        return text;
    }
    let end = text
        .char_indices()
        .nth(TERM_CHARS_MAX)
        .map_or(text.len(), |(at, _)| at);
    slice(text, 0, end)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(side: Side, text: &str, expected: &Expect) {
        let mut found = String::new();
        each(text, side, &mut |token| {
            found.push_str(token.term);
            if token.term != token.surface {
                found.push_str(" <- ");
                found.push_str(token.surface);
            }
            found.push('\n');
        });
        expected.assert_eq(&found);
    }

    #[test]
    fn a_sentence_yields_its_words_in_their_common_form() {
        check(
            Side::Document,
            "Brandt's invoices weren't approved.",
            &expect![[r"
                brandt
                s
                invoic <- invoices
                weren
                t
                approv <- approved
            "]],
        );
    }

    #[test]
    fn an_address_is_found_whole_and_in_parts() {
        check(
            Side::Document,
            "Mail billing@brandt-gmbh.de, see https://api.example.com/v1?x=1 (INV-2024-001, e-mail).",
            &expect![[r"
                mail
                billing@brandt-gmbh.de
                bill <- billing
                brandt
                gmbh
                de
                see
                https
                api.example.com/v1
                api
                exampl <- example
                com
                v1
                x
                1
                inv2024001 <- inv-2024-001
                inv
                2024
                001
                email <- e-mail
                e
                mail
            "]],
        );
    }

    #[test]
    fn spellings_of_a_number_and_of_an_account_meet() {
        check(
            Side::Document,
            "$5,000 or 5.000,00 or 5000 on 2024-01-15 to GB29 NWBK 6016 1331 9268 19 = GB29NWBK60161331926819",
            &expect![[r"
                5000 <- 5,000
                or
                5000 <- 5.000,00
                or
                5000
                on
                2024-01-15
                2024
                01
                15
                to
                gb29
                nwbk
                6016
                1331
                9268
                19
                gb29nwbk60161331926819
                gb29nwbk60161331926819
            "]],
        );
    }

    #[test]
    fn scripts_without_spaces_go_by_pairs() {
        let document = expect![[r"
            iban
            は
            変
            更
            は変
            変更
            ด
            ี
            ดี
        "]];
        check(Side::Document, "ＩＢＡＮは変更、ดี", &document);
        let query = expect![[r"
            変更
            金
        "]];
        check(Side::Query, "変更 金", &query);
    }

    #[test]
    fn other_scripts_pictures_and_what_cannot_be_seen() {
        check(
            Side::Document,
            "ΟΔΟΣ Straße हिन्दी العربية İzmir I\u{200b}B\u{ad}AN\u{202e} 🎉👍🏽 ½ … ???",
            &expect![[r"
                οδοσ
                straße
                हिन्दी
                العربية
                i̇zmir
                iban
                🎉
                👍
                🏽
                1
                2
            "]],
        );
    }

    #[test]
    fn a_run_without_a_gap_is_cut() {
        let long = "ab".repeat(1 << 19);
        let mut lengths = Vec::new();
        each(&long, Side::Document, &mut |token| {
            lengths.push(token.term.len());
        });
        assert_eq!(lengths, [TERM_CHARS_MAX]);
    }
}
