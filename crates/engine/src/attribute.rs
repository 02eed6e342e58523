//! `attribute`: an answer was wrong; which memories made it so, and what is to be done (semantics.md
//! 11).
//!
//! Somebody answers again from some of the memories, a judge says whether that is wrong, and the
//! search of `immune_attribution` decides what is asked next. All of that happens before the plan;
//! what came out is written down as one event, with every call. What it keeps: an attribution
//! moves nothing by itself; where nobody is to blame nobody is blamed; what is quarantined is
//! quarantined by a challenge, with the authority of one.

mod asking;
mod candidates;
mod comparer;
mod parole;
mod quarantine;
mod retest;
mod root;

use immune_attribution::{Answerer, Judge};
use immune_model::{
    Attributed, AttributionCertificate, AttributionId, BeliefId, DecisionId, Namespace, Outcome,
    Premise, RunId, SourceId, Subject, Text, Trust,
};
use immune_reason::plan::{AttributeError, SourceRef};

use crate::error::{OpenError, WriteError};
use crate::recall::RecallError;
use crate::session::Session;

pub use asking::{Asking, Heard, Watched};
pub use candidates::{GivenFrom, Suspect};
pub use comparer::Comparer;
pub use immune_attribution as attribution;
pub use parole::{ParoleTest, Paroled, TestedRoot, Testing, Who};
pub use quarantine::{LeftAlone, Quarantine, QuarantineError, Quarantined, WhyLeft};
pub use retest::Retest;

/// An answer that was wrong.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The question that it answered.
    pub question: Text,
    /// What it was given from.
    pub from: GivenFrom,
    /// The part of the memory that is asked.
    pub namespace: Namespace,
    /// The value that a wrong answer asserts.
    pub wrong: Option<Text>,
    /// What is true: an answer that contradicts it is wrong.
    pub expected: Option<Text>,
    /// What question and values are about, where that is to be compared by.
    pub about: Option<Subject>,
    /// The words of a judge that the caller brings, for the record.
    pub judge: Option<Text>,
    /// At most so many answers are asked for.
    pub calls_max: usize,
    /// How often whoever answers changes the verdict.
    pub noise: attribution::Noise,
}

/// Why nothing was attributed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeRefusal {
    /// The memory is not to be had, or not to be asked so.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// The plan refuses it.
    #[error(transparent)]
    Refused(AttributeError),
    /// Nobody said what is wrong.
    #[error("nothing says when an answer is wrong")]
    NoJudge,
    /// What is wrong is what is expected.
    #[error("`{value}` is named as wrong and as expected")]
    SameValue {
        /// The wrong value, as it was named.
        value: Text,
    },
    /// Nobody says what is true instead of what is to be quarantined.
    #[error("what is quarantined is challenged, and nothing says what is true instead")]
    NoClaim,
    /// There is nothing that the answer could be from.
    #[error("nothing that may be relied on answers the question, so no memory can be to blame")]
    NoCandidates,
    /// Whoever answers failed before anything was learnt.
    #[error("{reason}")]
    Unanswered {
        /// What happened.
        reason: String,
        /// What to do about it.
        advice: String,
    },
}

impl From<OpenError> for AttributeRefusal {
    fn from(error: OpenError) -> Self {
        Self::Recall(error.into())
    }
}

impl From<WriteError<AttributeError>> for AttributeRefusal {
    fn from(error: WriteError<AttributeError>) -> Self {
        match error {
            WriteError::Refused(error) => Self::Refused(error),
            WriteError::Failed(error) => error.into(),
        }
    }
}

/// What came out of an attribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribution {
    /// Its id.
    pub id: AttributionId,
    /// What was asked, and what was found.
    pub what: Attributed,
    /// Why it ended where it did, in words, if it was not at its end, or why its second look did.
    pub stopped: Option<Stopped>,
    /// How the causes lie to each other.
    pub shape: Option<&'static str>,
    /// The candidates that are to blame for sure with others, where it was stopped.
    pub suspects: Vec<u32>,
    /// What is on record, or leads, about what the causes speak of.
    pub known: Vec<KnownValue>,
    /// What was spent, in millionths, if anybody counts.
    pub spent_millionths: Option<u64>,
    /// What was quarantined, if that was asked for.
    pub quarantined: Option<Quarantined>,
}

/// Why a search stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// What happened.
    pub reason: String,
    /// What to do about it.
    pub advice: String,
}

/// A value of the subject of a cause which the memory holds true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownValue {
    /// The cause.
    pub cause: BeliefId,
    /// The belief that contradicts it.
    pub belief: BeliefId,
    /// The system of record that states it; nothing where it merely leads.
    pub record: Option<SourceId>,
}

impl Session {
    /// Finds which memories made an answer wrong, and writes down how that was learnt. With
    /// `quarantine`, what is to blame is challenged, with the attribution as the evidence.
    ///
    /// Whoever answers is asked for `calls_max` answers at most, guards, replays and the second
    /// look included; a search that is stopped, or whose oracle fails, hands out the best so far.
    pub fn attribute(
        &self,
        request: &Attribute,
        asking: &mut Asking<'_>,
        quarantine: Option<&SourceRef>,
    ) -> Result<Attribution, AttributeRefusal> {
        let span = tracing::info_span!(
            "immune.attribution",
            total_candidates = tracing::field::Empty,
            oracle_calls = tracing::field::Empty,
            minimal_culprits = tracing::field::Empty,
            quarantine_triggered = false,
        );
        let _entered = span.enter();
        let run = request.from.run().cloned();
        self.write(move |draft| draft.check_may_attribute(run.as_ref()))?;
        check_judge(request, asking)?;
        if quarantine.is_some() {
            self.check_may_quarantine()
                .map_err(|it| AttributeRefusal::Refused(it.into()))?;
            if request.expected.is_none() {
                return Err(AttributeRefusal::NoClaim);
            }
        }
        let snapshot = self.snapshot()?;
        let state = snapshot.state();
        let suspects = self.suspects(state, request)?;
        span.record("total_candidates", suspects.len());
        let heard = asking.search(request, &suspects)?;
        span.record("oracle_calls", heard.calls.len());
        span.record("minimal_culprits", heard.found.correction.len());
        let stopped = heard.stopped();
        let (suspicious, shape) = (heard.suspicious(), heard.shape());
        let what = self.attributed(state, request, asking.answerer, &suspects, &heard);
        let known = self.known_values(state, &what);
        let id = {
            let what = what.clone();
            self.write(move |draft| draft.attribute(&what))?
        };
        let mut attribution = Attribution {
            id,
            what: Attributed {
                attribution: id,
                ..what
            },
            stopped,
            shape,
            suspects: suspicious,
            known,
            spent_millionths: asking.answerer.spent().map(|it| it.millionths),
            quarantined: None,
        };
        if let Some(from) = quarantine
            && !attribution.what.correction.is_empty()
            && attribution.what.outcome == Outcome::Found
        {
            let command = Quarantine {
                attribution: id,
                from: from.clone(),
                claim: None,
                about: request.about.clone(),
                takes_incomplete: false,
            };
            let done = self.quarantine(&command);
            let done = done.unwrap_or_else(|error| Quarantined::refused(&error));
            span.record("quarantine_triggered", !done.challenged.is_empty());
            attribution.quarantined = Some(done);
        }
        Ok(attribution)
    }

    fn attributed(
        &self,
        state: &immune_reason::State,
        request: &Attribute,
        answerer: &dyn Answerer,
        suspects: &[Suspect],
        heard: &Heard,
    ) -> Attributed {
        let outcome = heard.outcome();
        let (correction, fallen) = self.rooted(state, suspects, &heard.found.correction);
        let certificate = &heard.found.certificate;
        let (replays, right) = certificate.replayed;
        let share = |it: f64| Trust::from_thousandths(thousandths(it).try_into().unwrap_or(1000));
        let (answers, calls) = heard.log(suspects.len());
        let causes = heard.found.causes.iter();
        let hidden = heard.hidden.iter();
        Attributed {
            attribution: AttributionId::new(1),
            namespace: request.namespace.clone(),
            run: request.from.run().cloned(),
            decision: request.from.decision(),
            candidates: suspects.iter().map(|it| it.candidate).collect(),
            calls,
            outcome,
            causes: causes.map(|it| numbers(it.numbers())).collect(),
            hidden: hidden.map(|it| numbers(it.numbers())).collect(),
            correction,
            fallen,
            certificate: AttributionCertificate {
                guard_calls: count(certificate.guard_calls),
                replays: count(replays),
                replays_right: count(right),
                bound_thousandths: thousandths(certificate.bound_calls),
                confidence: share(certificate.confidence).unwrap_or(Trust::ZERO),
                flips: share(certificate.flip_rate).unwrap_or(Trust::ZERO),
                non_monotone: count(certificate.non_monotone),
            },
            question: request.question.clone(),
            wrong: request.wrong.clone(),
            expected: request.expected.clone(),
            judge: request.judge.clone(),
            oracle: Text::new(&answerer.name())
                .unwrap_or_else(|_| Text::new("somebody").expect("it is a word")),
            answers,
        }
    }
}

/// Refuses where nothing says what is wrong, or the same value is wrong and right.
fn check_judge(request: &Attribute, asking: &Asking<'_>) -> Result<(), AttributeRefusal> {
    if asking.judge.is_some() {
        return Ok(());
    }
    match (&request.wrong, &request.expected) {
        (None, None) => Err(AttributeRefusal::NoJudge),
        (Some(wrong), Some(expected)) if Comparer::asserts(expected.as_str(), wrong.as_str()) => {
            Err(AttributeRefusal::SameValue {
                value: wrong.clone(),
            })
        }
        _ => Ok(()),
    }
}

fn numbers(places: impl Iterator<Item = usize>) -> Vec<u32> {
    places.map(count).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A share or a number of calls in thousandths, rounded; what is no number is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped to what fits before"
)]
fn thousandths(number: f64) -> u32 {
    (number * 1000.0).round().clamp(0.0, f64::from(u32::MAX)) as u32
}

impl GivenFrom {
    /// The run, if it is one.
    pub fn run(&self) -> Option<&RunId> {
        match self {
            Self::Run { run, .. } => Some(run),
            Self::Recall { .. } | Self::Named(_) => None,
        }
    }

    /// The decision up to which the run is looked at.
    pub fn decision(&self) -> Option<DecisionId> {
        match self {
            Self::Run { decision, .. } => *decision,
            Self::Recall { .. } | Self::Named(_) => None,
        }
    }
}

/// The belief that a candidate is, if it is one.
fn belief_of(item: Premise) -> Option<BeliefId> {
    match item {
        Premise::Belief(id) => Some(id),
        Premise::Observation(_) => None,
    }
}

/// What judges: the caller's own, or the values.
fn judge_of<'a>(judge: Option<&'a dyn Judge>, comparer: &'a Comparer) -> &'a dyn Judge {
    judge.unwrap_or(comparer)
}
