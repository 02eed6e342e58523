//! The text as the recognisers see it, and the record of what they took.
//!
//! Invariant: a span handed back lies on character boundaries of the text as it was given.

use std::borrow::Cow;
use std::ops::Range;

use immune_model::{Literal, LiteralKind};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{Found, lookalike};

/// A text in NFKC, without invisible characters and with plain hyphens, and the way back.
pub(super) struct View<'a> {
    text: Cow<'a, str>,
    /// For each piece: where it starts in `text` and where it stands in the original. Empty when
    /// the two are the same.
    pieces: Vec<Piece>,
    /// Characters that are read as the Latin one that they look like: where in `text`, and what
    /// was written.
    lookalikes: Vec<(usize, char)>,
}

struct Piece {
    at: usize,
    original: Range<usize>,
}

impl<'a> View<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mixed = if text.is_ascii() {
            Vec::new()
        } else {
            lookalike::mixed_words(text)
        };
        let doubled = doubled_spaces(text);
        let plain_text = text.is_ascii()
            || (mixed.is_empty()
                && is_plain(text)
                && is_nfkc_quick(text.chars()) == IsNormalized::Yes);
        if plain_text && doubled.is_empty() {
            return Self {
                text: Cow::Borrowed(text),
                pieces: Vec::new(),
                lookalikes: Vec::new(),
            };
        }
        let is_mixed = |at: usize| {
            let after = mixed.partition_point(|it| it.start <= at);
            let word = after.checked_sub(1).and_then(|it| mixed.get(it));
            word.is_some_and(|it| it.contains(&at))
        };
        let mut lookalikes = Vec::new();
        let mut seen = String::with_capacity(text.len());
        let mut pieces = Vec::new();
        let mut chars = text.char_indices().peekable();
        while let Some((start, first)) = chars.next() {
            // Combining marks belong to the character before them, so they are folded with it.
            let mut piece = String::from(first);
            while let Some((_, mark)) = chars.next_if(|&(_, it)| is_mark(it)) {
                piece.push(mark);
            }
            if doubled.binary_search(&start).is_ok() {
                continue;
            }
            let end = chars.peek().map_or(text.len(), |&(at, _)| at);
            let at = seen.len();
            match lookalike::latin(&piece).filter(|_| is_mixed(start)) {
                Some(latin) => {
                    lookalikes.push((at, first));
                    seen.push(latin);
                }
                None => seen.extend(piece.chars().nfkc().filter_map(plain)),
            }
            if seen.len() > at {
                let original = start..end;
                pieces.push(Piece { at, original });
            }
        }
        Self {
            text: Cow::Owned(seen),
            pieces,
            lookalikes,
        }
    }

    /// The characters of a place in the view that look like the Latin ones as which they are read.
    pub(super) fn lookalikes(&self, span: &Range<usize>) -> &[(usize, char)] {
        let from = self.lookalikes.partition_point(|it| it.0 < span.start);
        let to = self.lookalikes.partition_point(|it| it.0 < span.end);
        self.lookalikes.get(from..to).unwrap_or(&[])
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The place in the original of a place in the view; nothing if it begins or ends within a
    /// character that stands for several: `£1` was never written in `£¼`.
    pub(super) fn original(&self, span: &Range<usize>) -> Option<Range<usize>> {
        if self.pieces.is_empty() {
            return Some(span.clone());
        }
        let first = self.pieces.binary_search_by_key(&span.start, |it| it.at);
        let after = self.pieces.partition_point(|it| it.at < span.end);
        let ends = self.pieces.get(after).map_or(self.text.len(), |it| it.at) == span.end;
        let first = self.pieces.get(first.ok()?)?;
        let last = self.pieces.get(after.checked_sub(1)?)?;
        ends.then_some(first.original.start..last.original.end)
    }
}

/// Where a second space follows a first one alone: a typing habit. Three or more part the columns
/// of a table.
fn doubled_spaces(text: &str) -> Vec<usize> {
    let pairs = text.match_indices("  ").map(|(at, _)| at);
    let alone = |at: &usize| {
        let before = text.get(..*at).unwrap_or("");
        let after = text.get(at + 2..).unwrap_or("");
        !before.ends_with(' ') && !after.starts_with(' ') && !before.is_empty()
    };
    pairs.filter(alone).map(|at| at + 1).collect()
}

fn is_mark(character: char) -> bool {
    unicode_normalization::char::canonical_combining_class(character) != 0
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|it| plain(it) == Some(it))
}

/// The character as the recognisers read it: nothing if it is invisible, `-` for every hyphen and
/// dash, a space for every white space except a line break.
fn plain(character: char) -> Option<char> {
    match character {
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\n' => Some('\n'),
        other if !other.is_ascii() && other.is_numeric() => Some(lookalike::digit(other)),
        other if other.is_whitespace() => Some(' '),
        other => Some(other),
    }
}

/// Words before a number whose stop ends no sentence.
const ABBREVIATIONS: [&str; 6] = ["no", "nos", "nr", "num", "acct", "ref"];

fn ends_with(text: &str, at: usize, word: &str) -> bool {
    let before = text.get(..at).unwrap_or("");
    before
        .len()
        .checked_sub(word.len())
        .and_then(|start| before.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// A pass over one view: what is taken so far.
pub(super) struct Scan<'t> {
    text: &'t str,
    taken: Vec<bool>,
    found: Vec<Found>,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            taken: vec![false; text.len()],
            found: Vec::new(),
        }
    }

    /// The text, for as long as it lives: recognisers iterate over it while they keep.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Whether nothing of the span was taken by a recogniser before.
    pub(super) fn is_free(&self, span: &Range<usize>) -> bool {
        self.taken
            .get(span.clone())
            .is_some_and(|flags| flags.iter().all(|taken| !taken))
    }

    /// Keeps a literal, unless its place is taken.
    pub(super) fn keep(&mut self, kind: LiteralKind, span: Range<usize>, value: &str) {
        if !self.is_free(&span) {
            return;
        }
        if let Some(flags) = self.taken.get_mut(span.clone()) {
            flags.fill(true);
        }
        let literal = Literal::new(kind, value);
        self.found.push(Found { literal, span });
    }

    /// What is kept so far.
    pub(super) fn found(&self) -> &[Found] {
        &self.found
    }

    /// Gives a literal that was kept another value in a wider place, unless a part of that is taken.
    pub(super) fn widen(&mut self, nth: usize, span: Range<usize>, literal: Literal) {
        let Some(before) = self.found.get(nth).map(|it| it.span.clone()) else {
            return;
        };
        let (head, tail) = (span.start..before.start, before.end..span.end);
        if !self.is_free(&head) || !self.is_free(&tail) {
            return;
        }
        if let Some(flags) = self.taken.get_mut(span.clone()) {
            flags.fill(true);
        }
        if let Some(found) = self.found.get_mut(nth) {
            *found = Found { literal, span };
        }
    }

    /// Where the sign starts that makes the number at a place negative: `-5`, `minus 30`. After
    /// another number it parts a range or takes away.
    pub(super) fn minus_before(&self, at: usize) -> Option<usize> {
        let before = self.text.get(..at)?;
        let start = ["-", "minus ", "negative "].iter().find_map(|it| {
            let start = at.checked_sub(it.len())?;
            ends_with(self.text, at, it).then_some(start)
        })?;
        let rest = before.get(..start)?;
        let opens = rest
            .chars()
            .next_back()
            .is_none_or(|it| it.is_whitespace() || "(<>=".contains(it));
        let counted = rest.trim_end().ends_with(|it: char| it.is_ascii_digit());
        (opens && !counted).then_some(start)
    }

    /// The character before a place.
    pub(super) fn before(&self, at: usize) -> Option<char> {
        self.text
            .get(..at)
            .and_then(|text| text.chars().next_back())
    }

    /// The character after a place.
    pub(super) fn after(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|text| text.chars().next())
    }

    /// Whether a number that ends here goes on: `5,000` in `5,0000`, `3.1` in `3.1.4`.
    pub(super) fn continues(&self, end: usize) -> bool {
        let mut rest = self.text.get(end..).unwrap_or("").chars();
        let digit = |it: Option<char>| it.is_some_and(|it| it.is_ascii_digit());
        match rest.next() {
            Some('.' | ',') => digit(rest.next()),
            next => digit(next),
        }
    }

    /// Whether a number stands alone: nothing before it or after it belongs to it.
    pub(super) fn is_whole_number(&self, span: &Range<usize>) -> bool {
        let mut before = self.text.get(..span.start).unwrap_or("").chars().rev();
        let digit = |it: Option<char>| it.is_some_and(|it| it.is_ascii_digit());
        let continued = match before.next() {
            Some('.' | ',') => digit(before.next()),
            last => last.is_some_and(|it| it.is_alphanumeric() || it == '_'),
        };
        !continued && !self.continues(span.end)
    }

    /// The last `bytes` or fewer before a place, cut at a character and at the end of a sentence.
    pub(super) fn context_before(&self, at: usize, bytes: usize) -> &'t str {
        let mut start = at.saturating_sub(bytes);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        let context = self.text.get(start..at).unwrap_or("");
        let stop = context
            .rmatch_indices(". ")
            .map(|(at, _)| at)
            .find(|at| !ABBREVIATIONS.iter().any(|it| ends_with(context, *at, it)));
        match context.rfind(['!', '?', ';', '\n']).max(stop) {
            Some(end) => context.get(end + 1..).unwrap_or(""),
            None => context,
        }
    }

    pub(super) fn into_found(self) -> Vec<Found> {
        self.found
    }
}
