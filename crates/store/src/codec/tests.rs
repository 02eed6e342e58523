//! What holds for every event: it comes back as it was, no byte of it can be changed, and none of
//! its content is readable without its key.

mod arbitrary;
mod golden;

use immune_model::{Handle, Instant, Item, MemoryName, ObservationId, Role};
use proptest::prelude::*;

use super::*;
use crate::{ChainError, seal};

/// Keys that are told apart: the n-th is made of n.
fn counted() -> impl FnMut(&mut [u8]) {
    let mut n_filled = 0;
    move |bytes| {
        n_filled += 1;
        bytes.fill(n_filled);
    }
}

/// A log of this event alone.
fn entry(event: immune_model::Event) -> Entry {
    let recorded = Recorded {
        seq: 1,
        at: Instant::from_seconds(1_800_000_000).unwrap(),
        actor: Principal {
            role: Role::Operator,
            name: Handle::new("op").unwrap(),
        },
        event,
    };
    seal(Head::default(), &[recorded], &mut counted()).remove(0)
}

fn created() -> Entry {
    let name = MemoryName::new("ap").unwrap();
    entry(immune_model::Event::MemoryCreated { name })
}

fn open_all(entries: &[Entry]) -> Result<Vec<Recorded>, StoreError> {
    let mut head = Head::default();
    let opened = entries.iter().map(|entry| {
        let recorded = open_entry(head, entry)?;
        head = head.after(entry);
        Ok(recorded)
    });
    opened.collect()
}

fn holds(body: &[u8], text: &str) -> bool {
    body.windows(text.len())
        .any(|window| window == text.as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_kind_of_event_is_read_back_as_it_was(log in arbitrary::log()) {
        let kinds: Vec<_> = log.iter().map(|it| arbitrary::place(&it.event)).collect();
        prop_assert_eq!(kinds, (0..arbitrary::KINDS).collect::<Vec<_>>());
        let entries = seal(Head::default(), &log, &mut counted());
        prop_assert_eq!(open_all(&entries).unwrap(), log);
    }

    #[test]
    fn no_content_stands_in_a_body(log in arbitrary::log()) {
        let entries = seal(Head::default(), &log, &mut counted());
        for (recorded, entry) in log.iter().zip(&entries) {
            for text in arbitrary::content(&recorded.event) {
                prop_assert!(!holds(&entry.body, &text), "`{}` in entry {}", text, entry.seq);
            }
        }
    }

    #[test]
    fn a_lost_key_is_named_and_breaks_no_hash(log in arbitrary::log()) {
        let mut head = Head::default();
        for entry in seal(Head::default(), &log, &mut counted()) {
            for key in &entry.keys {
                let mut shredded = entry.clone();
                shredded.keys.retain(|it| it.item != key.item);
                prop_assert!(head.check(&shredded).is_ok());
                let no_key = DecodeError::NoKey { seq: entry.seq, item: key.item };
                prop_assert_eq!(decode(&shredded), Err(no_key));
                let mut changed = entry.clone();
                changed.keys.iter_mut().filter(|it| it.item == key.item).for_each(|it| it.key[7] ^= 1);
                let wrong_key = DecodeError::WrongKey { seq: entry.seq, item: key.item };
                prop_assert_eq!(decode(&changed), Err(wrong_key));
            }
            head = head.after(&entry);
        }
    }

    #[test]
    fn a_damaged_body_is_never_a_panic(
        log in arbitrary::log(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
    ) {
        for mut entry in seal(Head::default(), &log, &mut counted()) {
            for (place, byte) in &damage {
                let place = place.index(entry.body.len());
                entry.body[place] = *byte;
                drop(decode(&entry));
            }
        }
    }

    #[test]
    fn garbage_is_never_a_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut entry = created();
        entry.body = body;
        drop(decode(&entry));
        // Past the format, the kind and the actor, where the fields begin.
        let front = [0x84, 1, u8::try_from(entry.body.len() % 23).unwrap(), 0x82, 3, 0x61, b'o'];
        entry.body.splice(0..0, front);
        drop(decode(&entry));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_truncated_body_is_an_error(log in arbitrary::log()) {
        for entry in seal(Head::default(), &log, &mut counted()) {
            for len in 0..entry.body.len() {
                let mut cut = entry.clone();
                cut.body.truncate(len);
                prop_assert!(decode(&cut).is_err(), "{} of {}", len, entry.body.len());
            }
            let mut longer = entry.clone();
            longer.body.push(0);
            let trailing = DecodeError::Trailing { seq: entry.seq, found: 1 };
            prop_assert_eq!(decode(&longer), Err(trailing));
        }
    }
}

#[test]
fn each_flipped_byte_is_found() {
    let entries = golden::entries();
    let mut head = Head::default();
    for entry in &entries {
        let flip = |change: &dyn Fn(&mut Entry)| {
            let mut flipped = entry.clone();
            change(&mut flipped);
            assert!(open_entry(head, &flipped).is_err(), "{entry:?}");
        };
        for mask in [1, 0x80, 0xff] {
            for place in 0..entry.body.len() {
                flip(&|it| it.body[place] ^= mask);
            }
            for place in 0..32 {
                flip(&|it| it.hash[place] ^= mask);
            }
            for place in 0..8 {
                flip(&|it| it.at ^= i64::from(mask) << (8 * place));
                flip(&|it| it.seq ^= u64::from(mask) << (8 * place));
            }
        }
        head = head.after(entry);
    }
}

#[test]
fn a_missing_swapped_or_foreign_entry_is_found() {
    let entries = golden::entries();
    let missing = open_entry(Head::default(), &entries[1]).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "entry 2 stands in the log where entry 1 belongs"
    );
    let first = Head::default().after(&entries[0]);
    let mut swapped = entries[2].clone();
    swapped.seq = 2;
    assert_eq!(first.check(&swapped), Err(ChainError::Hash { seq: 2 }));
    let foreign = Head {
        seq: 1,
        hash: [7; 32],
    };
    assert_eq!(foreign.check(&entries[1]), Err(ChainError::Hash { seq: 2 }));
    assert!(first.check(&entries[1]).is_ok());
}

#[test]
fn what_another_version_wrote_is_refused_by_name() {
    let mut entry = created();
    assert_eq!(
        entry.body[..3],
        [0x84, 1, 1],
        "four values: format 1, kind 1, …"
    );
    entry.body[1] = 2;
    let error = decode(&entry).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry 1 has format 2, this version reads format 1"
    );
    entry.body[1] = 1;
    // A number past 23 takes a byte of its own in CBOR.
    entry.body.splice(2..3, [0x18, 200]);
    let error = decode(&entry).unwrap_err();
    assert_eq!(
        error,
        DecodeError::UnknownEvent {
            seq: 1,
            number: 200
        }
    );
}

#[test]
fn impossible_values_are_refused_by_name() {
    let incident = immune_model::IncidentId::new(1);
    let action = immune_model::ActionId::new(1);
    let mut entry = entry(immune_model::Event::ReversalQueued { action, incident });
    *entry.body.last_mut().unwrap() = 0;
    let error = decode(&entry).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry 1 holds an impossible value: ids start at 1"
    );
    let mut entry = created();
    entry.at = i64::MAX;
    assert!(matches!(
        decode(&entry),
        Err(DecodeError::Value { seq: 1, .. })
    ));
}

#[test]
fn an_array_that_claims_more_than_there_is_gets_no_memory() {
    let justifications = vec![immune_model::JustificationId::new(1)];
    let closing = immune_model::Closing::Forgotten;
    let mut entry = entry(immune_model::Event::StatementsClosed {
        justifications,
        closing,
    });
    let place = entry.body.len() - 4;
    assert_eq!(
        entry.body[place..],
        [0x81, 1, 0x81, 2],
        "one id, then a word"
    );
    entry
        .body
        .splice(place..=place, [0x9b, 0, 0, 1, 0, 0, 0, 0, 0]);
    let error = decode(&entry).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry 1 is malformed: an array claims 1099511627776 values"
    );
}

#[test]
fn the_documented_tables_are_those_of_the_code() {
    let document = include_str!("../../../../docs/internals/format.md");
    let (events, fields) = (include_str!("events.rs"), include_str!("fields.rs"));
    for (code, start) in [
        (events, "\nevents! {"),
        (events, "\nrecords! {"),
        (fields, "\nwords! {"),
        (fields, "\nchoices! {"),
    ] {
        let (_, table) = code.split_once(start).unwrap();
        let (table, _) = table.split_once("\n}\n").unwrap();
        assert!(
            document.contains(table),
            "docs/internals/format.md misses{start}{table}\n}}"
        );
    }
}

#[test]
fn what_is_no_log_is_not_sealed() {
    let created = decode(&created()).unwrap();
    let at = |seq, seconds| Recorded {
        seq,
        at: Instant::from_seconds(seconds).unwrap(),
        ..created.clone()
    };
    let seals = |log: &[Recorded]| {
        let sealed = std::panic::catch_unwind(|| seal(Head::default(), log, &mut counted()));
        sealed.is_ok()
    };
    assert!(seals(&[at(1, 5), at(2, 5), at(3, 6)]));
    assert!(!seals(&[at(2, 5)]), "it does not follow the head");
    assert!(!seals(&[at(1, 5), at(3, 6)]), "it has a gap");
    assert!(!seals(&[at(1, 5), at(2, 4)]), "its time goes back");

    let mut twice = golden::observed_twice();
    assert!(seals(std::slice::from_ref(&twice)));
    let immune_model::Event::Observed(observed) = &mut twice.event else {
        panic!("it is an observation");
    };
    observed.statements[1].justification = observed.statements[0].justification;
    assert!(!seals(&[twice]), "two statements give one justification");
}

#[test]
fn a_key_is_not_printed() {
    let item = Item::Observation(ObservationId::new(3));
    let key = ContentKey {
        item,
        key: [0xab; 32],
    };
    assert_eq!(format!("{key:?}"), "ContentKey(obs_3)");
}
