//! Why a command stops before its end.

use std::io;

use immune_api::{Code, Coded, Problem};

/// Why a command stops.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to tell the user, with a code.
    Problem(Box<Problem>),
    /// Whoever reads the output went away: nothing to tell, and nobody to tell it to.
    ReaderGone,
}

impl Failure {
    /// A failure with this code and these words.
    pub(crate) fn new(code: Code, message: impl std::fmt::Display) -> Self {
        Self::problem(Problem::new(code, message))
    }

    /// The failure that is this problem.
    pub(crate) fn problem(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }

    /// The same failure with a next step.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Self::Problem(problem) => Self::problem(problem.hint(hint)),
            Self::ReaderGone => Self::ReaderGone,
        }
    }

    /// A request that cannot be read.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Self::new(Code::Usage, message)
    }
}

impl<E: Coded> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::problem(error.into())
    }
}

impl From<OutputError> for Failure {
    fn from(OutputError(error): OutputError) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ReaderGone;
        }
        Self::new(
            Code::Internal,
            format!("the output cannot be written: {error}"),
        )
    }
}

/// The output could not be written.
#[derive(Debug)]
pub(crate) struct OutputError(pub(crate) io::Error);
