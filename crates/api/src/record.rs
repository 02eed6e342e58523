//! A profile as a view over the beliefs below a prefix. The text of what recall would refuse is
//! not in it.

use immune_engine::reason::State;
use immune_engine::{Field as InnerField, LostValue, RecordView};
use serde::Serialize;

use crate::recall::{Excluded, Fact};
use crate::value::{SourceName, time};

/// A profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// What the subjects of its fields begin with.
    pub prefix: String,
    /// The place in the log that it is from.
    pub seq: u64,
    /// The fields, by name.
    pub fields: Vec<Field>,
    /// Fields that are not listed.
    pub more: usize,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    /// Its name below the prefix.
    pub name: String,
    /// Its subject.
    pub subject: String,
    /// `held`, `contested`, `lost` or `empty`.
    pub standing: &'static str,
    /// What may be relied on, the value that leads first.
    pub values: Vec<Fact>,
    /// What fell, newest first.
    pub lost: Vec<Lost>,
    /// What else is left out, with the reason.
    pub excluded: Vec<Excluded>,
}

/// A value that fell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// Which belief.
    pub belief: String,
    /// `quarantined` or `revoked`.
    pub status: &'static str,
    /// The incident in which it fell.
    pub incident: Option<String>,
    /// Since when it stood.
    pub believed_at: String,
    /// Until when.
    pub ended_at: Option<String>,
    /// Who was behind it.
    pub sources: Vec<SourceName>,
}

impl Record {
    /// The view of a profile.
    pub fn of(state: &State, record: &RecordView) -> Self {
        Self {
            prefix: record.prefix.to_string(),
            seq: record.seq,
            fields: record
                .fields
                .iter()
                .map(|it| Field::of(state, it))
                .collect(),
            more: record.more,
        }
    }
}

impl Field {
    fn of(state: &State, field: &InnerField) -> Self {
        Self {
            name: field.name.clone(),
            subject: field.subject.to_string(),
            standing: field.standing.name(),
            values: field.values.iter().map(|it| Fact::of(state, it)).collect(),
            lost: field.lost.iter().map(|it| Lost::of(state, it)).collect(),
            excluded: field.excluded.iter().map(Excluded::of).collect(),
        }
    }
}

impl Lost {
    fn of(state: &State, lost: &LostValue) -> Self {
        let sources = lost.sources.iter();
        Self {
            belief: lost.belief.to_string(),
            status: lost.status.name(),
            incident: lost.incident.map(|it| it.to_string()),
            believed_at: lost.believed_at.to_string(),
            ended_at: time(lost.ended_at),
            sources: sources.map(|it| SourceName::of(state, *it)).collect(),
        }
    }
}
