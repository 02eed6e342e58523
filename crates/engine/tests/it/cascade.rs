//! Cascades, flags and undo: the cases D18 and D21-D25 of what hurt the users of peers, and what a
//! flag takes away.

use crate::common::*;
use immune_engine::reason::plan::{
    DeriveError, Flag, FlagError, FlagWhat, Flagged, Forget, Rederivation, RederiveError,
    Reinstate, Remember, SetMirror, Unflag,
};
use immune_engine::{Recall, Response, WriteError};
use immune_model::*;
use immune_store::{Cell, Table};

fn item(of: impl Into<Item>) -> FlagWhat {
    FlagWhat::Item(of.into())
}

fn flag(world: &World, what: FlagWhat) -> Flagged {
    let command = Flag {
        what,
        received_from: None,
        reason: None,
    };
    world.operator.flag(command).unwrap()
}

fn flag_source(world: &World, channel: &str, name: &str) -> Flagged {
    flag(world, FlagWhat::Source(source(channel, name)))
}

fn unflag(world: &World, what: FlagWhat) {
    world.operator.unflag(Unflag { what }).unwrap();
}

fn response(world: &World, incident: IncidentId) -> Response {
    world.operator.response(incident).unwrap().unwrap()
}

fn facts(world: &World, about: &str) -> Vec<BeliefId> {
    let recalled = world.recall(about);
    recalled.facts.iter().map(|it| it.belief).collect()
}

/// A message without a claim: it is kept as a note.
fn note(world: &World, name: &str, words: &str) -> ObservationId {
    let command = Remember {
        claims: Vec::new(),
        screening: Screening::Unscreened,
        ..said("inbox", name, "x.y", words)
    };
    world.operator.remember(command).unwrap().observation
}

#[test]
fn d18_what_was_superseded_stays_so_when_its_successor_is_deleted() {
    let world = World::new();
    let limits = ["USD 100", "USD 200", "USD 300"];
    let stated = limits.map(|it| {
        let claim = format!("The limit is {it}");
        world.believe("inbox", "a@x.example", "shop.limit", &claim)
    });
    let [a, b, c] = stated;
    let forgotten = world.operator.forget(Forget { item: c.into() }).unwrap();
    assert_eq!(forgotten.status, Status::Forgotten);
    assert_eq!(world.status(a), Status::Superseded);
    assert_eq!(world.status(b), Status::Superseded);
    assert_eq!(facts(&world, "shop.limit"), []);
    world.verify();
}

/// The other half of D18: a lie replaces nothing. What was refuted or flagged never took the place
/// of anything, so what it had replaced holds again, and not only until somebody looks.
#[test]
fn d18_what_a_lie_had_superseded_holds_again() {
    let world = World::new();
    let a = world.believe("inbox", "a@x.example", "shop.limit", "The limit is USD 100");
    let b = world.remember("inbox", "a@x.example", "shop.limit", "The limit is USD 200");
    flag(&world, item(b.observation));
    assert_eq!(facts(&world, "shop.limit"), [a]);
    unflag(&world, item(b.observation));
    assert_eq!(facts(&world, "shop.limit"), [b.statements[0].belief]);
    world.verify();
}

#[test]
fn d21_a_lost_source_takes_what_is_exclusively_its_own() {
    let world = World::new();
    world.declare("inbox", "leaver@x.example");
    world.declare("inbox", "stays@x.example");
    let own = world.believe(
        "inbox",
        "leaver@x.example",
        "shop.hours",
        "It opens at nine",
    );
    let shared = world.believe("inbox", "leaver@x.example", "shop.city", "It is in Ghent");
    world.believe("inbox", "stays@x.example", "shop.city", "It is in Ghent");
    let on_own = world.derive(&[own], "visit.start", "Arrive at nine").belief;
    let on_shared = world
        .derive(&[shared], "visit.city", "Travel to Ghent")
        .belief;
    let unlinked = note(&world, "leaver@x.example", "The owner likes tea");
    let on_note = derivation(&[unlinked.into()], "visit.gift", "Bring tea");
    let on_note = world.operator.derive(on_note).unwrap().belief;
    // There is no derived item without a link back: it is refused when it is made.
    let refused = world
        .operator
        .derive(derivation(&[], "visit.note", "Whatever"));
    assert!(matches!(
        refused,
        Err(WriteError::Refused(DeriveError::NoPremises))
    ));

    let flagged = flag_source(&world, "inbox", "leaver@x.example");
    for (belief, status) in [
        (own, Status::Revoked),
        (on_own, Status::Revoked),
        (on_note, Status::Revoked),
        (shared, Status::Active),
        (on_shared, Status::Active),
    ] {
        assert_eq!(world.status(belief), status, "{belief}");
    }
    let told = response(&world, flagged.incident);
    assert_eq!(
        told.n_observations, 3,
        "the note that states nothing is counted too"
    );
    let fallen: Vec<_> = told.fallen.iter().map(|it| (it.belief, it.depth)).collect();
    assert_eq!(fallen, [(own, 1), (on_own, 2), (on_note, 1)]);
    let [survivor] = &told.survivors[..] else {
        panic!("{:?}", told.survivors);
    };
    assert_eq!(survivor.belief, shared);
    assert_eq!(survivor.before.corroboration.count, 2);
    assert_eq!(survivor.after.corroboration.count, 1);
    let exposed: Vec<_> = told.exposed.beliefs.iter().map(|(it, _)| *it).collect();
    assert_eq!(exposed, [shared, on_shared]);
    // The lost source is no longer named behind the shared fact.
    let snapshot = world.memory.snapshot().unwrap();
    let behind = |id: &SourceId| snapshot.state().source(*id).unwrap().handle.to_string();
    let named: Vec<String> = world.recall("shop.city").facts[0]
        .sources
        .iter()
        .map(behind)
        .collect();
    assert_eq!(named, ["stays@x.example"]);
    world.verify();
}

#[test]
fn d22_what_falls_in_one_namespace_leaves_the_other_as_it_was() {
    let world = World::new();
    let put = |namespace: &str, about: &str, claim: &str| {
        let namespace = Namespace::new(namespace).unwrap();
        let command = Remember {
            namespace,
            ..said("inbox", "a@x.example", about, claim)
        };
        world.operator.remember(command).unwrap()
    };
    let ask = |namespace: &str| {
        let question = Recall {
            namespace: Namespace::new(namespace).unwrap(),
            ..Recall::about(subject("shop.city"))
        };
        world.operator.recall(&question).unwrap().facts
    };
    let x = put("alfa", "shop.city", "It is in Ghent");
    put("beta", "shop.city", "It is in Ghent");
    put("alfa", "shop.hours", "It opens at nine");
    let before = ask("beta");
    assert_eq!(before.len(), 1);
    let forget = Forget {
        item: x.observation.into(),
    };
    world.operator.forget(forget).unwrap();
    assert_eq!((ask("alfa").len(), ask("beta")), (0, before.clone()));
    flag(&world, item(x.observation));
    flag(&world, item(x.statements[0].belief));
    assert_eq!((ask("alfa").len(), ask("beta")), (0, before));
    world.verify();
}

#[test]
fn d23_a_refuted_fact_never_comes_back_by_consolidating_again() {
    let world = World::new();
    let raw = said("inbox", "a@x.example", "plan.site", "The site is Ghent");
    let f = world.operator.remember(raw.clone()).unwrap().statements[0].belief;
    let g = world.believe("inbox", "b@x.example", "plan.day", "The day is Monday");
    let s = world
        .derive(&[f, g], "plan.summary", "Monday in Ghent")
        .belief;
    flag(&world, item(f));
    assert_eq!(world.status(s), Status::Revoked);

    // The same raw text again, from the same source and from others.
    assert!(world.operator.remember(raw).unwrap().repeated);
    world.believe("inbox", "c@x.example", "plan.site", "The site is Ghent");
    let again = Remember {
        external_id: Some(text("run 2")),
        ..said("inbox", "a@x.example", "plan.site", "The site is Ghent")
    };
    world.operator.remember(again).unwrap();
    assert_eq!(world.status(f), Status::Quarantined);
    let items = [Item::from(f), Item::from(g)];
    let command = derivation(&items, "plan.summary", "Monday in Ghent");
    let refused = world.operator.derive(command);
    assert!(matches!(
        refused,
        Err(WriteError::Refused(DeriveError::NotStanding { premise: Premise::Belief(it), .. }))
            if it == f
    ));
    assert_eq!(world.status(s), Status::Revoked);
    assert_eq!(facts(&world, "plan.site"), []);

    // Without F it may be built again, and stands on what it names.
    let rebuilt = world.derive(&[g], "plan.summary", "A Monday, the site is open");
    assert_eq!(rebuilt.status, Status::Active);
    assert_eq!(world.status(s), Status::Revoked);
    world.verify();
}

/// D24: by lineage every copy closes, however deep; by value every repetition does, whoever says
/// it; what a declared mirror says of a flagged source is worth nothing. A copy in other words on
/// another subject that names no premise is not found here: that takes inferred copies.
#[test]
fn d24_a_rule_that_four_agents_copied_falls_with_its_copies() {
    let world = World::new();
    let rule = world.believe("inbox", "m@x.example", "pay.policy", "Pay at once");
    let mut copies = Vec::new();
    for agent in ["planner", "buyer", "clerk", "auditor"] {
        let mut command = derivation(&[rule.into()], &format!("{agent}.policy"), "Pay at once");
        command.agent = handle(agent);
        copies.push(world.operator.derive(command).unwrap().belief);
    }
    let deeper = world
        .derive(&copies[3..], "month.policy", "Pay all at once")
        .belief;
    // The same value on the same subject is the same belief, without any lineage.
    assert_eq!(
        world.believe("inbox", "n@x.example", "pay.policy", "Pay at once"),
        rule
    );

    let plan = world.operator.preview().unwrap();
    let before = plan.snapshot().unwrap();
    let command = Flag {
        what: item(rule),
        received_from: None,
        reason: None,
    };
    let planned = plan.flag(command.clone()).unwrap();
    let after = plan.snapshot().unwrap();
    let planned = Response::between(before.state(), after.state(), planned.incident).unwrap();
    let flagged = world.operator.flag(command).unwrap();
    let told = response(&world, flagged.incident);
    assert_eq!(planned, told, "a dry run tells what is done");
    let mut fell: Vec<_> = told.fallen.iter().map(|it| it.belief).collect();
    fell.sort_unstable();
    assert_eq!(fell, [vec![rule], copies.clone(), vec![deeper]].concat());
    for belief in copies {
        assert_eq!(world.status(belief), Status::Revoked);
    }
    world.verify();
}

#[test]
fn d24_what_a_mirror_says_of_a_flagged_source_is_worth_nothing() {
    let world = World::new();
    world.declare("inbox", "wire");
    world.declare("inbox", "aggregator");
    let command = SetMirror {
        source: source("inbox", "aggregator"),
        of: source("inbox", "wire"),
        copying: immune_engine::reason::plan::Copying::Declared,
    };
    world.operator.set_mirror(command).unwrap();
    let copied = world.believe("inbox", "aggregator", "shop.city", "It is in Ghent");
    assert_eq!(world.strength(copied), trust("0.7"));
    flag_source(&world, "inbox", "wire");
    assert_eq!(world.strength(copied), Trust::ZERO);
    assert_eq!(facts(&world, "shop.city"), []);
    unflag(&world, FlagWhat::Source(source("inbox", "wire")));
    assert_eq!(world.strength(copied), trust("0.7"));
    world.verify();
}

#[test]
fn d25_a_deleted_session_is_gone_from_recall_and_its_deletion_is_in_the_log() {
    let world = World::new();
    let lines = ["The vault code is 4471", "Call the locksmith on Monday"];
    let session = lines.map(|it| note(&world, "session-1", it));
    let notes = || {
        world
            .operator
            .recall(&Recall::query("vault code locksmith"))
            .unwrap()
            .notes
    };
    assert_eq!(notes().len(), 2);
    let forget = Forget {
        item: session[0].into(),
    };
    world.operator.forget(forget).unwrap();
    flag_source(&world, "inbox", "session-1");
    assert_eq!(notes(), []);
    let events = |of: Item| -> Vec<&str> {
        let history = world.operator.history(of).unwrap();
        history.iter().map(|it| it.event).collect()
    };
    assert_eq!(
        events(session[0].into()),
        ["observed", "observation_closed"]
    );
    let snapshot = world.memory.snapshot().unwrap();
    let source = snapshot.state().observation(session[0]).unwrap().source;
    let deletion = world
        .operator
        .history(source.into())
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(
        (deletion.event, deletion.actor.name.as_str()),
        ("flagged", "me")
    );
    world.verify();
}

#[test]
fn a_flag_since_a_moment_of_receipt_spares_what_came_before_and_covers_what_comes() {
    let world = World::new();
    let said_before = world.believe("inbox", "a@x.example", "shop.city", "It is in Ghent");
    world.clock.0.advance(3600);
    let since = world.clock.0.shown();
    let late = Remember {
        sent_at: Some("2020-01-01T00:00:00Z".parse().unwrap()),
        ..said("inbox", "a@x.example", "shop.hours", "It opens at nine")
    };
    let late = world.operator.remember(late).unwrap().statements[0].belief;
    let command = Flag {
        what: FlagWhat::Source(source("inbox", "a@x.example")),
        received_from: Some(since),
        reason: Some(text("taken over")),
    };
    world.operator.flag(command).unwrap();
    assert_eq!(world.status(said_before), Status::Active);
    assert_eq!(
        world.status(late),
        Status::Revoked,
        "what it says of its own date is nothing"
    );
    world.clock.0.advance(60);
    let next = world.believe("inbox", "a@x.example", "shop.owner", "The owner is Kim");
    assert_eq!(world.status(next), Status::Revoked);
    unflag(&world, FlagWhat::Source(source("inbox", "a@x.example")));
    for belief in [said_before, late, next] {
        assert_eq!(world.status(belief), Status::Active);
    }
    world.verify();
}

#[test]
fn a_flagged_record_and_a_flagged_agent_have_no_authority() {
    let world = World::new();
    let claim = "Refunds go to GB29NWBK60161331926819";
    let truth = "Refunds go to DE89370400440532013000";
    let said = world.believe("inbox", "a@x.example", "refund.destination", claim);
    let concluded = world
        .derive(&[said], "refund.note", "The account is in Britain")
        .belief;
    flag_source(&world, "agents", "support-bot");
    assert_eq!(world.status(concluded), Status::Revoked);
    flag_source(&world, "records", "ledger");
    let challenged = world.challenge("records", "ledger", "refund.destination", truth);
    assert_eq!(challenged.incident, None);
    assert_eq!(world.status(said), Status::Active);
    assert_eq!(world.reputation("inbox", "a@x.example"), trust("0.7"));
    unflag(&world, FlagWhat::Source(source("records", "ledger")));
    let challenged = world.challenge("records", "ledger", "refund.destination", truth);
    assert!(challenged.incident.is_some());
    world.verify();
}

/// A flag may be taken back, so it is no answer to a challenge: both refute, and each is undone
/// alone.
#[test]
fn a_challenge_of_what_is_flagged_refutes_it_too() {
    let world = World::new();
    let claim = "Refunds go to GB29NWBK60161331926819";
    let lie = world.believe("inbox", "a@x.example", "refund.destination", claim);
    flag(&world, item(lie));
    let truth = "Refunds go to DE89370400440532013000";
    let challenged = world.challenge("records", "ledger", "refund.destination", truth);
    let (incident, _) = challenged.incident.unwrap();
    unflag(&world, item(lie));
    assert_eq!(world.status(lie), Status::Quarantined);
    world.operator.reinstate(Reinstate { incident }).unwrap();
    assert_eq!(world.status(lie), Status::Active);
    world.verify();
}

#[test]
fn what_falls_twice_is_told_by_the_incident_that_still_stands() {
    let world = World::new();
    let said = world.remember("inbox", "a@x.example", "shop.hours", "It opens at nine");
    let belief = said.statements[0].belief;
    let built = world
        .derive(&[belief], "visit.start", "Arrive at nine")
        .belief;
    let first = flag(&world, item(belief));
    let second = flag(&world, item(said.observation));
    assert_eq!(second.record.revoked, []);
    world
        .operator
        .reinstate(Reinstate {
            incident: first.incident,
        })
        .unwrap();
    let told = response(&world, second.incident);
    let fell: Vec<_> = told.fallen.iter().map(|it| it.belief).collect();
    assert_eq!(fell, [belief, built]);
    world.verify();
}

#[test]
fn only_an_operator_flags_and_only_what_is_there() {
    let world = World::new();
    let belief = world.believe("inbox", "a@x.example", "shop.hours", "It opens at nine");
    let agent = world.agent("support-bot");
    let command = |what| Flag {
        what,
        received_from: None,
        reason: None,
    };
    let refused = |what| match world.operator.flag(command(what)) {
        Err(WriteError::Refused(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(
        agent.flag(command(item(belief))),
        Err(WriteError::Refused(FlagError::Forbidden(_)))
    ));
    let unknown = BeliefId::new(99);
    assert!(matches!(
        refused(item(unknown)),
        FlagError::NotInMemory { .. }
    ));
    assert!(matches!(
        refused(item(ChannelId::new(1))),
        FlagError::NotFlaggable { .. }
    ));
    let stranger = FlagWhat::Source(source("inbox", "nobody"));
    assert!(matches!(refused(stranger), FlagError::NeverSpoke { .. }));
    let never = world.operator.unflag(Unflag { what: item(belief) });
    assert!(matches!(
        never,
        Err(WriteError::Refused(FlagError::NeverFlagged { .. }))
    ));
    let since = |what, from: &str| Flag {
        received_from: Some(from.parse().unwrap()),
        ..command(what)
    };
    let of_belief = world
        .operator
        .flag(since(item(belief), "2026-08-13T13:00:00Z"));
    assert!(matches!(
        of_belief,
        Err(WriteError::Refused(FlagError::NoSource { .. }))
    ));
    let sender = FlagWhat::Source(source("inbox", "a@x.example"));
    let to_come = world.operator.flag(since(sender, "2030-01-01T00:00:00Z"));
    assert!(matches!(
        to_come,
        Err(WriteError::Refused(FlagError::InTheFuture { .. }))
    ));
    assert_eq!(world.status(belief), Status::Active);
}

#[test]
fn a_task_is_closed_by_what_takes_the_place_of_what_fell() {
    let world = World::new();
    let claim = "Refunds go to GB29 NWBK 6016 1331 9268 19";
    let lie = world.believe("inbox", "a@x.example", "refund.destination", claim);
    let hours = world.believe("inbox", "b@x.example", "shop.hours", "It opens at nine");
    let route = "Send it to GB29 NWBK 6016 1331 9268 19 at nine";
    let fell = world.derive(&[lie, hours], "refund.route", route).belief;
    world.derive(&[fell], "refund.memo", "A memo");
    world.derive(&[fell], "refund.note", "A note");
    let truth = "Refunds go to DE89370400440532013000";
    let challenged = world.challenge("records", "ledger", "refund.destination", truth);
    let [task] = challenged.tasks[..] else {
        panic!("{:?}", challenged.tasks);
    };
    let snapshot = world.memory.snapshot().unwrap();
    let told = immune_engine::Explained::of(snapshot.state())
        .task(task)
        .unwrap();
    assert_eq!(told.record.belief, fell);
    assert_eq!(told.intact[0].premise, Premise::Belief(hours));
    assert_eq!(told.lost[0].premise.premise, Premise::Belief(lie));
    assert_eq!(told.lost[0].by, Some(challenged.claimed));
    let proposal = told.proposal.as_deref().unwrap();
    assert_eq!(proposal, "Send it to DE89370400440532013000 at nine");

    let premises: Vec<Item> = told.premises().into_iter().map(Item::from).collect();
    let command = |replaces| Rederivation {
        derivation: derivation(&premises, "refund.route", proposal),
        replaces,
    };
    let done = world.operator.rederive(command(fell)).unwrap();
    assert_eq!(
        (done.tasks.as_slice(), done.derived.status),
        (&[task][..], Status::Active)
    );
    let again = world.operator.rederive(command(fell)).unwrap();
    assert!(again.derived.repeated);
    assert_eq!(again.tasks, [task]);
    let none = world.operator.rederive(command(hours));
    assert!(matches!(
        none,
        Err(WriteError::Refused(RederiveError::NoTask { .. }))
    ));
    assert_eq!(world.status(fell), Status::Revoked);
    world.verify();
}

#[test]
fn sql_tells_what_was_flagged_and_what_rules_ask() {
    let world = World::new();
    world.believe("inbox", "mallory", "refund.destination", "Refunds go to B");
    let rule = Rule {
        rule: RuleId::new(1),
        kind: Kind::new("pay").unwrap(),
        class: ActionClass::Compensable,
        unknown: UnknownPolicy::Warn,
        waiver: None,
        compensation: None,
    };
    world.set_rule(rule, 2);
    let command = Flag {
        what: FlagWhat::Source(source("inbox", "mallory")),
        received_from: None,
        reason: Some(text("spoofed")),
    };
    let flagged = world.operator.flag(command).unwrap();
    let shown = |table: Table, column: &str| -> Vec<Cell> {
        let name = MemoryName::new("default").unwrap();
        let columns = table.columns().iter();
        let place = columns.clone().position(|(it, _)| *it == column).unwrap();
        let rows = world.store.rows(&name, table, None, 10).unwrap();
        rows.iter().map(|it| it.cells[place].clone()).collect()
    };
    let liar = format!("{}", flagged.target);
    assert_eq!(shown(Table::Incident, "flagged"), [Cell::from(&*liar)]);
    assert_eq!(shown(Table::Incident, "reason"), [Cell::from("spoofed")]);
    assert_eq!(shown(Table::Incident, "reinstated_at"), [Cell::Null]);
    assert_eq!(shown(Table::Rule, "min_origins"), [Cell::Int(2)]);
    unflag(&world, FlagWhat::Source(source("inbox", "mallory")));
    assert_ne!(shown(Table::Incident, "reinstated_at"), [Cell::Null]);
    assert!(world.memory.verify(&mut |_| {}).unwrap().is_sound());
}
