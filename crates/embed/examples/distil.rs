//! Makes the table of the embedder in the binary from a sentence transformer.
//!
//! `cargo run --release -p immune-embed --features candle --example distil -- FOLDER FILE`
//!
//! Every piece of the vocabulary goes through the encoder alone; the mean of all is taken off;
//! what is left is turned onto its principal axes, of which the first are kept; frequent pieces
//! are made to weigh less. Nothing else is read: no corpus, no questions. `tools/distil` has the
//! source with its digest, and compares the result. The computation is in double precision, so
//! that another processor, which rounds otherwise, still gives the same codes.

#![expect(
    clippy::indexing_slicing,
    reason = "matrices are square, and their indices below their size"
)]

use std::path::PathBuf;

use immune_embed::{Precision, Transformer, pack};

/// Numbers of a row: what of 384 fits 8 MB with the vocabulary.
const DIMENSIONS: usize = 256;
/// The weight of a piece of frequency `p` is `a / (a + p)` (Arora et al. 2017, who find 1e-3 to
/// 1e-4 to be good anywhere).
const FREQUENCY: f64 = 1e-3;
/// Pieces that go through the encoder at once.
const BATCH: usize = 256;
/// Rotations end when no number beside the axis is above this share of the largest on it.
const OFF_AXIS_MAX: f64 = 1e-14;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(folder), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("distil FOLDER FILE".into());
    };
    let model = Transformer::open(&folder, Precision::Double)?;
    let kept: Vec<&(String, u32)> = model
        .pieces()
        .iter()
        .filter(|it| !is_special(&it.0))
        .collect();
    let pieces: Vec<&str> = kept.iter().map(|it| it.0.as_str()).collect();
    let mut rows = Vec::new();
    for batch in kept.chunks(BATCH) {
        let numbers: Vec<u32> = batch.iter().map(|it| it.1).collect();
        rows.extend(model.alone(&numbers)?);
    }
    centre(&mut rows);
    let axes = principal_axes(covariance(&rows));
    let weights = weights(&pieces);
    let rows: Vec<Vec<f64>> = rows
        .iter()
        .zip(&weights)
        .map(|(row, weight)| {
            let on = |axis: &Vec<f64>| weight * dot(row, axis);
            axes.iter().take(DIMENSIONS).map(on).collect()
        })
        .collect();
    let mut bytes = Vec::new();
    pack(&mut bytes, &pieces, &rows)?;
    fs_err::write(&file, &bytes)?;
    Ok(())
}

/// `[CLS]`, `[unused7]` and the like, which no text has.
fn is_special(piece: &str) -> bool {
    piece.len() > 2 && piece.starts_with('[') && piece.ends_with(']')
}

/// A weight for each piece by how frequent it is.
///
/// A vocabulary lists single characters first and then words, the most frequent first; so the
/// rank of a word is its place, and the characters of ASCII, which are punctuation and what is
/// left of words, count as the most frequent of all. Other characters count by their place too.
/// The frequency of a rank is Zipf's.
fn weights(pieces: &[&str]) -> Vec<f64> {
    let is_common = |piece: &&str| piece.len() == 1;
    let (common, others): (Vec<usize>, Vec<usize>) =
        (0..pieces.len()).partition(|it| pieces.get(*it).is_some_and(is_common));
    let is_character = |it: &usize| pieces.get(*it).is_some_and(|it| it.chars().count() == 1);
    let (characters, words): (Vec<usize>, Vec<usize>) = others.into_iter().partition(is_character);
    let ranked = common.into_iter().chain(words).chain(characters);
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    let all: f64 = (1..=pieces.len()).map(|rank| 1.0 / count(rank)).sum();
    let mut weights = vec![0.0; pieces.len()];
    for (rank, place) in (1..).zip(ranked) {
        let frequency = 1.0 / (count(rank) * all);
        if let Some(weight) = weights.get_mut(place) {
            *weight = FREQUENCY / (FREQUENCY + frequency);
        }
    }
    weights
}

/// Takes the mean off every row.
fn centre(rows: &mut [Vec<f64>]) {
    let size = rows.first().map_or(0, Vec::len);
    let mut mean = vec![0.0; size];
    for row in rows.iter() {
        for (sum, number) in mean.iter_mut().zip(row) {
            *sum += number;
        }
    }
    let n_rows = f64::from(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    for row in rows {
        for (number, sum) in row.iter_mut().zip(&mean) {
            *number -= sum / n_rows;
        }
    }
}

/// The sums of products of centred rows, which have the axes of their covariance.
fn covariance(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = rows.first().map_or(0, Vec::len);
    let mut sums = vec![vec![0.0; size]; size];
    for row in rows {
        for (sums, left) in sums.iter_mut().zip(row) {
            for (sum, right) in sums.iter_mut().zip(row) {
                *sum += left * right;
            }
        }
    }
    sums
}

/// The eigenvectors of a symmetric matrix, those of the largest eigenvalues first, each turned so
/// that its largest number is above 0. Cyclic rotations (Jacobi 1846).
fn principal_axes(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let unit = |at: usize| (0..size).map(|it| f64::from(u8::from(it == at))).collect();
    let mut axes: Vec<Vec<f64>> = (0..size).map(unit).collect();
    loop {
        let largest = (0..size).map(|it| matrix[it][it].abs()).fold(0.0, f64::max);
        let mut is_done = true;
        for p in 0..size {
            for q in p + 1..size {
                if matrix[p][q].abs() > largest * OFF_AXIS_MAX {
                    is_done = false;
                    rotate(&mut matrix, &mut axes, p, q);
                }
            }
        }
        if is_done {
            break;
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|a, b| matrix[*b][*b].total_cmp(&matrix[*a][*a]));
    order
        .into_iter()
        .map(|it| turned(axes[it].clone()))
        .collect()
}

/// Makes the numbers at `p, q` zero; `axes` are kept as rows.
fn rotate(matrix: &mut [Vec<f64>], axes: &mut [Vec<f64>], p: usize, q: usize) {
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |a: &mut f64, b: &mut f64| {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    };
    let both = |rows: &mut [Vec<f64>]| {
        let (before, after) = rows.split_at_mut(q);
        for (a, b) in before[p].iter_mut().zip(&mut after[0]) {
            turn(a, b);
        }
    };
    both(matrix);
    both(axes);
    for row in matrix {
        let (before, after) = row.split_at_mut(q);
        turn(&mut before[p], &mut after[0]);
    }
}

fn turned(mut axis: Vec<f64>) -> Vec<f64> {
    let largest = axis
        .iter()
        .copied()
        .max_by(|a, b| a.abs().total_cmp(&b.abs()));
    if largest.is_some_and(|it| it < 0.0) {
        for number in &mut axis {
            *number = -*number;
        }
    }
    axis
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}
