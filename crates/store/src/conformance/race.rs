//! Many threads on one store: no gap, no lost write, no half commit.

use std::thread;

use immune_model::MemoryName;

use super::given::{all_rows, append, memory, row, texts};
use crate::{Cell, Head, Row, Store, Table};

const WRITERS: u64 = 8;
const APPENDS: u64 = 12;

/// Lets each of [`WRITERS`] append [`APPENDS`] texts, through these stores in turn, and tells
/// where each text was acknowledged.
pub(super) fn write_together(memory: &MemoryName, stores: &[&dyn Store]) -> Vec<(u64, String)> {
    let write = |store: &dyn Store, writer: u64| -> Vec<(u64, String)> {
        let appended = (0..APPENDS).map(|number| {
            let text = format!("writer {writer} number {number}");
            let key = i64::try_from(writer * APPENDS + number).expect("a small number");
            let rows = vec![row(Table::Review, [key, 0], &Cell::Int(key))];
            (append(store, memory, &[&text], rows).seq, text)
        });
        appended.collect()
    };
    thread::scope(|scope| {
        let writers: Vec<_> = stores
            .iter()
            .cycle()
            .zip(0..WRITERS)
            .map(|(store, writer)| scope.spawn(move || write(*store, writer)))
            .collect();
        let joined = writers
            .into_iter()
            .map(|writer| writer.join().expect("no writer panics"));
        joined.flatten().collect()
    })
}

/// Each acknowledged text is at its place, and no place is left over.
pub(super) fn assert_whole(store: &dyn Store, memory: &MemoryName, mut acked: Vec<(u64, String)>) {
    acked.sort_unstable();
    let seqs: Vec<u64> = acked.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, (1..=WRITERS * APPENDS).collect::<Vec<_>>());
    let log = texts(store, memory);
    assert!(
        log.iter()
            .map(|text| &**text)
            .eq(acked.iter().map(|(_, text)| text.as_str()))
    );
    let keys: Vec<_> = all_rows(store, memory, Table::Review)
        .iter()
        .map(Row::key)
        .collect();
    assert_eq!(keys.len() as u64, WRITERS * APPENDS);
}

pub(super) fn eight_writers_make_a_log_without_gaps(store: &dyn Store) {
    let ap = memory("ap");
    let acked = write_together(&ap, &[store]);
    assert_whole(store, &ap, acked);
}

pub(super) fn a_reader_always_sees_a_whole_prefix(store: &dyn Store) {
    let ap = memory("ap");
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 0..40 {
                let rows = vec![row(Table::Review, [number, 0], &Cell::Null)];
                append(store, &ap, &["first", "second"], rows);
            }
        });
        let mut seen = 0;
        loop {
            let finished = writer.is_finished();
            let head = store.head(&ap).expect("head");
            let log = store.read(&ap, 0, usize::MAX).expect("read");
            let end = log.iter().try_fold(Head::default(), Head::check);
            let end = end.expect("what is read is a chain");
            assert!(end.seq >= head.seq, "what was acknowledged is read");
            assert!(end.seq >= seen, "what was read stays");
            assert!(end.seq % 2 == 0, "a batch is read whole or not at all");
            assert!(log.iter().all(|entry| entry.keys.len() == 1));
            let rows = all_rows(store, &ap, Table::Review).len() as u64;
            assert!(rows >= end.seq / 2, "rows come with their entries");
            seen = end.seq;
            if finished {
                break;
            }
        }
        writer.join().expect("the writer does not panic");
        assert_eq!(seen, 80);
    });
}
