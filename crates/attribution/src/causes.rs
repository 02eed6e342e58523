//! From what the search presumes to what replies prove, for whatever the truth is.
//!
//! Causes and corrections are dual (Reiter 1987; the border of Gunopulos et al. 2003): what hits
//! every cause breaks them all, and a smallest hitting set of the causes known so far whose leaving
//! out was replayed and passes is a smallest correction. Where it fails, there is a cause beside
//! those known, and it is found among what was shown. The causes are all there are once every way
//! to break them was replayed and passes.
//!
//! Invariant: a correction that is handed out was replayed and passed, also where the oracle is
//! not monotone, and where verdicts err as often as a replay needs; the loop ends there, since with
//! nobody shown it passes.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]

use crate::exact::{Draft, Presumed};
use crate::ledger::{self, Ledger};
use crate::{Candidates, Oracle, Part, Proof, Reply, Subset, Why, hitting};

/// Past so many causes no smallest correction is looked for any more, only one of which none can be
/// spared: an oracle of this kind has too many to list.
const CAUSES_MAX: usize = 32;
/// The ways to break all causes are replayed if they are no more than this.
const WAYS_MAX: usize = 64;

/// Proves what is presumed, or finds what is so instead.
pub(crate) fn prove<O: Oracle>(
    ledger: &mut Ledger<'_, '_, O>,
    candidates: &Candidates,
    proof: Proof,
    presumed: &Presumed,
    draft: &mut Draft,
) -> Result<(), Why<O::Error>> {
    let mut prover = Prover {
        ledger,
        candidates,
        draft,
    };
    match presumed {
        Presumed::Alone(found, within) if proof == Proof::Causes => {
            prover.show_alone(found, within)?;
        }
        Presumed::Together(found) if proof == Proof::Causes => prover.show_together(found)?,
        Presumed::Alone(found, _) => prover.draft.causes.clone_from(found),
        Presumed::Together(found) => prover.draft.causes = vec![found.clone()],
    }
    loop {
        prover.correct()?;
        if proof == Proof::Causes {
            prover.list()?;
            prover.put_back()?;
        }
        if prover.is_replayed()? {
            return Ok(());
        }
    }
}

struct Prover<'l, 'a, 'p, O: Oracle> {
    ledger: &'l mut Ledger<'a, 'p, O>,
    candidates: &'l Candidates,
    draft: &'l mut Draft,
}

impl<O: Oracle> Prover<'_, '_, '_, O> {
    /// Shows each one alone; where that passes, it needs others, which are found.
    fn show_alone(&mut self, found: &[Subset], within: &[Subset]) -> Result<(), Why<O::Error>> {
        let unknown = found.iter().filter(|it| self.known(it).is_none());
        let unknown: Vec<Subset> = unknown.cloned().collect();
        self.ledger.remaining = 2.0 * unknown.len() as f64;
        self.ledger.settle(Part::Proof, &unknown)?;
        let mut causes = Vec::new();
        for (one, within) in found.iter().zip(within) {
            if self.known(one) == Some(true) {
                causes.push(one.clone());
            } else {
                causes.push(self.find(within, one)?);
            }
        }
        self.draft.causes = causes;
        Ok(())
    }

    /// Shows them without any other; where that passes, they need more, which is found.
    fn show_together(&mut self, found: &Subset) -> Result<(), Why<O::Error>> {
        let cause = if self.ledger.fails_once(Part::Proof, found)? {
            found.clone()
        } else {
            self.find(&Subset::all(self.candidates.len()), found)?
        };
        self.draft.causes = vec![cause];
        Ok(())
    }

    /// Leaves out a smallest set that hits every known cause, and finds one more cause where that
    /// does not do.
    fn correct(&mut self) -> Result<(), Why<O::Error>> {
        let mut correction = self.fewest();
        loop {
            self.ledger.remaining = self.ledger.remaining.max(1.0);
            let rest = self.without(&correction);
            if !self.ledger.fails_once(Part::Proof, &rest)? {
                self.draft.correction = Some(correction);
                return Ok(());
            }
            self.draft.correction = Some(correction.clone());
            let cause = self.find(&rest, &Subset::none(self.candidates.len()))?;
            let first = self.first(&cause);
            self.draft.causes.push(cause);
            correction = if self.draft.causes.len() > CAUSES_MAX {
                correction.with(&first)
            } else {
                self.fewest()
            };
        }
    }

    /// Whether the answer passes without the correction, asked once more where verdicts err: among
    /// the many sets that were settled on the way, this is the one that everything rests on. Where
    /// it fails, there is another cause, and the search goes on.
    fn is_replayed(&mut self) -> Result<bool, Why<O::Error>> {
        if self.ledger.sure_lead <= self.ledger.lead {
            return Ok(true);
        }
        let Some(correction) = self.draft.correction.clone() else {
            return Ok(true);
        };
        let rest = self.without(&correction);
        let replayed = std::slice::from_ref(&rest);
        self.ledger.settle_for_sure(Part::Proof, replayed)?;
        Ok(self.known(&rest) == Some(false))
    }

    /// A smallest set that hits every cause; of several, one that was replayed already.
    fn fewest(&self) -> Subset {
        let fewest = hitting::fewest(&self.draft.causes, self.candidates);
        if let [joint] = self.draft.causes.as_slice() {
            let n = self.candidates.len();
            let ones = joint.numbers().map(|it| Subset::of(n, [it]));
            let passed = |it: &Subset| self.known(&self.without(it)) == Some(false);
            return ones.into_iter().find(passed).unwrap_or(fewest);
        }
        fewest
    }

    /// Replays every way to break the known causes, until they are all there are.
    fn list(&mut self) -> Result<(), Why<O::Error>> {
        let n = self.candidates.len();
        'again: loop {
            let ways = if self.draft.causes.len() > CAUSES_MAX {
                None
            } else {
                hitting::all(&self.draft.causes, n, WAYS_MAX)
            };
            let Some(ways) = ways else {
                return Ok(());
            };
            for way in ways {
                let rest = self.without(&way);
                let known = ledger::implied(self.ledger.settled(), &rest);
                let fails = match known {
                    Some(known) => known,
                    None => self.ledger.fails(Part::Proof, &rest)?,
                };
                if fails {
                    let cause = self.find(&rest, &Subset::none(n))?;
                    if self.draft.causes.contains(&cause) {
                        return Ok(());
                    }
                    self.draft.causes.push(cause);
                    self.correct()?;
                    continue 'again;
                }
            }
            self.draft.all_causes = true;
            return Ok(());
        }
    }

    /// Puts back each one of a correction of several: where the answer still passes, it was not
    /// needed, whatever the causes say, and a cause that is then shown is none.
    fn put_back(&mut self) -> Result<(), Why<O::Error>> {
        'again: loop {
            let Some(correction) = self.draft.correction.clone() else {
                return Ok(());
            };
            for number in correction.numbers() {
                let mut less = correction.clone();
                less.remove(number);
                let shown = self.without(&less);
                if less.is_empty() || self.ledger.fails_once(Part::Proof, &shown)? {
                    continue;
                }
                self.draft.causes.retain(|it| !it.is_within(&shown));
                self.draft.all_causes = false;
                self.draft.correction = Some(less);
                continue 'again;
            }
            return Ok(());
        }
    }

    /// A cause with `kept` in it among these, which fail: each of it is needed for it. What
    /// replies imply of a monotone oracle is not asked; where that leads nowhere, all is asked.
    fn find(&mut self, within: &Subset, kept: &Subset) -> Result<Subset, Why<O::Error>> {
        let found = self.find_by(within, kept, ledger::implied)?;
        if self.ledger.fails_once(Part::Search, &found)? {
            return Ok(found);
        }
        self.find_by(within, &Subset::none(self.candidates.len()), ledger::known)
    }

    fn find_by(
        &mut self,
        within: &Subset,
        kept: &Subset,
        known: fn(&[Reply], &Subset) -> Option<bool>,
    ) -> Result<Subset, Why<O::Error>> {
        let order = self.candidates.order().iter().copied();
        let mut rest: Vec<usize> = order
            .filter(|it| within.contains(*it) && !kept.contains(*it))
            .collect();
        let mut found = kept.clone();
        let fails =
            |ledger: &mut Ledger<'_, '_, O>, shown: &Subset| match known(ledger.settled(), shown) {
                Some(known) => Ok(known),
                None => ledger.fails(Part::Search, shown),
            };
        while !rest.is_empty() && !fails(self.ledger, &found)? {
            let (mut low, mut high) = (0, rest.len());
            while high - low > 1 {
                let middle = usize::midpoint(low, high);
                let first = rest.iter().take(middle).copied();
                let shown = found.with(&Subset::of(self.candidates.len(), first));
                if fails(self.ledger, &shown)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            if let Some(number) = rest.get(low) {
                found.insert(*number);
            }
            rest.truncate(low);
        }
        Ok(found)
    }

    fn known(&self, shown: &Subset) -> Option<bool> {
        ledger::known(self.ledger.settled(), shown)
    }

    fn without(&self, out: &Subset) -> Subset {
        Subset::all(self.candidates.len()).without(out)
    }

    /// The most suspicious one of these.
    fn first(&self, of: &Subset) -> Subset {
        let order = self.candidates.order().iter().copied();
        Subset::of(
            of.n_candidates(),
            order.filter(|it| of.contains(*it)).take(1),
        )
    }
}
