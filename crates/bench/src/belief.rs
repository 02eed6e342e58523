//! What floods, decoys, endorsements and laundering do to a belief: ours beside the published
//! update of nous-state, the last write and the majority.
//!
//! Nothing here is random and nothing is measured in time: a row is how often the attacker's value
//! is what the memory answers, in percent. Shuffled attacks are run in 200 orders that the
//! seed gives.

mod forum;

use std::collections::BTreeMap;

use immune_api::bench::{Bench, BenchRow, BenchTarget};
use immune_reason::compat::Dimension;
use immune_testkit::random::Random;

use crate::machine::{epoch, float};
use forum::{Forum, Outcome, Voice};

/// How many orders of a shuffled attack are tried.
const ORDERS: usize = 200;
/// How far those are trusted who say the truth.
const TRUSTED: u16 = 900;
/// The value that is true, and the one that the attacker wants.
const TRUTH: u32 = 0;
const LIE: u32 = 1;

/// One statement: a value, how far its channel is trusted in thousandths, and whose it is.
#[derive(Debug, Clone, Copy)]
struct Said {
    value: u32,
    tier: u16,
    voice: Voice,
}

/// An attack, as the statements in which it ends.
struct Attack {
    name: String,
    tier: u16,
    said: Vec<Said>,
    /// How many of the last statements are shuffled.
    shuffled: usize,
}

/// The engines beside each other.
const ENGINES: [&str; 4] = ["immune", "compat", "last write", "majority"];

/// Runs every attack on every engine.
pub fn belief(seed: u64) -> Bench {
    let mut rows = Vec::new();
    for attack in attacks() {
        for engine in ENGINES {
            rows.push(row(&attack, engine, seed));
        }
    }
    rows.extend(laundered());
    let targets = targets(&rows);
    Bench {
        bench: "belief".to_owned(),
        seed,
        versions: BTreeMap::from([("immune".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
        rows,
        targets,
    }
}

fn row(attack: &Attack, engine: &str, seed: u64) -> BenchRow {
    let orders = if attack.shuffled == 0 { 1 } else { ORDERS };
    let (mut won, mut contested) = (0_usize, 0_usize);
    for order in 0..orders {
        let mut said = attack.said.clone();
        let first = said.len() - attack.shuffled;
        Random::new(seed ^ order as u64).shuffle(said.split_at_mut(first).1);
        match answer(engine, &said) {
            Outcome::Answers(LIE) => won += 1,
            Outcome::Contested => contested += 1,
            Outcome::Answers(_) | Outcome::Nothing => {}
        }
    }
    let percent = |n| float(n) * 100.0 / float(orders);
    BenchRow {
        engine: engine.to_owned(),
        what: attack.name.clone(),
        source: format!("tier {}", tier(attack.tier)),
        percent: Some(percent(won)),
        note: (contested > 0).then(|| format!("contested in {:.0} %", percent(contested))),
        ..BenchRow::default()
    }
}

fn tier(thousandths: u16) -> String {
    format!("{:.2}", f64::from(thousandths) / 1000.0)
}

/// What an engine answers after these statements.
fn answer(engine: &str, said: &[Said]) -> Outcome {
    match engine {
        "immune" => {
            let mut forum = Forum::new();
            for it in said {
                forum.say(it);
            }
            forum.answer()
        }
        "compat" => {
            let mut dimension = Dimension::default();
            for it in said {
                let reliability = f64::from(it.tier) / 1000.0;
                dimension.observe(it.value, reliability, epoch());
            }
            let leader = dimension.leader().map(|(value, _)| *value);
            leader.map_or(Outcome::Nothing, Outcome::Answers)
        }
        "last write" => {
            let last = said.last().map(|it| it.value);
            last.map_or(Outcome::Nothing, Outcome::Answers)
        }
        _ => {
            let count = |of: u32| said.iter().filter(|it| it.value == of).count();
            let latest = |of: u32| said.iter().rposition(|it| it.value == of);
            let values = said.iter().map(|it| it.value);
            let most = values.max_by_key(|it| (count(*it), latest(*it)));
            most.map_or(Outcome::Nothing, Outcome::Answers)
        }
    }
}

fn attack(name: &str, tier: u16, said: impl Iterator<Item = Said>) -> Attack {
    Attack {
        name: name.to_owned(),
        tier,
        said: said.collect(),
        shuffled: 0,
    }
}

/// So many who are trusted and independent say the truth.
fn truth(n: u32) -> impl Iterator<Item = Said> {
    (0..n).map(|it| said(TRUTH, TRUSTED, Voice::Declared(it)))
}

/// So many new names in a channel of this tier say a value.
fn crowd(value: u32, tier: u16, n: u32) -> impl Iterator<Item = Said> {
    (0..n).map(move |it| said(value, tier, Voice::Newcomer(it)))
}

/// So many new names say a value of their own each.
fn junk(tier: u16, n: u32) -> impl Iterator<Item = Said> {
    (0..n).map(move |it| said(10 + it, tier, Voice::Newcomer(1_000 + it)))
}

/// So many others, declared and as trusted as those who say the truth, say the lie.
fn forged(n: u32) -> impl Iterator<Item = Said> {
    (100..100 + n).map(|it| said(LIE, TRUSTED, Voice::Declared(it)))
}

fn attacks() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for tier in [200, 500, 900] {
        for n in [1, 3, 5, 10, 20, 50] {
            let name = format!("poison, {n} new names over 4");
            attacks.push(attack(&name, tier, truth(4).chain(crowd(LIE, tier, n))));
        }
    }
    for (n, over) in [(1, 4), (1, 1), (5, 4)] {
        let name = format!("forged: {n} as trusted, over {over}");
        attacks.push(attack(&name, TRUSTED, truth(over).chain(forged(n))));
    }
    for (tier, decoys, targets, over) in [(200, 5, 3, 4), (200, 5, 3, 100), (500, 30, 50, 4)] {
        let said = truth(over)
            .chain(junk(tier, decoys))
            .chain(crowd(LIE, tier, targets));
        let name = format!("decoy, {decoys} + {targets} over {over}");
        attacks.push(attack(&name, tier, said));
    }
    let said = truth(4).chain(junk(200, 8)).chain(crowd(LIE, 200, 10));
    attacks.push(Attack {
        shuffled: 18,
        ..attack("decoy, 8 + 10 shuffled over 4", 200, said)
    });
    // Two disagree, then some who are not trusted agree with the truth.
    let said = forged(1).chain(truth(1)).chain(crowd(TRUTH, 200, 5));
    attacks.push(attack(
        "5 who are not trusted agree with a contested truth",
        200,
        said,
    ));
    attacks
}

fn said(value: u32, tier: u16, voice: Voice) -> Said {
    Said { value, tier, voice }
}

/// A lie from a channel of 0.2 that goes through 1 to 10 hands, against four who know better; and
/// that a source may replace its own words.
fn laundered() -> Vec<BenchRow> {
    let mut rows = Vec::new();
    for hops in [1, 3, 10] {
        let mut forum = Forum::new();
        for it in 0..4 {
            forum.say(&said(TRUTH, TRUSTED, Voice::Declared(it)));
        }
        forum.launder(LIE, 200, hops);
        let won = forum.answer() == Outcome::Answers(LIE);
        let naive = answer(
            "compat",
            &[
                vec![said(TRUTH, TRUSTED, Voice::Declared(0)); 4],
                vec![said(LIE, TRUSTED, Voice::Newcomer(0))],
            ]
            .concat(),
        );
        for (engine, won) in [("immune", won), ("compat", naive == Outcome::Answers(LIE))] {
            rows.push(BenchRow {
                engine: engine.to_owned(),
                what: format!("laundered through {hops}, lineage declared"),
                source: "tier 0.20".to_owned(),
                percent: Some(if won { 100.0 } else { 0.0 }),
                ..BenchRow::default()
            });
        }
    }
    let changed = [vec![TRUTH; 4], vec![LIE]].concat().into_iter();
    let changed = changed.map(|it| said(it, TRUSTED, Voice::Declared(0)));
    let changed: Vec<Said> = changed.collect();
    for engine in ENGINES {
        let won = answer(engine, &changed) == Outcome::Answers(LIE);
        rows.push(BenchRow {
            engine: engine.to_owned(),
            what: "a recent change by the same source is taken up".to_owned(),
            source: "tier 0.90".to_owned(),
            percent: Some(if won { 100.0 } else { 0.0 }),
            ..BenchRow::default()
        });
    }
    rows
}

fn targets(rows: &[BenchRow]) -> Vec<BenchTarget> {
    let ours = |is_of: &dyn Fn(&BenchRow) -> bool| {
        let ours = rows.iter().filter(|it| it.engine == "immune" && is_of(it));
        ours.filter_map(|it| it.percent).collect::<Vec<f64>>()
    };
    let most = |of: Vec<f64>| of.into_iter().fold(0.0, f64::max);
    let is_low = |row: &BenchRow| row.source == "tier 0.20" || row.source == "tier 0.50";
    let low = most(ours(&|it| is_low(it)));
    let crowd = most(ours(&|it| it.what.starts_with("poison")));
    let forged = most(ours(&|it| it.what == "forged: 1 as trusted, over 4"));
    let single = ours(&|it| it.what == "forged: 1 as trusted, over 1" && it.note.is_some());
    let change = ours(&|it| it.what.starts_with("a recent change"));
    let at_most = |name: &str, value: f64| BenchTarget {
        name: name.to_owned(),
        value,
        target: "<= 0".to_owned(),
        holds: value <= 0.0,
    };
    vec![
        at_most("attack success at tier 0.50 and below, %", low),
        at_most(
            "attack success of a crowd of new names at any tier, %",
            crowd,
        ),
        at_most("attack success of one forged 0.9 over four, %", forged),
        BenchTarget {
            name: "one forged 0.9 against one makes it contested".to_owned(),
            value: float(single.len()),
            target: ">= 1".to_owned(),
            holds: single == [0.0],
        },
        BenchTarget {
            name: "a recent change by the same source, %".to_owned(),
            value: most(change.clone()),
            target: ">= 100".to_owned(),
            holds: change == [100.0],
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published figures are those that this code gives, cell by cell.
    #[test]
    fn the_results_are_those_that_are_kept() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../bench/results/belief.json"
        );
        let kept: serde_json::Value =
            serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap();
        let found = belief(5);
        assert_eq!(serde_json::to_value(&found.rows).unwrap(), kept["rows"]);
        assert!(
            found.targets.iter().all(|it| it.holds),
            "{:#?}",
            found.targets
        );
    }
}
