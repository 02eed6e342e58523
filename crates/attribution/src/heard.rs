//! What was said of each set, asked again until it is settled: the memory of the second look.
//!
//! Where no verdict errs, one answer settles a set. Where they do, a set is asked until one side
//! leads by as many answers as the flip rate asks for (Wald 1945); what the first search was told
//! counts. Invariant: a set whose answers stay even is taken for neither side, so that nobody is
//! blamed for it and nobody is set aside.

use std::collections::HashMap;

use crate::budget::Budget;
use crate::noise::{SETTLED_ERROR, lead_at};
use crate::options::{Options, Progress};
use crate::{Found, Oracle, Part, Reply, Said, Sides, Subset, Verdict, Why};

/// Past so many times the lead that settles a set, its answers are taken to be even.
const EVEN_TIMES: usize = 16;

/// What was said of one set, counted.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    wrong: isize,
    other: isize,
    nothing: isize,
    /// By how many verdicts of the first search more fail than pass, and how many these are, where
    /// nobody kept what was said. They say nothing of another answer: those that pass may be none,
    /// and those that fail alone would count against it.
    failing: isize,
    n_verdicts: usize,
}

impl Counts {
    fn add(&mut self, said: Said) {
        match said {
            Said::Wrong => self.wrong += 1,
            Said::Other => self.other += 1,
            Said::Nothing => self.nothing += 1,
        }
    }

    /// By how many answers one side leads over what is not it.
    fn lead(self, side: Said) -> isize {
        match side {
            Said::Wrong => self.wrong - self.other - self.nothing + self.failing,
            Said::Other => self.other - self.wrong - self.nothing,
            Said::Nothing => self.nothing - self.wrong - self.other,
        }
    }

    fn n(self) -> usize {
        (self.wrong + self.other + self.nothing).unsigned_abs() + self.n_verdicts
    }
}

/// What was said, and whom to ask for more.
pub(crate) struct Heard<'o, 'p, O: Oracle> {
    oracle: &'o mut O,
    budget: Budget,
    progress: Option<&'p mut dyn FnMut(Progress)>,
    /// A guess of all calls of both looks.
    expected: usize,
    lead: usize,
    counts: HashMap<Subset, Counts>,
    replies: Vec<Reply>,
    n_settled: usize,
}

impl<'o, 'p, O: Sides> Heard<'o, 'p, O> {
    /// Goes on after a first search, whose calls count in the budget of the options.
    pub(crate) fn after(
        first: &Found<O::Error>,
        oracle: &'o mut O,
        options: &mut Options<'p>,
    ) -> Self {
        let replies = &first.certificate.replies;
        let mut counts: HashMap<Subset, Counts> = HashMap::new();
        for reply in replies {
            let counts = counts.entry(reply.shown.clone()).or_default();
            counts.failing += if reply.verdict.fails() { 1 } else { -1 };
            counts.n_verdicts += 1;
        }
        // Who keeps what was said knows more than the verdicts.
        for (shown, counts) in &mut counts {
            let said = oracle.said(shown);
            if !said.is_empty() {
                *counts = Counts::default();
                for said in said {
                    counts.add(said);
                }
            }
        }
        Self {
            oracle,
            budget: Budget::new(options.calls_max, first.certificate.calls()),
            progress: options.progress.take(),
            expected: 2 * first.certificate.calls(),
            lead: lead_at(first.certificate.flip_rate),
            counts,
            replies: Vec::new(),
            n_settled: 0,
        }
    }

    /// Whether each of these is that side; those that are not settled are asked, in one go where
    /// they are several.
    pub(crate) fn is(
        &mut self,
        side: Said,
        shown: &[Subset],
    ) -> Result<Vec<Verdict>, Why<O::Error>> {
        let mut open: Vec<Subset> = Vec::new();
        for one in shown {
            if self.known(side, one).is_none() && !open.contains(one) {
                open.push(one.clone());
            }
        }
        self.n_settled += open.len();
        while !open.is_empty() {
            self.ask(&open)?;
            open.retain(|it| self.known(side, it).is_none());
        }
        let is = |it: &Subset| verdict(self.known(side, it) == Some(true));
        Ok(shown.iter().map(is).collect())
    }

    /// Whether these are that side, as far as it is settled.
    pub(crate) fn known(&self, side: Said, shown: &Subset) -> Option<bool> {
        let counts = self.counts.get(shown)?;
        if side != Said::Wrong && self.known(Said::Wrong, shown) == Some(true) {
            return Some(false);
        }
        let lead = counts.lead(side);
        if lead.unsigned_abs() >= self.lead {
            return Some(lead > 0);
        }
        (counts.n() >= EVEN_TIMES * self.lead).then_some(false)
    }

    fn ask(&mut self, shown: &[Subset]) -> Result<(), Why<O::Error>> {
        let (now, is_all) = self.budget.take(shown);
        if !now.is_empty() {
            let said = self.oracle.say(now).map_err(Why::Oracle)?;
            assert_eq!(said.len(), now.len(), "an oracle says something of each");
            for (shown, said) in now.iter().zip(said) {
                self.counts.entry(shown.clone()).or_default().add(said);
                self.replies.push(Reply {
                    shown: shown.clone(),
                    verdict: verdict(said == Said::Wrong),
                    part: Part::Proof,
                });
            }
            self.tell();
        }
        is_all.then_some(()).ok_or(Why::Budget)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of calls are far below 2^52"
    )]
    fn tell(&mut self) {
        let calls = self.budget.calls();
        if let Some(progress) = &mut self.progress {
            progress(Progress {
                calls,
                remaining: self.expected.saturating_sub(calls).max(1) as f64,
            });
        }
    }

    /// How sure all of it is together: 1 where no verdict errs.
    pub(crate) fn confidence(&self) -> f64 {
        if self.lead == 1 {
            return 1.0;
        }
        let n = i32::try_from(self.n_settled).unwrap_or(i32::MAX);
        (1.0 - SETTLED_ERROR).powi(n)
    }

    /// Every reply, in order.
    pub(crate) fn replies(&self) -> &[Reply] {
        &self.replies
    }
}

pub(crate) fn verdict(fails: bool) -> Verdict {
    if fails {
        Verdict::Fails
    } else {
        Verdict::Passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Certificate, Outcome};

    /// Says one thing and the other in turns.
    struct Turns(Vec<Said>);

    impl Oracle for Turns {
        type Error = ();

        fn ask(&mut self, _: &[Subset]) -> Result<Vec<Verdict>, ()> {
            unreachable!("only sides are asked for")
        }
    }

    impl Sides for Turns {
        fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, ()> {
            let said = shown.iter().map(|_| {
                self.0.rotate_left(1);
                self.0[0]
            });
            Ok(said.collect())
        }
    }

    /// What a search with these verdicts on one set found.
    fn first(shown: &Subset, verdicts: &[bool], flip_rate: f64) -> Found<()> {
        let replies = verdicts.iter().map(|fails| Reply {
            shown: shown.clone(),
            verdict: verdict(*fails),
            part: Part::Search,
        });
        let n = shown.n_candidates();
        Found {
            outcome: Outcome::Found,
            causes: Vec::new(),
            correction: Subset::none(n),
            suspects: Subset::none(n),
            shape: None,
            certificate: Certificate {
                replies: replies.collect(),
                flip_rate,
                ..Certificate::default()
            },
        }
    }

    #[test]
    fn a_set_is_asked_until_a_side_leads_and_one_that_stays_even_is_neither() {
        use Said::{Nothing, Other, Wrong};
        let one = Subset::of(8, [1, 2]);
        for (said, before, flip_rate, side, expected, n_calls) in [
            (vec![Wrong], vec![], 0.0, Wrong, true, 1),
            (vec![Wrong], vec![], 0.02, Wrong, true, 3),
            (vec![Wrong], vec![true, true], 0.02, Wrong, true, 1),
            (vec![Wrong], vec![false], 0.02, Wrong, true, 4),
            (vec![Other], vec![true, false, false], 0.02, Wrong, false, 2),
            (vec![Wrong, Other], vec![], 0.02, Wrong, false, 48),
            (vec![Nothing, Other], vec![], 0.02, Other, false, 48),
            // What fails now and then is another answer all the same.
            (
                vec![Other],
                vec![true, false, false, true],
                0.02,
                Other,
                true,
                3,
            ),
            (vec![Other], vec![true, true, true], 0.02, Other, false, 0),
            (vec![Other], vec![true], 0.0, Other, false, 0),
            (vec![Other], vec![false], 0.0, Other, true, 1),
        ] {
            let found = first(&one, &before, flip_rate);
            let mut oracle = Turns(said);
            let mut heard = Heard::after(&found, &mut oracle, &mut Options::default());
            let is = heard.is(side, std::slice::from_ref(&one)).unwrap();
            let case = format!("{before:?} {flip_rate} {side:?}");
            assert_eq!(is, [verdict(expected)], "{case}");
            assert_eq!(heard.replies().len(), n_calls, "{case}");
        }
    }
}
