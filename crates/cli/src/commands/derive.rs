//! `derive`: an agent concludes something from what stands.

use immune_api::write;
use immune_engine::reason::plan::{Derivation, Narrowing, Rederivation};
use immune_model::Handle;

use super::{Context, bound, noted, remember, reply, screening, show, verb};
use crate::args::{self, Named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::Derive) -> Result<Exit, Failure> {
    let mut claim = remember::new_claim(&args.about, &args.claim)?;
    claim.expires_at = remember::expiry(context.now(), args.ttl.as_deref())?;
    if let Some(polarity) = args.polarity {
        claim.polarity = polarity;
    }
    claim.lower(args.confidence);
    let agent = agent(context, args.agent.as_deref())?;
    let metadata = noted::metadata(context, &args.noted)?;
    let session = context.changer(args.dry_run)?;
    let command = Derivation {
        agent,
        namespace: remember::namespace(&args.place)?,
        premises: Named::find_all(&args.from, session.snapshot()?.state())?,
        claim,
        run: remember::run_id(&args.place)?,
        narrowing: narrowing(args.narrow),
        metadata,
    };
    let (derived, tasks) = match &args.replaces {
        Some(replaces) => {
            let replaces = replaces.find(session.snapshot()?.state())?;
            let derivation = command;
            let done = session.rederive(Rederivation {
                derivation,
                replaces,
            })?;
            (done.derived, done.tasks)
        }
        None => (session.derive(command)?, Vec::new()),
    };
    let snapshot = session.snapshot()?;
    let mut view = write::Derived::of(snapshot.state(), session.principal(), &derived);
    view.tasks = tasks.iter().map(ToString::to_string).collect();
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = if derived.repeated {
        "was there already:"
    } else {
        verb(&session, "derived", "would derive")
    };
    let (status, strength) = (show::status(view.status), show::trust(derived.strength));
    let (belief, subject) = (&view.belief, escape::line(&view.subject));
    context.printer.line(format!(
        "{verb} {belief}  {status}, strength {strength}  {subject}"
    ))?;
    let claim = show::claim(snapshot.state(), derived.belief);
    let claim = crate::layout::wrapped(&claim, 2, context.printer.width());
    context.printer.line(claim)?;
    context
        .printer
        .line(format!("  rests on {}", bound::words(&view.premises)))?;
    if let Some(statement) = view.report.statements.first() {
        screening::print_noteworthy(context, statement, 2)?;
    }
    if !view.tasks.is_empty() {
        let tasks = bound::words(&view.tasks);
        context.printer.line(format!("  done: {tasks}"))?;
    }
    if !session.is_preview() {
        context.next(format!("explain {belief}"));
        if !derived.repeated {
            context.undo(format!("forget {belief}"));
        }
    }
    Ok(Exit::Yes)
}

/// The agent that is named, or who asks.
pub(crate) fn agent(context: &Context, named: Option<&str>) -> Result<Handle, Failure> {
    match named {
        Some(name) => Ok(Handle::new(name)?),
        None => Ok(context.settings.principal.value.name.clone()),
    }
}

/// Whether what the run was shown is left out.
pub(crate) fn narrowing(narrow: bool) -> Narrowing {
    if narrow {
        Narrowing::Narrowed
    } else {
        Narrowing::Whole
    }
}
