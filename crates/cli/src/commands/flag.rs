//! `flag` and `unflag`: an operator says that something is not to be believed, or takes it back.

use immune_api::response::{Flagged, Incident, Unflagged};
use immune_engine::reason::State;
use immune_engine::reason::plan::{self, FlagWhat};
use immune_engine::{Response, Session};
use immune_model::{Instant, Text};

use super::{Context, bound, mesh, reinstate, reply, response, reversals, show, verb};
use crate::args::{self, named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;

pub(crate) fn run(context: &mut Context, args: &args::Flag) -> Result<Exit, Failure> {
    if let Some(incident) = mesh::named(&args.what) {
        return mesh::flag(context, args, incident);
    }
    let session = context.changer(args.dry_run)?;
    let before = session.snapshot()?;
    let command = plan::Flag {
        what: what(&args.what, args.channel.as_deref(), before.state())?,
        received_from: since(context, args.since.as_deref())?,
        reason: args.reason.as_deref().map(Text::new).transpose()?,
    };
    let flagged = session.flag(command)?;
    let after = session.snapshot()?;
    let response = if flagged.repeated {
        session.response(flagged.incident)?
    } else {
        Response::between(before.state(), after.state(), flagged.incident)
    };
    let response = response.ok_or_else(|| {
        let message = format!("`{}` cannot be read back", flagged.incident);
        Failure::new(immune_api::Code::Internal, message)
    })?;
    if !context.printer.is_json() {
        print(context, &session, &flagged)?;
        response::print(context, before.state(), after.state(), &response)?;
    }
    let mut ran = Vec::new();
    if !session.is_preview() && !args.no_reversals {
        ran = reversals::drain(context, &session)?;
        reversals::print(context, &ran)?;
    }
    let now = session.snapshot()?;
    let view = Incident::of(now.state(), &response).map(|incident| Flagged {
        item: flagged.target.to_string(),
        repeated: flagged.repeated,
        incident,
        ran,
    });
    if let Some(view) = view {
        context.printer.reply(&reply(&session, view))?;
    }
    if !session.is_preview() {
        context.next(format!("incidents {}", flagged.incident));
        context.undo(format!("unflag {}", flagged.target));
    }
    Ok(Exit::Yes)
}

fn print(context: &mut Context, session: &Session, flagged: &plan::Flagged) -> Result<(), Failure> {
    let verb = if flagged.repeated {
        "was flagged already:"
    } else {
        verb(session, "flagged:", "would flag:")
    };
    let now = session.snapshot()?;
    let incident = immune_api::write::Incident::of(now.state(), flagged.incident);
    let about = incident.map_or_else(String::new, |it| show::about(&it));
    let (target, incident) = (flagged.target, flagged.incident);
    let line = if about == target.to_string() {
        format!("{verb} {target} in {incident}")
    } else {
        format!("{verb} {target} {about} in {incident}")
    };
    context.printer.line(line)?;
    Ok(())
}

pub(crate) fn unflag(context: &mut Context, args: &args::Unflag) -> Result<Exit, Failure> {
    if let Some(incident) = mesh::named(&args.what) {
        return mesh::unflag(context, args, incident);
    }
    let session = context.changer(args.dry_run)?;
    let command = plan::Unflag {
        what: what(
            &args.what,
            args.channel.as_deref(),
            session.snapshot()?.state(),
        )?,
    };
    let unflagged = session.unflag(command)?;
    let view = Unflagged::from(&unflagged);
    if context.printer.reply(&reply(&session, view))? {
        return Ok(Exit::Yes);
    }
    for undone in bound::shown(&unflagged.undone) {
        reinstate::print(context, &session, undone)?;
    }
    bound::say_more(context, 0, bound::left(&unflagged.undone))?;
    if !session.is_preview() {
        context.next(format!("explain {}", unflagged.target));
        if unflagged.undone.iter().any(|it| !it.repeated) {
            context.undo(format!("flag {}", unflagged.target));
        }
    }
    Ok(Exit::Yes)
}

/// An item by its id or alias, or a source by its handle; a channel makes it a handle.
fn what(word: &str, channel: Option<&str>, state: &State) -> Result<FlagWhat, Failure> {
    named::item(state, word, channel).map(FlagWhat::Item)
}

/// A moment of receipt: a time, or so long ago.
fn since(context: &Context, word: Option<&str>) -> Result<Option<Instant>, Failure> {
    let Some(word) = word else {
        return Ok(None);
    };
    let since = moment::time(word).or_else(|_| moment::before(context.now(), word));
    since.map(Some).map_err(|_| {
        let message = format!("`{}` is no time and no duration", escape::line(word));
        Failure::new(immune_api::Code::InvalidTime, message)
            .hint("write `2026-08-13T13:30:00Z`, or `2h` for two hours ago")
    })
}
