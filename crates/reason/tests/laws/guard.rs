//! What a rule asks of an action is what the memory says of each belief, on random histories.

use immune_model::{
    ActionClass, BeliefId, Handle, Instant, Kind, Namespace, Principal, Role, Rule, RuleId, Status,
    Text, Trust, UnknownPolicy,
};
use immune_reason::State;
use immune_reason::plan::{Draft, Guard, Narrowing, SetRule};
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

use super::cases;

/// The beliefs that a guard of an action that relies on all of these finds too little behind.
fn refused(state: &State, used: &[BeliefId], corroboration: u32) -> Vec<BeliefId> {
    let actor = Principal {
        role: Role::Operator,
        name: Handle::new("ops").unwrap(),
    };
    let at = state
        .at()
        .unwrap_or_else(|| Instant::from_micros(0).unwrap());
    let mut draft = Draft::new(state.clone(), actor, at);
    let kind = Kind::new("wire").unwrap();
    let rule = Rule {
        rule: RuleId::new(1),
        kind: kind.clone(),
        class: ActionClass::Reversible,
        unknown: UnknownPolicy::Allow,
        waiver: None,
        compensation: None,
    };
    draft
        .set_rule(&SetRule {
            rule,
            corroboration,
        })
        .unwrap();
    let guarded = draft.guard(&Guard {
        agent: Handle::new("agent").unwrap(),
        namespace: Namespace::ROOT,
        kind,
        payload: Text::new("payload").unwrap(),
        literals: Vec::new(),
        used: Some(used.to_vec()),
        run: None,
        narrowing: Narrowing::Whole,
    });
    guarded.unwrap().uncorroborated
}

proptest! {
    #![proptest_config(cases())]

    /// A guard that looks no further than it has to refuses for exactly those beliefs whose
    /// corroboration, counted to its end, is below what is asked for.
    #[test]
    fn a_guard_asks_for_what_corroboration_is(script in steps(30)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        let used: Vec<BeliefId> = state.belief_ids().collect();
        for asked in 0..4 {
            let below = used.iter().copied().filter(|it| {
                let now = state.belief_now(*it).unwrap();
                now.status == Status::Active
                    && now.strength >= Trust::FLOOR
                    && state.corroboration(*it).count < asked
            });
            prop_assert_eq!(refused(state, &used, asked), below.collect::<Vec<_>>());
        }
    }
}
