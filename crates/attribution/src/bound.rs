//! What information allows: the fewest calls that tell `k` culprits of `n`.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of candidates are far below 2^52"
)]

/// `log2 C(n, k)`: the bits that tell `k` of `n` from as many others; 0 where there is no such set.
///
/// Each call of an oracle tells one bit at most, so that no search needs fewer on average.
pub fn bits(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    let factor = |it: usize| ((n - it) as f64 / (it + 1) as f64).log2();
    (0..k.min(n - k)).map(factor).sum()
}

/// What one call tells, in bits, when its verdict is wrong this often: `1 - H(flip)`, the capacity
/// of a binary symmetric channel (Shannon 1948). 1 at a flip rate of 0 and 0 at one half.
pub fn capacity(flip: f64) -> f64 {
    if flip <= 0.0 {
        return 1.0;
    }
    if flip >= 0.5 {
        return 0.0;
    }
    1.0 + flip * flip.log2() + (1.0 - flip) * (1.0 - flip).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_the_tables() {
        for (n, k, expected) in [
            (10, 2, 5.49),
            (100, 1, 6.64),
            (100, 3, 17.30),
            (1000, 4, 35.27),
        ] {
            assert!((bits(n, k) - expected).abs() < 0.01, "{n} {k}");
        }
        assert_eq!(
            (bits(3, 4), bits(5, 0), bits(5, 5), bits(0, 0)),
            (0.0, 0.0, 0.0, 0.0)
        );
        assert!((bits(100, 3) / capacity(0.10) - 32.6).abs() < 0.1);
        let found = [0.0, 0.5, 0.7].map(|it| capacity(it).to_bits());
        assert_eq!(found, [1.0_f64, 0.0, 0.0].map(f64::to_bits));
    }
}
