//! Attributions and paroles: which memories made an answer wrong, and what was tested again.

use immune_engine::reason::State;
use immune_engine::{ParoleTest, Quarantined, WhyLeft};
use immune_model::{AttributionId, BeliefId, Candidate, Item, ParoleHold};
use serde::Serialize;

use crate::value::{SourceName, Trust, ids};
use crate::write::Challenged;

/// What came out of an attribution that was just made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attributed {
    /// The attribution as it was written down.
    #[serde(flatten)]
    pub what: Attribution,
    /// How the causes lie to each other: `single`, `joint`, `redundant` or `mixed`.
    pub shape: Option<&'static str>,
    /// Where it was stopped: who is to blame is among them, beside the correction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Memory>,
    /// Why it was stopped, or its second look was cut short, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// What is on record, or leads, about what is to blame.
    pub known: Vec<Known>,
    /// What was spent, in the currency of the prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
    /// What was quarantined, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
}

/// Why a search was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// What happened.
    pub reason: String,
    /// What to do about it.
    pub advice: String,
}

/// A value that contradicts what is to blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Known {
    /// What is to blame.
    pub cause: String,
    /// The belief that contradicts it.
    pub belief: String,
    /// What both are about.
    pub subject: String,
    /// Its claim.
    pub claim: String,
    /// The system of record that states it; nothing where it leads without one.
    pub record: Option<SourceName>,
}

/// An attribution as it was written down.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribution {
    /// Which attribution.
    pub attribution: String,
    /// How it ended: `found`, `not_reproduced`, `wrong_without_memory`, `unstable`, or, with the best
    /// so far, `budget_spent`, `interrupted` or `oracle_failed`.
    pub outcome: &'static str,
    /// The question.
    pub question: String,
    /// The value that a wrong answer asserts.
    pub wrong: Option<String>,
    /// What is true.
    pub expected: Option<String>,
    /// The command that judged, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Who answered.
    pub oracle: String,
    /// The part of the memory that was asked; empty for the root.
    pub namespace: String,
    /// The run whose answer it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The decision up to which the run is looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// How many memories the answer could be from.
    pub candidates: usize,
    /// The smallest sets that each make the answer wrong alone.
    pub causes: Vec<Vec<Memory>>,
    /// The causes that the right answer had hidden: each was shown alone, and the answer was wrong.
    pub hidden: Vec<Vec<Memory>>,
    /// What to quarantine so that the answer is wrong no more.
    pub correction: Vec<Memory>,
    /// What falls with that, as it rests on it alone.
    pub fallen: Vec<Memory>,
    /// What it took, and how sure it is.
    pub certificate: Certificate,
    /// The incidents and reviews for which it is the evidence.
    pub evidence_for: Vec<String>,
    /// Who asked, as `operator:me`.
    pub by: Option<String>,
    /// When it was written.
    pub at: String,
    /// The tests of what it blames, and those in which its answer was to be asked for again; where
    /// one attribution is shown, and not where there was none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retests: Vec<Retest>,
    /// Every candidate, by its number; where one attribution is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Log>,
}

/// Every call of an attribution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Log {
    /// The candidates, by number from 0.
    pub candidates: Vec<Memory>,
    /// The different answers, by number from 0.
    pub answers: Vec<String>,
    /// The calls, in order.
    pub calls: Vec<Call>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The numbers of the candidates that were shown.
    pub shown: Vec<u32>,
    /// Whether the answer was wrong.
    pub fails: bool,
    /// The number of the answer; nothing if there was none.
    pub answer: Option<u32>,
}

/// A test of a belief that was quarantined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Retest {
    /// Which belief.
    pub belief: String,
    /// `released`; or what held it: `contradicted_by_record`, `contradicted_by_leading`,
    /// `wrong_again` or `unanswered`.
    pub test: &'static str,
    /// What contradicts it: a belief; or the attribution whose answer is wrong again.
    pub by: Option<String>,
    /// The answer that is wrong again, or why nobody answered.
    pub said: Option<String>,
    /// Who answered, if anybody was asked.
    pub oracle: Option<String>,
    /// How many answers that took, those of other attributions counted.
    pub calls: u32,
    /// Who tested, as `operator:me`.
    pub actor: String,
    /// When.
    pub at: String,
    /// Position in the log.
    pub seq: u64,
}

impl From<&immune_engine::Retest> for Retest {
    fn from(retest: &immune_engine::Retest) -> Self {
        let actor = &retest.actor;
        let text = |it: &Option<immune_model::Text>| it.as_ref().map(ToString::to_string);
        Self {
            belief: retest.belief.to_string(),
            test: retest.hold.map_or("released", ParoleHold::name),
            by: retest
                .hold
                .and_then(ParoleHold::by)
                .map(|it| it.to_string()),
            said: text(&retest.said),
            oracle: text(&retest.oracle),
            calls: retest.calls,
            actor: format!("{}:{}", actor.role.name(), actor.name),
            at: retest.at.to_string(),
            seq: retest.seq,
        }
    }
}

/// A memory that an answer was given from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// A belief or an observation.
    pub item: String,
    /// The read of its run that showed it, from 1.
    pub turn: u32,
}

impl From<Candidate> for Memory {
    fn from(candidate: Candidate) -> Self {
        Self {
            item: candidate.item.to_string(),
            turn: candidate.turn,
        }
    }
}

/// What an attribution took, and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// Answers that were asked for, guards and replays included.
    pub calls: usize,
    /// Those that asked whether it is about memory at all.
    pub guard_calls: u32,
    /// Answers without the correction.
    pub replays: u32,
    /// Those of them that were right.
    pub replays_right: u32,
    /// The fewest answers that tell so many culprits apart, without knowing more.
    pub bound_calls: f64,
    /// How sure the correction is.
    pub confidence: Trust,
    /// How often a verdict is taken to be wrong: estimated where the guards were asked several times.
    pub flips: Trust,
    /// Verdicts that no fixed set of causes gives.
    pub non_monotone: u32,
}

impl Attribution {
    /// An attribution without its calls; nothing if there is none of that id.
    pub fn of(state: &State, id: AttributionId) -> Option<Self> {
        let found = state.attribution(id)?;
        let what = &found.what;
        let text = |it: &Option<immune_model::Text>| it.as_ref().map(ToString::to_string);
        let memories = |numbers: &[u32]| found.candidates(numbers).map(Memory::from).collect();
        let certificate = &what.certificate;
        Some(Self {
            attribution: id.to_string(),
            outcome: what.outcome.name(),
            question: what.question.to_string(),
            wrong: text(&what.wrong),
            expected: text(&what.expected),
            judge: text(&what.judge),
            oracle: what.oracle.to_string(),
            namespace: what.namespace.as_str().to_owned(),
            run: what.run.as_ref().map(ToString::to_string),
            decision: what.decision.map(|it| it.to_string()),
            candidates: what.candidates.len(),
            causes: what.causes.iter().map(|it| memories(it)).collect(),
            hidden: what.hidden.iter().map(|it| memories(it)).collect(),
            correction: memories(&what.correction),
            fallen: memories(&what.fallen),
            certificate: Certificate {
                calls: what.calls.len(),
                guard_calls: certificate.guard_calls,
                replays: certificate.replays,
                replays_right: certificate.replays_right,
                bound_calls: f64::from(certificate.bound_thousandths) / 1000.0,
                confidence: certificate.confidence.into(),
                flips: certificate.flips.into(),
                non_monotone: certificate.non_monotone,
            },
            evidence_for: ids(found.evidence_for.iter().map(|it| Item::from(*it))),
            by: found
                .by
                .as_ref()
                .map(|it| format!("{}:{}", it.role.name(), it.name)),
            at: found.at.to_string(),
            retests: Vec::new(),
            log: None,
        })
    }

    /// The same with every call and every test.
    pub fn with_log(
        state: &State,
        id: AttributionId,
        retests: &[immune_engine::Retest],
    ) -> Option<Self> {
        let what = &state.attribution(id)?.what;
        let log = Log {
            candidates: what.candidates.iter().copied().map(Memory::from).collect(),
            answers: ids(&what.answers),
            calls: what
                .calls
                .iter()
                .map(|it| Call {
                    shown: it.numbers().collect(),
                    fails: it.fails,
                    answer: it.answer,
                })
                .collect(),
        };
        Some(Self {
            log: Some(log),
            retests: retests.iter().map(Retest::from).collect(),
            ..Self::of(state, id)?
        })
    }
}

impl Attributed {
    /// The view of a reply, with the state after it.
    pub fn of(
        state: &State,
        attribution: &immune_engine::Attribution,
        challenged: Vec<Challenged>,
    ) -> Option<Self> {
        let candidates = &attribution.what.candidates;
        let suspects = attribution.suspects.iter();
        let suspects = suspects.filter_map(|it| candidates.get(*it as usize));
        Some(Self {
            what: Attribution::of(state, attribution.id)?,
            shape: attribution.shape,
            suspects: suspects.copied().map(Memory::from).collect(),
            stopped: attribution.stopped.as_ref().map(|it| Stopped {
                reason: it.reason.clone(),
                advice: it.advice.clone(),
            }),
            known: attribution
                .known
                .iter()
                .map(|it| Known::of(state, it))
                .collect(),
            spent: attribution.spent_millionths.map(crate::value::score),
            quarantine: attribution
                .quarantined
                .as_ref()
                .map(|it| Quarantine::of(attribution.id, it, challenged)),
        })
    }
}

impl Known {
    fn of(state: &State, known: &immune_engine::KnownValue) -> Self {
        let words = |id: BeliefId| state.words_of(id).map(ToString::to_string);
        let subject = state.belief(known.belief).map(|it| it.subject.to_string());
        Self {
            cause: known.cause.to_string(),
            belief: known.belief.to_string(),
            subject: subject.unwrap_or_default(),
            claim: words(known.belief).unwrap_or_default(),
            record: known.record.map(|it| SourceName::of(state, it)),
        }
    }
}

/// What an attribution was the evidence for, and what was left alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quarantine {
    /// Which attribution.
    pub attribution: String,
    /// One challenge for each subject.
    pub challenged: Vec<Challenged>,
    /// What is to blame and was not challenged.
    pub left: Vec<Left>,
    /// Why nothing was challenged, if the challenge was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// A memory that is to blame and was not challenged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// A belief or an observation.
    pub item: String,
    /// Why.
    pub why: String,
    /// Whether a challenge that names its subject would reach it.
    pub needs_subject: bool,
}

impl Quarantine {
    /// The view of a reply.
    pub fn of(id: AttributionId, done: &Quarantined, challenged: Vec<Challenged>) -> Self {
        Self {
            attribution: id.to_string(),
            challenged,
            left: done
                .left
                .iter()
                .map(|it| Left {
                    item: it.item.to_string(),
                    why: it.why.text(),
                    needs_subject: it.why == WhyLeft::OtherTopic,
                })
                .collect(),
            refused: done.refused.clone(),
        }
    }
}

/// A belief that was tested again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Paroled {
    /// Which belief.
    pub belief: String,
    /// Whether all that held it down was released.
    pub released: bool,
    /// What it is now.
    pub status: &'static str,
    /// What was tested for it: itself, or what it rests on and was refuted.
    pub roots: Vec<Root>,
    /// The beliefs that had fallen and are active again.
    pub active: Vec<String>,
}

/// A refuted belief that was tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Root {
    /// Which belief.
    pub belief: String,
    /// `released`; or what holds it: `contradicted_by_record`, `contradicted_by_leading`,
    /// `wrong_again` or `unanswered`.
    pub test: &'static str,
    /// Why, in words.
    pub why: String,
    /// What contradicts it: a belief; or the attribution whose answer is wrong again.
    pub by: Option<String>,
    /// The attributions whose questions were asked again.
    pub retested: Vec<String>,
    /// How many answers that took.
    pub calls: u32,
    /// Who answered, each once.
    pub oracles: Vec<String>,
    /// The incidents whose refutations of it hold no more.
    pub incidents: Vec<String>,
}

impl From<&immune_engine::Paroled> for Paroled {
    fn from(paroled: &immune_engine::Paroled) -> Self {
        Self {
            belief: paroled.belief.to_string(),
            released: paroled.is_released(),
            status: paroled.status.name(),
            roots: paroled.roots.iter().map(Root::from).collect(),
            active: ids(&paroled.active),
        }
    }
}

impl From<&immune_engine::TestedRoot> for Root {
    fn from(root: &immune_engine::TestedRoot) -> Self {
        use immune_engine::reason::plan::Contradicted;
        let why = match &root.test {
            ParoleTest::Released => "nothing contradicts it".to_owned(),
            ParoleTest::Contradicted(Contradicted::ByRecord(by)) => {
                format!("a system of record states {by}, which contradicts it")
            }
            ParoleTest::Contradicted(Contradicted::ByLeading(by)) => {
                format!("{by} contradicts it, and leads")
            }
            ParoleTest::WrongAgain {
                attribution,
                answer,
            } => format!("with it, the answer of {attribution} is wrong again: {answer}"),
            ParoleTest::Unanswered { reason, advice } => format!("{reason}; {advice}"),
        };
        let hold = root.test.hold().map(|(hold, _)| hold);
        let test = hold.map_or("released", ParoleHold::name);
        let by = hold.and_then(ParoleHold::by).map(|it| it.to_string());
        Self {
            belief: root.belief.to_string(),
            test,
            why,
            by,
            retested: ids(&root.retested),
            calls: root.calls,
            oracles: root.oracles.clone(),
            incidents: ids(&root.incidents),
        }
    }
}

/// A battery of attacks, each of which the memory had to heal from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Redteam {
    /// From `A` to `F`.
    pub grade: char,
    /// How many of a hundred attacks were healed.
    pub percent: u32,
    /// The attacks, in their order.
    pub attacks: Vec<Attack>,
    /// Who answered.
    pub oracle: String,
}

/// One attack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attack {
    /// Its name.
    pub attack: String,
    /// Whether all that follows holds.
    pub passed: bool,
    /// Whether the memory was fooled before it healed; never of what attacks nothing.
    pub fooled: bool,
    /// Whether the answer was right after it.
    pub healed: bool,
    /// How many poisoned memories there were.
    pub poisoned: usize,
    /// How many of them were quarantined, or fell with what was.
    pub caught: usize,
    /// The good memories that were quarantined, or fell.
    pub harmed: usize,
    /// How the attribution ended.
    pub outcome: &'static str,
    /// Answers that it asked for.
    pub calls: usize,
}
