//! Parole: it takes back refutations of one belief, and nothing else.

use immune_model::{BeliefId, IncidentId, Status};
use immune_reason::{Scope, State};
use immune_testkit::history::{History, Step, steps};
use proptest::prelude::*;

use super::{all, cases, picture, twin};

fn reputations(state: &State) -> Vec<immune_model::Trust> {
    let reputation = |id| state.reputation(id, Scope::Overall);
    state.source_ids().map(reputation).collect()
}

/// A history after which a record has changed its mind: what it refuted first is what it says.
fn changed_mind(script: &[Step], subject: u8, [first, then]: [u8; 2]) -> History {
    let mut history = History::new();
    for step in script {
        history.take(step);
    }
    history.refute(subject, first);
    history.refute(subject, then);
    history
}

fn refuted(state: &State) -> Vec<BeliefId> {
    let is_refuted = |it: &BeliefId| !state.refutations_of(*it).is_empty();
    state.belief_ids().filter(is_refuted).collect()
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_release_moves_no_reputation_and_is_what_a_naive_twin_says(
        script in steps(30),
        subject in 0..4u8,
        values in [0..3u8, 0..3u8],
    ) {
        let mut history = changed_mind(&script, subject, values);
        for belief in refuted(&history.state) {
            let before = reputations(&history.state);
            let (n, stood) = (history.state.n_beliefs(), all(&history.state));
            let was = picture(&history.state, n);
            if history.parole(belief) {
                let state = &history.state;
                prop_assert_eq!(state.refutations_of(belief), vec![]);
                prop_assert_ne!(state.belief_now(belief).unwrap().status, Status::Quarantined);
                prop_assert_eq!(all(state), twin::all(state));
                prop_assert_eq!(reputations(state), before);
                let rivals = state.rivals_of(belief);
                prop_assert!(!rivals.iter().any(|it| state.stated_by_record(*it)));
            } else {
                prop_assert_ne!(history.state.refutations_of(belief), vec![]);
                prop_assert_eq!(picture(&history.state, n), was, "what is held moves nothing");
                prop_assert_eq!(all(&history.state), stood);
            }
        }
    }

    /// An incident that was a mistake is undone the same, whether what it refuted was released
    /// before or not.
    #[test]
    fn a_release_is_no_matter_once_its_incident_is_undone(
        script in steps(30),
        subject in 0..4u8,
        values in [0..3u8, 0..3u8],
    ) {
        let mut released = changed_mind(&script, subject, values);
        let mut never = changed_mind(&script, subject, values);
        for belief in refuted(&released.state) {
            let incidents: Vec<IncidentId> = released.state.refutations_of(belief);
            if !released.parole(belief) {
                continue;
            }
            for incident in incidents {
                released.reinstate(incident);
                never.reinstate(incident);
            }
            let n = never.state.n_beliefs();
            prop_assert_eq!(picture(&released.state, n), picture(&never.state, n));
        }
    }
}

#[test]
fn what_a_record_states_again_is_released() {
    let mut history = History::new();
    history.take(&Step::Remember {
        source: 1,
        subject: 0,
        value: 1,
        ttl: false,
    });
    let belief = BeliefId::new(1);
    assert!(!history.parole(belief), "nothing refuted it");
    assert!(history.refute(0, 0).is_some());
    assert!(!history.parole(belief), "the record contradicts it");
    let cost = reputations(&history.state);
    // The record changes its mind: what it said itself it replaces, and refutes nothing with that.
    assert!(history.refute(0, 1).is_none());
    assert!(history.parole(belief));
    let now = history.state.belief_now(belief).unwrap();
    assert_eq!(now.status, Status::Active);
    assert_eq!(
        reputations(&history.state)[..2],
        cost[..2],
        "what it cost stays"
    );
}
