//! What a second look adds to a first result.
//!
//! Invariant: a correction is extended only after the answer passed without all of it; nothing that
//! the first search found is ever lost.

use crate::behind::Look;
use crate::ledger::non_monotone;
use crate::{
    Behind, Candidates, Found, Options, Outcome, Reply, Said, Shape, Sides, Subset, Why, bound,
};

impl<E> Found<E> {
    /// Looks behind those who make the answer right, as [`look_behind`](crate::look_behind) does,
    /// takes over the replies, and extends the correction by those who were hidden: the only member
    /// of a cause, or of several the most suspicious one, where none of them is in it already.
    ///
    /// Who is in a cause with others is heard alone first, since what is true may have hidden that
    /// each of them is enough. Then the answer is asked for without the extended correction; if it
    /// is wrong, or nobody says, the correction stays as it was. A budget or an oracle that is gone
    /// is how the look ended.
    pub fn look_again<O: Sides<Error = E>>(
        &mut self,
        candidates: &Candidates,
        oracle: &mut O,
        options: &mut Options<'_>,
    ) -> Behind<E> {
        let mut look = Look::after(candidates, self, oracle, options);
        let mut outcome = look.outcome(self);
        if matches!(self.outcome, Outcome::Found) {
            if !matches!(outcome, Outcome::Stopped(_))
                && let Err(why) = self.extend(&mut look)
            {
                outcome = Outcome::Stopped(why);
            }
            self.take_over(&look);
        }
        look.into_behind(outcome)
    }

    fn extend<O: Sides<Error = E>>(
        &mut self,
        look: &mut Look<'_, '_, '_, O>,
    ) -> Result<(), Why<E>> {
        self.hear_alone(look)?;
        let extended = extended(look.candidates, &self.correction, &look.causes);
        if extended != self.correction {
            let rest = Subset::all(look.candidates.len()).without(&extended);
            let verdicts = look.heard.is(Said::Wrong, std::slice::from_ref(&rest))?;
            if verdicts.iter().all(|it| !it.fails()) {
                self.correction = extended;
            }
        }
        Ok(())
    }

    /// Hears alone each who is in a cause with others. Who is wrong alone needs nobody else: it
    /// takes the place of the causes that it is in, and is a hidden cause if the correction does
    /// not hold it.
    fn hear_alone<O: Sides<Error = E>>(
        &mut self,
        look: &mut Look<'_, '_, '_, O>,
    ) -> Result<(), Why<E>> {
        let n = self.correction.n_candidates();
        let causes = self.causes.iter().chain(&look.causes);
        let joint = causes.filter(|it| it.len() > 1);
        let open = joint.fold(Subset::none(n), |all, it| all.with(it));
        let mut alone: Vec<Subset> = open.numbers().map(|it| Subset::of(n, [it])).collect();
        look.heard.is(Said::Wrong, &alone)?;
        alone.retain(|it| look.heard.known(Said::Wrong, it) == Some(true));
        let known: Vec<Subset> = self.causes.iter().chain(&look.causes).cloned().collect();
        alone.retain(|it| !known.contains(it));
        let (seen, hidden): (Vec<Subset>, Vec<Subset>) = alone
            .into_iter()
            .partition(|it| it.is_within(&self.correction));
        take_place(&mut self.causes, seen);
        take_place(&mut look.causes, hidden);
        self.shape = Shape::of(&self.causes);
        Ok(())
    }

    /// Has the certificate count both looks.
    fn take_over<O: Sides<Error = E>>(&mut self, look: &Look<'_, '_, '_, O>) {
        let n = self.correction.n_candidates();
        let replies = look.heard.replies();
        let certificate = &mut self.certificate;
        certificate.proof_calls += replies.len();
        certificate.replies.extend(replies.iter().cloned());
        certificate.non_monotone = non_monotone(&certificate.replies);
        certificate.confidence *= look.heard.confidence();
        let causes = self.causes.iter().chain(&look.causes);
        let culprits = causes.fold(Subset::none(n), |all, it| all.with(it));
        certificate.bound_bits = bound::bits(n, culprits.len());
        certificate.bound_calls = certificate.bound_bits / bound::capacity(certificate.flip_rate);
        let rest = Subset::all(n).without(&self.correction);
        certificate.replayed = replays(&certificate.replies, &rest);
    }
}

/// Puts these in the place of those causes that hold one of them.
fn take_place(causes: &mut Vec<Subset>, alone: Vec<Subset>) {
    causes.retain(|it| it.len() == 1 || !alone.iter().any(|one| one.is_within(it)));
    causes.extend(alone);
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
