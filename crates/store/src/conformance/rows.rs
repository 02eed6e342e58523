//! Projections: rows by key, pages in the order of keys, replacing them all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::given::{all_rows, append, memory, row};
use crate::{Batch, Cell, Head, Row, Store, Table};

fn review(id: i64, number: i64) -> Row {
    row(Table::Review, [id, 0], &Cell::Int(number))
}

pub(super) fn a_row_replaces_the_one_of_its_key(store: &dyn Store) {
    let ap = memory("ap");
    append(
        store,
        &ap,
        &["one"],
        vec![review(2, 20), review(1, 10), review(2, 21)],
    );
    assert_eq!(
        all_rows(store, &ap, Table::Review),
        [review(1, 10), review(2, 21)]
    );
    append(store, &ap, &["two"], vec![review(1, 11)]);
    assert_eq!(
        all_rows(store, &ap, Table::Review),
        [review(1, 11), review(2, 21)]
    );
    let premise = |position, item| row(Table::Premise, [1, position], &Cell::Int(item));
    append(
        store,
        &ap,
        &["three"],
        vec![premise(1, 5), premise(0, 4), premise(1, 6)],
    );
    assert_eq!(
        all_rows(store, &ap, Table::Premise),
        [premise(0, 4), premise(1, 6)]
    );
    let nulls = row(Table::Review, [1, 0], &Cell::Null);
    append(store, &ap, &["four"], vec![nulls.clone()]);
    assert_eq!(
        all_rows(store, &ap, Table::Review),
        [nulls, review(2, 21)],
        "null replaces too"
    );
}

pub(super) fn rows_are_read_in_pages_in_the_order_of_their_keys(store: &dyn Store) {
    let ap = memory("ap");
    let keys = [
        [i64::MIN, i64::MIN],
        [-1, 0],
        [1, -2],
        [1, 0],
        [1, 10],
        [2, 9],
        [i64::MAX; 2],
    ];
    let rows = keys
        .iter()
        .rev()
        .map(|key| row(Table::Premise, *key, &Cell::Null))
        .collect();
    append(store, &ap, &["one"], rows);
    let page = |after, limit| -> Vec<[i64; 2]> {
        let rows = store.rows(&ap, Table::Premise, after, limit).expect("rows");
        rows.iter().map(Row::key).collect()
    };
    assert_eq!(page(None, usize::MAX), keys);
    assert_eq!(page(None, 2), keys[..2]);
    assert_eq!(page(Some(keys[0]), 2), keys[1..3]);
    assert_eq!(page(Some([1, 0]), 2), keys[4..6]);
    assert_eq!(page(Some([1, 5]), 2), keys[4..6], "between two keys");
    assert_eq!(page(Some([1, i64::MAX]), 1), keys[5..6]);
    assert_eq!(page(Some(keys[6]), 2), [[0; 2]; 0]);
    assert_eq!(page(None, 0), [[0; 2]; 0]);

    append(
        store,
        &ap,
        &["two"],
        vec![review(3, 0), review(1, 0), review(2, 0)],
    );
    let page = |after, limit| -> Vec<i64> {
        let rows = store.rows(&ap, Table::Review, after, limit).expect("rows");
        rows.iter().map(|row| row.key()[0]).collect()
    };
    assert_eq!(page(None, 2), [1, 2]);
    assert_eq!(page(Some([1, 0]), 2), [2, 3]);
    assert_eq!(page(Some([3, 0]), 2), [0; 0]);
}

pub(super) fn every_table_keeps_every_kind_of_cell(store: &dyn Store) {
    let ap = memory("ap");
    let cells = [
        Cell::Null,
        Cell::Int(i64::MIN),
        Cell::Int(i64::MAX),
        Cell::from(""),
        Cell::from("12"),
        Cell::from("'; DROP TABLE log; --\r\n\t\u{202e}日本🦠"),
        Cell::from(&*"long ".repeat(20_000)),
    ];
    let of = |table: Table| -> Vec<Row> {
        (1..)
            .zip(&cells)
            .map(|(id, cell)| row(table, [id, id], cell))
            .collect()
    };
    append(
        store,
        &ap,
        &["one"],
        Table::ALL.iter().copied().flat_map(of).collect(),
    );
    for table in Table::ALL {
        assert_eq!(
            all_rows(store, &ap, *table),
            of(*table),
            "`{}`",
            table.name()
        );
    }
}

pub(super) fn projections_are_replaced_at_the_known_head_only(store: &dyn Store) {
    let (ap, other) = (memory("ap"), memory("other"));
    let incident = row(Table::Incident, [1, 0], &Cell::Int(4));
    let old = append(store, &ap, &["one"], vec![review(1, 10), incident]);
    append(store, &other, &["one"], vec![review(1, 99)]);
    let head = append(store, &ap, &["two"], vec![review(2, 20)]);

    let elsewhere = Head {
        hash: [9; 32],
        ..head
    };
    for known in [old, Head::default(), elsewhere] {
        assert!(
            !store
                .replace_rows(&ap, known, &[review(7, 70)])
                .expect("replace")
        );
    }
    assert_eq!(
        all_rows(store, &ap, Table::Review),
        [review(1, 10), review(2, 20)]
    );

    let rows = [review(9, 90), review(3, 30), review(9, 91)];
    assert!(store.replace_rows(&ap, head, &rows).expect("replace"));
    assert_eq!(
        all_rows(store, &ap, Table::Review),
        [review(3, 30), review(9, 91)]
    );
    assert_eq!(
        all_rows(store, &ap, Table::Incident),
        [],
        "every projection is replaced"
    );
    assert_eq!(
        all_rows(store, &other, Table::Review),
        [review(1, 99)],
        "of this memory"
    );
    assert_eq!(store.head(&ap).expect("head"), head, "the log stays");
}

pub(super) fn rows_without_entries_are_not_written(store: &dyn Store) {
    let ap = memory("ap");
    let head = append(store, &ap, &["one"], Vec::new());
    let appended = catch_unwind(AssertUnwindSafe(|| {
        store.append(&ap, head, &mut |_| {
            Some(Batch {
                entries: Vec::new(),
                rows: vec![review(1, 10)],
            })
        })
    }));
    assert!(
        !matches!(appended, Ok(Ok(_))),
        "projections change with the log only"
    );
    assert_eq!(all_rows(store, &ap, Table::Review), []);
}
