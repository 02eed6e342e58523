//! Suspicion spares calls where it is right, costs few where it misleads, and changes no result.

use immune_attribution::{Candidates, Options, Proof, Subset, attribute};

use crate::truth::{Random, any_of, sorted, truth};

const N: usize = 200;

/// Calls on average over draws of `k` culprits, which have this weight and all others 1.
fn calls(k: usize, weight: f64, is_joint: bool) -> f64 {
    let draws = 40;
    let mut calls = 0;
    for seed in 0..draws {
        let culprits = Random(seed).pick(N, k);
        let each = (0..N).map(|it| if culprits.contains(&it) { weight } else { 1.0 });
        let weights: Vec<f64> = each.collect();
        let causes = if is_joint {
            vec![Subset::of(N, culprits)]
        } else {
            culprits.into_iter().map(|it| Subset::of(N, [it])).collect()
        };
        let candidates = Candidates::weighted(&weights);
        let options = Options {
            proof: Proof::Correction,
            ..Options::default()
        };
        let found = attribute(&candidates, &mut truth(any_of(causes.clone())), options);
        assert_eq!(sorted(found.causes), sorted(causes));
        calls += found.certificate.search_calls;
    }
    calls as f64 / draws as f64
}

#[test]
fn suspicion_that_is_right_spares_calls_and_that_misleads_costs_about_one_for_each_culprit() {
    for k in 1..=3 {
        for is_joint in [false, true] {
            let none = calls(k, 1.0, is_joint);
            let right = calls(k, 50.0, is_joint);
            let misled = calls(k, 1e-9, is_joint);
            assert!(
                right < none - 1.5 * k as f64,
                "{k} {is_joint}: {right} of {none}"
            );
            assert!(
                misled < none + 1.1 * k as f64 + 1.0,
                "{k} {is_joint}: {misled} of {none}"
            );
        }
    }
}

/// Everybody is suspected but the culprit.
#[test]
fn suspicion_of_all_the_others_costs_few_calls() {
    for culprit in [0, 70, 199] {
        let each = (0..N).map(|it| if it == culprit { 0.0 } else { 1000.0 });
        let weights: Vec<f64> = each.collect();
        let candidates = Candidates::weighted(&weights);
        let causes = vec![Subset::of(N, [culprit])];
        let mut oracle = truth(any_of(causes.clone()));
        let found = attribute(&candidates, &mut oracle, Options::default());
        assert_eq!(found.causes, causes);
        assert!(found.certificate.search_calls <= 13);
    }
}
