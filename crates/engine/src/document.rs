//! The documents of the index: each belief, and each observation that is only a note.

use immune_model::{BeliefId, Item, ObservationId};
use immune_reason::State;
use immune_recall::Index;

/// The lexical index with the item behind each document. Documents are appended in the order in
/// which items turned up; whether one may be shown is asked of a snapshot at each search.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    pub(crate) index: Index,
    items: Vec<Item>,
    n_observations: usize,
    n_beliefs: usize,
}

impl Documents {
    /// The documents of a state.
    pub(crate) fn of(state: &State) -> Self {
        let mut documents = Self::default();
        documents.extend(state);
        documents
    }

    /// The item behind a document.
    pub(crate) fn item(&self, document: u32) -> Option<Item> {
        self.items.get(document as usize).copied()
    }

    /// Adds what turned up since.
    pub(crate) fn extend(&mut self, state: &State) {
        for slot in self.n_observations..state.n_observations() {
            let id = ObservationId::from_index(slot);
            if let Some(note) = state.observation(id).filter(|it| it.statements.is_empty()) {
                self.add(Item::Observation(id), note.text.as_str());
            }
        }
        for slot in self.n_beliefs..state.n_beliefs() {
            let id = BeliefId::from_index(slot);
            if let Some(belief) = state.belief(id) {
                self.add(
                    Item::Belief(id),
                    &format!("{} {}", belief.subject, belief.text),
                );
            }
        }
        self.n_observations = self.n_observations.max(state.n_observations());
        self.n_beliefs = self.n_beliefs.max(state.n_beliefs());
    }

    fn add(&mut self, item: Item, text: &str) {
        let document = u32::try_from(self.items.len()).expect("fewer than u32::MAX documents");
        self.index.add(document, text);
        self.items.push(item);
    }
}
