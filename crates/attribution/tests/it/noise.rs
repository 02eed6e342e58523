//! Verdicts err: what is found is right nearly always, in not many more calls than noise takes.

use immune_attribution::{
    Candidates, Found, Noise, Options, Outcome, Proof, Shape, Subset, Why, attribute, bound,
};

use crate::truth::{Gone, Random, any_of, sets, sorted, truth};

/// Causes by their numbers.
type Numbers = Vec<Vec<usize>>;

const N: usize = 60;

#[test]
fn culprits_are_found_through_flips_in_less_than_twice_the_calls_that_noise_takes() {
    let (mut n_wrong, mut n_runs) = (0, 0);
    let (mut calls, mut bounds) = (0.0, 0.0);
    for seed in 0..30 {
        let mut random = Random(seed);
        for k in 1..=3 {
            let culprits = random.pick(N, k);
            let alone: Numbers = culprits.iter().map(|it| vec![*it]).collect();
            for causes in [alone, vec![culprits.clone()]] {
                let options = Options {
                    proof: Proof::Correction,
                    ..noisy(Noise::Known(0.10))
                };
                let found = run(&causes, 0.10, seed * 100 + k as u64, options);
                n_runs += 1;
                n_wrong += usize::from(sorted(found.causes.clone()) != as_sets(&causes));
                assert_eq!(found.outcome, Outcome::Found);
                assert!(found.certificate.confidence >= 0.995);
                let (n_replayed, n_passed) = found.certificate.replayed;
                assert!(2 * n_passed > n_replayed);
                calls += (found.certificate.calls() - found.certificate.guard_calls) as f64;
                bounds += bound::bits(N, k) / bound::capacity(0.10);
            }
        }
    }
    assert!(n_wrong <= n_runs / 100, "{n_wrong} of {n_runs}");
    assert!(calls < 1.9 * bounds, "{calls} {bounds}");
}

#[test]
fn mixed_causes_are_cured_through_flips() {
    for seed in 0..20 {
        let drawn = Random(seed).pick(N, 4);
        let [a, b, c, d] = [0, 1, 2, 3].map(|it| drawn[it]);
        for causes in [vec![vec![a], vec![b, c]], vec![vec![a, b], vec![c, d]]] {
            let found = run(&causes, 0.10, seed, noisy(Noise::Known(0.10)));
            let fails = any_of(as_sets(&causes));
            assert_eq!(found.outcome, Outcome::Found);
            assert!(
                !fails(&Subset::all(N).without(&found.correction)),
                "{causes:?} {seed}"
            );
            assert_eq!(found.shape, Some(Shape::Mixed), "{causes:?} {seed}");
        }
    }
}

#[test]
fn the_flip_rate_is_estimated_from_the_guards() {
    let mut rates = 0.0;
    for seed in 0..20 {
        let causes = vec![vec![7], vec![30]];
        let options = noisy(Noise::Estimated { repeats: 12 });
        let found = run(&causes, 0.10, seed, options);
        assert_eq!(sorted(found.causes.clone()), as_sets(&causes), "{seed}");
        assert!(found.certificate.guard_calls >= 24);
        rates += found.certificate.flip_rate / 20.0;
    }
    assert!((0.05..0.15).contains(&rates), "{rates}");
}

#[test]
fn verdicts_that_tell_nothing_are_called_so() {
    let options = noisy(Noise::Estimated { repeats: 10 });
    // All and none are asked in turn, and each of them fails every other time.
    let mut n_asked = 0;
    let in_pairs = |_: &Subset| {
        n_asked += 1;
        n_asked % 4 < 2
    };
    let found = attribute(&Candidates::uniform(9), &mut truth(in_pairs), options);
    assert_eq!(found.outcome, Outcome::Unstable);
    assert!(found.causes.is_empty() && found.correction.is_empty());
    for rate in [0.45, 0.5, 1.0, f64::NAN] {
        let options = noisy(Noise::Known(rate));
        let found = attribute(&Candidates::uniform(9), &mut truth(|_| true), options);
        assert_eq!(
            (found.outcome, found.certificate.calls()),
            (Outcome::Unstable, 0)
        );
    }
}

#[test]
fn a_failure_that_is_not_there_blames_nobody_through_flips() {
    for seed in 0..40 {
        let found = run(&Vec::new(), 0.20, seed, noisy(Noise::Known(0.20)));
        assert_eq!(found.outcome, Outcome::NotReproduced);
        assert!(found.causes.is_empty() && found.correction.is_empty());
    }
}

#[test]
fn the_budget_is_kept_through_flips_and_the_same_draws_give_the_same_replies() {
    let causes = vec![vec![7], vec![30, 31]];
    let whole = run(&causes, 0.10, 3, noisy(Noise::Known(0.10)));
    for calls_max in (0..whole.certificate.calls()).step_by(7) {
        let options = Options {
            calls_max: Some(calls_max),
            ..noisy(Noise::Known(0.10))
        };
        let part = run(&causes, 0.10, 3, options);
        assert_eq!(part.outcome, Outcome::Stopped(Why::Budget));
        let same = whole.certificate.replies.get(..calls_max).unwrap();
        assert_eq!(part.certificate.replies, same);
    }
}

fn noisy(noise: Noise) -> Options<'static> {
    Options {
        noise,
        ..Options::default()
    }
}

fn as_sets(causes: &Numbers) -> Vec<Subset> {
    let causes: Vec<&[usize]> = causes.iter().map(Vec::as_slice).collect();
    sets(N, &causes)
}

fn run(causes: &Numbers, flip: f64, seed: u64, options: Options<'_>) -> Found<Gone> {
    let fails = any_of(as_sets(causes));
    let mut random = Random(seed ^ 0x5eed);
    let flipped = |shown: &Subset| fails(shown) != (random.fraction() < flip);
    attribute(&Candidates::uniform(N), &mut truth(flipped), options)
}
