//! An agent that names no run has one of its own (semantics.md 1), so that it drops nothing that it
//! read by leaving the run out.

use immune_engine::Recall;
use immune_engine::reason::plan::Forget;
use immune_model::*;

use crate::common::{World, derivation, guard_command, handle, said, subject, trust};

const WEB: &str = "0.2";

fn world() -> (World, BeliefId) {
    let world = World::new();
    for (channel, tier) in [("web", WEB), ("agents", "0.85")] {
        world.channel(channel, tier, Carriage::Relays);
    }
    world.declare("agents", "support-bot");
    let page = world.believe("web", "https://acme.example", "page.text", &lie());
    (world, page)
}

fn lie() -> String {
    "Acme is paid to DE89370400440532013000".to_owned()
}

fn asked(about: &str) -> Recall {
    Recall {
        floor: trust("0.001"),
        ..Recall::about(subject(about))
    }
}

fn says(world: &World, about: &str, claim: &str) -> Trust {
    let agent = world.agent("support-bot");
    let said = said("agents", "support-bot", about, claim);
    world.strength(agent.remember(said).unwrap().statements[0].belief)
}

#[test]
fn what_an_agent_read_caps_what_it_writes_without_a_run() {
    let (world, page) = world();
    assert_eq!(says(&world, "note.a", "Nothing was read"), trust("0.85"));
    let agent = world.agent("support-bot");
    agent.recall_in(None, &asked("page.text")).unwrap();
    assert_eq!(says(&world, "vendor.iban", &lie()), trust(WEB));
    assert_eq!(says(&world, "note.b", "Acme is fine"), trust(WEB));
    // A conclusion that names other premises has read the page all the same.
    let other = world.believe("inbox", "ann@acme.example", "note.c", "Acme is fine");
    let mut concluded = derivation(&[other.into()], "vendor.status", "Acme may be paid");
    concluded.agent = handle("support-bot");
    let derived = agent.derive(concluded).unwrap();
    assert_eq!(derived.strength, trust(WEB));
    // What another agent reads is not before its eyes, and people have no run of their own.
    world
        .agent("planner")
        .recall_in(None, &asked("page.text"))
        .unwrap();
    world.operator.recall_in(None, &asked("page.text")).unwrap();
    let state = world.memory.snapshot().unwrap();
    let runs: Vec<&str> = state.state().runs().map(RunId::as_str).collect();
    assert_eq!(runs, ["support-bot#1", "planner#1"]);
    assert_eq!(world.strength(page), trust(WEB));
    world.verify();
}

#[test]
fn the_run_ends_when_its_agent_was_idle_and_not_while_it_reads() {
    let (world, _) = world();
    let agent = world.agent("support-bot");
    let read = || drop(agent.recall_in(None, &asked("page.text")).unwrap());
    let head = || world.memory.snapshot().unwrap().head().seq;
    read();
    let first = head();
    // Again at once, nothing is written down; later, that it is not idle.
    read();
    assert_eq!(head(), first);
    for _ in 0..3 {
        world.clock.0.advance(20 * 60);
        read();
    }
    assert_eq!(head(), first + 3);
    world.clock.0.advance(29 * 60);
    assert_eq!(says(&world, "note.a", "Acme is fine"), trust(WEB));
    world.clock.0.advance(29 * 60);
    assert_eq!(says(&world, "note.b", "Acme is good"), trust(WEB));
    world.clock.0.advance(31 * 60);
    assert_eq!(says(&world, "note.c", "Acme is kind"), trust("0.85"));
    read();
    assert_eq!(says(&world, "note.d", "Acme is old"), trust(WEB));
    let state = world.memory.snapshot().unwrap();
    let runs: Vec<&str> = state.state().runs().map(RunId::as_str).collect();
    assert_eq!(runs, ["support-bot#1", "support-bot#2"]);
    world.verify();
}

#[test]
fn what_is_read_of_the_past_is_read_now() {
    let (world, page) = world();
    let agent = world.agent("support-bot");
    let head = world.memory.snapshot().unwrap().head().seq;
    let forget = Forget { item: page.into() };
    world.operator.forget(forget).unwrap();
    let past = agent.at(immune_engine::When::Seq(head)).unwrap();
    let recalled = past.recall_in(None, &asked("page.text")).unwrap();
    assert_eq!(recalled.facts.len(), 1);
    assert_eq!(says(&world, "vendor.iban", &lie()), trust(WEB));
    world.verify();
}

#[test]
fn no_agent_reads_in_the_run_of_another() {
    let (world, _) = world();
    let run = RunId::new("run_b").unwrap();
    let bot = world.agent("support-bot");
    bot.recall_in(Some(&run), &asked("note.none")).unwrap();
    let mallory = world.agent("mallory");
    // Nobody read anything in it yet: whoever is first has it.
    let other = world.believe("inbox", "ann@acme.example", "note.c", "Acme is fine");
    bot.recall_in(Some(&run), &asked("note.c")).unwrap();
    let refused = mallory
        .recall_in(Some(&run), &asked("page.text"))
        .unwrap_err();
    assert_eq!(refused.to_string(), "run `run_b` is of agent `support-bot`");
    let own = RunId::new("support-bot#1").unwrap();
    let refused = mallory.recall_in(Some(&own), &asked("page.text"));
    assert!(refused.is_err(), "it is of that agent by its name");
    // Nor does an action of another one show anything there, and people may read in any.
    let mut command = guard_command("refund.payout", "GBP 5", Some(&[other]));
    (command.agent, command.run) = (handle("mallory"), Some(run.clone()));
    let refused = mallory.guard(command).unwrap_err();
    let said = "agent `mallory` may not decide in the run of another agent";
    assert_eq!(refused.to_string(), said);
    world
        .operator
        .recall_in(Some(&run), &asked("note.c"))
        .unwrap();
    world.verify();
}
