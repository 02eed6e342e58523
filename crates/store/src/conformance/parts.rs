//! Appends that are handed over in parts: one append all the same.

use std::panic::{AssertUnwindSafe, catch_unwind};

use immune_model::MemoryName;

use super::given::{all_rows, append, entries, head_after, memory, row, texts};
use crate::{Batch, Cell, Head, Store, StoreError, Table};

/// A part: these texts after `head`, with one row.
fn part(head: Head, words: &[&str], key: i64) -> Batch {
    Batch {
        entries: entries(head, words),
        rows: vec![row(Table::Review, [key, 0], &Cell::Int(key))],
    }
}

/// Nothing of an append is there, and the store goes on.
fn assert_untouched(store: &dyn Store, ap: &MemoryName, head: Head) {
    assert_eq!(store.head(ap).expect("head"), head);
    assert_eq!(all_rows(store, ap, Table::Review), []);
    assert_eq!(texts(store, ap).len() as u64, head.seq);
}

pub(super) fn parts_are_one_append(store: &dyn Store) {
    let ap = memory("ap");
    let known = append(store, &ap, &["one"], Vec::new());
    append(store, &ap, &["two"], Vec::new());
    let after = store.append_parts(&ap, known, &mut |tail, put| {
        assert_eq!(tail.len(), 1, "what others wrote comes first");
        let mut head = head_after(known, tail);
        for (key, words) in [(1, &["three", "four"][..]), (2, &[]), (3, &["five"])] {
            let mut part = part(head, words, key);
            if words.is_empty() {
                // More rows of what the part before said.
                part.entries.clear();
            }
            head = head_after(head, &part.entries);
            put(part)?;
        }
        Ok(true)
    });
    let after = after.expect("append");
    assert_eq!(after.seq, 5);
    assert_eq!(store.head(&ap).expect("head"), after);
    assert_eq!(
        texts(store, &ap),
        ["one", "two", "three", "four", "five"].map(Into::into)
    );
    let keys: Vec<_> = all_rows(store, &ap, Table::Review)
        .iter()
        .map(crate::Row::key)
        .collect();
    assert_eq!(keys, [[1, 0], [2, 0], [3, 0]]);
}

pub(super) fn of_parts_that_are_given_up_nothing_is_written(store: &dyn Store) {
    let (ap, other) = (memory("ap"), memory("other"));
    let head = append(store, &ap, &["one"], Vec::new());
    let declined = store.append_parts(&ap, head, &mut |_, put| {
        put(part(head, &["never"], 1))?;
        Ok(false)
    });
    assert_eq!(declined.expect("nothing was asked for"), head);
    assert_untouched(store, &ap, head);
    let failed = store.append_parts(&ap, head, &mut |_, put| {
        put(part(head, &["never"], 1))?;
        Err(StoreError::NoMemory {
            name: other.clone(),
        })
    });
    assert!(
        matches!(&failed, Err(StoreError::NoMemory { name }) if *name == other),
        "the planner's own error comes back: {failed:?}"
    );
    assert_untouched(store, &ap, head);
    let empty = store.append_parts(&other, Head::default(), &mut |_, put| {
        put(part(Head::default(), &["never"], 1))?;
        Ok(false)
    });
    assert_eq!(empty.expect("nothing was asked for"), Head::default());
    assert_eq!(
        store.memories().expect("memories"),
        std::slice::from_ref(&ap)
    );
    assert_eq!(append(store, &ap, &["two"], Vec::new()).seq, 2);
}

pub(super) fn a_part_that_does_not_follow_takes_those_before_with_it(store: &dyn Store) {
    let ap = memory("ap");
    let head = append(store, &ap, &["one"], Vec::new());
    for panics in [false, true] {
        let appended = catch_unwind(AssertUnwindSafe(|| {
            store.append_parts(&ap, head, &mut |_, put| {
                put(part(head, &["never"], 1))?;
                assert!(!panics, "the suite's planner panics");
                // Follows the old head, not the part before.
                put(part(head, &["ever"], 2))?;
                Ok(true)
            })
        }));
        assert!(!matches!(appended, Ok(Ok(_))), "it is not appended");
        assert_untouched(store, &ap, head);
    }
    assert_eq!(append(store, &ap, &["two"], Vec::new()).seq, 2);
}
