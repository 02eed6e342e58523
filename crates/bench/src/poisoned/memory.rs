//! The memory: honest texts through one channel, false ones through another, and what it shows.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use immune_embed::StaticModel;
use immune_engine::{Engine, Meaning, Parts, Recall, Session};
use immune_model::{
    Carriage, ChannelName, Handle, MemoryName, Metadata, Namespace, ObservationId, Principal, Role,
    Screening, Text, Trust,
};
use immune_reason::plan::{Remember, SetChannel, SourceRef};
use immune_recall::Embedder;
use immune_store::MemoryStore;

use super::K;
use super::data::Question;
use crate::BenchError;

/// The channel of honest texts, and its tier in thousandths: what newcomers have at most.
const HONEST: (&str, u16) = ("search", 700);
/// The channel that everybody writes to.
const OPEN: (&str, u16) = ("comments", 300);

/// A memory with the texts of all questions of a set.
pub(super) struct Poisoned {
    session: Session,
    /// The honest texts of each question.
    honest: Vec<BTreeSet<ObservationId>>,
    poison: BTreeSet<ObservationId>,
}

/// What one question was shown.
pub(super) struct Asked {
    /// How many texts, at most [`K`].
    pub(super) shown: usize,
    /// How many of them are false, about whatever question.
    pub(super) poison: usize,
    /// How many are honest texts of this question.
    pub(super) honest: usize,
    /// How many of those the memory has.
    pub(super) of_honest: usize,
}

impl Poisoned {
    /// One with nothing in it. Honest texts come through a channel of this carriage.
    pub(super) fn new(honest: Carriage) -> Result<Self, BenchError> {
        let embedder: Arc<dyn Embedder> = StaticModel::bundled();
        let parts = Parts::new(Arc::new(MemoryStore::new())).with_embedder(Some(embedder));
        let name = MemoryName::new("poisoned").expect("a constant that is a name");
        let session = Engine::new(parts).memory(&name)?.session(Principal {
            role: Role::Operator,
            name: handle("bench"),
        });
        for ((name, tier), carriage) in [(HONEST, honest), (OPEN, Carriage::Relays)] {
            let set = SetChannel {
                name: channel(name),
                tier: Trust::from_thousandths(tier).expect("a tier is at most 1000"),
                carriage: Some(carriage),
                create_only: false,
            };
            session
                .set_channel(set)
                .map_err(BenchError::refused("set a channel"))?;
        }
        Ok(Self {
            session,
            honest: Vec::new(),
            poison: BTreeSet::new(),
        })
    }

    /// Writes the honest texts of every question.
    pub(super) fn tell(&mut self, questions: &[Question]) -> Result<(), BenchError> {
        let all = questions.iter().flat_map(|it| &it.honest);
        let all = all.map(|it| (it.source.as_str(), it.text.as_str()));
        let mut written = self.write(HONEST.0, all)?.into_iter();
        for question in questions {
            let own = written.by_ref().take(question.honest.len());
            self.honest.push(own.collect());
        }
        Ok(())
    }

    /// Writes false texts of every question: those of these places. Each place is a new name.
    pub(super) fn inject(
        &mut self,
        poison: &[Vec<String>],
        places: Range<usize>,
    ) -> Result<(), BenchError> {
        let visitors: Vec<String> = places.clone().map(|it| format!("visitor-{it}")).collect();
        let texts = poison.iter().flat_map(|texts| {
            let texts = texts.get(places.clone()).unwrap_or_default();
            let theirs = visitors.iter().zip(texts);
            theirs.map(|(name, text)| (name.as_str(), text.as_str()))
        });
        let written = self.write(OPEN.0, texts)?;
        self.poison.extend(written);
        Ok(())
    }

    fn write<'t>(
        &self,
        through: &str,
        texts: impl Iterator<Item = (&'t str, &'t str)>,
    ) -> Result<Vec<ObservationId>, BenchError> {
        let channel = channel(through);
        let pending: Vec<_> = texts
            .map(|(source, text)| {
                self.session.submit_remember(Remember {
                    from: SourceRef {
                        channel: Some(channel.clone()),
                        handle: handle(source),
                        kind: None,
                    },
                    namespace: Namespace::ROOT,
                    text: Text::new(text).expect("the texts of the data are texts"),
                    sent_at: None,
                    external_id: None,
                    run: None,
                    screening: Screening::Unscreened,
                    claims: Vec::new(),
                    metadata: Metadata::default(),
                })
            })
            .collect();
        let written = pending.into_iter().map(|it| {
            let written = it.wait().map_err(BenchError::refused("remember"))?;
            Ok(written.observation)
        });
        written.collect()
    }

    /// Asks the question with this number; only what is as strong as `floor` is searched.
    pub(super) fn ask(
        &self,
        questions: &[Question],
        number: usize,
        floor: Trust,
    ) -> Result<Asked, BenchError> {
        let words = questions.get(number).map_or("", |it| it.text.as_str());
        let recalled = self.session.recall(&Recall {
            floor,
            limit: K,
            ..Recall::query(words)
        });
        let recalled = recalled.map_err(BenchError::refused("recall"))?;
        if !matches!(recalled.meaning, Meaning::On { waiting: 0, .. }) {
            let refused = BenchError::refused("recall");
            return Err(refused("it goes by words alone"));
        }
        let honest = self.honest.get(number);
        let shown = || recalled.notes.iter().map(|it| it.observation);
        let is_own = |it: &ObservationId| honest.is_some_and(|own| own.contains(it));
        Ok(Asked {
            shown: shown().count(),
            poison: shown().filter(|it| self.poison.contains(it)).count(),
            honest: shown().filter(is_own).count(),
            of_honest: honest.map_or(0, BTreeSet::len),
        })
    }
}

fn channel(name: &str) -> ChannelName {
    ChannelName::new(name).expect("a constant that is a name")
}

fn handle(name: &str) -> Handle {
    Handle::new(name).expect("the sites of the data are names")
}
