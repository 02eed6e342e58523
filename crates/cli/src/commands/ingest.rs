//! `ingest`: the messages of a mailbox or a table become observations.

use std::cell::Cell;
use std::rc::Rc;

use immune_api::Code;
use immune_api::ingest::{IngestEnd, Ingested};
use immune_engine::reason::plan::SourceError;
use immune_engine::{IngestOptions, IngestTotals, Session};
use immune_ingest::{Broken, ColumnMap, Message, Messages, OpenError, Options};
use immune_model::{ChannelName, Namespace, RunId, Trust};

use super::{Context, bound, extractor, remember, reply, screening, verb};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::printer::{DIM, styled};

pub(crate) fn run(context: &mut Context, args: &args::Ingest) -> Result<Exit, Failure> {
    let columns = ColumnMap::parse(&args.column).map_err(Failure::usage)?;
    let options = Options {
        format: args.format,
        columns,
    };
    let target = IngestOptions {
        namespace: Namespace::new(&args.namespace)?,
        run: args.run.as_deref().map(RunId::new).transpose()?,
        confidence: args.confidence,
        extractor: extractor::of(context, &args.extractor)?,
        ..IngestOptions::new(ChannelName::new(&args.channel)?)
    };
    let messages = immune_ingest::open(&args.path, &options).map_err(|it| unreadable(&it))?;
    let (format, total) = (messages.format().name(), messages.total_bytes());
    let interrupts = Interrupts::listen()?;
    let session = context.writer(args.dry_run)?;
    open_channel(&session, &target.channel, args.tier)?;
    let read = Rc::new(Cell::new(0));
    let counted = Counted {
        messages,
        read: Rc::clone(&read),
    };
    let mut progress = context.printer.progress(total);
    let totals = session.ingest(counted, &target, &mut |totals| {
        progress.at(read.get(), totals.messages, &under_way(totals));
        !interrupts.asked()
    });
    progress.done();
    let totals = totals.map_err(extractor::stopped)?;
    let end = if interrupts.asked() {
        IngestEnd::Interrupted
    } else {
        IngestEnd::Complete
    };
    let after = session.snapshot()?;
    let seen = (after.state(), session.principal());
    let view = Ingested::of(format, &totals, end, seen);
    if !context.printer.reply(&reply(&session, view.clone()))? {
        let verb = verb(&session, "read", "would read");
        print(context, verb, &view)?;
        screening::print_messages(context, after.state(), &view.reports)?;
    }
    if end == IngestEnd::Interrupted {
        context
            .printer
            .note("stopped; run the same command again, and it goes on: nothing is added twice");
        return Ok(Exit::Interrupted);
    }
    if !session.is_preview() {
        let next = if view.unscreened > 0 {
            "list unscreened"
        } else {
            "list beliefs"
        };
        context.next(next);
    }
    Ok(Exit::Yes)
}

/// Opens the channel with the tier that is asked for; without one it has to be there.
pub(crate) fn open_channel(
    session: &Session,
    channel: &ChannelName,
    tier: Option<Trust>,
) -> Result<(), Failure> {
    if let Some(tier) = tier {
        return remember::create_channel(session, channel.as_str(), tier);
    }
    if session.snapshot()?.state().find_channel(channel).is_some() {
        return Ok(());
    }
    let channel = channel.clone();
    Err(Failure::from(SourceError::NoChannel { channel }).hint("add `--tier 0.7` to open it"))
}

/// What is counted, with the calls that a model still has.
fn under_way(totals: &IngestTotals) -> String {
    let calls = totals.model.as_ref().map(|it| match it.calls_left {
        Some(left) => format!(", {left} calls left"),
        None => format!(", {} calls", it.calls_sent),
    });
    format!("messages{}", calls.unwrap_or_default())
}

/// The messages, with how far they were read.
struct Counted {
    messages: Messages,
    read: Rc<Cell<u64>>,
}

impl Iterator for Counted {
    type Item = Result<Message, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.messages.next();
        self.read.set(self.messages.position_bytes());
        next
    }
}

fn unreadable(error: &OpenError) -> Failure {
    let failure = Failure::new(Code::Unreadable, error);
    match error {
        OpenError::Unrecognised { .. } => {
            failure.hint("say what it is: `--format mbox`, `maildir`, `eml`, `csv` or `jsonl`")
        }
        OpenError::Missing { .. } => failure.hint("`immune ingest --help` lists what is read"),
        _ => failure,
    }
}

fn print(context: &mut Context, verb: &str, view: &Ingested) -> Result<(), Failure> {
    let format = view.format;
    context.printer.line(format!("{verb} {format}"))?;
    let counts = [
        ("messages", view.messages),
        ("observations", view.observations),
        ("claims", view.claims),
        ("new beliefs", view.beliefs),
        ("unscreened", view.unscreened),
        ("repeated", view.repeated),
        ("skipped", view.skipped),
    ];
    for (what, n) in counts {
        context.printer.line(format!("  {n:>8}  {what}"))?;
    }
    screening::print_verdicts(context, &view.verdicts)?;
    context
        .printer
        .line(format!("read by {}", view.extractor))?;
    if let Some(model) = &view.model {
        extractor::print_totals(context, model)?;
    }
    for problem in bound::shown(&view.problems) {
        let position = escape::line(&problem.position);
        let reason = styled(DIM, escape::line(&problem.reason));
        context
            .printer
            .line(format!("  skipped {position}: {reason}"))?;
    }
    let named = bound::shown(&view.problems).len() as u64;
    let more = view.skipped.saturating_sub(named);
    bound::say_more(context, 2, usize::try_from(more).unwrap_or(usize::MAX))
}
