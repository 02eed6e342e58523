//! `diff`: two moments compared.

use immune_api::diff::{Belief, Diff, Moment, Then};
use immune_api::{Code, Reply};
use immune_engine::When;
use immune_model::Item;

use super::{Context, bound, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::DIM;

pub(crate) fn run(context: &mut Context, args: &args::Diff) -> Result<Exit, Failure> {
    let at = when(&args.at)?;
    let vs = args.vs.as_deref().map(when).transpose()?;
    let session = context.reader()?;
    let diff = session.diff(at, vs)?;
    let view = Diff::from(&diff);
    let moved = [
        &diff.gained,
        &diff.dropped,
        &diff.strength,
        &diff.validity,
        &diff.status,
    ];
    let told = moved.into_iter().flat_map(|it| context.told(it));
    session.show_in(None, told.map(|it| Item::Belief(it.belief)).collect())?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let (one, other) = (moment_words(&view.at), moment_words(&view.vs));
    context.printer.line(format!("{one} against {other}"))?;
    for (title, beliefs) in [
        ("believed since", &view.gained),
        ("believed no longer", &view.dropped),
        ("trusted differently", &view.strength),
        ("holds by its own words at one of them only", &view.validity),
        ("believed at neither", &view.status),
    ] {
        let table: Vec<Vec<Cell>> = bound::shown(beliefs).iter().map(row).collect();
        group(context, title, &table, beliefs.len())?;
    }
    print_rest(context, &view)?;
    let moved = view
        .gained
        .iter()
        .chain(&view.dropped)
        .chain(&view.strength);
    match moved.map(|it| &it.belief).next() {
        Some(belief) => context.next(format!("explain {belief}")),
        None => context.next("watch --once"),
    }
    Ok(Exit::Yes)
}

/// A moment: an event number, a time with a zone, or a date.
fn when(word: &str) -> Result<When, Failure> {
    word.parse().map_err(|error: immune_engine::WhenError| {
        Failure::new(Code::InvalidTime, error)
            .hint("write `42`, `2026-08-13T13:30:00Z`, or a date for its midnight in UTC")
    })
}

fn moment_words(moment: &Moment) -> String {
    match &moment.time {
        Some(time) => format!("event {} ({})", moment.seq, show::moment(time)),
        None => format!("event {}", moment.seq),
    }
}

fn print_rest(context: &mut Context, view: &Diff) -> Result<(), Failure> {
    let trust =
        |it: Option<immune_api::Trust>| it.map_or("unknown".to_owned(), |it| it.to_string());
    let sources = bound::shown(&view.sources).iter().map(|it| {
        vec![
            Cell::from(format!("  {}", it.name.source)),
            Cell::from(format!("{} -> {}", trust(it.at), trust(it.vs))),
            Cell::from(show::source(&it.name)),
        ]
    });
    let sources: Vec<Vec<Cell>> = sources.collect();
    group(context, "sources", &sources, view.sources.len())?;
    let actions = bound::shown(&view.actions).iter().map(|it| {
        let (at, vs) = (it.at.unwrap_or("none"), it.vs.unwrap_or("none"));
        vec![
            Cell::from(format!("  {}", it.action)),
            Cell::from(format!("{at} -> {vs}")),
            Cell::from(escape::line(&it.kind)),
        ]
    });
    let actions: Vec<Vec<Cell>> = actions.collect();
    group(context, "actions", &actions, view.actions.len())?;
    let items: Vec<Vec<Cell>> = bound::shown(&view.items)
        .iter()
        .map(|it| vec![Cell::from(format!("  {it}"))])
        .collect();
    group(context, "at one of them only", &items, view.items.len())
}

/// Rows below a title; nothing if there are none.
fn group(context: &mut Context, title: &str, table: &[Vec<Cell>], n: usize) -> Result<(), Failure> {
    if table.is_empty() {
        return Ok(());
    }
    context.printer.line(title)?;
    for line in rows(table, context.printer.width()) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, n - table.len())
}

fn row(belief: &Belief) -> Vec<Cell> {
    let then = |it: Option<Then>| {
        it.map_or("none".to_owned(), |it| match it.status {
            "active" if it.valid => it.strength.to_string(),
            "active" => format!("{}, not valid", it.strength),
            status => status.to_owned(),
        })
    };
    let validity = match (&belief.valid_from, &belief.valid_until) {
        (None, None) => String::new(),
        (Some(from), None) => format!("valid from {}", show::moment(from)),
        (None, Some(until)) => format!("valid until {}", show::moment(until)),
        (Some(from), Some(until)) => {
            format!(
                "valid from {} until {}",
                show::moment(from),
                show::moment(until)
            )
        }
    };
    vec![
        Cell::from(format!("  {}", belief.belief)),
        Cell::from(format!("{} -> {}", then(belief.at), then(belief.vs))),
        Cell::from(escape::line(&belief.subject)),
        Cell::from(escape::line(&belief.claim)),
        Cell::styled(DIM, validity),
    ]
}
