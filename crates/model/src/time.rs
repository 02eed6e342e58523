//! Time: an instant is handed in by a clock or read from content, never taken here.

use std::fmt;
use std::str::FromStr;

/// A moment in UTC, in whole microseconds since 1970; the only notion of time in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

/// Text that is no moment, or one outside the years -9999..=9999.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no time with a zone; write one like `2026-08-13T13:30:00Z`")]
pub struct InstantError {
    /// The text as it was given.
    pub word: String,
}

impl Instant {
    /// The moment this many microseconds after 1970-01-01T00:00:00Z, if it is a date at all.
    pub fn from_micros(micros: i64) -> Option<Self> {
        jiff::Timestamp::from_microsecond(micros)
            .ok()
            .map(|_| Self(micros))
    }

    /// The moment this many seconds after 1970-01-01T00:00:00Z, if it is a date at all.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        seconds.checked_mul(1_000_000).and_then(Self::from_micros)
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// The moment `seconds` later, or the last representable one.
    pub fn plus_seconds(self, seconds: u32) -> Self {
        Self::from_micros(self.0.saturating_add(i64::from(seconds) * 1_000_000)).unwrap_or(self)
    }

    fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).expect("the constructor checked the range")
    }
}

impl fmt::Display for Instant {
    /// RFC 3339 in UTC: `2026-08-13T13:30:00Z`, with a fraction only where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timestamp().fmt(f)
    }
}

impl FromStr for Instant {
    type Err = InstantError;

    fn from_str(word: &str) -> Result<Self, InstantError> {
        let timestamp: jiff::Timestamp = word.parse().map_err(|_| InstantError {
            word: word.to_owned(),
        })?;
        Ok(Self(timestamp.as_microsecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zoned_time_is_kept_in_utc() {
        let instant: Instant = "2025-07-25T02:00:00+02:00".parse().unwrap();
        assert_eq!(instant.to_string(), "2025-07-25T00:00:00Z");
        assert_eq!(instant.plus_seconds(61).to_string(), "2025-07-25T00:01:01Z");
    }

    #[test]
    fn a_time_without_a_zone_is_refused() {
        for word in [
            "2025-07-25T02:00:00",
            "yesterday",
            "",
            "2025-13-01T00:00:00Z",
        ] {
            assert!(word.parse::<Instant>().is_err(), "{word}");
        }
        assert_eq!(Instant::from_micros(i64::MAX), None);
    }
}
