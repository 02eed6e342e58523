//! `endorsement`: who is not trusted agrees with a value; that must never hurt it.

use super::forum::Voice;
use super::{Engine, LIE, TRUTH, attack, attacked, crowd, forged, never, said, truth};
use crate::quick::{Ask, Found};

const ENGINES: [Engine; 4] = [
    Engine::Immune,
    Engine::Compat,
    Engine::LastWrite,
    Engine::Majority,
];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut attacks = Vec::new();
    for (tier, n) in [(200, 1), (200, 2), (200, 5), (500, 5)] {
        // Two who are trusted disagree, the truth last.
        let torn = forged(1).chain(truth(1)).chain(crowd(TRUTH, tier, n));
        attacks.push(attack(
            &format!("{n} agree with a truth that one denies"),
            tier,
            torn,
        ));
        // A lie from who is half trusted stands against a truth that leads.
        let weaker = said(LIE, 600, Voice::Declared(100));
        let leads = truth(1).chain([weaker]).chain(crowd(TRUTH, tier, n));
        attacks.push(attack(
            &format!("{n} agree with a truth that leads"),
            tier,
            leads,
        ));
    }
    let rows = attacked(ask, &ENGINES, &attacks);
    let hurt = never(
        "a lie that leads because others agree with the truth, %",
        &rows,
        |_| true,
    );
    Found {
        rows,
        targets: hurt.into_iter().collect(),
        ..Found::default()
    }
}
