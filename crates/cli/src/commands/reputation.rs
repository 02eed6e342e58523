//! A source with what it earned, a channel with what its newcomers are worth, as lines.

use immune_api::list::Row;
use immune_api::reputation::{Earned, Newcomer};
use immune_engine::reason::State;
use immune_model::Trust;

use super::{Context, attribute, bound, rows, show};
use crate::escape;
use crate::failure::Failure;
use crate::moment;
use crate::printer::{DIM, styled};

/// One item with all that its row holds, and what explains how far it is trusted.
pub(crate) fn print_item(context: &mut Context, state: &State, row: &Row) -> Result<(), Failure> {
    match row {
        Row::Source(source) => {
            let mut plain = source.clone();
            let earned = std::mem::take(&mut plain.earned);
            let inferred = std::mem::take(&mut plain.inferred);
            rows::print_item(context, state, &Row::Source(plain))?;
            for it in bound::shown(&inferred) {
                let with = show::source(&it.with);
                let line = format!("one origin with {with}, inferred");
                context.printer.line(line)?;
                let why = escape::line(&it.why);
                context.printer.line(styled(DIM, format!("  {why}")))?;
            }
            bound::say_more(context, 0, bound::left(&inferred))?;
            for it in bound::shown(&earned) {
                print_earned(context, it)?;
            }
            bound::say_more(context, 0, bound::left(&earned))
        }
        Row::Channel(channel) => {
            let mut plain = channel.clone();
            let newcomers = std::mem::take(&mut plain.newcomers);
            rows::print_item(context, state, &Row::Channel(plain))?;
            context.printer.line("who appears in it now is worth")?;
            for it in bound::shown(&newcomers) {
                let area = area(it.area.as_deref());
                let value = if it.value < channel.tier {
                    it.value
                } else {
                    channel.tier
                };
                let counted = counted(it);
                context.printer.line(format!("  {area}  {value}"))?;
                context
                    .printer
                    .line(styled(DIM, format!("    {counted}")))?;
            }
            bound::say_more(context, 2, bound::left(&newcomers))
        }
        Row::Attribution(it) => attribute::print::attribution(context, state, it),
        other => rows::print_item(context, state, other),
    }
}

fn print_earned(context: &mut Context, earned: &Earned) -> Result<(), Failure> {
    let printer = &mut context.printer;
    let area = area(earned.area.as_deref());
    printer.line(format!("{area}  {}", earned.reputation))?;
    if let Some(seconds) = earned.half_life_seconds {
        let span = moment::span(seconds);
        let line = format!("  what it states there weighs half after {span}");
        printer.line(styled(DIM, line))?;
    }
    printer.line(styled(DIM, format!("  began at {}", earned.start)))?;
    if let Some(newcomer) = &earned.newcomer {
        let counted = counted(newcomer);
        let line = format!("  as a newcomer at most {}: {counted}", newcomer.value);
        printer.line(styled(DIM, line))?;
    }
    for it in bound::shown(&earned.events) {
        let incident = it.incident.as_ref();
        let incident = incident.map_or_else(String::new, |it| format!(" in {it}"));
        let (kind, item, after) = (show::outcome(it.kind), &it.item, it.after);
        let area = escape::line(&it.area);
        let line = format!(
            "  event {}  {item} {kind}{incident}  {after}  {area}",
            it.seq
        );
        printer.line(line)?;
    }
    let left = bound::left(&earned.events);
    bound::say_more(context, 2, left)?;
    let floor = Trust::FLOOR;
    let way = match earned.checks_to_floor {
        Some(0) => return Ok(()),
        Some(1) => format!("  1 survived check brings it to the floor {floor}"),
        Some(n) => format!("  {n} survived checks bring it to the floor {floor}"),
        None => format!("  its tier keeps it below the floor {floor}"),
    };
    context.printer.line(way)?;
    Ok(())
}

fn area(area: Option<&str>) -> String {
    match area {
        None => "in all areas".to_owned(),
        Some(area) => format!("in {}", escape::line(area)),
    }
}

/// Whom its value comes from.
fn counted(newcomer: &Newcomer) -> String {
    let (survived, refuted) = (newcomer.survived, newcomer.refuted);
    format!(
        "of the newcomers before it {survived} had survived a check, {refuted} had been refuted"
    )
}
