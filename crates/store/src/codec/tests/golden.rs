//! The released format: one log that has every kind of event, as it was first written.
//!
//! `fixtures/log-format-1.*` are never written again. When one of these tests fails, the codec
//! is wrong, or needs a new format beside this one.

use expect_test::expect_file;
use immune_model::metadata::{Number, Value};
use immune_model::*;

use super::{arbitrary, counted, open_all};
use crate::{ContentKey, Entry, Head, seal};

const HEX: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../fixtures/log-format-1.hex"
));

#[test]
fn format_1_is_still_read() {
    let log = open_all(&entries()).unwrap();
    let kinds: Vec<_> = log.iter().map(|it| arbitrary::place(&it.event)).collect();
    assert!((0..arbitrary::KINDS).all(|kind| kinds.contains(&kind)));
    let lines: Vec<_> = log
        .iter()
        .map(|recorded| format!("{recorded:?}\n"))
        .collect();
    expect_file!["../../../../../fixtures/log-format-1.txt"].assert_eq(&lines.concat());
}

#[test]
fn format_1_is_still_written() {
    let text: String = seal(Head::default(), &log(), &mut counted())
        .iter()
        .map(line)
        .collect();
    expect_file!["../../../../../fixtures/log-format-1.hex"].assert_eq(&text);
}

/// The entries of the fixture.
pub(super) fn entries() -> Vec<Entry> {
    HEX.lines()
        .map(|line| {
            let mut words = line.split(' ');
            let mut word = || words.next().unwrap();
            Entry {
                seq: word().parse().unwrap(),
                at: word().parse().unwrap(),
                hash: bytes(word()).try_into().unwrap(),
                body: bytes(word()),
                keys: words
                    .map(|word| {
                        let (item, key) = word.split_once('=').unwrap();
                        ContentKey {
                            item: item.parse().unwrap(),
                            key: bytes(key).try_into().unwrap(),
                        }
                    })
                    .collect(),
            }
        })
        .collect()
}

/// An observation of two statements, as a first entry.
pub(super) fn observed_twice() -> Recorded {
    let found = log()
        .into_iter()
        .find(|it| matches!(it.event, Event::Observed(_)));
    Recorded {
        seq: 1,
        ..found.expect("the log has one")
    }
}

/// `seq at hash body item=key …`
fn line(entry: &Entry) -> String {
    let keys = entry
        .keys
        .iter()
        .map(|key| format!(" {}={}", key.item, hex(&key.key)));
    let Entry { seq, at, .. } = entry;
    format!(
        "{seq} {at} {} {}{}\n",
        hex(&entry.hash),
        hex(&entry.body),
        keys.collect::<String>()
    )
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// The log of the fixture: an invoice with a false IBAN, and how it healed.
fn log() -> Vec<Recorded> {
    let at: Instant = "2026-08-13T09:00:00Z".parse().unwrap();
    events()
        .into_iter()
        .zip(1..)
        .map(|(event, seq)| Recorded {
            seq,
            at: at.plus_seconds(u32::try_from(seq / 2 * 60).unwrap()),
            actor: Principal {
                role: Role::ALL[seq as usize % 4],
                name: Handle::new("ops@example.com").unwrap(),
            },
            event,
        })
        .collect()
}

fn text(text: &str) -> Text {
    Text::new(text).unwrap()
}

fn subject(word: &str) -> Subject {
    Subject::new(word).unwrap()
}

fn trust(word: &str) -> Trust {
    word.parse().unwrap()
}

fn instant(word: &str) -> Instant {
    word.parse().unwrap()
}

fn statement(number: u32, claim: &str, literals: Vec<Literal>) -> Statement {
    Statement {
        belief: BeliefId::new(number),
        justification: JustificationId::new(number),
        subject: subject("acme/refund.destination"),
        subject_from: if number == 1 {
            SubjectFrom::Rules
        } else {
            SubjectFrom::Caller
        },
        text: text(claim),
        polarity: if number == 1 {
            Polarity::Affirmed
        } else {
            Polarity::Open
        },
        literals,
        valid_from: (number == 1).then(|| instant("2026-08-01T00:00:00Z")),
        valid_until: None,
        expires_at: (number == 1).then(|| instant("2027-08-01T00:00:00Z")),
    }
}

fn events() -> Vec<Event> {
    let (source, channel) = (SourceId::new(1), ChannelId::new(1));
    let (belief, action, incident) = (BeliefId::new(1), ActionId::new(1), IncidentId::new(1));
    let observation = ObservationId::new(1);
    let kind = Kind::new("refund.payout").unwrap();
    let run = Some(RunId::new("run-7").unwrap());
    let iban = Literal::new(LiteralKind::Iban, "GB29NWBK60161331926819");
    let amount = Literal::new(LiteralKind::Amount, "USD 5000");
    let subject = subject("acme/refund.destination");
    vec![
        Event::MemoryCreated {
            name: MemoryName::new("accounts payable").unwrap(),
        },
        Event::ChannelSet {
            channel,
            name: ChannelName::new("inbox").unwrap(),
            tier: trust("0.7"),
            carriage: Carriage::Relays,
        },
        Event::SourceAdded {
            source,
            channel,
            handle: Handle::new("billing@acme.example").unwrap(),
            kind: SourceKind::Email,
            standing: Standing::Newcomer,
        },
        Event::SourceDeclared { source },
        Event::RecordNamed {
            source,
            area: Area::new("refund.*").unwrap(),
        },
        Event::Observed(Observed {
            observation,
            source,
            namespace: Namespace::new("vendors").unwrap(),
            text: text("Please pay USD 5,000 to GB29 NWBK 6016 1331 9268 19.\n— Zoë 日本"),
            sent_at: Some(instant("2026-08-13T08:59:59.000001Z")),
            external_id: Some(text("<1@acme.example>")),
            run: run.clone(),
            screening: Screening::Rules,
            statements: vec![
                statement(
                    1,
                    "refunds go to GB29NWBK60161331926819",
                    vec![iban.clone(), amount],
                ),
                statement(2, "is this the new account?", Vec::new()),
            ],
        }),
        Event::Observed(Observed {
            observation: ObservationId::new(2),
            source,
            namespace: Namespace::ROOT,
            text: text("thanks"),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Unscreened,
            statements: Vec::new(),
        }),
        Event::Derived(Derived {
            belief: BeliefId::new(3),
            justification: JustificationId::new(3),
            agent: SourceId::new(2),
            namespace: Namespace::ROOT,
            subject: subject.clone(),
            text: text("pay the refund to GB29NWBK60161331926819"),
            polarity: Polarity::Denied,
            literals: vec![iban],
            premises: vec![Premise::Belief(belief), Premise::Observation(observation)],
            run: run.clone(),
            expires_at: Some(instant("2026-09-01T00:00:00Z")),
        }),
        Event::StatementsClosed {
            justifications: vec![JustificationId::new(1), JustificationId::new(2)],
            closing: Closing::Superseded {
                by: JustificationId::new(3),
            },
        },
        Event::BeliefClosed {
            belief,
            closing: Closing::Expired,
        },
        Event::ObservationClosed {
            observation,
            closing: Closing::Forgotten,
        },
        Event::Checked {
            belief,
            record: source,
            verdict: Verdict::Unknown,
        },
        Event::IncidentOpened(Incident {
            incident,
            since: 17,
            trigger: observation,
            challenger: source,
            subject: subject.clone(),
            refuted: vec![belief, BeliefId::new(70_000)],
        }),
        Event::ReviewOpened {
            review: ReviewId::new(1),
            trigger: observation,
            challenger: source,
            claimed: BeliefId::new(8),
            subject: subject.clone(),
            against: vec![belief],
        },
        Event::TaskOpened {
            task: TaskId::new(1),
            belief,
            incident,
        },
        Event::RuleSet(Rule {
            rule: RuleId::new(1),
            kind: kind.clone(),
            class: ActionClass::Compensable,
            unknown: UnknownPolicy::Block,
            waiver: Some(Waiver {
                subject: subject.clone(),
                bar: WaiverBar::Record,
            }),
            compensation: Some(text("/usr/bin/claw-back --order 7")),
        }),
        Event::RuleSet(Rule {
            rule: RuleId::new(2),
            kind: kind.clone(),
            class: ActionClass::Irreversible,
            unknown: UnknownPolicy::Warn,
            waiver: Some(Waiver {
                subject,
                bar: WaiverBar::Strength(trust("0.95")),
            }),
            compensation: None,
        }),
        Event::Decided(Decided {
            decision: DecisionId::new(1),
            agent: SourceId::new(2),
            relied_on: vec![belief, BeliefId::new(3)],
            used_by: UsedBy::Inferred,
            waivers: vec![BeliefId::new(3)],
            run,
        }),
        Event::Proposed(Proposal {
            action,
            decision: DecisionId::new(1),
            kind,
            class: ActionClass::Reversible,
            payload: text(r#"{"iban":"GB29NWBK60161331926819"}"#),
            refusal: Some(text("a record refutes it")),
            warnings: vec![text("one origin only"), text("new account")],
        }),
        Event::Executed {
            action,
            result: Some(text("paid")),
        },
        Event::Executed {
            action,
            result: None,
        },
        Event::Failed {
            action,
            error: text("the bank is closed"),
        },
        Event::ReversalQueued { action, incident },
        Event::Reversed {
            action,
            result: None,
        },
        Event::Reversed {
            action,
            result: Some(text("clawed back")),
        },
        Event::ReversalTried {
            action,
            error: text("the bank is closed"),
            retry_at: Some(instant("2026-08-13T10:00:02Z")),
        },
        Event::ReversalTried {
            action,
            error: text("for good"),
            retry_at: None,
        },
        Event::Reinstated { incident },
        Event::MirrorDeclared {
            source,
            of: SourceId::new(2),
        },
        Event::MirrorWithdrawn {
            source,
            of: SourceId::new(2),
        },
        Event::Flagged {
            incident: IncidentId::new(2),
            since: 41,
            target: FlagTarget::Source(source),
            received_from: Some(instant("2026-08-13T09:30:00Z")),
            reason: Some(text("its mailbox was taken over")),
        },
        Event::Flagged {
            incident: IncidentId::new(3),
            since: 42,
            target: FlagTarget::Observation(ObservationId::new(1)),
            received_from: None,
            reason: None,
        },
        Event::Flagged {
            incident: IncidentId::new(4),
            since: 43,
            target: FlagTarget::Belief(BeliefId::new(1)),
            received_from: None,
            reason: None,
        },
        Event::TasksOpened {
            incident: IncidentId::new(4),
            first: TaskId::new(2),
            beliefs: vec![BeliefId::new(1), BeliefId::new(3)],
        },
        Event::TaskDone {
            task: TaskId::new(2),
            justification: JustificationId::new(4),
        },
        Event::GraphImported {
            since: None,
            nodes: vec![GraphNode::Source(GraphSource {
                source: SourceId::new(3),
                alias: alias("mail"),
                channel,
                tier: trust("0.7"),
                kind: SourceKind::Email,
                mirrors: vec![SourceId::new(4)],
            })],
        },
        Event::GraphImported {
            since: Some(46),
            nodes: graph(),
        },
        Event::RuleAsks {
            rule: RuleId::new(1),
            corroboration: 2,
        },
        Event::Shown {
            run: RunId::new("run_4").unwrap(),
            from: Some(RunId::new("run_3").unwrap()),
            items: vec![
                Premise::Belief(BeliefId::new(9)),
                Premise::Observation(ObservationId::new(3)),
            ],
        },
        Event::ContextUsed {
            write: Write::Justification(JustificationId::new(8)),
            used: ContextUse::Dropped,
        },
        Event::ContextUsed {
            write: Write::Observation(ObservationId::new(4)),
            used: ContextUse::Carried(vec![Carrier {
                justification: JustificationId::new(9),
                belief: BeliefId::new(9),
            }]),
        },
        Event::HalfLifeSet {
            area: Area::new("price.*").unwrap(),
            seconds: Some(2_592_000),
        },
        Event::Hedged {
            claims: vec![Hedge {
                justification: JustificationId::new(9),
                confidence: trust("0.55"),
            }],
        },
        Event::CopyInferred {
            copy: InferredCopy::Content(RepeatedContent {
                observation: ObservationId::new(8),
                of: ObservationId::new(3),
                percent: 92,
            }),
        },
        Event::CopyInferred {
            copy: InferredCopy::Domain(SharedDomain {
                source: SourceId::new(5),
                of: SourceId::new(2),
                domain: text("example.com"),
            }),
        },
        Event::CopyInferred {
            copy: InferredCopy::Values(SharedValues {
                source: SourceId::new(6),
                of: SourceId::new(4),
                shared: 40,
                unbelieved: 11,
                differing: 1,
                evidence: 17_250,
                settled: false,
            }),
        },
        Event::MirrorRuled {
            source: SourceId::new(6),
            of: SourceId::new(4),
            ruling: MirrorRuling::Independent,
        },
        Event::Annotated {
            write: Write::Observation(ObservationId::new(8)),
            metadata: metadata(),
        },
        Event::EmbedderSet {
            model: Some(text("static-minilm-256")),
            dimensions: 256,
            threshold: trust("0.45"),
        },
        attributed(),
        Event::EvidenceGiven {
            attribution: AttributionId::new(1),
            target: EvidenceFor::Incident(IncidentId::new(1)),
        },
        Event::EvidenceGiven {
            attribution: AttributionId::new(1),
            target: EvidenceFor::Review(ReviewId::new(1)),
        },
        Event::Paroled {
            belief: BeliefId::new(1),
            incidents: vec![IncidentId::new(1)],
            retested: vec![AttributionId::new(1)],
            calls: 1,
            oracle: Some(text("reader")),
        },
        Event::ParoleHeld {
            belief: BeliefId::new(1),
            hold: ParoleHold::WrongAgain(AttributionId::new(1)),
            retested: vec![AttributionId::new(1)],
            calls: 1,
            oracle: Some(text("reader")),
            said: Some(text("The account is DE89370400440532013000")),
        },
        Event::ParoleHeld {
            belief: BeliefId::new(1),
            hold: ParoleHold::ByRecord(BeliefId::new(2)),
            retested: Vec::new(),
            calls: 0,
            oracle: None,
            said: None,
        },
    ]
    .into_iter()
    .chain(mesh())
    .collect()
}

fn mesh() -> Vec<Event> {
    let handle = |name: &str| Handle::new(name).unwrap();
    let at = || instant("2026-08-13T09:00:00Z");
    let (incident, antibody) = (MeshIncidentId::new(1), AntibodyId::new(1));
    let reached = |agent: &str, runs: &[&str]| Reached {
        agent: handle(agent),
        since: at(),
        runs: runs.iter().map(|it| RunId::new(it).unwrap()).collect(),
        sources: vec![SourceId::new(4)],
    };
    vec![
        Event::MeshIncidentOpened(MeshIncident {
            incident,
            observed_at: at(),
            ground: MeshGround::Directive,
            is_confirmed: true,
            score: trust("0.909"),
            path: vec![handle("ann"), handle("bob")],
            reached: vec![reached("ann", &["run-7"]), reached("bob", &[])],
        }),
        Event::AntibodyMade(Antibody {
            antibody,
            incident,
            agents: vec![handle("ann")],
            confidence: trust("0.9"),
            made_at: at(),
            expires_at: at(),
            prints: vec![Fingerprint(7), Fingerprint(u64::MAX)],
        }),
        Event::AgentQuarantined {
            identity: handle("key-1"),
            incident,
        },
        Event::TextBlocked {
            antibody,
            agent: handle("bob"),
            digest: TextDigest([7; 16]),
        },
        Event::AntibodyReviewed {
            antibody,
            confidence: trust("0.4"),
            by_hand: true,
        },
        Event::AntibodyRetracted { antibody },
        Event::MeshIncidentRetracted { incident },
        Event::AgentReleased {
            identity: handle("key-1"),
        },
        Event::MeshHabitLearned { cites: false },
    ]
}

fn attributed() -> Event {
    let call = |shown, fails, answer| OracleCall {
        shown: OracleCall::words(40, shown),
        fails,
        answer,
    };
    let candidates = (1..=40).map(|number| Candidate {
        item: if number == 40 {
            Premise::Observation(ObservationId::new(3))
        } else {
            Premise::Belief(BeliefId::new(number))
        },
        turn: 1 + number / 40,
    });
    Event::Attributed(Attributed {
        attribution: AttributionId::new(1),
        namespace: Namespace::ROOT,
        run: Some(RunId::new("run-7").unwrap()),
        decision: Some(DecisionId::new(1)),
        candidates: candidates.collect(),
        calls: vec![
            call((0..40).collect::<Vec<_>>(), true, Some(0)),
            call(vec![], false, None),
            call(vec![0, 39], true, Some(0)),
            call(vec![1], false, Some(1)),
        ],
        outcome: Outcome::Found,
        causes: vec![vec![0], vec![39]],
        hidden: vec![vec![7], vec![8, 9]],
        correction: vec![0, 7, 8, 39],
        fallen: vec![4],
        certificate: AttributionCertificate {
            guard_calls: 2,
            replays: 2,
            replays_right: 2,
            bound_thousandths: 9_607,
            confidence: trust("0.99"),
            flips: Trust::ZERO,
            non_monotone: 0,
        },
        question: text("Where do refunds go?"),
        wrong: Some(text("DE89370400440532013000")),
        expected: Some(text("GB29NWBK60161331926819")),
        judge: None,
        oracle: text("reader"),
        answers: vec![
            text("Refunds go to DE89370400440532013000"),
            text("Refunds go to GB29NWBK60161331926819"),
        ],
    })
}

fn metadata() -> Metadata {
    let text = |it: &str| Value::Text(it.into());
    let half = Number::of(0.5).expect("it is finite");
    let entries = [
        ("age", Value::Number(Number::Whole(30))),
        ("seen", Value::Bool(true)),
        (
            "shares",
            Value::List(vec![Value::Number(half), Value::Null]),
        ),
        ("user", text("alice")),
        (
            "home",
            Value::Object([("town".into(), text("Delft"))].into()),
        ),
    ];
    let entries = entries.into_iter().map(|(key, it)| (key.into(), it));
    Metadata::new(entries.collect()).expect("it is within the limits")
}

fn alias(word: &str) -> Alias {
    Alias::new(word).unwrap()
}

fn graph() -> Vec<GraphNode> {
    let (observation, belief) = (ObservationId::new(3), BeliefId::new(9));
    vec![
        GraphNode::Observation(GraphObservation {
            observation,
            alias: alias("o1"),
            source: SourceId::new(3),
            sent_at: Some(instant("2026-08-13T13:30:00Z")),
            text: text("Refunds go to the old account"),
        }),
        GraphNode::Belief(GraphBelief {
            belief,
            alias: alias("b1"),
            subject: subject("refund.destination"),
            polarity: Polarity::Affirmed,
            agent: Some(Handle::new("researcher").unwrap()),
            text: text("Refunds go to the old account"),
            literals: vec![Literal::new(LiteralKind::Iban, "GB29NWBK60161331926819")],
        }),
        GraphNode::Justification(GraphJustification {
            justification: JustificationId::new(9),
            alias: alias("j1"),
            belief,
            premises: vec![Premise::Observation(observation)],
        }),
        GraphNode::Decision(GraphDecision {
            decision: DecisionId::new(2),
            alias: alias("d1"),
            agent: SourceId::new(2),
            relied_on: vec![belief],
        }),
        GraphNode::Action(GraphAction {
            action: ActionId::new(2),
            alias: alias("a1"),
            decision: DecisionId::new(2),
            kind: Kind::new("refund.payout").unwrap(),
            class: ActionClass::Compensable,
            status: ActionStatus::Executed,
        }),
    ]
}
