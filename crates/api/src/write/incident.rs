//! Incidents, and the items that they moved.

use immune_engine::reason::State;
use immune_engine::reason::state::Cause;
use immune_model::{ActionId, EvidenceFor, FlagTarget, IncidentId, SourceId};
use serde::Serialize;

use super::subject;
use crate::value::{SourceName, Trust, ids};

/// An incident: one refutation and all it changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Incident {
    /// Which incident.
    pub incident: String,
    /// What opened it: `challenge` or `flag`.
    pub cause: &'static str,
    /// The observation in which the challenger spoke, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Who challenged, if anybody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenger: Option<SourceName>,
    /// What the challenge was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What was flagged, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flagged: Option<FlaggedItem>,
    /// The beliefs that were refuted themselves.
    pub refuted: Vec<String>,
    /// The beliefs that fell with them.
    pub revoked: Vec<String>,
    /// The sources whose reputation it moved.
    pub reputations: Vec<ReputationChange>,
    /// The actions whose reversal it queued.
    pub reversals: Vec<ActionBrief>,
    /// The attributions that are the evidence for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// The beliefs that it refuted and that were released since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paroled: Vec<Released>,
    /// When it was opened.
    pub opened_at: String,
    /// When it was undone, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reinstated_at: Option<String>,
}

/// A belief that was tested again and released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Released {
    /// Which belief.
    pub belief: String,
    /// When.
    pub at: String,
}

/// What an operator flagged, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlaggedItem {
    /// A source, an observation or a belief.
    pub item: String,
    /// The source, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// Only what was received since then, if not everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_from: Option<String>,
    /// Why, in the operator's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A source whose reputation moved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReputationChange {
    /// Which source.
    #[serde(flatten)]
    pub source: SourceName,
    /// Before.
    pub before: Trust,
    /// After.
    pub after: Trust,
    /// How many survived checks lead back to the floor; nothing if its tier does not allow it.
    pub checks_to_floor: Option<u32>,
}

/// An action in a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionBrief {
    /// Which action.
    pub action: String,
    /// What kind of action.
    pub kind: String,
    /// Where it is in its life.
    pub status: &'static str,
}

impl ActionBrief {
    /// The action as it stands.
    pub fn of(state: &State, id: ActionId) -> Self {
        let action = state.action(id);
        Self {
            action: id.to_string(),
            kind: action.map_or_else(String::new, |it| it.kind.to_string()),
            status: action.map_or("", |it| it.status.name()),
        }
    }
}

/// A belief that fell, at how many hops from what was refuted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fallen {
    /// Which belief.
    pub belief: String,
    /// What it is about.
    pub subject: String,
    /// The nearest belief that it rested on, if that fell too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// Hops from what was refuted or flagged; 0 is refuted itself.
    pub depth: u32,
    /// What it is now.
    pub status: &'static str,
    /// The actions that relied on it.
    pub actions: Vec<ActionBrief>,
}

impl Incident {
    /// Whether all that it refuted was released since.
    pub fn is_released(&self) -> bool {
        let released = |it: &String| self.paroled.iter().any(|of| of.belief == *it);
        !self.refuted.is_empty() && self.refuted.iter().all(released)
    }

    /// The view of an incident; nothing if this state has none of that id.
    pub fn of(state: &State, id: IncidentId) -> Option<Self> {
        let incident = state.incident(id)?;
        let reputations = incident.reputations.iter();
        let reputations =
            reputations.map(|(source, before, after)| reputation(state, *source, *before, *after));
        let reversals = incident.reversals.iter();
        let (cause, challenge, flagged) = match &incident.cause {
            Cause::Challenge {
                trigger,
                challenger,
                subject,
                ..
            } => ("challenge", Some((trigger, challenger, subject)), None),
            Cause::Flag {
                target,
                received_from,
                reason,
            } => {
                let flagged = FlaggedItem {
                    item: target.to_string(),
                    source: match target {
                        FlagTarget::Source(id) => Some(SourceName::of(state, *id)),
                        FlagTarget::Observation(_) | FlagTarget::Belief(_) => None,
                    },
                    received_from: received_from.map(|it| it.to_string()),
                    reason: reason.as_ref().map(ToString::to_string),
                };
                ("flag", None, Some(flagged))
            }
        };
        Some(Self {
            incident: id.to_string(),
            cause,
            trigger: challenge.map(|(trigger, _, _)| trigger.to_string()),
            challenger: challenge.map(|(_, it, _)| SourceName::of(state, *it)),
            subject: challenge.map(|(_, _, subject)| subject.to_string()),
            flagged,
            refuted: ids(incident.refuted()),
            revoked: ids(&incident.revoked),
            reputations: reputations.collect(),
            reversals: reversals.map(|it| ActionBrief::of(state, *it)).collect(),
            evidence: ids(state.evidence_of(EvidenceFor::Incident(id))),
            paroled: incident
                .paroled
                .iter()
                .map(|(belief, at)| Released {
                    belief: belief.to_string(),
                    at: at.to_string(),
                })
                .collect(),
            opened_at: incident.opened_at.to_string(),
            reinstated_at: incident.reinstated_at.map(|it| it.to_string()),
        })
    }
}

fn reputation(
    state: &State,
    source: SourceId,
    before: immune_model::Trust,
    after: immune_model::Trust,
) -> ReputationChange {
    let known = state.source(source);
    ReputationChange {
        source: SourceName::of(state, source),
        before: before.into(),
        after: after.into(),
        checks_to_floor: known.and_then(|_| state.checks_to_floor(source, None)),
    }
}

impl Fallen {
    /// The view of a belief that fell.
    pub fn of(state: &State, fallen: &immune_engine::Fallen) -> Self {
        let actions = fallen.actions.iter();
        Self {
            belief: fallen.belief.to_string(),
            subject: subject(state, fallen.belief),
            below: fallen.below.map(|it| it.to_string()),
            depth: fallen.depth,
            status: fallen.status.name(),
            actions: actions.map(|it| ActionBrief::of(state, *it)).collect(),
        }
    }
}
