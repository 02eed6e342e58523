//! Real mail, end to end: the mail of twelve people goes in, twice; a lie spreads on top of it,
//! is refuted, and nothing else moves. Skips with a line where the test data is absent.

use std::path::PathBuf;

use crate::child::{memory, operator};
use crate::common::{said, set_up_record, subject, text};
use immune_engine::reason::plan::{Challenge, Derivation, Narrowing, NewClaim};
use immune_engine::{IngestOptions, IngestTotals, Session};
use immune_model::*;

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("IMMUNE_TEST_DATA").map(PathBuf::from);
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = given.unwrap_or(beside).join("enron");
    found.is_dir().then_some(found)
}

fn ingest(me: &Session, path: &std::path::Path) -> IngestTotals {
    let messages = immune_ingest::open(path, &immune_ingest::Options::default()).unwrap();
    let options = IngestOptions::new(ChannelName::new("inbox").unwrap());
    me.ingest(messages, &options, &mut |_| true).unwrap()
}

#[test]
fn the_mail_of_twelve_people_goes_in_once_and_heals_from_a_lie() {
    let Some(folder) = data() else {
        println!("skipped: the test data is not beside this checkout");
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let memory = memory(&scratch.path().join("memory.immune"));
    let me = operator(&memory);
    set_up_record(&me);

    let (mut first, mut again) = (IngestTotals::default(), IngestTotals::default());
    for person in 1..=12 {
        let path = folder.join(format!("Person{person}_emails.csv"));
        add(&mut first, &ingest(&me, &path));
    }
    let head = memory.snapshot().unwrap().head();
    for person in 1..=12 {
        let path = folder.join(format!("Person{person}_emails.csv"));
        add(&mut again, &ingest(&me, &path));
    }
    println!("{first:?}");
    assert_eq!(
        (
            first.messages,
            first.observations,
            first.repeated,
            first.skipped
        ),
        (1200, 854, 346, 0)
    );
    assert_eq!((again.observations, again.repeated), (0, 1200));
    assert_eq!(
        memory.snapshot().unwrap().head(),
        head,
        "doing it twice adds nothing"
    );
    assert!(first.unscreened > 0 && first.claims > 0);

    let lie = me
        .remember(said(
            "inbox",
            "mallory@evil.example",
            "refund.destination",
            "Refunds go to GB29 NWBK 6016 1331 9268 19",
        ))
        .unwrap();
    let mut chain = vec![lie.statements[0].belief];
    for depth in 1..=50 {
        let claim = NewClaim::read(
            subject(&format!("chain.link_{depth}")),
            SubjectFrom::Caller,
            text(&format!("Link {depth}")),
        );
        let premises = vec![Item::Belief(*chain.last().unwrap())];
        let agent = Handle::new("agent").unwrap();
        let derived = me
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
        chain.push(derived.belief);
    }
    let before = memory.snapshot().unwrap();
    let statement = said(
        "records",
        "ledger",
        "refund.destination",
        "Refunds go to DE89 3704 0044 0532 0130 00",
    );
    let challenged = me
        .challenge(Challenge {
            statement,
            against: Vec::new(),
        })
        .unwrap();
    assert_eq!(challenged.incident.unwrap().1.revoked, chain[1..]);
    let after = memory.snapshot().unwrap();
    for id in before.state().belief_ids().filter(|it| !chain.contains(it)) {
        assert_eq!(
            before.state().belief_now(id),
            after.state().belief_now(id),
            "{id} is not in the cone"
        );
    }
    assert!(memory.verify(&mut |_| {}).unwrap().is_sound());
}

fn add(totals: &mut IngestTotals, more: &IngestTotals) {
    totals.messages += more.messages;
    totals.observations += more.observations;
    totals.claims += more.claims;
    totals.beliefs += more.beliefs;
    totals.unscreened += more.unscreened;
    totals.repeated += more.repeated;
    totals.skipped += more.skipped;
    totals.problems.extend(more.problems.clone());
}
