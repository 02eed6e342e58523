//! Quantities with a unit, percentages, and numbers that stand where a value stands.

use std::sync::LazyLock;

use immune_model::LiteralKind;
use regex::Regex;
use rust_decimal::Decimal;

use super::number::{self, DIGITS, FACTOR};
use super::scan::Scan;

/// Canonical unit and how it is written, in lower case. No single letters: they mean too much.
const UNITS: &[(&str, &[&str])] = &[
    (
        "business day",
        &[
            "business day",
            "business days",
            "working day",
            "working days",
        ],
    ),
    ("second", &["second", "seconds", "sec", "secs"]),
    ("minute", &["minute", "minutes", "min", "mins"]),
    ("hour", &["hour", "hours", "hr", "hrs"]),
    ("day", &["day", "days", "calendar days", "calendar day"]),
    ("week", &["week", "weeks", "wk", "wks"]),
    ("month", &["month", "months"]),
    ("year", &["year", "years", "yr", "yrs"]),
    ("ms", &["ms", "millisecond", "milliseconds"]),
    ("byte", &["byte", "bytes"]),
    ("kB", &["kb", "kilobyte", "kilobytes"]),
    ("MB", &["mb", "megabyte", "megabytes"]),
    ("GB", &["gb", "gigabyte", "gigabytes"]),
    ("TB", &["tb", "terabyte", "terabytes"]),
    ("KiB", &["kib"]),
    ("MiB", &["mib"]),
    ("GiB", &["gib"]),
    ("MW", &["mw", "megawatt", "megawatts"]),
    ("MWh", &["mwh", "megawatt hours", "megawatt-hours"]),
    ("kW", &["kw", "kilowatt", "kilowatts"]),
    ("kWh", &["kwh", "kilowatt hours", "kilowatt-hours"]),
    ("MMBtu", &["mmbtu", "mmbtus", "mmbtu's"]),
    ("MMBtu/day", &["mmbtu/day", "mmbtu/d", "mmbtu per day"]),
    ("mcf", &["mcf"]),
    ("mmcf", &["mmcf"]),
    ("mmcf/day", &["mmcf/d", "mmcf/day", "mmcfd"]),
    ("bcf", &["bcf"]),
    (
        "dth",
        &[
            "dth",
            "dths",
            "decatherm",
            "decatherms",
            "dekatherm",
            "dekatherms",
        ],
    ),
    ("therm", &["therm", "therms"]),
    ("barrel", &["barrel", "barrels", "bbl", "bbls"]),
    ("gallon", &["gallon", "gallons"]),
    ("litre", &["litre", "litres", "liter", "liters"]),
    ("kg", &["kg", "kgs", "kilogram", "kilograms"]),
    ("pound", &["pound", "pounds", "lb", "lbs"]),
    ("ton", &["ton", "tons"]),
    ("tonne", &["tonne", "tonnes", "mt"]),
    (
        "km",
        &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    ),
    ("mile", &["mile", "miles"]),
    ("foot", &["foot", "feet", "ft"]),
    ("inch", &["inch", "inches"]),
    ("acre", &["acre", "acres"]),
    ("cent", &["cent", "cents"]),
    ("basis point", &["basis point", "basis points", "bps"]),
    ("share", &["share", "shares"]),
    ("unit", &["unit", "units"]),
    ("item", &["item", "items"]),
    ("copy", &["copy", "copies"]),
    ("page", &["page", "pages"]),
    ("user", &["user", "users"]),
    ("seat", &["seat", "seats"]),
    ("person", &["person", "persons", "people"]),
    ("employee", &["employee", "employees"]),
    ("attempt", &["attempt", "attempts"]),
    ("retry", &["retry", "retries"]),
    ("request", &["request", "requests"]),
    ("token", &["token", "tokens"]),
    ("row", &["row", "rows"]),
    ("approval", &["approval", "approvals"]),
    ("node", &["node", "nodes"]),
    ("replica", &["replica", "replicas"]),
];

static QUANTITY: LazyLock<Regex> = LazyLock::new(|| {
    let mut names: Vec<&str> = UNITS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    // The longest first, so that `mwh` is not read as `mw`.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let units: Vec<String> = names
        .iter()
        .map(|name| regex::escape(name).replace(' ', r"\ "))
        .collect();
    let (units, words) = (units.join("|"), number::words_pattern());
    Regex::new(&format!(
        r"(?ix)
        (?: (?<digits>{DIGITS})(?<factor>{FACTOR})? | (?<words>{words}) )
        \)?[\ -]?
        (?<unit>{units})(?-u:\b)"
    ))
    .expect("a tested pattern")
});

static PERCENTAGE: LazyLock<Regex> = LazyLock::new(|| {
    let words = number::words_pattern();
    Regex::new(&format!(
        r"(?ix) (?<sign>-)? (?: (?<digits>{DIGITS}) | (?<words>{words}) )
        (?: \ ?% | \ (?:percent|per\ cent|pct)(?-u:\b) )"
    ))
    .expect("a tested pattern")
});

/// A number where a value stands (`= 5`, `is 5`), or one that is grouped and so no year or code.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?ix)
        (?: (?-u:\b)(?:is|are|was|were|equals|to)\ (?:now\ |only\ |exactly\ )? | =\ ? | ^\s{{0,8}} )
        (?<value>{DIGITS})
        | (?<grouped>[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,6}}(?:\.[0-9]{{1,9}})?)"
    ))
    .expect("a tested pattern")
});

/// Finds percentages.
pub(super) fn percentages(scan: &mut Scan<'_>) {
    for caught in PERCENTAGE.captures_iter(scan.text()) {
        let text = |name: &str| caught.name(name).map(|it| it.as_str());
        let (Some(whole), Some(number)) = (
            caught.get(0),
            caught.name("digits").or_else(|| caught.name("words")),
        ) else {
            continue;
        };
        let Some(mut value) = number::value(text("digits"), text("words"), None) else {
            continue;
        };
        if !scan.is_whole_number(&number.range()) {
            continue;
        }
        let signed = text("sign").is_some()
            && scan
                .before(whole.start())
                .is_none_or(|it| it.is_whitespace() || it == '(');
        if signed {
            value = Decimal::ZERO - value;
        }
        let start = if signed {
            whole.start()
        } else {
            number.start()
        };
        scan.keep(
            LiteralKind::Percentage,
            start..whole.end(),
            &format!("{value}%"),
        );
    }
}

/// Finds quantities with a known unit.
pub(super) fn quantities(scan: &mut Scan<'_>) {
    for caught in QUANTITY.captures_iter(scan.text()) {
        let text = |name: &str| caught.name(name).map(|it| it.as_str());
        let (Some(number), Some(written)) = (
            caught.name("digits").or_else(|| caught.name("words")),
            caught.name("unit"),
        ) else {
            continue;
        };
        let lower = written.as_str().to_ascii_lowercase();
        let unit = UNITS
            .iter()
            .find(|(_, names)| names.contains(&lower.as_str()))
            .map(|(unit, _)| *unit);
        let value = number::value(text("digits"), text("words"), text("factor"));
        let (Some(unit), Some(value)) = (unit, value) else {
            continue;
        };
        if scan.is_whole_number(&number.range()) {
            scan.keep(
                LiteralKind::Quantity,
                number.start()..written.end(),
                &canonical(value, unit),
            );
        }
    }
}

/// Finds numbers without a unit where nothing else can be meant. Runs last.
pub(super) fn bare_numbers(scan: &mut Scan<'_>) {
    for caught in BARE.captures_iter(scan.text()) {
        let Some(number) = caught.name("value").or_else(|| caught.name("grouped")) else {
            continue;
        };
        // A time, a fraction, an ordinal, a range or a word that starts with digits is no number.
        let next = scan.after(number.end());
        let ends = !next.is_some_and(|it| {
            it.is_alphanumeric() || matches!(it, ':' | '/' | '-' | '_' | '%' | '\'' | '@')
        });
        let starts = !scan
            .before(number.start())
            .is_some_and(|it| matches!(it, ':' | '/' | '-' | '_' | '#' | '$'));
        let at_start = scan
            .text()
            .get(..number.start())
            .unwrap_or("")
            .trim()
            .is_empty();
        let whole_text = at_start
            && scan
                .text()
                .get(number.end()..)
                .unwrap_or("")
                .trim()
                .is_empty();
        if !ends || !starts || !scan.is_whole_number(&number.range()) {
            continue;
        }
        if at_start && !whole_text && !number.as_str().contains(',') {
            continue;
        }
        if let Some(value) = number::from_digits(number.as_str()) {
            scan.keep(
                LiteralKind::Quantity,
                number.range(),
                &value.normalize().to_string(),
            );
        }
    }
}

/// Time is brought to the largest unit in which it is whole: those conversions are exact. A month
/// is not 30 days, and a megabyte is not 1024 or 1000 kilobytes without knowing who counts.
fn canonical(value: Decimal, unit: &'static str) -> String {
    const CLOCK: [(&str, i64); 5] = [
        ("week", 604_800),
        ("day", 86_400),
        ("hour", 3_600),
        ("minute", 60),
        ("second", 1),
    ];
    const CALENDAR: [(&str, i64); 2] = [("year", 12), ("month", 1)];
    for scale in [&CLOCK[..], &CALENDAR[..]] {
        let Some((_, size)) = scale.iter().find(|(name, _)| *name == unit) else {
            continue;
        };
        let Some(base) = value.checked_mul(Decimal::from(*size)) else {
            break;
        };
        let whole = scale
            .iter()
            // A week is seven days: one unit for both, so that `7 days` is how it is shown.
            .filter(|(name, _)| *name != "week")
            .find(|(_, size)| (base % Decimal::from(*size)).is_zero());
        if let Some((name, size)) = whole {
            return format!("{} {name}", (base / Decimal::from(*size)).normalize());
        }
    }
    format!("{value} {unit}")
}
