//! The other culprits, once one is known and how they act: each one next to those known, until
//! nobody is left.

use std::ops::Range;

use super::{FEW, LIGHT, Line, aim, nearest};
use crate::{Oracle, Subset, Why};

/// Those among whom the other culprits are, counted from the first one on, away from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Others {
    /// Whether each acts alone, so that they are behind the first one; else they are ahead of it.
    pub(super) is_alone: bool,
    first: usize,
    len: usize,
}

impl Others {
    /// Those behind a position of `n`.
    pub(super) fn behind(first: usize, n: usize) -> Self {
        Self {
            is_alone: true,
            first,
            len: n - first - 1,
        }
    }

    /// Those ahead of a position.
    pub(super) fn ahead_of(first: usize) -> Self {
        Self {
            is_alone: false,
            first,
            len: first,
        }
    }

    /// Where in the line one of them is.
    fn position(self, at: usize) -> usize {
        if self.is_alone {
            self.first + 1 + at
        } else {
            self.first - 1 - at
        }
    }
}

/// Those among whom the others are, and where the second one is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Second {
    pub(super) others: Others,
    pub(super) low: usize,
    pub(super) high: usize,
}

impl Second {
    /// Any one of them.
    pub(super) fn any_of(others: Others) -> Self {
        Self {
            others,
            low: 0,
            high: others.len,
        }
    }
}

/// Where the next one is.
#[derive(Debug, Clone, Copy)]
struct Within {
    low: usize,
    high: usize,
    /// From `high` to here, there may be others; from here on, there is nobody.
    open: usize,
}

impl<O: Oracle> Line<'_, '_, '_, O> {
    /// The positions of all culprits, where the second one is from `low` on and before `high`.
    pub(super) fn gather(&mut self, second: Second) -> Result<Vec<usize>, Why<O::Error>> {
        let Second { others, low, high } = second;
        let mut found = vec![others.first];
        let open = others.len;
        let mut within = Some(Within { low, high, open });
        while let Some(known) = within {
            let (next, open) = self.next(others, &found, known)?;
            found.push(others.position(next));
            self.write_down(others, &found);
            within = self.another(others, &found, next + 1, open)?;
        }
        Ok(found)
    }

    /// Whether there is another one from `low` on and before `open`, and where.
    fn another(
        &mut self,
        others: Others,
        found: &[usize],
        mut low: usize,
        open: usize,
    ) -> Result<Option<Within>, Why<O::Error>> {
        while low < open {
            let more = self.more(others, found.len(), low, open);
            let aim = aim(more, 1.0 + more);
            let hit = |to| more - self.more(others, found.len(), to, open);
            let to = nearest(low + 1, open, |it| (hit(it) - aim, aim));
            let but = if to == open { others.len } else { to };
            if self.holds(others, found, but..others.len)? {
                let high = to;
                return Ok(Some(Within { low, high, open }));
            }
            low = to;
        }
        Ok(None)
    }

    /// Which one is next, and up to where there may be others.
    fn next(
        &mut self,
        others: Others,
        found: &[usize],
        within: Within,
    ) -> Result<(usize, usize), Why<O::Error>> {
        let Within {
            mut low,
            mut high,
            mut open,
        } = within;
        while high - low > 1 {
            let more = self.more(others, found.len() + 1, high, open);
            if high - low <= FEW && more > 0.0 && more < LIGHT {
                let Some(last) = self.last(others, found, low, high)? else {
                    return Ok((self.halve(others, found, low, high)?, open));
                };
                (low, high, open) = (last.start, last.end, last.end);
                continue;
            }
            let to = if high == open && high - low == 3 {
                // A verdict of nobody names the third one, and nobody else is left then.
                low + 2
            } else {
                let mass = |it| -self.more(others, found.len(), it, open);
                let half = f64::midpoint(mass(low), mass(high));
                nearest(low + 1, high - 1, |it| (mass(it) - half, half))
            };
            if self.holds(others, found, to..others.len)? {
                high = to;
            } else {
                low = to;
            }
        }
        Ok((low, open))
    }

    /// Between whom the next one is, if it is the last one: each question is about half of them and
    /// all beyond, so that a verdict of nobody clears those. Nothing if it is not the last one.
    fn last(
        &mut self,
        others: Others,
        found: &[usize],
        low: usize,
        mut high: usize,
    ) -> Result<Option<Range<usize>>, Why<O::Error>> {
        loop {
            let to = if high - low > 1 {
                low + (high - low).div_ceil(2)
            } else {
                low
            };
            if !self.holds(others, found, to..high)? {
                return Ok(Some(to..high));
            }
            if to == low {
                return Ok(None);
            }
            high = to;
        }
    }

    /// Which one is next, of those before it alone.
    fn halve(
        &mut self,
        others: Others,
        found: &[usize],
        mut low: usize,
        mut high: usize,
    ) -> Result<usize, Why<O::Error>> {
        while high - low > 1 {
            let to = usize::midpoint(low, high);
            if self.holds(others, found, to..others.len)? {
                high = to;
            } else {
                low = to;
            }
        }
        Ok(low)
    }

    /// Whether one of the others is to blame, of those who are neither found nor in `but`.
    fn holds(
        &mut self,
        others: Others,
        found: &[usize],
        but: Range<usize>,
    ) -> Result<bool, Why<O::Error>> {
        let found = self.subset(found);
        let but: Vec<usize> = but.map(|it| others.position(it)).collect();
        let but = self.subset(&but);
        if others.is_alone {
            let all = Subset::all(self.candidates.len());
            self.ask(&all.without(&but).without(&found), others.len)
        } else {
            Ok(!self.ask(&but.with(&found), others.len)?)
        }
    }

    /// All ways to have more culprits beside so many, the next one of them from `from` on and before
    /// `to`, against 1 for none.
    fn more(&self, others: Others, n_found: usize, from: usize, to: usize) -> f64 {
        let more = |at: usize| {
            if others.is_alone {
                self.prior.more_after(n_found, others.first + 1 + at)
            } else {
                self.prior.more_before(n_found, others.first - at)
            }
        };
        more(from) - more(to)
    }

    /// Keeps those found so far, for a search that is stopped.
    fn write_down(&mut self, others: Others, found: &[usize]) {
        let all = self.subset(found);
        if others.is_alone {
            self.draft.causes = found.iter().map(|it| self.subset(&[*it])).collect();
            self.draft.correction = Some(all);
        } else {
            self.draft.causes = vec![all];
        }
    }
}
