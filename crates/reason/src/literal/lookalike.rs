//! Characters that look like others: what a reader takes for the true account may be another one.
//!
//! A word of one script is what it says. In a word that mixes Latin with another script, a letter
//! that looks like a Latin one is read as that one, so that the literal is found; its value keeps
//! the letter that was written, so that it is never the value that it imitates. What looks like
//! what is the table of Unicode (UTS #39).

use std::ops::Range;

use immune_model::{Literal, LiteralKind};
use unicode_security::confusable_detection::skeleton;

/// The zeros of the decimal digits of other scripts.
const ZEROS: [u32; 19] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50,
    0xed0, 0xf20, 0x1040, 0x17e0, 0x1810, 0x19d0,
];

/// The Latin digit for a decimal digit of any script; another character as it is.
pub(super) fn digit(character: char) -> char {
    let value = ZEROS
        .iter()
        .filter_map(|zero| u32::from(character).checked_sub(*zero))
        .find(|value| *value < 10);
    value
        .and_then(|value| char::from_digit(value, 10))
        .unwrap_or(character)
}

/// The words of a text that hold Latin characters and others, in bytes.
pub(super) fn mixed_words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut rest = text;
    let mut at = 0;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let word = rest.get(start..).unwrap_or("");
        let length = word
            .find(|it: char| !it.is_alphanumeric())
            .unwrap_or(word.len());
        let word = word.get(..length).unwrap_or("");
        if !word.is_ascii() && word.bytes().any(|it| it.is_ascii_alphanumeric()) {
            words.push(at + start..at + start + length);
        }
        at += start + length;
        rest = rest.get(start + length..).unwrap_or("");
    }
    words
}

/// The one Latin letter or digit that a character looks like.
pub(super) fn latin(character: &str) -> Option<char> {
    let mut chars = character.chars();
    let only = chars
        .next()
        .filter(|it| !it.is_ascii() && !it.is_numeric())?;
    if chars.next().is_some() {
        return None;
    }
    let mut shown = skeleton(character);
    let first = shown.next().filter(char::is_ascii_alphanumeric)?;
    // Full-width letters are the same letters, and so is whatever NFKC says.
    let folded = unicode_normalization::UnicodeNormalization::nfkc(character).next();
    (shown.next().is_none() && folded == Some(only)).then_some(first)
}

/// The canonical value with the characters that were written in place of those that they look
/// like. The value holds the characters of the text in their order, some left out.
pub(super) fn with_written(
    value: &str,
    text: &str,
    start: usize,
    written: &[(usize, char)],
) -> String {
    let mut kept = String::with_capacity(value.len());
    let mut value = value.chars().peekable();
    for (at, character) in text.char_indices() {
        let Some(next) = value.next_if(|it| it.eq_ignore_ascii_case(&character)) else {
            continue;
        };
        let other = written.iter().find(|(place, _)| *place == start + at);
        match other {
            Some((_, other)) if next.is_ascii_uppercase() => kept.extend(other.to_uppercase()),
            Some((_, other)) => kept.extend(other.to_lowercase()),
            None => kept.push(next),
        }
    }
    kept.extend(value);
    kept
}

/// Whether two literals of one kind are shown alike and are not the same: a letter of another
/// script, an `O` for a `0`.
///
/// ```
/// use immune_reason::literal::{literals, look_alike};
///
/// let (one, other) = (literals("see paypal.example"), literals("see pаypal.example"));
/// assert!(look_alike(&one[0], &other[0]));
/// assert!(!look_alike(&one[0], &one[0]));
/// ```
pub fn look_alike(left: &Literal, right: &Literal) -> bool {
    left.kind == right.kind && left.value != right.value && shown(left) == shown(right)
}

/// How a literal is shown, each character as what it looks like. Where case says nothing, an
/// imitation may use either.
fn shown(literal: &Literal) -> String {
    let value = match literal.kind {
        LiteralKind::Host | LiteralKind::Email => {
            let (start, host) = match literal.value.rsplit_once('@') {
                Some((name, host)) => (format!("{name}@"), host),
                None => (String::new(), &*literal.value),
            };
            let (host, rest) = host.split_at(host.find('/').unwrap_or(host.len()));
            // Names that are written in other scripts are kept in `xn--` form.
            let (host, _) = idna::domain_to_unicode(host);
            format!("{start}{host}{rest}")
        }
        LiteralKind::Iban | LiteralKind::Identifier => literal.value.to_uppercase(),
        _ => literal.value.to_string(),
    };
    let same = |it: char| match it {
        'I' | '1' | '|' => 'l',
        '0' => 'O',
        other => other,
    };
    skeleton(&value).map(same).collect()
}
