//! The scenarios of the published benches on our memory. They are made of values and reliabilities,
//! and ours knows who speaks: so each is run twice, as if one source said all of it, and as if each
//! statement had a source of its own. What lies between is between the two.
//!
//! A reliability of one half or more is the tier of a channel through which the value is stated; a
//! lesser one is a guess, in the words of a guess, by somebody whose channel is trusted.

use std::collections::HashMap;

use immune_api::bench::{BenchRow, BenchTarget};
use immune_testkit::arranged::{Observed, Scenario};

use super::forum::{Forum, Outcome, Voice};
use super::{Said, TRUSTED, TRUTH, cell};

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sources {
    /// One source says all of it: what it says last is its word.
    One,
    /// Each statement has a source of its own, which an operator declared.
    Each,
}

impl Sources {
    pub(super) const ALL: [Self; 2] = [Self::One, Self::Each];

    /// Ours, as a row names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::One => "immune, one source",
            Self::Each => "immune, a source each",
        }
    }
}

/// How often the truth is answered, and what else is to be known, in percent.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    right: f64,
    contested: f64,
    /// The answer is below the floor, and given on request only.
    unverified: f64,
}

/// What a statement of a scenario is to our memory, its source apart.
pub(super) type Reading = fn(Observed) -> Said;

/// As the module says it.
pub(super) fn stated_or_guessed((value, reliability): Observed) -> Said {
    let thousandths = thousandths(reliability);
    let is_guess = reliability < 0.5;
    Said {
        value,
        tier: if is_guess { TRUSTED } else { thousandths },
        voice: Voice::Declared(0),
        guessed: is_guess.then_some(thousandths),
    }
}

/// The same, where a lesser reliability of the truth is the tier of its channel.
pub(super) fn truth_through_its_tier((value, reliability): Observed) -> Said {
    match value {
        TRUTH => through_its_tier((value, reliability)),
        _ => stated_or_guessed((value, reliability)),
    }
}

/// Everything is stated plainly, through a channel of this tier.
pub(super) fn through_its_tier((value, reliability): Observed) -> Said {
    Said {
        value,
        tier: thousandths(reliability),
        voice: Voice::Declared(0),
        guessed: None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a reliability is between 0 and 1"
)]
fn thousandths(reliability: f64) -> u16 {
    (reliability * 1000.0).round() as u16
}

/// The row of ours for a scenario.
pub(super) fn row(
    (what, source): (&str, &str),
    scenario: &Scenario,
    sources: Sources,
    reading: Reading,
) -> BenchRow {
    let found = found(scenario, sources, reading);
    let mut notes = Vec::new();
    for (percent, word) in [
        (found.contested, "contested"),
        (found.unverified, "unverified"),
    ] {
        if percent > 0.0 {
            notes.push(format!("{word} in {percent:.0} %"));
        }
    }
    let right = cell(sources.name(), what, source, found.right);
    let note = right.percent.filter(|_| !notes.is_empty());
    let note = note.map(|it| format!("{it:.1} %, {}", notes.join(", ")));
    BenchRow { note, ..right }
}

/// What an answer depends on: each value, its tier, and how sure of it somebody is.
type Key = Vec<(u32, u16, u16)>;

fn found(scenario: &Scenario, sources: Sources, reading: Reading) -> Found {
    let mut known: HashMap<Key, (Outcome, bool)> = HashMap::new();
    let mut found = Found::default();
    scenario.each(&mut |sequence, weight| {
        let mut said: Vec<Said> = sequence.iter().map(|it| reading(*it)).collect();
        match sources {
            // Saying it again in the same breath is saying it once.
            Sources::One => said.dedup_by_key(|it| (it.value, it.tier, it.guessed)),
            // As of one moment the order of different sources is none.
            Sources::Each => {
                said.sort_by_key(|it| (it.value, it.tier, it.guessed));
                for (n, it) in (0..).zip(&mut said) {
                    it.voice = Voice::Declared(n);
                }
            }
        }
        let key = said.iter();
        let key = key.map(|it| (it.value, it.tier, it.guessed.unwrap_or(1000)));
        let (outcome, verified) = *known.entry(key.collect()).or_insert_with(|| answer(&said));
        let percent = 100.0 * weight;
        match outcome {
            Outcome::Answers(TRUTH) => found.right += percent,
            Outcome::Contested => found.contested += percent,
            Outcome::Answers(_) | Outcome::Nothing => {}
        }
        if !verified && outcome != Outcome::Nothing {
            found.unverified += percent;
        }
    });
    found
}

/// What is answered, and whether somebody trusted says so.
fn answer(said: &[Said]) -> (Outcome, bool) {
    let mut forum = Forum::new();
    for it in said {
        forum.say(it);
    }
    match forum.answer() {
        Outcome::Nothing => (forum.answer_unverified(), false),
        outcome => (outcome, true),
    }
}

/// Ours is right at least as often as the published update in each of these rows, by so many
/// percent of the worst of them; absent where one of the two is not asked for.
pub(super) fn no_worse(
    name: &str,
    rows: &[BenchRow],
    sources: Sources,
    is_of: impl Fn(&BenchRow) -> bool,
) -> Option<BenchTarget> {
    let ours = rows.iter().filter(|it| it.engine == sources.name());
    let margins = ours.filter(|it| is_of(it)).filter_map(|ours| {
        let mut theirs = rows.iter();
        let theirs = theirs.find(|it| {
            it.engine == super::Engine::Compat.name()
                && (&it.what, &it.source) == (&ours.what, &ours.source)
        })?;
        Some(ours.percent? - theirs.percent?)
    });
    let least = margins.reduce(f64::min)?;
    Some(BenchTarget {
        name: name.to_owned(),
        value: least,
        target: ">= 0".to_owned(),
        holds: least >= 0.0,
    })
}

/// Ours is right at least so often in each of these rows.
pub(super) fn at_least(
    name: &str,
    rows: &[BenchRow],
    percent: f64,
    is_of: impl Fn(&BenchRow) -> bool,
) -> Option<BenchTarget> {
    let ours = rows.iter().filter(|it| is_of(it));
    let least = ours.filter_map(|it| it.percent).reduce(f64::min)?;
    Some(BenchTarget {
        name: name.to_owned(),
        value: least,
        target: format!(">= {percent:.0}"),
        holds: least >= percent,
    })
}
