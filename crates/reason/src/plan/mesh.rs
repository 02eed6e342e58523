//! What the mesh of agents found, written down; and what an operator decides about it.
//!
//! Whoever looked at the texts did so before the plan. What it keeps: an agent is written about by
//! itself, a verifier or an operator; only an operator takes anything back, and only what an
//! operator flags falls.

mod cone;

pub use cone::{MeshCone, MeshWrite, MeshWriteOf};
use immune_model::{
    Antibody, AntibodyId, Event, Fingerprint, FlagTarget, Handle, IncidentId, Instant, Item,
    MeshGround, MeshIncident, MeshIncidentId, Reached, Role, RunId, SourceId, Text, TextDigest,
    Trust,
};

use super::{
    Draft, Flag, FlagError, FlagWhat, Flagged, Forbidden, Reinstate, ReinstateError, Reinstated,
    Unflagged,
};
use crate::state::AntibodyRecord;

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
