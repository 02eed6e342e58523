//! Graph exchange: the lines of an export, what stands in a graph, and the totals.

use immune_engine::reason::plan::GraphImported;
use immune_engine::{ExportedLine, GraphStanding, LeftOut};
use immune_model::GraphNode;
use serde::Serialize;

use crate::value::{Trust, inert_json};

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Lines that say something.
    pub lines: u64,
    /// Those whose content was there before.
    pub known: u64,
    /// New sources.
    pub sources: u64,
    /// New observations.
    pub observations: u64,
    /// New beliefs.
    pub beliefs: u64,
    /// New justifications.
    pub justifications: u64,
    /// New decisions.
    pub decisions: u64,
    /// New actions.
    pub actions: u64,
    /// New flags, each an incident.
    pub flags: u64,
}

impl From<&GraphImported> for Imported {
    fn from(imported: &GraphImported) -> Self {
        let GraphImported {
            lines,
            known,
            sources,
            observations,
            beliefs,
            justifications,
            decisions,
            actions,
            flags,
        } = *imported;
        Self {
            lines,
            known,
            sources,
            observations,
            beliefs,
            justifications,
            decisions,
            actions,
            flags,
        }
    }
}

/// What came of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Lines written.
    pub lines: u64,
    /// What the format cannot say.
    pub left_out: Vec<Left>,
}

/// Something that the format cannot say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// What, in words.
    pub what: &'static str,
    /// Of how many items.
    pub count: usize,
    /// Of which.
    pub ids: Vec<String>,
}

impl Exported {
    /// The view of an export.
    pub fn of(lines: u64, left_out: &[LeftOut]) -> Self {
        let left = left_out.iter().map(|it| Left {
            what: it.what,
            count: it.items.len(),
            ids: it.items.iter().map(ToString::to_string).collect(),
        });
        let left_out = left.collect();
        Self { lines, left_out }
    }
}

/// One item of `graph status`, which is keyed by its name.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Standing {
    status: &'static str,
    strength: Trust,
    corroboration: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    at_least: bool,
}

/// One entry of the object of `graph status`: `"b1":{…}`.
pub fn standing_entry(standing: &GraphStanding) -> String {
    let body = Standing {
        status: standing.status,
        strength: standing.strength.into(),
        corroboration: standing.corroboration.count,
        at_least: !standing.corroboration.exact,
    };
    format!("{}:{}", json(&standing.name), json(&body))
}

/// A line of a graph in its canonical spelling.
pub fn exported_line(line: &ExportedLine) -> String {
    match line {
        ExportedLine::Flag { name, reason } => json(&Flag {
            flag: name,
            reason: reason.as_ref().map(AsRef::as_ref),
        }),
        ExportedLine::Node {
            node,
            channel,
            agent,
            names,
        } => {
            let alias = node.alias().as_str();
            let first = names.first().map_or("", String::as_str);
            let rest = names.get(1..).unwrap_or_default();
            match node {
                GraphNode::Source(it) => json(&Source {
                    source: alias,
                    channel: channel.as_deref().unwrap_or_default(),
                    tier: it.tier.into(),
                    kind: it.kind.name(),
                    mirrors: names,
                }),
                GraphNode::Observation(it) => json(&Observation {
                    observation: alias,
                    source: first,
                    text: Some(it.text.as_str()).filter(|it| *it != alias),
                    at: it.sent_at.map(|it| it.to_string()),
                }),
                GraphNode::Belief(it) => json(&Belief {
                    belief: alias,
                    about: Some(it.subject.as_str()).filter(|_| !it.subject.is_none()),
                    claim: Some(it.text.as_str()).filter(|it| *it != alias),
                    agent: it.agent.as_ref().map(immune_model::Handle::as_str),
                }),
                GraphNode::Justification(_) => json(&Justification {
                    justification: alias,
                    belief: first,
                    premises: rest,
                }),
                GraphNode::Decision(_) => json(&Decision {
                    decision: alias,
                    agent: agent.as_ref().map(immune_model::Handle::as_str),
                    relied_on: names,
                }),
                GraphNode::Action(it) => json(&Action {
                    action: alias,
                    decision: first,
                    kind: it.kind.as_str(),
                    class: it.class.name(),
                    status: it.status.name(),
                }),
            }
        }
    }
}

fn json(value: &impl Serialize) -> String {
    inert_json(&serde_json::to_string(value).expect("views have string keys only"))
}

#[derive(Serialize)]
struct Source<'a> {
    source: &'a str,
    channel: &'a str,
    tier: Trust,
    kind: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    mirrors: &'a [String],
}

#[derive(Serialize)]
struct Observation<'a> {
    observation: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

#[derive(Serialize)]
struct Belief<'a> {
    belief: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
}

#[derive(Serialize)]
struct Justification<'a> {
    justification: &'a str,
    belief: &'a str,
    premises: &'a [String],
}

#[derive(Serialize)]
struct Decision<'a> {
    decision: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    relied_on: &'a [String],
}

#[derive(Serialize)]
struct Action<'a> {
    action: &'a str,
    decision: &'a str,
    kind: &'a str,
    class: &'a str,
    status: &'a str,
}

#[derive(Serialize)]
struct Flag<'a> {
    flag: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}
