//! How fast the index is, on clustered vectors. Run by hand:
//!
//! ```console
//! $ cargo run --release -p immune-vector --example speed -- 100000 384
//! ```
//!
//! The two numbers are the rows and the dimensions. `immune bench filter` measures the same beside
//! other engines; this shows what each kind of processor takes and what each step leaves.

#![expect(clippy::print_stdout, reason = "its output is the point of it")]

use std::time::{Duration, Instant};

use immune_testkit::random::Random;
use immune_testkit::vectors::Clustered;
use immune_vector::{Bitmap, Index, Kernel, Vectors, Work, dot};

const QUERIES: usize = 50;
const HITS: usize = 10;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|n| n.parse().ok());
    let n = numbers.next().unwrap_or(100_000);
    let n_dims = numbers.next().unwrap_or(384);
    let data = Clustered::new(n, n_dims, 7);
    let start = Instant::now();
    let mut index = Index::new(n_dims).expect("a number of dimensions");
    let mut vectors = Vectors::new(n_dims);
    for (row, vector) in (0..).zip(data.iter()) {
        index.add(row, Some(vector)).expect("a normalised vector");
    }
    println!(
        "added       {:.2} us each",
        start.elapsed().as_secs_f64() * 1e6 / n as f64
    );
    for (row, vector) in (0..).zip(data.iter()) {
        vectors.add(row, Some(vector));
    }
    println!("memory      {} bytes each", index.heap_bytes() / n);
    let mut bytes = Vec::new();
    let start = Instant::now();
    index.pack(&mut bytes).expect("a vector takes everything");
    let packed = start.elapsed();
    let start = Instant::now();
    let index = Index::unpack(&bytes).expect("it was packed");
    println!("packed      {packed:.1?}, unpacked {:.1?}", start.elapsed());
    drop(bytes);
    flip(n);
    let queries = data.queries(QUERIES, 11);
    for cell in [
        "100 %",
        "50 %",
        "5 %",
        "0.5 %",
        "5 % of the clusters",
        "hole300",
    ] {
        let eligible: Vec<Bitmap> = queries
            .iter()
            .map(|query| filter(cell, &data, query))
            .collect();
        println!("{cell}");
        for kernel in Kernel::here() {
            measure(kernel, &index, &vectors, &queries, &eligible, &data);
        }
    }
}

/// What a change of trust takes.
fn flip(n: usize) {
    let mut bitmap = Bitmap::up_to(n as u32);
    let mut random = Random::new(3);
    let rows: Vec<u32> = (0..50_000).map(|_| random.below(n) as u32).collect();
    let start = Instant::now();
    rows.iter().for_each(|row| bitmap.remove(*row));
    println!("flips       50,000 in {:.3?}", start.elapsed());
}

fn filter(cell: &str, data: &Clustered, query: &[f32]) -> Bitmap {
    let mut random = Random::new(5);
    let n = data.len() as u32;
    let mut share = |of: f64| (0..n).filter(|_| random.fraction() < of).collect();
    match cell {
        "50 %" => share(0.5),
        "5 %" => share(0.05),
        "0.5 %" => share(0.005),
        "hole300" => {
            let mut near: Vec<(f32, u32)> = (0..)
                .zip(data.iter())
                .map(|(row, it)| (dot(it, query), row))
                .collect();
            near.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut left = Bitmap::up_to(n);
            near.iter().take(300).for_each(|(_, row)| left.remove(*row));
            left
        }
        "100 %" => Bitmap::up_to(n),
        _ => {
            let clusters = (0..).zip(data.clusters());
            clusters
                .filter(|(_, it)| **it % 20 == 3)
                .map(|(row, _)| row)
                .collect()
        }
    }
}

fn measure(
    kernel: Kernel,
    index: &Index,
    vectors: &Vectors,
    queries: &[Vec<f32>],
    eligible: &[Bitmap],
    data: &Clustered,
) {
    let mut took: Vec<Duration> = Vec::new();
    let mut work = Work::default();
    let (mut n_found, mut n_right) = (0, 0);
    for (query, eligible) in queries.iter().zip(eligible) {
        let search = || index.search_by(kernel, query, HITS, eligible.words(), vectors.read());
        search().expect("a vector of these dimensions");
        let start = Instant::now();
        let found = search().expect("a vector of these dimensions");
        took.push(start.elapsed());
        work.n_by_signs += found.work.n_by_signs / QUERIES;
        work.n_by_codes += found.work.n_by_codes / QUERIES;
        work.n_read += found.work.n_read;
        if kernel == Kernel::best() {
            let mut near: Vec<(f32, u32)> = eligible
                .iter()
                .map(|row| (dot(data.vector(row as usize), query), row))
                .collect();
            near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            near.truncate(HITS);
            n_found += near.len();
            n_right += near
                .iter()
                .zip(&found.hits)
                .filter(|(a, b)| a.1 == b.row)
                .count();
        }
    }
    took.sort();
    let middle = took.get(QUERIES / 2).copied().unwrap_or_default();
    println!(
        "  {:<14} {:>8.3} ms  best {:>8.3} ms  by signs {}, by codes {}, read {:.1}  right {n_right} of {n_found}",
        kernel.name(),
        middle.as_secs_f64() * 1e3,
        took.first().copied().unwrap_or_default().as_secs_f64() * 1e3,
        work.n_by_signs,
        work.n_by_codes,
        work.n_read as f64 / QUERIES as f64,
    );
}
