//! `explain`: what was believed, on what grounds, what was built on it, and why it stopped.

use std::collections::VecDeque;

use immune_model::{
    ActionId, ActionStatus, Area, BeliefId, Closing, DecisionId, IncidentId, Instant,
    JustificationId, Literal, ObservationId, Polarity, Premise, RunId, SourceId, Standing, Status,
    Subject, Text, Trust, limits,
};
use immune_reason::screen::{Term, Trusted};
use immune_reason::state::{Cause, Grounds};
use immune_reason::{ContextId, Corroboration, Scope, State, Weight};

use crate::certificate::Certified;

/// A source, as an explanation names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceView {
    /// Which source.
    pub source: SourceId,
    /// Its handle.
    pub handle: String,
    /// Its channel.
    pub channel: String,
    /// Newcomer or declared.
    pub standing: Standing,
    /// The most that its channel is trusted.
    pub tier: Trust,
    /// How far it is trusted over all areas.
    pub reputation: Trust,
    /// How many survived checks lead to the floor; nothing if its tier does not allow it.
    pub checks_to_floor: Option<u32>,
}

/// A premise, with what it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Which one.
    pub premise: Premise,
    /// What it is now.
    pub status: Status,
    /// How far it is trusted.
    pub strength: Trust,
}

/// One way in which a belief was justified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedJustification {
    /// Which justification.
    pub justification: JustificationId,
    /// The observation that states it, if one does.
    pub statement_of: Option<ObservationId>,
    /// Who states or derives it; nobody, if it was imported.
    pub by: Option<SourceView>,
    /// What a derivation rests on; of a statement the beliefs that carry what it says.
    pub premises: Vec<Support>,
    /// The claim in the words that were used.
    pub text: Text,
    /// When it was written.
    pub at: Instant,
    /// Why it is closed, if it is.
    pub closing: Option<Closing>,
    /// The incident that flagged its observation, its source or the agent that derived it.
    pub flagged_in: Option<IncidentId>,
    /// Whether it holds now.
    pub holds: bool,
    /// What its run had been shown before, if that counts.
    pub context: Option<ExplainedContext>,
    /// How far it is trusted now, term by term, while it holds.
    pub trusted: Trusted,
}

/// What a run had been shown before something was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedContext {
    /// The run in which it was written.
    pub run: RunId,
    /// How many items it had been shown.
    pub n_items: usize,
    /// How far that is trusted: the weakest of them.
    pub strength: Trust,
    /// The weakest, with the run that was shown it.
    pub weakest: Option<(Premise, RunId)>,
    /// Whether the justification would give more without it.
    pub caps: bool,
}

impl ExplainedContext {
    /// A context that something has; whether it caps that is for the caller to say.
    pub fn of(state: &State, context: ContextId, caps: bool) -> Self {
        let weakest = state.weakest_in(context);
        Self {
            run: state.run_of(context).clone(),
            n_items: state.shown_in(context).count(),
            strength: state.context_strength(context),
            weakest: weakest.map(|(item, _, run)| (item, run.clone())),
            caps,
        }
    }

    /// Why the strength is not higher, in words.
    pub fn why(&self) -> Option<String> {
        let (item, run) = self.weakest.as_ref()?;
        Some(format!("strength {}: shown {item} in {run}", self.strength))
    }
}

impl ExplainedJustification {
    /// What caps it that was shown or said before, in words.
    fn capped(&self) -> Option<String> {
        let context = self.context.as_ref().filter(|it| it.caps);
        if let Some(context) = context {
            return context.why();
        }
        let Term::Echo(hop) = self.trusted.decided_by() else {
            return None;
        };
        let strength = self.trusted.trust;
        Some(format!(
            "at most {strength}, as {hop} said the same words before it"
        ))
    }
}

/// A belief that rests on the one explained, and at how many hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Which belief.
    pub belief: BeliefId,
    /// Hops from the one explained, from 1.
    pub depth: u32,
    /// What it is now.
    pub status: Status,
}

/// A belief with its past and its consequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedBelief {
    /// Which belief.
    pub belief: BeliefId,
    /// What it is about.
    pub subject: Subject,
    /// The claim in words.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// Its typed literals.
    pub literals: Vec<Literal>,
    /// What it is now.
    pub status: Status,
    /// How far it is trusted.
    pub strength: Trust,
    /// The independent origins that have to be lost before it falls.
    pub corroboration: Corroboration,
    /// When it was first believed.
    pub believed_at: Instant,
    /// When it ceased to be active, if it did.
    pub ended_at: Option<Instant>,
    /// The incident in which it fell, if it did.
    pub incident: Option<IncidentId>,
    /// Why it is what it is, in a sentence.
    pub why: String,
    /// Every way in which it was justified, oldest first.
    pub justifications: Vec<ExplainedJustification>,
    /// What rests on it, nearest first; at most a page.
    pub reached: Vec<Reached>,
    /// The actions that relied on it.
    pub actions: Vec<(ActionId, DecisionId, ActionStatus)>,
    /// What disagrees with it and stands.
    pub rivals: Vec<BeliefId>,
    /// How much speaks for it as of the time asked.
    pub weight: Weight,
    /// How that fades, if it does.
    pub fading: Option<Fading>,
    /// The proof or the cut that shows its status.
    pub certified: Certified,
}

/// How the weight of a value fades.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fading {
    /// The area whose half-life it is.
    pub area: Area,
    /// Seconds after which a statement weighs half.
    pub half_life_seconds: u32,
    /// What spoke for it when each statement was fresh, in millionths of a nat.
    pub fresh_millionths: u64,
}

/// Explanations of a state.
#[derive(Debug, Clone, Copy)]
pub struct Explained<'a> {
    pub(crate) state: &'a State,
    /// As of when weights are told; as of the last event if nothing is said.
    asked: Option<Instant>,
}

impl<'a> Explained<'a> {
    /// Explanations of this state.
    pub fn of(state: &'a State) -> Self {
        Self { state, asked: None }
    }

    /// The same, with weights as of then.
    #[must_use]
    pub fn as_of(self, asked: Option<Instant>) -> Self {
        Self { asked, ..self }
    }

    /// A source as it stands; nothing if there is none.
    pub fn source(self, id: SourceId) -> Option<SourceView> {
        let source = self.state.source(id)?;
        let channel = self.state.channel(source.channel)?;
        let reputation = self.state.reputation(id, Scope::Overall);
        Some(SourceView {
            source: id,
            handle: source.handle.to_string(),
            channel: channel.name.to_string(),
            standing: source.standing,
            tier: channel.tier,
            reputation,
            checks_to_floor: self.state.checks_to_floor(id, None),
        })
    }

    /// A belief explained; nothing if there is none.
    pub fn belief(self, id: BeliefId) -> Option<ExplainedBelief> {
        let (belief, now) = (self.state.belief(id)?, self.state.belief_now(id)?);
        let mut justifications: Vec<_> = self
            .state
            .justifications_of(id)
            .filter_map(|it| self.justification(it))
            .collect();
        justifications.reverse();
        let incident = now
            .status
            .fell()
            .then(|| self.state.incident_of(id))
            .flatten();
        let actions = self.state.decisions_on(id).flat_map(|decision| {
            let actions = self
                .state
                .decision(decision)
                .map(|it| it.actions.as_slice());
            actions
                .unwrap_or_default()
                .iter()
                .filter_map(move |action| {
                    Some((*action, decision, self.state.action(*action)?.status))
                })
        });
        Some(ExplainedBelief {
            belief: id,
            subject: belief.subject.clone(),
            text: self.state.words_of(id)?.clone(),
            polarity: belief.polarity,
            literals: belief.literals.clone(),
            status: now.status,
            strength: now.strength,
            corroboration: self.state.corroboration(id),
            believed_at: belief.believed_at,
            ended_at: now.ended_at,
            incident,
            why: self.why(id, incident, &justifications),
            justifications,
            reached: self.reached(id),
            actions: actions.collect(),
            rivals: self.state.rivals_of(id),
            weight: self.state.weight_of(id, self.asked),
            fading: self.fading(id, &belief.subject),
            certified: self.certified(id)?,
        })
    }

    fn fading(self, id: BeliefId, subject: &Subject) -> Option<Fading> {
        let (area, half_life_seconds) = self.state.half_life_of(subject)?;
        // Before anything was said nothing had faded.
        let fresh = self.state.weight_of(id, Instant::from_seconds(0));
        Some(Fading {
            area: area.clone(),
            half_life_seconds,
            fresh_millionths: fresh.millionths,
        })
    }

    fn justification(self, id: JustificationId) -> Option<ExplainedJustification> {
        let justification = self.state.justification(id)?;
        let (statement_of, by) = match &justification.grounds {
            Grounds::Statement { observation, .. } => (
                Some(*observation),
                Some(self.state.observation(*observation)?.source),
            ),
            Grounds::Derivation { agent, .. } => (None, *agent),
        };
        let premises = justification.grounds.premises();
        let premises = premises.filter_map(|it| self.support(it)).collect();
        let closing = self.state.closing_of(id).map(|(_, closing)| closing);
        let flagged_in = self.state.flag_against(id);
        Some(ExplainedJustification {
            justification: id,
            statement_of,
            by: by.and_then(|it| self.source(it)),
            premises,
            text: justification.text.clone(),
            at: justification.at,
            closing,
            flagged_in,
            holds: self.state.holds(id),
            context: self.state.context_of_justification(id).map(|context| {
                let caps = self.state.is_capped_by_context(id);
                ExplainedContext::of(self.state, context, caps)
            }),
            trusted: self.state.trusted(id),
        })
    }

    pub(crate) fn support(self, premise: Premise) -> Option<Support> {
        let (status, strength) = match premise {
            Premise::Belief(id) => self
                .state
                .belief_now(id)
                .map(|it| (it.status, it.strength))?,
            Premise::Observation(id) => (
                self.state.observation_status(id)?,
                self.state.observation_strength(id),
            ),
        };
        Some(Support {
            premise,
            status,
            strength,
        })
    }

    fn why(
        self,
        id: BeliefId,
        incident: Option<IncidentId>,
        justifications: &[ExplainedJustification],
    ) -> String {
        let status = self
            .state
            .belief_now(id)
            .map_or(Status::Unsupported, |it| it.status);
        match (status, incident) {
            (Status::Quarantined, Some(it)) => match self.challenger_of(it) {
                Some(handle) => format!("refuted by {handle} in {it}"),
                None => format!("flagged in {it}"),
            },
            (Status::Revoked, Some(it)) => {
                let lost: Vec<String> = justifications.iter().flat_map(lost_by).collect();
                format!(
                    "every justification lost a premise in {it}: {}",
                    lost.join(", ")
                )
            }
            (Status::Active, _) => {
                let holds = justifications.iter().filter(|it| it.holds).count();
                let all = justifications.len();
                let capped = self.capped(id, justifications);
                let capped = capped.map_or_else(String::new, |it| format!("; {it}"));
                format!("{holds} of {all} justifications hold{capped}")
            }
            (Status::Superseded, _) => "its source replaced it".to_owned(),
            (Status::Expired, _) => "its time passed".to_owned(),
            (Status::Forgotten, _) => "it was closed on request".to_owned(),
            (Status::Stale, _) => "what it rested on was closed; nobody lied".to_owned(),
            (other, _) => other.name().to_owned(),
        }
    }

    /// What caps the strength of a belief, in words: an item of a context, or an observation whose
    /// words are repeated; where every justification that gives as much is capped so.
    fn capped(self, id: BeliefId, justifications: &[ExplainedJustification]) -> Option<String> {
        let strength = self.state.belief_now(id)?.strength;
        let best = |it: &&ExplainedJustification| {
            it.holds && self.state.justification_strength(it.justification) == strength
        };
        let mut best = justifications.iter().filter(best);
        let first = best.next()?.capped()?;
        best.all(|it| it.capped().is_some()).then_some(first)
    }

    /// Who refuted what fell in an incident; nobody did if something was flagged.
    fn challenger_of(self, incident: IncidentId) -> Option<String> {
        let Cause::Challenge { challenger, .. } = self.state.incident(incident)?.cause else {
            return None;
        };
        Some(self.state.source(challenger)?.handle.to_string())
    }

    /// What rests on a belief, nearest first.
    fn reached(self, id: BeliefId) -> Vec<Reached> {
        let mut seen = std::collections::BTreeSet::from([id]);
        let mut queue = VecDeque::from([(id, 0)]);
        let mut reached = Vec::new();
        while let Some((belief, depth)) = queue.pop_front() {
            for justification in self.state.dependents_of(Premise::Belief(belief)) {
                let Some(next) = self.state.justification(justification).map(|it| it.belief) else {
                    continue;
                };
                if reached.len() < limits::PAGE_ROWS_MAX && seen.insert(next) {
                    let status = self
                        .state
                        .belief_now(next)
                        .map_or(Status::Unsupported, |it| it.status);
                    reached.push(Reached {
                        belief: next,
                        depth: depth + 1,
                        status,
                    });
                    queue.push_back((next, depth + 1));
                }
            }
        }
        reached
    }
}

/// What took a justification away: its premises that fell, or the flagged observation or agent.
fn lost_by(justification: &ExplainedJustification) -> Vec<String> {
    let fallen = justification.premises.iter().filter(|it| it.status.fell());
    let fallen = fallen.map(|it| it.premise.to_string());
    let flagged = justification.flagged_in.and_then(|_| {
        let by = justification.by.as_ref().map(|it| it.source.to_string());
        justification.statement_of.map(|it| it.to_string()).or(by)
    });
    fallen.chain(flagged).collect()
}
