//! `watch`: the change stream, one line or object for each transition, each with its token.

use std::time::Duration;

use immune_api::{Code, Reply, stream};
use immune_engine::{Cursor, Session, Transition};
use immune_model::{Instant, limits};

use super::{Context, bound, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::moment;
use crate::printer::{DIM, styled};

/// How long it takes at most to see what another process wrote.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Where the stream begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    after: Option<Cursor>,
    since: Option<Instant>,
}

pub(crate) fn run(context: &mut Context, args: &args::Watch) -> Result<Exit, Failure> {
    bound::check_limit(args.limit.unwrap_or(1), usize::MAX)?;
    let start = start(context, args)?;
    let interrupts = Interrupts::listen()?;
    let session = context.reader()?;
    let last = session.snapshot()?.head().seq;
    if let Some(after) = start.after.filter(|it| it.seq > last) {
        let message = format!("`{after}` is past the end of the stream, which is at event {last}");
        return Err(Failure::new(Code::InvalidCursor, message)
            .hint("the store may be an older copy; `immune watch` without a token starts anew"));
    }
    let mut after = start.after;
    let mut left = args.limit.unwrap_or(usize::MAX);
    while left > 0 && !interrupts.asked() {
        let seq = session.snapshot()?.head().seq;
        let page = session.transitions(after, limits::PAGE_ROWS_MAX)?;
        for transition in &page {
            after = Some(transition.cursor);
            if start.since.is_some_and(|since| transition.at < since) {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            print(context, transition)?;
        }
        context.printer.flush()?;
        if page.len() < limits::PAGE_ROWS_MAX {
            if !args.follow || left == 0 {
                break;
            }
            wait(&session, seq, &interrupts)?;
        }
    }
    if let Some(after) = after {
        context.next(format!("watch --resume {after} --follow"));
    }
    if interrupts.asked() {
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Yes)
}

fn wait(session: &Session, seq: u64, interrupts: &Interrupts) -> Result<(), Failure> {
    while !interrupts.asked() && !session.wait_for_change(seq, LOOK_AGAIN)? {}
    Ok(())
}

fn start(context: &Context, args: &args::Watch) -> Result<Start, Failure> {
    let from = |after| Start { after, since: None };
    if let Some(token) = &args.resume {
        return Ok(from(Some(token.parse::<Cursor>()?)));
    }
    let Some(word) = &args.since else {
        return Ok(from(None));
    };
    if let Ok(cursor) = word.parse::<Cursor>() {
        return Ok(from(Some(cursor)));
    }
    let now = context.now();
    let since = if word.bytes().all(|it| it.is_ascii_digit()) {
        moment::before(now, &format!("{word}s"))
    } else {
        moment::time(word).or_else(|_| moment::before(now, word))
    };
    let since = since.map_err(|_| {
        let shown = escape::line(word);
        let message = format!("`{shown}` is no time, no duration and no resume token");
        Failure::new(Code::InvalidTime, message)
            .hint("write `2026-08-13T13:30:00Z`, `60` for seconds, `2h`, or a token like `12.0`")
    })?;
    Ok(Start {
        after: None,
        since: Some(since),
    })
}

fn print(context: &mut Context, transition: &Transition) -> Result<(), Failure> {
    let view = stream::Transition::from(transition);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(());
    }
    let token = styled(DIM, &view.resume);
    let (at, item, after) = (
        show::moment(&view.at),
        &view.item,
        show::status(&view.after),
    );
    let change = match (view.change.as_str(), &view.before) {
        ("status", None) => after,
        ("status", Some(before)) => format!("{before} -> {after}"),
        (change, None) => format!("{change} {after}"),
        (change, Some(before)) => format!("{change} {before} -> {after}"),
    };
    let cause = view.cause.as_ref();
    let cause = cause.map_or_else(String::new, |it| format!("  by {it}"));
    context
        .printer
        .line(format!("{token}  {at}  {item}  {change}{cause}"))?;
    Ok(())
}
