//! Running a command line to its end, within a time and a size.
//!
//! A command reads its input and writes its output as it likes, at once or in turns. Invariants:
//! when this returns, neither the command runs nor what it left in its process group, and it was
//! waited for; no more of its output is held than was allowed.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How often a command is looked at that says nothing.
const POLL: Duration = Duration::from_millis(10);
/// For how long after its end its output is waited for, where somebody outside of its process
/// group holds it open.
const LEFT_OPEN: Duration = Duration::from_millis(500);
/// Pieces of output that wait to be taken up; who writes quicker has to wait.
const PIECES: usize = 16;
/// Bytes of standard error that are kept.
const ERRORS_BYTES_MAX: usize = 2048;

/// How much a command may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// How long it may run.
    pub(crate) timeout: Duration,
    /// How many bytes it may write.
    pub(crate) output_bytes_max: usize,
}

/// What came of a command that ended by itself.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    /// The beginning of its standard error, in words.
    pub(crate) errors: String,
}

/// Why a command did not end by itself.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    #[error("cannot be run: {0}")]
    CannotRun(io::Error),
    #[error("cannot be waited for: {0}")]
    CannotWait(io::Error),
    #[error("did not end within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("wrote more than {0} bytes")]
    TooMuch(usize),
}

/// Has the shell of the platform run a command line.
pub(crate) fn run(line: &str, input: &[u8], bounds: Bounds) -> Result<Ended, ProcessError> {
    let mut child = spawn(line).map_err(ProcessError::CannotRun)?;
    // On threads of their own: it may write before it has read, and the other way round.
    if let Some(mut stdin) = child.0.stdin.take() {
        let input = input.to_vec();
        // It need not read its input.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let (sender, pieces) = sync_channel(PIECES);
    if let Some(stdout) = child.0.stdout.take() {
        pump(stdout, Stream::Output, sender.clone());
    }
    if let Some(stderr) = child.0.stderr.take() {
        pump(stderr, Stream::Errors, sender.clone());
    }
    drop(sender);
    collect(&mut child, &pieces, bounds)
}

/// The command at work: it is ended and waited for when this goes, whatever happens in between.
struct Running(Child);

impl Running {
    /// Whether it ended by itself. It is not waited for yet, so its number is still its own.
    fn is_over(&mut self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let found = waitid(WaitId::Pid(Pid::from_child(&self.0)), options)?;
            Ok(found.is_some())
        }
        #[cfg(not(unix))]
        {
            Ok(self.0.try_wait()?.is_some())
        }
    }

    /// Ends it, and whatever it left in its process group, and waits for it.
    fn end(&mut self) -> io::Result<ExitStatus> {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // It may have ended by itself, with all of its own.
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        }
        let _ = self.0.kill();
        self.0.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Who was waited for has no number any more; `std` knows, and sends no signal.
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.end();
        }
    }
}

fn spawn(line: &str) -> io::Result<Running> {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", line]);
        command
    } else {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        command
    };
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(Running(command.spawn()?))
}

fn collect(
    child: &mut Running,
    pieces: &Receiver<(Stream, Vec<u8>)>,
    bounds: Bounds,
) -> Result<Ended, ProcessError> {
    let started = Instant::now();
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let mut status = None;
    let mut ended_at = None;
    loop {
        let is_whole = match pieces.recv_timeout(POLL) {
            Ok((Stream::Output, bytes)) => {
                output.extend_from_slice(&bytes);
                false
            }
            Ok((Stream::Errors, bytes)) => {
                let room = ERRORS_BYTES_MAX.saturating_sub(errors.len());
                errors.extend(bytes.iter().take(room));
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if output.len() > bounds.output_bytes_max {
            return Err(ProcessError::TooMuch(bounds.output_bytes_max));
        }
        if status.is_none() && child.is_over().map_err(ProcessError::CannotWait)? {
            // What it left behind goes, so that its output has an end.
            status = Some(child.end().map_err(ProcessError::CannotWait)?);
            ended_at = Some(Instant::now());
        }
        let is_left_open = ended_at.is_some_and(|it: Instant| it.elapsed() > LEFT_OPEN);
        if let Some(status) = status.filter(|_| is_whole || is_left_open) {
            return Ok(Ended {
                status,
                output,
                errors: String::from_utf8_lossy(&errors).trim().to_owned(),
            });
        }
        if status.is_none() && started.elapsed() > bounds.timeout {
            return Err(ProcessError::TimedOut(bounds.timeout));
        }
        if is_whole {
            // It closed its output and goes on; there is nothing to hear until it ends.
            std::thread::park_timeout(POLL);
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
