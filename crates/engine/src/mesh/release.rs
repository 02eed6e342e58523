//! What an operator decides about the mesh: antibodies reviewed or retracted, incidents that were
//! none, agents that are heard again, and what an incident's agents wrote that is flagged.

use immune_model::{AntibodyId, Handle, MeshIncidentId, Text, Trust};
use immune_reason::plan::{FlagError, Flagged, MeshPlanError, Unflagged};

use crate::error::WriteError;
use crate::session::Session;

/// What was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshUndone {
    /// Whether it stood until now.
    pub stood: bool,
}

impl Session {
    /// An operator looked at an antibody. Answers whether that changed it.
    pub fn review_antibody(
        &self,
        antibody: AntibodyId,
        confidence: Trust,
    ) -> Result<bool, WriteError<MeshPlanError>> {
        self.write(move |draft| draft.review_antibody(antibody, confidence))
    }

    /// An antibody was wrong: what it blocked is released.
    pub fn retract_antibody(
        &self,
        antibody: AntibodyId,
    ) -> Result<MeshUndone, WriteError<MeshPlanError>> {
        self.write(move |draft| {
            let stood = draft.retract_antibody(antibody)?;
            Ok(MeshUndone { stood })
        })
    }

    /// An incident of the mesh was none: its antibodies go, and its agents are heard again.
    pub fn retract_mesh_incident(
        &self,
        incident: MeshIncidentId,
    ) -> Result<MeshUndone, WriteError<MeshPlanError>> {
        self.write(move |draft| {
            let stood = draft.retract_mesh_incident(incident)?;
            Ok(MeshUndone { stood })
        })
    }

    /// The agents of the mesh cite what came along, or do not: what takes unusually much of it is
    /// told, or stopped.
    pub fn set_mesh_habit(&self, cites: bool) -> Result<MeshUndone, WriteError<MeshPlanError>> {
        self.write(move |draft| {
            let stood = draft.set_mesh_habit(cites)?;
            Ok(MeshUndone { stood })
        })
    }

    /// A quarantined agent is heard again.
    pub fn release_agent(&self, identity: &Handle) -> Result<(), WriteError<MeshPlanError>> {
        let identity = identity.clone();
        self.write(move |draft| draft.release_agent(&identity))
    }

    /// What the agents of an incident of the mesh wrote since it reached them is not to be
    /// believed: one flag for each of the sources that they are.
    pub fn flag_mesh(
        &self,
        incident: MeshIncidentId,
        reason: Option<Text>,
    ) -> Result<Vec<Flagged>, WriteError<FlagError>> {
        self.write(move |draft| draft.flag_mesh(incident, reason.as_ref()))
    }

    /// Takes those flags back, and no others.
    pub fn unflag_mesh(
        &self,
        incident: MeshIncidentId,
    ) -> Result<Vec<Unflagged>, WriteError<FlagError>> {
        self.write(move |draft| draft.unflag_mesh(incident))
    }
}
