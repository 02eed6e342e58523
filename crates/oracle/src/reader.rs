//! A reader without a model: it takes the answer out of the memories, by rules that are written
//! here and nowhere learned.
//!
//! Each memory offers what may be an answer of the kind that the question asks for, weighed by how
//! much of the question the memory speaks of (`offer`). What several memories offer is weighed
//! together: the strongest whole, each further one half of what the one before counted, so that
//! those who agree reinforce each other and no crowd of weak ones outweighs a strong one without
//! end. Among equals the first that is shown wins. Where no memory bears on the question there is
//! no answer. Invariant: the answer depends on the question and on what is shown, in its order, and
//! on nothing else; what a memory offers depends on no other one.

mod key;
mod offer;
mod question;
mod text;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use immune_attribution::{Answer, Answerer, Shown, Unanswered};
use immune_model::limits;

use offer::{Offer, halving, offers};
use question::Question;

/// A reader that takes the answer out of what it is shown.
#[derive(Debug, Default)]
pub struct Reader {
    known: Mutex<Known>,
}

/// What the memories offered to the last question.
#[derive(Debug, Default)]
struct Known {
    words: String,
    question: Option<Arc<Question>>,
    offers: HashMap<String, Arc<[Offer]>>,
}

impl Reader {
    /// One that has read nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What each memory offers to a question; those that were read before are not read again.
    fn offers(&self, words: &str, shown: &[&Shown]) -> Vec<Arc<[Offer]>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let question = match &known.question {
            Some(question) if known.words == words => Arc::clone(question),
            _ => {
                let question = Arc::new(Question::new(words));
                *known = Known {
                    words: words.to_owned(),
                    question: Some(Arc::clone(&question)),
                    offers: HashMap::new(),
                };
                question
            }
        };
        let of = shown.iter().map(|memory| {
            if let Some(offers) = known.offers.get(&memory.text) {
                return Arc::clone(offers);
            }
            let found: Arc<[Offer]> = offers(&question, &memory.text).into();
            if known.offers.len() >= limits::ORACLE_TEXTS_MAX {
                known.offers.clear();
            }
            known.offers.insert(memory.text.clone(), Arc::clone(&found));
            found
        });
        of.collect()
    }
}

impl Answerer for Reader {
    fn name(&self) -> String {
        "extractive reader".to_owned()
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let mut offered = self.offers(question, shown);
        offered.retain(|it| !it.is_empty());
        Ok(Answer {
            text: best(&offered).map(|it| it.text.clone()),
            tokens: None,
        })
    }
}

/// The offer for which most speaks over all memories; the first of those.
fn best(offered: &[Arc<[Offer]>]) -> Option<&Offer> {
    let mut best: Option<(f64, &Offer)> = None;
    let mut weighed: Vec<(f64, &Offer)> = Vec::new();
    for offer in offered.iter().flat_map(|it| it.iter()) {
        let same = weighed.iter().find(|it| it.1.key == offer.key);
        let weight = same.map_or_else(|| weigh(offer, offered), |it| it.0);
        if same.is_none() {
            weighed.push((weight, offer));
        }
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, offer));
        }
    }
    best.map(|it| it.1)
}

/// What speaks for an offer: of each memory the strongest offer that agrees with it.
fn weigh(offer: &Offer, offered: &[Arc<[Offer]>]) -> f64 {
    let agreeing = offered.iter().filter_map(|memory| {
        let own = memory.iter().filter(|it| it.key.agrees(&offer.key));
        own.map(|it| it.weight).max_by(f64::total_cmp)
    });
    let mut weights: Vec<f64> = agreeing.collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    halving(weights.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_read_once_for_a_question_and_no_more_are_kept_than_may_be() {
        let memories = (0..=limits::ORACLE_TEXTS_MAX).map(|it| Shown {
            id: String::new(),
            source: String::new(),
            text: format!("Invoice {it} is paid."),
        });
        let memories: Vec<Shown> = memories.collect();
        let shown: Vec<&Shown> = memories.iter().collect();
        let reader = Reader::new();
        let some = shown.get(..3).unwrap();
        let first = reader.offers("Which invoice is paid?", some);
        let again = reader.offers("Which invoice is paid?", some);
        assert!(first.iter().zip(&again).all(|it| Arc::ptr_eq(it.0, it.1)));
        let other = reader.offers("Who paid the invoice?", some);
        assert!(!first.iter().zip(&other).any(|it| Arc::ptr_eq(it.0, it.1)));
        reader.offers("Who paid the invoice?", &shown);
        let known = reader.known.lock().unwrap().offers.len();
        assert!(known <= limits::ORACLE_TEXTS_MAX, "{known}");
    }
}
