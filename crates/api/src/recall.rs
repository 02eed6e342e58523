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
    /// Whether the answer goes by meaning too; nothing for a listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<Meaning>,
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

/// The parts of a score, where more than words counts: it is the words as a share of the best,
/// and the others, added.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scores {
    /// BM25 of the words.
    pub words: f64,
    /// The cosine of the vectors, where it is near in meaning.
    pub meaning: Option<f64>,
    /// How fresh it is, where the question asks for that: 1 now, a half after one half-life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency: Option<f64>,
}

impl Scores {
    fn of(fit: &immune_engine::Score) -> Option<Self> {
        let has_others = fit.meaning_millionths.is_some() || fit.recency_millionths.is_some();
        let is_of_words = !has_others && fit.millionths == fit.words_millionths;
        (!is_of_words).then(|| Self {
            words: score(fit.words_millionths),
            meaning: fit.meaning_millionths.map(score),
            recency: fit.recency_millionths.map(score),
        })
    }
}

/// Whether an answer goes by meaning too, and by whose vectors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Meaning {
    /// The model whose vectors the answer goes by; nothing where it goes by words alone.
    pub model: Option<String>,
    /// How many numbers a vector of it has.
    pub dimensions: Option<u32>,
    /// The least cosine of what is near.
    pub threshold: Option<Trust>,
    /// Documents that have no vector yet.
    pub waiting: u32,
    /// Documents that the model gives no vector of.
    pub failed: u32,
    /// Why it goes by words alone, if something is wrong.
    pub problem: Option<String>,
}

impl Meaning {
    fn of(meaning: &immune_engine::Meaning) -> Option<Self> {
        let by_words = |problem| Self {
            model: None,
            dimensions: None,
            threshold: None,
            waiting: 0,
            failed: 0,
            problem,
        };
        match meaning {
            immune_engine::Meaning::Off(off) => off.problem().map(|it| by_words(Some(it))),
            immune_engine::Meaning::On {
                model,
                threshold,
                waiting,
                failed,
            } => Some(Self {
                model: Some(model.name.clone()),
                dimensions: Some(model.dimensions),
                threshold: Some((*threshold).into()),
                waiting: *waiting,
                failed: *failed,
                problem: None,
            }),
        }
    }
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
    /// What it is ranked by: BM25 of the words, or reciprocal ranks where meaning counts too; 0
    /// without words.
    pub score: f64,
    /// What that is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
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
    /// What it is ranked by: BM25 of the words, or reciprocal ranks where meaning counts too; 0
    /// without words.
    pub score: f64,
    /// What that is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
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
            meaning: Meaning::of(&recalled.meaning),
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
            score: score(fact.score.millionths),
            scores: Scores::of(&fact.score),
            matched: fact.score.matched.clone(),
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
            score: score(note.score.millionths),
            scores: Scores::of(&note.score),
            matched: note.score.matched.clone(),
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

/// An index that was made anew, or would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reindexed {
    /// Whose vectors recall goes by; nothing where it goes by words alone.
    pub model: Option<String>,
    /// How many numbers a vector has.
    pub dimensions: u32,
    /// The least cosine of what is near.
    pub threshold: Trust,
    /// Whether that is another choice than before.
    pub changed: bool,
    /// Texts that have vectors.
    pub documents: u32,
    /// Their vectors: one for each part of a text that the model reads at once.
    pub vectors: u32,
    /// Texts that the model gives no vector of; words find them.
    pub failed: usize,
}

impl Reindexed {
    /// The view of what the engine did.
    pub fn of(reindexed: &immune_engine::Reindexed) -> Self {
        let embedder = &reindexed.embedder;
        Self {
            model: embedder.model.as_ref().map(ToString::to_string),
            dimensions: embedder.dimensions,
            threshold: embedder.threshold.into(),
            changed: reindexed.changed,
            documents: reindexed.documents,
            vectors: reindexed.vectors,
            failed: reindexed.failed,
        }
    }
}

/// The texts that have no vector: deferred work, with its status.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithoutVectors {
    /// Those that failed, then those that wait.
    pub items: Vec<WithoutVector>,
    /// How many failed.
    pub failed: usize,
    /// How many wait.
    pub waiting: usize,
    /// Why recall goes by words alone, so that nothing waits.
    pub problem: Option<String>,
}

/// A text that has no vector.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WithoutVector {
    /// The belief, or the note.
    pub item: String,
    /// `failed` or `waiting`.
    pub status: &'static str,
    /// What the model said of it.
    pub reason: Option<String>,
}

impl WithoutVectors {
    /// The view of what the engine found.
    pub fn of(found: &immune_engine::WithoutVectors) -> Self {
        let item = |it: &immune_engine::WithoutVector| {
            let (status, reason) = match &it.why {
                immune_engine::WhyWithout::Waiting => ("waiting", None),
                immune_engine::WhyWithout::Failed(why) => ("failed", Some(why.clone())),
            };
            WithoutVector {
                item: it.item.to_string(),
                status,
                reason,
            }
        };
        Self {
            items: found.listed.iter().map(item).collect(),
            failed: found.n_failed,
            waiting: found.n_waiting,
            problem: found.off.as_ref().and_then(immune_engine::Off::problem),
        }
    }
}

/// How near is near, as it was read off the texts of a memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibrated {
    /// The least cosine of what is near.
    pub threshold: Trust,
    /// The same before.
    pub before: Trust,
    /// Unrelated pairs of texts that were compared.
    pub pairs: usize,
    /// Whether anything was written.
    pub changed: bool,
}

impl Calibrated {
    /// The view of what the engine found.
    pub fn of(calibrated: &immune_engine::Calibrated) -> Self {
        Self {
            threshold: calibrated.threshold.into(),
            before: calibrated.before.into(),
            pairs: calibrated.pairs,
            changed: calibrated.changed,
        }
    }
}
