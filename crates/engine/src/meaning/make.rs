//! Making vectors: for a question, and all of them anew for another embedder.

use std::sync::PoisonError;

use immune_reason::plan::AdminError;
use immune_reason::{EmbedderChoice, State};
use immune_recall::{EmbedError, Embedder};
use immune_store::SideFile;

use super::{Asked, Off, Vectors, in_use};
use crate::error::{OpenError, WriteError};
use crate::session::Session;

/// What the first question waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparing {
    /// Texts are read for the index of the words.
    Words,
    /// Vectors are made.
    Vectors,
}

/// What an index was made anew of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reindexed {
    /// Whose vectors it has now.
    pub embedder: EmbedderChoice,
    /// Whether that is another choice than before.
    pub changed: bool,
    /// Documents that have vectors.
    pub documents: u32,
    /// Their vectors: one for each part of a document that the embedder reads at once.
    pub vectors: u32,
    /// Documents that the embedder gave no vector of; words find them.
    pub failed: usize,
}

/// Why an index was not made anew.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReindexError {
    /// The memory is not to be had.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The choice cannot be written down.
    #[error(transparent)]
    Set(#[from] WriteError<AdminError>),
    /// The embedder gave no vectors.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl Session {
    /// The question with its vector, once the documents have theirs; or why it goes by words alone.
    pub(crate) fn asked(&self, state: &State, words: &str) -> Result<Asked, Off> {
        let in_use = in_use(state, self.memory.shared.parts.embedder.as_ref())?;
        let embedder = &*in_use.embedder;
        let vector = embedder.embed(&[words]).map_err(Off::Failed)?.pop();
        let vector = vector.unwrap_or_default();
        let nobody = &mut |_: u32, _: u32| {};
        self.make_vectors(embedder, nobody).map_err(Off::Failed)?;
        Ok(Asked { in_use, vector })
    }

    /// Makes what the next question in words needs and is not there yet: the index of the words,
    /// then the vectors. The question does so itself; this tells how far it is, and of how much.
    /// What cannot be made is named by the question.
    pub fn prepare(
        &self,
        progress: &mut dyn FnMut(Preparing, usize, usize),
    ) -> Result<(), OpenError> {
        let snapshot = self.snapshot()?;
        drop(self.documents_with(&mut |done, all| progress(Preparing::Words, done, all)));
        let found = self.memory.shared.parts.embedder.as_ref();
        if let Ok(in_use) = in_use(snapshot.state(), found) {
            let made = self.make_vectors(&*in_use.embedder, &mut |done, all| {
                progress(Preparing::Vectors, done as usize, all as usize);
            });
            // The question tells why it goes by words alone.
            drop(made);
        }
        Ok(())
    }

    /// Makes the vectors that are missing, outside of every lock.
    fn make_vectors(
        &self,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<(), EmbedError> {
        loop {
            let latest = self.memory.shared.latest();
            let wanted = {
                let documents = self.documents();
                let documents = documents.as_ref().expect("it was built before");
                let vectors = documents.vectors.as_ref();
                let vectors = vectors.filter(|it| it.model == *embedder.model());
                vectors.map(|it| {
                    progress(it.n_documents, documents.len());
                    it.wanted(documents, latest.state(), embedder)
                })
            };
            match wanted {
                Some(None) => return Ok(()),
                Some(Some(wanted)) => {
                    let made = wanted.embedded(embedder)?;
                    let mut documents = self.memory.shared.documents.write();
                    let documents = documents.as_mut().unwrap_or_else(PoisonError::get_mut);
                    let vectors = documents.as_mut().and_then(|it| it.vectors.as_mut());
                    if let Some(vectors) = vectors.filter(|it| it.model == *embedder.model()) {
                        let taken = vectors.take(&wanted, made);
                        taken.map_err(|error| refused(embedder, &error))?;
                    }
                }
                None => self.begin_vectors(embedder)?,
            }
        }
    }

    /// Makes room for the vectors of this embedder: those that were kept, or none.
    fn begin_vectors(&self, embedder: &dyn Embedder) -> Result<(), EmbedError> {
        let shared = &self.memory.shared;
        let mut documents = shared.documents.write();
        let documents = documents.as_mut().unwrap_or_else(PoisonError::get_mut);
        if let Some(documents) = documents.as_mut() {
            let begun = Vectors::kept_or_new(shared, documents, embedder);
            documents.vectors = Some(begun.map_err(|error| refused(embedder, &error))?);
        }
        Ok(())
    }

    /// Makes the vectors of all documents with the embedder at hand, and only then chooses it for
    /// the memory: until then it answers as before. Without an embedder, recall goes by words
    /// alone from then on. `progress` is told how many documents are done, and of how many.
    pub fn reindex(&self, progress: &mut dyn FnMut(u32, u32)) -> Result<Reindexed, ReindexError> {
        let snapshot = self.snapshot()?;
        let state = snapshot.state();
        let Some(found) = self.memory.shared.parts.embedder.clone() else {
            return self.choose(EmbedderChoice::words(), None);
        };
        let embedder = &*found;
        let model = embedder.model();
        let is_same = |it: &&EmbedderChoice| it.is_of(&model.name, model.dimensions);
        let threshold = state.embedder().filter(is_same).map(|it| it.threshold);
        let choice = EmbedderChoice::of(
            &model.name,
            model.dimensions,
            threshold.unwrap_or_else(|| embedder.threshold()),
        );
        self.check_may_choose(&choice)?;
        let begun = {
            let documents = self.documents();
            let documents = documents.as_ref().expect("it was built before");
            Vectors::kept_or_new(&self.memory.shared, documents, embedder)
        };
        let mut vectors = begun.map_err(|error| refused(embedder, &error))?;
        if self.is_preview() {
            // Nothing is sent anywhere for a look.
            return self.choose(choice, Some(vectors));
        }
        // Those that the memory answers by stay where they are until the others are chosen.
        let is_chosen = in_use(state, Some(&found)).is_ok();
        let file = if is_chosen {
            SideFile::Vectors
        } else {
            SideFile::NextVectors
        };
        self.make_all(embedder, &mut vectors, file, progress)
            .inspect_err(|_| {
                // What was made is there for the next attempt.
                self.keep_vectors(file, &vectors);
            })?;
        self.choose(choice, Some(vectors))
    }

    /// Makes the vectors that failed and those that are missing, and keeps them as they come.
    fn make_all(
        &self,
        embedder: &dyn Embedder,
        vectors: &mut Vectors,
        file: SideFile,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<(), EmbedError> {
        let mut is_first = true;
        loop {
            let latest = self.memory.shared.latest();
            let (wanted, all) = {
                let documents = self.documents();
                let documents = documents.as_ref().expect("it was built before");
                let again = is_first && !vectors.failed.is_empty();
                let wanted = if again {
                    Some(vectors.wanted_again(documents, latest.state(), embedder))
                } else {
                    vectors.wanted(documents, latest.state(), embedder)
                };
                (wanted, documents.len())
            };
            is_first = false;
            progress(vectors.n_documents, all);
            let Some(wanted) = wanted else {
                return Ok(());
            };
            let made = wanted.embedded(embedder)?;
            let taken = vectors.take(&wanted, made);
            taken.map_err(|error| refused(embedder, &error))?;
            if vectors.is_due() {
                // What was paid for survives a killed process.
                self.keep_vectors(file, vectors);
                vectors.n_kept = vectors.n_documents;
            }
        }
    }

    /// Refuses whoever may not choose before any text goes to an embedder for it.
    pub(super) fn check_may_choose(&self, choice: &EmbedderChoice) -> Result<(), ReindexError> {
        self.preview()?.set_embedder(choice.clone())?;
        Ok(())
    }

    /// Writes the choice down, and takes its vectors up.
    fn choose(
        &self,
        embedder: EmbedderChoice,
        vectors: Option<Vectors>,
    ) -> Result<Reindexed, ReindexError> {
        let changed = self.set_embedder(embedder.clone())?;
        let reindexed = Reindexed {
            embedder,
            changed,
            documents: vectors.as_ref().map_or(0, |it| it.n_documents),
            vectors: vectors.as_ref().map_or(0, |it| it.index.len()),
            failed: vectors.as_ref().map_or(0, |it| it.failed.len()),
        };
        if !self.is_preview() {
            if let Some(vectors) = &vectors {
                self.keep_vectors(SideFile::Vectors, vectors);
            }
            let shared = &self.memory.shared;
            let removed = shared
                .parts
                .store
                .remove_side_file(&shared.name, SideFile::NextVectors);
            // One that stays is of a model that is not chosen, or is the same once more.
            drop(removed);
            let mut documents = self.memory.shared.documents.write();
            let documents = documents.as_mut().unwrap_or_else(PoisonError::get_mut);
            if let Some(documents) = documents.as_mut() {
                documents.vectors = vectors;
            }
        }
        Ok(reindexed)
    }

    fn keep_vectors(&self, file: SideFile, vectors: &Vectors) {
        let documents = self.documents();
        if let Some(documents) = documents.as_ref().filter(|_| !self.is_preview()) {
            vectors.keep(file, &self.memory.shared, documents);
        }
    }
}

fn refused(embedder: &dyn Embedder, error: &dyn std::error::Error) -> EmbedError {
    EmbedError::Model {
        model: embedder.model().name.clone(),
        reason: error.to_string(),
    }
}
