//! The wire types of `immune`, and its one table of error codes.
//!
//! The only crate with `serde` on its types. Every front end that speaks JSON converts what the
//! engine answered into these views by hand; a derive on an inner type would be a promise made by
//! accident. What it keeps: a top-level object carries `schema` with a version; trust is a number
//! from 0 to 1 with at most three decimals; times are RFC 3339 in UTC; ids are strings; the text
//! of content that a recall left out is in none of the views that a recall gives.

pub mod attribute;
pub mod bench;
pub mod blast;
pub mod certificate;
pub mod chokepoint;
pub mod claim;
pub mod code;
pub mod compare;
pub mod copy;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod error;
pub mod explain;
pub mod extract;
pub mod graph;
pub mod history;
pub mod ingest;
pub mod list;
pub mod mesh;
pub mod metadata;
pub mod origins;
pub mod recall;
pub mod record;
pub mod reputation;
pub mod response;
pub mod runs;
pub mod scan;
pub mod screen;
pub mod stream;
pub mod transfer;
pub mod value;
pub mod verify;
pub mod write;

pub use code::Code;
pub use error::{Coded, Problem};
pub use value::{Literal, SourceName, Trust};

use serde::Serialize;

/// A top-level reply: it has a schema of its own.
pub trait Schema: Serialize {
    /// The name and version, as `immune.recalled/1`.
    const SCHEMA: &'static str;
}

/// A reply as it is sent: the body with its schema in front.
#[derive(Debug, Clone, Serialize)]
pub struct Reply<T> {
    schema: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(flatten)]
    body: T,
}

impl<T: Schema> Reply<T> {
    /// The reply with this body.
    pub fn new(body: T) -> Self {
        Self {
            schema: T::SCHEMA,
            dry_run: false,
            body,
        }
    }

    /// The reply to a write that was planned and not made.
    pub fn dry_run(body: T) -> Self {
        Self {
            dry_run: true,
            ..Self::new(body)
        }
    }

    /// The reply as one line of JSON.
    ///
    /// Characters that could drive a terminal are written as escapes: the same text to a parser,
    /// and harmless to whoever looks at it.
    pub fn to_json(&self) -> String {
        value::inert_json(&serde_json::to_string(self).expect("views have string keys only"))
    }
}

macro_rules! schemas {
    ($($name:literal $type:ty;)*) => {
        $(impl Schema for $type {
            const SCHEMA: &'static str = concat!("immune.", $name, "/1");
        })*

        /// The schema of every top-level reply.
        pub const SCHEMAS: &[&str] = &[$(concat!("immune.", $name, "/1"),)*];
    };
}

schemas! {
    "remembered" write::Remembered;
    "derived" write::Derived;
    "challenged" write::Challenged;
    "guarded" write::Guarded;
    "finished" write::Finished;
    "forgotten" write::Forgotten;
    "reinstated" write::Reinstated;
    "flagged" response::Flagged;
    "unflagged" response::Unflagged;
    "attributed" attribute::Attributed;
    "attribution" attribute::Attribution;
    "quarantined" attribute::Quarantine;
    "paroled" attribute::Paroled;
    "redteam" attribute::Redteam;
    "incident" response::Incident;
    "incidents" response::Incidents;
    "tasks" response::Tasks;
    "set" write::Set;
    "areas" reputation::Areas;
    "area_set" reputation::AreaSet;
    "reversals" write::Reversals;
    "reversal_request" write::ReversalRequest;
    "recalled" recall::Recalled;
    "reindexed" recall::Reindexed;
    "without_vectors" recall::WithoutVectors;
    "calibrated" recall::Calibrated;
    "explained" explain::Explained;
    "history" history::History;
    "runs" runs::Runs;
    "run" runs::Run;
    "run_started" runs::Started;
    "blast" blast::Blast;
    "origins" origins::Origins;
    "chokepoint" chokepoint::Chokepoint;
    "scan" scan::Scan;
    "record" record::Record;
    "compared" compare::Compared;
    "diff" diff::Diff;
    "list" list::List;
    "transition" stream::Transition;
    "ingested" ingest::Ingested;
    "screened" screen::Screened;
    "mesh_screened" mesh::Screened;
    "mesh_observed" mesh::Observed;
    "mesh_refused" mesh::Refused;
    "mesh_status" mesh::Status;
    "mesh_incidents" mesh::Incidents;
    "mesh_incident" mesh::Shown;
    "antibodies" mesh::Antibodies;
    "antibody" mesh::Antibody;
    "mesh_changed" mesh::Changed;
    "mesh_flagged" mesh::Flagged;
    "mesh_unflagged" mesh::Unflagged;
    "graph_imported" graph::Imported;
    "graph_exported" graph::Exported;
    "exported" transfer::Exported;
    "imported" transfer::Imported;
    "backed_up" transfer::BackedUp;
    "verified" verify::Verified;
    "doctor" doctor::Doctor;
    "version" doctor::Version;
    "demo" demo::Demo;
    "rehearsal" demo::Rehearsal;
    "bench" bench::Bench;
    "bench_checked" bench::BenchChecked;
    "error" error::Problem;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_has_a_name_of_its_own() {
        let mut names = SCHEMAS.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SCHEMAS.len());
    }

    #[test]
    fn a_reply_leads_with_its_schema() {
        let body = doctor::Version {
            version: "1.2.3".to_owned(),
            format: 1,
        };
        let reply = Reply::new(body).to_json();
        assert_eq!(
            reply,
            r#"{"schema":"immune.version/1","version":"1.2.3","format":1}"#
        );
    }
}
