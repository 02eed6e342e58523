//! The product of two vectors, the same bits on every machine.

/// Sums that are kept apart and added up at the end.
const LANES: usize = 16;

/// The product of two vectors of the same dimensions; what one has more is left out.
///
/// Sixteen sums of single precision, each over every sixteenth dimension in ascending order, are
/// added up in halves. No fused operation is used, so that every machine rounds alike.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let n = a.len().min(b.len());
    let (a, b) = (
        a.get(..n).unwrap_or_default(),
        b.get(..n).unwrap_or_default(),
    );
    let mut sums = [0.0_f32; LANES];
    let ((a_whole, a_rest), (b_whole, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a_whole.iter().zip(b_whole) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *sum += a * b;
    }
    let mut n_left = LANES;
    while n_left > 1 {
        n_left /= 2;
        let (front, back) = sums.split_at_mut(n_left);
        for (a, b) in front.iter_mut().zip(back) {
            *a += *b;
        }
    }
    let [sum, ..] = sums;
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of one product, for ever and on every machine.
    #[test]
    fn a_product_has_one_value() {
        let vector = |step: f32| {
            (0..100_u8)
                .map(|n| (f32::from(n) * step).fract() - 0.5)
                .collect()
        };
        let (a, b): (Vec<f32>, Vec<f32>) = (vector(0.377), vector(0.618));
        assert_eq!(dot(&a, &b).to_bits(), dot(&b, &a).to_bits());
        assert_eq!(dot(&a, &b).to_bits(), 1_042_677_220);
        let plain: f64 = a
            .iter()
            .zip(&b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum();
        assert!((plain - f64::from(dot(&a, &b))).abs() < 1e-5);
    }
}
