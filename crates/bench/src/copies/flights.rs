//! `bench flights`: 2,376 reports of 38 web sites about 100 flights, with the truth.
//!
//! Real sites that copy one another, and honest ones that agree because they are right. The
//! baselines read the cells as they stand, all at once; ours takes the claims in one by one, in a
//! random order, and compares times of day.

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
    &["panynj", "gofox", "foxbusiness", "flightview", "allegiantair"],
    &["airtravelcenter", "flytecomm", "helloflight", "myrateplan"],
    &["flylouisville", "flights", "businesstravellogue"],
    &["quicktrip", "flightstats"],
    &["flightaware", "wunderground", "flightwise"],
];
/// Orders in which ours is told the claims.
const ORDERS: u64 = 5;

pub(crate) fn run(ask: &Ask) -> Found {
    let folder = ask.data.as_deref().map(folder_in);
    let read = folder.as_deref().map_or_else(
        || Err("no folder of data was given: `--data`".to_owned()),
        flights,
    );
    match read {
        Ok(data) => measured(&data, ask.seed),
        Err(absent) => Found {
            absent: Some(absent),
            ..Found::default()
        },
    }
}

/// The folder itself, or the one of this name in it.
fn folder_in(data: &Path) -> PathBuf {
    let inner = data.join("flights");
    if inner.is_dir() { inner } else { data.to_owned() }
}

fn measured(data: &Flights, seed: u64) -> Found {
    let times = by_time(data);
    let groups: BTreeSet<Pair> = GROUPS.iter().flat_map(|it| pairs_of(it.iter().copied())).collect();
    for order in 0..ORDERS {
        let mut claims = times.claims.clone();
        Random::new(seed ^ order).shuffle(&mut claims);
        let found = stream::told(&claims).expect("ok");
        let score = Score::of(&found.pairs, &groups);
        println!("order {order}: right {} pairs {score:?} {:?} missing {:?}", right(&found, &times.truth), found.pairs.difference(&groups).take(6).collect::<Vec<_>>(), groups.difference(&found.pairs).take(6).collect::<Vec<_>>());
    }
    Found::default()
}

/// The same with the time of day that each cell states; what states none says nothing.
fn by_time(data: &Flights) -> Flights {
    let claims = data.claims.iter().filter_map(|it| {
        let value = time_of_day(&it.value)?;
        Some(Claim { value, ..it.clone() })
    });
    let truth = data.truth.iter();
    Flights {
        claims: claims.collect(),
        truth: truth.filter_map(|(item, it)| Some((item.clone(), time_of_day(it)?))).collect(),
    }
}

fn right(found: &Answers, truth: &BTreeMap<String, String>) -> f64 {
    let right = truth.iter().filter(|(item, value)| found.values.get(*item) == Some(*value));
    float(right.count()) / float(truth.len().max(1))
}
