//! Words that a model quotes, found again in the text.
//!
//! Models keep words and change the white space between them: a run of it is as good as another.
//! Nothing else may differ. What is found is a piece of the text itself, never of the reply.

use std::ops::Range;
use std::sync::LazyLock;

use immune_model::{Literal, limits};
use immune_reason::literal::{self, Found};
use regex::Regex;

use super::{Rejection, literals, shown};

static SENTENCE_END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[.!?]+(?:\s|$)|\n[ \t]*\n").expect("a valid pattern"));

/// A text in which quotes are looked for.
pub(super) struct Quoted<'t> {
    text: &'t str,
    /// The text with each run of white space as one space.
    plain: String,
    /// For each byte of `plain`, its place in the text; at the end, the length of the text.
    places: Vec<usize>,
    literals: Vec<Found>,
}

impl<'t> Quoted<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let (mut plain, mut places) = (String::with_capacity(text.len()), Vec::new());
        let mut was_space = true;
        for (at, character) in text.char_indices() {
            let is_space = character.is_whitespace();
            if is_space && was_space {
                continue;
            }
            let character = if is_space { ' ' } else { character };
            plain.push(character);
            places.extend((0..character.len_utf8()).map(|it| at + it));
            was_space = is_space;
        }
        places.push(text.len());
        Self {
            text,
            plain,
            places,
            literals: literal::find(text),
        }
    }

    /// The place of a quote in the text, where it stands whole: the first one.
    pub(super) fn find(&self, quote: &str) -> Result<Range<usize>, Rejection> {
        let bytes = quote.trim().len();
        if bytes == 0 || bytes > limits::MODEL_QUOTE_BYTES_MAX {
            return Err(Rejection::QuoteSize { bytes });
        }
        let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut cut = None;
        for (at, _) in self.plain.match_indices(&quote) {
            let span = self.place(at)..self.place(at + quote.len());
            match self.cuts(&span) {
                None => return Ok(span),
                Some(word) => {
                    cut.get_or_insert(word);
                }
            }
        }
        Err(match cut {
            Some(word) => Rejection::Cuts { word: shown(word) },
            None => Rejection::NotInText {
                quote: shown(&quote),
            },
        })
    }

    /// The sentence that holds a quote: what its words say hangs on it. It ends with a mark before
    /// white space, or with an empty line.
    pub(super) fn around(&self, span: &Range<usize>) -> Range<usize> {
        let before = self.text.get(..span.start).unwrap_or_default();
        let after = self.text.get(span.start..).unwrap_or_default();
        let quoted = span.len();
        let mut ends = SENTENCE_END.find_iter(before).map(|it| it.end());
        let start = ends.by_ref().last().unwrap_or(0);
        let mut ends = SENTENCE_END.find_iter(after).map(|it| it.end());
        let end = ends.find(|it| *it >= quoted).unwrap_or(after.len());
        start..span.start + end
    }

    fn place(&self, at: usize) -> usize {
        let place = self.places.get(at).copied();
        place.unwrap_or(self.text.len())
    }

    /// What a span starts or ends inside of.
    fn cuts(&self, span: &Range<usize>) -> Option<&'t str> {
        let is_inside = |it: &Range<usize>, at: usize| it.start < at && at < it.end;
        let mut found = self.literals.iter().map(|it| &it.span);
        let cut = found.find(|it| is_inside(it, span.start) || is_inside(it, span.end));
        if let Some(cut) = cut {
            return self.text.get(cut.clone());
        }
        [span.start, span.end].into_iter().find_map(|at| {
            let (before, after) = self.text.split_at_checked(at)?;
            let is_word = |it: char| it.is_alphanumeric();
            let is_cut = before.ends_with(is_word) && after.starts_with(is_word);
            let start = before.rfind(|it| !is_word(it)).map_or(0, |it| it + 1);
            let end = after.find(|it| !is_word(it)).unwrap_or(after.len());
            is_cut.then(|| self.text.get(start..at + end).unwrap_or(after))
        })
    }

    /// The words of a span, on one line.
    pub(super) fn text_of(&self, span: &Range<usize>) -> String {
        let words = self.text.get(span.clone()).unwrap_or_default();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The literals of the text that lie in a span.
    pub(super) fn literals_in(&self, span: &Range<usize>) -> Result<Vec<Literal>, Rejection> {
        let inside = |it: &&Found| span.start <= it.span.start && it.span.end <= span.end;
        literals(self.literals.iter().filter(inside))
    }
}
