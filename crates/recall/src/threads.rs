//! Threads: documents that follow one another, as the turns of a conversation or the notes of a run.
//!
//! Called by `engine`, which says of each document what it is part of, and by `search`. What stands
//! beside a match often says what the match is about: an answer holds none of the words of its
//! question. Invariants: the members of a thread are in the order in which they were added; and
//! neighbours are neighbours among the eligible documents only, so that what is refused parts
//! nothing and joins nothing, as if it had never been written.

use crate::admission::Admitted;

/// No thread.
const NONE: u32 = u32::MAX;

/// Which thread each document is part of.
#[derive(Debug, Clone, Default)]
pub struct Threads {
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Threads {
    /// No documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next document: its number is how many were added before. Threads are numbered
    /// from 0, by the caller, without large gaps.
    pub fn push(&mut self, thread: Option<u32>) {
        let document = u32::try_from(self.of.len()).expect("documents fit in 32 bits");
        self.of.push(thread.unwrap_or(NONE));
        let Some(place) = thread.map(|it| it as usize) else {
            return;
        };
        if place >= self.members.len() {
            self.members.resize_with(place + 1, Vec::new);
        }
        if let Some(members) = self.members.get_mut(place) {
            members.push(document);
        }
    }

    /// How many documents were added.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// How many threads there are, empty ones among them.
    pub fn n_threads(&self) -> usize {
        self.members.len()
    }

    /// The thread of a document.
    pub fn of(&self, document: u32) -> Option<u32> {
        let found = self.of.get(document as usize).copied();
        found.filter(|it| *it != NONE)
    }

    /// The eligible documents of a thread, in their order.
    pub(crate) fn eligible<'a>(
        &'a self,
        thread: u32,
        admitted: &'a Admitted,
    ) -> impl Iterator<Item = u32> + 'a {
        let members = self.members.get(thread as usize).map(Vec::as_slice);
        let members = members.unwrap_or_default().iter().copied();
        members.filter(|it| admitted.is_eligible(*it))
    }

    /// What each eligible document of some threads gets from those right before and right after
    /// it: half of what the better of the two has by itself, so that what stands between two
    /// matches never counts like one. Calls `sink` with those that get something.
    pub(crate) fn spread(
        &self,
        scored: &[u32],
        admitted: &Admitted,
        own: impl Fn(u32) -> u64,
        mut sink: impl FnMut(u32, u64),
    ) {
        let mut touched: Vec<u32> = scored.iter().filter_map(|it| self.of(*it)).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut members = Vec::new();
        for thread in touched {
            members.clear();
            members.push((NONE, 0));
            members.extend(self.eligible(thread, admitted).map(|it| (it, own(it))));
            members.push((NONE, 0));
            for three in members.windows(3) {
                if let [(_, before), (document, _), (_, after)] = three {
                    let gets = *before.max(after) / 2;
                    if gets > 0 {
                        sink(*document, gets);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Admission, Index};

    #[test]
    fn halves_go_to_the_neighbours_among_the_eligible() {
        let mut index = Index::new();
        let mut threads = Threads::new();
        for (document, thread) in [Some(1), Some(1), None, Some(1), Some(0)]
            .into_iter()
            .enumerate()
        {
            index.add(document as u32, "word");
            threads.push(thread);
        }
        let spread = |refused: u32| {
            let admitted = index.admit(&|it| {
                if it == refused {
                    Admission::Refused
                } else {
                    Admission::Eligible
                }
            });
            let mut found = Vec::new();
            let own = |it: u32| if it == 0 { 10 } else { 0 };
            threads.spread(&[0, 2, 4], &admitted, own, |it, gets| {
                found.push((it, gets));
            });
            found
        };
        assert_eq!(spread(9), [(1, 5)]);
        assert_eq!(spread(1), [(3, 5)]);
        assert_eq!(
            (threads.of(2), threads.of(4), threads.n_threads()),
            (None, Some(0), 2)
        );
    }
}
