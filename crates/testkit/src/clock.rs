//! A clock and keys that repeat, so that a test does.

use std::sync::atomic::{AtomicI64, Ordering};

use immune_model::Instant;

/// A clock that stands still until it is told to move.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows this time.
    pub fn at(time: &str) -> Self {
        let instant: Instant = time.parse().expect("tests write times as RFC 3339");
        Self(AtomicI64::new(instant.micros()))
    }

    /// The time it shows.
    pub fn shown(&self) -> Instant {
        Instant::from_micros(self.0.load(Ordering::SeqCst)).expect("it was set to a time")
    }

    /// Moves it on.
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

/// Fills keys with bytes that anybody can guess, so that a test repeats itself.
pub fn fill_the_same(bytes: &mut [u8]) {
    bytes.fill(7);
}
