//! Who may be to blame, and how suspicious each is beforehand.
//!
//! Invariant: a weight is at least half of the mean one, whatever was handed in. So suspicion can
//! spare calls, and can cost no more than about one call for each culprit that nobody suspected.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]

/// The candidates of a search: numbers from 0, with a weight each.
///
/// The search looks at them in the order of their weights, the heaviest first and ties by number,
/// and splits by weight (Huffman 1952: expected calls fall towards the entropy of the prior).
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// By number; the mean is 1.
    weights: Vec<f64>,
    order: Vec<usize>,
}

impl Candidates {
    /// So many, each as suspicious as any other.
    pub fn uniform(n: usize) -> Self {
        Self {
            weights: vec![1.0; n],
            order: (0..n).collect(),
        }
    }

    /// One for each of these weights: the more it weighs, the more suspicious, in any unit.
    ///
    /// Half of each weight is the mean of all. What is no number, infinite or not above 0 counts
    /// as no suspicion.
    pub fn weighted(weights: &[f64]) -> Self {
        let clean = |it: &f64| {
            if it.is_finite() && *it > 0.0 {
                *it
            } else {
                0.0
            }
        };
        let most = weights.iter().map(clean).fold(0.0, f64::max);
        if most <= 0.0 {
            return Self::uniform(weights.len());
        }
        let shares: Vec<f64> = weights.iter().map(|it| clean(it) / most).collect();
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        let weights: Vec<f64> = shares.iter().map(|it| it / mean / 2.0 + 0.5).collect();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        let weight = |it: usize| weights.get(it).copied().unwrap_or(0.0);
        order.sort_by(|one, other| weight(*other).total_cmp(&weight(*one)));
        Self { weights, order }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Their numbers, the most suspicious first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The weight of one, in means; 0 from the last one on.
    pub fn weight(&self, number: usize) -> f64 {
        self.weights.get(number).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_suspicious_comes_first_and_nobody_weighs_less_than_half_the_mean() {
        let odd = [1.0, f64::NAN, 40.0, -3.0, f64::INFINITY, 1.0, 0.0];
        let candidates = Candidates::weighted(&odd);
        assert_eq!(candidates.order(), [2, 0, 5, 1, 3, 4, 6]);
        assert!((0..7).all(|it| candidates.weight(it) >= 0.5));
        let sum: f64 = (0..7).map(|it| candidates.weight(it)).sum();
        assert!((sum - 7.0).abs() < 1e-9);
        assert_eq!(Candidates::weighted(&[f64::NAN; 3]), Candidates::uniform(3));
        assert!(Candidates::weighted(&[]).is_empty());
        assert_eq!(Candidates::weighted(&[1e308, 1e308]).order(), [0, 1]);
    }
}
