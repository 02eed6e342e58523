//! `mincap`: what a cap by the tier of the channel costs where nobody lies.

use immune_reason::compat::capped;
use immune_testkit::arranged::Capped;

use super::{Engine, Published, accuracy, asked, cell, reproduced, tier, two_errors};
use crate::quick::{Ask, Found};

const ENGINES: [Engine; 3] = [Engine::Compat, Engine::LastWrite, Engine::Majority];
/// How sure of itself the truth is.
const CONFIDENCE: f64 = 0.9;
/// Tiers in thousandths.
const TIERS: [u16; 6] = [900, 700, 500, 400, 300, 200];
/// The published table, from 400 trials a cell: tier, conflict and noise in percent. There is none
/// for 0.4.
const PUBLISHED: [(u16, [f64; 2]); 5] = [
    (900, [100.0, 100.0]),
    (700, [100.0, 100.0]),
    (500, [100.0, 100.0]),
    (300, [88.0, 21.2]),
    (200, [53.8, 8.8]),
];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut rows = Vec::new();
    for (what, capped_by) in Capped::ALL {
        for at in TIERS {
            let reliability = capped(f64::from(at) / 1000.0, CONFIDENCE);
            let scenario = capped_by.scenario(reliability);
            for engine in asked(ask, &ENGINES) {
                let percent = accuracy(&scenario, engine);
                rows.push(cell(engine.name(), what, &tier(at), percent));
            }
        }
    }
    let sources = PUBLISHED.map(|(at, _)| tier(at));
    let cells = PUBLISHED.iter().zip(&sources);
    let published = cells.flat_map(|((_, percents), source)| {
        let kinds = Capped::ALL.into_iter().zip(percents);
        kinds.map(|((what, _), percent)| Published {
            engine: Engine::Compat,
            what,
            source,
            percent: *percent,
        })
    });
    let published: Vec<_> = published.collect();
    let targets = reproduced(ask, &rows, two_errors(400), &published);
    Found {
        rows,
        targets: targets.into_iter().collect(),
        ..Found::default()
    }
}
