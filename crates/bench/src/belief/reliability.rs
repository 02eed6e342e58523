//! `reliability`: what is believed where the phrasing tells how sure somebody is.

use immune_api::bench::BenchRow;
use immune_testkit::arranged::Phrased;

use super::ours::{self, Sources};
use super::{Engine, Published, accuracy, asked, cell, reproduced, two_errors};
use crate::quick::{Ask, Found, Mode};

const ENGINES: [Engine; 3] = [Engine::Compat, Engine::LastWrite, Engine::Majority];
const SOURCE: &str = "0.85 or 0.25";
/// Those who are sure are wrong: whoever goes by the phrasing loses, ours too. The row stays.
const ADVERSARIAL: &str = "adversarial";
/// The published table of the run without a model, 12 trials a cell, in the order of the
/// scenarios: what the update, the last write and the majority get right, in percent. There each
/// reliability is drawn around the two that are taken here.
const PUBLISHED: [[f64; 3]; 5] = [
    [100.0, 41.7, 100.0],
    [100.0, 100.0, 83.3],
    [100.0, 100.0, 0.0],
    [100.0, 25.0, 0.0],
    [0.0, 41.7, 50.0],
];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut rows = Vec::new();
    let mut published = Vec::new();
    for ((what, phrased), percents) in Phrased::ALL.into_iter().zip(PUBLISHED) {
        let scenario = phrased.scenario();
        for engine in asked(ask, &ENGINES) {
            rows.push(cell(
                engine.name(),
                what,
                SOURCE,
                accuracy(&scenario, engine),
            ));
        }
        if ask.wants(Mode::Default) {
            let row = |it| ours::row((what, SOURCE), &scenario, it, ours::stated_or_guessed);
            rows.extend(Sources::ALL.map(row));
        }
        let cells = ENGINES.into_iter().zip(percents);
        published.extend(cells.map(|(engine, percent)| Published {
            engine,
            what,
            source: SOURCE,
            percent,
        }));
    }
    let own = |row: &BenchRow| row.engine == Sources::One.name() && row.what != ADVERSARIAL;
    let targets = [
        ours::at_least(
            "one source whose phrasing is honest, every scenario, %",
            &rows,
            100.0,
            own,
        ),
        reproduced(ask, &rows, two_errors(12), &published),
    ];
    Found {
        rows,
        targets: targets.into_iter().flatten().collect(),
        ..Found::default()
    }
}
