//! The vectors in a side file, so that the next first question need not make them.
//!
//! Each document is known by its item, for its number may be another one once the index was built
//! anew. The bytes are checked by their digest before they come here.

use std::collections::BTreeMap;
use std::io::{self, Write};

use immune_model::Item;
use immune_recall::{Embedder, EmbeddingModel};
use immune_store::SideFile;
use immune_vector::{Index, VectorError};

use super::vectors::{Span, Vectors};
use crate::document::{Documents, item_of, number_of};
use crate::kept;
use crate::memory::Shared;

/// Vectors as a side file has them, with the item of each document. Which documents there are need
/// not be known to read them.
pub(crate) struct KeptVectors {
    items: Vec<Item>,
    vectors: Vectors,
}

impl KeptVectors {
    /// Those of this embedder; of two files that of more documents.
    pub(crate) fn read(shared: &Shared, embedder: &dyn Embedder) -> Option<Self> {
        let files = [SideFile::Vectors, SideFile::NextVectors].into_iter();
        let kept = files.filter_map(|it| Self::read_from(it, shared, embedder));
        kept.max_by_key(|it| it.vectors.n_documents)
    }

    fn read_from(file: SideFile, shared: &Shared, embedder: &dyn Embedder) -> Option<Self> {
        let kept = kept::read(&*shared.parts.store, &shared.name, file)?.ok()?;
        let (items, vectors) = unpack(kept.content.as_slice())?;
        let is_cheap = vectors.floats.is_none();
        let is_its = vectors.model == *embedder.model() && is_cheap == embedder.is_cheap();
        is_its.then_some(Self { items, vectors })
    }

    /// Those of these documents.
    pub(crate) fn of(self, documents: &Documents) -> Option<Vectors> {
        let Self { items, vectors } = self;
        let same = (0..)
            .zip(&items)
            .all(|(place, it)| documents.item(place) == Some(*it));
        if same {
            return Some(vectors);
        }
        vectors.reordered(&items, documents)
    }
}

impl Vectors {
    /// Those that were kept of these documents, or none yet.
    pub(super) fn kept_or_new(
        shared: &Shared,
        documents: &Documents,
        embedder: &dyn Embedder,
    ) -> Result<Self, VectorError> {
        let kept = Self::kept(shared, documents, embedder);
        kept.map_or_else(|| Self::new(embedder.model(), embedder.is_cheap()), Ok)
    }

    /// Those that were kept of these documents, if they are of this embedder: chosen, or on the way
    /// to be.
    fn kept(shared: &Shared, documents: &Documents, embedder: &dyn Embedder) -> Option<Self> {
        KeptVectors::read(shared, embedder)?.of(documents)
    }

    /// The same vectors in the order of these documents, up to the first one that has none.
    fn reordered(&self, items: &[Item], documents: &Documents) -> Option<Self> {
        let floats = self.floats.as_ref()?;
        let mut rows: BTreeMap<Item, Vec<u32>> = items.iter().map(|it| (*it, Vec::new())).collect();
        for (row, span) in (0..).zip(&self.spans) {
            let item = items.get(span.document as usize)?;
            rows.get_mut(item)?.push(row);
        }
        let places: BTreeMap<Item, u32> = items.iter().copied().zip(0..).collect();
        let mut ordered = Self::new(&self.model, false).ok()?;
        for document in 0..documents.len() {
            let Some(rows) = documents.item(document).and_then(|it| rows.get(&it)) else {
                break;
            };
            for row in rows {
                let (vector, span) = (floats.find(*row)?, self.spans.get(*row as usize)?);
                ordered.index.add(ordered.index.len(), Some(vector)).ok()?;
                let place = ordered.index.len() - 1;
                ordered.floats.as_mut()?.add(place, Some(vector));
                ordered.spans.push(Span {
                    document,
                    bytes: span.bytes.clone(),
                });
            }
            let kept = documents.item(document).and_then(|it| places.get(&it));
            let failed = kept.and_then(|it| self.failed.get(it));
            ordered
                .failed
                .extend(failed.map(|it| (document, it.clone())));
            ordered.n_documents = document + 1;
        }
        Some(ordered)
    }

    /// Keeps them in this side file.
    pub(crate) fn keep(&self, file: SideFile, shared: &Shared, documents: &Documents) {
        let (store, name) = (&*shared.parts.store, &shared.name);
        let head = shared.latest().head();
        // What cannot be kept is made by whoever asks next.
        kept::keep(store, name, head, file, &mut |out| {
            self.pack(documents, out)
        });
    }

    fn pack(&self, documents: &Documents, out: &mut dyn Write) -> io::Result<()> {
        let name = self.model.name.as_bytes();
        let mut number = |it: u32| out.write_all(&it.to_le_bytes());
        number(self.model.dimensions)?;
        number(u32::from(self.floats.is_some()))?;
        number(self.n_documents)?;
        number(self.index.len())?;
        number(u32::try_from(name.len()).expect("names are short"))?;
        out.write_all(name)?;
        for document in 0..self.n_documents {
            let item = documents.item(document).map_or(0, number_of);
            out.write_all(&item.to_le_bytes())?;
        }
        for span in &self.spans {
            for number in [span.document, span.bytes.start, span.bytes.end] {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        let n_failed = u32::try_from(self.failed.len()).expect("fewer than there are documents");
        out.write_all(&n_failed.to_le_bytes())?;
        for (document, reason) in &self.failed {
            out.write_all(&document.to_le_bytes())?;
            let length = u32::try_from(reason.len()).expect("reasons are short");
            out.write_all(&length.to_le_bytes())?;
            out.write_all(reason.as_bytes())?;
        }
        if let Some(floats) = &self.floats {
            for row in 0..self.index.len() {
                for number in floats.find(row).unwrap_or_default() {
                    out.write_all(&number.to_le_bytes())?;
                }
            }
        }
        self.index.pack(out)
    }
}

/// The items of the documents, and the vectors.
fn unpack(bytes: &[u8]) -> Option<(Vec<Item>, Vectors)> {
    let (front, rest) = bytes.split_at_checked(5 * 4)?;
    let mut numbers = front.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it));
    let dimensions = numbers.next()?;
    let has_floats = numbers.next()? == 1;
    let (n_documents, n_rows, name_len) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let (name, rest) = rest.split_at_checked(name_len as usize)?;
    let (items, rest) = rest.split_at_checked(n_documents as usize * 8)?;
    let (spans, rest) = rest.split_at_checked(n_rows as usize * 12)?;
    let (failed, rest) = failed_in(rest)?;
    let floats_len = if has_floats {
        n_rows as usize * dimensions as usize * 4
    } else {
        0
    };
    let (floats, index) = rest.split_at_checked(floats_len)?;
    let items = items.as_chunks().0.iter();
    let items: Option<Vec<Item>> = items.map(|it| item_of(i64::from_le_bytes(*it))).collect();
    let spans = spans.as_chunks::<12>().0.iter().map(|it| {
        let mut numbers = it.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it));
        let document = numbers.next().unwrap_or_default();
        let start = numbers.next().unwrap_or_default();
        Span {
            document,
            bytes: start..numbers.next().unwrap_or_default(),
        }
    });
    let n_dims = dimensions as usize;
    let floats = has_floats.then(|| {
        let mut kept = immune_vector::Vectors::new(n_dims);
        let numbers = floats.as_chunks().0.iter();
        let numbers: Vec<f32> = numbers.map(|it| f32::from_le_bytes(*it)).collect();
        for (row, vector) in (0..).zip(numbers.chunks_exact(n_dims.max(1))) {
            kept.add(row, Some(vector));
        }
        kept
    });
    let vectors = Vectors {
        model: EmbeddingModel {
            name: std::str::from_utf8(name).ok()?.to_owned(),
            dimensions,
        },
        index: Index::unpack(index)?,
        floats,
        spans: spans.collect(),
        n_documents,
        n_kept: n_documents,
        failed,
    };
    let is_whole = vectors.index.len() == n_rows && vectors.index.n_dims() == n_dims;
    is_whole.then_some((items?, vectors))
}

/// The documents that failed, with why, and what follows them.
fn failed_in(bytes: &[u8]) -> Option<(BTreeMap<u32, String>, &[u8])> {
    let number = |bytes: &[u8]| bytes.first_chunk().map(|it| u32::from_le_bytes(*it));
    let (count, mut rest) = bytes.split_at_checked(4)?;
    let mut failed = BTreeMap::new();
    for _ in 0..number(count)? {
        let (front, after) = rest.split_at_checked(8)?;
        let (document, length) = (number(front)?, number(front.get(4..)?)?);
        let (reason, after) = after.split_at_checked(length as usize)?;
        failed.insert(document, String::from_utf8_lossy(reason).into_owned());
        rest = after;
    }
    Some((failed, rest))
}
