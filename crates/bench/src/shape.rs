//! The graph that is measured on, with plain references of what is right: what a source reaches,
//! with hops, and what really falls with it.

use immune_model::{BeliefId, ObservationId, Premise};
use immune_testkit::graph::Layered;

/// What is flagged.
#[derive(Debug, Clone)]
pub(crate) struct Suspect {
    pub(crate) name: &'static str,
    /// The source, from 0.
    pub(crate) source: usize,
    /// What it sent.
    pub(crate) sent: Vec<ObservationId>,
    /// The beliefs that it reaches.
    pub(crate) reached: usize,
    /// The most hops to one of them.
    pub(crate) hops: u32,
    /// The beliefs that fall with it.
    pub(crate) fallen: usize,
}

/// The graph with its reverse edges.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) graph: Layered,
    /// For each node, beliefs first and then observations, the beliefs that rest on it.
    dependents: Vec<Vec<u32>>,
}

impl Shape {
    pub(crate) fn new(graph: Layered) -> Self {
        let n_nodes = graph.n_beliefs + graph.observations.len();
        let mut dependents = vec![Vec::new(); n_nodes];
        for (belief, premises) in &graph.justifications {
            for premise in premises {
                let node = node(&graph, *premise);
                if let Some(all) = dependents.get_mut(node) {
                    all.push(belief.index() as u32);
                }
            }
        }
        Self { graph, dependents }
    }

    pub(crate) fn suspects(&self) -> Vec<Suspect> {
        let found = self.graph.suspects();
        let named = [
            ("small", found.small),
            ("median", found.median),
            ("giant", found.giant),
        ];
        let suspect = |(name, source): (&'static str, u32)| {
            let observations = self.graph.observations.iter().enumerate();
            let sent: Vec<ObservationId> = observations
                .filter(|(_, from)| **from == source)
                .map(|(place, _)| ObservationId::from_index(place))
                .collect();
            let nodes: Vec<usize> = sent.iter().map(|it| self.observation(*it)).collect();
            let hops = self.reach(&nodes);
            let reached = hops.iter().flatten();
            Suspect {
                name,
                source: source as usize,
                reached: reached.clone().count(),
                hops: reached.copied().max().unwrap_or(0),
                fallen: self.fallen(&nodes),
                sent,
            }
        };
        named.into_iter().map(suspect).collect()
    }

    /// The observation that reaches about so many beliefs, and how many.
    pub(crate) fn observation_reaching(&self, wanted: usize) -> (ObservationId, usize) {
        let n = self.graph.observations.len();
        let tried = (0..n)
            .step_by((n / 300).max(1))
            .map(ObservationId::from_index);
        let reached = tried.map(|id| {
            let hops = self.reach(&[self.observation(id)]);
            (id, hops.into_iter().flatten().count())
        });
        reached
            .min_by_key(|(_, reached)| reached.abs_diff(wanted))
            .unwrap_or((ObservationId::new(1), 0))
    }

    /// The node of an observation: they follow the beliefs.
    pub(crate) fn observation(&self, id: ObservationId) -> usize {
        self.graph.n_beliefs + id.index()
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.dependents.len()
    }

    /// Every edge, as premise and conclusion.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.graph
            .justifications
            .iter()
            .flat_map(|(belief, premises)| {
                let ends = |premise: &Premise| (node(&self.graph, *premise), belief.index());
                premises.iter().map(ends)
            })
    }

    /// The hops to every belief that is reached from these nodes.
    fn reach(&self, from: &[usize]) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.graph.n_beliefs];
        let mut front = from.to_vec();
        let mut hop = 0;
        while !front.is_empty() {
            hop += 1;
            let mut next = Vec::new();
            for node in front {
                for belief in self.dependents.get(node).into_iter().flatten() {
                    let belief = *belief as usize;
                    if let Some(slot @ None) = hops.get_mut(belief) {
                        *slot = Some(hop);
                        next.push(belief);
                    }
                }
            }
            front = next;
        }
        hops
    }

    /// How many beliefs have no justification left that rests on none of these nodes: level by
    /// level, since premises lie below.
    fn fallen(&self, sent: &[usize]) -> usize {
        let mut gone = vec![false; self.n_nodes()];
        for node in sent {
            if let Some(slot) = gone.get_mut(*node) {
                *slot = true;
            }
        }
        let mut of_belief = self.graph.justifications.as_slice();
        let mut fallen = 0;
        while let Some((belief, _)) = of_belief.first() {
            let same = of_belief.iter().take_while(|(it, _)| it == belief).count();
            let (own, rest) = of_belief.split_at(same);
            let stands = |(_, premises): &(BeliefId, Vec<Premise>)| {
                let mut nodes = premises.iter().map(|it| node(&self.graph, *it));
                !nodes.any(|it| gone.get(it).copied().unwrap_or(false))
            };
            if !own.iter().any(stands)
                && let Some(slot) = gone.get_mut(belief.index())
            {
                *slot = true;
                fallen += 1;
            }
            of_belief = rest;
        }
        fallen
    }
}

fn node(graph: &Layered, premise: Premise) -> usize {
    match premise {
        Premise::Belief(id) => id.index(),
        Premise::Observation(id) => graph.n_beliefs + id.index(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_is_less_than_what_is_reached() {
        let shape = Shape::new(immune_testkit::graph::layered(10_000, 1));
        for suspect in shape.suspects() {
            assert!(suspect.fallen > 0, "{suspect:?}");
            assert!(suspect.fallen < suspect.reached, "{suspect:?}");
            assert!(suspect.hops <= 10, "{suspect:?}");
        }
        let (_, reached) = shape.observation_reaching(100);
        assert!((20..500).contains(&reached), "{reached}");
    }
}
