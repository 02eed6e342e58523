//! Dates, moments and times of the day, read by `jiff`. A year is never invented: a day without one
//! is `--05-15`, and agrees with that day of any year.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use immune_model::LiteralKind;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
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

/// `May 15`, `15th of May`, where no year follows; `May` in small letters may be a verb.
static YEARLESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?-u:\b){MONTH}\.?\ (?<day>[0-9]{{1,2}})(?<suffix>st|nd|rd|th)?(?-u:\b)
        | (?-u:\b)(?<day2>[0-9]{{1,2}})(?<suffix2>st|nd|rd|th)?(?:\ of)?\ (?<month2>{})\.?(?-u:\b)
        | --(?<month3>[0-9]{{2}})-(?<day3>[0-9]{{2}})",
        MONTH.trim_start_matches("(?<month>").trim_end_matches(')')
    ))
});
/// `May 2001`, `2001-05`.
static DAYLESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?-u:\b){MONTH}\.?,?\ (?:of\ )?(?<year>(?:19|20)[0-9]{{2}})(?-u:\b)
        | (?-u:\b)(?<y>(?:19|20)[0-9]{{2}})-(?<m>0[1-9]|1[0-2])(?-u:\b)"
    ))
});
/// `3 pm`, `3:30 p.m.`, `15:30`, `noon`, `T15:30`.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?: (?<lead>(?-u:\b)(?:at|by|from|until|till|to|before|after|is|between|and|around|now)\ |@\ ?|T)?
            (?<hour>[0-9]{1,2})(?:[:.](?<minute>[0-9]{2}))?(?::(?<second>[0-9]{2}))?
            (?:\ ?(?<half>a\.?m|p\.?m)(?-u:\b)\.?|\ ?(?<clock>h|hrs|o'clock)(?-u:\b))?
        | (?-u:\b)(?<named>noon|midnight)(?-u:\b) )
        (?:\ (?<zone>UTC|GMT|E[SD]T|C[SD]T|M[SD]T|P[SD]T|CET|CEST|BST|IST|JST)(?-u:\b))?",
    )
});

fn pattern(source: &str) -> Regex {
    Regex::new(&format!("(?ix) {source}")).expect("a tested pattern")
}

/// Reads what a pattern caught as a date, if it is one.
type Reader = fn(&Captures<'_>) -> Option<String>;

/// Finds dates.
pub(super) fn dates(scan: &mut Scan<'_>) {
    let readers: [(&Regex, Reader); 7] = [
        (&ISO, iso),
        (&NUMERIC, numeric),
        (&MONTH_FIRST, named),
        (&DAY_FIRST, named),
        (&YEARLESS, yearless),
        (&DAYLESS, dayless),
        (&TIME, time),
    ];
    for (pattern, read) in readers {
        for caught in pattern.captures_iter(scan.text()) {
            let Some(place) = caught.get(0).map(|it| it.range()) else {
                continue;
            };
            // What leads to a time is no part of it.
            let lead = caught.name("lead").filter(|it| it.as_str() != "T");
            let place = lead.map_or(place.start, |it| it.end())..place.end;
            let joins = |it: char| it.is_alphanumeric() || matches!(it, '/' | '_');
            let joined = (lead.is_none()
                && scan
                    .before(place.start)
                    .is_some_and(|it| joins(it) || matches!(it, '-' | '.')))
                || scan
                    .after(place.end)
                    .is_some_and(|it| joins(it) || matches!(it, '%' | ':'));
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
    let date = if !part("a").is_empty() {
        return either(part("a"), part("b"), part("c"));
    } else if !part("y").is_empty() {
        let date = format!("{}/{}/{}", part("y"), part("m"), part("d"));
        Date::strptime("%Y/%m/%d", date)
    } else if !part("day").is_empty() {
        let date = format!("{}/{}/{}", part("day"), part("mon"), part("year"));
        Date::strptime("%d/%m/%Y", date)
    } else {
        return either(part("e"), part("f"), part("g"));
    };
    date.ok().map(|it| it.to_string())
}

/// A day in figures. Where both of the first two may be the month it stays as it is: nobody can
/// know which day is meant.
fn either(first: &str, second: &str, year: &str) -> Option<String> {
    let format = if year.len() == 4 { "%Y" } else { "%y" };
    let date = format!("{first}/{second}/{year}");
    let of = |order: &str| Date::strptime(format!("{order}/{format}"), &date).ok();
    match (of("%m/%d"), of("%d/%m")) {
        (Some(us), Some(other)) if us != other => Some(us.strftime("%m/%d/%Y").to_string()),
        (us, other) => us.or(other).map(|it| it.to_string()),
    }
}

/// The days that a set may mean, in each of the two orders: who writes one order writes it always.
fn readings(dates: &BTreeSet<&str>) -> Vec<BTreeSet<String>> {
    let read = |day_first: bool| -> BTreeSet<String> {
        let all = dates
            .iter()
            .map(|it| match it.split('/').collect::<Vec<_>>()[..] {
                [day, month, year] if day_first => format!("{year}-{month}-{day}"),
                [month, day, year] => format!("{year}-{month}-{day}"),
                _ => (*it).to_owned(),
            });
        all.collect()
    };
    let mut all = vec![read(false), read(true)];
    all.dedup();
    all
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

/// A day of any year: `--05-15`.
fn yearless(caught: &Captures<'_>) -> Option<String> {
    let part = |name: &str| part(caught, name);
    if !part("month3").is_empty() {
        let date = format!("2000-{}-{}", part("month3"), part("day3"));
        let date: Date = date.parse().ok()?;
        return Some(format!("--{:02}-{:02}", date.month(), date.day()));
    }
    let month = format!("{}{}", part("month"), part("month2"));
    let suffixed = !part("suffix").is_empty() || !part("suffix2").is_empty();
    if month.starts_with("may") && !suffixed {
        return None;
    }
    let day = format!("{}{}", part("day"), part("day2"));
    // A leap year has every day that there is.
    let date = format!("{day} {} 2000", month.get(..3)?);
    let date = Date::strptime("%d %b %Y", date).ok()?;
    Some(format!("--{:02}-{:02}", date.month(), date.day()))
}

/// A month of a year: `2001-05`.
fn dayless(caught: &Captures<'_>) -> Option<String> {
    let part = |name: &str| part(caught, name);
    if !part("y").is_empty() {
        return Some(format!("{}-{}", part("y"), part("m")));
    }
    let date = format!("1 {} {}", part("month").get(..3)?, part("year"));
    let date = Date::strptime("%d %b %Y", date).ok()?;
    Some(format!("{:04}-{:02}", date.year(), date.month()))
}

/// A time of any day: `T15:30`, with the zone that is named.
fn time(caught: &Captures<'_>) -> Option<String> {
    let part = |name: &str| part(caught, name);
    let number = |text: &str| -> Option<i8> { text.parse().ok() };
    let zone = part("zone").to_ascii_uppercase();
    let zone = if zone.is_empty() {
        zone
    } else {
        format!(" {zone}")
    };
    if !part("named").is_empty() {
        let hour = if part("named").eq_ignore_ascii_case("noon") {
            12
        } else {
            0
        };
        return Some(format!("T{hour:02}:00{zone}"));
    }
    let mut hour = number(part("hour"))?;
    let (minutes, seconds) = (part("minute"), part("second"));
    let minute = number(if minutes.is_empty() { "0" } else { minutes })?;
    let second = number(if seconds.is_empty() { "0" } else { seconds })?;
    let whole = caught.get(0).map_or("", |it| it.as_str());
    if let Some(half) = part("half").chars().next() {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12
            + if half.eq_ignore_ascii_case(&'p') {
                12
            } else {
                0
            };
    } else {
        // `3:16` alone may be a score or a verse, and `3.16` is a number.
        let told = part("lead").trim().len() > 1 || part("hour").len() == 2;
        let clock = part("clock").eq_ignore_ascii_case("o'clock");
        if !(clock || (told && minutes.len() == 2 && whole.contains(':'))) {
            return None;
        }
    }
    let time = Time::new(hour, minute, second, 0).ok()?;
    let shown = if second == 0 {
        format!("T{:02}:{:02}", time.hour(), time.minute())
    } else {
        format!("T{:02}:{:02}:{second:02}", time.hour(), time.minute())
    };
    Some(format!("{shown}{zone}"))
}

/// What two sets of dates say of each other; each side may be less precise than the other.
pub(super) fn disagree(ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> Option<bool> {
    if ours == theirs {
        return Some(false);
    }
    let theirs = readings(theirs);
    let mut found = Vec::new();
    for ours in readings(ours) {
        let ours = ours.iter().map(String::as_str).collect();
        for theirs in &theirs {
            let theirs = theirs.iter().map(String::as_str).collect();
            found.push(disagree_read(&ours, &theirs));
        }
    }
    // Where the readings tell different things nothing is decided.
    found.dedup();
    match found[..] {
        [one] => one,
        _ => None,
    }
}

fn disagree_read(ours: &BTreeSet<&str>, theirs: &BTreeSet<&str>) -> Option<bool> {
    let (ours, theirs) = (Days::of(ours), Days::of(theirs));
    let mut compared = false;
    let mut differ = false;
    let mut compare = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| {
        if !a.is_empty() && !b.is_empty() {
            compared = true;
            differ |= a != b;
        }
    };
    compare(&ours.moments, &theirs.moments);
    let zoned = |it: &Days<'_>| it.times.iter().all(|it| it.contains(' '));
    if zoned(&ours) && zoned(&theirs) {
        compare(&ours.times, &theirs.times);
    } else {
        compare(&ours.times_of_day(), &theirs.times_of_day());
    }
    let without_year = !ours.yearless.is_empty() || !theirs.yearless.is_empty();
    let (a, b) = (ours.any_day(), theirs.any_day());
    if without_year && !a.is_empty() && !b.is_empty() {
        compare(&a, &b);
    } else if !ours.full.is_empty() && !theirs.full.is_empty() {
        compare(&ours.full, &theirs.full);
    } else {
        compare(&ours.any_month(), &theirs.any_month());
    }
    compared.then_some(differ)
}

/// Dates by what is said of them.
#[derive(Default)]
struct Days<'t> {
    times: BTreeSet<&'t str>,
    moments: BTreeSet<&'t str>,
    full: BTreeSet<&'t str>,
    yearless: BTreeSet<&'t str>,
    months: BTreeSet<&'t str>,
}

impl<'t> Days<'t> {
    fn of(dates: &BTreeSet<&'t str>) -> Self {
        let mut days = Self::default();
        for date in dates {
            if let Some(day) = date.strip_prefix("--") {
                days.yearless.insert(day);
            } else if let Some(time) = date.strip_prefix('T') {
                days.times.insert(time);
            } else if date.len() == "2001-05".len() {
                days.months.insert(date);
            } else {
                let (day, time) = date.split_once('T').unwrap_or((date, ""));
                if time.ends_with('Z') {
                    days.moments.insert(date);
                    continue;
                }
                days.full.insert(day);
                if !time.is_empty() {
                    days.times.insert(time.strip_suffix(":00").unwrap_or(time));
                }
            }
        }
        days
    }

    /// The times without their zones.
    fn times_of_day(&self) -> BTreeSet<&'t str> {
        let times = self.times.iter();
        times.filter_map(|it| it.split(' ').next()).collect()
    }

    /// Month and day of every day.
    fn any_day(&self) -> BTreeSet<&'t str> {
        let full = self.full.iter().filter_map(|it| it.get("2001-".len()..));
        full.chain(self.yearless.iter().copied()).collect()
    }

    /// Year and month of everything that has a year.
    fn any_month(&self) -> BTreeSet<&'t str> {
        let full = self.full.iter().filter_map(|it| it.get(.."2001-05".len()));
        full.chain(self.months.iter().copied()).collect()
    }
}
