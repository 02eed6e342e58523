//! `areas`: how fast what is stated in an area loses weight.

use immune_api::Reply;
use immune_api::reputation::{AreaSet, Areas};
use immune_engine::reason::plan::SetHalfLife;
use immune_model::Area;
use immune_model::shell::Command;

use super::{Context, reply, set_verb};
use crate::args::{self, AreasCommand};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{self, Cell};
use crate::moment;

pub(crate) fn run(context: &mut Context, args: args::Areas) -> Result<Exit, Failure> {
    match args.command {
        None | Some(AreasCommand::List) => list(context),
        Some(AreasCommand::Set(args)) => set(context, &args),
    }
}

fn list(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let view = Areas::of(session.snapshot()?.state());
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let rows = view.areas.iter().map(|it| {
        let half_life = format!("half-life {}", moment::span(it.half_life_seconds));
        vec![Cell::from(escape::line(&it.area)), Cell::from(half_life)]
    });
    for line in layout::rows(&rows.collect::<Vec<_>>(), context.printer.width()) {
        context.printer.line(line)?;
    }
    if view.areas.is_empty() {
        context
            .printer
            .note("no area has a half-life: what is stated keeps its weight");
    }
    Ok(Exit::Yes)
}

fn set(context: &mut Context, args: &args::SetArea) -> Result<Exit, Failure> {
    let area = Area::new(&args.area)?;
    let half_life = args.half_life.as_deref().map(moment::seconds);
    let seconds = half_life.transpose()?;
    let session = context.writer(args.dry_run)?;
    let before = session.snapshot()?;
    let before = before.state().half_lives().into_iter();
    let before = before
        .filter(|(it, _)| **it == area)
        .map(|(_, it)| it)
        .next();
    let changed = session.set_half_life(SetHalfLife {
        area: area.clone(),
        seconds,
    })?;
    let view = AreaSet {
        area: area.to_string(),
        changed,
        half_life_seconds: seconds.map(std::num::NonZeroU32::get),
        before_seconds: before,
    };
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = set_verb(&session, changed);
    let what = match view.half_life_seconds {
        Some(seconds) => format!("what is stated weighs half after {}", moment::span(seconds)),
        None => "what is stated keeps its weight".to_owned(),
    };
    let area = escape::line(area.as_str());
    context.printer.line(format!("{verb}: {area}  {what}"))?;
    if changed && !session.is_preview() {
        let command = Command::new("areas set").word(&args.area);
        let command = match before {
            Some(seconds) => command.option("--half-life", &moment::span(seconds)),
            None => command.plain("--keep"),
        };
        context.next("areas");
        context.undo(command);
    }
    Ok(Exit::Yes)
}
