//! `parole`: a refuted belief is held against what is on record now, and released if nothing
//! contradicts it any more (semantics.md 8).
//!
//! Whether the wrong answers in which it took part are wrong again was asked before the plan. What
//! it keeps: the reputation that the incident cost stays as it is; nothing but the refutation is
//! taken back, and the rest follows by the fold.

use std::collections::BTreeSet;

use immune_model::{
    AttributionId, BeliefId, Event, IncidentId, ParoleHold, Premise, Role, Status, Text,
};

use super::{Draft, Forbidden};
use crate::origins::Lead;
use crate::state::{Cause, State};

/// A refuted belief that is to be released, if it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parole {
    /// Which belief.
    pub belief: BeliefId,
    /// The attributions whose wrong answers were asked for again: none was wrong.
    pub retested: Vec<AttributionId>,
    /// How many answers that took.
    pub calls: u32,
    /// Who answered, if anybody was asked.
    pub oracle: Option<Text>,
}

/// A test of a refuted belief that leaves it where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldParole {
    /// Which belief, what was asked again, and by whom.
    pub test: Parole,
    /// What holds it.
    pub hold: ParoleHold,
    /// The answer that is wrong again, or why nobody answered.
    pub said: Option<Text>,
}

/// Why a belief may not be tested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParoleError {
    /// The principal may not parole.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// It does not exist.
    #[error("`{belief}` is not in this memory")]
    NotInMemory {
        /// What was named.
        belief: BeliefId,
    },
    /// Nothing refuted it, nor anything that it rests on.
    #[error("`{belief}` is {status}: no refutation holds it", status = .status.name())]
    NotRefuted {
        /// Which belief.
        belief: BeliefId,
        /// What it is.
        status: Status,
    },
    /// An operator flagged it by hand.
    #[error("`{belief}` is flagged in `{incident}`: who flagged it takes that back")]
    Flagged {
        /// Which belief.
        belief: BeliefId,
        /// Where.
        incident: IncidentId,
    },
}

/// What keeps a refuted belief where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradicted {
    /// A system of record states this one, which contradicts it.
    ByRecord(BeliefId),
    /// This one contradicts it, and would lead.
    ByLeading(BeliefId),
}

impl Contradicted {
    /// The belief that contradicts it.
    pub fn by(self) -> BeliefId {
        match self {
            Self::ByRecord(by) | Self::ByLeading(by) => by,
        }
    }
}

impl From<Contradicted> for ParoleHold {
    fn from(contradicted: Contradicted) -> Self {
        match contradicted {
            Contradicted::ByRecord(by) => Self::ByRecord(by),
            Contradicted::ByLeading(by) => Self::ByLeading(by),
        }
    }
}

/// What a parole led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paroled {
    /// Which belief.
    pub belief: BeliefId,
    /// What holds it still; nothing if it is released.
    pub held: Option<Contradicted>,
    /// The incidents whose refutations of it hold no more.
    pub incidents: Vec<IncidentId>,
    /// The beliefs that had fallen and are active again, itself included.
    pub active: Vec<BeliefId>,
}

impl State {
    /// The refuted beliefs because of which a belief is down: itself, or those at the bottom of
    /// what it rests on. Nothing for one that is not down.
    pub fn refuted_under(&self, id: BeliefId) -> Vec<BeliefId> {
        let (mut stack, mut seen) = (vec![id], BTreeSet::from([id]));
        let mut found = BTreeSet::new();
        while let Some(belief) = stack.pop() {
            if self.beliefs.get(belief).refuted_in.is_some() {
                found.insert(belief);
                continue;
            }
            let justifications = self.justifications_of(belief);
            let premises =
                justifications.flat_map(|it| self.justifications.get(it).grounds.premises());
            for premise in premises {
                if let Premise::Belief(below) = premise
                    && self.now.get(below).status.fell()
                    && seen.insert(below)
                {
                    stack.push(below);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The beliefs that a refuted one has to be held against: those that would disagree with it,
    /// and what its challengers state.
    fn against_release(&self, id: BeliefId, incidents: &[IncidentId]) -> BTreeSet<BeliefId> {
        let mut found: BTreeSet<BeliefId> = self.rivals_of(id).into_iter().collect();
        let subject = &self.beliefs.get(id).subject;
        for incident in incidents {
            let Cause::Challenge { trigger, .. } = self.incidents.get(*incident).cause else {
                continue;
            };
            let stated = self.observations.get(trigger).statements.iter();
            let stated = stated.map(|it| self.justifications.get(*it).belief);
            found.extend(stated.filter(|it| {
                let belief = self.beliefs.get(*it);
                *it != id
                    && belief.subject == *subject
                    && self.now.get(*it).status == Status::Active
            }));
        }
        found
    }
}

impl Draft {
    /// Whether a refuted belief may be tested, and the incidents that refuted it.
    pub fn check_parole(&self, id: BeliefId) -> Result<Vec<IncidentId>, ParoleError> {
        self.require(Role::Verifier, "parole")?;
        let Some(now) = self.state.belief_now(id) else {
            return Err(ParoleError::NotInMemory { belief: id });
        };
        let incidents = self.state.refutations_of(id);
        let flagged = incidents.iter().find(|it| {
            let cause = &self.state.incidents.get(**it).cause;
            matches!(cause, Cause::Flag { .. })
        });
        if let Some(incident) = flagged.copied() {
            return Err(ParoleError::Flagged {
                belief: id,
                incident,
            });
        }
        if incidents.is_empty() {
            return Err(ParoleError::NotRefuted {
                belief: id,
                status: now.status,
            });
        }
        Ok(incidents)
    }

    /// What would hold a refuted belief where it is, if it were released now.
    pub fn contradicted(&self, id: BeliefId, incidents: &[IncidentId]) -> Option<Contradicted> {
        let mut trial = Self::new(self.state.clone(), self.actor.clone(), self.now);
        trial.record(Event::Paroled {
            belief: id,
            incidents: incidents.to_vec(),
            retested: Vec::new(),
            calls: 0,
            oracle: None,
        });
        let state = &trial.state;
        let against = state.against_release(id, incidents);
        let recorded = against.iter().find(|it| state.stated_by_record(**it));
        let leading = || {
            let leads = |it: &&BeliefId| state.lead(**it, id, Some(self.now)) == Lead::First;
            against.iter().find(leads)
        };
        match recorded {
            Some(by) => Some(Contradicted::ByRecord(*by)),
            None => leading().map(|by| Contradicted::ByLeading(*by)),
        }
    }

    /// Plans a test that held a refuted belief: it is written down, and nothing moves.
    pub fn hold_parole(&mut self, held: &HeldParole) -> Result<(), ParoleError> {
        let test = &held.test;
        self.check_parole(test.belief)?;
        self.push(Event::ParoleHeld {
            belief: test.belief,
            hold: held.hold,
            retested: test.retested.clone(),
            calls: test.calls,
            oracle: test.oracle.clone(),
            said: held.said.clone(),
        });
        Ok(())
    }

    /// Plans `parole`: releases a refuted belief that nothing contradicts any more, or writes down
    /// that it was held.
    pub fn parole(&mut self, command: &Parole) -> Result<Paroled, ParoleError> {
        let id = command.belief;
        let incidents = self.check_parole(id)?;
        let held = self.contradicted(id, &incidents);
        let from = self.events.len();
        match held {
            None => self.push(Event::Paroled {
                belief: id,
                incidents: incidents.clone(),
                retested: command.retested.clone(),
                calls: command.calls,
                oracle: command.oracle.clone(),
            }),
            Some(by) => self.hold_parole(&HeldParole {
                test: command.clone(),
                hold: by.into(),
                said: None,
            })?,
        }
        Ok(Paroled {
            belief: id,
            incidents: if held.is_none() {
                incidents
            } else {
                Vec::new()
            },
            held,
            active: self.risen_since(from),
        })
    }
}
