//! The baselines, as published: the majority, accuracy alone, and accuracy with a model of copying
//! (Dong, Berti-Equille and Srivastava, PVLDB 2009), over all claims at once and in many rounds.

use std::collections::{BTreeMap, BTreeSet};

use super::{Answers, Claim};
use crate::machine::float;

/// How many false values an item is taken to have.
const N_FALSE: usize = 10;
/// How often a copier copies.
const COPIES: f64 = 0.8;
/// How probable a copy is before anything is seen.
const PRIOR: f64 = 0.2;
/// How often a source is right before anything is seen.
const ACCURACY: f64 = 0.8;
/// Probabilities are kept this far from 0 and 1.
const EDGE: f64 = 0.01;

/// The claims by numbers.
struct Table<'a> {
    sources: Vec<&'a str>,
    items: Vec<&'a str>,
    /// By source: the item and the value of each claim.
    said: Vec<BTreeMap<usize, &'a str>>,
    /// By item: the values in the order in which they came, each with who states it.
    stated: Vec<Vec<(&'a str, Vec<usize>)>>,
}

impl<'a> Table<'a> {
    fn of(claims: &'a [Claim]) -> Self {
        let sources: BTreeSet<&str> = claims.iter().map(|it| it.source.as_str()).collect();
        let items: BTreeSet<&str> = claims.iter().map(|it| it.item.as_str()).collect();
        let (sources, items): (Vec<_>, Vec<_>) =
            (sources.into_iter().collect(), items.into_iter().collect());
        let mut said = vec![BTreeMap::new(); sources.len()];
        let mut stated: Vec<Vec<(&str, Vec<usize>)>> = vec![Vec::new(); items.len()];
        for claim in claims {
            let (Ok(source), Ok(item)) = (
                sources.binary_search(&claim.source.as_str()),
                items.binary_search(&claim.item.as_str()),
            ) else {
                continue;
            };
            let value = claim.value.as_str();
            if let Some(said) = said.get_mut(source) {
                said.insert(item, value);
            }
            let Some(values) = stated.get_mut(item) else {
                continue;
            };
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, by)) => by.push(source),
                None => values.push((value, vec![source])),
            }
        }
        Self {
            sources,
            items,
            said,
            stated,
        }
    }
}

/// The value that most sources state; of equals the one that was said first.
pub(super) fn majority(claims: &[Claim]) -> Answers {
    let table = Table::of(claims);
    let most = |values: &Vec<(&str, Vec<usize>)>| {
        let most = values.iter().map(|(_, by)| by.len()).max()?;
        let first = values.iter().find(|(_, by)| by.len() == most)?;
        Some(first.0.to_owned())
    };
    let values = table.items.iter().zip(&table.stated);
    let values = values.filter_map(|(item, values)| Some(((*item).to_owned(), most(values)?)));
    Answers {
        values: values.collect(),
        ..Answers::default()
    }
}

/// Accuracy alone, in so many rounds.
pub(super) fn accuracy(claims: &[Claim], rounds: usize) -> Answers {
    run(claims, rounds, false)
}

/// Accuracy with copying, in so many rounds.
pub(super) fn accuracy_with_copying(claims: &[Claim], rounds: usize) -> Answers {
    run(claims, rounds, true)
}

fn run(claims: &[Claim], rounds: usize, with_copying: bool) -> Answers {
    let table = Table::of(claims);
    let mut accuracy = vec![ACCURACY; table.sources.len()];
    let mut truth: Vec<Vec<f64>> = table.stated.iter().map(|it| shares(it)).collect();
    let mut copies = vec![vec![0.0; table.sources.len()]; table.sources.len()];
    for _ in 0..rounds {
        if with_copying {
            copies = copying(&table, &truth, &accuracy);
        }
        truth = table
            .stated
            .iter()
            .map(|it| probabilities(it, &accuracy, &copies))
            .collect();
        accuracy = accuracies(&table, &truth);
    }
    let best = |item: usize| {
        let values = table.stated.get(item)?.iter().zip(truth.get(item)?);
        let best = values.reduce(|one, other| if other.1 > one.1 { other } else { one })?;
        Some(best.0.0.to_owned())
    };
    let values = table.items.iter().enumerate();
    let values = values.filter_map(|(place, item)| Some(((*item).to_owned(), best(place)?)));
    let mut pairs = BTreeSet::new();
    for (one, row) in copies.iter().enumerate() {
        for (other, probable) in row.iter().enumerate().skip(one + 1) {
            if *probable > 0.5
                && let (Some(one), Some(other)) = (table.sources.get(one), table.sources.get(other))
            {
                pairs.insert(((*one).to_owned(), (*other).to_owned()));
            }
        }
    }
    Answers {
        values: values.collect(),
        pairs,
        ..Answers::default()
    }
}

fn shares(values: &[(&str, Vec<usize>)]) -> Vec<f64> {
    let all: usize = values.iter().map(|(_, by)| by.len()).sum();
    let share = |by: &Vec<usize>| float(by.len()) / float(all.max(1));
    values.iter().map(|(_, by)| share(by)).collect()
}

fn at(values: &[f64], place: usize) -> f64 {
    values.get(place).copied().unwrap_or(0.0)
}

/// How probable each value is: each source votes with the log-odds of its accuracy, less the more
/// it copies those that voted before it, the most accurate first.
fn probabilities(values: &[(&str, Vec<usize>)], accuracy: &[f64], copies: &[Vec<f64>]) -> Vec<f64> {
    let vote = |by: &Vec<usize>| {
        let mut by = by.clone();
        by.sort_by(|one, other| at(accuracy, *other).total_cmp(&at(accuracy, *one)));
        let mut votes = 0.0;
        for (place, source) in by.iter().enumerate() {
            let before = by.iter().take(place);
            let row = copies.get(*source).map_or(&[][..], Vec::as_slice);
            let own: f64 = before.map(|it| 1.0 - COPIES * at(row, *it)).product();
            let right = at(accuracy, *source).clamp(EDGE, 1.0 - EDGE);
            votes += own * (float(N_FALSE) * right / (1.0 - right)).ln();
        }
        votes
    };
    let votes: Vec<f64> = values.iter().map(|(_, by)| vote(by)).collect();
    let most = votes.iter().copied().fold(f64::MIN, f64::max);
    let unsaid = (N_FALSE + 1).saturating_sub(values.len());
    let sum: f64 = votes.iter().map(|it| (it - most).exp()).sum();
    let sum = sum + float(unsaid) * (-most).exp();
    votes.iter().map(|it| (it - most).exp() / sum).collect()
}

fn accuracies(table: &Table<'_>, truth: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; table.sources.len()];
    for (values, truth) in table.stated.iter().zip(truth) {
        for ((_, by), probable) in values.iter().zip(truth) {
            for source in by {
                if let Some(sum) = sums.get_mut(*source) {
                    *sum += probable;
                }
            }
        }
    }
    let means = sums.iter().zip(&table.said);
    means
        .map(|(sum, said)| sum / float(said.len().max(1)))
        .collect()
}

/// How probable it is for each pair that one copies the other.
fn copying(table: &Table<'_>, truth: &[Vec<f64>], accuracy: &[f64]) -> Vec<Vec<f64>> {
    let n_sources = table.sources.len();
    let mut copies = vec![vec![0.0; n_sources]; n_sources];
    for one in 0..n_sources {
        for other in one + 1..n_sources {
            let odds = log_odds_of_copy(table, truth, accuracy, (one, other));
            let probable = 1.0 / (1.0 + (-odds.clamp(-50.0, 50.0)).exp());
            for (from, to) in [(one, other), (other, one)] {
                if let Some(slot) = copies.get_mut(from).and_then(|it| it.get_mut(to)) {
                    *slot = probable;
                }
            }
        }
    }
    copies
}

fn log_odds_of_copy(
    table: &Table<'_>,
    truth: &[Vec<f64>],
    accuracy: &[f64],
    (one, other): (usize, usize),
) -> f64 {
    let wrong = |source: usize| (1.0 - at(accuracy, source)).clamp(EDGE, 1.0 - EDGE);
    let both_right = (1.0 - wrong(one)) * (1.0 - wrong(other));
    let both_wrong = wrong(one) * wrong(other) / float(N_FALSE);
    let mean = f64::midpoint(wrong(one), wrong(other));
    let same_right = (((1.0 - mean) * COPIES + both_right * (1.0 - COPIES)) / both_right).ln();
    let same_wrong = ((mean * COPIES + both_wrong * (1.0 - COPIES)) / both_wrong).ln();
    let mut odds = (PRIOR / (1.0 - PRIOR)).ln();
    let (Some(ours), Some(theirs)) = (table.said.get(one), table.said.get(other)) else {
        return odds;
    };
    for (item, value) in ours {
        let Some(theirs) = theirs.get(item) else {
            continue;
        };
        if value != theirs {
            odds += (1.0 - COPIES).ln();
            continue;
        }
        let values = table.stated.get(*item).into_iter().flatten();
        let place = values.into_iter().position(|(known, _)| known == value);
        let probable = place.and_then(|it| truth.get(*item)?.get(it).copied());
        let right = probable.unwrap_or(0.0);
        odds += right * same_right + (1.0 - right) * same_wrong;
    }
    odds
}
