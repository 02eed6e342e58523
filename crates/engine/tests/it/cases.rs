//! Cases that hurt the users of peers, by their numbers in the design (D27-D37), and bad input.

use crate::common::*;
use immune_engine::Recall;
use immune_engine::reason::plan::NewClaim;
use immune_model::*;

#[test]
fn d27_twenty_parallel_creates_in_one_process_are_all_there() {
    let world = World::new();
    std::thread::scope(|scope| {
        for n in 0..20 {
            let me = world.operator.clone();
            scope.spawn(move || {
                me.remember(said(
                    "inbox",
                    "w@x.example",
                    &format!("facts.f{n}"),
                    &format!("fact {n}"),
                ))
                .unwrap();
            });
        }
    });
    assert_eq!(world.memory.snapshot().unwrap().state().n_beliefs(), 20);
    world.verify();
}

#[test]
fn d31_the_same_remember_three_times_is_one_memory_with_one_id() {
    let world = World::new();
    let command = said("inbox", "a@b.example", "x.y", "The lamp is blue");
    let replies: Vec<_> = (0..3)
        .map(|_| world.operator.remember(command.clone()).unwrap())
        .collect();
    assert!(
        replies
            .iter()
            .all(|it| it.observation == replies[0].observation)
    );
    assert_eq!(replies.iter().filter(|it| it.repeated).count(), 2);
    assert_eq!(world.memory.snapshot().unwrap().state().n_observations(), 1);
}

#[test]
fn d33_nul_is_refused_with_its_position_in_text_names_and_ids() {
    assert_eq!(
        Text::new("ab\0").unwrap_err().to_string(),
        "the text holds a NUL character at byte 2"
    );
    let name = MemoryName::new("a\0b").unwrap_err().to_string();
    assert_eq!(name, "the memory name holds `\\u{0}` at byte 1");
    assert!(Handle::new("\0").is_err() && Subject::new("x.\0").is_err());
}

#[test]
fn d37_odd_memory_names_work_all_the_way_or_are_refused_at_once() {
    let world = World::new();
    let engine = immune_engine::Engine::new(immune_engine::Parts {
        store: world.store.clone(),
        clock: world.clock.clone(),
        fill_random: immune_testkit::fill_the_same,
        embedder: None,
    });
    let long = "x".repeat(300);
    for name in [
        "session-agent:main:main",
        "a b",
        "a/b",
        "50%",
        "it's",
        &long,
    ] {
        let memory = engine.memory(&MemoryName::new(name).unwrap()).unwrap();
        let me = memory.session(world.operator.principal().clone());
        let note = Text::new(&format!("a note in {name}")).unwrap();
        let channel = immune_engine::reason::plan::SetChannel {
            name: ChannelName::new("inbox").unwrap(),
            tier: trust("0.7"),
            carriage: None,
            create_only: true,
        };
        me.set_channel(channel).unwrap();
        let mut command = said("inbox", "a@b.example", "x.y", note.as_str());
        command.claims = vec![NewClaim::read(subject("x.y"), SubjectFrom::Caller, note)];
        me.remember(command).unwrap();
        assert_eq!(
            me.recall(&Recall::query("note")).unwrap().facts.len(),
            1,
            "its own, and no other's"
        );
    }
    assert!(MemoryName::new(&"x".repeat(513)).is_err());
}

#[test]
fn hostile_and_huge_content_is_kept_as_content() {
    let world = World::new();
    let most = "x".repeat(limits::TEXT_BYTES_MAX);
    for claim in [
        "'); DROP TABLE belief; --",
        "<img src=x onerror=alert(1)>",
        "\u{202e}txt.exe",
        "🧬 日本語 עברית",
        &most,
    ] {
        let belief = world.believe("inbox", "a@b.example", "odd.content", claim);
        let snapshot = world.memory.snapshot().unwrap();
        assert_eq!(
            snapshot.state().belief(belief).unwrap().text.as_str(),
            claim
        );
    }
    world.verify();
}

#[test]
fn a_newcomer_is_measured_by_the_newcomers_before_it() {
    let world = World::new();
    for n in 0..2 {
        let about = format!("acme{n}/refund.destination");
        world.believe(
            "inbox",
            &format!("liar{n}@evil.example"),
            &about,
            "pay to GB29 NWBK 6016 1331 9268 19",
        );
    }
    let early = world.believe(
        "inbox",
        "early@good.example",
        "zeta/refund.note_a",
        "An early honest claim",
    );
    for n in 0..2 {
        let about = format!("acme{n}/refund.destination");
        world.challenge(
            "records",
            "ledger",
            &about,
            "pay to DE89 3704 0044 0532 0130 00",
        );
    }
    assert_eq!(
        world.strength(early),
        trust("0.7"),
        "liars do not darken those who were there before"
    );
    let late = world.believe(
        "inbox",
        "late@new.example",
        "zeta/refund.note_b",
        "A late claim",
    );
    assert_eq!(world.strength(late), trust("0.42"), "0.70 x 3/(3+2)");
}
