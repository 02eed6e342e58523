//! Worlds in which it is known who mirrors whom, made from a seed: times of day as sites report
//! them. For `planted`.
//!
//! Honest sources are right more or less often and speak about some of the items. A quarter of the
//! items is hard: there all are wrong more often, half of the time with one popular value. Some
//! sources take a share of what they say from one feed that nobody sees, and say the rest by
//! themselves: they are no mirrors. One source is copied, each copy leaving out some items and
//! changing some values. Each source writes times in its own way, and they are read like those of
//! the flights.

use std::collections::{BTreeMap, BTreeSet};

use immune_testkit::random::Random;

use super::read::time_of_day;
use super::{Claim, Pair, pairs_of};
use crate::machine::float;

/// Items of one world.
const ITEMS: usize = 100;
/// Honest sources of one world, and such as share a feed; the one that is copied apart.
const HONEST: usize = 10;
const SHARERS: usize = 3;
const MINUTES: usize = 24 * 60;

/// How mirrors are planted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) copies: usize,
    /// How many values of a hundred are false at the source that is copied.
    pub(super) false_percent: usize,
    /// How many values of a hundred each copy changes.
    pub(super) changed_percent: usize,
    /// Each source says all it has to say before the next one speaks.
    pub(super) one_by_one: bool,
}

impl Cell {
    /// All that are planted: what does not say otherwise comes in a random order.
    pub(super) fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for copies in [1, 4] {
            for false_percent in [10, 30, 60] {
                for changed_percent in [0, 5, 10, 20] {
                    cells.push(Self {
                        copies,
                        false_percent,
                        changed_percent,
                        one_by_one: false,
                    });
                }
            }
        }
        cells
    }

    pub(super) fn name(self) -> String {
        let Self {
            copies,
            false_percent,
            changed_percent,
            ..
        } = self;
        format!("{copies} copies, {false_percent} % false, {changed_percent} % changed")
    }
}

/// A world: claims in the order in which they come, the truth, and who mirrors whom.
pub(super) struct World {
    pub(super) claims: Vec<Claim>,
    pub(super) truth: BTreeMap<String, String>,
    pub(super) mirrors: BTreeSet<Pair>,
}

/// What there is to say about an item: minutes of the day.
struct Item {
    truth: usize,
    popular: usize,
    is_hard: bool,
}

/// What one source says, by item.
type Said = BTreeMap<usize, usize>;

pub(super) fn plant(cell: Cell, seed: u64) -> World {
    let mut random = Random::new(seed);
    let items: Vec<Item> = (0..ITEMS).map(|_| item(&mut random)).collect();
    let original: Said = items.iter().enumerate().fold(Said::new(), |mut said, it| {
        if random.fraction() < 0.8 {
            let is_false = random.fraction() * 100.0 < float(cell.false_percent);
            let wrong = wrong_value(&mut random, it.1);
            said.insert(it.0, if is_false { wrong } else { it.1.truth });
        }
        said
    });
    let mut all: Vec<(String, Said)> = vec![("copied".to_owned(), original.clone())];
    for source in 0..HONEST {
        all.push((format!("honest-{source}"), own(&mut random, &items)));
    }
    let right = 0.5 + 0.45 * random.fraction();
    let feed = speak(&mut random, &items, right, 1.0);
    for source in 0..SHARERS {
        let shares = 0.3 + 0.55 * random.fraction();
        let mut said = own(&mut random, &items);
        for (place, value) in &mut said {
            if random.fraction() < shares {
                *value = feed.get(place).copied().unwrap_or(*value);
            }
        }
        all.push((format!("sharer-{source}"), said));
    }
    let mut names = vec!["copied".to_owned()];
    for copy in 0..cell.copies {
        let name = format!("copy-{copy}");
        names.push(name.clone());
        all.push((name, repeat(&mut random, &items, &original, cell)));
    }
    World {
        claims: claims(&mut random, all, cell.one_by_one),
        truth: (0..)
            .map(name)
            .zip(items.iter().map(|it| time(it.truth)))
            .collect(),
        mirrors: pairs_of(names.iter().map(String::as_str)),
    }
}

fn item(random: &mut Random) -> Item {
    let truth = random.below(MINUTES);
    Item {
        truth,
        popular: (truth + 1 + random.below(30)) % MINUTES,
        is_hard: random.fraction() < 0.25,
    }
}

fn wrong_value(random: &mut Random, item: &Item) -> usize {
    if random.fraction() < 0.5 {
        item.popular
    } else {
        other_value(random, item)
    }
}

fn other_value(random: &mut Random, item: &Item) -> usize {
    (item.truth + 1 + random.below(90)) % MINUTES
}

/// What a source says by itself.
fn own(random: &mut Random, items: &[Item]) -> Said {
    let right = 0.6 + 0.38 * random.fraction();
    let covers = 0.3 + 0.6 * random.fraction();
    speak(random, items, right, covers)
}

/// What a source says that is right so often and speaks about so many of the items.
fn speak(random: &mut Random, items: &[Item], right: f64, covers: f64) -> Said {
    let mut said = Said::new();
    for (place, item) in items.iter().enumerate() {
        if random.fraction() >= covers {
            continue;
        }
        let wrong = (1.0 - right) * if item.is_hard { 2.5 } else { 0.5 };
        let is_wrong = random.fraction() < wrong.min(0.9);
        let value = if is_wrong {
            wrong_value(random, item)
        } else {
            item.truth
        };
        said.insert(place, value);
    }
    said
}

/// What a copy says.
fn repeat(random: &mut Random, items: &[Item], original: &Said, cell: Cell) -> Said {
    let covers = 0.5 + 0.5 * random.fraction();
    let mut said = Said::new();
    for (place, value) in original {
        let Some(item) = items.get(*place).filter(|_| random.fraction() < covers) else {
            continue;
        };
        let is_changed = random.fraction() * 100.0 < float(cell.changed_percent);
        let value = if is_changed {
            other_value(random, item)
        } else {
            *value
        };
        said.insert(*place, value);
    }
    said
}

fn claims(random: &mut Random, mut all: Vec<(String, Said)>, one_by_one: bool) -> Vec<Claim> {
    random.shuffle(&mut all);
    let mut claims = Vec::new();
    for (format, (source, said)) in all.into_iter().enumerate() {
        claims.extend(said.into_iter().filter_map(|(place, value)| {
            Some(Claim {
                source: source.clone(),
                item: name(place),
                value: time_of_day(&cell_of(value, format))?,
            })
        }));
    }
    if !one_by_one {
        random.shuffle(&mut claims);
    }
    claims
}

fn name(place: usize) -> String {
    format!("thing-{place}/fact.value")
}

/// A time as it is compared.
fn time(minutes: usize) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// A time as one of three kinds of sites writes it.
fn cell_of(minutes: usize, format: usize) -> String {
    let (hour, minute) = (minutes / 60, minutes % 60);
    let half = if hour < 12 { "a.m." } else { "p.m." };
    let hour = (hour + 11) % 12 + 1;
    match format % 3 {
        0 => format!("{hour}:{minute:02} {half}"),
        1 => format!("12/02/2011 {hour}:{minute:02} {half}"),
        _ => format!("{hour}:{minute:02} {half} (Estimated)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_a_time_is_written_it_is_one_time() {
        for minutes in [0, 59, 60, 719, 720, 779, 1439] {
            for format in 0..3 {
                let read = time_of_day(&cell_of(minutes, format));
                assert_eq!(read, Some(time(minutes)), "{}", cell_of(minutes, format));
            }
        }
    }

    #[test]
    fn a_seed_gives_one_world_and_its_mirrors_say_the_same() {
        let cell = Cell {
            copies: 2,
            false_percent: 30,
            changed_percent: 0,
            one_by_one: false,
        };
        let (world, again) = (plant(cell, 7), plant(cell, 7));
        assert_eq!(world.claims, again.claims);
        assert_eq!(world.mirrors.len(), 3);
        let said = |source: &str| -> BTreeMap<&str, &str> {
            let claims = world.claims.iter().filter(|it| it.source == source);
            claims
                .map(|it| (it.item.as_str(), it.value.as_str()))
                .collect()
        };
        let copied = said("copied");
        let copy = said("copy-0");
        assert!(copy.len() < copied.len());
        assert!(
            copy.iter()
                .all(|(item, value)| copied.get(item) == Some(value))
        );
    }
}
