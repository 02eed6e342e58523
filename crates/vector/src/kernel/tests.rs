//! Every kernel of this processor gives what plain code gives.

use proptest::prelude::*;

use super::*;
use crate::block::Block;
use crate::code::Coder;

fn vectors(n_dims: usize, n: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
    let vector = prop::collection::vec(-1.0_f32..1.0, n_dims).prop_map(|mut vector| {
        let square = vector.iter().map(|it| it * it).sum::<f32>();
        for value in &mut vector {
            *value /= square.sqrt().max(1e-3);
        }
        vector
    });
    prop::collection::vec(vector, n)
}

/// The sums of a kernel over rows of vectors, each of them and once backwards.
fn sums(kernel: Kernel, vectors: &[Vec<f32>]) -> Vec<Vec<i32>> {
    let n_dims = vectors[0].len();
    let coder = Coder::new(n_dims).unwrap();
    let made: Vec<_> = vectors.iter().map(|it| coder.code(it).unwrap()).collect();
    let mut block = Block::default();
    for code in &made {
        block.push(Some(code), coder.n_words());
    }
    let (signs, lines) = (&block.signs, &block.lines);
    let rows: Vec<u16> = (0..vectors.len() as u16).rev().collect();
    let query = coder.query(&vectors[0]).unwrap();
    let mut found = Vec::new();
    for n in 0..=rows.len() {
        let mut out = Vec::new();
        kernel.signs(signs, &rows[n..], &query, &mut out);
        found.push(out.clone());
        kernel.dots(lines, &rows[n..], &query, &mut out);
        found.push(out);
    }
    found
}

proptest! {
    #[test]
    fn every_kernel_gives_the_sums_of_the_plain_one(
        vectors in prop::sample::select(vec![1, 2, 63, 64, 65, 127, 128, 200, 384, 500, 576, 1000])
            .prop_flat_map(|n_dims| vectors(n_dims, 19)),
    ) {
        let plain = sums(Kernel::Scalar, &vectors);
        for kernel in Kernel::here() {
            prop_assert_eq!(&sums(kernel, &vectors), &plain, "{}", kernel.name());
        }
    }

    /// The largest codes and the largest levels there are.
    #[test]
    fn sums_of_extremes_are_the_same(
        n_dims in prop::sample::select(vec![64, 384, 1000, 1024, 4096]),
        bytes in prop::collection::vec(prop::sample::select(vec![1_u8, 255, 128]), 64),
        sign in prop::bool::ANY,
    ) {
        let coder = Coder::new(n_dims).unwrap();
        let length = f32::from(u16::try_from(n_dims).unwrap()).sqrt();
        let value = if sign { 1.0 } else { -1.0 } / length;
        let query = coder.query(&vec![value; n_dims]).unwrap();
        let line = Line(bytes.try_into().unwrap());
        let lines = vec![line; query.n_words()];
        let run = |kernel: Kernel| {
            let mut out = Vec::new();
            kernel.dots(&lines, &[0], &query, &mut out);
            out
        };
        for kernel in Kernel::here() {
            prop_assert_eq!(run(kernel), run(Kernel::Scalar), "{}", kernel.name());
        }
    }
}

#[test]
fn the_best_kernel_is_here() {
    assert!(Kernel::here().any(|it| it == Kernel::best()));
    assert_eq!(Kernel::here().next(), Some(Kernel::Scalar));
}
