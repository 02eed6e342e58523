//! `launder`: a lie from a channel of 0.2 goes through the hands of agents, each of whom names what
//! it rests on, against four who know better; then chains in which they need not, see
//! [`crate::launder`].

use immune_api::bench::BenchRow;
use immune_reason::compat::{capped, tainted};

use super::forum::{Forum, Outcome, Voice};
use super::{Engine, LIE, Published, TRUSTED, TRUTH, cell, never, read, reproduced, said};
use crate::quick::{Ask, Found, Mode};

/// The tier of the channel that the lie comes from, in thousandths.
const TIER: u16 = 200;
/// How sure of itself the lie is, in the published bench.
const CONFIDENCE: f64 = 0.96;
/// The published table: how the tier is handed on, that tier, and whether the lie wins.
const PUBLISHED: [(&str, f64, bool); 3] = [
    ("direct", 0.2, false),
    ("laundered, each hand inherits its own tier", 0.9, true),
    ("laundered, the least tier of all hands", 0.2, false),
];

pub(crate) fn run(ask: &Ask) -> Found {
    let mut rows = Vec::new();
    if ask.wants(Mode::Default) {
        rows.extend((1..=10).map(declared));
    }
    if ask.wants(Mode::Compat) {
        rows.extend(published_rows());
    }
    let sources = VOLUMES.map(source);
    let published = PUBLISHED.iter().flat_map(|(what, _, won)| {
        sources.iter().map(move |source| Published {
            engine: Engine::Compat,
            what,
            source,
            percent: if *won { 100.0 } else { 0.0 },
        })
    });
    let published: Vec<_> = published.collect();
    let is_declared = |it: &BenchRow| it.what.ends_with("lineage declared");
    let targets = [
        never(
            "attack success through 1 to 10 hands, lineage declared, %",
            &rows,
            is_declared,
        ),
        reproduced(ask, &rows, 0.0, &published),
    ];
    let chains = crate::launder::chains(ask);
    rows.extend(chains.rows);
    Found {
        rows,
        targets: targets
            .into_iter()
            .flatten()
            .chain(chains.targets)
            .collect(),
        ..Found::default()
    }
}

const VOLUMES: [usize; 4] = [1, 3, 10, 50];

fn source(n: usize) -> String {
    format!("{n} lies, tier 0.20")
}

fn declared(hands: u32) -> BenchRow {
    let mut forum = Forum::new();
    for it in 0..4 {
        forum.say(&said(TRUTH, TRUSTED, Voice::Declared(it)));
    }
    forum.launder(LIE, TIER, hands);
    let won = forum.answer() == Outcome::Answers(LIE);
    let what = format!("laundered through {hands}, lineage declared");
    cell(
        Engine::Immune.name(),
        &what,
        "tier 0.20",
        if won { 100.0 } else { 0.0 },
    )
}

fn published_rows() -> Vec<BenchRow> {
    let trusted = f64::from(TRUSTED) / 1000.0;
    let low = f64::from(TIER) / 1000.0;
    let mut rows = Vec::new();
    for (what, tier, _) in PUBLISHED {
        // The least of the tiers is computed, the other two are what they are.
        let tier = if tier < trusted {
            tainted([trusted, low])
        } else {
            tier
        };
        for n in VOLUMES {
            let flood = vec![(LIE, capped(tier, CONFIDENCE)); n];
            let observed = [vec![(TRUTH, trusted); 4], flood].concat();
            let won = read(Engine::Compat, &observed) == Some(LIE);
            let percent = if won { 100.0 } else { 0.0 };
            rows.push(cell(Engine::Compat.name(), what, &source(n), percent));
        }
    }
    rows
}
