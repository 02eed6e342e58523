//! The mesh as one process has it: the facts of the log, and what only looking at calls teaches.
//!
//! The facts are taken from a state whenever that has others, so that what another process found is
//! known before the next call. The rest (what is usual, who carried what, which calls are recent) is
//! kept beside the store from time to time, and at the end; LIMITS.md says what a killed process
//! forgets. Invariant: nothing of the rest decides whether a payload that is blocked stays so.

use std::collections::{BTreeMap, VecDeque};
use std::sync::PoisonError;

use immune_mesh::{Antibody, Canary, Edge, Fact, Key, Mesh, Scope};
use immune_model::limits::{
    MESH_CANARIES_MAX, MESH_EXCHANGES_MAX, MESH_IDENTITIES_MAX, MESH_KEPT_EXCHANGES,
};
use immune_model::{Handle, Instant, RunId};
use immune_reason::State;
use immune_reason::plan::{MeshFound, MeshWritten};
use immune_store::SideFile;

use super::pack::{self, Kept};
use super::{CallId, MeshCall, MeshCanary};
use crate::kept;
use crate::memory::Shared;
use crate::session::Session;

/// Where the input of a call comes from, for its canary: a call has one edge, into the model.
const EDGE: &str = "model";

/// A call that is recent.
#[derive(Debug, Clone)]
struct Call {
    id: u64,
    at: Instant,
    canary: Canary,
}

/// The mesh in this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Live {
    pub(super) mesh: Mesh,
    /// The event of the log up to which facts are taken up.
    seq: u64,
    /// The recent calls of each identity, oldest first.
    calls: BTreeMap<Handle, VecDeque<Call>>,
    /// When each agent was observed lately, and in which run.
    exchanges: BTreeMap<Handle, VecDeque<(Instant, Option<RunId>)>>,
    /// The key, where no store keeps it.
    key: Option<[u8; 32]>,
    /// Whether this process looked at what a model said, and so learned.
    has_observed: bool,
    /// Calls and exchanges since it was kept.
    unkept: u32,
}

impl Live {
    /// What was kept beside the store, as far as it is whole.
    pub(crate) fn kept(shared: &Shared) -> Self {
        let mut live = Self::default();
        let store = &*shared.parts.store;
        let kept = kept::read(store, &shared.name, SideFile::Mesh).and_then(Result::ok);
        let Some(kept) = kept
            .as_ref()
            .and_then(|it| pack::unpacked(it.content.as_slice()))
        else {
            return live;
        };
        if !live.mesh.learn_again(kept.learned) {
            return live;
        }
        for (agent, at, run) in kept.exchanges {
            let exchanges = bounded(&mut live.exchanges, &agent, MESH_EXCHANGES_MAX);
            exchanges.push_back((at, run));
        }
        let key = store.read_side_file(&shared.name, SideFile::MeshKey);
        let key = key.ok().flatten().and_then(|it| it.try_into().ok());
        let Some(key) = key.map(Key::new) else {
            return live;
        };
        for (identity, id, at) in kept.calls {
            let canary = canary(&key, id, &identity);
            let calls = bounded(&mut live.calls, &identity, MESH_CANARIES_MAX);
            calls.push_back(Call { id, at, canary });
        }
        live
    }

    /// Takes up what another process kept: its calls, and what it learned where this one did not
    /// learn itself.
    fn merge(&mut self, other: Self) {
        for (identity, theirs) in other.calls {
            let own = self.calls.remove(&identity).unwrap_or_default();
            let mut all: Vec<Call> = own.into_iter().chain(theirs).collect();
            all.sort_by_key(|it| (it.at, it.id));
            all.dedup_by_key(|it| it.id);
            for call in all {
                bounded(&mut self.calls, &identity, MESH_CANARIES_MAX).push_back(call);
            }
        }
        if !self.has_observed {
            self.exchanges = other.exchanges;
            self.mesh.learn_again(&other.mesh.learned());
        }
    }

    fn packed(&self) -> Vec<u8> {
        let calls = self.calls.iter();
        let calls = calls.flat_map(|(identity, calls)| {
            calls.iter().map(move |it| (identity.clone(), it.id, it.at))
        });
        let exchanges = self.exchanges.iter();
        let exchanges = exchanges.flat_map(|(agent, exchanges)| {
            let exchanges = exchanges.iter();
            exchanges.map(move |(at, run)| (agent.clone(), *at, run.clone()))
        });
        let learned = self.mesh.learned();
        pack::packed(&Kept {
            calls: calls.collect(),
            exchanges: exchanges.collect(),
            learned: &learned,
        })
    }

    /// Takes up the facts of a state, if they are others.
    pub(super) fn follow(&mut self, state: &State) {
        if self.seq == state.mesh_seq() {
            return;
        }
        self.seq = state.mesh_seq();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let incidents = count(state.mesh_incident_ids().count());
        let antibodies = count(state.antibody_ids().count());
        self.mesh.forget_facts(incidents, antibodies);
        if let Some(cites) = state.mesh_cites() {
            self.mesh.apply(&Fact::HabitLearned { cites });
        }
        // Before the antibodies, so that these are not hit again.
        for (digest, by) in state.mesh_blocked() {
            for antibody in by {
                self.mesh.apply(&Fact::TextBlocked {
                    antibody: antibody.number(),
                    digest: digest.0,
                });
            }
        }
        let antibodies = state.antibody_ids().filter_map(|it| state.antibody(it));
        for record in antibodies.filter(|it| it.stands()) {
            let agents = record.what.agents.iter();
            let agents = agents.map(|it| it.as_str().to_owned());
            self.mesh.apply(&Fact::AntibodyMade(Antibody {
                id: record.what.antibody.number(),
                incident: record.what.incident.number(),
                prints: record.what.prints.iter().map(|it| it.0).collect(),
                scope: scope(agents.collect()),
                confidence: record.confidence.thousandths(),
                hits: record.hits,
                made: record.what.made_at,
                expires: record.what.expires_at,
            }));
        }
        for (identity, over) in state.mesh_quarantined() {
            for incident in over {
                self.mesh.apply(&Fact::AgentQuarantined {
                    identity: identity.as_str().to_owned(),
                    incident: incident.number(),
                });
            }
        }
    }

    /// Takes up what this process wrote, between these two events that changed the mesh; where
    /// another one wrote in between, the next call takes all of it up.
    pub(super) fn take_up(
        &mut self,
        found: &MeshFound,
        written: MeshWritten,
        before: u64,
        after: u64,
    ) {
        // What a plan may leave out is read off the state.
        let is_plain = found.surer.is_empty() && found.cites.is_none();
        if self.seq != before || !is_plain {
            return;
        }
        self.seq = after;
        for (antibody, digest) in &found.blocked {
            self.mesh.apply(&Fact::TextBlocked {
                antibody: antibody.number(),
                digest: digest.0,
            });
        }
        let (Some(incident), Some(opened)) = (written.incident, &found.incident) else {
            return;
        };
        if let (Some(made), Some(antibody)) = (&opened.antibody, written.antibody) {
            let agents = made.agents.iter().map(|it| it.as_str().to_owned());
            self.mesh.apply(&Fact::AntibodyMade(Antibody {
                id: antibody.number(),
                incident: incident.number(),
                prints: made.prints.iter().map(|it| it.0).collect(),
                scope: scope(agents.collect()),
                confidence: made.confidence.thousandths(),
                hits: 0,
                made: opened.observed_at,
                expires: made.expires_at,
            }));
        }
        if opened.quarantines {
            self.mesh.apply(&Fact::AgentQuarantined {
                identity: found.identity.as_str().to_owned(),
                incident: incident.number(),
            });
        }
    }

    /// The canary of a call that begins now.
    pub(super) fn next_call(
        &mut self,
        session: &Session,
        call: &MeshCall,
        at: Instant,
    ) -> MeshCanary {
        let mut bytes = [0; 8];
        (session.memory.shared.parts.fill_random)(&mut bytes);
        let id = u64::from_le_bytes(bytes);
        let canary = canary(&self.key(session), id, &call.identity);
        let text = canary.injected();
        let calls = bounded(&mut self.calls, &call.identity, MESH_CANARIES_MAX);
        calls.push_back(Call { id, at, canary });
        self.unkept += 1;
        MeshCanary {
            call: CallId(id),
            text,
        }
    }

    /// The canaries that an agent must not say, that of this call last.
    pub(super) fn canaries(
        &mut self,
        session: &Session,
        call: &MeshCall,
        id: Option<CallId>,
    ) -> Vec<Canary> {
        let recent = self.calls.get(&call.identity).into_iter().flatten();
        let mut canaries: Vec<Canary> = recent
            .filter(|it| id != Some(CallId(it.id)))
            .map(|it| it.canary.clone())
            .collect();
        if let Some(CallId(id)) = id {
            canaries.push(canary(&self.key(session), id, &call.identity));
        }
        canaries
    }

    /// When a call began, if that is known.
    pub(super) fn began(&self, call: &MeshCall, id: Option<CallId>) -> Option<Instant> {
        let mut recent = self.calls.get(&call.identity).into_iter().flatten();
        recent.find(|it| Some(CallId(it.id)) == id).map(|it| it.at)
    }

    /// Notes when an agent was observed.
    pub(super) fn note_exchange(&mut self, call: &MeshCall, at: Instant, run: Option<&RunId>) {
        let exchanges = bounded(&mut self.exchanges, &call.agent, MESH_EXCHANGES_MAX);
        exchanges.push_back((at, run.cloned()));
        self.has_observed = true;
        self.unkept += 1;
    }

    /// The runs in which an agent was observed since then, each once.
    pub(super) fn runs_since(&self, agent: &Handle, since: Instant) -> Vec<RunId> {
        let exchanges = self.exchanges.get(agent).into_iter().flatten();
        let mut runs: Vec<RunId> = exchanges
            .filter(|(at, _)| *at >= since)
            .filter_map(|(_, run)| run.clone())
            .collect();
        runs.sort_unstable();
        runs.dedup();
        runs
    }

    /// The key of the canaries: the one beside the store, made at the first use. Read each time, so
    /// that of two processes that make one at once both go by the one that stays.
    fn key(&mut self, session: &Session) -> Key {
        let shared = &session.memory.shared;
        let read = || {
            let read = shared
                .parts
                .store
                .read_side_file(&shared.name, SideFile::MeshKey);
            <[u8; 32]>::try_from(read.ok()??.as_slice()).ok()
        };
        let known = read().or(self.key);
        let key =
            known.unwrap_or_else(|| {
                let mut key = [0; 32];
                (shared.parts.fill_random)(&mut key);
                if session.is_preview() {
                    return key;
                }
                // A store that keeps none leaves it with this process.
                let _ = shared.parts.store.replace_side_file(
                    &shared.name,
                    SideFile::MeshKey,
                    &mut |out| out.write_all(&key),
                );
                read().unwrap_or(key)
            });
        self.key = Some(key);
        Key::new(key)
    }
}

/// Keeps what was learned, if there is any that is not kept. Of two processes that both look at what
/// models said, the one that keeps last is kept; one that only screens adds its calls.
pub(crate) fn keep(shared: &Shared) {
    let Some(live) = shared.mesh.get() else {
        return;
    };
    let packed = {
        let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
        if live.unkept == 0 {
            return;
        }
        live.unkept = 0;
        live.merge(Live::kept(shared));
        live.packed()
    };
    let store = &*shared.parts.store;
    let head = shared.latest().head();
    // Without it, the next process begins with the facts alone.
    kept::keep(store, &shared.name, head, SideFile::Mesh, &mut |out| {
        out.write_all(&packed)
    });
}

impl Session {
    /// Keeps what the mesh learned, after so many exchanges.
    pub(super) fn keep_mesh_now_and_then(&self) {
        let is_due = !self.is_preview() && self.lock_mesh().unkept >= MESH_KEPT_EXCHANGES;
        if is_due {
            keep(&self.memory.shared);
        }
    }
}

fn canary(key: &Key, id: u64, identity: &Handle) -> Canary {
    let edge = Edge {
        agent: identity.as_str(),
        from: EDGE,
    };
    Canary::new(key, id, edge)
}

fn scope(agents: std::collections::BTreeSet<String>) -> Scope {
    if agents.is_empty() {
        Scope::Mesh
    } else {
        Scope::Agents(agents)
    }
}

/// The list of one of at most so many names, with room for one more.
fn bounded<'a, T>(
    lists: &'a mut BTreeMap<Handle, VecDeque<T>>,
    name: &Handle,
    most: usize,
) -> &'a mut VecDeque<T> {
    if lists.len() >= MESH_IDENTITIES_MAX && !lists.contains_key(name) {
        lists.pop_first();
    }
    let list = lists.entry(name.clone()).or_default();
    if list.len() >= most {
        list.pop_front();
    }
    list
}
