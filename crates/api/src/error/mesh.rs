//! The errors of the mesh.

use immune_engine::reason::plan::MeshPlanError;
use immune_engine::{MeshError, MeshRefusal};

use super::Coded;
use crate::code::Code;
use crate::mesh::LineError;

coded!(MeshPlanError: it => match it {
    MeshPlanError::Forbidden(error) => error.code(),
    MeshPlanError::NotItself { .. } => Code::Forbidden,
    MeshPlanError::NotInMemory { .. } => Code::NotInMemory,
    MeshPlanError::Retracted { .. } => Code::NotStanding,
    MeshPlanError::NotQuarantined { .. } => Code::NotQuarantined,
    _ => Code::Internal,
}, hint it.hint());

coded!(MeshError: it => match it {
    MeshError::TooLong { .. } => Code::InvalidText,
    MeshError::TooMany { .. } => Code::TooMany,
    _ => Code::Internal,
});

coded!(MeshRefusal: it => match it {
    MeshRefusal::Plan(error) => error.code(),
    MeshRefusal::Texts(error) => error.code(),
    MeshRefusal::Meaning(_) => Code::ModelFailed,
    MeshRefusal::InTheFuture { .. } => Code::InvalidTime,
    _ => Code::Internal,
}, hint it.hint());

coded!(LineError: _it => Code::InvalidCall, hint Some(
    "`immune mesh screen --help` shows what a line holds".to_owned()
));
