//! The answer to a question: facts with their labels, notes, and what was left out.

use immune_model::{
    BeliefId, Instant, Item, Literal, ObservationId, Polarity, SourceId, Status, Subject, Text,
    Trust,
};
use immune_reason::{Corroboration, State};

use super::question::Recall;
use crate::block::Block;
use crate::counted::Counted;
use crate::meaning::Meaning;
use crate::page::Page;

/// How far a fact is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// So many independent origins, two or more, stand behind it.
    Confirmed(u32),
    /// One origin stands behind it.
    SingleOrigin,
    /// Something that stands disagrees.
    Contested,
    /// It is below the floor, and was asked for; or all that spoke for it has faded.
    Unverified,
}

impl Label {
    /// The label as text: `confirmed(2)`, `single-origin`.
    pub fn text(self) -> String {
        match self {
            Self::Confirmed(n) => format!("confirmed({n})"),
            Self::SingleOrigin => "single-origin".to_owned(),
            Self::Contested => "contested".to_owned(),
            Self::Unverified => "unverified".to_owned(),
        }
    }
}

/// A belief that may be relied on, as far as its label goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Which belief.
    pub belief: BeliefId,
    /// What it is about.
    pub subject: Subject,
    /// The claim in words.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// Its typed literals.
    pub literals: Vec<Literal>,
    /// How far it is to be taken.
    pub label: Label,
    /// How far it is trusted.
    pub strength: Trust,
    /// The independent origins that have to be lost before it falls.
    pub corroboration: Corroboration,
    /// Who stands behind it, through every derivation.
    pub sources: Vec<SourceId>,
    /// What disagrees with it.
    pub rivals: Vec<BeliefId>,
    /// When it was first believed.
    pub believed_at: Instant,
    /// How well it fits the question.
    pub score: Score,
    /// Why it is here, in a sentence.
    pub why: String,
}

/// A text in which no claim was found. It may say anything: it was not screened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Which observation.
    pub observation: ObservationId,
    /// Its source.
    pub source: SourceId,
    /// The text.
    pub text: Text,
    /// How far it is trusted.
    pub strength: Trust,
    /// When its source sent it, if that is known.
    pub sent_at: Option<Instant>,
    /// How well it fits the question.
    pub score: Score,
}

/// Why something that fits the question was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is not active.
    Status(Status),
    /// It is active, but not trusted enough.
    BelowFloor {
        /// How far it is trusted.
        strength: Trust,
        /// What was asked for.
        floor: Trust,
    },
    /// What it says does not hold at the time asked about.
    NotValidThen,
}

impl Reason {
    /// The reason in words.
    pub fn text(self) -> String {
        match self {
            Self::Status(status) => status.name().to_owned(),
            Self::BelowFloor { strength, floor } => {
                format!("inert: strength {strength} is below the floor {floor}")
            }
            Self::NotValidThen => "not valid at that time".to_owned(),
        }
    }
}

/// Something that fits the question and was left out. Its text stays here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excluded {
    /// A belief or an observation.
    pub item: Item,
    /// Why.
    pub reason: Reason,
}

/// How well something fits a question, and by what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Score {
    /// What it is ranked by, in millionths: BM25; or the sum of the words as a share of the best,
    /// of the cosine and of how fresh it is, where one of the latter two counts; 0 without words.
    pub millionths: u64,
    /// BM25 of the words, in millionths.
    pub words_millionths: u64,
    /// The cosine of the vectors, in millionths, where it is near in meaning.
    pub meaning_millionths: Option<u64>,
    /// How fresh it is, in millionths, where the question asks for that.
    pub recency_millionths: Option<u64>,
    /// The words of the question that it holds.
    pub matched: Vec<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// What may be relied on, best first.
    pub facts: Vec<Fact>,
    /// Unscreened texts that fit, best first.
    pub notes: Vec<Note>,
    /// What was left out, by id.
    pub excluded: Vec<Excluded>,
    /// The place in the log that the answer is from.
    pub seq: u64,
    /// Whether it goes by meaning too.
    pub meaning: Meaning,
    /// Where the answer goes on, if it does.
    pub next: Option<Page>,
    /// The answer in a block for a prompt, if a budget was given.
    pub block: Option<Block>,
}

impl Recalled {
    /// An answer with nothing in it.
    pub(super) fn empty(state: &State, meaning: Meaning) -> Self {
        Self {
            facts: Vec::new(),
            notes: Vec::new(),
            excluded: Vec::new(),
            seq: state.seq(),
            meaning,
            next: None,
            block: None,
        }
    }

    /// Leaves out what earlier pages showed and what later ones will.
    pub(super) fn turn_page(&mut self, question: &Recall, asked_at: Option<Instant>) {
        let end = question.offset() + question.limit;
        let goes_on = self.facts.len() > end || self.notes.len() > end;
        cut(&mut self.facts, question.offset(), question.limit);
        cut(&mut self.notes, question.offset(), question.limit);
        if question.after.is_some() {
            // What was left out is listed with the first page.
            self.excluded.clear();
        }
        let at = asked_at.filter(|_| goes_on && question.limit > 0);
        self.next = at.map(|at| Page {
            seq: self.seq,
            at,
            offset: end,
        });
    }
}

fn cut<T>(items: &mut Vec<T>, offset: usize, limit: usize) {
    items.drain(..offset.min(items.len()));
    items.truncate(limit);
}

pub(super) fn fact(
    state: &State,
    question: &Recall,
    id: BeliefId,
    score: Score,
    counted: &Counted<'_>,
) -> Fact {
    let belief = state.belief(id).expect("the search found it in this state");
    let strength = state.belief_now(id).map_or(Trust::ZERO, |it| it.strength);
    let corroboration = counted.corroboration(id);
    let rivals = state.rivals_of(id);
    let record = state
        .sources_stating(id)
        .into_iter()
        .find(|it| state.is_record(*it, &belief.subject));
    let asked = question.weighed_at;
    let has_half_life = record.is_none() && state.half_life_of(&belief.subject).is_some();
    let faded = || has_half_life && state.weight_of(id, asked).is_faded();
    let label = if strength < Trust::FLOOR || faded() {
        Label::Unverified
    } else if state.is_contested(id, asked) {
        Label::Contested
    } else if corroboration.count >= 2 {
        Label::Confirmed(corroboration.count)
    } else {
        Label::SingleOrigin
    };
    let sources: Vec<SourceId> = state
        .sources_under(state.justifications_of(id))
        .into_iter()
        .collect();
    let behind = match record {
        Some(it) => format!("stated by {}, a system of record", handle(state, it)),
        None => behind(state, id, &sources),
    };
    let why = format!("{behind}; strength {strength}, floor {}", question.floor);
    Fact {
        belief: id,
        subject: belief.subject.clone(),
        text: words(state, id),
        polarity: belief.polarity,
        literals: belief.literals.clone(),
        label,
        strength,
        corroboration,
        sources,
        rivals,
        believed_at: belief.believed_at,
        score,
        why,
    }
}

/// The words of whoever stands behind it most strongly.
fn words(state: &State, id: BeliefId) -> Text {
    state
        .words_of(id)
        .expect("the search found it in this state")
        .clone()
}

/// What carries a belief: those that say it, and apart from them the agents of whose word it is.
fn behind(state: &State, id: BeliefId, sources: &[SourceId]) -> String {
    let holding = state.justifications_of(id).filter(|it| state.holds(*it));
    let mut agents: Vec<SourceId> = holding.filter_map(|it| state.reasoner_of(it)).collect();
    agents.sort_unstable();
    agents.dedup();
    let others: Vec<SourceId> = sources
        .iter()
        .copied()
        .filter(|it| !agents.contains(it))
        .collect();
    let names = |ids: &[SourceId]| match ids {
        [] => "nobody".to_owned(),
        [one] => handle(state, *one),
        [first, rest @ ..] => format!("{} and {} more", handle(state, *first), rest.len()),
    };
    if agents.is_empty() {
        return format!("rests on {}", names(&others));
    }
    let word = format!("is the word of {}", names(&agents));
    if others.is_empty() {
        return word;
    }
    format!("{word}, and rests on {}", names(&others))
}

fn handle(state: &State, id: SourceId) -> String {
    let source = state.source(id);
    source.map_or_else(String::new, |it| it.handle.to_string())
}

pub(super) fn note(state: &State, id: ObservationId, score: Score) -> Note {
    let observation = state
        .observation(id)
        .expect("the search found it in this state");
    Note {
        observation: id,
        source: observation.source,
        text: observation.text.clone(),
        strength: state.observation_strength(id),
        sent_at: observation.sent_at,
        score,
    }
}
