//! The whole of an attribution: guards, search, proof, certificate.

use crate::exact::Draft;
use crate::ledger::{Ledger, non_monotone};
use crate::noise::Flips;
use crate::{
    Candidates, Certificate, Found, Options, Oracle, Outcome, Part, Reply, Shape, Subset, Why,
    bound, noise,
};

/// Finds which candidates make the answer wrong.
///
/// First all are shown and none: where the answer is not wrong with all, or wrong with none, nobody
/// is blamed. Whatever happens, every reply that came is in the certificate, and what was found so
/// far is handed out with the outcome that says how far it holds.
pub fn attribute<O: Oracle>(
    candidates: &Candidates,
    oracle: &mut O,
    mut options: Options<'_>,
) -> Found<O::Error> {
    let mut ledger = Ledger::new(oracle, &mut options);
    let mut draft = Draft::default();
    let outcome = match run(&mut ledger, candidates, &options, &mut draft) {
        Ok(outcome) => outcome,
        Err(why) => Outcome::Stopped(why),
    };
    assemble(ledger, candidates, outcome, draft)
}

fn run<O: Oracle>(
    ledger: &mut Ledger<'_, '_, O>,
    candidates: &Candidates,
    options: &Options<'_>,
    draft: &mut Draft,
) -> Result<Outcome<O::Error>, Why<O::Error>> {
    let flips = match Flips::guarded(ledger, candidates, options.noise)? {
        Ok(flips) => flips,
        Err(outcome) => return Ok(outcome),
    };
    draft.flip_rate = flips.rate();
    noise::search(ledger, candidates, flips, options, draft)?;
    Ok(Outcome::Found)
}

fn assemble<O: Oracle>(
    ledger: Ledger<'_, '_, O>,
    candidates: &Candidates,
    outcome: Outcome<O::Error>,
    draft: Draft,
) -> Found<O::Error> {
    let n = candidates.len();
    let correction = draft.correction.unwrap_or_else(|| Subset::none(n));
    let none = Subset::none(n);
    let culprits = draft.causes.iter().fold(none, |all, it| all.with(it));
    let left = Subset::all(n).without(&correction);
    let replays = ledger.replies().iter().filter(|it| it.shown == left);
    let replays: Vec<bool> = replays.map(|it| it.verdict.fails()).collect();
    let n_passed = replays.iter().filter(|fails| !**fails).count();
    let bound_bits = bound::bits(n, culprits.len());
    let capacity = bound::capacity(draft.flip_rate);
    let suspects = match outcome {
        Outcome::Stopped(_) => suspects(ledger.replies(), &correction),
        _ => Subset::none(n),
    };
    let certificate = Certificate {
        guard_calls: ledger.calls_for(Part::Guard),
        search_calls: ledger.calls_for(Part::Search),
        proof_calls: ledger.calls_for(Part::Proof),
        bound_bits,
        bound_calls: if bound_bits > 0.0 {
            bound_bits / capacity
        } else {
            0.0
        },
        flip_rate: draft.flip_rate,
        confidence: draft.confidence,
        all_causes: draft.all_causes,
        replayed: if correction.is_empty() {
            (0, 0)
        } else {
            (replays.len(), n_passed)
        },
        non_monotone: non_monotone(ledger.replies()),
        replies: ledger.into_replies(),
    };
    Found {
        outcome,
        shape: Shape::of(&draft.causes),
        causes: draft.causes,
        correction,
        suspects,
        certificate,
    }
}

/// The smallest set that failed without any of the correction.
fn suspects(replies: &[Reply], correction: &Subset) -> Subset {
    let failed = replies.iter().filter(|it| it.verdict.fails());
    let open = failed.filter(|it| it.shown.without(correction) == it.shown);
    let smallest = open.min_by_key(|it| it.shown.len());
    smallest.map_or_else(
        || Subset::none(correction.n_candidates()),
        |it| it.shown.clone(),
    )
}
