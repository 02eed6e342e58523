//! Which documents hold one term, and how often. Called by `index` and `search` only.
//!
//! Invariant: both lists ascend by document, and `repeated` names only documents of `documents`.
//! Nearly every term of a short text occurs in it once, so a count is stored only from two on:
//! that is 4 bytes a posting in place of 8.

/// The postings of one term.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    documents: Vec<u32>,
    repeated: Vec<(u32, u32)>,
}

impl Postings {
    /// Appends a document, which must come after all that are here.
    pub(crate) fn push(&mut self, document: u32, count: u32) {
        assert!(count > 0, "a posting stands for at least one occurrence");
        assert!(
            self.documents.last().is_none_or(|last| *last < document),
            "postings ascend by document"
        );
        self.documents.push(document);
        if count > 1 {
            self.repeated.push((document, count));
        }
    }

    /// Takes a document out, if it is here.
    pub(crate) fn remove(&mut self, document: u32) {
        if let Ok(at) = self.documents.binary_search(&document) {
            self.documents.remove(at);
        }
        if let Ok(at) = self.repeated.binary_search_by_key(&document, |pair| pair.0) {
            self.repeated.remove(at);
        }
    }

    /// Whether no document holds the term any more.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The documents that hold the term, ascending.
    pub(crate) fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// Whether `document` holds the term.
    pub(crate) fn has(&self, document: u32) -> bool {
        self.documents.binary_search(&document).is_ok()
    }

    /// Every document with its number of occurrences, ascending.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut repeated = self.repeated.iter().copied().peekable();
        self.documents.iter().map(move |document| {
            let count = repeated
                .next_if(|(at, _)| at == document)
                .map_or(1, |(_, count)| count);
            (*document, count)
        })
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.documents.capacity() * size_of::<u32>()
            + self.repeated.capacity() * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_removals_keep_both_lists_in_step() {
        let mut postings = Postings::default();
        for (document, count) in [(1, 1), (4, 3), (7, 1), (9, 2)] {
            postings.push(document, count);
        }
        postings.remove(4);
        postings.remove(5);
        assert_eq!(
            postings.counts().collect::<Vec<_>>(),
            [(1, 1), (7, 1), (9, 2)]
        );
        assert!(postings.has(9) && !postings.has(4));
    }
}
