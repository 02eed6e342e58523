//! Which prints are nobody's in particular: a disclaimer, the signature of a firm. For the mesh alone.
//!
//! A print is usual once several have sent it. Whoever was shown it before has it from there: a
//! payload that many agents send on stays that of the first one.

use immune_model::limits::MESH_USUAL_TEXTS_MAX;

use crate::fact::{Exchange, Origin, Place};
use crate::mesh::Mesh;
use crate::read::Input;

/// Senders of whom several use a print of their own for it to be usual.
const USUAL_SENDERS: usize = 3;

/// An untrusted text of a clean exchange.
#[derive(Debug, Clone, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Usual {
    #[n(0)]
    pub(crate) sender: String,
    /// The agent that was shown it.
    #[n(1)]
    pub(crate) reader: String,
    /// The hashes of its prints, sorted.
    #[n(2)]
    pub(crate) hashes: Vec<u64>,
}

impl Mesh {
    /// Whether most of these prints are usual.
    pub(crate) fn is_usual(&self, hashes: &[u64]) -> bool {
        let usual = hashes.iter().filter(|it| self.is_usual_print(**it));
        usual.count() * 2 > hashes.len()
    }

    pub(crate) fn is_usual_print(&self, hash: u64) -> bool {
        let mut senders: Vec<&str> = Vec::new();
        let mut readers: Vec<&str> = Vec::new();
        let have = self.usual.iter();
        for text in have.filter(|it| it.hashes.binary_search(&hash).is_ok()) {
            let sender = text.sender.as_str();
            if !senders.contains(&sender) && !readers.contains(&sender) {
                senders.push(sender);
            }
            readers.push(&text.reader);
        }
        senders.len() >= USUAL_SENDERS
    }

    /// Takes up the untrusted texts of a clean exchange.
    pub(crate) fn remember_usual(&mut self, exchange: &Exchange<'_>, read: &Input) {
        for text in &read.untrusted {
            if let Some((view, _)) = text.views.first() {
                self.common.learn(&view.letters);
            }
            let Place::Input(number) = text.place else {
                continue;
            };
            let Some(message) = exchange.input.get(number) else {
                continue;
            };
            let sender = match message.origin {
                Origin::Agent(name) => name,
                _ => message.label,
            };
            if self.usual.len() >= MESH_USUAL_TEXTS_MAX {
                self.usual.pop_front();
            }
            self.usual.push_back(Usual {
                sender: sender.to_owned(),
                reader: exchange.agent.name.to_owned(),
                hashes: text.hashes.clone(),
            });
            self.since.usual += 1;
        }
    }
}
