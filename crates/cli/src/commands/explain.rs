//! `explain`: why an item is what it is, and what was built on it.

use immune_api::certificate::Certificate;
use immune_api::explain::{Belief, Detail, Explained, Justification};
use immune_api::list::Row;
use immune_api::screen::Report;
use immune_api::{Code, Reply};
use immune_engine::Session;
use immune_engine::reason::State;
use immune_engine::reason::state::Grounds;
use immune_model::{BeliefId, Item, RunId, Trust};

use super::{Context, bound, reputation, screening, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::moment;
use crate::printer::{BOLD, DIM, styled};

pub(crate) fn run(context: &mut Context, args: &args::Explain) -> Result<Exit, Failure> {
    let run = args.run.as_deref().map(RunId::new).transpose()?;
    let session = context.reader_in(run.as_ref())?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let named = args.item.find(state)?;
    let item = match named {
        Item::Justification(id) => state.justification(id).map(|it| it.belief.into()),
        item => Some(item),
    };
    let item = item.ok_or_else(|| args::named::absent(named))?;
    let view = match item {
        Item::Belief(id) => {
            let explained = immune_engine::Explained::of(state);
            let explained = explained.as_of(session.present(state)).belief(id);
            explained.map(|it| Explained::belief(state, &it))
        }
        item => Row::explained(state, item).map(|row| Explained::row(item, row)),
    };
    let mut view =
        view.ok_or_else(|| Failure::new(Code::Internal, format!("`{item}` cannot be explained")))?;
    view.mesh_incidents = state
        .mesh_incidents_of(item)
        .iter()
        .map(ToString::to_string)
        .collect();
    if run.is_some() || matches!(item, Item::Belief(_) | Item::Observation(_)) {
        session.show_in(run.as_ref(), told(context, item, &view)?)?;
    }
    if args.screening {
        view.screening = Some(screening(&session, named)?);
    }
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    match &view.detail {
        Detail::Belief(belief) => print_belief(context, state, belief)?,
        Detail::Row(row) => reputation::print_item(context, state, row)?,
    }
    if let Some(report) = &view.screening {
        context.printer.line("when it was written:")?;
        screening::print_report(context, state, report)?;
    }
    if !view.mesh_incidents.is_empty() {
        let over = bound::words(&view.mesh_incidents);
        let line = format!("whoever wrote it had been reached by {over} of the mesh");
        let width = context.printer.width();
        context.printer.line(wrapped(&line, 2, width))?;
    }
    context.next(format!("history {item}"));
    Ok(Exit::Yes)
}

/// The memories whose words the explanation of an item has.
fn told(context: &Context, item: Item, view: &Explained) -> Result<Vec<Item>, Failure> {
    if !matches!(item, Item::Belief(_) | Item::Observation(_)) {
        let wanted = "a belief or an observation, where a run is shown it";
        return Err(args::named::wrong_kind(item, wanted));
    }
    let built = match &view.detail {
        // JSON has the ids of what was built on it, and not its words.
        Detail::Belief(belief) if !context.printer.is_json() => bound::shown(&belief.reached),
        _ => &[],
    };
    let built = built.iter().filter_map(|it| it.belief.parse().ok());
    Ok(std::iter::once(item).chain(built).collect())
}

/// How an observation, or the one that a justification is from, was screened when it was written.
fn screening(session: &Session, named: Item) -> Result<Report, Failure> {
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let observation = match named {
        Item::Observation(id) => Some(id),
        Item::Justification(id) => state.justification(id).and_then(|it| match it.grounds {
            Grounds::Statement { observation, .. } => Some(observation),
            Grounds::Derivation { .. } => None,
        }),
        _ => None,
    };
    let observation = observation.ok_or_else(|| {
        Failure::usage(format!("`{named}` is no observation, and was not screened"))
            .hint("`immune explain obs_1 --screening`")
    })?;
    let then = session.screened_then(observation)?;
    let then = then.ok_or_else(|| args::named::absent(observation.into()))?;
    let found = state.observation(observation).map(|it| it.screening);
    let found = found.ok_or_else(|| args::named::absent(observation.into()))?;
    Ok(Report::of_earlier(&then, found))
}

fn print_belief(context: &mut Context, state: &State, belief: &Belief) -> Result<(), Failure> {
    let width = context.printer.width();
    let (status, strength) = (show::status(belief.status), strength(state, &belief.belief));
    let (id, subject) = (&belief.belief, escape::line(&belief.subject));
    let why = escape::line(&belief.why);
    let claim = wrapped(&escape::line(&belief.claim), 2, width);
    let printer = &mut context.printer;
    printer.line(format!("{id}  {status}, strength {strength}  {subject}"))?;
    printer.line(styled(BOLD, claim))?;
    printer.line(wrapped(&why, 2, width))?;
    let believed = show::moment(&belief.believed_at);
    let ended = belief.ended_at.as_ref();
    let ended = ended.map_or_else(String::new, |it| format!(", until {}", show::moment(it)));
    printer.line(styled(DIM, format!("  believed since {believed}{ended}")))?;
    if !belief.literals.is_empty() {
        let literals = bound::words_by(&belief.literals, |it| {
            format!("{} {}", it.kind, escape::line(&it.value))
        });
        printer.line(wrapped(&format!("holds {literals}"), 2, width))?;
    }
    if !belief.blamed_in.is_empty() {
        let blamed = bound::words(&belief.blamed_in);
        printer.line(format!("  to blame for a wrong answer in {blamed}"))?;
    }
    if let Some(fading) = &belief.fading {
        let (weight, fresh) = (belief.weight, fading.fresh_weight);
        let (span, area) = (
            moment::span(fading.half_life_seconds),
            escape::line(&fading.area),
        );
        let line = format!("weighs {weight:.2} of {fresh:.2}: half-life {span} in {area}");
        printer.line(wrapped(&line, 2, width))?;
    }
    printer.line("justified by")?;
    for justification in bound::shown(&belief.justifications) {
        print_justification(context, justification)?;
    }
    bound::say_more(context, 2, bound::left(&belief.justifications))?;
    print_certificate(context, &belief.certificate)?;
    print_consequences(context, state, belief)
}

/// The proof or the cut, nearest to the belief; the judge has read all of it.
fn print_certificate(context: &mut Context, certificate: &Certificate) -> Result<(), Failure> {
    let (kind, length) = (certificate.kind, certificate.length);
    let parts = match kind {
        "proof" => show::count(length, "step"),
        _ => show::count(length, "belief"),
    };
    let verdict = match &certificate.rejected {
        None => "accepted by the judge".to_owned(),
        Some(reason) => format!("rejected by the judge: {reason}"),
    };
    let printer = &mut context.printer;
    printer.line(format!("{kind} of {parts}, {verdict}"))?;
    let steps = &certificate.steps;
    if length > bound::LINES_MAX && kind == "proof" {
        printer.line(format!("  {} before", length - bound::LINES_MAX))?;
    }
    for step in steps
        .iter()
        .skip(steps.len().saturating_sub(bound::LINES_MAX))
    {
        let (id, belief, premises) = (
            &step.justification,
            &step.belief,
            bound::words(&step.premises),
        );
        printer.line(format!("  {belief}  by {id} from {premises}"))?;
    }
    for lost in certificate.lost.iter().take(bound::LINES_MAX) {
        let losses = lost.losses.iter().map(|it| {
            let id = &it.justification;
            match (&it.lost, it.closed, &it.flagged_in) {
                (Some(lost), _, _) => format!("{id} lost {lost}"),
                (None, Some(closed), _) => format!("{id} is {closed}"),
                (None, None, Some(incident)) => format!("{id} is flagged in {incident}"),
                (None, None, None) => format!("{id} does not count"),
            }
        });
        let refuted = lost.refuted_in.iter().map(|it| format!("refuted in {it}"));
        let mut parts: Vec<String> = refuted.chain(losses).collect();
        if parts.is_empty() {
            parts.push("nothing justifies it".to_owned());
        }
        printer.line(format!("  {}  {}", lost.belief, bound::parts(&parts)))?;
    }
    let more = match kind {
        "cut" => length.saturating_sub(bound::LINES_MAX),
        _ => 0,
    };
    bound::say_more(context, 2, more)
}

fn print_justification(
    context: &mut Context,
    justification: &Justification,
) -> Result<(), Failure> {
    let width = context.printer.width();
    let by = justification.by.as_ref().map(|it| show::source(&it.name));
    let id = &justification.justification;
    let holds = show::outcome_of_justification(justification);
    let read = match justification.screening {
        Some(screening @ ("rules" | "model")) => format!(", read by {screening}"),
        _ => String::new(),
    };
    let what = match (&justification.observation, by) {
        (Some(observation), Some(by)) => format!("stated in {observation} by {by}{read}"),
        (Some(observation), None) => format!("stated in {observation}"),
        (None, Some(by)) => format!("derived by {by} from"),
        (None, None) => "imported, from".to_owned(),
    };
    context.printer.line(format!("  {id}  {holds}  {what}"))?;
    for premise in bound::shown(&justification.premises) {
        let status = show::status(premise.status);
        let premise = &premise.premise;
        context.printer.line(format!("    {premise}  {status}"))?;
    }
    bound::say_more(context, 4, bound::left(&justification.premises))?;
    if let Some(by) = justification.by.as_ref().filter(|_| justification.own_word) {
        let by = show::source(&by.name);
        let line = format!("no premise says its value: it is the word of {by}");
        context.printer.line(wrapped(&line, 4, width))?;
    }
    let claim = wrapped(&escape::line(&justification.claim), 4, width);
    context.printer.line(styled(DIM, claim))?;
    // What its channel, its premises or its context say is told by their own; the rest is not.
    let trusted = justification.trusted.as_ref();
    if let Some(trusted) =
        trusted.filter(|it| !matches!(it.decided_by, "tier" | "premise" | "context"))
    {
        let line = format!("trusted {}", screening::believed(trusted));
        let line = wrapped(&line, 4, width);
        context.printer.line(styled(DIM, line))?;
    }
    if let Some(shown) = &justification.context {
        let weakest = shown.weakest.as_ref().map(|it| {
            let run = escape::line(&it.run);
            format!(", the weakest {} in {run}", it.item)
        });
        let (items, strength) = (show::count(shown.items, "item"), shown.strength);
        let capped = if shown.caps { "capped at" } else { "at most" };
        let line = format!(
            "{capped} {strength}: {} was shown {items} before{}",
            escape::line(&shown.run),
            weakest.unwrap_or_default()
        );
        context.printer.line(wrapped(&line, 4, width))?;
    }
    Ok(())
}

fn print_consequences(
    context: &mut Context,
    state: &State,
    belief: &Belief,
) -> Result<(), Failure> {
    if !belief.rivals.is_empty() {
        let rivals = bound::words(&belief.rivals);
        context.printer.line(format!("disputed by {rivals}"))?;
    }
    if !belief.actions.is_empty() {
        context.printer.line("relied on by")?;
    }
    for action in bound::shown(&belief.actions) {
        let (id, status) = (&action.action, show::status(action.status));
        let kind = escape::line(&action.kind);
        context.printer.line(format!("  {id}  {status}  {kind}"))?;
    }
    bound::say_more(context, 2, bound::left(&belief.actions))?;
    if !belief.reached.is_empty() {
        let n = show::count(belief.reached.len(), "belief");
        context.printer.line(format!("{n} built on it"))?;
    }
    for reached in bound::shown(&belief.reached) {
        let indent = "  ".repeat(reached.depth.min(12) as usize);
        let (id, status) = (&reached.belief, show::status(reached.status));
        let claim = id.parse::<BeliefId>().map(|it| show::claim(state, it));
        let claim = claim.unwrap_or_default();
        context
            .printer
            .line(format!("{indent}{id}  {status}  {claim}"))?;
    }
    bound::say_more(context, 2, bound::left(&belief.reached))
}

/// The strength of a belief as people read it.
pub(crate) fn strength(state: &State, belief: &str) -> String {
    let now = belief.parse().ok().and_then(|it| state.belief_now(it));
    now.map_or(Trust::ZERO, |it| it.strength).to_string()
}
