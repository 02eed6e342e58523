//! `guard`: an action runs only if what it relies on stands, and how it ended is recorded.

use immune_api::write::{ActionBrief, Finished, Guarded};
use immune_api::{Code, Problem};
use immune_engine::Session;
use immune_engine::reason::plan::{
    EffectOutcome, FinishAction, Guard, GuardVerdict, Guarded as Written,
};
use immune_model::{ActionId, ActionStatus, Kind, Text, Verdict};

use super::{Context, bound, derive, remember, reply, show, verb};
use crate::args::{self, Named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::{Failure, OutputError};
use crate::input;
use crate::interrupt::Interrupts;
use crate::process::{self, Errors, Task};

pub(crate) fn run(context: &mut Context, args: &args::Guard) -> Result<Exit, Failure> {
    if let Some(action) = &args.finish {
        return finish(context, args, action);
    }
    let mut command = command(context, args)?;
    let session = context.writer(args.dry_run)?;
    if !args.uses.is_empty() {
        command.used = Some(Named::find_all(&args.uses, session.snapshot()?.state())?);
    }
    if args.command.is_empty() || session.is_preview() {
        return propose(context, &session, command);
    }
    act(context, &session, command, args)
}

fn command(context: &mut Context, args: &args::Guard) -> Result<Guard, Failure> {
    let missing = || Failure::usage("an action has a `--kind` and a `--payload`");
    let kind = args.kind.as_deref().ok_or_else(missing)?;
    let payload = args.payload.as_deref().ok_or_else(missing)?;
    Ok(Guard {
        agent: derive::agent(context, args.agent.as_deref())?,
        namespace: remember::namespace(&args.place)?,
        kind: Kind::new(kind)?,
        payload: input::payload(context, payload)?,
        literals: Vec::new(),
        used: None,
        run: remember::run_id(&args.place)?,
        narrowing: derive::narrowing(args.narrow),
    })
}

/// Writes the action, and leaves its effect to the caller.
fn propose(context: &mut Context, session: &Session, command: Guard) -> Result<Exit, Failure> {
    let written = session.guard(command)?;
    let snapshot = session.snapshot()?;
    let view = Guarded::of(snapshot.state(), &written);
    if !context.printer.reply(&reply(session, view.clone()))? {
        let verb = verb(session, "", "would be ");
        let (action, status) = (&view.action, show::status(view.status));
        let used = relied_on(&view);
        context
            .printer
            .line(format!("{action}  {verb}{status}, {used}"))?;
        warn(context, &view);
        if !session.is_preview() && written.verdict == GuardVerdict::Proceed {
            let done = format!("guard --finish {action} --result TEXT");
            context.printer.next("when it ran", &context.command(&done));
            let failed = format!("guard --finish {action} --failed TEXT");
            context
                .printer
                .next("if it did not", &context.command(&failed));
        }
    }
    match written.verdict {
        GuardVerdict::Proceed => Ok(Exit::Yes),
        GuardVerdict::Refused => Err(refusal(context, &written)),
    }
}

/// Writes the action, runs its effect, and records how that ended.
fn act(
    context: &mut Context,
    session: &Session,
    command: Guard,
    args: &args::Guard,
) -> Result<Exit, Failure> {
    // The effect sees the interrupt too; we stay, to record how it ended.
    let interrupts = Interrupts::listen()?;
    let (kind, payload) = (command.kind.clone(), command.payload.clone());
    let mut passed_on = Ok(());
    let (written, status) = session.act(command, |written| {
        announce(context, session, written);
        effect(context, written, args, (&kind, &payload), &mut passed_on)
    })?;
    let snapshot = session.snapshot()?;
    let view = Guarded::of(snapshot.state(), &written);
    context.printer.reply(&reply(session, view.clone()))?;
    if written.verdict == GuardVerdict::Refused {
        return Err(refusal(context, &written));
    }
    passed_on?;
    let (action, shown) = (&view.action, show::status(view.status));
    context.printer.note(format!("{action}  {shown}"));
    if status == ActionStatus::Reversing {
        context
            .printer
            .warn("what it relied on fell while it ran; its reversal is due");
        context.next("reversals run");
    } else {
        context.next(format!("explain {action}"));
    }
    if interrupts.asked() {
        return Ok(Exit::Interrupted);
    }
    if status == ActionStatus::Failed {
        let detail = view.detail.as_deref().unwrap_or("it said nothing");
        let message = format!("the effect of `{action}` failed: {detail}");
        return Err(Failure::new(Code::EffectFailed, message)
            .hint("the failure is recorded; guard the action again once its cause is gone"));
    }
    Ok(Exit::Yes)
}

/// Says what is about to run. The effect's own output is the data of this command.
fn announce(context: &mut Context, session: &Session, written: &Written) {
    let Ok(snapshot) = session.snapshot() else {
        return;
    };
    let view = Guarded::of(snapshot.state(), written);
    let used = relied_on(&view);
    context
        .printer
        .note(format!("{}  proceeds, {used}", view.action));
    warn(context, &view);
}

fn effect(
    context: &mut Context,
    written: &Written,
    args: &args::Guard,
    (kind, payload): (&Kind, &Text),
    passed_on: &mut Result<(), OutputError>,
) -> Result<Option<Text>, Text> {
    let task = Task {
        words: &args.command,
        input: payload.as_str(),
        action: written.action.to_string(),
        kind: kind.as_str(),
        errors: if context.printer.shows_errors() {
            Errors::Shown
        } else {
            Errors::Kept
        },
    };
    let ended = process::run(&task, &mut |bytes| context.printer.pass_on(bytes));
    *passed_on = ended.passed_on;
    ended.outcome
}

fn relied_on(view: &Guarded) -> String {
    if view.used.is_empty() {
        return "relies on nothing".to_owned();
    }
    let used = bound::words(&view.used);
    let inferred = if view.used_by == "inferred" {
        " (inferred from the payload)"
    } else {
        ""
    };
    let joined = if view.joined.is_empty() {
        String::new()
    } else {
        let joined = bound::words(&view.joined);
        format!(" ({joined} carries what the payload names)")
    };
    let waived = if view.waivers.is_empty() {
        String::new()
    } else {
        format!(", check waived by {}", bound::words(&view.waivers))
    };
    format!("relies on {used}{inferred}{joined}{waived}")
}

fn warn(context: &mut Context, view: &Guarded) {
    for warning in bound::shown(&view.warnings) {
        context.printer.warn(escape::line(warning));
    }
    let more = bound::left(&view.warnings);
    if more > 0 {
        context.printer.warn(format!("and {more} more"));
    }
}

/// The reasons, and the way out of the first of them.
fn refusal(context: &Context, written: &Written) -> Failure {
    let action = written.action;
    let reasons = bound::parts(&written.reasons);
    let problem = Problem::new(
        Code::GuardRefused,
        format!("the guard refused `{action}`: {reasons}"),
    );
    let unknown = written
        .checks
        .iter()
        .find(|(_, verdict)| *verdict == Verdict::Unknown);
    let hint = match (
        written.used.first(),
        written.uncorroborated.first(),
        unknown,
    ) {
        (None, ..) => {
            let recall = context.command("recall WORDS");
            format!("`{recall}` shows what may be relied on; name it with `--uses`")
        }
        (_, Some(belief), _) => {
            let explain = context.command(format!("explain {belief}"));
            format!("have an independent source state it; `{explain}` says who does")
        }
        (Some(_), None, Some((belief, _))) => {
            let explain = context.command(format!("explain {belief}"));
            format!(
                "have a system of record state it, or an operator set a rule that warns \
                 (`immune rules set KIND --class C --unknown warn`); `{explain}` says what it \
                 rests on"
            )
        }
        (Some(_), None, None) if is_tainted(written) => {
            let start = context.command("runs start RUN --parent PARENT --items");
            format!(
                "act in a run that was not shown it; an operator starts one with `{start} …`, or \
                 names what counts with `--uses` and `--narrow`"
            )
        }
        (Some(belief), None, None) => {
            let explain = context.command(format!("explain {belief}"));
            format!("`{explain}` says why")
        }
    };
    Failure::problem(problem.hint(hint))
}

/// Whether what its run was shown is what refuses an action.
fn is_tainted(written: &Written) -> bool {
    written.context.is_some()
        && written.reasons.len() == 1
        && written.reasons.iter().all(|it| it.starts_with("run `"))
}

/// Records how an effect ended that ran elsewhere.
fn finish(
    context: &mut Context,
    args: &args::Guard,
    action: &Named<ActionId>,
) -> Result<Exit, Failure> {
    let outcome = match (&args.result, &args.failed) {
        (_, Some(error)) => EffectOutcome::Failed(input::payload(context, error)?),
        (Some(result), None) => EffectOutcome::Executed(Some(input::payload(context, result)?)),
        (None, None) => {
            return Err(Failure::usage("it is not said how the effect ended")
                .hint("add `--result TEXT`, or `--failed TEXT`"));
        }
    };
    let session = context.writer(args.dry_run)?;
    let action = action.find(session.snapshot()?.state())?;
    session.finish(FinishAction { action, outcome })?;
    let snapshot = session.snapshot()?;
    let view = Finished {
        action: ActionBrief::of(snapshot.state(), action),
    };
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = verb(&session, "is", "would be");
    let status = show::status(view.action.status);
    context.printer.line(format!("{action} {verb} {status}"))?;
    if !session.is_preview() {
        context.next(format!("explain {action}"));
    }
    Ok(Exit::Yes)
}
