//! `recall`: what may be believed about a question, and what was left out.

use immune_api::recall::{Block, Fact, Note, Recalled};
use immune_api::{Code, Reply};
use immune_engine::{Preparing, Recall, Session};
use immune_model::shell::Command;
use immune_model::{Namespace, RunId, Subject, Trust};

use super::{Context, bound, noted, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{CUT, wrapped};
use crate::moment;
use crate::printer::{BOLD, DIM, styled};

/// Characters of a note that are shown; `list` and `--json` give all of it.
const NOTE_CHARS_MAX: usize = 240;

pub(crate) fn run(context: &mut Context, args: &args::Recall) -> Result<Exit, Failure> {
    if args.query.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(
            Failure::usage("the question is empty").hint("leave it out to list by `--about`")
        );
    }
    let question = Recall {
        query: args.query.clone(),
        about: args.about.as_deref().map(Subject::new).transpose()?,
        namespace: Namespace::new(&args.namespace)?,
        below: args.below,
        filter: noted::filter(context, args.filter.as_deref())?,
        floor: args.floor,
        valid_at: args.valid_at.as_deref().map(moment::time).transpose()?,
        recency_seconds: recency(args)?,
        limit: args.limit,
        after: args.after.as_deref().map(str::parse).transpose()?,
        budget: args.budget,
        ..Recall::default()
    };
    let run = args.run.as_deref().map(RunId::new).transpose()?;
    context.embeds = args.query.is_some();
    let session = context.reader_in(run.as_ref())?;
    if args.query.is_some() {
        prepare(context, &session)?;
    }
    let recalled = session.recall_in(run.as_ref(), &question)?;
    let snapshot = session.snapshot()?;
    let view = Recalled::of(snapshot.state(), &recalled);
    if !context.printer.reply(&Reply::new(view.clone()))? {
        match &view.block {
            Some(block) => print_block(context, block)?,
            None => print(context, &view, &recalled)?,
        }
        if let Some(problem) = view.meaning.as_ref().and_then(|it| it.problem.as_ref()) {
            context.printer.note(escape::line(problem));
        }
        if let Some(next) = &view.next {
            context.next(next_page(args, next));
        }
    }
    if args.require && view.facts.is_empty() {
        return Err(Failure::new(
            Code::NothingRecalled,
            "nothing that may be relied on answers this",
        ));
    }
    Ok(Exit::Yes)
}

/// The half-life of freshness, in seconds.
fn recency(args: &args::Recall) -> Result<Option<u32>, Failure> {
    let seconds = args.recency.as_deref().map(moment::seconds);
    Ok(seconds.transpose()?.map(std::num::NonZeroU32::get))
}

/// Makes what a question in words needs, with a line of progress if that takes a while.
fn prepare(context: &Context, session: &Session) -> Result<(), Failure> {
    let mut bars = [None, None];
    session.prepare(&mut |what, done, all| {
        let (place, words) = match what {
            Preparing::Words => (0, "texts read"),
            Preparing::Vectors => (1, "vectors made"),
        };
        if let Some(bar) = bars.get_mut(place) {
            let bar = bar.get_or_insert_with(|| context.printer.progress(all as u64));
            bar.at(done as u64, done as u64, words);
        }
    })?;
    for bar in bars.into_iter().flatten() {
        bar.done();
    }
    Ok(())
}

/// The command for the next page.
fn next_page(args: &args::Recall, page: &str) -> String {
    let floor = args.floor.to_string();
    let limit = args.limit.to_string();
    let mut command = Command::new("recall");
    if let Some(query) = &args.query {
        command = command.word(query);
    }
    let namespace = Some(args.namespace.as_str());
    command = command
        .option_if("--about", args.about.as_deref())
        .option_if(
            "--floor",
            (args.floor != Trust::FLOOR).then_some(floor.as_str()),
        )
        .option_if("--limit", Some(limit.as_str()))
        .option_if("--namespace", namespace.filter(|it| !it.is_empty()))
        .option_if("--filter", args.filter.as_deref())
        .option_if("--valid-at", args.valid_at.as_deref())
        .option_if("--recency", args.recency.as_deref())
        .option_if("--run", args.run.as_deref())
        .option_if("--after", Some(page));
    if args.below {
        command = command.plain("--below");
    }
    command.to_string()
}

fn print_block(context: &mut Context, block: &Block) -> Result<(), Failure> {
    for line in block.text.lines() {
        context.printer.line(escape::line(line))?;
    }
    let (tokens, left_out) = (block.tokens, block.left_out);
    let left_out = show::count(left_out, "item");
    context
        .printer
        .note(format!("about {tokens} tokens; {left_out} did not fit"));
    Ok(())
}

fn print(
    context: &mut Context,
    view: &Recalled,
    recalled: &immune_engine::Recalled,
) -> Result<(), Failure> {
    for (fact, inner) in view.facts.iter().zip(&recalled.facts) {
        print_fact(context, fact, &inner.strength.to_string())?;
    }
    for note in &view.notes {
        print_note(context, note)?;
    }
    if view.facts.is_empty() && view.notes.is_empty() {
        context
            .printer
            .line("nothing that may be relied on answers this")?;
    }
    if !view.excluded.is_empty() {
        let n = show::count(view.excluded.len(), "item");
        context.printer.line(format!("left out: {n}"))?;
        for excluded in bound::shown(&view.excluded) {
            let (item, reason) = (&excluded.item, &excluded.reason);
            let reason = styled(DIM, reason);
            context.printer.line(format!("  {item}  {reason}"))?;
        }
        bound::say_more(context, 2, bound::left(&view.excluded))?;
    }
    match (view.facts.first(), view.excluded.first()) {
        (Some(fact), _) => context.next(format!("explain {}", fact.belief)),
        (None, Some(excluded)) => context.next(format!("explain {}", excluded.item)),
        (None, None) => {}
    }
    Ok(())
}

fn print_fact(context: &mut Context, fact: &Fact, strength: &str) -> Result<(), Failure> {
    let width = context.printer.width();
    let (belief, label) = (&fact.belief, show::label(fact));
    let subject = escape::line(&fact.subject);
    let claim = wrapped(&escape::line(&fact.claim), 2, width);
    let printer = &mut context.printer;
    printer.line(format!("{belief}  {label}  {strength}  {subject}"))?;
    printer.line(styled(BOLD, claim))?;
    let from = bound::words_by(&fact.sources, show::source);
    printer.line(wrapped(&format!("from {from}"), 2, width))?;
    if !fact.rivals.is_empty() {
        printer.line(format!("  disputed by {}", bound::words(&fact.rivals)))?;
    }
    printer.line(styled(DIM, wrapped(&escape::line(&fact.why), 2, width)))?;
    Ok(())
}

fn print_note(context: &mut Context, note: &Note) -> Result<(), Failure> {
    let width = context.printer.width();
    let observation = &note.observation;
    let label = styled(DIM, "note, unscreened");
    let source = show::source(&note.source);
    context
        .printer
        .line(format!("{observation}  {label}  from {source}"))?;
    let mut text: String = note.text.chars().take(NOTE_CHARS_MAX).collect();
    if text.len() < note.text.len() {
        text.push_str(CUT);
    }
    context
        .printer
        .line(wrapped(&escape::line(&text), 2, width))?;
    Ok(())
}
