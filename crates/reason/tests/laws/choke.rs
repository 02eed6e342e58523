//! Chokepoints against brute force over every set of memories: the nodes that all paths share,
//! the size of the smallest cut, what really falls once the answer is taken away, and the smallest
//! set that takes the target down.

use std::collections::BTreeSet;

use immune_model::*;
use immune_reason::State;
use immune_reason::question::{NoPaths, Size};
use immune_reason::state::Grounds;
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

use crate::{blast, twin};

/// Memories that brute force can try every set of.
const MEMORIES_MAX: usize = 10;

type Set = BTreeSet<Item>;

/// Every standing edge, from what carries to what rests on it.
fn edges(state: &State) -> Vec<(Item, Item)> {
    let stands = |it: Item| match it {
        Item::Belief(id) => state.belief_now(id).unwrap().status == Status::Active,
        Item::Observation(id) => state.observation_status(id) == Some(Status::Active),
        _ => true,
    };
    let mut edges = Vec::new();
    for id in state.observation_ids() {
        edges.push((state.observation(id).unwrap().source.into(), id.into()));
    }
    for id in state.justification_ids() {
        let found = state.justification(id).unwrap();
        let premises = found.grounds.rests_on().into_iter();
        let premises: Vec<Item> = premises.map(Item::from).collect();
        let agent = match found.grounds {
            Grounds::Derivation { agent, .. } => agent.map(Item::from),
            Grounds::Statement { .. } => None,
        };
        let holds = !found.retracted
            && !twin::flagged(state, id)
            && blast::closed(state, id, &|_| false).is_none()
            && stands(found.belief.into())
            && premises.iter().all(|it| stands(*it));
        edges.extend(
            premises
                .into_iter()
                .chain(agent)
                .filter(|_| holds)
                .map(|it| (it, found.belief.into())),
        );
    }
    edges.extend(blast::decided(state));
    edges
}

fn connected(edges: &[(Item, Item)], from: Item, to: Item, without: &Set) -> bool {
    let mut reached = Set::from([from]);
    loop {
        let before = reached.len();
        let next = edges
            .iter()
            .filter(|(one, other)| reached.contains(one) && !without.contains(other));
        let next: Vec<Item> = next.map(|(_, other)| *other).collect();
        reached.extend(next);
        if reached.contains(&to) {
            return true;
        }
        if reached.len() == before {
            return false;
        }
    }
}

/// Whether the target falls once these memories are taken away.
fn falls(state: &State, goals: &[BeliefId], without: &Set) -> bool {
    let taken = |id: JustificationId| {
        let found = state.justification(id).unwrap();
        without.contains(&found.belief.into())
            || match &found.grounds {
                Grounds::Statement { observation, .. } => {
                    let source = state.observation(*observation).unwrap().source;
                    without.contains(&(*observation).into()) || without.contains(&source.into())
                }
                Grounds::Derivation { agent, .. } => {
                    agent.is_some_and(|it| without.contains(&it.into()))
                }
            }
    };
    let counts = |id: JustificationId| {
        let written = !state.justification(id).unwrap().retracted;
        written
            && !twin::flagged(state, id)
            && !taken(id)
            && blast::closed(state, id, &taken).is_none()
    };
    let standing = twin::model(state, counts, |it| {
        state.belief(it).unwrap().refuted_in.is_none() && !without.contains(&it.into())
    });
    !goals.iter().all(|it| standing[it.index()])
}

fn subsets(of: &[Item]) -> impl Iterator<Item = Set> + '_ {
    let all = 0_u32..1 << of.len();
    all.map(|mask| {
        let members = of
            .iter()
            .enumerate()
            .filter(|(at, _)| mask & (1 << at) != 0);
        members.map(|(_, it)| *it).collect()
    })
}

fn goals(state: &State, to: Item) -> Vec<BeliefId> {
    match to {
        Item::Belief(id) => vec![id],
        Item::Decision(id) => state.decision(id).unwrap().relied_on.clone(),
        Item::Action(id) => goals(state, state.action(id).unwrap().decision.into()),
        _ => unreachable!("targets are beliefs, decisions and actions"),
    }
}

fn check(state: &State, from: Item, to: Item, memories: &[Item]) -> Result<(), TestCaseError> {
    let edges = edges(state);
    let found = match state.chokepoint(from, to) {
        Ok(found) => found,
        Err(NoPaths::Apart) => {
            prop_assert!(!connected(&edges, from, to, &Set::new()) || from == to);
            return Ok(());
        }
        Err(NoPaths::TargetOut(status)) => {
            prop_assert!(status != Status::Active);
            return Ok(());
        }
        Err(NoPaths::NotAnEnd(item)) => panic!("{item} is an end"),
    };
    let goals = goals(state, to);
    let between: Vec<Item> = memories
        .iter()
        .copied()
        .filter(|it| *it != from && *it != to)
        .collect();
    let alone = between
        .iter()
        .filter(|it| !connected(&edges, from, to, &Set::from([**it])));
    let shared: Set = found.shared.iter().copied().collect();
    prop_assert_eq!(
        &shared,
        &alone.copied().collect::<Set>(),
        "{} to {}",
        from,
        to
    );
    let least = subsets(&between)
        .filter(|it| !connected(&edges, from, to, it))
        .map(|it| it.len())
        .min();
    if shared.is_empty() {
        prop_assert_eq!(
            found.cut.as_ref().map(|it| it.members.len()),
            least,
            "{} to {}",
            from,
            to
        );
        if let Some(cut) = &found.cut {
            prop_assert_eq!(cut.size, Size::Smallest);
            let cut: Set = cut.members.iter().copied().collect();
            prop_assert!(!connected(&edges, from, to, &cut));
            prop_assert_eq!(found.falls, falls(state, &goals, &cut));
        }
    } else {
        let latest = Set::from([*found.shared.last().unwrap()]);
        prop_assert_eq!(
            found.falls,
            falls(state, &goals, &latest),
            "{} to {}",
            from,
            to
        );
    }
    if let Some(first) = found.falls_without {
        prop_assert!(falls(state, &goals, &Set::from([first])));
    }
    prop_assert_eq!(
        found.falls_without_origin,
        falls(state, &goals, &Set::from([from])),
        "{} to {}",
        from,
        to
    );
    for observation in &found.stands_on {
        prop_assert!(
            Item::from(*observation) != from,
            "independent of the origin"
        );
    }
    let takedown: Set = found.takedown.members.iter().copied().collect();
    prop_assert!(falls(state, &goals, &takedown), "{} by {:?}", to, takedown);
    let others: Vec<Item> = memories.iter().copied().filter(|it| *it != to).collect();
    let least = subsets(&others)
        .filter(|it| falls(state, &goals, it))
        .map(|it| it.len())
        .min();
    let least = least.unwrap();
    prop_assert!(found.takedown.at_least <= least);
    if found.takedown.size == Size::Smallest {
        prop_assert_eq!(takedown.len(), least, "{} by {:?}", to, takedown);
    }
    Ok(())
}

proptest! {
    #![proptest_config(super::cases())]

    #[test]
    fn a_chokepoint_is_what_brute_force_finds(script in steps(14)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let observations = state.observation_ids().map(Item::from);
        let memories: Vec<Item> = observations.chain(state.belief_ids().map(Item::from)).collect();
        prop_assume!(memories.len() <= MEMORIES_MAX);
        let targets = state.belief_ids().map(Item::from)
            .chain(state.decision_ids().map(Item::from))
            .chain(state.action_ids().map(Item::from));
        let origins: Vec<Item> = state.source_ids().map(Item::from).chain(memories.iter().copied()).collect();
        for to in targets {
            for from in &origins {
                check(state, *from, to, &memories)?;
            }
        }
    }
}
