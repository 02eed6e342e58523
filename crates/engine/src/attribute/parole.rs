//! `parole`: a quarantined belief is tested again, once the record changed (semantics.md 8).
//!
//! It is held against what is on record and what leads; and the wrong answers in which it took part
//! are asked for again, with it admitted beside what stands. It is released only if nothing
//! contradicts it and none of them is wrong. A belief that fell in a cascade is tested by what it
//! rests on: once that is released, it stands again by itself.

use immune_attribution::{Answerer, Judge, Shown, Unanswered, Verdict};
use immune_model::{
    AttributionId, BeliefId, IncidentId, Outcome, ParoleHold, Premise, Status, Text,
};
use immune_reason::plan::{Contradicted, HeldParole, Parole, ParoleError, Paroled as PlanParoled};
use immune_reason::{Draft, State};

use super::asking::kept;
use super::{Comparer, candidates, judge_of};
use crate::error::{OpenError, WriteError};
use crate::session::Session;

/// Who is asked for the wrong answers again.
#[derive(Debug, Clone, Copy, Default)]
pub enum Who<'a> {
    /// Nobody: a belief is held against the record alone.
    #[default]
    Nobody,
    /// This one, whoever answered then.
    This(&'a dyn Answerer),
    /// Whoever answered then, of those that can be had: an answer that is of nobody among them
    /// cannot be asked for again.
    AsThen(&'a [&'a dyn Answerer]),
}

/// Who answers again, and who judges.
#[derive(Clone, Copy, Default)]
pub struct Testing<'a> {
    /// Who answers.
    pub who: Who<'a>,
    /// Who judges; the values, if nobody else does.
    pub judge: Option<&'a dyn Judge>,
}

impl std::fmt::Debug for Testing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Testing")
            .field("who", &self.who)
            .finish_non_exhaustive()
    }
}

/// What holds a belief where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParoleTest {
    /// Nothing: it was released.
    Released,
    /// What is on record, or leads, contradicts it.
    Contradicted(Contradicted),
    /// With it, an answer is wrong again.
    WrongAgain {
        /// The attribution whose question that is.
        attribution: AttributionId,
        /// The answer.
        answer: String,
    },
    /// Nobody could answer, or judge.
    Unanswered {
        /// What happened.
        reason: String,
        /// What to do about it.
        advice: String,
    },
}

/// A refuted belief that was tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedRoot {
    /// Which belief.
    pub belief: BeliefId,
    /// What came out.
    pub test: ParoleTest,
    /// The attributions that were asked again.
    pub retested: Vec<AttributionId>,
    /// How many answers that took.
    pub calls: u32,
    /// Who answered, each once.
    pub oracles: Vec<String>,
    /// The incidents whose refutations of it hold no more.
    pub incidents: Vec<IncidentId>,
}

/// What a parole led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paroled {
    /// The belief that was to be released.
    pub belief: BeliefId,
    /// What it is now.
    pub status: Status,
    /// The refuted beliefs that were tested for it: itself, or those at the bottom of it.
    pub roots: Vec<TestedRoot>,
    /// The beliefs that had fallen and are active again.
    pub active: Vec<BeliefId>,
}

impl ParoleTest {
    /// What holds it, as it is written down, with the words about it; nothing if it was released.
    pub fn hold(&self) -> Option<(ParoleHold, Option<Text>)> {
        match self {
            Self::Released => None,
            Self::Contradicted(by) => Some(((*by).into(), None)),
            Self::WrongAgain {
                attribution,
                answer,
            } => Some((ParoleHold::WrongAgain(*attribution), kept(answer))),
            Self::Unanswered { reason, .. } => Some((ParoleHold::Unanswered, kept(reason))),
        }
    }
}

impl Paroled {
    /// Whether all that holds it down was released.
    pub fn is_released(&self) -> bool {
        self.roots.iter().all(|it| it.test == ParoleTest::Released)
    }
}

impl Session {
    /// Tests a belief that fell, and releases what may be.
    pub fn parole(
        &self,
        belief: BeliefId,
        testing: Testing<'_>,
    ) -> Result<Paroled, WriteError<ParoleError>> {
        let roots = self.write(move |draft| {
            let state = draft.state();
            let Some(now) = state.belief_now(belief) else {
                return Err(ParoleError::NotInMemory { belief });
            };
            let roots = state.refuted_under(belief);
            if roots.is_empty() {
                let status = now.status;
                // Whoever may not parole learns that first.
                draft.check_parole(belief)?;
                return Err(ParoleError::NotRefuted { belief, status });
            }
            for root in &roots {
                draft.check_parole(*root)?;
            }
            Ok(roots)
        })?;
        let mut tested = Vec::new();
        let mut active = Vec::new();
        for root in roots {
            let (test, risen) = self.test(root, testing)?;
            active.extend(risen);
            tested.push(test);
        }
        active.sort_unstable();
        active.dedup();
        let now = self.snapshot().map_err(WriteError::Failed)?;
        let status = now.state().belief_now(belief).map(|it| it.status);
        Ok(Paroled {
            belief,
            status: status.unwrap_or(Status::Unsupported),
            roots: tested,
            active,
        })
    }

    /// Tests one refuted belief; with it what is active again.
    fn test(
        &self,
        root: BeliefId,
        testing: Testing<'_>,
    ) -> Result<(TestedRoot, Vec<BeliefId>), WriteError<ParoleError>> {
        let snapshot = self.snapshot().map_err(WriteError::Failed)?;
        let mut tested = TestedRoot {
            belief: root,
            test: ParoleTest::Released,
            retested: Vec::new(),
            calls: 0,
            oracles: Vec::new(),
            incidents: Vec::new(),
        };
        let trial = self
            .trial(snapshot.state(), root)
            .map_err(WriteError::Refused)?;
        match trial {
            Ok(state) => ask_again(&state, &mut tested, testing),
            Err(by) => tested.test = ParoleTest::Contradicted(by),
        }
        let oracle = (!tested.oracles.is_empty()).then(|| tested.oracles.join(", "));
        let command = Parole {
            belief: root,
            retested: tested.retested.clone(),
            calls: tested.calls,
            oracle: oracle.as_deref().and_then(kept),
        };
        if let Some((hold, said)) = tested.test.hold() {
            let held = HeldParole {
                test: command,
                hold,
                said,
            };
            self.write(move |draft| draft.hold_parole(&held))?;
            return Ok((tested, Vec::new()));
        }
        let PlanParoled {
            held,
            incidents,
            active,
            ..
        } = self.write(move |draft| draft.parole(&command))?;
        if let Some(by) = held {
            tested.test = ParoleTest::Contradicted(by);
        }
        tested.incidents = incidents;
        Ok((tested, active))
    }

    /// The state with a belief released, or what contradicts it.
    fn trial(
        &self,
        state: &State,
        root: BeliefId,
    ) -> Result<Result<State, Contradicted>, ParoleError> {
        let now = self.memory.shared.parts.clock.now();
        let mut draft = Draft::new(state.clone(), self.principal.clone(), now);
        let released = draft.parole(&Parole {
            belief: root,
            retested: Vec::new(),
            calls: 0,
            oracle: None,
        })?;
        Ok(match released.held {
            Some(by) => Err(by),
            None => Ok(draft.finish().0),
        })
    }
}

/// Asks for the wrong answers in which it took part again.
fn ask_again(state: &State, tested: &mut TestedRoot, testing: Testing<'_>) {
    if matches!(testing.who, Who::Nobody) {
        return;
    }
    let root = tested.belief;
    let took_part: Vec<AttributionId> = state
        .attributions_with(Premise::Belief(root))
        .filter(|it| {
            let outcome = state.attribution(*it).map(|it| it.what.outcome);
            outcome.is_some_and(|it| !blames_nobody(it))
        })
        .collect();
    for attribution in took_part {
        tested.retested.push(attribution);
        match asked_again(state, attribution, tested, testing) {
            Ok(None) => continue,
            Ok(Some(answer)) => {
                tested.test = ParoleTest::WrongAgain {
                    attribution,
                    answer,
                };
            }
            Err(Unanswered { reason, advice, .. }) => {
                tested.test = ParoleTest::Unanswered { reason, advice };
            }
        }
        return;
    }
}

/// Whether an attribution showed that memory is not what made the answer wrong.
fn blames_nobody(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::NotReproduced | Outcome::WrongWithoutMemory | Outcome::Unstable
    )
}

/// Asks a question again from what of its candidates stands; the answer, if it is wrong.
///
/// What was true then may not be true now: where a system of record states a value of the subject,
/// an answer is wrong that contradicts that; else one that the attribution calls wrong.
fn asked_again(
    state: &State,
    attribution: AttributionId,
    tested: &mut TestedRoot,
    testing: Testing<'_>,
) -> Result<Option<String>, Unanswered> {
    let Some(found) = state.attribution(attribution) else {
        return Ok(None);
    };
    let (root, judge) = (tested.belief, testing.judge);
    let answerer = answerer_of(testing.who, attribution, &found.what.oracle)?;
    let on_record = recorded(state, root);
    if found.what.judge.is_some() && judge.is_none() && on_record.is_none() {
        return Err(Unanswered {
            reason: format!("the answer of {attribution} was judged by a command"),
            advice: "name the command again with `--judge`".to_owned(),
            is_final: false,
            is_spent: false,
        });
    }
    let stands = |item: Premise| match item {
        Premise::Belief(id) => state.belief_now(id).map(|it| it.status) == Some(Status::Active),
        Premise::Observation(id) => state.observation_status(id) == Some(Status::Active),
    };
    let standing = found.what.candidates.iter().filter(|it| stands(it.item));
    let last = found.what.candidates.iter().map(|it| it.turn).max();
    let memories: Vec<Shown> = standing
        .map(|it| candidates::shown(state, *it, last.unwrap_or(1)))
        .collect();
    let memories: Vec<&Shown> = memories.iter().collect();
    let question = found.what.question.as_str();
    tested.calls += 1;
    let name = answerer.name();
    if !tested.oracles.contains(&name) {
        tested.oracles.push(name);
    }
    let answer = answerer.answer(question, &memories)?;
    let Some(text) = answer.text else {
        return Ok(None);
    };
    let logged = |it: &Option<Text>| it.as_ref().map(ToString::to_string);
    let comparer = match on_record {
        Some(value) => Comparer {
            wrong: None,
            expected: Some(value),
            about: state.belief(root).map(|it| it.subject.clone()),
        },
        None => Comparer {
            wrong: logged(&found.what.wrong),
            expected: logged(&found.what.expected),
            about: None,
        },
    };
    let verdict = judge_of(judge, &comparer).judge(question, &text)?;
    Ok((verdict == Verdict::Fails).then_some(text))
}

/// Who answers an attribution again.
fn answerer_of<'a>(
    who: Who<'a>,
    attribution: AttributionId,
    then: &Text,
) -> Result<&'a dyn Answerer, Unanswered> {
    let known = match who {
        Who::This(answerer) => return Ok(answerer),
        Who::AsThen(known) => known,
        Who::Nobody => &[],
    };
    let mut same = known.iter().filter(|it| it.name() == then.as_str());
    same.next().copied().ok_or_else(|| Unanswered {
        reason: format!(
            "{attribution} was answered by {then}, which is not asked unless it is named"
        ),
        advice: "name it, or somebody else, with `--oracle`".to_owned(),
        is_final: false,
        is_spent: false,
    })
}

/// What a system of record states about the subject of a belief, in its words.
fn recorded(state: &State, id: BeliefId) -> Option<String> {
    let belief = state.belief(id)?;
    let mut about = state.beliefs_about(&belief.namespace, &belief.subject);
    let on_record = about.find(|it| state.stated_by_record(*it))?;
    state.words_of(on_record).map(ToString::to_string)
}

impl From<OpenError> for WriteError<ParoleError> {
    fn from(error: OpenError) -> Self {
        Self::Failed(error)
    }
}
