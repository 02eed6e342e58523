//! One line of progress on standard error, after 300 ms, cleared at the end.

use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A command that takes less shows nothing.
const QUIET_FOR: Duration = Duration::from_millis(300);

/// A line of progress, or nothing at all.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    since: Instant,
    shown: bool,
}

impl Progress {
    /// The progress towards a total; nothing where there is no terminal for it.
    pub(crate) fn new(total: u64, visible: Visible) -> Self {
        let bar = (visible == Visible::Yes).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
            let style = ProgressStyle::with_template("{wide_bar} {percent:>3}%  {msg}");
            match style {
                // Plain, for any locale.
                Ok(style) => bar.with_style(style.progress_chars("#>-")),
                Err(_) => bar,
            }
        });
        Self {
            bar,
            since: Instant::now(),
            shown: false,
        }
    }

    /// The total, where it turned out to be another one.
    pub(crate) fn of(&self, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
        }
    }

    /// Where it is now.
    pub(crate) fn at(&mut self, position: u64, n: u64, what: &str) {
        let Some(bar) = &self.bar else {
            return;
        };
        if !self.shown && self.since.elapsed() < QUIET_FOR {
            return;
        }
        if !self.shown {
            self.shown = true;
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        bar.set_position(position);
        bar.set_message(format!("{} {what}", HumanCount(n)));
    }

    /// Takes the line away.
    pub(crate) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether there is a terminal for it, and nobody said that it should be quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visible {
    /// There is.
    Yes,
    /// There is not.
    No,
}
