//! `recall`: what may be believed about a question, with what was left out and why.
//!
//! The filter runs inside the index (semantics.md 10): what is not active and above the floor is
//! not in the set that is searched. The text of what was left out goes nowhere; its id and the
//! reason do.

mod admission;
mod answer;
mod question;
mod ranking;
mod recency;

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLockReadGuard};

use immune_model::{BeliefId, Item, Trust, limits};
use immune_reason::State;
use immune_recall::Admission;

pub use answer::{Excluded, Fact, Label, Note, Reason, Recalled, Score};
pub use question::{Recall, RecallError};

use admission::{admission, excluded};
use answer::{fact, note};
use ranking::{Asking, Ranking, meaning_of};
use recency::Recency;

use crate::block;
use crate::counted::Counted;
use crate::document::Documents;
use crate::meaning::{Meaning, Off};
use crate::session::Session;

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
        let (found, limit) = (question.offset(), limits::RECALL_OFFSET_MAX);
        if found > limit {
            return Err(RecallError::Offset { found, limit });
        }
        let snapshot = match question.after {
            Some(page) => self.snapshot_of(page)?,
            None => self.snapshot()?,
        };
        let state = snapshot.state();
        let asked_at = question.after.map(|it| it.at);
        let asked_at = asked_at.or_else(|| self.present(state));
        let question = &Recall {
            valid_at: question.valid_at.or(asked_at),
            weighed_at: question.weighed_at.or(asked_at),
            ..question.clone()
        };
        let mut recalled = match &question.query {
            Some(words) if !words.trim().is_empty() => self.search(state, question, words),
            _ => list(state, question),
        };
        recalled.turn_page(question, asked_at);
        if let Some(budget) = question.budget {
            recalled.block = Some(block::pack(state, &mut recalled, budget));
        }
        Ok(recalled)
    }

    fn search(&self, state: &State, question: &Recall, words: &str) -> Recalled {
        let asked = self.asked(state, words);
        let documents = self.documents();
        let documents = documents.as_ref().expect("it was built before");
        let meaning = meaning_of(documents, &asked);
        let asked = asked.ok();
        let mut recalled = Recalled::empty(state, meaning);
        for kind in [Kind::Beliefs, Kind::Notes] {
            let admitted = documents
                .index
                .admit(&|document| match documents.item(document) {
                    Some(item) if kind.holds(item) => admission(state, question, item),
                    _ => Admission::Hidden,
                });
            let asking = Asking {
                words,
                meaning: asked.as_ref(),
                recency: Recency::of(state, question),
            };
            let n = question.n_looked_for();
            let ranking = Ranking::of(documents, state, &asking, &admitted, n);
            let found = ranking.hits.iter();
            let found = found.filter_map(|it| match documents.item(it.document) {
                Some(Item::Belief(id)) => Some(id),
                _ => None,
            });
            let counted = Counted::of(state, &found.collect::<Vec<_>>());
            for hit in ranking.hits {
                match documents.item(hit.document) {
                    Some(Item::Belief(id)) => {
                        let fact = fact(state, question, id, hit.score, &counted);
                        recalled.facts.push(fact);
                    }
                    Some(Item::Observation(id)) => recalled.notes.push(note(state, id, hit.score)),
                    _ => {}
                }
            }
            let left_out = ranking.excluded.into_iter();
            let left_out = left_out.filter_map(|it| documents.item(it));
            recalled
                .excluded
                .extend(left_out.filter_map(|it| excluded(state, question, it)));
        }
        recalled
    }

    /// The index, built if nobody asked before.
    pub(crate) fn documents(&self) -> RwLockReadGuard<'_, Option<Documents>> {
        self.documents_with(&mut |_, _| {})
    }

    /// The same; `progress` is told how many items were read, and of how many.
    pub(crate) fn documents_with(
        &self,
        progress: &mut dyn FnMut(usize, usize),
    ) -> RwLockReadGuard<'_, Option<Documents>> {
        let shared = &self.memory.shared;
        let documents = &shared.documents;
        let read = documents.read().unwrap_or_else(PoisonError::into_inner);
        if read.is_some() {
            return read;
        }
        drop(read);
        // The state published last may be ahead of the one that this answer is from; what is not
        // in that one is hidden from it.
        documents
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| Documents::of(shared, progress));
        documents.read().unwrap_or_else(PoisonError::into_inner)
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
    let mut recalled = facts_of(state, question, listed, left_out, counted);
    recalled.turn_page(question, None);
    recalled
}

fn facts_of(
    state: &State,
    question: &Recall,
    listed: Vec<BeliefId>,
    excluded: Vec<Excluded>,
    counted: &Counted<'_>,
) -> Recalled {
    let facts = listed.into_iter();
    let facts = facts.map(|it| fact(state, question, it, Score::default(), counted));
    Recalled {
        facts: facts.collect(),
        excluded,
        ..Recalled::empty(state, Meaning::Off(Off::Chosen))
    }
}

/// The beliefs that answer, best first, and what is left out.
fn listed(state: &State, question: &Recall) -> (Vec<BeliefId>, Vec<Excluded>) {
    let candidates: Vec<BeliefId> = match &question.about {
        Some(subject) if !question.below => {
            state.beliefs_about(&question.namespace, subject).collect()
        }
        _ => state.belief_ids().rev().collect(),
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
    let facts = by_strength.into_values().take(question.n_looked_for());
    (facts.collect(), left_out)
}
