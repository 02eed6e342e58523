//! The mesh in lines: who is quarantined, incidents with their way and their cone, antibodies.

use immune_api::mesh::{Antibodies, Flagged, Incident, Incidents, Shown, Status};
use immune_engine::Session;

use super::super::{Context, bound, show, verb};
use crate::escape;
use crate::failure::Failure;
use crate::layout::{Cell, rows, wrapped};
use crate::printer::{DIM, styled};

pub(super) fn status(context: &mut Context, view: &Status) -> Result<(), Failure> {
    let (confirmed, advisory) = (view.confirmed, view.advisory);
    let retracted = view.retracted;
    context.printer.line(format!(
        "incidents   {confirmed} confirmed, {advisory} advisory, {retracted} retracted"
    ))?;
    let (antibodies, blocked) = (view.antibodies, show::count(view.blocked, "text"));
    context.printer.line(format!(
        "antibodies  {antibodies} at work, {blocked} blocked"
    ))?;
    let habit = match view.cites {
        None => "not known yet: the first calls are looked at",
        Some(true) => "agents cite what came along; what takes unusually much is told",
        Some(false) => "agents take nothing of what came along; what does is stopped",
    };
    context.printer.line(format!("habit       {habit}"))?;
    let n = show::count(view.quarantined.len(), "agent");
    context.printer.line(format!("quarantined {n}"))?;
    for it in bound::shown(&view.quarantined) {
        let (identity, over) = (escape::line(&it.identity), bound::words(&it.incidents));
        context.printer.line(format!("  {identity}  over {over}"))?;
    }
    bound::say_more(context, 2, bound::left(&view.quarantined))
}

fn before(context: &mut Context, before: usize) -> Result<(), Failure> {
    if before > 0 {
        context.printer.line(format!("{before} before"))?;
    }
    Ok(())
}

pub(super) fn incidents(context: &mut Context, view: &Incidents) -> Result<(), Failure> {
    before(context, view.before)?;
    let table: Vec<Vec<Cell>> = view
        .incidents
        .iter()
        .map(|it| {
            vec![
                Cell::from(it.incident.clone()),
                Cell::from(it.status),
                Cell::from(it.ground),
                Cell::from(show::moment(&it.observed_at)),
                Cell::styled(DIM, way(it)),
            ]
        })
        .collect();
    let width = context.printer.width();
    for line in rows(&table, width) {
        context.printer.line(line)?;
    }
    Ok(())
}

/// The agents that a payload went through, and how many it reached in all.
fn way(incident: &Incident) -> String {
    let agents = incident.path.iter().map(|it| escape::line(it));
    let agents: Vec<String> = agents.take(bound::WORDS_MAX).collect();
    let reached = show::count(incident.reached.len(), "agent");
    format!("{}, {reached} reached", agents.join(" -> "))
}

pub(super) fn incident(context: &mut Context, view: &Shown) -> Result<(), Failure> {
    let it = &view.incident;
    let (id, status, ground, score) = (&it.incident, it.status, it.ground, it.score);
    let at = show::moment(&it.observed_at);
    let width = context.printer.width();
    context
        .printer
        .line(format!("{id}  {status}, {ground} {score}  {at}"))?;
    context
        .printer
        .line(wrapped(&format!("way  {}", way(it)), 2, width))?;
    for agent in bound::shown(&it.reached) {
        let (name, since) = (escape::line(&agent.agent), show::moment(&agent.since));
        let runs = bound::words_by(&agent.runs, |it| escape::line(it));
        let runs = match runs.as_str() {
            "" => String::new(),
            runs => format!(", in {runs}"),
        };
        let line = format!("    {name}  since {since}{runs}");
        context.printer.line(styled(DIM, line))?;
    }
    bound::say_more(context, 4, bound::left(&it.reached))?;
    for (what, which) in [
        ("quarantined", &it.quarantined),
        ("antibodies", &it.antibodies),
    ] {
        if !which.is_empty() {
            let which = bound::words_by(which, |it| escape::line(it));
            context.printer.line(format!("  {what}  {which}"))?;
        }
    }
    cone(context, view)
}

/// What its agents wrote since, and what rests on that.
fn cone(context: &mut Context, view: &Shown) -> Result<(), Failure> {
    let total = view.wrote.len() + view.more_wrote;
    let wrote = show::count(total, "record");
    context.printer.line(format!("  wrote since  {wrote}"))?;
    let table: Vec<Vec<Cell>> = bound::shown(&view.wrote)
        .iter()
        .map(|it| {
            let run = it
                .run
                .as_deref()
                .map(|it| format!("in {}", escape::line(it)));
            vec![
                Cell::from(format!("    {}", it.item)),
                Cell::styled(show::status_style(it.status), it.status),
                Cell::from(show::source(&it.source)),
                Cell::styled(DIM, show::moment(&it.at)),
                Cell::styled(DIM, run.unwrap_or_default()),
            ]
        })
        .collect();
    let width = context.printer.width();
    for line in rows(&table, width) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 4, total - bound::shown(&view.wrote).len())?;
    for (what, which) in [
        ("would fall", &view.would_fall),
        ("would stand by other support", &view.would_stand),
        ("flagged in", &view.flagged_in),
    ] {
        if !which.is_empty() {
            let which = bound::words(which);
            context.printer.line(format!("  {what}  {which}"))?;
        }
    }
    Ok(())
}

pub(super) fn antibodies(context: &mut Context, view: &Antibodies) -> Result<(), Failure> {
    before(context, view.before)?;
    let table: Vec<Vec<Cell>> = view
        .antibodies
        .iter()
        .map(|it| {
            vec![
                Cell::from(it.antibody.clone()),
                Cell::from(it.status),
                Cell::from(format!("confidence {}", it.confidence)),
                Cell::from(format!("blocked {}", it.hits)),
                Cell::from(format!("of {}", it.incident)),
                Cell::styled(DIM, format!("until {}", show::moment(&it.expires_at))),
            ]
        })
        .collect();
    let width = context.printer.width();
    for line in rows(&table, width) {
        context.printer.line(line)?;
    }
    Ok(())
}

pub(super) fn flagged(
    context: &mut Context,
    session: &Session,
    view: &Flagged,
) -> Result<(), Failure> {
    for it in bound::shown(&view.flagged) {
        let verb = if it.repeated {
            "was flagged already:"
        } else {
            verb(session, "flagged:", "would flag:")
        };
        let (about, incident) = (show::about(&it.incident.what), &it.incident.what.incident);
        let about = escape::line(&about);
        let fell = show::count(it.incident.what.revoked.len(), "belief");
        context.printer.line(format!(
            "{verb} {} {about} in {incident}; {fell} fell with it",
            it.item
        ))?;
        if !it.incident.what.revoked.is_empty() {
            let which = bound::words(&it.incident.what.revoked);
            context.printer.line(styled(DIM, format!("  {which}")))?;
        }
    }
    bound::say_more(context, 0, bound::left(&view.flagged))
}
