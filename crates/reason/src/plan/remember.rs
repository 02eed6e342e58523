//! `remember`: content arrives from a source.

use immune_model::{
    BeliefId, Closing, Event, Instant, JustificationId, Namespace, ObservationId, Observed,
    Polarity, Role, RunId, Screening, SourceId, Status, Text, Trust, limits,
};

use super::{ClaimError, Draft, Forbidden, NewClaim, SourceError, SourceRef};
use crate::relate::{Side, conflicts};
use crate::state::Grounds;
use crate::{replay, subject};

/// Content from a source, with the claims found in it.
#[derive(Debug, Clone)]
pub struct Remember {
    /// Whose words they are. Required: there is no fact without provenance.
    pub from: SourceRef,
    /// The part of the memory it is written for.
    pub namespace: Namespace,
    /// The content.
    pub text: Text,
    /// When its source sent it, if that is known; never invented.
    pub sent_at: Option<Instant>,
    /// What its channel calls it.
    pub external_id: Option<Text>,
    /// The run that read it.
    pub run: Option<RunId>,
    /// How the claims were found.
    pub screening: Screening,
    /// The claims.
    pub claims: Vec<NewClaim>,
}

/// Why nothing was remembered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RememberError {
    /// The source is not found.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A claim is refused.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The principal may not write.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// More claims than one observation may carry.
    #[error("the observation has {found} claims, the limit is {limit}")]
    TooManyClaims {
        /// How many it has.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

/// What became of one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementOutcome {
    /// A value that was not believed before.
    Stored,
    /// A value that another source had stated.
    Reinforced,
    /// A value that this source had stated before.
    Restated,
    /// It disagrees with what is believed.
    Contested,
    /// It replaces what this source had said.
    Superseded,
    /// It is kept, below the floor: recall leaves it out.
    Inert,
    /// Its value was refuted: it stays quarantined, whoever repeats it.
    Quarantined,
}

impl StatementOutcome {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Reinforced => "reinforced",
            Self::Restated => "restated",
            Self::Contested => "contested",
            Self::Superseded => "superseded",
            Self::Inert => "inert",
            Self::Quarantined => "quarantined",
        }
    }
}

/// What became of one claim, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementReport {
    /// The belief whose value it states.
    pub belief: BeliefId,
    /// What became of it.
    pub outcome: StatementOutcome,
    /// The status of the belief now.
    pub status: Status,
    /// The strength of the belief now.
    pub strength: Trust,
    /// The beliefs that it disagrees with.
    pub conflicts: Vec<BeliefId>,
}

/// What was remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The observation; the earlier one if this is a replay.
    pub observation: ObservationId,
    /// Its source.
    pub source: SourceId,
    /// It had come before, by its id or its content: nothing was written.
    pub repeated: bool,
    /// What came before under the same id says something else; that is what is kept.
    pub differs: bool,
    /// How its claims were found.
    pub screening: Screening,
    /// Its claims, in the order in which they were made.
    pub statements: Vec<StatementReport>,
}

impl Draft {
    /// Plans `remember`.
    pub fn remember(&mut self, command: &Remember) -> Result<Remembered, RememberError> {
        self.require(Role::Agent, "remember")?;
        self.check_may_speak(&command.from)?;
        let claims = self.checked_claims(command)?;
        if let Some(source) = self.find_source(&command.from)?
            && let Some(known) = self.find_replay(source, command, &claims)
        {
            return Ok(self.report_replay(known, source, &command.text));
        }
        let source = self.ensure_source(&command.from)?;
        Ok(self.observe(source, command, &claims))
    }

    /// The claims, each value once: saying a thing twice in one breath is saying it.
    pub(super) fn checked_claims(
        &self,
        command: &Remember,
    ) -> Result<Vec<NewClaim>, RememberError> {
        let (found, limit) = (command.claims.len(), limits::STATEMENTS_MAX);
        if found > limit {
            return Err(RememberError::TooManyClaims { found, limit });
        }
        let mut keys = rustc_hash::FxHashSet::default();
        let mut claims = Vec::with_capacity(found);
        for claim in &command.claims {
            let claim = claim.checked(self.now)?;
            if keys.insert(claim.key(&command.namespace)) {
                claims.push(claim);
            }
        }
        Ok(claims)
    }

    pub(super) fn find_replay(
        &self,
        source: SourceId,
        command: &Remember,
        claims: &[NewClaim],
    ) -> Option<ObservationId> {
        self.state.find_replay(source, command, claims)
    }

    pub(super) fn report_replay(
        &self,
        known: ObservationId,
        source: SourceId,
        text: &Text,
    ) -> Remembered {
        let observation = self.state.observations.get(known);
        let statements = observation.statements.iter().map(|it| {
            let belief = self.state.justifications.get(*it).belief;
            self.report(belief, StatementOutcome::Restated, Vec::new())
        });
        Remembered {
            observation: known,
            source,
            repeated: true,
            differs: observation.text != *text,
            screening: observation.screening,
            statements: statements.collect(),
        }
    }

    /// Writes an observation with its statements, and closes what it supersedes.
    pub(super) fn observe(
        &mut self,
        source: SourceId,
        command: &Remember,
        claims: &[NewClaim],
    ) -> Remembered {
        let from = self.events.len();
        let observation = self.state.observations.next_id();
        let statements = self.statements_for(&command.namespace, claims);
        let before: Vec<Before> = statements
            .iter()
            .map(|it| self.before(source, it.belief))
            .collect();
        let written: Vec<(BeliefId, JustificationId)> = statements
            .iter()
            .map(|it| (it.belief, it.justification))
            .collect();
        let screening = if statements.is_empty() {
            Screening::Unscreened
        } else {
            command.screening
        };
        self.push(Event::Observed(Observed {
            observation,
            source,
            namespace: command.namespace.clone(),
            text: command.text.clone(),
            sent_at: command.sent_at,
            external_id: command.external_id.clone(),
            run: command.run.clone(),
            screening,
            statements,
        }));
        let mut reports = Vec::new();
        for ((belief, justification), before) in written.into_iter().zip(before) {
            let replaced = self.superseded_statements(source, belief, justification);
            let superseded = !replaced.is_empty();
            if superseded {
                let closing = Closing::Superseded { by: justification };
                self.push(Event::StatementsClosed {
                    justifications: replaced,
                    closing,
                });
            }
            let conflicts = self.rivals_of(belief);
            let outcome = self.outcome(belief, before, superseded, &conflicts);
            reports.push(self.report(belief, outcome, conflicts));
        }
        self.respond(from);
        Remembered {
            observation,
            source,
            repeated: false,
            differs: false,
            screening,
            statements: reports,
        }
    }

    fn before(&self, source: SourceId, belief: BeliefId) -> Before {
        if self.state.belief(belief).is_none() {
            return Before::New;
        }
        if self.state.has_stated(source, belief) {
            Before::Own
        } else {
            Before::Known
        }
    }

    fn outcome(
        &self,
        belief: BeliefId,
        before: Before,
        superseded: bool,
        conflicts: &[BeliefId],
    ) -> StatementOutcome {
        let now = self.state.now.get(belief);
        if now.status == Status::Quarantined {
            StatementOutcome::Quarantined
        } else if now.strength < Trust::FLOOR {
            StatementOutcome::Inert
        } else if superseded {
            StatementOutcome::Superseded
        } else if !conflicts.is_empty() {
            StatementOutcome::Contested
        } else {
            match before {
                Before::New => StatementOutcome::Stored,
                Before::Known => StatementOutcome::Reinforced,
                Before::Own => StatementOutcome::Restated,
            }
        }
    }

    fn report(
        &self,
        belief: BeliefId,
        outcome: StatementOutcome,
        conflicts: Vec<BeliefId>,
    ) -> StatementReport {
        let now = self.state.now.get(belief);
        StatementReport {
            belief,
            outcome,
            status: now.status,
            strength: now.strength,
            conflicts,
        }
    }

    /// The active beliefs on the same subject that are at or above the floor and disagree.
    pub(super) fn rivals_of(&self, id: BeliefId) -> Vec<BeliefId> {
        self.state.rivals_of(id)
    }

    /// The standing statements of this source that the new one replaces: another value on the
    /// same single-valued subject, no stronger than the new one (semantics.md 3).
    fn superseded_statements(
        &self,
        source: SourceId,
        belief: BeliefId,
        by: JustificationId,
    ) -> Vec<JustificationId> {
        let state = &self.state;
        let new = state.beliefs.get(belief);
        if new.polarity == Polarity::Open {
            return Vec::new();
        }
        let strength = state.statement_trust(by);
        let said_in = match state.justifications.get(by).grounds {
            Grounds::Statement { observation, .. } => Some(observation),
            Grounds::Derivation { .. } => None,
        };
        let registered = subject::registration(&new.subject).is_some();
        let others = state
            .beliefs_about(&new.namespace, &new.subject)
            .filter(|it| *it != belief);
        let replaced = others.filter(|it| {
            let old = state.beliefs.get(*it);
            let other_value =
                registered && !subject::decisive(&old.subject, &old.literals).is_empty();
            other_value
                && old.polarity == new.polarity
                && !subject::decisive(&new.subject, &new.literals).is_empty()
                || state.conflict_between(belief, *it)
        });
        let mut closed: Vec<JustificationId> = replaced
            .flat_map(|it| state.justifications_of(it))
            .filter(|it| {
                let earlier = match state.justifications.get(*it).grounds {
                    // Two values in one breath replace nothing.
                    Grounds::Statement { observation, .. } => {
                        state.observations.get(observation).source == source
                            && Some(observation) != said_in
                    }
                    Grounds::Derivation { .. } => false,
                };
                earlier && state.closing_of(*it).is_none() && state.statement_trust(*it) <= strength
            })
            .collect();
        closed.sort_unstable();
        closed
    }
}

/// What was known of a value before it was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    New,
    Known,
    Own,
}

impl crate::State {
    /// The observation that a command without claims of its own would repeat, if it came before:
    /// whoever would ask a model about it need not.
    pub fn repeated_by(&self, command: &Remember) -> Option<ObservationId> {
        let channel = self.find_channel(command.from.channel.as_ref()?)?;
        let source = self.find_source(channel, &command.from.handle)?;
        self.find_replay(source, command, &[])
    }

    fn find_replay(
        &self,
        source: SourceId,
        command: &Remember,
        claims: &[NewClaim],
    ) -> Option<ObservationId> {
        let explicit: Vec<(&str, &str)> = match command.screening {
            Screening::Explicit => claims
                .iter()
                .map(|it| (it.subject.as_str(), it.text.as_str()))
                .collect(),
            Screening::Rules | Screening::Model | Screening::Unscreened => Vec::new(),
        };
        let keys = replay::keys(&replay::Content {
            source,
            namespace: &command.namespace,
            text: &command.text,
            sent_at: command.sent_at,
            external_id: command.external_id.as_ref(),
            claims: &explicit,
        });
        let found = keys
            .iter()
            .find_map(|key| self.observation_by_replay.get(key))?;
        // Without a time or an id, the same words after they were closed are said anew.
        let told_apart = command.sent_at.is_some() || command.external_id.is_some();
        let standing = || {
            let statements = &self.observations.get(found).statements;
            let closed = |it: &JustificationId| self.closing_of(*it).is_some();
            self.observations.get(found).closing.is_none() && !statements.iter().any(closed)
        };
        (told_apart || standing()).then_some(found)
    }

    /// A belief as one side of a comparison.
    pub(crate) fn side_of(&self, id: BeliefId) -> Side<'_> {
        let belief = self.beliefs.get(id);
        Side {
            polarity: belief.polarity,
            literals: &belief.literals,
            text: belief.text.as_str(),
        }
    }

    /// Whether two beliefs about one subject cannot both hold.
    pub(crate) fn conflict_between(&self, left: BeliefId, right: BeliefId) -> bool {
        let subject = &self.beliefs.get(left).subject;
        conflicts(subject, self.side_of(left), self.side_of(right))
    }

    /// The active beliefs on the same subject that are at or above the floor and disagree with
    /// this one, oldest first.
    pub fn rivals_of(&self, id: BeliefId) -> Vec<BeliefId> {
        let belief = self.beliefs.get(id);
        let mut rivals: Vec<BeliefId> = self
            .beliefs_about(&belief.namespace, &belief.subject)
            .filter(|it| *it != id)
            .filter(|it| {
                let now = self.now.get(*it);
                now.status == Status::Active && now.strength >= Trust::FLOOR
            })
            .filter(|it| self.conflict_between(id, *it))
            .collect();
        rivals.sort_unstable();
        rivals
    }
}
