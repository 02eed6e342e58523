//! What follows from an attribution, where somebody asks for it: a challenge of what is to blame,
//! with the attribution as the evidence.
//!
//! Nothing else quarantines. The challenge has the authority of its challenger (semantics.md 8):
//! without it a review is opened, and nothing moves. A claim is stated about the subject of a
//! culprit only where it contradicts it, or where the caller names that subject: what is true of
//! one topic says nothing of another.

use std::collections::BTreeMap;

use immune_model::{
    AttributionId, BeliefId, Metadata, Namespace, Outcome, Premise, Role, Screening, Status,
    Subject, SubjectFrom, Text,
};
use immune_reason::literal::literals;
use immune_reason::plan::{
    Challenge, ChallengeError, Challenged, Forbidden, NewClaim, Remember, SourceRef,
};
use immune_reason::polarity::polarity;
use immune_reason::{Relation, Side, State, relate};

use crate::error::{OpenError, WriteError};
use crate::session::Session;

/// What an attribution blames is to be challenged.
#[derive(Debug, Clone)]
pub struct Quarantine {
    /// Which attribution.
    pub attribution: AttributionId,
    /// Who challenges.
    pub from: SourceRef,
    /// What is true instead; the expected value of the attribution, if nothing is said.
    pub claim: Option<Text>,
    /// The subject that the claim is about; each that it contradicts, if nothing is said.
    pub about: Option<Subject>,
    /// Whether an attribution is taken that did not come to its end, so that what it blames was not
    /// asked without, or more is hidden.
    pub takes_incomplete: bool,
}

/// Why nothing was challenged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuarantineError {
    /// The memory is not to be had.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The principal may not quarantine.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// It does not exist.
    #[error("`{attribution}` is not in this memory")]
    NotInMemory {
        /// What was named.
        attribution: AttributionId,
    },
    /// Nobody says what is true instead.
    #[error("a challenge says what is true instead, and nothing does")]
    NoClaim,
    /// It blames nobody.
    #[error("`{attribution}` blames nobody")]
    BlamesNobody {
        /// What was named.
        attribution: AttributionId,
    },
    /// It did not come to its end, and that was not said to be enough.
    #[error("`{attribution}` is incomplete (`{}`): what it blames is the best so far", .outcome.name())]
    Incomplete {
        /// What was named.
        attribution: AttributionId,
        /// How it ended.
        outcome: Outcome,
    },
    /// The challenge is refused.
    #[error(transparent)]
    Challenge(ChallengeError),
}

/// What was challenged, and what was not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quarantined {
    /// One challenge for each subject, in their order.
    pub challenged: Vec<Challenged>,
    /// What was not challenged.
    pub left: Vec<LeftAlone>,
    /// Why nothing was, in words, if the challenge was refused.
    pub refused: Option<String>,
}

/// A memory that is to blame and was not challenged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftAlone {
    /// Which one.
    pub item: Premise,
    /// Why not.
    pub why: WhyLeft,
}

/// Why a memory was not challenged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyLeft {
    /// It states no claim, so that no claim contradicts it.
    Note,
    /// It does not stand.
    NotStanding(Status),
    /// The claim does not contradict it, and nobody said that it is about the same.
    OtherTopic,
}

impl WhyLeft {
    /// The reason in words.
    pub fn text(self) -> String {
        match self {
            Self::Note => "it states no claim that another one could contradict".to_owned(),
            Self::NotStanding(status) => format!("it is {} already", status.name()),
            Self::OtherTopic => "the claim does not decide whether it contradicts it".to_owned(),
        }
    }
}

impl Quarantined {
    /// Nothing was challenged, for this reason.
    pub(super) fn refused(error: &QuarantineError) -> Self {
        Self {
            refused: Some(error.to_string()),
            ..Self::default()
        }
    }
}

impl Session {
    /// Whether the principal may quarantine by an attribution.
    pub(super) fn check_may_quarantine(&self) -> Result<(), Forbidden> {
        Forbidden::check(&self.principal, Role::Verifier, "quarantine")
    }

    /// Challenges what an attribution blames, with the attribution as the evidence.
    pub fn quarantine(&self, command: &Quarantine) -> Result<Quarantined, QuarantineError> {
        self.check_may_quarantine()?;
        let snapshot = self.snapshot()?;
        let state = snapshot.state();
        let attribution = command.attribution;
        let found = state
            .attribution(attribution)
            .ok_or(QuarantineError::NotInMemory { attribution })?;
        let outcome = found.what.outcome;
        let is_whole = outcome == Outcome::Found || command.takes_incomplete;
        let blamed = found.candidates(&found.what.correction);
        let blamed: Vec<Premise> = blamed.map(|it| it.item).collect();
        if blamed.is_empty() {
            return Err(QuarantineError::BlamesNobody { attribution });
        }
        if !is_whole {
            return Err(QuarantineError::Incomplete {
                attribution,
                outcome,
            });
        }
        let claim = command.claim.as_ref().or(found.what.expected.as_ref());
        let claim = claim.ok_or(QuarantineError::NoClaim)?;
        let mut done = Quarantined::default();
        let mut groups: BTreeMap<(Namespace, Subject), Vec<BeliefId>> = BTreeMap::new();
        for item in blamed {
            match place(state, item, claim, command.about.as_ref()) {
                Ok((key, belief)) => groups.entry(key).or_default().push(belief),
                Err(why) => done.left.push(LeftAlone { item, why }),
            }
        }
        done.left.dedup();
        for ((namespace, subject), mut against) in groups {
            against.sort_unstable();
            against.dedup();
            let challenge = challenge(&command.from, namespace, subject, claim, against);
            let challenged = self.write(move |draft| draft.challenge_with(&challenge, attribution));
            match challenged {
                Ok(it) => done.challenged.push(it),
                // What was challenged before is told all the same.
                Err(error) if !done.challenged.is_empty() => {
                    done.refused = Some(error.to_string());
                    break;
                }
                Err(WriteError::Refused(error)) => return Err(QuarantineError::Challenge(error)),
                Err(WriteError::Failed(error)) => return Err(error.into()),
            }
        }
        Ok(done)
    }
}

/// Under which subject a culprit is challenged, or why it is not.
fn place(
    state: &State,
    item: Premise,
    claim: &Text,
    about: Option<&Subject>,
) -> Result<((Namespace, Subject), BeliefId), WhyLeft> {
    let id = super::belief_of(item).ok_or(WhyLeft::Note)?;
    let (Some(belief), Some(now)) = (state.belief(id), state.belief_now(id)) else {
        return Err(WhyLeft::Note);
    };
    if now.status != Status::Active {
        return Err(WhyLeft::NotStanding(now.status));
    }
    let read = literals(claim.as_str());
    let ours = Side {
        polarity: polarity(claim.as_str()),
        literals: &read,
        text: claim.as_str(),
    };
    let theirs = Side {
        polarity: belief.polarity,
        literals: &belief.literals,
        text: belief.text.as_str(),
    };
    let contradicts = match about {
        Some(about) => *about == belief.subject,
        None => matches!(relate(&belief.subject, ours, theirs), Relation::Conflict(_)),
    };
    if !contradicts {
        return Err(WhyLeft::OtherTopic);
    }
    Ok(((belief.namespace.clone(), belief.subject.clone()), id))
}

fn challenge(
    from: &SourceRef,
    namespace: Namespace,
    subject: Subject,
    claim: &Text,
    against: Vec<BeliefId>,
) -> Challenge {
    Challenge {
        statement: Remember {
            from: from.clone(),
            namespace,
            text: claim.clone(),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Explicit,
            claims: vec![NewClaim::read(subject, SubjectFrom::Caller, claim.clone())],
            metadata: Metadata::default(),
        },
        against,
    }
}
