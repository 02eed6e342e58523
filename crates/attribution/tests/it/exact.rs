//! No verdict errs: the causes and the correction are those that every subset gives.

use immune_attribution::{Candidates, Found, Options, Outcome, Proof, Shape, Subset, attribute};
use proptest::prelude::*;

use crate::truth::{Gone, any_of, found, numbered, sets, sorted, truth};

/// Every monotone function of up to five candidates that fails with all and passes with none: its
/// causes are all, its correction is a smallest one, and both were replayed.
#[test]
fn every_monotone_oracle_of_few_candidates_is_found_exactly() {
    let mut n_functions = 0;
    for n in 1..=4 {
        for causes in antichains(n) {
            n_functions += 1;
            check(n, &causes, &found(n, &causes, Options::default()));
            let proof = Proof::Correction;
            let options = Options {
                proof,
                ..Options::default()
            };
            check_correction(n, &causes, &found(n, &causes, options));
        }
    }
    assert_eq!(n_functions, 1 + 4 + 18 + 166);
}

proptest! {
    #[test]
    fn any_monotone_oracle_is_found_exactly(
        n in 5_usize..=9,
        bits in prop::collection::vec(1_usize..512, 1..5),
        weights in prop::collection::vec(0.0_f64..9.0, 9),
    ) {
        let drawn: Vec<Subset> = bits.iter().map(|it| numbered(n, *it)).collect();
        let drawn = drawn.into_iter().filter(|it| !it.is_empty());
        let causes = least(drawn.collect());
        prop_assume!(!causes.is_empty());
        check(n, &causes, &found(n, &causes, Options::default()));
        let candidates = Candidates::weighted(weights.get(..n).unwrap());
        let mut oracle = truth(any_of(causes.clone()));
        check(n, &causes, &attribute(&candidates, &mut oracle, Options::default()));
    }

    /// Whatever the oracle is, monotone or not, the search ends with a correction that was replayed
    /// and of which none can be spared.
    #[test]
    fn an_oracle_that_is_not_monotone_still_gives_a_correction_that_was_replayed(
        n in 1_usize..=6,
        table in prop::collection::vec(any::<bool>(), 64),
    ) {
        let index = |it: &Subset| it.numbers().map(|it| 1 << it).sum::<usize>();
        let all = index(&Subset::all(n));
        let fails = |it: &Subset| match index(it) {
            0 => false,
            at if at == all => true,
            at => table[at],
        };
        let found = attribute(&Candidates::uniform(n), &mut truth(fails), Options::default());
        prop_assert_eq!(&found.outcome, &Outcome::Found);
        prop_assert!(!fails(&Subset::all(n).without(&found.correction)));
        prop_assert!(found.certificate.replayed.1 >= 1);
        for number in found.correction.numbers() {
            let mut less = found.correction.clone();
            less.remove(number);
            prop_assert!(fails(&Subset::all(n).without(&less)), "{:?}", found.correction);
        }
        for cause in &found.causes {
            prop_assert!(fails(cause));
        }
    }
}

proptest! {
    /// Whoever is suspected, and however many there are, the causes are those of a twin that shows
    /// each one alone and leaves each one out.
    #[test]
    fn culprits_that_act_in_one_way_are_those_of_asking_about_each(
        n in 1_usize..=120,
        picked in prop::collection::vec(0_usize..120, 1..12),
        weights in prop::collection::vec(0.0_f64..9.0, 120),
        is_suspected in any::<bool>(),
        is_joint in any::<bool>(),
    ) {
        let culprits = Subset::of(n, picked.iter().map(|it| it % n));
        let causes = if is_joint { vec![culprits] } else { ones(&culprits) };
        let fails = any_of(causes);
        let expected = sorted(twin(n, &fails));
        let candidates = if is_suspected {
            Candidates::weighted(weights.get(..n).unwrap())
        } else {
            Candidates::uniform(n)
        };
        for proof in [Proof::Correction, Proof::Causes] {
            let options = Options { proof, ..Options::default() };
            let found = attribute(&candidates, &mut truth(&fails), options);
            prop_assert_eq!(sorted(found.causes), expected.clone());
            prop_assert!(!fails(&Subset::all(n).without(&found.correction)));
        }
    }
}

/// All sets of up to three of so many, in both shapes: the first one at every distance from both
/// ends, so that each way is taken in which a question about the others is asked together with one
/// about whom it is.
#[test]
fn every_set_of_few_culprits_is_found_exactly() {
    let n = if std::env::var_os("IMMUNE_SLOW").is_some() {
        60
    } else {
        26
    };
    let mut sets: Vec<Subset> = Vec::new();
    for one in 0..n {
        for two in one..n {
            sets.extend((two..n).map(|three| Subset::of(n, [one, two, three])));
        }
    }
    for culprits in sets {
        for causes in [vec![culprits.clone()], ones(&culprits)] {
            let proof = Proof::Correction;
            let options = Options {
                proof,
                ..Options::default()
            };
            let found = found(n, &causes, options);
            assert_eq!(sorted(found.causes), sorted(causes), "{culprits:?}");
        }
    }
}

#[test]
fn the_shape_is_told_from_the_causes() {
    let shape = |of: &[&[usize]]| found(9, &sets(9, of), Options::default()).shape;
    assert_eq!(shape(&[&[4]]), Some(Shape::Single));
    assert_eq!(shape(&[&[4, 7]]), Some(Shape::Joint));
    assert_eq!(shape(&[&[0], &[4], &[8]]), Some(Shape::Redundant));
    assert_eq!(shape(&[&[0], &[4, 8]]), Some(Shape::Mixed));
    let all: Vec<usize> = (0..9).collect();
    assert_eq!(shape(&[&all]), Some(Shape::Joint));
}

/// A memory that is needed and little trusted beside the culprit: leaving it out first makes the
/// answer wrong for good, and a search that does finds nobody.
#[test]
fn a_needed_memory_does_not_hide_the_culprit() {
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let [culprit, needed, old] = order;
        let fails = |it: &Subset| it.contains(culprit) || it.contains(old) && !it.contains(needed);
        let mut oracle = truth(fails);
        let found = attribute(&Candidates::uniform(3), &mut oracle, Options::default());
        assert_eq!(found.outcome, Outcome::Found);
        assert_eq!(found.correction, Subset::of(3, [culprit]), "{order:?}");
        assert_eq!(found.causes, [Subset::of(3, [culprit])], "{order:?}");
    }
}

fn ones(of: &Subset) -> Vec<Subset> {
    let n = of.n_candidates();
    of.numbers().map(|it| Subset::of(n, [it])).collect()
}

/// Those that fail alone, each one a cause; where nobody does, all whose leaving out passes.
fn twin(n: usize, fails: impl Fn(&Subset) -> bool) -> Vec<Subset> {
    let all = Subset::all(n);
    let alone: Vec<Subset> = ones(&all).into_iter().filter(&fails).collect();
    if !alone.is_empty() {
        return alone;
    }
    let is_needed = |it: &Subset| !fails(&all.without(it));
    let needed = ones(&all).into_iter().filter(is_needed);
    vec![needed.fold(Subset::none(n), |all, it| all.with(&it))]
}

fn check(n: usize, causes: &[Subset], found: &Found<Gone>) {
    check_correction(n, causes, found);
    assert_eq!(sorted(found.causes.clone()), sorted(causes.to_vec()));
    assert!(found.certificate.all_causes);
    proves(n, causes, found);
}

/// The correction is a smallest set that hits every cause, and was replayed.
fn check_correction(n: usize, causes: &[Subset], found: &Found<Gone>) {
    assert_eq!(found.outcome, Outcome::Found, "{causes:?}");
    let hits = |set: &Subset| causes.iter().all(|it| it.without(set) != *it);
    assert!(hits(&found.correction), "{causes:?} {:?}", found.correction);
    let hitting = (0..1 << n).map(|it| numbered(n, it)).filter(hits);
    let least = hitting.map(|it| it.len()).min();
    let is_pure = causes.len() == 1 || causes.iter().all(|it| it.len() == 1);
    if is_pure || found.certificate.all_causes {
        assert_eq!(Some(found.correction.len()), least, "{causes:?}");
    }
    let certificate = &found.certificate;
    assert!(certificate.replayed.0 >= 1 && certificate.replayed.0 == certificate.replayed.1);
    assert_eq!(certificate.non_monotone, 0);
    let rest = Subset::all(n).without(&found.correction);
    assert!(
        certificate
            .replies
            .iter()
            .any(|it| it.shown == rest && !it.verdict.fails())
    );
}

/// The replies leave one monotone function only: the causes failed themselves, and what remains
/// outside of every way to break them was seen to pass.
fn proves(n: usize, causes: &[Subset], found: &Found<Gone>) {
    let replies = &found.certificate.replies;
    let implied = |set: &Subset| {
        let mut replies = replies.iter();
        replies.find_map(|it| match it.verdict.fails() {
            true if it.shown.is_within(set) => Some(true),
            false if set.is_within(&it.shown) => Some(false),
            _ => None,
        })
    };
    let fails = any_of(causes.to_vec());
    for set in (0..1 << n).map(|it| numbered(n, it)) {
        assert_eq!(implied(&set), Some(fails(&set)), "{causes:?} {set:?}");
    }
}

/// Every set of sets of which none holds another, none empty.
fn antichains(n: usize) -> Vec<Vec<Subset>> {
    let sets: Vec<Subset> = (1..1 << n).map(|it| numbered(n, it)).collect();
    let mut all: Vec<Vec<Subset>> = vec![Vec::new()];
    for set in sets {
        let apart = |it: &&Vec<Subset>| {
            it.iter()
                .all(|other| !other.is_within(&set) && !set.is_within(other))
        };
        let more: Vec<_> = all.iter().filter(apart).cloned().collect();
        all.extend(more.into_iter().map(|mut it| {
            it.push(set.clone());
            it
        }));
    }
    all.retain(|it| !it.is_empty());
    all
}

/// Those that hold no other.
fn least(sets: Vec<Subset>) -> Vec<Subset> {
    let sets = {
        let mut sets = sorted(sets);
        sets.dedup();
        sets
    };
    let is_least = |set: &&Subset| !sets.iter().any(|it| it != *set && it.is_within(set));
    sets.iter().filter(is_least).cloned().collect()
}
