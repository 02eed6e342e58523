//! Doubt: what can not keep its label by what is known to keep theirs.
//!
//! It goes along supports only, lowest rank first: a belief whose support gives less than it did
//! looks for another justification that gives as much by beliefs of a lower rank, about which
//! everything is known already; only where there is none is it in doubt, and what it supports with
//! it. A belief with one justification, which is most of them, is in doubt without that
//! justification being read: a premise of it is known to be.

use std::collections::BTreeMap;

use immune_model::{BeliefId, JustificationId};

use super::update::{Moved, Update};
use super::{Node, Slot};

/// A belief that may be in doubt.
#[derive(Debug, Clone, Copy)]
struct Asked {
    belief: BeliefId,
    /// Whether its support may give what it did all the same.
    may_keep: bool,
}

impl Asked {
    /// By belief, and first what is sure to have lost its support.
    fn place(self) -> u64 {
        2 * u64::from(self.belief.number()) + u64::from(self.may_keep)
    }
}

/// What is to be asked, by rank. Nearly all of it is of the rank above the one that is gone
/// through.
#[derive(Default)]
struct Queue {
    by_rank: BTreeMap<u32, Vec<Asked>>,
    next_rank: u32,
    next: Vec<Asked>,
}

impl Queue {
    fn push(&mut self, rank: u32, asked: Asked) {
        if rank == self.next_rank {
            self.next.push(asked);
        } else {
            self.by_rank.entry(rank).or_default().push(asked);
        }
    }

    /// All of the lowest rank, in order and each once. What is pushed from then on is of a higher
    /// one.
    fn pop(&mut self) -> Option<Vec<Asked>> {
        let (rank, mut asked) = if self.next.is_empty() {
            self.by_rank.pop_first()?
        } else {
            let mut asked = std::mem::take(&mut self.next);
            asked.extend(self.by_rank.remove(&self.next_rank).unwrap_or_default());
            (self.next_rank, asked)
        };
        self.next_rank = rank.saturating_add(1);
        asked.sort_unstable_by_key(|it| it.place());
        asked.dedup_by_key(|it| it.belief);
        Some(asked)
    }
}

/// A belief that lost its support.
struct Suspect {
    belief: BeliefId,
    node: Node,
    /// How many of its justifications may give it a label.
    n_asked: usize,
}

impl Update<'_> {
    /// Finds all that is in doubt.
    pub(super) fn doubt(&mut self) {
        let mut queue = self.first_asked();
        while let Some(asked) = queue.pop() {
            let first = self.moved.len();
            self.ask(&asked);
            let found = self.moved.iter().skip(first).map(|it| it.belief);
            self.network.nodes.write_in_order(found, |_, node| {
                node.mark(Node::PENDING | Node::TOUCHED, true);
            });
            self.follow(first, &mut queue);
        }
    }

    /// What the facts that moved may put in doubt.
    fn first_asked(&self) -> Queue {
        let mut queue = Queue::default();
        let mut ask = |belief: BeliefId, by: Option<JustificationId>| {
            let node = self.network.nodes.get(belief);
            if node.label.is_in() && by.is_none_or(|by| node.support == Some(by)) {
                let may_keep = true;
                queue.push(node.rank, Asked { belief, may_keep });
            }
        };
        for belief in &self.seeds.beliefs {
            ask(*belief, None);
        }
        for id in &self.seeds.justifications {
            ask(self.network.head_of(*id), Some(*id));
        }
        queue
    }

    /// Notes as moved those beliefs of one rank that neither their support nor another
    /// justification keeps.
    fn ask(&mut self, asked: &[Asked]) {
        let network = &mut *self.network;
        let mut suspects: Vec<Suspect> = Vec::with_capacity(asked.len());
        let mut others: Vec<JustificationId> = Vec::new();
        for asked in asked {
            let (belief, node) = (asked.belief, *network.nodes.get(asked.belief));
            let refuted = node.is(Node::REFUTED);
            let support = node.support.filter(|_| asked.may_keep && !refuted);
            if support.is_some_and(|it| network.value(it) >= node.label) {
                continue;
            }
            let before = others.len();
            if !refuted && (asked.may_keep || node.is(Node::SEVERAL)) {
                others.extend(network.justifications_of(belief));
            }
            suspects.push(Suspect {
                belief,
                node,
                n_asked: others.len() - before,
            });
        }
        network.weigh(others.iter().copied(), &mut self.weighed);
        let mut weighed = others.iter().zip(&self.weighed.given);
        for Suspect {
            belief,
            node,
            n_asked,
        } in suspects
        {
            let (mut support, mut may_stand) = (None, false);
            for (id, given) in weighed.by_ref().take(n_asked) {
                may_stand |= given.label.is_in();
                if given.label >= node.label && given.rank < node.rank {
                    support = support.or(Some(*id));
                }
            }
            if support.is_some() {
                network.nodes.get_mut(belief).support = support;
                continue;
            }
            if may_stand {
                self.may_stand.push(belief);
            }
            let before = node;
            self.moved.push(Moved { belief, before });
        }
    }

    /// Asks what those that moved since `first` support.
    fn follow(&mut self, first: usize, queue: &mut Queue) {
        let network = &*self.network;
        self.asking.clear();
        for moved in self.moved.iter().skip(first) {
            network.extend_with_dependents(&mut self.asking, moved.belief);
        }
        // Everything is written down, and the place moves on only past what is wanted: a branch
        // would wait for the belief to be read.
        let mut supported = vec![(0, BeliefId::at(0)); self.asking.len()];
        let mut n_supported = 0;
        for it in &self.asking {
            let node = network.nodes.get(it.head);
            if let Some(slot) = supported.get_mut(n_supported) {
                *slot = (node.rank, it.head);
            }
            n_supported += usize::from(node.support == Some(it.justification));
        }
        for (rank, belief) in supported.into_iter().take(n_supported) {
            let may_keep = false;
            queue.push(rank, Asked { belief, may_keep });
        }
    }
}
