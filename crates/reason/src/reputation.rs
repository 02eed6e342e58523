//! Reputation: what a source has earned, folded from the log (semantics.md 4).

use immune_model::{
    IncidentId, JustificationId, ObservationId, SourceId, Standing, Status, SubjectFrom, Trust,
};
use rustc_hash::FxHashSet;

use crate::state::{Grounds, ReputationEvent, ReputationKind, Source, State};

/// In which area a source is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope<'a> {
    /// The area of a subject that rules found.
    Area(&'a str),
    /// The worst of all areas, this one included: the caller chose the subject.
    Worst(&'a str),
    /// Over all areas: nothing is said of a subject.
    Overall,
}

impl State {
    /// How far a source is trusted now, never above its channel's tier.
    pub fn reputation(&self, id: SourceId, scope: Scope<'_>) -> Trust {
        match scope {
            Scope::Area(area) => self.reputation_in(id, Some(area)),
            Scope::Overall => self.reputation_in(id, None),
            Scope::Worst(area) => {
                let source = self.sources.get(id);
                let newcomers = &self.channels.get(source.channel).newcomer_events;
                let events = source.standing_events().map(|it| &*it.area);
                // Only what befell others before it turned up: strangers do not darken it later.
                let others = newcomers
                    .iter()
                    .take_while(|it| it.seq < source.first_seq)
                    .filter(|it| !it.retracted)
                    .map(|it| &*it.area);
                let areas: std::collections::BTreeSet<&str> =
                    events.chain(others).chain([area]).collect();
                let each = areas.into_iter().map(|it| self.reputation_in(id, Some(it)));
                each.min().expect("the area asked about is among them")
            }
        }
    }

    /// How far a source would be trusted over all areas if it were declared.
    pub(crate) fn reputation_if_declared(&self, id: SourceId) -> Trust {
        self.fold_reputation(id, None, Standing::Declared)
    }

    fn reputation_in(&self, id: SourceId, area: Option<&str>) -> Trust {
        self.fold_reputation(id, area, self.sources.get(id).standing)
    }

    fn fold_reputation(&self, id: SourceId, area: Option<&str>, standing: Standing) -> Trust {
        let source = self.sources.get(id);
        let tier = self.channels.get(source.channel).tier;
        let newcomer = standing == Standing::Newcomer;
        let start = if newcomer {
            tier.min(Trust::NEWCOMER)
        } else {
            tier
        };
        let survivals = source.standing_events().filter(|it| it.survived());
        let proven_here = survivals.clone().any(|it| area == Some(&*it.area));
        let mut paid = Paid::default();
        let mut earned = start;
        for event in source.standing_events() {
            let here = !proven_here || area == Some(&*event.area);
            if !here || self.is_undone(event) || !paid.is_due(event) {
                continue;
            }
            earned = match event.kind {
                ReputationKind::Refuted { .. } => earned.after_refutation(),
                ReputationKind::Survived { .. } => earned.after_survived_check(tier),
            };
        }
        let unproven = survivals.count() == 0;
        if newcomer && unproven {
            earned.min(self.newcomer_cap(id, area))
        } else {
            earned
        }
    }

    /// Whether an event is about a statement that was undone since: it was never made.
    fn is_undone(&self, event: &ReputationEvent) -> bool {
        match event.kind {
            ReputationKind::Refuted { observation, .. } => {
                self.observations.get(observation).retracted
            }
            ReputationKind::Survived { .. } => false,
        }
    }

    /// The most that an unproven newcomer is given: `0.70 x (3+s)/(3+s+r)` for the newcomers of
    /// its channel and area that had survived, or been refuted, before it first appeared.
    fn newcomer_cap(&self, id: SourceId, area: Option<&str>) -> Trust {
        let source = self.sources.get(id);
        let before = |survived: bool| {
            let events = &self.channels.get(source.channel).newcomer_events;
            let mut seen: Vec<SourceId> = events
                .iter()
                .take_while(|it| it.seq < source.first_seq)
                .filter(|it| !it.retracted && it.survived == survived)
                .filter(|it| area.is_none_or(|area| area == &*it.area))
                .map(|it| it.source)
                .collect();
            seen.sort_unstable();
            seen.dedup();
            seen.len() as u64
        };
        let (survived, refuted) = (before(true), before(false));
        Trust::NEWCOMER.fraction(3 + survived, 3 + survived + refuted)
    }

    /// How far what a source says is trusted: its reputation, and that of every source it is
    /// declared to copy.
    pub fn trust_of(&self, id: SourceId, scope: Scope<'_>) -> Trust {
        let hops = self.closure_of(id, |it| &it.mirrors).into_iter();
        let weakest = hops.map(|it| self.reputation(it, scope)).min();
        weakest.expect("a source is among what it copies")
    }

    /// How far a statement is trusted; 0 while it, or what its source copies, is flagged.
    pub(crate) fn statement_strength(&self, id: JustificationId) -> Trust {
        if self.flag_against(id).is_some() || self.copies_what_is_flagged(id) {
            return Trust::ZERO;
        }
        self.statement_trust(id)
    }

    /// How far a statement is trusted, flags apart: what its source is worth where it speaks. The
    /// caller who picks the subject is measured by the source's worst area.
    pub(crate) fn statement_trust(&self, id: JustificationId) -> Trust {
        let said = self.said_in(id);
        said.map_or(Trust::ZERO, |(source, scope)| self.trust_of(source, scope))
    }

    /// Who makes a statement, and in which scope that one is asked about.
    pub(crate) fn said_in(&self, id: JustificationId) -> Option<(SourceId, Scope<'_>)> {
        let justification = self.justifications.get(id);
        let Grounds::Statement {
            observation,
            subject_from,
        } = justification.grounds
        else {
            return None;
        };
        let area = self.beliefs.get(justification.belief).subject.area();
        let scope = match subject_from {
            SubjectFrom::Caller | SubjectFrom::Model => Scope::Worst(area),
            SubjectFrom::Rules => Scope::Area(area),
        };
        Some((self.observations.get(observation).source, scope))
    }

    /// How far an observation is trusted as a whole; 0 unless it stands.
    pub fn observation_strength(&self, id: ObservationId) -> Trust {
        match self.observation_status(id) {
            Some(Status::Active) if !self.observation_copies_what_is_flagged(id) => {
                self.trust_of(self.observations.get(id).source, Scope::Overall)
            }
            _ => Trust::ZERO,
        }
    }
}

/// What was paid for so far: each incident and each observation costs once.
#[derive(Default)]
struct Paid {
    incidents: FxHashSet<IncidentId>,
    observations: FxHashSet<ObservationId>,
}

impl Paid {
    /// Whether an event moves the reputation; notes it if it does.
    fn is_due(&mut self, event: &ReputationEvent) -> bool {
        let ReputationKind::Refuted {
            incident,
            observation,
        } = event.kind
        else {
            return true;
        };
        let due = !self.incidents.contains(&incident) && !self.observations.contains(&observation);
        if due {
            self.incidents.insert(incident);
            self.observations.insert(observation);
        }
        due
    }
}

impl Source {
    /// The events that count: those that were not undone.
    pub(crate) fn standing_events(&self) -> impl Iterator<Item = &ReputationEvent> + Clone {
        self.events.iter().filter(|it| !it.retracted)
    }
}

impl ReputationEvent {
    pub(crate) fn survived(&self) -> bool {
        matches!(self.kind, ReputationKind::Survived { .. })
    }
}
