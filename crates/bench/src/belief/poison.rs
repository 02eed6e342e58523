//! `poison`: new names flood a belief that trusted sources state; and a forged trusted one.

use immune_api::bench::{BenchRow, BenchTarget};

use super::{
    Attack, Engine, LIE, Published, TRUSTED, attack, attacked, crowd, forged, never, reproduced,
    tier, truth,
};
use crate::machine::float;
use crate::quick::{Ask, Found, Mode};

const ENGINES: [Engine; 5] = [
    Engine::Immune,
    Engine::Compat,
    Engine::CompatFlat,
    Engine::LastWrite,
    Engine::Majority,
];
/// The published table of volumes, over four who are trusted.
const TIERS: [u16; 3] = [200, 500, 900];
const VOLUMES: [u32; 6] = [1, 3, 5, 10, 20, 50];
/// The published crossover: the tier in thousandths, and whether as many lies as [`CROSSED_AT`]
/// win over four, and over two.
const CROSSOVER: [(u16, [bool; 4], [bool; 4]); 8] = [
    (300, [false; 4], [false; 4]),
    (450, [false; 4], [false, true, false, false]),
    (500, [false; 4], [false, true, true, true]),
    (550, [false, false, true, true], [false, true, true, true]),
    (600, [false, true, true, true], [true; 4]),
    (700, [true; 4], [true; 4]),
    (800, [true; 4], [true; 4]),
    (900, [true; 4], [true; 4]),
];
const CROSSED_AT: [u32; 4] = [1, 3, 10, 50];

/// A flood: the tier of its channel, how many say the lie, and over how many who are trusted.
type Flood = (u16, u32, u32);

pub(crate) fn run(ask: &Ask) -> Found {
    let published = published();
    let mut floods: Vec<Flood> = published.iter().map(|it| it.0).collect();
    floods.sort_unstable();
    floods.dedup();
    let flood = |(tier, n, over): &Flood| {
        let said = truth(*over).chain(crowd(LIE, *tier, *n));
        attack(&name(*n, *over), *tier, said)
    };
    let mut attacks: Vec<Attack> = floods.iter().map(flood).collect();
    for (n, over) in [(1, 4), (1, 1), (5, 4)] {
        let name = format!("forged: {n} as trusted, over {over}");
        attacks.push(attack(&name, TRUSTED, truth(over).chain(forged(n))));
    }
    let rows = attacked(ask, &ENGINES, &attacks);
    let mut targets = targets(ask, &rows);
    let cells = published.iter();
    let cells = cells.map(|((at, n, over), engine, won)| (tier(*at), name(*n, *over), engine, won));
    let names: Vec<_> = cells.collect();
    let published = names.iter().map(|(source, what, engine, won)| Published {
        engine: **engine,
        what,
        source,
        percent: if **won { 100.0 } else { 0.0 },
    });
    targets.extend(reproduced(ask, &rows, 0.0, &published.collect::<Vec<_>>()));
    Found {
        rows,
        targets,
        ..Found::default()
    }
}

fn name(n: u32, over: u32) -> String {
    format!("new names: {n}, over {over}")
}

/// Each published cell with whether the lie wins.
fn published() -> Vec<(Flood, Engine, bool)> {
    let mut cells = Vec::new();
    for tier in TIERS {
        for n in VOLUMES {
            let flood = (tier, n, 4);
            cells.push((flood, Engine::Compat, tier == TRUSTED));
            cells.push((flood, Engine::CompatFlat, true));
            cells.push((flood, Engine::LastWrite, true));
            cells.push((flood, Engine::Majority, n >= 5));
        }
    }
    for (tier, over_four, over_two) in CROSSOVER {
        for (n, (four, two)) in CROSSED_AT
            .into_iter()
            .zip(over_four.into_iter().zip(over_two))
        {
            cells.push(((tier, n, 4), Engine::Compat, four));
            cells.push(((tier, n, 2), Engine::Compat, two));
        }
    }
    cells
}

fn targets(ask: &Ask, rows: &[BenchRow]) -> Vec<BenchTarget> {
    let is_low = |it: &BenchRow| it.source.as_str() <= "tier 0.50";
    let is_crowd = |it: &BenchRow| it.what.starts_with("new names");
    let is_one_over_four = |it: &BenchRow| it.what == "forged: 1 as trusted, over 4";
    let mut targets: Vec<BenchTarget> = [
        never("attack success at tier 0.50 and below, %", rows, is_low),
        never("attack success of new names at any tier, %", rows, is_crowd),
        never(
            "attack success of one forged 0.9 over four, %",
            rows,
            is_one_over_four,
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if ask.wants(Mode::Default) {
        let mut single = rows.iter().filter(|it| {
            it.engine == Engine::Immune.name() && it.what == "forged: 1 as trusted, over 1"
        });
        let contested = single.any(|it| it.percent == Some(0.0) && it.note.is_some());
        targets.push(BenchTarget {
            name: "one forged 0.9 against one makes it contested".to_owned(),
            value: float(usize::from(contested)),
            target: ">= 1".to_owned(),
            holds: contested,
        });
    }
    targets
}
