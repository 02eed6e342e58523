//! What floods, decoys, endorsements and laundering do to a belief: ours beside the published
//! update of nous-state, the last write and the majority.
//!
//! A file for each bench; here is what they share. Nothing is measured in time: a row is how often
//! a value is what the memory answers, in percent. Where a published bench drew at random, the row
//! is the exact expectation over all arrangements, and where an attack is shuffled, it is run in
//! [`ORDERS`] orders that the seed gives.

pub(crate) mod contradiction;
pub(crate) mod decoy;
pub(crate) mod endorsement;
pub(crate) mod flood;
pub(crate) mod forum;
pub(crate) mod launder;
pub(crate) mod mincap;
mod ours;
pub(crate) mod poison;
pub(crate) mod reliability;

use immune_api::bench::{BenchRow, BenchTarget};
use immune_reason::compat::Dimension;
use immune_testkit::arranged::{Observed, Scenario};
use immune_testkit::random::Random;

use crate::machine::{epoch, float};
use crate::quick::{Ask, Mode};
use forum::{Forum, Outcome, Voice};

/// How many orders of a shuffled attack are tried.
const ORDERS: usize = 200;
/// How far those are trusted who say the truth, in thousandths.
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
    /// How sure the words are, in thousandths, where they are those of a guess.
    guessed: Option<u16>,
}

/// An attack, as the statements in which it ends.
struct Attack {
    name: String,
    tier: u16,
    said: Vec<Said>,
    /// How many of the last statements are shuffled.
    shuffled: usize,
}

/// What answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// Ours.
    Immune,
    /// The published update, capped by the tier.
    Compat,
    /// The published update with every statement trusted alike.
    CompatFlat,
    /// The last write wins.
    LastWrite,
    /// The most frequent value; of equals the one that was said last.
    Majority,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Immune => "immune",
            Self::Compat => "compat",
            Self::CompatFlat => "compat, flat",
            Self::LastWrite => "last write",
            Self::Majority => "majority",
        }
    }

    /// The mode of which it is a row; the two that remember nothing else belong to both.
    fn mode(self) -> Option<Mode> {
        match self {
            Self::Immune => Some(Mode::Default),
            Self::Compat | Self::CompatFlat => Some(Mode::Compat),
            Self::LastWrite | Self::Majority => None,
        }
    }
}

/// The engines of these that are asked for.
fn asked(ask: &Ask, engines: &[Engine]) -> Vec<Engine> {
    let wanted = |it: &Engine| it.mode().is_none_or(|mode| ask.wants(mode));
    engines.iter().copied().filter(wanted).collect()
}

/// Every attack on every engine that is asked for.
fn attacked(ask: &Ask, engines: &[Engine], attacks: &[Attack]) -> Vec<BenchRow> {
    let engines = asked(ask, engines);
    let rows = attacks
        .iter()
        .flat_map(|attack| engines.iter().map(|it| row(attack, *it, ask.seed)));
    rows.collect()
}

fn row(attack: &Attack, engine: Engine, seed: u64) -> BenchRow {
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
        note: (contested > 0).then(|| format!("contested in {:.0} %", percent(contested))),
        ..cell(
            engine.name(),
            &attack.name,
            &tier(attack.tier),
            percent(won),
        )
    }
}

/// A row that is one figure, to the hundredth of a percent.
fn cell(engine: &str, what: &str, source: &str, percent: f64) -> BenchRow {
    BenchRow {
        engine: engine.to_owned(),
        what: what.to_owned(),
        source: source.to_owned(),
        percent: Some((percent * 100.0).round() / 100.0),
        ..BenchRow::default()
    }
}

fn tier(thousandths: u16) -> String {
    format!("tier {:.2}", f64::from(thousandths) / 1000.0)
}

/// What an engine answers after these statements.
fn answer(engine: Engine, said: &[Said]) -> Outcome {
    let observed = said.iter();
    let observed = observed.map(|it| (it.value, f64::from(it.tier) / 1000.0));
    let observed: Vec<Observed> = observed.collect();
    if engine == Engine::Immune {
        let mut forum = Forum::new();
        for it in said {
            forum.say(it);
        }
        return forum.answer();
    }
    read(engine, &observed).map_or(Outcome::Nothing, Outcome::Answers)
}

/// What an engine answers that knows values and reliabilities only.
fn read(engine: Engine, observed: &[Observed]) -> Option<u32> {
    let believed = |flat: bool| {
        let mut dimension = Dimension::default();
        for (value, reliability) in observed {
            let trusted = f64::from(TRUSTED) / 1000.0;
            let reliability = if flat { trusted } else { *reliability };
            dimension.observe(*value, reliability, epoch());
        }
        dimension.leader().map(|(value, _)| *value)
    };
    match engine {
        Engine::Compat => believed(false),
        Engine::CompatFlat => believed(true),
        Engine::LastWrite => observed.last().map(|it| it.0),
        Engine::Majority => {
            let count = |of: u32| observed.iter().filter(|it| it.0 == of).count();
            let latest = |of: u32| observed.iter().rposition(|it| it.0 == of);
            let values = observed.iter().map(|it| it.0);
            values.max_by_key(|it| (count(*it), latest(*it)))
        }
        // Statements have no origin here, and without origins ours knows nothing.
        Engine::Immune => None,
    }
}

/// How often the truth is what is read, over all arrangements, in percent.
fn accuracy(scenario: &Scenario, engine: Engine) -> f64 {
    let mut right = 0.0;
    scenario.each(&mut |sequence, weight| {
        if read(engine, sequence) == Some(TRUTH) {
            right += weight;
        }
    });
    100.0 * right
}

fn attack(name: &str, tier: u16, said: impl Iterator<Item = Said>) -> Attack {
    Attack {
        name: name.to_owned(),
        tier,
        said: said.collect(),
        shuffled: 0,
    }
}

fn said(value: u32, tier: u16, voice: Voice) -> Said {
    Said {
        value,
        tier,
        voice,
        guessed: None,
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

/// The percents of one engine's rows that are of a kind.
fn percents(rows: &[BenchRow], engine: Engine, is_of: impl Fn(&BenchRow) -> bool) -> Vec<f64> {
    let rows = rows.iter().filter(|it| it.engine == engine.name());
    rows.filter(|it| is_of(it))
        .filter_map(|it| it.percent)
        .collect()
}

/// None of our rows of a kind is won by the attacker; absent where there are none.
fn never(name: &str, rows: &[BenchRow], is_of: impl Fn(&BenchRow) -> bool) -> Option<BenchTarget> {
    let found = percents(rows, Engine::Immune, is_of);
    let most = found.iter().copied().reduce(f64::max)?;
    Some(BenchTarget {
        name: name.to_owned(),
        value: most,
        target: "<= 0".to_owned(),
        holds: most <= 0.0,
    })
}

/// A published cell: whose, of which row, and how many percent.
struct Published<'a> {
    engine: Engine,
    what: &'a str,
    source: &'a str,
    percent: f64,
}

/// Two standard errors of a mean of so many trials, at most, in percent.
fn two_errors(trials: usize) -> f64 {
    200.0 * (0.25 / float(trials)).sqrt()
}

/// How many published cells are off by more than this many percent. Absent where the mode is not
/// asked for.
fn reproduced(
    ask: &Ask,
    rows: &[BenchRow],
    tolerance: f64,
    published: &[Published<'_>],
) -> Option<BenchTarget> {
    if !ask.wants(Mode::Compat) {
        return None;
    }
    let is_off = |it: &&Published<'_>| {
        let found = percents(rows, it.engine, |row| {
            row.what == it.what && row.source == it.source
        });
        !matches!(found[..], [found] if (found - it.percent).abs() <= tolerance)
    };
    let off = published.iter().filter(is_off).count();
    let of = published.len();
    let off_by = if tolerance > 0.0 {
        format!("off by more than {tolerance:.1} %")
    } else {
        "off at all".to_owned()
    };
    Some(BenchTarget {
        name: format!("of {of} published cells, those that are {off_by}"),
        value: float(off),
        target: "<= 0".to_owned(),
        holds: off == 0,
    })
}
