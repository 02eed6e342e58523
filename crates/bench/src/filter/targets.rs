//! What is asked of the filtered search, held against the rows.

use immune_api::bench::{BenchRow, BenchTarget};

use super::REAL;
use super::cells::Cell;
use crate::targets::{at_least, at_most};

/// CPU of a query in milliseconds at most: size, and each cell in turn.
const MOST: [(usize, [f64; 6]); 2] = [
    (100_000, [8.0, 5.0, 0.25, 0.03, 0.25, 8.0]),
    (1_000_000, [15.0, 13.0, 3.0, 0.5, 3.0, 16.0]),
];
/// Recall of every cell in percent, at least.
const RECALL: f64 = 99.9;
/// What 50,000 changes of trust may take, in milliseconds.
const FLIPS: f64 = 1.0;

/// The targets that these rows can answer.
pub(super) fn of(rows: &[BenchRow]) -> Vec<BenchTarget> {
    let mut targets = Vec::new();
    let key = |it: &BenchRow| (it.beliefs, it.source == REAL);
    let mut sets: Vec<(usize, bool)> = rows.iter().map(key).collect();
    sets.dedup();
    for set in sets {
        let rows: Vec<&BenchRow> = rows.iter().filter(|it| key(it) == set).collect();
        of_set(set, &rows, &mut targets);
    }
    targets
}

/// The targets of so many vectors, drawn or real.
fn of_set((size, is_real): (usize, bool), rows: &[&BenchRow], targets: &mut Vec<BenchTarget>) {
    let n = if is_real {
        format!("{size} real")
    } else {
        size.to_string()
    };
    let ours = |it: &&&BenchRow| it.engine == "immune";
    let recalls = rows.iter().filter(ours).filter_map(|it| it.percent);
    targets.push(at_least(
        format!("recall of every cell at {n}, percent"),
        recalls.fold(100.0, f64::min),
        RECALL,
    ));
    let most = MOST.iter().find(|(of, _)| *of == size);
    for (place, cell) in Cell::ALL.into_iter().enumerate() {
        let name = cell.name();
        let of_cell = |it: &&&BenchRow| it.what == name && it.cpu_ms.is_some();
        let Some(own) = rows.iter().filter(ours).find(of_cell) else {
            continue;
        };
        let cpu = own.cpu_ms.unwrap_or(f64::INFINITY);
        if let Some(most) = most.and_then(|(_, most)| most.get(place)) {
            let name = format!("{name} at {n}, CPU ms");
            targets.push(at_most(name, cpu, *most));
        }
        let recall = own.percent.unwrap_or(0.0).min(RECALL);
        let equal = rows
            .iter()
            .filter(|it| !it.engine.starts_with("immune"))
            .filter(of_cell);
        let equal = equal.filter(|it| it.percent.is_some_and(|it| it >= recall));
        let best = equal.filter_map(|it| it.cpu_ms).min_by(f64::total_cmp);
        if let Some(best) = best.filter(|_| place > 0) {
            let name = format!("{name} at {n}, the fastest peer of equal recall, times ours");
            targets.push(at_least(name, best / cpu, 1.0));
        }
    }
    let flips = rows.iter().find(|it| it.what.ends_with("changes of trust"));
    if let Some(cpu) = flips.and_then(|it| it.cpu_ms) {
        targets.push(at_most(
            format!("50,000 changes of trust at {n}, CPU ms"),
            cpu,
            FLIPS,
        ));
    }
}
