//! Which beliefs that stand disagree. Called through `State::disagreements`.
//!
//! Beliefs on one subject are compared as `remember` compares them. Others, where no subject brings
//! them together, by their words, if they share a word that few have; those pairs are what a reader
//! is asked to look at, and close nothing.

use std::collections::{BTreeMap, BTreeSet};

use immune_model::{BeliefId, Screening, Status, Trust, limits};

use crate::relate::{Deciding, Relation, Said, relate, relate_read};
use crate::state::State;

/// Beliefs that disagree, and what was not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreements {
    /// The pairs that were found, oldest first, at most as many as were asked for.
    pub pairs: Vec<Disagreement>,
    /// How many were found.
    pub n_found: usize,
    /// Active beliefs at or above the floor: those that were compared.
    pub n_compared: usize,
    /// Active beliefs below the floor, which were not.
    pub n_below_floor: usize,
    /// Texts without a claim, which were not.
    pub n_unscreened: usize,
    /// Whether the budget was spent before every pair was looked at.
    pub cut: bool,
}

/// Two beliefs that cannot both hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// The older one.
    pub a: BeliefId,
    /// The newer one.
    pub b: BeliefId,
    /// What decided.
    pub by: Deciding,
    /// Whether both are about one subject; otherwise only their words say so.
    pub one_subject: bool,
}

impl State {
    /// Active beliefs at or above the floor that disagree, at most `limit` pairs.
    pub fn disagreements(&self, limit: usize) -> Disagreements {
        let mut compared = Vec::new();
        let mut n_below_floor = 0;
        for id in self.belief_ids() {
            let now = self.now.get(id);
            if now.status != Status::Active {
                continue;
            }
            if now.strength >= Trust::FLOOR {
                compared.push(id);
            } else {
                n_below_floor += 1;
            }
        }
        let unscreened = self.observation_ids().filter(|it| {
            let observation = self.observations.get(*it);
            observation.screening == Screening::Unscreened
        });
        let mut pairs = self.on_one_subject(&compared);
        let (apart, cut) = self.apart(&compared);
        pairs.extend(apart);
        pairs.sort_by_key(|it| (!it.one_subject, it.a, it.b));
        let n_found = pairs.len();
        pairs.truncate(limit);
        Disagreements {
            pairs,
            n_found,
            n_compared: compared.len(),
            n_below_floor,
            n_unscreened: unscreened.count(),
            cut,
        }
    }

    fn on_one_subject(&self, compared: &[BeliefId]) -> Vec<Disagreement> {
        let mut pairs = Vec::new();
        for id in compared {
            for rival in self.rivals_of(*id) {
                let subject = &self.beliefs.get(*id).subject;
                if rival < *id
                    && let Relation::Conflict(by) =
                        relate(subject, self.side_of(rival), self.side_of(*id))
                {
                    let (a, b) = (rival, *id);
                    pairs.push(Disagreement {
                        a,
                        b,
                        by,
                        one_subject: true,
                    });
                }
            }
        }
        pairs
    }

    /// Pairs of different subjects, and whether some were not looked at.
    fn apart(&self, compared: &[BeliefId]) -> (Vec<Disagreement>, bool) {
        let mut cut = compared.len() > limits::SCAN_BELIEFS_MAX;
        let read: Vec<(BeliefId, Said)> = compared
            .iter()
            .take(limits::SCAN_BELIEFS_MAX)
            .map(|it| (*it, Said::read(self.beliefs.get(*it).text.as_str())))
            .collect();
        let mut sharing: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (_, said)) in read.iter().enumerate() {
            for word in said.topic() {
                sharing.entry(word).or_default().push(at);
            }
        }
        let mut looked_at = BTreeSet::new();
        for places in sharing.values() {
            if places.len() > limits::SCAN_SHARING_MAX {
                cut = true;
                continue;
            }
            for (nth, a) in places.iter().enumerate() {
                looked_at.extend(places.iter().skip(nth + 1).map(|b| (*a, *b)));
            }
        }
        let pair = |(a, b): (usize, usize)| {
            let (left, right) = (read.get(a)?, read.get(b)?);
            let (ours, theirs) = (self.beliefs.get(left.0), self.beliefs.get(right.0));
            let comparable = ours.namespace == theirs.namespace && ours.subject != theirs.subject;
            let sides = (self.side_of(left.0), self.side_of(right.0));
            let relation = comparable.then(|| relate_read((sides.0, &left.1), (sides.1, &right.1)));
            match relation {
                Some(Relation::Conflict(by)) => Some(Disagreement {
                    a: left.0,
                    b: right.0,
                    by,
                    one_subject: false,
                }),
                _ => None,
            }
        };
        (looked_at.into_iter().filter_map(pair).collect(), cut)
    }
}
