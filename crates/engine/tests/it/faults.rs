//! A store that fails at any append or read, before or after the effect: the caller tries again,
//! and the memory is what it would have been (hole 10 of the seed: nothing is applied twice).

use std::sync::Arc;

use crate::common::*;
use immune_engine::reason::plan::Challenge;
use immune_model::*;
use immune_store::{MemoryStore, Store};
use immune_testkit::{Fault, FaultStore};

const LIE: &str = "Refunds go to GB29 NWBK 6016 1331 9268 19";
const TRUTH: &str = "Refunds go to DE89 3704 0044 0532 0130 00";

/// Does it, and does it again if the store failed.
fn insist<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> T
where
    E: std::fmt::Debug,
{
    attempt().unwrap_or_else(|_| attempt().unwrap())
}

/// The story on a store; what it comes to.
fn story(store: Arc<dyn Store>) -> String {
    let world = World::over(store);
    for (name, tier, carriage) in [
        ("inbox", "0.7", Carriage::Relays),
        ("records", "0.98", Carriage::Authored),
    ] {
        let command = immune_engine::reason::plan::SetChannel {
            name: ChannelName::new(name).unwrap(),
            tier: trust(tier),
            carriage: Some(carriage),
            create_only: false,
        };
        insist(|| world.operator.set_channel(command.clone()));
    }
    let record = immune_engine::reason::plan::NameRecord {
        source: source("records", "ledger"),
        area: Area::new("*").unwrap(),
    };
    insist(|| world.operator.name_record(record.clone()));
    let lie = said("inbox", "mallory@evil.example", "refund.destination", LIE);
    let lie = insist(|| world.operator.remember(lie.clone())).statements[0].belief;
    let built = derivation(
        &[lie.into()],
        "refund.verified",
        "The destination is verified",
    );
    insist(|| world.operator.derive(built.clone()));
    let statement = said("records", "ledger", "refund.destination", TRUTH);
    let challenge = Challenge {
        statement,
        against: Vec::new(),
    };
    insist(|| world.operator.challenge(challenge.clone()));
    let snapshot = insist(|| world.memory.snapshot());
    let state = snapshot.state();
    let beliefs: Vec<_> = state
        .belief_ids()
        .map(|it| state.belief_now(it).unwrap().status.name())
        .collect();
    let reputation = reputation(state, "inbox", "mallory@evil.example");
    let verified = insist(|| world.memory.verify(&mut |_| {}));
    assert!(verified.is_sound(), "{:?}", verified.findings);
    format!(
        "{beliefs:?} {} incidents, {reputation}",
        state.n_incidents()
    )
}

type MakeFault = fn(u32) -> Fault;

#[test]
fn hole_10_a_failure_at_any_append_or_read_changes_nothing_in_the_end() {
    let expected = story(Arc::new(MemoryStore::new()));
    assert_eq!(
        expected,
        r#"["quarantined", "revoked", "active"] 1 incidents, 0.28"#
    );
    let kinds: [MakeFault; 3] = [Fault::BeforeAppend, Fault::AfterAppend, Fault::Read];
    for kind in kinds {
        for nth in 2.. {
            let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new()), kind(nth)));
            assert_eq!(story(store.clone()), expected, "{:?}", kind(nth));
            if !store.failed() {
                assert!(nth > 5, "the story has several moments to fail at");
                break;
            }
        }
    }
}
