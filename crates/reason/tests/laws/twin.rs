//! The naive twin: support and strength of the whole graph, from scratch, by plain iteration.

use std::collections::BTreeSet;

use immune_model::*;
use immune_reason::state::{Cause, Grounds, IncidentRecord, State};
use immune_reason::{ContextId, Origin, Scope, Vote};

/// How strong things are without closing facts: what counts in a context.
pub(crate) struct Shown<'a> {
    state: &'a State,
    pub(crate) beliefs: Vec<Trust>,
}

impl<'a> Shown<'a> {
    /// The least fixpoint, grown from 0: contexts are read off what is there so far.
    pub(crate) fn of(state: &'a State) -> Self {
        let beliefs = vec![Trust::ZERO; state.n_beliefs()];
        let mut shown = Self { state, beliefs };
        loop {
            let mut grew = false;
            for id in state.justification_ids() {
                let head = state.justification(id).unwrap().belief;
                let value = shown.justification(id);
                if !refuted(state, head) && value > shown.beliefs[head.index()] {
                    shown.beliefs[head.index()] = value;
                    grew = true;
                }
            }
            if !grew {
                return shown;
            }
        }
    }

    /// What a justification gives.
    pub(crate) fn justification(&self, id: JustificationId) -> Trust {
        let justification = self.state.justification(id).unwrap();
        if justification.retracted || flagged(self.state, id) {
            return Trust::ZERO;
        }
        let premises = justification.grounds.premises().map(|it| match it {
            Premise::Belief(belief) => self.beliefs[belief.index()],
            Premise::Observation(_) => unreachable!("histories derive from beliefs"),
        });
        let cap = own_cap(self.state, id).min(self.around(id));
        premises.fold(cap, Trust::min)
    }

    /// What the context of a justification lets through.
    pub(crate) fn around(&self, id: JustificationId) -> Trust {
        let counting = counting_context(self.state, id);
        let mut seen = Vec::new();
        let own = counting.map_or(Trust::ONE, |it| self.context(it, &mut seen));
        let Grounds::Statement { observation, .. } = self.state.justification(id).unwrap().grounds
        else {
            return own;
        };
        own.min(self.around_hops(observation, &mut Vec::new()))
    }

    /// What the contexts of its hops let through.
    fn around_hops(&self, id: ObservationId, seen: &mut Vec<ContextId>) -> Trust {
        let mut least = Trust::ONE;
        for hop in hops(self.state, id) {
            let source = self.state.observation(hop).unwrap().source;
            let context = self.state.context_of(Write::Observation(hop));
            if let Some(context) = context.filter(|_| relays(self.state, source)) {
                least = least.min(self.context(context, seen));
            }
        }
        least
    }

    /// The weakest of what was shown; what comes round to itself has what it has so far.
    fn context(&self, context: ContextId, seen: &mut Vec<ContextId>) -> Trust {
        if seen.contains(&context) {
            return Trust::ONE;
        }
        seen.push(context);
        let items = self.state.shown_in(context);
        let each = items.map(|(item, ..)| match item {
            Premise::Belief(belief) => self.beliefs[belief.index()],
            Premise::Observation(observation) => self.observation(observation, seen),
        });
        each.min().unwrap_or(Trust::ONE)
    }

    fn observation(&self, id: ObservationId, seen: &mut Vec<ContextId>) -> Trust {
        let observation = self.state.observation(id).unwrap();
        if observation.retracted || observation_flagged(self.state, id) {
            return Trust::ZERO;
        }
        let trust = along_hops(self.state, id, Scope::Overall);
        let trust = trust.min(self.around_hops(id, seen));
        let context = self.state.context_of(Write::Observation(id));
        let counting = context.filter(|_| relays(self.state, observation.source));
        counting.map_or(trust, |it| trust.min(self.context(it, seen)))
    }
}

/// Whether what was shown before counts in what a source states.
fn relays(state: &State, source: SourceId) -> bool {
    let source = state.source(source).unwrap();
    let channel = state.channel(source.channel).unwrap();
    source.kind == SourceKind::Agent || channel.carriage == Carriage::Relays
}

fn counting_context(state: &State, id: JustificationId) -> Option<ContextId> {
    match state.justification(id).unwrap().grounds {
        Grounds::Statement { observation, .. } => {
            let source = state.observation(observation).unwrap().source;
            let context = state.context_of(Write::Observation(observation));
            context.filter(|_| relays(state, source))
        }
        Grounds::Derivation { .. } => state.context_of(Write::Justification(id)),
    }
}

/// What the source or the agent of a justification is worth.
pub(crate) fn own_cap(state: &State, id: JustificationId) -> Trust {
    let justification = state.justification(id).unwrap();
    let own = match &justification.grounds {
        Grounds::Statement {
            observation,
            subject_from,
            ..
        } => {
            let belief = state.belief(justification.belief).unwrap();
            let scope = match subject_from {
                SubjectFrom::Caller | SubjectFrom::Model => Scope::Worst(belief.subject.area()),
                SubjectFrom::Rules => Scope::Area(belief.subject.area()),
            };
            along_hops(state, *observation, scope)
        }
        Grounds::Derivation { agent, .. } => {
            let agent = agent.expect("histories import nothing");
            let channel = state.source(agent).unwrap().channel;
            state.channel(channel).unwrap().tier
        }
    };
    no_surer(state, id, own)
}

/// Status and strength of every belief.
pub(crate) fn all(state: &State) -> Vec<(Status, Trust)> {
    let written = |id: JustificationId| !state.justification(id).unwrap().retracted;
    let unflagged = |id: JustificationId| written(id) && !flagged(state, id);
    let ever = model(state, written, |_| true);
    let open = model(state, unflagged, |belief| !refuted(state, belief));
    let standing = model(
        state,
        |id| unflagged(id) && closing(state, id).is_none(),
        |belief| !refuted(state, belief),
    );
    let strengths = strengths(state, &standing);
    let each = state.belief_ids().map(|id| {
        let at = id.index();
        let levels = [ever[at], open[at], standing[at]];
        let refuted = refuted(state, id);
        let status = status(state, id, refuted, levels, &|it| closing(state, it));
        (status, strengths[at])
    });
    each.collect()
}

/// Whether an incident that was not undone refuted it, and it was not released since.
fn refuted(state: &State, id: BeliefId) -> bool {
    let released = |it: &&IncidentRecord| it.paroled.iter().any(|(belief, _)| *belief == id);
    let mut refuting = standing(state).filter(|it| it.refuted().contains(&id));
    refuting.any(|it| !released(&it))
}

fn standing(state: &State) -> impl Iterator<Item = &IncidentRecord> {
    let all = state.incident_ids().map(|id| state.incident(id).unwrap());
    all.filter(|it| it.reinstated_at.is_none())
}

/// Whether a flag that was not taken back covers what this source sent at this moment.
fn source_flagged(state: &State, source: SourceId, at: Instant) -> bool {
    standing(state).any(|it| match it.cause {
        Cause::Flag {
            target: FlagTarget::Source(flagged),
            received_from,
            ..
        } => flagged == source && received_from.is_none_or(|from| at >= from),
        _ => false,
    })
}

/// Whether a flag that was not taken back covers an observation, or its source then.
fn observation_flagged(state: &State, id: ObservationId) -> bool {
    let found = state.observation(id).unwrap();
    let itself = standing(state).any(|it| match it.cause {
        Cause::Flag { target, .. } => target == FlagTarget::Observation(id),
        Cause::Challenge { .. } => false,
    });
    itself || source_flagged(state, found.source, found.received_at)
}

/// Whether a flag that was not taken back takes a justification away.
pub(crate) fn flagged(state: &State, id: JustificationId) -> bool {
    let justification = state.justification(id).unwrap();
    match justification.grounds {
        Grounds::Statement { observation, .. } => observation_flagged(state, observation),
        Grounds::Derivation { agent, .. } => {
            agent.is_some_and(|it| source_flagged(state, it, justification.at))
        }
    }
}

/// The latest closing that is not void: a supersession is, while what superseded is undone,
/// refuted or flagged, and nothing has replaced that in turn.
fn closing(state: &State, id: JustificationId) -> Option<(u64, Closing)> {
    let closings = state.justification(id).unwrap().closings.iter().rev();
    closings
        .copied()
        .find(|(_, it)| !matches!(it, Closing::Superseded { by } if !replaces(state, *by)))
}

fn replaces(state: &State, newer: JustificationId) -> bool {
    let claim = state.justification(newer).unwrap();
    let holds = !claim.retracted && !refuted(state, claim.belief) && !flagged(state, newer);
    holds
        || claim
            .closings
            .iter()
            .any(|(_, it)| matches!(it, Closing::Superseded { by } if replaces(state, *by)))
}

/// The least model, grown from nothing until nothing is added.
pub(crate) fn model(
    state: &State,
    counts: impl Fn(JustificationId) -> bool,
    may_stand: impl Fn(BeliefId) -> bool,
) -> Vec<bool> {
    let mut stands = vec![false; state.n_beliefs()];
    loop {
        let mut grew = false;
        for id in state.justification_ids().filter(|it| counts(*it)) {
            let justification = state.justification(id).unwrap();
            let head = justification.belief;
            if stands[head.index()] || !may_stand(head) {
                continue;
            }
            let holds = justification.grounds.premises().all(|it| match it {
                Premise::Belief(belief) => stands[belief.index()],
                Premise::Observation(_) => unreachable!("histories derive from beliefs"),
            });
            if holds {
                stands[head.index()] = true;
                grew = true;
            }
        }
        if !grew {
            return stands;
        }
    }
}

/// The least fixpoint of max over justifications of min over premises, grown from 0.
fn strengths(state: &State, standing: &[bool]) -> Vec<Trust> {
    let shown = Shown::of(state);
    let mut strengths = vec![Trust::ZERO; state.n_beliefs()];
    loop {
        let mut grew = false;
        for id in state
            .justification_ids()
            .filter(|it| !state.justification(*it).unwrap().retracted)
            .filter(|it| closing(state, *it).is_none() && !flagged(state, *it))
        {
            let justification = state.justification(id).unwrap();
            let head = justification.belief.index();
            let premises: Vec<usize> = justification
                .grounds
                .premises()
                .map(|it| match it {
                    Premise::Belief(belief) => belief.index(),
                    Premise::Observation(_) => unreachable!("histories derive from beliefs"),
                })
                .collect();
            let cap = own_cap(state, id).min(shown.around(id));
            let value = premises
                .iter()
                .fold(cap, |weakest, it| weakest.min(strengths[*it]));
            let all_stand = premises.iter().all(|it| standing[*it]);
            if standing[head] && all_stand && value > strengths[head] {
                strengths[head] = value;
                grew = true;
            }
        }
        if !grew {
            return strengths;
        }
    }
}

/// The status of a belief by the facts about it, by whether it stands at EVER, OPEN and IN, and by
/// the closing fact that applies to each justification (semantics.md 3).
pub(crate) fn status(
    state: &State,
    id: BeliefId,
    refuted: bool,
    [ever, open, standing]: [bool; 3],
    closing: &dyn Fn(JustificationId) -> Option<(u64, Closing)>,
) -> Status {
    if state.justifications_of(id).next().is_none() {
        return Status::Retracted;
    }
    if refuted {
        return Status::Quarantined;
    }
    match (ever, open, standing) {
        (false, ..) => return Status::Unsupported,
        (_, false, _) => return Status::Revoked,
        (_, _, true) => return Status::Active,
        (true, true, false) => {}
    }
    let closings = state.justifications_of(id).filter_map(closing);
    let latest = closings.max_by_key(|(seq, _)| *seq);
    match latest {
        None => Status::Stale,
        Some((_, Closing::Superseded { .. })) => Status::Superseded,
        Some((_, Closing::Expired)) => Status::Expired,
        Some((_, Closing::Forgotten)) => Status::Forgotten,
    }
}

/// The least number of origins without which a belief falls, by trying every set of them.
pub(crate) fn corroboration(state: &State, id: BeliefId) -> u32 {
    if state.belief_now(id).unwrap().status != Status::Active {
        return 0;
    }
    let sets = losses(state, id).into_iter();
    let fewest = sets.map(|it| u32::try_from(it.len()).unwrap()).min();
    fewest.unwrap_or(0).max(1)
}

/// The least that origins weigh together without which a belief falls, with these votes.
pub(crate) fn weight(state: &State, id: BeliefId, votes: &[Vote]) -> u64 {
    let of = |origin: &Origin| {
        let vote = votes.iter().find(|it| it.origin == *origin);
        vote.map_or(0, |it| it.millionths)
    };
    let sets = losses(state, id).into_iter();
    sets.map(|it| it.iter().map(of).sum()).min().unwrap_or(0)
}

/// Every set of origins without which a belief that stands falls.
fn losses(state: &State, id: BeliefId) -> Vec<Vec<Origin>> {
    let floor = Trust::FLOOR;
    let shown = Shown::of(state);
    let strong = |id: JustificationId| {
        let premises = state.justification(id).unwrap().grounds.premises();
        let mut premises = premises.map(|it| match it {
            Premise::Belief(belief) => state.belief_now(belief).unwrap().strength,
            Premise::Observation(_) => unreachable!("histories derive from beliefs"),
        });
        let statement = matches!(
            state.justification(id).unwrap().grounds,
            Grounds::Statement { .. }
        );
        let own = if statement {
            own_cap(state, id)
        } else {
            Trust::ONE
        };
        own.min(shown.around(id)) >= floor && premises.all(|it| it >= floor)
    };
    let strong = |id: JustificationId| strong(id) && no_surer(state, id, Trust::ONE) >= floor;
    let mut origins: Vec<_> = state.source_ids().map(|it| origin(state, it)).collect();
    origins.sort_unstable();
    origins.dedup();
    let lost_with = |id: SourceId| -> u32 {
        copied(state, id).into_iter().fold(0, |mask, it| {
            mask | 1 << origins.binary_search(&origin(state, it)).unwrap()
        })
    };
    let stands_without = |lost: u32| {
        let counts = |id: JustificationId| {
            let mut behind = BTreeSet::new();
            if let Grounds::Statement { observation, .. } = state.justification(id).unwrap().grounds
            {
                behind.extend(speakers(state, observation));
            }
            behind.extend(own_word(state, id));
            behind.extend(sources_shown(state, &shown, id));
            let untouched = behind.into_iter().all(|it| lost & lost_with(it) == 0);
            let written = !state.justification(id).unwrap().retracted;
            let open = closing(state, id).is_none() && !flagged(state, id);
            written && open && strong(id) && untouched
        };
        model(state, counts, |belief| !refuted(state, belief))[id.index()]
    };
    let falling = (0_u32..1 << origins.len()).filter(|it| !stands_without(*it));
    let members = |lost: u32| {
        let numbered = origins.iter().enumerate();
        let members = numbered.filter(move |(place, _)| lost & 1 << place != 0);
        members.map(|(_, it)| *it).collect()
    };
    falling.map(members).collect()
}

/// Declared sources and proven ones are origins by themselves, other newcomers by channel.
fn origin(state: &State, id: SourceId) -> Origin {
    let source = state.source(id).unwrap();
    let proven = source.events.iter().any(|it| {
        !it.retracted
            && matches!(
                it.kind,
                immune_reason::state::ReputationKind::Survived { .. }
            )
    });
    if source.standing == Standing::Declared || proven {
        Origin::Source(id)
    } else {
        Origin::Newcomers(source.channel)
    }
}

/// The agent that concluded what no premise says: in histories all values are accounts, each of one
/// belief that affirms it. A premise about the same subject that is another belief names another
/// account, or denies it.
pub(crate) fn own_word(state: &State, id: JustificationId) -> Option<SourceId> {
    let justification = state.justification(id).unwrap();
    let Grounds::Derivation { agent, premises } = &justification.grounds else {
        return None;
    };
    let said = state.belief(justification.belief).unwrap();
    assert!(!said.literals.is_empty(), "histories state accounts");
    let mut accounts: BTreeSet<&str> = said.literals.iter().map(|it| &*it.value).collect();
    for premise in premises.iter() {
        let Premise::Belief(premise) = premise else {
            unreachable!("histories derive from beliefs")
        };
        let premise = state.belief(*premise).unwrap();
        if premise.subject != said.subject && premise.polarity == said.polarity {
            for literal in &premise.literals {
                accounts.remove(&*literal.value);
            }
        }
    }
    agent.filter(|_| !accounts.is_empty())
}

/// Who is behind the context of a justification, systems of record left out.
fn sources_shown(state: &State, shown: &Shown<'_>, id: JustificationId) -> BTreeSet<SourceId> {
    let mut sources = BTreeSet::new();
    let mut stack: Vec<Premise> = Vec::new();
    let enter = |context: Option<ContextId>, stack: &mut Vec<Premise>| {
        let items = context.into_iter().flat_map(|it| state.shown_in(it));
        stack.extend(items.map(|(item, ..)| item));
    };
    enter(counting_context(state, id), &mut stack);
    let mut seen = BTreeSet::new();
    while let Some(item) = stack.pop() {
        if !seen.insert(item) {
            continue;
        }
        let belief = match item {
            Premise::Belief(belief) => belief,
            Premise::Observation(observation) => {
                let source = state.observation(observation).unwrap().source;
                sources.extend(speakers(state, observation));
                let context = state.context_of(Write::Observation(observation));
                enter(context.filter(|_| relays(state, source)), &mut stack);
                continue;
            }
        };
        for by in state.justifications_of(belief) {
            if shown.justification(by) < Trust::FLOOR || refuted(state, belief) {
                continue;
            }
            let grounds = &state.justification(by).unwrap().grounds;
            if let Grounds::Statement { observation, .. } = *grounds {
                let source = state.observation(observation).unwrap().source;
                if !state.is_record(source, &state.belief(belief).unwrap().subject) {
                    sources.extend(speakers(state, observation));
                }
            }
            sources.extend(own_word(state, by));
            stack.extend(grounds.premises());
            enter(counting_context(state, by), &mut stack);
        }
    }
    sources
}

/// A source and all that it copies.
fn copied(state: &State, id: SourceId) -> BTreeSet<SourceId> {
    let mut all = BTreeSet::from([id]);
    loop {
        let more: Vec<_> = all
            .iter()
            .flat_map(|it| state.source(*it).unwrap().mirrors.clone())
            .collect();
        let before = all.len();
        all.extend(more);
        if all.len() == before {
            return all;
        }
    }
}

/// What a justification gives, and no more than its words are sure.
fn no_surer(state: &State, id: JustificationId, value: Trust) -> Trust {
    state.confidence_of(id).map_or(value, |it| it.min(value))
}

/// The earlier observations whose words one repeats, nearest first: while its channel relays and
/// nobody ruled otherwise. What was undone is passed over.
pub(crate) fn hops(state: &State, id: ObservationId) -> Vec<ObservationId> {
    let (mut at, mut hops) = (id, Vec::new());
    while let Some(InferredCopy::Content(copy)) = state.inferred_content(at).map(|it| &it.copy) {
        if !relays(state, state.observation(at).unwrap().source) {
            break;
        }
        at = copy.of;
        hops.push(at);
    }
    hops.retain(|it| !state.observation(*it).unwrap().retracted);
    hops
}

/// The weakest of an observation and its hops; one of these that is flagged is worth nothing.
fn along_hops(state: &State, id: ObservationId, scope: Scope<'_>) -> Trust {
    let of_hops = hops(state, id).into_iter().map(|hop| {
        if observation_flagged(state, hop) {
            Trust::ZERO
        } else {
            along_copying(state, hop, scope)
        }
    });
    of_hops.fold(along_copying(state, id, scope), Trust::min)
}

/// Who said an observation, and whose words it repeats: one origin together.
fn speakers(state: &State, id: ObservationId) -> Vec<SourceId> {
    let (mut at, mut found) = (id, vec![state.observation(id).unwrap().source]);
    while let Some(InferredCopy::Content(copy)) = state.inferred_content(at).map(|it| &it.copy) {
        at = copy.of;
        found.push(state.observation(at).unwrap().source);
    }
    found
}

/// The weakest along the copying; a hop that is flagged is worth nothing.
fn along_copying(state: &State, id: ObservationId, scope: Scope<'_>) -> Trust {
    let observation = state.observation(id).unwrap();
    let each = copied(state, observation.source).into_iter().map(|it| {
        if source_flagged(state, it, observation.received_at) {
            Trust::ZERO
        } else {
            state.reputation(it, scope)
        }
    });
    each.min().unwrap()
}
