//! The judge: whether a proof or a cut follows from the facts.
//!
//! It shares no code with the brain that finds them and knows nothing of memories: plain numbers
//! in, a verdict out. A *proof* lists steps, each resting on earlier ones; a *cut* lists beliefs
//! none of which has a justification that holds outside the list. Each is read once, in order.
//! What it keeps: what it accepts is true of the facts that it was given, cycles included. An
//! accepted proof is well-founded, and an accepted cut closes every way to support, because the
//! least model cannot enter a set that each way into leads through itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which facts count (semantics.md 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// None against: whether there ever was support.
    Ever,
    /// Refuting facts only.
    Open,
    /// Refuting and closing facts.
    In,
}

/// What is known against an observation, or against a justification itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Stands,
    /// A closing fact.
    Closed,
    /// A refuting fact.
    Refuted,
}

/// What a justification needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Premise {
    /// An observation, by number.
    Observation(u32),
    /// A belief, by number.
    Belief(u32),
}

/// A justification as a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Justification {
    /// The belief that it supports.
    pub belief: u32,
    /// All of these together suffice.
    pub premises: BTreeSet<Premise>,
    /// What is known against it.
    pub standing: Standing,
}

/// The facts. What is not among them does not exist: the justifications of a belief have to be
/// given in full, or a cut proves nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The observations.
    pub observations: BTreeMap<u32, Standing>,
    /// The beliefs that are refuted themselves.
    pub refuted: BTreeSet<u32>,
    /// The justifications.
    pub justifications: BTreeMap<u32, Justification>,
}

/// One step of a proof: this belief, by this justification, from these premises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is shown to stand.
    pub belief: u32,
    /// By what.
    pub justification: u32,
    /// From what.
    pub premises: BTreeSet<Premise>,
}

/// A claim about a belief that can be checked in one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certificate {
    /// It stands.
    Proof {
        /// The belief.
        belief: u32,
        /// Which facts count.
        level: Level,
        /// Each rests on earlier ones and on observations; the last one is about the belief.
        steps: Vec<Step>,
    },
    /// It does not stand.
    Cut {
        /// The belief.
        belief: u32,
        /// Which facts count.
        level: Level,
        /// Beliefs that do not stand, the one in question among them.
        out: BTreeSet<u32>,
    },
}

/// Why a certificate is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejection {
    /// The proof does not end with the belief that it is for.
    EndsElsewhere,
    /// A step names a justification that is not among the facts.
    NoSuchJustification(u32),
    /// A step names a justification of another belief, or other premises than it has.
    OtherJustification(u32),
    /// A step is about a belief that is refuted.
    Refuted(u32),
    /// A step uses a justification that is closed, or whose agent is flagged.
    Void(u32),
    /// A step uses something that was not shown before, or an observation that does not stand.
    NotShown(Premise),
    /// The cut does not hold the belief that it is for.
    NotInCut,
    /// A justification of a belief of the cut holds outside the cut.
    Holds(u32),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndsElsewhere => f.write_str("the proof does not end with its belief"),
            Self::NoSuchJustification(id) => write!(f, "there is no `jus_{id}`"),
            Self::OtherJustification(id) => write!(f, "`jus_{id}` says something else"),
            Self::Refuted(id) => write!(f, "`bel_{id}` is refuted"),
            Self::Void(id) => write!(f, "`jus_{id}` is closed or flagged"),
            Self::NotShown(Premise::Belief(id)) => write!(f, "`bel_{id}` was not shown before"),
            Self::NotShown(Premise::Observation(id)) => write!(f, "`obs_{id}` does not stand"),
            Self::NotInCut => f.write_str("the cut does not hold its belief"),
            Self::Holds(id) => write!(f, "`jus_{id}` holds outside the cut"),
        }
    }
}

impl std::error::Error for Rejection {}

/// Accepts a certificate, or says why not.
pub fn check(facts: &Facts, certificate: &Certificate) -> Result<(), Rejection> {
    match certificate {
        Certificate::Proof {
            belief,
            level,
            steps,
        } => check_proof(facts, *belief, *level, steps),
        Certificate::Cut { belief, level, out } => check_cut(facts, *belief, *level, out),
    }
}

fn check_proof(facts: &Facts, belief: u32, level: Level, steps: &[Step]) -> Result<(), Rejection> {
    let mut shown = BTreeSet::new();
    for step in steps {
        let id = step.justification;
        let known = facts.justifications.get(&id);
        let known = known.ok_or(Rejection::NoSuchJustification(id))?;
        if known.belief != step.belief || known.premises != step.premises {
            return Err(Rejection::OtherJustification(id));
        }
        if level >= Level::Open && facts.refuted.contains(&step.belief) {
            return Err(Rejection::Refuted(step.belief));
        }
        if !known.standing.allows(level) {
            return Err(Rejection::Void(id));
        }
        let missing = step.premises.iter().find(|premise| match premise {
            Premise::Belief(id) => !shown.contains(id),
            Premise::Observation(id) => !stands(facts, *id, level),
        });
        if let Some(premise) = missing {
            return Err(Rejection::NotShown(*premise));
        }
        shown.insert(step.belief);
    }
    match steps.last() {
        Some(last) if last.belief == belief => Ok(()),
        _ => Err(Rejection::EndsElsewhere),
    }
}

fn check_cut(
    facts: &Facts,
    belief: u32,
    level: Level,
    out: &BTreeSet<u32>,
) -> Result<(), Rejection> {
    if !out.contains(&belief) {
        return Err(Rejection::NotInCut);
    }
    for (id, justification) in &facts.justifications {
        let head = justification.belief;
        let refuted = level >= Level::Open && facts.refuted.contains(&head);
        if !out.contains(&head) || refuted || !justification.standing.allows(level) {
            continue;
        }
        let lost = justification.premises.iter().any(|premise| match premise {
            Premise::Belief(id) => out.contains(id),
            Premise::Observation(id) => !stands(facts, *id, level),
        });
        if !lost {
            return Err(Rejection::Holds(*id));
        }
    }
    Ok(())
}

/// Whether an observation holds; one that is not among the facts does not.
fn stands(facts: &Facts, id: u32, level: Level) -> bool {
    facts
        .observations
        .get(&id)
        .is_some_and(|it| it.allows(level))
}

impl Standing {
    fn allows(self, level: Level) -> bool {
        match self {
            Self::Stands => true,
            Self::Closed => level < Level::In,
            Self::Refuted => level < Level::Open,
        }
    }
}

#[cfg(test)]
mod tests;
