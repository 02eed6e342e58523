//! Memories share nothing, whatever they are called.

use super::given::{all_rows, append, memory, row, texts};
use crate::{Cell, Store, Table};

/// Names that a store might take for one, for a pattern, for a path or for SQL.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "john-doe",
        "john_doe",
        "john%doe",
        "john.doe",
        "John-Doe",
        "john",
        "john doe",
        " john",
        "a/b",
        "a\\b",
        "../a",
        "%",
        "_",
        "*",
        "?",
        "'",
        "\"",
        "`",
        "''",
        "\\'",
        "$1",
        "?1",
        ":a",
        "'; DROP TABLE log; --",
        "x' OR '1'='1",
        "NULL",
        "0",
        "1",
        "memory",
        "log",
        "日本",
        "caf\u{e9}",
        "cafe\u{301}",
        "\u{202e}nhoj",
        "🦠",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("x".repeat(300));
    names.push("x".repeat(299) + "y");
    names.push("é".repeat(256));
    names
}

pub(super) fn memories_of_similar_names_share_nothing(store: &dyn Store) {
    let names = names();
    for (number, name) in (1..).zip(&names) {
        let rows = vec![row(Table::Review, [1, 0], &Cell::Int(number))];
        append(store, &memory(name), &[name.trim(), "second"], rows);
    }
    for (number, name) in (1..).zip(&names) {
        let memory = memory(name);
        assert_eq!(store.head(&memory).expect("head").seq, 2, "`{name}`");
        assert_eq!(texts(store, &memory), [name.trim().into(), "second".into()]);
        let rows = [row(Table::Review, [1, 0], &Cell::Int(number))];
        assert_eq!(all_rows(store, &memory, Table::Review), rows, "`{name}`");
    }
}

pub(super) fn names_are_plain_data(store: &dyn Store) {
    let names = names();
    for name in &names {
        append(store, &memory(name), &["text"], Vec::new());
    }
    let mut listed = store.memories().expect("memories");
    listed.retain(|memory| names.iter().any(|name| name == memory.as_str()));
    assert_eq!(
        listed.len(),
        names.len(),
        "each name is listed as it was given"
    );
    assert_eq!(
        store.memories().expect("memories").len(),
        names.len(),
        "and no other"
    );
    assert_eq!(store.head(&memory("john+doe")).expect("head").seq, 0);
    assert_eq!(store.check().expect("check"), [""; 0]);
}

pub(super) fn memories_are_listed_in_the_order_of_their_names(store: &dyn Store) {
    for name in ["b", "a", "Z", "é", "10", "9", "🦠", "\u{fffd}"] {
        append(store, &memory(name), &["text"], Vec::new());
    }
    let listed = store.memories().expect("memories");
    assert!(listed.is_sorted(), "{listed:?}");
    assert_eq!(listed.len(), 8);
}
