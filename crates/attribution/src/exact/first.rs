//! The first culprit in the line, and whether there are others and how they act.
//!
//! Those that act together with it are ahead of it, and those that act alone as well as it does are
//! behind it. Where either is hardly likely, those ahead are left out of the last questions about
//! the first one, or those behind are taken in: a failure without those ahead clears them, and a
//! pass with those behind does. What is left in doubt if the other verdict comes is asked once it
//! turns out that culprits act in the way that was hardly likely.

use super::others::{Others, Second};
use super::{FEW, LIGHT, Line, aim, nearest};
use crate::{Oracle, Why};

/// The first culprit, and where others may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct First {
    pub(super) at: usize,
    /// From here on, some that it acts together with.
    ahead: usize,
    /// Before here, some that act alone as it does.
    behind: usize,
    /// If culprits act together, the last one may be another one from here on, ahead of this one.
    doubt_ahead: Option<usize>,
    /// If each acts alone, the first one may be another one before here, behind this one.
    doubt_behind: Option<usize>,
    /// Whether those ahead were left out of a question, so that they may fail by themselves.
    is_ahead_out: bool,
    /// Whether those behind were taken into a question, so that it may pass without them.
    is_behind_in: bool,
}

/// The next question about a second culprit.
enum Ask {
    /// Those behind before this position, without the first one.
    Behind(usize),
    /// Those ahead before this position, with the first one.
    Ahead(usize),
}

impl<O: Oracle> Line<'_, '_, '_, O> {
    /// Finds the one that ends the first prefix to fail.
    pub(super) fn first(&mut self) -> Result<First, Why<O::Error>> {
        let n = self.candidates.len();
        let (mut low, mut high) = (0, n);
        let mut first = First {
            at: 0,
            ahead: 0,
            behind: n,
            doubt_ahead: None,
            doubt_behind: None,
            is_ahead_out: false,
            is_behind_in: false,
        };
        while high - low > 1 {
            let to = self.middle(low, high);
            let is_light = |ways: f64| high - low <= FEW && ways > 0.0 && ways < LIGHT;
            let without_ahead = is_light(self.ahead(first.ahead, low));
            let with_behind = is_light(self.behind(high, first.behind));
            first.is_ahead_out |= without_ahead;
            first.is_behind_in |= with_behind;
            let mut shown = self.between(if without_ahead { low } else { 0 }, to);
            if with_behind {
                shown = shown.with(&self.between(high, n));
            }
            if self.ask(&shown, high - low)? {
                if without_ahead {
                    (first.ahead, first.doubt_ahead) = (low, None);
                }
                if with_behind {
                    first.doubt_behind = first.doubt_behind.or(Some(high));
                }
                high = to;
            } else {
                if with_behind {
                    (first.behind, first.doubt_behind) = (high, None);
                }
                if without_ahead {
                    first.doubt_ahead = first.doubt_ahead.or(Some(low));
                }
                low = to;
            }
        }
        first.at = low;
        Ok(first)
    }

    /// Whether there is a second culprit beside the first one, how it acts, and between whom it is.
    /// A failure without the first one, among those behind it, says that each acts alone; a pass
    /// with it, among those ahead of it, that they act together.
    pub(super) fn second(&mut self, first: First) -> Result<Option<Second>, Why<O::Error>> {
        let n = self.candidates.len();
        let (mut behind, mut ahead) = (first.at + 1, first.at);
        while behind < first.behind || ahead > first.ahead {
            match self.next_about(first, behind, ahead) {
                Ask::Behind(to) => {
                    let from = if first.is_ahead_out { first.at } else { 0 };
                    let shown = self.between(from, if to == first.behind { n } else { to });
                    let found = self.subset(&[first.at]);
                    if self.ask(&shown.without(&found), n)? {
                        return Ok(Some(self.alone(first, behind, to)?));
                    }
                    behind = to;
                }
                Ask::Ahead(from) => {
                    let with = if first.is_behind_in { n } else { first.at + 1 };
                    let shown = self.between(0, if from == first.ahead { 0 } else { from });
                    if !self.ask(&shown.with(&self.between(first.at, with)), n)? {
                        return Ok(Some(self.together(first, from, ahead)?));
                    }
                    ahead = from;
                }
            }
        }
        Ok(None)
    }

    /// What splits what is likely best; all of them where the first one itself is in doubt.
    fn next_about(&self, first: First, behind: usize, ahead: usize) -> Ask {
        let alone = self.behind(behind, first.behind);
        let together = self.ahead(first.ahead, ahead);
        let all = 1.0 + alone + together;
        let hit_alone = |to| alone - self.behind(to, first.behind);
        let hit_together = |from| together - self.ahead(first.ahead, from);
        let to = if first.doubt_behind.is_some() || behind >= first.behind {
            first.behind
        } else {
            let aim = aim(alone, all);
            nearest(behind + 1, first.behind, |it| (hit_alone(it) - aim, all))
        };
        let from = if first.doubt_ahead.is_some() || ahead <= first.ahead {
            first.ahead
        } else {
            let (aim, last) = (aim(together, all), ahead - 1);
            last - nearest(0, last - first.ahead, |it| {
                (hit_together(last - it) - aim, all)
            })
        };
        let off_alone = (hit_alone(to) - all / 2.0).abs();
        let off_together = (hit_together(from) - all / 2.0).abs();
        if behind < first.behind && (ahead <= first.ahead || off_alone <= off_together) {
            Ask::Behind(to)
        } else {
            Ask::Ahead(from)
        }
    }

    /// Each acts alone, and the second one is between these, unless the first one is another one.
    fn alone(&mut self, first: First, low: usize, high: usize) -> Result<Second, Why<O::Error>> {
        let n = self.candidates.len();
        if let Some(until) = first.doubt_behind
            && !self.ask(&self.between(0, first.at + 1), n)?
        {
            let at = self.narrow(first.at + 1, until)?;
            return Ok(Second::any_of(Others::behind(at, n)));
        }
        let back = first.at + 1;
        Ok(Second {
            others: Others::behind(first.at, n).apart_if(first.is_ahead_out),
            low: low - back,
            high: high - back,
        })
    }

    /// All act together, and the second one is between these, unless the last one is another one.
    fn together(&mut self, first: First, low: usize, high: usize) -> Result<Second, Why<O::Error>> {
        let n = self.candidates.len();
        if let Some(from) = first.doubt_ahead
            && self.ask(&self.between(0, first.at), n)?
        {
            let at = self.narrow(from, first.at)?;
            return Ok(Second::any_of(Others::ahead_of(at)));
        }
        Ok(Second {
            others: Others::ahead_of(first.at).apart_if(first.is_behind_in),
            low: first.at - high,
            high: first.at - low,
        })
    }

    /// All ways to have others from one position on, the last one of them before another, that act
    /// together with one; 1 is for none.
    fn ahead(&self, from: usize, to: usize) -> f64 {
        (self.prior.more_before(1, to) - self.prior.more_before(1, from)) / 2.0
    }

    /// All ways to have others from one position on, the first one of them before another, each of
    /// which acts alone; 1 is for none.
    fn behind(&self, from: usize, to: usize) -> f64 {
        (self.prior.more_after(1, from) - self.prior.more_after(1, to)) / 2.0
    }
}
