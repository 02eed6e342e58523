//! `bench flights`: 2,376 reports of 38 web sites about 100 flights, with the truth.
//!
//! Real sites that copy one another, and honest ones that agree because they are right. The
//! baselines read the cells as they stand, all at once; ours takes the claims in one by one, in
//! random orders and one site after the other, and compares times of day.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use immune_api::bench::{BenchRow, BenchTarget};
use immune_testkit::random::Random;

use super::read::{Flights, flights, time_of_day};
use super::{Answers, Claim, Pair, Score, pairs_of, published, stream};
use crate::machine::float;
use crate::quick::{Ask, Found};

/// The sites that say the same about everything they have in common, and the same often where it
/// is wrong. The last of the last group reports a third of what the other two do.
const GROUPS: [&[&str]; 5] = [
    &[
        "panynj",
        "gofox",
        "foxbusiness",
        "flightview",
        "allegiantair",
    ],
    &["airtravelcenter", "flytecomm", "helloflight", "myrateplan"],
    &["flylouisville", "flights", "businesstravellogue"],
    &["quicktrip", "flightstats"],
    &["flightaware", "wunderground", "flightwise"],
];
/// Random orders in which ours is told the claims.
const ORDERS: u64 = 4;
/// Rounds of the baselines: accuracy alone is run until it moves no more.
const ROUNDS: usize = 10;
const ROUNDS_ALONE: usize = 20;

pub(crate) fn run(ask: &Ask) -> Found {
    match ask.read(|data| flights(&folder_in(data))) {
        Ok(data) => measured(&data, ask.seed),
        Err(absent) => absent,
    }
}

/// The folder itself, or the one of this name in it.
fn folder_in(data: &Path) -> PathBuf {
    let inner = data.join("flights");
    if inner.is_dir() {
        inner
    } else {
        data.to_owned()
    }
}

fn measured(data: &Flights, seed: u64) -> Found {
    let times = by_time(data);
    let groups = GROUPS.iter().flat_map(|it| pairs_of(it.iter().copied()));
    let groups: BTreeSet<Pair> = groups.collect();
    let mut rows = vec![offered("cells", data), offered("times", &times)];
    for (what, data) in [("cells", data), ("times", &times)] {
        let majority = published::majority(&data.claims);
        let accuracy = published::accuracy(&data.claims, ROUNDS_ALONE);
        let copying = published::accuracy_with_copying(&data.claims, ROUNDS);
        rows.push(items("majority", what, "", right(&majority, &data.truth)));
        rows.push(items("accuracy", what, "", right(&accuracy, &data.truth)));
        let name = "accuracy and copying";
        rows.push(items(name, what, "", right(&copying, &data.truth)));
        rows.extend(pairs(name, what, "", Score::of(&copying.pairs, &groups)));
    }
    let (mut least_right, mut score) = (100.0_f64, Score::default());
    for (name, claims) in orders(&times.claims, seed) {
        let found = stream::told(&claims).expect("a memory takes the claims up");
        let share = right(&found, &times.truth);
        let of_order = Score::of(&found.pairs, &groups);
        rows.push(items("immune", "times", &name, share));
        let mut both = pairs("immune", "times", &name, of_order);
        if let Some(precision) = both.last_mut() {
            precision.note = Some(beside(&found.pairs, &groups));
        }
        rows.extend(both);
        least_right = least_right.min(share);
        score = score.plus(of_order);
    }
    Found {
        rows,
        targets: targets(least_right, score),
        absent: None,
    }
}

/// The orders in which ours is told the claims, each with its name: random ones, and those of one
/// source after the other with all that it says.
fn orders(claims: &[Claim], seed: u64) -> Vec<(String, Vec<Claim>)> {
    let random = (0..ORDERS).map(|order| {
        let mut claims = claims.to_vec();
        Random::new(seed.wrapping_add(order)).shuffle(&mut claims);
        (format!("order {}", order + 1), claims)
    });
    let backwards = claims.iter().rev().cloned().collect();
    let by_source = [
        ("order of the file".to_owned(), claims.to_vec()),
        ("order of the file, backwards".to_owned(), backwards),
    ];
    random.chain(by_source).collect()
}

fn targets(least_right: f64, score: Score) -> Vec<BenchTarget> {
    let target = |name: &str, value: f64, least: f64| BenchTarget {
        name: name.to_owned(),
        value,
        target: format!(">= {least}"),
        holds: value >= least,
    };
    vec![
        target(
            "items right, in the worst order, in percent",
            least_right,
            93.0,
        ),
        target(
            "pairs of the groups that are found, in percent",
            percent(score.recall()),
            100.0,
        ),
        target(
            "pairs found that are of the groups, in percent",
            percent(score.precision()),
            95.0,
        ),
    ]
}

fn offered(what: &str, data: &Flights) -> BenchRow {
    let said = |item: &String, value: &String| {
        let mut claims = data.claims.iter();
        claims.any(|it| it.item == *item && it.value == *value)
    };
    let offered = data.truth.iter().filter(|(item, value)| said(item, value));
    let share = float(offered.count()) / float(data.truth.len().max(1));
    items("whoever is right", what, "", percent(share))
}

fn percent(share: f64) -> f64 {
    (share * 10_000.0).round() / 100.0
}

fn items(engine: &str, what: &str, source: &str, percent: f64) -> BenchRow {
    BenchRow {
        engine: engine.to_owned(),
        what: format!("items right, {what}"),
        source: source.to_owned(),
        percent: Some(percent),
        ..BenchRow::default()
    }
}

fn pairs(engine: &str, what: &str, source: &str, score: Score) -> Vec<BenchRow> {
    let row = |of: &str, share: f64| BenchRow {
        engine: engine.to_owned(),
        what: format!("pairs, {of}, {what}"),
        source: source.to_owned(),
        percent: Some(percent(share)),
        note: Some(format!("{} of {} found", score.hits, score.found)),
        ..BenchRow::default()
    };
    vec![
        row("recall", score.recall()),
        row("precision", score.precision()),
    ]
}

/// The pairs that are in no group.
fn beside(found: &BTreeSet<Pair>, groups: &BTreeSet<Pair>) -> String {
    let beside = found
        .difference(groups)
        .map(|(one, other)| format!("{one} = {other}"));
    let beside: Vec<String> = beside.collect();
    format!("beside the groups: {}", beside.join(", "))
}

/// The same with the time of day that each cell states; what states none says nothing.
fn by_time(data: &Flights) -> Flights {
    let claims = data.claims.iter().filter_map(|it| {
        let value = time_of_day(&it.value)?;
        Some(Claim {
            value,
            ..it.clone()
        })
    });
    let truth = data.truth.iter();
    Flights {
        claims: claims.collect(),
        truth: truth
            .filter_map(|(item, it)| Some((item.clone(), time_of_day(it)?)))
            .collect(),
    }
}

fn right(found: &Answers, truth: &BTreeMap<String, String>) -> f64 {
    let right = truth
        .iter()
        .filter(|(item, value)| found.values.get(*item) == Some(*value));
    percent(float(right.count()) / float(truth.len().max(1)))
}
