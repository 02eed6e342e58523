//! The events of the log: the only truth. Everything else is a fold over them.
//!
//! An event states a base fact or what a parser concluded from text, never a status. New kinds are
//! added at the end of [`Event`]; a kind that was once written is never changed.

mod carried;

use crate::aside::{ContextUse, Hedge};
use crate::attribution::{Attributed, EvidenceFor, ParoleHold};
use crate::copy::{InferredCopy, MirrorRuling};
use crate::graph::GraphNode;
use crate::id::{
    ActionId, AntibodyId, AttributionId, BeliefId, ChannelId, FlagTarget, IncidentId,
    JustificationId, MeshIncidentId, ObservationId, Premise, ReviewId, RuleId, SourceId, TaskId,
    Write,
};
use crate::mesh::{Antibody, MeshIncident, TextDigest};
use crate::metadata::Metadata;
use crate::name::{Area, ChannelName, Handle, MemoryName, RunId, Subject};
use crate::party::{Carriage, Principal, SourceKind, Standing};
use crate::text::Text;
use crate::time::Instant;
use crate::trust::Trust;

pub use carried::{
    Closing, Decided, Derived, Incident, Observed, Proposal, Rule, Statement, UnknownPolicy,
    UsedBy, Verdict, Waiver, WaiverBar,
};

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Position in the log of its memory, from 1, without gaps.
    pub seq: u64,
    /// When it was appended: never before its predecessor.
    pub at: Instant,
    /// Who asked for it.
    pub actor: Principal,
    /// What happened.
    pub event: Event,
}

/// A base fact, or what was concluded from text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The memory begins.
    MemoryCreated {
        /// Its name.
        name: MemoryName,
    },
    /// A channel was opened, or an operator changed it.
    ChannelSet {
        /// Its id: kept when the channel is changed.
        channel: ChannelId,
        /// Its name.
        name: ChannelName,
        /// The most that anything there is ever trusted.
        tier: Trust,
        /// Whether it may carry an agent's words.
        carriage: Carriage,
    },
    /// A source turned up or was declared.
    SourceAdded {
        /// Its id, the next of its kind.
        source: SourceId,
        /// Where it speaks.
        channel: ChannelId,
        /// Its handle, unique in the channel.
        handle: Handle,
        /// What kind of identity.
        kind: SourceKind,
        /// How it came to be known.
        standing: Standing,
    },
    /// An operator declared a source that was a newcomer.
    SourceDeclared {
        /// Which source.
        source: SourceId,
    },
    /// An operator named a source as the system of record for an area.
    RecordNamed {
        /// Which source.
        source: SourceId,
        /// For which subjects.
        area: Area,
    },
    /// Content arrived.
    Observed(Observed),
    /// An agent concluded something.
    Derived(Derived),
    /// An observation's claims, or one of them, were closed: those of these justifications.
    StatementsClosed {
        /// The justifications that the claims gave.
        justifications: Vec<JustificationId>,
        /// Why.
        closing: Closing,
    },
    /// A belief's justifications so far were closed.
    BeliefClosed {
        /// Which belief.
        belief: BeliefId,
        /// Why.
        closing: Closing,
    },
    /// An observation was closed, and with it each claim it made.
    ObservationClosed {
        /// Which observation.
        observation: ObservationId,
        /// Why.
        closing: Closing,
    },
    /// A system of record was asked, or spoke, about a belief.
    Checked {
        /// Which belief.
        belief: BeliefId,
        /// Which record.
        record: SourceId,
        /// What it says.
        verdict: Verdict,
    },
    /// A refutation: the beliefs named are quarantined.
    IncidentOpened(Incident),
    /// Somebody without the authority to refute disagreed.
    ReviewOpened {
        /// Its id, the next of its kind.
        review: ReviewId,
        /// The observation in which they spoke.
        trigger: ObservationId,
        /// Who challenged.
        challenger: SourceId,
        /// The belief that they state.
        claimed: BeliefId,
        /// What it is about.
        subject: Subject,
        /// The beliefs that are disputed.
        against: Vec<BeliefId>,
    },
    /// What an agent built on has fallen and needs to be derived again.
    TaskOpened {
        /// Its id, the next of its kind.
        task: TaskId,
        /// The belief that fell.
        belief: BeliefId,
        /// The incident in which it fell.
        incident: IncidentId,
    },
    /// A rule was set for a kind of action.
    RuleSet(Rule),
    /// An agent concluded to act.
    Decided(Decided),
    /// An action was written, before its effect.
    Proposed(Proposal),
    /// The effect of an action ran to its end.
    Executed {
        /// Which action.
        action: ActionId,
        /// What it returned, if it returned anything.
        result: Option<Text>,
    },
    /// The effect of an action did not run to its end.
    Failed {
        /// Which action.
        action: ActionId,
        /// What went wrong.
        error: Text,
    },
    /// An action relied on what fell and is to be reversed.
    ReversalQueued {
        /// Which action.
        action: ActionId,
        /// Because of which incident.
        incident: IncidentId,
    },
    /// A compensation ran.
    Reversed {
        /// Which action.
        action: ActionId,
        /// What it returned, if it returned anything.
        result: Option<Text>,
    },
    /// A compensation did not run.
    ReversalTried {
        /// Which action.
        action: ActionId,
        /// What went wrong.
        error: Text,
        /// When it is tried again; nothing after the last attempt.
        retry_at: Option<Instant>,
    },
    /// An incident was a mistake: all that its command wrote counts as never written.
    Reinstated {
        /// Which incident.
        incident: IncidentId,
    },
    /// An operator declared that a source copies another.
    MirrorDeclared {
        /// Which source copies.
        source: SourceId,
        /// From which one.
        of: SourceId,
    },
    /// An operator took such a declaration back.
    MirrorWithdrawn {
        /// Which source was said to copy.
        source: SourceId,
        /// From which one.
        of: SourceId,
    },
    /// An operator flagged a source, an observation or a belief: an incident without a challenger.
    Flagged {
        /// Its id, the next of its kind.
        incident: IncidentId,
        /// The first event of the command that opened it.
        since: u64,
        /// What was flagged.
        target: FlagTarget,
        /// Of a source, only what was received since that moment; nothing means all it ever sent
        /// and will send.
        received_from: Option<Instant>,
        /// Why, in the operator's words.
        reason: Option<Text>,
    },
    /// What agents built on has fallen in one incident and needs to be derived again.
    TasksOpened {
        /// The incident in which it fell.
        incident: IncidentId,
        /// The first task, the next of its kind; the others follow it.
        first: TaskId,
        /// The beliefs that fell, one for each task.
        beliefs: Vec<BeliefId>,
    },
    /// What had fallen was derived again.
    TaskDone {
        /// Which task.
        task: TaskId,
        /// The derivation that does it.
        justification: JustificationId,
    },
    /// An operator imported a graph, or a part of one that is too large for one event.
    GraphImported {
        /// In the last part, the event with which the import began: what its justifications
        /// support is recomputed then, once. Nothing in the parts before it.
        since: Option<u64>,
        /// What was imported, each item after those that it names, but for mirrors.
        nodes: Vec<GraphNode>,
    },
    /// A rule asks that what an action relies on is corroborated; until the rule is set anew.
    RuleAsks {
        /// Which rule.
        rule: RuleId,
        /// How many independent origins have to be lost before any of the beliefs falls.
        corroboration: u32,
    },
    /// A run was shown something: it is in the context of all that the run writes from then on.
    Shown {
        /// Which run.
        run: RunId,
        /// The run that handed over its own context so far; nothing for a read.
        from: Option<RunId>,
        /// What it was shown and had not been before, in order.
        items: Vec<Premise>,
    },
    /// What the write that follows takes from the context of its run; the whole of it counts in
    /// the strength of a write that has no such event, and nothing of it is a premise.
    ContextUsed {
        /// Which write: the next of its kind.
        write: Write,
        /// What it takes.
        used: ContextUse,
    },
    /// An operator said how fast what is stated in an area loses weight, or that it does not.
    HalfLifeSet {
        /// In which area.
        area: Area,
        /// Seconds after which a statement weighs half; above 0. Nothing if it keeps its weight.
        seconds: Option<u32>,
    },
    /// The claims of the next event of content that are not made plainly.
    Hedged {
        /// Each with how sure it is.
        claims: Vec<Hedge>,
    },
    /// It was inferred that something copies something else.
    CopyInferred {
        /// What copies what, and what shows it.
        copy: InferredCopy,
    },
    /// Whether two sources may be taken for copies of one another was ruled.
    MirrorRuled {
        /// One of the two.
        source: SourceId,
        /// The other one.
        of: SourceId,
        /// What was ruled.
        ruling: MirrorRuling,
    },
    /// A caller noted something about a write, for filtering; it replaces what was noted before.
    Annotated {
        /// Which write.
        write: Write,
        /// What is noted.
        metadata: Metadata,
    },
    /// An operator said whose vectors the index has.
    EmbedderSet {
        /// The name of the model; nothing if recall goes by words alone.
        model: Option<Text>,
        /// How many numbers a vector has; 0 without a model.
        dimensions: u32,
        /// How near a text has to be to a question to answer it: the cosine of their vectors.
        threshold: Trust,
    },
    /// An answer was found wrong, and asked for again from some of the memories.
    Attributed(Attributed),
    /// A refuted belief was tested again and released: what had refuted it holds no more.
    Paroled {
        /// Which belief.
        belief: BeliefId,
        /// The incidents whose refutations of it hold no more.
        incidents: Vec<IncidentId>,
        /// The attributions whose wrong answers were asked for again.
        retested: Vec<AttributionId>,
        /// How many answers that took; none was wrong.
        calls: u32,
        /// Who answered, if anybody was asked.
        oracle: Option<Text>,
    },
    /// An attribution was evidence for a refutation, or for a review.
    EvidenceGiven {
        /// Which attribution.
        attribution: AttributionId,
        /// For what.
        target: EvidenceFor,
    },
    /// A payload copied itself from agent to agent, or may have.
    MeshIncidentOpened(MeshIncident),
    /// A payload is remembered, so that what carries it is blocked before a model is called.
    AntibodyMade(Antibody),
    /// An agent is quarantined over an incident of the mesh: its model is not called, and it is not
    /// heard there.
    AgentQuarantined {
        /// What stays when the agent takes another name.
        identity: Handle,
        /// The incident.
        incident: MeshIncidentId,
    },
    /// An antibody blocked a text, which stays blocked when the antibody ends.
    TextBlocked {
        /// The antibody.
        antibody: AntibodyId,
        /// The agent that would have been shown it.
        agent: Handle,
        /// What the text is known by.
        digest: TextDigest,
    },
    /// An antibody is as sure as an operator said, or as what further agents repeated makes it.
    AntibodyReviewed {
        /// The antibody.
        antibody: AntibodyId,
        /// How sure it is now; below one half it blocks nothing new.
        confidence: Trust,
        /// Whether an operator said so; from then on nothing else makes it sure.
        by_hand: bool,
    },
    /// An antibody was wrong: what it blocked is released.
    AntibodyRetracted {
        /// The antibody.
        antibody: AntibodyId,
    },
    /// An incident of the mesh was none: its antibodies are retracted and its agents released.
    MeshIncidentRetracted {
        /// The incident.
        incident: MeshIncidentId,
    },
    /// A quarantined agent is heard again.
    AgentReleased {
        /// What stays when the agent takes another name.
        identity: Handle,
    },
    /// The first calls of the mesh said whether its agents cite what came along.
    MeshHabitLearned {
        /// Whether they do.
        cites: bool,
    },
    /// A refuted belief was tested again and held where it is.
    ParoleHeld {
        /// Which belief.
        belief: BeliefId,
        /// What holds it.
        hold: ParoleHold,
        /// The attributions whose wrong answers were asked for again.
        retested: Vec<AttributionId>,
        /// How many answers that took.
        calls: u32,
        /// Who answered, if anybody was asked.
        oracle: Option<Text>,
        /// The answer that is wrong again, or why nobody answered.
        said: Option<Text>,
    },
}

impl Event {
    /// The name of the kind of event, in lower case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MemoryCreated { .. } => "memory_created",
            Self::ChannelSet { .. } => "channel_set",
            Self::SourceAdded { .. } => "source_added",
            Self::SourceDeclared { .. } => "source_declared",
            Self::RecordNamed { .. } => "record_named",
            Self::Observed(_) => "observed",
            Self::Derived(_) => "derived",
            Self::StatementsClosed { .. } => "statements_closed",
            Self::BeliefClosed { .. } => "belief_closed",
            Self::ObservationClosed { .. } => "observation_closed",
            Self::Checked { .. } => "checked",
            Self::IncidentOpened(_) => "incident_opened",
            Self::ReviewOpened { .. } => "review_opened",
            Self::TaskOpened { .. } => "task_opened",
            Self::RuleSet(_) => "rule_set",
            Self::Decided(_) => "decided",
            Self::Proposed(_) => "proposed",
            Self::Executed { .. } => "executed",
            Self::Failed { .. } => "failed",
            Self::ReversalQueued { .. } => "reversal_queued",
            Self::Reversed { .. } => "reversed",
            Self::ReversalTried { .. } => "reversal_tried",
            Self::Reinstated { .. } => "reinstated",
            Self::MirrorDeclared { .. } => "mirror_declared",
            Self::MirrorWithdrawn { .. } => "mirror_withdrawn",
            Self::Flagged { .. } => "flagged",
            Self::TasksOpened { .. } => "tasks_opened",
            Self::TaskDone { .. } => "task_done",
            Self::GraphImported { .. } => "graph_imported",
            Self::RuleAsks { .. } => "rule_asks",
            Self::Shown { .. } => "shown",
            Self::ContextUsed { .. } => "context_used",
            Self::HalfLifeSet { .. } => "half_life_set",
            Self::Hedged { .. } => "hedged",
            Self::CopyInferred { .. } => "copy_inferred",
            Self::MirrorRuled { .. } => "mirror_ruled",
            Self::Annotated { .. } => "annotated",
            Self::EmbedderSet { .. } => "embedder_set",
            Self::Attributed(_) => "attributed",
            Self::Paroled { .. } => "paroled",
            Self::EvidenceGiven { .. } => "evidence_given",
            Self::MeshIncidentOpened(_) => "mesh_incident_opened",
            Self::AntibodyMade(_) => "antibody_made",
            Self::AgentQuarantined { .. } => "agent_quarantined",
            Self::TextBlocked { .. } => "text_blocked",
            Self::AntibodyReviewed { .. } => "antibody_reviewed",
            Self::AntibodyRetracted { .. } => "antibody_retracted",
            Self::MeshIncidentRetracted { .. } => "mesh_incident_retracted",
            Self::AgentReleased { .. } => "agent_released",
            Self::MeshHabitLearned { .. } => "mesh_habit_learned",
            Self::ParoleHeld { .. } => "parole_held",
        }
    }
}
