//! The checks by themselves: each looks at one thing and says what it found.

use std::path::Path;

use immune_api::doctor::CheckResult;
use immune_api::{Code, Problem};
use immune_engine::client::Constraint;
use immune_engine::{Extractor, Otherwise, Recall, Session};
use immune_model::shell::Command;
use immune_model::{ActionStatus, Instant, Item, Status, Trust};

use crate::args::ExtractorName;
use crate::commands::{Context, extractor, show};
use crate::escape;
use crate::failure::Failure;

/// Events, observations and justifications up to which the projections are compared with a replay;
/// one event of an import holds many. `verify` reads any number.
const COMPARED_MAX: u64 = 20_000;

/// What a check came to.
pub(super) struct Finding {
    pub(super) result: CheckResult,
    pub(super) found: String,
    pub(super) fix: Option<String>,
}

impl Finding {
    pub(super) fn ok(found: impl Into<String>) -> Self {
        Self {
            result: CheckResult::Ok,
            found: found.into(),
            fix: None,
        }
    }

    pub(super) fn warning(found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            result: CheckResult::Warning,
            found: found.into(),
            fix: Some(fix.into()),
        }
    }

    pub(super) fn failed(problem: &Problem) -> Self {
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

pub(super) fn failed(failure: Failure) -> Finding {
    match failure {
        Failure::Problem(problem) => Finding::failed(&problem),
        Failure::ReaderGone => Finding::ok(""),
    }
}

/// Whether who finds claims is there, as far as the settings tell.
pub(super) fn extractor(context: &Context) -> Finding {
    let model = &context.settings.model;
    let rules = context.settings.extractor.value == ExtractorName::Rules;
    if rules && extractor::shown(model).is_empty() {
        return Finding::ok("rules");
    }
    match extractor::client(model, None) {
        // Rules read all the same, until somebody asks for the model.
        Err(failure) if rules => Finding {
            result: CheckResult::Warning,
            ..failed(failure)
        },
        Err(failure) => failed(failure),
        Ok(_) if rules => Finding::ok("rules; a model can be asked with `--extractor model`"),
        Ok(client) => {
            let settings = client.settings();
            let endpoint = &settings.endpoint;
            let leaves = if endpoint.is_on_this_machine() {
                "texts stay on this machine"
            } else {
                "texts leave this machine"
            };
            Finding::ok(format!("model {} at {endpoint}: {leaves}", settings.model))
        }
    }
}

/// Whether a model reads a sentence as it should.
pub(super) fn model(context: &Context) -> Finding {
    const SENTENCE: &str = "Our new IBAN is DE89 3704 0044 0532 0130 00.";
    let client = match extractor::client(&context.settings.model, None) {
        Ok(client) => client,
        Err(failure) => return failed(failure),
    };
    let extractor = Extractor::model(client, Otherwise::Refuse);
    let read = extractor.extract("jo@acme.example", SENTENCE);
    let constraint = extractor.reader().map(|it| it.client().constraint());
    let constraint = constraint.map_or("none", Constraint::name);
    let model = extractor.to_string();
    match read {
        Err(error) => Finding::failed(
            &Problem::new(Code::ModelFailed, error.to_string()).hint(error.advice()),
        ),
        Ok(read) if read.claims.iter().any(|it| !it.literals.is_empty()) => Finding::ok(format!(
            "{model} found the claim; replies kept to {constraint}"
        )),
        Ok(read) => {
            let rejected = read.rejected.first().map(|it| format!(": {}", it.reason));
            let rejected = rejected.unwrap_or_default();
            Finding::warning(
                format!("{model} answers, and found no claim in `{SENTENCE}`{rejected}"),
                "take a larger model, or leave extraction to the rules",
            )
        }
    }
}

/// Whether the file can be written by us, and read by nobody else.
pub(super) fn permissions(path: &Path) -> Finding {
    let path_shown = path.to_string_lossy();
    let chmod = |mode: &str| Command::new("chmod").plain(mode).word(&path_shown);
    let found = match fs_err::metadata(path) {
        Ok(found) => found.permissions(),
        Err(error) => return Finding::failed(&Problem::new(Code::StoreFailed, error)),
    };
    if found.readonly() {
        return Finding::warning("it can only be read", format!("`{}`", chmod("u+w")));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = found.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Finding::warning(
                format!("others on this machine may read it (mode {mode:o})"),
                format!("`{}`", chmod("600")),
            );
        }
    }
    Finding::ok("only its owner reads and writes it")
}

pub(super) fn projections(context: &Context, session: &Session) -> Finding {
    let verify = context.command("verify");
    match session.snapshot() {
        Ok(snapshot) => {
            let (events, state) = (snapshot.head().seq, snapshot.state());
            let items = (state.n_observations() + state.n_justifications()) as u64;
            if events.max(items) > COMPARED_MAX {
                return Finding {
                    result: CheckResult::Skipped,
                    found: format!(
                        "skipped because {events} events with {items} items take a while"
                    ),
                    fix: Some(format!("`{verify}` reads all of them")),
                };
            }
        }
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
pub(super) fn recall(session: &Session) -> Finding {
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

pub(super) fn actions(context: &Context, session: &Session) -> Finding {
    let snapshot = match session.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return Finding::failed(&error.into()),
    };
    let executing: Vec<_> = snapshot.state().actions_executing().collect();
    let Some(first) = executing.first() else {
        return Finding::ok("every effect that began has ended");
    };
    let n = show::count(executing.len(), "action");
    let finish = context.command(format!("guard --finish {first} --result TEXT"));
    Finding::warning(
        format!("{n} began and never ended, {first} first; their process may have been killed"),
        format!("see whether its effect took place, then `{finish}` or `--failed TEXT`"),
    )
}

pub(super) fn pending_reversals(context: &Context, session: &Session) -> Finding {
    let snapshot = match session.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => return Finding::failed(&error.into()),
    };
    let state = snapshot.state();
    let pending = state.reversals_pending().count();
    let failed = state.action_ids().filter(|it| {
        let action = state.action(*it);
        action.is_some_and(|it| it.status == ActionStatus::ReversalFailed)
    });
    let failed: Vec<Item> = failed.map(Item::from).collect();
    if let Some(first) = failed.first() {
        let n = show::count(failed.len(), "reversal");
        return Finding::warning(
            format!("{n} failed for good, of {first} first"),
            format!("`{}`", context.command(format!("explain {first}"))),
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

/// Whether the clock is behind the last event.
pub(super) fn clock(session: &Session, now: Instant) -> Finding {
    match session.snapshot() {
        Ok(snapshot) => match snapshot.state().at().filter(|at| *at > now) {
            Some(at) => Finding::warning(
                format!("the clock shows {now}, the last event is of {at}"),
                "set the clock; until then events carry the time of the last one",
            ),
            None => Finding::ok(format!("{now}")),
        },
        Err(error) => Finding::failed(&error.into()),
    }
}
