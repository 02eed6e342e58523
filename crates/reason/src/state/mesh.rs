//! Folding the mesh of agents: incidents, antibodies, who is quarantined, which texts are blocked.
//!
//! Nothing here moves a status or a strength: what the agents of an incident wrote falls when an
//! operator flags it. Whether an antibody has ended is asked with the time; nothing ends by itself.

use immune_model::{
    Antibody, AntibodyId, Event, Handle, Instant, Item, MeshIncident, MeshIncidentId, TextDigest,
    Trust,
};
use rpds::RedBlackTreeMapSync;

use super::{ById, State};
use crate::arena::Arena;

/// What a memory knows of the mesh.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeshState {
    pub(crate) incidents: Arena<MeshIncidentId, MeshRecord>,
    pub(crate) antibodies: Arena<AntibodyId, AntibodyRecord>,
    /// Identities with the incidents over which they are quarantined, oldest first.
    pub(crate) quarantined: RedBlackTreeMapSync<Handle, Vec<MeshIncidentId>>,
    /// Texts with the antibodies that blocked them and stand, oldest first.
    pub(crate) blocked: ById<TextDigest, Vec<AntibodyId>>,
    /// Whether its agents cite what came along, once that is known.
    pub(crate) cites: Option<bool>,
    /// The event that last changed any of it; 0 before the first.
    pub(crate) seq: u64,
}

/// An incident of the mesh with what became of it.
#[derive(Debug, Clone)]
pub struct MeshRecord {
    /// What was found.
    pub what: MeshIncident,
    /// When it was written.
    pub at: Instant,
    /// The event that wrote it.
    pub seq: u64,
    /// When it was retracted, if it was.
    pub retracted_at: Option<Instant>,
    /// The identities that it quarantined, released or not.
    pub quarantined: Vec<Handle>,
    /// The antibodies that were made of it, retracted or not.
    pub antibodies: Vec<AntibodyId>,
}

/// An antibody with what became of it.
#[derive(Debug, Clone)]
pub struct AntibodyRecord {
    /// What was remembered; its confidence is the one that it was made with.
    pub what: Antibody,
    /// The event that wrote it.
    pub seq: u64,
    /// How sure it is now.
    pub confidence: Trust,
    /// Whether an operator said so.
    pub reviewed: bool,
    /// How many texts it blocked.
    pub hits: u32,
    /// When it was retracted, by itself or with its incident; nothing while it stands.
    pub retracted_at: Option<Instant>,
}

impl AntibodyRecord {
    /// Whether it was not retracted.
    pub fn stands(&self) -> bool {
        self.retracted_at.is_none()
    }
}

impl State {
    /// Folds an event of the mesh.
    pub(super) fn fold_mesh(&mut self, event: &Event, at: Instant) {
        self.mesh.seq = self.seq;
        match event {
            Event::MeshIncidentOpened(incident) => self.fold_mesh_incident(incident, at),
            Event::AntibodyMade(antibody) => self.fold_antibody(antibody, at),
            Event::AgentQuarantined { identity, incident } => {
                let record = self.mesh.incidents.get_mut(*incident);
                record.quarantined.push(identity.clone());
                let over = self.mesh.quarantined.get(identity);
                let mut over = over.cloned().unwrap_or_default();
                over.push(*incident);
                self.mesh.quarantined.insert_mut(identity.clone(), over);
            }
            Event::TextBlocked {
                antibody, digest, ..
            } => {
                let record = self.mesh.antibodies.get_mut(*antibody);
                record.hits = record.hits.saturating_add(1);
                let by = self.mesh.blocked.get(digest);
                let mut by = by.cloned().unwrap_or_default();
                if !by.contains(antibody) {
                    by.push(*antibody);
                }
                self.mesh.blocked.insert_mut(*digest, by);
            }
            Event::AntibodyReviewed {
                antibody,
                confidence,
                by_hand,
            } => {
                let record = self.mesh.antibodies.get_mut(*antibody);
                record.confidence = *confidence;
                record.reviewed |= *by_hand;
            }
            Event::AntibodyRetracted { antibody } => self.retract_antibody(*antibody, at),
            Event::MeshIncidentRetracted { incident } => {
                self.fold_mesh_incident_retracted(*incident, at);
            }
            Event::AgentReleased { identity } => {
                self.mesh.quarantined.remove_mut(identity);
            }
            Event::MeshHabitLearned { cites } => self.mesh.cites = Some(*cites),
            _ => unreachable!("`fold` hands over the mesh, and nothing else"),
        }
    }

    fn fold_mesh_incident(&mut self, incident: &MeshIncident, at: Instant) {
        let id = self.mesh.incidents.push(MeshRecord {
            what: incident.clone(),
            at,
            seq: self.seq,
            retracted_at: None,
            quarantined: Vec::new(),
            antibodies: Vec::new(),
        });
        assert_eq!(id, incident.incident, "incidents are numbered in order");
        let after = standing_word(incident.is_confirmed);
        self.announce(Item::MeshIncident(id), "status", None, after, None, at);
    }

    fn fold_antibody(&mut self, antibody: &Antibody, at: Instant) {
        let id = self.mesh.antibodies.push(AntibodyRecord {
            what: antibody.clone(),
            seq: self.seq,
            confidence: antibody.confidence,
            reviewed: false,
            hits: 0,
            retracted_at: None,
        });
        assert_eq!(id, antibody.antibody, "antibodies are numbered in order");
        let record = self.mesh.incidents.get_mut(antibody.incident);
        record.antibodies.push(id);
        let cause = Some(antibody.incident.into());
        self.announce(Item::Antibody(id), "status", None, "made", cause, at);
    }

    /// Takes an antibody away and releases what it blocked.
    fn retract_antibody(&mut self, id: AntibodyId, at: Instant) {
        let record = self.mesh.antibodies.get_mut(id);
        record.retracted_at = Some(at);
        let blocked = self.mesh.blocked.iter();
        let blocked = blocked.filter(|(_, by)| by.contains(&id));
        let blocked: Vec<TextDigest> = blocked.map(|(digest, _)| *digest).collect();
        for digest in blocked {
            let by = self.mesh.blocked.get(&digest).into_iter().flatten();
            let by: Vec<AntibodyId> = by.copied().filter(|it| *it != id).collect();
            if by.is_empty() {
                self.mesh.blocked.remove_mut(&digest);
            } else {
                self.mesh.blocked.insert_mut(digest, by);
            }
        }
        let before = Some("made".to_owned());
        self.announce(Item::Antibody(id), "status", before, "retracted", None, at);
    }

    fn fold_mesh_incident_retracted(&mut self, id: MeshIncidentId, at: Instant) {
        let record = self.mesh.incidents.get_mut(id);
        assert!(
            record.retracted_at.is_none(),
            "an incident is retracted once"
        );
        record.retracted_at = Some(at);
        let before = Some(standing_word(record.what.is_confirmed).to_owned());
        let (made, identities) = (record.antibodies.clone(), record.quarantined.clone());
        let item = Item::MeshIncident(id);
        self.announce(item, "status", before, "retracted", None, at);
        for antibody in made {
            if self.mesh.antibodies.get(antibody).stands() {
                self.retract_antibody(antibody, at);
            }
        }
        for identity in identities {
            let over = self.mesh.quarantined.get(&identity).into_iter().flatten();
            let over: Vec<MeshIncidentId> = over.copied().filter(|it| *it != id).collect();
            if over.is_empty() {
                self.mesh.quarantined.remove_mut(&identity);
            } else {
                self.mesh.quarantined.insert_mut(identity, over);
            }
        }
    }

    /// The event that last changed what the mesh blocks; 0 before the first.
    pub fn mesh_seq(&self) -> u64 {
        self.mesh.seq
    }

    /// Whether the agents of the mesh cite what came along, once that is known.
    pub fn mesh_cites(&self) -> Option<bool> {
        self.mesh.cites
    }

    /// The identities that are quarantined in the mesh, in order, with the incidents.
    pub fn mesh_quarantined(&self) -> impl Iterator<Item = (&Handle, &[MeshIncidentId])> {
        let all = self.mesh.quarantined.iter();
        all.map(|(identity, over)| (identity, over.as_slice()))
    }

    /// The texts that antibodies blocked and that are blocked still, with those antibodies.
    pub fn mesh_blocked(&self) -> impl Iterator<Item = (TextDigest, &[AntibodyId])> {
        let all = self.mesh.blocked.iter();
        all.map(|(digest, by)| (*digest, by.as_slice()))
    }
}

fn standing_word(is_confirmed: bool) -> &'static str {
    if is_confirmed {
        "confirmed"
    } else {
        "advisory"
    }
}
