//! The vectors, the queries, who may be shown, and what is right.

use immune_api::bench::BenchRow;
use immune_testkit::random::Random;
use immune_testkit::vectors::Clustered;
use immune_vector::{Bitmap, Hit, dot};

use super::K;
use crate::machine::{Took, float};

/// How many of the nearest are left out by the last filter.
const HOLE: usize = 300;
/// One of so many clusters is let through by the filter that goes by clusters.
const ONE_CLUSTER_OF: u32 = 20;

/// Which rows may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    All,
    /// A share, drawn.
    Half,
    Twentieth,
    TwoHundredth,
    /// A share of the clusters.
    Clusters,
    /// All but the nearest to the query itself.
    Hole,
}

impl Cell {
    pub(super) const ALL: [Self; 6] = [
        Self::All,
        Self::Half,
        Self::Twentieth,
        Self::TwoHundredth,
        Self::Clusters,
        Self::Hole,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::All => "100 %",
            Self::Half => "50 %",
            Self::Twentieth => "5 %",
            Self::TwoHundredth => "0.5 %",
            Self::Clusters => "5 % of the clusters",
            Self::Hole => "hole300",
        }
    }
}

/// Everything that is asked, with what is right.
#[derive(Debug)]
pub(super) struct Cells {
    data: Clustered,
    queries: Vec<Vec<f32>>,
    /// Of each cell but the last: who may be shown.
    filters: Vec<Bitmap>,
    /// Of each query: its nearest rows.
    holes: Vec<Vec<u32>>,
    /// Of each cell, of each query: the best rows.
    right: Vec<Vec<Vec<u32>>>,
}

impl Cells {
    pub(super) fn new(n: usize, n_dims: usize, seed: u64, n_queries: usize) -> Self {
        let data = Clustered::new(n, n_dims, seed);
        let queries = data.queries(n_queries, seed + 1);
        Self::of(data, queries, seed)
    }

    /// Those of these vectors and queries.
    pub(super) fn of(data: Clustered, queries: Vec<Vec<f32>>, seed: u64) -> Self {
        let (n, n_queries) = (data.len(), queries.len());
        let mut random = Random::new(seed + 2);
        let mut share =
            |of: f64| -> Bitmap { (0..n as u32).filter(|_| random.fraction() < of).collect() };
        let of_clusters = (0..).zip(data.clusters());
        let of_clusters = of_clusters.filter(|(_, it)| *it % ONE_CLUSTER_OF == 0);
        let filters = vec![
            Bitmap::up_to(n as u32),
            share(0.5),
            share(0.05),
            share(0.005),
            of_clusters.map(|(row, _)| row).collect(),
        ];
        let mut cells = Self {
            data,
            queries,
            filters,
            holes: Vec::new(),
            right: vec![Vec::new(); Cell::ALL.len()],
        };
        for query in 0..n_queries {
            cells.find_right(query);
        }
        cells
    }

    /// Compares every vector.
    fn find_right(&mut self, query: usize) {
        let Some(vector) = self.queries.get(query) else {
            return;
        };
        let products = (0..)
            .zip(self.data.iter())
            .map(|(row, it)| (dot(it, vector), row));
        let mut near: Vec<(f32, u32)> = products.collect();
        let best_first = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        for (cell, right) in self.filters.iter().zip(&mut self.right) {
            let mut shown: Vec<_> = near.iter().copied().filter(|it| cell.has(it.1)).collect();
            if shown.len() > K {
                shown.select_nth_unstable_by(K, best_first);
                shown.truncate(K);
            }
            shown.sort_by(best_first);
            right.push(shown.into_iter().map(|it| it.1).collect());
        }
        let n_near = (HOLE + K).min(near.len());
        if near.len() > n_near {
            near.select_nth_unstable_by(n_near, best_first);
            near.truncate(n_near);
        }
        near.sort_by(best_first);
        let mut rows = near.into_iter().map(|it| it.1);
        self.holes.push(rows.by_ref().take(HOLE).collect());
        if let Some(right) = self.right.last_mut() {
            right.push(rows.collect());
        }
    }

    pub(super) fn data(&self) -> &Clustered {
        &self.data
    }

    pub(super) fn queries(&self) -> &[Vec<f32>] {
        &self.queries
    }

    pub(super) fn holes(&self) -> &[Vec<u32>] {
        &self.holes
    }

    /// Who may be shown to a query.
    pub(super) fn eligible(&self, cell: Cell, query: usize) -> Bitmap {
        let filter = self.filters.get(cell as usize);
        filter.cloned().unwrap_or_else(|| {
            let mut left = Bitmap::up_to(self.data.len() as u32);
            for row in self.holes.get(query).into_iter().flatten() {
                left.remove(*row);
            }
            left
        })
    }

    /// What a query should find, best first.
    pub(super) fn right(&self, cell: Cell, query: usize) -> &[u32] {
        let of_cell = self.right.get(cell as usize);
        let right = of_cell.and_then(|it| it.get(query));
        right.map(Vec::as_slice).unwrap_or_default()
    }
}

/// What the queries of a cell came to.
#[derive(Debug, Default)]
pub(super) struct Measured {
    n_right: usize,
    n_asked: usize,
    n_short: usize,
    cpu_ms: Vec<f64>,
}

impl Measured {
    pub(super) fn add(&mut self, hits: &[Hit], right: &[u32], took: Option<Took>) {
        self.n_asked += right.len();
        self.n_right += hits.iter().filter(|it| right.contains(&it.row)).count();
        self.n_short += usize::from(hits.len() < right.len());
        self.cpu_ms.extend(took.map(|it| it.cpu_ms));
    }

    pub(super) fn row(mut self, engine: &str, cell: Cell) -> BenchRow {
        self.cpu_ms.sort_by(f64::total_cmp);
        let at = |percent: usize| self.cpu_ms.get(self.cpu_ms.len() * percent / 100).copied();
        let short = format!("{} queries got fewer than there are", self.n_short);
        BenchRow {
            engine: engine.to_owned(),
            what: cell.name().to_owned(),
            percent: Some(100.0 * float(self.n_right) / float(self.n_asked)),
            cpu_ms: at(50),
            cpu_p99_ms: at(99),
            note: (self.n_short > 0).then_some(short),
            ..BenchRow::default()
        }
    }
}
