//! What a hostile reviewer broke, each with its right value. The names say what was wrong.

#![expect(
    clippy::many_single_char_names,
    reason = "the letters are those of the beliefs in the argument"
)]

use crate::common::*;
use immune_engine::reason::Scope;
use immune_engine::reason::plan::*;
use immune_model::*;

const GB: &str = "GB29 NWBK 6016 1331 9268 19";
const DE: &str = "DE89 3704 0044 0532 0130 00";
const FR: &str = "FR14 2004 1010 0505 0001 3M02 606";
const DEST: &str = "refund.destination";

fn to(iban: &str) -> String {
    format!("Refunds go to {iban}")
}
fn inc(c: &Challenged) -> IncidentId {
    c.incident.as_ref().unwrap().0
}
fn against(w: &World, ch: &str, n: &str, about: &str, claim: &str, b: &[BeliefId]) -> Challenged {
    w.operator
        .challenge(Challenge {
            statement: said(ch, n, about, claim),
            against: b.to_vec(),
        })
        .unwrap()
}
fn undo(w: &World, i: IncidentId) -> Reinstated {
    w.operator.reinstate(Reinstate { incident: i }).unwrap()
}
fn record(w: &World, ch: &str, n: &str, area: &str) {
    w.operator
        .name_record(NameRecord {
            source: source(ch, n),
            area: Area::new(area).unwrap(),
        })
        .unwrap();
}
fn instant(s: &str) -> Instant {
    s.parse().unwrap()
}

#[test]
fn challenge_that_reuses_the_id_of_a_note_kills_the_writer() {
    let w = World::new();
    let mut note = said("inbox", "a@x.example", DEST, "hello");
    note.claims.clear();
    note.screening = Screening::Unscreened;
    note.external_id = Some(text("m1"));
    w.operator.remember(note).unwrap();
    let mut st = said("inbox", "a@x.example", DEST, &to(GB));
    st.external_id = Some(text("m1"));
    let _ = w.operator.challenge(Challenge {
        statement: st,
        against: vec![],
    });
    assert!(
        w.operator
            .remember(said("inbox", "b@x.example", DEST, &to(DE)))
            .is_ok(),
        "the writer is dead"
    );
}

#[test]
fn record_of_one_area_refutes_in_another_by_reusing_an_id() {
    let w = World::new();
    w.channel("erp", "0.98", Carriage::Authored);
    record(&w, "erp", "erp", "price.*");
    let truth = w.believe("inbox", "cfo@x.example", DEST, &to(GB));
    let mut st = said("erp", "erp", DEST, &to(DE));
    st.external_id = Some(text("m1"));
    w.operator.remember(st).unwrap();
    let mut st = said("erp", "erp", "price.limit", "The limit is USD 5");
    st.external_id = Some(text("m1"));
    let challenge = Challenge {
        statement: st,
        against: vec![],
    };
    assert!(w.operator.challenge(challenge).is_err());
    assert_eq!(
        w.status(truth),
        Status::Active,
        "erp is no record for refund.*"
    );
}

#[test]
fn text_and_literals_of_a_below_floor_source_ride_on_a_records_value() {
    let w = World::new();
    w.channel("scraper", "0.2", Carriage::Relays);
    let about = "invoice_77/invoice.amount";
    w.remember(
        "scraper",
        "evil",
        about,
        &format!("Invoice 77 is USD 5,000, payable to {DE}"),
    );
    w.remember("records", "ledger", about, "Invoice 77 is USD 5,000");
    let f = w.recall(about).facts;
    let g = w.guard("payout", &format!("pay to {DE}"), None);
    assert!(
        !f[0].text.as_str().contains("DE89"),
        "the attacker's words at the record's strength"
    );
    assert_eq!(
        g.verdict,
        GuardVerdict::Refused,
        "irreversible payout to the attacker's account"
    );
}

#[test]
fn two_values_in_one_observation_supersede_each_other() {
    let w = World::new();
    let mut c = said("inbox", "a@x.example", DEST, &to(GB));
    c.claims.push(NewClaim::read(
        subject(DEST),
        SubjectFrom::Caller,
        text(&to(DE)),
    ));
    c.text = text("GB or DE");
    let r = w.operator.remember(c).unwrap();
    let s: Vec<_> = r
        .statements
        .iter()
        .map(|it| (it.outcome, w.status(it.belief)))
        .collect();
    assert!(s.iter().any(|it| it.1 == Status::Active), "{s:?}");
}

#[test]
fn a_record_that_returns_to_a_refuted_value_destroys_itself() {
    let w = World::new();
    w.believe("inbox", "a@x.example", "x.limit", "The limit is USD 4000");
    w.challenge("records", "ledger", "x.limit", "The limit is USD 5000");
    let _c = w.challenge("records", "ledger", "x.limit", "The limit is USD 4,000");
    let _r = w.recall("x.limit");
    assert_eq!(
        w.reputation("records", "ledger"),
        trust("0.98"),
        "the record was refuted by its own quarantined claim"
    );
}
#[test]
fn refuted_source_gains_on_refuted_value() {
    let w = World::new();
    w.believe("inbox", "a@x.example", "x.limit", "The limit is USD 4000");
    w.challenge("records", "ledger", "x.limit", "The limit is USD 5000");
    let before = w.reputation("inbox", "a@x.example");
    w.challenge("records", "ledger", "x.limit", "The limit is USD 4,000");
    assert_eq!(w.reputation("inbox", "a@x.example"), before);
}

#[test]
fn back_to_an_earlier_value_is_taken_for_a_replay() {
    let w = World::new();
    w.believe("records", "ledger", DEST, &to(GB));
    w.clock.0.advance(86_400);
    w.believe("records", "ledger", DEST, &to(DE));
    w.clock.0.advance(86_400);
    let _again = w.remember("records", "ledger", DEST, &to(GB));
    assert!(w.recall(DEST).facts[0].text.as_str().contains("GB29"), "B6");
}
#[test]
fn same_words_after_forget() {
    let w = World::new();
    let b = w.believe("inbox", "a@x.example", DEST, &to(GB));
    w.operator.forget(Forget { item: b.into() }).unwrap();
    w.remember("inbox", "a@x.example", DEST, &to(GB));
    assert_eq!(w.status(b), Status::Active, "a later statement re-opens it");
}
#[test]
fn same_words_after_expiry() {
    let w = World::new();
    let mut c = said("inbox", "a@x.example", DEST, &to(GB));
    c.claims[0].expires_at = Some(instant("2026-08-13T14:30:00Z"));
    let b = w.operator.remember(c.clone()).unwrap().statements[0].belief;
    w.clock.0.advance(7200);
    c.claims[0].expires_at = Some(instant("2026-08-14T14:30:00Z"));
    let _r = w.operator.remember(c).unwrap();
    assert_eq!(w.status(b), Status::Active, "a later statement re-opens it");
}

#[test]
fn superseded_statement_loses_its_ttl() {
    let w = World::new();
    let mut c = said("inbox", "a@x.example", DEST, &to(GB));
    c.claims[0].expires_at = Some(instant("2026-08-13T14:30:00Z"));
    let a = w.operator.remember(c).unwrap().statements[0].belief;
    w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.clock.0.advance(86_400);
    w.challenge("records", "ledger", DEST, &to(FR));
    assert_eq!(w.status(a), Status::Expired, "its ttl passed a day ago");
}
#[test]
fn law_u_with_ttl() {
    let w = World::new();
    w.believe("inbox", "a@x.example", DEST, &to(DE));
    let mut c = said("records", "ledger", DEST, &to(GB));
    c.claims[0].expires_at = Some(instant("2026-08-13T14:30:00Z"));
    let a = w.operator.remember(c).unwrap().statements[0].belief;
    let i = inc(&w.challenge("records", "ledger", DEST, &to(FR)));
    undo(&w, i);
    w.clock.0.advance(86_400);
    assert_eq!(
        w.status(a),
        Status::Expired,
        "law U: without the incident it expires"
    );
}
#[test]
fn forget_of_what_is_superseded_is_dropped() {
    let w = World::new();
    let a = w.believe("inbox", "a@x.example", DEST, &to(GB));
    w.believe("inbox", "a@x.example", DEST, &to(DE));
    let _f = w.operator.forget(Forget { item: a.into() }).unwrap();
    w.challenge("records", "ledger", DEST, &to(FR));
    assert_eq!(w.status(a), Status::Forgotten);
}
#[test]
fn refuting_the_middle_value_revives_the_oldest() {
    let w = World::new();
    let a = w.believe("inbox", "a@x.example", DEST, &to(GB));
    let b = w.believe("inbox", "a@x.example", DEST, &to(DE));
    let _c = w.believe("inbox", "a@x.example", DEST, &to(FR));
    against(&w, "records", "ledger", DEST, &to(FR), &[b]);
    assert_eq!(
        w.status(a),
        Status::Superseded,
        "its source replaced it by FR, which stands"
    );
}
#[test]
fn law_u_a_later_supersession_overwrites_an_earlier_one() {
    let run = |with: bool| {
        let w = World::new();
        let a = w.believe("inbox", "a@x.example", "q.amount", "It is USD 1");
        let b = w.believe("inbox", "a@x.example", "q.amount", "It is USD 2");
        let i = with.then(|| {
            inc(&against(
                &w,
                "records",
                "ledger",
                "q.amount",
                "It is USD 9",
                &[b],
            ))
        });
        let c = w.believe("inbox", "a@x.example", "q.amount", "It is USD 3");
        if let Some(i) = i {
            undo(&w, i);
        }
        against(&w, "records", "ledger", "q.amount", "It is USD 8", &[c]);
        (w.status(a), w.status(b), w.status(c))
    };
    assert_eq!(run(true), run(false));
}
#[test]
fn same_value_twice_in_one_observation_is_no_replay() {
    let w = World::new();
    let mut c = said("inbox", "a@x.example", DEST, &to(GB));
    c.claims.push(NewClaim::read(
        subject(DEST),
        SubjectFrom::Caller,
        text(&format!("Refunds to {GB}")),
    ));
    w.operator.remember(c.clone()).unwrap();
    assert!(w.operator.remember(c).unwrap().repeated);
}
#[test]
fn an_agent_speaks_as_the_system_of_record() {
    let w = World::new();
    let truth = w.believe("inbox", "cfo@x.example", DEST, &to(GB));
    let bot = w.agent("support-bot");
    let _c = bot.challenge(Challenge {
        statement: said("records", "ledger", DEST, &to(DE)),
        against: vec![],
    });
    assert_eq!(
        w.status(truth),
        Status::Active,
        "nothing that agents here can write"
    );
}
#[test]
fn an_agent_ends_another_agents_action() {
    let w = World::new();
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let g = w.guard("refund.payout", "p", Some(&[lie]));
    let other = w.agent("evil-bot");
    let r = other.finish(FinishAction {
        action: g.action,
        outcome: EffectOutcome::Failed(text("no")),
    });
    assert!(
        r.is_err(),
        "support-bot's action was ended by evil-bot: {r:?}"
    );
}
#[test]
fn a_viewer_marks_actions_as_reversed() {
    let w = World::new();
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let g = w.guard("refund.payout", "p", Some(&[lie]));
    w.operator
        .finish(FinishAction {
            action: g.action,
            outcome: EffectOutcome::Executed(None),
        })
        .unwrap();
    w.challenge("records", "ledger", DEST, &to(GB));
    let viewer = w.memory.session(Principal {
        role: Role::Viewer,
        name: handle("v"),
    });
    let _r = viewer.run_reversals(&|_: &immune_engine::ReversalRequest| Ok(None));
    let s = w.memory.snapshot().unwrap();
    assert_eq!(
        s.state().action(g.action).unwrap().status,
        ActionStatus::Reversing
    );
}
#[test]
fn a_record_that_refutes_twice_refutes_nothing() {
    let w = World::new();
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.believe("records", "ledger", DEST, &to(GB));
    let _d = w.believe(
        "records",
        "ledger",
        DEST,
        &format!("Refunds must never go to {DE}"),
    );
    let _s = w.memory.snapshot().unwrap();
    w.rule(
        "refund.payout",
        ActionClass::Compensable,
        UnknownPolicy::Warn,
    );
    let g = w.guard("refund.payout", "p", Some(&[lie]));
    assert_eq!(g.verdict, GuardVerdict::Refused);
}
#[test]
fn records_that_disagree_are_not_contested() {
    let w = World::new();
    record(&w, "records", "bank", "*");
    let a = w.believe("records", "ledger", DEST, &to(GB));
    w.believe("records", "bank", DEST, &to(DE));
    let g = w.guard("refund.payout", "p", Some(&[a]));
    assert_eq!(
        w.recall(DEST).facts[0].label,
        immune_engine::Label::Contested
    );
    assert_eq!(g.verdict, GuardVerdict::Refused, "irreversible, contested");
}
#[test]
fn verify_drift_on_decision() {
    let w = World::new();
    w.believe("inbox", "a@x.example", DEST, &to(DE));
    let c = w.challenge("records", "ledger", DEST, &to(GB));
    let d = w
        .derive(&[c.claimed], "plan.limit", "The limit is USD 5000")
        .belief;
    w.rule("go", ActionClass::Compensable, UnknownPolicy::Allow);
    w.guard("go", "p", Some(&[d]));
    w.challenge("records", "ledger", "plan.limit", "The limit is USD 1");
    undo(&w, inc(&c));
    w.verify();
}
#[test]
fn task_is_lost_when_one_of_two_incidents_is_undone() {
    let w = World::new();
    let a = w.believe("inbox", "a@x.example", "q.amount", "It is USD 1");
    let b = w.believe("inbox", "b@x.example", "r.amount", "It is USD 1");
    let d = w.derive(&[a, b], "s.note", "sum is fine").belief;
    w.derive(&[d], "s.c1", "one");
    w.derive(&[d], "s.c2", "two");
    let i = w.challenge("records", "ledger", "q.amount", "It is USD 9");
    w.challenge("records", "ledger", "r.amount", "It is USD 9");
    undo(&w, inc(&i));
    let s = w.memory.snapshot().unwrap();
    let open = s
        .state()
        .task_ids()
        .filter(|t| {
            s.state().task(*t).unwrap().belief == d
                && s.state().task(*t).unwrap().cancelled_at.is_none()
        })
        .count();
    assert_eq!(
        open, 1,
        "still revoked, and nobody is asked to derive it again"
    );
}
#[test]
fn penalty_for_a_retracted_statement_stays_for_ever() {
    let w = World::new();
    w.channel("records2", "0.98", Carriage::Authored);
    record(&w, "records2", "bank", "*");
    w.believe("inbox", "a@x.example", DEST, &to(DE));
    let i1 = inc(&w.challenge("records", "ledger", DEST, &to(GB)));
    w.channel("records", "0.8", Carriage::Authored);
    let i2 = inc(&w.challenge("records2", "bank", DEST, &to(FR)));
    undo(&w, i1);
    undo(&w, i2);
    assert_eq!(
        w.reputation("records", "ledger"),
        trust("0.8"),
        "both incidents are undone"
    );
}
#[test]
fn effect_result_is_lost() {
    let w = World::new();
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.rule("pay", ActionClass::Compensable, UnknownPolicy::Warn);
    let g = w.guard("pay", "p", Some(&[lie]));
    w.operator
        .finish(FinishAction {
            action: g.action,
            outcome: EffectOutcome::Executed(Some(text("payment 4711"))),
        })
        .unwrap();
    let i = inc(&w.challenge("records", "ledger", DEST, &to(GB)));
    for _ in 0..5 {
        w.operator
            .run_reversals(&|_: &immune_engine::ReversalRequest| Err(text("bank is closed")))
            .unwrap();
        w.clock.0.advance(3600);
    }
    undo(&w, i);
    w.challenge("records", "ledger", DEST, &to(GB));
    let seen = std::cell::RefCell::new(None);
    w.operator
        .run_reversals(&|r: &immune_engine::ReversalRequest| {
            *seen.borrow_mut() = r.result.clone();
            Ok(None)
        })
        .unwrap();
    assert_eq!(seen.into_inner(), Some(text("payment 4711")));
}
#[test]
fn compensation_that_ran_during_an_undo_is_forgotten() {
    let w = World::new();
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.rule("pay", ActionClass::Compensable, UnknownPolicy::Warn);
    let g = w.guard("pay", "p", Some(&[lie]));
    w.operator
        .finish(FinishAction {
            action: g.action,
            outcome: EffectOutcome::Executed(None),
        })
        .unwrap();
    let i = inc(&w.challenge("records", "ledger", DEST, &to(GB)));
    let op = w.operator.clone();
    w.operator
        .run_reversals(&|_: &immune_engine::ReversalRequest| {
            op.reinstate(Reinstate { incident: i }).unwrap();
            Ok(None)
        })
        .unwrap();
    let s = w.memory.snapshot().unwrap();
    assert_ne!(
        s.state().action(g.action).unwrap().status,
        ActionStatus::Executed,
        "the money was taken back"
    );
}
#[test]
fn worst_area_moves_by_a_strangers_refutation_and_the_cache_is_stale() {
    let w = World::new();
    w.channel("feed", "1", Carriage::Relays);
    w.declare("feed", "s1");
    for area in ["x", "y"] {
        w.believe("feed", "s1", &format!("{area}.amount"), "It is USD 1");
        w.challenge(
            "records",
            "ledger",
            &format!("{area}.amount"),
            "It is USD 9",
        );
        for n in 0..3 {
            let about = format!("e{n}/{area}.amount");
            w.believe("feed", "s1", &about, "It is USD 1");
            w.challenge("records", "ledger", &about, "It is USD 1");
        }
    }
    let b = w.believe("feed", "s1", "x.note", "all is well");
    let before = w.strength(b);
    w.believe("feed", "stranger", "z.amount", "It is USD 1");
    w.challenge("records", "ledger", "z.amount", "It is USD 9");
    let s = w.memory.snapshot().unwrap();
    let src = s
        .state()
        .find_source(
            s.state()
                .find_channel(&ChannelName::new("feed").unwrap())
                .unwrap(),
            &handle("s1"),
        )
        .unwrap();
    let _defined = s.state().reputation(src, Scope::Worst("x"));
    // any write that touches the source has the difference come out
    w.operator
        .set_channel(SetChannel {
            name: ChannelName::new("feed").unwrap(),
            tier: trust("1"),
            carriage: Some(Carriage::Authored),
            create_only: false,
        })
        .unwrap();
    assert_eq!(
        before,
        w.strength(b),
        "a stranger's refutation in z darkened s1"
    );
}
#[test]
fn bundling_makes_a_refutation_free_in_the_proven_area() {
    let w = World::new();
    w.believe("inbox", "s", "e/x.amount", "It is USD 1");
    w.challenge("records", "ledger", "e/x.amount", "It is USD 1");
    let mut c = said("inbox", "s", "y.amount", "It is USD 1");
    c.claims.push(NewClaim::read(
        subject("x.amount"),
        SubjectFrom::Rules,
        text("It is USD 2"),
    ));
    w.operator.remember(c).unwrap();
    w.challenge("records", "ledger", "y.amount", "It is USD 9");
    let rep = |w: &World| {
        let s = w.memory.snapshot().unwrap();
        let src = s
            .state()
            .find_source(
                s.state()
                    .find_channel(&ChannelName::new("inbox").unwrap())
                    .unwrap(),
                &handle("s"),
            )
            .unwrap();
        s.state().reputation(src, Scope::Area("x"))
    };
    let before = rep(&w);
    w.challenge("records", "ledger", "x.amount", "It is USD 9");
    assert!(
        rep(&w) < before,
        "its lie in x was refuted and cost nothing in x"
    );
}
#[test]
fn ok_name_for_a_record_that_is_none() {
    let w = World::new();
    w.believe("records", "crm", "q.amount", "It is USD 1");
    w.challenge("records", "ledger", "q.amount", "It is USD 9");
    let r = w.operator.name_record(NameRecord {
        source: source("records", "crm"),
        area: Area::new("*").unwrap(),
    });
    w.believe("inbox", "a", "r.amount", "It is USD 1");
    let c = w.challenge("records", "crm", "r.amount", "It is USD 2");
    assert!(r.is_err() || c.outcome == ChallengeOutcome::Refuted);
}
#[test]
fn reinstate_reports_as_cancelled_what_is_queued_again() {
    let w = World::new();
    let a = w.believe("inbox", "a@x.example", "q.amount", "It is USD 1");
    let b = w.believe("inbox", "b@x.example", "r.amount", "It is USD 1");
    w.rule("pay", ActionClass::Compensable, UnknownPolicy::Warn);
    let g = w.guard("pay", "p", Some(&[a, b]));
    w.operator
        .finish(FinishAction {
            action: g.action,
            outcome: EffectOutcome::Executed(None),
        })
        .unwrap();
    let i = w.challenge("records", "ledger", "q.amount", "It is USD 9");
    w.challenge("records", "ledger", "r.amount", "It is USD 9");
    let r = undo(&w, inc(&i));
    let _s = w.memory.snapshot().unwrap();
    assert!(r.cancelled.is_empty());
}
#[test]
fn review_of_a_later_command_is_retracted() {
    let w = World::new();
    record(&w, "records", "bank", "*");
    w.believe("records", "ledger", DEST, &to(GB));
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    let g = w.guard("pay", "p", Some(&[lie]));
    w.believe("records", "bank", DEST, &to(FR));
    let c = w.challenge("records", "ledger", DEST, &to(GB));
    undo(&w, g.incident.unwrap());
    let s = w.memory.snapshot().unwrap();
    assert!(
        !s.state().review(c.review.unwrap()).unwrap().retracted,
        "it was no part of the incident"
    );
}
#[test]
fn waiver_that_a_record_denies() {
    let w = World::new();
    let kind = Kind::new("pay").unwrap();
    let rule = Rule {
        rule: RuleId::new(1),
        kind,
        class: ActionClass::Compensable,
        unknown: UnknownPolicy::Block,
        waiver: Some(Waiver {
            subject: subject("refund.skip_check"),
            bar: WaiverBar::Strength(trust("0.6")),
        }),
        compensation: None,
    };
    w.set_rule(rule, 0);
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    w.believe(
        "records",
        "ledger",
        "refund.skip_check",
        "The check must never be skipped",
    );
    w.believe(
        "inbox",
        "a@x.example",
        "refund.skip_check",
        "The check may be skipped",
    );
    let g = w.guard("pay", "p", Some(&[lie]));
    assert!(g.waivers.is_empty());
}
#[test]
fn corroboration_counts_derivations_of_an_agent_below_the_floor() {
    let w = World::new();
    w.channel("a", "0.9", Carriage::Authored);
    w.channel("b", "0.9", Carriage::Authored);
    w.declare("a", "s1");
    w.declare("b", "s2");
    let v = w.believe("a", "s1", "q.note", "the lamp is blue");
    let p = w.believe("b", "s2", "r.note", "the lamp looks blue");
    w.derive(&[p], "q.note", "the lamp is blue");
    w.channel("agents", "0.3", Carriage::Relays);
    let s = w.memory.snapshot().unwrap();
    assert_eq!(
        s.state().corroboration(v).count,
        1,
        "the second derivation is worth 0.30"
    );
}
#[test]
fn derive_again_without_ttl() {
    let w = World::new();
    let p = w.believe("inbox", "a", "r.note", "the lamp looks blue");
    let mut d = derivation(&[p.into()], "q.note", "the lamp is blue");
    d.claim.expires_at = Some(instant("2026-08-13T14:30:00Z"));
    let b = w.operator.derive(d.clone()).unwrap().belief;
    d.claim.expires_at = None;
    w.operator.derive(d).unwrap();
    w.clock.0.advance(7200);
    assert_eq!(
        w.status(b),
        Status::Active,
        "it was concluded again, without a ttl"
    );
}
#[test]
fn derive_drops_validity() {
    let w = World::new();
    let p = w.believe("inbox", "a", "r.note", "the lamp looks blue");
    let mut d = derivation(&[p.into()], "q.note", "the lamp is blue");
    d.claim.valid_until = Some(instant("2026-08-14T00:00:00Z"));
    assert!(
        w.operator.derive(d).is_err(),
        "a conclusion holds while its premises do"
    );
}
#[test]
fn waiver_shares_an_origin_past_the_step_budget() {
    let w = World::new();
    let kind = Kind::new("pay").unwrap();
    let rule = Rule {
        rule: RuleId::new(1),
        kind,
        class: ActionClass::Irreversible,
        unknown: UnknownPolicy::Block,
        waiver: Some(Waiver {
            subject: subject("refund.skip_check"),
            bar: WaiverBar::Record,
        }),
        compensation: None,
    };
    w.set_rule(rule, 0);
    w.believe(
        "records",
        "ledger",
        "refund.skip_check",
        "The check may be skipped",
    );
    let own = w.believe("records", "ledger", "r.note", "the lamp looks blue");
    let mut premises: Vec<Item> = vec![own.into()];
    for round in 0..11 {
        for k in 0..4 {
            let mut c = said("inbox", "spam", "n.note", "x");
            c.text = text(&format!("{round} {k}"));
            c.claims = (0..250)
                .map(|n| {
                    NewClaim::read(
                        subject(&format!("n.k{k}_{n}")),
                        SubjectFrom::Caller,
                        text("it is so"),
                    )
                })
                .collect();
            let r = w.operator.remember(c).unwrap();
            if round == 0 {
                premises.extend(r.statements.iter().map(|it| Item::from(it.belief)));
            }
        }
    }
    let d = w
        .operator
        .derive(derivation(&premises, "q.note", "pay them"))
        .unwrap()
        .belief;
    let g = w.guard("pay", "p", Some(&[d]));
    assert!(g.waivers.is_empty(), "the ledger is behind what is used");
}
#[test]
fn record_challenge_names_a_belief_that_agrees() {
    let w = World::new();
    let a = w.believe("inbox", "a", "q.note", "the lamp is blue");
    let _c = against(&w, "records", "ledger", "q.note", "the lamp is on", &[a]);
    let a = w.believe("records", "ledger", "z.amount", "It is USD 1");
    w.believe("records", "ledger", "z.amount", "It is USD 2");
    let _c = against(&w, "records", "ledger", "z.amount", "It is USD 2", &[a]);
    assert_eq!(w.reputation("records", "ledger"), trust("0.98"));
}
#[test]
fn preview_sees_no_expiry() {
    let w = World::new();
    let mut c = said("inbox", "a@x.example", DEST, &to(GB));
    c.claims[0].expires_at = Some(instant("2026-08-13T14:30:00Z"));
    let a = w.operator.remember(c).unwrap().statements[0].belief;
    let p = w.operator.preview().unwrap();
    w.clock.0.advance(86_400);
    assert!(
        p.derive(derivation(&[a.into()], "x.y", "so")).is_err(),
        "the real write refuses it"
    );
}
#[test]
fn newcomers_open_a_review_each() {
    let w = World::new();
    w.believe("records", "ledger", DEST, &to(GB));
    for n in 0..20 {
        w.challenge("inbox", &format!("n{n}@x.example"), DEST, &to(DE));
    }
    assert_eq!(
        w.memory.snapshot().unwrap().state().n_reviews(),
        1,
        "one review per origin, subject and value"
    );
}
#[test]
fn a_value_that_a_record_states_refutes_whoever_brings_it_up() {
    let w = World::new();
    w.believe("records", "ledger", DEST, &to(GB));
    let lie = w.believe("inbox", "a@x.example", DEST, &to(DE));
    let _c = w.challenge("inbox", "user@x.example", DEST, &to(GB));
    assert_eq!(w.status(lie), Status::Quarantined);
}
#[test]
fn opposite_polarity_on_an_open_subject_refutes_the_unrelated() {
    let w = World::new();
    let a = w.believe("inbox", "a@x.example", "site.note", "The lamp is blue");
    let _c = w.challenge(
        "records",
        "ledger",
        "site.note",
        "Never park in front of gate nine",
    );
    assert_eq!(w.status(a), Status::Active);
}
#[test]
fn every_observation_of_rules_two_dates() {
    let w = World::new();
    for t in [
        format!("The refund account for Acme is {GB}. The refund account for Acme is {DE}."),
        "The deadline is 2026-09-01. The deadline is 2026-10-01.".to_owned(),
        format!("Our new bank account: IBAN {GB}\nPrevious bank account: IBAN {DE}"),
    ] {
        let mut c = said("inbox", "a@x.example", DEST, &t);
        c.claims.clear();
        c.screening = Screening::Rules;
        c.external_id = Some(text(&t[..20]));
        let r = w.operator.remember(c).unwrap();
        assert!(
            r.statements
                .iter()
                .all(|it| w.status(it.belief) == Status::Active)
        );
    }
}
#[test]
fn an_agents_name_in_an_inbox_is_not_the_agent() {
    let w = World::new();
    let mut c = said("inbox", "bot", DEST, &to(GB));
    c.from.kind = None;
    let b = w.operator.remember(c).unwrap().statements[0].belief;
    assert!(w.agent("bot").forget(Forget { item: b.into() }).is_err());
}
