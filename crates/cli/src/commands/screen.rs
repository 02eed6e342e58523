//! `screen`: what would become of a text, or of many, and why. Nothing is written.

use std::io::{BufRead, BufReader};
use std::path::Path;

use immune_api::screen::Screened;
use immune_api::{Code, Reply};
use immune_engine::reason::screen::StatementOutcome;
use immune_engine::{IngestOptions, IngestTotals, Listed, ModelTotals, Session};
use immune_model::ChannelName;

use super::{Context, bound, extractor, ingest, remember, screening};
use crate::args::{self, DryRun, Source, named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: args::Screen) -> Result<Exit, Failure> {
    let fail_on = args.fail_on.clone();
    let is_named_lines = args.file.as_deref().is_some_and(is_lines);
    let (session, totals) = if args.lines || is_named_lines {
        lines(context, &args)?
    } else {
        text(context, args)?
    };
    let after = session.snapshot()?;
    let view = Screened::of(after.state(), session.principal(), &totals);
    if !context.printer.reply(&Reply::dry_run(view.clone()))? {
        print(context, after.state(), &view)?;
    }
    let found = |outcome: &StatementOutcome| {
        let counts = [&totals.outcomes, &totals.claim_outcomes];
        let counts = counts.iter().filter_map(|it| it.get(outcome));
        counts.copied().max().filter(|it| *it > 0)
    };
    let failed = fail_on.iter();
    let failed = failed.filter_map(|it| found(it).map(|n| format!("{n} {}", it.name())));
    let mut failed: Vec<String> = failed.collect();
    // What was not screened passes no check.
    if totals.skipped > 0 && !fail_on.is_empty() {
        failed.push(format!("{} skipped", totals.skipped));
    }
    if failed.is_empty() {
        return Ok(Exit::Yes);
    }
    Err(Failure::new(
        Code::CheckFailed,
        format!("the verdicts that were asked about: {}", failed.join(", ")),
    ))
}

fn is_lines(path: &Path) -> bool {
    let extension = path.extension().and_then(std::ffi::OsStr::to_str);
    extension.is_some_and(|it| matches!(it, "jsonl" | "ndjson"))
}

/// One text, as `remember` would take it up.
fn text(context: &mut Context, args: args::Screen) -> Result<(Session, IngestTotals), Failure> {
    let from = args.from.ok_or_else(|| {
        Failure::usage("nobody is named whose words these are")
            .hint("name a source: `--from ops@acme.example --channel inbox`")
    })?;
    let text = match &args.file {
        Some(path) => Some(crate::input::file(path)?),
        None => args.text,
    };
    let command = args::Remember {
        text,
        source: Source {
            from,
            channel: args.channel,
            tier: args.tier,
        },
        claims: args.claims,
        times: args::ClaimTimes::default(),
        sent_at: None,
        external_id: None,
        noted: args::Noted::default(),
        place: args.place,
        extractor: args.extractor,
        dry_run: DryRun { dry_run: true },
    };
    let taken = remember::remember(context, &command)?;
    let mut totals = IngestTotals::of_one("text", taken.remembered);
    if let (Some(read), Some(reader)) = (&taken.read, taken.extractor.reader()) {
        totals.model = Some(ModelTotals::of_one("text", read, reader));
    }
    Ok((taken.session, totals))
}

/// JSON lines, as `ingest` would take them up.
fn lines(context: &mut Context, args: &args::Screen) -> Result<(Session, IngestTotals), Failure> {
    let channel = args.channel.as_deref().ok_or_else(|| {
        Failure::usage("no channel is named through which these came")
            .hint("name it: `--channel inbox`")
    })?;
    let extractor = extractor::of(context, &args.extractor)?;
    let session = context.writer(DryRun { dry_run: true })?;
    ingest::open_channel(&session, &ChannelName::new(channel)?, args.tier)?;
    let options = IngestOptions {
        namespace: remember::namespace(&args.place)?,
        run: remember::run_id(&args.place)?,
        sender: sender(&session, args.from.as_deref(), channel)?,
        confidence: args.claims.confidence,
        listed: Listed::All,
        extractor,
        ..IngestOptions::new(ChannelName::new(channel)?)
    };
    let reader: Box<dyn BufRead> = match &args.file {
        Some(path) => {
            let file = fs_err::File::open(path).map_err(|it| Failure::new(Code::Unreadable, it))?;
            Box::new(BufReader::new(file))
        }
        None if args.text.as_deref().is_none_or(|it| it == "-") => {
            Box::new(std::io::stdin().lock())
        }
        None => {
            return Err(
                Failure::usage("JSON lines are read from a file or from `-`")
                    .hint("`immune screen - --lines --channel inbox < batch.jsonl`"),
            );
        }
    };
    let messages = immune_ingest::json_lines(reader);
    let totals = session.ingest(messages, &options, &mut |_| true);
    let totals = totals.map_err(extractor::stopped)?;
    Ok((session, totals))
}

/// Who speaks where a line names nobody.
fn sender(
    session: &Session,
    from: Option<&str>,
    channel: &str,
) -> Result<Option<immune_model::Handle>, Failure> {
    let Some(from) = from else {
        return Ok(None);
    };
    let snapshot = session.snapshot()?;
    Ok(Some(
        named::speaker(snapshot.state(), session.principal(), from, Some(channel))?.handle,
    ))
}

fn print(
    context: &mut Context,
    state: &immune_engine::reason::State,
    view: &Screened,
) -> Result<(), Failure> {
    if let [only] = view.reports.as_slice()
        && view.messages == 1
    {
        screening::print_report(context, state, &only.report)?;
    } else {
        screening::print_verdicts(context, &view.verdicts)?;
        screening::print_messages(context, state, &view.reports)?;
        let more = usize::try_from(view.more).unwrap_or(usize::MAX);
        bound::say_more(context, 0, more)?;
    }
    if view.messages == 0 && view.problems.is_empty() {
        context.printer.note("the input is empty: no line was read");
    }
    if let Some(model) = &view.model {
        extractor::print_totals(context, model)?;
    }
    for problem in bound::shown(&view.problems) {
        let (position, reason) = (
            escape::line(&problem.position),
            escape::line(&problem.reason),
        );
        context
            .printer
            .line(format!("skipped {position}: {reason}"))?;
    }
    Ok(())
}
