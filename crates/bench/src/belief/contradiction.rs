//! `contradiction`: what is believed where statements disagree, and how fast a change is taken up.

use immune_api::bench::{BenchRow, BenchTarget};
use immune_testkit::arranged::Contradiction;

use super::forum::Voice;
use super::ours::{self, Sources};
use super::{
    Engine, LIE, Published, TRUSTED, TRUTH, accuracy, asked, attack, attacked, cell, percents,
    reproduced, said, two_errors,
};
use crate::quick::{Ask, Found, Mode};

const ENGINES: [Engine; 3] = [Engine::Compat, Engine::LastWrite, Engine::Majority];
/// Whether reliabilities tell something.
const REGIMES: [&str; 2] = ["constant reliability", "varying reliability"];
/// The published table, from 400 trials a cell, in the order of the scenarios: for each regime
/// what the update, the last write and the majority get right, in percent.
const PUBLISHED: [[[f64; 3]; 2]; 5] = [
    [[35.0, 34.8, 100.0], [100.0, 37.5, 100.0]],
    [[100.0, 100.0, 60.0], [100.0, 100.0, 61.2]],
    [[100.0, 100.0, 0.0], [100.0, 100.0, 0.0]],
    [[69.5, 100.0, 78.5], [100.0, 100.0, 80.0]],
    [[31.0, 32.8, 0.0], [100.0, 34.2, 0.0]],
];
const OWN_CHANGE: &str = "a recent change by the same source is taken up";

pub(crate) fn run(ask: &Ask) -> Found {
    let mut rows = Vec::new();
    let mut published = Vec::new();
    for ((what, scenario), percents) in Contradiction::ALL.into_iter().zip(PUBLISHED) {
        let regimes = [scenario.constant(), scenario.varying()];
        let regimes = REGIMES.into_iter().zip(regimes.iter().zip(percents));
        for (source, (scenario, percents)) in regimes {
            for engine in asked(ask, &ENGINES) {
                rows.push(cell(
                    engine.name(),
                    what,
                    source,
                    accuracy(scenario, engine),
                ));
            }
            if ask.wants(Mode::Default) {
                let row = |it| ours::row((what, source), scenario, it, ours::stated_or_guessed);
                rows.extend(Sources::ALL.map(row));
            }
            let cells = ENGINES.into_iter().zip(percents);
            published.extend(cells.map(|(engine, percent)| Published {
                engine,
                what,
                source,
                percent,
            }));
        }
    }
    rows.extend(own_change(ask));
    let own_change =
        |row: &BenchRow| row.engine == Sources::One.name() && row.what.ends_with("_change");
    let forged_over_four = |row: &BenchRow| {
        row.engine == Sources::Each.name() && row.what == "stable_noise" && row.source == REGIMES[0]
    };
    let told_apart = |row: &BenchRow| row.source == REGIMES[1] && !row.what.ends_with("_change");
    let targets = [
        taken_up(&rows),
        ours::at_least(
            "a change by the same source, every scenario, %",
            &rows,
            100.0,
            own_change,
        ),
        ours::at_least(
            "the truth of four and more sources over one to three as trusted, %",
            &rows,
            100.0,
            forged_over_four,
        ),
        ours::no_worse(
            "noise that guesses: ours less the published update, a source each, %",
            &rows,
            Sources::Each,
            told_apart,
        ),
    ];
    let mut targets: Vec<BenchTarget> = targets.into_iter().flatten().collect();
    targets.extend(reproduced(ask, &rows, two_errors(400), &published));
    Found {
        rows,
        targets,
        ..Found::default()
    }
}

/// No attack: a source that has said one thing four times says another.
fn own_change(ask: &Ask) -> Vec<BenchRow> {
    let own = [TRUTH; 4].into_iter().chain([LIE]);
    let own = own.map(|it| said(it, TRUSTED, Voice::Declared(0)));
    let engines = [
        Engine::Immune,
        Engine::Compat,
        Engine::LastWrite,
        Engine::Majority,
    ];
    attacked(ask, &engines, &[attack(OWN_CHANGE, TRUSTED, own)])
}

fn taken_up(rows: &[BenchRow]) -> Option<BenchTarget> {
    let found = percents(rows, Engine::Immune, |it| it.what == OWN_CHANGE);
    let least = found.into_iter().reduce(f64::min)?;
    Some(BenchTarget {
        name: "a recent change by the same source, %".to_owned(),
        value: least,
        target: ">= 100".to_owned(),
        holds: least >= 100.0,
    })
}
