//! Half-lives: weights fade as of the time asked; statuses and strengths do not.

use std::num::NonZeroU32;

use immune_engine::reason::plan::SetHalfLife;
use immune_engine::{Explained, Label, Recall, Session, When};
use immune_model::*;

use crate::common::*;

const DAY: i64 = 86_400;

fn world() -> World {
    let world = World::new();
    world.channel("press", "0.9", Carriage::Relays);
    for name in ["old", "new"] {
        world.declare("press", name);
    }
    let command = SetHalfLife {
        area: Area::new("price.*").unwrap(),
        seconds: NonZeroU32::new(30 * 86_400),
    };
    assert!(world.operator.set_half_life(command.clone()).unwrap());
    assert!(!world.operator.set_half_life(command).unwrap(), "once");
    world
}

fn labels(session: &Session) -> Vec<(String, Label)> {
    let recalled = session
        .recall(&Recall::about(subject("price.lamp")))
        .unwrap();
    let facts = recalled.facts.iter();
    facts.map(|it| (it.text.to_string(), it.label)).collect()
}

#[test]
fn a_lone_old_value_keeps_its_strength_and_ends_unverified() {
    let world = world();
    let price = world.believe("press", "old", "price.lamp", "The lamp costs 10 EUR");
    let weight = || {
        let snapshot = world.memory.snapshot().unwrap();
        let asked = world.operator.present(snapshot.state());
        let explained = Explained::of(snapshot.state()).as_of(asked).belief(price);
        explained.unwrap().weight.millionths
    };
    let mut weights = Vec::new();
    for days in [0, 30, 569, 1] {
        world.clock.0.advance(days * DAY);
        weights.push(weight());
        assert_eq!(world.strength(price), trust("0.9"));
        assert_eq!(world.status(price), Status::Active);
        let label = labels(&world.operator)[0].1;
        let wanted = if weights.last() == Some(&0) {
            Label::Unverified
        } else {
            Label::SingleOrigin
        };
        assert_eq!(label, wanted, "{weights:?}");
    }
    assert_eq!(weights, [2_197_225, 1_098_613, 2, 0]);
    // Whoever says it again makes it fresh.
    world.believe("press", "new", "price.lamp", "The lamp costs 10 EUR");
    assert_eq!(labels(&world.operator)[0].1, Label::Confirmed(2));
}

#[test]
fn the_same_words_again_make_a_value_fresh_where_there_is_a_half_life() {
    let world = world();
    let (price, name) = ("The lamp costs 10 EUR", "The lamp is called Luna");
    world.remember("press", "old", "price.lamp", price);
    world.remember("press", "old", "lamp.name", name);
    assert!(
        world.remember("press", "old", "price.lamp", price).repeated,
        "at once"
    );
    world.clock.0.advance(700 * DAY);
    assert_eq!(labels(&world.operator)[0].1, Label::Unverified);
    let mut sent = said("press", "old", "price.lamp", price);
    sent.external_id = Some(text("message 1"));
    assert!(!world.operator.remember(sent.clone()).unwrap().repeated);
    world.clock.0.advance(700 * DAY);
    assert!(
        world.operator.remember(sent).unwrap().repeated,
        "one message"
    );
    assert_eq!(labels(&world.operator)[0].1, Label::Unverified);
    assert!(!world.remember("press", "old", "price.lamp", price).repeated);
    let fresh = vec![(price.to_owned(), Label::SingleOrigin)];
    assert_eq!(labels(&world.operator), fresh);
    assert!(world.remember("press", "old", "lamp.name", name).repeated);
    world.verify();
}

#[test]
fn what_a_record_states_does_not_fade() {
    let world = world();
    world.believe("records", "ledger", "price.lamp", "The lamp costs 10 EUR");
    world.clock.0.advance(10_000 * DAY);
    assert_eq!(labels(&world.operator)[0].1, Label::SingleOrigin);
    // A fresh price does not lead the record.
    world.believe("press", "new", "price.lamp", "The lamp costs 12 EUR");
    let of_record = labels(&world.operator);
    let found = of_record.iter().find(|(it, _)| it.contains("10"));
    assert_eq!(found.unwrap().1, Label::SingleOrigin);
}

#[test]
fn the_past_is_asked_as_of_the_time_asked() {
    let world = world();
    world.believe("press", "old", "price.lamp", "The lamp costs 10 EUR");
    world.clock.0.advance(40 * DAY);
    let then = world.clock.0.shown();
    world.believe("press", "new", "price.lamp", "The lamp costs 12 EUR");
    let leads = |session: &Session| {
        let labels = labels(session);
        let leading = labels.iter().find(|(_, it)| *it == Label::SingleOrigin);
        leading.map(|(text, _)| text.clone())
    };
    assert_eq!(
        leads(&world.operator).as_deref(),
        Some("The lamp costs 12 EUR")
    );
    // Forty days later both have faded alike; the newer leads still.
    world.clock.0.advance(40 * DAY);
    assert_eq!(
        leads(&world.operator).as_deref(),
        Some("The lamp costs 12 EUR")
    );
    // A day before it was said there was one price, faded by a month and more.
    let before = then.micros() - DAY * 1_000_000;
    let past = world
        .operator
        .at(When::Time(Instant::from_micros(before).unwrap()));
    let past = past.unwrap();
    let state = past.snapshot().unwrap();
    let asked = past.present(state.state());
    assert_eq!(asked.map(Instant::micros), Some(before));
    let explained = Explained::of(state.state()).as_of(asked);
    let explained = explained.belief(BeliefId::new(1)).unwrap();
    assert_eq!(
        explained.weight.millionths, 892_351,
        "2.197225 after 39 of 30 days"
    );
    assert_eq!(explained.fading.unwrap().fresh_millionths, 2_197_225);
    // Without the half-life the two would be as good as each other.
    let keep = SetHalfLife {
        area: Area::new("price.*").unwrap(),
        seconds: None,
    };
    assert!(world.operator.set_half_life(keep).unwrap());
    assert_eq!(leads(&world.operator), None);
    world.verify();
}

#[test]
fn only_an_operator_sets_a_half_life() {
    let world = World::new();
    let command = SetHalfLife {
        area: Area::new("*").unwrap(),
        seconds: NonZeroU32::new(1),
    };
    assert!(world.agent("bot").set_half_life(command).is_err());
    assert_eq!(world.memory.refused(), 1);
}
