//! `runs`: what runs were shown, what they wrote with that before their eyes, and what one hands to
//! another.

use immune_api::runs::{Run, RunBrief, Runs, Started};
use immune_api::{Code, Reply};
use immune_engine::reason::plan::HandOver;
use immune_model::shell::Command;
use immune_model::{RunId, limits};

use super::{Context, bound, reply, show, verb};
use crate::args::{self, Named, RunsCommand};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::DIM;

pub(crate) fn run(context: &mut Context, args: args::Runs) -> Result<Exit, Failure> {
    match args.command {
        None | Some(RunsCommand::List) => list(context),
        Some(RunsCommand::Show(args)) => show_run(context, &args),
        Some(RunsCommand::Start(args)) => start(context, &args),
    }
}

fn list(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let view = Runs::of(session.snapshot()?.state());
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let latest = view.runs.len().saturating_sub(bound::LINES_MAX);
    let before = view.more + latest;
    if before > 0 {
        context.printer.line(format!("{before} before"))?;
    }
    let shown = view.runs.get(latest..).unwrap_or_default();
    let table: Vec<Vec<Cell>> = shown.iter().map(row).collect();
    let width = context.printer.width();
    for line in rows(&table, width) {
        context.printer.line(line)?;
    }
    match shown.last() {
        Some(last) => {
            let command = Command::new("runs show").word(&last.run);
            context.next(command);
        }
        None => context.printer.note("no run was shown anything"),
    }
    Ok(Exit::Yes)
}

fn row(run: &RunBrief) -> Vec<Cell> {
    vec![
        Cell::from(escape::line(&run.run)),
        Cell::from(format!("strength {}", run.strength)),
        Cell::from(format!("shown {}", show::count(run.items, "item"))),
        Cell::styled(DIM, format!("wrote {}", run.written)),
    ]
}

fn show_run(context: &mut Context, args: &args::ShowRun) -> Result<Exit, Failure> {
    bound::check_limit(args.limit.unwrap_or(1), usize::MAX)?;
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let usual = if context.printer.is_json() {
        limits::PAGE_ROWS_MAX
    } else {
        bound::LINES_MAX
    };
    let named = RunId::new(&args.run)?;
    let view = Run::of(snapshot.state(), &named, args.limit.unwrap_or(usual));
    let view = view.ok_or_else(|| {
        let shown = escape::line(named.as_str());
        Failure::new(
            Code::NotInMemory,
            format!("no run `{shown}` was shown anything here"),
        )
        .hint("`immune runs` lists those that were")
    })?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let brief = &view.brief;
    let (run, strength) = (escape::line(&brief.run), brief.strength);
    let items = show::count(brief.items, "item");
    context.printer.line(format!(
        "{run}  was shown {items}; what it writes now has strength {strength} at most"
    ))?;
    let table: Vec<Vec<Cell>> = view
        .shown
        .iter()
        .map(|it| {
            let handed = (it.run != brief.run).then(|| format!("by {}", escape::line(&it.run)));
            vec![
                Cell::from(format!("  {}", it.item)),
                Cell::from(format!("counts as {}", it.strength)),
                Cell::styled(DIM, show::moment(&it.at)),
                Cell::styled(DIM, handed.unwrap_or_default()),
            ]
        })
        .collect();
    let width = context.printer.width();
    for line in rows(&table, width) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, view.more_shown)?;
    if !view.wrote.is_empty() {
        let (wrote, n) = (bound::words(&view.wrote), brief.written);
        context.printer.line(format!("wrote {n}: {wrote}"))?;
    }
    match view.shown.first() {
        Some(first) => context.next(format!("explain {}", first.item)),
        None => context.next("runs"),
    }
    Ok(Exit::Yes)
}

fn start(context: &mut Context, args: &args::StartRun) -> Result<Exit, Failure> {
    let (run, parent) = (RunId::new(&args.run)?, RunId::new(&args.parent)?);
    let session = context.changer(args.dry_run)?;
    let items = if args.items.is_empty() {
        None
    } else {
        Some(Named::find_all(&args.items, session.snapshot()?.state())?)
    };
    let whole = items.is_none();
    let handed = session.start_run(HandOver {
        run: run.clone(),
        parent: parent.clone(),
        items,
    })?;
    let view = Started::of(&run, &parent, whole, &handed);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = verb(&session, "begins", "would begin");
    let (run, parent) = (escape::line(&view.run), escape::line(&view.parent));
    let with = match (view.whole, view.nothing) {
        (_, true) => format!("nothing: {parent} was shown nothing"),
        (true, false) => format!("all that {parent} was shown so far"),
        (false, false) => bound::words(&view.items),
    };
    context.printer.line(format!("{run} {verb} with {with}"))?;
    if !session.is_preview() && !view.nothing {
        context.next(Command::new("runs show").word(&view.run));
    }
    Ok(Exit::Yes)
}
