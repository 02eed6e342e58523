//! Amounts of money in a currency.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use immune_model::LiteralKind;
use regex::{Captures, Regex};
use rust_decimal::Decimal;

use super::number::{self, DIGITS, FACTOR, SPACED};
use super::scan::Scan;

/// ISO 4217 codes and the ledger currencies that mail talks about. Codes that are English words
/// (`ALL`, `TOP`) are left out.
const CODES: &str = "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|ILS|THB|RUB|AED|SAR|BTC|ETH|USDT|USDC";

/// `$5,000`, `USD 5000`, `£4.2 million`, `$5,000 CAD`.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?ix)
        (?: (?-u:\b)(?<code>{CODES})\ ?[$£€¥₹]?
          | (?<symbol> (?:(?-u:\b)(?-i:US\ ?|CA|C|AU|A|NZ|HK|S))?\$ | [£€¥₹] )
          | (?-u:\b)(?<rupees>Rs)\.? )
        (?: \ (?<minus>-) )? \ ?(?<digits>{SPACED}|{DIGITS})(?<factor>{FACTOR})?
        (?: \ ?(?<other>USD|CAD|AUD|NZD|HKD|SGD|MXN)(?-u:\b) )?"
    ))
    .expect("a tested pattern")
});

/// `5000.00 dollars`, `5 000 EUR`, `five thousand dollars`, `66 million euros`, `30 €`.
static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    let words = number::words_pattern();
    Regex::new(&format!(
        r"(?ix)
        (?: (?<digits>{SPACED}|{DIGITS})(?<factor>{FACTOR})? | (?<words>{words}) )
        [\ -]?
        (?: (?<name>
                (?:U\.?S\.?\ |american\ |canadian\ |australian\ )?dollars? | bucks?
              | (?:euro[\ -]?)?cents? | pence
              | euros? | pounds?\ sterling | pounds? | (?:japanese\ )?yen | swiss\ francs?
              | (?:indian\ )?rupees? | yuan | renminbi | rmb | rou?bles? | bitcoins?
            )(?-u:\b)(?:,?\ (?:and\ )?(?<cents>[0-9]{{1,2}})\ (?:cents?|pence)(?-u:\b))?
          | (?<code>{CODES})(?-u:\b)
          | (?<symbol>[€£₹]|\$(?-u:\B)) )"
    ))
    .expect("a tested pattern")
});

/// Words before `pounds` that are paid; without one of them they may be a weight.
const PAID: [&str; 26] = [
    "price", "cost", "fee", "pay", "paid", "charge", "refund", "budget", "salary", "worth", "bill",
    "invoice", "rent", "spend", "spent", "owe", "deposit", "loan", "fine", "tax", "discount",
    "amount", "balance", "buy", "sell", "sold",
];

/// Whether the number at a place counts pounds of money.
fn are_paid(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    let before = scan.context_before(from, 64).to_ascii_lowercase();
    let of_a_thing = scan.text().get(to..).unwrap_or("").starts_with(" of ");
    let mut words = before.split(|it: char| !it.is_alphanumeric());
    !of_a_thing && words.any(|word| PAID.iter().any(|it| word.starts_with(it)))
}

/// The currency of a name; that of a hundredth with whether it is one.
fn named(name: &str, before: &str) -> (String, bool) {
    let name = name.to_ascii_lowercase();
    if name == "pence" {
        return ("GBP".to_owned(), true);
    }
    if name.contains("cent") {
        let before = before.to_ascii_lowercase();
        let of_euros = ["€", "eur"].iter().any(|it| before.contains(it)) || name.contains("euro");
        let code = if of_euros { "EUR" } else { "USD" };
        return (code.to_owned(), true);
    }
    (of_name(&name), false)
}

/// What a pattern caught, its sign apart.
struct Caught<'t> {
    currency: String,
    value: Decimal,
    /// How it is written, where nobody can tell which number that is.
    written: Option<&'t str>,
}

impl<'t> Caught<'t> {
    /// Reads an amount of which the number starts here; nothing where it is none.
    fn read(scan: &Scan<'t>, caught: &Captures<'t>, start: usize) -> Option<Self> {
        let text = |name: &str| caught.name(name).map(|it| it.as_str());
        let before = scan.context_before(start, 64);
        let name = text("name").map(|it| named(it, before));
        let hundredths = name.as_ref().is_some_and(|(_, it)| *it);
        let currency = text("other")
            .map(str::to_ascii_uppercase)
            .or_else(|| text("code").map(str::to_ascii_uppercase))
            .or_else(|| text("symbol").and_then(of_symbol))
            .or_else(|| text("rupees").map(|_| "INR".to_owned()))
            .or_else(|| name.map(|(code, _)| code))?;
        let is_pounds = text("name").is_some_and(|it| {
            it.eq_ignore_ascii_case("pounds") || it.eq_ignore_ascii_case("pound")
        });
        if is_pounds && !are_paid(scan, start, caught.get(0)?.end()) {
            return None;
        }
        let mut value = number::value(text("digits"), text("words"), text("factor"))?;
        if hundredths {
            value = value.checked_mul(CENT)?;
        }
        let cents = text("cents").and_then(|it| it.parse::<Decimal>().ok());
        if let Some(cents) = cents {
            value = value.checked_add(cents.checked_mul(CENT)?)?;
        }
        let is_plain = text("factor").is_none() && !hundredths && cents.is_none();
        let written = text("digits")
            .filter(|it| is_plain && may_group(it) && !COINS.contains(&currency.as_str()));
        Some(Self {
            currency,
            value,
            written,
        })
    }

    /// Its canonical value.
    fn canonical(&self, is_negative: bool) -> String {
        let sign = if is_negative { "-" } else { "" };
        let currency = &self.currency;
        match self.written {
            // Normalized it would be one of the two that it may be.
            Some(written) => format!("{currency} {sign}{written}"),
            None if is_negative => {
                let value = (Decimal::ZERO - self.value).normalize();
                format!("{currency} {value}")
            }
            None => format!("{currency} {}", self.value.normalize()),
        }
    }
}

/// Finds amounts. `pounds` alone may be a weight: it is one of them where something is paid.
pub(super) fn amounts(scan: &mut Scan<'_>) {
    for pattern in [&*BEFORE, &*AFTER] {
        for caught in pattern.captures_iter(scan.text()) {
            let Some(whole) = caught.get(0).map(|it| it.range()) else {
                continue;
            };
            let Some(number) = caught.name("digits").or_else(|| caught.name("words")) else {
                continue;
            };
            let Some(read) = Caught::read(scan, &caught, number.start()) else {
                continue;
            };
            let start = caught
                .name("symbol")
                .or_else(|| caught.name("code"))
                .or_else(|| caught.name("rupees"))
                .map_or(number.start(), |it| it.start().min(number.start()));
            let end = caught.name("factor").map_or(number.end(), |it| it.end());
            let prefix = number.start() > start;
            let alone = if prefix {
                // Only what follows can continue a number that a currency introduces.
                !scan.continues(end)
            } else {
                scan.is_whole_number(&number.range())
            };
            if !alone {
                continue;
            }
            let minus = scan.minus_before(start);
            let is_negative = minus.is_some() || caught.name("minus").is_some();
            let from = minus.unwrap_or(start);
            let to = if caught.name("other").is_some() || !prefix {
                whole.end
            } else {
                end
            };
            let value = read.canonical(is_negative);
            scan.keep(LiteralKind::Amount, from..to, &value);
        }
    }
}

/// One hundredth.
const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// Currencies of which amounts have any number of decimals.
const COINS: [&str; 4] = ["BTC", "ETH", "USDT", "USDC"];

/// Whether a point may part thousands: `1.000` is one or a thousand, by who writes it. `0.500` and
/// `1234.500` group nothing.
fn may_group(digits: &str) -> bool {
    let digits = digits.trim_start_matches('-');
    let Some((whole, decimals)) = digits.split_once('.') else {
        return false;
    };
    let in_digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let groups = (1..=3).contains(&whole.len()) && !whole.starts_with('0') && decimals.len() == 3;
    groups && in_digits(whole) && in_digits(decimals)
}

/// Whether nobody can tell which of two numbers an amount is.
pub(super) fn is_ambiguous(value: &str) -> bool {
    let digits = value.split_once(' ').map_or(value, |(_, digits)| digits);
    may_group(digits)
}

/// Whether two sets of amounts differ; nothing where they may be the same in one of two readings.
pub(super) fn disagree(ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> Option<bool> {
    if ours == theirs {
        return Some(false);
    }
    let all_in = |one: &BTreeSet<&str>, other: &BTreeSet<&str>| {
        let known: BTreeSet<String> = other.iter().flat_map(|it| readings(it)).collect();
        let mut values = one.iter();
        values.all(|it| readings(it).iter().any(|it| known.contains(it)))
    };
    // Without two readings of anything, sets that are not the same differ.
    let may_be_same = all_in(ours, theirs) && all_in(theirs, ours);
    (!may_be_same).then_some(true)
}

/// What an amount may be.
fn readings(value: &str) -> Vec<String> {
    if !is_ambiguous(value) {
        return vec![value.to_owned()];
    }
    let as_decimal = value.trim_end_matches('0').trim_end_matches('.');
    vec![as_decimal.to_owned(), value.replace('.', "")]
}

fn of_symbol(symbol: &str) -> Option<String> {
    let code = match symbol.to_ascii_uppercase().replace(' ', "").as_str() {
        "$" | "US$" => "USD",
        "C$" | "CA$" => "CAD",
        "A$" | "AU$" => "AUD",
        "NZ$" => "NZD",
        "HK$" => "HKD",
        "S$" => "SGD",
        "£" => "GBP",
        "€" => "EUR",
        "¥" => "JPY",
        "₹" => "INR",
        _ => return None,
    };
    Some(code.to_owned())
}

fn of_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let code = match name.as_str() {
        _ if name.starts_with("canadian") => "CAD",
        _ if name.starts_with("australian") => "AUD",
        _ if name.starts_with("euro") => "EUR",
        _ if name.starts_with("pound") => "GBP",
        _ if name.starts_with("swiss") => "CHF",
        _ if name.ends_with("yen") => "JPY",
        _ if name.contains("rupee") => "INR",
        _ if name.starts_with("rou") || name.starts_with("rub") => "RUB",
        _ if name.starts_with("bitcoin") => "BTC",
        "yuan" | "renminbi" | "rmb" => "CNY",
        _ => "USD",
    };
    code.to_owned()
}
