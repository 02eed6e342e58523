//! How an attribution is told: who is to blame, how sure that is, and what to do about it.

use immune_api::SourceName;
use immune_api::attribute::{
    Attributed, Attribution, Certificate, Known, Log, Memory, Quarantine, Retest,
};
use immune_engine::reason::State;
use immune_engine::{Session, Watched};
use immune_model::shell::Command;
use immune_model::{BeliefId, Item, ObservationId};

use crate::commands::{Context, bound, show, verb};
use crate::escape;
use crate::failure::Failure;
use crate::layout::{Cell, rows, wrapped};
use crate::printer::{BOLD, DIM, GREEN, RED, YELLOW, styled};

/// Answers of a log that are shown in lines.
const CALLS_MAX: usize = bound::LINES_MAX;

/// A number of calls that is a guess.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped to what fits before"
)]
pub(super) fn rounded(calls: f64) -> u64 {
    calls.clamp(0.0, 1e9).ceil() as u64
}

/// How far a search is, in words.
pub(super) fn progress(watched: &Watched) -> String {
    let left = rounded(watched.remaining);
    let cost = watched.spent_millionths.map(|it| {
        let sum = immune_engine::client::Money::from_millionths(it);
        format!(", spent {sum}")
    });
    let cost = cost.unwrap_or_default();
    format!("answers, about {left} more{cost}")
}

/// What came out, in words: the outcome, the causes, what to quarantine, what it took.
pub(super) fn attributed(
    context: &mut Context,
    session: &Session,
    state: &State,
    view: &Attributed,
) -> Result<(), Failure> {
    let what = &view.what;
    let written = verb(session, "", " (nothing was written)");
    let (id, outcome) = (&what.attribution, outcome(what.outcome));
    let shape = view.shape.map(|it| format!(", {it}")).unwrap_or_default();
    let says = meaning(what.outcome);
    context
        .printer
        .line(format!("{id}  {outcome}{shape}: {says}{written}"))?;
    if let Some(stopped) = &view.stopped {
        let reason = escape::line(&stopped.reason);
        context.printer.line(format!("  {reason}"))?;
    }
    blamed(context, state, what)?;
    memories(context, state, "  to blame are some of", &view.suspects)?;
    certificate(context, &what.certificate, what)?;
    if let Some(spent) = view.spent {
        context.printer.line(format!("  spent {spent}"))?;
    }
    for known in bound::shown(&view.known) {
        print_known(context, known)?;
    }
    bound::say_more(context, 2, bound::left(&view.known))
}

/// One attribution with its answers.
pub(crate) fn attribution(
    context: &mut Context,
    state: &State,
    view: &Attribution,
) -> Result<(), Failure> {
    let (id, outcome) = (&view.attribution, outcome(view.outcome));
    let (at, by) = (
        show::moment(&view.at),
        escape::line(view.by.as_deref().unwrap_or_default()),
    );
    context
        .printer
        .line(format!("{id}  {outcome}  {at}  {by}"))?;
    let width = context.printer.width();
    let named = [
        ("asked", Some(&view.question)),
        ("wrong", view.wrong.as_ref()),
        ("expected", view.expected.as_ref()),
        ("judged by", view.judge.as_ref()),
        ("answered by", Some(&view.oracle)),
        ("in run", view.run.as_ref()),
        ("up to", view.decision.as_ref()),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            let line = format!("{name} {}", escape::line(value));
            context.printer.line(wrapped(&line, 2, width))?;
        }
    }
    blamed(context, state, view)?;
    certificate(context, &view.certificate, view)?;
    if !view.evidence_for.is_empty() {
        let of = bound::words(&view.evidence_for);
        context.printer.line(format!("  the evidence of {of}"))?;
    }
    for it in bound::shown(&view.retests) {
        let line = wrapped(&retested(it), 2, width);
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, bound::left(&view.retests))?;
    match &view.log {
        Some(log) => print_log(context, log),
        None => Ok(()),
    }
}

/// A test of what it blames, in words.
fn retested(it: &Retest) -> String {
    let (belief, at) = (&it.belief, show::moment(&it.at));
    let by = it.by.as_deref().unwrap_or_default();
    let outcome = match it.test {
        "released" => "released".to_owned(),
        "contradicted_by_record" => format!("held, as a system of record states {by}"),
        "contradicted_by_leading" => format!("held, as {by} leads"),
        "wrong_again" => format!("held, as the answer of {by} is wrong again"),
        _ => "held, as nobody answered".to_owned(),
    };
    let said = it
        .said
        .as_deref()
        .map(|it| format!(": {}", escape::line(it)));
    let who = it
        .oracle
        .as_deref()
        .map(|it| format!(", answered by {}", escape::line(it)));
    format!(
        "tested again {at} by {}: {belief} {outcome}{}{}",
        escape::line(&it.actor),
        said.unwrap_or_default(),
        who.unwrap_or_default()
    )
}

/// Every answer, with what it was given from.
fn print_log(context: &mut Context, log: &Log) -> Result<(), Failure> {
    let width = context.printer.width();
    let name = |number: &u32| {
        let memory = log.candidates.get(*number as usize);
        memory.map(word).unwrap_or_default()
    };
    let calls = log.calls.get(..CALLS_MAX).unwrap_or(&log.calls);
    let table: Vec<Vec<Cell>> = (1..)
        .zip(calls)
        .map(|(number, call): (usize, _)| {
            let shown: Vec<String> = call.shown.iter().map(name).collect();
            let shown = if shown.len() == log.candidates.len() {
                format!("all {}", shown.len())
            } else if shown.is_empty() {
                "none".to_owned()
            } else {
                bound::words(&shown)
            };
            let (style, verdict) = if call.fails {
                (RED, "wrong")
            } else {
                (GREEN, "right")
            };
            let answer = call.answer.and_then(|it| log.answers.get(it as usize));
            let answer = answer.map_or("no answer".to_owned(), |it| escape::line(it));
            vec![
                Cell::styled(DIM, format!("  {number}")),
                Cell::styled(style, verdict),
                Cell::from(shown),
                Cell::from(answer),
            ]
        })
        .collect();
    for line in rows(&table, width) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, log.calls.len() - calls.len())
}

/// The causes, what to quarantine, and what falls with it.
fn blamed(context: &mut Context, state: &State, what: &Attribution) -> Result<(), Failure> {
    causes(context, "cause", &what.causes, "")?;
    let outweighed = ", outweighed by what is true";
    causes(context, "hidden cause", &what.hidden, outweighed)?;
    memories(context, state, "  to quarantine", &what.correction)?;
    memories(context, state, "  falls with it", &what.fallen)
}

/// Numbered causes of a kind, a line each.
fn causes(
    context: &mut Context,
    kind: &str,
    all: &[Vec<Memory>],
    why: &str,
) -> Result<(), Failure> {
    for (number, cause) in (1..).zip(bound::shown(all)) {
        let members: Vec<String> = cause.iter().map(word).collect();
        let how = if members.len() == 1 {
            "alone"
        } else {
            "together"
        };
        let members = bound::words(&members);
        let line = format!("{kind} {number}: {members} {how}{why}");
        let line = wrapped(&line, 2, context.printer.width());
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, bound::left(all))
}

fn memories(
    context: &mut Context,
    state: &State,
    title: &str,
    all: &[Memory],
) -> Result<(), Failure> {
    if all.is_empty() {
        return Ok(());
    }
    context.printer.line(title)?;
    let table: Vec<Vec<Cell>> = bound::shown(all)
        .iter()
        .map(|it| {
            let (status, source, words) = memory(state, it);
            vec![
                Cell::styled(BOLD, format!("    {}", word(it))),
                Cell::styled(show::status_style(status), status),
                Cell::from(source),
                Cell::from(words),
            ]
        })
        .collect();
    for line in rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 4, bound::left(all))
}

/// A memory's status, whose words it is, and the words.
fn memory(state: &State, memory: &Memory) -> (&'static str, String, String) {
    let source = |id| show::source(&immune_api::SourceName::of(state, id));
    match memory.item.parse() {
        Ok(Item::Belief(id)) => {
            let status = state.belief_now(id).map_or("", |it| it.status.name());
            let sources = state.sources_behind(id).into_iter().map(source);
            let sources: Vec<String> = sources.collect();
            (status, bound::words(&sources), show::claim(state, id))
        }
        Ok(Item::Observation(id)) => note(state, id, source),
        _ => ("", String::new(), String::new()),
    }
}

fn note(
    state: &State,
    id: ObservationId,
    source: impl Fn(immune_model::SourceId) -> String,
) -> (&'static str, String, String) {
    let status = state.observation_status(id).map_or("", |it| it.name());
    let found = state.observation(id);
    let by = found.map(|it| source(it.source)).unwrap_or_default();
    let words = found.map(|it| escape::line(it.text.as_str()));
    (status, by, words.unwrap_or_default())
}

/// A memory in a word; with its turn, where there are several.
fn word(memory: &Memory) -> String {
    if memory.turn == 1 {
        memory.item.clone()
    } else {
        format!("turn_{}/{}", memory.turn, memory.item)
    }
}

fn certificate(context: &mut Context, it: &Certificate, what: &Attribution) -> Result<(), Failure> {
    let calls = show::count(it.calls, "answer");
    let of = show::count(what.candidates, "memory");
    let of = of.replace("memorys", "memories");
    let mut parts = vec![format!(
        "{calls} from {of}, {} to check that memory is to blame",
        it.guard_calls
    )];
    if !what.correction.is_empty() {
        let bound = it.bound_calls;
        parts.push(format!("at least {bound:.1} are needed to tell them"));
        let (right, replays) = (it.replays_right, it.replays);
        parts.push(format!("right {right} of {replays} times without them"));
        parts.push(format!("confidence {}", it.confidence));
    }
    if it.non_monotone > 0 {
        parts.push(format!("{} that no fixed causes give", it.non_monotone));
    }
    let line = wrapped(&parts.join("; "), 2, context.printer.width());
    context.printer.line(styled(DIM, line))?;
    Ok(())
}

fn print_known(context: &mut Context, known: &Known) -> Result<(), Failure> {
    let (belief, claim) = (&known.belief, escape::line(&known.claim));
    let subject = escape::line(&known.subject);
    let by = match &known.record {
        Some(record) => format!("{} states", show::source(record)),
        None => "what leads is".to_owned(),
    };
    let line = format!("about {subject}, {by} {belief}: {claim}");
    let line = wrapped(&line, 2, context.printer.width());
    context.printer.line(line)?;
    Ok(())
}

/// What became of the challenges.
pub(super) fn quarantine(
    context: &mut Context,
    session: &Session,
    state: &State,
    view: &Quarantine,
) -> Result<(), Failure> {
    if let Some(refused) = &view.refused {
        let refused = escape::line(refused);
        context
            .printer
            .line(format!("nothing was quarantined: {refused}"))?;
    }
    let would = verb(session, "", "would be ");
    for it in bound::shown(&view.challenged) {
        let outcome = show::outcome(it.outcome);
        let disputed = bound::words(&it.disputed);
        let line = match (&it.incident, &it.review) {
            (Some(incident), _) => {
                let (id, by) = (&incident.incident, show::cause(incident));
                format!("{would}{outcome} {by} in {id}")
            }
            (None, Some(review)) => {
                format!("{would}{outcome}: {review} asks a person about {disputed}; nothing fell")
            }
            (None, None) => format!(
                "{outcome}: nothing that stands disagrees with {}",
                it.claimed
            ),
        };
        context.printer.line(line)?;
    }
    for it in bound::shown(&view.left) {
        let (item, why) = (&it.item, escape::line(&it.why));
        let subject = item.parse().ok().and_then(|it: BeliefId| state.belief(it));
        let subject = subject.filter(|_| it.needs_subject);
        let about = subject.map(|it| {
            let option = Command::new("").option("--about", it.subject.as_str());
            let option = option.to_string();
            format!("; `{}` says that it is", option.trim_start())
        });
        let about = about.unwrap_or_default();
        context
            .printer
            .line(format!("left alone: {item}, as {why}{about}"))?;
    }
    bound::say_more(context, 0, bound::left(&view.left))
}

/// What to do after an attribution.
pub(super) fn next(context: &mut Context, state: &State, view: &Attributed) {
    let what = &view.what;
    if let Some(done) = &view.quarantine {
        return next_of_quarantine(context, done);
    }
    if what.outcome != "found" {
        if let Some(stopped) = &view.stopped {
            context.printer.note(escape::line(&stopped.advice));
        }
        return context.next(format!("attribute show {}", what.attribution));
    }
    // Found, and its second look was cut short.
    if let Some(stopped) = &view.stopped {
        context.printer.note(escape::line(&stopped.advice));
    }
    let mut beliefs = what.correction.iter();
    let first = beliefs.find_map(|it| it.item.parse::<BeliefId>().ok());
    let known = view.known.first();
    if let (Some(_), Some(known)) = (first, known) {
        let record = known.record.as_ref();
        let mut command = Command::new("attribute quarantine").plain(&what.attribution);
        if let Some(record) = record {
            command = command
                .option("--from", &record.handle)
                .option("--channel", &record.channel);
            if what.expected.is_none() {
                command = command
                    .option("--expected", &known.claim)
                    .option("--about", &known.subject);
            }
            return context.next(command);
        }
    }
    if let (Some(first), Some(_)) = (first, &what.expected)
        && let Some(record) = record_for(state, first)
    {
        let command = Command::new("attribute quarantine").plain(&what.attribution);
        let command = command.option("--from", &record.handle);
        return context.next(command.option("--channel", &record.channel));
    }
    match what.correction.first() {
        Some(memory) if first.is_none() || state.n_beliefs() == 0 => {
            let reason = format!("to blame in {}", what.attribution);
            let flag = Command::new("flag").plain(&memory.item);
            context.next(flag.option("--reason", &reason));
        }
        Some(memory) => context.next(format!("explain {}", memory.item)),
        None => {}
    }
}

/// A system of record for what a belief is about.
fn record_for(state: &State, belief: BeliefId) -> Option<SourceName> {
    let subject = &state.belief(belief)?.subject;
    let mut records = state
        .source_ids()
        .filter(|it| state.is_record(*it, subject));
    records.next().map(|it| SourceName::of(state, it))
}

/// What to do after a quarantine.
pub(super) fn next_of_quarantine(context: &mut Context, done: &Quarantine) {
    let incidents = done.challenged.iter().filter_map(|it| it.incident.as_ref());
    let incidents: Vec<&str> = incidents.map(|it| it.incident.as_str()).collect();
    if let Some(last) = incidents.last() {
        context.next(format!("incidents {last}"));
        for incident in &incidents {
            context.undo(format!("reinstate {incident}"));
        }
        return;
    }
    if done.challenged.iter().any(|it| it.review.is_some()) {
        return context.next("list reviews");
    }
    context.next(format!("attribute show {}", done.attribution));
}

/// An outcome in its colour.
pub(super) fn outcome(name: &'static str) -> String {
    let style = match name {
        "found" => RED,
        "not_reproduced" | "wrong_without_memory" => GREEN,
        _ => YELLOW,
    };
    styled(style, name.replace('_', " "))
}

/// What an outcome means.
fn meaning(outcome: &str) -> &'static str {
    match outcome {
        "found" => "without what is to quarantine, the answer is wrong no more",
        "not_reproduced" => "from all of them the answer is not wrong, so nobody is to blame",
        "wrong_without_memory" => "the answer is wrong from no memory at all, so none is to blame",
        "unstable" => "the same memories give one answer and another, so nothing can be told",
        _ => "it was stopped; this is the best so far",
    }
}
