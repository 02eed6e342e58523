//! The clock is handed in: the same log and the same clock give the same memory.

use immune_model::Instant;

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The time now, in UTC.
    fn now(&self) -> Instant;
}

/// The clock of the machine. The only place of the product that reads it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that all others are handed"
    )]
    fn now(&self) -> Instant {
        let since_1970 = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        let micros = i64::try_from(since_1970.as_micros()).unwrap_or(0);
        Instant::from_micros(micros).expect("the machine's clock is within the years of jiff")
    }
}
