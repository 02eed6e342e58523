//! Several rankings to one: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
//!
//! Called by whoever asks the words and the vectors. Only ranks count, so scores of different
//! kinds need no common scale, and nothing is fitted. Recency is one more list: the same documents,
//! the newest first. Invariant: the result depends on the lists alone, and not on their order;
//! equal scores are ordered by document number.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is added to every rank; the paper's value, which it found to matter little.
const K: u64 = 60;
/// A score is in billionths.
const BILLION: u64 = 1_000_000_000;

/// One document of the fused ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fused {
    /// Its number.
    pub document: u32,
    /// The sum of `1 / (60 + rank)` over the lists that have it, in whole billionths.
    pub score_billionths: u64,
    /// Its rank in each list, from 1, in the order of the lists.
    pub ranks: Vec<Option<u32>>,
}

/// Fuses lists of documents, each best first and without repetition, and keeps the best `n_max`.
///
/// ```
/// use immune_recall::fuse;
///
/// let (words, vectors) = ([7, 3, 5], [3, 9]);
/// let fused = fuse(&[&words, &vectors], 10);
/// assert_eq!(fused[0].document, 3);
/// assert_eq!(fused[0].ranks, [Some(2), Some(1)]);
/// ```
pub fn fuse(lists: &[&[u32]], n_max: usize) -> Vec<Fused> {
    let mut fused: BTreeMap<u32, Fused> = BTreeMap::new();
    for (which, list) in lists.iter().enumerate() {
        for (rank, document) in (1_u32..).zip(*list) {
            let one = fused.entry(*document).or_insert_with(|| Fused {
                document: *document,
                score_billionths: 0,
                ranks: vec![None; lists.len()],
            });
            if let Some(place @ None) = one.ranks.get_mut(which) {
                *place = Some(rank);
                one.score_billionths += BILLION / (K + u64::from(rank));
            }
        }
    }
    let mut fused: Vec<Fused> = fused.into_values().collect();
    fused.sort_by_key(|it| (Reverse(it.score_billionths), it.document));
    fused.truncate(n_max);
    fused
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_two_lists_have_comes_before_what_one_has() {
        let fused = fuse(&[&[1, 2, 3], &[4, 3, 5]], 3);
        let shown: Vec<(u32, u64)> = fused
            .iter()
            .map(|it| (it.document, it.score_billionths))
            .collect();
        assert_eq!(shown, [(3, 32_002_048), (1, 16_393_442), (4, 16_393_442)]);
        assert_eq!(fuse(&[], 3), []);
        assert_eq!(fuse(&[&[], &[]], 3), []);
    }

    #[test]
    fn a_document_that_a_list_repeats_counts_once() {
        assert_eq!(fuse(&[&[1, 1, 1]], 3).len(), 1);
        assert_eq!(fuse(&[&[1, 1]], 3), fuse(&[&[1]], 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

        #[test]
        fn one_list_keeps_its_order_and_the_order_of_lists_does_not_matter(
            one in prop::collection::hash_set(0_u32..50, 0..20),
            other in prop::collection::hash_set(0_u32..50, 0..20),
        ) {
            let (one, other): (Vec<u32>, Vec<u32>) = (one.into_iter().collect(), other.into_iter().collect());
            let documents = |it: Vec<Fused>| it.into_iter().map(|it| it.document).collect::<Vec<_>>();
            prop_assert_eq!(&documents(fuse(&[&one], 50)), &one);
            let there = documents(fuse(&[&one, &other], 50));
            prop_assert_eq!(&there, &documents(fuse(&[&other, &one], 50)));
        }
    }
}
