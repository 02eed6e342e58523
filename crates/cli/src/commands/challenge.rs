//! `challenge`: somebody says that what is believed is false. Prints what fell, before and after.

use immune_api::write::{self, Challenged};
use immune_engine::Response;
use immune_engine::reason::plan::{self, Challenge, ChallengeOutcome};

use immune_model::shell::Command;

use super::{Context, bound, remember, reply, response, reversals, show, verb};
use crate::args::{self, Named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::Challenge) -> Result<Exit, Failure> {
    let mut claim = remember::new_claim(&args.about, &args.claim)?;
    if let Some(polarity) = args.polarity {
        claim.polarity = polarity;
    }
    let namespace = remember::namespace(&args.place)?;
    let run = remember::run_id(&args.place)?;
    let session = context.writer(args.dry_run)?;
    let mut command = Challenge::new(remember::source(&session, &args.source)?, claim);
    command.statement.namespace = namespace;
    command.statement.run = run;
    command.against = Named::find_all(&args.against, session.snapshot()?.state())?;
    remember::open_channel(&session, &args.source)?;
    let before = session.snapshot()?;
    let challenged = session.challenge(command)?;
    let after = session.snapshot()?;
    let incident = challenged.incident.as_ref().map(|(id, _)| *id);
    let response = incident.and_then(|it| Response::between(before.state(), after.state(), it));
    let mut view = Challenged::of(after.state(), &challenged, response.as_ref());
    if !context.printer.is_json() {
        let verb = verb(&session, "", "would be ");
        print(context, verb, &view, &challenged)?;
        if let Some(response) = &response {
            response::print(context, before.state(), after.state(), response)?;
        }
    }
    if !session.is_preview() && !args.no_reversals {
        view.reversals = reversals::drain(context, &session)?;
        reversals::print(context, &view.reversals)?;
    }
    context.printer.reply(&reply(&session, view.clone()))?;
    if !session.is_preview() {
        say_next(context, &view, &args.place.namespace);
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
    let disputed = bound::words(&view.disputed);
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

fn say_next(context: &mut Context, view: &write::Challenged, namespace: &str) {
    if let Some(incident) = &view.incident {
        let subject = incident.subject.clone();
        let subject = subject.unwrap_or_else(|| show::about(incident));
        let recall = Command::new("recall").option("--about", &subject);
        let namespace = Some(namespace).filter(|it| !it.is_empty());
        context.next(recall.option_if("--namespace", namespace));
        context.undo(format!("reinstate {}", incident.incident));
        return;
    }
    if let Some(first) = view.undecided.first() {
        let also = bound::words(&view.undecided);
        context.printer.note(format!(
            "{also} stands on the same subject; no literal or polarity decides whether it \
             agrees. If it is false, say so with `--against {first}`"
        ));
    }
    if view.review.is_some() {
        context.next("list reviews");
    } else {
        context.next(format!("explain {}", view.claimed));
    }
}
