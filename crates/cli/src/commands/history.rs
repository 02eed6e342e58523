//! `history`: every event and transition of an item, in order.

use immune_api::Reply;
use immune_api::history::{Happened, History};

use super::{Context, bound, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::DIM;

pub(crate) fn run(context: &mut Context, args: &args::History) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let item = args.item.find(snapshot.state())?;
    let history = session.history(item)?;
    let view = History::of(item, &history);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let table: Vec<Vec<Cell>> = view.events.iter().map(|it| row(&view.item, it)).collect();
    for line in rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    context.next(format!("explain {item}"));
    Ok(Exit::Yes)
}

fn row(item: &str, happened: &Happened) -> Vec<Cell> {
    let moved = bound::words_by(&happened.transitions, |it| match &it.before {
        Some(before) => format!("{before} -> {}", it.after),
        None => it.after.clone(),
    });
    let moved = happened.result.map_or(moved, |it| it.replace('_', " "));
    let style = happened.transitions.last().map(|it| it.after.as_str());
    let style = show::status_style(style.unwrap_or_default());
    let others = happened.items.iter().filter(|it| *it != item);
    let others: Vec<&str> = others.map(String::as_str).collect();
    vec![
        Cell::styled(DIM, happened.seq.to_string()),
        Cell::from(show::moment(&happened.at)),
        Cell::from(happened.event),
        Cell::styled(style, moved),
        Cell::from(escape::line(&happened.actor)),
        Cell::styled(DIM, others.join(" ")),
    ]
}
