//! `export`, `import` and `backup`: whole memories as streams, and a store as a file.

use std::io::{self, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};

use immune_api::transfer::{BackedUp, Copied, Exported, Imported};
use immune_api::{Code, Reply};
use immune_engine::reason::plan::Forbidden;
use immune_engine::{Engine, ExportError, Parts, Transferred};
use immune_model::Role;

use super::{Context, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::{Failure, OutputError};
use crate::printer::Printer;
use crate::settings::Origin;
use crate::store::{Access, open_copy, open_file, open_store};

pub(crate) fn export(context: &mut Context, args: &args::Export) -> Result<Exit, Failure> {
    let memory = context.settings.memory.value.clone();
    let principal = context.settings.principal.value.clone();
    let to_output = args.path == "-";
    if to_output && io::stdout().is_terminal() {
        return Err(Failure::usage(
            "a memory is no text; name a file, or send it on: `| gzip`",
        ));
    }
    let engine = Engine::new(Parts::new(open_store(&context.settings, Access::Reads)?));
    let mut progress = context.printer.progress(0);
    let mut tell = |events: u64, _: u64| progress.at(events, events, "events");
    let moved = if to_output {
        let mut output = Output {
            printer: &mut context.printer,
            failed: None,
        };
        let moved = engine.export_memory(&principal, &memory, &mut output, &mut tell);
        match (moved, output.failed) {
            (Err(ExportError::Write(_)), Some(failed)) => Err(failed.into()),
            (moved, _) => moved.map_err(Failure::from),
        }
    } else {
        to_file(Path::new(&args.path), |to| {
            engine.export_memory(&principal, &memory, to, &mut tell)
        })
    };
    progress.done();
    let view = Exported::from(moved?);
    let reply = Reply::new(view.clone());
    if to_output {
        if context.printer.is_json() {
            context.printer.reply_beside(&reply);
        }
        return Ok(Exit::Yes);
    }
    if !context.printer.reply(&reply)? {
        let events = show::count(view.events as usize, "event");
        let (name, path) = (escape::line(&view.memory), escape::line(&args.path));
        context
            .printer
            .line(format!("exported memory {name} to {path}: {events}"))?;
        context.printer.line(format!("head {}", view.head))?;
        context
            .printer
            .note("it holds the content keys: keep it like the store");
    }
    Ok(Exit::Yes)
}

pub(crate) fn import(context: &mut Context, args: &args::Import) -> Result<Exit, Failure> {
    let mut from: Box<dyn Read> = if args.path == "-" {
        Box::new(io::stdin().lock())
    } else {
        let file = fs_err::File::open(&args.path);
        Box::new(file.map_err(|it| Failure::new(Code::Unreadable, it))?)
    };
    let principal = context.settings.principal.value.clone();
    let named = &context.settings.memory;
    let into = (named.from != Origin::Default).then(|| named.value.clone());
    let engine = Engine::new(Parts::new(open_store(&context.settings, Access::Writes)?));
    let mut progress = context.printer.progress(0);
    let moved = engine.import_memory(&principal, &mut from, into.as_ref(), &mut |events| {
        progress.at(events, events, "events");
    });
    progress.done();
    let moved = moved?;
    let view = Imported::from(moved.clone());
    if !context.printer.reply(&Reply::new(view.clone()))? {
        let events = show::count(view.events as usize, "event");
        let name = escape::line(&view.memory);
        context
            .printer
            .line(format!("imported memory {name}: {events}"))?;
        context.printer.line(format!("head {}", view.head))?;
        let verify = context.command_in(&moved.memory, "verify");
        context.printer.next("next", &verify);
    }
    Ok(Exit::Yes)
}

pub(crate) fn backup(context: &mut Context, args: &args::Backup) -> Result<Exit, Failure> {
    // A backup is of the file, below any memory: nobody else can refuse it.
    let principal = &context.settings.principal.value;
    Forbidden::check(principal, Role::Operator, "back up a store")?;
    refuse_present(&args.path)?;
    let store = open_file(&context.settings)?;
    let mut progress = context.printer.progress(0);
    let copied = store.back_up(&args.path, &mut |pages, _| {
        progress.at(pages, pages, "pages");
    });
    progress.done();
    copied?;
    let engine = Engine::new(Parts::new(open_copy(&args.path, &context.settings)?));
    let mut memories = Vec::new();
    for name in engine.memories()? {
        let verified = engine.verify(&name, &mut |_| {})?;
        if let Some(finding) = verified.findings.first() {
            let name = escape::line(name.as_str());
            let message = format!("memory `{name}` is not sound in the copy: {finding}");
            return Err(Failure::new(Code::DriftFound, message)
                .hint("`immune verify` tells whether the store itself is"));
        }
        memories.push(Copied {
            memory: name.to_string(),
            events: verified.events,
            head: verified.head,
        });
    }
    let path = args.path.to_string_lossy().into_owned();
    let view = BackedUp { path, memories };
    if !context.printer.reply(&Reply::new(view.clone()))? {
        let (path, n) = (escape::line(&view.path), view.memories.len());
        let memories = if n == 1 { "memory" } else { "memories" };
        context.printer.line(format!(
            "copied {n} {memories} to {path}, each verified there"
        ))?;
        for it in &view.memories {
            let (name, events) = (escape::line(&it.memory), it.events);
            context
                .printer
                .line(format!("  {name}  {events} events  head {}", it.head))?;
        }
    }
    Ok(Exit::Yes)
}

fn refuse_present(path: &Path) -> Result<(), Failure> {
    if path.try_exists().unwrap_or(true) {
        let shown = escape::line(&path.to_string_lossy());
        return Err(
            Failure::new(Code::AlreadyThere, format!("`{shown}` is there already"))
                .hint("name another file, or remove it first"),
        );
    }
    Ok(())
}

/// Writes a new file that nobody else may read, and puts it in place once it is whole and on disk.
fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<Transferred, ExportError>,
) -> Result<Transferred, Failure> {
    refuse_present(path)?;
    let unwritable = |it: io::Error| Failure::new(Code::Unreadable, it);
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut options = fs_err::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&part).map_err(unwritable)?;
    let written = write(&mut file).map_err(Failure::from).and_then(|moved| {
        file.sync_all().map_err(unwritable)?;
        fs_err::rename(&part, path).map_err(unwritable)?;
        Ok(moved)
    });
    if written.is_err() {
        // The first error says more than this one.
        let _ = fs_err::remove_file(&part);
    }
    written
}

/// Standard output as a place to write to; keeps why that failed.
struct Output<'p> {
    printer: &'p mut Printer,
    failed: Option<OutputError>,
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(failed) = self.printer.bytes(bytes) {
            let kind = failed.0.kind();
            self.failed = Some(failed);
            return Err(kind.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
