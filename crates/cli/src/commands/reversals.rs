//! Reversals: compensations run from the outbox, by the command that the rule of the kind names.

use immune_api::list::{List, Row};
use immune_api::write::{Reversal, ReversalRequest, Reversals};
use immune_api::{Code, Reply};
use immune_engine::{Compensate, Reversed, Session};
use immune_model::shell::Command;
use immune_model::{ActionStatus, Item, Text};

use super::{Context, rows, show};
use crate::args::{self, DryRun, ReversalsCommand};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::process::{self, Errors, Task};

pub(crate) fn run(context: &mut Context, args: &args::Reversals) -> Result<Exit, Failure> {
    match args.command {
        None | Some(ReversalsCommand::List) => list_pending(context),
        Some(ReversalsCommand::Run) => run_due(context),
    }
}

fn list_pending(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let failed = state.action_ids().filter(|it| {
        let action = state.action(*it);
        action.is_some_and(|it| it.status == ActionStatus::ReversalFailed)
    });
    let mut actions: Vec<_> = state.reversals_pending().chain(failed).collect();
    actions.sort_unstable();
    actions.dedup();
    let rows = actions.iter().map(|it| Item::from(*it));
    let view = List {
        of: "reversals",
        items: rows.filter_map(|it| Row::of(state, it)).collect(),
        next: None,
    };
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    rows::print(context, state, &view.items)?;
    if view.items.is_empty() {
        context.printer.note("nothing is to be reversed");
    } else {
        context.next("reversals run");
    }
    Ok(Exit::Yes)
}

fn run_due(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.changer(DryRun { dry_run: false })?;
    let done = drain(context, &session)?;
    let view = Reversals {
        waiting: session.snapshot()?.state().reversals_pending().count(),
        reversals: done,
    };
    if !context.printer.reply(&Reply::new(view.clone()))? {
        print(context, &view.reversals)?;
        if view.reversals.is_empty() {
            context.printer.line("nothing is due")?;
        }
        let waiting = view.waiting;
        if waiting > 0 {
            let waiting = show::count(waiting, "reversal");
            context.printer.note(format!("{waiting} not done yet"));
            context.next("reversals");
        }
    }
    let mut failed = view.reversals.iter().filter(|it| it.error.is_some());
    match failed.next() {
        None => Ok(Exit::Yes),
        Some(first) => {
            let action = &first.action.action;
            Err(
                Failure::new(Code::EffectFailed, format!("`{action}` was not reversed")).hint(
                    format!("`{}`", context.command(format!("explain {action}"))),
                ),
            )
        }
    }
}

/// Runs what is due, and warns of what no command here can reverse.
pub(crate) fn drain(context: &mut Context, session: &Session) -> Result<Vec<Reversal>, Failure> {
    let due = session.snapshot()?;
    let due = due.state().reversals_due(context.now());
    if due.is_empty() {
        return Ok(Vec::new());
    }
    if session.principal().role < immune_model::Role::Operator {
        context
            .printer
            .note("reversals are due; an operator runs them");
        context.next("reversals");
        return Ok(Vec::new());
    }
    let done: Vec<Reversed> = session.run_reversals(&ByCommand)?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    for action in due {
        let kind = state.action(action).map(|it| &it.kind);
        let handled = done.iter().any(|it| it.action == action);
        if let Some(kind) = kind.filter(|_| !handled) {
            let shown = escape::quoted(kind.as_str());
            context.printer.warn(format!(
                "{action} waits: no rule names a command that compensates {shown}"
            ));
            let rule = Command::new("rules set").word(kind.as_str());
            context.next(rule.plain("--class compensable --compensation CMD"));
        }
    }
    Ok(done.iter().map(|it| Reversal::of(state, it)).collect())
}

/// What became of each, in a line.
pub(crate) fn print(context: &mut Context, reversals: &[Reversal]) -> Result<(), Failure> {
    for reversal in reversals {
        let action = &reversal.action;
        let (id, status) = (&action.action, show::status(action.status));
        let kind = escape::line(&action.kind);
        let error = reversal.error.as_ref();
        let error = error.map_or_else(String::new, |it| format!("  {}", escape::line(it)));
        let again = reversal.next_at.as_ref().filter(|_| !error.is_empty());
        let again = again.map_or_else(String::new, |it| format!(", again at {it}"));
        context
            .printer
            .line(format!("  {id}  {status}  {kind}{error}{again}"))?;
    }
    Ok(())
}

/// Compensations by the command lines of the rules.
struct ByCommand;

impl Compensate for ByCommand {
    fn handles(&self, request: &immune_engine::ReversalRequest) -> bool {
        request.compensation.is_some()
    }

    fn compensate(&self, request: &immune_engine::ReversalRequest) -> Result<Option<Text>, Text> {
        let line = request
            .compensation
            .as_ref()
            .ok_or_else(|| process::text("no rule names a command"))?;
        let input = Reply::new(ReversalRequest::from(request)).to_json() + "\n";
        let task = Task {
            words: &process::shell(line.as_str()),
            input: &input,
            action: request.action.to_string(),
            kind: request.kind.as_str(),
            errors: Errors::Kept,
        };
        process::run(&task, &mut |_| Ok(())).outcome
    }
}
