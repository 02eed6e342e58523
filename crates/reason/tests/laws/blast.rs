//! What rests on an item and what would fall with it, against brute force: every distance by
//! relaxing edges, every status by growing the models of the whole graph without the item.

use std::collections::BTreeMap;

use immune_model::*;
use immune_reason::State;
use immune_reason::question::Fate;
use immune_reason::state::{Cause, Grounds};
use immune_testkit::history::{History, flag_of, steps};
use proptest::prelude::*;

use crate::twin;

/// Every edge of provenance, from what carries to what rests on it.
fn edges(state: &State) -> Vec<(Item, Item)> {
    let mut edges = Vec::new();
    for id in state.observation_ids() {
        let observation = state.observation(id).unwrap();
        if !observation.retracted {
            edges.push((observation.source.into(), id.into()));
        }
    }
    for id in state.justification_ids() {
        let found = state.justification(id).unwrap();
        if found.retracted {
            continue;
        }
        let rests_on = found.grounds.rests_on().into_iter();
        edges.extend(rests_on.map(|it| (it.into(), found.belief.into())));
        if let Grounds::Derivation { agent, .. } = &found.grounds {
            edges.extend(agent.map(|it| (it.into(), found.belief.into())));
        }
    }
    edges.extend(decided(state));
    edges
}

/// From what a decision relied on to it, and on to its actions.
pub(crate) fn decided(state: &State) -> Vec<(Item, Item)> {
    let mut edges = Vec::new();
    for id in state.decision_ids() {
        let decision = state.decision(id).unwrap();
        edges.extend(
            decision
                .relied_on
                .iter()
                .map(|it| ((*it).into(), id.into())),
        );
        edges.extend(decision.actions.iter().map(|it| (id.into(), (*it).into())));
    }
    edges
}

fn distances(edges: &[(Item, Item)], from: Item) -> BTreeMap<Item, u32> {
    let mut hops = BTreeMap::from([(from, 0)]);
    loop {
        let before = hops.clone();
        for (one, other) in edges {
            if let Some(hop) = hops.get(one).map(|it| it + 1) {
                let known = hops.entry(*other).or_insert(hop);
                *known = hop.min(*known);
            }
        }
        if hops == before {
            return hops;
        }
    }
}

/// The closing fact that would apply to a justification if these newer claims were void.
pub(crate) fn closed(
    state: &State,
    id: JustificationId,
    void: &dyn Fn(JustificationId) -> bool,
) -> Option<(u64, Closing)> {
    let closings = &state.justification(id).unwrap().closings;
    let applies = |closing: &Closing| match *closing {
        Closing::Superseded { by } => replaces(state, by, void),
        Closing::Expired | Closing::Forgotten => true,
    };
    closings.iter().rev().find(|(_, it)| applies(it)).copied()
}

fn replaces(state: &State, newer: JustificationId, void: &dyn Fn(JustificationId) -> bool) -> bool {
    let found = state.justification(newer).unwrap();
    let refuted = state.belief(found.belief).unwrap().refuted_in.is_some();
    (!found.retracted && !refuted && !twin::flagged(state, newer) && !void(newer))
        || found.closings.iter().any(|(_, it)| match *it {
            Closing::Superseded { by } => replaces(state, by, void),
            _ => false,
        })
}

/// The status of every belief if the item were refuted or flagged.
fn statuses_without(state: &State, item: Item) -> Vec<Status> {
    let taken = |id: JustificationId| {
        let found = state.justification(id).unwrap();
        match (item, &found.grounds) {
            (Item::Belief(it), _) => it == found.belief,
            (Item::Observation(it), Grounds::Statement { observation, .. }) => it == *observation,
            (Item::Source(it), Grounds::Statement { observation, .. }) => {
                it == state.observation(*observation).unwrap().source
            }
            (Item::Source(it), Grounds::Derivation { agent, .. }) => *agent == Some(it),
            _ => false,
        }
    };
    let written = |id: JustificationId| !state.justification(id).unwrap().retracted;
    let left = |id: JustificationId| written(id) && !twin::flagged(state, id) && !taken(id);
    let refuted =
        |id: BeliefId| state.belief(id).unwrap().refuted_in.is_some() || item == Item::Belief(id);
    let ever = twin::model(state, written, |_| true);
    let open = twin::model(state, left, |it| !refuted(it));
    let standing = twin::model(
        state,
        |it| left(it) && closed(state, it, &taken).is_none(),
        |it| !refuted(it),
    );
    let status = |id: BeliefId| {
        let at = id.index();
        let levels = [ever[at], open[at], standing[at]];
        twin::status(state, id, refuted(id), levels, &|it| {
            closed(state, it, &taken)
        })
    };
    state.belief_ids().map(status).collect()
}

proptest! {
    #![proptest_config(super::cases())]

    #[test]
    fn a_blast_is_what_brute_force_finds(script in steps(30)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let edges = edges(state);
        let items = state.source_ids().map(Item::from)
            .chain(state.observation_ids().map(Item::from))
            .chain(state.belief_ids().map(Item::from));
        for item in items {
            let blast = state.blast(item).unwrap();
            let found: BTreeMap<Item, u32> = blast.reached.iter().map(|it| (it.item, it.hop)).collect();
            prop_assert_eq!(&found, &distances(&edges, item), "{}", item);
            prop_assert_eq!(found.len(), blast.reached.len(), "each once");
            prop_assert!(blast.reached.is_sorted_by_key(|it| it.hop), "nearest first");
            let then = statuses_without(state, item);
            let mut returns = Vec::new();
            for id in state.belief_ids() {
                let (now, then) = (state.belief_now(id).unwrap().status, then[id.index()]);
                if now != Status::Active && then == Status::Active {
                    returns.push(id);
                }
                let reached = blast.reached.iter().find(|it| it.item == id.into());
                let Some(reached) = reached else {
                    // Outside, only what had been replaced may move.
                    prop_assert!(now == then || then == Status::Active || !now.fell(), "{}", id);
                    continue;
                };
                prop_assert_eq!(reached.then, Some(then), "{} without {}", id, item);
                match reached.fate {
                    Fate::Stands(by) => {
                        prop_assert_eq!(then, Status::Active);
                        let by = state.justification(by.unwrap()).unwrap();
                        prop_assert_eq!(by.belief, id);
                    }
                    Fate::Falls => prop_assert!(then != Status::Active && now != then),
                    Fate::Out => prop_assert!(now != Status::Active),
                }
            }
            prop_assert_eq!(blast.returns, returns, "{}", item);
        }
    }
}

proptest! {
    #![proptest_config(super::cases())]

    /// What a blast says would befall each belief is what does befall it once the item is flagged.
    #[test]
    fn a_flag_does_what_the_blast_said(script in steps(30), of in flag_of(), pick in any::<u8>()) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let before = history.state.clone();
        let Some(incident) = history.flag(of, pick) else {
            return Ok(());
        };
        let state = &history.state;
        let Cause::Flag { target, received_from: None, .. } = state.incident(incident).unwrap().cause else {
            // From a moment on: that is not what a blast is asked about.
            return Ok(());
        };
        let blast = before.blast(target.into()).unwrap();
        for reached in &blast.reached {
            if let Item::Belief(id) = reached.item {
                let then = Some(state.belief_now(id).unwrap().status);
                prop_assert_eq!(reached.then, then, "{} of {:?}", id, target);
            }
        }
        let returned = |id: &BeliefId| state.belief_now(*id).unwrap().status == Status::Active;
        prop_assert!(blast.returns.iter().all(returned));
    }
}
