//! Texts become vectors, document by document, where the embedder gives none of some.
//!
//! Called outside of every lock. A text that an embedder refuses must not keep the others from
//! their vectors: it is looked for by halves, passed over, and listed with why.

use std::collections::BTreeMap;
use std::ops::Range;

use immune_model::limits;
use immune_recall::{EmbedError, Embedder};

use super::vectors::Span;

/// A text that any embedder takes: where it gives a vector of that, others are what is wrong.
const PROBE: &str = "text";

/// Documents whose vectors are to be made.
pub(crate) struct Wanted {
    /// The documents that follow those with vectors; of none, vectors that failed are made again.
    pub(super) next: Range<u32>,
    pub(super) spans: Vec<Span>,
    pub(super) texts: Vec<String>,
}

/// What became of them.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// Of each span, in order; nothing for one of a document that failed.
    pub(super) vectors: Vec<Option<Vec<f32>>>,
    /// The documents that the embedder gives no vector of, with why.
    pub(super) failed: BTreeMap<u32, String>,
}

impl Wanted {
    /// The vectors. Refused where the embedder is out, or fails at more than
    /// `EMBED_FAILURES_MAX` of the documents.
    pub(crate) fn embedded(&self, embedder: &dyn Embedder) -> Result<Made, EmbedError> {
        let mut made = Made::default();
        let first = embedder.embed(&self.texts_of(0..self.texts.len()));
        let error = match first {
            Ok(vectors) => {
                made.vectors = vectors.into_iter().map(Some).collect();
                return Ok(made);
            }
            Err(error) => error,
        };
        if is_about_the_endpoint(&error) || embedder.embed(&[PROBE]).is_err() {
            return Err(error);
        }
        made.vectors = vec![None; self.texts.len()];
        self.halves(embedder, &self.documents(), error, &mut made)?;
        Ok(made)
    }

    fn texts_of(&self, spans: Range<usize>) -> Vec<&str> {
        let texts = self.texts.get(spans).unwrap_or_default();
        texts.iter().map(String::as_str).collect()
    }

    /// The spans of each document.
    fn documents(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let of_document = self.spans.chunk_by(|a, b| a.document == b.document);
        let ranges = of_document.map(|spans| {
            let begin = end;
            end += spans.len();
            begin..end
        });
        ranges.collect()
    }

    /// The vectors of documents of which one at least failed together.
    fn halves(
        &self,
        embedder: &dyn Embedder,
        documents: &[Range<usize>],
        error: EmbedError,
        made: &mut Made,
    ) -> Result<(), EmbedError> {
        if let [one] = documents {
            let document = self.spans.get(one.start).map(|it| it.document);
            made.failed
                .extend(document.map(|it| (it, error.to_string())));
            let is_too_many = made.failed.len() > limits::EMBED_FAILURES_MAX;
            return if is_too_many { Err(error) } else { Ok(()) };
        }
        let (left, right) = documents.split_at(documents.len() / 2);
        for half in [left, right] {
            let (Some(first), Some(last)) = (half.first(), half.last()) else {
                continue;
            };
            let spans = first.start..last.end;
            match embedder.embed(&self.texts_of(spans.clone())) {
                Ok(vectors) => {
                    let places = made.vectors.get_mut(spans).into_iter().flatten();
                    places
                        .zip(vectors)
                        .for_each(|(it, vector)| *it = Some(vector));
                }
                Err(error) if is_about_the_endpoint(&error) => return Err(error),
                Err(error) => self.halves(embedder, half, error, made)?,
            }
        }
        Ok(())
    }
}

fn is_about_the_endpoint(error: &EmbedError) -> bool {
    matches!(
        error,
        EmbedError::Endpoint {
            is_about_the_endpoint: true,
            ..
        }
    )
}
