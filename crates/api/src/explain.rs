//! Explanations: an item with its past and its consequences.

use immune_engine::reason::State;
use immune_model::Closing;
use serde::Serialize;
use serde::ser::SerializeMap;

use crate::certificate::Certificate;
use crate::list::{Row, Source};
use crate::runs::Context;
use crate::screen::{Believed, Report};
use crate::value::{Literal, Trust, ids, literals, score, time};
use crate::write::{ActionBrief, screening};

/// An item explained: its id under `item`, what is known of it under the name of its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Which item.
    pub item: String,
    /// What is known of it.
    pub detail: Detail,
    /// How it was screened when it was written, where that is asked for.
    pub screening: Option<Report>,
    /// The incidents of the mesh that had reached who wrote it, before it was written.
    pub mesh_incidents: Vec<String>,
}

impl Serialize for Explained {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("item", &self.item)?;
        match &self.detail {
            Detail::Belief(belief) => map.serialize_entry("belief", belief)?,
            Detail::Row(row) => map.serialize_entry(row.kind(), row)?,
        }
        if let Some(screening) = &self.screening {
            map.serialize_entry("screening", screening)?;
        }
        if !self.mesh_incidents.is_empty() {
            map.serialize_entry("mesh_incidents", &self.mesh_incidents)?;
        }
        map.end()
    }
}

/// What is known of an item.
#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    /// A belief with its grounds and its consequences.
    Belief(Box<Belief>),
    /// Any other item, as the lists show it.
    Row(Box<Row>),
}

/// A belief explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Belief {
    /// Which belief.
    pub belief: String,
    /// What it is about.
    pub subject: String,
    /// The claim in words.
    pub claim: String,
    /// `+`, `-` or `?`.
    pub polarity: char,
    /// Its typed literals.
    pub literals: Vec<Literal>,
    /// What it is now.
    pub status: &'static str,
    /// How far it is trusted.
    pub strength: Trust,
    /// The independent origins that have to be lost before it falls.
    pub corroboration: u32,
    /// It may be more: the count is a proven lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// When it was first believed.
    pub believed_at: String,
    /// When it ceased to be active, if it did.
    pub ended_at: Option<String>,
    /// The incident in which it fell, if it did.
    pub incident: Option<String>,
    /// The attributions that blame it for a wrong answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blamed_in: Vec<String>,
    /// Why it is what it is.
    pub why: String,
    /// Every way in which it was justified, oldest first.
    pub justifications: Vec<Justification>,
    /// What rests on it, nearest first.
    pub reached: Vec<Reached>,
    /// The actions that relied on it.
    pub actions: Vec<ActionBrief>,
    /// What disagrees with it and stands.
    pub rivals: Vec<String>,
    /// How much speaks for it as of the time asked, in nats: the least that has to be lost before
    /// nothing does.
    pub weight: f64,
    /// How that fades, if its area has a half-life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading: Option<Fading>,
    /// The proof or the cut that shows its status, and whether the judge accepts it.
    pub certificate: Certificate,
}

/// How the weight of a value fades.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fading {
    /// The area whose half-life it is.
    pub area: String,
    /// Seconds after which a statement weighs half.
    pub half_life_seconds: u32,
    /// What spoke for it when each statement was fresh, in nats.
    pub fresh_weight: f64,
}

/// One way in which a belief was justified.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Justification {
    /// Which justification.
    pub justification: String,
    /// The observation that states it, if one does.
    pub observation: Option<String>,
    /// How the claims of that observation were found: `explicit`, `rules` or `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screening: Option<&'static str>,
    /// Who states or derives it; nobody, if it was imported.
    pub by: Option<Source>,
    /// Whether it is the word of the agent that derived it: no premise says its value. Left out where
    /// it is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_word: bool,
    /// What a derivation rests on; of a statement the beliefs that carry what it says.
    pub premises: Vec<Premise>,
    /// The claim in the words that were used.
    pub claim: String,
    /// When it was written.
    pub at: String,
    /// `superseded`, `expired` or `forgotten`, if it is closed.
    pub closed: Option<&'static str>,
    /// The incident that flagged what it rests on, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flagged_in: Option<String>,
    /// Whether it holds now.
    pub holds: bool,
    /// How far it is trusted now, and why no further; nothing unless it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<Believed>,
    /// What its run had been shown before, if that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// A premise, with what it is now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Premise {
    /// Which belief or observation.
    pub premise: String,
    /// What it is now.
    pub status: &'static str,
    /// How far it is trusted.
    pub strength: Trust,
}

/// A belief that rests on another, and at how many hops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// Which belief.
    pub belief: String,
    /// Hops, from 1.
    pub depth: u32,
    /// What it is now.
    pub status: &'static str,
}

impl Explained {
    /// A belief explained.
    pub fn belief(state: &State, belief: &immune_engine::ExplainedBelief) -> Self {
        Self {
            item: belief.belief.to_string(),
            detail: Detail::Belief(Box::new(Belief::of(state, belief))),
            screening: None,
            mesh_incidents: Vec::new(),
        }
    }

    /// Any other item.
    pub fn row(item: immune_model::Item, row: Row) -> Self {
        Self {
            item: item.to_string(),
            detail: Detail::Row(Box::new(row)),
            screening: None,
            mesh_incidents: Vec::new(),
        }
    }
}

impl Belief {
    fn of(state: &State, belief: &immune_engine::ExplainedBelief) -> Self {
        let justifications = belief.justifications.iter();
        let reached = belief.reached.iter().map(|it| Reached {
            belief: it.belief.to_string(),
            depth: it.depth,
            status: it.status.name(),
        });
        let actions = belief.actions.iter();
        Self {
            belief: belief.belief.to_string(),
            subject: belief.subject.to_string(),
            claim: belief.text.to_string(),
            polarity: belief.polarity.sign(),
            literals: literals(&belief.literals),
            status: belief.status.name(),
            strength: belief.strength.into(),
            corroboration: belief.corroboration.count,
            at_least: !belief.corroboration.exact,
            believed_at: belief.believed_at.to_string(),
            ended_at: time(belief.ended_at),
            incident: belief.incident.map(|it| it.to_string()),
            blamed_in: ids(state.blamed_in(immune_model::Premise::Belief(belief.belief))),
            why: belief.why.clone(),
            justifications: justifications
                .map(|it| Justification::of(state, it))
                .collect(),
            reached: reached.collect(),
            actions: actions
                .map(|(action, _, _)| ActionBrief::of(state, *action))
                .collect(),
            rivals: ids(&belief.rivals),
            weight: score(belief.weight.millionths),
            fading: belief.fading.as_ref().map(|it| Fading {
                area: it.area.to_string(),
                half_life_seconds: it.half_life_seconds,
                fresh_weight: score(it.fresh_millionths),
            }),
            certificate: Certificate::from(&belief.certified),
        }
    }
}

impl Justification {
    fn of(state: &State, justification: &immune_engine::ExplainedJustification) -> Self {
        let premises = justification.premises.iter().map(|it| Premise {
            premise: it.premise.to_string(),
            status: it.status.name(),
            strength: it.strength.into(),
        });
        let observed = justification.statement_of;
        let observed = observed.and_then(|it| state.observation(it));
        Self {
            justification: justification.justification.to_string(),
            observation: justification.statement_of.map(|it| it.to_string()),
            screening: observed.map(|it| screening(it.screening)),
            by: justification.by.as_ref().map(|it| Source::of(state, it)),
            own_word: state.reasoner_of(justification.justification).is_some(),
            premises: premises.collect(),
            claim: justification.text.to_string(),
            at: justification.at.to_string(),
            closed: justification.closing.map(closing),
            flagged_in: justification.flagged_in.map(|it| it.to_string()),
            holds: justification.holds,
            trusted: justification
                .holds
                .then(|| Believed::of(state, &justification.trusted)),
            context: justification.context.as_ref().map(Context::from),
        }
    }
}

/// The word for a closing fact.
pub(crate) fn closing(closing: Closing) -> &'static str {
    match closing {
        Closing::Superseded { .. } => "superseded",
        Closing::Expired => "expired",
        Closing::Forgotten => "forgotten",
    }
}
