//! How much, how often and when: the budget of calls, the places of those under way, and the wait
//! before another attempt.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

use immune_model::limits;

/// How many calls were sent, and how many may be.
#[derive(Debug)]
pub(crate) struct Budget {
    most: Option<u64>,
    sent: AtomicU64,
}

impl Budget {
    pub(crate) fn new(most: Option<u64>) -> Self {
        Self {
            most,
            sent: AtomicU64::new(0),
        }
    }

    /// Takes one call; the budget where none is left.
    pub(crate) fn take(&self) -> Result<(), u64> {
        let most = self.most.unwrap_or(u64::MAX);
        let order = Ordering::Relaxed;
        let taken = self
            .sent
            .fetch_update(order, order, |it| (it < most).then(|| it + 1));
        taken.map(drop).map_err(|_| most)
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub(crate) fn left(&self) -> Option<u64> {
        Some(self.most?.saturating_sub(self.sent()))
    }
}

/// Places for calls that are under way.
#[derive(Debug)]
pub(crate) struct Places {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Places {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            free: Mutex::new(n.max(1)),
            changed: Condvar::new(),
        }
    }

    /// Waits for a place, and gives it back at the end of the guard.
    pub(crate) fn take(&self) -> Place<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.changed.wait_while(free, |it| *it == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Place(self)
    }
}

/// A place that is taken.
#[derive(Debug)]
pub(crate) struct Place<'a>(&'a Places);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let free = self.0.free.lock();
        *free.unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}

/// The wait before the attempt after this one, where the endpoint names none.
pub(crate) fn backoff(attempt: u32) -> Duration {
    Duration::from_millis(limits::MODEL_BACKOFF_MILLISECONDS << attempt.min(10))
}

/// Lets time pass.
pub(crate) fn pause(time: Duration) {
    let (_nobody, wake) = mpsc::channel::<()>();
    // Nobody wakes it: the deadline does.
    let _ = wake.recv_timeout(time);
}

/// What `Retry-After` asks for: seconds, or a date, which counts from the date of the answer.
pub(crate) fn asked_wait(header: &str, answered: Option<&str>) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |word: &str| {
        let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(word.trim());
        date.ok().map(jiff::Timestamp::as_second)
    };
    let seconds = date(header)?.saturating_sub(date(answered?)?);
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_budget_is_never_overdrawn() {
        let budget = Arc::new(Budget::new(Some(100)));
        let takers = (0..4).map(|_| {
            let budget = Arc::clone(&budget);
            std::thread::spawn(move || (0..50).filter(|_| budget.take().is_ok()).count())
        });
        let takers: Vec<_> = takers.collect();
        let taken: usize = takers.into_iter().map(|it| it.join().unwrap()).sum();
        assert_eq!(
            (taken, budget.left(), budget.take()),
            (100, Some(0), Err(100))
        );
        assert_eq!(Budget::new(None).left(), None);
    }

    #[test]
    fn no_more_are_under_way_than_there_are_places() {
        let places = Arc::new(Places::new(2));
        let (now, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let threads = (0..8).map(|_| {
            let (places, now, most) = (Arc::clone(&places), Arc::clone(&now), Arc::clone(&most));
            std::thread::spawn(move || {
                for _ in 0..100 {
                    let place = places.take();
                    let here = now.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(here, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                    drop(place);
                }
            })
        });
        for thread in threads.collect::<Vec<_>>() {
            thread.join().unwrap();
        }
        assert!(most.load(Ordering::SeqCst) <= 2);
    }

    #[test]
    fn a_wait_is_asked_for_in_seconds_or_by_a_date() {
        let answered = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        for (header, answered, seconds) in [
            ("7", answered, Some(7)),
            (" 0 ", None, Some(0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", answered, Some(10)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", answered, Some(0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", None, None),
            ("soon", answered, None),
            ("-1", answered, None),
            ("", answered, None),
        ] {
            let found = asked_wait(header, answered).map(|it| it.as_secs());
            assert_eq!(found, seconds, "{header}");
        }
    }
}
