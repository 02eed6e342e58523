//! A process killed at any moment loses nothing that it acknowledged, and leaves a store that
//! opens and verifies. CI kills it a few times, `cargo xtask slow` two hundred.

use std::path::Path;
use std::time::Duration;

use crate::child::{Notes, asked, memory, noted, operator, start};
use crate::common::{said, set_up_record, subject, text};
use immune_engine::reason::plan::{Challenge, Derivation, Narrowing, NewClaim};
use immune_model::*;

const ACCOUNTS: [&str; 2] = ["GB29 NWBK 6016 1331 9268 19", "DE89 3704 0044 0532 0130 00"];

fn kills() -> u32 {
    if std::env::var_os("IMMUNE_SLOW").is_some() {
        200
    } else {
        8
    }
}

/// Random moments over the start, the first commits and full swing. `IMMUNE_SEED` repeats them.
fn moments() -> impl Iterator<Item = Duration> {
    let given = std::env::var("IMMUNE_SEED")
        .ok()
        .and_then(|it| it.parse().ok());
    let seed: u64 = given.unwrap_or_else(|| u64::from(std::process::id()));
    println!("IMMUNE_SEED={seed}");
    let step = |it: &u64| {
        Some(
            it.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407),
        )
    };
    std::iter::successors(Some(seed), step)
        .skip(3)
        .map(|it| Duration::from_millis(15 + (it >> 33) % 400))
}

fn set_up(path: &Path) {
    let memory = memory(path);
    let me = operator(&memory);
    set_up_record(&me);
}

/// Four writers at once, until the process is killed: two that remember, one that derives, one
/// that challenges.
fn write_until_killed(path: &Path, round: &str) {
    let memory = memory(path);
    let me = operator(&memory);
    std::thread::scope(|scope| {
        for writer in ["a", "b"] {
            let me = me.clone();
            scope.spawn(move || {
                let mut notes = Notes::of(path, &format!("{round}-{writer}"));
                for n in 0_u64.. {
                    let words = format!("note {n} of writer {writer} in round {round}");
                    let remembered = me
                        .remember(said(
                            "inbox",
                            writer,
                            &format!("notes.{writer}{round}x{n}"),
                            &words,
                        ))
                        .unwrap();
                    notes.note(&format!("{}\t{words}", remembered.statements[0].belief));
                }
            });
        }
        let (deriving, challenging) = (me.clone(), me.clone());
        scope.spawn(move || {
            let mut notes = Notes::of(path, &format!("{round}-derive"));
            let ground = deriving
                .remember(said(
                    "inbox",
                    "ground",
                    "ground.fact",
                    "The ground is solid",
                ))
                .unwrap();
            let ground = Item::Belief(ground.statements[0].belief);
            for n in 0_u64.. {
                let words = format!("conclusion {n} in round {round}");
                let claim = NewClaim::read(
                    subject(&format!("built.{round}x{n}")),
                    SubjectFrom::Caller,
                    text(&words),
                );
                let agent = Handle::new("builder").unwrap();
                let premises = vec![ground];
                let derived = deriving
                    .derive(Derivation {
                        agent,
                        namespace: Namespace::ROOT,
                        premises,
                        claim,
                        run: None,
                        narrowing: Narrowing::Whole,
                        metadata: immune_model::Metadata::default(),
                    })
                    .unwrap();
                notes.note(&format!("{}\t{words}", derived.belief));
            }
        });
        scope.spawn(move || {
            let mut notes = Notes::of(path, &format!("{round}-challenge"));
            for n in 0_u64.. {
                let about = format!("refund.r{round}x{n}/pay.destination");
                let [lie, truth] = ACCOUNTS.map(|it| format!("pay to {it}"));
                let lied = challenging
                    .remember(said("inbox", &format!("liar-{round}-{n}"), &about, &lie))
                    .unwrap();
                let statement = said("records", "ledger", &about, &truth);
                challenging
                    .challenge(Challenge {
                        statement,
                        against: Vec::new(),
                    })
                    .unwrap();
                notes.note(&format!("{}\tquarantined", lied.statements[0].belief));
            }
        });
    });
}

/// Does the work of a child process; passes at once where there is none to do.
#[test]
fn child() {
    if let Some((path, round)) = asked() {
        write_until_killed(&path, &round);
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.immune");
    set_up(&path);
    let mut moments = moments();
    for round in 0..kills() {
        let mut process = start("crash::child", &path, &round.to_string());
        let wait = moments.next().unwrap();
        let (_alive, never) = std::sync::mpsc::channel::<()>();
        assert!(never.recv_timeout(wait).is_err());
        process.kill().unwrap();
        process.wait().unwrap();
        if round % 20 == 19 || round + 1 == kills() {
            check(&path);
        }
    }
}

fn check(path: &Path) {
    let memory = memory(path);
    let snapshot = memory.snapshot().unwrap();
    let lines = noted(path);
    assert!(
        lines.len() > 10,
        "the writers got to work: {} acknowledged",
        lines.len()
    );
    for line in lines {
        let (id, said) = line.split_once('\t').unwrap();
        let id: BeliefId = id.parse().unwrap();
        let belief = snapshot
            .state()
            .belief(id)
            .unwrap_or_else(|| panic!("{id} was acknowledged"));
        let status = snapshot.state().belief_now(id).unwrap().status;
        if said == "quarantined" {
            assert_eq!(status, Status::Quarantined, "{id}");
        } else {
            assert_eq!(belief.text.as_str(), said, "{id}");
            assert_eq!(status, Status::Active, "{id}");
        }
    }
    let verified = memory.verify(&mut |_| {}).unwrap();
    assert!(verified.is_sound(), "{:#?}", verified.findings);
}
