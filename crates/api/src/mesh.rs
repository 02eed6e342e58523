//! The mesh on the wire: what is asked of it in a line, what it answers, and what it holds.
//!
//! Invariant: an answer holds places, ids and our own words; nothing of a text that was looked at.

mod read;
mod request;

use immune_engine::reason::State;
use immune_engine::reason::plan::MeshWriteOf;
use immune_engine::reason::state::{AntibodyRecord, MeshRecord};
use immune_engine::{MeshAnswer, MeshVerdict, Place};
use immune_model::shell::Command;
use immune_model::{AntibodyId, FlagTarget, Handle, Instant, Item, MeshIncidentId};
use serde::Serialize;

pub use request::{LineError, Observe, Said, Screen};

use crate::value::{SourceName, Trust, ids, time};

/// Where a span is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// In what: a `message`, a part of the `output`, a string of a `tool_call`, what the agent
    /// `wrote`, or all that was said in lines, `joined`.
    pub text: &'static str,
    /// Which one, from 0; 0 for `joined`.
    pub number: usize,
    /// Which string of a tool call, keys before values, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub string: Option<usize>,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// How the text was read there: `plain`, `base64`.
    pub reading: &'static str,
}

/// What the mesh says of a call, before it or after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The line that asked, from 1.
    pub line: u64,
    /// Whose call.
    pub agent: String,
    /// When the call was.
    pub at: String,
    /// `clean`, `advisory`, `blocked_antibody`, `blocked_quarantined` or `confirmed`.
    pub verdict: &'static str,
    /// Why, in one word.
    pub ground: &'static str,
    /// How strong the ground is.
    pub score: Trust,
    /// Why, in words.
    pub reason: &'static str,
    /// Where.
    pub spans: Vec<Span>,
    /// The antibody that knows it, or that was made of it.
    pub antibody: Option<String>,
    /// The incident that was opened.
    pub incident: Option<String>,
}

/// What is said of a call before it is made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screened {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether the model must not be called.
    pub blocked: bool,
    /// The id of the call, to be given to `observe`; nothing where it is blocked.
    pub call: Option<String>,
    /// A sentence to append to the system message.
    pub canary: Option<String>,
}

/// What is said of a call after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observed {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether the output must not be delivered.
    pub withheld: bool,
    /// What to deliver in its place.
    pub deliver: Option<String>,
}

/// A line that was not judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The line, from 1.
    pub line: u64,
    /// Why.
    pub error: crate::Problem,
}

impl Verdict {
    fn of(line: u64, agent: &Handle, answer: &MeshAnswer, said: &[Said], parts: &[usize]) -> Self {
        let MeshVerdict {
            judgement,
            ground,
            score,
            spans,
            ..
        } = &answer.verdict;
        let spans = spans.iter().map(|it| {
            let (text, number, string) = place(it.place, it.end as usize, said, parts);
            Span {
                text,
                number,
                string,
                start: it.start,
                end: it.end,
                reading: it.reading.name(),
            }
        });
        Self {
            line,
            agent: agent.to_string(),
            at: answer.at.to_string(),
            verdict: judgement.name(),
            ground: ground.name(),
            score: score_of(*score),
            reason: ground.reason(),
            spans: spans.collect(),
            antibody: answer.antibody.map(|it| it.to_string()),
            incident: answer.incident.map(|it| it.to_string()),
        }
    }

    /// Whether it is this verdict.
    pub fn is(&self, name: &str) -> bool {
        self.verdict == name
    }
}

fn score_of(thousandths: u16) -> Trust {
    immune_model::Trust::from_thousandths(thousandths.min(1000))
        .unwrap_or(immune_model::Trust::ONE)
        .into()
}

/// The names of a place. All that was said in lines has the place of its first part, and may go on
/// past the end of that.
fn place(
    place: Place,
    end: usize,
    said: &[Said],
    parts: &[usize],
) -> (&'static str, usize, Option<usize>) {
    let number = match place {
        Place::Input(number) => return ("message", number, None),
        Place::Output(number) => number,
    };
    match parts.get(number) {
        Some(bytes) if number == 0 && end > *bytes => ("joined", 0, None),
        Some(_) => ("output", number, None),
        None => match said.get(number - parts.len()) {
            Some(Said::ToolCall { call, string }) => ("tool_call", *call, Some(*string)),
            Some(Said::Wrote(number)) => ("wrote", *number, None),
            None => ("joined", 0, None),
        },
    }
}

impl Screened {
    /// The answer to a line.
    pub fn of(line: u64, request: &Screen, answer: &MeshAnswer) -> Self {
        let canary = answer.canary.as_ref();
        Self {
            verdict: Verdict::of(line, &request.0.agent, answer, &[], &[]),
            blocked: answer.verdict.judgement.stops(),
            call: canary.map(|it| it.call.to_string()),
            canary: canary.map(|it| it.text.clone()),
        }
    }
}

impl Observed {
    /// The answer to a line.
    pub fn of(line: u64, request: &Observe, answer: &MeshAnswer) -> Self {
        let exchange = &request.exchange;
        let parts: Vec<usize> = exchange.output.iter().map(String::len).collect();
        Self {
            verdict: Verdict::of(line, &exchange.call.agent, answer, &request.said, &parts),
            withheld: answer.notice.is_some(),
            deliver: answer.notice.clone(),
        }
    }
}

/// An agent that a payload reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// Its name.
    pub agent: String,
    /// When the payload was first seen in what it said, as far as that is known.
    pub since: String,
    /// The runs in which that was, if any was named.
    pub runs: Vec<String>,
}

/// Something that an agent wrote since a payload had reached it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wrote {
    /// An observation or a belief.
    pub item: String,
    /// Who wrote it.
    pub source: SourceName,
    /// When.
    pub at: String,
    /// The run in which it was written, if one was named.
    pub run: Option<String>,
    /// Its status.
    pub status: &'static str,
}

/// An incident of the mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Incident {
    /// Its id.
    pub incident: String,
    /// `confirmed`, `advisory`, or `retracted`.
    pub status: &'static str,
    /// When the exchange was in which it was found.
    pub observed_at: String,
    /// When it was written.
    pub at: String,
    /// Why, in one word.
    pub ground: &'static str,
    /// How strong the ground is.
    pub score: Trust,
    /// The agent that carried it first.
    pub patient_zero: Option<String>,
    /// The agents that it went through, in order.
    pub path: Vec<String>,
    /// Every agent in whose output it was seen.
    pub reached: Vec<Reached>,
    /// The identities that it quarantined, released or not.
    pub quarantined: Vec<String>,
    /// The antibodies that were made of it, retracted or not.
    pub antibodies: Vec<String>,
    /// When it was retracted.
    pub retracted_at: Option<String>,
}

impl Incident {
    /// The view of an incident; nothing if this state has none of that id.
    pub fn of(state: &State, id: MeshIncidentId) -> Option<Self> {
        let MeshRecord {
            what,
            at,
            retracted_at,
            quarantined,
            antibodies,
            ..
        } = state.mesh_incident(id)?;
        let reached = what.reached.iter().map(|it| Reached {
            agent: it.agent.to_string(),
            since: it.since.to_string(),
            runs: ids(&it.runs),
        });
        Some(Self {
            incident: id.to_string(),
            status: match (retracted_at, what.is_confirmed) {
                (Some(_), _) => "retracted",
                (None, true) => "confirmed",
                (None, false) => "advisory",
            },
            observed_at: what.observed_at.to_string(),
            at: at.to_string(),
            ground: what.ground.name(),
            score: what.score.into(),
            patient_zero: what.path.first().map(ToString::to_string),
            path: ids(&what.path),
            reached: reached.collect(),
            quarantined: ids(quarantined),
            antibodies: ids(antibodies),
            retracted_at: time(*retracted_at),
        })
    }
}

/// An incident of the mesh with its cone: what its agents wrote, and what rests on that.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The incident.
    #[serde(flatten)]
    pub incident: Incident,
    /// What the agents that it reached wrote since then, oldest first.
    pub wrote: Vec<Wrote>,
    /// How many more of those there are.
    pub more_wrote: usize,
    /// The beliefs that would fall if all of that were flagged.
    pub would_fall: Vec<String>,
    /// The beliefs that rest on some of it and would stand by other support.
    pub would_stand: Vec<String>,
    /// The flags of it that stand.
    pub flagged_in: Vec<String>,
    /// The command that flags all of it; nothing where there is nothing, or it is flagged.
    pub heal: Option<String>,
}

impl Shown {
    /// The incident with its cone; of what was written, at most so many lines.
    pub fn of(state: &State, id: MeshIncidentId, limit: usize) -> Option<Self> {
        let writers = state.mesh_writers(id)?;
        let written = state.mesh_writes(id)?;
        let more_wrote = written.len().saturating_sub(limit);
        let wrote = written.iter().take(limit).map(|it| Wrote {
            item: item_of(state, it.what).to_string(),
            source: SourceName::of(state, it.source),
            at: it.at.to_string(),
            run: it.run.as_ref().map(ToString::to_string),
            status: status_of(state, it.what),
        });
        let flagged_in = writers.iter().flat_map(|(source, since)| {
            let flags = state.flags_of(FlagTarget::Source(*source)).iter();
            flags.filter(|it| it.received_from == Some(*since))
        });
        let flagged_in: Vec<String> = ids(flagged_in.map(|it| it.incident));
        let cone = state.mesh_cone(id)?;
        let is_to_heal = !written.is_empty() && flagged_in.is_empty();
        Some(Self {
            incident: Incident::of(state, id)?,
            wrote: wrote.collect(),
            more_wrote,
            would_fall: ids(cone.falls),
            would_stand: ids(cone.stands),
            flagged_in,
            heal: is_to_heal.then(|| {
                Command::new("immune flag")
                    .word(&id.to_string())
                    .to_string()
            }),
        })
    }
}

fn item_of(state: &State, what: MeshWriteOf) -> Item {
    match what {
        MeshWriteOf::Observation(id) => id.into(),
        MeshWriteOf::Derivation(id) => state
            .justification(id)
            .map_or(Item::Justification(id), |it| it.belief.into()),
    }
}

fn status_of(state: &State, what: MeshWriteOf) -> &'static str {
    let status = match what {
        MeshWriteOf::Observation(id) => state.observation_status(id),
        MeshWriteOf::Derivation(id) => {
            let belief = state.justification(id).map(|it| it.belief);
            belief
                .and_then(|it| state.belief_now(it))
                .map(|it| it.status)
        }
    };
    status.map_or("", |it| it.name())
}

/// An antibody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Antibody {
    /// Its id.
    pub antibody: String,
    /// The incident that it is from.
    pub incident: String,
    /// `blocks`, `expired`, `unsure` (it blocks nothing new), or `retracted`.
    pub status: &'static str,
    /// The agents that it is for; without any, every one.
    pub agents: Vec<String>,
    /// How sure it is.
    pub confidence: Trust,
    /// How many texts it blocked.
    pub hits: u32,
    /// How many fingerprints it has.
    pub prints: usize,
    /// When it was made.
    pub made_at: String,
    /// When it ends.
    pub expires_at: String,
    /// When it was retracted.
    pub retracted_at: Option<String>,
}

impl Antibody {
    /// The view of an antibody as of a time; nothing if this state has none of that id.
    pub fn of(state: &State, id: AntibodyId, now: Option<Instant>) -> Option<Self> {
        let record = state.antibody(id)?;
        let AntibodyRecord {
            what,
            confidence,
            hits,
            retracted_at,
            ..
        } = record;
        let has_ended = now.is_some_and(|it| it >= what.expires_at);
        Some(Self {
            antibody: id.to_string(),
            incident: what.incident.to_string(),
            status: match retracted_at {
                Some(_) => "retracted",
                None if has_ended => "expired",
                None if *confidence < immune_model::Trust::FLOOR => "unsure",
                None => "blocks",
            },
            agents: ids(&what.agents),
            confidence: (*confidence).into(),
            hits: *hits,
            prints: what.prints.len(),
            made_at: what.made_at.to_string(),
            expires_at: what.expires_at.to_string(),
            retracted_at: time(*retracted_at),
        })
    }
}

/// A quarantined agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quarantined {
    /// Its identity.
    pub identity: String,
    /// The incidents over which it is.
    pub incidents: Vec<String>,
}

/// What the mesh of a memory holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Who is quarantined.
    pub quarantined: Vec<Quarantined>,
    /// How many incidents stand and are confirmed.
    pub confirmed: usize,
    /// How many stand and somebody has to look at.
    pub advisory: usize,
    /// How many were retracted.
    pub retracted: usize,
    /// How many antibodies block what they know.
    pub antibodies: usize,
    /// How many texts are blocked.
    pub blocked: usize,
    /// Whether agents cite what came along: where they do, an output that takes unusually much of
    /// it is told; where they do not, it is stopped. Nothing while the first calls are looked at.
    pub cites: Option<bool>,
}

impl Status {
    /// The view as of a time.
    pub fn of(state: &State, now: Option<Instant>) -> Self {
        let incidents = state.mesh_incident_ids();
        let incidents: Vec<&MeshRecord> =
            incidents.filter_map(|it| state.mesh_incident(it)).collect();
        let standing = incidents.iter().filter(|it| it.retracted_at.is_none());
        let antibodies = state.antibody_ids();
        let antibodies = antibodies.filter_map(|it| Antibody::of(state, it, now));
        let quarantined = state
            .mesh_quarantined()
            .map(|(identity, over)| Quarantined {
                identity: identity.to_string(),
                incidents: ids(over),
            });
        let confirmed = standing.clone().filter(|it| it.what.is_confirmed).count();
        Self {
            quarantined: quarantined.collect(),
            confirmed,
            advisory: standing.clone().count() - confirmed,
            retracted: incidents.len() - standing.count(),
            antibodies: antibodies.filter(|it| it.status == "blocks").count(),
            blocked: state.mesh_blocked().count(),
            cites: state.mesh_cites(),
        }
    }
}

/// Incidents of the mesh, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Incidents {
    /// The incidents.
    pub incidents: Vec<Incident>,
    /// How many there are before these.
    pub before: usize,
}

/// Antibodies, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Antibodies {
    /// The antibodies.
    pub antibodies: Vec<Antibody>,
    /// How many there are before these.
    pub before: usize,
}

impl Incidents {
    /// The last incidents, at most so many.
    pub fn of(state: &State, limit: usize) -> Self {
        let all: Vec<MeshIncidentId> = state.mesh_incident_ids().collect();
        let before = all.len().saturating_sub(limit);
        let last = all.into_iter().skip(before);
        Self {
            incidents: last.filter_map(|it| Incident::of(state, it)).collect(),
            before,
        }
    }
}

impl Antibodies {
    /// The last antibodies as of a time, at most so many.
    pub fn of(state: &State, limit: usize, now: Option<Instant>) -> Self {
        let all: Vec<AntibodyId> = state.antibody_ids().collect();
        let before = all.len().saturating_sub(limit);
        let last = all.into_iter().skip(before);
        Self {
            antibodies: last.filter_map(|it| Antibody::of(state, it, now)).collect(),
            before,
        }
    }
}

/// What an operator changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// An incident of the mesh, an antibody, or the identity of an agent.
    pub what: String,
    /// What became of it: `reviewed`, `retracted` or `released`.
    pub change: &'static str,
    /// It was so before: nothing was written.
    pub repeated: bool,
}

/// What was flagged of an incident of the mesh, or would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flagged {
    /// The incident of the mesh.
    pub mesh_incident: String,
    /// Each source that its agents are, flagged in an incident of its own.
    pub flagged: Vec<crate::response::Flagged>,
}

/// The flags of an incident of the mesh that were taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unflagged {
    /// The incident of the mesh.
    pub mesh_incident: String,
    /// What was taken back, for each source.
    pub unflagged: Vec<crate::response::Unflagged>,
}
