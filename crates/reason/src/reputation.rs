//! Reputation: what a source has earned, folded from the log (semantics.md 4).

use immune_model::{
    JustificationId, ObservationId, SourceId, Standing, Status, SubjectFrom, Trust,
};

use crate::state::{Grounds, ReputationEvent, ReputationKind, State};

/// In which area a source is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
                let events = source.events.iter().map(|it| &*it.area);
                let others = newcomers.iter().map(|it| &*it.area);
                let areas: std::collections::BTreeSet<&str> =
                    events.chain(others).chain([area]).collect();
                let each = areas.into_iter().map(|it| self.reputation_in(id, Some(it)));
                each.min().expect("the area asked about is among them")
            }
        }
    }

    fn reputation_in(&self, id: SourceId, area: Option<&str>) -> Trust {
        let source = self.sources.get(id);
        let tier = self.channels.get(source.channel).tier;
        let newcomer = source.standing == Standing::Newcomer;
        let start = if newcomer {
            tier.min(Trust::NEWCOMER)
        } else {
            tier
        };
        let survived_in = |it: &&ReputationEvent| {
            matches!(it.kind, ReputationKind::Survived { .. }) && area == Some(&*it.area)
        };
        let proven_here = source.events.iter().any(|it| survived_in(&it));
        let counts = |it: &&ReputationEvent| !proven_here || area == Some(&*it.area);
        let earned = source
            .events
            .iter()
            .filter(counts)
            .fold(start, |trust, event| match event.kind {
                ReputationKind::Refuted { .. } => trust.after_refutation(),
                ReputationKind::Survived { .. } => trust.after_survived_check(tier),
            });
        let unproven = !source
            .events
            .iter()
            .any(|it| matches!(it.kind, ReputationKind::Survived { .. }));
        if newcomer && unproven {
            earned.min(self.newcomer_cap(id, area))
        } else {
            earned
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
                .filter(|it| it.survived == survived && area.is_none_or(|area| area == &*it.area))
                .map(|it| it.source)
                .collect();
            seen.sort_unstable();
            seen.dedup();
            seen.len() as u64
        };
        let (survived, refuted) = (before(true), before(false));
        Trust::NEWCOMER.fraction(3 + survived, 3 + survived + refuted)
    }

    /// How far a statement is trusted: what its source is worth where it speaks. The caller who
    /// picks the subject is measured by the source's worst area.
    pub(crate) fn statement_strength(&self, id: JustificationId) -> Trust {
        let justification = self.justifications.get(id);
        let Grounds::Statement {
            observation,
            subject_from,
        } = justification.grounds
        else {
            return Trust::ZERO;
        };
        let area = self.beliefs.get(justification.belief).subject.area();
        let scope = match subject_from {
            SubjectFrom::Caller => Scope::Worst(area),
            SubjectFrom::Rules => Scope::Area(area),
        };
        self.reputation(self.observations.get(observation).source, scope)
    }

    /// How far an observation is trusted as a whole; 0 unless it stands.
    pub fn observation_strength(&self, id: ObservationId) -> Trust {
        match self.observation_status(id) {
            Some(Status::Active) => {
                self.reputation(self.observations.get(id).source, Scope::Overall)
            }
            _ => Trust::ZERO,
        }
    }
}
