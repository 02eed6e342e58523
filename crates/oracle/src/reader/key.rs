//! By what two offers are found to say the same.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use immune_model::LiteralKind;
use immune_reason::literal::Found;

use super::question::Kind;
use super::text::{Text, Word};

/// Numbers in words.
const NUMBERS: [(&str, u32); 27] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
];

/// By what two offers are found to say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// A literal in its canonical form.
    Literal(String),
    /// A number: in its canonical form, unit included, and as it was written, without.
    Number(String, String),
    /// Terms in their order, a space before and behind each.
    Words(String),
    /// The digests of the terms that a sentence has beyond the question, in order.
    Sentence(Vec<u64>),
}

impl Key {
    pub(super) fn words(words: &[Word]) -> Self {
        let terms = words.iter().map(|it| it.term.as_str());
        Self::Words(format!(" {} ", terms.collect::<Vec<_>>().join(" ")))
    }

    /// That of a sentence with these terms beyond the question.
    pub(super) fn sentence(terms: &BTreeSet<String>) -> Self {
        let digests = terms.iter().map(|it| {
            let mut hasher = DefaultHasher::new();
            it.hash(&mut hasher);
            hasher.finish()
        });
        let mut digests: Vec<u64> = digests.collect();
        digests.sort_unstable();
        Self::Sentence(digests)
    }

    /// Whether both say the same.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            // A year agrees with a day of it.
            (Self::Literal(a), Self::Literal(b)) => {
                a.starts_with(b.as_str()) || b.starts_with(a.as_str())
            }
            (Self::Number(a, plain_a), Self::Number(b, plain_b)) => {
                a == b || (plain_a == plain_b && (a == plain_a || b == plain_b))
            }
            (Self::Words(a), Self::Words(b)) => a.contains(b.as_str()) || b.contains(a.as_str()),
            (Self::Sentence(a), Self::Sentence(b)) => {
                // Of each of them: who mentions what another one says need not say it.
                let most = a.len().max(b.len());
                2 * a.len().min(b.len()) >= most && 2 * n_common(a, b) >= most
            }
            _ => false,
        }
    }
}

/// How many numbers two ordered lists have in common.
fn n_common(a: &[u64], b: &[u64]) -> usize {
    let (mut left, mut right, mut common) = (a.iter().peekable(), b.iter().peekable(), 0);
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            Ordering::Less => drop(left.next()),
            Ordering::Greater => drop(right.next()),
            Ordering::Equal => {
                common += 1;
                left.next();
                right.next();
            }
        }
    }
    common
}

/// By what a literal is compared; nothing where it is none of the kind that is asked for.
pub(super) fn key_of(kind: &Kind, found: &Found, text: &str) -> Option<Key> {
    let literal = &found.literal;
    let canonical = literal.to_string();
    match kind {
        Kind::Number => {
            let is_number = matches!(
                literal.kind,
                LiteralKind::Amount | LiteralKind::Quantity | LiteralKind::Percentage
            );
            let first = Text::new(text).words.into_iter().next();
            let plain = first.and_then(|it| number(&it.term));
            is_number.then(|| Key::Number(canonical, plain.unwrap_or_default()))
        }
        Kind::Date => {
            (literal.kind == LiteralKind::Date).then(|| Key::Literal(literal.value.to_string()))
        }
        Kind::Literal(kinds) => kinds
            .contains(&literal.kind)
            .then_some(Key::Literal(canonical)),
        _ => None,
    }
}

/// The same of a word that is a number without a unit, or a year.
pub(super) fn plain_number(kind: &Kind, term: &str) -> Option<Key> {
    let number = number(term)?;
    let is_year = number.len() == 4 && ('1'..='2').contains(&number.chars().next()?);
    match kind {
        Kind::Number if !is_year => Some(Key::Number(number.clone(), number)),
        Kind::Date if is_year => Some(Key::Literal(number)),
        _ => None,
    }
}

/// A number in digits, whether it was written so or in words.
fn number(term: &str) -> Option<String> {
    if term.bytes().all(|it| it.is_ascii_digit() || it == b'.')
        && term.starts_with(|it: char| it.is_ascii_digit())
    {
        return Some(term.to_owned());
    }
    let in_words = |word: &str| {
        let folded = immune_recall::terms(word).into_iter().next();
        folded.is_some_and(|it| it == term)
    };
    let found = NUMBERS.iter().find(|it| in_words(it.0));
    found.map(|it| it.1.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_agree_that_say_the_same_in_other_words() {
        let literal = |it: &str| Key::Literal(it.to_owned());
        let plain = |it: &str| Key::Number(it.to_owned(), it.to_owned());
        let days = |n: &str| Key::Number(format!("quantity {n} day"), n.to_owned());
        let words = |it: &str| Key::words(&Text::new(it).words);
        let sentence = |it: &str| Key::sentence(&immune_recall::terms(it).into_iter().collect());
        for (one, other, right) in [
            (literal("2018-04-20"), literal("2018"), true),
            (literal("2018-04-20"), literal("2018-05"), false),
            (plain("24"), plain("24"), true),
            (plain("24"), days("24"), true),
            (
                days("30"),
                Key::Number("quantity 30 MB".to_owned(), "30".to_owned()),
                false,
            ),
            (words("Frank Sinatra"), words("Sinatra"), true),
            (words("Frank Sinatra"), words("Nancy Sinatra"), false),
            (words("Ann"), words("Anna"), false),
            (
                sentence("red dye number three"),
                sentence("dye number three was banned"),
                true,
            ),
            (
                sentence("red"),
                sentence("it is not red but green or blue"),
                false,
            ),
            (words("red"), sentence("red"), false),
        ] {
            assert_eq!(one.agrees(&other), right, "{one:?} {other:?}");
            assert_eq!(other.agrees(&one), right, "{other:?} {one:?}");
        }
    }

    #[test]
    fn a_number_is_read_in_digits_and_in_words() {
        for (term, right) in [("24", Some("24")), ("1.5", Some("1.5")), ("two", Some("2"))] {
            assert_eq!(number(term).as_deref(), right);
        }
        let folded = immune_recall::terms("twenty");
        assert_eq!(number(&folded[0]).as_deref(), Some("20"));
        assert!(number("v2").is_none() && number(".").is_none() && number("").is_none());
    }
}
