//! `challenge`: somebody says that what is believed is false. Never suppressible.
//!
//! A system of record refutes; anyone else opens a review (semantics.md 8). Either way the claim
//! is remembered: healed memory answers with the truth, not with nothing.

use immune_model::{
    BeliefId, Event, Incident, IncidentId, ObservationId, ReviewId, Role, Screening, SourceId,
    Status, TaskId, Verdict, limits,
};

use super::{Draft, Forbidden, NewClaim, Remember, RememberError, SourceRef};
use crate::relate::{Relation, relate};
use crate::state::IncidentRecord;

/// A claim that contradicts what is believed.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// Who says so, in which words, about what: one claim.
    pub statement: Remember,
    /// The beliefs it is against, if the challenger names them; otherwise every active one about
    /// the subject that disagrees.
    pub against: Vec<BeliefId>,
}

impl Challenge {
    /// A challenge in one claim.
    pub fn new(from: SourceRef, claim: NewClaim) -> Self {
        Self {
            statement: Remember {
                from,
                namespace: immune_model::Namespace::ROOT,
                text: claim.text.clone(),
                sent_at: None,
                external_id: None,
                run: None,
                screening: Screening::Explicit,
                claims: vec![claim],
                metadata: immune_model::Metadata::default(),
            },
            against: Vec::new(),
        }
    }
}

/// Why a challenge was not heard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The statement itself is refused.
    #[error(transparent)]
    Statement(#[from] RememberError),
    /// The principal may not challenge.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// A challenge states one claim.
    #[error("a challenge states one claim, this one has {found}")]
    NotOneClaim {
        /// How many it has.
        found: usize,
    },
    /// A belief that does not exist.
    #[error("`{belief}` is not in this memory")]
    NotInMemory {
        /// What was named.
        belief: BeliefId,
    },
    /// A belief about something else.
    #[error("`{belief}` is about `{found}`, the challenge is about `{about}`")]
    OtherSubject {
        /// What was named.
        belief: BeliefId,
        /// What it is about.
        found: immune_model::Subject,
        /// What the challenge is about.
        about: immune_model::Subject,
    },
    /// The id of the statement is that of another one.
    #[error("`{observation}` has that id already, and says something else")]
    OtherContent {
        /// The observation that came with the id.
        observation: ObservationId,
    },
    /// The belief says the same as the challenge.
    #[error("`{belief}` is what the challenge states")]
    Agrees {
        /// What was named.
        belief: BeliefId,
    },
}

/// What a challenge led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeOutcome {
    /// A system of record refuted what disagreed.
    Refuted,
    /// The challenger has no such authority: a person decides.
    Review,
    /// A system of record states what was believed: those who said so survived a check.
    Confirmed,
    /// Nothing disagreed.
    Unopposed,
}

impl ChallengeOutcome {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refuted => "refuted",
            Self::Review => "review",
            Self::Confirmed => "confirmed",
            Self::Unopposed => "unopposed",
        }
    }
}

/// What a challenge led to, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenged {
    /// What it led to.
    pub outcome: ChallengeOutcome,
    /// The observation in which the challenger spoke.
    pub observation: ObservationId,
    /// The belief that the challenger states.
    pub claimed: BeliefId,
    /// The incident, if one was opened; the earlier one if this is a repeat.
    pub incident: Option<(IncidentId, IncidentRecord)>,
    /// The review, if one was opened; the earlier one if this is a repeat.
    pub review: Option<ReviewId>,
    /// The beliefs that are disputed but were not refuted.
    pub disputed: Vec<BeliefId>,
    /// The active beliefs about the same subject in which neither polarity nor a literal decides
    /// whether they agree: a challenge that names them is against them.
    pub undecided: Vec<BeliefId>,
    /// The tasks that were opened for what was load-bearing.
    pub tasks: Vec<TaskId>,
}

impl Draft {
    /// Plans `challenge`.
    pub fn challenge(&mut self, command: &Challenge) -> Result<Challenged, ChallengeError> {
        self.require(Role::Agent, "challenge")?;
        let [claim] = command.statement.claims.as_slice() else {
            return Err(ChallengeError::NotOneClaim {
                found: command.statement.claims.len(),
            });
        };
        self.check_against(command, claim)?;
        self.check_replay(command, claim)?;
        let from = self.events.len();
        let since = self.state.seq() + 1;
        let remembered = self.remember(&command.statement)?;
        let claimed = self
            .belief_for(&command.statement.namespace, claim)
            .expect("the claim was stated, now or before");
        let (challenger, trigger) = (remembered.source, remembered.observation);
        let rivals = self.challenged_beliefs(claimed, challenger, &command.against);
        let stands = self.state.now.get(claimed).status == Status::Active;
        let record = self.state.is_record(challenger, &claim.subject);
        let recorded = self.stated_by_other_record(claimed, challenger);
        let leads = |it| {
            self.state
                .leads_without(claimed, it, challenger, recorded, self.now)
        };
        let (refuted, disputed): (Vec<_>, Vec<_>) = rivals.into_iter().partition(|it| {
            stands && !self.stated_by_other_record(*it, challenger) && (record || leads(*it))
        });
        if record && stands {
            self.confirm(claimed, challenger);
        }
        let first_task = self.state.tasks.len();
        if !refuted.is_empty() {
            self.open_incident(trigger, challenger, &refuted, since);
        }
        let review = self.ensure_review(trigger, challenger, claimed, &disputed);
        self.respond(from);
        let tasks = self.state.tasks.ids().skip(first_task).collect();
        let incident = self.incident_by(trigger);
        let outcome = if incident.is_some() {
            ChallengeOutcome::Refuted
        } else if review.is_some() {
            ChallengeOutcome::Review
        } else if record && self.state.sources_stating(claimed).len() > 1 {
            ChallengeOutcome::Confirmed
        } else {
            ChallengeOutcome::Unopposed
        };
        Ok(Challenged {
            outcome,
            observation: trigger,
            claimed,
            incident,
            review,
            disputed,
            undecided: self.undecided(claimed),
            tasks,
        })
    }

    /// An id that came with other words must not lend its statement to this challenge.
    fn check_replay(&self, command: &Challenge, claim: &NewClaim) -> Result<(), ChallengeError> {
        let statement = &command.statement;
        let source = self
            .find_source(&statement.from)
            .map_err(RememberError::from)?;
        let claims = self.checked_claims(statement)?;
        let known = source.and_then(|it| self.find_replay(it, statement, &claims));
        let Some(observation) = known else {
            return Ok(());
        };
        let stated = self.belief_for(&statement.namespace, claim);
        let statements = &self.state.observations.get(observation).statements;
        let says = |it: &immune_model::JustificationId| {
            Some(self.state.justifications.get(*it).belief) == stated
        };
        if statements.iter().any(says) {
            return Ok(());
        }
        Err(ChallengeError::OtherContent { observation })
    }

    fn check_against(&self, command: &Challenge, claim: &NewClaim) -> Result<(), ChallengeError> {
        let stated = self.belief_for(&command.statement.namespace, claim);
        for belief in &command.against {
            let Some(found) = self.state.belief(*belief) else {
                return Err(ChallengeError::NotInMemory { belief: *belief });
            };
            if found.subject != claim.subject || found.namespace != command.statement.namespace {
                return Err(ChallengeError::OtherSubject {
                    belief: *belief,
                    found: found.subject.clone(),
                    about: claim.subject.clone(),
                });
            }
            if stated == Some(*belief) {
                return Err(ChallengeError::Agrees { belief: *belief });
            }
        }
        Ok(())
    }

    /// The beliefs in question: those named, or every one about the subject that disagrees and is
    /// active, or would be if it were not flagged. One that was refuted already is in question no
    /// more, nor is the challenger's own.
    fn challenged_beliefs(
        &self,
        claimed: BeliefId,
        challenger: SourceId,
        named: &[BeliefId],
    ) -> Vec<BeliefId> {
        let state = &self.state;
        let belief = state.beliefs.get(claimed);
        let mut found: Vec<BeliefId> = if named.is_empty() {
            state
                .beliefs_about(&belief.namespace, &belief.subject)
                .filter(|it| {
                    let status = state.now.get(*it).status;
                    *it != claimed && matches!(status, Status::Active | Status::Quarantined)
                })
                .filter(|it| state.conflict_between(claimed, *it))
                .collect()
        } else {
            named.to_vec()
        };
        found.retain(|it| !state.is_refuted_by_record(*it));
        // What the challenger said itself it replaces; it does not refute it.
        found.retain(|it| !state.has_stated(challenger, *it));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn undecided(&self, claimed: BeliefId) -> Vec<BeliefId> {
        let state = &self.state;
        let belief = state.beliefs.get(claimed);
        let about = state.beliefs_about(&belief.namespace, &belief.subject);
        let others =
            about.filter(|it| *it != claimed && state.now.get(*it).status == Status::Active);
        let mut others: Vec<BeliefId> = others
            .filter(|it| {
                let relation = relate(&belief.subject, state.side_of(claimed), state.side_of(*it));
                relation == Relation::Unrelated
            })
            .take(limits::RECALL_EXCLUDED_MAX)
            .collect();
        others.sort_unstable();
        others
    }

    fn stated_by_other_record(&self, belief: BeliefId, challenger: SourceId) -> bool {
        let subject = &self.state.beliefs.get(belief).subject;
        let sources = self.state.sources_stating(belief);
        sources
            .into_iter()
            .any(|it| it != challenger && self.state.is_record(it, subject))
    }

    /// A record states what others said: they survived a check.
    pub(super) fn confirm(&mut self, belief: BeliefId, record: SourceId) {
        let mut sources = self.state.sources_stating(belief).into_iter();
        let gains = sources.any(|it| it != record && !self.state.has_survived(it, belief));
        if gains {
            self.push(Event::Checked {
                belief,
                record,
                verdict: Verdict::Confirmed,
            });
        }
    }

    pub(super) fn open_incident(
        &mut self,
        trigger: ObservationId,
        challenger: SourceId,
        refuted: &[BeliefId],
        since: u64,
    ) -> IncidentId {
        let incident = self.state.incidents.next_id();
        let first = *refuted.first().expect("an incident refutes something");
        self.push(Event::IncidentOpened(Incident {
            incident,
            since,
            trigger,
            challenger,
            subject: self.state.beliefs.get(first).subject.clone(),
            refuted: refuted.to_vec(),
        }));
        incident
    }

    /// One review per origin and claimed value; a repeat finds the earlier one.
    pub(super) fn ensure_review(
        &mut self,
        trigger: ObservationId,
        challenger: SourceId,
        claimed: BeliefId,
        disputed: &[BeliefId],
    ) -> Option<ReviewId> {
        if disputed.is_empty() {
            return None;
        }
        let origin = self.state.origin(challenger);
        if let Some(known) = self.state.review_by_key.get(&(origin, claimed)) {
            return Some(*known);
        }
        let review = self.state.reviews.next_id();
        self.push(Event::ReviewOpened {
            review,
            trigger,
            challenger,
            claimed,
            subject: self.state.beliefs.get(claimed).subject.clone(),
            against: disputed.to_vec(),
        });
        Some(review)
    }

    /// The latest incident that this observation triggered, as it is now.
    fn incident_by(&self, trigger: ObservationId) -> Option<(IncidentId, IncidentRecord)> {
        let found = self
            .state
            .incidents
            .iter()
            .filter(|(_, it)| it.trigger() == Some(trigger) && it.stands())
            .last();
        found.map(|(id, record)| (id, record.clone()))
    }
}
