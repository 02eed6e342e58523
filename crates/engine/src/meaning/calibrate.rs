//! How near is near: read off pairs of a question and a text that have nothing to do with one
//! another. The beginning of each text is taken for a question, and texts about another subject
//! that share less than half of its words for such as do not answer it.

use std::collections::BTreeSet;

use immune_model::{Item, Trust};
use immune_reason::{EmbedderChoice, State};
use immune_recall::EmbedError;
use immune_vector::dot;

use super::make::ReindexError;
use super::{Off, in_use};
use crate::document::text_of;
use crate::session::Session;

/// Documents that are looked at, spread over all of them.
const DOCUMENTS_MAX: usize = 1_000;
/// Fewer documents say nothing.
const DOCUMENTS_MIN: usize = 50;
/// Of so many unrelated pairs one may be taken for near: fewer, and the copies and forwards that a
/// memory has would decide.
const ONE_OF: usize = 100;
/// Texts to which each question is compared.
const STEPS: usize = 20;
/// Words at the beginning of a text that are taken for a question.
const QUESTION_WORDS: usize = 12;

/// What a calibration found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibrated {
    /// The threshold before.
    pub before: Trust,
    /// The threshold now: one of a hundred unrelated pairs is as near.
    pub threshold: Trust,
    /// Pairs that were compared.
    pub pairs: usize,
    /// Whether the choice of the memory changed.
    pub changed: bool,
}

/// Why nothing was calibrated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// The vectors or the memory are not to be had.
    #[error(transparent)]
    Reindex(#[from] ReindexError),
    /// Recall goes by words alone.
    #[error("recall goes by words alone, so that there is nothing to calibrate")]
    Off(Off),
    /// Too few documents.
    #[error("the memory has {found} texts; {DOCUMENTS_MIN} are needed to calibrate")]
    TooFew {
        /// How many there are.
        found: usize,
    },
}

impl Session {
    /// Sets the least cosine of what is near in meaning to the one that one of a hundred unrelated
    /// pairs of a question and a text of this memory reaches.
    pub fn calibrate(&self) -> Result<Calibrated, CalibrateError> {
        let snapshot = self.snapshot().map_err(ReindexError::from)?;
        let state = snapshot.state();
        let in_use = in_use(state, self.memory.shared.parts.embedder.as_ref());
        let in_use = in_use.map_err(CalibrateError::Off)?;
        let model = in_use.embedder.model();
        let choice = |threshold| EmbedderChoice::of(&model.name, model.dimensions, threshold);
        self.check_may_choose(&choice(in_use.threshold))?;
        let (subjects, texts) = sample(state);
        if texts.len() < DOCUMENTS_MIN {
            return Err(CalibrateError::TooFew { found: texts.len() });
        }
        let questions: Vec<String> = texts.iter().map(|it| question_of(it)).collect();
        let embed = |texts: &[String]| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            in_use.embedder.embed(&texts).map_err(failed)
        };
        let (asked, made) = (embed(&questions)?, embed(&texts)?);
        let words: Vec<BTreeSet<String>> = texts.iter().map(|it| words_of(it)).collect();
        let mut cosines: Vec<f32> = Vec::new();
        for (at, question) in questions.iter().enumerate() {
            let question = words_of(question);
            for other in
                (1..=STEPS).map(|step| (at + step * texts.len() / (STEPS + 1)) % texts.len())
            {
                let shared = words
                    .get(other)
                    .map_or(0, |it| it.intersection(&question).count());
                let is_unrelated =
                    subjects.get(at) != subjects.get(other) && shared * 2 < question.len();
                if let (Some(one), Some(other)) = (asked.get(at), made.get(other))
                    && is_unrelated
                {
                    cosines.push(dot(one, other));
                }
            }
        }
        cosines.sort_by(f32::total_cmp);
        let place = cosines.len().checked_sub(1 + cosines.len() / ONE_OF);
        let cosine = place.and_then(|it| cosines.get(it)).copied().unwrap_or(1.0);
        let threshold = thousandths_above(cosine);
        let changed = self
            .set_embedder(choice(threshold))
            .map_err(ReindexError::from)?;
        Ok(Calibrated {
            before: in_use.threshold,
            threshold,
            pairs: cosines.len(),
            changed,
        })
    }
}

/// The least trust value that is no less than a cosine.
fn thousandths_above(cosine: f32) -> Trust {
    let is_above = |it: &u16| f32::from(*it) / 1_000.0 >= cosine;
    let least = (0..=1_000).find(is_above);
    least
        .and_then(Trust::from_thousandths)
        .unwrap_or(Trust::ONE)
}

/// The beginning of a text, in place of a question.
fn question_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(QUESTION_WORDS).collect();
    words.join(" ")
}

fn words_of(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

fn failed(error: EmbedError) -> CalibrateError {
    ReindexError::from(error).into()
}

/// Texts of beliefs and notes spread over the memory, each with what it is about.
fn sample(state: &State) -> (Vec<String>, Vec<String>) {
    let beliefs = state.belief_ids().map(Item::Belief);
    let notes = state.observation_ids().filter(|it| {
        let note = state.observation(*it);
        note.is_some_and(|it| it.statements.is_empty())
    });
    let items: Vec<Item> = beliefs.chain(notes.map(Item::Observation)).collect();
    let every = items.len().div_ceil(DOCUMENTS_MAX).max(1);
    let taken = items.into_iter().step_by(every);
    let with_text = taken.filter_map(|it| {
        let about = match it {
            Item::Belief(id) => state.belief(id)?.subject.to_string(),
            other => other.to_string(),
        };
        Some((about, text_of(state, it)?))
    });
    with_text.unzip()
}
