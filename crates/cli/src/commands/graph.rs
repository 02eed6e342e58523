//! `graph`: a graph is imported, shown with what stands in it, and exported.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use immune_api::graph::{Exported, Imported, exported_line, standing_entry};
use immune_api::{Code, Reply};
use immune_engine::reason::State;
use immune_engine::reason::plan::Forbidden;
use immune_engine::{GraphExport, GraphStanding, LeftOut, left_out, standings};
use immune_model::Role;

use super::{Context, bound, reply, show, verb};
use crate::args::{ExportGraph, GraphCommand, ImportGraph};
use crate::escape;
use crate::exit::Exit;
use crate::failure::{Failure, OutputError};
use crate::interrupt::Interrupts;
use crate::printer::Printer;

/// Bytes of output that are handed on at a time.
const OUTPUT_BYTES: usize = 64 << 10;

pub(crate) fn run(context: &mut Context, command: GraphCommand) -> Result<Exit, Failure> {
    match command {
        GraphCommand::Import(args) => import(context, &args),
        GraphCommand::Export(args) => export(context, &args),
        GraphCommand::Status => status(context),
    }
}

fn import(context: &mut Context, args: &ImportGraph) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen()?;
    let (from, total): (Box<dyn Read>, u64) = if args.path == "-" {
        (Box::new(std::io::stdin().lock()), 0)
    } else {
        let unreadable = |it| Failure::new(Code::Unreadable, it);
        let file = fs_err::File::open(&args.path).map_err(unreadable)?;
        let total = file.metadata().map_or(0, |it| it.len());
        (Box::new(file), total)
    };
    let session = context.writer(args.dry_run)?;
    let mut progress = context.printer.progress(total);
    let read = immune_ingest::graph::read(from, &mut |bytes, lines| {
        progress.at(bytes, lines, "lines");
        !interrupts.asked()
    });
    progress.done();
    let Some(graph) = read? else {
        context.printer.note("stopped; nothing was imported");
        return Ok(Exit::Interrupted);
    };
    let imported = session.import_graph(graph)?;
    let view = Imported::from(&imported);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = verb(&session, "imported", "would import");
    context
        .printer
        .line(format!("{verb} {} lines", view.lines))?;
    for (n, what) in [
        (view.sources, "sources"),
        (view.observations, "observations"),
        (view.beliefs, "beliefs"),
        (view.justifications, "justifications"),
        (view.decisions, "decisions"),
        (view.actions, "actions"),
        (view.flags, "flags"),
        (view.known, "known before"),
    ] {
        context.printer.line(format!("  {n:>8}  {what}"))?;
    }
    if !session.is_preview() {
        context.next("graph status");
    }
    Ok(Exit::Yes)
}

fn status(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    if context.printer.is_json() {
        return status_as_json(context, snapshot.state());
    }
    let counts: Cell<Counts> = Cell::default();
    let printer = &mut context.printer;
    let mut counted = counting(printer, snapshot.state());
    standings(snapshot.state(), &mut counted, &mut |standing| {
        let mut all = counts.take();
        *all.entry((standing.item.prefix(), standing.status))
            .or_default() += 1;
        counts.set(all);
        let (name, status) = (escape::line(&standing.name), show::status(standing.status));
        let (strength, count) = (standing.strength, standing.corroboration);
        let at_least = if count.exact { "" } else { "at least " };
        let count = count.count;
        printer.line(format!("{name}  {status}  {strength}  {at_least}{count}"))
    })?;
    let counts = counts.take().into_iter();
    let counts = counts.map(|((kind, status), n)| format!("{n} {} {status}", plural(kind)));
    let counts: Vec<String> = counts.collect();
    context.printer.note(counts.join(", "));
    Ok(Exit::Yes)
}

/// Shows of how many beliefs the origins are counted, until they are.
fn counting(printer: &Printer, state: &State) -> impl FnMut(usize) + use<> {
    let total = state.n_beliefs() as u64;
    let mut progress = printer.progress(total);
    move |n| {
        progress.at(n as u64, n as u64, "beliefs counted");
        if n as u64 == total {
            progress.done();
        }
    }
}

/// How many items of a kind have a status.
type Counts = BTreeMap<(&'static str, &'static str), usize>;

fn plural(kind: &str) -> &'static str {
    match kind {
        "obs" => "observations",
        "bel" => "beliefs",
        "dec" => "decisions",
        _ => "actions",
    }
}

/// One object, without a schema: its keys are aliases.
fn status_as_json(context: &mut Context, state: &State) -> Result<Exit, Failure> {
    let printer = &mut context.printer;
    let mut counted = counting(printer, state);
    let mut text = String::from("{");
    let mut first = true;
    standings(state, &mut counted, &mut |standing: GraphStanding| {
        if !std::mem::take(&mut first) {
            text.push(',');
        }
        text.push_str(&standing_entry(&standing));
        if text.len() < OUTPUT_BYTES {
            return Ok::<(), OutputError>(());
        }
        printer.text(&std::mem::take(&mut text))
    })?;
    text.push_str("}\n");
    printer.text(&text)?;
    Ok(Exit::Yes)
}

fn export(context: &mut Context, args: &ExportGraph) -> Result<Exit, Failure> {
    let session = context.reader()?;
    Forbidden::check(session.principal(), Role::Operator, "export a graph")?;
    let snapshot = session.snapshot()?;
    let export = GraphExport::of(snapshot.state());
    let left = left_out(snapshot.state(), &export);
    let lines = if args.path == "-" {
        to_output(context, &export)?
    } else {
        to_file(Path::new(&args.path), &export)?
    };
    let view = Reply::new(Exported::of(lines, &left));
    if args.path == "-" && context.printer.is_json() {
        context.printer.reply_beside(&view);
    } else if !context.printer.reply(&view)? {
        if args.path != "-" {
            let path = escape::line(&args.path);
            context
                .printer
                .line(format!("exported {lines} lines to {path}"))?;
        }
        name_left_out(context, &left);
    }
    Ok(if args.strict && !left.is_empty() {
        Exit::No
    } else {
        Exit::Yes
    })
}

fn to_output(context: &mut Context, export: &GraphExport<'_>) -> Result<u64, Failure> {
    let (mut text, mut n) = (String::new(), 0);
    for line in export.lines() {
        text.push_str(&exported_line(&line));
        text.push('\n');
        n += 1;
        if text.len() >= OUTPUT_BYTES {
            context.printer.text(&std::mem::take(&mut text))?;
        }
    }
    context.printer.text(&text)?;
    Ok(n)
}

/// Writes beside the file and puts it in place once it is whole.
fn to_file(path: &Path, export: &GraphExport<'_>) -> Result<u64, Failure> {
    let unwritable = |it: std::io::Error| Failure::new(Code::Unreadable, it);
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut to = BufWriter::new(fs_err::File::create(&part).map_err(unwritable)?);
    let mut n = 0;
    for line in export.lines() {
        writeln!(to, "{}", exported_line(&line)).map_err(unwritable)?;
        n += 1;
    }
    to.flush().map_err(unwritable)?;
    fs_err::rename(&part, path).map_err(unwritable)?;
    Ok(n)
}

fn name_left_out(context: &mut Context, left: &[LeftOut]) {
    if left.is_empty() {
        return;
    }
    context
        .printer
        .warn("a graph cannot say all that this memory holds");
    for left in left {
        let ids = bound::words_by(&left.items, ToString::to_string);
        let (n, what) = (left.items.len(), left.what);
        context.printer.note(format!("  {n} {what}: {ids}"));
    }
}
