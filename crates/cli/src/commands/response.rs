//! How the response to an incident is shown: what fell, what it cost, what survives, what is
//! exposed. The same for a plan and for what was done.

use immune_api::write::Incident;
use immune_engine::reason::State;
use immune_engine::{Fallen, Response, Survivor};
use immune_model::{BeliefId, IncidentId};

use super::{Context, bound, show};
use crate::escape;
use crate::failure::Failure;
use crate::layout::{Cell, rows, wrapped};

/// Levels that are indented; deeper ones say their depth.
const INDENT_MAX: u32 = 12;

/// Prints a response, with what was before and after it.
pub(crate) fn print(
    context: &mut Context,
    before: &State,
    after: &State,
    response: &Response,
) -> Result<(), Failure> {
    if response.n_observations > 0 {
        let quarantined = show::count(response.n_observations, "observation");
        context
            .printer
            .line(format!("  {quarantined} quarantined"))?;
    }
    print_fallen(context, before, after, &response.fallen)?;
    print_reputations(context, after, response.incident)?;
    print_tasks(context, after, response.incident)?;
    print_survivors(context, after, response)?;
    print_exposed(context, response)
}

/// The refuted beliefs, each with what fell below it, indented by depth.
fn print_fallen(
    context: &mut Context,
    before: &State,
    after: &State,
    fell: &[Fallen],
) -> Result<(), Failure> {
    let mut table = Vec::new();
    for fallen in bound::shown(fell) {
        let was = before
            .belief_now(fallen.belief)
            .map(|it| it.status.name())
            .filter(|it| *it != fallen.status.name());
        table.push(fallen_row(context, after, fallen, was));
        for action in bound::shown(&fallen.actions) {
            let was = before.action(*action).map(|it| it.status.name());
            let Some(action_now) = after.action(*action) else {
                continue;
            };
            let now = action_now.status.name();
            let mut row = vec![
                Cell::from(indented(fallen.depth + 1, &action.to_string())),
                change(was.filter(|it| *it != now), now),
            ];
            row.push(Cell::from(escape::line(action_now.kind.as_str())));
            table.push(row);
        }
    }
    for line in rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 2, bound::left(fell))
}

fn fallen_row(
    context: &Context,
    after: &State,
    fallen: &Fallen,
    was: Option<&'static str>,
) -> Vec<Cell> {
    vec![
        Cell::from(indented(fallen.depth, &fallen.belief.to_string())),
        change(was, fallen.status.name()),
        Cell::from(words(context, after, fallen.belief)),
    ]
}

/// What a belief says. An agent is told what it is about: it reads words where its run is shown
/// them, and those of what fell nowhere.
pub(super) fn words(context: &Context, state: &State, id: BeliefId) -> String {
    if context.is_agent() {
        let subject = state.belief(id).map(|it| it.subject.to_string());
        return subject.map_or_else(String::new, |it| escape::line(&it));
    }
    show::claim(state, id)
}

fn indented(depth: u32, id: &str) -> String {
    if depth <= INDENT_MAX {
        let indent = "  ".repeat(depth as usize + 1);
        return format!("{indent}{id}");
    }
    let indent = "  ".repeat(INDENT_MAX as usize + 1);
    format!("{indent}({depth}) {id}")
}

fn change(was: Option<&str>, now: &'static str) -> Cell {
    let text = was.map_or_else(|| now.to_owned(), |was| format!("{was} -> {now}"));
    Cell::styled(show::status_style(now), text)
}

/// What the refuted statements cost those who made them.
fn print_reputations(context: &mut Context, after: &State, id: IncidentId) -> Result<(), Failure> {
    let Some((view, record)) = Incident::of(after, id).zip(after.incident(id)) else {
        return Ok(());
    };
    let changes = view.reputations.iter().zip(&record.reputations);
    for (change, (_, before, after)) in changes.take(bound::LINES_MAX) {
        let source = show::source(&change.source);
        let back = match change.checks_to_floor {
            Some(0) => String::new(),
            Some(checks) => format!("; {} back to 0.50", show::count(checks as usize, "check")),
            None => "; its tier never reaches 0.50".to_owned(),
        };
        context
            .printer
            .line(format!("  {source}  reputation {before} -> {after}{back}"))?;
    }
    bound::say_more(context, 2, bound::left(&view.reputations))
}

fn print_tasks(context: &mut Context, after: &State, id: IncidentId) -> Result<(), Failure> {
    let tasks = after.task_ids().filter(|it| {
        let task = after.task(*it);
        task.is_some_and(|it| it.incident == id && it.is_open())
    });
    let tasks: Vec<String> = tasks.map(|it| it.to_string()).collect();
    if !tasks.is_empty() {
        let line = format!("to derive again: {}", bound::words(&tasks));
        context
            .printer
            .line(wrapped(&line, 2, context.printer.width()))?;
    }
    Ok(())
}

fn print_survivors(
    context: &mut Context,
    after: &State,
    response: &Response,
) -> Result<(), Failure> {
    if response.survivors.is_empty() {
        return Ok(());
    }
    context.printer.line("survives")?;
    let width = context.printer.width();
    for survivor in bound::shown(&response.survivors) {
        let line = survival(context, after, survivor);
        context.printer.line(wrapped(&line, 2, width))?;
    }
    let more = response.n_survivors.saturating_sub(bound::LINES_MAX);
    bound::say_more(context, 2, more)
}

/// By what a belief survives, in a line.
fn survival(context: &Context, after: &State, survivor: &Survivor) -> String {
    let names = survivor.sources.iter();
    let names = names.map(|it| show::source(&immune_api::SourceName::of(after, *it)));
    let names: Vec<String> = names.collect();
    let count = |backing: &immune_engine::Backing| {
        let least = if backing.corroboration.exact {
            ""
        } else {
            ">="
        };
        format!("{least}{}", backing.corroboration.count)
    };
    let (was, is) = (&survivor.before, &survivor.after);
    format!(
        "{}  by {}, from {}; corroboration {} -> {}, strength {} -> {}  {}",
        survivor.belief,
        survivor.by,
        bound::words(&names),
        count(was),
        count(is),
        was.strength,
        is.strength,
        words(context, after, survivor.belief)
    )
}

/// What is merely tainted: it stands, and a person may want to look.
fn print_exposed(context: &mut Context, response: &Response) -> Result<(), Failure> {
    let exposed = &response.exposed;
    let beliefs = exposed.beliefs.iter().map(|(it, _)| it.to_string());
    let decisions = exposed.decisions.iter().map(ToString::to_string);
    let actions = exposed.actions.iter().map(ToString::to_string);
    let all: Vec<String> = beliefs.chain(decisions).chain(actions).collect();
    if !all.is_empty() {
        let line = format!("exposed, and stands: {}", bound::words(&all));
        context
            .printer
            .line(wrapped(&line, 2, context.printer.width()))?;
    }
    Ok(())
}
