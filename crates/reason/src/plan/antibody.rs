//! What was refuted once and comes again elsewhere: under another subject, or beside the true value
//! (semantics.md 8, "the same trick fails next time").

use immune_model::{
    IncidentId, Literal, LiteralKind, Namespace, Polarity, SourceId, Standing, Subject, Trust,
};

use super::NewClaim;
use super::context::telling;

use crate::state::{Cause, ReputationEvent, State};

/// A refutation that a claim repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// The incident that refuted it; not reinstated.
    pub(crate) incident: IncidentId,
    /// What that was about.
    pub(crate) subject: Subject,
}

impl State {
    /// The first incident that stands and refuted a belief of this namespace with one of these
    /// literals, which no system of record states.
    pub(crate) fn refuted_before(
        &self,
        namespace: &Namespace,
        subject: &Subject,
        literals: &[Literal],
    ) -> Option<Repeated> {
        let carried = telling(subject, literals).into_iter();
        let carried: Vec<&Literal> = carried.filter(|it| names_one(it.kind)).collect();
        if carried.is_empty() {
            return None;
        }
        self.incidents.iter().find_map(|(incident, it)| {
            let Cause::Challenge {
                refuted, subject, ..
            } = &it.cause
            else {
                return None;
            };
            let stands = it.reinstated_at.is_none();
            let mut refuted = refuted.iter().filter(|_| stands);
            let is_among = refuted.any(|id| {
                if !it.refutes(*id) {
                    return false;
                }
                let belief = self.beliefs.get(*id);
                let lies = telling(&belief.subject, &belief.literals);
                belief.namespace == *namespace
                    && belief.polarity != Polarity::Denied
                    && carried
                        .iter()
                        .any(|it| lies.contains(it) && !self.is_on_record(namespace, subject, it))
            });
            let subject = subject.clone();
            is_among.then_some(Repeated { incident, subject })
        })
    }

    /// Whether a system of record states a value with this literal: what was refuted beside it was
    /// not refuted for it.
    fn is_on_record(&self, namespace: &Namespace, subject: &Subject, literal: &Literal) -> bool {
        self.beliefs_about(namespace, subject).any(|it| {
            let belief = self.beliefs.get(it);
            belief.polarity != Polarity::Denied
                && belief.literals.contains(literal)
                && self.stated_by_record(it)
        })
    }

    /// A claim with a literal of what was refuted is no more than a guess, but from a system of
    /// record, and from a declared source that survived a check.
    pub(super) fn wary(
        &self,
        namespace: &Namespace,
        source: Option<SourceId>,
        claim: &mut NewClaim,
    ) {
        // The refuted value itself is blocked, as long as it is refuted.
        let key = claim.key(namespace);
        let known = self.belief_by_key.get(&key);
        if known.is_some_and(|it| self.is_refuted_by_record(it)) {
            return;
        }
        let Some(found) = self.refuted_before(namespace, &claim.subject, &claim.literals) else {
            return;
        };
        let is_vouched_for = source.is_some_and(|it| {
            let declared = self.sources.get(it).standing == Standing::Declared;
            let mut events = self.sources.get(it).standing_events();
            declared && events.any(ReputationEvent::survived)
                || self.is_record(it, &claim.subject)
                || self.is_record(it, &found.subject)
        });
        if !is_vouched_for {
            claim.lower(Some(Trust::REFUTED));
        }
    }
}

/// Whether a literal of this kind names one thing in the world, whatever the subject.
fn names_one(kind: LiteralKind) -> bool {
    matches!(
        kind,
        LiteralKind::Iban
            | LiteralKind::Account
            | LiteralKind::Card
            | LiteralKind::CryptoAddress
            | LiteralKind::Email
            | LiteralKind::Host
            | LiteralKind::Phone
            | LiteralKind::Hash
    )
}
