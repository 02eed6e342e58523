//! A fixed rotation, so that the signs of a vector say equally much about every direction.
//!
//! Called by `code` only. Four rounds of random signs, a Hadamard transform over the largest power
//! of two of the dimensions (from the front, then from the back) and one step of Kac's walk, as
//! the fast rotation of RaBitQ (Gao and Long, SIGMOD 2024, arXiv:2405.12497) does it. Invariant:
//! lengths and products stay what they are but for the rounding of single precision, and the
//! same vector is rotated to the same bits on every machine: sums and differences in a fixed
//! order, and no fused operation.

#![expect(clippy::cast_precision_loss, reason = "dimensions are few thousand")]

use std::f32::consts::FRAC_1_SQRT_2;

const ROUNDS: usize = 4;
/// What the signs are drawn from; another number would be another version of the codes.
const SEED: u64 = 0x696d_6d75_6e65_0001;

/// A rotation for vectors of some dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Rotation {
    /// Of each round: 1 or -1 for each dimension, times what keeps the length.
    signs: [Vec<f32>; ROUNDS],
    /// The largest power of two that is not above the dimensions.
    power: usize,
}

impl Rotation {
    pub(crate) fn new(n_dims: usize) -> Self {
        let power = n_dims.checked_ilog2().map_or(0, |it| 1_usize << it);
        let mut state = SEED;
        let signs = std::array::from_fn(|_| {
            let mut sign = || {
                if splitmix(&mut state) >> 63 == 0 {
                    1.0
                } else {
                    -1.0
                }
            };
            (0..n_dims).map(|_| sign()).collect()
        });
        Self { signs, power }
    }

    /// Rotates a vector of the dimensions it is for.
    pub(crate) fn apply(&self, vector: &mut [f32]) {
        let power = self.power;
        let keeps_length = 1.0 / (power as f32).sqrt();
        for (round, signs) in self.signs.iter().enumerate() {
            for (value, sign) in vector.iter_mut().zip(signs) {
                *value *= sign;
            }
            let n_left_out = vector.len() - power;
            let from = if round % 2 == 0 { 0 } else { n_left_out };
            if let Some(part) = vector.get_mut(from..from + power) {
                hadamard(part);
                for value in part {
                    *value *= keeps_length;
                }
            }
            let (front, back) = vector.split_at_mut(vector.len() / 2);
            let n_odd = back.len() - front.len();
            let back = back.iter_mut().skip(n_odd);
            for (a, b) in front.iter_mut().zip(back) {
                (*a, *b) = ((*a + *b) * FRAC_1_SQRT_2, (*a - *b) * FRAC_1_SQRT_2);
            }
        }
    }
}

/// The Hadamard transform of so many values as a power of two, without its factor.
fn hadamard(values: &mut [f32]) {
    let mut n_together = 2;
    while n_together <= values.len() {
        // The first three are known in length, and are unrolled.
        match n_together {
            2 => values
                .as_chunks_mut::<2>()
                .0
                .iter_mut()
                .for_each(|it| step(it)),
            4 => values
                .as_chunks_mut::<4>()
                .0
                .iter_mut()
                .for_each(|it| step(it)),
            8 => values
                .as_chunks_mut::<8>()
                .0
                .iter_mut()
                .for_each(|it| step(it)),
            _ => values.chunks_exact_mut(n_together).for_each(step),
        }
        n_together *= 2;
    }
}

/// Sums and differences of the first half of some values and the second.
#[inline]
fn step(values: &mut [f32]) {
    let (front, back) = values.split_at_mut(values.len() / 2);
    for (a, b) in front.iter_mut().zip(back) {
        (*a, *b) = (*a + *b, *a - *b);
    }
}

/// The generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dot(a: &[f32], b: &[f32]) -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    }

    proptest! {
        #[test]
        fn lengths_and_products_stay(
            (a, b) in (1_usize..300).prop_flat_map(|n| {
                let vector = prop::collection::vec(-1.0_f32..1.0, n);
                (vector.clone(), vector)
            }),
        ) {
            let rotation = Rotation::new(a.len());
            let (mut c, mut d) = (a.clone(), b.clone());
            rotation.apply(&mut c);
            rotation.apply(&mut d);
            let slack = 1e-5 * (dot(&a, &a) * dot(&b, &b)).sqrt();
            prop_assert!((dot(&a, &b) - dot(&c, &d)).abs() <= slack);
        }
    }

    /// A direction that one dimension holds alone is spread over all of them.
    #[test]
    fn a_vector_of_one_dimension_is_spread() {
        for n_dims in [64, 100, 384, 1000, 1536] {
            for place in [0, n_dims / 3, n_dims - 1] {
                let mut vector = vec![0.0; n_dims];
                vector[place] = 1.0;
                Rotation::new(n_dims).apply(&mut vector);
                let most = vector.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
                assert!(
                    most < 8.0 / (n_dims as f32).sqrt(),
                    "{n_dims} {place} {most}"
                );
            }
        }
    }
}
