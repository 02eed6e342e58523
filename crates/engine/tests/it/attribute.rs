//! `attribute`: who is blamed, who is not, and what follows; the facts of the second seed and the
//! places where its design breaks.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use immune_engine::attribution::{Answer, Answerer, Noise, Shown, Unanswered};
use immune_engine::reason::plan::{AttributeError, ChallengeOutcome, Reinstate, Show};
use immune_engine::{
    Asking, Attribute, AttributeRefusal, Attribution, GivenFrom, Session, WhyLeft,
};
use immune_model::*;

use crate::common::{World, guard_command, source, text, trust};

pub(crate) const LIE: &str = "Refunds go to GB29NWBK60161331926819";
pub(crate) const TRUTH: &str = "Refunds go to DE89370400440532013000";
const QUESTION: &str = "Where do refunds go?";

/// Answers by a rule over the words of what it is shown.
pub(crate) struct Rule<F>(pub(crate) F);

impl<F> std::fmt::Debug for Rule<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rule")
    }
}

impl<F: Fn(&[&str]) -> Option<String> + Send + Sync> Answerer for Rule<F> {
    fn name(&self) -> String {
        "a rule".to_owned()
    }

    fn answer(&self, _: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        let texts: Vec<&str> = shown.iter().map(|it| it.text.as_str()).collect();
        Ok(Answer {
            text: self.0(&texts),
            tokens: None,
        })
    }
}

/// Says the first of these that it is shown.
pub(crate) fn first_of(
    wanted: &'static [&'static str],
) -> Rule<impl Fn(&[&str]) -> Option<String> + Send + Sync> {
    Rule(move |shown: &[&str]| {
        let mut known = wanted.iter().filter(|it| shown.contains(it));
        known.next().map(|it| (*it).to_owned())
    })
}

/// A question about refunds, with the lie as the wrong value and the truth as the expected one.
pub(crate) fn about_refunds(from: GivenFrom) -> Attribute {
    Attribute {
        question: text(QUESTION),
        from,
        namespace: Namespace::ROOT,
        wrong: Some(text(LIE)),
        expected: Some(text(TRUTH)),
        about: None,
        judge: None,
        calls_max: 200,
        noise: Noise::None,
    }
}

pub(crate) fn named(beliefs: &[BeliefId]) -> GivenFrom {
    GivenFrom::Named(beliefs.iter().copied().map(Premise::Belief).collect())
}

pub(crate) fn ask(session: &Session, request: &Attribute, answerer: &dyn Answerer) -> Attribution {
    session
        .attribute(request, &mut Asking::new(answerer), None)
        .unwrap()
}

/// The same, with what is to blame challenged by the ledger.
pub(crate) fn ask_and_heal(
    session: &Session,
    request: &Attribute,
    answerer: &dyn Answerer,
) -> Attribution {
    let ledger = source("records", "ledger");
    session
        .attribute(request, &mut Asking::new(answerer), Some(&ledger))
        .unwrap()
}

pub(crate) fn blamed(attribution: &Attribution) -> Vec<Item> {
    let numbers = attribution.what.correction.iter();
    let found = numbers.map(|it| attribution.what.candidates[*it as usize].item.into());
    found.collect()
}

fn fallen(attribution: &Attribution) -> Vec<Item> {
    let numbers = attribution.what.fallen.iter();
    let found = numbers.map(|it| attribution.what.candidates[*it as usize].item.into());
    found.collect()
}

/// A lie, a conclusion from it, and what has nothing to do with it.
pub(crate) fn lied_to() -> (World, BeliefId, Vec<BeliefId>) {
    let world = World::new();
    let lie = world.believe("inbox", "mallory@evil.example", "refund.destination", LIE);
    let mut good = vec![
        world.believe(
            "inbox",
            "kim@acme.example",
            "refund.time",
            "Refunds take 30 days",
        ),
        world.believe(
            "inbox",
            "kim@acme.example",
            "refund.form",
            "Refunds need a form",
        ),
    ];
    good.push(world.believe("records", "ledger", "shop.hours", "The shop opens at nine"));
    (world, lie, good)
}

#[test]
fn one_liar_among_many_is_found_and_the_memory_heals_to_the_truth() {
    let (world, lie, good) = lied_to();
    let request = about_refunds(GivenFrom::Recall { limit: 20 });
    let found = ask_and_heal(&world.operator, &request, &first_of(&[TRUTH, LIE]));
    assert_eq!(found.what.outcome, Outcome::Found);
    assert_eq!(blamed(&found), [Item::Belief(lie)]);
    let done = found.quarantined.unwrap();
    assert_eq!(done.challenged[0].outcome, ChallengeOutcome::Refuted);
    let (incident, _) = done.challenged[0].incident.clone().unwrap();
    assert_eq!(world.status(lie), Status::Quarantined);
    for it in good {
        assert_eq!(world.status(it), Status::Active);
    }
    assert_eq!(
        world.reputation("inbox", "mallory@evil.example"),
        trust("0.28")
    );
    let recalled = world.recall("refund.destination");
    assert_eq!(recalled.facts[0].text.as_str(), TRUTH, "1 -> 1, not 1 -> 0");
    let snapshot = world.memory.snapshot().unwrap();
    let evidence = snapshot
        .state()
        .evidence_of(EvidenceFor::Incident(incident));
    assert_eq!(evidence.collect::<Vec<_>>(), [found.id]);
    world.verify();
    // The same undo as that of any refutation.
    world.operator.reinstate(Reinstate { incident }).unwrap();
    assert_eq!(world.status(lie), Status::Active);
    assert_eq!(
        world.reputation("inbox", "mallory@evil.example"),
        trust("0.7")
    );
    world.verify();
}

#[test]
fn a_hundred_candidates_take_few_answers_and_every_one_is_written_down() {
    let world = World::new();
    let others = (0..99).map(|it| {
        let about = format!("fact_{it}.value");
        world.believe(
            "inbox",
            "kim@acme.example",
            &about,
            &format!("Fact {it} is known"),
        )
    });
    let mut all: Vec<BeliefId> = others.collect();
    all.insert(
        57,
        world.believe("inbox", "mallory@evil.example", "refund.destination", LIE),
    );
    let found = ask(
        &world.operator,
        &about_refunds(named(&all)),
        &first_of(&[LIE]),
    );
    assert_eq!(blamed(&found), [Item::Belief(all[57])]);
    assert!(found.what.calls.len() <= 15, "{}", found.what.calls.len());
    let snapshot = world.memory.snapshot().unwrap();
    let kept = snapshot.state().attribution(found.id).unwrap();
    assert_eq!(kept.what, found.what);
    assert_eq!(kept.what.calls[0].numbers().count(), 100);
    assert_eq!(kept.what.calls[1].numbers().count(), 0);
    assert_eq!(kept.what.answers, [text(LIE)]);
    assert_eq!(kept.by.as_ref().map(|it| it.name.as_str()), Some("me"));
}

#[test]
fn joint_causes_are_both_named_and_one_of_them_is_enough_to_heal() {
    let world = World::new();
    let both = [
        "The new partner is Zenith",
        "Pay new partners GB29NWBK60161331926819",
    ];
    let one = world.believe("inbox", "a@evil.example", "partner.name", both[0]);
    let two = world.believe("inbox", "b@evil.example", "partner.account", both[1]);
    let good = world.believe(
        "inbox",
        "kim@acme.example",
        "shop.city",
        "The shop is in Ghent",
    );
    let joint = Rule(move |shown: &[&str]| {
        let all = both.iter().all(|it| shown.contains(it));
        all.then(|| LIE.to_owned())
    });
    let found = ask(
        &world.operator,
        &about_refunds(named(&[one, good, two])),
        &joint,
    );
    assert_eq!(
        (found.shape, found.what.causes.as_slice()),
        (Some("joint"), &[vec![0, 2]][..])
    );
    assert_eq!(found.what.correction.len(), 1);
}

/// The retest of a repository that peels by trust gives up here (seeds.md 2.5, 7): a memory that is
/// needed and hardly trusted comes before the liar.
#[test]
fn a_memory_that_the_right_answer_needs_is_spared_however_little_it_is_trusted() {
    let world = World::new();
    world.channel("guests", "0.51", Carriage::Relays);
    let needed = world.believe("guests", "guest", "refund.account", TRUTH);
    let lie = world.believe("records", "crm", "refund.destination", LIE);
    let good = world.believe(
        "inbox",
        "kim@acme.example",
        "shop.city",
        "The shop is in Ghent",
    );
    let reader = Rule(|shown: &[&str]| {
        // Wrong with the lie; without it right only while the needed one is there.
        let says = |it: &str| shown.contains(&it);
        match (says(LIE), says(TRUTH)) {
            (true, _) => Some(LIE.to_owned()),
            (false, true) => Some(TRUTH.to_owned()),
            (false, false) => Some("Refunds go nowhere".to_owned()),
        }
    });
    let found = ask(
        &world.operator,
        &about_refunds(named(&[needed, good, lie])),
        &reader,
    );
    assert_eq!(found.what.outcome, Outcome::Found);
    assert_eq!(blamed(&found), [Item::Belief(lie)]);
}

#[test]
fn nobody_is_blamed_for_what_does_not_happen_again_or_happens_without_memory() {
    let (world, lie, good) = lied_to();
    let all = [lie, good[0], good[1]];
    let (before, head) = (
        world.recall("refund.destination"),
        world.memory.snapshot().unwrap(),
    );
    for (answer, outcome) in [
        (None, Outcome::NotReproduced),
        (Some(TRUTH), Outcome::NotReproduced),
        (Some(LIE), Outcome::WrongWithoutMemory),
    ] {
        let reader = Rule(move |_: &[&str]| answer.map(str::to_owned));
        let found = ask_and_heal(&world.operator, &about_refunds(named(&all)), &reader);
        assert_eq!(found.what.outcome, outcome);
        assert_eq!((blamed(&found), found.what.causes.len()), (vec![], 0));
        assert_eq!(found.quarantined, None);
    }
    let after = world.memory.snapshot().unwrap();
    assert_eq!(after.state().n_incidents(), 0);
    assert_eq!(after.head().seq, head.head().seq + 3, "one event each");
    assert_eq!(world.recall("refund.destination").facts, before.facts);
}

#[test]
fn a_month_is_not_thirty_days_and_nothing_is_overridden() {
    let world = World::new();
    let month = "Refunds take one month";
    let stated = world.believe("inbox", "kim@acme.example", "refund.time", month);
    let request = Attribute {
        wrong: None,
        expected: Some(text("Refunds take 30 days")),
        ..about_refunds(named(&[stated]))
    };
    let found = ask_and_heal(
        &world.operator,
        &request,
        &first_of(&["Refunds take one month"]),
    );
    assert_eq!(found.what.outcome, Outcome::NotReproduced);
    assert_eq!(world.recall("refund.time").facts[0].text.as_str(), month);
}

#[test]
fn a_hundred_failures_that_cannot_be_attributed_cost_official_facts_nothing() {
    let (world, lie, good) = lied_to();
    let official = good[2];
    let strength = world.strength(official);
    let always = Rule(|_: &[&str]| Some(LIE.to_owned()));
    for _ in 0..100 {
        let request = about_refunds(named(&[official, lie]));
        let found = ask_and_heal(&world.operator, &request, &always);
        assert_eq!(found.what.outcome, Outcome::WrongWithoutMemory);
    }
    assert_eq!(world.strength(official), strength);
    assert_eq!(world.reputation("records", "ledger"), trust("0.98"));
    assert_eq!(
        world.reputation("inbox", "mallory@evil.example"),
        trust("0.7")
    );
}

#[test]
fn a_conclusion_falls_with_its_premise_and_is_not_to_blame_beside_it() {
    let (world, lie, good) = lied_to();
    let rule = "Rule: refunds go to GB29NWBK60161331926819";
    let derived = world.derive(&[lie], "refund.rule", rule).belief;
    let kept = world
        .derive(&[good[0]], "refund.plan", "Refunds are planned")
        .belief;
    let reader = first_of(&[LIE, "Rule: refunds go to GB29NWBK60161331926819"]);
    let request = about_refunds(named(&[kept, derived, lie, good[0]]));
    let found = ask_and_heal(&world.operator, &request, &reader);
    assert_eq!(
        found.what.causes.len(),
        2,
        "each makes the answer wrong alone"
    );
    assert_eq!(blamed(&found), [Item::Belief(lie)]);
    assert_eq!(fallen(&found), [Item::Belief(derived)]);
    assert_eq!(world.status(lie), Status::Quarantined);
    assert_eq!(world.status(derived), Status::Revoked);
    assert_eq!(world.status(kept), Status::Active);
    let incident = found.quarantined.unwrap().challenged[0].incident.clone();
    assert_eq!(incident.unwrap().1.refuted(), [lie]);
}

#[test]
fn a_conclusion_with_grounds_of_its_own_is_to_blame_itself() {
    let (world, lie, good) = lied_to();
    let rule = "Rule: refunds go to GB29NWBK60161331926819";
    let derived = world.derive(&[lie], "refund.rule", rule).belief;
    // Another justification: it does not fall with the lie.
    world.derive(&[good[0]], "refund.rule", rule);
    let reader = first_of(&[LIE, "Rule: refunds go to GB29NWBK60161331926819"]);
    let request = about_refunds(named(&[derived, lie, good[0]]));
    let found = ask(&world.operator, &request, &reader);
    assert_eq!(blamed(&found), [Item::Belief(derived), Item::Belief(lie)]);
    assert_eq!(fallen(&found), []);
}

/// Must not be asked.
#[derive(Debug)]
pub(crate) struct Panics;

pub(crate) const PANICS: Panics = Panics;

impl Answerer for Panics {
    fn name(&self) -> String {
        "nobody".to_owned()
    }

    fn answer(&self, _: &str, _: &[&Shown]) -> Result<Answer, Unanswered> {
        panic!("nobody may be asked")
    }
}

#[test]
fn a_poisoning_over_several_turns_is_found_with_its_turns() {
    let (world, lie, good) = lied_to();
    let half = "Instructions for refunds come in two parts";
    let first = world.believe("inbox", "mallory@evil.example", "note.one", half);
    let agent = world.agent("support-bot");
    let run = RunId::new("run_7").unwrap();
    let show = |items: &[BeliefId]| {
        let items = items.iter().copied().map(Item::Belief).collect();
        let run = Some(run.clone());
        agent.show(Show { run, items }).unwrap();
    };
    show(&[good[0], first]);
    let mut early = guard_command("plan", "look at it", Some(&[good[0]]));
    early.run = Some(run.clone());
    let early = agent.guard(early).unwrap();
    show(&[good[1]]);
    show(&[lie, good[2]]);
    let both = Rule(move |shown: &[&str]| {
        (shown.contains(&half) && shown.contains(&LIE)).then(|| LIE.to_owned())
    });
    let of_run = |decision| {
        about_refunds(GivenFrom::Run {
            run: run.clone(),
            decision,
        })
    };
    let found = ask(&world.operator, &of_run(None), &both);
    let cause: Vec<Candidate> = found.what.causes[0]
        .iter()
        .map(|it| found.what.candidates[*it as usize])
        .collect();
    let candidate = |belief, turn| Candidate {
        item: Premise::Belief(belief),
        turn,
    };
    assert_eq!(cause, [candidate(first, 1), candidate(lie, 3)]);
    assert_eq!(found.what.run.as_ref(), Some(&run));
    // Up to the first decision it had not seen the second half.
    let decision = world.memory.snapshot().unwrap();
    let decision = decision.state().action(early.action).unwrap().decision;
    let before = ask(&world.operator, &of_run(Some(decision)), &both);
    assert_eq!(before.what.outcome, Outcome::NotReproduced);
    assert_eq!(before.what.candidates.len(), 2);
    let nowhere = GivenFrom::Run {
        run: RunId::new("run_9").unwrap(),
        decision: None,
    };
    let mut asking_nobody = Asking::new(&PANICS);
    let refused = world
        .operator
        .attribute(&about_refunds(nowhere), &mut asking_nobody, None);
    assert!(matches!(
        refused.unwrap_err(),
        AttributeRefusal::Refused(AttributeError::NothingShown { .. })
    ));
}

#[test]
fn a_note_that_nobody_screened_can_be_to_blame_and_is_left_to_an_operator() {
    let world = World::new();
    let mut note = crate::common::said("inbox", "mallory@evil.example", "x.y", LIE);
    note.claims = Vec::new();
    note.screening = Screening::Unscreened;
    let note = world.operator.remember(note).unwrap().observation;
    let good = world.believe(
        "inbox",
        "kim@acme.example",
        "shop.city",
        "The shop is in Ghent",
    );
    let from = GivenFrom::Named(vec![Premise::Observation(note), Premise::Belief(good)]);
    let found = ask_and_heal(&world.operator, &about_refunds(from), &first_of(&[LIE]));
    assert_eq!(blamed(&found), [Item::Observation(note)]);
    let done = found.quarantined.unwrap();
    assert_eq!(
        (done.challenged.len(), done.left[0].why),
        (0, WhyLeft::Note)
    );
}

/// Fails from some call on.
#[derive(Debug)]
struct Fails {
    from: usize,
    asked: AtomicUsize,
}

impl Answerer for Fails {
    fn name(&self) -> String {
        "a model".to_owned()
    }

    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered> {
        if self.asked.fetch_add(1, Ordering::SeqCst) >= self.from {
            return Err(Unanswered {
                reason: "the endpoint is gone".to_owned(),
                advice: "start it".to_owned(),
                is_final: true,
                is_spent: false,
            });
        }
        first_of(&[LIE]).answer(question, shown)
    }
}

#[test]
fn a_search_that_cannot_go_on_keeps_what_it_heard() {
    let (world, lie, good) = lied_to();
    let all = named(&[good[0], lie, good[1], good[2]]);
    let fails = |from| Fails {
        from,
        asked: AtomicUsize::new(0),
    };
    let cut = ask(&world.operator, &about_refunds(all.clone()), &fails(3));
    assert_eq!(cut.what.outcome, Outcome::OracleFailed);
    assert_eq!(cut.what.calls.len(), 3);
    assert_eq!(cut.stopped.unwrap().reason, "the endpoint is gone");
    let spent = Attribute {
        calls_max: 4,
        ..about_refunds(all.clone())
    };
    let spent = ask_and_heal(&world.operator, &spent, &first_of(&[LIE]));
    assert_eq!(spent.what.outcome, Outcome::BudgetSpent);
    assert!(spent.what.calls.len() <= 4);
    assert_eq!(
        spent.quarantined, None,
        "the best so far quarantines nobody"
    );
    let stopped = AtomicUsize::new(0);
    let is_stopped = || stopped.fetch_add(1, Ordering::SeqCst) > 2;
    let reader = first_of(&[LIE]);
    let mut asking = Asking {
        is_stopped: Some(&is_stopped),
        ..Asking::new(&reader)
    };
    let stopped = world
        .operator
        .attribute(&about_refunds(all.clone()), &mut asking, None);
    assert_eq!(stopped.unwrap().what.outcome, Outcome::Interrupted);
    let before = world.memory.snapshot().unwrap().head().seq;
    let dead = world
        .operator
        .attribute(&about_refunds(all), &mut Asking::new(&fails(0)), None);
    assert!(matches!(
        dead.unwrap_err(),
        AttributeRefusal::Unanswered { .. }
    ));
    assert_eq!(world.memory.snapshot().unwrap().head().seq, before);
    world.verify();
}

#[test]
fn a_dry_run_asks_and_writes_nothing() {
    let (world, lie, _) = lied_to();
    let before = world.memory.snapshot().unwrap().head().seq;
    let preview = world.operator.preview().unwrap();
    let found = ask_and_heal(&preview, &about_refunds(named(&[lie])), &first_of(&[LIE]));
    assert_eq!(found.quarantined.unwrap().challenged.len(), 1);
    assert_eq!(world.memory.snapshot().unwrap().head().seq, before);
    assert_eq!(world.status(lie), Status::Active);
}

#[test]
fn one_memory_is_never_seen_from_another() {
    let (world, lie, _) = lied_to();
    let engine = immune_engine::Engine::new(immune_engine::Parts::new(world.store.clone()));
    let other = engine.memory(&MemoryName::new("other").unwrap()).unwrap();
    let other = other.session(world.operator.principal().clone());
    let mut asking_nobody = Asking::new(&PANICS);
    let recalled = about_refunds(GivenFrom::Recall { limit: 20 });
    let refused = other.attribute(&recalled, &mut asking_nobody, None);
    assert!(matches!(
        refused.unwrap_err(),
        AttributeRefusal::NoCandidates
    ));
    let refused = other.attribute(&about_refunds(named(&[lie])), &mut asking_nobody, None);
    assert!(matches!(
        refused.unwrap_err(),
        AttributeRefusal::Refused(AttributeError::NotInMemory { .. })
    ));
    // Nor is one namespace by a question to another.
    let elsewhere = Attribute {
        namespace: Namespace::new("team/alice").unwrap(),
        ..about_refunds(GivenFrom::Recall { limit: 20 })
    };
    let refused = world
        .operator
        .attribute(&elsewhere, &mut asking_nobody, None);
    assert!(matches!(
        refused.unwrap_err(),
        AttributeRefusal::NoCandidates
    ));
}

#[test]
fn what_recall_refuses_is_no_candidate_and_its_words_reach_nobody() {
    let (world, lie, _) = lied_to();
    world.challenge("records", "ledger", "refund.destination", TRUTH);
    assert_eq!(world.status(lie), Status::Quarantined);
    let seen = Mutex::new(Vec::new());
    let reader = Rule(|shown: &[&str]| {
        seen.lock()
            .unwrap()
            .extend(shown.iter().map(|it| (*it).to_owned()));
        None
    });
    let found = ask(
        &world.operator,
        &about_refunds(GivenFrom::Recall { limit: 20 }),
        &reader,
    );
    assert_eq!(found.what.outcome, Outcome::NotReproduced);
    let seen = seen.lock().unwrap();
    assert!(seen.iter().any(|it| it == TRUTH) && !seen.iter().any(|it| it == LIE));
}

#[test]
fn an_attribution_is_there_after_the_memory_was_opened_again() {
    let (world, lie, _) = lied_to();
    let found = ask(
        &world.operator,
        &about_refunds(named(&[lie])),
        &first_of(&[LIE]),
    );
    let again = World::over(world.store.clone());
    let snapshot = again.memory.snapshot().unwrap();
    assert_eq!(
        snapshot.state().attribution(found.id).unwrap().what,
        found.what
    );
    let history = again.operator.history(Item::Attribution(found.id)).unwrap();
    assert_eq!(history[0].event, "attributed");
    let of_belief = again.operator.history(Item::Belief(lie)).unwrap();
    assert!(of_belief.iter().any(|it| it.event == "attributed"));
}

#[test]
fn suspicion_spares_answers() {
    let world = World::new();
    let mut all: Vec<BeliefId> = (0..60)
        .map(|it| {
            let about = format!("fact_{it}.value");
            let claim = format!("Fact {it} is known");
            world.believe("inbox", "kim@acme.example", &about, &claim)
        })
        .collect();
    world.believe("records", "ledger", "refund.destination", TRUTH);
    // In the middle of many, but newer than they are, and the record contradicts it.
    let lie = world.believe("inbox", "mallory@evil.example", "refund.destination", LIE);
    all.insert(30, lie);
    let suspected = ask(
        &world.operator,
        &about_refunds(named(&all)),
        &first_of(&[LIE]),
    );
    let innocent = Rule(|shown: &[&str]| {
        let says = shown.contains(&"Fact 30 is known");
        says.then(|| LIE.to_owned())
    });
    let unsuspected = ask(&world.operator, &about_refunds(named(&all)), &innocent);
    assert_eq!(blamed(&unsuspected), [Item::Belief(all[31])]);
    let calls = |it: &Attribution| it.what.calls.len();
    assert!(
        calls(&suspected) < calls(&unsuspected),
        "{} and {}",
        calls(&suspected),
        calls(&unsuspected)
    );
}
