//! Items as lists show them, and pages of them.

use immune_engine::Explained;
use immune_engine::reason::State;
use immune_model::{
    ActionId, BeliefId, Carriage, ChannelId, DecisionId, EvidenceFor, FlagTarget, Item,
    ObservationId, ReviewId, RuleId, SourceId, Standing, TaskId, WaiverBar,
};
use serde::Serialize;

use crate::attribute::Attribution;
use crate::copy::InferredMirror;
use crate::reputation::{Earned, Newcomer};
use crate::value::{Literal, SourceName, Trust, ids, literals, time};
use crate::write::{Incident, screening, used_by};

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct List {
    /// What is listed: `beliefs`.
    pub of: &'static str,
    /// The items of this page.
    pub items: Vec<Row>,
    /// The item after which the next page begins; nothing on the last one.
    pub next: Option<String>,
}

/// An item as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Row {
    /// A belief.
    Belief(Belief),
    /// An observation.
    Observation(Observation),
    /// A source.
    Source(Source),
    /// A channel.
    Channel(Channel),
    /// A decision.
    Decision(Decision),
    /// An action.
    Action(Box<Action>),
    /// A rule.
    Rule(ActionRule),
    /// An incident.
    Incident(Incident),
    /// A review.
    Review(Review),
    /// A task.
    Task(Task),
    /// An attribution.
    Attribution(Box<Attribution>),
    /// An incident of the mesh.
    MeshIncident(Box<crate::mesh::Incident>),
    /// An antibody.
    Antibody(Box<crate::mesh::Antibody>),
}

impl Row {
    /// The item as it stands; nothing if it does not exist, or is a justification, which is shown
    /// with its belief.
    pub fn of(state: &State, item: Item) -> Option<Self> {
        Some(match item {
            Item::Belief(id) => Self::Belief(Belief::of(state, id)?),
            Item::Observation(id) => Self::Observation(Observation::of(state, id)?),
            Item::Source(id) => {
                let view = Explained::of(state).source(id)?;
                Self::Source(Source::of(state, &view))
            }
            Item::Channel(id) => Self::Channel(Channel::of(state, id)?),
            Item::Decision(id) => Self::Decision(Decision::of(state, id)?),
            Item::Action(id) => Self::Action(Box::new(Action::of(state, id)?)),
            Item::Rule(id) => Self::Rule(ActionRule::of(state, id)?),
            Item::Incident(id) => Self::Incident(Incident::of(state, id)?),
            Item::Review(id) => Self::Review(Review::of(state, id)?),
            Item::Task(id) => Self::Task(Task::of(state, id)?),
            Item::Attribution(id) => Self::Attribution(Box::new(Attribution::of(state, id)?)),
            Item::MeshIncident(id) => {
                Self::MeshIncident(Box::new(crate::mesh::Incident::of(state, id)?))
            }
            Item::Antibody(id) => {
                let now = state.at();
                Self::Antibody(Box::new(crate::mesh::Antibody::of(state, id, now)?))
            }
            Item::Justification(_) => return None,
        })
    }

    /// The item with all that explains it.
    pub fn explained(state: &State, item: Item) -> Option<Self> {
        let mut row = Self::of(state, item)?;
        match (&mut row, item) {
            (Self::Source(source), Item::Source(id)) => source.earned = Earned::of_all(state, id),
            (Self::Channel(channel), Item::Channel(id)) => {
                channel.newcomers = Newcomer::of_all(state, id);
            }
            (Self::Attribution(attribution), Item::Attribution(id)) => {
                **attribution = Attribution::with_log(state, id, &[])?;
            }
            _ => {}
        }
        Some(row)
    }

    /// What kind of item it is, as one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Belief(_) => "belief",
            Self::Observation(_) => "observation",
            Self::Source(_) => "source",
            Self::Channel(_) => "channel",
            Self::Decision(_) => "decision",
            Self::Action(_) => "action",
            Self::Rule(_) => "rule",
            Self::Incident(_) => "incident",
            Self::Review(_) => "review",
            Self::Task(_) => "task",
            Self::Attribution(_) => "attribution",
            Self::MeshIncident(_) => "mesh_incident",
            Self::Antibody(_) => "antibody",
        }
    }
}

/// A belief in a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Belief {
    /// Which belief.
    pub belief: String,
    /// What it is now.
    pub status: &'static str,
    /// How far it is trusted.
    pub strength: Trust,
    /// What it is about.
    pub subject: String,
    /// The claim in words.
    pub claim: String,
    /// `+`, `-` or `?`.
    pub polarity: char,
    /// Its typed literals.
    pub literals: Vec<Literal>,
    /// The part of the memory it belongs to; empty for the root.
    pub namespace: String,
    /// When it was first believed.
    pub believed_at: String,
    /// When it ceased to be active, if it did.
    pub ended_at: Option<String>,
}

impl Belief {
    fn of(state: &State, id: BeliefId) -> Option<Self> {
        let (belief, now) = (state.belief(id)?, state.belief_now(id)?);
        Some(Self {
            belief: id.to_string(),
            status: now.status.name(),
            strength: now.strength.into(),
            subject: belief.subject.to_string(),
            claim: state.words_of(id)?.to_string(),
            polarity: belief.polarity.sign(),
            literals: literals(&belief.literals),
            namespace: belief.namespace.as_str().to_owned(),
            believed_at: belief.believed_at.to_string(),
            ended_at: time(now.ended_at),
        })
    }
}

/// An observation in a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// Which observation.
    pub observation: String,
    /// What it is now.
    pub status: &'static str,
    /// Whose words they are.
    pub source: SourceName,
    /// How its claims were found: `explicit`, `rules`, `model` or `unscreened`.
    pub screening: &'static str,
    /// The content.
    pub text: String,
    /// The beliefs that its claims state.
    pub beliefs: Vec<String>,
    /// What its channel calls it.
    pub external_id: Option<String>,
    /// When its source sent it, if that is known.
    pub sent_at: Option<String>,
    /// When it was received.
    pub received_at: String,
    /// The run that read it.
    pub run: Option<String>,
    /// The part of the memory it was written for; empty for the root.
    pub namespace: String,
    /// The incident that flagged it or its source, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flagged_in: Option<String>,
}

impl Observation {
    fn of(state: &State, id: ObservationId) -> Option<Self> {
        let observation = state.observation(id)?;
        let statements = observation.statements.iter();
        let beliefs = statements.filter_map(|it| state.justification(*it).map(|it| it.belief));
        Some(Self {
            observation: id.to_string(),
            status: state.observation_status(id)?.name(),
            source: SourceName::of(state, observation.source),
            screening: screening(observation.screening),
            text: observation.text.to_string(),
            beliefs: ids(beliefs),
            external_id: observation.external_id.as_ref().map(ToString::to_string),
            sent_at: time(observation.sent_at),
            received_at: observation.received_at.to_string(),
            run: observation.run.as_ref().map(ToString::to_string),
            namespace: observation.namespace.as_str().to_owned(),
            flagged_in: state.flag_over(id).map(|it| it.to_string()),
        })
    }
}

/// A source with what it has earned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// Its names.
    #[serde(flatten)]
    pub name: SourceName,
    /// What kind of identity: `email`, `web`, `tool`, `agent`, `human`, `record` or `other`.
    pub kind: &'static str,
    /// `newcomer` or `declared`.
    pub standing: &'static str,
    /// The most that its channel is trusted.
    pub tier: Trust,
    /// How far it is trusted over all areas.
    pub reputation: Trust,
    /// How many survived checks lead to the floor; nothing if its tier does not allow it.
    pub checks_to_floor: Option<u32>,
    /// The areas for which it is a system of record.
    pub records: Vec<String>,
    /// The sources that it is declared to copy.
    pub mirrors: Vec<SourceName>,
    /// The sources with which it was inferred to be one origin, each with what shows it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inferred: Vec<InferredMirror>,
    /// The sources that an operator ruled to be independent of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub independent_of: Vec<SourceName>,
    /// When it first appeared.
    pub first_seen: Option<String>,
    /// The incidents that flagged it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flagged_in: Vec<String>,
    /// What it has earned, and why; where one source is explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earned: Vec<Earned>,
}

impl Source {
    /// The view of a source.
    pub fn of(state: &State, view: &immune_engine::SourceView) -> Self {
        let source = state.source(view.source);
        let flags = state.flags_of(FlagTarget::Source(view.source));
        Self {
            name: SourceName::of(state, view.source),
            kind: source.map_or("", |it| it.kind.name()),
            standing: match view.standing {
                Standing::Newcomer => "newcomer",
                Standing::Declared => "declared",
            },
            tier: view.tier.into(),
            reputation: view.reputation.into(),
            checks_to_floor: view.checks_to_floor,
            records: ids(source.into_iter().flat_map(|it| &it.records)),
            mirrors: source
                .into_iter()
                .flat_map(|it| &it.mirrors)
                .map(|it| SourceName::of(state, *it))
                .collect(),
            inferred: InferredMirror::all_of(state, view.source),
            independent_of: state
                .ruled_independent(view.source)
                .into_iter()
                .map(|it| SourceName::of(state, it))
                .collect(),
            first_seen: time(source.map(|it| it.first_seen)),
            flagged_in: ids(flags.iter().map(|it| it.incident)),
            earned: Vec::new(),
        }
    }
}

/// A channel with its tier.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Channel {
    /// Which channel.
    pub channel: String,
    /// Its name.
    pub name: String,
    /// The most that anything there is ever trusted.
    pub tier: Trust,
    /// `relays` or `authored`.
    pub carriage: &'static str,
    /// How many sources speak in it.
    pub sources: usize,
    /// What whoever appears in it now is worth; where one channel is explained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub newcomers: Vec<Newcomer>,
}

impl Channel {
    fn of(state: &State, id: ChannelId) -> Option<Self> {
        let channel = state.channel(id)?;
        let speaks_here = |it: &SourceId| state.source(*it).is_some_and(|it| it.channel == id);
        Some(Self {
            channel: id.to_string(),
            name: channel.name.to_string(),
            tier: channel.tier.into(),
            carriage: match channel.carriage {
                Carriage::Relays => "relays",
                Carriage::Authored => "authored",
            },
            sources: state.source_ids().filter(speaks_here).count(),
            newcomers: Vec::new(),
        })
    }
}

/// A decision in a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// Which decision.
    pub decision: String,
    /// What it is now.
    pub status: &'static str,
    /// Who decided.
    pub agent: SourceName,
    /// The beliefs it relied on, waivers included.
    pub relied_on: Vec<String>,
    /// `named` or `inferred`.
    pub used_by: &'static str,
    /// Those that waived a check.
    pub waivers: Vec<String>,
    /// The action that carries it out; the first, if it was imported with several.
    pub action: Option<String>,
    /// The run in which it was decided.
    pub run: Option<String>,
}

impl Decision {
    fn of(state: &State, id: DecisionId) -> Option<Self> {
        let decision = state.decision(id)?;
        Some(Self {
            decision: id.to_string(),
            status: state.decision_status(id)?.name(),
            agent: SourceName::of(state, decision.agent),
            relied_on: ids(&decision.relied_on),
            used_by: used_by(decision.used_by),
            waivers: ids(&decision.waivers),
            action: decision.actions.first().map(ToString::to_string),
            run: decision.run.as_ref().map(ToString::to_string),
        })
    }
}

/// An action with where it is in its life.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Action {
    /// Which action.
    pub action: String,
    /// Where it is in its life.
    pub status: &'static str,
    /// What kind of action.
    pub kind: String,
    /// What can be done about it.
    pub class: &'static str,
    /// Who decided it, and on what.
    pub decision: Option<Decision>,
    /// What the effect was given.
    pub payload: String,
    /// The refusal, the result or the error.
    pub detail: Option<String>,
    /// What the guard let pass but wants seen.
    pub warnings: Vec<String>,
    /// When it was written.
    pub proposed_at: String,
    /// When its effect ended.
    pub ended_at: Option<String>,
    /// Its reversal, if one was queued.
    pub reversal: Option<PendingReversal>,
}

/// A reversal as the outbox has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PendingReversal {
    /// The incident that asks for it.
    pub incident: String,
    /// How often it was tried without success.
    pub attempts: u32,
    /// When it is due, while it is pending.
    pub next_at: Option<String>,
    /// What went wrong last.
    pub last_error: Option<String>,
}

impl Action {
    fn of(state: &State, id: ActionId) -> Option<Self> {
        let action = state.action(id)?;
        let queued = action.reversal.as_ref().filter(|it| !it.cancelled);
        let reversal = queued.map(|it| PendingReversal {
            incident: it.incident.to_string(),
            attempts: it.attempts,
            next_at: time(it.next_at),
            last_error: it.last_error.as_ref().map(ToString::to_string),
        });
        Some(Self {
            action: id.to_string(),
            status: action.status.name(),
            kind: action.kind.to_string(),
            class: action.class.name(),
            decision: Decision::of(state, action.decision),
            payload: action.payload.to_string(),
            detail: action.detail.as_ref().map(ToString::to_string),
            warnings: ids(&action.warnings),
            proposed_at: action.proposed_at.to_string(),
            ended_at: time(action.ended_at),
            reversal,
        })
    }
}

/// The rule of a kind of action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionRule {
    /// Which rule.
    pub rule: String,
    /// The kind of action it is for.
    pub kind: String,
    /// What can be done about such an action later.
    pub class: &'static str,
    /// What to do when no record confirms a used belief: `block`, `warn` or `allow`.
    pub unknown: &'static str,
    /// The subject of the belief that may waive the check, if one may.
    pub waiver: Option<String>,
    /// What the waiver has to reach: nothing for the default, a system of record.
    pub waiver_bar: Option<Trust>,
    /// The corroboration that each belief an action relies on has to have; 0 asks for none.
    pub corroboration: u32,
    /// The command that compensates.
    pub compensation: Option<String>,
}

impl ActionRule {
    fn of(state: &State, id: RuleId) -> Option<Self> {
        let rule = state.rule(id)?;
        let bar = rule.waiver.as_ref().and_then(|it| match it.bar {
            WaiverBar::Record => None,
            WaiverBar::Strength(bar) => Some(bar.into()),
        });
        Some(Self {
            rule: rule.rule.to_string(),
            kind: rule.kind.to_string(),
            class: rule.class.name(),
            unknown: rule.unknown.name(),
            waiver: rule.waiver.as_ref().map(|it| it.subject.to_string()),
            waiver_bar: bar,
            corroboration: state.corroboration_asked(id),
            compensation: rule.compensation.as_ref().map(ToString::to_string),
        })
    }
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Review {
    /// Which review.
    pub review: String,
    /// What it is about.
    pub subject: String,
    /// Who challenged.
    pub challenger: SourceName,
    /// The belief that they state.
    pub claimed: String,
    /// The beliefs that are disputed.
    pub against: Vec<String>,
    /// The attributions that are the evidence for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// When it was opened.
    pub opened_at: String,
}

impl Review {
    fn of(state: &State, id: ReviewId) -> Option<Self> {
        let review = state.review(id)?;
        Some(Self {
            review: id.to_string(),
            subject: review.subject.to_string(),
            challenger: SourceName::of(state, review.challenger),
            claimed: review.claimed.to_string(),
            against: ids(&review.against),
            evidence: ids(state.evidence_of(EvidenceFor::Review(id))),
            opened_at: review.opened_at.to_string(),
        })
    }
}

/// A conclusion to derive again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Which task.
    pub task: String,
    /// The belief that fell.
    pub belief: String,
    /// What that was about.
    pub subject: String,
    /// The incident in which it fell.
    pub incident: String,
    /// When it was opened.
    pub opened_at: String,
}

impl Task {
    fn of(state: &State, id: TaskId) -> Option<Self> {
        let task = state.task(id)?;
        Some(Self {
            task: id.to_string(),
            belief: task.belief.to_string(),
            subject: state
                .belief(task.belief)
                .map_or_else(String::new, |it| it.subject.to_string()),
            incident: task.incident.to_string(),
            opened_at: task.opened_at.to_string(),
        })
    }
}
