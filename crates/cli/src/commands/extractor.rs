//! Who finds claims: the settings become an extractor, and what it did becomes lines.
//!
//! Invariant: a key is read from the variable that a setting names, and is shown nowhere.

use std::time::Duration;

use immune_api::Code;
use immune_api::extract::{ModelTotals, ReadBy};
use immune_engine::client::{Client, Endpoint, Key, Plain, Settings};
use immune_engine::{ExtractError, Extractor, IngestError, Otherwise};
use immune_model::limits;

use super::{Context, bound};
use crate::args::{ExtractorArgs, ExtractorName};
use crate::escape;
use crate::failure::Failure;
use crate::printer::{DIM, styled};
use crate::settings::{ModelSettings, environment, variable};

/// The extractor that a command asks for.
pub(crate) fn of(context: &Context, args: &ExtractorArgs) -> Result<Extractor, Failure> {
    let name = args.extractor.unwrap_or(context.settings.extractor.value);
    match name {
        ExtractorName::Rules if args.extractor_required => Err(Failure::usage(
            "rules never fail: `--extractor-required` is for a model",
        )
        .hint("add `--extractor model`")),
        ExtractorName::Rules => Ok(Extractor::Rules),
        ExtractorName::Model => {
            let client = client(&context.settings.model, args.model_calls)?;
            let otherwise = if args.extractor_required {
                Otherwise::Refuse
            } else {
                Otherwise::Rules
            };
            Ok(Extractor::model(client, otherwise))
        }
    }
}

/// The client that the settings describe.
pub(crate) fn client(model: &ModelSettings, calls: Option<u64>) -> Result<Client, Failure> {
    Ok(Client::new(settings(model, calls)?))
}

/// The settings of that client.
pub(crate) fn settings(model: &ModelSettings, calls: Option<u64>) -> Result<Settings, Failure> {
    let missing = |end: &str, example: &str| {
        let name = model.variable(end);
        Failure::usage(format!("a model is asked, and `{name}` is not set"))
            .hint(format!("`export {name}={example}`"))
    };
    let url = model.url.as_deref();
    let url = url.ok_or_else(|| missing(environment::URL, "http://127.0.0.1:11434/v1"))?;
    let name = model.name.as_deref();
    let name = name.ok_or_else(|| missing(environment::NAME, "qwen3:8b"))?;
    let wrong = |name: &str, why: &dyn std::fmt::Display| {
        Failure::usage(format!("`{name}` cannot be used: {why}"))
    };
    let plain = plain(model).map_err(|it| {
        let name = model.variable(environment::PLAIN_HTTP);
        wrong(&name, &it).hint(format!("`export {name}=allowed`, or `unset {name}`"))
    })?;
    let endpoint = Endpoint::parse(url, plain).map_err(|it| {
        let name = model.variable(environment::URL);
        wrong(&name, &it).hint(format!("`export {name}=https://HOST/v1`"))
    })?;
    let mut settings = Settings::new(endpoint, name);
    settings.calls = calls;
    settings.key = key(model)?;
    if let Some(seconds) = model.timeout_seconds.as_deref() {
        let seconds = timeout(seconds).map_err(|it| {
            let name = model.variable(environment::TIMEOUT);
            wrong(&name, &it).hint(format!("`export {name}={}`", limits::MODEL_TIMEOUT_SECONDS))
        })?;
        settings.timeout = Duration::from_secs(seconds);
    }
    Ok(settings)
}

/// Where a URL may be without encryption.
fn plain(model: &ModelSettings) -> Result<Plain, &'static str> {
    match model.plain_http.as_deref() {
        None => Ok(Plain::OnThisMachine),
        Some("allowed") => Ok(Plain::Anywhere),
        Some(_) => Err("it is `allowed`, or not set"),
    }
}

/// How many seconds a model may take.
fn timeout(word: &str) -> Result<u64, &'static str> {
    let seconds = word.parse().ok().filter(|it| (1..=3_600).contains(it));
    seconds.ok_or("it is 1 to 3600 seconds")
}

/// The key in the variable of this name. A word that is no name may be the key itself, put in the
/// wrong place: it is not repeated.
fn key(model: &ModelSettings) -> Result<Option<Key>, Failure> {
    let Some(from) = model.key_from.as_deref() else {
        return Ok(None);
    };
    let setting = model.variable(environment::KEY_FROM);
    let is_name = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    if from.is_empty() || !from.bytes().all(is_name) {
        let what = "is no name of an environment variable; it names the one that holds the key";
        return Err(Failure::usage(format!("what stands in `{setting}` {what}"))
            .hint(format!("`export {setting}=OPENAI_API_KEY`")));
    }
    let unset = || {
        Failure::usage(format!("`{setting}` names `{from}`, which is not set")).hint(format!(
            "set `{from}`, or `unset {setting}` where no key is needed"
        ))
    };
    let value = variable(from).map_err(|_| unset())?.ok_or_else(unset)?;
    let key = Key::new(&value).ok_or_else(|| {
        Failure::usage(format!(
            "what stands in `{from}` is no key: it has characters that none has"
        ))
    })?;
    Ok(Some(key))
}

/// The failure of a model that was to read, and nobody else.
pub(crate) fn failed(error: &ExtractError, place: Option<&str>) -> Failure {
    let place = place.map_or_else(String::new, |it| format!("{}: ", escape::line(it)));
    let words = escape::line(&error.to_string());
    Failure::new(Code::ModelFailed, format!("{place}{words}")).hint(format!(
        "{}; without `--extractor-required` rules read it",
        error.advice()
    ))
}

/// The failure of an ingestion.
pub(crate) fn stopped(error: IngestError) -> Failure {
    match error {
        IngestError::Model { position, error } => failed(&error, Some(&position)),
        IngestError::Store(error) => error.into(),
        other => Failure::new(Code::Internal, other),
    }
}

/// Tells who read a text, and what of the reply was not taken up.
pub(crate) fn print(context: &mut Context, read: &ReadBy) -> Result<(), Failure> {
    if let Some(reason) = &read.fell_back {
        let reason = escape::line(reason);
        context
            .printer
            .note(format!("read by rules, for the model could not: {reason}"));
    }
    let printer = &mut context.printer;
    printer.line(format!("  read by {}", read.extractor))?;
    let rejected = &read.rejected;
    for it in bound::shown(rejected) {
        let reason = escape::line(&it.reason);
        let subject = match it.subject.as_str() {
            "" => String::new(),
            subject => format!(" about {}", escape::line(subject)),
        };
        let position = it.position;
        context.printer.line(format!(
            "  rejected: claim {position} of the model{subject}: {reason}"
        ))?;
    }
    bound::say_more(context, 2, bound::left(rejected))
}

/// What a model did with many texts, with the reasons why it did not do more.
pub(crate) fn print_totals(context: &mut Context, model: &ModelTotals) -> Result<(), Failure> {
    let calls = model.calls_left.map(|it| format!(", {it} left"));
    let calls = calls.unwrap_or_default();
    for (what, n, more) in [
        ("read by the model", model.read, ""),
        (
            "read by rules, for the model could not",
            model.fell_back,
            "",
        ),
        ("claims of the model rejected", model.rejected, ""),
        ("calls sent", model.calls_sent, calls.as_str()),
    ] {
        context.printer.line(format!("  {n:>8}  {what}{more}"))?;
    }
    if model.fell_back > 0 {
        let n = model.fell_back;
        context.printer.note(format!(
            "of the texts {n} were read by rules, for the model could not"
        ));
    }
    for note in bound::shown(&model.notes) {
        let position = escape::line(&note.position);
        let reason = styled(DIM, escape::line(&note.reason));
        context.printer.line(format!("  {position}: {reason}"))?;
    }
    bound::say_more(context, 2, bound::left(&model.notes))
}

/// The settings of a model as `doctor` shows them: the key only by the variable that holds it.
pub(crate) fn shown(model: &ModelSettings) -> Vec<(&'static str, String, bool)> {
    let mut shown = Vec::new();
    if let Some(url) = &model.url {
        // A URL that is refused may carry a key.
        let plain = plain(model).unwrap_or(Plain::OnThisMachine);
        let url = Endpoint::parse(url, plain).map(|it| it.to_string());
        shown.push((
            "model_url",
            url.unwrap_or_else(|it| format!("not usable: {it}")),
            true,
        ));
    }
    if let Some(name) = &model.name {
        shown.push(("model_name", name.clone(), true));
    }
    if let Some(from) = &model.key_from {
        let value = match key(model) {
            Ok(_) => format!("in {from}"),
            Err(_) => "not usable".to_owned(),
        };
        shown.push(("model_key", value, true));
    }
    if model.plain_http.is_some() {
        let value = plain(model).map(|_| "allowed".to_owned());
        let value = value.unwrap_or_else(|it| format!("not usable: {it}"));
        shown.push(("model_plain_http", value, true));
    }
    if let Some(seconds) = &model.timeout_seconds {
        let value = timeout(seconds).map(|it| it.to_string());
        let value = value.unwrap_or_else(|it| format!("not usable: {it}"));
        shown.push(("model_timeout_seconds", value, true));
    } else if !shown.is_empty() {
        let seconds = limits::MODEL_TIMEOUT_SECONDS.to_string();
        shown.push(("model_timeout_seconds", seconds, false));
    }
    shown
}
