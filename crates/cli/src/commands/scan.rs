//! `scan`: what one origin carries, ranked by what hangs on it.

use immune_api::Reply;
use immune_api::scan::{Conflicts, Scan, Weak};
use immune_model::{Trust, limits};

use super::{Context, bound, origins, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::printer::{DIM, styled};

pub(crate) fn run(context: &mut Context, args: &args::Scan) -> Result<Exit, Failure> {
    let limit = args.limit;
    bound::check_limit(limit, limits::SCAN_BELIEFS_MAX)?;
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let view = Scan::of(state, &state.scan(limit), &state.disagreements(limit));
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    if view.weak.is_empty() {
        context
            .printer
            .line("nothing that carries anything falls with one origin")?;
    }
    for weak in &view.weak {
        print(context, weak)?;
    }
    bound::say_more(context, 0, view.found - view.weak.len())?;
    if view.looked_at < view.candidates {
        let (looked_at, candidates) = (view.looked_at, view.candidates);
        context.printer.note(format!(
            "looked at {looked_at} of {candidates} beliefs on which something hangs"
        ));
    }
    print_conflicts(context, &view.conflicts)?;
    if let Some(first) = view.weak.first() {
        context.next(format!("blast {}", first.belief));
    }
    Ok(Exit::Yes)
}

fn print(context: &mut Context, weak: &Weak) -> Result<(), Failure> {
    let width = context.printer.width();
    let subject = escape::line(&weak.subject);
    let origin = weak.origin.as_ref();
    let origin = origin.map_or("nothing above the floor".to_owned(), origins::name);
    let command = weak.harden.command.as_deref();
    let command = command.map(|it| context.command(it.strip_prefix("immune ").unwrap_or(it)));
    let printer = &mut context.printer;
    printer.line(format!("{}  {subject}", weak.belief))?;
    printer.line(wrapped(&format!("rests on {origin}"), 2, width))?;
    printer.line(wrapped(&format!("carries {}", carries(weak)), 2, width))?;
    let confirm = &weak.harden.confirm;
    let what = if *confirm == weak.belief {
        "it".to_owned()
    } else {
        format!("{confirm}, {}", escape::line(&weak.harden.subject))
    };
    let harden = match &weak.harden.ask {
        Some(record) => format!("to harden: ask {} about {what}", show::source(record)),
        None => format!("to harden: a second, independent source for {what}"),
    };
    printer.line(wrapped(&harden, 2, width))?;
    if let Some(command) = command {
        printer.line(styled(DIM, format!("    {command}")))?;
    }
    Ok(())
}

/// Beliefs that disagree; where there are none, what was compared and what was not.
fn print_conflicts(context: &mut Context, conflicts: &Conflicts) -> Result<(), Failure> {
    let width = context.printer.width();
    for pair in &conflicts.pairs {
        let about = match &pair.subject {
            Some(subject) => format!("on {}", escape::line(subject)),
            None => "by their words".to_owned(),
        };
        let (a, b, by) = (&pair.a, &pair.b, pair.decided_by);
        let line = format!("{a} and {b} disagree {about}: {by}");
        context.printer.line(wrapped(&line, 0, width))?;
    }
    bound::say_more(context, 0, conflicts.found - conflicts.pairs.len())?;
    let floor = Trust::FLOOR;
    let compared = show::count(conflicts.compared, "belief");
    let mut parts = vec![if conflicts.found == 0 {
        format!("no two of {compared} at or above the floor {floor} disagree")
    } else {
        format!("{compared} at or above the floor {floor} were compared")
    }];
    if conflicts.below_floor > 0 {
        let below = show::count(conflicts.below_floor, "belief");
        parts.push(format!("{below} below it not"));
    }
    if conflicts.unscreened > 0 {
        let texts = show::count(conflicts.unscreened, "text");
        parts.push(format!("{texts} without a claim not"));
    }
    if conflicts.cut {
        parts.push("not every pair was looked at".to_owned());
    }
    let line = parts.join("; ");
    context.printer.line(wrapped(&line, 0, width))?;
    Ok(())
}

/// What hangs on a belief, in words.
fn carries(weak: &Weak) -> String {
    let mut parts = Vec::new();
    if !weak.actions.is_empty() {
        let n = show::count(weak.actions.len(), "action");
        let class = weak.class.unwrap_or_default();
        parts.push(format!("{n} ({}, {class})", bound::words(&weak.actions)));
    }
    if !weak.decisions.is_empty() {
        let n = show::count(weak.decisions.len(), "decision");
        parts.push(format!("{n} ({})", bound::words(&weak.decisions)));
    }
    if weak.dependants > 0 {
        let at_least = if weak.at_least { "at least " } else { "" };
        parts.push(format!(
            "{at_least}{}",
            show::count(weak.dependants, "belief")
        ));
    }
    parts.join(", ")
}
