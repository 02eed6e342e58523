//! What became of what was written: the screening report, read off the state right after the write.
//!
//! Pure: a write that was only planned, one that was just made and one of last year are told by the
//! same code. Which term of the minimum of semantics.md 4 decided is told beside every strength.

use immune_model::{
    BeliefId, IncidentId, JustificationId, ObservationId, Premise, SourceId, Status, Trust,
};

use crate::context::ContextId;
use crate::relate::{Deciding, Relation, relate};
use crate::reputation::Scope;
use crate::state::{Grounds, State};

/// What became of a claim, or of all that was written at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatementOutcome {
    /// A value that this source had stated before.
    Restated,
    /// A value that another source had stated.
    Reinforced,
    /// A value that was not believed before.
    Stored,
    /// It replaces what this source had said, and nothing that stands disagrees with it.
    Superseded,
    /// No claim was found in it: it is a note.
    Unscreened,
    /// It is kept, below the floor: recall leaves it out.
    Inert,
    /// It disagrees with what is believed, also where it replaces what this source had said.
    Contested,
    /// Its value was refuted, or its source is flagged: it is kept and not believed, whoever
    /// repeats it.
    Blocked,
}

impl StatementOutcome {
    /// Every verdict; of several claims the one that comes last here is that of the whole.
    pub const ALL: [Self; 8] = [
        Self::Restated,
        Self::Reinforced,
        Self::Stored,
        Self::Superseded,
        Self::Unscreened,
        Self::Inert,
        Self::Contested,
        Self::Blocked,
    ];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Reinforced => "reinforced",
            Self::Restated => "restated",
            Self::Contested => "contested",
            Self::Superseded => "superseded",
            Self::Inert => "inert",
            Self::Blocked => "blocked",
            Self::Unscreened => "unscreened",
        }
    }

    /// The verdict with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The verdict of what made these claims. A note is as blocked as its claims would be where it
    /// or its source is flagged.
    pub fn of_all(claims: impl IntoIterator<Item = Self>, flagged_in: Option<IncidentId>) -> Self {
        let note = match flagged_in {
            Some(_) => Self::Blocked,
            None => Self::Unscreened,
        };
        claims.into_iter().max().unwrap_or(note)
    }
}

/// One term of the minimum that a strength is (semantics.md 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// What it rests on, or what its source copies, is flagged.
    Flag,
    /// The tier of its channel.
    Tier,
    /// What its source has earned in the area; in its worst one where the caller chose the subject.
    Reputation,
    /// What a source has earned that its source is declared to copy.
    Copied(SourceId),
    /// The weakest of the earlier observations whose words it repeats.
    Echo(ObservationId),
    /// How sure its words are.
    Confidence,
    /// The weakest premise.
    Premise(Premise),
    /// The weakest of what its run had been shown.
    Context(Premise),
}

impl Term {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Tier => "tier",
            Self::Reputation => "reputation",
            Self::Copied(_) => "copied",
            Self::Echo(_) => "echo",
            Self::Confidence => "confidence",
            Self::Premise(_) => "premise",
            Self::Context(_) => "context",
        }
    }
}

/// How far something is trusted, and why no further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// The least of the terms.
    pub trust: Trust,
    /// Each term with its value; never none.
    pub terms: Vec<(Term, Trust)>,
}

impl Trusted {
    fn of(terms: Vec<(Term, Trust)>) -> Self {
        let least = terms.iter().map(|(_, trust)| *trust).min();
        Self {
            trust: least.expect("a strength has terms"),
            terms,
        }
    }

    /// The term that decided: of several that are as low, the first of semantics.md 4.
    pub fn decided_by(&self) -> Term {
        let least = self.terms.iter().filter(|(_, it)| *it == self.trust);
        let first = least.map(|(term, _)| *term).min();
        first.expect("the least of the terms is one of them")
    }
}

/// A belief that a claim disagrees with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// Which belief.
    pub belief: BeliefId,
    /// What decided that the two cannot both hold.
    pub deciding: Deciding,
}

/// What became of one claim, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementReport {
    /// The belief whose value it states.
    pub belief: BeliefId,
    /// The justification that it gives.
    pub justification: JustificationId,
    /// What became of it.
    pub outcome: StatementOutcome,
    /// The status of the belief now.
    pub status: Status,
    /// The strength of the belief now.
    pub strength: Trust,
    /// How far this statement of it is trusted.
    pub trusted: Trusted,
    /// The beliefs that it disagrees with, at or above the floor.
    pub conflicts: Vec<Conflict>,
    /// The beliefs of which its source had stated another value, which this one replaces.
    pub replaced: Vec<BeliefId>,
    /// The incident that refuted its value, or flagged its source.
    pub blocked_in: Option<IncidentId>,
}

impl StatementReport {
    /// The report of what came before and comes again: nothing new, unless it would not be believed
    /// anyway.
    #[must_use]
    pub(crate) fn repeated(self) -> Self {
        let outcome = match self.outcome {
            StatementOutcome::Blocked | StatementOutcome::Inert => self.outcome,
            _ => StatementOutcome::Restated,
        };
        Self { outcome, ..self }
    }
}

impl State {
    /// What became of the claims of an observation, in the order in which they were made. As of
    /// this state: right after the write, it is the report of the write.
    pub fn screened(&self, id: ObservationId) -> Vec<StatementReport> {
        let statements = self
            .observations
            .find(id)
            .map(|it| it.statements.as_slice());
        let statements = statements.unwrap_or_default();
        statements
            .iter()
            .map(|it| self.screened_claim(*it))
            .collect()
    }

    /// The same of one justification, a statement or a derivation.
    ///
    /// # Panics
    /// On an id of another memory: ids are checked where they come in.
    pub fn screened_claim(&self, id: JustificationId) -> StatementReport {
        let belief = self.justifications.get(id).belief;
        let now = self.now.get(belief);
        let blocked_in = match now.status {
            Status::Quarantined => self.incident_of(belief),
            _ => self.flag_against(id).or_else(|| self.repeats(id)),
        };
        let mut conflicts: Vec<Conflict> = Vec::new();
        for rival in self.rivals_of(belief) {
            let deciding = self.deciding_between(belief, rival);
            conflicts.extend(deciding.map(|deciding| Conflict {
                belief: rival,
                deciding,
            }));
        }
        let replaced = self.superseded_by.get(&id).into_iter().flatten();
        let replaced = replaced.map(|it| self.justifications.get(*it).belief);
        let mut replaced: Vec<BeliefId> = replaced.collect();
        replaced.sort_unstable();
        replaced.dedup();
        let outcome = if now.status == Status::Quarantined || blocked_in.is_some() {
            StatementOutcome::Blocked
        } else if now.strength < Trust::FLOOR {
            StatementOutcome::Inert
        } else if !conflicts.is_empty() {
            StatementOutcome::Contested
        } else if !replaced.is_empty() {
            StatementOutcome::Superseded
        } else {
            self.outcome_of_agreement(id)
        };
        StatementReport {
            belief,
            justification: id,
            outcome,
            status: now.status,
            strength: now.strength,
            trusted: self.trusted(id),
            conflicts,
            replaced,
            blocked_in,
        }
    }

    /// The incident that refuted what a justification carries, if that keeps it low.
    fn repeats(&self, id: JustificationId) -> Option<IncidentId> {
        let is_low = self.confidence_of(id)? <= Trust::REFUTED;
        let belief = self.beliefs.get(self.justifications.get(id).belief);
        let found = self.refuted_before(&belief.namespace, &belief.subject, &belief.literals);
        found.filter(|_| is_low).map(|it| it.incident)
    }

    /// What a claim is that nothing disagrees with: a new value, or one that was known.
    fn outcome_of_agreement(&self, id: JustificationId) -> StatementOutcome {
        let justification = self.justifications.get(id);
        let speaker = self.speaker_of(id);
        let mut earlier = self
            .written_for(justification.belief)
            .filter(|it| *it < id)
            .peekable();
        if earlier.peek().is_none() {
            StatementOutcome::Stored
        } else if earlier
            .any(|it| !self.justifications.get(it).retracted && self.speaker_of(it) == speaker)
        {
            StatementOutcome::Restated
        } else {
            StatementOutcome::Reinforced
        }
    }

    /// Who states or derives; nobody for what was imported.
    pub(crate) fn speaker_of(&self, id: JustificationId) -> Option<SourceId> {
        match self.justifications.get(id).grounds {
            Grounds::Statement { observation, .. } => {
                Some(self.observations.get(observation).source)
            }
            Grounds::Derivation { agent, .. } => agent,
        }
    }

    /// How far a statement or a derivation is trusted, term by term; a premise that does not stand
    /// gives nothing.
    pub fn trusted(&self, id: JustificationId) -> Trusted {
        let mut terms = Vec::new();
        match &self.justifications.get(id).grounds {
            Grounds::Statement { .. } => {
                if let Some((observation, scope)) = self.said_in(id) {
                    terms = self.terms_of_words(observation, scope);
                }
                if self.copies_what_is_flagged(id) {
                    terms.push((Term::Flag, Trust::ZERO));
                }
            }
            Grounds::Derivation { agent, .. } => {
                let tier = agent.map_or(Trust::ONE, |it| {
                    self.channels.get(self.sources.get(it).channel).tier
                });
                terms.push((Term::Tier, tier));
            }
        }
        let premises = self.justifications.get(id).grounds.premises();
        let weakest = premises.map(|it| (self.premise_trust(it), it)).min();
        terms.extend(weakest.map(|(trust, premise)| (Term::Premise(premise), trust)));
        terms.extend(self.term_of_context(self.context_of_justification(id)));
        terms.extend(self.confidence_of(id).map(|it| (Term::Confidence, it)));
        if self.flag_against(id).is_some() {
            terms.push((Term::Flag, Trust::ZERO));
        }
        Trusted::of(terms)
    }

    /// How far an observation is trusted as a whole, term by term.
    pub fn trusted_observation(&self, id: ObservationId) -> Trusted {
        let mut terms = self.terms_of_words(id, Scope::Overall);
        terms.extend(self.term_of_context(self.context_of_observation(id)));
        let flagged = self.observation_status(id) == Some(Status::Quarantined);
        if flagged || self.observation_copies_what_is_flagged(id) {
            terms.push((Term::Flag, Trust::ZERO));
        }
        Trusted::of(terms)
    }

    /// What the source of an observation is worth, and whose words it repeats.
    fn terms_of_words(&self, id: ObservationId, scope: Scope<'_>) -> Vec<(Term, Trust)> {
        let mut terms = self.terms_of_source(self.observations.get(id).source, scope);
        let hop = self.weakest_hop(id, scope);
        terms.extend(hop.map(|(hop, trust)| (Term::Echo(hop), trust)));
        terms
    }

    fn terms_of_source(&self, source: SourceId, scope: Scope<'_>) -> Vec<(Term, Trust)> {
        let tier = self.channels.get(self.sources.get(source).channel).tier;
        let mut terms = vec![
            (Term::Tier, tier),
            (Term::Reputation, self.reputation(source, scope)),
        ];
        let hops = self
            .closure_of(source, |it| &it.mirrors)
            .into_iter()
            .skip(1);
        terms.extend(hops.map(|it| (Term::Copied(it), self.reputation(it, scope))));
        terms
    }

    fn term_of_context(&self, context: Option<ContextId>) -> Option<(Term, Trust)> {
        let (weakest, trust, _) = self.weakest_in(context?)?;
        Some((Term::Context(weakest), trust))
    }

    fn premise_trust(&self, premise: Premise) -> Trust {
        match premise {
            Premise::Belief(id) => self.now.get(id).strength,
            Premise::Observation(id) => self.observation_strength(id),
        }
    }

    /// What decides that two beliefs about one subject cannot both hold; nothing if they can.
    fn deciding_between(&self, left: BeliefId, right: BeliefId) -> Option<Deciding> {
        let subject = &self.beliefs.get(left).subject;
        match relate(subject, self.side_of(left), self.side_of(right)) {
            Relation::Conflict(deciding) => Some(deciding),
            Relation::Same | Relation::Unrelated => None,
        }
    }

    /// The last event of the write that made an observation: what it repeats and what it superseded
    /// is told after it.
    pub fn written_until(&self, id: ObservationId) -> Option<u64> {
        let observation = self.observations.find(id)?;
        let replaced = observation.statements.iter();
        let replaced = replaced.filter_map(|it| Some((*it, self.superseded_by.get(it)?)));
        let closed = replaced.flat_map(|(by, closed)| {
            let closings = closed.iter().flat_map(|it| {
                let closings = self.justifications.get(*it).closings.iter();
                closings.copied()
            });
            closings.filter_map(move |(seq, closing)| {
                (closing == immune_model::Closing::Superseded { by }).then_some(seq)
            })
        });
        let copied = self.copying.content.get(&id).map(|it| it.seq);
        closed.chain([observation.seq]).chain(copied).max()
    }
}
