//! An index as bytes, and back: so that the first question need not read every text.
//!
//! Called by `index` only. The terms of an index that was unpacked stay where they lie; what was
//! added since is beside them. Whoever keeps the bytes makes sure that they are those that were
//! written, by this [`VERSION`]: bytes of a wrong shape are none, others are not found out.
//!
//! Everything is a little-endian number of four bytes, but for the terms: the numbers of
//! documents and of terms; the length of each document; for each term, in the order of their
//! bytes, where its text, its documents and its repeated documents end; all texts, padded to four
//! bytes; the documents; the repeated ones with their counts.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use crate::postings::Postings;

/// The version of the tokens and of the packed form: another one whenever a text has other terms
/// than before, or an index other bytes.
pub const VERSION: u32 = 2;

/// Bytes that an index is read from.
pub type Shared = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Terms that do not change any more, sorted.
#[derive(Clone)]
pub(crate) struct Base {
    bytes: Shared,
    ends: Range<usize>,
    texts: Range<usize>,
    documents: Range<usize>,
    repeated: Range<usize>,
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base({} terms)", self.len())
    }
}

/// Numbers after each term: where its text, its documents and its repeated documents end.
const ENDS: usize = 3;

impl Base {
    /// The terms in these bytes, with the lengths of the documents.
    pub(crate) fn unpack(bytes: Shared) -> Option<(Self, Vec<u32>)> {
        let all = (*bytes).as_ref();
        let (n_documents, rest) = all.split_first_chunk::<4>()?;
        let (n_terms, _) = rest.split_first_chunk::<4>()?;
        let [n_documents, n_terms] =
            [n_documents, n_terms].map(|it| u32::from_le_bytes(*it) as usize);
        let lengths = 8..8 + 4 * n_documents;
        let ends = lengths.end..lengths.end + 4 * ENDS * n_terms;
        let last = |place: usize| match n_terms.checked_sub(1) {
            Some(term) => number(all.get(ends.clone())?, ENDS * term + place),
            None => Some(0),
        };
        let n_texts = last(0)? as usize;
        let texts = ends.end..ends.end + n_texts;
        let documents = texts.end.next_multiple_of(4);
        let documents = documents..documents + 4 * last(1)? as usize;
        let repeated = documents.end..documents.end + 8 * last(2)? as usize;
        if repeated.end != all.len() {
            return None;
        }
        let lengths = numbers(all.get(lengths)?).collect();
        let base = Self {
            bytes,
            ends,
            texts,
            documents,
            repeated,
        };
        Some((base, lengths))
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len() / (4 * ENDS)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        (*self.bytes).as_ref().len()
    }

    /// The place of a term.
    pub(crate) fn find(&self, term: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.term(middle).cmp(term) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    pub(crate) fn term(&self, place: usize) -> &[u8] {
        let part = self.between(place, 0);
        self.of(&self.texts).get(part).unwrap_or_default()
    }

    pub(crate) fn postings(&self, place: usize) -> Postings {
        let documents = self.between(place, 1);
        let documents = self
            .of(&self.documents)
            .get(4 * documents.start..4 * documents.end);
        let repeated = self.between(place, 2);
        let repeated = self
            .of(&self.repeated)
            .get(8 * repeated.start..8 * repeated.end);
        let repeated = numbers(repeated.unwrap_or_default()).collect::<Vec<u32>>();
        let (pairs, _) = repeated.as_chunks();
        Postings::of(
            numbers(documents.unwrap_or_default()).collect(),
            pairs
                .iter()
                .map(|[document, count]| (*document, *count))
                .collect(),
        )
    }

    /// From where to where a term has its share.
    fn between(&self, place: usize, which: usize) -> Range<usize> {
        let ends = self.of(&self.ends);
        let end = |place: usize| number(ends, ENDS * place + which).unwrap_or(0) as usize;
        place.checked_sub(1).map_or(0, end)..end(place)
    }

    fn of(&self, part: &Range<usize>) -> &[u8] {
        let all = (*self.bytes).as_ref();
        all.get(part.clone()).unwrap_or_default()
    }
}

fn number(bytes: &[u8], place: usize) -> Option<u32> {
    let bytes = bytes.get(4 * place..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().map(|it| u32::from_le_bytes(*it))
}

/// Writes an index: the lengths of its documents, and its terms, sorted, with what holds them.
pub(crate) fn pack<'t>(
    out: &mut dyn Write,
    lengths: &[u32],
    terms: impl Iterator<Item = (&'t [u8], std::borrow::Cow<'t, Postings>)>,
) -> io::Result<()> {
    let mut ends: Vec<u32> = Vec::new();
    let mut texts: Vec<u8> = Vec::new();
    let mut documents: Vec<u32> = Vec::new();
    let mut repeated: Vec<u32> = Vec::new();
    let end = |it: usize| u32::try_from(it).expect("fewer than u32::MAX postings");
    for (term, postings) in terms {
        texts.extend_from_slice(term);
        documents.extend_from_slice(postings.documents());
        let counts = postings.counts().filter(|(_, count)| *count > 1);
        repeated.extend(counts.flat_map(|(document, count)| [document, count]));
        ends.extend([texts.len(), documents.len(), repeated.len() / 2].map(end));
    }
    texts.resize(texts.len().next_multiple_of(4), 0);
    put(out, &[end(lengths.len()), end(ends.len() / ENDS)])?;
    put(out, lengths)?;
    put(out, &ends)?;
    out.write_all(&texts)?;
    put(out, &documents)?;
    put(out, &repeated)
}

fn put(out: &mut dyn Write, numbers: &[u32]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for part in numbers.chunks(1 << 16) {
        bytes.clear();
        bytes.extend(part.iter().flat_map(|it| it.to_le_bytes()));
        out.write_all(&bytes)?;
    }
    Ok(())
}
