//! When something was sent: only what is written with a zone is a moment.

use immune_model::Instant;
use jiff::fmt::rfc2822::DateTimeParser;

/// The moment that a date stands for: RFC 2822, RFC 3339, or seconds or milliseconds since 1970.
/// A date without a zone, or none at all, is no moment.
pub(crate) fn parse(date: &str) -> Option<Instant> {
    let date = date.trim();
    if let Ok(instant) = date.parse() {
        return Some(instant);
    }
    if date.bytes().all(|it| it.is_ascii_digit()) {
        let number: i64 = date.parse().ok()?;
        return match date.len() {
            9 | 10 => Instant::from_seconds(number),
            12 | 13 => number.checked_mul(1000).and_then(Instant::from_micros),
            _ => None,
        };
    }
    let unfolded: Vec<&str> = date.split_whitespace().collect();
    let timestamp = DateTimeParser::new()
        .relaxed_weekday(true)
        .parse_timestamp(unfolded.join(" "))
        .ok()?;
    Instant::from_micros(timestamp.as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_needs_a_zone() {
        let shown = |date: &str| parse(date).map(|it| it.to_string());
        let moment = Some("2001-05-15T08:27:00Z".to_owned());
        assert_eq!(shown("Tue, 15 May 2001 10:27:00 +0200"), moment);
        assert_eq!(shown("15 May 2001 08:27 GMT"), moment);
        assert_eq!(shown("Tue, 15 May 2001\r\n 03:27:00 -0500 (CDT)"), moment);
        assert_eq!(shown("2001-05-15T10:27:00+02:00"), moment);
        assert_eq!(shown("989915220"), moment);
        assert_eq!(shown("989915220000"), moment);
        for date in [
            "",
            "yesterday",
            "2001-05-15T10:27:00",
            "2001-05-15",
            "Tue, 15 May 2001 10:27:00",
            "5",
        ] {
            assert_eq!(parse(date), None, "{date}");
        }
    }
}
