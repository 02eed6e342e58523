//! `chokepoint`: where all that leads from one item to another passes.

use immune_api::chokepoint::{Chokepoint, Fewest};
use immune_api::{Code, Reply};
use immune_engine::reason::question::NoPaths;
use immune_model::Item;

use super::{Context, bound, show};
use crate::args::{self, named};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;

pub(crate) fn run(context: &mut Context, args: &args::Chokepoint) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let from = named::item(state, &args.from, args.channel.as_deref())?;
    let to = args.to.find(state)?;
    let found = state.chokepoint(from, to);
    let found = found.map_err(|why| refusal(why, from, to))?;
    let view = Chokepoint::of(from, to, &found);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print(context, &view)?;
    let first = view
        .falls_without
        .as_ref()
        .or(view.takedown.members.first());
    let next = first.unwrap_or(&view.from);
    context.next(format!("flag {next} --dry-run"));
    Ok(Exit::Yes)
}

fn refusal(why: NoPaths, from: Item, to: Item) -> Failure {
    match why {
        NoPaths::NotAnEnd(item) if item == from && !may_start(item) => {
            named::wrong_kind(item, "a source, an observation or a belief to start from")
        }
        NoPaths::NotAnEnd(item) => {
            named::wrong_kind(item, "a belief, a decision or an action to lead to")
        }
        NoPaths::TargetOut(status) => {
            let status = status.name();
            let message = match to {
                Item::Action(_) => format!("what `{to}` relied on does not stand: it is {status}"),
                _ => format!("`{to}` does not stand: it is {status}"),
            };
            let hint = format!("`immune history {to}` shows when it did; ask again with `--as-of`");
            Failure::new(Code::NotStanding, message).hint(hint)
        }
        NoPaths::Apart => {
            let message = format!("nothing that stands leads from `{from}` to `{to}`");
            let hint = format!("`immune blast {from}` shows what rests on it");
            Failure::new(Code::NoPath, message).hint(hint)
        }
    }
}

/// Whether something can rest on it.
fn may_start(item: Item) -> bool {
    matches!(
        item,
        Item::Source(_) | Item::Observation(_) | Item::Belief(_)
    )
}

fn print(context: &mut Context, view: &Chokepoint) -> Result<(), Failure> {
    let width = context.printer.width();
    let printer = &mut context.printer;
    let (from, to) = (&view.from, &view.to);
    let between = match view.between {
        1 => "1 memory".to_owned(),
        n => format!("{n} memories"),
    };
    printer.line(format!("from {from} to {to}: {between} between"))?;
    let answer = match (view.shared.as_slice(), &view.cut) {
        ([], None) => "a path leads straight there: nothing between can be taken out".to_owned(),
        ([], Some(cut)) if cut.size == "unknown" => {
            format!(
                "no one of them lies on every path; at least {} do",
                cut.at_least
            )
        }
        ([], Some(cut)) => {
            let n = cut.members.len();
            format!(
                "no one of them lies on every path; these {n} meet all: {}",
                bound::words(&cut.members)
            )
        }
        (shared, _) => format!("every path passes {}", bound::words(shared)),
    };
    printer.line(wrapped(&answer, 2, width))?;
    let applied = if view.shared.is_empty() && view.cut.is_none() {
        None
    } else if let Some(first) = &view.falls_without {
        Some(format!("quarantining {first} takes {to} down"))
    } else if view.falls {
        Some(format!("quarantining them takes {to} down"))
    } else {
        let grounds = bound::words(&view.stands_on);
        Some(format!(
            "quarantined, they do not take {to} down: it stands on {grounds}"
        ))
    };
    if let Some(line) = applied {
        printer.line(wrapped(&line, 2, width))?;
    }
    if !view.falls_without_origin && view.shared.is_empty() && view.cut.is_none() {
        printer.line(format!("  {to} stands without {from}"))?;
    }
    let takedown = takedown(&view.takedown, to);
    printer.line(wrapped(&takedown, 2, width))?;
    Ok(())
}

fn takedown(fewest: &Fewest, to: &str) -> String {
    let members = bound::words(&fewest.members);
    let n = show::count(fewest.members.len(), "quarantine");
    match fewest.size {
        "smallest" => format!("the fewest that take {to} down: {members} ({n})"),
        _ => format!(
            "{members} take {to} down, and none can be left out ({n}; at least {})",
            fewest.at_least
        ),
    }
}
