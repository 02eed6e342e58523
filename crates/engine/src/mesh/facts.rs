//! What a check of the mesh says should be written down, in the words of the log. For the mesh only.

use immune_mesh::{Fact, Ground, Incident, Scope};
use immune_model::{
    AntibodyId, Fingerprint, Handle, Instant, MeshGround, RunId, TextDigest, Trust,
};
use immune_reason::plan::{FoundAntibody, FoundIncident, MeshFound};

use super::{Live, MeshCall, MeshExchange};

/// What was found of the agent of a call. Ids of what is new are given when it is written.
pub(super) fn found(
    call: &MeshCall,
    exchange: Option<&MeshExchange>,
    facts: &[Fact],
    live: &Live,
) -> MeshFound {
    let mut found = MeshFound {
        agent: call.agent.clone(),
        identity: call.identity.clone(),
        incident: None,
        blocked: Vec::new(),
        surer: Vec::new(),
        cites: None,
    };
    for fact in facts {
        match fact {
            Fact::IncidentOpened(opened) => {
                found.incident = Some(incident(call, exchange, opened, live));
            }
            Fact::AntibodyMade(made) => {
                let agents = match &made.scope {
                    Scope::Mesh => Vec::new(),
                    Scope::Agents(names) => handles(names),
                };
                let antibody = FoundAntibody {
                    agents,
                    confidence: trust(made.confidence),
                    expires_at: made.expires,
                    prints: made.prints.iter().copied().map(Fingerprint).collect(),
                };
                if let Some(incident) = &mut found.incident {
                    incident.antibody = Some(antibody);
                }
            }
            Fact::AgentQuarantined { .. } => {
                if let Some(incident) = &mut found.incident {
                    incident.quarantines = true;
                }
            }
            Fact::TextBlocked { antibody, digest } => {
                let blocked = (AntibodyId::new(*antibody), TextDigest(*digest));
                found.blocked.push(blocked);
            }
            Fact::AntibodyReviewed {
                antibody,
                confidence,
            } => {
                let surer = (AntibodyId::new(*antibody), trust(*confidence));
                found.surer.push(surer);
            }
            Fact::HabitLearned { cites } => found.cites = Some(*cites),
            // Those are an operator's, and no check says them.
            Fact::AntibodyRetracted { .. }
            | Fact::IncidentRetracted { .. }
            | Fact::AgentReleased { .. } => {}
        }
    }
    found
}

fn incident(
    call: &MeshCall,
    exchange: Option<&MeshExchange>,
    opened: &Incident,
    live: &Live,
) -> FoundIncident {
    let reached = opened.reached.iter().zip(&opened.since);
    let reached =
        reached.filter_map(|(agent, since)| reached_by(call, exchange, live, agent, *since));
    FoundIncident {
        observed_at: opened.at,
        ground: ground(opened.ground),
        is_confirmed: opened.is_confirmed,
        score: trust(opened.score),
        path: handles(&opened.path),
        reached: reached.collect(),
        quarantines: false,
        antibody: None,
    }
}

/// When an agent was reached, and in which runs: of the one that is observed from the beginning of
/// its call on, since it may have written before it answered.
fn reached_by(
    call: &MeshCall,
    exchange: Option<&MeshExchange>,
    live: &Live,
    agent: &str,
    since: Instant,
) -> Option<(Handle, Instant, Vec<RunId>)> {
    let agent = Handle::new(agent).ok()?;
    let mut runs = live.runs_since(&agent, since);
    let mut since = since;
    if agent == call.agent
        && let Some(exchange) = exchange
    {
        let began = live.began(call, exchange.id);
        since = began.map_or(since, |it| it.min(since));
        if let Some(run) = exchange.run.as_ref().filter(|it| !runs.contains(*it)) {
            runs.push(run.clone());
        }
    }
    Some((agent, since, runs))
}

fn handles<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<Handle> {
    let names = names.into_iter();
    names.filter_map(|it| Handle::new(it).ok()).collect()
}

fn trust(thousandths: u16) -> Trust {
    Trust::from_thousandths(thousandths.min(1000)).unwrap_or(Trust::ONE)
}

fn ground(ground: Ground) -> MeshGround {
    match ground {
        Ground::Canary => MeshGround::Canary,
        Ground::Directive | Ground::Asked | Ground::Nothing => MeshGround::Directive,
        Ground::Hops => MeshGround::Hops,
        Ground::Agents => MeshGround::Agents,
        Ground::Mirroring | Ground::Meaning => MeshGround::Mirroring,
        Ground::Antibody | Ground::Blocked | Ground::Quarantined => MeshGround::Antibody,
    }
}
