//! `challenge`: somebody says that what is believed is false. Prints what fell, before and after.

use immune_api::write::{self, Challenged};
use immune_engine::reason::State;
use immune_engine::reason::plan::{self, Challenge, ChallengeOutcome};
use immune_engine::{Explained, Fallen};

use super::{Context, remember, reply, reversals, show, verb};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};

/// Fallen beliefs that are shown; `--json` and `explain` give all of them.
const SHOWN_MAX: usize = 200;
/// Levels that are indented; deeper ones say their depth.
const INDENT_MAX: u32 = 12;

pub(crate) fn run(context: &mut Context, args: &args::Challenge) -> Result<Exit, Failure> {
    let mut claim = remember::new_claim(&args.about, &args.claim)?;
    if let Some(polarity) = args.polarity {
        claim.polarity = polarity;
    }
    let mut command = Challenge::new(remember::source(&args.source)?, claim);
    command.statement.namespace = remember::namespace(&args.place)?;
    command.statement.run = remember::run_id(&args.place)?;
    command.against.clone_from(&args.against);
    let session = context.writer(args.dry_run)?;
    remember::open_channel(&session, &args.source)?;
    let before = session.snapshot()?;
    let challenged = session.challenge(command)?;
    let after = session.snapshot()?;
    let fell = challenged
        .incident
        .as_ref()
        .map(|(id, _)| Explained::of(after.state()).fallen(*id))
        .unwrap_or_default();
    let mut view = Challenged::of(after.state(), &challenged, &fell);
    if !context.printer.is_json() {
        let verb = verb(&session, "", "would be ");
        print(context, verb, &view, &challenged)?;
        print_fallen(context, before.state(), after.state(), &fell)?;
        print_consequences(context, &view, &challenged)?;
    }
    if !session.is_preview() && !args.no_reversals {
        view.reversals = reversals::drain(context, &session)?;
        reversals::print(context, &view.reversals)?;
    }
    context.printer.reply(&reply(&session, view.clone()))?;
    if !session.is_preview() {
        say_next(context, &view);
    }
    Ok(Exit::Yes)
}

fn print(
    context: &mut Context,
    verb: &str,
    view: &Challenged,
    challenged: &plan::Challenged,
) -> Result<(), Failure> {
    let outcome = show::outcome(view.outcome);
    let claimed = &view.claimed;
    let disputed = view.disputed.join(", ");
    let line = match (challenged.outcome, &view.incident) {
        (ChallengeOutcome::Refuted, Some(incident)) => {
            let (id, about) = (&incident.incident, show::about(incident));
            let (by, subject) = (show::cause(incident), escape::line(&about));
            format!("{verb}{outcome} {by} in {id}: {subject}")
        }
        (ChallengeOutcome::Review, _) => {
            let review = view.review.as_deref().unwrap_or("a review");
            format!("{verb}{outcome}: {review} asks a person about {disputed}; nothing fell")
        }
        (ChallengeOutcome::Confirmed, _) => {
            format!("{verb}{outcome}: the record states {claimed}, which was believed")
        }
        _ => format!("{verb}{outcome}: nothing that stands disagrees with {claimed}"),
    };
    context.printer.line(line)?;
    Ok(())
}

/// The refuted beliefs, each with what fell below it, indented by depth.
fn print_fallen(
    context: &mut Context,
    before: &State,
    after: &State,
    fell: &[Fallen],
) -> Result<(), Failure> {
    let mut table = Vec::new();
    for fallen in fell.iter().take(SHOWN_MAX) {
        let was = before
            .belief_now(fallen.belief)
            .map(|it| it.status.name())
            .filter(|it| *it != fallen.status.name());
        table.push(fallen_row(after, fallen, was));
        for action in &fallen.actions {
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
    if fell.len() > SHOWN_MAX {
        let more = show::count(fell.len() - SHOWN_MAX, "belief");
        context.printer.line(format!("  and {more} more"))?;
    }
    Ok(())
}

fn fallen_row(after: &State, fallen: &Fallen, was: Option<&'static str>) -> Vec<Cell> {
    vec![
        Cell::from(indented(fallen.depth, &fallen.belief.to_string())),
        change(was, fallen.status.name()),
        Cell::from(show::claim(after, fallen.belief)),
    ]
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

fn print_consequences(
    context: &mut Context,
    view: &Challenged,
    challenged: &plan::Challenged,
) -> Result<(), Failure> {
    if let Some((_, record)) = &challenged.incident {
        let named = view.incident.iter().flat_map(|it| &it.reputations);
        for (change, (_, before, after)) in named.zip(&record.reputations) {
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
    }
    if !view.tasks.is_empty() {
        let tasks = view.tasks.join(", ");
        context
            .printer
            .line(format!("  to derive again: {tasks}"))?;
    }
    Ok(())
}

fn say_next(context: &mut Context, view: &write::Challenged) {
    if let Some(incident) = &view.incident {
        let subject = escape::quoted(&show::about(incident));
        context.next(&format!("recall --about {subject}"));
        context.undo(&format!("reinstate {}", incident.incident));
        return;
    }
    if let Some(first) = view.undecided.first() {
        let also = view.undecided.join(", ");
        context.printer.note(format!(
            "{also} stands on the same subject; no literal or polarity decides whether it \
             agrees. If it is false, say so with `--against {first}`"
        ));
    }
    if view.review.is_some() {
        context.next("list reviews");
    } else {
        context.next(&format!("explain {}", view.claimed));
    }
}
