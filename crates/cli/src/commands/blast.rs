//! `blast`: what rests on an item, and what would fall with it.

use immune_api::Reply;
use immune_api::blast::{Blast, Reached};
use immune_model::limits;

use super::{Context, bound, show};
use crate::args::{self, named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::{DIM, GREEN, RED};

pub(crate) fn run(context: &mut Context, args: &args::Blast) -> Result<Exit, Failure> {
    bound::check_limit(args.limit.unwrap_or(1), usize::MAX)?;
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let item = named::item(state, &args.item, args.channel.as_deref())?;
    let found = state
        .blast(item)
        .ok_or_else(|| named::wrong_kind(item, "a source, an observation or a belief"))?;
    let usual = if context.printer.is_json() {
        limits::PAGE_ROWS_MAX
    } else {
        bound::LINES_MAX
    };
    let view = Blast::of(state, item, &found, args.limit.unwrap_or(usual));
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print(context, &view)?;
    context.next(format!("flag {item} --dry-run"));
    Ok(Exit::Yes)
}

fn print(context: &mut Context, view: &Blast) -> Result<(), Failure> {
    let totals = &view.totals;
    let printer = &mut context.printer;
    let parts = [
        (totals.observations, "observation"),
        (totals.beliefs, "belief"),
        (totals.decisions, "decision"),
        (totals.actions, "action"),
    ];
    let parts = parts.into_iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, one)| show::count(n, one)).collect();
    let hops = show::count(totals.hops as usize, "hop");
    let (item, reached) = (&view.item, parts.join(", "));
    let itself = view.reached.first().filter(|it| it.hop == 0);
    if let Some(status) = itself.and_then(|it| it.status.filter(|_| it.fate == "out")) {
        printer.line(format!("{item} does not stand: it is {status}"))?;
    }
    if totals.hops == 0 {
        printer.line(format!("nothing rests on {item}"))?;
        if parts.is_empty() {
            return Ok(());
        }
    } else {
        printer.line(format!("{item} reaches {reached} within {hops}"))?;
    }
    let falls = [
        (totals.beliefs_fall, "belief"),
        (totals.decisions_fall, "decision"),
        (totals.actions_fall, "action"),
    ];
    let falls = falls.into_iter().filter(|(n, _)| *n > 0);
    let falls: Vec<String> = falls.map(|(n, one)| show::count(n, one)).collect();
    let falls = match falls.as_slice() {
        [] => "nothing".to_owned(),
        several => several.join(", "),
    };
    let stand = show::count(totals.beliefs_stand, "belief");
    printer.line(format!("would fall: {falls}; would stand: {stand}"))?;
    if !view.agents.is_empty() {
        let agents = bound::words_by(&view.agents, show::source);
        printer.line(format!("across {agents}"))?;
    }
    let table: Vec<Vec<Cell>> = view.reached.iter().map(row).collect();
    let width = printer.width();
    for line in rows(&table, width) {
        printer.line(line)?;
    }
    bound::say_more(context, 0, view.more)?;
    let printer = &mut context.printer;
    if !view.returns.is_empty() {
        let returns = bound::words(&view.returns);
        printer.line(format!("would stand again: {returns}"))?;
    }
    if !view.exposed.is_empty() {
        let exposed = bound::words(&view.exposed);
        printer.line(format!(
            "exposed, shown it and not resting on it: {exposed}"
        ))?;
    }
    if !view.copied_by.is_empty() {
        let copies = bound::words_by(&view.copied_by, show::source);
        printer.note(format!(
            "copied by {copies}, whose own words would stand, and be worth 0"
        ));
    }
    Ok(())
}

fn row(reached: &Reached) -> Vec<Cell> {
    let is_memory = reached.then.is_some();
    let fate = match (reached.fate, reached.then, &reached.stands_by) {
        ("falls", Some(then), _) => format!("falls: {then}"),
        ("falls", None, _) if reached.item.starts_with("act_") => "would be reversed".to_owned(),
        ("falls", None, _) => "flagged".to_owned(),
        ("stands", _, Some(by)) => format!("stands by {by}"),
        ("stands", _, None) => "stands".to_owned(),
        _ if is_memory => "is out already".to_owned(),
        _ => String::new(),
    };
    let style = match reached.fate {
        "falls" => RED,
        "stands" => GREEN,
        _ => DIM,
    };
    let by = reached.by.as_ref().map(show::source);
    let status = reached.status.unwrap_or_default();
    vec![
        Cell::from(reached.item.clone()),
        Cell::styled(DIM, format!("hop {}", reached.hop)),
        Cell::styled(show::status_style(status), status),
        Cell::styled(style, fate),
        Cell::from(escape::line(reached.about.as_deref().unwrap_or_default())),
        Cell::styled(DIM, by.unwrap_or_default()),
    ]
}
