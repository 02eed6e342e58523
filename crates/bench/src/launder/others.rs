//! Defences that do not know what was read: content alone, declared lineage alone, and the
//! published update of nous-state with its two ways of rating a hop.

use immune_model::Trust;
use immune_reason::compat::{Dimension, capped, tainted};
use immune_reason::log_odds;

use super::{CONFIDENCE, Scene, TRUSTED};
use crate::machine::epoch;

/// The value of the first hop, and the one that others say.
const FIRST: u32 = 1;
const OTHER: u32 = 0;
/// Below this strength nothing is answered, in thousandths.
const FLOOR: u16 = 500;

/// How the published update rates a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hops {
    /// As its writer: naive inheritance.
    Last,
    /// As the least of the hops that it declares.
    Declared,
}

/// What a write is worth to one who believes what it declares: its writer's tier, and what it says
/// that it rests on.
fn declared_strengths(scene: &Scene) -> Vec<u16> {
    let mut strengths = vec![scene.first_tier];
    for hop in &scene.hops {
        let premise = strengths.get(hop.read).copied().unwrap_or(0);
        let tier = hop.way.tier();
        strengths.push(if hop.declares {
            tier.min(premise)
        } else {
            tier
        });
    }
    strengths
}

/// Every statement about what is asked has a weight, one for each voice; the heavier value is
/// answered if anything of it is at or above the floor.
fn heavier(ours: &[u16], theirs: &[u16]) -> bool {
    let weight = |of: &[u16]| {
        let strength = |it: &u16| Trust::from_thousandths(*it).unwrap_or(Trust::ZERO);
        let above = of.iter().filter(|it| **it >= FLOOR);
        above.map(|it| log_odds(strength(it))).sum::<u64>()
    };
    weight(ours) > weight(theirs)
}

/// The strengths of the hops that are about what is asked.
fn asked(scene: &Scene, strengths: &[u16]) -> Vec<u16> {
    let hops = scene.hops.iter().enumerate();
    let asked = hops.filter(|(_, hop)| hop.is_asked);
    asked
        .filter_map(|(at, _)| strengths.get(at + 1).copied())
        .collect()
}

/// Trusts a write as far as it is sure of itself, and each writer for himself.
pub(super) fn by_content(scene: &Scene) -> bool {
    let strengths = vec![CONFIDENCE; scene.hops.len() + 1];
    let against = vec![TRUSTED; scene.n_against];
    heavier(&asked(scene, &strengths), &against)
}

/// Trusts a write as far as its writer, and what it says that it rests on. Writers who say that
/// they rest on the same are one.
pub(super) fn by_lineage(scene: &Scene) -> bool {
    let strengths = declared_strengths(scene);
    let mut own = asked(scene, &strengths);
    if scene.hops.iter().all(|it| it.declares) {
        own.truncate(1);
    }
    heavier(&own, &vec![TRUSTED; scene.n_against])
}

/// The published belief update, with the confidence of the content capped by the tier of the hop.
pub(super) fn by_published(scene: &Scene, hops: Hops) -> bool {
    let real = |thousandths: u16| f64::from(thousandths) / 1000.0;
    let declared = declared_strengths(scene);
    let mut dimension = Dimension::default();
    for _ in 0..scene.n_against {
        dimension.observe(OTHER, real(TRUSTED), epoch());
    }
    let hops_asked = scene.hops.iter().enumerate();
    for (at, _) in hops_asked.filter(|(_, it)| it.is_asked) {
        let tier = match hops {
            // The published scene has its hop at the tier of repositories, users and tools.
            Hops::Last => real(TRUSTED),
            Hops::Declared => {
                let declared = declared.get(at + 1).copied().map(real);
                tainted([real(TRUSTED)].into_iter().chain(declared))
            }
        };
        dimension.observe(FIRST, capped(tier, real(CONFIDENCE)), epoch());
    }
    let leader = dimension.leader();
    leader.is_some_and(|(value, _)| *value == FIRST)
}
