//! Running the commands of others: effects and compensations.
//!
//! The command gets its input on standard input and the action in its environment. Its output is
//! passed on as it comes and kept up to the limit of a text; it always runs to its end, also when
//! whoever reads our output went away, so that what it did is recorded.

use std::ffi::OsString;

use immune_model::{Text, limits};
use immune_process::{Kind, ProcessError};

use crate::failure::OutputError;

pub(crate) use immune_process::{Errors, shell};

/// The environment variable with the id of the action: its idempotency key.
pub(crate) const ACTION_ID: &str = "IMMUNE_ACTION_ID";
/// The environment variable with the kind of the action.
pub(crate) const ACTION_KIND: &str = "IMMUNE_ACTION_KIND";

/// What is run.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    /// The program and its arguments.
    pub(crate) words: &'a [OsString],
    /// What it gets on standard input.
    pub(crate) input: &'a str,
    /// The id of the action.
    pub(crate) action: String,
    /// The kind of the action.
    pub(crate) kind: &'a str,
    /// Where its standard error goes.
    pub(crate) errors: Errors,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it returned, or why it did not end well.
    pub(crate) outcome: Result<Option<Text>, Text>,
    /// What became of passing its output on.
    pub(crate) passed_on: Result<(), OutputError>,
}

/// Runs a command to its end, and hands each piece of its output to `pass_on`.
pub(crate) fn run(
    task: &Task<'_>,
    pass_on: &mut dyn FnMut(&[u8]) -> Result<(), OutputError>,
) -> Ended {
    let mut passed_on = Ok(());
    let outcome = spawn(task, &mut |bytes| {
        if passed_on.is_ok() {
            passed_on = pass_on(bytes);
        }
    });
    Ended { outcome, passed_on }
}

fn spawn(task: &Task<'_>, pass_on: &mut dyn FnMut(&[u8])) -> Result<Option<Text>, Text> {
    let program = task.words.first().map(|it| it.to_string_lossy());
    let program = program.unwrap_or_default();
    let ended = immune_process::run(
        &immune_process::Task {
            words: task.words,
            input: task.input.as_bytes(),
            environment: &[(ACTION_ID, task.action.as_str()), (ACTION_KIND, task.kind)],
            errors: task.errors,
            output_bytes_max: limits::TEXT_BYTES_MAX,
            kind: Kind::ToItsEnd,
        },
        pass_on,
    )
    .map_err(|error| match error {
        ProcessError::CannotRun(error) => text(&format!("cannot run `{program}`: {error}")),
        ProcessError::CannotWait(error) => text(&format!("waiting for `{program}`: {error}")),
        other => text(&other.to_string()),
    })?;
    if ended.status.success() {
        return Ok(recorded(&ended.output));
    }
    let said = match ended.errors.as_str() {
        "" => String::new(),
        said => format!(": {said}"),
    };
    Err(text(&format!("it ended with {}{said}", ended.status)))
}

/// Output as a text: what is no UTF-8, and NUL, as the replacement character; nothing if there is
/// nothing to see.
fn recorded(bytes: &[u8]) -> Option<Text> {
    let words = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    let words = words.trim_end();
    let mut end = words.len().min(limits::TEXT_BYTES_MAX);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    words.get(..end).and_then(|it| Text::new(it).ok())
}

/// A text that says what went wrong.
pub(crate) fn text(words: &str) -> Text {
    recorded(words.as_bytes())
        .unwrap_or_else(|| Text::new("unknown").expect("a constant that is a text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_becomes_a_text_within_the_limit() {
        assert_eq!(recorded(b" \n"), None);
        assert_eq!(recorded(b"a\0b\n").unwrap().as_str(), "a\u{fffd}b");
        let most = "é".repeat(limits::TEXT_BYTES_MAX);
        let kept = recorded(most.as_bytes()).unwrap();
        assert!(kept.as_str().len() <= limits::TEXT_BYTES_MAX);
    }
}
