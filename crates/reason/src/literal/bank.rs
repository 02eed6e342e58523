//! Where money goes: IBANs, account numbers, cards, addresses on public ledgers.

use std::sync::LazyLock;

use iban::{Iban, IbanLike};
use immune_model::LiteralKind;
use regex::Regex;

use super::scan::Scan;

/// The countries and territories in the IBAN registry with the length of an IBAN there, for tokens
/// whose checksum is wrong: with a right one `iban_validate` knows better.
const IBAN_COUNTRIES: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// Tax numbers that have the shape of an IBAN: the country, and what follows it.
static TAX_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:BE[01][0-9]{9}|SE[0-9]{10}01|PL[0-9]{10}|(?:FR|IT|HR|LV)[0-9]{11}|NL[0-9]{9}B[0-9]{2}|(?:GB|LT)[0-9]{12}|(?:CZ|RO)[0-9]{10})$",
    )
    .expect("a tested pattern")
});
/// Two letters, two digits, and groups: the longest thing that could be an IBAN.
static IBAN_SHAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u:\b)[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]{1,34}){1,10}")
        .expect("a tested pattern")
});
static ACCOUNT_WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:accounts?|acct|a/c|acc|routing|aba|sort code|beneficiary|iban|wire|bank)(?-u:\b)")
        .expect("a tested pattern")
});
static RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[0-9]{2,40}(?:[ -][0-9]{2,17}){0,6}").expect("a tested pattern"));
static CARD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[0-9](?:[ -]?[0-9]){11,18}").expect("a tested pattern"));
static CRYPTO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?-u:\b)(?: (?<hex>0[xX][0-9a-fA-F]{40})
        | (?<bech32>(?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{11,71} | (?:BC1|TB1|LTC1)[02-9AC-HJ-NP-Z]{11,71})
        | (?<base58>[13][1-9A-HJ-NP-Za-km-z]{25,34}) )(?-u:\b)",
    )
    .expect("a tested pattern")
});

/// Finds IBANs with a valid checksum, then tokens that are shaped like one.
///
/// A token with a wrong checksum is an IBAN if its country is in the registry; otherwise it is an
/// account after a word like "account", and left to the identifiers if there is none.
pub(super) fn ibans(scan: &mut Scan<'_>) {
    let text = scan.text();
    let mut from = 0;
    while let Some(shape) = IBAN_SHAPE.find_at(text, from) {
        // Whatever follows may be words; so go on right after the two letters and digits.
        from = shape.start() + 4;
        if let Some((end, value)) = checked(shape.as_str()) {
            let place = shape.start()..shape.start() + end;
            from = place.end;
            scan.keep(LiteralKind::Iban, place, &value);
        } else if let Some((end, value)) =
            as_long(shape.as_str()).or_else(|| shaped(shape.as_str()))
        {
            let place = shape.start()..shape.start() + end;
            // As it is kept, so that it is the same with and without spaces.
            let kind = if TAX_NUMBER.is_match(&value) {
                LiteralKind::Identifier
            } else if length_in(&value).is_some() {
                LiteralKind::Iban
            } else if ACCOUNT_WORD.is_match(scan.context_before(place.start, 48)) {
                LiteralKind::Account
            } else {
                continue;
            };
            from = place.end;
            scan.keep(kind, place, &value);
        }
    }
}

/// The longest start of the token, in whole groups, that is an IBAN with a right checksum.
fn checked(token: &str) -> Option<(usize, String)> {
    group_ends(token).rev().find_map(|end| {
        let compact = compact(token.get(..end)?);
        let iban: Iban = compact.parse().ok()?;
        Some((end, iban.electronic_str().to_owned()))
    })
}

/// How long an IBAN of the country is with whose letters this starts.
fn length_in(value: &str) -> Option<usize> {
    let country = value.get(..2)?;
    let of_country = |it: &str| it.strip_prefix(country)?.parse().ok();
    IBAN_COUNTRIES.split(' ').find_map(of_country)
}

/// The start of the token, in whole groups, that is as long as an IBAN of its country and is
/// mostly digits: one character of it may have been changed.
fn as_long(token: &str) -> Option<(usize, String)> {
    group_ends(token).rev().find_map(|end| {
        let value = compact(token.get(..end)?);
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let last = groups(token.get(..end)?).next_back()?;
        let ends_with_digits = token
            .get(last.0..last.1)?
            .bytes()
            .any(|it| it.is_ascii_digit());
        (length_in(&value) == Some(value.len()) && digits >= 10 && ends_with_digits)
            .then_some((end, value))
    })
}

/// The longest start of the token, in whole groups, that is shaped like an IBAN: 12 to 34
/// characters, groups of four with a shorter last one (or no groups), at least eight digits.
fn shaped(token: &str) -> Option<(usize, String)> {
    let mut end = 0;
    let mut short = false;
    for (idx, (start, stop)) in groups(token).enumerate() {
        let group = token.get(start..stop)?;
        let solid = idx == 0 && group.len() > 4;
        let digits = group.bytes().filter(u8::is_ascii_digit).count();
        // The only group that may be all letters is the bank code, and then in capitals.
        let bank = idx == 1 && group.bytes().all(|it| it.is_ascii_uppercase());
        let fits = idx == 0 || (group.len() <= 4 && (digits == group.len() || bank));
        if short || !fits {
            break;
        }
        end = stop;
        short = solid || group.len() < 4;
    }
    let value = compact(token.get(..end)?);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    ((12..=34).contains(&value.len()) && digits >= 8).then_some((end, value))
}

fn groups(token: &str) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    token.split([' ', '-']).map(move |group| {
        let start = group.as_ptr() as usize - token.as_ptr() as usize;
        (start, start + group.len())
    })
}

fn group_ends(token: &str) -> impl DoubleEndedIterator<Item = usize> {
    groups(token).map(|(_, end)| end)
}

fn compact(text: &str) -> String {
    text.chars()
        .filter(|it| !matches!(it, ' ' | '-'))
        .map(|it| it.to_ascii_uppercase())
        .collect()
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Finds payment cards: an issuer's prefix and length, and a right check digit.
pub(super) fn cards(scan: &mut Scan<'_>) {
    for shape in CARD.find_iter(scan.text()) {
        let digits = digits_of(shape.as_str());
        let prefix: u32 = digits.get(..4).and_then(|it| it.parse().ok()).unwrap_or(0);
        let length_fits = match prefix {
            3400..=3499 | 3700..=3799 => digits.len() == 15,
            3000..=3059 | 3600..=3699 | 3800..=3899 => digits.len() == 14,
            4000..=4999 => matches!(digits.len(), 13 | 16 | 19),
            2221..=2720 | 5100..=5599 | 6011 | 6440..=6599 | 3528..=3589 => digits.len() == 16,
            _ => false,
        };
        if length_fits && luhn(&digits) && scan.is_whole_number(&shape.range()) {
            scan.keep(LiteralKind::Card, shape.range(), &digits);
        }
    }
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .map(|it| u32::from(it - b'0'))
        .enumerate()
        .map(|(idx, digit)| match (idx % 2, digit * 2) {
            (0, _) => digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Finds addresses on public ledgers. In hexadecimal and bech32 the case carries no meaning.
pub(super) fn crypto_addresses(scan: &mut Scan<'_>) {
    for caught in CRYPTO.captures_iter(scan.text()) {
        if let Some(whole) = caught.name("hex").or_else(|| caught.name("bech32")) {
            let value = whole.as_str().to_ascii_lowercase();
            scan.keep(LiteralKind::CryptoAddress, whole.range(), &value);
        } else if let Some(whole) = caught.name("base58") {
            let has = |test: fn(&u8) -> bool| whole.as_str().as_bytes().iter().any(test);
            if has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) {
                scan.keep(LiteralKind::CryptoAddress, whole.range(), whole.as_str());
            }
        }
    }
}

/// Finds runs of digits: an account after a word like "account", otherwise an identifier if it is
/// one run of at least six digits.
pub(super) fn accounts(scan: &mut Scan<'_>) {
    for run in RUN.find_iter(scan.text()) {
        let near = ACCOUNT_WORD.is_match(scan.context_before(run.start(), 48));
        let digits = digits_of(run.as_str());
        if near && (6..=34).contains(&digits.len()) && stands_alone(scan, run.range()) {
            scan.keep(LiteralKind::Account, run.range(), &digits);
            continue;
        }
        let mut start = run.start();
        for part in run.as_str().split([' ', '-']) {
            let place = start..start + part.len();
            start = place.end + 1;
            if part.len() >= 6 && stands_alone(scan, place.clone()) {
                let kind = if near {
                    LiteralKind::Account
                } else {
                    LiteralKind::Identifier
                };
                scan.keep(kind, place, part);
            }
        }
    }
}

/// Whether a word like "account" stands right before a number: `Account #021674`.
pub(super) fn is_announced(scan: &Scan<'_>, at: usize) -> bool {
    let context = scan.context_before(at, 24);
    ACCOUNT_WORD
        .find_iter(context)
        .last()
        .and_then(|it| context.get(it.end()..))
        .is_some_and(|rest| rest.trim_matches([' ', ':', '.']).is_empty())
}

fn stands_alone(scan: &Scan<'_>, place: std::ops::Range<usize>) -> bool {
    let joins = |it: Option<char>| {
        it.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '£' | '€' | '%'))
    };
    scan.is_whole_number(&place)
        && !joins(scan.before(place.start))
        && !joins(scan.after(place.end))
        && !matches!(scan.after(place.end), Some('/' | ':'))
}
