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
//! | host | `example.com/pay` | without `http(s)://`, user, default port and bare `/` |
//! | phone | `+17138531234` | ten digits are read as North American |
//! | package | `requests@2.31.0` | `==` and `@` alike |
//! | amount | `USD 5000` | `$` alone is the US dollar |
//! | quantity | `30 day`, `50 MB`, `5000` | exact conversions of time only |
//! | date | `2001-05-15` | never without a year; two digits are 1969 to 2068; `1/9/2001` is US order |
//! | percentage | `5%` | |
//! | identifier | `INV-1042` | upper case |
//! | hash | lower-case hexadecimal | |

mod bank;
mod date;
mod money;
mod net;
mod number;
mod quantity;
mod reference;
mod scan;

use std::ops::Range;

use immune_model::{Literal, limits};

use scan::{Scan, View};

/// A literal and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The literal, with its canonical value.
    pub literal: Literal,
    /// Its place in the text, in bytes, on character boundaries.
    pub span: Range<usize>,
}

/// The recognisers, most specific first: a later one never takes what an earlier one took.
const RECOGNISERS: [fn(&mut Scan<'_>); 16] = [
    net::urls,
    net::hosts,
    net::emails,
    bank::crypto_addresses,
    reference::hashes,
    reference::packages,
    bank::ibans,
    net::ipv4_addresses,
    date::dates,
    bank::cards,
    net::phones,
    money::amounts,
    quantity::percentages,
    quantity::quantities,
    reference::identifiers,
    bank::accounts,
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
    for recognise in RECOGNISERS {
        recognise(&mut scan);
    }
    quantity::bare_numbers(&mut scan);
    let found = scan.into_found().into_iter();
    let mut found: Vec<Found> = found
        .filter_map(|it| {
            Some(Found {
                span: view.original(&it.span)?,
                ..it
            })
        })
        .collect();
    found.sort_by_key(|it| it.span.start);
    found
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

#[cfg(test)]
mod tests;
