//! Who answers again, and who judges: the settings and options become an oracle.
//!
//! Invariant: a key is read from the variable that a setting names, and is shown nowhere.

use immune_engine::attribution::{Answerer, Judge, Noise};
use immune_engine::client::{Money, Price};
use immune_model::{Text, limits};
use immune_oracle::{Command, JudgeCommand, Model, Reader};

use super::{Context, extractor};
use crate::args;
use crate::failure::Failure;
use crate::settings::{ModelSettings, environment};

/// What a command line of the operator begins with.
const COMMAND: &str = "cmd:";
/// How often each guard is asked of what may change its mind.
const REPEATS: usize = 3;

/// Who answers.
pub(crate) struct Oracle {
    pub(crate) answerer: Box<dyn Answerer>,
    pub(crate) calls_max: usize,
    pub(crate) noise: Noise,
}

/// A judge, with its words for the record.
type Judging = (Text, Box<dyn Judge>);

/// The oracle that the options ask for.
pub(crate) fn of(
    context: &Context,
    who: &args::Oracle,
    args: &args::AskingBounds,
) -> Result<Oracle, Failure> {
    let who = who.oracle.as_deref().unwrap_or("reader").trim();
    let may_change = who != "reader";
    if args.max_cost.is_some() && who != "model" {
        return Err(
            Failure::usage(format!("`{who}` costs nothing that is counted"))
                .hint("leave `--max-cost` out, or add `--oracle model`"),
        );
    }
    let calls_max = args.max_calls.unwrap_or(limits::ATTRIBUTION_CALLS);
    let repeats = args.repeats.unwrap_or(if may_change { REPEATS } else { 1 });
    if calls_max == 0 || repeats == 0 {
        return Err(Failure::usage("at least 1 is asked for"));
    }
    Ok(Oracle {
        answerer: answerer(context, who, args.max_cost.as_deref())?,
        calls_max,
        noise: if repeats > 1 {
            Noise::Estimated { repeats }
        } else {
            Noise::None
        },
    })
}

/// Who answers, by name.
pub(crate) fn answerer(
    context: &Context,
    who: &str,
    max_cost: Option<&str>,
) -> Result<Box<dyn Answerer>, Failure> {
    let who = who.trim();
    if let Some(line) = command_line(who) {
        return Ok(Box::new(Command::new(line)));
    }
    match who {
        "reader" => Ok(Box::new(Reader::new())),
        "model" => {
            let model = &context.settings.model;
            let mut settings = extractor::settings(model, None)?;
            settings.price = price(model)?;
            settings.money = max_cost.map(|it| sum("--max-cost", it)).transpose()?;
            if settings.money.is_some() && settings.price.is_none() {
                let (read, written) = price_variables(model);
                return Err(
                    Failure::usage("nothing says what the model costs").hint(format!(
                        "`export {read}=0.15 {written}=0.60`, for a million tokens each"
                    )),
                );
            }
            Ok(Box::new(Model::new(immune_engine::client::Client::new(
                settings,
            ))))
        }
        other => Err(Failure::usage(format!("`{other}` answers nothing"))
            .hint("`--oracle reader`, `--oracle model` or `--oracle 'cmd: ./answer.sh'`")),
    }
}

/// Those who can answer again without being named: the reader, and the model of the settings. Never
/// a command, whatever the log says: its words are not those of whoever asks now.
pub(crate) fn known(context: &Context) -> Vec<Box<dyn Answerer>> {
    let mut known: Vec<Box<dyn Answerer>> = vec![Box::new(Reader::new())];
    known.extend(answerer(context, "model", None).ok());
    known
}

/// Who judges, if a command does; with its words for the record.
pub(crate) fn judge(named: Option<&str>) -> Result<Option<Judging>, Failure> {
    let Some(named) = named else {
        return Ok(None);
    };
    let line = command_line(named.trim()).ok_or_else(|| {
        Failure::usage(format!("`{named}` is no command")).hint("`--judge 'cmd: ./judge.sh'`")
    })?;
    let judge: Box<dyn Judge> = Box::new(JudgeCommand::new(line));
    Ok(Some((Text::new(line)?, judge)))
}

fn command_line(word: &str) -> Option<&str> {
    let line = word.strip_prefix(COMMAND)?.trim();
    (!line.is_empty()).then_some(line)
}

fn price_variables(model: &ModelSettings) -> (String, String) {
    (
        model.variable(environment::PRICE_READ),
        model.variable(environment::PRICE_WRITTEN),
    )
}

/// What the model costs, if both prices are set.
fn price(model: &ModelSettings) -> Result<Option<Price>, Failure> {
    let (read, written) = price_variables(model);
    match (&model.price_read, &model.price_written) {
        (None, None) => Ok(None),
        (Some(one), Some(other)) => Ok(Some(Price {
            read: sum(&read, one)?,
            written: sum(&written, other)?,
        })),
        _ => Err(Failure::usage(format!(
            "of `{read}` and `{written}` one is set, and both are needed"
        ))),
    }
}

fn sum(name: &str, word: &str) -> Result<Money, Failure> {
    word.parse()
        .map_err(|it| Failure::usage(format!("`{name}` cannot be used: {it}")))
}
