//! The baselines do what is published of them, and no more.

use immune_attribution::baseline::{Asking, Blamed, ddmin, peel, probdd, quickxplain};
use immune_attribution::{Candidates, Subset};

use crate::truth::{any_of, sets, truth};

/// Replays of the seed's own tests: the culprits are first in line.
#[test]
fn peel_takes_the_published_number_of_replays() {
    for (k, calls) in [(1, 2), (3, 7), (5, 11)] {
        let culprits: Vec<Subset> = (0..k).map(|it| Subset::of(20, [it])).collect();
        let mut oracle = truth(any_of(culprits));
        let found = peel(&Candidates::uniform(20), &mut oracle, Asking::default()).unwrap();
        let blamed = Subset::of(20, 0..k);
        assert_eq!(found, Blamed { blamed, calls });
    }
    let found = peel(
        &Candidates::uniform(9),
        &mut truth(|_| false),
        Asking::default(),
    )
    .unwrap();
    assert!(found.blamed.is_empty() && found.calls == 1);
}

/// It takes out what is needed, and never passes again: `a_needed_memory_does_not_hide_the_culprit`
/// is the same oracle for the search.
#[test]
fn peel_misses_a_culprit_behind_a_needed_memory() {
    let fails = |it: &Subset| it.contains(1) || !it.contains(0);
    let found = peel(
        &Candidates::uniform(3),
        &mut truth(fails),
        Asking::default(),
    )
    .unwrap();
    assert!(found.blamed.is_empty());
}

#[test]
fn the_others_find_joint_causes_and_one_of_redundant_ones() {
    type Baseline =
        fn(usize, &mut crate::truth::Fails, Asking) -> Result<Blamed, crate::truth::Gone>;
    let all: [Baseline; 3] = [ddmin, probdd, quickxplain];
    for baseline in all {
        for joint in sets(60, &[&[7], &[0, 59], &[3, 20, 41]]) {
            let fails = any_of(vec![joint.clone()]);
            let mut oracle = truth(Box::new(fails) as Box<dyn FnMut(&Subset) -> bool>);
            let found = baseline(60, &mut oracle, Asking::default()).unwrap();
            assert_eq!((&found.blamed, found.calls), (&joint, oracle.n_calls));
        }
        let redundant = any_of(sets(60, &[&[3], &[20], &[41]]));
        let mut oracle = truth(Box::new(redundant) as Box<dyn FnMut(&Subset) -> bool>);
        let found = baseline(60, &mut oracle, Asking::default()).unwrap();
        assert_eq!(found.blamed.len(), 1);
    }
}

/// Nobody is to blame, and delta debugging names somebody: why the search guards itself.
#[test]
fn delta_debugging_blames_everybody_where_nothing_fails() {
    let found = ddmin(10, &mut truth(|_| false), Asking::default()).unwrap();
    assert_eq!(found.blamed, Subset::all(10));
}
