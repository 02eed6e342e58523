//! `parole`: what was quarantined is tested again once the record changed; released or held.

use immune_engine::reason::plan::{Contradicted, Flag, FlagWhat, NameRecord, ParoleError};
use immune_engine::{Asking, GivenFrom, ParoleTest, Paroled, Session, Testing, Who, WriteError};
use immune_model::*;

use crate::attribute::{about_refunds, first_of};
use crate::common::{World, handle, source, trust};

const LIE: &str = "Refunds go to GB29NWBK60161331926819";
const TRUTH: &str = "Refunds go to DE89370400440532013000";

fn parole(session: &Session, belief: BeliefId) -> Paroled {
    session.parole(belief, Testing::default()).unwrap()
}

/// A belief with two conclusions on it, refuted by the ledger.
fn refuted() -> (World, BeliefId, [BeliefId; 2]) {
    let world = World::new();
    let belief = world.believe("inbox", "kim@acme.example", "refund.destination", LIE);
    let one = world.derive(&[belief], "refund.verified", "The destination is verified");
    let two = world.derive(&[one.belief], "refund.check", "The check is not needed");
    world.challenge("records", "ledger", "refund.destination", TRUTH);
    (world, belief, [one.belief, two.belief])
}

#[test]
fn it_is_held_while_the_record_contradicts_it_and_released_with_its_descendants_once_it_does_not() {
    let (world, belief, below) = refuted();
    let held = parole(&world.operator, belief);
    assert!(!held.is_released());
    assert!(matches!(
        held.roots[0].test,
        ParoleTest::Contradicted(Contradicted::ByRecord(_))
    ));
    assert_eq!(world.status(belief), Status::Quarantined);
    let history = world.operator.history(Item::Belief(belief)).unwrap();
    let last = history.last().unwrap();
    assert_eq!(
        (last.event, last.result),
        ("parole_held", Some("contradicted_by_record"))
    );
    // The record changes its mind.
    world.remember("records", "ledger", "refund.destination", LIE);
    assert_eq!(
        world.status(belief),
        Status::Quarantined,
        "a refutation sticks"
    );
    let released = parole(&world.operator, belief);
    assert!(released.is_released());
    assert_eq!(released.active, [belief, below[0], below[1]]);
    assert_eq!(world.status(below[1]), Status::Active);
    assert_eq!(
        world.reputation("inbox", "kim@acme.example"),
        trust("0.28"),
        "it stays"
    );
    let snapshot = world.memory.snapshot().unwrap();
    let incident = snapshot.state().incident(IncidentId::new(1)).unwrap();
    assert_eq!(
        incident.paroled[0].0, belief,
        "the incident keeps the story"
    );
    assert_eq!(incident.refuted(), [belief]);
    world.verify();
    let again = world.operator.parole(belief, Testing::default());
    assert!(matches!(
        again.unwrap_err(),
        WriteError::Refused(ParoleError::NotRefuted { .. })
    ));
    // Another record refutes it again.
    let crm = source("records", "crm");
    let area = Area::new("*").unwrap();
    world
        .operator
        .name_record(NameRecord { source: crm, area })
        .unwrap();
    world.remember(
        "records",
        "ledger",
        "refund.destination",
        "Nothing is known",
    );
    world.challenge("records", "crm", "refund.destination", TRUTH);
    assert_eq!(world.status(belief), Status::Quarantined);
    assert_eq!(world.status(below[0]), Status::Revoked);
    world.verify();
}

#[test]
fn what_fell_in_a_cascade_is_tested_by_what_it_rests_on() {
    let (world, belief, below) = refuted();
    let held = parole(&world.operator, below[1]);
    assert_eq!((held.belief, held.status), (below[1], Status::Revoked));
    assert_eq!(held.roots[0].belief, belief);
    world.remember("records", "ledger", "refund.destination", LIE);
    let released = parole(&world.operator, below[1]);
    assert_eq!(released.status, Status::Active);
    assert_eq!(world.status(belief), Status::Active);
}

#[test]
fn a_wrong_answer_that_comes_again_holds_it() {
    let world = World::new();
    let lie = world.believe("inbox", "mallory@evil.example", "refund.destination", LIE);
    let request = about_refunds(GivenFrom::Named(vec![Premise::Belief(lie)]));
    let ledger = source("records", "ledger");
    let reader = first_of(&[LIE, TRUTH]);
    let found = world
        .operator
        .attribute(&request, &mut Asking::new(&reader), Some(&ledger))
        .unwrap();
    assert_eq!(world.status(lie), Status::Quarantined);
    // The record is withdrawn: nothing contradicts the lie, but the answer is wrong with it.
    let claimed = found.quarantined.unwrap().challenged[0].claimed;
    let item = Item::Belief(claimed);
    world
        .operator
        .forget(immune_engine::reason::plan::Forget { item })
        .unwrap();
    let testing = Testing {
        who: Who::This(&reader),
        judge: None,
    };
    let held = world.operator.parole(lie, testing).unwrap();
    assert_eq!(
        held.roots[0].test,
        ParoleTest::WrongAgain {
            attribution: found.id,
            answer: LIE.to_owned()
        }
    );
    assert_eq!(
        (held.roots[0].calls, world.status(lie)),
        (1, Status::Quarantined)
    );
    // Whoever answered then is asked where nobody is named, and nobody else.
    let nobody = Testing {
        who: Who::AsThen(&[]),
        judge: None,
    };
    let held = world.operator.parole(lie, nobody).unwrap();
    let ParoleTest::Unanswered { reason, advice } = &held.roots[0].test else {
        panic!("{held:?}");
    };
    assert!(reason.contains("answered by a rule") && advice.contains("--oracle"));
    assert_eq!(held.roots[0].calls, 0);
    let same = Testing {
        who: Who::AsThen(&[&reader]),
        judge: None,
    };
    let held = world.operator.parole(lie, same).unwrap();
    assert_eq!(held.roots[0].oracles, ["a rule"]);
    // The record states it: what the attribution calls wrong is right now.
    world.remember("records", "ledger", "refund.destination", LIE);
    let released = world.operator.parole(lie, testing).unwrap();
    assert_eq!(released.roots[0].test, ParoleTest::Released);
    assert_eq!(released.roots[0].retested, [found.id]);
    let history = world.operator.history(Item::Attribution(found.id)).unwrap();
    let told: Vec<_> = history.iter().map(|it| (it.event, it.result)).collect();
    let held = ("parole_held", Some("wrong_again"));
    let unanswered = ("parole_held", Some("unanswered"));
    assert_eq!(told[2..], [held, unanswered, held, ("paroled", None)]);
    assert_eq!(told[0].0, "attributed");
    let retests = world.operator.retests(found.id).unwrap();
    let holds: Vec<_> = retests.iter().map(|it| it.hold).collect();
    let again = Some(ParoleHold::WrongAgain(found.id));
    assert_eq!(holds, [again, Some(ParoleHold::Unanswered), again, None]);
    assert_eq!(retests[0].said.as_ref().map(Text::as_str), Some(LIE));
    assert_eq!(retests[0].oracle.as_ref().map(Text::as_str), Some("a rule"));
    assert_eq!((retests[1].calls, &retests[1].oracle), (0, &None));
    assert!(
        retests
            .iter()
            .all(|it| it.belief == lie && it.actor.name.as_str() == "me")
    );
    world.verify();
}

#[test]
fn a_flag_is_for_whoever_set_it_and_an_agent_releases_nothing() {
    let (world, belief, below) = refuted();
    let agent = world.agent("support-bot");
    for it in [belief, below[0]] {
        assert!(matches!(
            agent.parole(it, Testing::default()).unwrap_err(),
            WriteError::Refused(ParoleError::Forbidden(_))
        ));
    }
    let verifier = world.memory.session(Principal {
        role: Role::Verifier,
        name: handle("nora"),
    });
    assert!(!parole(&verifier, belief).is_released());
    let good = world.believe(
        "inbox",
        "kim@acme.example",
        "shop.city",
        "The shop is in Ghent",
    );
    world
        .operator
        .flag(Flag {
            what: FlagWhat::Item(Item::Belief(good)),
            received_from: None,
            reason: None,
        })
        .unwrap();
    assert!(matches!(
        verifier.parole(good, Testing::default()).unwrap_err(),
        WriteError::Refused(ParoleError::Flagged { .. })
    ));
    let nowhere = verifier.parole(BeliefId::new(99), Testing::default());
    assert!(matches!(
        nowhere.unwrap_err(),
        WriteError::Refused(ParoleError::NotInMemory { .. })
    ));
}

#[test]
fn what_waited_because_of_it_waits_no_more() {
    let world = World::new();
    let belief = world.believe("inbox", "kim@acme.example", "refund.destination", LIE);
    let one = world.derive(&[belief], "refund.verified", "The destination is verified");
    world.rule("pay", ActionClass::Compensable, UnknownPolicy::Allow);
    let acted = world.guard("pay", "4200", Some(&[one.belief]));
    world
        .operator
        .finish(immune_engine::reason::plan::FinishAction {
            action: acted.action,
            outcome: immune_engine::reason::plan::EffectOutcome::Executed(None),
        })
        .unwrap();
    world.challenge("records", "ledger", "refund.destination", TRUTH);
    let action = |world: &World| {
        let snapshot = world.memory.snapshot().unwrap();
        snapshot.state().action(acted.action).unwrap().status
    };
    assert_eq!(action(&world), ActionStatus::Reversing);
    world.remember("records", "ledger", "refund.destination", LIE);
    assert!(parole(&world.operator, belief).is_released());
    assert_eq!(
        action(&world),
        ActionStatus::Executed,
        "nothing is to be reversed"
    );
    let snapshot = world.memory.snapshot().unwrap();
    let open = snapshot.state().task_ids();
    let open = open.filter(|it| snapshot.state().task(*it).unwrap().is_open());
    assert_eq!(open.count(), 0);
    world.verify();
}

#[test]
fn what_carries_its_account_is_blocked_no_more() {
    let (world, belief, _) = refuted();
    let elsewhere = |name: &str| {
        let about = format!("{name}.account");
        let claim = format!("{name} is paid to GB29NWBK60161331926819");
        world.believe("inbox", "new@acme.example", &about, &claim)
    };
    let blocked = elsewhere("one");
    assert!(world.strength(blocked) < Trust::FLOOR);
    world.remember("records", "ledger", "refund.destination", LIE);
    assert!(parole(&world.operator, belief).is_released());
    let free = elsewhere("two");
    assert!(world.strength(free) >= Trust::FLOOR);
}
