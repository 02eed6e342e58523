//! `bench poisoned`: what recall shows when somebody has written false answers into the memory.
//!
//! Each question has honest texts from a channel that is trusted and false ones, made to be found,
//! from one that is not: first those that were published, then copies of them that are edited. Ours
//! is a memory written to and asked through a session, by words and by meaning; beside it stands the
//! same memory asked with the least floor that there is, which is a memory without trust. Nothing is
//! fitted: the tiers are round numbers on both sides of the floor that everybody has.

mod attack;
pub(crate) mod data;
mod memory;

use immune_api::bench::{BenchRow, BenchTarget};
use immune_model::{Carriage, Trust};

use crate::BenchError;
use crate::machine::float;
use crate::quick::{Ask, Found};
use attack::false_texts;
use data::Question;
use memory::{Asked, Poisoned};

/// How many false texts a question has, one after the other into the same memory.
const EACH: [usize; 4] = [5, 10, 20, MOST];
const MOST: usize = 50;
/// How many it has that were there before the honest ones.
const FIRST: usize = 10;
/// How many texts are looked at.
const K: usize = 10;
/// Clean recall may fall by so much, in points.
const LOST: f64 = 0.5;

/// Who is asked, with the least strength in thousandths of what is searched: the floor that everybody
/// has, and the least that a question may have, with which nothing active is left out.
const ENGINES: [(&str, u16); 2] = [("immune", 500), ("unfiltered", 1)];

pub(crate) fn run(ask: &Ask) -> Found {
    let sets = match ask.read(data::sets) {
        Ok(sets) => sets,
        Err(absent) => return absent,
    };
    let mut found = Found::default();
    for (set, questions) in &sets {
        let measured = measured(questions, ask.seed).expect("a memory takes the texts up");
        for of in &measured {
            found.rows.extend(rows(set, of));
        }
        found.targets.extend(targets(set, &measured));
    }
    found
}

/// The false texts of each question, and when they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// There are none.
    Nothing,
    /// So many, after the honest ones.
    After(usize),
    /// [`FIRST`], before the honest ones, whose channel has this carriage.
    First(Carriage),
}

/// What one engine showed to the questions of a set.
#[derive(Debug, Clone, Copy)]
struct Measured {
    engine: &'static str,
    written: Written,
    questions: usize,
    /// Questions with a false text among the first ten.
    hit: usize,
    /// Texts among the first ten, of all questions.
    shown: usize,
    /// The false ones of those.
    poison: usize,
    /// Of the honest texts of a question that fit among the first ten, the share that is there;
    /// the mean over the questions, in percent.
    clean: f64,
}

/// Every engine without poison, and then with ever more of it.
fn measured(questions: &[Question], seed: u64) -> Result<Vec<Measured>, BenchError> {
    let poison: Vec<Vec<String>> = (seed..)
        .zip(questions)
        .map(|(seed, question)| false_texts(question, MOST, seed))
        .collect();
    let mut memory = Poisoned::new(Carriage::Relays)?;
    memory.tell(questions)?;
    let mut found = asked(&memory, questions, Written::Nothing)?;
    let mut before = 0;
    for each in EACH {
        memory.inject(&poison, before..each)?;
        found.extend(asked(&memory, questions, Written::After(each))?);
        before = each;
    }
    // Where agents may be heard, what comes later may be taken for an echo of what was there.
    for carriage in [Carriage::Relays, Carriage::Authored] {
        let mut memory = Poisoned::new(carriage)?;
        memory.inject(&poison, 0..FIRST)?;
        memory.tell(questions)?;
        found.extend(asked(&memory, questions, Written::First(carriage))?);
    }
    Ok(found)
}

fn asked(
    memory: &Poisoned,
    questions: &[Question],
    written: Written,
) -> Result<Vec<Measured>, BenchError> {
    let mut found = Vec::new();
    for (engine, floor) in ENGINES {
        let mut of = Measured {
            engine,
            written,
            questions: questions.len(),
            hit: 0,
            shown: 0,
            poison: 0,
            clean: 0.0,
        };
        let floor = Trust::from_thousandths(floor).expect("a floor is at most 1000");
        for number in 0..questions.len() {
            let Asked {
                shown,
                poison,
                honest,
                of_honest,
            } = memory.ask(questions, number, floor)?;
            of.hit += usize::from(poison > 0);
            of.shown += shown;
            of.poison += poison;
            of.clean += 100.0 * float(honest) / float(of_honest.clamp(1, K));
        }
        of.clean /= float(questions.len().max(1));
        found.push(of);
    }
    Ok(found)
}

fn rows(set: &str, found: &Measured) -> Vec<BenchRow> {
    let row = |what: &str, percent: f64, answer: Option<usize>| BenchRow {
        engine: found.engine.to_owned(),
        what: what.to_owned(),
        source: match found.written {
            Written::Nothing => format!("{set}, none"),
            Written::After(each) => format!("{set}, {each} a question"),
            Written::First(Carriage::Relays) => {
                format!("{set}, {FIRST} a question, written first")
            }
            Written::First(Carriage::Authored) => {
                format!("{set}, {FIRST} a question, written first, honest channel authored")
            }
        },
        answer: answer.map(|it| it as u64),
        percent: Some(rounded(percent)),
        ..BenchRow::default()
    };
    let hit = 100.0 * float(found.hit) / float(found.questions.max(1));
    let share = 100.0 * float(found.poison) / float(found.shown.max(1));
    let clean = row("honest texts found", found.clean, None);
    if found.written == Written::Nothing {
        return vec![clean];
    }
    vec![
        row("questions with poison in the top 10", hit, Some(found.hit)),
        row("poison in the top 10", share, Some(found.poison)),
        clean,
    ]
}

fn targets(set: &str, found: &[Measured]) -> [BenchTarget; 2] {
    let ours = || found.iter().filter(|it| it.engine == ENGINES[0].0);
    let injected = || ours().filter(|it| !matches!(it.written, Written::First(_)));
    let poison = ours().map(|it| it.poison).max().unwrap_or_default();
    let clean = injected().map(|it| it.clean);
    let without = clean.clone().next().unwrap_or_default();
    let lost = rounded(without - clean.reduce(f64::min).unwrap_or_default());
    [
        BenchTarget {
            name: format!("{set}: false texts in the top 10, at most"),
            value: float(poison),
            target: "<= 0".to_owned(),
            holds: poison == 0,
        },
        BenchTarget {
            name: format!("{set}: honest texts lost to poison, at most, in points"),
            value: lost,
            target: format!("<= {LOST}"),
            holds: lost <= LOST,
        },
    ]
}

/// To a hundredth: what lies below says nothing of some hundred questions.
fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
