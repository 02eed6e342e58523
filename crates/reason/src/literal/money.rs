//! Amounts of money in a currency.

use std::sync::LazyLock;

use immune_model::LiteralKind;
use regex::Regex;
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
              | euros? | pounds?\ sterling | (?:japanese\ )?yen | swiss\ francs?
              | (?:indian\ )?rupees? | yuan | renminbi | rmb | rou?bles? | bitcoins?
            )(?-u:\b)
          | (?<code>{CODES})(?-u:\b)
          | (?<symbol>[€£₹]|\$(?-u:\B)) )"
    ))
    .expect("a tested pattern")
});

/// Finds amounts. `pounds` alone may be a weight and is not one of them.
pub(super) fn amounts(scan: &mut Scan<'_>) {
    for pattern in [&*BEFORE, &*AFTER] {
        for caught in pattern.captures_iter(scan.text()) {
            let text = |name: &str| caught.name(name).map(|it| it.as_str());
            let Some(whole) = caught.get(0).map(|it| it.range()) else {
                continue;
            };
            let Some(number) = caught.name("digits").or_else(|| caught.name("words")) else {
                continue;
            };
            let start = caught
                .name("symbol")
                .or_else(|| caught.name("code"))
                .or_else(|| caught.name("rupees"))
                .map_or(number.start(), |it| it.start().min(number.start()));
            let currency = text("other")
                .map(str::to_ascii_uppercase)
                .or_else(|| text("code").map(str::to_ascii_uppercase))
                .or_else(|| text("symbol").and_then(of_symbol))
                .or_else(|| text("rupees").map(|_| "INR".to_owned()))
                .or_else(|| text("name").map(of_name));
            let value = number::value(text("digits"), text("words"), text("factor"));
            let (Some(currency), Some(mut value)) = (currency, value) else {
                continue;
            };
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
            if minus.is_some() || text("minus").is_some() {
                value = Decimal::ZERO - value;
            }
            let from = minus.unwrap_or(start);
            let to = if text("other").is_some() || !prefix {
                whole.end
            } else {
                end
            };
            scan.keep(
                LiteralKind::Amount,
                from..to,
                &format!("{currency} {value}"),
            );
        }
    }
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
