//! Whether two claims about one subject say the same, disagree, or talk past each other.
//!
//! The literal decides (semantics.md 7): a pair conflicts on opposite polarity, or on different
//! *sets* of a kind of literal that both carry; on an open subject, opposite polarity counts only
//! where the texts are similar or a kind of literal is shared. A shared word decides nothing.

use std::collections::BTreeSet;

use immune_model::{Literal, LiteralKind, Polarity, Subject};

use crate::literal::disagree;
use crate::normal::normal;
use crate::subject::registration;

/// One side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Whether it affirms.
    pub polarity: Polarity,
    /// Its literals, sorted.
    pub literals: &'a [Literal],
    /// Its words.
    pub text: &'a str,
}

/// How two claims about one subject stand to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// They state the same value.
    Same,
    /// They cannot both hold.
    Conflict(Deciding),
    /// Neither decides the other.
    Unrelated,
}

/// What decided a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deciding {
    /// One affirms what the other denies.
    Polarity,
    /// They carry different sets of this kind of literal.
    Literal(LiteralKind),
}

/// Compares two claims about one subject.
pub fn relate(subject: &Subject, left: Side<'_>, right: Side<'_>) -> Relation {
    if left.polarity == Polarity::Open || right.polarity == Polarity::Open {
        return Relation::Unrelated;
    }
    let compared = LiteralKind::ALL.map(|kind| {
        let (ours, theirs): (Vec<_>, Vec<_>) = (
            of_kind(left, kind).collect(),
            of_kind(right, kind).collect(),
        );
        (kind, disagree(kind, &ours, &theirs))
    });
    let any_shared = compared.iter().any(|(_, it)| it.is_some());
    let differing = compared
        .iter()
        .find(|(_, it)| *it == Some(true))
        .map(|(kind, _)| *kind);
    if left.polarity == right.polarity {
        return match differing {
            Some(kind) => Relation::Conflict(Deciding::Literal(kind)),
            // Only where no literal says so does the wording have to.
            None if any_shared || normal(left.text) == normal(right.text) => Relation::Same,
            None => Relation::Unrelated,
        };
    }
    // Denying one account while affirming another is agreement of a kind, no contradiction. On an
    // open subject two claims are a pair only if they speak of the same thing.
    let a_pair = || any_shared || registration(subject).is_some() || similar(left.text, right.text);
    if differing.is_none() && a_pair() {
        Relation::Conflict(Deciding::Polarity)
    } else {
        Relation::Unrelated
    }
}

/// Whether two claims about one subject cannot both hold; reads text only where it has to.
pub(crate) fn conflicts(subject: &Subject, left: Side<'_>, right: Side<'_>) -> bool {
    let wordless = |side: Side<'_>| side.literals.is_empty();
    let plain = left.polarity == right.polarity && (wordless(left) || wordless(right));
    !plain && matches!(relate(subject, left, right), Relation::Conflict(_))
}

/// Words that say nothing of what a claim is about: function words, and those that deny.
const EMPTY: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "do", "does", "for", "from", "has",
    "have", "in", "is", "it", "its", "longer", "may", "must", "never", "no", "none", "not", "of",
    "on", "or", "our", "shall", "should", "that", "the", "their", "this", "to", "was", "were",
    "will", "with", "without", "your",
];

/// Whether most words of the shorter text stand in the other one too. Numbers are no words: that
/// two claims both say 5 tells nothing of what they are about.
fn similar(left: &str, right: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let text = normal(text);
        let words = text
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| it.chars().any(char::is_alphabetic));
        words
            .filter(|it| !EMPTY.contains(it))
            .map(str::to_owned)
            .collect()
    };
    let (left, right) = (words(left), words(right));
    let shorter = left.len().min(right.len());
    shorter > 0 && left.intersection(&right).count() * 5 >= shorter * 3
}

fn of_kind(side: Side<'_>, kind: LiteralKind) -> impl Iterator<Item = &Literal> {
    side.literals.iter().filter(move |it| it.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: (char, &[&str], &str), right: (char, &[&str], &str)) -> Relation {
        let literals = |values: &[&str]| -> Vec<Literal> {
            values
                .iter()
                .map(|it| Literal::new(LiteralKind::Iban, it))
                .collect()
        };
        let (ours, theirs) = (literals(left.1), literals(right.1));
        let side = |sign, literals, text| Side {
            polarity: Polarity::from_sign(sign).unwrap(),
            literals,
            text,
        };
        let open = Subject::new("some.thing").unwrap();
        relate(
            &open,
            side(left.0, &ours, left.2),
            side(right.0, &theirs, right.2),
        )
    }

    #[test]
    fn the_literal_decides() {
        let by_iban = Relation::Conflict(Deciding::Literal(LiteralKind::Iban));
        assert_eq!(
            check(('+', &["A"], "x"), ('+', &["A"], "y")),
            Relation::Same
        );
        assert_eq!(check(('+', &["A"], "x"), ('+', &["B"], "x")), by_iban);
        assert_eq!(
            check(('+', &["A", "B"], "x"), ('+', &["A"], "x")),
            by_iban,
            "both accounts named"
        );
        assert_eq!(
            check(('+', &["A"], "x"), ('+', &[], "y")),
            Relation::Unrelated
        );
        assert_eq!(
            check(('+', &[], "The lane"), ('+', &[], "the lane.")),
            Relation::Same
        );
    }

    #[test]
    fn so_does_polarity_but_an_open_claim_decides_nothing() {
        let by_polarity = Relation::Conflict(Deciding::Polarity);
        assert_eq!(
            check(
                ('+', &[], "the lamp is on"),
                ('-', &[], "the lamp is not on")
            ),
            by_polarity
        );
        assert_eq!(
            check(('+', &[], "the lamp is on"), ('-', &[], "never park here")),
            Relation::Unrelated
        );
        assert_eq!(
            check(
                ('+', &[], "pay 5 now"),
                ('-', &[], "do not pay within 5 days")
            ),
            Relation::Unrelated,
            "a number is no word"
        );
        assert_eq!(check(('+', &["A"], "x"), ('-', &["A"], "y")), by_polarity);
        assert_eq!(
            check(('+', &["A"], "x"), ('-', &["B"], "y")),
            Relation::Unrelated
        );
        assert_eq!(
            check(('?', &["A"], "x"), ('+', &["B"], "y")),
            Relation::Unrelated
        );
    }
}
