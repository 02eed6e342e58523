//! Reputation: what a source has earned, folded from the log (semantics.md 4).

use std::sync::Arc;

use immune_model::{
    ChannelId, IncidentId, JustificationId, ObservationId, SourceId, Standing, Status, SubjectFrom,
    Trust,
};
use rustc_hash::FxHashSet;

use crate::state::items::NewcomerEvent;
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

/// Why a source is trusted as it is, in an area or over all of them.
#[derive(Debug, Clone)]
pub struct EarnedReputation {
    /// How far.
    pub reputation: Trust,
    /// Where it began: the tier of its channel, or what a newcomer starts with at most.
    pub start: Trust,
    /// The events that counted, each with the value after it, newcomers' worth apart.
    pub steps: Vec<(ReputationEvent, Trust)>,
    /// What it is worth at most as a newcomer without a survived check, if it is one.
    pub newcomer: Option<NewcomerValue>,
    /// How many survived checks bring it back to the floor.
    pub checks_to_floor: Option<u32>,
}

/// What a newcomer of a channel is worth at most in an area, before it survived a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewcomerValue {
    /// At most so much.
    pub value: Trust,
    /// Newcomers that had survived a check.
    pub survived: u64,
    /// Newcomers that had been refuted.
    pub refuted: u64,
}

/// Where a reputation begins.
fn starts_at(standing: Standing, tier: Trust) -> Trust {
    match standing {
        Standing::Newcomer => tier.min(Trust::NEWCOMER),
        Standing::Declared => tier,
    }
}

impl State {
    /// How far a source is trusted now, never above its channel's tier.
    pub fn reputation(&self, id: SourceId, scope: Scope<'_>) -> Trust {
        match scope {
            Scope::Area(area) => self.reputation_in(id, Some(area)),
            Scope::Overall => self.reputation_in(id, None),
            Scope::Worst(area) => {
                let source = self.sources.get(id);
                let events = source.standing_events().map(|it| &*it.area);
                // Only what befell others before it turned up: strangers do not darken it later.
                let others = self.newcomer_events_before(source.channel, source.first_seq);
                let others = others.map(|it| &*it.area);
                let areas: std::collections::BTreeSet<&str> =
                    events.chain(others).chain([area]).collect();
                let each = areas.into_iter().map(|it| self.reputation_in(id, Some(it)));
                each.min().expect("the area asked about is among them")
            }
        }
    }

    /// How far a source would be trusted over all areas if it were declared.
    pub(crate) fn reputation_if_declared(&self, id: SourceId) -> Trust {
        self.fold_reputation(id, None, Standing::Declared, |_, _| ())
    }

    fn reputation_in(&self, id: SourceId, area: Option<&str>) -> Trust {
        self.fold_reputation(id, area, self.sources.get(id).standing, |_, _| ())
    }

    /// Folds the events of a source; `step` is told each that counts, with the value after it.
    fn fold_reputation(
        &self,
        id: SourceId,
        area: Option<&str>,
        standing: Standing,
        step: impl FnMut(&ReputationEvent, Trust),
    ) -> Trust {
        let source = self.sources.get(id);
        let mut survivals = source.standing_events().filter(|it| it.survived());
        let proven_here = survivals.clone().any(|it| area == Some(&*it.area));
        let only = area.filter(|_| proven_here);
        let earned = self.fold_events(id, standing, only, step);
        if standing == Standing::Newcomer && survivals.next().is_none() {
            earned.min(self.newcomer_value(id, area).value)
        } else {
            earned
        }
    }

    /// What a source has earned by the events of one area, or of all, newcomers' worth apart.
    fn fold_events(
        &self,
        id: SourceId,
        standing: Standing,
        only: Option<&str>,
        mut step: impl FnMut(&ReputationEvent, Trust),
    ) -> Trust {
        let source = self.sources.get(id);
        let tier = self.channels.get(source.channel).tier;
        let mut paid = Paid::default();
        let mut earned = starts_at(standing, tier);
        for event in source.standing_events() {
            let here = only.is_none_or(|area| area == &*event.area);
            if !here || self.is_undone(event) || !paid.is_due(event) {
                continue;
            }
            earned = match event.kind {
                ReputationKind::Refuted { .. } => earned.after_refutation(),
                ReputationKind::Survived { .. } => earned.after_survived_check(tier),
            };
            step(event, earned);
        }
        earned
    }

    /// Why a source is trusted as it is in an area, or over all of them.
    pub fn explain_reputation(&self, id: SourceId, area: Option<&str>) -> EarnedReputation {
        let source = self.sources.get(id);
        let mut steps = Vec::new();
        let reputation = self.fold_reputation(id, area, source.standing, |event, after| {
            steps.push((event.clone(), after));
        });
        let unproven = !source.standing_events().any(ReputationEvent::survived);
        let newcomer = (source.standing == Standing::Newcomer && unproven)
            .then(|| self.newcomer_value(id, area));
        EarnedReputation {
            reputation,
            start: starts_at(source.standing, self.channels.get(source.channel).tier),
            steps,
            newcomer,
            checks_to_floor: self.checks_to_floor(id, area),
        }
    }

    /// How many survived checks in an area, or in any, bring a source back to the floor; 0 if it is
    /// there, nothing if its tier does not allow it. The first check proves a newcomer: from then
    /// on it is worth what it earned itself.
    pub fn checks_to_floor(&self, id: SourceId, area: Option<&str>) -> Option<u32> {
        let source = self.sources.get(id);
        let tier = self.channels.get(source.channel).tier;
        if self.reputation_in(id, area) >= Trust::FLOOR {
            return Some(0);
        }
        // Once a check is survived in an area, only what happened there counts.
        let earned = self.fold_events(id, source.standing, area, |_, _| ());
        let needed = earned.checks_to_reach(Trust::FLOOR, tier)?;
        Some(needed.max(1))
    }

    /// The areas in which something befell a source, or the newcomers before it if it is one that
    /// is unproven: in these its reputation may differ from the one over all.
    pub fn areas_of(&self, id: SourceId) -> Vec<Arc<str>> {
        let source = self.sources.get(id);
        let own = source.standing_events().map(|it| Arc::clone(&it.area));
        let before = self.newcomer_events_before(source.channel, source.first_seq);
        let is_newcomer = source.standing == Standing::Newcomer;
        let before = before.filter(|_| is_newcomer);
        let mut areas: Vec<Arc<str>> = own.chain(before.map(|it| Arc::clone(&it.area))).collect();
        areas.sort_unstable();
        areas.dedup();
        areas
    }

    /// The areas in which newcomers of a channel survived or were refuted.
    pub fn newcomer_areas(&self, id: ChannelId) -> Vec<Arc<str>> {
        let events = self.newcomer_events_before(id, u64::MAX);
        let mut areas: Vec<Arc<str>> = events.map(|it| Arc::clone(&it.area)).collect();
        areas.sort_unstable();
        areas.dedup();
        areas
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
    fn newcomer_value(&self, id: SourceId, area: Option<&str>) -> NewcomerValue {
        let source = self.sources.get(id);
        self.newcomer_value_before(source.channel, area, source.first_seq)
    }

    /// The same for somebody who appears in a channel now.
    pub fn next_newcomer(&self, channel: ChannelId, area: Option<&str>) -> NewcomerValue {
        self.newcomer_value_before(channel, area, u64::MAX)
    }

    fn newcomer_value_before(
        &self,
        channel: ChannelId,
        area: Option<&str>,
        before: u64,
    ) -> NewcomerValue {
        let count = |survived: bool| {
            let mut seen: Vec<SourceId> = self
                .newcomer_events_before(channel, before)
                .filter(|it| it.survived == survived)
                .filter(|it| area.is_none_or(|area| area == &*it.area))
                .map(|it| it.source)
                .collect();
            seen.sort_unstable();
            seen.dedup();
            seen.len() as u64
        };
        let (survived, refuted) = (count(true), count(false));
        NewcomerValue {
            value: Trust::NEWCOMER.fraction(3 + survived, 3 + survived + refuted),
            survived,
            refuted,
        }
    }

    /// What befell the newcomers of a channel before an event, undone events apart.
    fn newcomer_events_before(
        &self,
        channel: ChannelId,
        before: u64,
    ) -> impl Iterator<Item = &NewcomerEvent> {
        let events = self.channels.get(channel).newcomer_events.iter();
        events
            .take_while(move |it| it.seq < before)
            .filter(|it| !it.retracted)
    }

    /// How far what a source says is trusted: its reputation, and that of every source it is
    /// declared to copy.
    pub fn trust_of(&self, id: SourceId, scope: Scope<'_>) -> Trust {
        let hops = self.closure_of(id, |it| &it.mirrors).into_iter();
        let weakest = hops.map(|it| self.reputation(it, scope)).min();
        weakest.expect("a source is among what it copies")
    }

    /// How far a statement is trusted, flags apart: what its source is worth where it speaks, and
    /// its context. The caller who picks the subject is measured by the source's worst area.
    pub(crate) fn statement_trust(&self, id: JustificationId) -> Trust {
        let around = self.let_through_around_justification(id);
        self.source_trust(id).min(around)
    }

    /// What the source of a statement is worth where it speaks, and whose words it repeats; no more
    /// than its own are sure.
    pub(crate) fn source_trust(&self, id: JustificationId) -> Trust {
        let said = self.said_in(id);
        let trust = said.map_or(Trust::ZERO, |(observation, scope)| {
            let source = self.observations.get(observation).source;
            let hops = self.let_through_by_hops(observation, scope);
            self.trust_of(source, scope).min(hops)
        });
        self.confidence_of(id).map_or(trust, |it| it.min(trust))
    }

    /// A source and all that it is declared to copy, any length of the way.
    ///
    /// # Panics
    /// On an id of another memory: ids are checked where they come in.
    pub fn copied_by(&self, id: SourceId) -> Vec<SourceId> {
        self.closure_of(id, |it| &it.mirrors)
    }

    /// The most that a justification can give, whatever it rests on: what its source is worth
    /// where it speaks or the tier of its agent, how sure its words are, and its contexts. Flags
    /// are left out, but those that reach it by what its source copies, unless they are of these
    /// sources.
    ///
    /// # Panics
    /// On an id of another memory: ids are checked where they come in.
    pub fn worth_unflagged(&self, id: JustificationId, flagged: &[SourceId]) -> Trust {
        let own = match self.said_in(id) {
            Some(_) => self.source_trust(id),
            None => crate::support::said_unflagged(self, id),
        };
        let context = self.let_through_around_justification(id);
        let rests_on = self.justifications.get(id).grounds.rests_on();
        let observed = rests_on.into_iter().filter_map(|it| match it {
            immune_model::Premise::Observation(id) => Some(id),
            immune_model::Premise::Belief(_) => None,
        });
        let observed = observed.map(|it| {
            let copied = self.copied_by(self.observations.get(it).source);
            let is_said = copied.iter().any(|it| flagged.contains(it));
            if !is_said && self.observation_copies_what_is_flagged(it) {
                return Trust::ZERO;
            }
            let hops = self.let_through_by_hops(it, Scope::Overall);
            self.let_through_around(it).min(hops)
        });
        observed.fold(own.min(context), Trust::min)
    }

    /// Where a statement is made, and in which scope its source is asked about.
    pub(crate) fn said_in(&self, id: JustificationId) -> Option<(ObservationId, Scope<'_>)> {
        let justification = self.justifications.get(id);
        let Grounds::Statement {
            observation,
            subject_from,
            ..
        } = justification.grounds
        else {
            return None;
        };
        let area = self.beliefs.get(justification.belief).subject.area();
        let scope = match subject_from {
            SubjectFrom::Caller | SubjectFrom::Model => Scope::Worst(area),
            SubjectFrom::Rules => Scope::Area(area),
        };
        Some((observation, scope))
    }

    /// How far an observation is trusted as a whole; 0 unless it stands.
    pub fn observation_strength(&self, id: ObservationId) -> Trust {
        match self.observation_status(id) {
            Some(Status::Active) if !self.observation_copies_what_is_flagged(id) => {
                let trust = self.trust_of(self.observations.get(id).source, Scope::Overall);
                let hops = self.let_through_by_hops(id, Scope::Overall);
                trust.min(hops).min(self.let_through_around(id))
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
