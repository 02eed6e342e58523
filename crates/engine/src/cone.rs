//! The cone of an incident: what it brought down, each belief below the one that it rested on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use immune_model::{ActionId, BeliefId, IncidentId, Premise, Status};

use crate::explain::Explained;

/// A belief that an incident brought down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallen {
    /// Which belief.
    pub belief: BeliefId,
    /// The nearest one that it rested on; nothing for what was refuted itself.
    pub below: Option<BeliefId>,
    /// Hops from what was refuted; 0 for what was refuted itself.
    pub depth: u32,
    /// What it is now.
    pub status: Status,
    /// The actions that relied on it, oldest first.
    pub actions: Vec<ActionId>,
}

impl Explained<'_> {
    /// What an incident brought down, as a tree read from the top: each belief once, at its
    /// fewest hops from what was refuted, right below the one that it rested on.
    pub fn fallen(&self, incident: IncidentId) -> Vec<Fallen> {
        let Some(record) = self.state.incident(incident) else {
            return Vec::new();
        };
        let fell: BTreeSet<BeliefId> = record.revoked.iter().copied().collect();
        let mut below: BTreeMap<BeliefId, Vec<BeliefId>> = BTreeMap::new();
        let mut seen: BTreeSet<BeliefId> = record.refuted.iter().copied().collect();
        let mut queue: VecDeque<BeliefId> = record.refuted.iter().copied().collect();
        while let Some(belief) = queue.pop_front() {
            let dependents = self.state.dependents_of(Premise::Belief(belief));
            let next = dependents.filter_map(|it| self.state.justification(it));
            let next: BTreeSet<BeliefId> = next.map(|it| it.belief).collect();
            for child in next {
                if fell.contains(&child) && seen.insert(child) {
                    below.entry(belief).or_default().push(child);
                    queue.push_back(child);
                }
            }
        }
        let roots = record.refuted.iter().rev();
        let mut stack: Vec<_> = roots.map(|it| (*it, None, 0)).collect();
        let mut fallen = Vec::new();
        while let Some((belief, parent, depth)) = stack.pop() {
            fallen.extend(self.fallen_belief(belief, parent, depth));
            let children = below.get(&belief).into_iter().flatten().rev();
            stack.extend(children.map(|it| (*it, Some(belief), depth + 1)));
        }
        fallen
    }

    fn fallen_belief(
        self,
        belief: BeliefId,
        below: Option<BeliefId>,
        depth: u32,
    ) -> Option<Fallen> {
        let decisions = self.state.decisions_on(belief);
        let actions: BTreeSet<ActionId> = decisions
            .filter_map(|it| self.state.decision(it))
            .flat_map(|it| it.actions.iter().copied())
            .collect();
        Some(Fallen {
            belief,
            below,
            depth,
            status: self.state.belief_now(belief)?.status,
            actions: actions.into_iter().collect(),
        })
    }
}
