//! Arbitrary events of every kind, and one fixed log that has them all.

mod blame;
mod mesh;
mod words;

use immune_model::metadata::{Number, Value};
use immune_model::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use blame::{attributed, evidence_for, parole_held, paroled};
use mesh::{antibody, mesh_incident};
use words::*;

/// How many kinds of events there are.
pub(super) const KINDS: usize = 51;

/// The place of an event's kind in [`every_kind`]; a new kind does not compile without one.
pub(super) fn place(event: &Event) -> usize {
    match event {
        Event::MemoryCreated { .. } => 0,
        Event::ChannelSet { .. } => 1,
        Event::SourceAdded { .. } => 2,
        Event::SourceDeclared { .. } => 3,
        Event::RecordNamed { .. } => 4,
        Event::Observed(_) => 5,
        Event::Derived(_) => 6,
        Event::StatementsClosed { .. } => 7,
        Event::BeliefClosed { .. } => 8,
        Event::ObservationClosed { .. } => 9,
        Event::Checked { .. } => 10,
        Event::IncidentOpened(_) => 11,
        Event::ReviewOpened { .. } => 12,
        Event::TaskOpened { .. } => 13,
        Event::RuleSet(_) => 14,
        Event::Decided(_) => 15,
        Event::Proposed(_) => 16,
        Event::Executed { .. } => 17,
        Event::Failed { .. } => 18,
        Event::ReversalQueued { .. } => 19,
        Event::Reversed { .. } => 20,
        Event::ReversalTried { .. } => 21,
        Event::Reinstated { .. } => 22,
        Event::MirrorDeclared { .. } => 23,
        Event::MirrorWithdrawn { .. } => 24,
        Event::Flagged { .. } => 25,
        Event::TasksOpened { .. } => 26,
        Event::TaskDone { .. } => 27,
        Event::GraphImported { .. } => 28,
        Event::RuleAsks { .. } => 29,
        Event::Shown { .. } => 30,
        Event::ContextUsed { .. } => 31,
        Event::HalfLifeSet { .. } => 32,
        Event::Hedged { .. } => 33,
        Event::CopyInferred { .. } => 34,
        Event::MirrorRuled { .. } => 35,
        Event::Annotated { .. } => 36,
        Event::EmbedderSet { .. } => 37,
        Event::Attributed(_) => 38,
        Event::Paroled { .. } => 39,
        Event::EvidenceGiven { .. } => 40,
        Event::MeshIncidentOpened(_) => 41,
        Event::AntibodyMade(_) => 42,
        Event::AgentQuarantined { .. } => 43,
        Event::TextBlocked { .. } => 44,
        Event::AntibodyReviewed { .. } => 45,
        Event::AntibodyRetracted { .. } => 46,
        Event::MeshIncidentRetracted { .. } => 47,
        Event::AgentReleased { .. } => 48,
        Event::MeshHabitLearned { .. } => 49,
        Event::ParoleHeld { .. } => 50,
    }
}

fn claim<'a>(text: &'a Text, literals: &'a [Literal]) -> impl Iterator<Item = &'a str> {
    std::iter::once(text.as_str()).chain(literals.iter().map(|literal| &*literal.value))
}

/// The content of an event: what must never stand in a body.
pub(super) fn content(event: &Event) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |texts: &mut dyn Iterator<Item = &str>| found.extend(texts.map(str::to_owned));
    match event {
        Event::Observed(it) => {
            add(&mut [it.text.as_str()].into_iter());
            add(&mut it.external_id.iter().map(Text::as_str));
            for statement in &it.statements {
                add(&mut claim(&statement.text, &statement.literals));
            }
        }
        Event::Derived(it) => add(&mut claim(&it.text, &it.literals)),
        Event::RuleSet(it) => add(&mut it.compensation.iter().map(Text::as_str)),
        Event::GraphImported { nodes, .. } => {
            for node in nodes {
                match node {
                    GraphNode::Observation(it) => add(&mut [it.text.as_str()].into_iter()),
                    GraphNode::Belief(it) => add(&mut claim(&it.text, &it.literals)),
                    _ => {}
                }
            }
        }
        Event::Flagged { reason, .. } => add(&mut reason.iter().map(Text::as_str)),
        Event::Proposed(it) => {
            add(&mut [it.payload.as_str()].into_iter());
            add(&mut it.refusal.iter().chain(&it.warnings).map(Text::as_str));
        }
        Event::Executed { result, .. } | Event::Reversed { result, .. } => {
            add(&mut result.iter().map(Text::as_str));
        }
        Event::Failed { error, .. } | Event::ReversalTried { error, .. } => {
            add(&mut [error.as_str()].into_iter());
        }
        Event::Attributed(it) => {
            let asked = [&it.question, &it.oracle].into_iter();
            let named = it.wrong.iter().chain(&it.expected).chain(&it.judge);
            add(&mut asked.chain(named).chain(&it.answers).map(Text::as_str));
        }
        Event::Paroled { oracle, .. } => add(&mut oracle.iter().map(Text::as_str)),
        Event::ParoleHeld { oracle, said, .. } => {
            add(&mut oracle.iter().chain(said).map(Text::as_str));
        }
        Event::Annotated { metadata, .. } => {
            add(&mut metadata.entries().keys().map(AsRef::as_ref));
            let values = metadata.entries().values();
            add(&mut values.filter_map(|it| match it {
                Value::Text(text) => Some(text.as_ref()),
                _ => None,
            }));
        }
        _ => {}
    }
    found
}

fn statement() -> impl Strategy<Value = Statement> {
    let from = prop_oneof![
        Just(SubjectFrom::Caller),
        Just(SubjectFrom::Rules),
        Just(SubjectFrom::Model)
    ];
    let times = [
        option::of(instant()),
        option::of(instant()),
        option::of(instant()),
    ];
    (
        belief(),
        justification(),
        subject(),
        from,
        text(),
        polarity(),
        vec(literal(), 0..4),
        times,
    )
        .prop_map(
            |(belief, justification, subject, subject_from, text, polarity, literals, times)| {
                let [valid_from, valid_until, expires_at] = times;
                Statement {
                    belief,
                    justification,
                    subject,
                    subject_from,
                    text,
                    polarity,
                    literals,
                    valid_from,
                    valid_until,
                    expires_at,
                }
            },
        )
}

fn observed() -> impl Strategy<Value = Event> {
    let screening = proptest::sample::select(vec![
        Screening::Explicit,
        Screening::Rules,
        Screening::Unscreened,
        Screening::Model,
    ]);
    // Each statement gives a justification of its own; an event that gives one twice is a bug.
    let statements = vec(statement(), 0..4).prop_map(|mut statements| {
        statements.sort_by_key(|it| std::cmp::Reverse(it.justification));
        statements.dedup_by_key(|it| it.justification);
        statements
    });
    (
        (
            observation(),
            source(),
            namespace(),
            text(),
            option::of(instant()),
        ),
        (option::of(text()), run(), screening, statements),
    )
        .prop_map(|((observation, source, namespace, text, sent_at), rest)| {
            let (external_id, run, screening, statements) = rest;
            Event::Observed(Observed {
                observation,
                source,
                namespace,
                text,
                sent_at,
                external_id,
                run,
                screening,
                statements,
            })
        })
}

fn derived() -> impl Strategy<Value = Event> {
    (
        (
            belief(),
            justification(),
            source(),
            namespace(),
            subject(),
            text(),
        ),
        (
            polarity(),
            vec(literal(), 0..4),
            vec(premise(), 0..6),
            run(),
            option::of(instant()),
        ),
    )
        .prop_map(
            |((belief, justification, agent, namespace, subject, text), rest)| {
                let (polarity, literals, premises, run, expires_at) = rest;
                Event::Derived(Derived {
                    belief,
                    justification,
                    agent,
                    namespace,
                    subject,
                    text,
                    polarity,
                    literals,
                    premises,
                    run,
                    expires_at,
                })
            },
        )
}

fn rule() -> impl Strategy<Value = Event> {
    let bar = prop_oneof![
        Just(WaiverBar::Record),
        trust().prop_map(WaiverBar::Strength)
    ];
    let waiver = (subject(), bar).prop_map(|(subject, bar)| Waiver { subject, bar });
    let unknown = proptest::sample::select(&UnknownPolicy::ALL[..]);
    (
        rule_id(),
        kind(),
        class(),
        unknown,
        option::of(waiver),
        option::of(text()),
    )
        .prop_map(|(rule, kind, class, unknown, waiver, compensation)| {
            Event::RuleSet(Rule {
                rule,
                kind,
                class,
                unknown,
                waiver,
                compensation,
            })
        })
}

fn decided() -> impl Strategy<Value = Event> {
    let used_by = prop_oneof![Just(UsedBy::Named), Just(UsedBy::Inferred)];
    (
        decision(),
        source(),
        vec(belief(), 0..5),
        used_by,
        vec(belief(), 0..3),
        run(),
    )
        .prop_map(|(decision, agent, relied_on, used_by, waivers, run)| {
            Event::Decided(Decided {
                decision,
                agent,
                relied_on,
                used_by,
                waivers,
                run,
            })
        })
}

fn proposed() -> impl Strategy<Value = Event> {
    let texts = (text(), option::of(text()), vec(text(), 0..3));
    (action(), decision(), kind(), class(), texts).prop_map(
        |(action, decision, kind, class, (payload, refusal, warnings))| {
            Event::Proposed(Proposal {
                action,
                decision,
                kind,
                class,
                payload,
                refusal,
                warnings,
            })
        },
    )
}

fn channel_set() -> impl Strategy<Value = Event> {
    let carriage = prop_oneof![Just(Carriage::Relays), Just(Carriage::Authored)];
    (channel(), word(), trust(), carriage).prop_map(|(channel, name, tier, carriage)| {
        Event::ChannelSet {
            channel,
            name: ChannelName::new(&name).unwrap(),
            tier,
            carriage,
        }
    })
}

fn source_added() -> impl Strategy<Value = Event> {
    let standing = prop_oneof![Just(Standing::Newcomer), Just(Standing::Declared)];
    let kind = proptest::sample::select(&SourceKind::ALL[..]);
    (source(), channel(), handle(), kind, standing).prop_map(
        |(source, channel, handle, kind, standing)| Event::SourceAdded {
            source,
            channel,
            handle,
            kind,
            standing,
        },
    )
}

fn incident_opened() -> impl Strategy<Value = Event> {
    (
        (incident_id(), 0..1_u64 << 62),
        observation(),
        source(),
        subject(),
        vec(belief(), 0..6),
    )
        .prop_map(
            |((incident, since), trigger, challenger, subject, refuted)| {
                Event::IncidentOpened(Incident {
                    incident,
                    since,
                    trigger,
                    challenger,
                    subject,
                    refuted,
                })
            },
        )
}

fn review_opened() -> impl Strategy<Value = Event> {
    (
        review(),
        observation(),
        source(),
        belief(),
        subject(),
        vec(belief(), 0..6),
    )
        .prop_map(|(review, trigger, challenger, claimed, subject, against)| {
            Event::ReviewOpened {
                review,
                trigger,
                challenger,
                claimed,
                subject,
                against,
            }
        })
}

fn checked() -> impl Strategy<Value = Event> {
    let verdict =
        proptest::sample::select(vec![Verdict::Confirmed, Verdict::Refuted, Verdict::Unknown]);
    (belief(), source(), verdict).prop_map(|(belief, record, verdict)| Event::Checked {
        belief,
        record,
        verdict,
    })
}

fn flagged() -> impl Strategy<Value = Event> {
    let target = prop_oneof![
        source().prop_map(FlagTarget::Source),
        observation().prop_map(FlagTarget::Observation),
        belief().prop_map(FlagTarget::Belief),
    ];
    (
        (incident_id(), 0..1_u64 << 62),
        target,
        option::of(instant()),
        option::of(text()),
    )
        .prop_map(
            |((incident, since), target, received_from, reason)| Event::Flagged {
                incident,
                since,
                target,
                received_from,
                reason,
            },
        )
}

fn alias() -> impl Strategy<Value = Alias> {
    word().prop_filter_map("an alias", |word| Alias::new(&word).ok())
}

/// One node of each kind; two of those with content, each of an item of its own.
fn graph() -> impl Strategy<Value = Vec<GraphNode>> {
    let sources = (source(), alias(), channel(), trust(), vec(source(), 0..4)).prop_map(
        |(source, alias, channel, tier, mirrors)| {
            GraphNode::Source(GraphSource {
                source,
                alias,
                channel,
                tier,
                kind: SourceKind::ALL[mirrors.len()],
                mirrors,
            })
        },
    );
    let observations = (
        observation(),
        alias(),
        source(),
        option::of(instant()),
        text(),
    )
        .prop_map(|(observation, alias, source, sent_at, text)| {
            GraphNode::Observation(GraphObservation {
                observation,
                alias,
                source,
                sent_at,
                text,
            })
        });
    let beliefs = (
        belief(),
        alias(),
        subject(),
        option::of(handle()),
        text(),
        vec(literal(), 0..4),
    )
        .prop_map(|(belief, alias, subject, agent, text, literals)| {
            GraphNode::Belief(GraphBelief {
                belief,
                alias,
                subject,
                polarity: Polarity::Denied,
                agent,
                text,
                literals,
            })
        });
    let justifications = (justification(), alias(), belief(), vec(premise(), 0..6)).prop_map(
        |(justification, alias, belief, premises)| {
            GraphNode::Justification(GraphJustification {
                justification,
                alias,
                belief,
                premises,
            })
        },
    );
    let decisions = (decision(), alias(), source(), vec(belief(), 0..6)).prop_map(
        |(decision, alias, agent, relied_on)| {
            GraphNode::Decision(GraphDecision {
                decision,
                alias,
                agent,
                relied_on,
            })
        },
    );
    let statuses = proptest::sample::select(ActionStatus::ALL.to_vec());
    let actions =
        (action(), alias(), decision(), statuses).prop_map(|(action, alias, decision, status)| {
            GraphNode::Action(GraphAction {
                action,
                alias,
                decision,
                kind: Kind::new("pay").unwrap(),
                class: ActionClass::Irreversible,
                status,
            })
        });
    (
        sources,
        observations,
        beliefs,
        justifications,
        decisions,
        actions,
    )
        .prop_map(|(a, b, c, d, e, f)| vec![a, b, c, d, e, f])
}

/// One arbitrary event of every kind, in the order of [`place`].
pub(super) fn every_kind() -> Vec<BoxedStrategy<Event>> {
    vec![
        word()
            .prop_map(|name| Event::MemoryCreated {
                name: MemoryName::new(&name).unwrap(),
            })
            .boxed(),
        channel_set().boxed(),
        source_added().boxed(),
        source()
            .prop_map(|source| Event::SourceDeclared { source })
            .boxed(),
        (source(), area())
            .prop_map(|(source, area)| Event::RecordNamed { source, area })
            .boxed(),
        observed().boxed(),
        derived().boxed(),
        (vec(justification(), 0..6), closing())
            .prop_map(|(justifications, closing)| Event::StatementsClosed {
                justifications,
                closing,
            })
            .boxed(),
        (belief(), closing())
            .prop_map(|(belief, closing)| Event::BeliefClosed { belief, closing })
            .boxed(),
        (observation(), closing())
            .prop_map(|(observation, closing)| Event::ObservationClosed {
                observation,
                closing,
            })
            .boxed(),
        checked().boxed(),
        incident_opened().boxed(),
        review_opened().boxed(),
        (task(), belief(), incident_id())
            .prop_map(|(task, belief, incident)| Event::TaskOpened {
                task,
                belief,
                incident,
            })
            .boxed(),
        rule().boxed(),
        decided().boxed(),
        proposed().boxed(),
        (action(), option::of(text()))
            .prop_map(|(action, result)| Event::Executed { action, result })
            .boxed(),
        (action(), text())
            .prop_map(|(action, error)| Event::Failed { action, error })
            .boxed(),
        (action(), incident_id())
            .prop_map(|(action, incident)| Event::ReversalQueued { action, incident })
            .boxed(),
        (action(), option::of(text()))
            .prop_map(|(action, result)| Event::Reversed { action, result })
            .boxed(),
        (action(), text(), option::of(instant()))
            .prop_map(|(action, error, retry_at)| Event::ReversalTried {
                action,
                error,
                retry_at,
            })
            .boxed(),
        incident_id()
            .prop_map(|incident| Event::Reinstated { incident })
            .boxed(),
        (source(), source())
            .prop_map(|(source, of)| Event::MirrorDeclared { source, of })
            .boxed(),
        (source(), source())
            .prop_map(|(source, of)| Event::MirrorWithdrawn { source, of })
            .boxed(),
        flagged().boxed(),
        (incident_id(), task(), vec(belief(), 0..6))
            .prop_map(|(incident, first, beliefs)| Event::TasksOpened {
                incident,
                first,
                beliefs,
            })
            .boxed(),
        (task(), justification())
            .prop_map(|(task, justification)| Event::TaskDone {
                task,
                justification,
            })
            .boxed(),
        (option::of(any::<u32>().prop_map(u64::from)), graph())
            .prop_map(|(since, nodes)| Event::GraphImported { since, nodes })
            .boxed(),
        (rule_id(), any::<u32>())
            .prop_map(|(rule, corroboration)| Event::RuleAsks {
                rule,
                corroboration,
            })
            .boxed(),
        (named_run(), run(), vec(premise(), 0..4))
            .prop_map(|(run, from, items)| Event::Shown { run, from, items })
            .boxed(),
        (write(), context_use())
            .prop_map(|(write, used)| Event::ContextUsed { write, used })
            .boxed(),
        (area(), option::of(any::<u32>()))
            .prop_map(|(area, seconds)| Event::HalfLifeSet { area, seconds })
            .boxed(),
        vec((justification(), trust()), 0..4)
            .prop_map(|claims| Event::Hedged {
                claims: claims
                    .into_iter()
                    .map(|(justification, confidence)| Hedge {
                        justification,
                        confidence,
                    })
                    .collect(),
            })
            .boxed(),
        inferred_copy()
            .prop_map(|copy| Event::CopyInferred { copy })
            .boxed(),
        (source(), source(), 0..3_usize)
            .prop_map(|(source, of, ruling)| Event::MirrorRuled {
                source,
                of,
                ruling: [
                    MirrorRuling::Independent,
                    MirrorRuling::Open,
                    MirrorRuling::Lapsed,
                ][ruling],
            })
            .boxed(),
        (write(), metadata())
            .prop_map(|(write, metadata)| Event::Annotated { write, metadata })
            .boxed(),
        (option::of(text()), any::<u32>(), trust())
            .prop_map(|(model, dimensions, threshold)| Event::EmbedderSet {
                model,
                dimensions,
                threshold,
            })
            .boxed(),
        attributed().boxed(),
        paroled().boxed(),
        (attribution(), evidence_for())
            .prop_map(|(attribution, target)| Event::EvidenceGiven {
                attribution,
                target,
            })
            .boxed(),
        mesh_incident().boxed(),
        antibody().boxed(),
        (handle(), mesh_incident_id())
            .prop_map(|(identity, incident)| Event::AgentQuarantined { identity, incident })
            .boxed(),
        (antibody_id(), handle(), any::<[u8; 16]>())
            .prop_map(|(antibody, agent, digest)| Event::TextBlocked {
                antibody,
                agent,
                digest: TextDigest(digest),
            })
            .boxed(),
        (antibody_id(), trust(), any::<bool>())
            .prop_map(|(antibody, confidence, by_hand)| Event::AntibodyReviewed {
                antibody,
                confidence,
                by_hand,
            })
            .boxed(),
        antibody_id()
            .prop_map(|antibody| Event::AntibodyRetracted { antibody })
            .boxed(),
        mesh_incident_id()
            .prop_map(|incident| Event::MeshIncidentRetracted { incident })
            .boxed(),
        handle()
            .prop_map(|identity| Event::AgentReleased { identity })
            .boxed(),
        any::<bool>()
            .prop_map(|cites| Event::MeshHabitLearned { cites })
            .boxed(),
        parole_held().boxed(),
    ]
}

fn metadata() -> impl Strategy<Value = Metadata> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::Whole),
        any::<f64>().prop_filter_map("it is finite", Number::of),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number.prop_map(Value::Number),
        text().prop_map(|it| Value::Text(it.as_str().into())),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        let keyed = (word(), inner.clone()).prop_map(|(key, it)| (key.into(), it));
        prop_oneof![
            vec(inner, 0..4).prop_map(Value::List),
            vec(keyed, 0..4).prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    });
    vec((text(), value), 0..4).prop_map(|entries| {
        let entries = entries.into_iter();
        let entries = entries.map(|(key, it)| (key.as_str().into(), it));
        Metadata::new(entries.collect()).expect("it is within the limits")
    })
}

fn inferred_copy() -> impl Strategy<Value = InferredCopy> {
    let content = (observation(), observation(), any::<u32>());
    let values = (source(), source(), any::<[u32; 4]>(), any::<bool>());
    prop_oneof![
        content.prop_map(|(observation, of, percent)| {
            InferredCopy::Content(RepeatedContent {
                observation,
                of,
                percent,
            })
        }),
        (source(), source(), text()).prop_map(|(source, of, domain)| {
            InferredCopy::Domain(SharedDomain { source, of, domain })
        }),
        values.prop_map(|(source, of, counts, settled)| {
            let [shared, unbelieved, differing, evidence] = counts;
            InferredCopy::Values(SharedValues {
                source,
                of,
                shared,
                unbelieved,
                differing,
                evidence,
                settled,
            })
        }),
    ]
}

/// A log that has an arbitrary event of every kind.
pub(super) fn log() -> impl Strategy<Value = Vec<Recorded>> {
    let start = 0..4_000_000_000_000_000_i64;
    (every_kind(), vec((handle(), 0..4_usize), KINDS), start).prop_map(|(events, actors, start)| {
        events
            .into_iter()
            .zip(actors)
            .zip(1..)
            .map(|((event, (name, role)), seq)| Recorded {
                seq,
                at: Instant::from_micros(start)
                    .unwrap()
                    .plus_seconds(seq as u32 / 2),
                actor: Principal {
                    role: Role::ALL[role],
                    name,
                },
                event,
            })
            .collect()
    })
}
