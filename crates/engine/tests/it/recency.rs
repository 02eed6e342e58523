//! Recency: what was said lately comes first where a question asks for that, and nothing comes in
//! by being fresh.

use immune_engine::reason::plan::{Flag, FlagWhat};
use immune_engine::{Recall, Recalled, Score, Session, When};
use immune_model::*;
use proptest::prelude::*;

use crate::common::*;

const DAY: i64 = 86_400;
const WORDS: [&str; 3] = ["lamp", "lamp blue", "lamp blue tall"];

fn world() -> World {
    let world = World::new();
    world.channel("press", "0.9", Carriage::Relays);
    world.channel("web", "0.3", Carriage::Relays);
    world
}

fn asked(session: &Session, half_life_days: Option<u32>) -> Recalled {
    let question = Recall {
        recency_seconds: half_life_days.map(|it| it * 86_400),
        limit: 50,
        ..Recall::query("blue lamp")
    };
    session.recall(&question).unwrap()
}

fn found(recalled: &Recalled) -> Vec<(BeliefId, Score)> {
    let facts = recalled.facts.iter();
    facts.map(|it| (it.belief, it.score.clone())).collect()
}

fn ids(recalled: &Recalled) -> Vec<BeliefId> {
    found(recalled).into_iter().map(|it| it.0).collect()
}

#[test]
fn of_what_fits_alike_the_newer_comes_first_and_saying_again_makes_fresh() {
    let world = world();
    let claim = |name: &str, about: &str| world.believe("press", name, about, "The lamp is blue");
    let old = claim("a", "hall.lamp");
    world.clock.0.advance(30 * DAY);
    let new = claim("b", "room.lamp");
    assert_eq!(ids(&asked(&world.operator, None)), [old, new]);
    let fresh = asked(&world.operator, Some(30));
    assert_eq!(ids(&fresh), [new, old]);
    let shares: Vec<_> = found(&fresh)
        .iter()
        .map(|it| it.1.recency_millionths)
        .collect();
    assert_eq!(shares, [Some(1_000_000), Some(500_000)]);
    let seq = fresh.seq;
    // Somebody below the floor makes nothing fresh, somebody above it does.
    world.clock.0.advance(30 * DAY);
    world.believe("web", "c", "hall.lamp", "The lamp is blue");
    assert_eq!(ids(&asked(&world.operator, Some(30))), [new, old]);
    claim("d", "hall.lamp");
    assert_eq!(ids(&asked(&world.operator, Some(30))), [old, new]);
    let past = world.operator.at(When::Seq(seq)).unwrap();
    let then = asked(&past, Some(30));
    assert_eq!(found(&then), found(&fresh), "as of then");
}

#[test]
fn a_list_has_no_score_and_an_age_past_all_half_lives_is_ordered_by_time() {
    let world = world();
    let mut all = Vec::new();
    for n in 0..4 {
        all.push(world.believe("press", "a", &format!("hall{n}.lamp"), "The lamp is blue"));
        world.clock.0.advance(100 * DAY);
    }
    let found_now = asked(&world.operator, Some(1));
    assert!(
        found(&found_now)
            .iter()
            .all(|it| it.1.recency_millionths == Some(0))
    );
    all.reverse();
    assert_eq!(ids(&found_now), all);
    let question = Recall {
        recency_seconds: Some(1),
        ..Recall::default()
    };
    let listed = world.operator.recall(&question).unwrap();
    assert!(listed.facts.iter().all(|it| it.score == Score::default()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// Whatever the half-life: the same items as without it, ranked by the sum of how well they
    /// fit and how fresh they are; and of two that fit alike, never the older one first.
    #[test]
    fn freshness_orders_what_fits_and_lets_nothing_in(
        said in prop::collection::vec((0..3_usize, 0..40_i64, any::<bool>(), any::<bool>()), 1..12),
        half_life_days in 1..90_u32,
    ) {
        let world = world();
        for (n, (words, days, is_weak, is_flagged)) in said.iter().enumerate() {
            world.clock.0.advance(days * DAY);
            let channel = if *is_weak { "web" } else { "press" };
            let claim = format!("The {} stands", WORDS[*words]);
            let belief = world.believe(channel, "a", &format!("place{n}.thing"), &claim);
            if *is_flagged {
                let what = FlagWhat::Item(belief.into());
                world.operator.flag(Flag { what, received_from: None, reason: None }).unwrap();
            }
        }
        let without = asked(&world.operator, None);
        let with = asked(&world.operator, Some(half_life_days));
        let (mut before, mut after) = (ids(&without), ids(&with));
        prop_assert_eq!(&before, &ids(&asked(&world.operator, None)));
        prop_assert_eq!(&without.excluded, &with.excluded);
        let n = after.len();
        before.sort_unstable();
        after.sort_unstable();
        prop_assert_eq!(before, after);
        let best = found(&without).iter().map(|it| it.1.words_millionths).max().unwrap_or(1);
        let mut last = u64::MAX;
        for fact in &with.facts {
            let share = u128::from(fact.score.words_millionths) * 1_000_000 / u128::from(best);
            let fresh = fact.score.recency_millionths.unwrap();
            prop_assert_eq!(u128::from(fact.score.millionths), share + u128::from(fresh));
            prop_assert!(fact.score.millionths <= last && fresh <= 1_000_000);
            last = fact.score.millionths;
        }
        for (first, second) in (0..n).flat_map(|it| (it + 1..n).map(move |other| (it, other))) {
            let (first, second) = (&with.facts[first], &with.facts[second]);
            if first.score.words_millionths == second.score.words_millionths {
                prop_assert!(first.believed_at >= second.believed_at);
                prop_assert!(first.score.recency_millionths >= second.score.recency_millionths);
            }
        }
    }
}
