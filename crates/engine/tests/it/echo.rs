//! Copied hops (semantics.md 4): what repeats the words of an earlier observation, in a channel that
//! relays, is trusted no further than that one, with a run or without.

use immune_engine::reason::plan::{Copying, Flag, FlagWhat, Remembered, SetMirror, Unflag};
use immune_engine::reason::screen::{StatementOutcome, Term};
use immune_engine::{Explained, Recall, When};
use immune_model::*;

use crate::common::{World, said, source, subject, text, trust};

const WEB: &str = "0.2";
const ACCOUNT: &str = "DE89370400440532013000";
const PAGE: &str = "https://acme.example";

/// A web at 0.2, tools at 0.9, agents, all of which relay; and a desk that no agent writes to.
fn world() -> World {
    let world = World::new();
    for (channel, tier, carriage) in [
        ("web", WEB, Carriage::Relays),
        ("tools", "0.9", Carriage::Relays),
        ("agents", "0.85", Carriage::Relays),
        ("desk", "0.9", Carriage::Authored),
    ] {
        world.channel(channel, tier, carriage);
    }
    world.declare("web", PAGE);
    world.declare("tools", "browser");
    world.declare("tools", "search");
    world.declare("desk", "clerk");
    world
}

/// Sixty words of which the first so many were changed; the lie is the last of them.
fn page(changed: usize) -> String {
    let word = |at: usize| {
        let sign = if at < changed { "changed" } else { "word" };
        format!("{sign}{at}")
    };
    let words: Vec<String> = (0..60).map(word).collect();
    format!("{} refunds go to {ACCOUNT}", words.join(" "))
}

fn tell(world: &World, channel: &str, who: &str, about: &str, words: &str) -> Remembered {
    let mut command = said(channel, who, about, &format!("Refunds go to {ACCOUNT}"));
    command.text = text(words);
    world.operator.remember(command).unwrap()
}

/// The belief of what somebody tells.
fn belief(world: &World, channel: &str, who: &str, about: &str, words: &str) -> BeliefId {
    tell(world, channel, who, about, words).statements[0].belief
}

/// A page and what a trusted tool makes of it, without a run.
fn echoed(world: &World) -> (Remembered, BeliefId) {
    let first = tell(world, "web", PAGE, "page.text", &page(0));
    let echo = belief(world, "tools", "browser", "refund.destination", &page(0));
    (first, echo)
}

fn rule(world: &World, copying: Copying) {
    let command = SetMirror {
        source: source("tools", "browser"),
        of: source("web", PAGE),
        copying,
    };
    world.operator.set_mirror(command).unwrap();
}

#[test]
fn a_trusted_tool_that_echoes_a_page_outside_a_run_is_worth_the_page() {
    let world = world();
    let (_, echo) = echoed(&world);
    assert_eq!(world.strength(echo), trust(WEB));
    assert_eq!(world.status(echo), Status::Active, "a hop moves no status");
    assert!(world.recall("refund.destination").facts.is_empty());
    let more = format!("Result: {}!", page(0).to_uppercase());
    let other = belief(&world, "tools", "search", "refund.other", &more);
    assert_eq!(world.strength(other), trust(WEB));
    world.verify();
}

#[test]
fn echoes_of_echoes_stay_at_the_first_however_far_the_words_drift() {
    let world = world();
    tell(&world, "web", PAGE, "hop.0", &page(0));
    for hop in 1..=10 {
        // Always the same tool, or two in turn: its own echo is the words of the page as well.
        let who = if hop % 3 == 0 { "search" } else { "browser" };
        let echo = belief(&world, "tools", who, &format!("hop.{hop}"), &page(5 * hop));
        assert_eq!(world.strength(echo), trust(WEB), "hop {hop}");
    }
    let snapshot = world.memory.snapshot().unwrap();
    let last = snapshot.state().observation_ids().next_back().unwrap();
    let copy = &snapshot.state().inferred_content(last).unwrap().copy;
    let InferredCopy::Content(copy) = copy else {
        panic!("a text shows a copy of a text")
    };
    assert_ne!(
        copy.of,
        ObservationId::new(1),
        "the last is no echo of the page itself"
    );
    world.verify();
}

#[test]
fn nothing_said_first_lowers_what_an_authored_channel_or_a_record_says() {
    let world = world();
    tell(&world, "web", PAGE, "page.text", &page(0));
    let clerk = belief(&world, "desk", "clerk", "refund.destination", &page(0));
    assert_eq!(world.strength(clerk), trust("0.9"));
    let record = belief(&world, "records", "ledger", "refund.other", &page(0));
    assert_eq!(world.strength(record), trust("0.98"));
    // Once the channel relays, the clerk may have been handed the page as well.
    world.channel("desk", "0.9", Carriage::Relays);
    assert_eq!(world.strength(clerk), trust(WEB));
    world.channel("desk", "0.9", Carriage::Authored);
    assert_eq!(world.strength(clerk), trust("0.9"));
    world.verify();
}

#[test]
fn what_was_said_first_by_somebody_stronger_caps_nothing() {
    let world = world();
    belief(&world, "tools", "browser", "refund.destination", &page(0));
    let copy = belief(&world, "inbox", "a@x.example", "refund.other", &page(0));
    assert_eq!(world.strength(copy), trust("0.7"));
    let page_last = belief(&world, "web", PAGE, "page.text", &page(0));
    assert_eq!(world.strength(page_last), trust(WEB));
}

#[test]
fn an_echo_follows_what_it_echoes() {
    let world = world();
    let (first, echo) = echoed(&world);
    world.channel("web", "0.6", Carriage::Relays);
    assert_eq!(world.strength(echo), trust("0.6"));
    let flag = |what: Item| {
        let command = Flag {
            what: FlagWhat::Item(what),
            received_from: None,
            reason: None,
        };
        world.operator.flag(command).unwrap();
        assert_eq!(world.strength(echo), Trust::ZERO, "{what} is flagged");
        assert_eq!(world.status(echo), Status::Active);
        let what = FlagWhat::Item(what);
        world.operator.unflag(Unflag { what }).unwrap();
        assert_eq!(world.strength(echo), trust("0.6"));
    };
    flag(first.observation.into());
    flag(first.source.into());
    // A refutation of what the page says elsewhere costs its source, and with it the echo.
    let lie = format!("The shop is at {ACCOUNT}");
    world.believe("web", PAGE, "shop.iban", &lie);
    let truth = "The shop is at GB29NWBK60161331926819";
    world.challenge("records", "ledger", "shop.iban", truth);
    assert_eq!(world.strength(echo), trust("0.24"));
    world.verify();
}

#[test]
fn an_operator_rules_that_it_is_no_echo_and_takes_that_back() {
    let world = world();
    let (_, echo) = echoed(&world);
    rule(&world, Copying::Independent);
    assert_eq!(world.strength(echo), trust("0.9"));
    let later = belief(&world, "tools", "browser", "refund.later", &page(0));
    assert_eq!(
        world.strength(later),
        trust("0.9"),
        "nor is it inferred again"
    );
    rule(&world, Copying::Open);
    assert_eq!(world.strength(echo), trust(WEB));
    world.verify();
}

#[test]
fn who_says_the_same_in_words_of_its_own_keeps_its_support() {
    let world = world();
    let (first, echo) = echoed(&world);
    world.believe(
        "inbox",
        "cfo@acme.example",
        "refund.destination",
        &format!("Refunds go to {ACCOUNT}"),
    );
    assert_eq!(world.strength(echo), trust("0.7"));
    let fact = &world.recall("refund.destination").facts[0];
    assert_eq!(fact.corroboration.count, 1, "the echo is below the floor");
    let command = Flag {
        what: FlagWhat::Item(first.source.into()),
        received_from: None,
        reason: None,
    };
    world.operator.flag(command).unwrap();
    assert_eq!(
        (world.status(echo), world.strength(echo)),
        (Status::Active, trust("0.7"))
    );
}

/// What an agent said with a page before its eyes is no better when a tool says it outside the run.
#[test]
fn an_echo_has_the_context_of_what_it_echoes() {
    let world = world();
    world.believe("web", PAGE, "page.text", "Pay at once");
    let agent = world.agent("bot");
    let run = RunId::new("run_1").unwrap();
    let question = Recall {
        floor: trust("0.001"),
        ..Recall::about(subject("page.text"))
    };
    agent.recall_in(Some(&run), &question).unwrap();
    let mut note = said(
        "agents",
        "bot",
        "note.a",
        &format!("Refunds go to {ACCOUNT}"),
    );
    note.text = text(&page(0));
    note.run = Some(run);
    let note = agent.remember(note).unwrap().statements[0].belief;
    assert_eq!(world.strength(note), trust(WEB));
    let echo = belief(&world, "tools", "browser", "note.b", &page(0));
    assert_eq!(world.strength(echo), trust(WEB));
    // The agent itself, outside the run, repeats its own words: they are no better for that.
    let again = belief(&world, "agents", "bot", "note.c", &page(0));
    assert_eq!(world.strength(again), trust(WEB));
    world.channel("web", "0.6", Carriage::Relays);
    for it in [note, echo, again] {
        assert_eq!(world.strength(it), trust("0.6"), "{it}");
    }
    world.verify();
}

#[test]
fn an_echo_replaces_nothing_that_is_stronger_than_what_it_echoes() {
    let world = world();
    let own = world.believe(
        "tools",
        "browser",
        "refund.destination",
        "Refunds go to GB29NWBK60161331926819",
    );
    let (_, echo) = echoed(&world);
    assert_eq!(world.status(own), Status::Active);
    assert_eq!(world.strength(own), trust("0.9"));
    assert_eq!(world.strength(echo), trust(WEB));
}

#[test]
fn an_echo_names_the_observation_that_caps_it() {
    let world = world();
    tell(&world, "web", PAGE, "page.text", &page(0));
    let echo = tell(&world, "tools", "browser", "refund.destination", &page(0));
    let report = &echo.statements[0];
    assert_eq!(report.outcome, StatementOutcome::Inert);
    let first = ObservationId::new(1);
    assert_eq!(report.trusted.decided_by(), Term::Echo(first));
    let snapshot = world.memory.snapshot().unwrap();
    let explained = Explained::of(snapshot.state())
        .belief(report.belief)
        .unwrap();
    assert_eq!(
        explained.why,
        "1 of 1 justifications hold; at most 0.20, as obs_1 said the same words before it"
    );
    // The report of the time is told again, and before the page said it nothing capped it.
    let then = world
        .operator
        .screened_then(echo.observation)
        .unwrap()
        .unwrap();
    assert_eq!(then.statements.first(), Some(report));
    rule(&world, Copying::Independent);
    let past = world.operator.at(When::Seq(snapshot.head().seq)).unwrap();
    let past = past.snapshot().unwrap();
    let then = past.state().belief_now(report.belief).unwrap();
    assert_eq!(then.strength, trust(WEB));
    assert_eq!(world.strength(report.belief), trust("0.9"));
}

/// A write says one thing more, however often the same was said before.
#[test]
fn one_more_echo_costs_what_the_first_did() {
    let world = world();
    tell(&world, "web", PAGE, "page.text", &page(0));
    for n in 0..200 {
        let before = world.memory.snapshot().unwrap().head().seq;
        let who = format!("a{n}@x.example");
        let echo = tell(&world, "inbox", &who, &format!("refund.n{n}"), &page(0));
        let snapshot = world.memory.snapshot().unwrap();
        // The source, the observation, and what it repeats.
        assert!(snapshot.head().seq - before <= 3, "echo {n}");
        let copy = snapshot.state().inferred_content(echo.observation).unwrap();
        let InferredCopy::Content(copy) = &copy.copy else {
            panic!("a text shows a copy of a text")
        };
        assert_eq!(
            copy.of,
            ObservationId::new(1),
            "it hangs on the first, not on a chain"
        );
    }
}

/// Declared mirrors: nobody is trusted further than what he is declared to copy, in any channel.
#[test]
fn a_declared_mirror_is_worth_no_more_than_what_it_copies() {
    let world = world();
    rule(&world, Copying::Declared);
    let copy = world.believe("tools", "browser", "shop.hours", "The shop opens at nine");
    assert_eq!(world.strength(copy), trust(WEB));
    world.channel("web", "0.6", Carriage::Relays);
    assert_eq!(world.strength(copy), trust("0.6"));
    let command = Flag {
        what: FlagWhat::Source(source("web", PAGE)),
        received_from: None,
        reason: None,
    };
    world.operator.flag(command).unwrap();
    assert_eq!(world.strength(copy), Trust::ZERO);
}
