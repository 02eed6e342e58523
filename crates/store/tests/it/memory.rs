//! The store without a disk keeps the contract.

use immune_store::{MemoryStore, conformance};

#[test]
fn the_memory_store_keeps_the_contract() {
    conformance::run(&|| Box::new(MemoryStore::new()));
}
