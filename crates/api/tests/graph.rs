//! Laws of graph exchange: what is exported, imported and exported again is the same bytes, for
//! random graphs with cycles and for the graphs of random histories; and what the survey of a graph
//! says of a belief is what is said of it alone.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test says what it expects by panicking"
)]

use immune_api::graph::exported_line;
use immune_engine::GraphExport;
use immune_engine::reason::plan::GraphImported;
use immune_engine::reason::{Draft, State};
use immune_model::{Handle, Instant, MemoryName, Principal, Recorded, Role, Status};
use immune_testkit::history::{History, steps};
use proptest::prelude::*;

fn cases(few: u32) -> ProptestConfig {
    let slow = std::env::var_os("IMMUNE_SLOW").is_some();
    ProptestConfig::with_cases(if slow { few * 50 } else { few })
}

fn export(state: &State) -> String {
    let export = GraphExport::of(state);
    export.lines().map(|it| exported_line(&it) + "\n").collect()
}

/// Imports into a state; gives the state after, what was written, and the events.
fn import(state: State, text: &str) -> Result<(State, GraphImported, Vec<Recorded>), String> {
    let graph = immune_ingest::graph::read(text.as_bytes(), &mut |_, _| true);
    let graph = graph
        .map_err(|it| it.to_string())?
        .expect("nobody stops it");
    let actor = Principal {
        role: Role::Operator,
        name: Handle::new("me").unwrap(),
    };
    let now: Instant = "2026-08-13T13:30:00Z".parse().unwrap();
    let mut draft = Draft::new(state, actor, now);
    draft.name(&MemoryName::new("graph").unwrap());
    let imported = draft.import_graph(&graph).map_err(|it| it.to_string())?;
    let (state, events) = draft.finish();
    Ok((state, imported, events))
}

/// A small graph as numbers that pick among what is there.
#[derive(Debug, Clone)]
struct Numbers {
    mirrors: Vec<(u8, u8)>,
    observations: Vec<(u8, bool)>,
    n_beliefs: u8,
    justifications: Vec<(u8, Vec<u8>)>,
    decisions: Vec<(Vec<u8>, bool)>,
    actions: Vec<(u8, u8)>,
    flags: Vec<u8>,
    order: u64,
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let some = |most| prop::collection::vec(any::<u8>(), 1..most);
    (
        prop::collection::vec((0..5_u8, 0..5_u8), 0..4),
        prop::collection::vec((0..5_u8, any::<bool>()), 1..7),
        1..8_u8,
        prop::collection::vec((any::<u8>(), some(4)), 0..14),
        prop::collection::vec((some(3), any::<bool>()), 0..3),
        prop::collection::vec((any::<u8>(), 0..9_u8), 0..3),
        prop::collection::vec(any::<u8>(), 0..3),
        any::<u64>(),
    )
        .prop_map(
            |(
                mirrors,
                observations,
                n_beliefs,
                justifications,
                decisions,
                actions,
                flags,
                order,
            )| {
                Numbers {
                    mirrors,
                    observations,
                    n_beliefs,
                    justifications,
                    decisions,
                    actions,
                    flags,
                    order,
                }
            },
        )
}

/// The lines of a graph, in an order that has nothing to do with what they say.
fn lines(numbers: &Numbers) -> Vec<String> {
    let tiers = ["0.7", "0.98", "0.4"];
    let (n_beliefs, n_observations) = (usize::from(numbers.n_beliefs), numbers.observations.len());
    let mut lines = Vec::new();
    for source in 0..5 {
        let of = numbers
            .mirrors
            .iter()
            .filter(|(it, of)| *it == source && of != it);
        let mirrors: Vec<String> = of.map(|(_, of)| format!("\"s {of}\"")).collect();
        let (channel, mirrors) = (source % 3, mirrors.join(","));
        let tier = tiers[usize::from(channel)];
        lines.push(format!(
            r#"{{"source":"s {source}","channel":"c{channel}","tier":{tier},"mirrors":[{mirrors}]}}"#
        ));
    }
    for (number, (source, timed)) in numbers.observations.iter().enumerate() {
        let at = if *timed {
            r#","at":"2026-08-13T13:30:00+02:00""#
        } else {
            ""
        };
        lines.push(format!(
            r#"{{"observation":"o\u00e9{number}","source":"s {source}","text":"t \u0007 \"{number}"{at}}}"#
        ));
    }
    for belief in 0..n_beliefs {
        let said = if belief % 2 == 0 {
            r#","about":"refund.destination","claim":"Refunds go to DE89370400440532013000""#
        } else {
            r#","agent":"researcher""#
        };
        lines.push(format!(r#"{{"belief":"b{belief}"{said}}}"#));
    }
    for (number, (belief, premises)) in numbers.justifications.iter().enumerate() {
        let premises: Vec<String> = premises
            .iter()
            .map(|it| match usize::from(*it) % (n_observations + n_beliefs) {
                it if it < n_observations => format!("\"oé{it}\""),
                it => format!("\"b{}\"", it - n_observations),
            })
            .collect();
        let (belief, premises) = (usize::from(*belief) % n_beliefs, premises.join(","));
        lines.push(format!(
            r#"{{"justification":"j{number}","belief":"b{belief}","premises":[{premises}]}}"#
        ));
    }
    for (number, (beliefs, named)) in numbers.decisions.iter().enumerate() {
        let beliefs: Vec<String> = beliefs
            .iter()
            .map(|it| format!("\"b{}\"", usize::from(*it) % n_beliefs))
            .collect();
        let (beliefs, agent) = (
            beliefs.join(","),
            if *named { r#","agent":"bot""# } else { "" },
        );
        lines.push(format!(
            r#"{{"decision":"d{number}"{agent},"relied_on":[{beliefs}]}}"#
        ));
    }
    let statuses = immune_model::ActionStatus::ALL;
    for (number, (decision, status)) in numbers.actions.iter().enumerate() {
        if !numbers.decisions.is_empty() {
            let decision = usize::from(*decision) % numbers.decisions.len();
            let status = statuses[usize::from(*status) % statuses.len()].name();
            lines.push(format!(
                r#"{{"action":"a{number}","decision":"d{decision}","class":"compensable","status":"{status}"}}"#
            ));
        }
    }
    for flag in &numbers.flags {
        let name = match flag % 3 {
            0 => format!("s {}", flag % 5),
            1 => format!("oé{}", usize::from(*flag) % n_observations),
            _ => format!("b{}", usize::from(*flag) % n_beliefs),
        };
        lines.push(format!(r#"{{"flag":"{name}","reason":"spoofed"}}"#));
    }
    let mut order = numbers.order;
    let mut keyed: Vec<(u64, String)> = lines
        .into_iter()
        .map(|line| {
            order = order
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695);
            (order >> 33, line)
        })
        .collect();
    keyed.sort();
    keyed.into_iter().map(|(_, line)| line).collect()
}

fn statuses(state: &State) -> Vec<String> {
    let mut found = Vec::new();
    immune_engine::standings(state, &mut |_| (), &mut |it| {
        found.push(immune_api::graph::standing_entry(&it));
        Ok::<(), ()>(())
    })
    .unwrap();
    found.sort();
    found
}

/// Exported, imported into nothing and exported again: the same bytes.
fn comes_back(state: &State) -> Result<State, TestCaseError> {
    let first = export(state);
    let (again, imported, events) = import(State::new(), &first).map_err(TestCaseError::fail)?;
    prop_assert_eq!(imported.known, 0);
    let second = export(&again);
    prop_assert_eq!(&first, &second);
    let mut replayed = State::new();
    for event in &events {
        replayed.apply(event);
    }
    prop_assert_eq!(statuses(&again), statuses(&replayed));
    Ok(again)
}

/// The survey says of each belief what is said of it alone.
fn is_surveyed(state: &State) -> Result<(), TestCaseError> {
    let mut n_counted = 0;
    let surveyed = state.corroborations(&mut |n| n_counted = n);
    prop_assert_eq!(n_counted, state.n_beliefs());
    for (id, found) in state.belief_ids().zip(surveyed) {
        let alone = state.corroboration(id);
        prop_assert!(alone.exact);
        prop_assert_eq!(found, alone, "{}", id);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_random_graph_comes_back_as_it_was(numbers in numbers()) {
        let text = lines(&numbers).join("\n");
        let (state, imported, _) = import(State::new(), &text).map_err(TestCaseError::fail)?;
        prop_assert_eq!(imported.beliefs, u64::from(numbers.n_beliefs));
        let again = comes_back(&state)?;
        prop_assert_eq!(statuses(&state), statuses(&again));
        let before = state.seq();
        let (state, imported, _) = import(state, &text).map_err(TestCaseError::fail)?;
        prop_assert_eq!((imported.known, state.seq()), (imported.lines, before), "idempotent");
    }

    #[test]
    fn the_order_of_lines_changes_nothing(numbers in numbers(), other in any::<u64>()) {
        // Which of two flags of one item comes first may be seen in its incident only.
        let one = import(State::new(), &lines(&numbers).join("\n"));
        let two = import(State::new(), &lines(&Numbers { order: other, ..numbers }).join("\n"));
        let (one, two) = (one.map_err(TestCaseError::fail)?, two.map_err(TestCaseError::fail)?);
        prop_assert_eq!(statuses(&one.0), statuses(&two.0));
    }

    #[test]
    fn a_survey_says_of_each_belief_what_is_said_of_it_alone(numbers in numbers()) {
        let text = lines(&numbers).join("\n");
        let (state, ..) = import(State::new(), &text).map_err(TestCaseError::fail)?;
        is_surveyed(&state)?;
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn a_random_history_comes_back_as_it_was(script in steps(40)) {
        let mut history = History::new();
        for step in &script {
            history.take(step);
        }
        is_surveyed(&history.state)?;
        let again = comes_back(&history.state)?;
        for id in history.state.belief_ids() {
            let (before, after) = (history.state.belief_now(id), again.belief_now(id));
            let (before, after) = (before.unwrap(), after.unwrap());
            prop_assert!(
                after.strength <= before.strength,
                "{} was {}, is {}", id, before.strength, after.strength
            );
            let (before, after) = (before.status, after.status);
            let stood = before == Status::Active;
            prop_assert_eq!(stood, after == Status::Active, "{} was {:?}, is {:?}", id, before, after);
        }
    }
}

#[test]
fn a_large_graph_is_surveyed_quickly_and_well() {
    let graph = immune_testkit::graph::layered(1_000, 3);
    let text: String = graph.lines().map(|it| it + "\n").collect();
    let (state, ..) = import(State::new(), &text).unwrap();
    for (id, found) in state.belief_ids().zip(state.corroborations(&mut |_| ())) {
        assert_eq!(found, state.corroboration(id), "{id}");
    }
}
