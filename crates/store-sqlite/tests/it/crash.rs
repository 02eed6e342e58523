//! What is left after a crash or damage: everything that was acknowledged, or a named error.
//!
//! A kill cannot show what a power cut does to a disk that lies about its caches; that is an
//! assumption (`docs/internals/format.md`).

use std::path::{Path, PathBuf};

use crate::common::{Writer, ap, append_one, beside, fill, open, try_open, whole};
use immune_store::{Entry, Head, Store, open_entry};

/// A sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.immune");
    let mut acked = Vec::new();
    for round in 0..4 {
        let mut writer = Writer::start(&path, &format!("round-{round}"), u64::MAX);
        for _ in 0..20 + 7 * round {
            acked.extend(writer.next());
        }
        writer.kill();
        acked.extend(writer.rest());
    }
    let log = whole(&open(&path));
    for (seq, text) in &acked {
        assert_eq!(&*log[*seq as usize - 1], text.as_str());
    }
    assert!(acked.len() >= 4 * 20);
    assert!(
        log.len() - acked.len() <= 4,
        "at most one a round was not told of"
    );
}

/// A copy of a file and the first bytes of its write-ahead log, as a crash might leave them.
fn copy(from: &Path, to: &Path, wal: &[u8]) -> PathBuf {
    let path = to.join(from.file_name().expect("a file has a name"));
    fs_err::copy(from, &path).expect("it is copied");
    fs_err::write(beside(&path, "-wal"), wal).expect("it is written");
    path
}

#[test]
fn a_half_written_wal_keeps_every_complete_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.immune");
    let store = open(&path);
    let wal_bytes = || fs_err::metadata(beside(&path, "-wal")).unwrap().len() as usize;
    let mut ends = vec![wal_bytes()];
    for number in 0..20 {
        let text = format!("number {number} {}", "x".repeat(number * 400));
        append_one(&store, &text, 100 - i64::try_from(number).unwrap());
        ends.push(wal_bytes());
    }
    // As after a kill: nothing is moved from the write-ahead log into the file.
    std::mem::forget(store);
    let wal = fs_err::read(beside(&path, "-wal")).unwrap();
    assert_eq!(Some(&wal.len()), ends.last());

    let mut numbers = Numbers(7);
    let edges = ends.iter().flat_map(|end| [end - 1, *end]).step_by(3);
    let lens: Vec<usize> = [0, 1, 31, 32, 33, wal.len() - 1, wal.len()]
        .into_iter()
        .chain(edges)
        .chain(std::iter::repeat_with(|| numbers.below(wal.len())).take(20))
        .collect();
    for len in lens {
        let to = tempfile::tempdir().unwrap();
        let copied = copy(&path, to.path(), &wal[..len]);
        let store = open(&copied);
        let complete = ends
            .iter()
            .filter(|end| **end <= len)
            .count()
            .saturating_sub(1);
        assert_eq!(
            whole(&store).len(),
            complete,
            "{len} of {} bytes",
            wal.len()
        );
        append_one(&store, "after", 101);
        drop(store);
        assert_eq!(whole(&open(&copied)).len(), complete + 1);
    }
}

#[test]
fn a_damaged_wal_keeps_a_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wal.immune");
    let store = open(&path);
    fill(&store, 20);
    let log = whole(&store);
    std::mem::forget(store);
    let wal = fs_err::read(beside(&path, "-wal")).unwrap();
    let mut numbers = Numbers(11);
    for _ in 0..20 {
        let to = tempfile::tempdir().unwrap();
        let mut damaged = wal.clone();
        let place = numbers.below(wal.len());
        damaged[place] ^= 0x20;
        let found = whole(&open(&copy(&path, to.path(), &damaged)));
        assert_eq!(found, log[..found.len()], "byte {place}");
    }
}

#[test]
fn garbage_after_the_file_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("garbage.immune");
    let store = open(&path);
    fill(&store, 20);
    drop(store);
    let mut numbers = Numbers(3);
    for n_bytes in [1, 5_000, 8_192, 40_000] {
        let mut bytes = fs_err::read(&path).unwrap();
        bytes.extend(std::iter::repeat_with(|| numbers.below(256) as u8).take(n_bytes));
        fs_err::write(&path, bytes).unwrap();
        let store = open(&path);
        let n_entries = whole(&store).len();
        append_one(&store, "after", 100 + i64::try_from(n_bytes).unwrap());
        assert_eq!(whole(&store).len(), n_entries + 1);
    }
}

/// What a reader makes of the log: the entries up to the first that is refused.
fn readable(store: &dyn Store) -> (Vec<Entry>, bool) {
    let Ok(log) = store.read(&ap(), 0, usize::MAX) else {
        return (Vec::new(), false);
    };
    let mut head = Head::default();
    let mut readable = Vec::new();
    for entry in log {
        if open_entry(head, &entry).is_err() {
            return (readable, false);
        }
        head = head.after(&entry);
        readable.push(entry);
    }
    let sound = store.head(&ap()).is_ok_and(|found| found == head);
    (readable, sound)
}

#[test]
fn a_flipped_byte_in_the_file_changes_no_entry_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.immune");
    let store = open(&path);
    fill(&store, 600);
    let (log, sound) = readable(&store);
    assert!(sound);
    drop(store);
    let bytes = fs_err::read(&path).unwrap();
    let mut numbers = Numbers(5);
    let (mut n_noticed, mut n_harmless) = (0, 0);
    for _ in 0..200 {
        let mut damaged = bytes.clone();
        let place = numbers.below(bytes.len());
        damaged[place] ^= 1 << numbers.below(8);
        let copied = folder.path().join("copied.immune");
        fs_err::write(&copied, damaged).unwrap();
        let (found, sound) = match try_open(&copied) {
            Ok(store) => readable(&store),
            Err(_) => (Vec::new(), false),
        };
        assert_eq!(found, log[..found.len()], "byte {place}");
        if sound {
            assert_eq!(found.len(), log.len(), "byte {place}");
            n_harmless += 1;
        } else {
            n_noticed += 1;
        }
        for ending in ["", "-wal", "-shm"] {
            drop(fs_err::remove_file(beside(&copied, ending)));
        }
    }
    assert!(
        n_noticed > 20,
        "{n_noticed} noticed, {n_harmless} in free space or projections"
    );
}

#[test]
fn a_log_that_lost_an_entry_is_not_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    for (damage, error) in [
        (
            "DELETE FROM log WHERE seq = 3",
            "entry 3 is missing from the log",
        ),
        (
            "UPDATE head SET seq = 2, hash = (SELECT hash FROM log WHERE seq = 2)",
            "the log ends at entry 2, it had reached entry 3",
        ),
        (
            "UPDATE log SET hash = zeroblob(32) WHERE seq = 3",
            "entry 3 was replaced after it was read",
        ),
        (
            "UPDATE log SET hash = 'text' WHERE seq = 3",
            "entry 3 does not match its hash",
        ),
        (
            "DELETE FROM head",
            "read the head: memory `ap` has lost its head",
        ),
    ] {
        let path = folder.path().join("lost.immune");
        let store = open(&path);
        fill(&store, 3);
        let known = store.head(&ap()).unwrap();
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let refused = store.append(&ap(), known, &mut |_| panic!("nothing is planned"));
        assert_eq!(refused.unwrap_err().to_string(), error, "{damage}");
        drop(store);
        fs_err::remove_file(&path).unwrap();
    }
}

#[test]
fn a_damaged_cell_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (damage, error) in [
        (
            "UPDATE log SET body = 7 WHERE seq = 2",
            "entry 2 does not match its hash",
        ),
        (
            "UPDATE log SET at = 'noon' WHERE seq = 2",
            "entry 2 does not match its hash",
        ),
        (
            "UPDATE content_key SET key = zeroblob(31) WHERE seq = 2",
            "read the content keys: a key of entry 2 is damaged",
        ),
        (
            "UPDATE content_key SET item = 'obs_0' WHERE seq = 2",
            "read the content keys: a key of entry 2 is damaged",
        ),
    ] {
        let path = folder.path().join("cell.immune");
        let store = open(&path);
        fill(&store, 3);
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let refused = store.read(&ap(), 0, 10).unwrap_err();
        assert_eq!(refused.to_string(), error, "{damage}");
        assert_eq!(
            store.read(&ap(), 2, 10).unwrap().len(),
            1,
            "the others are read"
        );
        drop(store);
        fs_err::remove_file(&path).unwrap();
    }
}
