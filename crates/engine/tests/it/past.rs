//! What was believed then: the answer of the past is the one that was given.

use immune_engine::{Recall, When};
use immune_model::Status;

use crate::common::*;

#[test]
fn the_past_answers_as_it_did() {
    let world = World::new();
    let lie = world.believe(
        "inbox",
        "mallory@evil.example",
        "refund.destination",
        "Refunds go to GB29 NWBK 6016 1331 9268 19",
    );
    let before = world.memory.snapshot().unwrap();
    let question = Recall::query("where do refunds go?");
    let then = world.operator.recall(&question).unwrap();
    world.clock.0.advance(86_400);
    world.challenge(
        "records",
        "ledger",
        "refund.destination",
        "Refunds go to DE89 3704 0044 0532 0130 00",
    );
    let by_seq = world.operator.at(When::Seq(before.head().seq)).unwrap();
    let by_time = world
        .operator
        .at("2026-08-13T20:00:00Z".parse().unwrap())
        .unwrap();
    for past in [by_seq, by_time] {
        assert_eq!(past.recall(&question).unwrap(), then);
        let snapshot = past.snapshot().unwrap();
        assert_eq!(snapshot.head(), before.head());
        assert_eq!(
            snapshot.state().belief_now(lie).unwrap().status,
            Status::Active
        );
    }
    assert_eq!(
        world.status(lie),
        Status::Quarantined,
        "the present is as it is"
    );
}

#[test]
fn before_the_first_event_there_is_nothing_and_the_future_is_refused() {
    let world = World::new();
    let empty = world
        .operator
        .at("2000-01-01T00:00:00Z".parse().unwrap())
        .unwrap();
    assert_eq!(empty.snapshot().unwrap().state().n_sources(), 0);
    let refused = world.operator.at(When::Seq(1_000)).unwrap_err().to_string();
    assert_eq!(
        refused,
        "event 1000 has not happened, the log ends at event 5"
    );
    for word in ["yesterday", "-1", "2026-08-13T20:00:00", ""] {
        assert!(word.parse::<When>().is_err(), "{word}");
    }
}

#[test]
fn a_later_touch_moves_no_interval() {
    // D17: A replaced by B on day 10; on day 20 B is confirmed; asked about day 15 it is B.
    let world = World::new();
    world.believe("inbox", "a@x.example", "shop.limit", "The limit is USD 100");
    world.clock.0.advance(10 * 86_400);
    let b = world.believe("inbox", "a@x.example", "shop.limit", "The limit is USD 200");
    world.clock.0.advance(10 * 86_400);
    world.challenge("records", "ledger", "shop.limit", "The limit is USD 200");
    let day_15 = world
        .operator
        .at("2026-08-28T13:30:00Z".parse().unwrap())
        .unwrap();
    let facts = day_15
        .recall(&Recall::about(subject("shop.limit")))
        .unwrap()
        .facts;
    assert_eq!(facts.iter().map(|it| it.belief).collect::<Vec<_>>(), [b]);
}
