//! The items of a state, with what is known of each.

use std::sync::Arc;

use immune_model::{
    ActionClass, ActionStatus, Area, Attributed, BeliefId, Candidate, Carriage, ChannelId,
    ChannelName, Closing, DecisionId, EvidenceFor, FlagTarget, Handle, IncidentId, Instant,
    JustificationId, Kind, Literal, Namespace, ObservationId, Polarity, Premise, Principal, RunId,
    Screening, SourceId, SourceKind, Standing, Status, Subject, SubjectFrom, Text, Trust, UsedBy,
};

use crate::context::ContextId;
use crate::network::{EdgeId, Levels};

/// How content arrives.
#[derive(Debug, Clone)]
pub struct Channel {
    /// Its name.
    pub name: ChannelName,
    /// The most that anything there is ever trusted.
    pub tier: Trust,
    /// Whether it may carry an agent's words.
    pub carriage: Carriage,
    /// What befell its newcomers, in log order.
    pub(crate) newcomer_events: Vec<NewcomerEvent>,
    /// The sources that speak in it, in the order in which they turned up.
    pub(crate) sources: Vec<SourceId>,
}

/// A newcomer survived, or was refuted, in an area.
#[derive(Debug, Clone)]
pub(crate) struct NewcomerEvent {
    pub(crate) seq: u64,
    pub(crate) source: SourceId,
    pub(crate) area: Arc<str>,
    pub(crate) survived: bool,
    pub(crate) retracted: bool,
}

/// An identity in a channel.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where it speaks.
    pub channel: ChannelId,
    /// Its handle, unique in the channel.
    pub handle: Handle,
    /// What kind of identity.
    pub kind: SourceKind,
    /// Newcomer or declared.
    pub standing: Standing,
    /// The areas for which it is a system of record.
    pub records: Vec<Area>,
    /// The event in which it first appeared.
    pub first_seq: u64,
    /// When it first appeared.
    pub first_seen: Instant,
    /// What its reputation is folded from, in log order.
    pub events: Vec<ReputationEvent>,
    /// The sources that it is declared to copy.
    pub mirrors: Vec<SourceId>,
    /// The sources that are declared to copy it.
    pub mirrored_by: Vec<SourceId>,
    pub(crate) last_observation: Option<ObservationId>,
    pub(crate) last_derivation: Option<JustificationId>,
}

/// Something that moved a source's reputation.
#[derive(Debug, Clone)]
pub struct ReputationEvent {
    /// The event of the log.
    pub seq: u64,
    /// The area of the subject.
    pub area: Arc<str>,
    /// What it was.
    pub kind: ReputationKind,
    /// It was undone with its incident, and counts as never written.
    pub retracted: bool,
}

/// What moves a reputation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReputationKind {
    /// A claim that it stated was refuted.
    Refuted {
        /// In which incident; each counts once.
        incident: IncidentId,
        /// In which observation it stated it; each counts once.
        observation: ObservationId,
    },
    /// A claim that it stated survived a check.
    Survived {
        /// Which subject and value; each counts once.
        belief: BeliefId,
    },
}

/// One immutable piece of content.
#[derive(Debug, Clone)]
pub struct Observation {
    /// Whose words they are.
    pub source: SourceId,
    /// The part of the memory it was written for.
    pub namespace: Namespace,
    /// The content.
    pub text: Text,
    /// When its source sent it, if that is known.
    pub sent_at: Option<Instant>,
    /// When it was received.
    pub received_at: Instant,
    /// What its channel calls it.
    pub external_id: Option<Text>,
    /// The run that read it.
    pub run: Option<RunId>,
    pub(crate) context: Option<ContextId>,
    /// How its claims were found.
    pub screening: Screening,
    /// The justifications that its claims give.
    pub statements: Vec<JustificationId>,
    /// Why it is closed itself, if it is.
    pub closing: Option<Closing>,
    /// It was undone with its incident, and counts as never written.
    pub retracted: bool,
    /// The event that wrote it.
    pub seq: u64,
    pub(crate) previous_of_source: Option<ObservationId>,
    pub(crate) first_dependent: Option<EdgeId>,
}

/// What is believed or was: one per namespace, subject and value.
#[derive(Debug, Clone)]
pub struct Belief {
    /// The part of the memory it belongs to.
    pub namespace: Namespace,
    /// What it is about.
    pub subject: Subject,
    /// The claim, in the words in which it was first made.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// Its typed literals, sorted.
    pub literals: Vec<Literal>,
    /// When it was first believed.
    pub believed_at: Instant,
    /// The incident that refuted it, if one did.
    pub refuted_in: Option<IncidentId>,
    pub(crate) previous_of_subject: Option<BeliefId>,
}

/// What is derived about a belief: recomputed, never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeliefNow {
    /// Its status.
    pub status: Status,
    /// How far it is trusted; 0 unless it is active.
    pub strength: Trust,
    /// When it last ceased to be active, if it is not.
    pub ended_at: Option<Instant>,
    pub(crate) levels: Levels,
}

/// What a justification rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grounds {
    /// An observation that states the claim.
    Statement {
        /// Which observation.
        observation: ObservationId,
        /// Who chose the subject.
        subject_from: SubjectFrom,
        /// The beliefs of its context that carry a decisive literal of it: it rests on them too;
        /// sorted, without repeats.
        carriers: Arc<[BeliefId]>,
    },
    /// An agent's derivation, or one that was imported.
    Derivation {
        /// The source that is the deriving agent; nothing if it was imported: then it caps nothing.
        agent: Option<SourceId>,
        /// All of them together suffice; sorted, without repeats.
        premises: Arc<[Premise]>,
    },
}

impl Grounds {
    /// All that it rests on, an observation that states the claim included.
    pub fn rests_on(&self) -> Vec<Premise> {
        match self {
            Self::Statement {
                observation,
                carriers,
                ..
            } => {
                let carriers = carriers.iter().copied().map(Premise::Belief);
                std::iter::once(Premise::Observation(*observation))
                    .chain(carriers)
                    .collect()
            }
            Self::Derivation { premises, .. } => premises.to_vec(),
        }
    }

    /// Its premises: what has to stand beside an observation that states the claim.
    pub fn premises(&self) -> impl Iterator<Item = Premise> + '_ {
        let (carriers, premises) = match self {
            Self::Statement { carriers, .. } => (&carriers[..], &[][..]),
            Self::Derivation { premises, .. } => (&[][..], &premises[..]),
        };
        let carriers = carriers.iter().copied().map(Premise::Belief);
        carriers.chain(premises.iter().copied())
    }
}

/// Premises that together suffice for a belief.
#[derive(Debug, Clone)]
pub struct Justification {
    /// Which belief it supports.
    pub belief: BeliefId,
    /// What it rests on.
    pub grounds: Grounds,
    /// The claim in the words that this one used.
    pub text: Text,
    /// When what it says starts to hold, if it says so.
    pub valid_from: Option<Instant>,
    /// When what it says ceases to hold, if it says so.
    pub valid_until: Option<Instant>,
    /// When it expires, if ever.
    pub expires_at: Option<Instant>,
    /// The event that wrote it.
    pub seq: u64,
    /// When it was written.
    pub at: Instant,
    /// The run in which it was concluded.
    pub run: Option<RunId>,
    pub(crate) context: Option<ContextId>,
    /// The closing facts about it, in log order, each with the event that wrote it. Which one
    /// applies is [`State::closing_of`](super::State::closing_of).
    pub closings: Vec<(u64, Closing)>,
    /// It was undone with its incident, and counts as never written.
    pub retracted: bool,
    pub(crate) previous_of_agent: Option<JustificationId>,
}

/// What an agent concluded to do.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The source that is the deciding agent.
    pub agent: SourceId,
    /// The beliefs it relied on, waivers included.
    pub relied_on: Vec<BeliefId>,
    /// How they came to be named.
    pub used_by: UsedBy,
    /// Those that waived a check.
    pub waivers: Vec<BeliefId>,
    /// The run in which it was decided.
    pub run: Option<RunId>,
    pub(crate) context: Option<ContextId>,
    /// The actions that carry it out, once they are written: one, or several that were imported.
    pub actions: Vec<immune_model::ActionId>,
}

/// The effect that was run, or refused.
#[derive(Debug, Clone)]
pub struct Action {
    /// The decision that it carries out.
    pub decision: DecisionId,
    /// What kind of action.
    pub kind: Kind,
    /// What can be done about it.
    pub class: ActionClass,
    /// What the effect was given.
    pub payload: Text,
    /// Where it is in its life.
    pub status: ActionStatus,
    /// What its effect returned, if it returned anything.
    pub result: Option<Text>,
    /// The refusal, the result or the error: whatever was last said of it.
    pub detail: Option<Text>,
    /// What the guard let pass but wants seen.
    pub warnings: Vec<Text>,
    /// When it was written.
    pub proposed_at: Instant,
    /// When its effect ended.
    pub ended_at: Option<Instant>,
    /// The last reversal that was queued for it, if one was.
    pub reversal: Option<Reversal>,
}

/// The reversal of an action, as the outbox has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reversal {
    /// The incident that asks for it.
    pub incident: IncidentId,
    /// How often its compensation was tried without success.
    pub attempts: u32,
    /// When it is due, while it is pending.
    pub next_at: Option<Instant>,
    /// What went wrong last.
    pub last_error: Option<Text>,
    /// Its incident was undone before it was done: nothing is to be reversed.
    pub cancelled: bool,
}

/// What opened an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A system of record refuted what was believed.
    Challenge {
        /// The observation in which the challenger spoke.
        trigger: ObservationId,
        /// Who challenged.
        challenger: SourceId,
        /// What it was about.
        subject: Subject,
        /// The beliefs that were refuted.
        refuted: Vec<BeliefId>,
    },
    /// An operator flagged something.
    Flag {
        /// What was flagged.
        target: FlagTarget,
        /// Of a source, only what was received since then; nothing means everything.
        received_from: Option<Instant>,
        /// Why, in the operator's words.
        reason: Option<Text>,
    },
}

/// One refutation and all it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentRecord {
    /// What opened it.
    pub cause: Cause,
    /// The beliefs that fell with it.
    pub revoked: Vec<BeliefId>,
    /// The sources whose reputation it moved, with the value before and after.
    pub reputations: Vec<(SourceId, Trust, Trust)>,
    /// The actions whose reversal it queued.
    pub reversals: Vec<immune_model::ActionId>,
    /// When it was opened.
    pub opened_at: Instant,
    /// The first event of the command that opened it.
    pub since: u64,
    /// The event that opened it.
    pub seq: u64,
    /// When it was undone, if it was.
    pub reinstated_at: Option<Instant>,
    /// The beliefs that it refuted and that were released since, with the time of each.
    pub paroled: Vec<(BeliefId, Instant)>,
}

impl IncidentRecord {
    /// Whether it was not undone, and not all that it refuted was released.
    pub fn stands(&self) -> bool {
        let refuted = self.refuted();
        let holds = refuted.is_empty() || refuted.iter().any(|it| self.refutes(*it));
        self.reinstated_at.is_none() && holds
    }

    /// Whether it refutes a belief now: it did, was not undone, and the belief was not released.
    pub fn refutes(&self, belief: BeliefId) -> bool {
        let is_released = self.paroled.iter().any(|(it, _)| *it == belief);
        self.reinstated_at.is_none() && !is_released && self.refuted().contains(&belief)
    }

    /// The beliefs that it refuted themselves. A flag of a source or an observation refutes no
    /// value: what rests on nothing else falls.
    pub fn refuted(&self) -> &[BeliefId] {
        match &self.cause {
            Cause::Challenge { refuted, .. } => refuted,
            Cause::Flag {
                target: FlagTarget::Belief(belief),
                ..
            } => std::slice::from_ref(belief),
            Cause::Flag { .. } => &[],
        }
    }

    /// The observation in which a challenger spoke, if one did.
    pub fn trigger(&self) -> Option<ObservationId> {
        match &self.cause {
            Cause::Challenge { trigger, .. } => Some(*trigger),
            Cause::Flag { .. } => None,
        }
    }
}

/// Which memories made an answer wrong, and what was asked to learn it.
#[derive(Debug, Clone)]
pub struct Attribution {
    /// What was asked, and what came out.
    pub what: Attributed,
    /// Who asked for it.
    pub by: Option<Principal>,
    /// When it was written.
    pub at: Instant,
    /// The event that wrote it.
    pub seq: u64,
    /// What it was evidence for.
    pub evidence_for: Vec<EvidenceFor>,
}

impl Attribution {
    /// The candidate that is this item, in the first turn that has it.
    pub fn number_of(&self, item: Premise) -> Option<usize> {
        self.what.candidates.iter().position(|it| it.item == item)
    }

    /// Whether an item is in a cause, hidden or not, or to be quarantined.
    pub fn blames(&self, item: Premise) -> bool {
        let causes = self.what.causes.iter().chain(&self.what.hidden).flatten();
        let mut blamed = causes.chain(&self.what.correction);
        blamed.any(|it| {
            let candidate = self.what.candidates.get(*it as usize);
            candidate.is_some_and(|it| it.item == item)
        })
    }

    /// The candidates of these numbers, in order.
    pub fn candidates<'a>(&'a self, numbers: &'a [u32]) -> impl Iterator<Item = Candidate> + 'a {
        let found = numbers
            .iter()
            .filter_map(|it| self.what.candidates.get(*it as usize));
        found.copied()
    }
}

/// A question for a person.
#[derive(Debug, Clone)]
pub struct Review {
    /// The observation in which the challenger spoke.
    pub trigger: ObservationId,
    /// Who challenged.
    pub challenger: SourceId,
    /// The belief that they state.
    pub claimed: BeliefId,
    /// What it is about.
    pub subject: Subject,
    /// The beliefs that are disputed.
    pub against: Vec<BeliefId>,
    /// When it was opened.
    pub opened_at: Instant,
    /// It was undone with its incident, and counts as never written.
    pub retracted: bool,
    /// The event that opened it.
    pub seq: u64,
}

/// A conclusion to derive again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The belief that fell.
    pub belief: BeliefId,
    /// The incident in which it fell.
    pub incident: IncidentId,
    /// When it was opened.
    pub opened_at: Instant,
    /// When its incident was undone, if it was: then there is nothing to derive again.
    pub cancelled_at: Option<Instant>,
    /// The derivation that did it, and when, if one did.
    pub done: Option<(JustificationId, Instant)>,
}

impl Task {
    /// Whether it waits to be done.
    pub fn is_open(&self) -> bool {
        self.cancelled_at.is_none() && self.done.is_none()
    }
}
