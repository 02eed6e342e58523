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
    ("quarter", &["quarter", "quarters"]),
    ("decade", &["decade", "decades"]),
    ("ms", &["ms", "msec", "millisecond", "milliseconds"]),
    ("byte", &["byte", "bytes"]),
    ("kB", &["kb", "kilobyte", "kilobytes"]),
    ("MB", &["mb", "megabyte", "megabytes"]),
    ("GB", &["gb", "gigabyte", "gigabytes"]),
    ("TB", &["tb", "terabyte", "terabytes"]),
    ("KiB", &["kib"]),
    ("MiB", &["mib"]),
    ("GiB", &["gib"]),
    ("TiB", &["tib"]),
    ("kbps", &["kbps", "kbit/s"]),
    ("Mbps", &["mbps", "mbit/s"]),
    ("Gbps", &["gbps", "gbit/s"]),
    ("kHz", &["khz"]),
    ("MHz", &["mhz"]),
    ("GHz", &["ghz"]),
    ("GW", &["gw", "gigawatt", "gigawatts"]),
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
    (
        "ml",
        &[
            "ml",
            "millilitre",
            "millilitres",
            "milliliter",
            "milliliters",
        ],
    ),
    ("mg", &["mg", "milligram", "milligrams"]),
    ("gram", &["gram", "grams"]),
    (
        "kg",
        &["kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"],
    ),
    ("pound", &["pound", "pounds", "lb", "lbs"]),
    ("ton", &["ton", "tons"]),
    ("tonne", &["tonne", "tonnes", "mt"]),
    (
        "km",
        &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    ),
    ("metre", &["metre", "metres", "meter", "meters"]),
    (
        "cm",
        &[
            "cm",
            "centimetre",
            "centimetres",
            "centimeter",
            "centimeters",
        ],
    ),
    (
        "mm",
        &[
            "mm",
            "millimetre",
            "millimetres",
            "millimeter",
            "millimeters",
        ],
    ),
    ("px", &["px", "pixel", "pixels"]),
    ("km/h", &["km/h", "kmh", "kph"]),
    ("mph", &["mph"]),
    ("degree", &["degree", "degrees"]),
    ("°C", &["°c", "degrees celsius", "degrees c"]),
    ("°F", &["°f", "degrees fahrenheit", "degrees f"]),
    ("mile", &["mile", "miles"]),
    ("yard", &["yard", "yards"]),
    ("foot", &["foot", "feet", "ft"]),
    ("inch", &["inch", "inches"]),
    ("acre", &["acre", "acres"]),
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
    ("agent", &["agent", "agents"]),
    ("application", &["application", "applications"]),
    ("bug", &["bug", "bugs"]),
    ("character", &["character", "characters"]),
    ("client", &["client", "clients"]),
    ("column", &["column", "columns"]),
    ("commit", &["commit", "commits"]),
    ("component", &["component", "components"]),
    ("core", &["core", "cores"]),
    ("customer", &["customer", "customers"]),
    ("developer", &["developer", "developers"]),
    ("device", &["device", "devices"]),
    ("endpoint", &["endpoint", "endpoints"]),
    ("engineer", &["engineer", "engineers"]),
    ("error", &["error", "errors"]),
    ("event", &["event", "events"]),
    ("feature", &["feature", "features"]),
    ("file", &["file", "files"]),
    ("guest", &["guest", "guests"]),
    ("invoice", &["invoice", "invoices"]),
    ("link", &["link", "links"]),
    ("member", &["member", "members"]),
    ("message", &["message", "messages"]),
    ("module", &["module", "modules"]),
    ("paper", &["paper", "papers"]),
    ("participant", &["participant", "participants"]),
    ("partner", &["partner", "partners"]),
    ("payment", &["payment", "payments"]),
    ("player", &["player", "players"]),
    ("problem", &["problem", "problems"]),
    ("query", &["query", "queries"]),
    ("sample", &["sample", "samples"]),
    ("server", &["server", "servers"]),
    ("session", &["session", "sessions"]),
    ("sprint", &["sprint", "sprints"]),
    ("student", &["student", "students"]),
    ("subscriber", &["subscriber", "subscribers"]),
    ("task", &["task", "tasks"]),
    ("team", &["team", "teams"]),
    ("thread", &["thread", "threads"]),
    ("ticket", &["ticket", "tickets"]),
    ("transaction", &["transaction", "transactions"]),
    ("viewer", &["viewer", "viewers"]),
    ("visitor", &["visitor", "visitors"]),
    ("word", &["word", "words"]),
    ("worker", &["worker", "workers"]),
    ("shop", &["shop", "shops"]),
    ("branch", &["branch", "branches"]),
    ("warehouse", &["warehouse", "warehouses"]),
    ("vehicle", &["vehicle", "vehicles"]),
    ("bus", &["bus", "buses"]),
    ("night", &["night", "nights"]),
    ("meal", &["meal", "meals"]),
    ("bottle", &["bottle", "bottles"]),
    ("piece", &["piece", "pieces"]),
    ("pair", &["pair", "pairs"]),
    ("line", &["lines"]),
    ("point", &["points"]),
    ("order", &["orders"]),
    ("account", &["accounts"]),
    ("book", &["books"]),
    ("record", &["records"]),
    ("report", &["reports"]),
    ("review", &["reviews"]),
    ("issue", &["issues"]),
    ("version", &["versions"]),
    ("step", &["steps"]),
    ("chapter", &["chapters"]),
    ("lesson", &["lessons"]),
    ("test", &["tests"]),
    ("table", &["tables"]),
    ("room", &["rooms"]),
    ("vote", &["votes"]),
    ("class", &["classes"]),
    ("example", &["examples"]),
    ("question", &["questions"]),
    ("site", &["sites"]),
    ("store", &["stores"]),
    ("box", &["boxes"]),
    ("call", &["calls"]),
    ("country", &["countrys"]),
    ("city", &["cities"]),
    ("node", &["node", "nodes"]),
    ("replica", &["replica", "replicas"]),
];

/// Units that are told by the case of their letters from those of [`UNITS`] in the same ones:
/// `Mb` is a megabit, `MB` and `mb` are megabytes.
const CASED: &[(&str, &str)] = &[
    ("Kb", "kbit"),
    ("Mb", "Mbit"),
    ("Gb", "Gbit"),
    ("Tb", "Tbit"),
    ("kBps", "kBps"),
    ("MBps", "MBps"),
    ("GBps", "GBps"),
    ("Mm", "megametre"),
    ("Mg", "megagram"),
    ("ML", "megalitre"),
    ("Mt", "megatonne"),
    ("mW", "milliwatt"),
    ("mWh", "milliwatt hour"),
    ("mHz", "millihertz"),
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
        (?: (?<digits>{DIGITS})(?<factor>{FACTOR})? | (?<words>{words})
          | (?<half>(?-u:\b)half\ an?)
          | (?-u:\b)(?:within|after|for|least|most|lasts?|takes?)\ (?<one>an?) )
        \)?[\ -]?(?:full\ )?
        (?<unit>{units})(?-u:\b)"
    ))
    .expect("a tested pattern")
});

static PERCENTAGE: LazyLock<Regex> = LazyLock::new(|| {
    let words = number::words_pattern();
    Regex::new(&format!(
        r"(?ix) (?: (?<digits>{DIGITS}) | (?<words>{words}) )
        (?: \ ?% | \ (?:percent|per\ cent|pct)(?-u:\b) )"
    ))
    .expect("a tested pattern")
});

/// A number where a value stands (`= 5`, `is 5`), or one that is grouped and so no year or code.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?ix)
        (?: (?-u:\b)(?:is|are|was|were|equals|to)\ (?:now\ |only\ |exactly\ )? | =\ ? | (?:^|[\ (])[<>]=?\ ? | ^\s{{0,8}} )
        (?:-|minus\ |negative\ )?(?<value>{DIGITS})
        | (?<grouped>[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,6}}(?:\.[0-9]{{1,9}})?)"
    ))
    .expect("a tested pattern")
});

/// `20 C` and `5000 m`: letters that mean too much to be read without what stands around them.
static LETTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?x) (?<digits>{DIGITS}) (?: \ ?(?<degrees>[CF]) | \ (?<metre>m) )(?-u:\b)"
    ))
    .expect("a tested pattern")
});
/// Words before a number whose unit is a degree.
const WARMTH: [&str; 9] = [
    "temperature",
    "temp ",
    "oven",
    "fridge",
    "freezer",
    "heated",
    "heat",
    "cool",
    "weather",
];

/// Finds temperatures where a word says that they are, and metres at the end of a clause.
pub(super) fn lettered(scan: &mut Scan<'_>) {
    for caught in LETTER.captures_iter(scan.text()) {
        let (Some(whole), Some(number)) = (caught.get(0), caught.name("digits")) else {
            continue;
        };
        let context = scan.context_before(number.start(), 64).to_ascii_lowercase();
        let unit = match caught.name("degrees").map(|it| it.as_str()) {
            Some(_) if !WARMTH.iter().any(|it| context.contains(it)) => continue,
            Some("C") => CELSIUS,
            Some(_) => FAHRENHEIT,
            None => {
                let rest = scan.text().get(whole.end()..).unwrap_or("");
                if rest.starts_with([' ', '²', '³', '/', '-', '&', '\'']) || !starts_apart(&context)
                {
                    continue;
                }
                "metre"
            }
        };
        let minus = scan.minus_before(number.start());
        let Some(mut value) = number::from_digits(number.as_str()) else {
            continue;
        };
        if minus.is_some() {
            value = Decimal::ZERO - value;
        }
        if scan.is_whole_number(&number.range()) {
            let place = minus.unwrap_or(number.start())..whole.end();
            scan.keep(LiteralKind::Quantity, place, &canonical(value, unit));
        }
    }
}

/// Whether no currency stands before the number: `$ 5 m` are millions.
fn starts_apart(context: &str) -> bool {
    !context.trim_end().ends_with(['$', '£', '€', '¥'])
}

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
        let minus = scan.minus_before(number.start());
        if minus.is_some() {
            value = Decimal::ZERO - value;
        }
        let start = minus.unwrap_or(number.start());
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
        let number = ["digits", "words", "half", "one"]
            .iter()
            .find_map(|it| caught.name(it));
        let (Some(number), Some(written)) = (number, caught.name("unit")) else {
            continue;
        };
        let lower = written.as_str().to_ascii_lowercase();
        let cased = CASED.iter().find(|(name, _)| *name == written.as_str());
        let unit = cased.map(|(_, unit)| *unit).or_else(|| {
            let found = UNITS
                .iter()
                .find(|(_, names)| names.contains(&lower.as_str()));
            found.map(|(unit, _)| *unit)
        });
        let value = match (text("half"), text("one")) {
            (Some(_), _) => Some(Decimal::new(5, 1)),
            (None, Some(_)) => Some(Decimal::ONE),
            (None, None) => number::value(text("digits"), text("words"), text("factor")),
        };
        let (Some(unit), Some(mut value)) = (unit, value) else {
            continue;
        };
        let minus = scan.minus_before(number.start());
        if minus.is_some() {
            value = Decimal::ZERO - value;
        }
        if scan.is_whole_number(&number.range()) {
            scan.keep(
                LiteralKind::Quantity,
                minus.unwrap_or(number.start())..written.end(),
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
        let minus = scan.minus_before(number.start());
        let start = minus.unwrap_or(number.start());
        let starts = !scan
            .before(start)
            .is_some_and(|it| matches!(it, ':' | '/' | '-' | '_' | '#' | '$'));
        let at_start = scan
            .text()
            .get(..start)
            .unwrap_or("")
            .trim_matches(|it: char| it.is_whitespace() || "<>=".contains(it))
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
            let value = if minus.is_some() {
                Decimal::ZERO - value
            } else {
                value
            };
            scan.keep(
                LiteralKind::Quantity,
                start..number.end(),
                &value.normalize().to_string(),
            );
        }
    }
}

/// Units that are exact multiples of each other, largest first. A month is not 30 days, a business
/// day is no day, and what a ton is depends on who weighs.
const SCALES: &[&[(&str, i64)]] = &[
    &[
        ("day", 86_400_000),
        ("hour", 3_600_000),
        ("minute", 60_000),
        ("second", 1_000),
        ("ms", 1),
    ],
    &[("year", 12), ("month", 1)],
    &[
        ("TB", 8_000_000_000_000),
        ("GB", 8_000_000_000),
        ("MB", 8_000_000),
        ("kB", 8_000),
        ("TiB", 1 << 43),
        ("GiB", 1 << 33),
        ("MiB", 1 << 23),
        ("KiB", 1 << 13),
        ("byte", 8),
        ("bit", 1),
    ],
    &[("Gbps", 1_000_000), ("Mbps", 1_000), ("kbps", 1)],
    &[("GHz", 1_000_000), ("MHz", 1_000), ("kHz", 1)],
    &[("GW", 1_000_000), ("MW", 1_000), ("kW", 1)],
    &[("MWh", 1_000), ("kWh", 1)],
    &[
        ("tonne", 1_000_000_000),
        ("kg", 1_000_000),
        ("gram", 1_000),
        ("mg", 1),
    ],
    &[("km", 1_000_000), ("metre", 1_000), ("cm", 10), ("mm", 1)],
    &[("litre", 1_000), ("ml", 1)],
    &[("mile", 63_360), ("yard", 36), ("foot", 12), ("inch", 1)],
    &[("bcf", 1_000_000), ("mmcf", 1_000), ("mcf", 1)],
];

/// Units that are only another name for so many of one in [`SCALES`].
const MULTIPLES: &[(&str, i64, &str)] = &[
    ("week", 7, "day"),
    ("quarter", 3, "month"),
    ("decade", 10, "year"),
    ("kbit", 1_000, "bit"),
    ("Mbit", 1_000_000, "bit"),
    ("Gbit", 1_000_000_000, "bit"),
    ("Tbit", 1_000_000_000_000, "bit"),
    ("kBps", 8, "kbps"),
    ("MBps", 8, "Mbps"),
    ("GBps", 8, "Gbps"),
    ("megametre", 1_000, "km"),
    ("megagram", 1, "tonne"),
    ("megalitre", 1_000_000, "litre"),
    ("megatonne", 1_000_000, "tonne"),
];

/// The value in the largest unit of its scale in which it is whole: those conversions are exact.
fn canonical(value: Decimal, unit: &'static str) -> String {
    // `68 °F` is `20 °C`; what is no whole degree stays as it is.
    if unit == FAHRENHEIT
        && let Some(celsius) = in_celsius(value).filter(|it| it.fract().is_zero())
    {
        return format!("{} {CELSIUS}", celsius.normalize());
    }
    let multiple = MULTIPLES.iter().find(|(name, ..)| *name == unit);
    let (times, unit) = multiple.map_or((1, unit), |(_, times, of)| (*times, *of));
    let Some(value) = value.checked_mul(Decimal::from(times)) else {
        return format!("{value} {unit}");
    };
    let scale = SCALES
        .iter()
        .find_map(|scale| Some((*scale, scale.iter().find(|it| it.0 == unit)?.1)));
    let in_base = scale.and_then(|(scale, size)| Some((scale, value.checked_mul(size.into())?)));
    if let Some((scale, base)) = in_base {
        let whole = |(_, size): &&(&str, i64)| (base % Decimal::from(*size)).is_zero();
        if let Some((name, size)) = scale.iter().find(whole).filter(|_| !base.is_zero()) {
            return format!("{} {name}", (base / Decimal::from(*size)).normalize());
        }
        // Nothing is nothing in every unit; less than the smallest unit is told in that one.
        if let Some((name, size)) = scale.last() {
            return format!("{} {name}", (base / Decimal::from(*size)).normalize());
        }
    }
    format!("{} {unit}", value.normalize())
}

/// What a quantity measures: two are comparable iff it is the same. The smallest unit of its
/// scale, or its own unit; empty for a bare number.
pub(super) fn dimension(value: &str) -> &str {
    let unit = value.split_once(' ').map_or("", |(_, unit)| unit);
    if unit == FAHRENHEIT {
        return CELSIUS;
    }
    scale_of(unit)
        .and_then(<[_]>::last)
        .map_or(unit, |(name, _)| name)
}

/// What a quantity without a bound measures, and how much of it.
pub(super) fn measured(value: &str) -> Option<(String, Decimal)> {
    let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
    let number: Decimal = number.parse().ok()?;
    let number = match scale_of(unit).and_then(|it| it.iter().find(|(name, _)| *name == unit)) {
        Some((_, size)) => number.checked_mul(Decimal::from(*size))?,
        None if unit == FAHRENHEIT => in_celsius(number)?,
        None => number,
    };
    Some((dimension(value).to_owned(), number))
}

fn scale_of(unit: &str) -> Option<&'static [(&'static str, i64)]> {
    let mut scales = SCALES.iter();
    let found = scales.find(|scale| scale.iter().any(|(name, _)| *name == unit));
    found.copied()
}

const CELSIUS: &str = "°C";
const FAHRENHEIT: &str = "°F";

/// A temperature in degrees Celsius.
fn in_celsius(fahrenheit: Decimal) -> Option<Decimal> {
    let above = fahrenheit.checked_sub(Decimal::from(32))?;
    above
        .checked_mul(Decimal::from(5))?
        .checked_div(Decimal::from(9))
}
