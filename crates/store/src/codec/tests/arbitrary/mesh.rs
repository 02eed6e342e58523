//! Arbitrary incidents and antibodies of the mesh.

use immune_model::*;
use proptest::collection::vec;
use proptest::prelude::*;

use super::words::*;

pub(super) fn mesh_incident() -> impl Strategy<Value = Event> {
    let reached = (
        handle(),
        instant(),
        vec(named_run(), 0..3),
        vec(source(), 0..3),
    );
    let reached = reached.prop_map(|(agent, since, runs, sources)| Reached {
        agent,
        since,
        runs,
        sources,
    });
    let way = (vec(handle(), 0..4), vec(reached, 0..4));
    let ground = (0..5_usize, any::<bool>(), trust());
    (mesh_incident_id(), instant(), ground, way).prop_map(
        |(incident, observed_at, (ground, is_confirmed, score), (path, reached))| {
            Event::MeshIncidentOpened(MeshIncident {
                incident,
                observed_at,
                ground: [
                    MeshGround::Canary,
                    MeshGround::Directive,
                    MeshGround::Hops,
                    MeshGround::Agents,
                    MeshGround::Mirroring,
                    MeshGround::Antibody,
                ][ground],
                is_confirmed,
                score,
                path,
                reached,
            })
        },
    )
}

pub(super) fn antibody() -> impl Strategy<Value = Event> {
    let prints = vec(any::<u64>().prop_map(Fingerprint), 0..20);
    let scope = (vec(handle(), 0..3), trust(), prints);
    let times = (instant(), instant());
    (antibody_id(), mesh_incident_id(), scope, times).prop_map(
        |(antibody, incident, (agents, confidence, prints), (made_at, expires_at))| {
            Event::AntibodyMade(Antibody {
                antibody,
                incident,
                agents,
                confidence,
                made_at,
                expires_at,
                prints,
            })
        },
    )
}
