//! What follows from an attribution: who may quarantine by it, and what of it is challenged.

use immune_engine::reason::plan::{AttributeError, ChallengeOutcome, Show};
use immune_engine::{
    Asking, Attribute, AttributeRefusal, GivenFrom, Quarantine, QuarantineError, Session, WhyLeft,
};
use immune_model::*;

use crate::attribute::*;
use crate::common::*;

#[test]
fn who_has_no_authority_opens_one_review_and_moves_nothing() {
    let (world, _, _) = lied_to();
    let truth = world.believe("records", "ledger", "refund.destination", TRUTH);
    // An attacker claims that the truth is what makes the answer wrong.
    let request = Attribute {
        wrong: Some(text(TRUTH)),
        expected: Some(text(LIE)),
        ..about_refunds(named(&[truth]))
    };
    let mut reviews = Vec::new();
    for _ in 0..3 {
        let found = world.operator.attribute(
            &request,
            &mut Asking::new(&first_of(&[TRUTH])),
            Some(&source("inbox", "mallory@evil.example")),
        );
        let found = found.unwrap();
        let done = found.quarantined.unwrap();
        assert_eq!(done.challenged[0].outcome, ChallengeOutcome::Review);
        reviews.extend(done.challenged[0].review);
    }
    reviews.dedup();
    assert_eq!(reviews.len(), 1, "repeats coalesce");
    assert_eq!(world.status(truth), Status::Active);
    let snapshot = world.memory.snapshot().unwrap();
    assert_eq!(
        (snapshot.state().n_incidents(), snapshot.state().n_reviews()),
        (0, 1)
    );
    let evidence = snapshot
        .state()
        .evidence_of(EvidenceFor::Review(reviews[0]));
    assert_eq!(evidence.count(), 3);
    world.verify();
}

#[test]
fn an_agent_asks_about_its_own_runs_and_quarantines_nothing() {
    let (world, lie, good) = lied_to();
    let (agent, other) = (world.agent("support-bot"), world.agent("planner"));
    let run = RunId::new("run_7").unwrap();
    let items = vec![Item::Belief(lie), Item::Belief(good[0])];
    agent
        .show(Show {
            run: Some(run.clone()),
            items,
        })
        .unwrap();
    let request = about_refunds(GivenFrom::Run {
        run,
        decision: None,
    });
    let reader = first_of(&[LIE]);
    let refusal = |session: &Session, request: &Attribute, from: Option<&_>| {
        let found = session.attribute(request, &mut Asking::new(&reader), from);
        match found.unwrap_err() {
            AttributeRefusal::Refused(error) => error,
            other => panic!("{other}"),
        }
    };
    let ledger = source("records", "ledger");
    assert!(matches!(
        refusal(&agent, &request, Some(&ledger)),
        AttributeError::Forbidden(_)
    ));
    let not_its_run = |it| matches!(it, AttributeError::NotItsRun { .. });
    assert!(not_its_run(refusal(&other, &request, None)));
    assert!(not_its_run(refusal(
        &agent,
        &about_refunds(named(&[lie])),
        None
    )));
    let found = ask(&agent, &request, &reader);
    assert_eq!(blamed(&found), [Item::Belief(lie)]);
    let command = Quarantine {
        attribution: found.id,
        from: ledger,
        claim: None,
        about: None,
        takes_incomplete: false,
    };
    assert!(matches!(
        agent.quarantine(&command).unwrap_err(),
        QuarantineError::Forbidden(_)
    ));
    assert_eq!(world.status(lie), Status::Active);
    // What the agent found is evidence for who may.
    let done = world.operator.quarantine(&command).unwrap();
    assert_eq!(done.challenged[0].outcome, ChallengeOutcome::Refuted);
    let viewer = world.memory.session(Principal {
        role: Role::Viewer,
        name: handle("eve"),
    });
    assert!(matches!(
        refusal(&viewer, &request, None),
        AttributeError::Forbidden(_)
    ));
}

#[test]
fn what_is_true_of_one_topic_is_expected_of_no_other() {
    let (world, lie, good) = lied_to();
    // The ledger states something else, about another topic.
    let other = Attribute {
        wrong: Some(text("GB29NWBK60161331926819")),
        expected: None,
        ..about_refunds(named(&[lie, good[2]]))
    };
    let found = ask(&world.operator, &other, &first_of(&[LIE]));
    assert_eq!(blamed(&found), [Item::Belief(lie)]);
    assert_eq!(
        found.known,
        [],
        "nothing is on record about the topic of the lie"
    );
    let quarantine = |claim: &str| Quarantine {
        attribution: found.id,
        from: source("records", "ledger"),
        claim: Some(text(claim)),
        about: None,
        takes_incomplete: false,
    };
    let error = Quarantine {
        claim: None,
        ..quarantine("x")
    };
    assert!(matches!(
        world.operator.quarantine(&error).unwrap_err(),
        QuarantineError::NoClaim
    ));
    let done = world
        .operator
        .quarantine(&quarantine("The shop opens at ten"))
        .unwrap();
    assert_eq!(
        (done.challenged.len(), done.left[0].why),
        (0, WhyLeft::OtherTopic)
    );
    assert_eq!(world.status(lie), Status::Active);
    let about = Quarantine {
        about: Some(subject("refund.destination")),
        ..quarantine("Refunds go nowhere for now")
    };
    let done = world.operator.quarantine(&about).unwrap();
    assert_eq!(done.challenged[0].outcome, ChallengeOutcome::Refuted);
    assert_eq!(world.status(lie), Status::Quarantined);
}

#[test]
fn what_is_on_record_about_a_cause_is_told_and_not_taken() {
    let (world, lie, _) = lied_to();
    world.believe("records", "ledger", "refund.destination", TRUTH);
    let request = Attribute {
        expected: None,
        ..about_refunds(named(&[lie]))
    };
    let found = ask(&world.operator, &request, &first_of(&[LIE]));
    let [known] = found.known.as_slice() else {
        panic!("{:?}", found.known);
    };
    assert!(known.cause == lie && known.record.is_some());
    assert_eq!(found.what.expected, None);
    assert_eq!(world.status(lie), Status::Active, "nothing was asked for");
    let unsaid = Attribute {
        wrong: None,
        ..request.clone()
    };
    let mut asking_nobody = Asking::new(&PANICS);
    let refused = world.operator.attribute(&unsaid, &mut asking_nobody, None);
    assert!(matches!(refused.unwrap_err(), AttributeRefusal::NoJudge));
    let same = Attribute {
        expected: Some(text("GB29 NWBK 6016 1331 9268 19")),
        wrong: Some(text("GB29NWBK60161331926819")),
        ..request
    };
    let refused = world.operator.attribute(&same, &mut asking_nobody, None);
    assert!(matches!(
        refused.unwrap_err(),
        AttributeRefusal::SameValue { .. }
    ));
}
