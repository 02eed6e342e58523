//! Why something stands, and why not: a well-founded proof, or a cut. Both can be checked by who
//! trusts nothing here (`immune-certificate`).

use std::collections::{BTreeSet, VecDeque};

use immune_model::{BeliefId, Closing, IncidentId, JustificationId, ObservationId, Premise, Trust};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ancestry::{Ancestry, Ground, Level, Model, holds_at, rests_on};
use crate::state::State;

/// One step of a proof: each premise is shown by an earlier step, or is an observation that
/// stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofStep {
    /// What is shown to stand.
    pub belief: BeliefId,
    /// By which justification.
    pub justification: JustificationId,
    /// All that this one rests on; for a statement the observation that makes it.
    pub premises: Vec<Premise>,
}

/// A belief of a cut: none of its justifications holds outside the cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Which belief.
    pub belief: BeliefId,
    /// The incident that refuted it, if that counts; then nothing more has to be said.
    pub refuted_in: Option<IncidentId>,
    /// What each of its justifications lost, oldest first.
    pub losses: Vec<(JustificationId, Loss)>,
}

/// What a justification lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// A closing fact applies to it.
    Closed(Closing),
    /// The agent that derived it is flagged.
    Flagged(IncidentId),
    /// An observation that does not stand.
    Observation(ObservationId),
    /// A belief of the same cut.
    Belief(BeliefId),
}

impl State {
    /// Why a belief stands at this level: the derivation that gives it its strength; of equals,
    /// the one with the lowest ids. Nothing if it does not.
    pub fn prove(&self, id: BeliefId, level: Level) -> Option<Vec<ProofStep>> {
        self.beliefs.find(id)?;
        let ancestry = Ancestry::of(self, &[id]);
        let model = ancestry.least(Some(0), |it| {
            let cap = || match level {
                Level::In => ancestry.cap(it),
                // What does not stand has no strength to go by.
                Level::Open | Level::Ever => Trust::ONE,
            };
            (it.counts >= level).then(cap)
        });
        model.stands(0).then(|| steps(&ancestry, &model))
    }

    /// Why a belief does not stand at this level: beliefs, the one asked about first, each of
    /// whose justifications lost a premise, down to the facts. Nothing if it stands.
    pub fn cut(&self, id: BeliefId, level: Level) -> Option<Vec<Lost>> {
        self.beliefs.find(id)?;
        let ancestry = Ancestry::of(self, &[id]);
        let model = ancestry.least(Some(0), |it| (it.counts >= level).then_some(Trust::ONE));
        (!model.stands(0)).then(|| cut_of(&ancestry, &model, level))
    }
}

/// The steps that the first belief needs, in the order in which they were found.
fn steps(ancestry: &Ancestry<'_>, model: &Model) -> Vec<ProofStep> {
    let ground = |place: usize| {
        let at = model.by.get(place).copied().flatten()?;
        ancestry.grounds.get(at)
    };
    let mut needed = FxHashSet::from_iter([0]);
    let mut stack = vec![0];
    while let Some(place) = stack.pop() {
        for premise in ground(place).into_iter().flat_map(|it| &it.beliefs) {
            if needed.insert(*premise) {
                stack.push(*premise);
            }
        }
    }
    let in_order = model.order.iter().filter(|it| needed.contains(*it));
    let step = |place: &usize| {
        let justification = ground(*place)?.id;
        Some(ProofStep {
            belief: ancestry.member(*place)?,
            justification,
            premises: rests_on(ancestry.state, justification),
        })
    };
    in_order.filter_map(step).collect()
}

/// The cut of the first belief: of the premises that a justification lost, a refuted one, else
/// one that is in the cut anyway, else the one with the lowest id.
fn cut_of(ancestry: &Ancestry<'_>, model: &Model, level: Level) -> Vec<Lost> {
    let state = ancestry.state;
    let mut of_head: FxHashMap<usize, Vec<&Ground>> = FxHashMap::default();
    for ground in &ancestry.grounds {
        of_head.entry(ground.head).or_default().push(ground);
    }
    let refuted = |place: usize| {
        let belief = ancestry.member(place).filter(|_| level > Level::Ever)?;
        state.beliefs.get(belief).refuted_in
    };
    let mut seen = BTreeSet::from([0]);
    let mut queue = VecDeque::from([0]);
    let mut cut = Vec::new();
    while let Some(place) = queue.pop_front() {
        let Some(belief) = ancestry.member(place) else {
            continue;
        };
        let refuted_in = refuted(place);
        let mut losses = Vec::new();
        let grounds = of_head.get(&place).into_iter().flatten();
        for ground in grounds.filter(|_| refuted_in.is_none()).rev() {
            if let Some(loss) = own_loss(state, ground, level) {
                losses.push((ground.id, loss));
                continue;
            }
            let lost = ground.beliefs.iter().filter(|it| !model.stands(**it));
            let best = lost.min_by_key(|it| {
                let rank = match (refuted(**it), seen.contains(*it)) {
                    (Some(_), _) => 0,
                    (None, true) => 1,
                    (None, false) => 2,
                };
                (rank, ancestry.member(**it))
            });
            if let Some((premise, id)) = best.and_then(|it| Some((*it, ancestry.member(*it)?))) {
                losses.push((ground.id, Loss::Belief(id)));
                if seen.insert(premise) {
                    queue.push_back(premise);
                }
            }
        }
        cut.push(Lost {
            belief,
            refuted_in,
            losses,
        });
    }
    cut
}

/// What a justification lost by the facts about it and its observations, if it did.
fn own_loss(state: &State, ground: &Ground, level: Level) -> Option<Loss> {
    let closing = state.closing_of(ground.id).filter(|_| level == Level::In);
    let mut fallen = ground.observations.iter().copied();
    let fallen = fallen.find(|it| holds_at(state, *it) < level);
    let flag = state
        .flag_against(ground.id)
        .filter(|_| level > Level::Ever);
    let closed = closing.map(|(_, closing)| Loss::Closed(closing));
    let fallen = fallen.map(Loss::Observation);
    closed.or(fallen).or(flag.map(Loss::Flagged))
}
