//! `doctor`: ordered checks, each with what was tried, what came of it, how long it took, and one
//! fix. A check that depends on one that failed says so and is skipped.

mod checks;

use std::time::Instant;

use immune_api::doctor::{Check, CheckResult, Doctor, Setting};
use immune_api::{Code, Reply};
use immune_engine::{Engine, Parts, Session};

use super::{Context, extractor, opened_from, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::printer::{CYAN, DIM, GREEN, RED, YELLOW, styled};
use crate::settings::{self, Origin};
use crate::store::{Access, Location, open_store};
use checks::Finding;

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

pub(crate) fn run(context: &mut Context, args: &args::Doctor) -> Result<Exit, Failure> {
    let mut examination = Examination::default();
    if let Some(session) = open(context, &mut examination) {
        let now = context.now();
        examine(context, &mut examination, &session, now);
    }
    examination.check("extractor", "read its settings", || {
        checks::extractor(context)
    });
    if args.model {
        examination.check("model", "have it read a sentence", || {
            checks::model(context)
        });
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
    let mut in_force = vec![
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
        Setting {
            name: "extractor",
            value: settings.extractor.value.name().to_owned(),
            from: settings.extractor.from.name(),
        },
        Setting {
            name: "embedder",
            value: settings.embedder.as_deref().unwrap_or("bundled").to_owned(),
            from: if settings.embedder.is_some() {
                Origin::Environment.name()
            } else {
                Origin::Default.name()
            },
        },
    ];
    let model = extractor::shown(&settings.model).into_iter();
    in_force.extend(model.map(|(name, value, is_set)| Setting {
        name,
        value,
        from: if is_set {
            Origin::Environment.name()
        } else {
            Origin::Default.name()
        },
    }));
    in_force
}

/// The environment variable of a setting.
fn variable_of(settings: &settings::Settings, setting: &str) -> Option<String> {
    use settings::environment;
    let model = |end: &str| Some(settings.model.variable(end));
    match setting {
        "store" => Some(environment::STORE.to_owned()),
        "memory" => Some(environment::MEMORY.to_owned()),
        "extractor" => Some(environment::EXTRACTOR.to_owned()),
        "embedder" => Some(environment::EMBEDDER.to_owned()),
        "model_url" => model(environment::URL),
        "model_name" => model(environment::NAME),
        "model_key" => model(environment::KEY_FROM),
        "model_timeout_seconds" => model(environment::TIMEOUT),
        "model_plain_http" => model(environment::PLAIN_HTTP),
        _ => None,
    }
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
            Err(failure) => checks::failed(failure),
        }
    });
    let Some(store) = store.filter(|_| opened) else {
        examination.skip(&["permissions", "memory"], "`store` failed");
        examination.skip(OF_THE_MEMORY, "`store` failed");
        return None;
    };
    if let Ok(Location::File(path)) = Location::parse(&settings.store.value) {
        examination.check("permissions", format!("look at `{named}`"), || {
            checks::permissions(path)
        });
    }
    let memory = escape::line(settings.memory.value.as_str());
    let engine = Engine::new(Parts::new(store));
    let mut session = None;
    let tried = format!("open memory `{memory}`");
    examination.check("memory", tried, || {
        let opened = context.open_memory(&engine);
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
                let events = show::count(events, "event");
                let from = opened_from(&memory.opened());
                Finding::ok(format!("{events}, format {format}, opened from {from}"))
            }
            Err(error) => Finding::failed(&error.into()),
        }
    });
    if session.is_none() {
        examination.skip(OF_THE_MEMORY, "`memory` holds nothing that can be read");
    }
    session
}

fn examine(
    context: &Context,
    examination: &mut Examination,
    session: &Session,
    now: immune_model::Instant,
) {
    examination.check("projections", "compare them with a replay", || {
        checks::projections(context, session)
    });
    examination.check(
        "recall",
        "ask for something that stands, and for something that does not",
        || checks::recall(session),
    );
    examination.check("clock", "compare it with the last event", || {
        checks::clock(session, now)
    });
    examination.check("actions", "look for effects that never ended", || {
        checks::actions(context, session)
    });
    examination.check("reversals", "look for what is not reversed", || {
        checks::pending_reversals(context, session)
    });
}

fn print(context: &mut Context, view: &Doctor) -> Result<(), Failure> {
    let width = context.printer.width();
    let printer = &mut context.printer;
    printer.line("settings")?;
    for setting in &view.settings {
        let (name, value) = (setting.name, escape::line(&setting.value));
        let variable =
            variable_of(&context.settings, setting.name).filter(|_| setting.from == "environment");
        let from = variable.as_deref().unwrap_or(setting.from);
        let from = styled(DIM, format!("({from})"));
        printer.line(format!("  {name:<21}  {value}  {from}"))?;
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
