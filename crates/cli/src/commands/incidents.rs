//! `incidents`: what was refuted or flagged, in a line each, or one with all that it did.

use immune_api::list::Row;
use immune_api::response::{Incident, Incidents, ListedIncident, Queued};
use immune_api::write;
use immune_api::{Code, Reply};
use immune_engine::reason::State;
use immune_model::{IncidentId, Item};

use super::{Context, bound, response, rows, show};
use crate::args::{self, Named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;

pub(crate) fn run(context: &mut Context, args: &args::Incidents) -> Result<Exit, Failure> {
    match &args.incident {
        Some(incident) => show_one(context, incident),
        None => list(context),
    }
}

fn list(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let incidents = state.incident_ids();
    let view = Incidents {
        incidents: incidents
            .filter_map(|it| ListedIncident::of(state, it))
            .collect(),
    };
    if context.printer.reply(&Reply::new(view))? {
        return Ok(Exit::Yes);
    }
    let (items, all) = (
        state.incident_ids().map(Item::from),
        state.incident_ids().count(),
    );
    let items = items.skip(all.saturating_sub(bound::LINES_MAX));
    let items: Vec<Row> = items.filter_map(|it| Row::of(state, it)).collect();
    if all > items.len() {
        let before = all - items.len();
        context.printer.line(format!("{before} before"))?;
    }
    rows::print(context, state, &items)?;
    match state.incident_ids().next_back() {
        Some(last) => context.next(format!("incidents {last}")),
        None => context.printer.note("nothing was refuted or flagged"),
    }
    Ok(Exit::Yes)
}

fn show_one(context: &mut Context, named: &Named<IncidentId>) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let id = named.find(state)?;
    let response = session.response(id)?;
    let response = response.ok_or_else(|| args::named::absent(id.into()))?;
    let view = Incident::of(state, &response)
        .ok_or_else(|| Failure::new(Code::Internal, format!("`{id}` cannot be shown")))?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print_cause(context, &view.what)?;
    response::print(context, state, state, &response)?;
    print_queue(context, &view.queue)?;
    print_tasks_done(context, state, &view)?;
    if view.what.reinstated_at.is_none() {
        context.undo(format!("reinstate {id}"));
    }
    Ok(Exit::Yes)
}

fn print_cause(context: &mut Context, incident: &write::Incident) -> Result<(), Failure> {
    let stands = match &incident.reinstated_at {
        Some(at) => format!("undone {}", show::moment(at)),
        None if incident.is_released() => "released".to_owned(),
        None => "stands".to_owned(),
    };
    let (id, by, about) = (
        &incident.incident,
        show::cause(incident),
        escape::line(&show::about(incident)),
    );
    let opened = show::moment(&incident.opened_at);
    context
        .printer
        .line(format!("{id}  {stands}  {opened}  {by}: {about}"))?;
    if !incident.evidence.is_empty() {
        let evidence = bound::words(&incident.evidence);
        context
            .printer
            .line(format!("  the evidence is {evidence}"))?;
    }
    for it in bound::shown(&incident.paroled) {
        let (belief, at) = (&it.belief, show::moment(&it.at));
        let line = format!("  {belief} was tested again and released {at}");
        context.printer.line(line)?;
    }
    let Some(flagged) = &incident.flagged else {
        return Ok(());
    };
    if let Some(from) = &flagged.received_from {
        let from = show::moment(from);
        context
            .printer
            .line(format!("  what was received since {from}"))?;
    }
    if let Some(reason) = &flagged.reason {
        let line = wrapped(&escape::line(reason), 2, context.printer.width());
        context.printer.line(line)?;
    }
    Ok(())
}

fn print_queue(context: &mut Context, queue: &[Queued]) -> Result<(), Failure> {
    for queued in bound::shown(queue) {
        let (id, kind) = (&queued.action.action, escape::line(&queued.action.kind));
        let status = show::status(queued.action.status);
        let mut parts = vec![format!("  {id}  {status}  {kind}")];
        if queued.cancelled {
            parts.push("its reversal is cancelled".to_owned());
        }
        if queued.attempts > 0 {
            let tried = show::count(queued.attempts as usize, "attempt");
            parts.push(format!("{tried} without success"));
        }
        if let Some(at) = &queued.next_at {
            parts.push(format!("next {}", show::moment(at)));
        }
        let line = parts.join(", ");
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, bound::left(queue))
}

/// The open tasks are part of the response; those that ended are told here.
fn print_tasks_done(
    context: &mut Context,
    state: &State,
    incident: &Incident,
) -> Result<(), Failure> {
    let ended = incident.tasks.iter().filter(|it| it.state != "open");
    let more = ended.clone().count().saturating_sub(bound::LINES_MAX);
    for task in ended.take(bound::LINES_MAX) {
        let words = task.belief.parse();
        let words = words.map(|it| response::words(context, state, it));
        let line = format!(
            "{}  {}  {}",
            task.task,
            task.state,
            words.unwrap_or_default()
        );
        let line = wrapped(&line, 2, context.printer.width());
        context.printer.line(line)?;
    }
    bound::say_more(context, 0, more)
}
