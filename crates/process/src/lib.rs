//! Running the commands of others to their end: those that answer, those that act.
//!
//! A command reads its input and writes its output as it likes, at once or in turns. Invariants: when
//! this returns, it was waited for; no more of its output is held than was asked for; and what is
//! [bounded](Kind::Bounded) leaves nothing behind in its process group, also where this process is
//! killed in between.

#[cfg(unix)]
mod guard;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How often a command is looked at that says nothing.
const POLL: Duration = Duration::from_millis(10);
/// For how long after its end its output is waited for, where somebody else holds it open.
const LEFT_OPEN: Duration = Duration::from_millis(500);
/// Pieces of output that wait to be taken up; who writes quicker has to wait.
const PIECES: usize = 16;
/// Bytes of standard error that are kept.
const ERRORS_BYTES_MAX: usize = 2048;

/// What is run.
#[derive(Debug)]
pub struct Task<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// What it gets on standard input, which it need not read.
    pub input: &'a [u8],
    /// What is added to its environment.
    pub environment: &'a [(&'a str, &'a str)],
    /// Where its standard error goes.
    pub errors: Errors,
    /// How many bytes of its output are kept.
    pub output_bytes_max: usize,
    /// How long it may run, and what becomes of what it leaves behind.
    pub kind: Kind,
}

/// Where the standard error of a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// To ours, as it comes.
    Shown,
    /// Its beginning is kept.
    Kept,
}

/// How long a command may run, and what becomes of what it leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It has a process group of its own and so much time; it is ended where it takes longer, or
    /// writes more than is kept, or this process goes, and whatever it started with it.
    Bounded(Duration),
    /// It always runs to its end, more output than is kept is passed on all the same, and what it
    /// left in the background is let go.
    ToItsEnd,
}

/// What came of a command that ended by itself.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// What of its output is kept.
    pub output: Vec<u8>,
    /// The beginning of its standard error, in words; empty where that was shown.
    pub errors: String,
}

/// Why a command did not end by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// There are no words.
    #[error("no command is named")]
    NoCommand,
    /// It could not be started.
    #[error("cannot be run: {0}")]
    CannotRun(io::Error),
    /// Nobody knows whether it ended.
    #[error("cannot be waited for: {0}")]
    CannotWait(io::Error),
    /// It took longer than this.
    #[error("did not end within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It wrote more bytes than this.
    #[error("wrote more than {0} bytes")]
    TooMuch(usize),
}

/// The words that have the shell of the platform run a command line.
pub fn shell(line: &str) -> Vec<OsString> {
    let words: [&OsStr; 3] = if cfg!(windows) {
        ["cmd".as_ref(), "/C".as_ref(), line.as_ref()]
    } else {
        ["sh".as_ref(), "-c".as_ref(), line.as_ref()]
    };
    words.map(OsStr::to_os_string).to_vec()
}

/// Runs a command to its end, and hands each piece of its output to `pass_on`.
pub fn run(task: &Task<'_>, pass_on: &mut dyn FnMut(&[u8])) -> Result<Ended, ProcessError> {
    let mut child = spawn(task)?;
    // On threads of their own: it may write before it has read, and the other way round.
    if let Some(mut stdin) = child.child.stdin.take() {
        let input = task.input.to_vec();
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let (sender, pieces) = sync_channel(PIECES);
    if let Some(stdout) = child.child.stdout.take() {
        pump(stdout, Stream::Output, sender.clone());
    }
    if let Some(stderr) = child.child.stderr.take() {
        pump(stderr, Stream::Errors, sender.clone());
    }
    drop(sender);
    collect(task, &mut child, &pieces, pass_on)
}

/// The command at work: what is bounded is ended and waited for when this goes, whatever happens in
/// between.
struct Running {
    child: Child,
    is_bounded: bool,
}

impl Running {
    /// Whether it ended by itself. It is not waited for yet, so its number is still its own.
    fn is_over(&mut self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let found = waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?;
            Ok(found.is_some())
        }
        #[cfg(not(unix))]
        {
            Ok(self.child.try_wait()?.is_some())
        }
    }

    /// Waits for it; what is bounded is ended first, with whatever it left in its process group.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if self.is_bounded {
            #[cfg(unix)]
            {
                use rustix::process::{Pid, Signal, kill_process_group};
                // It may have ended by itself, with all of its own.
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
                // It is waited for after this, so that its number is still its own.
                guard::release(self.child.id());
            }
            let _ = self.child.kill();
        }
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Who was waited for has no number any more; `std` knows, and sends no signal.
        if self.is_bounded && matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.end();
        }
    }
}

fn spawn(task: &Task<'_>) -> Result<Running, ProcessError> {
    let (program, arguments) = task.words.split_first().ok_or(ProcessError::NoCommand)?;
    let is_bounded = matches!(task.kind, Kind::Bounded(_));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(task.environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(match task.errors {
            Errors::Shown => Stdio::inherit(),
            Errors::Kept => Stdio::piped(),
        });
    #[cfg(unix)]
    if is_bounded {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    let child = command.spawn().map_err(ProcessError::CannotRun)?;
    #[cfg(unix)]
    if is_bounded {
        guard::watch(child.id());
    }
    Ok(Running { child, is_bounded })
}

/// Takes up what a command puts out until it has ended.
fn collect(
    task: &Task<'_>,
    child: &mut Running,
    pieces: &Receiver<(Stream, Vec<u8>)>,
    pass_on: &mut dyn FnMut(&[u8]),
) -> Result<Ended, ProcessError> {
    let started = Instant::now();
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let mut status = None;
    // Since when nothing is to come any more.
    let mut quiet_since = started;
    loop {
        let mut is_whole = false;
        match pieces.recv_timeout(POLL) {
            Ok((Stream::Output, bytes)) => {
                let n_bytes = output.len() + bytes.len();
                if child.is_bounded && n_bytes > task.output_bytes_max {
                    return Err(ProcessError::TooMuch(task.output_bytes_max));
                }
                keep(&mut output, &bytes, task.output_bytes_max);
                pass_on(&bytes);
                if !child.is_bounded {
                    quiet_since = Instant::now();
                }
            }
            Ok((Stream::Errors, bytes)) => keep(&mut errors, &bytes, ERRORS_BYTES_MAX),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_whole = true,
        }
        if status.is_none() && child.is_over().map_err(ProcessError::CannotWait)? {
            status = Some(child.end().map_err(ProcessError::CannotWait)?);
            quiet_since = Instant::now();
        }
        // What it left in the background may hold its output open for ever.
        if let Some(status) = status.filter(|_| is_whole || quiet_since.elapsed() > LEFT_OPEN) {
            return Ok(Ended {
                status,
                output,
                errors: String::from_utf8_lossy(&errors).trim().to_owned(),
            });
        }
        match task.kind {
            Kind::Bounded(timeout) if status.is_none() && started.elapsed() > timeout => {
                return Err(ProcessError::TimedOut(timeout));
            }
            // It closed its output and goes on; there is nothing to hear until it ends.
            _ if is_whole => std::thread::park_timeout(POLL),
            _ => {}
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
fn pump(mut from: impl Read + Send + 'static, stream: Stream, to: SyncSender<(Stream, Vec<u8>)>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        loop {
            let n = match from.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn task(words: &[OsString], kind: Kind) -> Task<'_> {
        Task {
            words,
            input: b"from outside\n",
            environment: &[("ONE", "1")],
            errors: Errors::Kept,
            output_bytes_max: 100,
            kind,
        }
    }

    #[test]
    fn both_kinds_read_write_and_end_and_only_a_bounded_one_is_cut_off() {
        let (kinds, mut passed) = ([Kind::Bounded(Duration::from_mins(1)), Kind::ToItsEnd], 0);
        for kind in kinds {
            let words = shell("cat; echo $ONE; echo no >&2; exit 3");
            let ended = run(&task(&words, kind), &mut |it| passed += it.len()).unwrap();
            assert_eq!(ended.output, b"from outside\n1\n");
            assert_eq!(
                (ended.errors.as_str(), ended.status.code()),
                ("no", Some(3))
            );
        }
        assert_eq!(passed, 30);
        let words = shell("head -c 1000 /dev/zero");
        let refused = run(&task(&words, kinds[0]), &mut |_| ()).unwrap_err();
        assert_eq!(refused.to_string(), "wrote more than 100 bytes");
        let mut passed = 0;
        let ended = run(&task(&words, kinds[1]), &mut |it| passed += it.len()).unwrap();
        assert_eq!((ended.output.len(), passed), (100, 1000));
        let never = run(&task(&[], kinds[1]), &mut |_| ()).unwrap_err();
        assert_eq!(never.to_string(), "no command is named");
    }
}
