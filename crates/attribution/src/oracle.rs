//! What the search asks, and who can answer: the traits.
//!
//! An [`Answerer`] reads memories and answers a question; a judge says whether the answer is the
//! wrong one; an [`Oracle`] is both, over candidates that are numbers. Invariant: the search sees
//! numbers and verdicts, never a text.

use std::fmt;

use crate::Subset;

/// Whether the answer is wrong when only some memories are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It asserts the wrong value.
    Fails,
    /// It does not; nor does no answer.
    Passes,
}

impl Verdict {
    /// Whether it fails.
    pub fn fails(self) -> bool {
        self == Self::Fails
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Passes => "passes",
        }
    }
}

/// Says of some candidates whether they make the answer wrong.
pub trait Oracle {
    /// Why there is no verdict: the endpoint is gone, the budget is used up.
    type Error;

    /// One verdict for each set, in their order. Each is a question of its own, also where a set
    /// was asked before: the search repeats itself only to learn how often the verdict changes.
    /// Whoever can asks several at once.
    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, Self::Error>;
}

/// A memory as an answerer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its id, as `bel_7`; in another turn than the last one as `turn_2/bel_7`.
    pub id: String,
    /// Who stated it.
    pub source: String,
    /// Its words.
    pub text: String,
}

/// Answers a question from what it is shown.
///
/// Calls block, and may come from any thread, several at once.
pub trait Answerer: Send + Sync + fmt::Debug {
    /// Who it is, in a few words without a key: `model qwen3:8b at http://127.0.0.1:11434/v1`.
    fn name(&self) -> String;

    /// How many questions it takes at once, 1 at least.
    fn at_once(&self) -> usize {
        1
    }

    /// What its answers cost so far; nothing where they cost nothing, or nobody counts.
    fn spent(&self) -> Option<Spent> {
        None
    }

    /// Answers; nothing where what it is shown answers nothing.
    fn answer(&self, question: &str, shown: &[&Shown]) -> Result<Answer, Unanswered>;
}

/// What an answerer said, and what that cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// Its words; nothing where it has no answer.
    pub text: Option<String>,
    /// The tokens of the question and of the answer, where the answerer counts them.
    pub tokens: Option<(u64, u64)>,
}

/// What answers cost, in millionths of the currency in which the prices were named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// So far; a begun millionth is a whole one.
    pub millionths: u64,
    /// How much it may be, where there is a budget.
    pub most_millionths: Option<u64>,
}

/// Says whether an answer is the wrong one. It is asked about answers only: where there is none,
/// nothing is wrong.
pub trait Judge: Send + Sync {
    /// The verdict on this answer to this question.
    fn judge(&self, question: &str, answer: &str) -> Result<Verdict, Unanswered>;
}

impl<F> Judge for F
where
    F: Fn(&str, &str) -> Result<Verdict, Unanswered> + Send + Sync,
{
    fn judge(&self, question: &str, answer: &str) -> Result<Verdict, Unanswered> {
        self(question, answer)
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unanswered {
    /// What happened, naming who was asked.
    pub reason: String,
    /// What to do about it.
    pub advice: String,
    /// Whether the next question would most likely end so too.
    pub is_final: bool,
    /// Whether that is because a budget of the answerer is used up.
    pub is_spent: bool,
}
