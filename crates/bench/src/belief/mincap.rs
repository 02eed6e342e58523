//! `mincap`: what a cap by the tier of the channel costs where nobody lies.

use immune_api::bench::BenchRow;
use immune_reason::compat::capped;
use immune_testkit::arranged::Capped;

use super::ours::{self, Sources};
use super::{Engine, Published, accuracy, asked, cell, reproduced, tier, two_errors};
use crate::quick::{Ask, Found, Mode};

const ENGINES: [Engine; 3] = [Engine::Compat, Engine::LastWrite, Engine::Majority];
/// Behind the name of a scenario in which the noise is no guess: it is stated as plainly as the
/// truth, through a channel of 0.25. Nobody published it; below that tier ours loses.
const PLAINLY: &str = ", stated plainly";
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
            if ask.wants(Mode::Default) {
                let named = (what, &*tier(at));
                let reading = ours::truth_through_its_tier;
                rows.push(ours::row(named, &scenario, Sources::Each, reading));
                let what = format!("{what}{PLAINLY}");
                let named = (&*what, &*tier(at));
                let reading = ours::through_its_tier;
                rows.push(ours::row(named, &scenario, Sources::Each, reading));
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
    let is_published = |row: &BenchRow| !row.what.ends_with(PLAINLY);
    let at_03 = |row: &BenchRow| {
        row.engine == Sources::Each.name() && is_published(row) && row.source == tier(300)
    };
    let worse = "ours less the published update at every tier, in percent";
    let targets = [
        ours::no_worse(worse, &rows, Sources::Each, is_published),
        ours::at_least("ours at tier 0.30, in percent", &rows, 95.0, at_03),
        reproduced(ask, &rows, two_errors(400), &published),
    ];
    Found {
        rows,
        targets: targets.into_iter().flatten().collect(),
        ..Found::default()
    }
}
