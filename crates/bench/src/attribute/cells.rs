//! A cell: so many candidates and culprits, how they act, how often verdicts err; run and scored.

use immune_api::bench::BenchRow;
use immune_attribution::{Subset, bound};
use immune_testkit::random::Random;

use super::engines::{Answer, Engine};
use super::round;
use super::scene::{Scene, Shape};
use crate::machine::{Lap, float};

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) shape: Shape,
    pub(crate) flip: f64,
}

impl Cell {
    /// One to four culprits in every shape that so many can have.
    pub(crate) fn all(n: usize, flip: f64) -> Vec<Self> {
        let shapes = |k: usize| match k {
            1 => 1,
            2 => 2,
            _ => 3,
        };
        let of = |k| {
            Shape::ALL
                .into_iter()
                .take(shapes(k))
                .map(move |it| (k, it))
        };
        let cell = |(k, shape)| Self { n, k, shape, flip };
        (1..=4).flat_map(of).map(cell).collect()
    }

    /// How often it is drawn for an engine, the same draws first. Ours is held against a bound, with
    /// margins below a tenth of a call; calls differ by about one from draw to draw, so that the
    /// standard error of a mean is 0.07 over two hundred draws, and 0.02 over two thousand.
    pub(crate) fn n_draws(&self, engine: Engine) -> usize {
        match (self.flip > 0.0, self.n) {
            (true, 201..) => 50,
            (true, _) => 100,
            (false, _) if engine.is_ours() && self.shape != Shape::Mixed => 2_000,
            (false, _) => 200,
        }
    }

    /// What tells its culprits from as many others, in bits.
    pub(crate) fn bits(&self) -> f64 {
        bound::bits(self.n, self.k)
    }

    /// And in calls.
    pub(crate) fn bound(&self) -> f64 {
        self.bits() / bound::capacity(self.flip)
    }

    fn draw(&self, seed: u64, draw: usize) -> Scene {
        let parts = [self.n, self.k, draw].map(|it| it as u64);
        let mut random = Random::new(parts.iter().fold(seed, |seed, it| {
            Random::new(seed ^ it.wrapping_mul(0x9e37_79b9)).bits()
        }));
        let random = Random::new(random.bits());
        Scene::draw(self.n, self.k, self.shape, self.flip, random)
    }
}

/// What an engine did in a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Score {
    pub(crate) n_draws: usize,
    pub(crate) n_right: usize,
    calls: Calls,
    calls_found: Calls,
}

/// Calls of all draws.
#[derive(Debug, Clone, Copy, Default)]
struct Calls {
    sum: usize,
    most: usize,
}

impl Calls {
    fn add(&mut self, calls: usize) {
        self.sum += calls;
        self.most = self.most.max(calls);
    }
}

pub(crate) fn run(cell: &Cell, engine: Engine, seed: u64) -> Score {
    let mut score = Score::default();
    for draw in 0..cell.n_draws(engine) {
        let mut scene = cell.draw(seed, draw);
        let answer = engine.answer(cell.n, cell.flip, &mut scene);
        score.n_draws += 1;
        score.n_right += usize::from(is_right(cell, &scene, &answer));
        score.calls.add(answer.calls);
        score.calls_found.add(answer.calls_found);
    }
    score
}

/// The exact culprits and how they act; of mixed ones that the answer passes without the
/// correction.
fn is_right(cell: &Cell, scene: &Scene, answer: &Answer) -> bool {
    let rest = Subset::all(cell.n).without(&answer.correction);
    if cell.shape == Shape::Mixed {
        return !scene.is_wrong(&rest);
    }
    let none = Subset::none(cell.n);
    let culprits = scene.causes.iter().fold(none, |all, it| all.with(it));
    let same = |causes: &[Subset]| {
        causes.len() == scene.causes.len() && causes.iter().all(|it| scene.causes.contains(it))
    };
    answer.culprits == culprits
        && answer
            .causes
            .as_deref()
            .is_none_or(|it| same(it) && !scene.is_wrong(&rest))
}

impl Score {
    /// On average, with the replays that prove what was found.
    pub(crate) fn calls(&self) -> f64 {
        float(self.calls.sum) / float(self.n_draws)
    }

    /// And without them.
    pub(crate) fn calls_found(&self) -> f64 {
        float(self.calls_found.sum) / float(self.n_draws)
    }

    pub(crate) fn percent(&self) -> f64 {
        100.0 * float(self.n_right) / float(self.n_draws)
    }

    /// The row of an engine; of the search one more, of the calls before the replays.
    pub(crate) fn rows(&self, cell: &Cell, engine: Engine) -> Vec<BenchRow> {
        let row = |engine: String, calls: Calls| {
            let mean = float(calls.sum) / float(self.n_draws);
            BenchRow {
                engine,
                what: format!("{} {}", cell.k, cell.shape.name()),
                source: format!("of {}, flip {:.2}", cell.n, cell.flip),
                calls: Some(round(mean)),
                calls_max: Some(calls.most as u64),
                calls_bound: Some(round(cell.bound())),
                ratio: Some(round(mean / cell.bound())),
                percent: Some(round(self.percent())),
                ..BenchRow::default()
            }
        };
        let mut rows = Vec::new();
        if engine == Engine::Search {
            rows.push(row("immune".to_owned(), self.calls_found));
        }
        rows.push(row(engine.name(), self.calls));
        rows
    }
}

/// CPU of a search for each call, in milliseconds, with the little that this oracle takes: four
/// culprits, each alone.
pub(crate) fn overhead(n: usize, flip: f64, seed: u64) -> f64 {
    let cell = Cell {
        n,
        k: 4,
        shape: Shape::Alone,
        flip,
    };
    let (mut spent, mut calls) = (0.0, 0);
    for draw in 0..20 {
        let mut scene = cell.draw(seed, draw);
        let lap = Lap::start();
        calls += Engine::Search.answer(n, flip, &mut scene).calls;
        spent += lap.took().cpu_ms;
    }
    spent / float(calls)
}
