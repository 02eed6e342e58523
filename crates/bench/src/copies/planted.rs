//! `bench mirrors`: mirrors of one source, planted among honest ones in random worlds.
//!
//! The rows `calibration` give what other thresholds would have found, on worlds of seeds that are
//! used for nothing else; those that decide follow from a prior, and were not moved to what does
//! best there. The rest is measured on other seeds, on which nothing was chosen. The pairs that are found are held against the planted ones, and what is believed
//! against a memory that counts names. No setting is fitted on real data.

use immune_api::bench::{BenchRow, BenchTarget};

use super::worlds::{Cell, World, plant};
use super::{Answers, Score, published, stream};
use crate::machine::float;
use crate::quick::{Ask, Found};

/// Worlds of one cell, each of a seed of its own: 96 in all.
const WORLDS: u64 = 4;
/// The worlds in which each source says everything before the next one speaks: one of each cell.
const ONE_BY_ONE: &str = "one source after the other";
/// From which seed on the worlds of the rows `calibration` are made, one of each cell, and from
/// which on the others.
const CALIBRATION: u64 = 0;
const UNSEEN: u64 = 500;
/// Nats for a mirror against sources of their own, and against such as share in part: what decides
/// is 10 and 0.
const NATS: [f64; 4] = [6.0, 8.0, 10.0, 14.0];
const BEYOND: [f64; 4] = [-6.0, -3.0, 0.0, 1.0];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut found = Found {
        rows: calibration(ask.seed),
        ..Found::default()
    };
    let (mut all, mut faithful) = (Sums::default(), Sums::default());
    let mut one_by_one = Sums::default();
    let mut seed = first_seed(ask.seed, UNSEEN);
    for cell in Cell::all() {
        let mut sums = Sums::default();
        for _ in 0..WORLDS {
            sums.add(&plant(cell, seed));
            seed += 1;
        }
        found.rows.extend(sums.rows(&cell.name()));
        all.join(&sums);
        if cell.false_percent >= 30 && cell.changed_percent == 0 {
            faithful.join(&sums);
        }
    }
    found.rows.extend(all.rows("all"));
    for cell in Cell::all() {
        let cell = Cell {
            one_by_one: true,
            ..cell
        };
        one_by_one.add(&plant(cell, seed));
        seed += 1;
    }
    found.rows.extend(one_by_one.rows(ONE_BY_ONE));
    found.targets = targets(&all, &faithful);
    found
}

fn first_seed(seed: u64, from: u64) -> u64 {
    seed.wrapping_mul(1_000).wrapping_add(from)
}

fn targets(all: &Sums, faithful: &Sums) -> Vec<BenchTarget> {
    let target = |name: &str, share: f64, least: f64| {
        let value = round(share * 100.0);
        BenchTarget {
            name: name.to_owned(),
            value,
            target: format!(">= {least}"),
            holds: value >= least,
        }
    };
    vec![
        target(
            "pairs of faithful mirrors of a source with 30 % false or more, F1 in percent",
            faithful.score.f1(),
            90.0,
        ),
        target(
            "pairs that are found and planted, in percent",
            all.score.precision(),
            95.0,
        ),
        target(
            "pairs that are planted and found, of all cells, F1 in percent",
            all.score.f1(),
            90.0,
        ),
    ]
}

/// What each threshold would find at the end of a world, by what is believed there.
fn calibration(seed: u64) -> Vec<BenchRow> {
    let first = first_seed(seed, CALIBRATION);
    let cells = Cell::all().into_iter().zip(first..);
    let worlds: Vec<(World, Answers)> = cells
        .map(|(cell, seed)| {
            let world = plant(cell, seed);
            let told = stream::told(&world.claims).expect("a world is taken up");
            (world, told)
        })
        .collect();
    let with = |nats: f64, beyond: f64| {
        let mut score = Score::default();
        for (world, told) in &worlds {
            let evidence = told.evidence.iter();
            let found = evidence
                .filter(|(_, it)| it.unbelieved > 0 && it.nats >= nats && it.beyond >= beyond);
            let found = found.map(|(pair, _)| pair.clone()).collect();
            score = score.plus(Score::of(&found, &world.mirrors));
        }
        BenchRow {
            engine: "immune".to_owned(),
            what: "pairs, F1".to_owned(),
            source: format!("calibration: from {nats} nats, and {beyond} beyond a share"),
            percent: Some(round(score.f1() * 100.0)),
            note: Some(noted(score)),
            ..BenchRow::default()
        }
    };
    let by_nats = NATS.iter().map(|it| with(*it, 0.0));
    let by_beyond = BEYOND.iter().filter(|it| **it != 0.0);
    by_nats.chain(by_beyond.map(|it| with(10.0, *it))).collect()
}

fn noted(score: Score) -> String {
    let Score { hits, found, right } = score;
    format!("{hits} of {right} planted, {found} found")
}

/// What was found in some worlds.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    score: Score,
    /// Items that a count of names answers wrongly, and ours rightly; and the other way round.
    prevented: usize,
    caused: usize,
    names_right: usize,
    ours_right: usize,
    items: usize,
}

impl Sums {
    fn add(&mut self, world: &World) {
        let names = published::majority(&world.claims);
        let ours = stream::told(&world.claims).expect("a world is taken up");
        let score = Score::of(&ours.pairs, &world.mirrors);
        self.score = self.score.plus(score);
        let is_right = |found: &Answers, item: &str, value: &str| {
            found.values.get(item).is_some_and(|it| it == value)
        };
        for (item, value) in &world.truth {
            let by_names = is_right(&names, item, value);
            let by_ours = is_right(&ours, item, value);
            self.prevented += usize::from(by_ours && !by_names);
            self.caused += usize::from(by_names && !by_ours);
            self.names_right += usize::from(by_names);
            self.ours_right += usize::from(by_ours);
            self.items += 1;
        }
    }

    fn join(&mut self, other: &Self) {
        self.score = self.score.plus(other.score);
        self.prevented += other.prevented;
        self.caused += other.caused;
        self.names_right += other.names_right;
        self.ours_right += other.ours_right;
        self.items += other.items;
    }

    fn rows(&self, cell: &str) -> Vec<BenchRow> {
        let row = |engine: &str, what: &str, percent: f64, note: Option<String>| BenchRow {
            engine: engine.to_owned(),
            what: what.to_owned(),
            source: cell.to_owned(),
            percent: Some(round(percent)),
            note,
            ..BenchRow::default()
        };
        let share = |n: usize| float(n) * 100.0 / float(self.items.max(1));
        vec![
            row(
                "immune",
                "pairs, F1",
                self.score.f1() * 100.0,
                Some(noted(self.score)),
            ),
            row(
                "count of names",
                "items right",
                share(self.names_right),
                None,
            ),
            row(
                "immune",
                "items right",
                share(self.ours_right),
                Some(format!(
                    "{} flips prevented, {} caused",
                    self.prevented, self.caused
                )),
            ),
        ]
    }
}

fn round(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
