//! Layered graphs of any size, the same for the same seed: what graph exchange and the cascade are
//! measured on.
//!
//! Sources of skewed sizes make 0.4 observations for each belief. Beliefs lie in ten levels; 70,
//! 25 and 5 % of them have one, two and three alternative justifications, each of one to five
//! premises. A justification rests on observations alone, in the lowest level always and above in
//! 36 of 100 cases, or on beliefs alone, each of the level below in 70 of 100 cases and else of any
//! lower one. Within a level some beliefs are relied on more than others.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts are far below 2^52, and fractions are not negative"
)]

use immune_model::{BeliefId, ObservationId, Premise};

use crate::random::Random;

/// Levels of beliefs.
pub const LEVELS: usize = 10;
/// Beliefs for each source: a source has 80 observations on average.
const BELIEFS_PER_SOURCE: usize = 200;

/// A graph: ids are numbered from 1, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layered {
    /// How many sources.
    pub n_sources: usize,
    /// The source of each observation, from 0.
    pub observations: Vec<u32>,
    /// How many beliefs.
    pub n_beliefs: usize,
    /// Each justification: the belief that it supports, and its premises, without repeats.
    pub justifications: Vec<(BeliefId, Vec<Premise>)>,
}

/// Three sources to revoke, from 0, by the number of their observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suspects {
    /// One with few: one in forty has fewer.
    pub small: u32,
    /// The one in the middle.
    pub median: u32,
    /// The one with most.
    pub giant: u32,
}

/// The graph of this size and seed.
pub fn layered(n_beliefs: usize, seed: u64) -> Layered {
    let mut random = Random::new(seed);
    let n_sources = (n_beliefs / BELIEFS_PER_SOURCE).max(1);
    let n_observations = (n_beliefs * 2 / 5).max(1);
    let observations = (0..n_observations).map(|_| {
        // The density falls with the square root: one giant, most of them small.
        let place = random.fraction();
        ((n_sources as f64 * place * place) as usize).min(n_sources - 1) as u32
    });
    let observations = observations.collect();
    let per_level = n_beliefs.div_ceil(LEVELS).max(1);
    let mut justifications = Vec::with_capacity(n_beliefs * 27 / 20);
    for belief in 0..n_beliefs {
        let level = belief / per_level;
        let alternatives = match random.below(100) {
            0..70 => 1,
            70..95 => 2,
            _ => 3,
        };
        for _ in 0..alternatives {
            let n_premises = 1 + random.below(5);
            let observed = level == 0 || random.below(100) < 36;
            let mut premises: Vec<Premise> = (0..n_premises)
                .map(|_| {
                    if observed {
                        let drawn = random.below(n_observations);
                        return Premise::Observation(ObservationId::from_index(drawn));
                    }
                    Premise::Belief(below(&mut random, level, per_level))
                })
                .collect();
            premises.sort_unstable();
            premises.dedup();
            justifications.push((BeliefId::from_index(belief), premises));
        }
    }
    Layered {
        n_sources,
        observations,
        n_beliefs,
        justifications,
    }
}

/// A belief of a lower level, of the first ones of it more often.
fn below(random: &mut Random, level: usize, per_level: usize) -> BeliefId {
    let from = if random.below(100) < 70 {
        level - 1
    } else {
        random.below(level)
    };
    let place = random.fraction();
    let place = (per_level as f64 * place * place.sqrt()) as usize;
    BeliefId::from_index(from * per_level + place.min(per_level - 1))
}

impl Layered {
    /// How many premises all justifications have.
    pub fn n_premises(&self) -> usize {
        self.justifications.iter().map(|(_, it)| it.len()).sum()
    }

    /// The sources with few, a middle number and most observations.
    pub fn suspects(&self) -> Suspects {
        let mut sizes: Vec<(usize, u32)> = (0..self.n_sources as u32).map(|it| (0, it)).collect();
        for source in &self.observations {
            if let Some((size, _)) = sizes.get_mut(*source as usize) {
                *size += 1;
            }
        }
        sizes.retain(|(size, _)| *size > 0);
        sizes.sort_unstable();
        let at = |place: usize| sizes.get(place).map_or(0, |(_, source)| *source);
        Suspects {
            small: at(sizes.len() / 40),
            median: at(sizes.len() / 2),
            giant: at(sizes.len().saturating_sub(1)),
        }
    }

    /// The graph as lines to import: sources `s1`, observations `o1`, beliefs `b1`, justifications
    /// `j1`, each kind in order.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let sources = (1..=self.n_sources).map(|it| {
            format!(
                r#"{{"source":"s{it}","channel":"c{}","tier":0.{},"kind":"web"}}"#,
                it % 7,
                60 + 5 * (it % 7)
            )
        });
        let observations = (1..).zip(&self.observations).map(|(it, source)| {
            let source = source + 1;
            format!(r#"{{"observation":"o{it}","source":"s{source}","text":"Observation {it} of source {source}"}}"#)
        });
        let beliefs = (1..=self.n_beliefs).map(|it| {
            format!(r#"{{"belief":"b{it}","about":"entity{it}/area{}.value","claim":"Belief number {it}"}}"#, it % 50)
        });
        let justifications = (1..)
            .zip(&self.justifications)
            .map(|(it, (belief, premises))| {
                let premises: Vec<String> = premises
                    .iter()
                    .map(|premise| match premise {
                        Premise::Observation(id) => format!(r#""o{}""#, id.number()),
                        Premise::Belief(id) => format!(r#""b{}""#, id.number()),
                    })
                    .collect();
                let (belief, premises) = (belief.number(), premises.join(","));
                format!(
                    r#"{{"justification":"j{it}","belief":"b{belief}","premises":[{premises}]}}"#
                )
            });
        sources
            .chain(observations)
            .chain(beliefs)
            .chain(justifications)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_shape_that_is_measured_on() {
        let graph = layered(100_000, 1);
        assert_eq!(graph, layered(100_000, 1), "the same seed, the same graph");
        assert_ne!(graph, layered(100_000, 2));
        let near = |found: usize, wanted: usize| found.abs_diff(wanted) * 50 < wanted;
        assert!(near(graph.justifications.len(), 134_981));
        assert!(near(graph.n_premises(), 404_955));
        let size = |source| {
            graph
                .observations
                .iter()
                .filter(|it| **it == source)
                .count()
        };
        let suspects = graph.suspects();
        assert!((20..45).contains(&size(suspects.small)));
        assert!((50..65).contains(&size(suspects.median)));
        assert!((1_600..2_000).contains(&size(suspects.giant)));
    }

    #[test]
    fn premises_lie_below() {
        let graph = layered(1_000, 7);
        for (belief, premises) in &graph.justifications {
            assert!(!premises.is_empty());
            for premise in premises {
                if let Premise::Belief(below) = premise {
                    assert!(below.index() / 100 < belief.index() / 100);
                }
            }
        }
        assert_eq!(layered(3, 7).n_beliefs, 3, "small ones too");
    }
}
