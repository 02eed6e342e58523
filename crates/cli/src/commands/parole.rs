//! `parole`: a quarantined belief is tested again, and released if nothing speaks against it.

use immune_api::attribute::{Paroled, Root};
use immune_engine::attribution::Answerer;
use immune_engine::reason::State;
use immune_engine::{Session, Testing, Who};
use immune_model::AttributionId;
use immune_model::shell::Command;

use super::{Context, bound, oracle, reply, show, verb};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::printer::{GREEN, YELLOW, styled};

pub(crate) fn run(context: &mut Context, args: &args::Parole) -> Result<Exit, Failure> {
    let named = args.again.oracle.oracle.as_deref();
    let named = named
        .map(|it| oracle::answerer(context, it, None))
        .transpose()?;
    let then = oracle::known(context);
    let then: Vec<&dyn Answerer> = then.iter().map(AsRef::as_ref).collect();
    let judge = oracle::judge(args.again.judge.as_deref())?;
    let session = context.changer(args.again.dry_run)?;
    let belief = args.belief.find(session.snapshot()?.state())?;
    let paroled = session.parole(
        belief,
        Testing {
            who: match &named {
                Some(named) => Who::This(named.as_ref()),
                None => Who::AsThen(&then),
            },
            judge: judge.as_ref().map(|(_, it)| it.as_ref()),
        },
    )?;
    let view = Paroled::from(&paroled);
    let exit = if view.released { Exit::Yes } else { Exit::No };
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(exit);
    }
    print(context, &session, &view)?;
    for belief in bound::shown(&paroled.active) {
        let snapshot = session.snapshot()?;
        let (status, claim) = (
            show::status("active"),
            show::claim(snapshot.state(), *belief),
        );
        context
            .printer
            .line(format!("  {belief}  {status}  {claim}"))?;
    }
    bound::say_more(context, 2, bound::left(&paroled.active))?;
    if !session.is_preview() {
        say_next(context, session.snapshot()?.state(), &view);
    }
    Ok(exit)
}

fn print(context: &mut Context, session: &Session, view: &Paroled) -> Result<(), Failure> {
    let by_roots = view.roots.iter().any(|it| it.belief != view.belief);
    if by_roots {
        let roots: Vec<&str> = view.roots.iter().map(|it| it.belief.as_str()).collect();
        let roots = bound::words(&roots);
        let belief = &view.belief;
        context.printer.line(format!(
            "{belief} fell with {roots}, which is tested for it"
        ))?;
    }
    for root in bound::shown(&view.roots) {
        let line = told(session, root);
        let line = wrapped(&line, 0, context.printer.width());
        context.printer.line(line)?;
    }
    bound::say_more(context, 0, bound::left(&view.roots))?;
    if by_roots {
        let (belief, status) = (&view.belief, show::status(view.status));
        context.printer.line(format!("{belief} is {status}"))?;
    }
    Ok(())
}

/// What the test of one belief led to.
fn told(session: &Session, root: &Root) -> String {
    let why = escape::line(&root.why);
    let by = match root.oracles.as_slice() {
        [] => String::new(),
        all => format!(" of {}", escape::line(&bound::words(all))),
    };
    let asked = match root.retested.as_slice() {
        all if root.calls > 0 => format!("; {} asked again{by}", bound::words(all)),
        _ => String::new(),
    };
    let outcome = if root.test == "released" {
        styled(GREEN, verb(session, "released", "would be released"))
    } else {
        styled(YELLOW, "held")
    };
    let belief = &root.belief;
    format!("{outcome}: {belief}, as {why}{asked}")
}

fn say_next(context: &mut Context, state: &State, view: &Paroled) {
    if let Some(root) = view.roots.iter().find(|it| it.test == "released") {
        context.next(format!("explain {}", view.belief));
        let undo = Command::new("flag").plain(&root.belief);
        context.undo(undo.option("--reason", "its parole was a mistake"));
        return;
    }
    let unanswered = view.roots.iter().find(|it| it.test == "unanswered");
    if let Some(line) = unanswered.and_then(|it| command_of(state, it)) {
        let again = Command::new("parole").plain(&view.belief);
        context.next(again.option("--oracle", &format!("cmd: {line}")));
        return;
    }
    let by = view.roots.iter().find_map(|it| it.by.as_ref());
    context.next(format!("explain {}", by.unwrap_or(&view.belief)));
}

/// The command that answered then, where the last answer that was to be asked for is one of a
/// command.
fn command_of(state: &State, root: &Root) -> Option<String> {
    let last: AttributionId = root.retested.last()?.parse().ok()?;
    let oracle = &state.attribution(last)?.what.oracle;
    immune_oracle::Command::line_in(oracle.as_str()).map(str::to_owned)
}
