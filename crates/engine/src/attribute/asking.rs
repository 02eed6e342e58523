//! The search, with what it takes: who answers, who judges, who watches, who may stop it.
//!
//! Invariant: what was answered is kept whatever becomes of the rest, so that a search that is
//! stopped hands out the best so far, and says that it is that.

use std::collections::BTreeMap;

use immune_attribution::Outcome as Ended;
use immune_attribution::{
    Answerer, AskError, Asked, Call, Candidates, Found, Judge, Noise, Options, Progress, Proof,
    Shown, Subset, Why, attribute,
};
use immune_model::{OracleCall, Outcome, Text, limits};

use super::{Attribute, AttributeRefusal, Comparer, Stopped, Suspect, judge_of};

/// How far a search is, for who watches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Watched {
    /// The answers that were asked for.
    pub calls: usize,
    /// How many more are expected; a guess.
    pub remaining: f64,
    /// What they cost so far, in millionths, if anybody counts.
    pub spent_millionths: Option<u64>,
}

/// Who is asked, and who takes part.
pub struct Asking<'a> {
    /// Who answers.
    pub answerer: &'a dyn Answerer,
    /// Who judges; the values, if nobody else does.
    pub judge: Option<&'a dyn Judge>,
    /// Is told after each answer.
    pub watch: Option<&'a mut dyn FnMut(Watched)>,
    /// Whether to stop; asked before each answer.
    pub is_stopped: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl std::fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking")
            .field("answerer", &self.answerer)
            .finish_non_exhaustive()
    }
}

impl<'a> Asking<'a> {
    /// This answerer, with the values as the judge, and nobody who watches.
    pub fn new(answerer: &'a dyn Answerer) -> Self {
        Self {
            answerer,
            judge: None,
            watch: None,
            is_stopped: None,
        }
    }

    /// Searches among the suspects.
    ///
    /// Fails only where nothing was answered at all.
    pub(super) fn search(
        &mut self,
        request: &Attribute,
        suspects: &[Suspect],
    ) -> Result<Heard, AttributeRefusal> {
        let memories: Vec<Shown> = suspects.iter().map(|it| it.shown.clone()).collect();
        let weights: Vec<f64> = suspects.iter().map(|it| it.suspicion).collect();
        let comparer = Comparer {
            wrong: request.wrong.as_ref().map(ToString::to_string),
            expected: request.expected.as_ref().map(ToString::to_string),
            about: request.about.clone(),
        };
        let judge = judge_of(self.judge, &comparer);
        let calls_max = request.calls_max.min(limits::ATTRIBUTION_CALLS_MAX);
        let mut oracle = Asked::new(self.answerer, judge, request.question.as_str(), &memories);
        if let Some(is_stopped) = self.is_stopped {
            oracle = oracle.stopped_by(is_stopped);
        }
        let (answerer, mut watch) = (self.answerer, self.watch.take());
        let mut progress = |it: Progress| {
            if let Some(watch) = &mut watch {
                watch(Watched {
                    calls: it.calls,
                    remaining: it.remaining,
                    spent_millionths: answerer.spent().map(|it| it.millionths),
                });
            }
        };
        let candidates = Candidates::weighted(&weights);
        let heard = look_twice(&candidates, oracle, request.noise, calls_max, &mut progress);
        self.watch = watch;
        match (heard.stopped(), heard.calls.is_empty()) {
            (Some(Stopped { reason, advice }), true) => {
                Err(AttributeRefusal::Unanswered { reason, advice })
            }
            _ => Ok(heard),
        }
    }
}

/// Searches, and then looks for those whom the right answer hides, where the search found something;
/// what was found before is kept, whatever becomes of the second look.
fn look_twice(
    candidates: &Candidates,
    mut oracle: Asked<'_>,
    noise: Noise,
    calls_max: usize,
    progress: &mut dyn FnMut(Progress),
) -> Heard {
    let options = Options {
        calls_max: Some(calls_max),
        noise,
        proof: Proof::Causes,
        confidence: None,
        progress: Some(&mut *progress),
    };
    let mut found = attribute(candidates, &mut oracle, options);
    let mut options = Options {
        calls_max: Some(calls_max),
        progress: Some(progress),
        ..Options::default()
    };
    let behind = found.look_again(candidates, &mut oracle, &mut options);
    let cut = match behind.outcome {
        Ended::Stopped(why) => Some(why),
        _ => None,
    };
    Heard {
        found,
        hidden: behind.causes,
        cut,
        calls: oracle.into_calls(),
    }
}

/// What a search found, with every answer.
#[derive(Debug)]
pub struct Heard {
    /// What it found.
    pub found: Found<AskError>,
    /// The causes that the right answer had hidden.
    pub hidden: Vec<Subset>,
    /// Why the second look was cut short, if it was.
    pub cut: Option<Why<AskError>>,
    /// The answers, in order.
    pub calls: Vec<Call>,
}

impl Heard {
    /// How it ended: a second look that was cut short was not at its end.
    pub(super) fn outcome(&self) -> Outcome {
        match (&self.found.outcome, &self.cut) {
            (Ended::Stopped(why), _) | (Ended::Found, Some(why)) => ended_by(why),
            (Ended::Found, None) => Outcome::Found,
            (Ended::NotReproduced, _) => Outcome::NotReproduced,
            (Ended::FailsWithout, _) => Outcome::WrongWithoutMemory,
            (Ended::Unstable, _) => Outcome::Unstable,
        }
    }

    /// Why it stopped before its end, or its second look did, if either did.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        if let Ended::Stopped(why) = &self.found.outcome {
            return Some(in_words(why));
        }
        let Stopped { reason, advice } = in_words(self.cut.as_ref()?);
        Some(Stopped {
            reason: format!(
                "the second look was cut short, so that more may be hidden by the right answer: \
                 {reason}"
            ),
            advice,
        })
    }

    /// How the causes lie to each other.
    pub(super) fn shape(&self) -> Option<&'static str> {
        self.found.shape.map(immune_attribution::Shape::name)
    }

    /// Who is to blame with others, where the search was stopped.
    pub(super) fn suspicious(&self) -> Vec<u32> {
        let numbers = self.found.suspects.numbers();
        numbers.map(super::count).collect()
    }

    /// The answers and the calls, as they are written down: each different answer once, cut where
    /// it is long.
    pub(super) fn log(&self, n_candidates: usize) -> (Vec<Text>, Vec<OracleCall>) {
        let mut places: BTreeMap<String, u32> = BTreeMap::new();
        let mut answers: Vec<Text> = Vec::new();
        let mut calls = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            let text = call.answer.text.as_deref().and_then(kept);
            let answer = text.map(|text| {
                let known = places.get(text.as_str()).copied();
                known.unwrap_or_else(|| {
                    let place = super::count(answers.len());
                    places.insert(text.to_string(), place);
                    answers.push(text);
                    place
                })
            });
            calls.push(OracleCall {
                shown: OracleCall::words(n_candidates, call.subset.numbers()),
                fails: call.verdict.fails(),
                answer,
            });
        }
        (answers, calls)
    }
}

/// How a search ended that could not go on.
fn ended_by(why: &Why<AskError>) -> Outcome {
    match why {
        Why::Budget => Outcome::BudgetSpent,
        Why::Oracle(AskError::Interrupted) => Outcome::Interrupted,
        Why::Oracle(AskError::Unanswered(it)) if it.is_spent => Outcome::BudgetSpent,
        Why::Oracle(AskError::Unanswered(_)) => Outcome::OracleFailed,
    }
}

/// Why there are no more verdicts, and what to do about it.
fn in_words(why: &Why<AskError>) -> Stopped {
    let (reason, advice) = match why {
        Why::Budget => (
            "the calls of the budget are used up".to_owned(),
            "allow more with `--max-calls`".to_owned(),
        ),
        Why::Oracle(AskError::Interrupted) => (
            "somebody stopped it".to_owned(),
            "run it again to its end".to_owned(),
        ),
        Why::Oracle(AskError::Unanswered(it)) => (it.reason.clone(), it.advice.clone()),
    };
    Stopped { reason, advice }
}

/// An answer as it is kept: no longer than the limit, and without what no text may hold.
pub(super) fn kept(answer: &str) -> Option<Text> {
    let mut end = answer.len().min(limits::ATTRIBUTION_ANSWER_BYTES_MAX);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let cut = answer.get(..end)?.replace('\0', "\u{fffd}");
    Text::new(&cut).ok()
}
