//! An answerer and a judge as an oracle: each question is asked, judged and written down.
//!
//! Invariants: no more questions are asked than the budget allows, and a list that does not fit is
//! refused before its first one; what was answered is kept whatever becomes of the rest; no answer
//! is no failure; questions that are asked at once are written down in the order of their list.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tracing::{Span, field};

use crate::{Answer, Answerer, Judge, Oracle, Said, Shown, Sides, Subset, Unanswered, Verdict};

/// Says how much time passed since some moment, always the same one.
type Clock<'a> = &'a (dyn Fn() -> Duration + Sync);

/// Hears of each question when it is answered.
type Watch<'a> = &'a (dyn Fn(&Call) + Sync);

/// One question, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What was shown.
    pub subset: Subset,
    /// What was answered, and what that cost.
    pub answer: Answer,
    /// Whether it is wrong.
    pub verdict: Verdict,
    /// How long it took, where somebody handed in a clock.
    pub took: Option<Duration>,
}

/// Why there are no verdicts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The budget does not have as many; nothing was asked.
    #[error(
        "{asked} more of the {calls_max} calls of the budget are asked for, and {left} are left"
    )]
    Exhausted {
        /// The budget.
        calls_max: u64,
        /// How many were asked for.
        asked: usize,
        /// How many are left.
        left: u64,
    },
    /// Who was asked gave no answer, or the judge no verdict.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
}

/// Asks an answerer with some of the memories, and a judge about the answer.
pub struct Asked<'a> {
    answerer: &'a dyn Answerer,
    judge: &'a dyn Judge,
    question: &'a str,
    memories: &'a [Shown],
    calls_max: Option<u64>,
    clock: Option<Clock<'a>>,
    watch: Option<Watch<'a>>,
    calls: Vec<Call>,
    n_started: u64,
}

impl<'a> Asked<'a> {
    /// The oracle over these memories: candidate `i` is the `i`th of them.
    pub fn new(
        answerer: &'a dyn Answerer,
        judge: &'a dyn Judge,
        question: &'a str,
        memories: &'a [Shown],
    ) -> Self {
        Self {
            answerer,
            judge,
            question,
            memories,
            calls_max: None,
            clock: None,
            watch: None,
            calls: Vec::new(),
            n_started: 0,
        }
    }

    /// Asks at most so many questions, those without an answer counted.
    #[must_use]
    pub fn within(self, calls_max: u64) -> Self {
        Self {
            calls_max: Some(calls_max),
            ..self
        }
    }

    /// Takes down how long each question took.
    #[must_use]
    pub fn timed(self, clock: Clock<'a>) -> Self {
        Self {
            clock: Some(clock),
            ..self
        }
    }

    /// Tells of each question when it is answered, from the thread that asked it.
    #[must_use]
    pub fn watched(self, watch: Watch<'a>) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// What was asked and answered so far.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The same, for keeping.
    pub fn into_calls(self) -> Vec<Call> {
        self.calls
    }

    /// How many questions were asked, those without an answer counted.
    pub fn n_asked(&self) -> u64 {
        self.n_started
    }

    /// How many the budget still has; nothing without one.
    pub fn left(&self) -> Option<u64> {
        Some(self.calls_max?.saturating_sub(self.n_started))
    }

    fn call(&self, subset: &Subset) -> Result<Call, Unanswered> {
        let shown = subset.numbers().filter_map(|it| self.memories.get(it));
        let shown: Vec<&Shown> = shown.collect();
        let started = self.clock.map(|it| it());
        let answer = self.answerer.answer(self.question, &shown)?;
        let verdict = match &answer.text {
            None => Verdict::Passes,
            Some(text) => self.judge.judge(self.question, text)?,
        };
        let took = self.clock.zip(started);
        Ok(Call {
            subset: subset.clone(),
            answer,
            verdict,
            took: took.map(|(clock, started)| clock().saturating_sub(started)),
        })
    }

    /// The same, in a span of its own.
    fn traced(&self, within: &Span, subset: &Subset) -> Result<Call, Unanswered> {
        let span = tracing::info_span!(
            parent: within,
            "immune.oracle_call",
            subset_size = subset.len(),
            verdict = field::Empty,
            tokens_read = field::Empty,
            tokens_written = field::Empty,
            error = field::Empty,
        );
        let _entered = span.enter();
        let found = self.call(subset);
        match &found {
            Ok(call) => {
                span.record("verdict", call.verdict.name());
                if let Some((read, written)) = call.answer.tokens {
                    span.record("tokens_read", read);
                    span.record("tokens_written", written);
                }
                if let Some(watch) = self.watch {
                    watch(call);
                }
            }
            Err(error) => {
                span.record("error", field::display(error));
            }
        }
        found
    }

    /// Asks as many at once as the answerer takes. After one without an answer no other is begun.
    fn all(&self, shown: &[Subset]) -> BTreeMap<usize, Result<Call, Unanswered>> {
        let within = Span::current();
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let found = Mutex::new(BTreeMap::new());
        let work = || {
            while !is_over.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(subset) = shown.get(number) else {
                    return;
                };
                let call = self.traced(&within, subset);
                if call.is_err() {
                    is_over.store(true, Ordering::Relaxed);
                }
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.insert(number, call);
            }
        };
        std::thread::scope(|scope| {
            let others = self.answerer.at_once().min(shown.len());
            for _ in 1..others {
                scope.spawn(work);
            }
            work();
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Oracle for Asked<'_> {
    type Error = AskError;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, AskError> {
        let asked = self.each(shown)?.iter();
        Ok(asked.map(|it| it.verdict).collect())
    }
}

impl Sides for Asked<'_> {
    fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, AskError> {
        let asked = self.each(shown)?.iter();
        let said = asked.map(|it| match (it.verdict, &it.answer.text) {
            (Verdict::Fails, _) => Said::Wrong,
            (Verdict::Passes, Some(_)) => Said::Other,
            (Verdict::Passes, None) => Said::Nothing,
        });
        Ok(said.collect())
    }
}

impl Asked<'_> {
    /// Asks each of these, and keeps what came of it; the calls of all of them.
    fn each(&mut self, shown: &[Subset]) -> Result<&[Call], AskError> {
        let n = shown.len() as u64;
        if let (Some(left), Some(calls_max)) = (self.left(), self.calls_max)
            && n > left
        {
            return Err(AskError::Exhausted {
                calls_max,
                asked: shown.len(),
                left,
            });
        }
        let found = self.all(shown);
        self.n_started += found.len() as u64;
        let before = self.calls.len();
        let mut refused = None;
        for call in found.into_values() {
            match call {
                Ok(call) => self.calls.push(call),
                // One about the endpoint says more than one about an answer.
                Err(error) => {
                    let says_more = |it: &Unanswered| error.is_final && !it.is_final;
                    if refused.as_ref().is_none_or(says_more) {
                        refused = Some(error);
                    }
                }
            }
        }
        match refused {
            Some(refused) => Err(refused.into()),
            None => Ok(self.calls.get(before..).unwrap_or_default()),
        }
    }
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("answerer", &self.answerer)
            .field("question", &self.question)
            .field("n_memories", &self.memories.len())
            .field("calls_max", &self.calls_max)
            .field("n_calls", &self.calls.len())
            .finish_non_exhaustive()
    }
}
