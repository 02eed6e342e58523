//! The projections of a state: what the store keeps as plain tables, as rows.
//!
//! `rows` gives those that changed, `all` those of a whole state; `verify` compares the latter
//! with what is stored.

mod blame;

use std::convert::Infallible;

use immune_model::{
    ActionId, BeliefId, ChannelId, Closing, DecisionId, IncidentId, Instant, Item, Literal,
    ObservationId, Premise, ReviewId, RuleId, RunId, Screening, SourceId, Standing, TaskId, Text,
    Trust, UsedBy, WaiverBar,
};
use immune_reason::Scope;
use immune_reason::state::{Cause, Changes, Grounds, State, Transition};
use immune_store::{Cell, Row, Table, pack};

/// The rows of everything that changed.
pub(crate) fn rows(state: &State, changes: &Changes) -> Vec<Row> {
    let mut rows = Vec::new();
    each_row(state, changes, &mut |row| {
        rows.push(row);
        Ok::<(), Infallible>(())
    })
    .unwrap_or_else(|never| match never {});
    rows
}

/// Hands over the rows of everything that changed, one after the other, those of a table in the
/// order of their keys: a large import never holds them all.
pub(crate) fn each_row<E>(
    state: &State,
    changes: &Changes,
    put: &mut dyn FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let ids = changes.channels.iter();
    ids.map(|it| channel(state, *it)).try_for_each(&mut *put)?;
    for id in &changes.sources {
        put(source(state, *id))?;
        records(state, *id).into_iter().try_for_each(&mut *put)?;
    }
    let ids = changes.observations.iter();
    ids.map(|it| observation(state, *it))
        .try_for_each(&mut *put)?;
    let ids = changes.observation_states.iter();
    ids.map(|it| observation_state(state, *it))
        .try_for_each(&mut *put)?;
    let ids = changes.beliefs.iter();
    ids.map(|it| belief(state, *it)).try_for_each(&mut *put)?;
    let ids = changes.belief_states.iter();
    let blocks = blocks_of(ids.map(|it| it.index()));
    blocks
        .map(|it| belief_state_block(state, it))
        .try_for_each(&mut *put)?;
    for id in &changes.justifications {
        put(justification(state, *id))?;
        premises(state, *id).into_iter().try_for_each(&mut *put)?;
    }
    for id in &changes.decisions {
        put(decision(state, *id))?;
        relied_on(state, *id).into_iter().try_for_each(&mut *put)?;
    }
    for id in &changes.actions {
        put(action(state, *id))?;
        outbox(state, *id).into_iter().try_for_each(&mut *put)?;
    }
    changes
        .rules
        .iter()
        .map(|it| rule(state, *it))
        .try_for_each(&mut *put)?;
    let ids = changes.incidents.iter();
    ids.map(|it| incident(state, *it)).try_for_each(&mut *put)?;
    changes
        .reviews
        .iter()
        .map(|it| review(state, *it))
        .try_for_each(&mut *put)?;
    for id in &changes.attributions {
        put(blame::attribution(state, *id))?;
        blame::blamed(state, *id)
            .into_iter()
            .try_for_each(&mut *put)?;
    }
    let blocks = blocks_of(changes.tasks.iter().map(|it| it.index()));
    blocks
        .map(|it| task_block(state, it))
        .try_for_each(&mut *put)?;
    runs(&changes.transitions).try_for_each(put)
}

/// The blocks in which these items are, each once. Items come in order.
fn blocks_of(items: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    let mut last = None;
    items.filter_map(move |index| {
        let block = index / pack::BLOCK_IDS;
        (last.replace(block) != Some(block)).then_some(block)
    })
}

/// The places in an arena of a block's items, of so many that there are.
fn items_of(block: usize, n_items: usize) -> std::ops::Range<usize> {
    let first = block * pack::BLOCK_IDS;
    first..n_items.min(first + pack::BLOCK_IDS)
}

/// The changes that a whole state amounts to, besides its transitions.
pub(crate) fn everything(state: &State) -> Changes {
    Changes {
        channels: state.channel_ids().collect(),
        sources: state.source_ids().collect(),
        observations: state.observation_ids().collect(),
        observation_states: state.observation_ids().collect(),
        beliefs: state.belief_ids().collect(),
        belief_states: state.belief_ids().collect(),
        justifications: state.justification_ids().collect(),
        decisions: state.decision_ids().collect(),
        actions: state.action_ids().collect(),
        rules: state.rule_ids().collect(),
        incidents: state.incident_ids().collect(),
        reviews: state.review_ids().collect(),
        attributions: state.attribution_ids().collect(),
        tasks: state.task_ids().collect(),
        transitions: Vec::new(),
    }
}

const KNOWN: &str = "changes name items of the state";

fn text(value: Option<&Text>) -> Cell {
    value.map(Text::as_str).into()
}

fn time(value: Option<Instant>) -> Cell {
    value.map(Instant::micros).into()
}

fn trust(value: Trust) -> Cell {
    i64::from(value.thousandths()).into()
}

fn channel(state: &State, id: ChannelId) -> Row {
    let channel = state.channel(id).expect(KNOWN);
    let carriage = match channel.carriage {
        immune_model::Carriage::Relays => "relays",
        immune_model::Carriage::Authored => "authored",
    };
    let cells = vec![
        id.number().into(),
        channel.name.as_str().into(),
        trust(channel.tier),
        carriage.into(),
    ];
    Row::new(Table::Channel, cells)
}

fn source(state: &State, id: SourceId) -> Row {
    let source = state.source(id).expect(KNOWN);
    let standing = match source.standing {
        Standing::Newcomer => "newcomer",
        Standing::Declared => "declared",
    };
    let cells = vec![
        id.number().into(),
        source.channel.number().into(),
        source.handle.as_str().into(),
        source.kind.name().into(),
        standing.into(),
        trust(state.reputation(id, Scope::Overall)),
    ];
    Row::new(Table::Source, cells)
}

fn records(state: &State, id: SourceId) -> Vec<Row> {
    let records = &state.source(id).expect(KNOWN).records;
    let row = |(position, area): (u32, &immune_model::Area)| {
        Row::new(
            Table::Record,
            vec![id.number().into(), position.into(), area.as_str().into()],
        )
    };
    (0..).zip(records).map(row).collect()
}

fn observation(state: &State, id: ObservationId) -> Row {
    let observation = state.observation(id).expect(KNOWN);
    let screening = match observation.screening {
        Screening::Explicit => "explicit",
        Screening::Rules => "rules",
        Screening::Unscreened => "unscreened",
        Screening::Model => "model",
    };
    let cells = vec![
        id.number().into(),
        observation.source.number().into(),
        observation.namespace.as_str().into(),
        observation.text.as_str().into(),
        time(observation.sent_at),
        observation.received_at.micros().into(),
        text(observation.external_id.as_ref()),
        observation.run.as_ref().map(RunId::as_str).into(),
        screening.into(),
    ];
    Row::new(Table::Observation, cells)
}

fn observation_state(state: &State, id: ObservationId) -> Row {
    let status = state.observation_status(id).expect(KNOWN);
    Row::new(
        Table::ObservationState,
        vec![id.number().into(), status.name().into()],
    )
}

fn belief(state: &State, id: BeliefId) -> Row {
    let belief = state.belief(id).expect(KNOWN);
    let cells = vec![
        id.number().into(),
        belief.namespace.as_str().into(),
        belief.subject.as_str().into(),
        state.words_of(id).expect(KNOWN).as_str().into(),
        belief.polarity.sign().to_string().as_str().into(),
        literals(&belief.literals),
        belief.believed_at.micros().into(),
    ];
    Row::new(Table::Belief, cells)
}

fn literals(literals: &[Literal]) -> Cell {
    let words: Vec<String> = literals.iter().map(ToString::to_string).collect();
    words.join("; ").as_str().into()
}

fn belief_state_block(state: &State, block: usize) -> Row {
    let states = items_of(block, state.n_beliefs()).map(|index| {
        let now = state.belief_now(BeliefId::from_index(index)).expect(KNOWN);
        pack::BeliefState {
            status: now.status,
            strength: now.strength,
            ended_at: now.ended_at,
        }
    });
    pack::belief_states(block, states)
}

fn justification(state: &State, id: immune_model::JustificationId) -> Row {
    let justification = state.justification(id).expect(KNOWN);
    let (statement_of, agent) = match justification.grounds {
        Grounds::Statement { observation, .. } => (Some(observation.number()), None),
        Grounds::Derivation { agent, .. } => (None, agent.map(SourceId::number)),
    };
    let closed_by = justification
        .closings
        .last()
        .map(|(_, closing)| match closing {
            Closing::Superseded { by } => by.to_string(),
            Closing::Expired => "expired".to_owned(),
            Closing::Forgotten => "forgotten".to_owned(),
        });
    let cells = vec![
        id.number().into(),
        justification.belief.number().into(),
        statement_of.into(),
        agent.into(),
        closed_by.as_deref().into(),
        time(justification.expires_at),
    ];
    Row::new(Table::Justification, cells)
}

fn premises(state: &State, id: immune_model::JustificationId) -> Vec<Row> {
    let premises = state.justification(id).expect(KNOWN).grounds.premises();
    let row = |(position, premise): (u32, Premise)| {
        let (kind, item) = match premise {
            Premise::Observation(it) => ("observation", it.number()),
            Premise::Belief(it) => ("belief", it.number()),
        };
        Row::new(
            Table::Premise,
            vec![
                id.number().into(),
                position.into(),
                kind.into(),
                item.into(),
            ],
        )
    };
    (0..).zip(premises).map(row).collect()
}

fn decision(state: &State, id: DecisionId) -> Row {
    let decision = state.decision(id).expect(KNOWN);
    let used_by = match decision.used_by {
        UsedBy::Named => "named",
        UsedBy::Inferred => "inferred",
    };
    let cells = vec![
        id.number().into(),
        decision.agent.number().into(),
        decision.run.as_ref().map(RunId::as_str).into(),
        used_by.into(),
        state.decision_status(id).expect(KNOWN).name().into(),
    ];
    Row::new(Table::Decision, cells)
}

fn relied_on(state: &State, id: DecisionId) -> Vec<Row> {
    let decision = state.decision(id).expect(KNOWN);
    let row = |(position, belief): (u32, &BeliefId)| {
        let waiver = i64::from(decision.waivers.contains(belief));
        let cells = vec![
            id.number().into(),
            position.into(),
            belief.number().into(),
            waiver.into(),
        ];
        Row::new(Table::ReliedOn, cells)
    };
    (0..).zip(&decision.relied_on).map(row).collect()
}

fn action(state: &State, id: ActionId) -> Row {
    let action = state.action(id).expect(KNOWN);
    let cells = vec![
        id.number().into(),
        action.decision.number().into(),
        action.kind.as_str().into(),
        action.class.name().into(),
        action.payload.as_str().into(),
        action.status.name().into(),
        text(action.detail.as_ref()),
        action
            .reversal
            .as_ref()
            .map(|it| it.incident.number())
            .into(),
        action.proposed_at.micros().into(),
        time(action.ended_at),
    ];
    Row::new(Table::Action, cells)
}

fn outbox(state: &State, id: ActionId) -> Option<Row> {
    let action = state.action(id).expect(KNOWN);
    let reversal = action.reversal.as_ref()?;
    let outcome = if reversal.cancelled {
        "cancelled"
    } else {
        action.status.name()
    };
    let cells = vec![
        id.number().into(),
        reversal.incident.number().into(),
        reversal.attempts.into(),
        time(reversal.next_at),
        outcome.into(),
        text(reversal.last_error.as_ref()),
    ];
    Some(Row::new(Table::Outbox, cells))
}

fn rule(state: &State, id: RuleId) -> Row {
    let rule = state.rule(id).expect(KNOWN);
    let bar = rule.waiver.as_ref().and_then(|it| match it.bar {
        WaiverBar::Record => None,
        WaiverBar::Strength(bar) => Some(i64::from(bar.thousandths())),
    });
    let cells = vec![
        id.number().into(),
        rule.kind.as_str().into(),
        rule.class.name().into(),
        rule.unknown.name().into(),
        rule.waiver.as_ref().map(|it| it.subject.as_str()).into(),
        bar.into(),
        text(rule.compensation.as_ref()),
        state.corroboration_asked(id).into(),
    ];
    Row::new(Table::Rule, cells)
}

fn incident(state: &State, id: IncidentId) -> Row {
    let incident = state.incident(id).expect(KNOWN);
    let (challenge, flag) = match &incident.cause {
        Cause::Challenge {
            trigger,
            challenger,
            subject,
            ..
        } => (Some((trigger, challenger, subject)), None),
        Cause::Flag {
            target,
            received_from,
            reason,
        } => (None, Some((target, received_from, reason))),
    };
    let flagged = flag.map(|(target, ..)| target.to_string());
    let received_from = flag.and_then(|(_, since, _)| *since);
    let reason = flag.and_then(|(_, _, reason)| reason.as_ref());
    let cells = vec![
        id.number().into(),
        challenge.map(|(trigger, _, _)| trigger.number()).into(),
        challenge.map(|(_, it, _)| it.number()).into(),
        challenge.map(|(_, _, subject)| subject.as_str()).into(),
        flagged.as_deref().into(),
        time(received_from),
        text(reason),
        incident.opened_at.micros().into(),
        time(incident.reinstated_at),
    ];
    Row::new(Table::Incident, cells)
}

fn review(state: &State, id: ReviewId) -> Row {
    let review = state.review(id).expect(KNOWN);
    let cells = vec![
        id.number().into(),
        review.trigger.number().into(),
        review.challenger.number().into(),
        review.subject.as_str().into(),
        review.opened_at.micros().into(),
    ];
    Row::new(Table::Review, cells)
}

fn task_block(state: &State, block: usize) -> Row {
    let tasks = items_of(block, state.n_tasks()).map(|index| {
        let task = state.task(TaskId::from_index(index)).expect(KNOWN);
        pack::OpenedTask {
            belief: task.belief,
            incident: task.incident,
            opened_at: task.opened_at,
        }
    });
    pack::tasks(block, tasks)
}

/// The rows of transitions, which are those of whole events, in order.
pub(crate) fn runs(transitions: &[Transition]) -> impl Iterator<Item = Row> {
    let alike = |one: &Transition, next: &Transition| {
        next.seq == one.seq
            && next.position == one.position + 1
            && next.item.prefix() == one.item.prefix()
            && next.at == one.at
            && next.change == one.change
            && next.before == one.before
            && next.after == one.after
            && next.cause == one.cause
    };
    let runs = transitions.chunk_by(alike);
    runs.flat_map(|it| it.chunks(pack::RUN_ITEMS_MAX).filter_map(run))
}

fn run(transitions: &[Transition]) -> Option<Row> {
    let (first, last) = (transitions.first()?, transitions.last()?);
    let items = transitions.iter().map(|it| it.item.number());
    let cells = vec![
        i64::try_from(first.seq)
            .expect("positions fit in 63 bits")
            .into(),
        last.position.into(),
        first.position.into(),
        first.at.micros().into(),
        first.item.prefix().into(),
        pack::numbers(items).as_str().into(),
        first.change.into(),
        first.before.as_deref().into(),
        (*first.after).into(),
        first.cause.map(|it: Item| it.to_string()).as_deref().into(),
    ];
    Some(Row::new(Table::TransitionRun, cells))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use immune_testkit::history::{History, steps};
    use proptest::prelude::*;

    use super::*;
    use crate::watch;

    fn cases() -> ProptestConfig {
        let slow = std::env::var_os("IMMUNE_SLOW").is_some();
        ProptestConfig::with_cases(if slow { 5_000 } else { 150 })
    }

    /// Transitions as the change stream tells them.
    fn told(transitions: &[Transition]) -> Vec<watch::Transition> {
        let one = |it: &Transition| watch::Transition {
            cursor: watch::Cursor {
                seq: it.seq,
                position: it.position,
            },
            at: it.at,
            item: it.item,
            change: it.change.to_owned(),
            before: it.before.as_deref().map(str::to_owned),
            after: it.after.to_string(),
            cause: it.cause,
        };
        transitions.iter().map(one).collect()
    }

    /// The same, out of the rows in which they lie.
    fn unfolded(transitions: &[Transition]) -> Vec<watch::Transition> {
        let runs = runs(transitions).filter_map(|row| watch::Run::of(&row));
        runs.flat_map(|run| run.after(None).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn a_long_run_is_cut_and_goes_on_where_a_cursor_stands() {
        let fell = |position: u32| Transition {
            seq: 9,
            position,
            at: Instant::from_micros(7).unwrap(),
            item: BeliefId::new(3 * position + 1).into(),
            change: "status",
            before: Some("active".into()),
            after: if position == 600 { "stale" } else { "revoked" }.into(),
            cause: Some(IncidentId::new(1).into()),
        };
        let all: Vec<Transition> = (0..700).map(fell).collect();
        let rows: Vec<Row> = runs(&all).collect();
        let ends: Vec<i64> = rows.iter().map(|row| row.key()[1]).collect();
        assert_eq!(ends, [239, 479, 599, 600, 699]);
        assert_eq!(unfolded(&all), told(&all));
        let third = watch::Run::of(&rows[2]).unwrap();
        let cursor = watch::Cursor {
            seq: 9,
            position: 597,
        };
        let rest: Vec<_> = third.after(Some(cursor)).collect();
        assert_eq!(rest, told(&all[598..600]));
        let of_item: Vec<_> = third.of_item(all[500].item).collect();
        assert_eq!(of_item, told(&all[500..=500]));
        assert_eq!(third.of_item(SourceId::new(1501).into()).count(), 0);
    }

    proptest! {
        #![proptest_config(cases())]

        /// What `verify` checks, and what is watched: the rows written step by step are those of the whole state.
        #[test]
        fn the_rows_that_changed_add_up_to_all_rows(script in steps(40)) {
            let mut history = History::new();
            let mut stored: BTreeMap<(Table, [i64; 2]), Row> = BTreeMap::new();
            let mut store = |state: &mut State| {
                let changes = state.take_changes();
                assert_eq!(unfolded(&changes.transitions), told(&changes.transitions));
                for row in rows(state, &changes) {
                    stored.insert((row.table, row.key()), row);
                }
                let wanted = rows(state, &everything(state));
                let wanted: BTreeMap<_, _> =
                    wanted.into_iter().map(|row| ((row.table, row.key()), row)).collect();
                let lasting = stored.iter().filter(|((table, _), _)| *table != Table::TransitionRun);
                let lasting: BTreeMap<_, _> = lasting.map(|(key, row)| (*key, row.clone())).collect();
                (lasting, wanted)
            };
            for step in &script {
                history.take(step);
                let (stored, wanted) = store(&mut history.state);
                let differing: Vec<_> = wanted
                    .iter()
                    .filter(|(key, row)| stored.get(*key) != Some(*row))
                    .map(|(key, row)| (row, stored.get(key)))
                    .collect();
                prop_assert!(differing.is_empty(), "{:?} after {:?}", differing, step);
                prop_assert_eq!(stored.len(), wanted.len());
            }
        }
    }
}
