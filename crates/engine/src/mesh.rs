//! The mesh: what a model is about to be shown is looked at, and what it said; what is found is
//! written into the log, so that every process on the store blocks it before its model is called.
//!
//! The looking is that of `immune_mesh`; who may, what is written and what is kept beside the log is
//! decided here. Invariants: an answer is given after what it rests on is durable; of an output that
//! is withheld an answer holds places and no words.

mod facts;
mod live;
mod meaning;
mod pack;
mod release;

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use immune_mesh::{Agent, Exchange, Message, Outcome};
use immune_model::{AntibodyId, Handle, Instant, MeshIncidentId, RunId};
use immune_reason::plan::{MeshFound, MeshPlanError};
use immune_recall::EmbedError;

pub use immune_mesh::{
    Ground, Judgement, MeshError, Place, Purpose, Reading, Verdict as MeshVerdict,
};
pub use meaning::{MeshMeaning, MeshMeaningError};
pub use release::MeshUndone;

pub(crate) use live::{Live, keep};

use crate::error::WriteError;
use crate::session::Session;

/// Where a text of a call comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeshOrigin {
    /// The operator or the principal: a system message, the words of the user.
    Trusted,
    /// Outside of the mesh: a page, a mail of somebody.
    Outside,
    /// An agent of the mesh.
    Agent(String),
    /// It is not known.
    Unknown,
}

/// A text that a model is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshText {
    /// Where it comes from.
    pub origin: MeshOrigin,
    /// Why it is there.
    pub purpose: Purpose,
    /// What it is; told where it is too long, not judged.
    pub label: String,
    /// What it says.
    pub text: String,
}

/// A call of the model of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshCall {
    /// The agent.
    pub agent: Handle,
    /// What stays when it takes another name; what is usual and who is quarantined goes by this.
    pub identity: Handle,
    /// When; now if nothing is said.
    pub at: Option<Instant>,
    /// What the model is shown.
    pub messages: Vec<MeshText>,
}

/// A call of a model and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshExchange {
    /// The call.
    pub call: MeshCall,
    /// The id that `screen` gave the call, if it was asked.
    pub id: Option<CallId>,
    /// The run in which it was, if one is named.
    pub run: Option<RunId>,
    /// What the model answered, in parts.
    pub output: Vec<String>,
    /// The strings of the tools that it called, and what the agent wrote elsewhere.
    pub said: Vec<String>,
}

/// The id of a call: what its canary is derived from, besides the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u64);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A word that is no id of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the id of a call has 16 hexadecimal digits")]
pub struct CallIdError;

impl FromStr for CallId {
    type Err = CallIdError;

    fn from_str(word: &str) -> Result<Self, CallIdError> {
        let is_id = word.len() == 16 && word.bytes().all(|it| it.is_ascii_hexdigit());
        let number = u64::from_str_radix(word, 16).ok().filter(|_| is_id);
        number.map(Self).ok_or(CallIdError)
    }
}

/// The canary of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshCanary {
    /// The id of the call: `observe` is told it.
    pub call: CallId,
    /// A sentence to append to the system message.
    pub text: String,
}

/// What the mesh says of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshAnswer {
    /// When the call was.
    pub at: Instant,
    /// The verdict. Its spans are places: no words of what is withheld.
    pub verdict: MeshVerdict,
    /// The antibody that knows it, or that was made of it.
    pub antibody: Option<AntibodyId>,
    /// The incident that was opened.
    pub incident: Option<MeshIncidentId>,
    /// Of a call that may be made, its canary.
    pub canary: Option<MeshCanary>,
    /// What to deliver in place of the output; nothing where that is delivered.
    pub notice: Option<String>,
}

/// Why nothing was judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshRefusal {
    /// The principal may not, or names what is not there.
    #[error(transparent)]
    Plan(#[from] MeshPlanError),
    /// There is too much to look at.
    #[error(transparent)]
    Texts(#[from] MeshError),
    /// The output was to be compared by meaning too, and the embedder failed.
    #[error("nothing was judged: {0}")]
    Meaning(EmbedError),
    /// A moment that is to come, at which antibodies would have ended.
    #[error("`{at}` is to come")]
    InTheFuture {
        /// The moment.
        at: Instant,
    },
}

impl MeshRefusal {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Plan(error) => error.hint(),
            Self::Meaning(error) => Some(meaning::hint(error)),
            Self::Texts(_) => Some("`LIMITS.md` has the limits; split the call".to_owned()),
            Self::InTheFuture { .. } => {
                Some("leave `at` out, and the call is judged as of now".to_owned())
            }
        }
    }
}

type Refused = WriteError<MeshRefusal>;

impl Session {
    /// Looks at what a model is about to be shown: whether it may be called, and the canary that it
    /// is to be given.
    pub fn mesh_screen(&self, call: &MeshCall) -> Result<MeshAnswer, Refused> {
        let at = self.mesh_begin(call, None)?;
        let (outcome, canary) = {
            let mut live = self.mesh_live()?;
            let outcome = live
                .mesh
                .screen(at, agent_of(call), &messages_of(call))
                .map_err(refused)?;
            let canary =
                (!outcome.verdict.judgement.stops()).then(|| live.next_call(self, call, at));
            (outcome, canary)
        };
        let mut answer = self.mesh_write(call, None, at, outcome)?;
        answer.canary = canary;
        self.keep_mesh_now_and_then();
        Ok(answer)
    }

    /// Looks at what a model said, and learns from it. What is confirmed must not be delivered: the
    /// notice stands in its place.
    pub fn mesh_observe(&self, exchange: &MeshExchange) -> Result<MeshAnswer, Refused> {
        self.mesh_observe_by(exchange, None)
    }

    /// The same, and tells of an output that says what came along in other words. Where the embedder
    /// fails, nothing is judged.
    pub fn mesh_observe_by(
        &self,
        exchange: &MeshExchange,
        meaning: Option<&MeshMeaning>,
    ) -> Result<MeshAnswer, Refused> {
        let call = &exchange.call;
        let at = self.mesh_begin(call, exchange.run.as_ref())?;
        let output: Vec<&str> = exchange.output.iter().map(String::as_str).collect();
        let said = exchange.said.iter().map(|it| Message {
            origin: immune_mesh::Origin::Unknown,
            purpose: Purpose::Found,
            label: "tool_call",
            text: it,
        });
        let said: Vec<Message<'_>> = said.collect();
        let near = meaning.map(|it| it.near(exchange)).transpose()?;
        let outcome = {
            let mut live = self.mesh_live()?;
            self.share_mesh(&mut live);
            let canaries = live.canaries(self, call, exchange.id);
            let judged = Exchange {
                at,
                agent: agent_of(call),
                canaries: &canaries,
                input: &messages_of(call),
                output: &output,
                tool_calls: &said,
            };
            let outcome = live
                .mesh
                .observe_near(&judged, near.flatten())
                .map_err(refused)?;
            live.note_exchange(call, at, exchange.run.as_ref());
            outcome
        };
        let answer = self.mesh_write(call, Some(exchange), at, outcome)?;
        self.keep_mesh_now_and_then();
        Ok(answer)
    }

    /// Checks who asks, and when the call was; the log has begun after it.
    fn mesh_begin(&self, call: &MeshCall, run: Option<&RunId>) -> Result<Instant, Refused> {
        let now = self.memory.shared.parts.clock.now();
        let at = call.at.unwrap_or(now);
        if at > now {
            return Err(WriteError::Refused(MeshRefusal::InTheFuture { at }));
        }
        let state = self.snapshot().map_err(WriteError::Failed)?.state().clone();
        let draft = immune_reason::Draft::new(state, self.principal.clone(), now);
        let may = draft.check_may_mesh(&call.agent, &call.identity, run);
        may.map_err(|it| WriteError::Refused(it.into()))?;
        if draft.state().name().is_none() {
            self.write(|draft| {
                draft.begin();
                Ok::<(), MeshRefusal>(())
            })?;
        }
        Ok(at)
    }

    /// Writes down what was found, and gives the answer.
    fn mesh_write(
        &self,
        call: &MeshCall,
        exchange: Option<&MeshExchange>,
        at: Instant,
        outcome: Outcome,
    ) -> Result<MeshAnswer, Refused> {
        let judgement = outcome.verdict.judgement;
        let mut answer = MeshAnswer {
            at,
            antibody: outcome.verdict.antibody.map(AntibodyId::new),
            incident: None,
            canary: None,
            notice: None,
            verdict: outcome.verdict,
        };
        if !outcome.facts.is_empty() {
            let found = facts::found(call, exchange, &outcome.facts, &self.lock_mesh());
            let (before, written, after) = self.write_found(found.clone())?;
            answer.incident = written.incident;
            answer.antibody = answer.antibody.or(written.antibody);
            self.lock_mesh().take_up(&found, written, before, after);
        }
        if exchange.is_some() && judgement.stops() {
            answer.notice = Some(answer.verdict.ground.notice(answer.incident));
        }
        Ok(answer)
    }

    fn write_found(
        &self,
        found: MeshFound,
    ) -> Result<(u64, immune_reason::plan::MeshWritten, u64), Refused> {
        self.write(move |draft| {
            let before = draft.state().mesh_seq();
            let written = draft.mesh(&found)?;
            Ok::<_, MeshRefusal>((before, written, draft.state().mesh_seq()))
        })
    }

    /// The mesh of this memory, with what every process has written so far taken up.
    fn mesh_live(&self) -> Result<MutexGuard<'_, Live>, Refused> {
        let now = self.snapshot().map_err(WriteError::Failed)?;
        let mut live = self.lock_mesh();
        live.follow(now.state());
        Ok(live)
    }

    /// The mesh of this memory as it is; a preview has one of its own.
    fn lock_mesh(&self) -> MutexGuard<'_, Live> {
        let shared = &self.memory.shared;
        let lock = |it| Mutex::lock(it).unwrap_or_else(PoisonError::into_inner);
        let real = || shared.mesh.get_or_init(|| Mutex::new(Live::kept(shared)));
        match &self.preview {
            Some(preview) => lock(preview.mesh(|| lock(real()).clone())),
            None => lock(real()),
        }
    }
}

fn refused(error: MeshError) -> Refused {
    WriteError::Refused(error.into())
}

fn agent_of(call: &MeshCall) -> Agent<'_> {
    Agent {
        name: call.agent.as_str(),
        identity: call.identity.as_str(),
    }
}

fn messages_of(call: &MeshCall) -> Vec<Message<'_>> {
    let messages = call.messages.iter().map(|it| Message {
        origin: match &it.origin {
            MeshOrigin::Trusted => immune_mesh::Origin::Trusted,
            MeshOrigin::Outside => immune_mesh::Origin::Outside,
            MeshOrigin::Agent(name) => immune_mesh::Origin::Agent(name),
            MeshOrigin::Unknown => immune_mesh::Origin::Unknown,
        },
        purpose: it.purpose,
        label: &it.label,
        text: &it.text,
    });
    messages.collect()
}
