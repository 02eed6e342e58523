//! A claim as a caller hands it in, checked against the limits.

use immune_model::{
    BeliefId, Event, Hedge, Instant, JustificationId, Literal, Namespace, Polarity, Statement,
    Subject, SubjectFrom, Text, Trust, limits,
};

use super::Draft;
use crate::subject;

/// A claim that is about to be stated or derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClaim {
    /// What it is about.
    pub subject: Subject,
    /// Who chose the subject.
    pub subject_from: SubjectFrom,
    /// The claim in words.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// Its typed literals, in any order.
    pub literals: Vec<Literal>,
    /// How sure it is, if it is not made plainly: it is trusted no further, whoever makes it.
    pub confidence: Option<Trust>,
    /// When what it says starts to hold, if it says so.
    pub valid_from: Option<Instant>,
    /// When what it says ceases to hold, if it says so.
    pub valid_until: Option<Instant>,
    /// When it expires, if ever.
    pub expires_at: Option<Instant>,
}

/// Who says whether a claim affirms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Its words, or somebody whose word does not stand against the text.
    Read,
    /// An operator, in so many words.
    Vouched,
}

/// Why a claim is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// More literals than one claim may carry.
    #[error("the claim about `{subject}` has {found} literals, the limit is {limit}")]
    TooManyLiterals {
        /// What it is about.
        subject: Subject,
        /// How many it has.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// It ceases to hold before it starts to.
    #[error("the claim about `{subject}` holds until {until}, before it starts at {from}")]
    NeverValid {
        /// What it is about.
        subject: Subject,
        /// When it starts to hold.
        from: Instant,
        /// When it ceases to.
        until: Instant,
    },
    /// It expires before it is written.
    #[error("the claim about `{subject}` expired at {expires_at}")]
    AlreadyExpired {
        /// What it is about.
        subject: Subject,
        /// When it expired.
        expires_at: Instant,
    },
}

impl NewClaim {
    /// A claim in words alone: polarity, literals and how sure it is are read from the text by rules.
    pub fn read(subject: Subject, subject_from: SubjectFrom, text: Text) -> Self {
        Self {
            subject,
            subject_from,
            polarity: crate::polarity::polarity(text.as_str()),
            literals: crate::literal::literals(text.as_str()),
            confidence: crate::polarity::confidence(text.as_str()),
            text,
            valid_from: None,
            valid_until: None,
            expires_at: None,
        }
    }

    /// Trusts the claim no further than this; what it is less sure of itself stays so.
    pub fn lower(&mut self, confidence: Option<Trust>) {
        self.confidence = match (self.confidence, confidence) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// Holds the claim to the text beside which it is stated: it is no surer than the sentences that
    /// say it, and leaves open what they say otherwise, unless who states it vouches for its sign.
    pub fn hold_to(&mut self, text: &str, sign: Sign) {
        if text == self.text.as_str() {
            return;
        }
        let Some(said) = crate::polarity::beside(text, self.text.as_str()) else {
            return;
        };
        self.lower(said.confidence);
        // Who is not sure says on which side he is all the same.
        let is_unsure = said.polarity == Polarity::Open && said.confidence.is_some();
        if sign == Sign::Read && said.polarity != self.polarity && !is_unsure {
            self.polarity = Polarity::Open;
        }
    }

    /// How sure it is, if that can make a difference.
    pub(super) fn hedge(&self) -> Option<Trust> {
        self.confidence.filter(|it| *it < Trust::ONE)
    }

    /// The key of the belief whose value it states.
    pub(super) fn key(&self, namespace: &Namespace) -> [u8; 16] {
        let (polarity, text) = (self.polarity, self.text.as_str());
        subject::belief_key(namespace, &self.subject, polarity, &self.literals, text)
    }

    /// The claim with its literals sorted and each once, if it keeps to the limits.
    pub(super) fn checked(&self, now: Instant) -> Result<Self, ClaimError> {
        let mut claim = self.clone();
        claim.literals.sort_unstable();
        claim.literals.dedup();
        let (found, limit) = (claim.literals.len(), limits::LITERALS_MAX);
        if found > limit {
            return Err(ClaimError::TooManyLiterals {
                subject: claim.subject,
                found,
                limit,
            });
        }
        if let (Some(from), Some(until)) = (claim.valid_from, claim.valid_until)
            && until <= from
        {
            return Err(ClaimError::NeverValid {
                subject: claim.subject,
                from,
                until,
            });
        }
        match claim.expires_at {
            Some(expires_at) if expires_at <= now => Err(ClaimError::AlreadyExpired {
                subject: claim.subject,
                expires_at,
            }),
            _ => Ok(claim),
        }
    }
}

impl Draft {
    /// The belief whose value a claim states: the known one, or the next id.
    pub(super) fn belief_for(&self, namespace: &Namespace, claim: &NewClaim) -> Option<BeliefId> {
        self.state.belief_by_key.get(&claim.key(namespace))
    }

    /// The statements of an observation that is about to be pushed; each value is there once.
    pub(super) fn statements_for(
        &self,
        namespace: &Namespace,
        claims: &[NewClaim],
    ) -> Vec<Statement> {
        let mut next_belief = self.state.beliefs.next_id();
        let mut next_justification = self.state.justifications.next_id();
        let mut new_keys: Vec<([u8; 16], BeliefId)> = Vec::new();
        let mut statements: Vec<Statement> = Vec::new();
        for claim in claims {
            let key = claim.key(namespace);
            let known = self.state.belief_by_key.get(&key);
            let new = new_keys
                .iter()
                .find(|(other, _)| *other == key)
                .map(|(_, id)| *id);
            let belief = known.or(new).unwrap_or_else(|| {
                let id = next_belief;
                next_belief = BeliefId::from_index(id.index() + 1);
                new_keys.push((key, id));
                id
            });
            statements.push(Statement {
                belief,
                justification: next_justification,
                subject: claim.subject.clone(),
                subject_from: claim.subject_from,
                text: claim.text.clone(),
                polarity: claim.polarity,
                literals: claim.literals.clone(),
                valid_from: claim.valid_from,
                valid_until: claim.valid_until,
                expires_at: claim.expires_at,
            });
            next_justification = JustificationId::from_index(next_justification.index() + 1);
        }
        statements
    }

    /// Writes how sure claims are that are not made plainly, before they are made.
    pub(super) fn push_hedges<'a>(
        &mut self,
        claims: impl IntoIterator<Item = (JustificationId, &'a NewClaim)>,
    ) {
        let hedged = claims.into_iter().filter_map(|(justification, claim)| {
            let confidence = claim.hedge()?;
            Some(Hedge {
                justification,
                confidence,
            })
        });
        let claims: Vec<Hedge> = hedged.collect();
        if !claims.is_empty() {
            self.push(Event::Hedged { claims });
        }
    }
}
