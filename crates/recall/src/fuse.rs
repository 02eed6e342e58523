//! Two rankings made one: by words and by meaning.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The rank that counts half as much as the first (Cormack, Clarke and Buettcher 2009).
const K: u64 = 60;
const MILLION: u64 = 1_000_000;

/// A document of a fused ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fused {
    /// Its number.
    pub document: u32,
    /// The sum of 1 / (60 + rank) over the rankings that have it, in millionths; ranks from 1.
    pub score_millionths: u64,
}

/// Reciprocal rank fusion: each ranking has documents, best first, each once. Of equal scores the
/// lower document number comes first.
pub fn fuse(rankings: &[&[u32]]) -> Vec<Fused> {
    let mut scores: BTreeMap<u32, u64> = BTreeMap::new();
    for ranking in rankings {
        for (document, rank) in ranking.iter().zip(1..) {
            *scores.entry(*document).or_default() += MILLION / (K + rank);
        }
    }
    let mut fused: Vec<Fused> = scores
        .into_iter()
        .map(|(document, score_millionths)| Fused {
            document,
            score_millionths,
        })
        .collect();
    fused.sort_by_key(|it| Reverse(it.score_millionths));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_rankings_have_comes_before_what_one_has() {
        let order = |rankings: &[&[u32]]| -> Vec<u32> {
            fuse(rankings).into_iter().map(|it| it.document).collect()
        };
        assert_eq!(order(&[&[5, 1, 2], &[2, 9]]), [2, 5, 1, 9]);
        assert_eq!(order(&[&[7, 3], &[]]), [7, 3]);
        assert_eq!(order(&[&[1, 2], &[2, 1]]), [1, 2]);
        assert_eq!(
            fuse(&[&[4], &[4]]).first().map(|it| it.score_millionths),
            Some(2 * 16_393)
        );
    }
}
