//! What the agents of an incident of the mesh wrote since it reached them, and what rests on it.

use std::collections::BTreeSet;

use immune_model::{
    AntibodyId, BeliefId, Carriage, Handle, Instant, Item, JustificationId, MeshIncidentId,
    ObservationId, Premise, Principal, Role, RunId, SourceId, Status,
};

use super::Draft;
use crate::state::{AntibodyRecord, Grounds, MeshRecord, State};

/// Something that an agent of an incident wrote since the payload had reached it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshWrite {
    /// What it said, or concluded.
    pub what: MeshWriteOf,
    /// The source that the agent is.
    pub source: SourceId,
    /// When.
    pub at: Instant,
    /// The run in which it was written, if one was named.
    pub run: Option<RunId>,
}

/// What kind of write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeshWriteOf {
    /// An observation.
    Observation(ObservationId),
    /// A derivation.
    Derivation(JustificationId),
}

impl From<MeshWriteOf> for Item {
    fn from(write: MeshWriteOf) -> Self {
        match write {
            MeshWriteOf::Observation(id) => id.into(),
            MeshWriteOf::Derivation(id) => id.into(),
        }
    }
}

/// What rests on what the agents of an incident of the mesh wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MeshCone {
    /// The active beliefs that would fall if all of it were flagged.
    pub falls: Vec<BeliefId>,
    /// The active beliefs that rest on some of it and would stand by other support.
    pub stands: Vec<BeliefId>,
}

impl State {
    /// The sources that an agent of the mesh is here: those under its name, and those of whoever
    /// reads in its runs. What is authored no agent can write.
    pub(super) fn sources_of_agent(&self, agent: &Handle, runs: &[RunId]) -> Vec<SourceId> {
        let readers = runs.iter().filter_map(|it| self.agent_of_run(it));
        let names = std::iter::once(agent).chain(readers);
        let sources = names.flat_map(|it| self.find_sources(it));
        let relays = |it: &SourceId| {
            let channel = self.sources.get(*it).channel;
            self.channels.get(channel).carriage == Carriage::Relays
        };
        let mut sources: Vec<SourceId> = sources.filter(relays).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// The sources that the agents of an incident of the mesh are, each with the moment since which
    /// the payload had reached it, in order; nothing if there is no such incident.
    pub fn mesh_writers(&self, id: MeshIncidentId) -> Option<Vec<(SourceId, Instant)>> {
        let record = self.mesh.incidents.find(id)?;
        let mut writers: Vec<(SourceId, Instant)> = Vec::new();
        for reached in &record.what.reached {
            let now = self.sources_of_agent(&reached.agent, &reached.runs);
            for source in now.into_iter().chain(reached.sources.iter().copied()) {
                match writers.iter_mut().find(|(it, _)| *it == source) {
                    Some((_, since)) => *since = (*since).min(reached.since),
                    None => writers.push((source, reached.since)),
                }
            }
        }
        writers.sort_unstable();
        Some(writers)
    }

    /// What the agents of an incident of the mesh wrote since the payload had reached them, oldest
    /// first; nothing if there is no such incident.
    pub fn mesh_writes(&self, id: MeshIncidentId) -> Option<Vec<MeshWrite>> {
        let mut writes = Vec::new();
        for (source, since) in self.mesh_writers(id)? {
            let sent = self.observations_of(source);
            let sent = sent.map(|id| (id, self.observations.get(id)));
            let sent = sent.take_while(|(_, it)| it.received_at >= since);
            let sent = sent.filter(|(_, it)| !it.retracted);
            writes.extend(sent.map(|(id, it)| MeshWrite {
                what: MeshWriteOf::Observation(id),
                source,
                at: it.received_at,
                run: it.run.clone(),
            }));
            let derived = self.derivations_of(source);
            let derived = derived.map(|id| (id, self.justifications.get(id)));
            let derived = derived.take_while(|(_, it)| it.at >= since);
            let derived = derived.filter(|(_, it)| !it.retracted);
            writes.extend(derived.map(|(id, it)| MeshWrite {
                what: MeshWriteOf::Derivation(id),
                source,
                at: it.at,
                run: it.run.clone(),
            }));
        }
        writes.sort_by_key(|it| (it.at, it.what));
        Some(writes)
    }

    /// What rests on what the agents of an incident of the mesh wrote, and what of it would fall:
    /// read off the state after the flags, which nobody keeps. Nothing if there is no such incident.
    pub fn mesh_cone(&self, id: MeshIncidentId) -> Option<MeshCone> {
        let mut reached: BTreeSet<BeliefId> = BTreeSet::new();
        let mut next: Vec<JustificationId> = Vec::new();
        for write in self.mesh_writes(id)? {
            match write.what {
                MeshWriteOf::Observation(id) => {
                    next.extend(&self.observations.get(id).statements);
                    next.extend(self.dependents_of(Premise::Observation(id)));
                }
                MeshWriteOf::Derivation(id) => next.push(id),
            }
        }
        while let Some(justification) = next.pop() {
            let belief = self.justifications.get(justification).belief;
            if reached.insert(belief) {
                next.extend(self.dependents_of(Premise::Belief(belief)));
            }
        }
        let operator = Principal {
            role: Role::Operator,
            name: Handle::new("immune").expect("a constant that is a name"),
        };
        let mut draft = Draft::new(self.clone(), operator, self.at?);
        // Where nothing was written, nothing falls.
        let _ = draft.flag_mesh(id, None);
        let stands = |state: &Self, it: BeliefId| state.now.get(it).status == Status::Active;
        let active = reached.into_iter().filter(|it| stands(self, *it));
        let (stands, falls) = active.partition(|it| stands(&draft.state, *it));
        Some(MeshCone { falls, stands })
    }

    /// The incidents of the mesh in whose cone an item was written, oldest first: those that stand,
    /// and reached its writer before.
    fn mesh_incidents_over(&self, write: MeshWriteOf) -> Vec<MeshIncidentId> {
        let (writer, at) = match write {
            MeshWriteOf::Observation(id) => {
                let found = self.observations.find(id);
                (found.map(|it| it.source), found.map(|it| it.received_at))
            }
            MeshWriteOf::Derivation(id) => {
                let found = self.justifications.find(id);
                let agent = found.and_then(|it| match it.grounds {
                    Grounds::Derivation { agent, .. } => agent,
                    Grounds::Statement { .. } => None,
                });
                (agent, found.map(|it| it.at))
            }
        };
        let (Some(writer), Some(at)) = (writer, at) else {
            return Vec::new();
        };
        let standing = self.mesh.incidents.iter();
        let standing = standing.filter(|(_, it)| it.retracted_at.is_none());
        let reaches = |id: &MeshIncidentId| {
            let writers = self.mesh_writers(*id).unwrap_or_default();
            writers
                .iter()
                .any(|(it, since)| *it == writer && *since <= at)
        };
        standing.map(|(id, _)| id).filter(reaches).collect()
    }

    /// The incidents of the mesh in whose cone a belief or an observation was written, each once.
    pub fn mesh_incidents_of(&self, item: Item) -> Vec<MeshIncidentId> {
        let writes: Vec<MeshWriteOf> = match item {
            Item::Observation(id) => vec![MeshWriteOf::Observation(id)],
            Item::Belief(id) if self.contains(item) => {
                let written = self.justifications_of(id);
                let write = written.map(|it| match self.justifications.get(it).grounds {
                    Grounds::Statement { observation, .. } => MeshWriteOf::Observation(observation),
                    Grounds::Derivation { .. } => MeshWriteOf::Derivation(it),
                });
                write.collect()
            }
            _ => Vec::new(),
        };
        let over = writes
            .into_iter()
            .flat_map(|it| self.mesh_incidents_over(it));
        over.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The incident of the mesh with this id.
    pub fn mesh_incident(&self, id: MeshIncidentId) -> Option<&MeshRecord> {
        self.mesh.incidents.find(id)
    }

    /// The ids of all incidents of the mesh, oldest first.
    pub fn mesh_incident_ids(&self) -> impl DoubleEndedIterator<Item = MeshIncidentId> + use<> {
        self.mesh.incidents.ids()
    }

    /// The antibody with this id.
    pub fn antibody(&self, id: AntibodyId) -> Option<&AntibodyRecord> {
        self.mesh.antibodies.find(id)
    }

    /// The ids of all antibodies, oldest first.
    pub fn antibody_ids(&self) -> impl DoubleEndedIterator<Item = AntibodyId> + use<> {
        self.mesh.antibodies.ids()
    }
}
