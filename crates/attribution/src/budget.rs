//! How many calls may be made: the one place that counts them against what is allowed.
//!
//! Invariant: what is handed out to be asked never passes the budget, however many looks share it.

use crate::Subset;

/// The calls that were made, of those that may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    calls_max: Option<usize>,
    calls: usize,
}

impl Budget {
    /// So many calls at most, of which so many were made; no limit without.
    pub(crate) fn new(calls_max: Option<usize>, calls: usize) -> Self {
        Self { calls_max, calls }
    }

    /// Those of these questions that may be asked, which count as asked from now on; and whether
    /// that is all of them.
    pub(crate) fn take<'s>(&mut self, shown: &'s [Subset]) -> (&'s [Subset], bool) {
        let left = self.calls_max.map(|it| it.saturating_sub(self.calls));
        let within = left.unwrap_or(shown.len()).min(shown.len());
        self.calls += within;
        let now = shown.get(..within).unwrap_or(shown);
        (now, within == shown.len())
    }

    /// The calls that were made.
    pub(crate) fn calls(self) -> usize {
        self.calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_hands_out_no_more_than_it_has_and_one_without_a_limit_everything() {
        let shown = vec![Subset::none(3); 4];
        let mut budget = Budget::new(Some(6), 1);
        for (expected, is_all) in [(4, true), (1, false), (0, false)] {
            let (now, all) = budget.take(&shown);
            assert_eq!((now.len(), all), (expected, is_all));
        }
        assert_eq!((budget.calls(), budget.take(&[])), (6, (&[][..], true)));
        let (now, all) = Budget::new(None, 9).take(&shown);
        assert_eq!((now.len(), all), (4, true));
    }
}
