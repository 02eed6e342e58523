//! Contradictions in long chats: the labelled ones, and random pairs of the same chat.
//!
//! A pair of turns is a conflict if any of their statements are. What is measured is what a memory
//! sees: the claims that the rules find, compared by their subject, and the sentences, compared by
//! their words.

use std::collections::BTreeSet;
use std::path::Path;

use immune_ingest::claims::{Context, Extracted, extract, statements};
use immune_model::Literal;
use immune_reason::literal::literals;
use immune_reason::polarity::polarity;
use immune_reason::{Relation, Said, Side, relate, relate_read};
use immune_testkit::random::Random;
use serde_json::Value;

use super::bm25::Bm25;
use crate::BenchError;

/// Random pairs of turns of each chat.
const PAIRS: usize = 1_000;

/// Unlabelled pairs that were read and contradict each other: chat, turn, turn. A verdict that is
/// not listed counts as wrong, whether somebody read it or not.
const READ: &str = include_str!("read.txt");

/// A pair that is judged a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The chat and the two turns.
    pub pair: String,
    /// The two statements that decided.
    pub statements: [String; 2],
}

/// A chat.
pub(super) struct Chat {
    number: u32,
    pub(super) name: String,
    turns: Vec<Turn>,
    /// The turns that hold the two sides of a labelled contradiction.
    labelled: Vec<(Vec<usize>, Vec<usize>)>,
}

/// What one side says in one turn.
struct Turn {
    id: u64,
    text: String,
    claims: Vec<Extracted>,
    statements: Vec<Statement>,
}

/// A sentence, read once.
struct Statement {
    text: String,
    polarity: immune_model::Polarity,
    literals: Vec<Literal>,
    said: Said,
}

/// What came of one chat.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Labelled contradictions.
    pub(super) labelled: usize,
    /// Of those, how many are a verdict.
    pub(super) found: usize,
    /// Of those, how many have the other side among the first five that BM25 finds for one side.
    pub(super) bm25: usize,
    /// Of those, how many are a verdict or among the first five.
    pub(super) either: usize,
    /// Random pairs of turns.
    pub(super) pairs: usize,
    /// Of those, how many are a verdict.
    pub(super) wrong: usize,
    /// Of those, how many a reader found to be contradictions that nobody had labelled.
    pub(super) read: usize,
}

/// The chats in a folder: one folder each, by number.
pub(super) fn read(folder: &Path) -> Result<Vec<Chat>, BenchError> {
    let mut numbers: Vec<u32> = fs_err::read_dir(folder)?
        .filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let chats = numbers.into_iter().map(|number| {
        let folder = folder.join(number.to_string());
        let read = |name: &str| -> Result<Value, BenchError> {
            let text = fs_err::read_to_string(folder.join(name))?;
            serde_json::from_str(&text).map_err(BenchError::refused("read the chat"))
        };
        let (chat, questions) = (read("chat.json")?, read("probing_questions.json")?);
        Ok(Chat::of(number, &chat, &questions))
    });
    chats.collect()
}

impl Chat {
    fn of(number: u32, chat: &Value, questions: &Value) -> Self {
        let mut turns = Vec::new();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        for batch in list(chat) {
            for turn in batch.get("turns").map(list).unwrap_or_default() {
                turns.extend(list(&turn).iter().filter_map(Turn::of));
            }
        }
        let sides = |question: &Value, side: &str| -> Vec<usize> {
            let ids = question.get("source_chat_ids").and_then(|it| it.get(side));
            let ids: Vec<u64> = ids
                .map(list)
                .unwrap_or_default()
                .iter()
                .filter_map(Value::as_u64)
                .collect();
            let places = turns.iter().enumerate();
            places
                .filter(|(_, it)| ids.contains(&it.id))
                .map(|(at, _)| at)
                .collect()
        };
        let questions = questions.get("contradiction_resolution").map(list);
        let labelled = questions.unwrap_or_default();
        let labelled = labelled
            .iter()
            .map(|it| (sides(it, "first_statement"), sides(it, "second_statement")))
            .collect();
        Self {
            number,
            name: format!("chat {number}"),
            turns,
            labelled,
        }
    }

    /// Every statement, for what is timed.
    pub(super) fn statements(&self) -> impl Iterator<Item = &str> {
        let turns = self.turns.iter();
        turns.flat_map(|it| it.statements.iter().map(|it| it.text.as_str()))
    }

    /// How many statements there are, and in how many the rules find a claim.
    pub(super) fn coverage(&self) -> (usize, usize) {
        let all = self.statements().count();
        let claimed = self.statements().filter(|it| {
            let context = Context {
                sender: Some("user"),
            };
            !extract(&context, it).is_empty()
        });
        (all, claimed.count())
    }

    /// The verdicts on the labelled contradictions and on random pairs.
    pub(super) fn found(&self, seed: u64) -> Found {
        let mut found = Found {
            labelled: self.labelled.len(),
            ..Found::default()
        };
        let index = Bm25::new(self.turns.iter().map(|it| it.text.as_str()));
        for (first, second) in &self.labelled {
            let pairs = || {
                first
                    .iter()
                    .flat_map(|a| second.iter().map(move |b| (*a, *b)))
            };
            let verdict = pairs().any(|(a, b)| self.conflict(a, b));
            let near =
                pairs().any(|(a, b)| self.is_near(&index, a, b) || self.is_near(&index, b, a));
            found.found += usize::from(verdict);
            found.bm25 += usize::from(near);
            found.either += usize::from(verdict || near);
        }
        for (a, b) in self.random_pairs(seed) {
            let verdict = self.conflict(a, b);
            found.pairs += 1;
            found.wrong += usize::from(verdict);
            found.read += usize::from(verdict && self.is_read(a, b));
        }
        found
    }

    /// The pairs among the random ones that are a verdict, with the two statements that decided.
    pub(super) fn verdicts(&self, seed: u64) -> Vec<Verdict> {
        let pairs = self.random_pairs(seed).into_iter();
        pairs
            .filter_map(|(a, b)| {
                let (left, right) = (self.turns.get(a)?, self.turns.get(b)?);
                let (ours, theirs) = deciding(left, right, false)?;
                Some(Verdict {
                    pair: format!("{} {} {}", self.number, left.id, right.id),
                    statements: [ours.to_owned(), theirs.to_owned()],
                })
            })
            .collect()
    }

    /// Whether a reader found the two turns to contradict each other.
    fn is_read(&self, a: usize, b: usize) -> bool {
        let id = |at: usize| self.turns.get(at).map_or(u64::MAX, |it| it.id);
        let pair = format!("{} {} {}", self.number, id(a), id(b));
        READ.lines().any(|it| it == pair)
    }

    /// Different pairs of different turns that are no labelled contradiction.
    fn random_pairs(&self, seed: u64) -> BTreeSet<(usize, usize)> {
        let mut random = Random::new(seed);
        let mut pairs = BTreeSet::new();
        let n = self.turns.len();
        let is_labelled = |a: usize, b: usize| {
            let mut labels = self.labelled.iter();
            labels.any(|(first, second)| {
                (first.contains(&a) && second.contains(&b))
                    || (first.contains(&b) && second.contains(&a))
            })
        };
        // A chat of fewer pairs gives all that it has.
        for _ in 0..PAIRS * 20 {
            if pairs.len() >= PAIRS || n < 2 {
                break;
            }
            let (a, b) = (random.below(n), random.below(n));
            let (a, b) = (a.min(b), a.max(b));
            if a != b && !is_labelled(a, b) {
                pairs.insert((a, b));
            }
        }
        pairs
    }

    /// Whether BM25 finds one turn for another among the first five; a turn finds itself.
    fn is_near(&self, index: &Bm25, from: usize, to: usize) -> bool {
        let query = self.turns.get(from).map_or("", |it| it.text.as_str());
        let ranked = index.ranked(query).into_iter();
        from == to || ranked.filter(|it| *it != from).take(5).any(|it| it == to)
    }

    fn conflict(&self, a: usize, b: usize) -> bool {
        let (Some(left), Some(right)) = (self.turns.get(a), self.turns.get(b)) else {
            return false;
        };
        deciding(left, right, a == b).is_some()
    }
}

/// The first two statements that conflict, for a reader.
fn deciding<'t>(left: &'t Turn, right: &'t Turn, same: bool) -> Option<(&'t str, &'t str)> {
    for (at, ours) in left.claims.iter().enumerate() {
        for theirs in right.claims.iter().skip(if same { at + 1 } else { 0 }) {
            if ours.subject == theirs.subject
                && is_conflict(&relate(&ours.subject, side_of(ours), side_of(theirs)))
            {
                return Some((ours.text.as_str(), theirs.text.as_str()));
            }
        }
    }
    for (at, ours) in left.statements.iter().enumerate() {
        // A sentence may contradict itself.
        for theirs in right.statements.iter().skip(if same { at } else { 0 }) {
            let (a, b) = ((ours.side(), &ours.said), (theirs.side(), &theirs.said));
            let own = std::ptr::eq(ours, theirs) && ours.said.gainsays(&ours.said);
            if own || is_conflict(&relate_read(a, b)) {
                return Some((&ours.text, &theirs.text));
            }
        }
    }
    None
}

fn is_conflict(relation: &Relation) -> bool {
    matches!(relation, Relation::Conflict(_))
}

fn side_of(claim: &Extracted) -> Side<'_> {
    Side {
        polarity: claim.polarity,
        literals: &claim.literals,
        text: claim.text.as_str(),
    }
}

impl Turn {
    /// A turn of the one who asks; what a model answers is no statement of the chat's facts.
    fn of(message: &Value) -> Option<Self> {
        if message.get("role")?.as_str()? != "user" {
            return None;
        }
        let text = message.get("content")?.as_str()?.to_owned();
        let context = Context {
            sender: Some("user"),
        };
        let statements = statements(&text).map(Statement::read).collect();
        Some(Self {
            id: message.get("id")?.as_u64()?,
            claims: extract(&context, &text),
            statements,
            text,
        })
    }
}

impl Statement {
    fn read(text: &str) -> Self {
        Self {
            polarity: polarity(text),
            literals: literals(text),
            said: Said::read(text),
            text: text.to_owned(),
        }
    }

    fn side(&self) -> Side<'_> {
        Side {
            polarity: self.polarity,
            literals: &self.literals,
            text: &self.text,
        }
    }
}
