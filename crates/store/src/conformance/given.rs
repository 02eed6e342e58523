//! What suites append: small logs that tell where each entry came from. For the tests of stores.

use std::sync::Arc;

use immune_model::{
    Event, Handle, Instant, MemoryName, Namespace, ObservationId, Observed, Principal, Recorded,
    Role, Screening, SourceId, Text,
};

use crate::{Batch, Cell, ColumnType, Entry, Head, Row, Store, Table, open_entry, seal};

/// The memory of this name.
pub fn memory(name: &str) -> MemoryName {
    MemoryName::new(name).expect("the suite's names are names")
}

/// The event that this text arrived at this place in the log.
pub fn arrival(seq: u64, micros: i64, text: &str) -> Recorded {
    let number = u32::try_from(seq).expect("the suite's logs are short");
    Recorded {
        seq,
        at: Instant::from_micros(micros).expect("the suite's times are dates"),
        actor: Principal {
            role: Role::Agent,
            name: Handle::new("suite").expect("a handle"),
        },
        event: Event::Observed(Observed {
            observation: ObservationId::new(number),
            source: SourceId::new(1),
            namespace: Namespace::ROOT,
            text: Text::new(text).expect("the suite's texts are texts"),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Unscreened,
            statements: Vec::new(),
        }),
    }
}

/// The entries in which these texts arrive after `head`.
pub fn entries(head: Head, texts: &[&str]) -> Vec<Entry> {
    let recorded: Vec<_> = (head.seq + 1..)
        .zip(texts)
        .map(|(seq, text)| arrival(seq, 1_800_000_000_000_000, text))
        .collect();
    seal_counted(head, &recorded)
}

/// Seals with keys that are told apart by entry.
pub fn seal_counted(head: Head, recorded: &[Recorded]) -> Vec<Entry> {
    let mut number = head.seq;
    seal(head, recorded, &mut |bytes| {
        number += 1;
        let counted = number.to_be_bytes();
        bytes
            .iter_mut()
            .zip(counted.into_iter().cycle())
            .for_each(|(to, from)| *to = from);
    })
}

/// The head after entries that follow `head`.
pub fn head_after(head: Head, tail: &[Entry]) -> Head {
    tail.iter().fold(head, Head::after)
}

/// Appends these texts and rows at the end of the log, wherever that is.
pub fn append(store: &dyn Store, memory: &MemoryName, texts: &[&str], rows: Vec<Row>) -> Head {
    let mut rows = Some(rows);
    let known = Head::default();
    store
        .append(memory, known, &mut |tail| {
            Some(Batch {
                entries: entries(head_after(known, tail), texts),
                rows: rows.take().expect("a planner is called once"),
            })
        })
        .expect("the store appends")
}

/// The texts of a whole log, whose chain holds.
pub fn texts(store: &dyn Store, memory: &MemoryName) -> Vec<Arc<str>> {
    let log = store.read(memory, 0, usize::MAX).expect("the store reads");
    let mut head = Head::default();
    let mut texts = Vec::with_capacity(log.len());
    for entry in &log {
        let recorded = open_entry(head, entry).expect("the entry is as it was appended");
        head = head.after(entry);
        if let Event::Observed(observed) = recorded.event {
            texts.push(observed.text.as_str().into());
        }
    }
    texts
}

/// The rows of a whole projection.
pub fn all_rows(store: &dyn Store, memory: &MemoryName, table: Table) -> Vec<Row> {
    store
        .rows(memory, table, None, usize::MAX)
        .expect("the store reads rows")
}

/// A row of this key, whose other cells are all `cell`, where its columns take that.
pub fn row(table: Table, key: [i64; 2], cell: &Cell) -> Row {
    let columns = table.columns().iter().enumerate();
    let cells = columns.map(|(place, (_, kind))| match (place, cell, kind) {
        (0, ..) if table.key_columns() > 0 => Cell::Int(key[0]),
        (1, ..) if table.key_columns() > 1 => Cell::Int(key[1]),
        (_, Cell::Int(_), ColumnType::Int) | (_, Cell::Text(_), ColumnType::Text) => cell.clone(),
        _ => Cell::Null,
    });
    Row::new(table, cells.collect())
}
