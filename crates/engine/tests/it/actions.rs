//! Actions, end to end on the in-memory store: what the guard refuses, what is reversed and when.

use immune_engine::reason::plan::GuardVerdict;
use immune_model::*;

use crate::common::*;
use crate::verbs::{LIE, Story, TRUTH, story};

#[test]
fn an_action_on_what_fell_is_reversed_once_and_the_others_are_left_alone() {
    let Story {
        world, lie, clean, ..
    } = story();
    for kind in ["refund.payout", "dispatch"] {
        world.rule(kind, ActionClass::Compensable, UnknownPolicy::Warn);
    }
    let payout = world
        .operator
        .act(
            guard_command("refund.payout", "4200 to GB29NWBK60161331926819", None),
            |_| Ok(None),
        )
        .unwrap();
    assert_eq!(
        payout.0.used,
        [lie],
        "inferred from the account in the payload"
    );
    let dispatch = world
        .operator
        .act(
            guard_command("dispatch", "one parcel", Some(&[clean[1]])),
            |_| Ok(None),
        )
        .unwrap();
    let challenged = world.challenge("records", "ledger", "refund.destination", TRUTH);
    assert_eq!(challenged.incident.unwrap().1.reversals, [payout.0.action]);
    let ran = std::cell::Cell::new(0);
    let compensate = |request: &immune_engine::ReversalRequest| {
        ran.set(ran.get() + 1);
        assert_eq!(request.action, payout.0.action);
        Ok(Some(text("paid back")))
    };
    let reversed = world.operator.run_reversals(&compensate).unwrap();
    assert_eq!(reversed.len(), 1);
    assert_eq!(reversed[0].status, ActionStatus::Reversed);
    assert!(
        world
            .operator
            .run_reversals(&compensate)
            .unwrap()
            .is_empty()
    );
    assert_eq!(ran.get(), 1);
    let snapshot = world.memory.snapshot().unwrap();
    assert_eq!(
        snapshot.state().action(dispatch.0.action).unwrap().status,
        ActionStatus::Executed
    );
    world.verify();
}

#[test]
fn a_compensation_that_fails_is_tried_again_and_seen() {
    let Story { world, lie, .. } = story();
    world.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let (payout, _) = world
        .operator
        .act(guard_command("refund.payout", "x", Some(&[lie])), |_| {
            Ok(None)
        })
        .unwrap();
    world.challenge("records", "ledger", "refund.destination", TRUTH);
    let fails = |_: &immune_engine::ReversalRequest| Err(text("the bank is closed"));
    for attempt in 1..=5 {
        let tried = world.operator.run_reversals(&fails).unwrap();
        assert_eq!(tried.len(), 1, "attempt {attempt}");
        let expected = if attempt < 5 {
            ActionStatus::Reversing
        } else {
            ActionStatus::ReversalFailed
        };
        assert_eq!(tried[0].status, expected);
        assert!(
            world.operator.run_reversals(&fails).unwrap().is_empty(),
            "not before it is due"
        );
        world.clock.0.advance(120);
    }
    let snapshot = world.memory.snapshot().unwrap();
    let action = snapshot.state().action(payout.action).unwrap();
    assert_eq!(
        action.reversal.as_ref().unwrap().last_error,
        Some(text("the bank is closed"))
    );
}

#[test]
fn an_effect_that_ends_after_its_belief_fell_is_reversed_too() {
    let Story { world, lie, .. } = story();
    world.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let (payout, status) = world
        .operator
        .act(guard_command("refund.payout", "x", Some(&[lie])), |_| {
            world.challenge("records", "ledger", "refund.destination", TRUTH);
            Ok(None)
        })
        .unwrap();
    assert_eq!(status, ActionStatus::Reversing);
    assert_eq!(payout.verdict, GuardVerdict::Proceed);
}

#[test]
fn the_guard_refuses_what_rests_on_nothing_or_on_what_fell() {
    let Story { world, lie, .. } = story();
    world.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let nothing = world.guard("refund.payout", "4200 to someone", None);
    assert_eq!(nothing.reasons, ["no trusted belief supports it"]);
    world.challenge("records", "ledger", "refund.destination", TRUTH);
    let fallen = world.guard("refund.payout", "x", Some(&[lie]));
    assert_eq!(fallen.verdict, GuardVerdict::Refused);
    assert_eq!(fallen.reasons, ["bel_4 is quarantined"]);
    let irreversible = world.believe(
        "inbox",
        "ops@acme.example",
        "wire.cutoff",
        "The wire cutoff is noon",
    );
    let unknown = world.guard("wire.send", "x", Some(&[irreversible]));
    assert_eq!(
        unknown.reasons,
        ["no system of record confirms bel_9"],
        "unknown is not confirmed"
    );
}

#[test]
fn the_guard_asks_the_record_and_heals_on_the_spot() {
    let world = World::new();
    world.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    world.believe("records", "ledger", "refund.destination", TRUTH);
    let lie = world.believe("inbox", "mallory@evil.example", "refund.destination", LIE);
    let guarded = world.guard("refund.payout", "x", Some(&[lie]));
    assert_eq!(guarded.verdict, GuardVerdict::Refused);
    assert_eq!(guarded.checks, [(lie, Verdict::Refuted)]);
    assert!(guarded.incident.is_some());
    assert_eq!(world.status(lie), Status::Quarantined);
    world.verify();
}

#[test]
fn a_compensation_that_nobody_here_can_run_is_no_attempt() {
    struct Nobody;
    impl immune_engine::Compensate for Nobody {
        fn handles(&self, _: &immune_engine::ReversalRequest) -> bool {
            false
        }

        fn compensate(&self, _: &immune_engine::ReversalRequest) -> Result<Option<Text>, Text> {
            unreachable!("it handles nothing")
        }
    }
    let Story { world, lie, .. } = story();
    world.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let command = guard_command("refund.payout", "x", Some(&[lie]));
    let (payout, _) = world.operator.act(command, |_| Ok(None)).unwrap();
    world.challenge("records", "ledger", "refund.destination", TRUTH);
    let head = world.memory.snapshot().unwrap().head();
    assert!(world.operator.run_reversals(&Nobody).unwrap().is_empty());
    assert_eq!(world.memory.snapshot().unwrap().head(), head);
    let done = world
        .operator
        .run_reversals(&|_: &immune_engine::ReversalRequest| Ok(None))
        .unwrap();
    assert_eq!(done[0].action, payout.action);
}
