//! Which documents hold one term, and how often. Called by `index` and `search` only.
//!
//! Invariant: both lists ascend by document, and `repeated` names only documents of `documents`.
//! Nearly every term of a short text occurs in it once, so a count is stored only from two on:
//! that is 4 bytes a posting in place of 8.

/// The postings of one term. Most terms of a memory (numbers, codes, names) occur in one
/// document, which is kept in place.
#[derive(Debug, Clone)]
pub(crate) enum Postings {
    None,
    One { document: u32, count: u32 },
    Many(Box<Lists>),
}

/// The postings of a term that more than one document held.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    documents: Vec<u32>,
    repeated: Vec<(u32, u32)>,
}

impl Postings {
    /// Those of these documents, ascending; a count is given from two on.
    pub(crate) fn of(documents: Vec<u32>, repeated: Vec<(u32, u32)>) -> Self {
        match documents.as_slice() {
            [] => Self::None,
            [document] => Self::One {
                document: *document,
                count: repeated.first().map_or(1, |(_, count)| *count),
            },
            _ => Self::Many(Box::new(Lists {
                documents,
                repeated,
            })),
        }
    }

    /// The postings of a term that is new with `document`.
    pub(crate) fn new(document: u32, count: u32) -> Self {
        assert!(count > 0, "a posting stands for at least one occurrence");
        Self::One { document, count }
    }

    /// Appends a document, which must come after all that are here.
    pub(crate) fn push(&mut self, document: u32, count: u32) {
        assert!(count > 0, "a posting stands for at least one occurrence");
        assert!(
            self.documents().last().is_none_or(|last| *last < document),
            "postings ascend by document"
        );
        match self {
            Self::None => *self = Self::One { document, count },
            Self::One {
                document: first,
                count: of_first,
            } => {
                let mut lists = Lists::default();
                lists.push(*first, *of_first);
                lists.push(document, count);
                *self = Self::Many(Box::new(lists));
            }
            Self::Many(lists) => lists.push(document, count),
        }
    }

    /// Takes a document out, if it is here.
    pub(crate) fn remove(&mut self, document: u32) {
        let lists = match self {
            Self::One { document: held, .. } if *held == document => {
                *self = Self::None;
                return;
            }
            Self::None | Self::One { .. } => return,
            Self::Many(lists) => lists,
        };
        if let Ok(at) = lists.documents.binary_search(&document) {
            lists.documents.remove(at);
        }
        if let Ok(at) = lists
            .repeated
            .binary_search_by_key(&document, |pair| pair.0)
        {
            lists.repeated.remove(at);
        }
    }

    /// Whether no document holds the term any more.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents().is_empty()
    }

    /// The documents that hold the term, ascending.
    pub(crate) fn documents(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One { document, .. } => std::slice::from_ref(document),
            Self::Many(lists) => &lists.documents,
        }
    }

    /// Adds what a later part of the documents says.
    pub(crate) fn extend(&mut self, later: &Self) {
        for (document, count) in later.counts() {
            self.push(document, count);
        }
    }

    /// Whether `document` holds the term.
    pub(crate) fn has(&self, document: u32) -> bool {
        self.documents().binary_search(&document).is_ok()
    }

    /// Every document with its number of occurrences, ascending.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (count_of_one, repeated) = match self {
            Self::None => (0, &[][..]),
            Self::One { count, .. } => (*count, &[][..]),
            Self::Many(lists) => (1, lists.repeated.as_slice()),
        };
        let mut repeated = repeated.iter();
        let mut next = repeated.next();
        self.documents().iter().map(move |document| match next {
            Some((at, count)) if at == document => {
                next = repeated.next();
                (*document, *count)
            }
            _ => (*document, count_of_one),
        })
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::None | Self::One { .. } => 0,
            Self::Many(lists) => {
                size_of::<Lists>()
                    + lists.documents.capacity() * size_of::<u32>()
                    + lists.repeated.capacity() * size_of::<(u32, u32)>()
            }
        }
    }
}

impl Lists {
    fn push(&mut self, document: u32, count: u32) {
        self.documents.push(document);
        if count > 1 {
            self.repeated.push((document, count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_removals_keep_both_lists_in_step() {
        let mut postings = Postings::new(1, 1);
        for (document, count) in [(4, 3), (7, 1), (9, 2)] {
            postings.push(document, count);
        }
        postings.remove(4);
        postings.remove(5);
        assert_eq!(
            postings.counts().collect::<Vec<_>>(),
            [(1, 1), (7, 1), (9, 2)]
        );
        assert!(postings.has(9) && !postings.has(4));

        let mut alone = Postings::new(5, 2);
        assert!(alone.counts().eq([(5, 2)]));
        alone.remove(4);
        assert!(!alone.is_empty());
        alone.remove(5);
        assert!(alone.is_empty());
    }
}
