//! Several rankings to one, by their scores or by their ranks.
//!
//! Called by whoever asks the words and the vectors. [`combine`] adds scores (`CombSUM`, Fox and
//! Shaw, TREC-2 1994): those of the words as a share of the best one (Lee, SIGIR 1997), a cosine
//! as it is. [`fuse`] adds reciprocal ranks (Cormack, Clarke and Büttcher, SIGIR 2009): it needs
//! no scores, and so takes a list of anything, as the same documents with the newest first; but a
//! rank says less than a score, since some document is always the tenth. Neither is fitted.
//! Invariant: the result depends on the lists alone, and not on their order; equal scores are
//! ordered by document number.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a whole score is: that of the best match of words, or of an equal vector.
const MILLION: u64 = 1_000_000;

/// One document with what the words and the vectors say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Combined {
    /// Its number.
    pub document: u32,
    /// The share of the best score of words, in millionths.
    pub words_millionths: u64,
    /// The cosine with the question, in millionths; 0 where it is below.
    pub near_millionths: u64,
}

impl Combined {
    /// The sum of both, from 0 to two millions.
    pub fn score_millionths(&self) -> u64 {
        self.words_millionths + self.near_millionths
    }
}

/// Adds what the words and the vectors say, and keeps the best `n_max`.
///
/// `words` has scores of BM25, `near` cosines; a document that a list leaves out has 0 in it.
///
/// ```
/// use immune_recall::combine;
///
/// let found = combine(&[(7, 8_000), (3, 4_000)], &[(3, 0.75), (9, 0.25)], 10);
/// assert_eq!(found.iter().map(|it| it.document).collect::<Vec<_>>(), [3, 7, 9]);
/// assert_eq!(found[0].score_millionths(), 1_250_000);
/// ```
pub fn combine(words: &[(u32, u64)], near: &[(u32, f32)], n_max: usize) -> Vec<Combined> {
    let mut combined: BTreeMap<u32, Combined> = BTreeMap::new();
    let empty = |document| Combined {
        document,
        words_millionths: 0,
        near_millionths: 0,
    };
    let best = words.iter().map(|it| it.1).max().unwrap_or(0).max(1);
    for (document, score) in words {
        let one = combined
            .entry(*document)
            .or_insert_with(|| empty(*document));
        let share = u128::from(*score) * u128::from(MILLION) / u128::from(best);
        one.words_millionths = share as u64;
    }
    for (document, cosine) in near {
        let one = combined
            .entry(*document)
            .or_insert_with(|| empty(*document));
        #[expect(clippy::cast_sign_loss, reason = "it is from 0 to 1")]
        let millionths = (f64::from(cosine.clamp(0.0, 1.0)) * 1e6).round() as u64;
        one.near_millionths = millionths;
    }
    let mut combined: Vec<Combined> = combined.into_values().collect();
    combined.sort_by_key(|it| (Reverse(it.score_millionths()), it.document));
    combined.truncate(n_max);
    combined
}

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
        assert_eq!(shown, [(3, 32_002_047), (1, 16_393_442), (4, 16_393_442)]);
        assert_eq!(fuse(&[], 3), []);
        assert_eq!(fuse(&[&[], &[]], 3), []);
    }

    #[test]
    fn scores_are_shares_of_the_best_and_cosines_are_what_they_are() {
        let found = combine(&[(1, 3), (2, 1)], &[(2, 0.9), (3, -0.5), (4, f32::NAN)], 9);
        let shown: Vec<(u32, u64, u64)> = found
            .iter()
            .map(|it| (it.document, it.words_millionths, it.near_millionths))
            .collect();
        let right = [
            (2, 333_333, 900_000),
            (1, 1_000_000, 0),
            (3, 0, 0),
            (4, 0, 0),
        ];
        assert_eq!(shown, right);
        assert_eq!(combine(&[], &[], 9), []);
        assert_eq!(combine(&[(1, 0), (2, u64::MAX)], &[], 1).len(), 1);
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
