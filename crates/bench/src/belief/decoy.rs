//! `decoy`: new names say a value of their own each, so that the lie weighs less evidence against.

use super::{Attack, Engine, LIE, attack, attacked, crowd, junk, never, truth};
use crate::quick::{Ask, Found};

const ENGINES: [Engine; 4] = [
    Engine::Immune,
    Engine::Compat,
    Engine::LastWrite,
    Engine::Majority,
];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut attacks = Vec::new();
    for (tier, decoys, lies, over) in [
        (200, 5, 3, 4),
        (200, 5, 3, 100),
        (200, 5, 3, 1_000),
        (500, 5, 3, 4),
        (200, 30, 50, 4),
        (500, 30, 50, 4),
    ] {
        let said = truth(over)
            .chain(junk(tier, decoys))
            .chain(crowd(LIE, tier, lies));
        attacks.push(attack(
            &format!("{decoys} + {lies}, over {over}"),
            tier,
            said,
        ));
    }
    let said = truth(4).chain(junk(200, 8)).chain(crowd(LIE, 200, 10));
    attacks.push(Attack {
        shuffled: 18,
        ..attack("8 + 10 shuffled, over 4", 200, said)
    });
    let rows = attacked(ask, &ENGINES, &attacks);
    let target = never("attack success with decoys, %", &rows, |_| true);
    Found {
        rows,
        targets: target.into_iter().collect(),
        ..Found::default()
    }
}
