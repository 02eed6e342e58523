//! `doctor`: ordered checks, each with what was tried, what came of it, how long it took, and one
//! fix. A check that depends on one that failed says so and is skipped.

use std::path::Path;
use std::time::Instant;

use immune_api::doctor::{Check, CheckResult, Doctor, Setting};
use immune_api::{Code, Problem, Reply};
use immune_engine::{Engine, Parts, Recall, Session};
use immune_model::{Item, Status, Trust};

use super::{Context, show};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::printer::{CYAN, DIM, GREEN, RED, YELLOW, styled};
use crate::settings;
use crate::store::{Access, Location, open_store};

/// Events up to which the projections are compared with a replay; `verify` reads any number.
const COMPARED_MAX: u64 = 20_000;

/// What a check came to.
struct Finding {
    result: CheckResult,
    found: String,
    fix: Option<String>,
}

impl Finding {
    fn ok(found: impl Into<String>) -> Self {
        Self {
            result: CheckResult::Ok,
            found: found.into(),
            fix: None,
        }
    }

    fn warning(found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            result: CheckResult::Warning,
            found: found.into(),
            fix: Some(fix.into()),
        }
    }

    fn failed(problem: &Problem) -> Self {
        Self {
            result: CheckResult::Failed,
            found: problem.message.clone(),
            fix: problem
                .hint
                .clone()
                .or(Some(problem.code.next().to_owned())),
        }
    }
}

/// The checks so far.
#[derive(Default)]
struct Examination {
    checks: Vec<Check>,
}

impl Examination {
    /// Makes a check and notes it; returns whether what depends on it can be checked.
    fn check(
        &mut self,
        name: &'static str,
        tried: impl Into<String>,
        check: impl FnOnce() -> Finding,
    ) -> bool {
        let started = Instant::now();
        let finding = check();
        let usable = matches!(finding.result, CheckResult::Ok | CheckResult::Warning);
        self.checks.push(Check {
            name,
            tried: tried.into(),
            result: finding.result,
            found: finding.found,
            fix: finding.fix,
            took_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
        usable
    }

    /// Notes the checks that cannot be made.
    fn skip(&mut self, names: &[&'static str], because: &str) {
        self.checks.extend(names.iter().map(|name| Check {
            name,
            tried: String::new(),
            result: CheckResult::Skipped,
            found: format!("skipped because {because}"),
            fix: None,
            took_ms: 0,
        }));
    }
}

/// The checks that need an open memory, in their order.
const OF_THE_MEMORY: &[&str] = &["projections", "recall", "clock", "actions", "reversals"];

pub(crate) fn run(context: &mut Context) -> Result<Exit, Failure> {
    let mut examination = Examination::default();
    if let Some(session) = open(context, &mut examination) {
        let now = context.now();
        examine(context, &mut examination, &session, now);
    }
    let failed = examination
        .checks
        .iter()
        .filter(|it| it.result == CheckResult::Failed);
    let failed = failed.count();
    let view = Doctor {
        healthy: failed == 0,
        settings: in_force(context),
        checks: examination.checks,
    };
    if !context.printer.reply(&Reply::new(view.clone()))? {
        print(context, &view)?;
    }
    if failed == 0 {
        return Ok(Exit::Yes);
    }
    let message = format!("{} failed", show::count(failed, "check"));
    Err(Failure::new(Code::CheckFailed, message))
}

fn in_force(context: &Context) -> Vec<Setting> {
    let settings = &context.settings;
    let principal = &settings.principal.value;
    vec![
        Setting {
            name: "store",
            value: settings.store.value.clone(),
            from: settings.store.from.name(),
        },
        Setting {
            name: "memory",
            value: settings.memory.value.to_string(),
            from: settings.memory.from.name(),
        },
        Setting {
            name: "principal",
            value: format!("{}:{}", principal.role.name(), principal.name),
            from: settings.principal.from.name(),
        },
        Setting {
            name: "timeout_seconds",
            value: settings.timeout_seconds.value.to_string(),
            from: settings.timeout_seconds.from.name(),
        },
    ]
}

/// Opens store and memory, step by step.
fn open(context: &Context, examination: &mut Examination) -> Option<Session> {
    let settings = &context.settings;
    let named = escape::line(&settings.store.value);
    let absent = match Location::parse(&settings.store.value) {
        Ok(Location::File(path)) => !path.try_exists().unwrap_or(true),
        _ => false,
    };
    if absent {
        examination.check("store", format!("look at `{named}`"), || {
            let make = context.command("channels set inbox --tier 0.7");
            let source = settings.store.from.name();
            Finding::warning(
                format!("there is no store yet; the path is from: {source}"),
                format!("the first write makes it: `{make}`"),
            )
        });
        examination.skip(&["permissions", "memory"], "there is no store yet");
        examination.skip(OF_THE_MEMORY, "there is no store yet");
        return None;
    }
    let mut store = None;
    let opened = examination.check("store", format!("open `{named}`"), || {
        match open_store(settings, Access::Reads) {
            Ok(found) => {
                let described = found.describe();
                store = Some(found);
                Finding::ok(described)
            }
            Err(failure) => failed(failure),
        }
    });
    let Some(store) = store.filter(|_| opened) else {
        examination.skip(&["permissions", "memory"], "`store` failed");
        examination.skip(OF_THE_MEMORY, "`store` failed");
        return None;
    };
    if let Ok(Location::File(path)) = Location::parse(&settings.store.value) {
        examination.check("permissions", format!("look at `{named}`"), || {
            permissions(path)
        });
    }
    let memory = escape::line(settings.memory.value.as_str());
    let engine = Engine::new(Parts::new(store));
    let mut session = None;
    let tried = format!("read and check every event of memory `{memory}`");
    examination.check("memory", tried, || {
        let opened = engine.memory(&settings.memory.value);
        let opened = opened.and_then(|it| Ok((it.snapshot()?.head().seq, it)));
        match opened {
            Ok((0, _)) => Finding::warning(
                "nothing was ever written to it",
                format!("`{}`", context.command("channels set inbox --tier 0.7")),
            ),
            Ok((events, memory)) => {
                session = Some(memory.session(settings.principal.value.clone()));
                let events = usize::try_from(events).unwrap_or(usize::MAX);
                let format = immune_store::FORMAT;
                Finding::ok(format!("{}, format {format}", show::count(events, "event")))
            }
            Err(error) => Finding::failed(&error.into()),
        }
    });
    if session.is_none() {
        examination.skip(OF_THE_MEMORY, "`memory` holds nothing that can be read");
    }
    session
}

fn failed(failure: Failure) -> Finding {
    match failure {
        Failure::Problem(problem) => Finding::failed(&problem),
        Failure::ReaderGone => Finding::ok(""),
    }
}

/// Whether the file can be written by us, and read by nobody else.
fn permissions(path: &Path) -> Finding {
    let shown = escape::quoted(&path.to_string_lossy());
    let found = match fs_err::metadata(path) {
        Ok(found) => found.permissions(),
        Err(error) => return Finding::failed(&Problem::new(Code::StoreFailed, error)),
    };
    if found.readonly() {
        return Finding::warning("it can only be read", format!("`chmod u+w {shown}`"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = found.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Finding::warning(
                format!("others on this machine may read it (mode {mode:o})"),
                format!("`chmod 600 {shown}`"),
            );
        }
    }
    Finding::ok("only its owner reads and writes it")
}

fn examine(
    context: &Context,
    examination: &mut Examination,
    session: &Session,
    now: immune_model::Instant,
) {
    examination.check("projections", "compare them with a replay", || {
        projections(context, session)
    });
    examination.check(
        "recall",
        "ask for something that stands, and for something that does not",
        || recall(session),
    );
    examination.check(
        "clock",
        "compare it with the last event",
        || match session.snapshot() {
            Ok(snapshot) => match snapshot.state().at().filter(|at| *at > now) {
                Some(at) => Finding::warning(
                    format!("the clock shows {now}, the last event is of {at}"),
                    "set the clock; until then events carry the time of the last one",
                ),
                None => Finding::ok(format!("{now}")),
            },
            Err(error) => Finding::failed(&error.into()),
        },
    );
    examination.check("actions", "look for effects that never ended", || {
        actions(context, session)
    });
    examination.check("reversals", "look for what is not reversed", || {
        pending_reversals(context, session)
    });
}

fn projections(context: &Context, session: &Session) -> Finding {
    let verify = context.command("verify");
    match session.snapshot() {
        Ok(snapshot) if snapshot.head().seq > COMPARED_MAX => {
            let events = snapshot.head().seq;
            return Finding {
                result: CheckResult::Skipped,
                found: format!("skipped because {events} events take a while"),
                fix: Some(format!("`{verify}` reads all of them")),
            };
        }
        Ok(_) => {}
        Err(error) => return Finding::failed(&error.into()),
    }
    match session.memory().verify(&mut |_| {}) {
        Ok(verified) if verified.is_sound() => {
            Finding::ok(format!("{} rows are as a replay gives them", verified.rows))
        }
        Ok(verified) => {
            let first = verified.findings.first().cloned().unwrap_or_default();
            Finding {
                result: CheckResult::Failed,
                found: escape::line(&first),
                fix: Some(format!("keep a copy of the store, then `{verify}`")),
            }
        }
        Err(error) => Finding::failed(&error.into()),
    }
}

/// Whether the index finds what stands and leaves out what does not.
fn recall(session: &Session) -> Finding {
    let snapshot = match session.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return Finding::failed(&error.into()),
    };
    let state = snapshot.state();
    let standing = |wanted: bool| {
        state.belief_ids().rev().find(|it| {
            state.belief_now(*it).is_some_and(|now| {
                (now.status == Status::Active && now.strength >= Trust::FLOOR) == wanted
            })
        })
    };
    let mut asked = 0;
    for (belief, wanted) in [(standing(true), true), (standing(false), false)] {
        let Some((id, found)) = belief.and_then(|it| Some((it, state.belief(it)?))) else {
            continue;
        };
        asked += 1;
        let question = Recall {
            query: Some(format!("{} {}", found.subject, found.text)),
            about: Some(found.subject.clone()),
            namespace: found.namespace.clone(),
            limit: 100,
            ..Recall::default()
        };
        let recalled = match session.recall(&question) {
            Ok(recalled) => recalled,
            Err(error) => return Finding::failed(&error.into()),
        };
        if recalled.facts.iter().any(|it| it.belief == id) != wanted {
            let what = if wanted { "not found" } else { "not left out" };
            let problem = Problem::new(Code::CheckFailed, format!("`{id}` is {what}"));
            return Finding::failed(&problem.hint("this is a bug; please report it"));
        }
    }
    Finding::ok(match asked {
        0 => "there is nothing to ask for".to_owned(),
        _ => "found what stands, left out what does not".to_owned(),
    })
}

fn actions(context: &Context, session: &Session) -> Finding {
    let snapshot = match session.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return Finding::failed(&error.into()),
    };
    let executing: Vec<_> = snapshot.state().actions_executing().collect();
    let Some(first) = executing.first() else {
        return Finding::ok("every effect that began has ended");
    };
    let n = show::count(executing.len(), "action");
    let finish = context.command(&format!("guard --finish {first} --result TEXT"));
    Finding::warning(
        format!("{n} began and never ended, {first} first; their process may have been killed"),
        format!("see whether its effect took place, then `{finish}` or `--failed TEXT`"),
    )
}

fn pending_reversals(context: &Context, session: &Session) -> Finding {
    let snapshot = match session.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return Finding::failed(&error.into()),
    };
    let state = snapshot.state();
    let pending = state.reversals_pending().count();
    let failed = state.action_ids().filter(|it| {
        let action = state.action(*it);
        action.is_some_and(|it| it.status == immune_model::ActionStatus::ReversalFailed)
    });
    let failed: Vec<Item> = failed.map(Item::from).collect();
    if let Some(first) = failed.first() {
        let n = show::count(failed.len(), "reversal");
        return Finding::warning(
            format!("{n} failed for good, of {first} first"),
            format!("`{}`", context.command(&format!("explain {first}"))),
        );
    }
    if pending > 0 {
        let n = show::count(pending, "reversal");
        return Finding::warning(
            format!("{n} not done yet"),
            format!("`{}`", context.command("reversals run")),
        );
    }
    Finding::ok("nothing is to be reversed")
}

fn print(context: &mut Context, view: &Doctor) -> Result<(), Failure> {
    let width = context.printer.width();
    let printer = &mut context.printer;
    printer.line("settings")?;
    for setting in &view.settings {
        let (name, value) = (setting.name, escape::line(&setting.value));
        let from = match setting.name {
            "store" if setting.from == "environment" => settings::environment::STORE,
            "memory" if setting.from == "environment" => settings::environment::MEMORY,
            _ => setting.from,
        };
        let from = styled(DIM, format!("({from})"));
        printer.line(format!("  {name:<16}  {value}  {from}"))?;
    }
    printer.line("checks")?;
    for check in &view.checks {
        let style = match check.result {
            CheckResult::Ok => GREEN,
            CheckResult::Warning => YELLOW,
            CheckResult::Failed => RED,
            CheckResult::Skipped => DIM,
        };
        let word = styled(style, format!("{:<7}", check.result.name()));
        let (name, ms) = (check.name, check.took_ms);
        let found = escape::line(&check.found);
        if check.result == CheckResult::Skipped && check.fix.is_none() {
            printer.line(format!("  {word}  {name:<12}           {found}"))?;
            continue;
        }
        let tried = styled(DIM, &check.tried);
        printer.line(format!("  {word}  {name:<12}  {ms:>4} ms  {tried}"))?;
        printer.line(wrapped(&found, 11, width))?;
        if let Some(fix) = &check.fix {
            let label = styled(CYAN, "fix");
            printer.line(format!("           {label}: {}", escape::line(fix)))?;
        }
    }
    Ok(())
}
