//! The naive twin: support and strength of the whole graph, from scratch, by plain iteration.

use immune_model::*;
use immune_reason::state::{Grounds, State};
use immune_reason::{Scope, reputation};

/// Status and strength of every belief.
pub(crate) fn all(state: &State) -> Vec<(Status, Trust)> {
    let written = |id: JustificationId| !state.justification(id).unwrap().retracted;
    let ever = model(state, written, |_| true);
    let open = model(state, written, |belief| !refuted(state, belief));
    let standing = model(
        state,
        |id| written(id) && state.closing_of(id).is_none(),
        |belief| !refuted(state, belief),
    );
    let strengths = strengths(state, &standing);
    let each = state.belief_ids().map(|id| {
        let at = id.index();
        let status = if refuted(state, id) {
            Status::Quarantined
        } else if state.justifications_of(id).next().is_none() {
            Status::Retracted
        } else if !ever[at] {
            Status::Unsupported
        } else if !open[at] {
            Status::Revoked
        } else if standing[at] {
            Status::Active
        } else {
            closed(state, id)
        };
        (status, strengths[at])
    });
    each.collect()
}

fn refuted(state: &State, id: BeliefId) -> bool {
    state.belief(id).unwrap().refuted_in.is_some()
}

/// The least model, grown from nothing until nothing is added.
fn model(
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
            let holds = match &justification.grounds {
                Grounds::Statement { .. } => true,
                Grounds::Derivation { premises, .. } => premises.iter().all(|it| match it {
                    Premise::Belief(belief) => stands[belief.index()],
                    Premise::Observation(_) => unreachable!("histories derive from beliefs"),
                }),
            };
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
    let mut strengths = vec![Trust::ZERO; state.n_beliefs()];
    loop {
        let mut grew = false;
        for id in state
            .justification_ids()
            .filter(|it| !state.justification(*it).unwrap().retracted)
            .filter(|it| state.closing_of(*it).is_none())
        {
            let justification = state.justification(id).unwrap();
            let head = justification.belief.index();
            let value = match &justification.grounds {
                Grounds::Statement {
                    observation,
                    subject_from,
                } => {
                    let area = state
                        .belief(justification.belief)
                        .unwrap()
                        .subject
                        .area()
                        .to_owned();
                    let scope = match subject_from {
                        SubjectFrom::Caller => Scope::Worst(&area),
                        SubjectFrom::Rules => reputation::Scope::Area(&area),
                    };
                    along_copying(
                        state,
                        state.observation(*observation).unwrap().source,
                        scope,
                    )
                }
                Grounds::Derivation { agent, premises } => {
                    let agent = agent.expect("histories import nothing");
                    let channel = state.source(agent).unwrap().channel;
                    let tier = state.channel(channel).unwrap().tier;
                    premises.iter().fold(tier, |weakest, it| match it {
                        Premise::Belief(belief) => weakest.min(strengths[belief.index()]),
                        Premise::Observation(_) => unreachable!("histories derive from beliefs"),
                    })
                }
            };
            let all_stand = match &justification.grounds {
                Grounds::Statement { .. } => true,
                Grounds::Derivation { premises, .. } => premises.iter().all(|it| match it {
                    Premise::Belief(belief) => standing[belief.index()],
                    Premise::Observation(_) => false,
                }),
            };
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

fn closed(state: &State, id: BeliefId) -> Status {
    let latest = state
        .justifications_of(id)
        .filter_map(|it| state.closing_of(it))
        .max_by_key(|(seq, _)| *seq);
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
    let floor = Trust::FLOOR;
    let strong = |id: JustificationId| match &state.justification(id).unwrap().grounds {
        Grounds::Statement {
            observation,
            subject_from,
        } => {
            let justification = state.justification(id).unwrap();
            let area = state
                .belief(justification.belief)
                .unwrap()
                .subject
                .area()
                .to_owned();
            let scope = match subject_from {
                SubjectFrom::Caller => Scope::Worst(&area),
                SubjectFrom::Rules => Scope::Area(&area),
            };
            along_copying(
                state,
                state.observation(*observation).unwrap().source,
                scope,
            ) >= floor
        }
        Grounds::Derivation { premises, .. } => premises.iter().all(|it| match it {
            Premise::Belief(belief) => state.belief_now(*belief).unwrap().strength >= floor,
            Premise::Observation(_) => unreachable!("histories derive from beliefs"),
        }),
    };
    // Origins: declared sources and proven ones by themselves, other newcomers by channel.
    let origin = |id: SourceId| {
        let source = state.source(id).unwrap();
        let proven = source.events.iter().any(|it| {
            !it.retracted
                && matches!(
                    it.kind,
                    immune_reason::state::ReputationKind::Survived { .. }
                )
        });
        if source.standing == Standing::Declared || proven {
            (0, id.number())
        } else {
            (1, source.channel.number())
        }
    };
    let mut origins: Vec<_> = state.source_ids().map(origin).collect();
    origins.sort_unstable();
    origins.dedup();
    let lost_with = |id: SourceId| -> u32 {
        copied(state, id).into_iter().fold(0, |mask, it| {
            mask | 1 << origins.binary_search(&origin(it)).unwrap()
        })
    };
    let stands_without = |lost: u32| {
        let counts = |id: JustificationId| {
            let untouched = match &state.justification(id).unwrap().grounds {
                Grounds::Statement { observation, .. } => {
                    let source = state.observation(*observation).unwrap().source;
                    lost & lost_with(source) == 0
                }
                Grounds::Derivation { .. } => true,
            };
            let written = !state.justification(id).unwrap().retracted;
            written && state.closing_of(id).is_none() && strong(id) && untouched
        };
        model(state, counts, |belief| !refuted(state, belief))[id.index()]
    };
    let subsets = 0_u32..1 << origins.len();
    let falls = subsets
        .filter(|it| !stands_without(*it))
        .map(u32::count_ones)
        .min();
    falls.unwrap_or(0).max(1)
}

/// A source and all that it copies.
fn copied(state: &State, id: SourceId) -> std::collections::BTreeSet<SourceId> {
    let mut all = std::collections::BTreeSet::from([id]);
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

fn along_copying(state: &State, id: SourceId, scope: Scope<'_>) -> Trust {
    copied(state, id)
        .into_iter()
        .map(|it| state.reputation(it, scope))
        .min()
        .unwrap()
}
