//! Running the commands of others: effects and compensations.
//!
//! The command gets its input on standard input and the action in its environment. Its output is
//! passed on as it comes and kept up to the limit of a text; it always runs to its end, also when
//! whoever reads our output went away, so that what it did is recorded.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use immune_model::{Text, limits};

use crate::failure::OutputError;

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

/// Where the standard error of a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    /// To ours, as it comes.
    Shown,
    /// Into the words that say how it ended.
    Kept,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What it returned, or why it did not end well.
    pub(crate) outcome: Result<Option<Text>, Text>,
    /// What became of passing its output on.
    pub(crate) passed_on: Result<(), OutputError>,
}

/// How long one look for output takes.
const POLL: Duration = Duration::from_millis(20);
/// Looks without output after a command ended, before what it left behind is let go.
const QUIET_POLLS_MAX: u32 = 25;
/// Words of standard error that are kept with a failure.
const ERRORS_BYTES_MAX: usize = 2048;

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
    let (program, arguments) = task
        .words
        .split_first()
        .ok_or_else(|| text("no command is named"))?;
    let refused = |what: &str, error: &std::io::Error| {
        let program = program.to_string_lossy();
        text(&format!("{what} `{program}`: {error}"))
    };
    let errors = match task.errors {
        Errors::Shown => Stdio::inherit(),
        Errors::Kept => Stdio::piped(),
    };
    let mut child = Command::new(program)
        .args(arguments)
        .env(ACTION_ID, &task.action)
        .env(ACTION_KIND, task.kind)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .map_err(|error| refused("cannot run", &error))?;
    let input = child.stdin.take().zip(Some(task.input.to_owned()));
    // On threads of their own: a command may write before it has read, and the other way round.
    let writing = input.map(|(mut stdin, input)| {
        // A command need not read its input.
        std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())))
    });
    let (sender, chunks) = channel();
    if let Some(stdout) = child.stdout.take() {
        pump(stdout, Stream::Output, sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        pump(stderr, Stream::Errors, sender.clone());
    }
    drop(sender);
    let (mut output, mut kept) = (Vec::new(), Vec::new());
    let status = collect(&mut child, &chunks, &mut output, &mut kept, pass_on)
        .map_err(|error| refused("waiting for", &error))?;
    // Whether it read all of its input is its own affair.
    drop(writing);
    if status.success() {
        return Ok(recorded(&output));
    }
    let said = String::from_utf8_lossy(&kept);
    let said = match said.trim() {
        "" => String::new(),
        said => format!(": {said}"),
    };
    Err(text(&format!("it ended with {status}{said}")))
}

/// Takes up what a command puts out until it has ended.
fn collect(
    child: &mut Child,
    chunks: &Receiver<(Stream, Vec<u8>)>,
    output: &mut Vec<u8>,
    kept: &mut Vec<u8>,
    pass_on: &mut dyn FnMut(&[u8]),
) -> std::io::Result<ExitStatus> {
    let mut quiet_polls = 0;
    loop {
        match chunks.recv_timeout(POLL) {
            Ok((Stream::Output, bytes)) => {
                quiet_polls = 0;
                keep(output, &bytes, limits::TEXT_BYTES_MAX);
                pass_on(&bytes);
            }
            Ok((Stream::Errors, bytes)) => keep(kept, &bytes, ERRORS_BYTES_MAX),
            Err(RecvTimeoutError::Disconnected) => {
                return child.wait();
            }
            // What a command left running in the background may hold its output open for ever.
            Err(RecvTimeoutError::Timeout) => {
                let ended = child.try_wait()?;
                quiet_polls += u32::from(ended.is_some());
                if let Some(status) = ended.filter(|_| quiet_polls > QUIET_POLLS_MAX) {
                    return Ok(status);
                }
            }
        }
    }
}

/// Which output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Output,
    Errors,
}

/// Reads a stream to its end, on a thread of its own.
fn pump(mut from: impl Read + Send + 'static, stream: Stream, to: Sender<(Stream, Vec<u8>)>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        loop {
            let n = match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => n,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let bytes = buffer.get(..n).unwrap_or_default().to_vec();
            if to.send((stream, bytes)).is_err() {
                return;
            }
        }
    });
}

/// Keeps the first bytes.
fn keep(kept: &mut Vec<u8>, bytes: &[u8], most: usize) {
    let room = most.saturating_sub(kept.len());
    kept.extend(bytes.iter().take(room));
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

/// The words that have a shell run a command line.
pub(crate) fn shell(line: &str) -> Vec<OsString> {
    let words: [&OsStr; 3] = if cfg!(windows) {
        ["cmd".as_ref(), "/C".as_ref(), line.as_ref()]
    } else {
        ["sh".as_ref(), "-c".as_ref(), line.as_ref()]
    };
    words.map(OsStr::to_os_string).to_vec()
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
