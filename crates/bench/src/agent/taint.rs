//! `taint`: claims go through 1 to 10 hands, each of which names what it rests on, beside something
//! trustworthy; then the source at the beginning turns out to be a liar.
//!
//! Measured is whether the end of a chain is trusted as its weakest hop, and whether it falls with
//! its source unless somebody independent says the same. Undeclared chains are `launder`'s.

use immune_engine::reason::plan::{Flag, FlagWhat};
use immune_model::{Carriage, Trust};
use immune_testkit::random::Random;

use super::{Bound, OURS, Stage, share, target};
use crate::quick::{Ask, Found, Mode};

/// Chains of each length.
const CHAINS: usize = 10;
const HANDS: usize = 10;
/// The tiers of the channels at the beginning, in thousandths.
const TIERS: [u16; 4] = [100, 200, 400, 600];
const ABOVE: &str = "a chain trusted above its weakest hop";
const BELOW: &str = "a chain trusted below its weakest hop";
const STANDS: &str = "a conclusion that stands after its source was flagged";
const KEPT: &str = "a conclusion kept that somebody independent states too";

#[derive(Default)]
struct Counts {
    above: usize,
    below: usize,
    vouched: usize,
    stands: usize,
    alone: usize,
    kept: usize,
    backed: usize,
}

pub(crate) fn run(ask: &Ask) -> Found {
    let mut random = Random::new(ask.seed);
    let mut counts = Counts::default();
    for hands in 1..=HANDS {
        for _ in 0..CHAINS {
            chain(hands, &mut random, &mut counts);
        }
    }
    let all = HANDS * CHAINS;
    let mut rows = Vec::new();
    if ask.wants(Mode::Default) {
        rows.push(share(OURS, ABOVE, counts.above, all));
        rows.push(share(OURS, BELOW, counts.below, all));
        rows.push(share(OURS, STANDS, counts.stands, counts.alone));
        rows.push(share(OURS, KEPT, counts.kept, counts.backed));
    }
    // Each hand vouches for what it hands on; nothing knows what it rests on, so all of it stays.
    rows.push(share("each hand vouches", ABOVE, counts.vouched, all));
    rows.push(share(
        "each hand vouches",
        STANDS,
        counts.alone,
        counts.alone,
    ));
    let mut targets = Vec::new();
    if ask.wants(Mode::Default) {
        targets.push(target(&rows, ABOVE, Bound::AtMost(0.0)));
        targets.push(target(&rows, BELOW, Bound::AtMost(0.0)));
        targets.push(target(&rows, STANDS, Bound::AtMost(0.0)));
        targets.push(target(&rows, KEPT, Bound::AtLeast(100.0)));
    }
    Found {
        rows,
        targets,
        ..Found::default()
    }
}

fn chain(hands: usize, random: &mut Random, counts: &mut Counts) {
    let stage = Stage::new();
    let tier = *TIERS.get(random.below(TIERS.len())).unwrap_or(&200);
    stage.channel("wild", tier, Carriage::Relays);
    for (channel, name) in [("wild", "mallory"), ("inbox", "ops"), ("inbox", "sales")] {
        stage.declare(channel, name);
    }
    let first = stage.says("wild", "mallory", "vendor.note", "The vendor has moved");
    let beside = stage.says("inbox", "ops", "vendor.state", "The vendor is known");
    // All of it rests on the first statement; the others are trusted more than any first one.
    let weakest = stage.strength(first);
    let mut last = first;
    for hand in 1..=hands {
        let premises = [last, beside];
        let n = 1 + usize::from(random.fraction() < 0.5);
        let premises = premises.get(..n).unwrap_or_default();
        let (about, claim) = said_by(hand);
        let next = stage.concludes(&format!("hand {hand}"), premises, &about, &claim);
        last = next.expect("its premises stand");
    }
    let found = stage.strength(last);
    counts.above += usize::from(found > weakest);
    counts.below += usize::from(found < weakest);
    counts.vouched += usize::from(stage.strength(beside) > weakest);
    let backed = random.fraction() < 0.5;
    if backed {
        let (about, claim) = said_by(hands);
        stage.says("inbox", "sales", &about, &claim);
    }
    let flag = Flag {
        what: FlagWhat::Source(super::source("wild", "mallory")),
        received_from: None,
        reason: None,
    };
    stage.operator.flag(flag).expect(super::WRITES);
    let stands = usize::from(stage.strength(last) > Trust::ZERO);
    if backed {
        counts.backed += 1;
        counts.kept += stands;
    } else {
        counts.alone += 1;
        counts.stands += stands;
    }
}

/// What a hand concludes: a subject and a claim.
fn said_by(hand: usize) -> (String, String) {
    (format!("hop{hand}.note"), format!("Hand {hand} says so"))
}
