//! How often verdicts err, and the search that lives with it.
//!
//! Invariant: what is handed out as found was left out and passed more often than not, and is as
//! sure as was asked for, by the replies and the prior.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of calls are far below 2^52"
)]

use crate::exact::{Draft, Presumed};
use crate::ledger::{self, Ledger};
use crate::noisy::{Act, Belief, Likely};
use crate::{
    Candidates, Noise, Options, Oracle, Outcome, Part, Proof, Subset, Why, bound, causes, exact,
};

/// How sure a search is by default.
const CONFIDENCE: f64 = 0.995;
/// How seldom a set that is asked until a verdict leads is taken for what it is not.
pub(crate) const SETTLED_ERROR: f64 = 0.0002;
/// How seldom that is so of what everything rests on: both guards, and the replay of the correction
/// that is handed out.
const SURE_ERROR: f64 = 0.000_001;
/// A flip rate from here on tells nothing within reach.
const FLIP_MAX: f64 = 0.4;
/// Replies that contradict even the best set by so many standard deviations are not by chance.
const DEVIATIONS: f64 = 4.0;

/// How often a verdict errs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flips {
    rate: f64,
    /// What an estimate rests on: replies that were the minority, of so many.
    seen: Option<(usize, usize)>,
}

/// How often verdicts err where there is something to search, or how it ends.
type Guarded<E> = Result<Flips, Outcome<E>>;

impl Flips {
    /// Asks all and none as often as the noise needs; says how often verdicts err, or how it ends.
    pub(crate) fn guarded<O: Oracle>(
        ledger: &mut Ledger<'_, '_, O>,
        candidates: &Candidates,
        noise: Noise,
    ) -> Result<Guarded<O::Error>, Why<O::Error>> {
        let n = candidates.len();
        let guards = [Subset::all(n), Subset::none(n)];
        let flips = match noise {
            Noise::None => Self {
                rate: 0.0,
                seen: None,
            },
            Noise::Known(rate) if rate.is_finite() && rate <= FLIP_MAX => Self {
                rate: rate.max(0.0),
                seen: None,
            },
            Noise::Known(_) => return Ok(Err(Outcome::Unstable)),
            Noise::Estimated { repeats } => {
                let repeats = repeats.max(1);
                let asked: Vec<Subset> = guards.iter().cycle().take(2 * repeats).cloned().collect();
                ledger.ask_all(Part::Guard, &asked)?;
                let leads = guards.iter().map(|it| ledger::lead(ledger.replies(), it));
                let minority = |lead: isize| (repeats - lead.unsigned_abs()) / 2;
                let minority: usize = leads.map(minority).sum();
                Self {
                    rate: 0.0,
                    seen: Some((minority, 2 * repeats)),
                }
                .after(0, 0)
            }
        };
        if flips.rate > FLIP_MAX {
            return Ok(Err(Outcome::Unstable));
        }
        ledger.lead = lead_at(flips.rate);
        ledger.sure_lead = lead_for(flips.rate, SURE_ERROR);
        // With nobody to choose from, all and none are the same.
        let different = if n == 0 { &guards[..1] } else { &guards[..] };
        ledger.settle_for_sure(Part::Guard, different)?;
        let [all, none] = &guards;
        let fails = |shown| ledger::known(ledger.settled(), shown) == Some(true);
        Ok(match (fails(all), fails(none)) {
            (true, false) => Ok(flips),
            (true, true) => Err(Outcome::FailsWithout),
            (false, _) => Err(Outcome::NotReproduced),
        })
    }

    pub(crate) fn rate(self) -> f64 {
        self.rate
    }

    /// The rate after so many replies with so many errors more, where it is estimated.
    fn after(self, n_errors: usize, n_replies: usize) -> Self {
        let Some((minority, n_seen)) = self.seen else {
            return self;
        };
        let rate = ((minority + n_errors) as f64 + 0.5) / ((n_seen + n_replies) as f64 + 1.0);
        Self { rate, ..self }
    }
}

/// The lead of one verdict over the other that settles it at this flip rate.
pub(crate) fn lead_at(rate: f64) -> usize {
    lead_for(rate, SETTLED_ERROR)
}

/// The lead after which a verdict is wrong as seldom as this (Wald 1945).
fn lead_for(rate: f64, error: f64) -> usize {
    if rate <= 0.0 {
        return 1;
    }
    let odds = ((1.0 - rate) / rate).ln();
    let needed = (1.0 / error).ln() / odds;
    (1..64).find(|it| *it as f64 >= needed).unwrap_or(64)
}

/// Finds the causes of a failure that the guards have seen, as sure as was asked for.
pub(crate) fn search<O: Oracle>(
    ledger: &mut Ledger<'_, '_, O>,
    candidates: &Candidates,
    flips: Flips,
    options: &Options<'_>,
    draft: &mut Draft,
) -> Result<(), Why<O::Error>> {
    if flips.rate <= 0.0 {
        exact::search(ledger, candidates, options.proof, draft)?;
        draft.confidence = 1.0;
        return Ok(());
    }
    let confidence = options.confidence.filter(|it| (0.0..1.0).contains(it));
    let confidence = confidence.unwrap_or(CONFIDENCE);
    match pure(ledger, candidates, flips, confidence, draft)? {
        Some(_) if options.proof == Proof::Correction => return Ok(()),
        Some(likely) => {
            let presumed = presumed(&likely);
            causes::prove(ledger, candidates, options.proof, &presumed, draft)?;
        }
        // No set that acts alone, and none that acts together, agrees with the replies.
        None => exact::search(ledger, candidates, options.proof, draft)?,
    }
    let n_settled = ledger.settled().len() as f64;
    draft.confidence = (1.0 - SETTLED_ERROR).powf(n_settled);
    Ok(())
}

/// What is likeliest, as the exact search would presume it: for each that acts alone, that it makes
/// the answer wrong when the others are left out.
fn presumed(likely: &Likely) -> Presumed {
    let n = likely.found.n_candidates();
    match likely.act {
        Act::Alone => {
            let ones: Vec<Subset> = likely
                .found
                .numbers()
                .map(|it| Subset::of(n, [it]))
                .collect();
            let others = ones.iter().map(|it| likely.found.without(it));
            let within = others.map(|it| Subset::all(n).without(&it)).collect();
            Presumed::Alone(ones, within)
        }
        Act::Together => Presumed::Together(likely.found.clone()),
    }
}

/// Looks for a set that acts alone or together; nothing if there seems to be none.
fn pure<O: Oracle>(
    ledger: &mut Ledger<'_, '_, O>,
    candidates: &Candidates,
    mut flips: Flips,
    confidence: f64,
    draft: &mut Draft,
) -> Result<Option<Likely>, Why<O::Error>> {
    let n = candidates.len();
    let mut belief = Belief::new(candidates);
    let mut n_asked = 0_usize;
    let mut proof: Option<Subset> = None;
    loop {
        let part = if proof.is_some() {
            Part::Proof
        } else {
            Part::Search
        };
        let shown = proof.take().unwrap_or_else(|| belief.question());
        let verdicts = ledger.ask_all(part, std::slice::from_ref(&shown))?;
        let fails = verdicts.first().is_some_and(|it| it.fails());
        n_asked += 1;
        let likely = belief.take(&shown, fails, flips.rate);
        flips = flips.after(likely.n_errors, n_asked);
        draft.flip_rate = flips.rate;
        let correction = draft_of(candidates, &likely, draft);
        let left = bound::bits(n, likely.found.len() + 1) / bound::capacity(flips.rate);
        ledger.remaining = (1.5 * left - n_asked as f64).max(1.0);
        if !likely.found.is_empty() && likely.share >= confidence {
            let rest = Subset::all(n).without(&correction);
            if ledger::lead(ledger.replies(), &rest) < 0 {
                return Ok(Some(likely));
            }
            proof = Some(rest);
        }
        let asked = n_asked as f64;
        let by_chance = asked * flips.rate;
        let spread = (by_chance * (1.0 - flips.rate)).sqrt();
        let is_odd = likely.n_errors as f64 > by_chance + DEVIATIONS * spread + 2.0;
        if is_odd || asked > 6.0 * left + 60.0 {
            return Ok(None);
        }
    }
}

/// Writes down what is likeliest; gives what would have to be left out.
fn draft_of(candidates: &Candidates, likely: &Likely, draft: &mut Draft) -> Subset {
    let n = candidates.len();
    let numbers: Vec<usize> = likely.found.numbers().collect();
    let correction = match likely.act {
        Act::Alone => {
            draft.causes = numbers.iter().map(|it| Subset::of(n, [*it])).collect();
            likely.found.clone()
        }
        Act::Together => {
            draft.causes = vec![likely.found.clone()];
            let mut order = candidates.order().iter().copied();
            Subset::of(n, order.find(|it| numbers.contains(it)))
        }
    };
    draft.correction = Some(correction.clone());
    draft.confidence = likely.share;
    correction
}
