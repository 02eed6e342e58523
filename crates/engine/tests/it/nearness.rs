//! The mesh by meaning: by which embedder outputs are compared, and what happens where it fails.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use immune_engine::{Judgement, MeshMeaningError, MeshRefusal, WriteError};
use immune_model::Trust;
use immune_store::MemoryStore;

use crate::common::World;
use crate::meaning::Toy;
use crate::mesh::exchange;

#[test]
fn outputs_are_compared_by_an_embedder_that_was_measured_and_answers() {
    let words = World::new().operator.mesh_meaning(None).unwrap_err();
    assert_eq!(words, MeshMeaningError::NoEmbedder);
    let toy = Toy::new("toy", true);
    let session = World::embedding(Arc::new(MemoryStore::new()), toy.clone()).operator;
    let unmeasured = session.mesh_meaning(None).unwrap_err();
    let model = "toy".to_owned();
    assert_eq!(unmeasured, MeshMeaningError::NotMeasured { model });
    let meaning = session.mesh_meaning(Some(Trust::ONE)).unwrap();
    let exchange = exchange(
        "ann",
        "The lantern hangs over the door of the old harbour office.",
        "I will be there tomorrow, and bring the keys of the plant.",
    );
    let judged = session.mesh_observe_by(&exchange, Some(&meaning)).unwrap();
    assert_eq!(judged.verdict.judgement, Judgement::Clean);
    toy.fails.store(true, Ordering::Relaxed);
    let refused = session.mesh_observe_by(&exchange, Some(&meaning));
    let refused = refused.unwrap_err();
    let is_named = matches!(&refused, WriteError::Refused(MeshRefusal::Meaning(_)));
    assert!(
        is_named && refused.to_string().contains("it is out"),
        "{refused}"
    );
    session.mesh_observe(&exchange).unwrap();
}
