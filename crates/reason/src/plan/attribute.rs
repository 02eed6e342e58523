//! Attributions written down, and refutations that one is the evidence for (semantics.md 8, 11).
//!
//! Whoever asked the oracle did so before the plan. What it keeps: an attribution alone moves
//! nothing; an agent writes one for a run of its own only, and quarantines by none.

use immune_model::{
    Attributed, AttributionId, DecisionId, Event, EvidenceFor, Handle, Item, Premise, Role, RunId,
    limits,
};

use super::{Challenge, ChallengeError, Challenged, Draft, Forbidden};

/// Why an attribution was not written down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    /// The principal may not attribute.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// An agent asks about something else than a run of its own.
    #[error("agent `{agent}` attributes answers of its own runs only")]
    NotItsRun {
        /// Who asked.
        agent: Handle,
    },
    /// Something that does not exist.
    #[error("`{item}` is not in this memory")]
    NotInMemory {
        /// What was named.
        item: Item,
    },
    /// A decision that was made in no run, or in another one.
    #[error("`{decision}` was not decided in the run")]
    OtherRun {
        /// Which decision.
        decision: DecisionId,
    },
    /// A run that was shown nothing.
    #[error("no run `{run}` was shown anything")]
    NothingShown {
        /// Which run.
        run: RunId,
    },
    /// More than one attribution takes.
    #[error("there are {found} {what}, at most {limit} are possible")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

impl Draft {
    /// Whether the principal may attribute an answer of this run, or of none.
    pub fn check_may_attribute(&self, run: Option<&RunId>) -> Result<(), AttributeError> {
        self.require(Role::Agent, "attribute")?;
        let reader = run.and_then(|it| self.state.agent_of_run(it));
        if self.actor.role == Role::Agent && reader != Some(&self.actor.name) {
            return Err(AttributeError::NotItsRun {
                agent: self.actor.name.clone(),
            });
        }
        Ok(())
    }

    /// Plans that an attribution is written down; its id is given here.
    pub fn attribute(&mut self, found: &Attributed) -> Result<AttributionId, AttributeError> {
        self.check_may_attribute(found.run.as_ref())?;
        for (what, found, limit) in [
            (
                "candidates",
                found.candidates.len(),
                limits::ATTRIBUTION_CANDIDATES_MAX,
            ),
            ("calls", found.calls.len(), limits::ATTRIBUTION_CALLS_MAX),
        ] {
            if found > limit {
                return Err(AttributeError::TooMany { what, found, limit });
            }
        }
        let items = found.candidates.iter().map(|it| Item::from(it.item));
        let decided = found.decision.map(Item::from);
        if let Some(item) = items.chain(decided).find(|it| !self.state.contains(*it)) {
            return Err(AttributeError::NotInMemory { item });
        }
        let attribution = self.state.attributions.next_id();
        self.push(Event::Attributed(Attributed {
            attribution,
            ..found.clone()
        }));
        Ok(attribution)
    }

    /// Plans `challenge`, with an attribution as the evidence: of the incident, or of the review.
    ///
    /// # Panics
    /// On an attribution that this memory does not have: the caller holds the one it wrote.
    pub fn challenge_with(
        &mut self,
        command: &Challenge,
        evidence: AttributionId,
    ) -> Result<Challenged, ChallengeError> {
        self.require(Role::Verifier, "quarantine")?;
        assert!(
            self.state.attribution(evidence).is_some(),
            "evidence was written before it is used"
        );
        let challenged = self.challenge(command)?;
        let incident = challenged.incident.as_ref().map(|(id, _)| *id);
        let incident = incident.map(EvidenceFor::Incident);
        let review = challenged.review.map(EvidenceFor::Review);
        for target in incident.into_iter().chain(review) {
            let known = &self.state.attributions.get(evidence).evidence_for;
            if !known.contains(&target) {
                self.push(Event::EvidenceGiven {
                    attribution: evidence,
                    target,
                });
            }
        }
        Ok(challenged)
    }
}

impl crate::State {
    /// What a run was shown up to a decision, or so far, in the order of its reads: each item once,
    /// with the read that first showed it, from 1. What was handed over comes before what is its
    /// own.
    pub fn turns_of(
        &self,
        run: &RunId,
        decision: Option<DecisionId>,
    ) -> Result<Vec<(Premise, u32)>, AttributeError> {
        let context = match decision {
            None => self.context_of_run(run),
            Some(decision) => {
                let found = self.decision(decision);
                let found = found.ok_or(AttributeError::NotInMemory {
                    item: decision.into(),
                })?;
                if found.run.as_ref().is_some_and(|it| it != run) {
                    return Err(AttributeError::OtherRun { decision });
                }
                self.context_of(immune_model::Write::Decision(decision))
            }
        };
        let context = context.ok_or_else(|| match decision {
            Some(decision) => AttributeError::OtherRun { decision },
            None => AttributeError::NothingShown { run: run.clone() },
        })?;
        Ok(self.turns_in(context))
    }
}
