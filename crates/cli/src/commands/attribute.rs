//! `attribute`: which memories made an answer wrong, and what follows from it.

pub(super) mod print;

use immune_api::attribute::{Attributed, Attribution, Quarantine};
use immune_api::list::{List, Row};
use immune_api::write::Challenged;
use immune_api::{Code, Reply};
use immune_engine::attribution::Answerer as _;
use immune_engine::reason::State;
use immune_engine::reason::plan::SourceRef;
use immune_engine::{
    Asking, Attribute, GivenFrom, QuarantineError, Quarantined, Response, Session, Snapshot,
    Watched,
};
use immune_model::shell::Command;
use immune_model::{
    AttributionId, Item, Namespace, Outcome, Premise, RunId, Subject, Text, limits,
};
use immune_oracle::Reader;

use super::{Context, bound, oracle, reply, response, reversals, rows};
use crate::args::{self, AttributeCommand, Named, named};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;

pub(crate) fn run(context: &mut Context, args: &args::Attribute) -> Result<Exit, Failure> {
    match &args.command {
        None => attribute(context, &args.answer),
        Some(AttributeCommand::List) => list(context),
        Some(AttributeCommand::Show(args)) => show_one(context, args),
        Some(AttributeCommand::Quarantine(args)) => quarantine(context, args),
    }
}

fn attribute(context: &mut Context, args: &args::WrongAnswer) -> Result<Exit, Failure> {
    let text = |it: &Option<String>| it.as_deref().map(Text::new).transpose();
    let question = Text::new(args.question.as_deref().unwrap_or_default())?;
    bound::check_limit(args.limit, limits::RECALL_HITS_MAX)?;
    let oracle = oracle::of(context, &args.again.oracle, &args.bounds)?;
    let judge = oracle::judge(args.again.judge.as_deref())?;
    let run = args.run.as_deref().map(RunId::new).transpose()?;
    context.embeds = run.is_none() && args.candidates.is_empty();
    let session = context.changer(args.again.dry_run)?;
    let before = session.snapshot()?;
    let request = Attribute {
        question,
        from: given_from(args, run, before.state())?,
        namespace: Namespace::new(&args.namespace)?,
        wrong: text(&args.wrong)?,
        expected: text(&args.expected)?,
        about: args.about.as_deref().map(Subject::new).transpose()?,
        judge: judge.as_ref().map(|(words, _)| words.clone()),
        calls_max: oracle.calls_max,
        noise: oracle.noise,
    };
    let from = args.from.as_deref();
    let from = from.map(|it| challenger(&session, it, args.channel.as_deref()));
    let from = from.transpose()?;
    let interrupts = Interrupts::listen()?;
    let is_stopped = || interrupts.asked();
    let mut bar = None;
    let printer = &context.printer;
    let mut watch = |it: Watched| {
        let total = it.calls as u64 + print::rounded(it.remaining);
        let bar = bar.get_or_insert_with(|| printer.progress(total.max(1)));
        bar.of(total.max(1));
        bar.at(it.calls as u64, it.calls as u64, &print::progress(&it));
    };
    let mut asking = Asking {
        judge: judge.as_ref().map(|(_, it)| it.as_ref()),
        watch: Some(&mut watch),
        is_stopped: Some(&is_stopped),
        ..Asking::new(oracle.answerer.as_ref())
    };
    let attributed = session.attribute(&request, &mut asking, from.as_ref());
    if let Some(bar) = bar {
        bar.done();
    }
    let attributed = attributed?;
    let after = session.snapshot()?;
    let challenged = challenged_views(&before, &after, attributed.quarantined.as_ref());
    let view = Attributed::of(after.state(), &attributed, challenged);
    let mut view = view.ok_or_else(|| Failure::new(Code::Internal, "it cannot be shown"))?;
    if !context.printer.is_json() {
        print::attributed(context, &session, after.state(), &view)?;
        if let Some(done) = &view.quarantine {
            print::quarantine(context, &session, after.state(), done)?;
            print_responses(context, &before, &after, attributed.quarantined.as_ref())?;
        }
    }
    if let Some(done) = &mut view.quarantine {
        drain(context, &session, done, args.no_reversals)?;
    }
    context.printer.reply(&reply(&session, view.clone()))?;
    if !session.is_preview() {
        print::next(context, after.state(), &view);
    }
    Ok(exit_of(attributed.what.outcome))
}

/// What the answer was given from.
fn given_from(
    args: &args::WrongAnswer,
    run: Option<RunId>,
    state: &State,
) -> Result<GivenFrom, Failure> {
    if let Some(run) = run {
        let decision = args.decision.as_ref().map(|it| it.find(state));
        return Ok(GivenFrom::Run {
            run,
            decision: decision.transpose()?,
        });
    }
    if args.candidates.is_empty() {
        return Ok(GivenFrom::Recall { limit: args.limit });
    }
    let items = Named::find_all(&args.candidates, state)?;
    let items = items.into_iter().map(|it| match it {
        Item::Belief(id) => Ok(Premise::Belief(id)),
        Item::Observation(id) => Ok(Premise::Observation(id)),
        other => Err(named::wrong_kind(other, "a belief or an observation")),
    });
    Ok(GivenFrom::Named(items.collect::<Result<_, _>>()?))
}

fn challenger(session: &Session, from: &str, channel: Option<&str>) -> Result<SourceRef, Failure> {
    let snapshot = session.snapshot()?;
    named::speaker(snapshot.state(), session.principal(), from, channel)
}

/// The exit of a command that attributed: no where nobody is to blame.
fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::Found => Exit::Yes,
        Outcome::Interrupted => Exit::Interrupted,
        Outcome::OracleFailed => Exit::CouldNotRun,
        Outcome::NotReproduced
        | Outcome::WrongWithoutMemory
        | Outcome::BudgetSpent
        | Outcome::Unstable => Exit::No,
    }
}

fn challenged_views(
    before: &Snapshot,
    after: &Snapshot,
    done: Option<&Quarantined>,
) -> Vec<Challenged> {
    let each = done.iter().flat_map(|it| &it.challenged);
    each.map(|it| {
        let response = response_of(before, after, it);
        Challenged::of(after.state(), it, response.as_ref())
    })
    .collect()
}

fn response_of(
    before: &Snapshot,
    after: &Snapshot,
    challenged: &immune_engine::reason::plan::Challenged,
) -> Option<Response> {
    let (incident, _) = challenged.incident.as_ref()?;
    Response::between(before.state(), after.state(), *incident)
}

fn print_responses(
    context: &mut Context,
    before: &Snapshot,
    after: &Snapshot,
    done: Option<&Quarantined>,
) -> Result<(), Failure> {
    for challenged in done.iter().flat_map(|it| &it.challenged) {
        if let Some(response) = response_of(before, after, challenged) {
            response::print(context, before.state(), after.state(), &response)?;
        }
    }
    Ok(())
}

/// Runs the compensations that are due, unless they are left for later.
fn drain(
    context: &mut Context,
    session: &Session,
    done: &mut Quarantine,
    is_left: bool,
) -> Result<(), Failure> {
    if session.is_preview() || is_left || done.challenged.is_empty() {
        return Ok(());
    }
    let ran = reversals::drain(context, session)?;
    reversals::print(context, &ran)?;
    if let Some(first) = done.challenged.first_mut() {
        first.reversals = ran;
    }
    Ok(())
}

fn list(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let all = state.attribution_ids().map(Item::from);
    let skipped = state.n_attributions().saturating_sub(bound::LINES_MAX);
    let skipped = if context.printer.is_json() {
        0
    } else {
        skipped
    };
    let items = all.skip(skipped).filter_map(|it| Row::of(state, it));
    let view = List {
        of: "attributions",
        items: items.collect(),
        next: None,
    };
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    if skipped > 0 {
        context.printer.line(format!("{skipped} before"))?;
    }
    rows::print(context, state, &view.items)?;
    match state.attribution_ids().next_back() {
        Some(last) => context.next(format!("attribute show {last}")),
        None => context.printer.note("no answer was attributed"),
    }
    Ok(Exit::Yes)
}

fn show_one(context: &mut Context, args: &args::ShowAttribution) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let id: AttributionId = args.attribution.find(state)?;
    let view = Attribution::with_log(state, id, &session.retests(id)?)
        .ok_or_else(|| named::absent(id.into()))?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print::attribution(context, state, &view)?;
    context.next(format!("history {id}"));
    Ok(Exit::Yes)
}

fn quarantine(context: &mut Context, args: &args::QuarantineBlamed) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let before = session.snapshot()?;
    let attribution = args.attribution.find(before.state())?;
    let command = immune_engine::Quarantine {
        attribution,
        from: challenger(&session, &args.from, args.channel.as_deref())?,
        claim: args.expected.as_deref().map(Text::new).transpose()?,
        about: args.about.as_deref().map(Subject::new).transpose()?,
        takes_incomplete: args.incomplete,
    };
    let done = session.quarantine(&command).map_err(|error| {
        let is_incomplete = matches!(error, QuarantineError::Incomplete { .. });
        let again = asked_again(before.state(), attribution, args);
        let failure = Failure::from(error);
        match again.filter(|_| is_incomplete) {
            Some(again) => failure.hint(format!("`immune {again}`")),
            None => failure,
        }
    })?;
    let after = session.snapshot()?;
    let challenged = challenged_views(&before, &after, Some(&done));
    let mut view = Quarantine::of(attribution, &done, challenged);
    if !context.printer.is_json() {
        print::quarantine(context, &session, after.state(), &view)?;
        print_responses(context, &before, &after, Some(&done))?;
    }
    drain(context, &session, &mut view, args.no_reversals)?;
    context.printer.reply(&reply(&session, view.clone()))?;
    if !session.is_preview() {
        print::next_of_quarantine(context, &view);
    }
    Ok(if view.challenged.is_empty() {
        Exit::No
    } else {
        Exit::Yes
    })
}

/// The command that asks again what an attribution asked, of whoever answered, and quarantines by
/// it as was wanted.
fn asked_again(
    state: &State,
    attribution: AttributionId,
    args: &args::QuarantineBlamed,
) -> Option<Command> {
    let what = &state.attribution(attribution)?.what;
    let expected = what.expected.as_ref().map(Text::as_str);
    let expected = args.expected.as_deref().or(expected);
    let mut again = Command::new("attribute")
        .option("--question", what.question.as_str())
        .option_if("--wrong", what.wrong.as_ref().map(Text::as_str))
        .option_if("--expected", expected)
        .option_if("--about", args.about.as_deref())
        .option_if("--run", what.run.as_ref().map(RunId::as_str));
    if let Some(decision) = what.decision {
        again = again.option("--decision", &decision.to_string());
    }
    // What a question recalls may be something else by now.
    if what.run.is_none() && what.candidates.len() <= bound::LINES_MAX {
        let candidates = what.candidates.iter();
        let candidates: Vec<String> = candidates.map(|it| it.item.to_string()).collect();
        again = again.option("--candidates", &candidates.join(","));
    }
    if what.namespace != Namespace::ROOT {
        again = again.option("--namespace", what.namespace.as_str());
    }
    again = match immune_oracle::Command::line_in(what.oracle.as_str()) {
        Some(line) => again.option("--oracle", &format!("cmd: {line}")),
        None if what.oracle.as_str() == Reader::new().name() => again,
        None => again.option("--oracle", "model"),
    };
    if let Some(judge) = &what.judge {
        again = again.option("--judge", &format!("cmd: {judge}"));
    }
    let calls = (2 * what.calls.len()).min(limits::ATTRIBUTION_CALLS_MAX);
    if what.outcome == Outcome::BudgetSpent && calls > limits::ATTRIBUTION_CALLS {
        again = again.option("--max-calls", &calls.to_string());
    }
    if expected.is_some() {
        again = again
            .plain("--quarantine")
            .option("--from", &args.from)
            .option_if("--channel", args.channel.as_deref());
    }
    Some(again)
}
