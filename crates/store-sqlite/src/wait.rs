//! Waiting for other writers: short, uneven pauses up to a deadline.
//!
//! SQLite's own busy handler is off: it pauses for up to 100 ms at a time, and several processes
//! that pause alike wake alike.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use immune_store::StoreError;

use crate::failure::Failure;

/// The first pause between two attempts.
const PAUSE_MIN: Duration = Duration::from_micros(100);
/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_millis(8);

/// When a call gives up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    timeout: Duration,
    until: Option<Instant>,
}

impl Deadline {
    /// This long from now; never, if that is past the end of time.
    pub(crate) fn after(timeout: Duration) -> Self {
        Self {
            timeout,
            until: Instant::now().checked_add(timeout),
        }
    }

    /// The whole time limit, in seconds, rounded up.
    pub(crate) fn seconds(self) -> u64 {
        self.timeout.as_secs() + u64::from(self.timeout.subsec_nanos() > 0)
    }

    /// How long is left; nothing once it is past.
    pub(crate) fn left(self) -> Option<Duration> {
        let Some(until) = self.until else {
            return Some(Duration::MAX);
        };
        until
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
    }

    /// The error of a call that gives up.
    pub(crate) fn busy(self) -> StoreError {
        StoreError::Busy {
            seconds: self.seconds(),
        }
    }

    /// Tries until it is done or the deadline is past. At least one attempt is made.
    pub(crate) fn wait_until(self, mut is_done: impl FnMut() -> bool) -> Result<(), StoreError> {
        let mut pause = PAUSE_MIN;
        while !is_done() {
            let left = self.left().ok_or_else(|| self.busy())?;
            std::thread::park_timeout(uneven(pause).min(left));
            pause = (pause * 2).min(PAUSE_MAX);
        }
        Ok(())
    }

    /// What `attempt` answers, tried until the file is not busy or the deadline is past. At least
    /// one attempt is made.
    pub(crate) fn wait_for<T>(
        self,
        operation: &'static str,
        mut attempt: impl FnMut() -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let mut pause = PAUSE_MIN;
        loop {
            let failure = match attempt() {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let left = self.left().filter(|_| failure.is_busy());
            let Some(left) = left else {
                return Err(failure.into_store_error(operation, self.seconds()));
            };
            std::thread::park_timeout(uneven(pause).min(left));
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}

/// Between a half of the pause and all of it, so that no two waiters keep step.
fn uneven(pause: Duration) -> Duration {
    let half = pause / 2;
    let parts = RandomState::new().hash_one(pause) % 1024;
    half + half * u32::try_from(parts).unwrap_or(0) / 1024
}
