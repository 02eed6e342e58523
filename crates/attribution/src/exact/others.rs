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
    /// Whether those on the other side of the first one take no part in questions about some of
    /// these: where causes are mixed, they may fail by themselves, or be needed.
    is_apart: bool,
}

impl Others {
    /// Those behind a position of `n`.
    pub(super) fn behind(first: usize, n: usize) -> Self {
        Self {
            is_alone: true,
            first,
            len: n - first - 1,
            is_apart: false,
        }
    }

    /// Those ahead of a position.
    pub(super) fn ahead_of(first: usize) -> Self {
        Self {
            is_alone: false,
            first,
            len: first,
            is_apart: false,
        }
    }

    /// The same, with those on the other side kept out of it.
    pub(super) fn apart_if(self, is_apart: bool) -> Self {
        Self { is_apart, ..self }
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

/// The next one.
#[derive(Debug, Clone, Copy)]
struct Next {
    at: usize,
    /// Before here, there may be others behind it.
    open: usize,
    /// Whether there are for sure: somebody failed where it was left out.
    is_followed: bool,
}

impl<O: Oracle> Line<'_, '_, '_, O> {
    /// The positions of all culprits, where the second one is from `low` on and before `high`.
    pub(super) fn gather(&mut self, second: Second) -> Result<Vec<usize>, Why<O::Error>> {
        let Second { others, low, high } = second;
        let mut found = vec![others.first];
        let open = others.len;
        let mut within = Some(Within { low, high, open });
        while let Some(known) = within {
            let next = self.next(others, &found, known)?;
            found.push(others.position(next.at));
            self.write_down(others, &found);
            let (low, open) = (next.at + 1, next.open);
            within = if next.is_followed && low < open {
                let high = open;
                Some(Within { low, high, open })
            } else {
                self.another(others, &found, low, open)?
            };
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
            let is_held = if to == open {
                self.holds_but(others, found, 0..0)?
            } else {
                self.holds_before(others, found, to)?
            };
            if is_held {
                let high = to;
                return Ok(Some(Within { low, high, open }));
            }
            low = to;
        }
        Ok(None)
    }

    /// Which one is next.
    fn next(
        &mut self,
        others: Others,
        found: &[usize],
        within: Within,
    ) -> Result<Next, Why<O::Error>> {
        let Within {
            mut low,
            mut high,
            mut open,
        } = within;
        while high - low > 1 {
            let more = self.more(others, found.len() + 1, high, open);
            if high - low <= FEW && more > 0.0 && more < LIGHT {
                let Some(last) = self.last(others, found, low, high)? else {
                    let at = self.halve(others, found, low, high)?;
                    return Ok(Next {
                        at,
                        open,
                        is_followed: true,
                    });
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
            if self.holds_before(others, found, to)? {
                high = to;
            } else {
                low = to;
            }
        }
        Ok(Next {
            at: low,
            open,
            is_followed: false,
        })
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
            if !self.holds_but(others, found, to..high)? {
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
            if self.holds_before(others, found, to)? {
                high = to;
            } else {
                low = to;
            }
        }
        Ok(low)
    }

    /// Whether one of the others before this one is to blame, beside those found.
    fn holds_before(
        &mut self,
        others: Others,
        found: &[usize],
        to: usize,
    ) -> Result<bool, Why<O::Error>> {
        let n = self.candidates.len();
        let known = self.subset(found);
        if others.is_alone {
            let from = if others.is_apart { others.first } else { 0 };
            let shown = self.between(from, others.first + 1 + to);
            self.ask(&shown.without(&known), others.len)
        } else {
            let shown = self.between(0, others.first - to).with(&known);
            let behind = self.between(if others.is_apart { others.first } else { n }, n);
            Ok(!self.ask(&shown.with(&behind), others.len)?)
        }
    }

    /// Whether anybody is to blame beside those found and these.
    fn holds_but(
        &mut self,
        others: Others,
        found: &[usize],
        but: Range<usize>,
    ) -> Result<bool, Why<O::Error>> {
        let but: Vec<usize> = but.map(|it| others.position(it)).collect();
        let known = self.subset(found).with(&self.subset(&but));
        if others.is_alone {
            let all = Subset::all(self.candidates.len());
            self.ask(&all.without(&known), others.len)
        } else {
            Ok(!self.ask(&known, others.len)?)
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
