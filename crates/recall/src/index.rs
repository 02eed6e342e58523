//! The documents and the terms they hold. `engine` adds each text once, in order; `search` reads.
//!
//! Invariant: document `n` is the `n`-th that was added, and the postings of a term are the
//! documents whose text yields it. Nothing here depends on who may read what.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::admission::{Admission, Admitted};
use crate::pack::{self, Base, Shared};
use crate::postings::Postings;
use crate::search::{self, Hits, Limits, ThreadHit};
use crate::term::Term;
use crate::threads::Threads;
use crate::token::{self, Side};

/// A lexical index over numbered documents.
///
/// ```
/// use immune_recall::{Index, Limits};
///
/// let mut index = Index::new();
/// index.add(0, "Brandt GmbH is paid to GB29 NWBK 6016 1331 9268 19");
/// index.add(1, "Brandt GmbH is paid to DE89 3704 0044 0532 0130 00");
///
/// let is_refused = |document| document == 1;
/// let found = index.search("account of Brandt", &|d| !is_refused(d), Limits::default());
/// assert_eq!(found.hits[0].document, 0);
/// assert_eq!(found.hits[0].matched, ["brandt"]);
/// assert_eq!(found.excluded, [1]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// What was there when it was unpacked; the terms below are those of what was added since.
    base: Option<Base>,
    terms: HashMap<Term, u32>,
    postings: Vec<Postings>,
    lengths: Vec<u32>,
    /// Terms numbered so far, erased ones included.
    n_terms: u32,
    term_bytes: usize,
}

impl Index {
    /// An index of no documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many documents were added, erased ones included.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether no document was added.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Adds a document. Numbers are dense and ascending: `document` is `len()` before the call.
    pub fn add(&mut self, document: u32, text: &str) {
        assert_eq!(
            document as usize,
            self.lengths.len(),
            "documents are added in order and without gaps"
        );
        let mut held: Vec<u32> = Vec::new();
        token::each(text, Side::Document, &mut |token| {
            held.push(self.term_of(token.term));
        });
        self.lengths.push(held.len() as u32);
        held.sort_unstable();
        for run in held.chunk_by(|a, b| a == b) {
            let (term, count) = (run.first().copied().unwrap_or(0), run.len() as u32);
            match self.postings.get_mut(term as usize) {
                Some(postings) => postings.push(document, count),
                // New terms are numbered as they appear, so the sorted ones come in order.
                None => self.postings.push(Postings::new(document, count)),
            }
        }
        assert_eq!(
            self.postings.len(),
            self.n_terms as usize,
            "every term number has its postings"
        );
    }

    /// Takes the text of a document out, as redaction asks: no term of it stays behind.
    ///
    /// The number stays taken; from then on the document is like one that was added empty.
    /// It walks the whole dictionary, which is fine for something as rare.
    pub fn erase(&mut self, document: u32) {
        let Some(length) = self.lengths.get_mut(document as usize) else {
            return;
        };
        *length = 0;
        self.take_base_over();
        for postings in &mut self.postings {
            postings.remove(document);
        }
        let (postings, term_bytes) = (&self.postings, &mut self.term_bytes);
        // The number of a term that is gone is not used again; its postings stay, empty.
        self.terms.retain(|text, term| {
            let kept = postings.get(*term as usize).is_some_and(|p| !p.is_empty());
            if !kept {
                *term_bytes -= text.heap_bytes();
            }
            kept
        });
    }

    /// The best documents for `query` among those that `eligible` lets through.
    ///
    /// `eligible` is asked once for every document, before anything is scored. Those it refuses
    /// are listed in `excluded` when they match. To hide documents altogether, or to search
    /// several times with the same verdicts, use [`Index::admit`] and
    /// [`Index::search_admitted`].
    pub fn search(&self, query: &str, eligible: &dyn Fn(u32) -> bool, limits: Limits) -> Hits {
        let admitted = self.admit(&|document| {
            if eligible(document) {
                Admission::Eligible
            } else {
                Admission::Refused
            }
        });
        self.search_admitted(query, &admitted, limits)
    }

    /// Collects the verdict on every document.
    pub fn admit(&self, verdict: &dyn Fn(u32) -> Admission) -> Admitted {
        Admitted::new(&self.lengths, verdict)
    }

    /// The best documents for `query` among the eligible ones of `admitted`.
    ///
    /// A blank query asks for everything: the eligible documents in their order.
    pub fn search_admitted(&self, query: &str, admitted: &Admitted, limits: Limits) -> Hits {
        search::search(self, query, admitted, None, limits)
    }

    /// The same, where what stands beside a match in its thread counts by half of what the match
    /// does, the better of two: the answer to a question that has the words is found too.
    pub fn search_beside(
        &self,
        query: &str,
        admitted: &Admitted,
        threads: &Threads,
        limits: Limits,
    ) -> Hits {
        search::search(self, query, admitted, Some(threads), limits)
    }

    /// The best `hits_max` threads for `query`, each taken as one text of its eligible documents.
    pub fn search_threads(
        &self,
        query: &str,
        admitted: &Admitted,
        threads: &Threads,
        hits_max: usize,
    ) -> Vec<ThreadHit> {
        search::threads(self, query, admitted, threads, hits_max)
    }

    /// About how many bytes the index holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        // A hash table keeps an entry and a control byte per slot, and at most 7 of 8 slots full.
        let entry = size_of::<(Term, u32)>() + 1;
        self.base.as_ref().map_or(0, Base::heap_bytes)
            + self.terms.capacity() * 8 / 7 * entry
            + self.term_bytes
            + self.postings.capacity() * size_of::<Postings>()
            + self
                .postings
                .iter()
                .map(Postings::heap_bytes)
                .sum::<usize>()
            + self.lengths.capacity() * size_of::<u32>()
    }

    /// Writes the index.
    pub fn pack(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut terms: Vec<&[u8]> = self.terms.keys().map(Term::as_bytes).collect();
        if let Some(base) = &self.base {
            terms.extend((0..base.len()).map(|it| base.term(it)));
        }
        terms.sort_unstable();
        terms.dedup();
        let terms = terms
            .into_iter()
            .filter_map(|it| Some((it, self.postings(it)?)));
        pack::pack(out, &self.lengths, terms)
    }

    /// The index that these bytes are; nothing if they are none.
    ///
    /// The caller vouches that they are what [`Self::pack`] wrote in this
    /// [`VERSION`](crate::VERSION), by a digest of them.
    pub fn unpack(bytes: Shared) -> Option<Self> {
        let (base, lengths) = Base::unpack(bytes)?;
        Some(Self {
            base: Some(base),
            lengths,
            ..Self::default()
        })
    }

    /// Makes what was unpacked like what was added.
    fn take_base_over(&mut self) {
        let Some(base) = self.base.take() else {
            return;
        };
        let since = std::mem::take(self);
        self.lengths.clone_from(&since.lengths);
        let mut add = |term: &[u8], postings: Postings| {
            let key = Term::from(term);
            self.term_bytes += key.heap_bytes();
            self.terms.insert(key, self.n_terms);
            self.n_terms += 1;
            self.postings.push(postings);
        };
        for place in 0..base.len() {
            let mut postings = base.postings(place);
            if let Some(more) = since.own_postings(base.term(place)) {
                postings.extend(more);
            }
            add(base.term(place), postings);
        }
        for (term, number) in &since.terms {
            if base.find(term.as_bytes()).is_none()
                && let Some(postings) = since.postings.get(*number as usize)
            {
                add(term.as_bytes(), postings.clone());
            }
        }
    }

    /// The postings of a term, if any document holds it.
    pub(crate) fn postings(&self, term: &[u8]) -> Option<Cow<'_, Postings>> {
        let own = self.own_postings(term);
        let base = self.base.as_ref();
        let Some((base, place)) = base.and_then(|base| Some((base, base.find(term)?))) else {
            return own.map(Cow::Borrowed);
        };
        let mut postings = base.postings(place);
        if let Some(own) = own {
            postings.extend(own);
        }
        Some(Cow::Owned(postings))
    }

    /// Those of what was added since the index was unpacked.
    fn own_postings(&self, term: &[u8]) -> Option<&Postings> {
        self.postings.get(*self.terms.get(term)? as usize)
    }

    /// The number of tokens of a document.
    pub(crate) fn length(&self, document: u32) -> u32 {
        self.lengths.get(document as usize).copied().unwrap_or(0)
    }

    fn term_of(&mut self, term: &str) -> u32 {
        if let Some(found) = self.terms.get(term.as_bytes()) {
            return *found;
        }
        let next = self.n_terms;
        self.n_terms = next.checked_add(1).expect("terms fit in 32 bits");
        let key = Term::from(term.as_bytes());
        self.term_bytes += key.heap_bytes();
        self.terms.insert(key, next);
        next
    }
}
