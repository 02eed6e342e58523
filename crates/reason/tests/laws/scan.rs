//! The scan against its definition: exactly the active beliefs of one origin on which something
//! hangs, the gravest first; and confirming what it names does give a second origin.

use std::collections::BTreeSet;

use immune_model::*;
use immune_reason::State;
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

use crate::twin;

/// The active beliefs that rest on one by what holds, through any number of steps.
fn dependants(state: &State, id: BeliefId) -> BTreeSet<BeliefId> {
    let active = |it: BeliefId| state.belief_now(it).unwrap().status == Status::Active;
    let mut found = BTreeSet::from([id]);
    loop {
        let before = found.len();
        for jus in state.justification_ids() {
            let it = state.justification(jus).unwrap();
            let premises = it.grounds.premises();
            let beliefs: Vec<BeliefId> = premises
                .map(|it| match it {
                    Premise::Belief(id) => id,
                    Premise::Observation(_) => unreachable!("histories derive from beliefs"),
                })
                .collect();
            let holds = !it.retracted
                && state.closing_of(jus).is_none()
                && !twin::flagged(state, jus)
                && active(it.belief)
                && beliefs.iter().all(|it| active(*it));
            if holds && beliefs.iter().any(|it| found.contains(it)) {
                found.insert(it.belief);
            }
        }
        if found.len() == before {
            found.remove(&id);
            return found;
        }
    }
}

proptest! {
    #![proptest_config(super::cases())]

    #[test]
    fn a_scan_is_what_brute_force_finds(script in steps(30)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let scan = state.scan(1000);
        prop_assert_eq!(scan.n_candidates, scan.n_looked_at, "the budget is ample");
        let weighs = |id: BeliefId| {
            let carried: Vec<BeliefId> = dependants(state, id).into_iter().chain([id]).collect();
            let decisions = state.decision_ids().filter(|it| {
                let relied_on = &state.decision(*it).unwrap().relied_on;
                relied_on.iter().any(|it| carried.contains(it))
                    && state.decision_status(*it) == Some(Status::Active)
            });
            (decisions.count(), dependants(state, id).len())
        };
        let expected: BTreeSet<BeliefId> = state.belief_ids().filter(|id| {
            state.belief_now(*id).unwrap().status == Status::Active
                && !state.stated_by_record(*id)
                && twin::corroboration(state, *id) == 1
                && {
                    let live = |it: DecisionId| state.decision(it).unwrap().actions.iter().any(|it| {
                        matches!(state.action(*it).unwrap().status, ActionStatus::Executed | ActionStatus::Executing)
                    });
                    let carried: Vec<BeliefId> = dependants(state, *id).into_iter().chain([*id]).collect();
                    let acted = carried.iter().any(|it| state.decisions_on(*it).any(live));
                    weighs(*id) != (0, 0) || acted
                }
        }).collect();
        let found: BTreeSet<BeliefId> = scan.weak.iter().map(|it| it.belief).collect();
        prop_assert_eq!(found, expected);
        for weak in &scan.weak {
            prop_assert_eq!((weak.decisions.len(), weak.n_dependants), weighs(weak.belief), "{}", weak.belief);
        }
        let rank = |it: &immune_reason::question::Weak| (it.class, !it.decisions.is_empty(), it.n_dependants);
        prop_assert!(scan.weak.windows(2).all(|two| rank(&two[0]) >= rank(&two[1])));
    }
}
