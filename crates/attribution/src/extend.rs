//! What a second look adds to a first result.
//!
//! Invariant: a correction is extended only after the answer passed without all of it; nothing that
//! the first search found is ever lost.

use crate::ledger::{known, non_monotone};
use crate::{Behind, Candidates, Found, Oracle, Outcome, Part, Reply, Subset, Why, bound};

impl<E> Found<E> {
    /// Takes over the replies of a second look, and extends the correction by those who were
    /// hidden: the only member of a cause, or of several the most suspicious one, where none of
    /// them is in it already.
    ///
    /// Who is in a cause with others is heard alone first, since what is true may have hidden that
    /// each of them is enough. Then the answer is asked for once without the extended correction;
    /// if it is wrong, or nobody says, the correction stays as it was. All of that takes place
    /// within this number of calls, those of the look counted, and only where the look came to its
    /// end; a budget or an oracle that is gone is then how the look ended.
    pub fn extend<O: Oracle<Error = E>>(
        &mut self,
        candidates: &Candidates,
        behind: &mut Behind<E>,
        oracle: &mut O,
        calls_max: Option<usize>,
    ) {
        let n = candidates.len();
        self.hear_alone(behind, oracle, calls_max);
        let extended = extended(candidates, &self.correction, &behind.causes);
        let rest = Subset::all(n).without(&extended);
        if extended != self.correction && self.known_with(behind, &rest).is_none() {
            ask(behind, oracle, calls_max, std::slice::from_ref(&rest));
        }
        let certificate = &mut self.certificate;
        certificate.proof_calls += behind.replies.len();
        certificate.replies.extend(behind.replies.iter().cloned());
        certificate.non_monotone = non_monotone(&certificate.replies);
        let causes = self.causes.iter().chain(&behind.causes);
        let culprits = causes.fold(Subset::none(n), |all, it| all.with(it));
        certificate.bound_bits = bound::bits(n, culprits.len());
        certificate.bound_calls = certificate.bound_bits / bound::capacity(certificate.flip_rate);
        let (asked, right) = replays(&certificate.replies, &rest);
        if asked > 0 && right == asked {
            self.correction = extended;
        }
        let rest = Subset::all(n).without(&self.correction);
        certificate.replayed = replays(&certificate.replies, &rest);
    }

    /// Hears alone each who is in a cause with others and not in the correction; who is wrong alone
    /// is a hidden cause, in place of those hidden ones that it is in.
    fn hear_alone<O: Oracle<Error = E>>(
        &self,
        behind: &mut Behind<E>,
        oracle: &mut O,
        calls_max: Option<usize>,
    ) {
        let n = self.correction.n_candidates();
        let causes = self.causes.iter().chain(&behind.causes);
        let joint = causes.filter(|it| it.len() > 1);
        let open = joint.fold(Subset::none(n), |all, it| all.with(it));
        let open = open.without(&self.correction);
        let mut alone: Vec<Subset> = open.numbers().map(|it| Subset::of(n, [it])).collect();
        let new = alone
            .iter()
            .filter(|it| self.known_with(behind, it).is_none());
        let new: Vec<Subset> = new.cloned().collect();
        ask(behind, oracle, calls_max, &new);
        alone.retain(|it| self.known_with(behind, it) == Some(true));
        let is_smallest = |it: &Subset| it.len() == 1 || !alone.iter().any(|one| one.is_within(it));
        behind.causes.retain(is_smallest);
        behind.causes.extend(alone);
    }

    /// Whether these fail, by what either look was told.
    fn known_with(&self, behind: &Behind<E>, shown: &Subset) -> Option<bool> {
        known(&behind.replies, shown).or_else(|| known(&self.certificate.replies, shown))
    }
}

/// Asks about these for a look, as far as the calls go.
fn ask<O: Oracle>(
    behind: &mut Behind<O::Error>,
    oracle: &mut O,
    calls_max: Option<usize>,
    shown: &[Subset],
) {
    if shown.is_empty() || matches!(behind.outcome, Outcome::Stopped(_)) {
        return;
    }
    let left = calls_max.map(|it| it.saturating_sub(behind.replies.len()));
    let (now, beyond) = shown.split_at(left.unwrap_or(shown.len()).min(shown.len()));
    if !beyond.is_empty() {
        behind.outcome = Outcome::Stopped(Why::Budget);
    }
    if now.is_empty() {
        return;
    }
    match oracle.ask(now) {
        Ok(verdicts) => {
            let replies = now.iter().zip(verdicts).map(|(shown, verdict)| Reply {
                shown: shown.clone(),
                verdict,
                part: Part::Proof,
            });
            behind.replies.extend(replies);
        }
        Err(why) => behind.outcome = Outcome::Stopped(Why::Oracle(why)),
    }
}

/// How often these were shown, and how often the answer passed then.
fn replays(replies: &[Reply], shown: &Subset) -> (usize, usize) {
    let same = replies.iter().filter(|it| it.shown == *shown);
    let (failed, passed): (Vec<&Reply>, Vec<&Reply>) = same.partition(|it| it.verdict.fails());
    (failed.len() + passed.len(), passed.len())
}

/// A correction with one member of each cause that it does not meet: the most suspicious one.
fn extended(candidates: &Candidates, correction: &Subset, hidden: &[Subset]) -> Subset {
    let mut extended = correction.clone();
    // Who is alone in a cause has no choice, and may meet the others.
    let (alone, joint): (Vec<&Subset>, Vec<&Subset>) = hidden.iter().partition(|it| it.len() == 1);
    for cause in alone.into_iter().chain(joint) {
        if cause.numbers().all(|it| !extended.contains(it)) {
            let mut order = candidates.order().iter();
            if let Some(first) = order.find(|it| cause.contains(**it)) {
                extended.insert(*first);
            }
        }
    }
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_is_extended_by_one_of_each_cause_that_it_does_not_meet() {
        let candidates = Candidates::weighted(&[1.0, 1.0, 1.0, 5.0, 9.0, 1.0, 1.0]);
        let of = |it: &[usize]| Subset::of(7, it.iter().copied());
        for (hidden, expected) in [
            (vec![], vec![0]),
            (vec![of(&[2])], vec![0, 2]),
            (vec![of(&[2, 3, 4])], vec![0, 4]),
            (vec![of(&[2, 3]), of(&[2])], vec![0, 2]),
            (vec![of(&[0, 3])], vec![0]),
        ] {
            let found = extended(&candidates, &of(&[0]), &hidden);
            assert_eq!(found, of(&expected), "{hidden:?}");
        }
    }
}
