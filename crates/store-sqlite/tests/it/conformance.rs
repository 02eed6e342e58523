//! The embedded store keeps the contract.

use std::cell::RefCell;
use std::path::Path;

use immune_store::{Store, conformance};
use immune_store_sqlite::{SqliteOptions, SqliteStore};

fn open(path: &Path) -> Box<dyn Store> {
    Box::new(SqliteStore::open(path, SqliteOptions::default()).expect("it opens"))
}

#[test]
fn the_sqlite_store_keeps_the_contract() {
    let folders = RefCell::new(Vec::new());
    conformance::run(&|| {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder.path().join("new.immune"));
        folders.borrow_mut().push(folder);
        store
    });
}

#[test]
fn the_sqlite_store_keeps_the_contract_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    conformance::run_reopen(folder.path(), &open);
}
