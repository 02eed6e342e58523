//! `forget`: a belief or an observation is closed, and nobody lied.

use immune_api::write::Forgotten;
use immune_engine::reason::plan::Forget;

use super::{Context, bound, reply, show, verb};
use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::Forget) -> Result<Exit, Failure> {
    let session = context.changer(args.dry_run)?;
    let item = args.item.find(session.snapshot()?.state())?;
    let forgotten = session.forget(Forget { item })?;
    let view = Forgotten::from(&forgotten);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = if forgotten.repeated {
        "nothing was left to close:"
    } else {
        verb(&session, "closed", "would close")
    };
    let (item, status) = (&view.item, show::status(view.status));
    context
        .printer
        .line(format!("{verb} {item}, now {status}"))?;
    let snapshot = session.snapshot()?;
    for belief in bound::shown(&forgotten.stale) {
        let (status, claim) = (
            show::status("stale"),
            show::claim(snapshot.state(), *belief),
        );
        context
            .printer
            .line(format!("  {belief}  {status}  {claim}"))?;
    }
    bound::say_more(context, 2, bound::left(&forgotten.stale))?;
    if !session.is_preview() && !forgotten.repeated {
        context
            .printer
            .note("undo: state it again; a later statement opens it");
        context.next(format!("explain {item}"));
    }
    Ok(Exit::Yes)
}
