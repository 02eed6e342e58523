//! The screening report of a write: who spoke where, how far that is trusted and why, and what
//! became of each claim. The one report of `remember`, `derive`, `ingest`, `screen` and their dry
//! runs, and of an earlier write that is explained.

use immune_engine::reason::screen::{StatementOutcome, StatementReport, Term, Trusted};
use immune_engine::reason::{Deciding, State};
use immune_engine::{IngestTotals, ScreenedThen};
use immune_model::{BeliefId, IncidentId, ObservationId, Principal, Screening, SourceId};
use serde::Serialize;

use crate::extract::ModelTotals;
use crate::ingest::Skipped;
use crate::value::{Literal, SourceName, Trust, ids, literals};
use crate::write::{screening, subject};

/// What was written, or would be, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Whose words they are, with the channel.
    pub source: SourceName,
    /// Who handed them in, as `operator:me`: from the surface, never from the content.
    pub principal: String,
    /// The gravest verdict among the claims; `unscreened` where there is none.
    pub verdict: &'static str,
    /// Why, in a sentence.
    pub reason: String,
    /// How the claims were found: `explicit`, `rules`, `model`, or `unscreened` where none were.
    pub screening: &'static str,
    /// How far it is trusted as a whole, and why no further.
    pub trusted: Believed,
    /// Its claims, in the order in which they were made.
    pub statements: Vec<Statement>,
}

/// How far something is trusted, and why no further: the least of its terms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Believed {
    /// The least of the terms.
    pub trust: Trust,
    /// The one that decided: `flag`, `tier`, `reputation`, `copied`, `confidence`, `premise`
    /// or `context`.
    pub decided_by: &'static str,
    /// Each term.
    pub terms: Vec<TermValue>,
}

/// One term of the minimum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermValue {
    /// Its word, as in `decided_by`.
    pub term: &'static str,
    /// Its value.
    pub trust: Trust,
    /// The source that is copied, or the weakest premise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// One claim, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// The belief whose value it states.
    pub belief: String,
    /// The justification that it gives.
    pub justification: String,
    /// What it is about.
    pub subject: String,
    /// `+`, `-` or `?`.
    pub polarity: char,
    /// Its typed literals.
    pub literals: Vec<Literal>,
    /// `stored`, `reinforced`, `restated`, `contested`, `superseded`, `inert` or `blocked`.
    pub verdict: &'static str,
    /// Why, in a sentence.
    pub reason: String,
    /// The status of the belief now.
    pub status: &'static str,
    /// The strength of the belief now.
    pub strength: Trust,
    /// How far this statement of it is trusted, and why no further.
    pub trusted: Believed,
    /// The beliefs that it disagrees with.
    pub conflicts: Vec<Conflict>,
    /// The beliefs whose values its source had stated, and that it replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
}

/// A belief that a claim disagrees with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// Which belief.
    pub belief: String,
    /// What decided it: `polarity`, or the kind of the literals that differ.
    pub decided_by: &'static str,
}

/// What is reported: all of it as of one state.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    /// The state right after it.
    pub state: &'a State,
    /// Who handed it in.
    pub principal: &'a Principal,
    /// Whose words they are.
    pub source: SourceId,
    /// How the claims were found.
    pub screening: Screening,
    /// It had come before.
    pub repeated: bool,
}

impl Report {
    /// The report of an observation.
    pub fn of_observation(
        write: Write<'_>,
        id: ObservationId,
        statements: &[StatementReport],
    ) -> Self {
        let flagged_in = write.state.flag_over(id);
        let trusted = write.state.trusted_observation(id);
        Self::of(write, &trusted, statements, flagged_in)
    }

    /// The report of a derivation: it is trusted as its one claim is.
    pub fn of_derivation(write: Write<'_>, statement: &StatementReport) -> Self {
        let statements = std::slice::from_ref(statement);
        Self::of(write, &statement.trusted, statements, None)
    }

    /// The report of an earlier write.
    pub fn of_earlier(then: &ScreenedThen, screening: Screening) -> Self {
        let write = Write {
            state: then.then.state(),
            principal: &then.principal,
            source: then.source,
            screening,
            repeated: false,
        };
        Self::of(write, &then.trusted, &then.statements, then.flagged_in)
    }

    fn of(
        write: Write<'_>,
        trusted: &Trusted,
        statements: &[StatementReport],
        flagged_in: Option<IncidentId>,
    ) -> Self {
        let Write {
            state,
            principal,
            source,
            ..
        } = write;
        let claims = statements.iter().map(|it| it.outcome);
        let verdict = StatementOutcome::of_all(claims, flagged_in);
        let statements: Vec<Statement> = statements
            .iter()
            .map(|it| Statement::of(state, it, write.repeated))
            .collect();
        let mut deciding = statements.iter().filter(|it| it.verdict == verdict.name());
        let reason = match deciding.next() {
            None => match flagged_in {
                Some(incident) => {
                    format!(
                        "no claim was found in it, and it or its source is flagged in {incident}"
                    )
                }
                None => "no claim was found in it: it is a note".to_owned(),
            },
            Some(only) if statements.len() == 1 => only.reason.clone(),
            Some(first) => match deciding.count() {
                0 => format!("{}: {}", first.belief, first.reason),
                more => format!("{}: {}; so are {more} more", first.belief, first.reason),
            },
        };
        Self {
            source: SourceName::of(state, source),
            principal: format!("{}:{}", principal.role.name(), principal.name),
            verdict: verdict.name(),
            reason,
            screening: screening(write.screening),
            trusted: Believed::of(state, trusted),
            statements,
        }
    }
}

impl Statement {
    fn of(state: &State, report: &StatementReport, repeated: bool) -> Self {
        let belief = state.belief(report.belief);
        let conflicts = report.conflicts.iter().map(|it| Conflict {
            belief: it.belief.to_string(),
            decided_by: match it.deciding {
                Deciding::Polarity => "polarity",
                Deciding::Literal(kind) => kind.name(),
            },
        });
        Self {
            belief: report.belief.to_string(),
            justification: report.justification.to_string(),
            subject: subject(state, report.belief),
            polarity: belief.map_or('+', |it| it.polarity.sign()),
            literals: literals(belief.map_or(&[], |it| &it.literals)),
            verdict: report.outcome.name(),
            reason: reason(state, report, repeated),
            status: report.status.name(),
            strength: report.strength.into(),
            trusted: Believed::of(state, &report.trusted),
            conflicts: conflicts.collect(),
            replaced: ids(&report.replaced),
        }
    }
}

impl Believed {
    /// The view of a strength.
    pub fn of(state: &State, trusted: &Trusted) -> Self {
        let of = |term: &Term| match term {
            Term::Copied(source) => Some(SourceName::of(state, *source).handle),
            Term::Premise(it) | Term::Context(it) => Some(it.to_string()),
            Term::Echo(it) => Some(it.to_string()),
            Term::Flag | Term::Tier | Term::Reputation | Term::Confidence => None,
        };
        let terms = trusted.terms.iter().map(|(term, trust)| TermValue {
            term: term.name(),
            trust: (*trust).into(),
            of: of(term),
        });
        Self {
            trust: trusted.trust.into(),
            decided_by: trusted.decided_by().name(),
            terms: terms.collect(),
        }
    }
}

/// Why a claim became what it is.
fn reason(state: &State, report: &StatementReport, repeated: bool) -> String {
    match report.outcome {
        StatementOutcome::Restated if repeated => "the same had come before".to_owned(),
        StatementOutcome::Restated => "its source had stated it before".to_owned(),
        StatementOutcome::Reinforced => "others had stated it before".to_owned(),
        StatementOutcome::Stored => "nobody had stated it, and nothing disagrees".to_owned(),
        StatementOutcome::Superseded => {
            format!(
                "its source had said otherwise: {}",
                listed(&report.replaced)
            )
        }
        StatementOutcome::Unscreened => "no claim was found in it".to_owned(),
        StatementOutcome::Inert => format!(
            "strength {} is below the floor {}: its {} decides",
            report.strength,
            immune_model::Trust::FLOOR,
            report.trusted.decided_by().name()
        ),
        StatementOutcome::Contested => {
            let against: Vec<BeliefId> = report.conflicts.iter().map(|it| it.belief).collect();
            let leads = if state.is_contested(report.belief, None) {
                "does not lead"
            } else {
                "leads"
            };
            let said = match report.replaced.as_slice() {
                [] => String::new(),
                replaced => format!("; its source had said otherwise: {}", listed(replaced)),
            };
            format!("it disagrees with {} and {leads}{said}", listed(&against))
        }
        StatementOutcome::Blocked => match report.blocked_in {
            Some(incident) if report.status == immune_model::Status::Quarantined => {
                format!("its value was refuted in {incident}")
            }
            Some(incident) if state.flag_against(report.justification) == Some(incident) => {
                format!("its source is flagged in {incident}")
            }
            Some(incident) => {
                format!(
                    "it carries what was refuted in {incident}, and nobody vouches for its source"
                )
            }
            None => "its value was refuted".to_owned(),
        },
    }
}

/// The first of some beliefs, and how many more.
fn listed(beliefs: &[BeliefId]) -> String {
    const SHOWN_MAX: usize = 5;
    let shown: Vec<String> = beliefs
        .iter()
        .take(SHOWN_MAX)
        .map(ToString::to_string)
        .collect();
    match beliefs.len().saturating_sub(SHOWN_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// How many there are of each verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// Values that were new.
    pub stored: u64,
    /// Values that others had stated.
    pub reinforced: u64,
    /// Values that the same source had stated, and messages that came again.
    pub restated: u64,
    /// Disagreements.
    pub contested: u64,
    /// What replaced something.
    pub superseded: u64,
    /// What is below the floor.
    pub inert: u64,
    /// What was refuted or flagged.
    pub blocked: u64,
    /// Messages without a claim.
    pub unscreened: u64,
}

impl Verdicts {
    /// The view of some counts.
    pub fn of<'a>(counts: impl IntoIterator<Item = (&'a StatementOutcome, &'a u64)>) -> Self {
        let mut verdicts = Self::default();
        for (outcome, n) in counts {
            let count = match outcome {
                StatementOutcome::Stored => &mut verdicts.stored,
                StatementOutcome::Reinforced => &mut verdicts.reinforced,
                StatementOutcome::Restated => &mut verdicts.restated,
                StatementOutcome::Contested => &mut verdicts.contested,
                StatementOutcome::Superseded => &mut verdicts.superseded,
                StatementOutcome::Inert => &mut verdicts.inert,
                StatementOutcome::Blocked => &mut verdicts.blocked,
                StatementOutcome::Unscreened => &mut verdicts.unscreened,
            };
            *count += n;
        }
        verdicts
    }
}

/// A message that was taken up, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    /// Where it is: `line 12`.
    pub position: String,
    /// The observation; the earlier one if it had come before.
    pub observation: String,
    /// What became of it.
    #[serde(flatten)]
    pub report: Report,
}

impl Message {
    /// The messages that an ingestion lists, as of the state after it.
    pub fn of_all(state: &State, principal: &Principal, totals: &IngestTotals) -> Vec<Self> {
        let message = |it: &immune_engine::Screened| {
            let remembered = &it.remembered;
            let write = Write {
                state,
                principal,
                source: remembered.source,
                screening: remembered.screening,
                repeated: remembered.repeated,
            };
            let id = remembered.observation;
            Self {
                position: it.position.clone(),
                observation: id.to_string(),
                report: Report::of_observation(write, id, &remembered.statements),
            }
        };
        totals.screened.iter().map(message).collect()
    }
}

/// What would become of texts: nothing of it was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Screened {
    /// Messages read.
    pub messages: u64,
    /// How many messages there are of each verdict.
    pub verdicts: Verdicts,
    /// How many claims.
    pub claim_verdicts: Verdicts,
    /// The reports, in order.
    pub reports: Vec<Message>,
    /// Reports that are not listed.
    pub more: u64,
    /// Messages that could not be read or kept.
    pub skipped: u64,
    /// The first of those.
    pub problems: Vec<Skipped>,
    /// What a model did, where one was to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelTotals>,
}

impl Screened {
    /// The view of what was screened.
    pub fn of(state: &State, principal: &Principal, totals: &IngestTotals) -> Self {
        let reports = Message::of_all(state, principal, totals);
        let screened = totals.observations + totals.repeated;
        let problems = totals.problems.iter().map(|it| Skipped {
            position: it.position.clone(),
            reason: it.reason.clone(),
        });
        Self {
            messages: totals.messages,
            verdicts: Verdicts::of(&totals.outcomes),
            claim_verdicts: Verdicts::of(&totals.claim_outcomes),
            more: screened.saturating_sub(reports.len() as u64),
            reports,
            skipped: totals.skipped,
            problems: problems.collect(),
            model: totals.model.as_ref().map(ModelTotals::from),
        }
    }
}
