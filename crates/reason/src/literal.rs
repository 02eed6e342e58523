//! Typed literals: the account numbers, amounts, dates and names in a text that decide a conflict.
//!
//! Anyone may call it. It is pure, deterministic and linear in the text: every pattern is compiled
//! once and every repetition in it is bounded. Two literals of one kind have the same canonical
//! value iff they mean the same: `GB29 nwbk…` and `GB29NWBK…`, `thirty days` and `30 days`.
//! It is conservative: what may mean two things is left out, so that no conflict is invented.
//!
//! What the canonical values look like:
//!
//! | kind | value | notes |
//! |---|---|---|
//! | IBAN | `GB29NWBK60161331926819` | a wrong checksum is kept when the token has the shape of an IBAN and the letters of a country that uses them |
//! | account | `44718829` | digits, or a token shaped like an IBAN of another country, after a word like "account" |
//! | card | `4111111111111111` | Luhn and the issuer's length |
//! | crypto address | `0x…`, `bc1…` in lower case, base58 as it is | |
//! | e-mail | `jo@example.com` | lower case, IDNA |
//! | host | `example.com/pay` | without `http(s)://`, user, default port and the `/` at the end |
//! | phone | `+17138531234`, `030-123-4567` | ten digits are read as North American, unless they start with 0 |
//! | package | `requests@2.31.0`, `v2.1.0` | `==`, `@` and `Requests v2.31` alike |
//! | amount | `USD 5000` | `$` alone is the US dollar, and so are cents; `1.000 EUR` may be two numbers and stays as it is |
//! | quantity | `30 day`, `50 MB`, `5000` | in the largest unit in which it is whole; exact conversions only, so a month stays a month |
//! | date | `2001-05-15`, `--05-15`, `2001-05`, `T15:30` | a year is never invented; two digits are 1969 to 2068; `01/09/2001` may be two days and stays as it is |
//! | percentage | `5%` | |
//! | bounds | `>=5 day`, `<USD 30`, `<=5%` | "at least", "less than", "up to" are a part of the value |
//! | identifier | `INV-1042` | upper case; a tax number in the shape of an IBAN too |
//! | hash | lower-case hexadecimal | |
//!
//! A letter of another script in a Latin word is kept as it was written, so it is another value
//! ([`look_alike`] tells); a digit of another script is the digit.

mod bank;
mod bound;
mod date;
mod lookalike;
mod money;
mod net;
mod number;
mod quantity;
mod reference;
mod scan;

use std::collections::BTreeSet;
use std::ops::Range;

use immune_model::{Literal, LiteralKind, limits};

use scan::{Scan, View};

pub use lookalike::look_alike;

/// A literal and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The literal, with its canonical value.
    pub literal: Literal,
    /// Its place in the text, in bytes, on character boundaries.
    pub span: Range<usize>,
}

/// What a text has to hold for a recogniser to find anything, so that most texts are read once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    Digit,
    Dot,
    At,
    Nothing,
}

/// One recogniser.
type Recogniser = fn(&mut Scan<'_>);

/// The recognisers, most specific first: a later one never takes what an earlier one took.
const RECOGNISERS: [(Recogniser, Needs); 18] = [
    (net::urls, Needs::Dot),
    (net::hosts, Needs::Dot),
    (net::emails, Needs::At),
    (bank::crypto_addresses, Needs::Digit),
    (reference::hashes, Needs::Digit),
    (reference::packages, Needs::Digit),
    (bank::ibans, Needs::Digit),
    (net::ipv4_addresses, Needs::Digit),
    (date::dates, Needs::Nothing),
    (bank::cards, Needs::Digit),
    (net::phones, Needs::Digit),
    (reference::versions, Needs::Digit),
    (money::amounts, Needs::Nothing),
    (quantity::percentages, Needs::Nothing),
    (quantity::quantities, Needs::Nothing),
    (quantity::lettered, Needs::Digit),
    (reference::identifiers, Needs::Digit),
    (bank::accounts, Needs::Digit),
];

/// Every literal of the text, in order of position.
///
/// The text is read in NFKC, without invisible characters and with plain hyphens, so a full-width
/// digit or a zero-width space hides nothing; the spans are those of the text as it was given.
///
/// ```
/// use immune_reason::literal::find;
///
/// let found = find("Refunds go to gb29 nwbk 6016 1331 9268 19 within thirty days");
/// let shown: Vec<String> = found.iter().map(|it| it.literal.to_string()).collect();
/// assert_eq!(shown, ["iban GB29NWBK60161331926819", "quantity 30 day"]);
/// ```
pub fn find(text: &str) -> Vec<Found> {
    let view = View::new(text);
    let mut scan = Scan::new(view.text());
    let holds = |byte: fn(&u8) -> bool| view.text().as_bytes().iter().any(byte);
    let (digit, dot) = (holds(u8::is_ascii_digit), holds(|it| *it == b'.'));
    let at = holds(|it| *it == b'@');
    for (recognise, needs) in RECOGNISERS {
        let met = match needs {
            Needs::Digit => digit,
            // A URL may name a host without a dot.
            Needs::Dot => dot || view.text().contains("://"),
            Needs::At => at,
            Needs::Nothing => true,
        };
        if met {
            recognise(&mut scan);
        }
    }
    if digit {
        quantity::bare_numbers(&mut scan);
    }
    bound::bounds(&mut scan);
    let found = scan.into_found().into_iter();
    let mut found: Vec<Found> = found.filter_map(|it| as_written(&view, text, it)).collect();
    found.sort_by_key(|it| it.span.start);
    found
}

/// The literal at its place in the text as it was given, with the letters that were written there.
fn as_written(view: &View<'_>, text: &str, found: Found) -> Option<Found> {
    let span = view.original(&found.span)?;
    let written = view.lookalikes(&found.span);
    if written.is_empty() {
        return Some(Found { span, ..found });
    }
    let kind = found.literal.kind;
    let value = match kind {
        LiteralKind::Host => net::canonical_host(text.get(span.clone())?)?,
        LiteralKind::Email => net::canonical_email(text.get(span.clone())?)?,
        // A number is a number, whatever the letters of its unit are.
        LiteralKind::Amount
        | LiteralKind::Quantity
        | LiteralKind::Date
        | LiteralKind::Percentage
        | LiteralKind::Phone => found.literal.value.to_string(),
        _ => {
            let seen = view.text().get(found.span.clone())?;
            lookalike::with_written(&found.literal.value, seen, found.span.start, written)
        }
    };
    let literal = Literal::new(kind, &value);
    Some(Found { literal, span })
}

/// The literals of the text as a claim carries them: sorted, without repeats, at most
/// `limits::LITERALS_MAX`. The kinds that decide about money come first, so they are kept.
pub fn literals(text: &str) -> Vec<Literal> {
    let mut all: Vec<Literal> = find(text).into_iter().map(|it| it.literal).collect();
    all.sort();
    all.dedup();
    all.truncate(limits::LITERALS_MAX);
    all
}

/// Whether two sets of literals of one kind differ; nothing where they cannot be compared.
///
/// A kind is compared as a set, by value. Quantities are compared where they measure the same (30
/// days and 50 MB say nothing of each other, and neither do 30 days and one month), dates in what
/// both sides tell: `--05-15` agrees with `2001-05-15`. What may be the same and may not decides
/// nothing: bounds that leave room for both, a day in figures of which one reading agrees, a point
/// that may part thousands, a telephone number without its country.
pub fn disagree(kind: LiteralKind, ours: &[&Literal], theirs: &[&Literal]) -> Option<bool> {
    if ours.is_empty() || theirs.is_empty() {
        return None;
    }
    let ours: BTreeSet<&str> = ours.iter().map(|it| &*it.value).collect();
    let theirs: BTreeSet<&str> = theirs.iter().map(|it| &*it.value).collect();
    let compare = |ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>| {
        if bound::any(kind, ours) || bound::any(kind, theirs) {
            bound::disagree(kind, (ours, theirs), |a, b| exact(kind, a, b))
        } else {
            exact(kind, ours, theirs)
        }
    };
    if kind != LiteralKind::Quantity {
        return compare(&ours, &theirs);
    }
    // Each dimension of its own.
    let dimensions: BTreeSet<&str> = ours.iter().map(|it| quantity::dimension(it)).collect();
    let mut found = Vec::new();
    for dimension in dimensions {
        let (left, right) = (of(&ours, dimension), of(&theirs, dimension));
        if !right.is_empty() {
            found.push(compare(&left, &right));
        }
    }
    // One that differs decides; else one that is undecided leaves the whole so.
    if found.contains(&Some(true)) {
        Some(true)
    } else if found.contains(&None) {
        None
    } else {
        (!found.is_empty()).then_some(false)
    }
}

/// The quantities that measure this.
fn of<'v>(values: &BTreeSet<&'v str>, dimension: &str) -> BTreeSet<&'v str> {
    let own = values.iter().copied();
    own.filter(|it| quantity::dimension(it) == dimension)
        .collect()
}

/// Whether two sets of values without bounds differ.
fn exact(kind: LiteralKind, ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> Option<bool> {
    match kind {
        LiteralKind::Date => date::disagree(ours, theirs),
        LiteralKind::Phone => net::phones_disagree(ours, theirs),
        LiteralKind::Amount => money::disagree(ours, theirs),
        _ => Some(ours != theirs),
    }
}

#[cfg(test)]
mod tests;
