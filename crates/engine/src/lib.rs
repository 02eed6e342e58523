//! The facade: every verb of the product, and the only write path.
//!
//! Front ends call it and decide nothing themselves. A write is *command -> plan -> append ->
//! apply*: planned by `reason` on a copy of the state, appended durably by the store, and only
//! then seen by readers. What it keeps: a reply means durable; a reader sees a consistent
//! snapshot; nothing crosses from one memory to another.

mod attribute;
mod block;
mod certificate;
mod clock;
mod committed;
mod compare;
mod cone;
mod counted;
mod diff;
mod document;
mod effect;
mod error;
mod explain;
mod extract;
mod graph;
mod history;
mod ingest;
mod kept;
mod meaning;
mod memory;
mod mesh;
mod page;
mod past;
mod preview;
mod projection;
mod recall;
mod record;
mod response;
mod screen;
mod session;
mod shown;
mod task;
mod transfer;
mod verify;
mod watch;
mod writer;

pub use attribute::{
    Asking, Attribute, AttributeRefusal, Attribution, Comparer, GivenFrom, Heard, KnownValue,
    LeftAlone, ParoleTest, Paroled, Quarantine, QuarantineError, Quarantined, Retest, Stopped,
    Suspect, TestedRoot, Testing, Watched, Who, WhyLeft, attribution,
};
pub use block::Block;
pub use certificate::{Certificate, Certified};
pub use clock::{Clock, SystemClock};
pub use compare::{Comparison, compare};
pub use cone::Fallen;
pub use diff::{BeliefMoved, BeliefThen, Diff, Moment};
pub use effect::{Compensate, ReversalRequest, Reversed};
pub use error::{OpenError, WriteError};
pub use explain::{
    Explained, ExplainedBelief, ExplainedContext, ExplainedJustification, Fading, Reached,
    SourceView, Support,
};
pub use extract::{ExtractError, Extraction, Extractor, Otherwise, Reader};
pub use graph::{ExportedLine, GraphExport, GraphStanding, LeftOut, left_out, standings};
pub use history::Happened;
pub use immune_client as client;
pub use immune_reason as reason;
pub use immune_recall::{EmbedError, Embedder, EmbeddingModel, Filter, FilterError, normalise};
pub use immune_store::{ChainError, DecodeError, StoreError};
pub use ingest::{
    IngestError, IngestOptions, IngestProblem, IngestTotals, Listed, ModelTotals, Screened,
};
pub use kept::{Opened, OpenedFrom, PassedOver};
pub use meaning::{
    CalibrateError, Calibrated, Meaning, Off, Preparing, ReindexError, Reindexed, WhyWithout,
    WithoutVector, WithoutVectors,
};
pub use memory::{Engine, Memory, Parts, Snapshot};
pub use mesh::{
    CallId, CallIdError, Ground, Judgement, MeshAnswer, MeshCall, MeshCanary, MeshError,
    MeshExchange, MeshMeaning, MeshMeaningError, MeshOrigin, MeshRefusal, MeshText, MeshUndone,
    MeshVerdict, Place, Purpose, Reading,
};
pub use page::{Page, PageError};
pub use past::{PastError, When, WhenError, time_of};
pub use recall::{Excluded, Fact, Label, Note, Reason, Recall, RecallError, Recalled, Score};
pub use record::{Field, FieldStanding, LostValue, RecordView};
pub use response::{Backing, Exposed, Response, Survivor};
pub use screen::ScreenedThen;
pub use session::{Pending, Session};
pub use task::{Rederivable, Replaced};
pub use transfer::{ExportError, TransferError, Transferred};
pub use verify::{Verified, VerifyError};
pub use watch::{Cursor, CursorError, Transition};
