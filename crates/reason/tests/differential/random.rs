//! Random graphs: a script of changes for each seed and number, compared after every change; and
//! the smallest part of a script that still differs.

use crate::facts::Facts;
use crate::oracles;
use crate::world::{Change, N_SOURCES, World};

/// Past this many beliefs the subsets are enumerated at the end of a script only.
const N_BELIEFS_BRUTE: usize = 8;

/// SplitMix64: the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let mut numbers = Self(seed ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        numbers.next();
        numbers
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// About so many bits set, of the lowest `of`; at least one.
    fn bits(&mut self, n: usize, of: usize) -> u32 {
        let n = 1 + self.below(n);
        (0..n).fold(0, |mask, _| mask | 1 << self.below(of))
    }
}

/// A graph of 2 to 12 beliefs, small ones mostly, and what befalls it.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) n_beliefs: usize,
    pub(crate) changes: Vec<Change>,
}

impl Script {
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let numbers = &mut Numbers::new(seed, case);
        let n_beliefs = match numbers.below(40) {
            0 => 9 + numbers.below(4),
            1..4 => 6 + numbers.below(3),
            _ => 2 + numbers.below(5),
        };
        let mut changes = Vec::new();
        for source in 0..N_SOURCES {
            if numbers.below(2) == 0 {
                changes.push(tier(numbers, source));
            }
        }
        for _ in 0..=numbers.below(3) {
            let source = numbers.below(N_SOURCES);
            changes.push(Change::Note { source });
        }
        let n_links = n_beliefs + numbers.below(n_beliefs + 2);
        for place in 0..n_links {
            let mut change = support(numbers, n_beliefs);
            if let Change::Derive { head, .. } = &mut change
                && place < n_beliefs
            {
                *head = place;
            }
            changes.push(change);
        }
        for _ in 0..2 + numbers.below(5) {
            changes.push(change(numbers, n_beliefs));
        }
        Self { n_beliefs, changes }
    }
}

fn tier(numbers: &mut Numbers, source: usize) -> Change {
    let tier = u16::try_from(numbers.below(1001)).unwrap();
    Change::Tier { source, tier }
}

fn support(numbers: &mut Numbers, n_beliefs: usize) -> Change {
    if numbers.below(5) == 0 {
        let (heads, source) = (numbers.bits(2, n_beliefs), numbers.below(N_SOURCES));
        return Change::State { heads, source };
    }
    // Some rest on notes alone, most on beliefs, so that cycles are common.
    let (beliefs, notes) = match numbers.below(10) {
        0..3 => (0, numbers.bits(2, 3)),
        3..5 => (numbers.bits(2, n_beliefs), numbers.bits(1, 3)),
        _ => (numbers.bits(3, n_beliefs), 0),
    };
    Change::Derive {
        head: numbers.below(n_beliefs),
        beliefs,
        notes,
        agent: numbers.below(N_SOURCES),
    }
}

fn change(numbers: &mut Numbers, n_beliefs: usize) -> Change {
    let nth = numbers.below(64);
    match numbers.below(26) {
        20..22 => Change::FlagBelief { belief: nth },
        22..24 => Change::FlagObservation { nth },
        24 | 25 => {
            let minutes = u32::try_from(numbers.below(24)).unwrap();
            Change::FlagSource {
                source: nth % N_SOURCES,
                minutes: (minutes < 16).then_some(minutes),
            }
        }
        0..4 => Change::Refute {
            beliefs: numbers.bits(2, n_beliefs),
        },
        4..7 => Change::Reinstate { nth },
        7..9 => Change::Forget { belief: nth },
        9..11 => Change::Expire { nth },
        11..13 => Change::Supersede {
            nth,
            by: numbers.below(64),
        },
        13..15 => Change::CloseNote { nth },
        15 => tier(numbers, nth % N_SOURCES),
        16..18 => Change::Mirror {
            source: numbers.below(N_SOURCES),
            of: numbers.below(N_SOURCES),
        },
        _ => support(numbers, n_beliefs),
    }
}

/// What a script came to.
pub(crate) struct Outcome {
    pub(crate) world: World,
    pub(crate) n_states: u64,
}

/// Carries out a script; an error says what differs after which change.
pub(crate) fn run(start: &World, changes: &[Change]) -> Result<Outcome, String> {
    let mut world = start.clone();
    for (place, change) in changes.iter().enumerate() {
        world.take(change);
        let last = place + 1 == changes.len();
        compare(&world, last).map_err(|it| format!("after change {place}, {change:?}:\n{it}"))?;
    }
    world.state.take_changes();
    Ok(Outcome {
        world,
        n_states: changes.len() as u64,
    })
}

fn compare(world: &World, last: bool) -> Result<(), String> {
    let graph = world.facts.graph();
    let iterated = oracles::iterate(&graph);
    if (last || graph.n_beliefs <= N_BELIEFS_BRUTE) && oracles::brute(&graph) != iterated {
        return Err(format!("the oracles differ on {graph:?}"));
    }
    let (right, found) = (oracles::answers(&graph, &iterated), world.answers());
    if right == found {
        return Ok(());
    }
    Err(format!("right {right:?}\nfound {found:?}\nin {graph:?}"))
}

/// Fewer and fewer changes, as long as they still differ.
pub(crate) fn smallest(start: &World, changes: &[Change]) -> Vec<Change> {
    let mut smallest = changes.to_vec();
    let mut place = smallest.len();
    while place > 0 {
        place -= 1;
        let mut without = smallest.clone();
        without.remove(place);
        if run(start, &without).is_err() {
            smallest = without;
            place = smallest.len();
        }
    }
    smallest
}

/// How often a status occurred, so that a run that met only easy graphs is seen.
pub(crate) fn count_statuses(world: &World, counts: &mut std::collections::BTreeMap<&str, u64>) {
    for (status, _) in world.answers() {
        *counts.entry(status.name()).or_default() += 1;
    }
}

/// Whether beliefs support each other in a circle.
pub(crate) fn has_cycle(facts: &Facts) -> bool {
    let mut reaches: Vec<u32> = vec![0; facts.n_beliefs];
    for _ in 0..facts.n_beliefs {
        for link in &facts.links {
            for belief in &link.beliefs {
                reaches[*belief] |= 1 << link.head | reaches[link.head];
            }
        }
    }
    (0..facts.n_beliefs).any(|it| reaches[it] & (1 << it) != 0)
}
