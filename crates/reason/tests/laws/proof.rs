//! Proofs and cuts: of every belief one of them is found, and a judge that shares no code with
//! the brain accepts it, and rejects it once it is bent.

use std::collections::{BTreeMap, BTreeSet};

use immune_certificate::{
    Certificate, Facts, Justification, Level as L, Premise as P, Standing, Step, check,
};
use immune_model::*;
use immune_reason::State;
use immune_reason::question::{Level, ProofStep};
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

use crate::twin;

/// Every fact of a state, as the judge reads them.
pub(crate) fn facts(state: &State) -> Facts {
    let standing = |id: ObservationId| match state.observation_status(id).unwrap() {
        Status::Active => Standing::Stands,
        Status::Quarantined | Status::Revoked => Standing::Refuted,
        _ => Standing::Closed,
    };
    let refuted = |id: &BeliefId| state.belief(*id).unwrap().refuted_in.is_some();
    let written = |id: &JustificationId| !state.justification(*id).unwrap().retracted;
    let justification = |id: JustificationId| {
        let found = state.justification(id).unwrap();
        let premises = found.grounds.rests_on().into_iter().map(premise).collect();
        let belief = found.belief.number();
        let standing = if twin::flagged(state, id) {
            Standing::Refuted
        } else if state.closing_of(id).is_some() {
            Standing::Closed
        } else {
            Standing::Stands
        };
        (
            id.number(),
            Justification {
                belief,
                premises,
                standing,
            },
        )
    };
    Facts {
        observations: state
            .observation_ids()
            .map(|it| (it.number(), standing(it)))
            .collect::<BTreeMap<_, _>>(),
        refuted: state
            .belief_ids()
            .filter(refuted)
            .map(BeliefId::number)
            .collect(),
        justifications: state
            .justification_ids()
            .filter(written)
            .map(justification)
            .collect(),
    }
}

fn premise(premise: Premise) -> P {
    match premise {
        Premise::Observation(id) => P::Observation(id.number()),
        Premise::Belief(id) => P::Belief(id.number()),
    }
}

fn proof(belief: BeliefId, level: L, found: &[ProofStep]) -> (u32, L, Vec<Step>) {
    let steps = found.iter().map(|it| Step {
        belief: it.belief.number(),
        justification: it.justification.number(),
        premises: it.premises.iter().map(|it| premise(*it)).collect(),
    });
    (belief.number(), level, steps.collect())
}

fn accepted(facts: &Facts, (belief, level, steps): (u32, L, Vec<Step>)) -> bool {
    check(
        facts,
        &Certificate::Proof {
            belief,
            level,
            steps,
        },
    )
    .is_ok()
}

/// Proofs bent in every small way: none of them may be accepted.
fn bent(facts: &Facts, (belief, level, steps): &(u32, L, Vec<Step>)) -> Vec<(u32, L, Vec<Step>)> {
    let mut bent = Vec::new();
    for at in 0..steps.len() {
        let mut dropped = steps.clone();
        dropped.remove(at);
        let mut weaker = steps.clone();
        weaker[at].premises.pop_first();
        let mut other = steps.clone();
        // The same derivation may have been made twice; then the other one may be as good.
        let known = &facts.justifications[&steps[at].justification];
        let next = steps[at].justification + 1;
        let is_same =
            |it: &Justification| it.belief == known.belief && it.premises == known.premises;
        if facts.justifications.get(&next).is_some_and(is_same) {
            other[at].belief += 1;
        } else {
            other[at].justification = next;
        }
        let mut circular = steps.clone();
        circular[at].premises.insert(P::Belief(steps[at].belief));
        bent.extend([dropped, weaker, other, circular]);
        for earlier in 0..at {
            // Only where the later one needs the earlier one is the order a matter.
            if steps[at]
                .premises
                .contains(&P::Belief(steps[earlier].belief))
            {
                let mut reordered = steps.clone();
                reordered.swap(earlier, at);
                bent.push(reordered);
            }
        }
    }
    bent.into_iter()
        .map(|steps| (*belief, *level, steps))
        .collect()
}

proptest! {
    #![proptest_config(super::cases())]

    /// Whatever the status says, a proof or a cut of the right kind says it too.
    #[test]
    fn every_status_has_its_certificate(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let facts = facts(state);
        for id in state.belief_ids() {
            let status = state.belief_now(id).unwrap().status;
            let levels = [(Level::In, L::In), (Level::Open, L::Open), (Level::Ever, L::Ever)];
            let mut stands = BTreeMap::new();
            for (level, theirs) in levels {
                let (found, cut) = (state.prove(id, level), state.cut(id, level));
                prop_assert!(found.is_some() != cut.is_some(), "{} is in or out", id);
                stands.insert(level, found.is_some());
                if let Some(found) = found {
                    let proof = proof(id, theirs, &found);
                    for wrong in bent(&facts, &proof) {
                        prop_assert!(!accepted(&facts, wrong.clone()), "{} by {:?}", id, wrong);
                    }
                    prop_assert!(accepted(&facts, proof), "{} by {:?}", id, found);
                }
                if let Some(cut) = cut {
                    let out: BTreeSet<u32> = cut.iter().map(|it| it.belief.number()).collect();
                    let belief = id.number();
                    let whole = Certificate::Cut { belief, level: theirs, out: out.clone() };
                    prop_assert_eq!(check(&facts, &whole), Ok(()), "{} by {:?}", id, cut);
                    for left_out in out.iter().filter(|it| **it != belief) {
                        // Each is named because a justification lost nothing else that is named.
                        let mut fewer = out.clone();
                        fewer.remove(left_out);
                        let lost_only_that = cut.iter().flat_map(|it| &it.losses).any(|(jus, _)| {
                            let known = &facts.justifications[&jus.number()];
                            known.premises.iter().all(|it| match it {
                                P::Belief(it) => !fewer.contains(it),
                                P::Observation(it) => facts.observations[it] == Standing::Stands,
                            }) && known.standing == Standing::Stands && fewer.contains(&known.belief)
                        });
                        let out = fewer;
                        let fewer = Certificate::Cut { belief, level: theirs, out };
                        prop_assert!(!lost_only_that || check(&facts, &fewer).is_err());
                    }
                }
            }
            prop_assert_eq!(status == Status::Active, stands[&Level::In], "{}", id);
            if status == Status::Revoked {
                prop_assert!(!stands[&Level::Open] && stands[&Level::Ever], "{}", id);
            }
            if status == Status::Stale {
                prop_assert!(stands[&Level::Open], "{}", id);
            }
        }
    }

    /// The proof is the derivation that gives the strength: its weakest part is worth that much.
    #[test]
    fn a_proof_is_worth_the_strength(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        for id in state.belief_ids() {
            let Some(found) = state.prove(id, Level::In) else { continue };
            let weakest = found.iter().map(|it| state.belief_now(it.belief).unwrap().strength).min();
            prop_assert_eq!(weakest.unwrap(), state.belief_now(id).unwrap().strength, "{}", id);
        }
    }
}
