//! The vocabulary of `immune`: what every other crate talks about.
//!
//! Anyone may depend on it. It knows nothing of disks, clocks, wire formats or threads; it has no
//! `serde` and no async. A value of these types is already valid: constructors check, so the
//! rest of the code does not.

pub mod aside;
pub mod attribution;
pub mod claim;
pub mod copy;
pub mod event;
pub mod graph;
pub mod id;
pub mod limits;
pub mod mesh;
pub mod metadata;
pub mod name;
pub mod party;
pub mod shell;
pub mod status;
pub mod text;
pub mod time;
pub mod trust;

pub use aside::{Carrier, ContextUse, Hedge, Screening};
pub use attribution::{
    Attributed, AttributionCertificate, Candidate, EvidenceFor, OracleCall, Outcome, ParoleHold,
};
pub use claim::{Literal, LiteralKind, Polarity, SubjectFrom};
pub use copy::{InferredCopy, MirrorRuling, RepeatedContent, SharedDomain, SharedValues};
pub use event::{
    Closing, Decided, Derived, Event, Incident, Observed, Proposal, Recorded, Rule, Statement,
    UnknownPolicy, UsedBy, Verdict, Waiver, WaiverBar,
};
pub use graph::{
    GraphAction, GraphBelief, GraphDecision, GraphJustification, GraphNode, GraphObservation,
    GraphSource,
};
pub use id::{
    ActionId, AntibodyId, AttributionId, BeliefId, ChannelId, DecisionId, FlagTarget, IncidentId,
    Item, JustificationId, MeshIncidentId, ObservationId, Premise, ReviewId, RuleId, SourceId,
    TaskId, Write,
};
pub use mesh::{Antibody, Fingerprint, MeshGround, MeshIncident, Reached, TextDigest};
pub use metadata::{Metadata, MetadataError};
pub use name::{
    Alias, Area, ChannelName, Handle, Kind, MemoryName, NameError, Namespace, RunId, Subject,
};
pub use party::{Carriage, Principal, Role, SourceKind, Standing};
pub use status::{ActionClass, ActionStatus, Status};
pub use text::{Text, TextError};
pub use time::Instant;
pub use trust::Trust;
