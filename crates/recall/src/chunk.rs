//! Long texts: cut into spans that fit the window of an embedder, each known by its bytes.
//!
//! Called by whoever embeds a text. Invariants: every character that is no white space lies in a
//! span; spans ascend, begin and end between characters (never inside an emoji that is put
//! together, nor between a letter and its accent), and overlap by at most what was asked; a text
//! that fits is one span. The time is linear in the text, whatever is in it.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::embedder::Embedder;
use crate::token;

/// Bytes of a piece that are measured at once; a longer run without a gap is cut there.
const ATOM_BYTES_MAX: usize = 48;
/// The share of the window that the end of one span and the beginning of the next have in common.
const OVERLAP_SHARE: usize = 8;

/// How much a span may hold, in tokens of the embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Tokens of a span at most.
    pub tokens: usize,
    /// Tokens that a span has in common with the one before it at most; less than half of
    /// `tokens`, or it counts as that.
    pub overlap: usize,
}

impl Window {
    /// That of an embedder, with an eighth of it as overlap.
    pub fn of(embedder: &dyn Embedder) -> Self {
        let tokens = embedder.window_tokens();
        Self {
            tokens,
            overlap: tokens / OVERLAP_SHARE,
        }
    }
}

/// Cuts a text into spans of at most `window.tokens` each, as `n_tokens` counts them.
///
/// A span ends with a sentence where one ends in its second half, else between words, else
/// between characters. A blank text has no span.
///
/// ```
/// use immune_recall::{Window, chunk};
///
/// let text = "One two. Three four five. Six.";
/// let window = Window { tokens: 5, overlap: 0 };
/// let spans = chunk(text, window, &|it| it.split_whitespace().count());
/// let pieces: Vec<&str> = spans.into_iter().map(|span| &text[span]).collect();
/// assert_eq!(pieces, ["One two. Three four five.", "Six."]);
/// ```
pub fn chunk(text: &str, window: Window, n_tokens: &dyn Fn(&str) -> usize) -> Vec<Range<usize>> {
    let tokens_max = window.tokens.max(1);
    let overlap = window.overlap.min((tokens_max - 1) / 2);
    if n_tokens(text) <= tokens_max {
        let whole = trimmed(text, 0..text.len());
        return whole.into_iter().collect();
    }
    let atoms = atoms(text, n_tokens);
    let mut spans = Vec::new();
    let mut first = 0;
    while first < atoms.len() {
        let end = end_of_span(&atoms, first, tokens_max);
        if let Some(span) = span_of(text, &atoms, first..end) {
            spans.push(span);
        }
        if end == atoms.len() {
            break;
        }
        first = next_start(&atoms, first, end, overlap);
    }
    spans
}

/// A piece that is never cut: a word with the white space behind it, or one character of a script
/// without spaces.
#[derive(Debug, Clone, Copy)]
struct Atom {
    end: usize,
    /// Tokens of the text up to here.
    tokens: usize,
    /// A sentence ends here.
    ends_sentence: bool,
}

fn atoms(text: &str, n_tokens: &dyn Fn(&str) -> usize) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    let mut characters = text.char_indices().peekable();
    let mut n_flags = 0;
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let next = characters.peek().map(|(_, next)| *next);
        n_flags = if is_flag(character) { n_flags + 1 } else { 0 };
        // Two halves make a flag, and the next two another one.
        let in_flag = n_flags % 2 == 1 && next.is_some_and(is_flag);
        if next.is_some_and(|next| in_flag || !parts(character, next, end - start)) {
            continue;
        }
        let piece = text.get(start..end).unwrap_or_default();
        tokens += n_tokens(piece);
        atoms.push(Atom {
            end,
            tokens,
            ends_sentence: next.is_none() || ends_sentence(piece),
        });
        start = end;
    }
    atoms
}

/// Whether the text may be cut between two characters, `bytes` after the last cut.
fn parts(before: char, after: char, bytes: usize) -> bool {
    if joins(before, after) {
        // Marks without an end are no text, and must not make an atom without an end.
        return bytes >= 8 * ATOM_BYTES_MAX;
    }
    (before.is_whitespace() && !after.is_whitespace())
        || token::is_dense(before)
        || token::is_dense(after) && !before.is_whitespace()
        || bytes >= ATOM_BYTES_MAX
}

/// Whether two characters are seen as one.
fn joins(before: char, after: char) -> bool {
    const JOINER: char = '\u{200d}';
    is_combining_mark(after)
        || before == JOINER
        || after == JOINER
        || matches!(u32::from(after), 0xFE00..=0xFE0F | 0x1F3FB..=0x1F3FF | 0xE0020..=0xE007F)
        || (before, after) == ('\r', '\n')
}

/// Half of a flag.
fn is_flag(character: char) -> bool {
    matches!(u32::from(character), 0x1F1E6..=0x1F1FF)
}

/// Whether a sentence, or a line, ends with this piece.
fn ends_sentence(piece: &str) -> bool {
    let word = piece.trim_end();
    if piece
        .get(word.len()..)
        .is_some_and(|gap| gap.contains('\n'))
    {
        return true;
    }
    let closing = |it: char| matches!(it, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』');
    let Some(last) = word.trim_end_matches(closing).chars().next_back() else {
        return false;
    };
    match last {
        '.' | '!' | '?' | '…' | '؟' | '।' | '։' => word.len() < piece.len(),
        '。' | '！' | '？' | '．' => true,
        _ => false,
    }
}

/// The atom behind the last one of the span that begins with `first`.
fn end_of_span(atoms: &[Atom], first: usize, tokens_max: usize) -> usize {
    let before = tokens_before(atoms, first);
    let rest = atoms.get(first..).unwrap_or_default();
    let fitting = rest.partition_point(|it| it.tokens - before <= tokens_max);
    // An atom of more tokens than the window is a span by itself.
    let fitting = fitting.max(1);
    if fitting == rest.len() {
        return atoms.len();
    }
    let is_late = |it: &Atom| 2 * (it.tokens - before) > tokens_max;
    let fit = rest.get(..fitting).unwrap_or_default();
    let sentence = fit.iter().rposition(|it| it.ends_sentence && is_late(it));
    first + sentence.map_or(fitting, |it| it + 1)
}

/// The atom that the span after `first..end` begins with.
fn next_start(atoms: &[Atom], first: usize, end: usize, overlap: usize) -> usize {
    let total = tokens_before(atoms, end);
    let span = atoms.get(first..end).unwrap_or_default();
    // What begins behind an atom shares the tokens after it.
    let earliest = first + 1 + span.partition_point(|it| total - it.tokens > overlap);
    let earliest = earliest.min(end);
    let begins_sentence = |it: &usize| {
        let before = it.checked_sub(1).and_then(|it| atoms.get(it));
        before.is_some_and(|it| it.ends_sentence)
    };
    (earliest..end).find(begins_sentence).unwrap_or(earliest)
}

fn tokens_before(atoms: &[Atom], place: usize) -> usize {
    let before = place.checked_sub(1).and_then(|it| atoms.get(it));
    before.map_or(0, |it| it.tokens)
}

/// The bytes of some atoms, without the white space around them.
fn span_of(text: &str, atoms: &[Atom], which: Range<usize>) -> Option<Range<usize>> {
    let end_before = |place: usize| {
        let before = place.checked_sub(1).and_then(|it| atoms.get(it));
        before.map_or(0, |it| it.end)
    };
    trimmed(text, end_before(which.start)..end_before(which.end))
}

/// A span without the white space around it; none if there is nothing else.
fn trimmed(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let piece = text.get(span.clone())?;
    let lead = piece.len() - piece.trim_start().len();
    let kept = piece.trim().len();
    (kept > 0).then(|| span.start + lead..span.start + lead + kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A token for every word, and for every character of a script without spaces.
    fn words(text: &str) -> usize {
        let dense = text.chars().filter(|it| token::is_dense(*it)).count();
        let words = text.split_whitespace();
        let others = words.filter(|it| it.chars().any(|it| !token::is_dense(it)));
        dense + others.count()
    }

    fn pieces(text: &str, tokens: usize, overlap: usize) -> Vec<&str> {
        let spans = chunk(text, Window { tokens, overlap }, &words);
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn a_text_that_fits_is_one_span_and_a_blank_one_is_none() {
        assert_eq!(pieces("  one two. three \n", 3, 1), ["one two. three"]);
        assert_eq!(pieces("", 3, 1), [""; 0]);
        assert_eq!(pieces(" \n\t ", 3, 1), [""; 0]);
    }

    #[test]
    fn a_span_ends_with_a_sentence_in_its_second_half_else_between_words() {
        let text = "a b c d. e f g h i j k l m";
        assert_eq!(pieces(text, 6, 0), ["a b c d.", "e f g h i j", "k l m"]);
        assert_eq!(pieces("a. b c d e f g", 6, 0), ["a. b c d e f", "g"]);
        assert_eq!(pieces("a b c\n\nd e f g", 4, 0), ["a b c", "d e f g"]);
    }

    #[test]
    fn spans_share_some_words_and_rather_a_whole_sentence() {
        assert_eq!(pieces("a b c d e f g", 4, 1), ["a b c d", "d e f g"]);
        let text = "a b. c d. e f g h";
        assert_eq!(pieces(text, 4, 1), ["a b. c d.", "d. e f g", "g h"]);
        assert_eq!(
            pieces("a b c d. e. f g h", 5, 2),
            ["a b c d. e.", "e. f g h"]
        );
    }

    #[test]
    fn scripts_without_spaces_are_cut_between_characters_and_rather_behind_a_sentence() {
        assert_eq!(
            pieces("口座が変更。新しい番号は下記。", 8, 0),
            ["口座が変更。", "新しい番号は下記", "。"]
        );
    }

    #[test]
    fn what_is_seen_as_one_is_not_cut() {
        let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦".repeat(40);
        let flags = "🇩🇪🇫🇷".repeat(40);
        let accents = "e\u{301}".repeat(100);
        for text in [&family, &flags, &accents] {
            let window = Window {
                tokens: 1,
                overlap: 0,
            };
            let spans = chunk(text, window, &str::len);
            assert!(spans.len() > 1, "{text}");
            for span in spans {
                let piece = &text[span];
                assert!(!piece.starts_with(['\u{200d}', '\u{301}']), "{piece}");
                assert!(!piece.ends_with('\u{200d}'), "{piece}");
                let halves = piece.chars().filter(|it| is_flag(*it)).count();
                assert_eq!(halves % 2, 0, "{piece}");
            }
        }
    }

    #[test]
    fn a_text_of_one_mebibyte_is_cut_whatever_is_in_it() {
        for unit in ["word ", "字", "x", "\u{301}", "🎉", "a. ", "\u{200d}", " "] {
            let text = unit.repeat((1 << 20) / unit.len());
            let window = Window {
                tokens: 256,
                overlap: 32,
            };
            let spans = chunk(&text, window, &|it| it.len().div_ceil(4));
            assert_eq!(spans.is_empty(), unit == " ", "{unit}");
            assert!(spans.iter().all(|it| it.len() <= 256 * 4 + 3), "{unit}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

        #[test]
        fn spans_ascend_fit_and_leave_nothing_out(
            text in prop_oneof![any::<String>(), "[ab .\n変🎉é]{0,60}"],
            tokens in 1_usize..9,
            overlap in 0_usize..9,
        ) {
            let spans = chunk(&text, Window { tokens, overlap }, &words);
            let mut covered = 0;
            for (place, span) in spans.iter().enumerate() {
                prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
                let gap = &text[covered.min(span.start)..span.start];
                prop_assert!(gap.trim().is_empty(), "left out: {gap:?}");
                if let Some(before) = place.checked_sub(1).and_then(|it| spans.get(it)) {
                    prop_assert!(before.start < span.start && before.end < span.end);
                    if span.start < before.end {
                        prop_assert!(words(&text[span.start..before.end]) <= overlap.max(1));
                    }
                }
                covered = span.end;
            }
            prop_assert!(text[covered..].trim().is_empty());
            if words(&text) <= tokens {
                prop_assert!(spans.len() <= 1);
            }
        }
    }
}
