//! `derive`: an agent concludes something from what stands.

use std::collections::BTreeSet;

use immune_model::{
    BeliefId, ContextUse, Derived, Event, Handle, Item, JustificationId, Metadata, Namespace,
    Premise, Role, RunId, SourceId, Status, Trust, Write, limits,
};

use super::context::{Narrowing, telling};
use super::{ClaimError, Draft, Forbidden, NewClaim, SourceError};
use crate::screen::StatementReport;

/// A conclusion with what it rests on.
#[derive(Debug, Clone)]
pub struct Derivation {
    /// The agent that concludes it.
    pub agent: Handle,
    /// The part of the memory it belongs to.
    pub namespace: Namespace,
    /// What it rests on: all of them together. Required: there is no conclusion without premises.
    pub premises: Vec<Item>,
    /// The conclusion.
    pub claim: NewClaim,
    /// The run in which it was concluded.
    pub run: Option<RunId>,
    /// Whether the context of the run counts.
    pub narrowing: Narrowing,
    /// What is noted about it, for filtering; it replaces what was noted about the same derivation
    /// before, unless it is empty.
    pub metadata: Metadata,
}

/// Why nothing was derived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeriveError {
    /// The principal may not write, or not as this agent.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The claim is refused.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The agent is new, under a handle that no new source may have.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A conclusion holds while its premises do.
    #[error("a derivation has no validity of its own")]
    Validity,
    /// No premise is named.
    #[error("a derivation needs at least one premise")]
    NoPremises,
    /// More premises than one justification may have.
    #[error("the derivation has {found} premises, the limit is {limit}")]
    TooManyPremises {
        /// How many it has.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A premise of a kind that supports nothing.
    #[error("`{item}` is {kind}, no observation or belief", kind = .item.kind())]
    NoPremise {
        /// What was named.
        item: Item,
    },
    /// A premise that does not exist.
    #[error("`{item}` is not in this memory")]
    NotInMemory {
        /// What was named.
        item: Item,
    },
    /// A premise of another namespace.
    #[error("`{item}` is in another namespace")]
    OtherNamespace {
        /// What was named.
        item: Item,
    },
    /// A premise that does not stand.
    #[error("premise `{premise}` is {status}", status = .status.name())]
    NotStanding {
        /// Which one.
        premise: Premise,
        /// What it is.
        status: Status,
    },
}

impl DeriveError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Source(error) => Some(error.hint()),
            Self::NoPremise { item } => Some(format!(
                "name an observation or a belief; `immune explain {item}` shows what it is"
            )),
            Self::Validity => Some("give it a time to live: `--ttl 30d`".to_owned()),
            Self::NoPremises => Some("name them: `--from bel_1 --from obs_2`".to_owned()),
            Self::NotInMemory { .. } => {
                Some("`immune list beliefs` shows what is there".to_owned())
            }
            Self::NotStanding { premise, .. } => {
                Some(format!("`immune explain {premise}` says why"))
            }
            _ => None,
        }
    }
}

/// What was derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedBelief {
    /// The belief.
    pub belief: BeliefId,
    /// The justification that the derivation gives it.
    pub justification: JustificationId,
    /// The source that is the deriving agent.
    pub agent: SourceId,
    /// The premises as they count: an observation stands for the beliefs of its claims.
    pub premises: Vec<Premise>,
    /// The same derivation had been made before: nothing was written.
    pub repeated: bool,
    /// The status of the belief now.
    pub status: Status,
    /// The strength of the belief now.
    pub strength: Trust,
    /// What became of it.
    pub report: StatementReport,
}

impl Draft {
    /// Plans `derive`.
    pub fn derive(&mut self, command: &Derivation) -> Result<DerivedBelief, DeriveError> {
        let command = &Derivation {
            run: self.run_of_write(command.run.as_ref()),
            ..command.clone()
        };
        let (claim, premises) = self.checked_derivation(command)?;
        if let Some(known) = self.find_derivation(command, &claim, &premises) {
            let write = Write::Justification(known.justification);
            self.annotate(write, &command.metadata);
            return Ok(known);
        }
        let from = self.events.len();
        let agent = self.ensure_agent(&command.agent);
        let known = self.belief_for(&command.namespace, &claim);
        let belief = known.unwrap_or_else(|| self.state.beliefs.next_id());
        let justification = self.state.justifications.next_id();
        if command.narrowing == Narrowing::Narrowed && command.run.is_some() {
            let write = Write::Justification(justification);
            let used = ContextUse::Dropped;
            self.push(Event::ContextUsed { write, used });
        }
        self.push_hedges([(justification, &claim)]);
        self.push(Event::Derived(Derived {
            belief,
            justification,
            agent,
            namespace: command.namespace.clone(),
            subject: claim.subject,
            text: claim.text,
            polarity: claim.polarity,
            literals: claim.literals,
            premises: premises.clone(),
            run: command.run.clone(),
            expires_at: claim.expires_at,
        }));
        self.annotate(Write::Justification(justification), &command.metadata);
        self.respond(from);
        Ok(self.derived(belief, justification, premises, false))
    }

    /// The same derivation, if it was made before and stands; checked like a new one.
    pub(super) fn find_known(
        &self,
        command: &Derivation,
    ) -> Result<Option<DerivedBelief>, DeriveError> {
        let (claim, premises) = self.checked_derivation(command)?;
        Ok(self.find_derivation(command, &claim, &premises))
    }

    fn checked_derivation(
        &self,
        command: &Derivation,
    ) -> Result<(NewClaim, Vec<Premise>), DeriveError> {
        self.require(Role::Agent, "derive")?;
        if self.actor.role == Role::Agent && self.actor.name != command.agent {
            return Err(Forbidden {
                principal: self.actor.clone(),
                operation: "derive for another agent",
            }
            .into());
        }
        self.check_agent(&command.agent)?;
        let mut claim = command.claim.checked(self.now)?;
        self.state.wary(&command.namespace, None, &mut claim);
        if claim.valid_from.is_some() || claim.valid_until.is_some() {
            return Err(DeriveError::Validity);
        }
        self.check_may_narrow(command.narrowing)?;
        let mut premises = self.checked_premises(&command.namespace, &command.premises)?;
        self.add_carriers(command, &claim, &mut premises);
        Ok((claim, premises))
    }

    /// Adds, for each decisive literal of the conclusion that no premise carries, the strongest
    /// belief that does of what its run was shown.
    fn add_carriers(&self, command: &Derivation, claim: &NewClaim, premises: &mut Vec<Premise>) {
        let narrowed = command.narrowing == Narrowing::Narrowed;
        let context = command.run.as_ref().filter(|_| !narrowed);
        let Some(context) = context.and_then(|it| self.state.context_of_run(it)) else {
            return;
        };
        let itself = self.belief_for(&command.namespace, claim);
        for literal in telling(&claim.subject, &claim.literals) {
            if premises.len() >= limits::PREMISES_MAX
                || premises.iter().any(|it| self.state.carries(*it, literal))
            {
                continue;
            }
            let namespace = &command.namespace;
            let carrier = self
                .state
                .strongest_carrier(context, namespace, literal, itself);
            premises.extend(carrier.map(Premise::Belief));
        }
        premises.sort_unstable();
    }

    fn derived(
        &self,
        belief: BeliefId,
        justification: JustificationId,
        premises: Vec<Premise>,
        repeated: bool,
    ) -> DerivedBelief {
        let now = self.state.now.get(belief);
        let report = self.state.screened_claim(justification);
        DerivedBelief {
            belief,
            justification,
            agent: self
                .state
                .speaker_of(justification)
                .expect("a derivation of ours names its agent"),
            premises,
            repeated,
            status: now.status,
            strength: now.strength,
            report: if repeated { report.repeated() } else { report },
        }
    }

    /// The same agent's standing derivation of the same value from the same premises.
    fn find_derivation(
        &self,
        command: &Derivation,
        claim: &NewClaim,
        premises: &[Premise],
    ) -> Option<DerivedBelief> {
        let belief = self.belief_for(&command.namespace, claim)?;
        let known = self.state.justifications_of(belief).find(|it| {
            let justification = self.state.justifications.get(*it);
            let same = match &justification.grounds {
                crate::state::Grounds::Derivation {
                    agent,
                    premises: theirs,
                } => {
                    agent.is_some_and(|it| self.state.sources.get(it).handle == command.agent)
                        && theirs[..] == *premises
                }
                crate::state::Grounds::Statement { .. } => false,
            };
            // What was concluded with other things before the eyes is another derivation.
            let same_context = justification.context.is_none()
                || justification.run == command.run && command.narrowing == Narrowing::Whole;
            same && same_context
                && justification.expires_at == claim.expires_at
                && self.state.confidence_of(*it) == claim.hedge()
                && self.state.closing_of(*it).is_none()
        })?;
        Some(self.derived(belief, known, premises.to_vec(), true))
    }

    /// The premises as they count, each checked to exist and to be IN (law S4).
    fn checked_premises(
        &self,
        namespace: &Namespace,
        named: &[Item],
    ) -> Result<Vec<Premise>, DeriveError> {
        let mut premises = BTreeSet::new();
        for item in named {
            match *item {
                Item::Belief(id) => {
                    check_namespace(
                        namespace,
                        *item,
                        self.state.belief(id).map(|it| &it.namespace),
                    )?;
                    premises.insert(Premise::Belief(id));
                }
                Item::Observation(id) => {
                    let observation = self.state.observation(id);
                    check_namespace(namespace, *item, observation.map(|it| &it.namespace))?;
                    let statements = observation
                        .map(|it| it.statements.as_slice())
                        .unwrap_or_default();
                    if statements.is_empty() {
                        premises.insert(Premise::Observation(id));
                    }
                    let stated = statements
                        .iter()
                        .map(|it| self.state.justifications.get(*it).belief);
                    premises.extend(stated.map(Premise::Belief));
                }
                _ => return Err(DeriveError::NoPremise { item: *item }),
            }
        }
        let (found, limit) = (premises.len(), limits::PREMISES_MAX);
        if found == 0 {
            return Err(DeriveError::NoPremises);
        }
        if found > limit {
            return Err(DeriveError::TooManyPremises { found, limit });
        }
        for premise in &premises {
            let status = match *premise {
                Premise::Belief(id) => self.state.now.get(id).status,
                Premise::Observation(id) => self
                    .state
                    .observation_status(id)
                    .expect("it was found above"),
            };
            if status != Status::Active {
                return Err(DeriveError::NotStanding {
                    premise: *premise,
                    status,
                });
            }
        }
        Ok(premises.into_iter().collect())
    }
}

fn check_namespace(
    wanted: &Namespace,
    item: Item,
    found: Option<&Namespace>,
) -> Result<(), DeriveError> {
    match found {
        None => Err(DeriveError::NotInMemory { item }),
        Some(found) if found != wanted => Err(DeriveError::OtherNamespace { item }),
        Some(_) => Ok(()),
    }
}
