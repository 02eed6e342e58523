//! Proofs and cuts, each with the verdict of a judge that shares no code with the brain.
//!
//! The facts that the judge is given are read from the items of the log: what states what, what
//! was closed, what was refuted. No status of a belief is among them.

use std::collections::BTreeSet;

use immune_certificate as judge;
use immune_model::{BeliefId, JustificationId, Premise, Status};
use immune_reason::State;
use immune_reason::question::{Level, Lost, ProofStep};

use crate::explain::Explained;

/// Why a belief stands or does not, and whether the judge agrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certified {
    /// Which facts count.
    pub level: Level,
    /// Why.
    pub grounds: Certificate,
    /// What the judge has against it; nothing if it accepts.
    pub rejected: Option<judge::Rejection>,
}

/// A proof, or a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certificate {
    /// It stands by these steps.
    Proof(Vec<ProofStep>),
    /// It does not, for each of these lost every justification.
    Cut(Vec<Lost>),
}

impl Explained<'_> {
    /// The proof or the cut that shows a belief's status; nothing if there is no such belief.
    pub fn certified(self, id: BeliefId) -> Option<Certified> {
        let status = self.state.belief_now(id)?.status;
        let level = level_of(status);
        let grounds = match status {
            Status::Active => Certificate::Proof(self.state.prove(id, level)?),
            _ => Certificate::Cut(self.state.cut(id, level)?),
        };
        let rejected = judge::check(&facts(self.state, &grounds), &claim(id, level, &grounds));
        Some(Certified {
            level,
            grounds,
            rejected: rejected.err(),
        })
    }
}

/// The level at which a status is shown: what fell has no support even without closing facts.
fn level_of(status: Status) -> Level {
    match status {
        Status::Retracted | Status::Unsupported => Level::Ever,
        Status::Quarantined | Status::Revoked => Level::Open,
        Status::Active
        | Status::Superseded
        | Status::Expired
        | Status::Forgotten
        | Status::Stale => Level::In,
    }
}

/// The certificate in the judge's words.
fn claim(id: BeliefId, level: Level, grounds: &Certificate) -> judge::Certificate {
    let belief = id.number();
    let level = match level {
        Level::Ever => judge::Level::Ever,
        Level::Open => judge::Level::Open,
        Level::In => judge::Level::In,
    };
    match grounds {
        Certificate::Proof(steps) => judge::Certificate::Proof {
            belief,
            level,
            steps: steps
                .iter()
                .map(|it| judge::Step {
                    belief: it.belief.number(),
                    justification: it.justification.number(),
                    premises: it.premises.iter().copied().map(premise).collect(),
                })
                .collect(),
        },
        Certificate::Cut(lost) => judge::Certificate::Cut {
            belief,
            level,
            out: lost.iter().map(|it| it.belief.number()).collect(),
        },
    }
}

/// The facts about the beliefs that a certificate names: all that was written for them and not
/// undone.
fn facts(state: &State, grounds: &Certificate) -> judge::Facts {
    let named: BTreeSet<BeliefId> = match grounds {
        Certificate::Proof(steps) => steps.iter().map(|it| it.belief).collect(),
        Certificate::Cut(lost) => lost.iter().map(|it| it.belief).collect(),
    };
    let mut facts = judge::Facts::default();
    for belief in named {
        if state
            .belief(belief)
            .is_some_and(|it| it.refuted_in.is_some())
        {
            facts.refuted.insert(belief.number());
        }
        for id in state.written_for(belief) {
            add_justification(&mut facts, state, id);
        }
    }
    facts
}

fn add_justification(facts: &mut judge::Facts, state: &State, id: JustificationId) {
    let Some(found) = state.justification(id).filter(|it| !it.retracted) else {
        return;
    };
    let premises = found.grounds.rests_on();
    for premise in &premises {
        let Premise::Observation(observation) = *premise else {
            continue;
        };
        let standing = match state.observation_status(observation) {
            Some(Status::Active) => judge::Standing::Stands,
            Some(status) if status.fell() => judge::Standing::Refuted,
            _ => judge::Standing::Closed,
        };
        facts.observations.insert(observation.number(), standing);
    }
    let justification = judge::Justification {
        belief: found.belief.number(),
        premises: premises.into_iter().map(premise).collect(),
        standing: match (state.flag_against(id), state.closing_of(id)) {
            (Some(_), _) => judge::Standing::Refuted,
            (None, Some(_)) => judge::Standing::Closed,
            (None, None) => judge::Standing::Stands,
        },
    };
    facts.justifications.insert(id.number(), justification);
}

fn premise(premise: Premise) -> judge::Premise {
    match premise {
        Premise::Observation(id) => judge::Premise::Observation(id.number()),
        Premise::Belief(id) => judge::Premise::Belief(id.number()),
    }
}
