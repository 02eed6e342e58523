//! A text as the reader sees it: words with their terms, in sentences.

use std::ops::Range;

use immune_recall::{is_stop_word, terms};

/// Words behind whose point a sentence goes on, in lower case.
const ABBREVIATIONS: [&str; 16] = [
    "al", "co", "corp", "dr", "etc", "gov", "inc", "jr", "ltd", "mr", "mrs", "ms", "no", "sr",
    "st", "vs",
];
/// What joins letters and digits to one word where it stands between two of them.
const JOINERS: [char; 10] = ['.', ',', '\'', '’', '-', '_', '/', ':', '@', '+'];

/// A word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Its place in the text, in bytes.
    pub(super) span: Range<usize>,
    /// What it is compared by.
    pub(super) term: String,
    /// Whether it begins with a capital letter.
    pub(super) is_capital: bool,
    /// Whether it says little.
    pub(super) is_stop: bool,
}

/// A text, read.
#[derive(Debug, Clone)]
pub(super) struct Text<'t> {
    pub(super) text: &'t str,
    pub(super) words: Vec<Word>,
    /// The words of each sentence; none is empty.
    pub(super) sentences: Vec<Range<usize>>,
}

impl<'t> Text<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let words: Vec<Word> = spans(text)
            .into_iter()
            .filter_map(|it| word(text, it))
            .collect();
        let mut sentences = Vec::new();
        let mut start = 0;
        for (number, pair) in (1..).zip(words.windows(2)) {
            if let [word, next] = pair
                && ends(text, word, next)
            {
                sentences.push(start..number);
                start = number;
            }
        }
        if start < words.len() {
            sentences.push(start..words.len());
        }
        Self {
            text,
            words,
            sentences,
        }
    }

    /// The words in this range.
    pub(super) fn words(&self, range: &Range<usize>) -> &[Word] {
        self.words.get(range.clone()).unwrap_or_default()
    }

    /// What was written from the first word of a range to its last one.
    pub(super) fn written(&self, range: &Range<usize>) -> &'t str {
        let words = self.words(range);
        let span = words.first().zip(words.last());
        let span = span.map(|(first, last)| first.span.start..last.span.end);
        span.and_then(|it| self.text.get(it)).unwrap_or_default()
    }

    /// What was written between a word and the next one.
    pub(super) fn between(&self, word: usize) -> &'t str {
        let end = self.words.get(word).map(|it| it.span.end);
        let start = self.words.get(word + 1).map(|it| it.span.start);
        let gap = end
            .zip(start)
            .and_then(|(end, start)| self.text.get(end..start));
        gap.unwrap_or_default()
    }
}

/// Where words are: letters and digits, with what joins them.
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut open: Option<usize> = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let mut joins = || {
            let next = characters.peek().is_some_and(|it| it.1.is_alphanumeric());
            open.is_some() && next && JOINERS.contains(&character)
        };
        if character.is_alphanumeric() || joins() {
            open.get_or_insert(at);
        } else if let Some(start) = open.take() {
            spans.push(start..at);
        }
    }
    spans.extend(open.map(|start| start..text.len()));
    spans
}

/// A word by its place; nothing where there is no term in it.
fn word(text: &str, span: Range<usize>) -> Option<Word> {
    let mut written = text.get(span.clone())?;
    for possessive in ["'s", "’s"] {
        written = written.strip_suffix(possessive).unwrap_or(written);
    }
    let span = span.start..span.start + written.len();
    let term = terms(written).into_iter().next()?;
    Some(Word {
        is_capital: written.starts_with(char::is_uppercase),
        is_stop: is_stop_word(&term),
        span,
        term,
    })
}

/// Whether a sentence ends between two words.
fn ends(text: &str, word: &Word, next: &Word) -> bool {
    let gap = text.get(word.span.end..next.span.start).unwrap_or_default();
    if gap.contains(['\n', '!', '?', '…', '。', '！', '？']) {
        return true;
    }
    let Some((_, behind)) = gap.split_once('.') else {
        return false;
    };
    let written = text.get(word.span.clone()).unwrap_or_default();
    let is_short = written.chars().count() == 1 && word.is_capital || written.contains('.');
    let is_short = is_short || ABBREVIATIONS.contains(&written.to_lowercase().as_str());
    behind.contains(char::is_whitespace) && !(is_short && gap.trim() == ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_end() {
        let sentences = |text| {
            let read = Text::new(text);
            let sentences = read.sentences.iter().map(|it| read.written(it));
            sentences.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            sentences("John F. Kennedy spoke. Dr. Who did (so he says). U.S. law vs. 3.5 % won!"),
            [
                "John F. Kennedy spoke",
                "Dr. Who did (so he says",
                "U.S. law vs. 3.5 % won"
            ]
        );
        assert_eq!(sentences("Who?\nHe\n\n"), ["Who", "He"]);
        assert!(sentences(" … ").is_empty());
    }

    #[test]
    fn words_keep_what_joins_them_and_lose_a_possessive() {
        let read = Text::new("Tim's e-mail: Can't pay 5,000 at 'noon'");
        let words: Vec<_> = read
            .words
            .iter()
            .map(|it| &read.text[it.span.clone()])
            .collect();
        assert_eq!(
            words,
            ["Tim", "e-mail", "Can't", "pay", "5,000", "at", "noon"]
        );
        let terms: Vec<_> = read.words.iter().map(|it| it.term.as_str()).collect();
        assert_eq!(terms, ["tim", "email", "can", "pay", "5000", "at", "noon"]);
    }
}
