//! `bench mirrors`: mirrors of one source, planted among honest ones in random worlds.
//!
//! Honest sources are right more or less often, and share popular mistakes; one of them is copied
//! so many times, with so many of its values false and so many of the copies' values changed. The
//! pairs that are found are held against the planted ones, and what is believed against a memory
//! that counts names. No setting is fitted on these worlds or on any other data.

use std::collections::{BTreeMap, BTreeSet};

use immune_api::bench::{BenchRow, BenchTarget};
use immune_testkit::random::Random;

use super::{Answers, Claim, Pair, Score, pairs_of, published, stream};
use crate::machine::float;
use crate::quick::{Ask, Found};

/// Items of one world.
const ITEMS: usize = 100;
/// Honest sources of one world, the one that is copied apart.
const HONEST: usize = 12;
/// False values of an item that nobody is drawn to.
const RARE: usize = 8;
/// Worlds of one cell.
const WORLDS: u64 = 1;

/// How mirrors are planted.
#[derive(Debug, Clone, Copy)]
struct Cell {
    copies: usize,
    /// How many values of a hundred are false at the source that is copied.
    false_percent: u32,
    /// How many values of a hundred each copy changes.
    changed_percent: u32,
}

/// A world: claims in the order in which they come, the truth, and who mirrors whom.
struct World {
    claims: Vec<Claim>,
    truth: BTreeMap<String, String>,
    mirrors: BTreeSet<Pair>,
}

pub(crate) fn run(ask: &Ask) -> Found {
    let mut found = Found::default();
    let mut all = Sums::default();
    let mut faithful = Sums::default();
    for cell in cells() {
        let mut sums = Sums::default();
        for world in 0..WORLDS {
            sums.add(&plant(
                cell,
                ask.seed.wrapping_mul(1_000).wrapping_add(world),
            ));
        }
        found.rows.extend(sums.rows(&cell.name()));
        all.join(&sums);
        if cell.false_percent >= 30 && cell.changed_percent == 0 {
            faithful.join(&sums);
        }
    }
    found.rows.extend(all.rows("all"));
    let f1 = round(faithful.score.f1() * 100.0);
    let precision = round(all.score.precision() * 100.0);
    found.targets = vec![
        BenchTarget {
            name: "pairs of faithful mirrors of a source with 30 % false or more, F1 in percent"
                .to_owned(),
            value: f1,
            target: ">= 90".to_owned(),
            holds: f1 >= 90.0,
        },
        BenchTarget {
            name: "pairs that are found and planted, in percent".to_owned(),
            value: precision,
            target: ">= 95".to_owned(),
            holds: precision >= 95.0,
        },
    ];
    found
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for copies in [1, 4] {
        for false_percent in [10, 30, 60] {
            for changed_percent in [0, 5, 10, 20] {
                cells.push(Cell {
                    copies,
                    false_percent,
                    changed_percent,
                });
            }
        }
    }
    cells
}

impl Cell {
    fn name(self) -> String {
        let Self {
            copies,
            false_percent,
            changed_percent,
        } = self;
        format!("{copies} copies, {false_percent} % false, {changed_percent} % changed")
    }
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
        let Score { hits, found, right } = self.score;
        vec![
            row(
                "immune",
                "pairs, F1",
                self.score.f1() * 100.0,
                Some(format!("{hits} of {right} planted, {found} found")),
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

fn plant(cell: Cell, seed: u64) -> World {
    let mut random = Random::new(seed);
    let mut said: Vec<(String, BTreeMap<usize, String>)> = Vec::new();
    let copied_right = 1.0 - f64::from(cell.false_percent) / 100.0;
    said.push(("copied".to_owned(), speak(&mut random, copied_right, 0.8)));
    for source in 0..HONEST {
        let right = 0.6 + 0.38 * random.fraction();
        said.push((format!("honest-{source}"), speak(&mut random, right, 0.6)));
    }
    let original = said.first().map(|it| it.1.clone()).unwrap_or_default();
    let mut names = vec!["copied".to_owned()];
    for copy in 0..cell.copies {
        let changed = f64::from(cell.changed_percent) / 100.0;
        let copied = original.iter().map(|(item, value)| {
            let value = if random.fraction() < changed {
                format!("{item}-rare-{}", random.below(RARE))
            } else {
                value.clone()
            };
            (*item, value)
        });
        let name = format!("copy-{copy}");
        said.push((name.clone(), copied.collect()));
        names.push(name);
    }
    let item = |it: usize| format!("thing-{it}/fact.value");
    let mut claims: Vec<Claim> = Vec::new();
    for (source, values) in &said {
        claims.extend(values.iter().map(|(place, value)| Claim {
            source: source.clone(),
            item: item(*place),
            value: value.clone(),
        }));
    }
    random.shuffle(&mut claims);
    World {
        claims,
        truth: (0..ITEMS).map(|it| (item(it), truth(it))).collect(),
        mirrors: pairs_of(names.iter().map(String::as_str)),
    }
}

fn truth(item: usize) -> String {
    format!("{item}-true")
}

/// What a source says that is right so often and speaks about so many of the items.
fn speak(random: &mut Random, right: f64, covers: f64) -> BTreeMap<usize, String> {
    let mut said = BTreeMap::new();
    for item in 0..ITEMS {
        if random.fraction() >= covers {
            continue;
        }
        let value = if random.fraction() < right {
            truth(item)
        } else if random.fraction() < 0.5 {
            format!("{item}-popular")
        } else {
            format!("{item}-rare-{}", random.below(RARE))
        };
        said.insert(item, value);
    }
    said
}
