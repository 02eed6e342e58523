//! The only place that touches standard output and standard error.
//!
//! Data goes to standard output, everything else to standard error. What is quiet, what is
//! coloured and whether there is progress is decided once, here. With `--json` both streams carry
//! JSON only.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use immune_api::{Problem, Reply, Schema};

use crate::args::{Color, Global};
use crate::escape;
use crate::failure::OutputError;
use crate::progress::{Progress, Visible};

/// What is said beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Volume {
    /// Nothing at all, not even data: only the exit code tells.
    Silent,
    /// Data and errors.
    Quiet,
    /// Also warnings, notes and what to do next.
    Normal,
    /// Also how it was done.
    Verbose,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

/// Writes what commands say.
#[derive(Debug)]
pub(crate) struct Printer {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    volume: Volume,
    form: Form,
    progress: bool,
    width: Option<usize>,
}

/// Success: what stands.
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
/// An error: what fell.
pub(crate) const RED: Style = AnsiColor::Red.on_default();
/// A warning: what is contested or weak.
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
/// A hint, a command.
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();
/// What stands back.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What stands out.
pub(crate) const BOLD: Style = Style::new().bold();

/// Something in a style, for a stream that keeps or drops styles.
pub(crate) fn styled(style: Style, what: impl Display) -> String {
    format!("{style}{what}{style:#}")
}

impl Printer {
    /// The printer that the options ask for.
    pub(crate) fn new(global: &Global) -> Self {
        let choice = match global.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        let volume = match (global.quiet, global.verbose) {
            (0, 0) => Volume::Normal,
            (0, _) => Volume::Verbose,
            (1, _) => Volume::Quiet,
            (_, _) => Volume::Silent,
        };
        let form = if global.json { Form::Json } else { Form::Text };
        let progress = !global.no_progress
            && volume == Volume::Normal
            && form == Form::Text
            && io::stderr().is_terminal();
        Self {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
            volume,
            form,
            progress,
            width: width(),
        }
    }

    /// Whether the output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// A line of progress towards a total, where one may be shown.
    pub(crate) fn progress(&self, total: u64) -> Progress {
        let visible = if self.progress {
            Visible::Yes
        } else {
            Visible::No
        };
        Progress::new(total, visible)
    }

    /// Whether the standard error of a command that is run may be seen.
    pub(crate) fn shows_errors(&self) -> bool {
        self.form == Form::Text && self.volume > Volume::Silent
    }

    /// Columns of the terminal; nothing if the output is no terminal and has stable plain rows.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// One line of data, which may hold styles. Not for text from a memory as it is.
    pub(crate) fn line(&mut self, line: impl Display) -> Result<(), OutputError> {
        if self.volume == Volume::Silent || self.form == Form::Json {
            return Ok(());
        }
        writeln!(self.out, "{line}").map_err(OutputError)
    }

    /// A reply as JSON, if that is the form; returns whether it was.
    pub(crate) fn reply<T: Schema>(&mut self, reply: &Reply<T>) -> Result<bool, OutputError> {
        if self.form == Form::Text {
            return Ok(false);
        }
        if self.volume > Volume::Silent {
            writeln!(self.out, "{}", reply.to_json()).map_err(OutputError)?;
        }
        Ok(true)
    }

    /// A reply of a stream that is JSON in every form.
    pub(crate) fn record<T: Schema>(&mut self, reply: &Reply<T>) -> Result<(), OutputError> {
        if self.volume == Volume::Silent {
            return Ok(());
        }
        writeln!(self.out, "{}", reply.to_json()).map_err(OutputError)
    }

    /// Bytes of somebody else's output, passed on as they are.
    pub(crate) fn pass_on(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        if self.volume == Volume::Silent || self.form == Form::Json {
            return Ok(());
        }
        self.flush()?;
        let out = self.out.as_inner();
        let mut out = out.lock();
        out.write_all(bytes)
            .and_then(|()| out.flush())
            .map_err(OutputError)
    }

    /// Flushes the data, so that a reader of a stream has what was said.
    pub(crate) fn flush(&mut self) -> Result<(), OutputError> {
        self.out.flush().map_err(OutputError)
    }

    /// What to do next, or how to undo it.
    pub(crate) fn next(&mut self, what: &str, command: &str) {
        let command = styled(CYAN, command);
        self.aside(Volume::Normal, format!("{what}: {command}"));
    }

    /// Something worth knowing.
    pub(crate) fn note(&mut self, words: impl Display) {
        self.aside(Volume::Normal, words);
    }

    /// Something that should be looked at.
    pub(crate) fn warn(&mut self, words: impl Display) {
        let label = styled(YELLOW.bold(), "warning");
        self.aside(Volume::Normal, format!("{label}: {words}"));
    }

    /// How it was done, for who wants to know.
    pub(crate) fn detail(&mut self, words: impl Display) {
        self.aside(Volume::Verbose, styled(DIM, words));
    }

    /// Beside the data. A stream of errors that is gone is nothing to stop for.
    fn aside(&mut self, least: Volume, words: impl Display) {
        if self.volume >= least && self.form == Form::Text {
            let _ = writeln!(self.err, "{words}");
        }
    }

    /// Why the command stops: facts, then what to do.
    pub(crate) fn problem(&mut self, problem: &Problem) {
        if self.volume == Volume::Silent {
            return;
        }
        if self.form == Form::Json {
            let reply = Reply::new(problem.clone());
            let _ = writeln!(self.err, "{}", reply.to_json());
            return;
        }
        let label = styled(RED.bold(), "error");
        let _ = writeln!(self.err, "{label}: {}", escape::line(&problem.message));
        if let Some(hint) = &problem.hint {
            let label = styled(CYAN.bold(), "hint");
            let _ = writeln!(self.err, "\n{label}: {}", escape::line(hint));
        }
    }

    /// Bytes that are the data of a command, whatever the form of what is said beside them.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        if self.volume == Volume::Silent {
            return Ok(());
        }
        self.out
            .as_inner()
            .lock()
            .write_all(bytes)
            .map_err(OutputError)
    }

    /// A reply beside data that is JSON already, on standard error.
    pub(crate) fn reply_beside<T: Schema>(&mut self, reply: &Reply<T>) {
        if self.volume > Volume::Silent {
            let _ = writeln!(self.err, "{}", reply.to_json());
        }
    }

    /// Help, versions and errors as the parser words them.
    pub(crate) fn parser(&mut self, error: &clap::Error) -> Result<(), OutputError> {
        if self.volume == Volume::Silent {
            return Ok(());
        }
        let rendered = error.render();
        if error.use_stderr() {
            let _ = write!(self.err, "{}", rendered.ansi());
            Ok(())
        } else {
            write!(self.out, "{}", rendered.ansi()).map_err(OutputError)
        }
    }

    /// A text that is data as a whole: a script, a page.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), OutputError> {
        if self.volume == Volume::Silent {
            return Ok(());
        }
        write!(self.out, "{text}").map_err(OutputError)
    }
}

/// The width to lay out for: what the caller says, else that of the terminal.
fn width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|it| it.parse().ok());
    said.or_else(|| {
        let terminal = terminal_size::terminal_size_of(io::stdout());
        terminal.map(|(width, _)| usize::from(width.0))
    })
    .map(|it: usize| it.max(20))
}
