//! `remember`: content arrives from a source.

use immune_model::{
    BeliefId, Closing, ContextUse, Event, IncidentId, Instant, JustificationId, Metadata,
    Namespace, ObservationId, Observed, Polarity, Role, RunId, Screening, SourceId, Status, Text,
    Trust, Write, limits,
};

use super::{ClaimError, Draft, Forbidden, NewClaim, SourceError, SourceRef};
use crate::origins::Origin;
use crate::relate::{Side, conflicts};
use crate::screen::{StatementOutcome, StatementReport};
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
    /// What is noted about it, for filtering; with content that had come before it replaces what
    /// was noted then, unless it is empty.
    pub metadata: Metadata,
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
    /// The incident that flagged it or its source, if one did.
    pub flagged_in: Option<IncidentId>,
}

impl Remembered {
    /// What became of it as a whole.
    pub fn outcome(&self) -> StatementOutcome {
        let claims = self.statements.iter().map(|it| it.outcome);
        StatementOutcome::of_all(claims, self.flagged_in)
    }
}

impl Draft {
    /// Plans `remember`.
    pub fn remember(&mut self, command: &Remember) -> Result<Remembered, RememberError> {
        self.require(Role::Agent, "remember")?;
        self.check_may_speak(&command.from)?;
        let claims = self.checked_claims(command)?;
        if let Some(source) = self.find_source(&command.from)?
            && let Some(known) = self.find_replay(source, command, &claims)
            && !self.is_said_anew(known, command, &claims)
        {
            self.annotate(Write::Observation(known), &command.metadata);
            return Ok(self.report_replay(known, source, &command.text));
        }
        let source = self.ensure_source(&command.from)?;
        let remembered = self.observe(source, command, &claims);
        self.annotate(
            Write::Observation(remembered.observation),
            &command.metadata,
        );
        Ok(remembered)
    }

    /// Notes something about a write, unless that is noted.
    pub(super) fn annotate(&mut self, write: Write, metadata: &Metadata) {
        if !metadata.is_empty() && self.state.metadata_of(write) != Some(metadata) {
            let metadata = metadata.clone();
            self.push(Event::Annotated { write, metadata });
        }
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

    /// Whether what would be a replay is a new statement, for it makes fresh what fades: the same
    /// words later, without an id or a time, about what has a half-life.
    fn is_said_anew(&self, known: ObservationId, command: &Remember, claims: &[NewClaim]) -> bool {
        let told_apart = command.sent_at.is_some() || command.external_id.is_some();
        let is_later = self.now > self.state.observations.get(known).received_at;
        let mut subjects = claims.iter().map(|it| &it.subject);
        let fades = subjects.any(|it| self.state.half_life_of(it).is_some());
        !told_apart && is_later && fades
    }

    pub(super) fn find_replay(
        &self,
        source: SourceId,
        command: &Remember,
        claims: &[NewClaim],
    ) -> Option<ObservationId> {
        // A model that need not look again names no claims.
        let is_unread = command.screening == Screening::Model && claims.is_empty();
        let claims = (!is_unread).then_some(claims);
        self.state.find_replay(source, command, claims)
    }

    pub(super) fn report_replay(
        &self,
        known: ObservationId,
        source: SourceId,
        text: &Text,
    ) -> Remembered {
        let observation = self.state.observations.get(known);
        let statements = self.state.screened(known).into_iter();
        let statements = statements.map(StatementReport::repeated);
        Remembered {
            observation: known,
            source,
            repeated: true,
            differs: observation.text != *text,
            screening: observation.screening,
            statements: statements.collect(),
            flagged_in: self.state.flag_over(known),
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
        let written: Vec<(BeliefId, JustificationId)> = statements
            .iter()
            .map(|it| (it.belief, it.justification))
            .collect();
        let screening = if statements.is_empty() {
            Screening::Unscreened
        } else {
            command.screening
        };
        let run = self.run_of_write(command.run.as_ref());
        if self.state.has_contexts() && self.state.context_counts(source) {
            let carriers = self.carriers_for(run.as_ref(), &command.namespace, &statements);
            if !carriers.is_empty() {
                let write = Write::Observation(observation);
                let used = ContextUse::Carried(carriers);
                self.push(Event::ContextUsed { write, used });
            }
        }
        let earlier = self.said_before(&command.namespace, &command.text);
        let claims = self.state.heeded(source, &command.namespace, claims);
        self.push_hedges(statements.iter().map(|it| it.justification).zip(&claims));
        self.push(Event::Observed(Observed {
            observation,
            source,
            namespace: command.namespace.clone(),
            text: command.text.clone(),
            sent_at: command.sent_at,
            external_id: command.external_id.clone(),
            run,
            screening,
            statements,
        }));
        // Whether it is as strong as what it replaces hangs on whose words it repeats.
        let of_content = self.infer_content(source, observation, &earlier);
        for (belief, justification) in written {
            let replaced = self.superseded_statements(source, belief, justification);
            if !replaced.is_empty() {
                let closing = Closing::Superseded { by: justification };
                self.push(Event::StatementsClosed {
                    justifications: replaced,
                    closing,
                });
            }
        }
        self.infer_copies(source, observation, of_content);
        let statements = self.state.screened(observation);
        self.respond(from);
        Remembered {
            observation,
            source,
            repeated: false,
            differs: false,
            screening,
            statements,
            flagged_in: self.state.flag_over(observation),
        }
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
        // The many that others state are left out first: whether two disagree takes longest.
        let own = |it: JustificationId| match state.justifications.get(it).grounds {
            // Two values in one breath replace nothing.
            Grounds::Statement { observation, .. } => {
                state.observations.get(observation).source == source && Some(observation) != said_in
            }
            Grounds::Derivation { .. } => false,
        };
        let replaced = others.filter(|it| {
            let old = state.beliefs.get(*it);
            let other_value = || {
                registered
                    && !subject::decisive(&old.subject, &old.literals).is_empty()
                    && old.polarity == new.polarity
                    && !subject::decisive(&new.subject, &new.literals).is_empty()
            };
            state.justifications_of(*it).any(own)
                && (other_value() || state.conflict_between(belief, *it))
        });
        let mut closed: Vec<JustificationId> = replaced
            .flat_map(|it| state.justifications_of(it))
            .filter(|it| {
                own(*it)
                    && state.closing_of(*it).is_none()
                    && state.statement_trust(*it) <= strength
            })
            .collect();
        closed.sort_unstable();
        closed
    }
}

impl crate::State {
    /// The observation that a command without claims of its own would repeat, if it came before:
    /// whoever would ask a model about it need not.
    pub fn repeated_by(&self, command: &Remember) -> Option<ObservationId> {
        let channel = self.find_channel(command.from.channel.as_ref()?)?;
        let source = self.find_source(channel, &command.from.handle)?;
        self.find_replay(source, command, None)
    }

    /// The claims as sure as they are from this source: an order of whom nobody vouches for, and who
    /// never survived a check, is no more than a guess, and neither is what repeats what was refuted.
    fn heeded(
        &self,
        source: SourceId,
        namespace: &Namespace,
        claims: &[NewClaim],
    ) -> Vec<NewClaim> {
        let mut claims = claims.to_vec();
        let each = claims.iter_mut();
        each.for_each(|it| self.wary(namespace, Some(source), it));
        if matches!(self.origin(source), Origin::Newcomers(_)) {
            let orders = claims.iter_mut();
            let orders = orders.filter(|it| crate::polarity::is_order(it.text.as_str()));
            orders.for_each(|it| it.lower(Some(Trust::ORDERED)));
        }
        claims
    }

    /// An earlier observation of the same content; what claims are read in it decides only where
    /// they are known.
    fn find_replay(
        &self,
        source: SourceId,
        command: &Remember,
        claims: Option<&[NewClaim]>,
    ) -> Option<ObservationId> {
        let explicit: Vec<(&str, &str)> = match command.screening {
            Screening::Explicit => claims
                .unwrap_or_default()
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
        // Without a time or an id, the same words after they were closed are said anew, and so they
        // are by whoever is surer of them, or less sure.
        let told_apart = command.sent_at.is_some() || command.external_id.is_some();
        let standing = || {
            let statements = &self.observations.get(found).statements;
            let closed = |it: &JustificationId| self.closing_of(*it).is_some();
            let sure = statements.iter().map(|it| self.confidence_of(*it));
            let as_sure = |it: &[NewClaim]| {
                let claims = self.heeded(source, &command.namespace, it);
                sure.eq(claims.iter().map(NewClaim::hedge))
            };
            self.observations.get(found).closing.is_none()
                && !statements.iter().any(closed)
                && claims.is_none_or(as_sure)
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
