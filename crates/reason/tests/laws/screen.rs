//! The terms of a strength: whatever happened, their least is what a justification gives.

use immune_reason::screen::{StatementOutcome, Term};
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

use super::cases;

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_least_of_the_terms_is_the_strength(script in steps(30)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        for id in state.justification_ids() {
            let trusted = state.trusted(id);
            if state.holds(id) {
                prop_assert_eq!(trusted.trust, state.justification_strength(id), "{}", id);
            }
            let decided_by = trusted.decided_by();
            let terms = trusted.terms.iter().filter(|(term, _)| *term == decided_by);
            prop_assert!(terms.clone().any(|(_, it)| *it == trusted.trust));
            prop_assert!(trusted.terms.iter().all(|(_, it)| *it >= trusted.trust));
            // The report of each can be given, and agrees with what it reports.
            let report = state.screened_claim(id);
            let now = state.belief_now(report.belief).unwrap();
            prop_assert_eq!((report.status, report.strength), (now.status, now.strength));
            let rivals: Vec<_> = report.conflicts.iter().map(|it| it.belief).collect();
            prop_assert_eq!(rivals, state.rivals_of(report.belief));
            if state.flag_against(id).is_some() {
                prop_assert_eq!(decided_by, Term::Flag);
                prop_assert_eq!(report.outcome, StatementOutcome::Blocked);
            }
        }
    }

    /// Between where it is and the floor lie as many checks as are told, if its tier allows any.
    #[test]
    fn a_reputation_explains_itself(script in steps(30)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        let state = &history.state;
        for id in state.source_ids() {
            let areas = state.areas_of(id);
            for area in std::iter::once(None).chain(areas.iter().map(|it| Some(&**it))) {
                let earned = state.explain_reputation(id, area);
                let last = earned.steps.last().map_or(earned.start, |(_, after)| *after);
                let worth = earned.newcomer.map_or(last, |it| last.min(it.value));
                prop_assert_eq!(earned.reputation, worth);
                let is_there = earned.reputation >= immune_model::Trust::FLOOR;
                prop_assert_eq!(earned.checks_to_floor == Some(0), is_there);
            }
        }
    }
}
