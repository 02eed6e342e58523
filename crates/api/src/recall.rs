//! The answer to a question. The text of what was left out is not in it.

use immune_engine::reason::State;
use immune_model::Write;
use serde::Serialize;

use crate::metadata;
use crate::value::{Literal, SourceName, Trust, ids, literals, score, time};

/// What may be believed, and what was left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recalled {
    /// The place in the log that the answer is from.
    pub seq: u64,
    /// What may be relied on, best first.
    pub facts: Vec<Fact>,
    /// Unscreened texts that fit, best first.
    pub notes: Vec<Note>,
    /// What fits and was left out, by id; with the first page only.
    pub excluded: Vec<Excluded>,
    /// Where the next page of the answer begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The answer in a block for a prompt, if a budget was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
}

/// Lines for a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The lines.
    pub text: String,
    /// About how many tokens they take.
    pub tokens: usize,
    /// Facts and notes that were found, and did not fit.
    pub left_out: usize,
}

/// A belief that may be relied on as far as its label goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
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
    /// `confirmed(n)`, `single-origin`, `contested` or `unverified`.
    pub label: String,
    /// How far it is trusted.
    pub strength: Trust,
    /// The independent origins that have to be lost before it falls.
    pub corroboration: u32,
    /// It may be more: the count is a proven lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Who stands behind it.
    pub sources: Vec<SourceName>,
    /// What disagrees with it.
    pub rivals: Vec<String>,
    /// When it was first believed.
    pub believed_at: String,
    /// How well it fits the words; 0 without words.
    pub score: f64,
    /// The words of the question that it holds.
    pub matched: Vec<String>,
    /// Why it is here.
    pub why: String,
    /// What is noted about it, by whoever says it most strongly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
}

/// A text in which no claim was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    /// Which observation.
    pub observation: String,
    /// Whose words they are.
    pub source: SourceName,
    /// The text.
    pub text: String,
    /// How far its source is trusted.
    pub strength: Trust,
    /// When its source sent it, if that is known.
    pub sent_at: Option<String>,
    /// How well it fits the words; 0 without words.
    pub score: f64,
    /// The words of the question that it holds.
    pub matched: Vec<String>,
    /// What is noted about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<serde_json::Value>,
}

/// Something that fits and was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// Which belief or observation.
    pub item: String,
    /// Why, in words.
    pub reason: String,
}

impl Recalled {
    /// The view of an answer, with the state that knows its sources.
    pub fn of(state: &State, recalled: &immune_engine::Recalled) -> Self {
        let facts = recalled.facts.iter().map(|it| Fact::of(state, it));
        let notes = recalled.notes.iter().map(|it| Note::of(state, it));
        let excluded = recalled.excluded.iter().map(Excluded::of);
        Self {
            seq: recalled.seq,
            facts: facts.collect(),
            notes: notes.collect(),
            excluded: excluded.collect(),
            next: recalled.next.map(|it| it.to_string()),
            block: recalled.block.as_ref().map(|it| Block {
                text: it.text.clone(),
                tokens: it.tokens,
                left_out: it.left_out,
            }),
        }
    }
}

impl Fact {
    pub(crate) fn of(state: &State, fact: &immune_engine::Fact) -> Self {
        let sources = fact.sources.iter().map(|it| SourceName::of(state, *it));
        Self {
            belief: fact.belief.to_string(),
            subject: fact.subject.to_string(),
            claim: fact.text.to_string(),
            polarity: fact.polarity.sign(),
            literals: literals(&fact.literals),
            label: fact.label.text(),
            strength: fact.strength.into(),
            corroboration: fact.corroboration.count,
            at_least: !fact.corroboration.exact,
            sources: sources.collect(),
            rivals: ids(&fact.rivals),
            believed_at: fact.believed_at.to_string(),
            score: score(fact.score_millionths),
            matched: fact.matched.clone(),
            why: fact.why.clone(),
            metadata: state.metadata_of_belief(fact.belief).map(metadata::json),
        }
    }
}

impl Note {
    fn of(state: &State, note: &immune_engine::Note) -> Self {
        Self {
            observation: note.observation.to_string(),
            source: SourceName::of(state, note.source),
            text: note.text.to_string(),
            strength: note.strength.into(),
            sent_at: time(note.sent_at),
            score: score(note.score_millionths),
            matched: note.matched.clone(),
            metadata: state
                .metadata_of(Write::Observation(note.observation))
                .map(metadata::json),
        }
    }
}

impl Excluded {
    pub(crate) fn of(excluded: &immune_engine::Excluded) -> Self {
        Self {
            item: excluded.item.to_string(),
            reason: excluded.reason.text(),
        }
    }
}
