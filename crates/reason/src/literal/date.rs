//! Dates and moments, read by `jiff`. A date without a year is no date here: none is invented.

use std::sync::LazyLock;

use immune_model::LiteralKind;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use regex::{Captures, Regex};

use super::scan::Scan;

const MONTH: &str = "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/// `2001-01-09`, `2001-01-09T10:27:00Z`, `2001-01-09 10:27`.
static ISO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?<date>[0-9]{4}-[0-9]{2}-[0-9]{2})
        (?<time>[T\ ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)?
        (?<zone>Z|[+-][0-9]{2}:?[0-9]{2})?",
    )
});
/// `01/09/2001`, `2/1/01`, `2001/01/09`, `9.1.2001`, `01-09-2001`.
static NUMERIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?<a>[0-9]{1,2})/(?<b>[0-9]{1,2})/(?<c>[0-9]{4}|[0-9]{2})
        | (?<y>[0-9]{4})/(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})
        | (?<day>[0-9]{1,2})\.(?<mon>[0-9]{1,2})\.(?<year>[0-9]{4})
        | (?<e>[0-9]{1,2})-(?<f>[0-9]{1,2})-(?<g>[0-9]{4})",
    )
});
/// `May 15, 2001`, `Sept. 3rd 2001`.
static MONTH_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?-u:\b){MONTH}\.?\ (?<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\ (?<year>[0-9]{{4}})"
    ))
});
/// `15 May 2001`, `15th of May, 2001`, `15-May-01`.
static DAY_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?<day>[0-9]{{1,2}})(?:
            (?:st|nd|rd|th)?(?:\ of)?\ {MONTH}\.?,?\ (?<year>[0-9]{{4}})
          | -(?<month2>[a-z]{{3}})-(?<year2>[0-9]{{4}}|[0-9]{{2}}) )"
    ))
});

fn pattern(source: &str) -> Regex {
    Regex::new(&format!("(?ix) {source}")).expect("a tested pattern")
}

/// Reads what a pattern caught as a date, if it is one.
type Reader = fn(&Captures<'_>) -> Option<String>;

/// Finds dates.
pub(super) fn dates(scan: &mut Scan<'_>) {
    let readers: [(&Regex, Reader); 4] = [
        (&ISO, iso),
        (&NUMERIC, numeric),
        (&MONTH_FIRST, named),
        (&DAY_FIRST, named),
    ];
    for (pattern, read) in readers {
        for caught in pattern.captures_iter(scan.text()) {
            let Some(place) = caught.get(0).map(|it| it.range()) else {
                continue;
            };
            let joins = |it: char| it.is_alphanumeric() || matches!(it, '/' | '_');
            let joined = scan
                .before(place.start)
                .is_some_and(|it| joins(it) || matches!(it, '-' | '.'))
                || scan.after(place.end).is_some_and(joins);
            if joined || !scan.is_whole_number(&place) {
                continue;
            }
            if let Some(value) = read(&caught) {
                scan.keep(LiteralKind::Date, place, &value);
            }
        }
    }
}

fn part<'c>(caught: &'c Captures<'_>, name: &str) -> &'c str {
    caught.name(name).map_or("", |it| it.as_str())
}

fn iso(caught: &Captures<'_>) -> Option<String> {
    let (date, time, zone) = (
        part(caught, "date"),
        part(caught, "time"),
        part(caught, "zone"),
    );
    if time.is_empty() {
        let date: Date = date.parse().ok()?;
        return zone.is_empty().then(|| date.to_string());
    }
    if zone.is_empty() {
        let moment: DateTime = format!("{date}{time}").parse().ok()?;
        return Some(moment.to_string());
    }
    let moment: Timestamp = format!("{date}{time}{zone}").parse().ok()?;
    Some(moment.to_string())
}

fn numeric(caught: &Captures<'_>) -> Option<String> {
    let part = |name: &str| part(caught, name);
    let us = |date: String, year: &str| {
        // US order; the other one only where the first number cannot be a month.
        Date::strptime(format!("%m/%d/{year}"), &date)
            .or_else(|_| Date::strptime(format!("%d/%m/{year}"), &date))
    };
    let date = if !part("a").is_empty() {
        let year = if part("c").len() == 4 { "%Y" } else { "%y" };
        us(format!("{}/{}/{}", part("a"), part("b"), part("c")), year)
    } else if !part("y").is_empty() {
        let date = format!("{}/{}/{}", part("y"), part("m"), part("d"));
        Date::strptime("%Y/%m/%d", date)
    } else if !part("day").is_empty() {
        let date = format!("{}/{}/{}", part("day"), part("mon"), part("year"));
        Date::strptime("%d/%m/%Y", date)
    } else {
        us(format!("{}/{}/{}", part("e"), part("f"), part("g")), "%Y")
    };
    date.ok().map(|it| it.to_string())
}

fn named(caught: &Captures<'_>) -> Option<String> {
    let month = format!("{}{}", part(caught, "month"), part(caught, "month2"));
    let year = format!("{}{}", part(caught, "year"), part(caught, "year2"));
    // `jiff` knows the three-letter names; every longer form starts with its own.
    let month = month.get(..3)?;
    let year_format = if year.len() == 4 { "%Y" } else { "%y" };
    let date = format!("{} {month} {year}", part(caught, "day"));
    Date::strptime(format!("%d %b {year_format}"), date)
        .ok()
        .map(|it| it.to_string())
}
