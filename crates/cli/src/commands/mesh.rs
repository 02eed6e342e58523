//! `mesh`: calls of models that are looked at, and what an operator sees and decides of it.

mod lines;
mod show;

use immune_api::Reply;
use immune_api::mesh::{
    Antibodies, Antibody, Changed, Flagged, Incidents, Shown, Status, Unflagged,
};
use immune_api::response::{self, Incident};
use immune_engine::{Response, Session};
use immune_model::shell::Command;
use immune_model::{Handle, MeshIncidentId, Text, limits};

use super::{Context, bound, reinstate, reply, reversals, verb};
use crate::args::{self, AntibodiesCommand, MeshCommand};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::Mesh) -> Result<Exit, Failure> {
    match &args.command {
        MeshCommand::Screen(args) => lines::run(
            context,
            args,
            lines::Side::Before,
            args::ByMeaning::default(),
        ),
        MeshCommand::Observe(args) => {
            let side = lines::Side::After;
            lines::run(context, &args.lines, side, args.meaning)
        }
        MeshCommand::Status => status(context),
        MeshCommand::Incidents(args) => incidents(context, args),
        MeshCommand::Show(args) => show_one(context, args),
        MeshCommand::Antibodies(args) => match &args.command {
            None => antibodies(context, None),
            Some(AntibodiesCommand::List(args)) => antibodies(context, args.limit),
            Some(AntibodiesCommand::Review(args)) => review(context, args),
            Some(AntibodiesCommand::Retract(args)) => retract_antibody(context, args),
        },
        MeshCommand::Habit(args) => habit(context, args),
        MeshCommand::Release(args) => release(context, args),
        MeshCommand::Retract(args) => retract(context, args),
    }
}

/// Whether a command asks about a state, and may ask about an earlier one.
pub(crate) fn has_a_past(args: &args::Mesh) -> bool {
    match &args.command {
        MeshCommand::Status | MeshCommand::Incidents(_) | MeshCommand::Show(_) => true,
        MeshCommand::Antibodies(args) => {
            matches!(args.command, None | Some(AntibodiesCommand::List(_)))
        }
        MeshCommand::Screen(_)
        | MeshCommand::Observe(_)
        | MeshCommand::Habit(_)
        | MeshCommand::Release(_)
        | MeshCommand::Retract(_) => false,
    }
}

fn limit(context: &Context, named: Option<usize>) -> Result<usize, Failure> {
    bound::check_limit(named.unwrap_or(1), usize::MAX)?;
    let usual = if context.printer.is_json() {
        limits::PAGE_ROWS_MAX
    } else {
        bound::LINES_MAX
    };
    Ok(named.unwrap_or(usual))
}

fn status(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let view = Status::of(snapshot.state(), session.present(snapshot.state()));
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    show::status(context, &view)?;
    match snapshot.state().mesh_incident_ids().next_back() {
        Some(last) => context.next(format!("mesh show {last}")),
        None => context.next("mesh observe --help"),
    }
    Ok(Exit::Yes)
}

fn incidents(context: &mut Context, args: &args::MeshIncidents) -> Result<Exit, Failure> {
    let limit = limit(context, args.limit)?;
    let session = context.reader()?;
    let view = Incidents::of(session.snapshot()?.state(), limit);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    show::incidents(context, &view)?;
    match view.incidents.last() {
        Some(last) => context.next(format!("mesh show {}", last.incident)),
        None => context.printer.note("nothing copied itself here"),
    }
    Ok(Exit::Yes)
}

fn show_one(context: &mut Context, args: &args::ShowMeshIncident) -> Result<Exit, Failure> {
    let limit = limit(context, args.limit)?;
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let id = args.incident.find(snapshot.state())?;
    let view = Shown::of(snapshot.state(), id, limit);
    let view = view.ok_or_else(|| args::named::absent(id.into()))?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    show::incident(context, &view)?;
    if view.heal.is_some() {
        context.next(format!("flag {id}"));
    } else if let Some(flag) = view.flagged_in.first() {
        context.next(format!("incidents {flag}"));
    }
    if view.incident.retracted_at.is_none() {
        context.undo(format!("mesh retract {id}"));
    }
    Ok(Exit::Yes)
}

fn antibodies(context: &mut Context, named: Option<usize>) -> Result<Exit, Failure> {
    let limit = limit(context, named)?;
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let now = session.present(snapshot.state());
    let view = Antibodies::of(snapshot.state(), limit, now);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    show::antibodies(context, &view)?;
    match view.antibodies.last() {
        Some(last) => context.next(format!("mesh show {}", last.incident)),
        None => context.printer.note("there is no antibody"),
    }
    Ok(Exit::Yes)
}

fn review(context: &mut Context, args: &args::ReviewAntibody) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let before = session.snapshot()?;
    let id = args.antibody.find(before.state())?;
    let was = before.state().antibody(id).map(|it| it.confidence);
    let changed = session.review_antibody(id, args.confidence)?;
    let after = session.snapshot()?;
    let now = session.present(after.state());
    if let Some(view) = Antibody::of(after.state(), id, now) {
        if context.printer.reply(&reply(&session, view.clone()))? {
            return Ok(Exit::Yes);
        }
        let verb = super::set_verb(&session, changed);
        let (confidence, status) = (view.confidence, view.status);
        let line = format!("{id} {verb}: confidence {confidence}, {status}");
        context.printer.line(line)?;
    }
    if !session.is_preview() {
        context.next("mesh antibodies");
        if let Some(was) = was.filter(|_| changed) {
            context.undo(format!("mesh antibodies review {id} --confidence {was}"));
        }
    }
    Ok(Exit::Yes)
}

fn retract_antibody(context: &mut Context, args: &args::RetractAntibody) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let id = args.antibody.find(session.snapshot()?.state())?;
    let undone = session.retract_antibody(id)?;
    changed(context, &session, id.to_string(), "retracted", undone.stood)
}

fn retract(context: &mut Context, args: &args::RetractMeshIncident) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let id = args.incident.find(session.snapshot()?.state())?;
    let undone = session.retract_mesh_incident(id)?;
    changed(context, &session, id.to_string(), "retracted", undone.stood)
}

fn habit(context: &mut Context, args: &args::MeshHabit) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let before = session.snapshot()?.state().mesh_cites();
    let word = |cites| if cites { "cites" } else { "takes-nothing" };
    let cites = args.habit == args::Habit::Cites;
    let undone = session.set_mesh_habit(cites)?;
    let what = word(cites).to_owned();
    let view = Changed {
        what,
        change: "said",
        repeated: !undone.stood,
    };
    if context.printer.reply(&reply(&session, view))? {
        return Ok(Exit::Yes);
    }
    let verb = match undone.stood {
        true if session.is_preview() => "would be said of the agents",
        true => "is said of the agents",
        false => "was said of the agents before",
    };
    context.printer.line(format!("{} {verb}", word(cites)))?;
    if !session.is_preview() {
        context.next("mesh status");
        if let Some(before) = before.filter(|it| *it != cites) {
            context.undo(format!("mesh habit {}", word(before)));
        }
    }
    Ok(Exit::Yes)
}

fn release(context: &mut Context, args: &args::ReleaseAgent) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let identity = Handle::new(&args.identity)?;
    session.release_agent(&identity)?;
    changed(context, &session, identity.to_string(), "released", true)
}

fn changed(
    context: &mut Context,
    session: &Session,
    what: String,
    change: &'static str,
    stood: bool,
) -> Result<Exit, Failure> {
    let view = Changed {
        what,
        change,
        repeated: !stood,
    };
    if context.printer.reply(&reply(session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let would = match change {
        "released" => "would be released",
        _ => "would be retracted",
    };
    let verb = match (stood, change) {
        (true, _) => verb(session, change, would),
        (false, _) => "was retracted before",
    };
    let what = escape::line(&view.what);
    context.printer.line(format!("{what} {verb}"))?;
    if !session.is_preview() {
        context.next("mesh status");
    }
    Ok(Exit::Yes)
}

/// `flag` of an incident of the mesh: what its agents wrote since it reached them.
pub(crate) fn flag(
    context: &mut Context,
    args: &args::Flag,
    id: MeshIncidentId,
) -> Result<Exit, Failure> {
    if args.since.is_some() || args.channel.is_some() {
        let message = "an incident of the mesh says itself whom it reached, and since when";
        return Err(Failure::usage(message).hint(format!("`immune flag {id}`")));
    }
    let session = context.changer(args.dry_run)?;
    let before = session.snapshot()?;
    let reason = args.reason.as_deref().map(Text::new).transpose()?;
    let flagged = session.flag_mesh(id, reason)?;
    let after = session.snapshot()?;
    let mut ran = Vec::new();
    if !session.is_preview() && !args.no_reversals {
        ran = reversals::drain(context, &session)?;
    }
    let now = session.snapshot()?;
    let mut view = Flagged {
        mesh_incident: id.to_string(),
        flagged: Vec::new(),
    };
    for it in &flagged {
        let response = Response::between(before.state(), after.state(), it.incident);
        let incident = response.and_then(|it| Incident::of(now.state(), &it));
        view.flagged
            .extend(incident.map(|incident| response::Flagged {
                item: it.target.to_string(),
                repeated: it.repeated,
                incident,
                ran: Vec::new(),
            }));
    }
    if let Some(first) = view.flagged.first_mut() {
        first.ran.clone_from(&ran);
    }
    if !context.printer.reply(&reply(&session, view.clone()))? {
        show::flagged(context, &session, &view)?;
        reversals::print(context, &ran)?;
    }
    if !session.is_preview() {
        if let Some(it) = flagged.first() {
            context.next(format!("incidents {}", it.incident));
        }
        context.undo(format!("unflag {id}"));
    }
    Ok(Exit::Yes)
}

/// `unflag` of an incident of the mesh: those flags, and no others.
pub(crate) fn unflag(
    context: &mut Context,
    args: &args::Unflag,
    id: MeshIncidentId,
) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let unflagged = session.unflag_mesh(id)?;
    let view = Unflagged {
        mesh_incident: id.to_string(),
        unflagged: unflagged.iter().map(Into::into).collect(),
    };
    if context.printer.reply(&reply(&session, view))? {
        return Ok(Exit::Yes);
    }
    for it in bound::shown(&unflagged) {
        for undone in bound::shown(&it.undone) {
            reinstate::print(context, &session, undone)?;
        }
    }
    bound::say_more(context, 0, bound::left(&unflagged))?;
    if !session.is_preview() {
        context.next(format!("mesh show {id}"));
        context.undo(format!("flag {id}"));
    }
    Ok(Exit::Yes)
}

/// The incident of the mesh that a word names, if it is the id of one.
pub(crate) fn named(word: &str) -> Option<MeshIncidentId> {
    word.parse().ok()
}

/// The command that shows an incident of the mesh.
pub(super) fn shows(id: &str) -> String {
    Command::new("mesh show").word(id).to_string()
}
