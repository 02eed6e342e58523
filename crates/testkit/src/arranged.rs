//! Every arrangement of a scenario, each with how likely it is: what a table of random trials
//! converges to. The scenarios are those of the published benches of nous-state.

#![expect(
    clippy::cast_precision_loss,
    reason = "there are a dozen statements in a scenario"
)]

use std::ops::RangeInclusive;

/// A value and its reliability; 0 is the truth.
pub type Observed = (u32, f64);

/// Ways in which a scenario may go, each as likely as its weight, which sum up to 1.
#[derive(Debug, Clone)]
pub struct Scenario {
    ways: Vec<(f64, Way)>,
}

#[derive(Debug, Clone)]
struct Way {
    before: Vec<Observed>,
    /// In any order, each as likely.
    shuffled: [(Observed, usize); 2],
    after: Vec<Observed>,
}

impl Scenario {
    /// Hands over each sequence with how likely it is.
    pub fn each(&self, put: &mut dyn FnMut(&[Observed], f64)) {
        for (weight, way) in &self.ways {
            let [(one, n_one), (other, n_other)] = way.shuffled;
            let n = n_one + n_other;
            let chosen: Vec<u32> = (0..1_u32 << n)
                .filter(|it| it.count_ones() as usize == n_one)
                .collect();
            for places in &chosen {
                let middle = (0..n).map(|it| if places >> it & 1 == 1 { one } else { other });
                let middle = middle.collect::<Vec<_>>();
                let sequence = [way.before.clone(), middle, way.after.clone()].concat();
                put(&sequence, weight / chosen.len() as f64);
            }
        }
    }

    /// Every choice of counts as likely as every other.
    fn uniform(ways: Vec<Way>) -> Self {
        let weight = 1.0 / ways.len() as f64;
        Self {
            ways: ways.into_iter().map(|it| (weight, it)).collect(),
        }
    }

    /// One or the other, each in half of the cases.
    fn either(one: Self, other: Self) -> Self {
        let halves = one.ways.into_iter().chain(other.ways);
        Self {
            ways: halves.map(|(weight, way)| (weight / 2.0, way)).collect(),
        }
    }
}

const NONE: (Observed, usize) = ((0, 0.0), 0);

fn in_order(before: Vec<Observed>) -> Way {
    Way {
        before,
        shuffled: [NONE, NONE],
        after: Vec::new(),
    }
}

fn many(value: u32, reliability: f64, n: usize) -> Vec<Observed> {
    vec![(value, reliability); n]
}

/// A truth that is said often at `hi`, and noise at `lo` in between, or at the end.
fn noise(hi: f64, lo: f64, truths: RangeInclusive<usize>, lies: RangeInclusive<usize>) -> Scenario {
    let counts = truths.flat_map(|it| lies.clone().map(move |lies| (it, lies)));
    let counts: Vec<_> = counts.collect();
    let mixed = counts.iter().map(|(truths, lies)| Way {
        before: Vec::new(),
        shuffled: [((0, hi), *truths), ((1, lo), *lies)],
        after: Vec::new(),
    });
    let last = counts
        .iter()
        .map(|(truths, lies)| in_order([many(0, hi, *truths), many(1, lo, *lies)].concat()));
    Scenario::either(
        Scenario::uniform(mixed.collect()),
        Scenario::uniform(last.collect()),
    )
}

/// Two or three say the truth at `hi`, others say something else at `lo`, in any order.
fn few_against_many(hi: f64, lo: f64, many: RangeInclusive<usize>) -> Scenario {
    let counts = (2..=3).flat_map(|it| many.clone().map(move |many| (it, many)));
    let ways = counts.map(|(few, many)| Way {
        before: Vec::new(),
        shuffled: [((0, hi), few), ((1, lo), many)],
        after: Vec::new(),
    });
    Scenario::uniform(ways.collect())
}

/// A value is said, then another that is true by now, each as often as one of these.
fn change(hi: f64, old: RangeInclusive<usize>, new: RangeInclusive<usize>) -> Scenario {
    let counts = old.flat_map(|it| new.clone().map(move |new| (it, new)));
    let ways = counts.map(|(old, new)| in_order([many(1, hi, old), many(0, hi, new)].concat()));
    Scenario::uniform(ways.collect())
}

/// What a cap by the tier of a channel costs: the truth is told through one of this tier by few,
/// or by many among noise, and claims of a confidence of 0.25 stand against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capped {
    /// Few who know against many who guess.
    Conflict,
    /// Many who know, and one or two who guess.
    Noise,
}

impl Capped {
    /// Each with its published name.
    pub const ALL: [(&str, Self); 2] = [
        ("reliability_conflict", Self::Conflict),
        ("stable_noise", Self::Noise),
    ];

    /// All ways, where the truth counts this much, 0..1.
    pub fn scenario(self, reliability: f64) -> Scenario {
        match self {
            Self::Conflict => few_against_many(reliability, 0.25, 4..=6),
            Self::Noise => noise(reliability, 0.25, 4..=6, 1..=2),
        }
    }
}

/// The scenarios of the published table of contradictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradiction {
    /// The truth is said often, something else once to three times.
    StableNoise,
    /// The truth changes, and both are said often.
    CleanChange,
    /// The truth changes, and that is said once.
    RecentChange,
    /// The truth changes, with noise after it.
    NoisyChange,
    /// Few who know against many who do not.
    Reliability,
}

impl Contradiction {
    /// Each with its published name.
    pub const ALL: [(&str, Self); 5] = [
        ("stable_noise", Self::StableNoise),
        ("clean_change", Self::CleanChange),
        ("recent_change", Self::RecentChange),
        ("noisy_change", Self::NoisyChange),
        ("reliability", Self::Reliability),
    ];

    /// With reliabilities that tell something.
    pub fn varying(self) -> Scenario {
        match self {
            Self::Reliability => few_against_many(0.95, 0.3, 4..=7),
            other => other.scenario(0.9, 0.4),
        }
    }

    /// With one reliability for all.
    pub fn constant(self) -> Scenario {
        self.scenario(0.8, 0.8)
    }

    fn scenario(self, hi: f64, lo: f64) -> Scenario {
        match self {
            Self::StableNoise => noise(hi, lo, 4..=8, 1..=3),
            Self::CleanChange => change(hi, 3..=6, 3..=6),
            Self::RecentChange => change(hi, 4..=8, 1..=1),
            Self::NoisyChange => noisy_change(hi, lo),
            Self::Reliability => few_against_many(hi, lo, 4..=7),
        }
    }
}

fn noisy_change(hi: f64, lo: f64) -> Scenario {
    let mut ways = Vec::new();
    for old in 3..=5 {
        for new in 2..=4 {
            for noise in 1..=2 {
                for end in 1..=2 {
                    let change = [many(1, hi, old), many(0, hi, new)].concat();
                    let after = [many(2, lo, noise), many(0, hi, end)].concat();
                    ways.push(in_order([change, after].concat()));
                }
            }
        }
    }
    Scenario::uniform(ways)
}

/// The scenarios of the published bench of reliabilities, which are read off the phrasing: 0.85
/// where somebody is sure, 0.25 where somebody guesses, as its run without a model takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phrased {
    /// The truth is said often and surely, something else once or twice as a guess.
    StableNoise,
    /// The truth changes, and both are said surely.
    CleanChange,
    /// The truth changes, and that is said once.
    RecentChange,
    /// Few who are sure against many who guess.
    Conflict,
    /// Those who are sure are wrong, and those who guess are right.
    Adversarial,
}

impl Phrased {
    /// Each with its published name.
    pub const ALL: [(&str, Self); 5] = [
        ("stable_noise", Self::StableNoise),
        ("clean_change", Self::CleanChange),
        ("recent_change", Self::RecentChange),
        ("reliability_conflict", Self::Conflict),
        ("adversarial", Self::Adversarial),
    ];

    /// All ways.
    pub fn scenario(self) -> Scenario {
        const SURE: f64 = 0.85;
        const GUESS: f64 = 0.25;
        match self {
            Self::StableNoise => noise(SURE, GUESS, 4..=6, 1..=2),
            Self::CleanChange => change(SURE, 2..=4, 2..=4),
            Self::RecentChange => change(SURE, 4..=6, 1..=1),
            Self::Conflict => few_against_many(SURE, GUESS, 4..=6),
            Self::Adversarial => few_against_many(GUESS, SURE, 2..=3),
        }
    }
}
