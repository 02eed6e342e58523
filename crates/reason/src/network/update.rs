//! Keeping labels up: which beliefs are IN, and how strongly, over what a change affects.
//!
//! A label is the max-min value of a belief (semantics.md 4); that it is not 0 is IN. Each belief
//! that is IN keeps one justification as its support, with a rank above those of its premises,
//! so that along supports nothing rests on itself.
//!
//! A change is followed in two passes. *Doubt* goes along supports only, lowest rank first: a
//! belief whose support gives less than it did looks for another justification that gives as much
//! by beliefs of a lower rank, about which everything is known already; only where there is none
//! is it in doubt, and what it supports with it. *Settling* is Knuth's generalisation of
//! Dijkstra's algorithm (1977) over the doubtful and over what may gain: strongest first, each
//! once. What is in doubt at the end is OUT. Circular support dies with its last ground, since a
//! circle in doubt settles from nothing.
//!
//! Only the doubtful, what gains, their dependents and those dependents' premises are read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use immune_model::{BeliefId, JustificationId};

use super::{Label, Network, Node};

/// What a change starts from: only what moved.
#[derive(Debug, Default)]
pub(crate) struct Seeds {
    /// Justifications whose facts moved.
    pub(crate) justifications: Vec<JustificationId>,
    /// Beliefs that were refuted, or are no more.
    pub(crate) beliefs: Vec<BeliefId>,
}

/// A belief that a change reached, as it was before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    pub(crate) belief: BeliefId,
    pub(crate) before: Node,
}

/// One change on its way through the network.
pub(super) struct Update<'a> {
    pub(super) network: &'a mut Network,
    pub(super) seeds: &'a Seeds,
    pub(super) moved: Vec<Moved>,
    doubtful: Vec<BeliefId>,
    waiting: Vec<BeliefId>,
    asking: Vec<JustificationId>,
}

/// What may be settled next: the strongest first, and among equals the first found, which keeps
/// ranks low.
type Candidates = BTreeMap<Reverse<Label>, VecDeque<(BeliefId, JustificationId)>>;

impl Network {
    /// Brings every label and level up to date after the facts of these moved, and gives what was
    /// reached, as it was before; its label and levels may be as they were.
    pub(crate) fn update(&mut self, seeds: &Seeds) -> Vec<Moved> {
        let mut update = Update {
            network: self,
            seeds,
            moved: Vec::new(),
            doubtful: Vec::new(),
            waiting: Vec::new(),
            asking: Vec::new(),
        };
        update.doubt();
        update.settle();
        update.drop_doubtful();
        update.levels();
        let moved = update.moved;
        self.open_is_in = self.n_closed == 0;
        for it in &moved {
            self.nodes.get_mut(it.belief).mark(Node::TOUCHED, false);
        }
        moved
    }

    /// What a justification gives now: nothing while a premise is OUT or in doubt.
    pub(super) fn value(&self, id: JustificationId) -> Label {
        let ground = self.grounds.get(id);
        let mut weakest = ground.cap;
        for premise in self.premises.get(ground.premises) {
            if !weakest.is_in() {
                return Label::OUT;
            }
            let node = self.nodes.get(*premise);
            if node.is(Node::PENDING) {
                return Label::OUT;
            }
            weakest = weakest.min(node.label);
        }
        weakest
    }

    /// Whether a justification gives nothing only as long as a premise is in doubt.
    fn is_waiting(&self, id: JustificationId) -> bool {
        let ground = self.grounds.get(id);
        let mut premises = self.premises.get(ground.premises).iter();
        ground.cap.is_in() && premises.any(|it| self.nodes.get(*it).is(Node::PENDING))
    }

    /// Another justification that gives at least this label by beliefs below this rank.
    fn other_support(&self, belief: BeliefId, label: Label, rank: u32) -> Option<JustificationId> {
        self.justifications_of(belief).find(|it| {
            let ground = self.grounds.get(*it);
            ground.cap >= label
                && self.premises.get(ground.premises).iter().all(|premise| {
                    let node = self.nodes.get(*premise);
                    node.label >= label && node.rank < rank && !node.is(Node::PENDING)
                })
        })
    }
}

impl Update<'_> {
    /// Notes a belief before it is first written to.
    pub(super) fn touch(&mut self, belief: BeliefId) -> &mut Node {
        let before = *self.network.nodes.get(belief);
        let node = self.network.nodes.get_mut(belief);
        if !before.is(Node::TOUCHED) {
            node.mark(Node::TOUCHED, true);
            self.moved.push(Moved { belief, before });
        }
        node
    }

    /// Finds what can not keep its label by what is known to keep theirs.
    fn doubt(&mut self) {
        let mut queue: BTreeMap<u32, Vec<BeliefId>> = BTreeMap::new();
        let mut ask = |network: &Network, belief: BeliefId, by: Option<JustificationId>| {
            let node = network.nodes.get(belief);
            if node.label.is_in() && by.is_none_or(|by| node.support == Some(by)) {
                queue.entry(node.rank).or_default().push(belief);
            }
        };
        for belief in &self.seeds.beliefs {
            ask(self.network, *belief, None);
        }
        for id in &self.seeds.justifications {
            ask(self.network, self.network.head_of(*id), Some(*id));
        }
        while let Some((rank, beliefs)) = queue.pop_first() {
            for belief in beliefs {
                let node = *self.network.nodes.get(belief);
                if node.is(Node::PENDING) || self.keeps(belief, node) {
                    continue;
                }
                let other = || self.network.other_support(belief, node.label, rank);
                if let Some(other) = (!node.is(Node::REFUTED)).then(other).flatten() {
                    self.network.nodes.get_mut(belief).support = Some(other);
                    continue;
                }
                self.touch(belief).mark(Node::PENDING, true);
                self.doubtful.push(belief);
                self.network.dependents_of(belief).for_each(|id| {
                    let head = self.network.head_of(id);
                    let node = self.network.nodes.get(head);
                    if node.support == Some(id) && !node.is(Node::PENDING) {
                        queue.entry(node.rank).or_default().push(head);
                    }
                });
            }
        }
    }

    /// Whether the support of a belief still gives what it did.
    fn keeps(&self, belief: BeliefId, node: Node) -> bool {
        debug_assert_eq!(*self.network.nodes.get(belief), node, "read a moment ago");
        let support = node.support.filter(|_| !node.is(Node::REFUTED));
        support.is_some_and(|it| self.network.value(it) >= node.label)
    }

    /// Settles the doubtful and what gains, strongest first.
    fn settle(&mut self) {
        let mut candidates = Candidates::new();
        for belief in std::mem::take(&mut self.doubtful) {
            self.offer_best(belief, &mut candidates);
        }
        for belief in &self.seeds.beliefs {
            if !self.network.nodes.get(*belief).is(Node::PENDING) {
                self.offer_best(*belief, &mut candidates);
            }
        }
        for id in &self.seeds.justifications {
            self.offer(*id, &mut candidates);
        }
        while let Some(mut first) = candidates.first_entry() {
            let label = first.key().0;
            let Some((belief, by)) = first.get_mut().pop_front() else {
                first.remove();
                continue;
            };
            let before = *self.network.nodes.get(belief);
            if before.is(Node::PENDING) || label > before.label {
                self.settle_one(belief, by, label);
                self.offer_dependents(belief, label > before.label, &mut candidates);
            }
        }
        for belief in std::mem::take(&mut self.waiting) {
            self.network
                .nodes
                .get_mut(belief)
                .mark(Node::WAITING, false);
        }
    }

    /// What is in doubt still is OUT. From here on what moved is gone through in order, which is
    /// how it lies in memory.
    fn drop_doubtful(&mut self) {
        self.moved.sort_unstable_by_key(|it| it.belief);
        for moved in &self.moved {
            if self.network.nodes.get(moved.belief).is(Node::PENDING) {
                let node = self.network.nodes.get_mut(moved.belief);
                node.mark(Node::PENDING, false);
                (node.label, node.support, node.rank) = (Label::OUT, None, 0);
            }
        }
    }

    fn settle_one(&mut self, belief: BeliefId, by: JustificationId, label: Label) {
        let premises = self.network.premises_of(by).iter();
        let highest = premises.map(|it| self.network.nodes.get(*it).rank).max();
        let rank = highest.unwrap_or(0) + 1;
        let node = self.touch(belief);
        let was_doubtful = node.is(Node::PENDING);
        let raised = rank > node.rank;
        node.mark(Node::PENDING, false);
        (node.label, node.support, node.rank) = (label, Some(by), rank);
        if raised && !was_doubtful {
            self.raise_supported(belief);
        }
    }

    /// What a belief supports keeps a higher rank than it. What a doubtful belief supported is in
    /// doubt itself or has found another support.
    fn raise_supported(&mut self, belief: BeliefId) {
        let mut raised = vec![belief];
        while let Some(belief) = raised.pop() {
            let rank = self.network.nodes.get(belief).rank;
            let supported = self.network.dependents_of(belief).filter_map(|id| {
                let head = self.network.head_of(id);
                let node = self.network.nodes.get(head);
                let lags = node.support == Some(id) && node.rank <= rank;
                (lags && !node.is(Node::PENDING)).then_some(head)
            });
            let supported: Vec<BeliefId> = supported.collect();
            for head in &supported {
                self.network.nodes.get_mut(*head).rank = rank + 1;
            }
            raised.extend(supported);
        }
    }

    /// Offers the best that the justifications of a belief give.
    fn offer_best(&mut self, belief: BeliefId, candidates: &mut Candidates) {
        if self.network.nodes.get(belief).is(Node::REFUTED) {
            return;
        }
        let values = self.network.justifications_of(belief);
        let values = values.map(|it| (self.network.value(it), it));
        let best = values.max();
        let waits = |it| self.network.is_waiting(it);
        let doubtful = self.network.nodes.get(belief).is(Node::PENDING);
        if !doubtful && self.network.justifications_of(belief).any(waits) {
            self.wait(belief);
        }
        if let Some((value, id)) = best.filter(|(value, _)| value.is_in()) {
            let of_value = candidates.entry(Reverse(value)).or_default();
            of_value.push_back((belief, id));
        }
    }

    /// Offers what a justification gives its belief, if that is news; notes the belief if that
    /// can not be said yet.
    fn offer(&mut self, id: JustificationId, candidates: &mut Candidates) {
        let head = self.network.head_of(id);
        let node = self.network.nodes.get(head);
        if node.is(Node::REFUTED) {
            return;
        }
        let value = self.network.value(id);
        if value.is_in() && (node.is(Node::PENDING) || value > node.label) {
            let of_value = candidates.entry(Reverse(value)).or_default();
            of_value.push_back((head, id));
        } else if !value.is_in() && !node.is(Node::PENDING) && self.network.is_waiting(id) {
            self.wait(head);
        }
    }

    fn wait(&mut self, belief: BeliefId) {
        if !self.network.nodes.get(belief).is(Node::WAITING) {
            self.network.nodes.get_mut(belief).mark(Node::WAITING, true);
            self.waiting.push(belief);
        }
    }

    /// Offers what a settled belief gives its dependents: to the doubtful in any case, and to what
    /// waits for a doubtful premise; to others only if it gained.
    fn offer_dependents(&mut self, belief: BeliefId, gained: bool, candidates: &mut Candidates) {
        let mut asking = std::mem::take(&mut self.asking);
        self.network.dependents_of(belief).for_each(|id| {
            let head = self.network.nodes.get(self.network.head_of(id));
            if gained || head.is(Node::PENDING | Node::WAITING) {
                asking.push(id);
            }
        });
        for id in asking.drain(..) {
            self.offer(id, candidates);
        }
        self.asking = asking;
    }
}
