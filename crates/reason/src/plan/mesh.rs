//! What the mesh of agents found, written down; and what an operator decides about it.
//!
//! Whoever looked at the texts did so before the plan. What it keeps: an agent is written about by
//! itself, a verifier or an operator; only an operator takes anything back, and only what an
//! operator flags falls.

use std::collections::BTreeSet;

use immune_model::{
    Antibody, AntibodyId, BeliefId, Carriage, Event, Fingerprint, FlagTarget, Handle, IncidentId,
    Instant, Item, JustificationId, MeshGround, MeshIncident, MeshIncidentId, ObservationId,
    Premise, Principal, Reached, Role, RunId, SourceId, Status, Text, TextDigest, Trust,
};

use super::{
    Draft, Flag, FlagError, FlagWhat, Flagged, Forbidden, Reinstate, ReinstateError, Reinstated,
    Unflagged,
};
use crate::state::{AntibodyRecord, Grounds, MeshRecord, State};

/// What was found of an agent, without the ids that are given here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshFound {
    /// The name of the agent.
    pub agent: Handle,
    /// What stays when it takes another name.
    pub identity: Handle,
    /// The incident to open, if there is one.
    pub incident: Option<FoundIncident>,
    /// Texts that antibodies block.
    pub blocked: Vec<(AntibodyId, TextDigest)>,
    /// Antibodies that are surer than before, since further agents repeated what they know.
    pub surer: Vec<(AntibodyId, Trust)>,
    /// Whether the agents cite what came along, where the first calls have just said so.
    pub cites: Option<bool>,
}

/// An incident to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundIncident {
    /// When the exchange was.
    pub observed_at: Instant,
    /// Why.
    pub ground: MeshGround,
    /// Whether the output is withheld.
    pub is_confirmed: bool,
    /// How strong the ground is.
    pub score: Trust,
    /// The agents that the payload went through, in order.
    pub path: Vec<Handle>,
    /// Every agent in whose output it was seen, with when and in which runs.
    pub reached: Vec<(Handle, Instant, Vec<RunId>)>,
    /// Whether the agent is quarantined.
    pub quarantines: bool,
    /// The antibody to make, if there is one.
    pub antibody: Option<FoundAntibody>,
}

/// An antibody to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAntibody {
    /// The agents that it is for; without any, every one.
    pub agents: Vec<Handle>,
    /// How sure it is.
    pub confidence: Trust,
    /// When it ends.
    pub expires_at: Instant,
    /// The fingerprints of its span, sorted.
    pub prints: Vec<Fingerprint>,
}

/// What was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeshWritten {
    /// The incident that was opened.
    pub incident: Option<MeshIncidentId>,
    /// The antibody that was made.
    pub antibody: Option<AntibodyId>,
}

/// Why nothing of the mesh was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshPlanError {
    /// The principal may not.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// An agent asks about another one.
    #[error("agent `{agent}` has its own calls looked at only, not those of `{other}`")]
    NotItself {
        /// Who asked.
        agent: Handle,
        /// About whom.
        other: Handle,
    },
    /// Something that does not exist.
    #[error("`{item}` is not in this memory")]
    NotInMemory {
        /// What was named.
        item: Item,
    },
    /// An antibody that was retracted.
    #[error("`{antibody}` was retracted, and blocks nothing")]
    Retracted {
        /// Which one.
        antibody: AntibodyId,
    },
    /// An agent that is heard.
    #[error("agent `{identity}` is not quarantined in the mesh")]
    NotQuarantined {
        /// Its identity.
        identity: Handle,
    },
}

impl MeshPlanError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Forbidden(_) => None,
            Self::NotItself { agent, .. } => Some(format!(
                "leave `agent` and `identity` out, or say `{}`; a verifier or an operator asks \
                 about every agent",
                immune_model::shell::escaped(agent.as_str())
            )),
            Self::NotInMemory { .. } | Self::Retracted { .. } | Self::NotQuarantined { .. } => {
                Some("`immune mesh status` shows what is there".to_owned())
            }
        }
    }
}

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

impl Draft {
    /// Whether the principal may have calls of this agent looked at, in this run if one is named:
    /// an agent those of its own, a verifier and an operator those of every agent.
    pub fn check_may_mesh(
        &self,
        agent: &Handle,
        identity: &Handle,
        run: Option<&RunId>,
    ) -> Result<(), MeshPlanError> {
        self.require(Role::Agent, "have the mesh look at calls")?;
        if self.actor.role > Role::Agent {
            return Ok(());
        }
        let own = &self.actor.name;
        let reader = run.and_then(|it| self.state.agent_of_run(it));
        let named = [agent, identity].into_iter().chain(reader);
        match named.into_iter().find(|it| *it != own) {
            None => Ok(()),
            Some(other) => Err(MeshPlanError::NotItself {
                agent: own.clone(),
                other: other.clone(),
            }),
        }
    }

    /// Plans that the log begins, so that what is kept beside it has a place.
    pub fn begin(&mut self) {
        if self.state.name().is_none()
            && let Some(name) = self.name.take()
        {
            self.record(Event::MemoryCreated { name });
        }
    }

    /// Plans that what was found is written down; the ids are given here.
    pub fn mesh(&mut self, found: &MeshFound) -> Result<MeshWritten, MeshPlanError> {
        self.check_may_mesh(&found.agent, &found.identity, None)?;
        for (antibody, digest) in &found.blocked {
            let record = self.state.mesh.antibodies.find(*antibody);
            let by = self.state.mesh.blocked.get(digest);
            let is_known = by.is_some_and(|it| it.contains(antibody));
            if record.is_some_and(AntibodyRecord::stands) && !is_known {
                self.push(Event::TextBlocked {
                    antibody: *antibody,
                    agent: found.agent.clone(),
                    digest: *digest,
                });
            }
        }
        for (antibody, confidence) in &found.surer {
            let record = self.state.mesh.antibodies.find(*antibody);
            let rises =
                |it: &AntibodyRecord| it.stands() && !it.reviewed && it.confidence < *confidence;
            if record.is_some_and(rises) {
                self.push(Event::AntibodyReviewed {
                    antibody: *antibody,
                    confidence: *confidence,
                    by_hand: false,
                });
            }
        }
        // What holds for all of them is not what an agent shows of itself.
        let may_say = self.actor.role > Role::Agent && self.state.mesh.cites.is_none();
        if let Some(cites) = found.cites.filter(|_| may_say) {
            self.push(Event::MeshHabitLearned { cites });
        }
        let Some(incident) = &found.incident else {
            return Ok(MeshWritten::default());
        };
        Ok(self.open_mesh_incident(&found.identity, incident))
    }

    fn open_mesh_incident(&mut self, identity: &Handle, found: &FoundIncident) -> MeshWritten {
        let incident = self.state.mesh.incidents.next_id();
        let reached = found.reached.iter().map(|(agent, since, runs)| Reached {
            agent: agent.clone(),
            since: *since,
            runs: runs.clone(),
            sources: self.state.sources_of_agent(agent, runs),
        });
        let opened = MeshIncident {
            incident,
            observed_at: found.observed_at,
            ground: found.ground,
            is_confirmed: found.is_confirmed,
            score: found.score,
            path: found.path.clone(),
            reached: reached.collect(),
        };
        self.push(Event::MeshIncidentOpened(opened));
        let mut written = MeshWritten {
            incident: Some(incident),
            antibody: None,
        };
        if let Some(made) = &found.antibody {
            let antibody = self.state.mesh.antibodies.next_id();
            self.push(Event::AntibodyMade(Antibody {
                antibody,
                incident,
                agents: made.agents.clone(),
                confidence: made.confidence,
                made_at: found.observed_at,
                expires_at: made.expires_at,
                prints: made.prints.clone(),
            }));
            written.antibody = Some(antibody);
        }
        if found.quarantines {
            self.push(Event::AgentQuarantined {
                identity: identity.clone(),
                incident,
            });
        }
        written
    }

    /// Plans that an antibody is as sure as an operator says. Answers whether that changed it.
    pub fn review_antibody(
        &mut self,
        antibody: AntibodyId,
        confidence: Trust,
    ) -> Result<bool, MeshPlanError> {
        self.require(Role::Operator, "review an antibody")?;
        let was = self.standing_antibody(antibody)?;
        if was.confidence == confidence && was.reviewed {
            return Ok(false);
        }
        self.push(Event::AntibodyReviewed {
            antibody,
            confidence,
            by_hand: true,
        });
        Ok(true)
    }

    fn standing_antibody(&self, antibody: AntibodyId) -> Result<&AntibodyRecord, MeshPlanError> {
        let item = antibody.into();
        let record = self.state.mesh.antibodies.find(antibody);
        let record = record.ok_or(MeshPlanError::NotInMemory { item })?;
        if !record.stands() {
            return Err(MeshPlanError::Retracted { antibody });
        }
        Ok(record)
    }

    /// Plans that an antibody is retracted. Answers whether it stood.
    pub fn retract_antibody(&mut self, antibody: AntibodyId) -> Result<bool, MeshPlanError> {
        self.require(Role::Operator, "retract an antibody")?;
        match self.standing_antibody(antibody).map(|_| ()) {
            Ok(()) => {
                self.push(Event::AntibodyRetracted { antibody });
                Ok(true)
            }
            Err(MeshPlanError::Retracted { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Plans that an incident of the mesh was none. Answers whether it stood.
    pub fn retract_mesh_incident(
        &mut self,
        incident: MeshIncidentId,
    ) -> Result<bool, MeshPlanError> {
        self.require(Role::Operator, "retract an incident of the mesh")?;
        let item = incident.into();
        let record = self.state.mesh.incidents.find(incident);
        let record = record.ok_or(MeshPlanError::NotInMemory { item })?;
        if record.retracted_at.is_some() {
            return Ok(false);
        }
        self.push(Event::MeshIncidentRetracted { incident });
        Ok(true)
    }

    /// Plans that the agents of the mesh cite what came along, or do not; whether that is new.
    pub fn set_mesh_habit(&mut self, cites: bool) -> Result<bool, MeshPlanError> {
        self.require(Role::Operator, "say what agents of the mesh do")?;
        if self.state.mesh.cites == Some(cites) {
            return Ok(false);
        }
        self.push(Event::MeshHabitLearned { cites });
        Ok(true)
    }

    /// Plans that a quarantined agent is heard again.
    pub fn release_agent(&mut self, identity: &Handle) -> Result<(), MeshPlanError> {
        self.require(Role::Operator, "release an agent")?;
        if !self.state.mesh.quarantined.contains_key(identity) {
            let identity = identity.clone();
            return Err(MeshPlanError::NotQuarantined { identity });
        }
        let identity = identity.clone();
        self.push(Event::AgentReleased { identity });
        Ok(())
    }

    /// Plans `flag` of an incident of the mesh: of what each agent that it reached wrote since
    /// then. Each is a flag like any other, with an incident of its own.
    pub fn flag_mesh(
        &mut self,
        incident: MeshIncidentId,
        reason: Option<&Text>,
    ) -> Result<Vec<Flagged>, FlagError> {
        self.require(Role::Operator, "flag")?;
        let writers = self.mesh_writers(incident)?;
        let mut flagged = Vec::with_capacity(writers.len());
        for (source, since) in writers {
            flagged.push(self.flag(&Flag {
                what: FlagWhat::Item(source.into()),
                received_from: Some(since),
                reason: reason.cloned(),
            })?);
        }
        Ok(flagged)
    }

    /// Plans `unflag` of an incident of the mesh: the undo of those flags, and of no others.
    pub fn unflag_mesh(&mut self, incident: MeshIncidentId) -> Result<Vec<Unflagged>, FlagError> {
        self.require(Role::Operator, "take a flag back")?;
        let mut undone = Vec::new();
        for (source, since) in self.mesh_writers(incident)? {
            let target = FlagTarget::Source(source);
            let flags = self.state.flags_of(target).iter();
            let own = flags.filter(|it| it.received_from == Some(since));
            let own: Vec<IncidentId> = own.map(|it| it.incident).collect();
            let mut taken_back: Vec<Reinstated> = Vec::new();
            for incident in own {
                match self.reinstate(&Reinstate { incident }) {
                    Ok(reinstated) => taken_back.push(reinstated),
                    Err(ReinstateError::Forbidden(error)) => return Err(error.into()),
                    Err(ReinstateError::NotInMemory { .. }) => {
                        unreachable!("the incident was found in this state")
                    }
                }
            }
            if !taken_back.is_empty() {
                undone.push(Unflagged {
                    target,
                    undone: taken_back,
                });
            }
        }
        if undone.is_empty() {
            let item = incident.into();
            return Err(FlagError::NeverFlagged { item });
        }
        Ok(undone)
    }

    fn mesh_writers(
        &self,
        incident: MeshIncidentId,
    ) -> Result<Vec<(SourceId, Instant)>, FlagError> {
        let item = incident.into();
        let found = self.state.mesh_writers(incident);
        let found = found.ok_or(FlagError::NotInMemory { item })?;
        if found.is_empty() {
            return Err(FlagError::NothingWritten { incident });
        }
        Ok(found)
    }
}

impl State {
    /// The sources that an agent of the mesh is here: those under its name, and those of whoever
    /// reads in its runs. What is authored no agent can write.
    fn sources_of_agent(&self, agent: &Handle, runs: &[RunId]) -> Vec<SourceId> {
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
