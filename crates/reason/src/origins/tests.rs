//! Derivations written down, derivations found one by one, and brute force agree.

use immune_model::BeliefId;
use proptest::prelude::*;

use super::hitting::{Set, lightest};
use super::proofs::{Ground, Proofs};
use super::*;

const ORIGINS: u32 = 7;

/// Justifications over a few beliefs, cycles included; each is a head, premises and origins.
fn proofs() -> impl Strategy<Value = Proofs> {
    let ground = (
        0..6_usize,
        proptest::collection::vec(0..6_usize, 0..3),
        proptest::collection::vec(0..ORIGINS, 0..3),
    );
    proptest::collection::vec(ground, 0..14).prop_map(|grounds| {
        let grounds = grounds.into_iter().map(|(head, beliefs, mut origins)| {
            if beliefs.is_empty() && origins.is_empty() {
                origins.push(0);
            }
            Ground {
                head,
                beliefs,
                origins,
            }
        });
        let unlinked = Proofs {
            members: (0..6).map(BeliefId::from_index).collect(),
            justifications: grounds.collect(),
            dependents: Vec::new(),
        };
        unlinked.linked()
    })
}

fn subsets() -> impl Iterator<Item = Set> {
    let members = |mask: u32| (0..ORIGINS).filter(move |it| mask & (1 << it) != 0);
    (0_u32..1 << ORIGINS).map(move |mask| members(mask).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_fewest_are_found_either_way(proofs in proofs()) {
        let falls = |lost: &Set| proofs.surviving(lost, &mut 0).is_none();
        let right = subsets().filter(falls).map(|it| it.len()).min().unwrap();
        let right = Corroboration::found(right, true);
        let (written, lost) = fewest(&proofs, 0, None, &mut 0);
        prop_assert_eq!(written, right);
        prop_assert!(falls(&lost));
        let (found, lost) = fewest_one_by_one(&proofs, 0, None, &mut 0);
        prop_assert_eq!(found, right);
        prop_assert!(falls(&lost));
    }

    #[test]
    fn the_lightest_are_found_either_way(
        proofs in proofs(),
        weights in proptest::collection::vec(0..5_u64, ORIGINS as usize),
        base in proptest::collection::btree_set(0..ORIGINS, 0..3),
    ) {
        let falls = |lost: &Set| proofs.surviving(lost, &mut 0).is_none();
        let weight = |lost: &Set| -> u64 {
            lost.difference(&base).map(|it| weights[*it as usize]).sum()
        };
        let right = subsets().filter(|it| falls(&(it | &base))).map(|it| weight(&it)).min();
        let right = (right.unwrap(), true);
        prop_assert_eq!(weigh::least_weight(&proofs, &weights, &base), right);
        prop_assert_eq!(weigh::least_weight_one_by_one(&proofs, &weights, &base), right);
    }

    #[test]
    fn what_is_written_down_are_the_minimal_derivations(proofs in proofs()) {
        let derivations = proofs.derivations().unwrap();
        for (place, set) in derivations.iter().enumerate() {
            let others = derivations.iter().enumerate().filter(|(it, _)| *it != place);
            prop_assert!(others.clone().all(|(_, it)| !it.is_subset(set)), "minimal");
        }
        for lost in subsets() {
            let survives = derivations.iter().any(|it| it.is_disjoint(&lost));
            prop_assert_eq!(survives, proofs.surviving(&lost, &mut 0).is_some());
        }
    }
}

#[test]
fn many_that_say_the_same_are_counted_at_once() {
    // A thousand by themselves, and a thousand pairs of which each is needed together.
    let ground = |beliefs, origins: Vec<u32>, head| Ground {
        head,
        beliefs,
        origins,
    };
    let singles = (0..1_000).map(|it| ground(Vec::new(), vec![it], 1));
    let pairs = (0..1_000).map(|it| ground(Vec::new(), vec![1_000 + it, 2_000 + it], 1));
    let mut justifications = vec![ground(vec![1], Vec::new(), 0)];
    justifications.extend(singles.chain(pairs));
    let unlinked = Proofs {
        members: vec![BeliefId::from_index(0), BeliefId::from_index(1)],
        justifications,
        dependents: Vec::new(),
    };
    let proofs = unlinked.linked();
    let (found, lost) = fewest(&proofs, 0, None, &mut 0);
    assert_eq!(
        (found, lost.len()),
        (Corroboration::found(2_000, true), 2_000)
    );
    let weights = vec![1; 3_000];
    let derivations = proofs.derivations().unwrap();
    let (_, weight) = lightest(&derivations, &weights, STEPS_MAX, &mut 0).unwrap();
    assert_eq!(weight, 2_000);
}
