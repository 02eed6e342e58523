//! Ours: the index, its searches, what it weighs, and what a change of trust takes.

use std::convert::Infallible;
use std::time::Instant;

use immune_api::bench::BenchRow;
use immune_testkit::random::Random;
use immune_vector::{Bitmap, Found, Index, Kernel};

use super::K;
use super::cells::{Cell, Cells, Measured};
use crate::BenchError;
use crate::machine::{Lap, float, megabytes};

/// Rows whose trust changes at once.
const FLIPS: usize = 50_000;
/// Above so many rows, only the best kernel is measured.
const ALL_KERNELS: usize = 100_000;

pub(super) fn index(cells: &Cells) -> Result<Index, BenchError> {
    let n_dims = cells.queries().first().map_or(0, Vec::len);
    let refused = BenchError::refused("an index of vectors");
    let mut index = Index::new(n_dims).map_err(refused)?;
    for (row, vector) in (0..).zip(cells.data().iter()) {
        let refused = BenchError::refused("a vector");
        index.add(row, Some(vector)).map_err(refused)?;
    }
    Ok(index)
}

pub(super) fn search(
    cells: &Cells,
    index: &Index,
    kernel: Kernel,
    query: &[f32],
    eligible: &Bitmap,
) -> Result<Found, BenchError> {
    let read = |row: u32, into: &mut [f32]| {
        into.copy_from_slice(cells.data().vector(row as usize));
        Ok::<(), Infallible>(())
    };
    let found = index.search_by(kernel, query, K, eligible.words(), read);
    found.map_err(BenchError::refused("a search"))
}

pub(super) fn rows(cells: &Cells) -> Result<Vec<BenchRow>, BenchError> {
    let n = cells.data().len();
    let lap = Lap::start();
    let index = index(cells)?;
    let mut rows = vec![timed("add the vectors", &lap)];
    rows.push(weight(&index, n));
    rows.push(opened(&index)?);
    for kernel in Kernel::here() {
        if kernel != Kernel::best() && n > ALL_KERNELS {
            continue;
        }
        let engine = if kernel == Kernel::best() {
            "immune".to_owned()
        } else {
            format!("immune, {}", kernel.name())
        };
        for cell in Cell::ALL {
            rows.push(measure(cells, &index, kernel, cell)?.row(&engine, cell));
        }
    }
    rows.push(flips(cells, &index)?);
    Ok(rows)
}

fn measure(
    cells: &Cells,
    index: &Index,
    kernel: Kernel,
    cell: Cell,
) -> Result<Measured, BenchError> {
    let mut measured = Measured::default();
    for (number, query) in cells.queries().iter().enumerate() {
        let eligible = cells.eligible(cell, number);
        if number == 0 {
            search(cells, index, kernel, query, &eligible)?;
        }
        let lap = Lap::start();
        let found = search(cells, index, kernel, query, &eligible)?;
        let took = lap.took();
        measured.add(&found.hits, cells.right(cell, number), Some(took));
    }
    Ok(measured)
}

/// Many bits, and whether the next query goes by them.
fn flips(cells: &Cells, index: &Index) -> Result<BenchRow, BenchError> {
    let n = cells.data().len();
    let mut random = Random::new(7);
    let mut rows: Vec<u32> = (0..FLIPS).map(|_| random.below(n) as u32).collect();
    let query = cells
        .queries()
        .first()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut eligible = Bitmap::up_to(n as u32);
    let before = search(cells, index, Kernel::best(), query, &eligible)?;
    rows.extend(before.hits.iter().map(|it| it.row));
    let lap = Lap::start();
    for row in &rows {
        eligible.remove(*row);
    }
    let mut row = timed("50,000 changes of trust", &lap);
    let after = search(cells, index, Kernel::best(), query, &eligible)?;
    let n_seen = after.hits.iter().filter(|it| eligible.has(it.row)).count();
    let n_right = K.min(eligible.count());
    // Of few rows, none is left.
    row.percent = (n_right > 0).then(|| 100.0 * float(n_seen) / float(n_right));
    Ok(row)
}

fn weight(index: &Index, n: usize) -> BenchRow {
    let bytes = index.heap_bytes();
    BenchRow {
        engine: "immune".to_owned(),
        what: "memory of the codes".to_owned(),
        megabytes: Some(megabytes(bytes as u64)),
        bytes_each: Some(float(bytes / n)),
        ..BenchRow::default()
    }
}

fn opened(index: &Index) -> Result<BenchRow, BenchError> {
    let mut bytes = Vec::new();
    index.pack(&mut bytes)?;
    let (lap, start) = (Lap::start(), Instant::now());
    let again = Index::unpack(&bytes);
    let mut row = timed("open the packed index", &lap);
    row.wall_ms = Some(start.elapsed().as_secs_f64() * 1e3);
    if again.is_some_and(|it| it.n_filled() == index.n_filled()) {
        return Ok(row);
    }
    Err(BenchError::refused("the packed index")("it does not open"))
}

fn timed(what: &str, lap: &Lap) -> BenchRow {
    let took = lap.took();
    BenchRow {
        engine: "immune".to_owned(),
        what: what.to_owned(),
        cpu_ms: Some(took.cpu_ms),
        ..BenchRow::default()
    }
}
