//! What the verbs that write answer.

mod incident;

use immune_engine::reason::State;
use immune_engine::reason::plan::{self, GuardVerdict};
use immune_model::{BeliefId, Principal, Screening};
use serde::Serialize;

use crate::extract::ReadBy;
use crate::response::{Exposed, Survivor, cone, survivors};
use crate::runs::Context;
use crate::screen::{Report, Write};
use crate::value::{Trust, ids};

pub use incident::{ActionBrief, Fallen, FlaggedItem, Incident, Released, ReputationChange};

/// What was remembered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remembered {
    /// The observation; the earlier one if this is a repeat.
    pub observation: String,
    /// The same content had come before: nothing was written.
    pub repeated: bool,
    /// What became of it.
    #[serde(flatten)]
    pub report: Report,
    /// Who read the text, where no claim was stated with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<ReadBy>,
}

impl Remembered {
    /// The view of a reply to this principal, with the state after it.
    pub fn of(state: &State, principal: &Principal, remembered: &plan::Remembered) -> Self {
        let write = Write {
            state,
            principal,
            source: remembered.source,
            screening: remembered.screening,
            repeated: remembered.repeated,
        };
        let id = remembered.observation;
        Self {
            observation: id.to_string(),
            repeated: remembered.repeated,
            report: Report::of_observation(write, id, &remembered.statements),
            read_by: None,
        }
    }
}

/// The word for how claims were found.
pub(crate) fn screening(screening: immune_model::Screening) -> &'static str {
    match screening {
        immune_model::Screening::Explicit => "explicit",
        immune_model::Screening::Rules => "rules",
        immune_model::Screening::Unscreened => "unscreened",
        Screening::Model => "model",
    }
}

pub(crate) fn subject(state: &State, belief: BeliefId) -> String {
    state
        .belief(belief)
        .map_or_else(String::new, |it| it.subject.to_string())
}

/// What was derived.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Derived {
    /// The belief.
    pub belief: String,
    /// The justification that the derivation gives it.
    pub justification: String,
    /// What it is about.
    pub subject: String,
    /// The premises as they count.
    pub premises: Vec<String>,
    /// The same derivation had been made before: nothing was written.
    pub repeated: bool,
    /// The status of the belief now.
    pub status: &'static str,
    /// The strength of the belief now.
    pub strength: Trust,
    /// The tasks that it closes, if it takes the place of what fell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// What became of it.
    #[serde(flatten)]
    pub report: Report,
}

impl Derived {
    /// The view of a reply to this principal, with the state after it.
    pub fn of(state: &State, principal: &Principal, derived: &plan::DerivedBelief) -> Self {
        let write = Write {
            state,
            principal,
            source: derived.agent,
            screening: Screening::Explicit,
            repeated: derived.repeated,
        };
        Self {
            belief: derived.belief.to_string(),
            justification: derived.justification.to_string(),
            subject: subject(state, derived.belief),
            premises: ids(&derived.premises),
            repeated: derived.repeated,
            status: derived.status.name(),
            strength: derived.strength.into(),
            tasks: Vec::new(),
            report: Report::of_derivation(write, &derived.report),
        }
    }
}

/// What a challenge led to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Challenged {
    /// `refuted`, `review`, `confirmed` or `unopposed`.
    pub outcome: &'static str,
    /// The observation in which the challenger spoke.
    pub observation: String,
    /// The belief that the challenger states.
    pub claimed: String,
    /// The incident, if one was opened.
    pub incident: Option<Incident>,
    /// The review, if one was opened.
    pub review: Option<String>,
    /// The beliefs that are disputed but were not refuted.
    pub disputed: Vec<String>,
    /// The active beliefs about the subject of which it cannot be decided whether they agree.
    pub undecided: Vec<String>,
    /// The tasks for what was load-bearing.
    pub tasks: Vec<String>,
    /// What fell, each below what it rested on.
    pub fell: Vec<Fallen>,
    /// What lost a justification and stands by another: at most a page.
    pub survivors: Vec<Survivor>,
    /// What is merely tainted.
    pub exposed: Exposed,
    /// The compensations that ran after it, or tried to.
    pub reversals: Vec<Reversal>,
}

impl Challenged {
    /// The view of a reply, with the state after it and the response, if there was one.
    pub fn of(
        state: &State,
        challenged: &plan::Challenged,
        response: Option<&immune_engine::Response>,
    ) -> Self {
        let incident = challenged.incident.as_ref();
        Self {
            outcome: challenged.outcome.name(),
            observation: challenged.observation.to_string(),
            claimed: challenged.claimed.to_string(),
            incident: incident.and_then(|(id, _)| Incident::of(state, *id)),
            review: challenged.review.map(|it| it.to_string()),
            disputed: ids(&challenged.disputed),
            undecided: ids(&challenged.undecided),
            tasks: ids(&challenged.tasks),
            fell: response.map_or_else(Vec::new, |it| cone(state, it)),
            survivors: response.map_or_else(Vec::new, |it| survivors(state, it)),
            exposed: response.map_or_else(Exposed::default, |it| Exposed::of(state, it)),
            reversals: Vec::new(),
        }
    }
}

/// What the guard wrote, and how the effect ended if it ran.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guarded {
    /// `proceed` or `refused`.
    pub verdict: &'static str,
    /// The action.
    pub action: String,
    /// The decision.
    pub decision: String,
    /// `reversible`, `compensable` or `irreversible`.
    pub class: &'static str,
    /// The beliefs that it relies on, waivers included.
    pub used: Vec<String>,
    /// `named` or `inferred`.
    pub used_by: &'static str,
    /// Those that the caller did not name, and that carry a literal of the payload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<String>,
    /// What its run had been shown, if that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Those that waived the check.
    pub waivers: Vec<String>,
    /// What the records said.
    pub checks: Vec<Check>,
    /// The weakest strength among the beliefs used and the context.
    pub weakest: Trust,
    /// Why it was refused.
    pub reasons: Vec<String>,
    /// What it let pass but wants seen.
    pub warnings: Vec<String>,
    /// The incident, if a record refuted what the action relies on.
    pub incident: Option<String>,
    /// Where the action is in its life now.
    pub status: &'static str,
    /// What the effect returned, or why it did not end well.
    pub detail: Option<String>,
}

/// What the records said of a belief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Which belief.
    pub belief: String,
    /// `confirmed`, `refuted` or `unknown`.
    pub verdict: &'static str,
}

impl Guarded {
    /// The view of a reply, with the state after it.
    pub fn of(state: &State, guarded: &plan::Guarded) -> Self {
        let action = state.action(guarded.action);
        let checks = guarded.checks.iter().map(|(belief, verdict)| Check {
            belief: belief.to_string(),
            verdict: verdict.name(),
        });
        Self {
            verdict: match guarded.verdict {
                GuardVerdict::Proceed => "proceed",
                GuardVerdict::Refused => "refused",
            },
            action: guarded.action.to_string(),
            decision: guarded.decision.to_string(),
            class: guarded.class.name(),
            used: ids(&guarded.used),
            used_by: used_by(guarded.used_by),
            joined: ids(&guarded.joined),
            context: guarded.context.map(|it| Context::of(state, it)),
            waivers: ids(&guarded.waivers),
            checks: checks.collect(),
            weakest: guarded.weakest.into(),
            reasons: guarded.reasons.clone(),
            warnings: guarded.warnings.clone(),
            incident: guarded.incident.map(|it| it.to_string()),
            status: action.map_or("", |it| it.status.name()),
            detail: action
                .and_then(|it| it.detail.as_ref())
                .map(ToString::to_string),
        }
    }
}

/// The word for how used beliefs came to be named.
pub(crate) fn used_by(used_by: immune_model::UsedBy) -> &'static str {
    match used_by {
        immune_model::UsedBy::Named => "named",
        immune_model::UsedBy::Inferred => "inferred",
    }
}

/// An outcome that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finished {
    /// The action as it is now.
    #[serde(flatten)]
    pub action: ActionBrief,
}

/// What was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// Which item.
    pub item: String,
    /// Its status now.
    pub status: &'static str,
    /// Nothing was left to close.
    pub repeated: bool,
    /// The beliefs that are stale now, because they rested on it.
    pub stale: Vec<String>,
}

impl From<&plan::Forgotten> for Forgotten {
    fn from(forgotten: &plan::Forgotten) -> Self {
        Self {
            item: forgotten.item.to_string(),
            status: forgotten.status.name(),
            repeated: forgotten.repeated,
            stale: ids(&forgotten.stale),
        }
    }
}

/// What was undone, and what could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reinstated {
    /// The incident.
    pub incident: String,
    /// It had been undone before: nothing was written.
    pub repeated: bool,
    /// The beliefs that had fallen in it and are active again.
    pub active: Vec<String>,
    /// The actions whose reversal was cancelled in time.
    pub cancelled: Vec<String>,
    /// The actions that had been compensated already.
    pub compensated: Vec<String>,
}

impl From<&plan::Reinstated> for Reinstated {
    fn from(reinstated: &plan::Reinstated) -> Self {
        Self {
            incident: reinstated.incident.to_string(),
            repeated: reinstated.repeated,
            active: ids(&reinstated.active),
            cancelled: ids(&reinstated.cancelled),
            compensated: ids(&reinstated.compensated),
        }
    }
}

/// Something that an operator set: a channel, a source, a record, a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Set {
    /// Which item.
    pub item: String,
    /// Whether anything was written; nothing is when it was so already.
    pub changed: bool,
    /// The item as it is now.
    pub now: crate::list::Row,
    /// What of the strengths below it moved.
    pub moved: crate::reputation::Moved,
}

/// What became of the reversals that were due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reversals {
    /// Those that were tried now.
    pub reversals: Vec<Reversal>,
    /// How many wait for a later attempt.
    pub waiting: usize,
}

/// One attempt at a reversal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reversal {
    /// The action.
    #[serde(flatten)]
    pub action: ActionBrief,
    /// What went wrong, if something did.
    pub error: Option<String>,
    /// When it is tried again, if it is.
    pub next_at: Option<String>,
}

impl Reversal {
    /// The view of an attempt, with the state after it.
    pub fn of(state: &State, reversed: &immune_engine::Reversed) -> Self {
        let reversal = state
            .action(reversed.action)
            .and_then(|it| it.reversal.as_ref());
        let mut action = ActionBrief::of(state, reversed.action);
        action.status = reversed.status.name();
        Self {
            action,
            error: reversed.error.as_ref().map(ToString::to_string),
            next_at: crate::value::time(reversal.and_then(|it| it.next_at)),
        }
    }
}

/// What a compensation is given on standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReversalRequest {
    /// The action to reverse: the idempotency key.
    pub action: String,
    /// What kind of action.
    pub kind: String,
    /// What its effect was given.
    pub payload: String,
    /// What its effect returned, if anything.
    pub result: Option<String>,
    /// The incident that asks for the reversal.
    pub incident: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

impl From<&immune_engine::ReversalRequest> for ReversalRequest {
    fn from(request: &immune_engine::ReversalRequest) -> Self {
        Self {
            action: request.action.to_string(),
            kind: request.kind.to_string(),
            payload: request.payload.to_string(),
            result: request.result.as_ref().map(ToString::to_string),
            incident: request.incident.to_string(),
            attempt: request.attempt,
        }
    }
}
