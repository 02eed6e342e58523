//! Steps of the mesh: what it finds of an agent, and what an operator takes back.

use immune_model::{
    AntibodyId, Fingerprint, Handle, MeshGround, MeshIncidentId, RunId, TextDigest, Trust,
};
use immune_reason::plan::{FoundAntibody, FoundIncident, MeshFound};

use super::History;

impl History {
    /// One of eight things, of the agent, the incident or the antibody that is picked.
    pub(super) fn mesh(&mut self, what: u8, pick: u8) {
        let agent = Handle::new(["support-bot", "a", "b"][usize::from(pick % 3)]).unwrap();
        let incidents = self.state.mesh_incident_ids().count();
        let incident = usize::from(pick).checked_rem(incidents);
        let incident = incident.map(MeshIncidentId::from_index);
        let antibodies = self.state.antibody_ids().count();
        let antibody = usize::from(pick).checked_rem(antibodies);
        let antibody = antibody.map(AntibodyId::from_index);
        match (what, incident, antibody) {
            (0 | 1, _, _) => self.mesh_finds(&agent, pick, Vec::new()),
            (2, _, Some(antibody)) => {
                let blocked = vec![(antibody, TextDigest([pick; 16]))];
                self.mesh_finds(&agent, pick, blocked);
            }
            (3, _, Some(antibody)) => {
                let sure = Trust::from_thousandths(u16::from(pick)).unwrap();
                self.plan(|draft| drop(draft.review_antibody(antibody, sure)));
            }
            (4, _, Some(antibody)) => self.plan(|draft| drop(draft.retract_antibody(antibody))),
            (5, Some(incident), _) => {
                self.plan(|draft| drop(draft.retract_mesh_incident(incident)));
            }
            (6, Some(incident), _) => self.plan(|draft| drop(draft.flag_mesh(incident, None))),
            (7, Some(incident), _) => {
                self.plan(|draft| drop(draft.unflag_mesh(incident)));
                self.plan(|draft| drop(draft.release_agent(&agent)));
            }
            _ => {}
        }
    }

    fn mesh_finds(&mut self, agent: &Handle, pick: u8, blocked: Vec<(AntibodyId, TextDigest)>) {
        let now = self.now;
        let is_confirmed = pick.is_multiple_of(2);
        let antibody = FoundAntibody {
            agents: Vec::new(),
            confidence: Trust::RECORD,
            expires_at: now.plus_seconds(86_400),
            prints: vec![Fingerprint(u64::from(pick)), Fingerprint(u64::MAX)],
        };
        let run = RunId::new("run_1").unwrap();
        let incident = FoundIncident {
            observed_at: now,
            ground: MeshGround::Hops,
            is_confirmed,
            score: Trust::FLOOR,
            path: vec![agent.clone()],
            reached: vec![(agent.clone(), now, vec![run])],
            quarantines: is_confirmed,
            antibody: is_confirmed.then_some(antibody),
        };
        let found = MeshFound {
            agent: agent.clone(),
            identity: agent.clone(),
            incident: blocked.is_empty().then_some(incident),
            blocked,
            surer: Vec::new(),
            cites: is_confirmed.then_some(false),
        };
        self.plan(|draft| draft.mesh(&found).map(|_| ()).unwrap());
    }
}
