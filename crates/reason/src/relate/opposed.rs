//! What keeps two statements with the same words or the same values from being about one thing.
//!
//! For [`super::relate`], and for the keys of beliefs; pure, and linear in the texts.

use std::collections::BTreeSet;

use super::EMPTY;
use super::said::alike;
use super::stem::{same_deed, stem};
use crate::literal::find;
use crate::normal::normal;

/// Words of which one side says the opposite of the other.
const OPPOSITES: &[(&str, &str)] = &[
    (
        "rise rises rose risen increase increases increased raise raises raised add adds added \
         grew grows gain gains gained up above plus",
        "fall falls fell fallen decrease decreases decreased lower lowers lowered deduct deducts \
         deducted subtract subtracts subtracted drop drops dropped reduce reduces reduced lose \
         loses lost down below minus",
    ),
    ("credit credits credited", "debit debits debited"),
    (
        "deposit deposits deposited",
        "withdraw withdraws withdrew withdrawn",
    ),
    ("buy buys bought", "sell sells sold"),
    ("open opens opened", "close closes closed"),
    (
        "start starts started begin begins began",
        "end ends ended finish finishes finished",
    ),
    (
        "arrive arrives arrived",
        "leave leaves left depart departs departed",
    ),
    ("minimum min least", "maximum max most"),
    ("before", "after"),
    ("over", "under"),
    ("first", "last"),
];

/// Whether two statements with the same values say opposite things of them: `rose by $5` and `fell
/// by $5`, `from` an account and `to` it.
pub(super) fn are_opposed(left: &str, right: &str) -> bool {
    let (ours, theirs) = (words(left), words(right));
    let holds = |all: &[String], list: &str| {
        list.split_ascii_whitespace()
            .any(|it| all.iter().any(|word| word == it))
    };
    let one_way = |(a, b): &(&str, &str)| {
        let (one, other) = (
            (holds(&ours, a), holds(&ours, b)),
            (holds(&theirs, a), holds(&theirs, b)),
        );
        matches!(
            (one, other),
            ((true, false), (false, true)) | ((false, true), (true, false))
        )
    };
    OPPOSITES.iter().any(one_way) || are_turned(left, right)
}

/// The values from which something comes, and those to which it goes.
pub(crate) fn ways(text: &str) -> BTreeSet<(String, bool)> {
    let found = find(text).into_iter();
    found
        .filter_map(|it| {
            let before = words(text.get(..it.span.start)?);
            let skipped = ["the", "account", "iban", "our", "your", "number"];
            let word = before
                .iter()
                .rev()
                .find(|it| !skipped.contains(&it.as_str()));
            let to = match word?.as_str() {
                "from" => false,
                "to" | "into" | "onto" => true,
                _ => return None,
            };
            Some((it.literal.value.to_string(), to))
        })
        .collect()
}

/// Whether a value that both name is where one starts and where the other goes.
fn are_turned(left: &str, right: &str) -> bool {
    let theirs = ways(right);
    ways(left)
        .into_iter()
        .any(|(value, to)| theirs.contains(&(value, !to)))
}

/// Whether each ends with a word that the other does not have: what is denied of `Alice` is not
/// what is said of `Bob`.
pub(super) fn differ_in_object(left: &str, right: &str) -> bool {
    let (ours, theirs) = (telling(left), telling(right));
    let foreign = |word: Option<&String>, others: &[String]| {
        word.is_some_and(|it| {
            !others
                .iter()
                .any(|other| alike(it, other) || same_deed(it, other))
        })
    };
    foreign(ours.last(), &theirs) && foreign(theirs.last(), &ours)
}

/// The stems of the words that tell what a statement is about.
fn telling(text: &str) -> Vec<String> {
    /// Words of how it is said, and those that deny or allow.
    const MANNER: &[&str] = &[
        "forbidden",
        "prohibited",
        "banned",
        "impossible",
        "disabled",
        "enabled",
        "allowed",
        "permitted",
        "possible",
        "false",
        "true",
        "lie",
        "off",
        "now",
        "anymore",
        "today",
        "still",
        "ever",
        "yet",
        "at",
        "all",
        "too",
        "either",
    ];
    let words = words(text).into_iter();
    words
        .filter(|it| it.chars().any(char::is_alphabetic))
        .filter(|it| !EMPTY.contains(&it.as_str()) && !MANNER.contains(&it.as_str()))
        .filter(|it| !(it.ends_with("ly") && it.len() > 4))
        .map(|it| stem(&it))
        .collect()
}

fn words(text: &str) -> Vec<String> {
    let text = normal(text);
    let words = text.split(|it: char| !it.is_alphanumeric());
    words
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}
