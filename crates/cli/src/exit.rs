//! How a command ends, as the caller's shell sees it.

use std::process::ExitCode;

use immune_api::code;

/// The end of a command. Finer causes are codes of `api::code`, not numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Yes, or done. Also when whoever read the output went away.
    Yes,
    /// A clear no: the memory was asked, and said no.
    No,
    /// It could not run: usage, store, files.
    CouldNotRun,
    /// It was interrupted, and stopped in order.
    Interrupted,
}

impl Exit {
    /// The exit code.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => code::NO,
            Self::CouldNotRun => code::COULD_NOT_RUN,
            Self::Interrupted => 130,
        }
    }

    /// The end of a command that ends with this code.
    pub(crate) fn of(code: immune_api::Code) -> Self {
        if code.exit() == code::NO {
            Self::No
        } else {
            Self::CouldNotRun
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
