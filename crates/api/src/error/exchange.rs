//! The errors of exchanging graphs and whole memories.

use immune_engine::reason::graph::{GraphError, GraphProblem};
use immune_engine::reason::plan::ImportError;
use immune_engine::{ExportError, TransferError};

use super::Coded;
use crate::code::Code;

coded!(GraphError: it => match it.problem {
    GraphProblem::Known { .. }
    | GraphProblem::KnownTier { .. }
    | GraphProblem::KnownSource { .. } => Code::GraphConflict,
    GraphProblem::Handle(ref error) => error.code(),
    GraphProblem::Unreadable { .. } => Code::Unreadable,
    GraphProblem::TooMany { .. } | GraphProblem::TooLong { .. } => Code::TooMany,
    _ => Code::InvalidGraph,
}, hint it.hint());

coded!(ImportError: it => match it {
    ImportError::Forbidden(error) => error.code(),
    ImportError::Graph(error) => error.code(),
    _ => Code::Internal,
}, hint match it {
    ImportError::Graph(error) => error.hint(),
    _ => None,
});

coded!(ExportError: it => match it {
    ExportError::Forbidden(error) => error.code(),
    ExportError::Store(error) => error.code(),
    _ => Code::Internal,
});

coded!(TransferError: it => match it {
    TransferError::Store(error) => error.code(),
    TransferError::Read(_) => Code::Unreadable,
    TransferError::Forbidden(error) => error.code(),
    TransferError::NotEmpty { .. } => Code::NotEmpty,
    _ => Code::InvalidExport,
}, hint match it {
    TransferError::NotEmpty { .. } => {
        Some("name one that is empty: `immune import PATH --memory NAME`".to_owned())
    }
    _ => None,
});
