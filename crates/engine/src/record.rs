//! `record`: a profile as a view over beliefs, a field for each subject below a prefix.
//!
//! Nothing is merged: each field has its own beliefs with their own grounds, so that a repair
//! loses only the field that was a lie. What recall would refuse is named by id, without its text.

use std::collections::BTreeMap;

use immune_model::{BeliefId, IncidentId, Instant, Namespace, SourceId, Status, Subject, limits};
use immune_reason::State;

use crate::counted::Counted;
use crate::error::OpenError;
use crate::recall::{Excluded, Fact, Label, Recall, list_counted};
use crate::session::Session;

/// A profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordView {
    /// What the subjects of its fields begin with.
    pub prefix: Subject,
    /// The fields, in the order of their names; at most a page.
    pub fields: Vec<Field>,
    /// Fields that are not on the page.
    pub more: usize,
    /// The place in the log that it is from.
    pub seq: u64,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its subject.
    pub subject: Subject,
    /// Its name below the prefix.
    pub name: String,
    /// What is to be made of it.
    pub standing: FieldStanding,
    /// What may be relied on, the value that leads first.
    pub values: Vec<Fact>,
    /// What fell, newest first.
    pub lost: Vec<LostValue>,
    /// What else is left out, with the reason.
    pub excluded: Vec<Excluded>,
}

/// What is to be made of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldStanding {
    /// A value leads.
    Held,
    /// Values disagree and none leads.
    Contested,
    /// No value is left, and at least one fell.
    Lost,
    /// No value is left; nothing fell.
    Empty,
}

impl FieldStanding {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Contested => "contested",
            Self::Lost => "lost",
            Self::Empty => "empty",
        }
    }
}

/// A value that fell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostValue {
    /// Which belief.
    pub belief: BeliefId,
    /// Quarantined or revoked.
    pub status: Status,
    /// The incident in which it fell.
    pub incident: Option<IncidentId>,
    /// Since when it stood.
    pub believed_at: Instant,
    /// Until when.
    pub ended_at: Option<Instant>,
    /// Who was behind it.
    pub sources: Vec<SourceId>,
}

impl Session {
    /// The profile below a prefix: `vendor.acme` has the fields `vendor.acme.iban` and
    /// `vendor.acme.address`, `acme` has `acme/refund.destination` too.
    pub fn record(&self, prefix: &Subject, namespace: &Namespace) -> Result<RecordView, OpenError> {
        let snapshot = self.snapshot()?;
        let state = snapshot.state();
        let valid_at = self.present(state);
        let named = state.subjects(namespace).filter_map(|subject| {
            let rest = subject.as_str().strip_prefix(prefix.as_str())?;
            let name = match rest.chars().next() {
                None => subject.as_str(),
                Some('.' | '/') => rest.get(1..)?,
                Some(_) => return None,
            };
            Some((name.to_owned(), subject.clone()))
        });
        let named: BTreeMap<String, Subject> = named.collect();
        let more = named.len().saturating_sub(limits::PAGE_ROWS_MAX);
        let page: Vec<_> = named.into_iter().take(limits::PAGE_ROWS_MAX).collect();
        let beliefs = page.iter();
        let beliefs = beliefs.flat_map(|(_, subject)| state.beliefs_about(namespace, subject));
        let counted = Counted::of(state, &beliefs.collect::<Vec<_>>());
        let fields = page.into_iter().map(|(name, subject)| {
            let question = Recall {
                valid_at,
                weighed_at: valid_at,
                namespace: namespace.clone(),
                limit: limits::RECALL_HITS_MAX,
                ..Recall::about(subject)
            };
            field(state, name, &question, &counted)
        });
        Ok(RecordView {
            prefix: prefix.clone(),
            fields: fields.flatten().collect(),
            more,
            seq: state.seq(),
        })
    }
}

fn field(state: &State, name: String, question: &Recall, counted: &Counted<'_>) -> Option<Field> {
    let subject = question.about.clone()?;
    let recalled = list_counted(state, question, counted);
    let mut values = recalled.facts;
    // What leads comes first; among what is contested, what a system of record states.
    values.sort_by_key(|it| {
        let contested = it.label == Label::Contested;
        (contested, !state.stated_by_record(it.belief))
    });
    let fell = state
        .beliefs_about(&question.namespace, &subject)
        .filter_map(|it| lost_value(state, it));
    let lost: Vec<LostValue> = fell.collect();
    let is_lost = |it: &Excluded| lost.iter().any(|lost| it.item == lost.belief.into());
    let excluded = recalled.excluded.iter().filter(|it| !is_lost(it));
    let excluded: Vec<Excluded> = excluded.copied().collect();
    let standing = match values.first() {
        Some(leader) if leader.label == Label::Contested => FieldStanding::Contested,
        Some(_) => FieldStanding::Held,
        None if !lost.is_empty() => FieldStanding::Lost,
        None if excluded.is_empty() => return None,
        None => FieldStanding::Empty,
    };
    Some(Field {
        subject,
        name,
        standing,
        values,
        lost,
        excluded,
    })
}

fn lost_value(state: &State, id: BeliefId) -> Option<LostValue> {
    let (belief, now) = (state.belief(id)?, state.belief_now(id)?);
    now.status.fell().then(|| LostValue {
        belief: id,
        status: now.status,
        incident: state.incident_of(id),
        believed_at: belief.believed_at,
        ended_at: now.ended_at,
        sources: state.sources_behind(id).into_iter().collect(),
    })
}
