//! Every question goes through here: the budget is kept, each reply is written down, and progress
//! is told. Invariant: no call is made past the budget, and no reply that came is lost.

use crate::budget::Budget;
use crate::options::{Options, Progress};
use crate::{Oracle, Part, Reply, Subset, Verdict, Why};

/// The replies so far, and whom to ask for more.
pub(crate) struct Ledger<'a, 'p, O: Oracle> {
    oracle: &'a mut O,
    budget: Budget,
    progress: Option<&'p mut dyn FnMut(Progress)>,
    replies: Vec<Reply>,
    /// What is taken to be so of a set, by the lead of its replies.
    settled: Vec<Reply>,
    /// The lead that one verdict needs over the other before it is taken to be so.
    pub(crate) lead: usize,
    /// The same for what everything rests on; at least as much.
    pub(crate) sure_lead: usize,
    /// How many more calls the search expects, as of its last question.
    pub(crate) remaining: f64,
}

impl<'a, 'p, O: Oracle> Ledger<'a, 'p, O> {
    pub(crate) fn new(oracle: &'a mut O, options: &mut Options<'p>) -> Self {
        Self {
            oracle,
            budget: Budget::new(options.calls_max, 0),
            progress: options.progress.take(),
            replies: Vec::new(),
            settled: Vec::new(),
            lead: 1,
            sure_lead: 1,
            remaining: 0.0,
        }
    }

    /// Asks about each of these, in one go; as far as the budget reaches, where it ends in between.
    pub(crate) fn ask_all(
        &mut self,
        part: Part,
        shown: &[Subset],
    ) -> Result<Vec<Verdict>, Why<O::Error>> {
        let (now, is_all) = self.budget.take(shown);
        let verdicts = if now.is_empty() {
            Vec::new()
        } else {
            self.oracle.ask(now).map_err(Why::Oracle)?
        };
        assert_eq!(verdicts.len(), now.len(), "an oracle gives a verdict each");
        let replies = now.iter().zip(&verdicts);
        self.replies.extend(replies.map(|(shown, verdict)| Reply {
            shown: shown.clone(),
            verdict: *verdict,
            part,
        }));
        if let Some(progress) = &mut self.progress
            && !now.is_empty()
        {
            progress(Progress {
                calls: self.replies.len(),
                remaining: self.remaining,
            });
        }
        is_all.then_some(verdicts).ok_or(Why::Budget)
    }

    /// Whether one fails, asked until a verdict has the lead that it needs.
    pub(crate) fn fails(&mut self, part: Part, shown: &Subset) -> Result<bool, Why<O::Error>> {
        self.settle(part, std::slice::from_ref(shown))?;
        Ok(known(&self.settled, shown).expect("what is settled is known"))
    }

    /// As [`Self::fails`], without asking again what was asked.
    pub(crate) fn fails_once(&mut self, part: Part, shown: &Subset) -> Result<bool, Why<O::Error>> {
        match known(&self.settled, shown) {
            Some(known) => Ok(known),
            None => self.fails(part, shown),
        }
    }

    /// Asks about each of these, different ones, in one go, and again about those that are not
    /// settled.
    pub(crate) fn settle(&mut self, part: Part, shown: &[Subset]) -> Result<(), Why<O::Error>> {
        let mut open = shown.to_vec();
        loop {
            open.retain(|shown| {
                let lead = lead(&self.replies, shown);
                if lead.unsigned_abs() < self.lead {
                    return true;
                }
                let verdict = if lead > 0 {
                    Verdict::Fails
                } else {
                    Verdict::Passes
                };
                let shown = shown.clone();
                self.settled.push(Reply {
                    shown,
                    verdict,
                    part,
                });
                false
            });
            if open.is_empty() {
                return Ok(());
            }
            self.ask_all(part, &open)?;
        }
    }

    /// Settles these with the lead of what everything rests on, whatever was taken to be so of them
    /// before.
    pub(crate) fn settle_for_sure(
        &mut self,
        part: Part,
        shown: &[Subset],
    ) -> Result<(), Why<O::Error>> {
        let lead = std::mem::replace(&mut self.lead, self.sure_lead);
        self.settled.retain(|it| !shown.contains(&it.shown));
        let settled = self.settle(part, shown);
        self.lead = lead;
        settled
    }

    /// What is taken to be so.
    pub(crate) fn settled(&self) -> &[Reply] {
        &self.settled
    }

    pub(crate) fn calls_for(&self, part: Part) -> usize {
        self.replies.iter().filter(|it| it.part == part).count()
    }

    pub(crate) fn replies(&self) -> &[Reply] {
        &self.replies
    }

    pub(crate) fn into_replies(self) -> Vec<Reply> {
        self.replies
    }
}

/// By how many of the replies about exactly these more fail than pass.
pub(crate) fn lead(replies: &[Reply], shown: &Subset) -> isize {
    let same = replies.iter().filter(|it| it.shown == *shown);
    same.map(|it| if it.verdict.fails() { 1 } else { -1 }).sum()
}

/// Whether these fail, by what was last replied about exactly them.
pub(crate) fn known(replies: &[Reply], shown: &Subset) -> Option<bool> {
    let same = replies.iter().rev().find(|it| it.shown == *shown);
    same.map(|it| it.verdict.fails())
}

/// Whether these must fail if the oracle is monotone and never errs; [`known`] goes first.
pub(crate) fn implied(replies: &[Reply], shown: &Subset) -> Option<bool> {
    known(replies, shown).or_else(|| {
        let implies = |it: &&Reply| match it.verdict {
            Verdict::Fails => it.shown.is_within(shown),
            Verdict::Passes => shown.is_within(&it.shown),
        };
        let reply = replies.iter().find(implies);
        reply.map(|it| it.verdict.fails())
    })
}

/// Replies that fail although a set that holds theirs passed.
pub(crate) fn non_monotone(replies: &[Reply]) -> usize {
    let (failed, passed): (Vec<&Reply>, Vec<&Reply>) =
        replies.iter().partition(|it| it.verdict.fails());
    let contradicted = |it: &&&Reply| passed.iter().any(|other| it.shown.is_within(&other.shown));
    failed.iter().filter(contradicted).count()
}
