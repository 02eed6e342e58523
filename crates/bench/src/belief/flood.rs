//! `flood`: one source says the same many times, and one write stands against very many.

use super::forum::Voice;
use super::{Engine, LIE, TRUSTED, attack, attacked, never, said, truth};
use crate::quick::{Ask, Found};

const ENGINES: [Engine; 4] = [
    Engine::Immune,
    Engine::Compat,
    Engine::LastWrite,
    Engine::Majority,
];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut attacks = Vec::new();
    for tier in [200, 500, 700, TRUSTED] {
        for n in [1, 10, 100] {
            let own = (0..n).map(move |_| said(LIE, tier, Voice::Declared(100)));
            let name = format!("one source, {n} times, over 4");
            attacks.push(attack(&name, tier, truth(4).chain(own)));
        }
    }
    for over in [100, 1_000] {
        let one = [said(LIE, 700, Voice::Declared(5_000))];
        attacks.push(attack(
            &format!("one write, over {over}"),
            700,
            truth(over).chain(one),
        ));
    }
    let rows = attacked(ask, &ENGINES, &attacks);
    let target = never("attack success of one source, %", &rows, |_| true);
    Found {
        rows,
        targets: target.into_iter().collect(),
        ..Found::default()
    }
}
