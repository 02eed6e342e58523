//! `tasks`: what has fallen and waits to be derived again, with what that takes.

use immune_api::Reply;
use immune_api::response::{Task, TaskPremise, Tasks};
use immune_model::{Item, Role};

use super::{Context, bound, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::printer::{BOLD, styled};

pub(crate) fn run(context: &mut Context, args: &args::Tasks) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let wanted = state.task_ids().filter(|it| {
        let task = state.task(*it);
        task.is_some_and(|it| args.all || it.is_open())
    });
    let mut view = Tasks {
        tasks: wanted.filter_map(|it| Task::of(state, it)).collect(),
    };
    if session.principal().role == Role::Agent {
        view.tasks.iter_mut().for_each(Task::withhold);
        let told = context.told(&view.tasks).iter().flat_map(Task::told);
        session.show_in(None, told.map(Item::Belief).collect())?;
    }
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    for task in bound::shown(&view.tasks) {
        print(context, task)?;
    }
    bound::say_more(context, 0, bound::left(&view.tasks))?;
    if view.tasks.is_empty() {
        context.printer.note("nothing waits to be derived again");
    }
    Ok(Exit::Yes)
}

fn print(context: &mut Context, task: &Task) -> Result<(), Failure> {
    let width = context.printer.width();
    let (id, belief, subject) = (&task.task, &task.belief, escape::line(&task.subject));
    let (state, incident) = (task.state, &task.incident);
    let agent = task.agent.as_ref().map(show::source);
    let by = agent.map(|it| format!("derived by {it}, "));
    let by = by.unwrap_or_default();
    context
        .printer
        .line(format!("{id}  {state}  {belief}  {subject}"))?;
    match &task.claim {
        Some(claim) => {
            let claim = wrapped(&escape::line(claim), 2, width);
            context.printer.line(styled(BOLD, claim))?;
        }
        None => context
            .printer
            .line("  no agent is told the words of what fell")?,
    }
    context.printer.line(format!("  {by}fell in {incident}"))?;
    for premise in bound::shown(&task.intact) {
        print_premise(context, premise)?;
    }
    bound::say_more(context, 2, bound::left(&task.intact))?;
    for premise in bound::shown(&task.lost) {
        print_premise(context, premise)?;
        let line = match &premise.replaced_by {
            Some(by) => {
                let words = premise.replacement.as_deref().unwrap_or_default();
                format!("{by} took its place: {}", escape::line(words))
            }
            None => "nothing took its place yet".to_owned(),
        };
        context.printer.line(wrapped(&line, 4, width))?;
    }
    bound::say_more(context, 2, bound::left(&task.lost))?;
    for action in bound::shown(&task.actions) {
        let (id, status) = (&action.action, show::status(action.status));
        let kind = escape::line(&action.kind);
        context
            .printer
            .line(format!("  {id}  {status}  {kind} relied on it"))?;
    }
    bound::say_more(context, 2, bound::left(&task.actions))?;
    if let Some(done_by) = &task.done_by {
        context.printer.line(format!("  done by {done_by}"))?;
    }
    if let Some(command) = &task.command {
        // A command is pasted whole or not at all.
        let words = command.strip_prefix("immune ").unwrap_or(command);
        let is_long = task.intact.len() + task.lost.len() > bound::LINES_MAX;
        let command = if is_long {
            let json = context.command("tasks --json");
            format!("its command is long: `{json}` has it")
        } else {
            context.command(words)
        };
        context.printer.line(format!("  {command}"))?;
    }
    Ok(())
}

fn print_premise(context: &mut Context, premise: &TaskPremise) -> Result<(), Failure> {
    let (id, status) = (&premise.premise, show::status(premise.status));
    let words = premise.claim.as_deref().unwrap_or_default();
    let line = format!("{id}  {status}  {}", escape::line(words));
    let line = wrapped(line.trim_end(), 2, context.printer.width());
    context.printer.line(line)?;
    Ok(())
}
