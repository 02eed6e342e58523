//! The judge against a model that shares nothing with it: what it accepts is so, and of every
//! belief either a proof or a cut is accepted, never both.

use proptest::prelude::*;

use super::*;

fn premises(list: &[Premise]) -> BTreeSet<Premise> {
    list.iter().copied().collect()
}

fn justification(belief: u32, list: &[Premise]) -> Justification {
    let premises = premises(list);
    Justification {
        belief,
        premises,
        standing: Standing::Stands,
    }
}

fn step(belief: u32, justification: u32, list: &[Premise]) -> Step {
    let premises = premises(list);
    Step {
        belief,
        justification,
        premises,
    }
}

/// bel_1 from obs_1; bel_2 and bel_3 from each other, and bel_2 from bel_1 too.
fn ring() -> Facts {
    use Premise::{Belief, Observation};
    Facts {
        observations: BTreeMap::from([(1, Standing::Stands)]),
        refuted: BTreeSet::new(),
        justifications: BTreeMap::from([
            (1, justification(1, &[Observation(1)])),
            (2, justification(2, &[Belief(1)])),
            (3, justification(3, &[Belief(2)])),
            (4, justification(2, &[Belief(3)])),
        ]),
    }
}

fn proof(belief: u32, steps: &[Step]) -> Certificate {
    let (level, steps) = (Level::In, steps.to_vec());
    Certificate::Proof {
        belief,
        level,
        steps,
    }
}

#[test]
fn a_proof_rests_on_what_was_shown_before() {
    use Premise::{Belief, Observation};
    let facts = ring();
    let one = step(1, 1, &[Observation(1)]);
    let two = step(2, 2, &[Belief(1)]);
    let three = step(3, 3, &[Belief(2)]);
    let good = proof(3, &[one.clone(), two.clone(), three.clone()]);
    assert_eq!(check(&facts, &good), Ok(()));
    let reordered = proof(3, &[two.clone(), one.clone(), three.clone()]);
    assert_eq!(
        check(&facts, &reordered),
        Err(Rejection::NotShown(Belief(1)))
    );
    let circular = proof(3, &[step(2, 4, &[Belief(3)]), three]);
    assert_eq!(
        check(&facts, &circular),
        Err(Rejection::NotShown(Belief(3)))
    );
    let dropped = proof(2, &[step(2, 2, &[])]);
    assert_eq!(
        check(&facts, &dropped),
        Err(Rejection::OtherJustification(2))
    );
    let short = proof(3, &[one, two]);
    assert_eq!(check(&facts, &short), Err(Rejection::EndsElsewhere));
    assert_eq!(check(&facts, &proof(3, &[])), Err(Rejection::EndsElsewhere));
}

#[test]
fn circular_support_is_cut_once_its_ground_is_gone() {
    let cut = |out: &[u32]| Certificate::Cut {
        belief: 3,
        level: Level::In,
        out: out.iter().copied().collect(),
    };
    let mut facts = ring();
    assert_eq!(check(&facts, &cut(&[2, 3])), Err(Rejection::Holds(2)));
    facts.observations.insert(1, Standing::Refuted);
    assert_eq!(check(&facts, &cut(&[1, 2, 3])), Ok(()));
    assert_eq!(check(&facts, &cut(&[3])), Err(Rejection::Holds(3)));
    assert_eq!(check(&facts, &cut(&[1, 2])), Err(Rejection::NotInCut));
    facts.observations.insert(1, Standing::Stands);
    facts.refuted.insert(1);
    assert_eq!(check(&facts, &cut(&[1, 2, 3])), Ok(()));
}

fn facts() -> impl Strategy<Value = Facts> {
    let standing = || {
        prop_oneof![
            4 => Just(Standing::Stands),
            1 => Just(Standing::Closed),
            1 => Just(Standing::Refuted)
        ]
    };
    let premise = prop_oneof![
        (0..3_u32).prop_map(Premise::Observation),
        (0..6_u32).prop_map(Premise::Belief)
    ];
    let justification = (
        0..6_u32,
        prop::collection::btree_set(premise, 1..3),
        standing(),
    );
    (
        prop::collection::vec(standing(), 3),
        prop::collection::btree_set(0..6_u32, 0..2),
        prop::collection::vec(justification, 0..12),
    )
        .prop_map(|(observations, refuted, justifications)| Facts {
            observations: (0..).zip(observations).collect(),
            refuted,
            justifications: (0..)
                .zip(
                    justifications
                        .into_iter()
                        .map(|(belief, premises, standing)| Justification {
                            belief,
                            premises,
                            standing,
                        }),
                )
                .collect(),
        })
}

/// What stands, and the steps that show it, by plain iteration.
fn grown(facts: &Facts, level: Level) -> (BTreeSet<u32>, Vec<Step>) {
    let mut standing = BTreeSet::new();
    let mut steps = Vec::new();
    loop {
        let next = facts.justifications.iter().find(|(_, it)| {
            !standing.contains(&it.belief)
                && (level == Level::Ever || !facts.refuted.contains(&it.belief))
                && match it.standing {
                    Standing::Stands => true,
                    Standing::Closed => level != Level::In,
                    Standing::Refuted => level == Level::Ever,
                }
                && it.premises.iter().all(|premise| match premise {
                    Premise::Belief(id) => standing.contains(id),
                    Premise::Observation(id) => match facts.observations.get(id) {
                        Some(Standing::Stands) => true,
                        Some(Standing::Closed) => level != Level::In,
                        Some(Standing::Refuted) => level == Level::Ever,
                        None => false,
                    },
                })
        });
        let Some((id, found)) = next else {
            return (standing, steps);
        };
        standing.insert(found.belief);
        steps.push(Step {
            belief: found.belief,
            justification: *id,
            premises: found.premises.clone(),
        });
    }
}

proptest! {
    #[test]
    fn either_a_proof_or_a_cut_is_accepted_and_never_both(facts in facts(), choice in 0..64_u32) {
        for level in [Level::Ever, Level::Open, Level::In] {
            let (standing, steps) = grown(&facts, level);
            for belief in 0..6 {
                let upto = steps.iter().position(|it| it.belief == belief);
                let steps = steps.iter().take(upto.map_or(0, |it| it + 1)).cloned().collect();
                let proof = Certificate::Proof { belief, level, steps };
                prop_assert_eq!(check(&facts, &proof).is_ok(), standing.contains(&belief));
                let out: BTreeSet<u32> = (0..6).filter(|it| !standing.contains(it)).collect();
                let cut = Certificate::Cut { belief, level, out };
                prop_assert_eq!(check(&facts, &cut).is_ok(), !standing.contains(&belief));
                let out = (0..6).filter(|it| choice & (1 << it) != 0).collect();
                let any = Certificate::Cut { belief, level, out };
                prop_assert!(check(&facts, &any).is_err() || !standing.contains(&belief));
            }
        }
    }
}
