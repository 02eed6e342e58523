//! `reinstate`: an incident was a mistake, and is undone.

use immune_api::write::Reinstated;
use immune_engine::Session;
use immune_engine::reason::plan::{self, Reinstate};

use super::{Context, bound, reply, show, verb};
use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::Reinstate) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let incident = args.incident.find(session.snapshot()?.state())?;
    let reinstated = session.reinstate(Reinstate { incident })?;
    let view = Reinstated::from(&reinstated);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    print(context, &session, &reinstated)?;
    if !session.is_preview() {
        context.next(format!("explain {}", view.incident));
    }
    Ok(Exit::Yes)
}

/// Prints what was undone, and what could not be.
pub(crate) fn print(
    context: &mut Context,
    session: &Session,
    reinstated: &plan::Reinstated,
) -> Result<(), Failure> {
    let view = Reinstated::from(reinstated);
    let verb = if reinstated.repeated {
        "was undone before:"
    } else {
        verb(session, "undone:", "would undo:")
    };
    context.printer.line(format!("{verb} {}", view.incident))?;
    let snapshot = session.snapshot()?;
    for belief in bound::shown(&reinstated.active) {
        let (status, claim) = (
            show::status("active"),
            show::claim(snapshot.state(), *belief),
        );
        context
            .printer
            .line(format!("  {belief}  {status}  {claim}"))?;
    }
    bound::say_more(context, 2, bound::left(&reinstated.active))?;
    for action in bound::shown(&view.cancelled) {
        context
            .printer
            .line(format!("  {action}  its reversal is cancelled"))?;
    }
    bound::say_more(context, 2, bound::left(&view.cancelled))?;
    for action in bound::shown(&view.compensated) {
        context.printer.line(format!(
            "  {action}  was compensated already; that stays as it is"
        ))?;
    }
    bound::say_more(context, 2, bound::left(&view.compensated))
}
