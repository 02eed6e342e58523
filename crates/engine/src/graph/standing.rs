//! `graph status`: what stands, how strongly, and on how many origins, for a whole graph.

use immune_model::{DecisionId, Item, Status, Trust};
use immune_reason::{Corroboration, State};

/// One item of a graph, with what is derived about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphStanding {
    /// Which item.
    pub item: Item,
    /// Its alias, or its id where it has none.
    pub name: String,
    /// Its status.
    pub status: &'static str,
    /// How far it is trusted; of a decision and its action, the weakest belief relied on, 0 if there
    /// is none.
    pub strength: Trust,
    /// How many independent origins have to be lost before it falls: 1 for an observation that
    /// stands; of a decision and its action, the least of the beliefs relied on.
    pub corroboration: Corroboration,
}

/// Hands over every observation, belief, decision and action, in this order. Before, it says of
/// how many beliefs it has counted origins.
pub fn standings<E>(
    state: &State,
    progress: &mut dyn FnMut(usize),
    put: &mut dyn FnMut(GraphStanding) -> Result<(), E>,
) -> Result<(), E> {
    let corroborations = state.corroborations(progress);
    let counted = |belief: immune_model::BeliefId| corroborations.get(belief.index()).copied();
    for id in state.observation_ids() {
        let status = state.observation_status(id).unwrap_or(Status::Retracted);
        put(GraphStanding {
            item: id.into(),
            name: state.name_of(id.into()),
            status: status.name(),
            strength: state.observation_strength(id),
            corroboration: Corroboration {
                count: u32::from(status == Status::Active),
                exact: true,
            },
        })?;
    }
    for id in state.belief_ids() {
        let Some(now) = state.belief_now(id) else {
            continue;
        };
        put(GraphStanding {
            item: id.into(),
            name: state.name_of(id.into()),
            status: now.status.name(),
            strength: now.strength,
            corroboration: counted(id).unwrap_or(Corroboration::NONE),
        })?;
    }
    let relied_on = |id: DecisionId| {
        let beliefs = state.decision(id).map(|it| it.relied_on.as_slice());
        let beliefs = beliefs.unwrap_or_default().iter();
        let strengths = beliefs.clone().filter_map(|it| state.belief_now(*it));
        let strength = strengths.map(|it| it.strength).min();
        let count = Corroboration::least(beliefs.filter_map(|it| counted(*it)));
        let count = count.unwrap_or(Corroboration::NONE);
        (strength.unwrap_or(Trust::ZERO), count)
    };
    for id in state.decision_ids() {
        let (strength, corroboration) = relied_on(id);
        let status = state.decision_status(id).unwrap_or(Status::Unsupported);
        put(GraphStanding {
            item: id.into(),
            name: state.name_of(id.into()),
            status: status.name(),
            strength,
            corroboration,
        })?;
    }
    for id in state.action_ids() {
        let Some(action) = state.action(id) else {
            continue;
        };
        let (strength, corroboration) = relied_on(action.decision);
        put(GraphStanding {
            item: id.into(),
            name: state.name_of(id.into()),
            status: action.status.name(),
            strength,
            corroboration,
        })?;
    }
    Ok(())
}
