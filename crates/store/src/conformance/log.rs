//! Appending and reading: positions, heads, planners, and what happens when a planner is wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::given::{
    all_rows, append, arrival, entries, head_after, memory, row, seal_counted, texts,
};
use crate::{Batch, Cell, ChainError, Head, Store, StoreError, Table, open_entry};

pub(super) fn an_empty_store_reads_empty(store: &dyn Store) {
    let nobody = memory("nobody");
    assert_eq!(store.memories().expect("memories"), []);
    assert_eq!(store.head(&nobody).expect("head"), Head::default());
    assert_eq!(store.read(&nobody, 0, 10).expect("read"), []);
    for table in Table::ALL {
        assert_eq!(all_rows(store, &nobody, *table), []);
    }
    assert!(
        store
            .replace_rows(&nobody, Head::default(), &[])
            .expect("replace")
    );
    assert_eq!(
        store.memories().expect("memories"),
        [],
        "looking creates nothing"
    );
    assert_eq!(store.check().expect("check"), [""; 0]);
    assert!(!store.describe().is_empty());
}

pub(super) fn append_follows_the_head_and_creates_the_memory(store: &dyn Store) {
    let ap = memory("ap");
    let first = append(store, &ap, &["one", "two"], Vec::new());
    assert_eq!(first.seq, 2);
    assert_eq!(store.head(&ap).expect("head"), first);
    assert_eq!(
        store.memories().expect("memories"),
        std::slice::from_ref(&ap)
    );
    let second = append(store, &ap, &["three"], Vec::new());
    assert_eq!(second.seq, 3);
    assert_eq!(store.head(&ap).expect("head"), second);
    assert_eq!(
        texts(store, &ap),
        ["one".into(), "two".into(), "three".into()]
    );
}

pub(super) fn entries_come_back_as_they_were_with_their_keys(store: &dyn Store) {
    let ap = memory("ap");
    let written = entries(
        Head::default(),
        &["ab", "日本 \u{202e}🦠\r\n\t'\"\\%_;--", "c\u{1}d"],
    );
    let batch = Batch {
        entries: written.clone(),
        rows: Vec::new(),
    };
    let mut batch = Some(batch);
    store
        .append(&ap, Head::default(), &mut |_| batch.take())
        .expect("append");
    let read = store.read(&ap, 0, 10).expect("read");
    assert_eq!(read, written);
    assert!(
        read.iter().all(|entry| entry.keys.len() == 1),
        "each has its key"
    );
    assert_eq!(texts(store, &ap).len(), 3);
}

pub(super) fn a_log_is_read_in_pages(store: &dyn Store) {
    let ap = memory("ap");
    append(store, &ap, &["1", "2", "3", "4", "5"], Vec::new());
    let seqs = |after, limit| -> Vec<u64> {
        let page = store.read(&ap, after, limit).expect("read");
        page.iter().map(|entry| entry.seq).collect()
    };
    assert_eq!(seqs(0, 2), [1, 2]);
    assert_eq!(seqs(2, 2), [3, 4]);
    assert_eq!(seqs(4, 2), [5]);
    assert_eq!(seqs(5, 2), []);
    assert_eq!(seqs(0, 0), []);
    assert_eq!(seqs(3, usize::MAX), [4, 5]);
    assert_eq!(seqs(u64::MAX, 2), []);
}

pub(super) fn extreme_times_and_long_texts_are_kept(store: &dyn Store) {
    let ap = memory("ap");
    let long = "é".repeat(300_000);
    let earliest = -377_705_023_201_000_000;
    let latest = 253_402_207_200_000_000;
    let recorded = [
        arrival(1, earliest, &long),
        arrival(2, -1, "b"),
        arrival(3, latest, "c"),
    ];
    let mut batch = Some(Batch {
        entries: seal_counted(Head::default(), &recorded),
        rows: Vec::new(),
    });
    store
        .append(&ap, Head::default(), &mut |_| batch.take())
        .expect("append");
    let mut head = Head::default();
    for (recorded, entry) in recorded.iter().zip(store.read(&ap, 0, 10).expect("read")) {
        assert_eq!(&open_entry(head, &entry).expect("entry"), recorded);
        head = head.after(&entry);
    }
    assert_eq!(head.seq, 3);
}

pub(super) fn a_planner_sees_what_others_appended(store: &dyn Store) {
    let ap = memory("ap");
    let known = append(store, &ap, &["one"], Vec::new());
    let faster = append(store, &ap, &["two", "three"], Vec::new());
    let mut n_called = 0;
    let after = store.append(&ap, known, &mut |tail| {
        n_called += 1;
        assert_eq!(
            tail.iter().map(|entry| entry.seq).collect::<Vec<_>>(),
            [2, 3]
        );
        assert!(
            tail.iter().all(|entry| entry.keys.len() == 1),
            "the tail has its keys"
        );
        assert_eq!(head_after(known, tail), faster);
        Some(Batch {
            entries: entries(faster, &["four"]),
            rows: Vec::new(),
        })
    });
    assert_eq!((after.expect("append").seq, n_called), (4, 1));
    let known = store.head(&ap).expect("head");
    let after = store.append(&ap, known, &mut |tail| {
        assert_eq!(tail, []);
        None
    });
    assert_eq!(after.expect("append"), known);
}

pub(super) fn a_planner_that_declines_writes_nothing(store: &dyn Store) {
    let (ap, other) = (memory("ap"), memory("other"));
    let head = append(store, &ap, &["one"], Vec::new());
    assert_eq!(
        store.append(&ap, head, &mut |_| None).expect("append"),
        head
    );
    let empty = store.append(&ap, head, &mut |_| Some(Batch::default()));
    assert_eq!(empty.expect("append"), head);
    let nothing = store.append(&other, Head::default(), &mut |_| None);
    assert_eq!(nothing.expect("append"), Head::default());
    let nothing = store.append(&other, Head::default(), &mut |_| Some(Batch::default()));
    assert_eq!(nothing.expect("append"), Head::default());
    assert_eq!(
        store.memories().expect("memories"),
        std::slice::from_ref(&ap)
    );
    assert_eq!(texts(store, &ap), ["one".into()]);
}

pub(super) fn a_head_that_the_log_never_had_is_refused(store: &dyn Store) {
    let ap = memory("ap");
    let head = append(store, &ap, &["one", "two"], Vec::new());
    let refused = |known| match store.append(&ap, known, &mut |_| panic!("nothing to plan")) {
        Err(StoreError::Chain(error)) => error,
        other => panic!("`{known:?}` is refused: {other:?}"),
    };
    let ahead = Head { seq: 5, ..head };
    assert_eq!(refused(ahead), ChainError::Rewound { known: 5, found: 2 });
    let other = Head {
        seq: 1,
        hash: [9; 32],
    };
    assert_eq!(refused(other), ChainError::Replaced { seq: 1 });
    assert_eq!(store.head(&ap).expect("head"), head);
}

pub(super) fn a_batch_that_does_not_follow_the_head_is_not_written(store: &dyn Store) {
    let ap = memory("ap");
    let head = append(store, &ap, &["one", "two"], vec![]);
    let first = head_after(Head::default(), &store.read(&ap, 0, 1).expect("read"));
    let gap = Head { seq: 3, ..head };
    let elsewhere = Head {
        hash: [9; 32],
        ..head
    };
    for wrong in [first, gap, elsewhere] {
        let rows = vec![row(Table::Review, [1, 0], &Cell::Int(7))];
        let mut batch = Some(Batch {
            entries: entries(wrong, &["never", "ever"]),
            rows,
        });
        let appended = catch_unwind(AssertUnwindSafe(|| {
            store.append(&ap, head, &mut |_| batch.take())
        }));
        assert!(
            !matches!(appended, Ok(Ok(_))),
            "a batch after {wrong:?} is not appended"
        );
        assert_eq!(store.head(&ap).expect("head"), head);
        assert_eq!(all_rows(store, &ap, Table::Review), []);
    }
    assert_eq!(
        append(store, &ap, &["three"], vec![]).seq,
        3,
        "the store goes on"
    );
    assert_eq!(
        texts(store, &ap),
        ["one".into(), "two".into(), "three".into()]
    );
}

pub(super) fn a_planner_that_panics_changes_nothing(store: &dyn Store) {
    let ap = memory("ap");
    let head = append(store, &ap, &["one"], Vec::new());
    let appended = catch_unwind(AssertUnwindSafe(|| {
        store.append(&ap, head, &mut |_| panic!("the suite's planner panics"))
    }));
    assert!(appended.is_err());
    assert_eq!(
        append(store, &ap, &["two"], Vec::new()).seq,
        2,
        "the store goes on"
    );
    assert_eq!(texts(store, &ap), ["one".into(), "two".into()]);
}
