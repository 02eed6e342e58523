//! The published tables of nous-state, cell by cell, and what is wrong with it.
//!
//! Where values are symmetric a cell is 0 or 100 whatever the random generator was. The others are
//! held against the exact expectation over all arrangements, which 400 trials came close to.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of a test are small"
)]

use immune_model::Instant;
use immune_reason::compat::{Dimension, HALF_LIFE_SECONDS, capped, surprise, tainted};
use immune_testkit::arranged::{Capped, Contradiction, Observed, Scenario};

const TRUSTED: f64 = 0.9;

fn noon() -> Instant {
    Instant::from_micros(1_800_000_000_000_000).unwrap()
}

fn believed(observations: &[Observed]) -> Dimension<u32> {
    let mut dimension = Dimension::default();
    for (value, reliability) in observations {
        dimension.observe(*value, *reliability, noon());
    }
    dimension
}

/// What leads; nothing known counts as wrong.
fn leader(observations: &[Observed]) -> u32 {
    let dimension = believed(observations);
    dimension.leader().map_or(u32::MAX, |(value, _)| *value)
}

/// The most frequent value; of equals the one that was said last.
fn most_frequent(observations: &[Observed]) -> u32 {
    let count = |of: u32| observations.iter().filter(|(it, _)| *it == of).count();
    let latest = |of: u32| observations.iter().rposition(|(it, _)| *it == of);
    let values = observations.iter().map(|(it, _)| *it);
    values.max_by_key(|it| (count(*it), latest(*it))).unwrap()
}

fn many(value: u32, reliability: f64, n: usize) -> Vec<Observed> {
    vec![(value, reliability); n]
}

/// Whether `n` false statements at `tier` win over `trusted` true ones.
fn is_flooded(trusted: usize, tier: f64, n: usize) -> bool {
    let flood = many(1, tier, n);
    leader(&[many(0, TRUSTED, trusted), flood].concat()) == 1
}

#[test]
fn a_flood_wins_where_the_table_says_so() {
    const VOLUMES: [usize; 6] = [1, 3, 5, 10, 20, 50];
    for (tier, wins) in [(0.2, false), (0.5, false), (0.9, true)] {
        for n in VOLUMES {
            let sequence = [many(0, TRUSTED, 4), many(1, tier, n)].concat();
            assert_eq!(leader(&sequence) == 1, wins, "by trust: {tier} x {n}");
            assert!(is_flooded(4, TRUSTED, n), "without trust: {n}");
            assert_eq!(sequence.last().unwrap().0, 1, "the last write wins: {n}");
            assert_eq!(most_frequent(&sequence) == 1, n >= 5, "majority: {n}");
        }
    }
}

#[test]
fn the_crossover_is_where_the_table_says() {
    // Tier, and who wins with 1, 3, 10 and 50 false statements over 4, and over 2.
    const TABLE: [(f64, [bool; 4], [bool; 4]); 8] = [
        (0.30, [false; 4], [false; 4]),
        (0.45, [false; 4], [false, true, false, false]),
        (0.50, [false; 4], [false, true, true, true]),
        (0.55, [false, false, true, true], [false, true, true, true]),
        (0.60, [false, true, true, true], [true; 4]),
        (0.70, [true; 4], [true; 4]),
        (0.80, [true; 4], [true; 4]),
        (0.90, [true; 4], [true; 4]),
    ];
    for (tier, over_four, over_two) in TABLE {
        let wins = |trusted| [1, 3, 10, 50].map(|n| is_flooded(trusted, tier, n));
        assert_eq!(wins(4), over_four, "{tier} over 4");
        assert_eq!(wins(2), over_two, "{tier} over 2");
    }
}

#[test]
fn the_flip_point_has_a_closed_form() {
    for n in [1_u32, 3, 10, 50] {
        let flip = 1.0 / (1.0 + 2.0_f64.powf(-1.0 / f64::from(n)));
        let wins = |tier| is_flooded(4, tier, n as usize);
        assert!(!wins(flip - 0.002) && wins(flip + 0.002), "{n}: {flip}");
    }
}

#[test]
fn laundering_wins_unless_taint_is_kept() {
    let content = 0.96;
    for (tier, wins) in [
        (0.2, false),
        (TRUSTED, true),
        (tainted([TRUSTED, 0.2]), false),
        (tainted(std::iter::repeat_n(TRUSTED, 9).chain([0.2])), false),
    ] {
        for n in [1, 3, 10, 50] {
            let found = is_flooded(4, capped(tier, content), n);
            assert_eq!(found, wins, "{tier} x {n}");
        }
    }
}

/// How often the first value leads, in percent.
fn accuracy(scenario: &Scenario, reads: impl Fn(&[Observed]) -> u32) -> f64 {
    let mut right = 0.0;
    scenario.each(&mut |sequence, weight| {
        if reads(sequence) == 0 {
            right += weight;
        }
    });
    100.0 * right
}

#[test]
fn what_the_cap_costs_is_what_the_table_says() {
    let cost = |of: Capped, tier| accuracy(&of.scenario(capped(tier, 0.9)), leader);
    for tier in [0.9, 0.7, 0.5] {
        assert!((cost(Capped::Conflict, tier) - 100.0).abs() < 1e-9);
        assert!((cost(Capped::Noise, tier) - 100.0).abs() < 1e-9);
    }
    // The exact expectation, and what 400 trials gave.
    for (tier, conflict, noise, published) in [
        (0.4, 98.41, 37.68, None),
        (0.3, 89.50, 20.71, Some((88.0, 21.2))),
        (0.2, 56.57, 6.85, Some((53.8, 8.8))),
    ] {
        let found = (cost(Capped::Conflict, tier), cost(Capped::Noise, tier));
        let near = |found: f64, right: f64, by: f64| {
            assert!((found - right).abs() < by, "{tier}: {found}, not {right}");
        };
        near(found.0, conflict, 0.006);
        near(found.1, noise, 0.006);
        if let Some((one, other)) = published {
            near(found.0, one, 5.0);
            near(found.1, other, 5.0);
        }
    }
}

#[test]
fn contradictions_end_as_the_table_says() {
    // By belief, by the last write, by frequency; with one reliability, and with different ones.
    const TABLE: [(Contradiction, [f64; 3], [f64; 3]); 5] = [
        (
            Contradiction::StableNoise,
            [35.0, 34.8, 100.0],
            [100.0, 37.5, 100.0],
        ),
        (
            Contradiction::CleanChange,
            [100.0, 100.0, 60.0],
            [100.0, 100.0, 61.2],
        ),
        (
            Contradiction::RecentChange,
            [100.0, 100.0, 0.0],
            [100.0, 100.0, 0.0],
        ),
        (
            Contradiction::NoisyChange,
            [69.5, 100.0, 78.5],
            [100.0, 100.0, 80.0],
        ),
        (
            Contradiction::Reliability,
            [31.0, 32.8, 0.0],
            [100.0, 34.2, 0.0],
        ),
    ];
    let mut macros = [[0.0_f64; 3]; 2];
    for (arranged, constant, varying) in TABLE {
        for (regime, right) in [constant, varying].into_iter().enumerate() {
            let scenario = if regime == 1 {
                arranged.varying()
            } else {
                arranged.constant()
            };
            let last = |sequence: &[Observed]| sequence.last().unwrap().0;
            let found = [
                accuracy(&scenario, leader),
                accuracy(&scenario, last),
                accuracy(&scenario, most_frequent),
            ];
            for (strategy, (found, right)) in found.into_iter().zip(right).enumerate() {
                let what = format!("{arranged:?}, regime {regime}, strategy {strategy}");
                assert!((found - right).abs() <= 5.0, "{what}: {found}, not {right}");
                macros[regime][strategy] += found / 5.0;
            }
        }
    }
    for (found, right) in macros.iter().zip([[67.1, 73.5, 47.7], [100.0, 74.3, 48.2]]) {
        for (found, right) in found.iter().zip(right) {
            assert!((found - right).abs() <= 2.5, "{found}, not {right}");
        }
    }
}

#[test]
fn what_is_unseen_surprises_by_4_32_bits() {
    let mut dimension = Dimension::default();
    let near = |found: f64, right: f64| assert!((found - right).abs() < 5e-5, "{found}");
    near(dimension.observe(0, TRUSTED, noon()).surprise, 4.3219);
    for n in 1..4 {
        assert!(dimension.observe(n, TRUSTED, noon()).surprise > 4.3218);
    }
    near(surprise(0.0), 20.0);
    near(surprise(0.5), 1.0);
    near(surprise(1.0), 0.0);
}

#[test]
fn a_moment_is_answered_by_the_last_delta_until_then() {
    let at = |seconds: i64| Instant::from_micros(noon().micros() + seconds * 1_000_000).unwrap();
    let mut dimension = Dimension::default();
    for (value, seconds) in [(0, 0), (0, 10), (1, 20)] {
        dimension.observe(value, 0.7, at(seconds));
    }
    assert_eq!(dimension.at(at(-1)), [(None, 1.0)]);
    for (seconds, n) in [(0, 0), (9, 0), (10, 1), (19, 1), (20, 2), (99, 2)] {
        assert_eq!(dimension.at(at(seconds)), dimension.deltas()[n].posterior);
    }
}

#[test]
fn a_question_is_answered_from_four_fifths_on() {
    let once = believed(&[(0, TRUSTED)]);
    assert_eq!(once.answer(), Some(&0));
    let torn = believed(&[(0, TRUSTED), (1, 0.7)]);
    assert_eq!(torn.answer(), None);
    assert_eq!(Dimension::<u32>::default().answer(), None);
}

#[test]
fn it_has_the_faults_that_were_found() {
    // Decoys: five values of junk and three of the target, at a tier of 0.2, over a thousand.
    for trusted in [4, 100, 1_000] {
        let decoys: Vec<Observed> = (10..15).map(|it| (it, 0.2)).collect();
        let sequence = [many(0, TRUSTED, trusted), decoys, many(1, 0.2, 3)].concat();
        assert_eq!(leader(&sequence), 1, "{trusted}");
    }
    // Evidence does not accumulate.
    assert!(is_flooded(1_000, 0.7, 1));
    // Agreement hurts what it agrees with.
    let mut held = believed(&[(0, TRUSTED)]);
    let before = held.probability(&0);
    held.observe(0, 0.2, noon());
    assert!(held.probability(&0) < before - 0.2);
    // Less can do more.
    assert!(is_flooded(2, 0.45, 3) && !is_flooded(2, 0.45, 10));
    // What stands alone never decays.
    let mut alone = believed(&many(0, TRUSTED, 3));
    let year = noon().micros() + 365 * 86_400 * 1_000_000;
    alone.decay(Instant::from_micros(year).unwrap());
    assert!(alone.probability(&0) > 0.999_999);
    // Nothing from a low tier is ever believed, although nobody denies it.
    assert!(believed(&many(0, 0.2, 20)).probability(&0) < 0.06);
}

#[test]
fn half_of_what_is_known_is_gone_after_the_half_life() {
    let mut dimension = believed(&[(0, TRUSTED), (1, 0.6)]);
    let before = dimension.probability(&0);
    let others = dimension.distribution().len() as f64;
    let later = noon().micros() + (HALF_LIFE_SECONDS * 1e6) as i64;
    dimension.decay(Instant::from_micros(later).unwrap());
    let right = 0.5 * before + 0.5 / others;
    assert!((dimension.probability(&0) - right).abs() < 1e-9);
    let after = dimension.clone();
    dimension.decay(Instant::from_micros(later).unwrap());
    assert_eq!(dimension, after, "the clock starts anew");
}
