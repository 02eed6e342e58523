//! Every arrangement of a scenario, each with how likely it is: what a table of random trials
//! converges to.

/// A value and its reliability; 0 is the truth.
pub(crate) type Observed = (u32, f64);

/// Ways in which a scenario may go, each as likely as its weight, which sum up to 1.
pub(crate) struct Scenario {
    ways: Vec<(f64, Way)>,
}

struct Way {
    before: Vec<Observed>,
    /// In any order, each as likely.
    shuffled: [(Observed, usize); 2],
    after: Vec<Observed>,
}

impl Scenario {
    /// Hands over each sequence with how likely it is.
    pub(crate) fn each(&self, put: &mut dyn FnMut(&[Observed], f64)) {
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
fn noise(
    hi: f64,
    lo: f64,
    truths: std::ops::RangeInclusive<usize>,
    lies: std::ops::RangeInclusive<usize>,
) -> Scenario {
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

/// A few say the truth at `hi`, many say something else at `lo`, in any order.
fn few_against_many(hi: f64, lo: f64, many: std::ops::RangeInclusive<usize>) -> Scenario {
    let counts = (2..=3).flat_map(|it| many.clone().map(move |many| (it, many)));
    let ways = counts.map(|(few, many)| Way {
        before: Vec::new(),
        shuffled: [((0, hi), few), ((1, lo), many)],
        after: Vec::new(),
    });
    Scenario::uniform(ways.collect())
}

/// The conflict of the table of what a cap costs.
pub(crate) fn conflict(tier: f64) -> Scenario {
    few_against_many(tier, 0.25, 4..=6)
}

/// The noise of the table of what a cap costs.
pub(crate) fn capped_noise(tier: f64) -> Scenario {
    noise(tier, 0.25, 4..=6, 1..=2)
}

/// The scenarios of the table of contradictions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arranged {
    StableNoise,
    CleanChange,
    RecentChange,
    NoisyChange,
    Reliability,
}

impl Arranged {
    /// With reliabilities that tell something, or with one for all.
    pub(crate) fn scenario(self, varying: bool) -> Scenario {
        let (hi, lo) = if varying { (0.9, 0.4) } else { (0.8, 0.8) };
        let all = |counts: &[usize]| -> Vec<Observed> {
            let values = [(1, hi), (0, hi), (2, lo), (0, hi)].into_iter();
            values
                .zip(counts)
                .flat_map(|((value, reliability), n)| many(value, reliability, *n))
                .collect()
        };
        match self {
            Self::StableNoise => noise(hi, lo, 4..=8, 1..=3),
            Self::CleanChange => {
                let counts = (3..=6).flat_map(|it| (3..=6).map(move |after| [it, after]));
                Scenario::uniform(counts.map(|it| in_order(all(&it))).collect())
            }
            Self::RecentChange => {
                Scenario::uniform((4..=8).map(|it| in_order(all(&[it, 1]))).collect())
            }
            Self::NoisyChange => {
                let mut ways = Vec::new();
                for old in 3..=5 {
                    for new in 2..=4 {
                        for noise in 1..=2 {
                            for end in 1..=2 {
                                ways.push(in_order(all(&[old, new, noise, end])));
                            }
                        }
                    }
                }
                Scenario::uniform(ways)
            }
            Self::Reliability if varying => few_against_many(0.95, 0.3, 4..=7),
            Self::Reliability => few_against_many(0.8, 0.8, 4..=7),
        }
    }
}
