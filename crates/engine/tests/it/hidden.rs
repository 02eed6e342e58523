//! `attribute` looks twice: lies that what is true outweighs once the answer is right are named and
//! quarantined too, and where nothing is hidden the second look blames nobody.

use std::sync::atomic::{AtomicUsize, Ordering};

use immune_engine::attribution::{Answer, Answerer, Noise, Shown, Unanswered};
use immune_engine::{
    Asking, Attribute, Attribution, GivenFrom, Quarantine, QuarantineError, Watched,
};
use immune_model::*;

use crate::attribute::{about_refunds, first_of};
use crate::common::{World, source};

const LIE: &str = "Refunds go to GB29NWBK60161331926819";
const TRUTH: &str = "Refunds go to DE89370400440532013000";

/// Says what more of what it is shown says, as often as it is shown; the truth where both are even.
#[derive(Debug, Default)]
struct Majority {
    asked: AtomicUsize,
    /// Fails from this call on, if it does.
    gone_after: Option<usize>,
}

impl Answerer for Majority {
    fn name(&self) -> String {
        "a majority".to_owned()
    }

    fn answer(&self, _: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if self.gone_after.is_some_and(|it| asked >= it) {
            return Err(Unanswered {
                reason: "it is gone".to_owned(),
                advice: "start it".to_owned(),
                is_final: true,
                is_spent: false,
            });
        }
        let n = |of: &str| shown.iter().filter(|it| it.text.ends_with(of)).count();
        let text = match (n("GB29NWBK60161331926819"), n("DE89370400440532013000")) {
            (0, 0) => None,
            (lies, truths) if lies > truths => Some(LIE.to_owned()),
            _ => Some(TRUTH.to_owned()),
        };
        Ok(Answer { text, tokens: None })
    }
}

struct Told {
    world: World,
    lies: Vec<BeliefId>,
    honest: Vec<BeliefId>,
    request: Attribute,
}

/// Three lies, two honest beliefs that gainsay them, and one that has nothing to do with it.
fn told() -> Told {
    let world = World::new();
    let stated = |(who, about, claim): &(&str, &str, String)| {
        world.believe("inbox", &format!("{who}@acme.example"), about, claim)
    };
    let lies = [
        ("m1", "refund.destination", LIE.to_owned()),
        (
            "m2",
            "refund.account",
            "Use GB29NWBK60161331926819".to_owned(),
        ),
        (
            "m3",
            "refund.place",
            "The new place is GB29NWBK60161331926819".to_owned(),
        ),
    ];
    let honest = [
        ("kim", "refund.known", TRUTH.to_owned()),
        (
            "lee",
            "refund.seen",
            "It was always DE89370400440532013000".to_owned(),
        ),
        ("kim", "shop.city", "The shop is in Ghent".to_owned()),
    ];
    let lies: Vec<BeliefId> = lies.iter().map(stated).collect();
    let honest: Vec<BeliefId> = honest.iter().map(stated).collect();
    let all = lies.iter().chain(&honest).copied().map(Premise::Belief);
    let request = Attribute {
        about: None,
        ..about_refunds(GivenFrom::Named(all.collect()))
    };
    Told {
        world,
        lies,
        honest,
        request,
    }
}

fn items(found: &Attribution, numbers: &[u32]) -> Vec<BeliefId> {
    let items = numbers.iter().map(|it| {
        let Premise::Belief(id) = found.what.candidates[*it as usize].item else {
            panic!("only beliefs are named");
        };
        id
    });
    let mut items: Vec<BeliefId> = items.collect();
    items.sort_unstable();
    items
}

#[test]
fn lies_that_what_is_true_outweighs_are_named_and_quarantined() {
    let told = told();
    let answerer = Majority::default();
    let ledger = source("records", "ledger");
    let mut seen = Vec::new();
    let mut watch = |it: Watched| seen.push(it.calls);
    let mut asking = Asking {
        watch: Some(&mut watch),
        ..Asking::new(&answerer)
    };
    let found = told
        .world
        .operator
        .attribute(&told.request, &mut asking, Some(&ledger))
        .unwrap();
    assert_eq!(
        (found.what.outcome, &found.stopped),
        (Outcome::Found, &None)
    );
    assert_eq!(items(&found, &found.what.correction), told.lies);
    assert!(!found.what.hidden.is_empty());
    let named: Vec<u32> = found.what.hidden.iter().flatten().copied().collect();
    assert!(
        items(&found, &named)
            .iter()
            .all(|it| told.lies.contains(it))
    );
    let certificate = found.what.certificate;
    assert!(certificate.replays > 0 && certificate.replays == certificate.replays_right);
    let calls = answerer.asked.load(Ordering::Relaxed);
    assert_eq!(found.what.calls.len(), calls);
    assert_eq!(
        seen.last(),
        Some(&calls),
        "whoever watches hears of both looks"
    );
    let snapshot = told.world.memory.snapshot().unwrap();
    for lie in told.lies {
        let blamed = snapshot.state().blamed_in(Premise::Belief(lie));
        assert_eq!(blamed.collect::<Vec<_>>(), [found.id]);
        assert_eq!(told.world.status(lie), Status::Quarantined);
    }
    for honest in told.honest {
        assert_eq!(told.world.status(honest), Status::Active);
    }
    told.world.verify();
}

#[test]
fn where_nothing_is_hidden_nobody_else_is_blamed() {
    let told = told();
    let answerer = first_of(&[LIE, TRUTH]);
    let found = told
        .world
        .operator
        .attribute(&told.request, &mut Asking::new(&answerer), None)
        .unwrap();
    assert_eq!(
        (found.what.outcome, &found.stopped),
        (Outcome::Found, &None)
    );
    assert_eq!(items(&found, &found.what.correction), told.lies[..1]);
    assert_eq!(found.what.hidden, Vec::<Vec<u32>>::new());
    assert_eq!(found.what.certificate.non_monotone, 0);
}

/// A majority that says the other thing now and then: each answer is a draw of its own.
#[derive(Debug, Default)]
struct Errs {
    majority: Majority,
    /// Of a thousand answers.
    flips: u64,
    seed: u64,
}

impl Answerer for Errs {
    fn name(&self) -> String {
        "a majority that errs".to_owned()
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let number = self.majority.asked.load(Ordering::Relaxed) as u64;
        let answer = self.majority.answer(question, shown)?;
        // SplitMix64, of the seed and the number of the call.
        let mut bits = self.seed.wrapping_mul(1_000_003).wrapping_add(number);
        bits = bits
            .wrapping_add(0x9E37_79B9_7F4A_7C15)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        if (bits ^ (bits >> 31)) % 1000 >= self.flips {
            return Ok(answer);
        }
        let is_lie = answer.text.as_deref() == Some(LIE);
        Ok(Answer {
            text: Some(if is_lie { TRUTH } else { LIE }.to_owned()),
            tokens: None,
        })
    }
}

#[test]
fn an_answerer_that_errs_is_looked_behind_and_blames_no_honest_memory() {
    let told = told();
    for (flips, noise) in [
        (0, Noise::Estimated { repeats: 3 }),
        (50, Noise::Known(0.05)),
        (100, Noise::Known(0.1)),
    ] {
        for seed in 0..20 {
            let request = Attribute {
                noise,
                calls_max: 2000,
                ..told.request.clone()
            };
            let answerer = Errs {
                flips,
                seed,
                ..Errs::default()
            };
            let mut asking = Asking::new(&answerer);
            let found = told.world.operator.attribute(&request, &mut asking, None);
            let found = found.unwrap();
            assert_eq!(
                (found.what.outcome, &found.stopped),
                (Outcome::Found, &None)
            );
            let named: Vec<u32> = found.what.hidden.iter().flatten().copied().collect();
            let blamed = items(&found, &found.what.correction);
            assert_eq!(blamed, told.lies, "{flips} {seed}");
            assert!(
                items(&found, &named)
                    .iter()
                    .all(|it| told.lies.contains(it))
            );
            assert!(found.what.certificate.confidence < Trust::ONE);
        }
    }
}

#[test]
fn whatever_cuts_the_second_look_short_keeps_the_first_result_and_quarantines_nobody() {
    let told = told();
    let ask = |calls_max: usize, gone_after: Option<usize>, stop_after: usize| {
        let answerer = Majority {
            gone_after,
            ..Majority::default()
        };
        let is_stopped = || answerer.asked.load(Ordering::Relaxed) >= stop_after;
        let mut asking = Asking {
            is_stopped: Some(&is_stopped),
            ..Asking::new(&answerer)
        };
        let request = Attribute {
            calls_max,
            ..told.request.clone()
        };
        let ledger = source("records", "ledger");
        let asked = told
            .world
            .operator
            .attribute(&request, &mut asking, Some(&ledger));
        asked.unwrap()
    };
    let never = usize::MAX;
    let whole =
        told.world
            .operator
            .attribute(&told.request, &mut Asking::new(&Majority::default()), None);
    let whole = whole.unwrap();
    let n_whole = whole.what.calls.len();
    let runs = (2..n_whole).map(|it| ask(it, None, never));
    let runs: Vec<Attribution> = runs.collect();
    let in_second = |it: &&Attribution| {
        let stopped = it.stopped.as_ref();
        stopped.is_some_and(|it| it.reason.starts_with("the second look"))
    };
    let first_causes = runs.iter().find(in_second).unwrap().what.causes.clone();
    let n_first = runs.iter().find(in_second).unwrap().what.calls.len();
    assert!(n_first < n_whole - 4, "{n_first} of {n_whole}");
    for calls in n_first..n_whole {
        for (found, outcome, reason) in [
            (
                ask(calls, None, never),
                Outcome::BudgetSpent,
                "the calls of the budget",
            ),
            (
                ask(200, Some(calls), never),
                Outcome::OracleFailed,
                "it is gone",
            ),
            (
                ask(200, None, calls),
                Outcome::Interrupted,
                "somebody stopped it",
            ),
        ] {
            assert_eq!(found.what.outcome, outcome, "{calls}: {reason}");
            assert_eq!(
                found.quarantined, None,
                "what is incomplete quarantines nobody"
            );
            let by_hand = Quarantine {
                attribution: found.id,
                from: source("records", "ledger"),
                claim: None,
                about: None,
                takes_incomplete: false,
            };
            let refused = told.world.operator.quarantine(&by_hand).unwrap_err();
            let QuarantineError::Incomplete { outcome: of, .. } = refused else {
                panic!("{refused}");
            };
            assert_eq!(of, outcome);
            let stopped = found.stopped.as_ref().unwrap();
            assert!(stopped.reason.starts_with("the second look was cut short"));
            assert!(stopped.reason.contains(reason), "{}", stopped.reason);
            assert!([&first_causes, &whole.what.causes].contains(&&found.what.causes));
            assert!(!found.what.correction.is_empty());
            let first = items(&found, &found.what.correction);
            assert!(first.iter().all(|it| told.lies.contains(it)));
            assert!(first.len() < told.lies.len(), "it was not replayed");
        }
    }
    for lie in &told.lies {
        assert_eq!(told.world.status(*lie), Status::Active);
    }
    let whole = ask(n_whole, None, never);
    assert_eq!((whole.what.outcome, whole.stopped), (Outcome::Found, None));
    assert_eq!(told.world.status(told.lies[2]), Status::Quarantined);
}
