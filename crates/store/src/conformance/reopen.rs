//! Stores that outlive their process: what is there when they are opened again, or twice.

use super::given::{all_rows, append, entries, head_after, memory, row, texts};
use super::race::{assert_whole, write_together};
use crate::{Batch, Cell, Head, Store, Table};

pub(super) fn a_reopened_store_holds_everything(make: &dyn Fn() -> Box<dyn Store>) {
    let (ap, other) = (memory("ap"), memory("other"));
    let rows = vec![row(Table::Incident, [1, 0], &Cell::from("acme"))];
    let store = make();
    append(&*store, &ap, &["one", "two"], rows.clone());
    append(&*store, &other, &["three"], Vec::new());
    let log = store.read(&ap, 0, 10).expect("read");
    drop(store);

    let store = make();
    assert_eq!(
        store.memories().expect("memories"),
        [ap.clone(), other.clone()]
    );
    assert_eq!(
        store.read(&ap, 0, 10).expect("read"),
        log,
        "with their keys"
    );
    assert_eq!(
        store.head(&ap).expect("head"),
        head_after(Head::default(), &log)
    );
    assert_eq!(all_rows(&*store, &ap, Table::Incident), rows);
    append(&*store, &ap, &["four"], Vec::new());
    drop(store);

    let store = make();
    assert_eq!(
        texts(&*store, &ap),
        ["one".into(), "two".into(), "four".into()]
    );
    assert_eq!(texts(&*store, &other), ["three".into()]);
    assert_eq!(store.check().expect("check"), [""; 0]);
}

pub(super) fn two_stores_at_one_place_see_each_other(make: &dyn Fn() -> Box<dyn Store>) {
    let ap = memory("ap");
    let (here, there) = (make(), make());
    let mut known = append(&*here, &ap, &["one"], Vec::new());
    for _ in 0..5 {
        let faster = append(
            &*there,
            &ap,
            &["there"],
            vec![row(Table::Review, [1, 0], &Cell::Null)],
        );
        assert_eq!(here.head(&ap).expect("head"), faster);
        let after = here.append(&ap, known, &mut |tail| {
            assert_eq!(
                head_after(known, tail),
                faster,
                "a planner sees the other store's tail"
            );
            Some(Batch {
                entries: entries(faster, &["here"]),
                rows: Vec::new(),
            })
        });
        known = after.expect("append");
        assert_eq!(there.head(&ap).expect("head"), known);
        assert_eq!(all_rows(&*here, &ap, Table::Review).len(), 1);
    }
    assert_eq!(texts(&*there, &ap).len(), 11);
    assert_eq!(texts(&*here, &ap), texts(&*there, &ap));
}

pub(super) fn two_stores_at_one_place_append_without_gaps(make: &dyn Fn() -> Box<dyn Store>) {
    let ap = memory("ap");
    let stores = [make(), make()];
    let [here, there] = stores.each_ref().map(|store| &**store);
    let acked = write_together(&ap, &[here, there]);
    assert_whole(here, &ap, acked.clone());
    assert_whole(there, &ap, acked);
}
