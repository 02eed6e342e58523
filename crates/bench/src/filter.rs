//! `bench filter`: the ten nearest vectors among those that may be shown, beside other engines.
//!
//! Vectors in clusters, queries near some of them, and filters that leave out ever more; the last
//! one leaves out what is nearest to each query, as after a quarantine. Beside the drawn ones those
//! of real sentences and questions, where a folder has some. Recall is the share of the ten that
//! plain products find which are found. Invariant: what is right is computed here, from every
//! vector, and peers get the same vectors, queries and filters.

mod cells;
mod ours;
mod peers;
mod real;
mod targets;

use std::collections::BTreeMap;
use std::path::PathBuf;

use immune_api::bench::{Bench, BenchRow};
use immune_vector::Kernel;

use crate::{BenchError, machine};
use cells::{Cell, Cells, Measured};

/// Rows whose figures do not depend on the machine, so that a test runs them again.
const SMALL: usize = 5_000;
/// Queries of those.
const SMALL_QUERIES: usize = 16;
/// Queries of each run.
const QUERIES: usize = 100;
/// Hits of each query.
const K: usize = 10;
/// The source of a row that is about vectors of real texts.
const REAL: &str = "real";

/// What to measure, and how.
#[derive(Debug, Clone)]
pub struct FilterOptions {
    /// How many vectors, of each run.
    pub rows: Vec<usize>,
    /// Their dimensions.
    pub n_dims: usize,
    /// What they are made from.
    pub seed: u64,
    /// Whether other engines are measured too, by `bench/peers/vectors.py`.
    pub peers: Peers,
    /// How many seconds a peer may take to build its index.
    pub limit_seconds: u32,
    /// A folder of texts, for vectors that a model makes.
    pub texts: Option<PathBuf>,
}

/// Which other engines are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peers {
    /// None.
    None,
    /// Those that can be installed.
    All,
}

/// Runs it. `say` is told what is going on, and `keep` is given what is there after each set of
/// vectors: a run with peers takes hours, and may be ended at any time.
pub fn filter(
    options: &FilterOptions,
    say: &mut dyn FnMut(&str),
    keep: &mut dyn FnMut(&Bench) -> Result<(), BenchError>,
) -> Result<Bench, BenchError> {
    let mut bench = Bench {
        bench: "filter".to_owned(),
        seed: options.seed,
        versions: BTreeMap::from([
            ("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("kernel".to_owned(), Kernel::best().name().to_owned()),
            ("machine".to_owned(), machine::processor()),
        ]),
        rows: small(options.n_dims, options.seed)?,
        targets: Vec::new(),
    };
    for n in &options.rows {
        say(&format!(
            "{n} vectors: making them, and finding what is right"
        ));
        let cells = Cells::new(*n, options.n_dims, options.seed, QUERIES);
        bench.rows.extend(measured(options, &cells, "", say)?);
        bench.targets = targets::of(&bench.rows);
        keep(&bench)?;
    }
    if let Some(folder) = &options.texts {
        say("real texts: making their vectors, and finding what is right");
        let n = options.rows.iter().copied().max().unwrap_or_default();
        let cells = real::cells(folder, n, options.seed)?;
        bench.rows.extend(measured(options, &cells, REAL, say)?);
        bench.versions.insert(REAL.to_owned(), real::model());
        bench.targets = targets::of(&bench.rows);
        keep(&bench)?;
    }
    Ok(bench)
}

/// Ours and the peers on the same vectors.
fn measured(
    options: &FilterOptions,
    cells: &Cells,
    source: &str,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<BenchRow>, BenchError> {
    let n = cells.data().len();
    say(&format!("{n} vectors: ours"));
    let mut rows = ours::rows(cells)?;
    if options.peers == Peers::All {
        rows.extend(peers::rows(options, cells, say)?);
    }
    for row in &mut rows {
        row.beliefs = n;
        source.clone_into(&mut row.source);
    }
    Ok(rows)
}

/// What is the same on every machine: recall, and how many rows each step looked at.
fn small(n_dims: usize, seed: u64) -> Result<Vec<BenchRow>, BenchError> {
    let cells = Cells::new(SMALL, n_dims, seed, SMALL_QUERIES);
    let index = ours::index(&cells)?;
    let mut rows = Vec::new();
    for cell in Cell::ALL {
        let mut measured = Measured::default();
        let mut work = [0; 3];
        for (number, query) in cells.queries().iter().enumerate() {
            let eligible = cells.eligible(cell, number);
            let found = ours::search(&cells, &index, Kernel::best(), query, &eligible)?;
            measured.add(&found.hits, cells.right(cell, number), None);
            let found = found.work;
            for (sum, n) in work
                .iter_mut()
                .zip([found.n_by_signs, found.n_by_codes, found.n_read])
            {
                *sum += n as u64;
            }
        }
        rows.push(measured.row("immune", cell));
        for (source, n) in ["looked at by signs", "by codes", "read"]
            .into_iter()
            .zip(work)
        {
            rows.push(BenchRow {
                engine: "immune".to_owned(),
                what: cell.name().to_owned(),
                source: source.to_owned(),
                answer: Some(n),
                ..BenchRow::default()
            });
        }
    }
    Ok(rows
        .into_iter()
        .map(|row| BenchRow {
            beliefs: SMALL,
            ..row
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept in the results and does not depend on the machine is what is found today.
    #[test]
    fn recall_and_the_work_of_each_step_are_those_that_are_kept() {
        let kept: serde_json::Value =
            serde_json::from_str(include_str!("../../../bench/results/filter.json")).unwrap();
        let seed = kept["seed"].as_u64().unwrap();
        let rows = kept["rows"].as_array().unwrap();
        let rows = rows
            .iter()
            .map(|it| serde_json::from_value(it.clone()).unwrap());
        let kept: Vec<BenchRow> = rows.filter(|it: &BenchRow| it.beliefs == SMALL).collect();
        assert_eq!(small(384, seed).unwrap(), kept);
        assert!(
            kept.iter().filter_map(|it| it.percent).all(|it| it >= 99.9),
            "{kept:#?}"
        );
    }

    #[test]
    fn a_run_without_peers_has_every_cell() {
        let options = FilterOptions {
            rows: vec![2_000],
            n_dims: 64,
            seed: 3,
            peers: Peers::None,
            limit_seconds: 1,
            texts: None,
        };
        let mut kept = Vec::new();
        let bench = filter(&options, &mut |_| (), &mut |it| {
            kept.push(it.rows.len());
            Ok(())
        })
        .unwrap();
        assert_eq!(kept.last(), Some(&bench.rows.len()));
        for cell in [
            "100 %",
            "50 %",
            "5 %",
            "0.5 %",
            "5 % of the clusters",
            "hole300",
        ] {
            let row = bench
                .rows
                .iter()
                .find(|it| it.what == cell && it.cpu_ms.is_some());
            assert_eq!(row.unwrap().percent, Some(100.0), "{cell}");
        }
    }
}
