//! `recall`: what may be believed about a question, with what was left out and why.
//!
//! The filter runs inside the index (semantics.md 10): what is not active and above the floor is
//! not in the set that is searched. The text of what was left out goes nowhere; its id and the
//! reason do.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use immune_model::{
    BeliefId, Instant, Item, Literal, Namespace, ObservationId, Polarity, SourceId, Status,
    Subject, Text, Trust, limits,
};
use immune_reason::plan::RunError;
use immune_reason::{Corroboration, State};
use immune_recall::{Admission, Limits};

use crate::counted::Counted;
use crate::document::Documents;
use crate::error::{OpenError, WriteError};
use crate::session::Session;

/// A question to the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recall {
    /// The question in words; everything about `about` if nothing is said.
    pub query: Option<String>,
    /// Only beliefs about this subject.
    pub about: Option<Subject>,
    /// The part of the memory that is asked.
    pub namespace: Namespace,
    /// The least strength; `Trust::FLOOR` unless a lower one is asked for, never 0.
    pub floor: Trust,
    /// Only claims that hold at this time, as far as they say when; now if nothing is said.
    pub valid_at: Option<Instant>,
    /// The time as of which what is stated is weighed where its area has a half-life; now if
    /// nothing is said.
    pub weighed_at: Option<Instant>,
    /// At most so many facts, and so many notes.
    pub limit: usize,
}

impl Recall {
    /// A question in words, with the defaults.
    pub fn query(words: &str) -> Self {
        Self {
            query: Some(words.to_owned()),
            ..Self::default()
        }
    }

    /// Everything about a subject, with the defaults.
    pub fn about(subject: Subject) -> Self {
        Self {
            about: Some(subject),
            ..Self::default()
        }
    }
}

impl Default for Recall {
    fn default() -> Self {
        Self {
            query: None,
            about: None,
            namespace: Namespace::ROOT,
            floor: Trust::FLOOR,
            valid_at: None,
            weighed_at: None,
            limit: 10,
        }
    }
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The memory is not to be had.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A floor of 0 would let everything in.
    #[error("the floor has to be above 0")]
    NoFloor,
    /// What the run is shown cannot be written down.
    #[error(transparent)]
    Run(WriteError<RunError>),
    /// More than one answer may hold.
    #[error("the limit is {found}, at most {limit} is possible")]
    Limit {
        /// What was asked for.
        found: usize,
        /// The most that is possible.
        limit: usize,
    },
}

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
    /// How well it fits the words, in millionths; 0 without words.
    pub score_millionths: u64,
    /// The words of the question that it holds.
    pub matched: Vec<String>,
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
    /// How well it fits the words, in millionths; 0 without words.
    pub score_millionths: u64,
    /// The words of the question that it holds.
    pub matched: Vec<String>,
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
}

impl Session {
    /// What may be believed about a question. An active belief is recallable in the call after
    /// its write; a change of trust or status is seen by the next call.
    pub fn recall(&self, question: &Recall) -> Result<Recalled, RecallError> {
        if question.floor == Trust::ZERO {
            return Err(RecallError::NoFloor);
        }
        let (found, limit) = (question.limit, limits::RECALL_HITS_MAX);
        if found > limit {
            return Err(RecallError::Limit { found, limit });
        }
        let snapshot = self.snapshot()?;
        let state = snapshot.state();
        let question = &Recall {
            valid_at: question.valid_at.or_else(|| self.present(state)),
            weighed_at: question.weighed_at.or_else(|| self.present(state)),
            ..question.clone()
        };
        match &question.query {
            Some(words) if !words.trim().is_empty() => Ok(self.search(state, question, words)),
            _ => Ok(list(state, question)),
        }
    }

    fn search(&self, state: &State, question: &Recall, words: &str) -> Recalled {
        let shared = &self.memory.shared;
        if shared
            .documents
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
        {
            let mut documents = shared
                .documents
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            // The state published last may be ahead of the one that this answer is from; what is
            // not in that one is hidden from it.
            documents.get_or_insert_with(|| Documents::of(shared));
        }
        let documents = shared
            .documents
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let documents = documents.as_ref().expect("it was built above");
        let mut recalled = Recalled {
            facts: Vec::new(),
            notes: Vec::new(),
            excluded: Vec::new(),
            seq: state.seq(),
        };
        for kind in [Kind::Beliefs, Kind::Notes] {
            let admitted = documents
                .index
                .admit(&|document| match documents.item(document) {
                    Some(item) if kind.holds(item) => admission(state, question, item),
                    _ => Admission::Hidden,
                });
            let limits = Limits {
                hits_max: question.limit,
                ..Limits::default()
            };
            let hits = documents.index.search_admitted(words, &admitted, limits);
            let found = hits.hits.iter();
            let found = found.filter_map(|it| match documents.item(it.document) {
                Some(Item::Belief(id)) => Some(id),
                _ => None,
            });
            let counted = Counted::of(state, &found.collect::<Vec<_>>());
            for hit in hits.hits {
                match documents.item(hit.document) {
                    Some(Item::Belief(id)) => {
                        let score = (hit.score_millionths, hit.matched);
                        let fact = fact(state, question, id, score, &counted);
                        recalled.facts.push(fact);
                    }
                    Some(Item::Observation(id)) => {
                        let score = (hit.score_millionths, hit.matched);
                        recalled.notes.push(note(state, id, score));
                    }
                    _ => {}
                }
            }
            let left_out = hits
                .excluded
                .into_iter()
                .filter_map(|it| documents.item(it));
            recalled
                .excluded
                .extend(left_out.filter_map(|it| excluded(state, question, it)));
        }
        recalled
    }
}

/// Beliefs and notes are ranked apart: a long mail must not push a fact off the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Beliefs,
    Notes,
}

impl Kind {
    fn holds(self, item: Item) -> bool {
        matches!(
            (self, item),
            (Self::Beliefs, Item::Belief(_)) | (Self::Notes, Item::Observation(_))
        )
    }
}

/// Everything about a subject, or everything: strongest first, then newest.
fn list(state: &State, question: &Recall) -> Recalled {
    let (listed, left_out) = listed(state, question);
    let counted = Counted::of(state, &listed);
    facts_of(state, question, listed, left_out, &counted)
}

/// The same, with what was counted for several questions.
pub(crate) fn list_counted(state: &State, question: &Recall, counted: &Counted<'_>) -> Recalled {
    let (listed, left_out) = listed(state, question);
    facts_of(state, question, listed, left_out, counted)
}

fn facts_of(
    state: &State,
    question: &Recall,
    listed: Vec<BeliefId>,
    excluded: Vec<Excluded>,
    counted: &Counted<'_>,
) -> Recalled {
    let facts = listed.into_iter();
    let facts = facts.map(|it| fact(state, question, it, (0, Vec::new()), counted));
    Recalled {
        facts: facts.collect(),
        notes: Vec::new(),
        excluded,
        seq: state.seq(),
    }
}

/// The beliefs that answer, best first, and what is left out.
fn listed(state: &State, question: &Recall) -> (Vec<BeliefId>, Vec<Excluded>) {
    let candidates: Vec<BeliefId> = match &question.about {
        Some(subject) => state.beliefs_about(&question.namespace, subject).collect(),
        None => state.belief_ids().rev().collect(),
    };
    let mut by_strength: BTreeMap<(std::cmp::Reverse<Trust>, usize), BeliefId> = BTreeMap::new();
    let mut left_out = Vec::new();
    for (place, id) in candidates.into_iter().enumerate() {
        match admission(state, question, Item::Belief(id)) {
            Admission::Eligible => {
                let strength = state.belief_now(id).map_or(Trust::ZERO, |it| it.strength);
                by_strength.insert((std::cmp::Reverse(strength), place), id);
            }
            Admission::Refused if left_out.len() < limits::RECALL_EXCLUDED_MAX => {
                left_out.extend(excluded(state, question, Item::Belief(id)));
            }
            Admission::Refused | Admission::Hidden => {}
        }
    }
    let facts = by_strength.into_values().take(question.limit);
    (facts.collect(), left_out)
}

/// Whether an item is in the set that is searched.
fn admission(state: &State, question: &Recall, item: Item) -> Admission {
    let (namespace, in_question) = match item {
        Item::Belief(id) => match state.belief(id) {
            Some(belief) => (
                &belief.namespace,
                question
                    .about
                    .as_ref()
                    .is_none_or(|it| *it == belief.subject),
            ),
            None => return Admission::Hidden,
        },
        Item::Observation(id) => match state.observation(id) {
            Some(observation) => (&observation.namespace, question.about.is_none()),
            None => return Admission::Hidden,
        },
        _ => return Admission::Hidden,
    };
    if *namespace != question.namespace || !in_question {
        return Admission::Hidden;
    }
    match excluded(state, question, item) {
        None => Admission::Eligible,
        Some(Excluded {
            reason: Reason::Status(Status::Retracted),
            ..
        }) => Admission::Hidden,
        Some(_) => Admission::Refused,
    }
}

/// Why an item is not in the set that is searched; nothing if it is.
fn excluded(state: &State, question: &Recall, item: Item) -> Option<Excluded> {
    let (status, strength) = match item {
        Item::Belief(id) => state.belief_now(id).map(|it| (it.status, it.strength))?,
        Item::Observation(id) => (
            state.observation_status(id)?,
            state.observation_strength(id),
        ),
        _ => return None,
    };
    let floor = question.floor;
    let reason = if status != Status::Active {
        Reason::Status(status)
    } else if strength < floor {
        Reason::BelowFloor { strength, floor }
    } else if !is_valid(state, question, item) {
        Reason::NotValidThen
    } else {
        return None;
    };
    Some(Excluded { item, reason })
}

/// Whether some standing justification says that the claim holds at the time asked about.
fn is_valid(state: &State, question: &Recall, item: Item) -> bool {
    let (Some(at), Item::Belief(id)) = (question.valid_at, item) else {
        return true;
    };
    if !state.has_timed_claims() {
        // What stands has a standing justification, and none says when it holds.
        return true;
    }
    state
        .justifications_of(id)
        .filter(|it| state.counts(*it))
        .any(|it| {
            state.justification(it).is_some_and(|justification| {
                justification.valid_from.is_none_or(|from| from <= at)
                    && justification.valid_until.is_none_or(|until| at < until)
            })
        })
}

fn fact(
    state: &State,
    question: &Recall,
    id: BeliefId,
    score: (u64, Vec<String>),
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
        score_millionths: score.0,
        matched: score.1,
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

fn note(state: &State, id: ObservationId, score: (u64, Vec<String>)) -> Note {
    let observation = state
        .observation(id)
        .expect("the search found it in this state");
    Note {
        observation: id,
        source: observation.source,
        text: observation.text.clone(),
        strength: state.observation_strength(id),
        sent_at: observation.sent_at,
        score_millionths: score.0,
        matched: score.1,
    }
}
