//! What ends a search before it has found anybody.

use immune_attribution::{Candidates, Options, Outcome, Progress, Subset, Why, attribute};

use crate::truth::{Gone, any_of, found, sets, truth};

#[test]
fn a_failure_that_does_not_reproduce_blames_nobody() {
    for n in [0, 1, 2, 3, 10, 50] {
        let found = attribute(
            &Candidates::uniform(n),
            &mut truth(|_| false),
            Options::default(),
        );
        assert_eq!(found.outcome, Outcome::NotReproduced);
        assert!(found.causes.is_empty() && found.correction.is_empty() && found.shape.is_none());
        let guards = 2.min(n + 1);
        let calls = (found.certificate.guard_calls, found.certificate.calls());
        assert_eq!(calls, (guards, guards));
        let found = attribute(
            &Candidates::uniform(n),
            &mut truth(|_| true),
            Options::default(),
        );
        assert_eq!(found.outcome, Outcome::FailsWithout);
        assert!(found.causes.is_empty() && found.correction.is_empty());
    }
}

#[test]
fn a_budget_is_kept_at_every_number_of_calls_and_what_is_known_is_handed_out() {
    for causes in [
        sets(40, &[&[3], &[20], &[33]]),
        sets(40, &[&[3, 20, 33]]),
        sets(40, &[&[3], &[20, 33]]),
    ] {
        let whole = found(40, &causes, Options::default());
        for calls_max in 0..=whole.certificate.calls() {
            let mut oracle = truth(any_of(causes.clone()));
            let options = Options {
                calls_max: Some(calls_max),
                ..Options::default()
            };
            let part = attribute(&Candidates::uniform(40), &mut oracle, options);
            assert!(oracle.n_calls <= calls_max);
            assert_eq!(part.certificate.replies.len(), oracle.n_calls);
            let same = whole.certificate.replies.get(..oracle.n_calls).unwrap();
            assert_eq!(part.certificate.replies, same);
            if calls_max == whole.certificate.calls() {
                assert_eq!(part, whole);
                continue;
            }
            assert_eq!(part.outcome, Outcome::Stopped(Why::Budget));
            assert_eq!(oracle.n_calls, calls_max);
            if part.correction.is_empty() && calls_max >= 1 {
                let fails = any_of(causes.clone());
                assert!(fails(&part.suspects), "{:?}", part.suspects);
            }
        }
    }
}

#[test]
fn an_oracle_that_breaks_loses_no_reply() {
    let causes = sets(40, &[&[3], &[20, 33]]);
    let whole = found(40, &causes, Options::default());
    for broken_at in 0..whole.certificate.calls() {
        let mut oracle = truth(any_of(causes.clone()));
        oracle.broken_at = Some(broken_at);
        let part = attribute(&Candidates::uniform(40), &mut oracle, Options::default());
        assert_eq!(part.outcome, Outcome::Stopped(Why::Oracle(Gone)));
        assert_eq!(part.certificate.replies.len(), oracle.n_calls);
    }
}

#[test]
fn progress_is_told_after_each_reply_and_expects_less_in_the_end() {
    let mut told = Vec::new();
    let mut progress = |it: Progress| told.push(it);
    let options = Options {
        progress: Some(&mut progress),
        ..Options::default()
    };
    let found = found(200, &sets(200, &[&[50], &[99]]), options);
    assert_eq!(told.last().unwrap().calls, found.certificate.calls());
    assert!(told.windows(2).all(|it| it[0].calls < it[1].calls));
    assert!(
        told.iter()
            .all(|it| it.remaining.is_finite() && it.remaining >= 0.0)
    );
    assert!(told.last().unwrap().remaining < told[1].remaining);
}

#[test]
fn one_candidate_takes_the_two_guards_only() {
    let found = found(1, &sets(1, &[&[0]]), Options::default());
    assert_eq!(found.correction, Subset::all(1));
    assert_eq!(found.certificate.calls(), 2);
}
