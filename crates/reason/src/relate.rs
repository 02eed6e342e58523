//! Whether two claims about one subject say the same, disagree, or talk past each other.
//!
//! The literal decides (semantics.md 7): a pair conflicts on opposite polarity, or on different
//! *sets* of a kind of literal that both carry; on an open subject, opposite polarity counts only
//! where the texts are similar and end in one object, or a kind of literal is shared. Beside that,
//! one subject brings together whatever words alone would: who denies what the other asserts
//! disagrees with it. A shared word decides nothing, and the same value in opposite words is not
//! the same claim.

mod opposed;
mod said;
mod stem;
mod verbs;

use std::collections::BTreeSet;

use immune_model::{Literal, LiteralKind, Polarity, Subject};

use crate::literal::disagree;
use crate::normal::normal;
use crate::subject::registration;

pub(crate) use opposed::ways;
pub use said::Said;

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
    // What may be the same and may not leaves the whole so. Two quantities may measure two things.
    let undecided = compared.iter().any(|(kind, it)| {
        let both = of_kind(left, *kind).next().is_some() && of_kind(right, *kind).next().is_some();
        both && it.is_none() && *kind != LiteralKind::Quantity
    });
    let differing = compared
        .iter()
        .find(|(_, it)| *it == Some(true))
        .map(|(kind, _)| *kind);
    if left.polarity == right.polarity {
        return match differing {
            Some(kind) => Relation::Conflict(Deciding::Literal(kind)),
            // Only where no literal says so does the wording have to.
            None if in_same_words(left, right) => Relation::Same,
            None if gainsay(left, right) => Relation::Conflict(Deciding::Polarity),
            None if any_shared && !undecided && !opposed::are_opposed(left.text, right.text) => {
                Relation::Same
            }
            None => Relation::Unrelated,
        };
    }
    // Denying one account while affirming another is agreement of a kind, no contradiction. On an
    // open subject two claims are a pair only if they speak of the same thing.
    let a_pair = || {
        any_shared
            || registration(subject).is_some()
            || (similar(left.text, right.text) && !opposed::differ_in_object(left.text, right.text))
            || gainsay(left, right)
    };
    if differing.is_none() && a_pair() {
        Relation::Conflict(Deciding::Polarity)
    } else {
        Relation::Unrelated
    }
}

/// Whether both are in the same words, letters in their case where that decides a unit.
fn in_same_words(left: Side<'_>, right: Side<'_>) -> bool {
    let quantities =
        |side| -> BTreeSet<&Literal> { of_kind(side, LiteralKind::Quantity).collect() };
    let (ours, theirs) = (quantities(left), quantities(right));
    let measured = ours.is_empty() || theirs.is_empty() || ours == theirs;
    measured && normal(left.text) == normal(right.text)
}

/// Whether one denies in words what the other asserts.
fn gainsay(left: Side<'_>, right: Side<'_>) -> bool {
    (Said::may_deny(left.text) || Said::may_deny(right.text))
        && Said::read(left.text).gainsays(&Said::read(right.text))
}

/// Compares two statements that no subject brings together: their words have to.
///
/// They conflict where one denies what the other asserts of the same one ([`Said::gainsays`]);
/// where nearly all their words are the same and one affirms what the other denies; and where
/// nearly all words besides the literals are the same and those differ. Nearly: four of five, both
/// ways. Everything else is unrelated, however many words are shared.
pub fn relate_apart(left: Side<'_>, right: Side<'_>) -> Relation {
    let read = |side: Side<'_>| Said::read(side.text);
    relate_read((left, &read(left)), (right, &read(right)))
}

/// [`relate_apart`] for statements that were read before, where one is compared with many.
pub fn relate_read(
    (left, ours): (Side<'_>, &Said),
    (right, theirs): (Side<'_>, &Said),
) -> Relation {
    if ours.is_same(theirs) {
        return Relation::Same;
    }
    if ours.gainsays(theirs) {
        return Relation::Conflict(Deciding::Polarity);
    }
    if !ours.is_near(theirs) {
        return Relation::Unrelated;
    }
    let open = Subject::new("statement").expect("a name of letters");
    relate(&open, left, right)
}

/// Whether two claims about one subject cannot both hold; reads text only where it has to.
pub(crate) fn conflicts(subject: &Subject, left: Side<'_>, right: Side<'_>) -> bool {
    let wordless = |side: Side<'_>| side.literals.is_empty();
    let plain = left.polarity == right.polarity
        && (wordless(left) || wordless(right))
        && !Said::may_deny(left.text)
        && !Said::may_deny(right.text);
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
mod tests;
