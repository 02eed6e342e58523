//! The search, with what it takes: who answers, who judges, who watches, who may stop it.
//!
//! Invariant: what was answered is kept whatever becomes of the rest, so that a search that is
//! stopped hands out the best so far, and says that it is that.

use std::collections::BTreeMap;

use immune_attribution::{
    Answerer, AskError, Asked, Call, Candidates, Found, Judge, Options, Oracle, Progress, Proof,
    Said, Shown, Sides, Subset, Verdict, Why, attribute, look_behind,
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
    pub is_stopped: Option<&'a dyn Fn() -> bool>,
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
        let asked = Asked::new(self.answerer, judge, request.question.as_str(), &memories);
        let mut oracle = Stoppable {
            asked,
            is_stopped: self.is_stopped,
            second: None,
        };
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
        let options = Options {
            calls_max: Some(calls_max),
            noise: request.noise,
            proof: Proof::Causes,
            confidence: None,
            progress: Some(&mut progress),
        };
        let candidates = Candidates::weighted(&weights);
        let found = attribute(&candidates, &mut oracle, options);
        let expected = 2 * super::count(oracle.asked.calls().len());
        let mut second = |calls: u32| {
            progress(Progress {
                calls: calls as usize,
                remaining: f64::from(expected.saturating_sub(calls).max(1)),
            });
        };
        oracle.second = Some(&mut second);
        let heard = look_again(&candidates, found, oracle, calls_max);
        self.watch = watch;
        match (heard.stopped(), heard.calls.is_empty()) {
            (Some(Stopped { reason, advice }), true) => {
                Err(AttributeRefusal::Unanswered { reason, advice })
            }
            _ => Ok(heard),
        }
    }
}

/// Looks for those whom the right answer hides, where a search found something and whoever answers
/// does not err; what was found before stands, whatever becomes of it.
fn look_again(
    candidates: &Candidates,
    mut found: Found<NoVerdict>,
    mut oracle: Stoppable<'_>,
    calls_max: usize,
) -> Heard {
    let is_found = found.outcome == immune_attribution::Outcome::Found;
    let (mut hidden, mut cut) = (Vec::new(), None);
    if is_found && found.certificate.flip_rate <= 0.0 {
        let asked = usize::try_from(oracle.asked.n_asked()).unwrap_or(usize::MAX);
        let left = Some(calls_max.saturating_sub(asked));
        let options = Options {
            calls_max: left,
            ..Options::default()
        };
        let mut behind = look_behind(candidates, &found, &mut oracle, &options);
        found.extend(candidates, &mut behind, &mut oracle, left);
        hidden = behind.causes;
        cut = match behind.outcome {
            immune_attribution::Outcome::Stopped(why) => Some(why),
            _ => None,
        };
    }
    Heard {
        found,
        hidden,
        cut,
        calls: oracle.asked.into_calls(),
    }
}

/// Asks until somebody says to stop.
struct Stoppable<'a> {
    asked: Asked<'a>,
    is_stopped: Option<&'a dyn Fn() -> bool>,
    /// Is told the number of calls in the second look, which tells nobody itself.
    second: Option<&'a mut dyn FnMut(u32)>,
}

/// Why there are no verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoVerdict {
    /// Somebody stopped it.
    Interrupted,
    /// Whoever answers, or judges, failed; or the budget is used up.
    Ask(AskError),
}

impl Stoppable<'_> {
    fn check(&self) -> Result<(), NoVerdict> {
        if self.is_stopped.is_some_and(|it| it()) {
            return Err(NoVerdict::Interrupted);
        }
        Ok(())
    }

    fn tell(&mut self) {
        if let Some(second) = &mut self.second {
            second(super::count(self.asked.calls().len()));
        }
    }
}

impl Oracle for Stoppable<'_> {
    type Error = NoVerdict;

    fn ask(&mut self, shown: &[Subset]) -> Result<Vec<Verdict>, NoVerdict> {
        self.check()?;
        let verdicts = self.asked.ask(shown).map_err(NoVerdict::Ask)?;
        self.tell();
        Ok(verdicts)
    }
}

impl Sides for Stoppable<'_> {
    fn say(&mut self, shown: &[Subset]) -> Result<Vec<Said>, NoVerdict> {
        self.check()?;
        let said = self.asked.say(shown).map_err(NoVerdict::Ask)?;
        self.tell();
        Ok(said)
    }

    fn said(&self, shown: &Subset) -> Option<Said> {
        let mut calls = self.asked.calls().iter();
        calls.find(|it| it.subset == *shown).map(Call::said)
    }
}

/// What a search found, with every answer.
#[derive(Debug)]
pub struct Heard {
    /// What it found.
    pub found: Found<NoVerdict>,
    /// The causes that the right answer had hidden.
    pub hidden: Vec<Subset>,
    /// Why the second look was cut short, if it was.
    pub cut: Option<Why<NoVerdict>>,
    /// The answers, in order.
    pub calls: Vec<Call>,
}

impl Heard {
    /// How it ended.
    pub(super) fn outcome(&self) -> Outcome {
        use immune_attribution::Outcome as Ended;
        match &self.found.outcome {
            Ended::Found => Outcome::Found,
            Ended::NotReproduced => Outcome::NotReproduced,
            Ended::FailsWithout => Outcome::WrongWithoutMemory,
            Ended::Unstable => Outcome::Unstable,
            Ended::Stopped(Why::Budget) => Outcome::BudgetSpent,
            Ended::Stopped(Why::Oracle(NoVerdict::Interrupted)) => Outcome::Interrupted,
            Ended::Stopped(Why::Oracle(NoVerdict::Ask(AskError::Exhausted { .. }))) => {
                Outcome::BudgetSpent
            }
            Ended::Stopped(Why::Oracle(NoVerdict::Ask(AskError::Unanswered(_)))) => {
                Outcome::OracleFailed
            }
        }
    }

    /// Why it stopped before its end, or its second look did, if either did.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        if let immune_attribution::Outcome::Stopped(why) = &self.found.outcome {
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

/// Why there are no more verdicts, and what to do about it.
fn in_words(why: &Why<NoVerdict>) -> Stopped {
    let (reason, advice) = match why {
        Why::Budget => (
            "the calls of the budget are used up".to_owned(),
            "allow more with `--max-calls`".to_owned(),
        ),
        Why::Oracle(error) => match error {
            NoVerdict::Interrupted => (
                "somebody stopped it".to_owned(),
                "run it again to its end".to_owned(),
            ),
            NoVerdict::Ask(AskError::Unanswered(it)) => (it.reason.clone(), it.advice.clone()),
            NoVerdict::Ask(it) => (it.to_string(), "allow more calls".to_owned()),
        },
    };
    Stopped { reason, advice }
}

/// An answer as it is kept: no longer than the limit, and without what no text may hold.
fn kept(answer: &str) -> Option<Text> {
    let mut end = answer.len().min(limits::ATTRIBUTION_ANSWER_BYTES_MAX);
    while !answer.is_char_boundary(end) {
        end -= 1;
    }
    let cut = answer.get(..end)?.replace('\0', "\u{fffd}");
    Text::new(&cut).ok()
}
