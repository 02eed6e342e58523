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
    /// Calls and exchanges since it was kept.
    unkept: u32,
    /// Exchanges that this process looked at.
    observed: u32,
    /// The end of what was kept when it was last read or written here.
    kept_end: Option<[u8; 32]>,
    /// Exchanges in which another process is taken to be at work, since it kept what it learned.
    in_company: u32,
}

impl Live {
    /// What was kept beside the store, as far as it is whole.
    pub(crate) fn kept(shared: &Shared) -> Self {
        let mut live = Self::default();
        live.take_up_kept(shared);
        live
    }

    /// Takes up what others kept since this process last looked: the calls and exchanges of both,
    /// and what it learned since on top of what they did. Bytes that are none change nothing.
    fn take_up_kept(&mut self, shared: &Shared) {
        let store = &*shared.parts.store;
        // What is replaced after this is read now, and once more the next time.
        let end = store.read_side_file_end(&shared.name, SideFile::Mesh);
        let end = end.ok().flatten();
        if end.is_none() || end == self.kept_end {
            return;
        }
        if self.observed > 0 {
            self.in_company = MESH_KEPT_EXCHANGES;
        }
        self.kept_end = end;
        let kept = kept::read(store, &shared.name, SideFile::Mesh).and_then(Result::ok);
        let Some(kept) = &kept else {
            return;
        };
        let Some(kept) = pack::unpacked(kept.content.as_slice()) else {
            return;
        };
        if !self.mesh.learn_with(kept.learned) {
            return;
        }
        self.add_exchanges(kept.exchanges);
        let key = store.read_side_file(&shared.name, SideFile::MeshKey);
        let key = key.ok().flatten().and_then(|it| it.try_into().ok());
        if let Some(key) = key.map(Key::new) {
            self.add_calls(kept.calls, &key);
        }
    }

    fn add_exchanges(&mut self, theirs: Vec<(Handle, Instant, Option<RunId>)>) {
        let own = std::mem::take(&mut self.exchanges).into_iter();
        let own = own.flat_map(|(agent, exchanges)| {
            let exchanges = exchanges.into_iter();
            exchanges.map(move |(at, run)| (agent.clone(), at, run))
        });
        let mut all: Vec<_> = own.chain(theirs).collect();
        all.sort_by(|one, other| (one.1, &one.0, &one.2).cmp(&(other.1, &other.0, &other.2)));
        all.dedup();
        for (agent, at, run) in all {
            bounded(&mut self.exchanges, &agent, MESH_EXCHANGES_MAX).push_back((at, run));
        }
    }

    fn add_calls(&mut self, theirs: Vec<(Handle, u64, Instant)>, key: &Key) {
        let mut of_each: BTreeMap<Handle, Vec<Call>> = BTreeMap::new();
        for (identity, id, at) in theirs {
            let own = self.calls.get(&identity).into_iter().flatten();
            if !own.clone().any(|it| it.id == id) {
                let canary = canary(key, id, &identity);
                let calls = of_each.entry(identity).or_default();
                calls.push(Call { id, at, canary });
            }
        }
        for (identity, mut calls) in of_each {
            calls.extend(self.calls.remove(&identity).unwrap_or_default());
            calls.sort_by_key(|it| (it.at, it.id));
            for call in calls {
                bounded(&mut self.calls, &identity, MESH_CANARIES_MAX).push_back(call);
            }
        }
    }

    /// Whether what was learned is to be kept now: at first, so that others know of this process;
    /// then after so many calls and exchanges, and where others are at work as soon as a span was
    /// carried on.
    fn is_due(&self) -> bool {
        let since = self.mesh.since();
        let is_first = self.observed == 1 && since.exchanges() == 1;
        let is_awaited = self.in_company > 0 && since.has_carried();
        self.unkept >= MESH_KEPT_EXCHANGES || is_first || is_awaited
    }

    /// What was learned could not be kept.
    fn not_kept(&mut self) {
        self.unkept = 1;
        self.in_company = 0;
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
        self.observed = self.observed.saturating_add(1);
        self.in_company = self.in_company.saturating_sub(1);
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

/// Keeps what was learned, if there is any that is not kept, on top of what others kept since.
/// Where that cannot be done, it is tried again after as many exchanges, and at the end.
pub(crate) fn keep(shared: &Shared) {
    let Some(live) = shared.mesh.get() else {
        return;
    };
    let lock = || live.lock().unwrap_or_else(PoisonError::into_inner);
    if lock().unkept == 0 {
        return;
    }
    let (store, name) = (&*shared.parts.store, &shared.name);
    // Nobody else keeps between the reading and the writing.
    let held = store.hold_side_file(name, SideFile::Mesh, &mut || {
        let (packed, since) = {
            let mut live = lock();
            live.take_up_kept(shared);
            live.unkept = 0;
            (live.packed(), live.mesh.take_since())
        };
        let head = shared.latest().head();
        let len = kept::keep(store, name, head, SideFile::Mesh, &mut |out| {
            out.write_all(&packed)
        });
        let mut live = lock();
        if len.is_none() {
            live.mesh.give_back(since);
            live.not_kept();
            return;
        }
        let end = store.read_side_file_end(name, SideFile::Mesh);
        live.kept_end = end.ok().flatten();
    });
    match held {
        Ok(true) => {}
        // This store keeps no such thing.
        Ok(false) => {
            let mut live = lock();
            live.mesh.take_since();
            live.unkept = 0;
        }
        Err(_) => lock().not_kept(),
    }
}

impl Session {
    /// Keeps what the mesh learned, where it is time to.
    pub(super) fn keep_mesh_now_and_then(&self) {
        let is_due = !self.is_preview() && self.lock_mesh().is_due();
        if is_due {
            keep(&self.memory.shared);
        }
    }

    /// Takes up what other processes kept of the mesh.
    pub(super) fn share_mesh(&self, live: &mut Live) {
        live.take_up_kept(&self.memory.shared);
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
