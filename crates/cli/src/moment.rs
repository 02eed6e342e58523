//! Times and durations as people write them.

use std::num::NonZeroU32;

use immune_api::Code;
use immune_model::Instant;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::escape;
use crate::failure::Failure;

/// A time: `2026-08-13T13:30:00Z`, with any zone; a date alone is its midnight in UTC.
pub(crate) fn time(word: &str) -> Result<Instant, Failure> {
    let word = word.trim();
    immune_engine::time_of(word).ok_or_else(|| {
        let shown = escape::line(word);
        let message = format!("`{shown}` is no time with a zone");
        Failure::new(Code::InvalidTime, message)
            .hint("write one like `2026-08-13T13:30:00Z`, or a date for its midnight in UTC")
    })
}

/// The moment a duration after another: `30d`, `2h 30m`, `P1Y`. Days are days of UTC.
pub(crate) fn after(now: Instant, word: &str) -> Result<Instant, Failure> {
    shifted(now, word, Direction::After)
}

/// The moment a duration before another.
pub(crate) fn before(now: Instant, word: &str) -> Result<Instant, Failure> {
    shifted(now, word, Direction::Before)
}

/// A duration in whole seconds: `30d`, `12h`.
pub(crate) fn seconds(word: &str) -> Result<NonZeroU32, Failure> {
    let epoch = Instant::from_seconds(0).expect("the epoch is a date");
    let end = after(epoch, word)?.micros();
    let seconds = u32::try_from(end / 1_000_000).ok();
    seconds.and_then(NonZeroU32::new).ok_or_else(|| {
        let shown = escape::line(word);
        let message = format!("`{shown}` is no duration from a second to a hundred years");
        Failure::new(Code::InvalidTime, message).hint("write a duration like `30d` or `12h`")
    })
}

/// A duration as [`seconds`] reads it, in its largest whole unit.
pub(crate) fn span(seconds: u32) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "m")];
    let whole = units
        .into_iter()
        .find(|(unit, _)| seconds.is_multiple_of(*unit));
    let (unit, name) = whole.unwrap_or((1, "s"));
    format!("{}{name}", seconds / unit)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    After,
    Before,
}

fn shifted(now: Instant, word: &str, direction: Direction) -> Result<Instant, Failure> {
    let shown = escape::line(word);
    let refused = |message: String| {
        Failure::new(Code::InvalidTime, message)
            .hint("write a duration like `30d`, `2h 30m` or `90s`")
    };
    let span: Span = word
        .trim()
        .parse()
        .map_err(|_| refused(format!("`{shown}` is no duration")))?;
    if span.is_zero() || span.is_negative() {
        return Err(refused(format!("`{shown}` is not above zero")));
    }
    let too_long = || refused(format!("`{shown}` leads out of the calendar"));
    let start = Timestamp::from_microsecond(now.micros()).map_err(|_| too_long())?;
    let start = start.to_zoned_datetime(TimeZone::UTC);
    let end = match direction {
        Direction::After => start.checked_add(span),
        Direction::Before => start.checked_sub(span),
    };
    let end = end.map_err(|_| too_long())?;
    Instant::from_micros(end.timestamp().as_microsecond()).ok_or_else(too_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(word: &str) -> Instant {
        time(word).unwrap()
    }

    #[test]
    fn a_time_has_a_zone_or_is_a_date() {
        assert_eq!(
            instant("2025-07-25T02:00:00+02:00"),
            instant("2025-07-25T00:00:00Z")
        );
        assert_eq!(instant("2025-07-25"), instant("2025-07-25T00:00:00Z"));
        for word in [
            "2025-07-25T02:00:00",
            "tomorrow",
            "",
            "2025-02-30",
            "20250725",
        ] {
            assert!(time(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_span_is_read_as_it_is_written() {
        for (word, count) in [
            ("30d", 2_592_000),
            ("12h", 43_200),
            ("90s", 90),
            ("5m", 300),
        ] {
            let read = seconds(word).unwrap().get();
            assert_eq!((read, span(read).as_str()), (count, word));
        }
        for word in ["0.5s", "200y", "-1d", "soon"] {
            assert!(seconds(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_duration_is_counted_in_utc() {
        let now = instant("2024-02-28T12:00:00Z");
        assert_eq!(after(now, "30d").unwrap(), instant("2024-03-29T12:00:00Z"));
        assert_eq!(
            after(now, "1h 30m").unwrap(),
            instant("2024-02-28T13:30:00Z")
        );
        assert_eq!(after(now, "P1M").unwrap(), instant("2024-03-28T12:00:00Z"));
        assert_eq!(before(now, "1d").unwrap(), instant("2024-02-27T12:00:00Z"));
        for word in ["30", "-1d", "0s", "soon", "100000y"] {
            assert!(after(now, word).is_err(), "{word}");
        }
    }
}
