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
//! Only the doubtful, what gains, their dependents and those dependents' premises are read. What
//! costs is to wait for memory, so a rank is gone through in the order of ids, in short loops whose
//! reads do not wait for each other; and a belief with one justification, which is most of them,
//! falls without that justification being read: it is known that a premise of it is in doubt.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use immune_model::{BeliefId, JustificationId};

use super::{Dependent, Label, Network, Node};

/// What a change starts from: only what moved.
#[derive(Debug, Default)]
pub(crate) struct Seeds {
    /// Justifications whose facts moved.
    pub(crate) justifications: Vec<JustificationId>,
    /// Beliefs that were refuted, or are no more.
    pub(crate) beliefs: Vec<BeliefId>,
    /// The justifications among these that were written or undone.
    pub(crate) written: Vec<JustificationId>,
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
    /// Whether OPEN is IN before the change and after it.
    pub(super) open_is_in: bool,
    /// What is in doubt and may have another justification that stands.
    may_stand: Vec<BeliefId>,
    waiting: Vec<BeliefId>,
    asking: Vec<Dependent>,
}

/// What may be settled next: the strongest first, and among equals the first found, which keeps
/// ranks low.
type Candidates = BTreeMap<Reverse<Label>, VecDeque<(BeliefId, JustificationId)>>;

/// A belief that may be in doubt. Those that are sure to have lost their support come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    belief: BeliefId,
    /// Whether its support may give what it did all the same.
    may_keep: bool,
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
    fn pop(&mut self) -> Option<(u32, Vec<Asked>)> {
        if !self.next.is_empty() {
            let next = std::mem::take(&mut self.next);
            let of_rank = self.by_rank.entry(self.next_rank).or_default();
            if of_rank.is_empty() {
                *of_rank = next;
            } else {
                of_rank.extend(next);
            }
        }
        let (rank, mut asked) = self.by_rank.pop_first()?;
        self.next_rank = rank.saturating_add(1);
        asked.sort_unstable();
        asked.dedup_by_key(|it| it.belief);
        Some((rank, asked))
    }
}

impl Network {
    /// Brings every label and level up to date after the facts of these moved, and gives what was
    /// reached, as it was before and in order; its label and levels may be as they were.
    ///
    /// While nothing is closed OPEN is IN, and set together with the labels.
    pub(crate) fn update(&mut self, seeds: &Seeds) -> Vec<Moved> {
        let open_is_in = self.open_is_in && self.n_closed == 0;
        let mut update = Update {
            network: self,
            seeds,
            moved: Vec::new(),
            open_is_in,
            may_stand: Vec::new(),
            waiting: Vec::new(),
            asking: Vec::new(),
        };
        update.doubt();
        update.settle();
        update.drop_doubtful();
        update.levels();
        let mut moved = update.moved;
        moved.sort_by_key(|it| it.belief);
        let ids = moved.iter().map(|it| it.belief);
        self.nodes
            .write_in_order(ids, |_, node| node.mark(Node::TOUCHED, false));
        self.open_is_in = self.n_closed == 0;
        moved
    }

    /// What a justification gives now: nothing while a premise is OUT or in doubt.
    pub(super) fn value(&self, id: JustificationId) -> Label {
        let mut weakest = self.allowed.get(id).cap;
        if !weakest.is_in() {
            return Label::OUT;
        }
        for premise in self.premises_of(id) {
            let node = self.nodes.get(*premise);
            if node.is(Node::PENDING) || !node.label.is_in() {
                return Label::OUT;
            }
            weakest = weakest.min(node.label);
        }
        weakest
    }

    /// Whether a justification gives nothing only as long as a premise is in doubt.
    fn is_waiting(&self, id: JustificationId) -> bool {
        let mut premises = self.premises_of(id).iter();
        self.allowed.get(id).cap.is_in() && premises.any(|it| self.nodes.get(*it).is(Node::PENDING))
    }

    /// Another justification that gives at least this label by beliefs below this rank.
    fn other_support(&self, belief: BeliefId, node: Node, rank: u32) -> Option<JustificationId> {
        let below = |premise: &BeliefId| {
            let premise = self.nodes.get(*premise);
            premise.label >= node.label && premise.rank < rank && !premise.is(Node::PENDING)
        };
        self.justifications_of(belief).find(|it| {
            self.allowed.get(*it).cap >= node.label && self.premises_of(*it).iter().all(below)
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
        let mut queue = self.first_asked();
        while let Some((rank, asked)) = queue.pop() {
            let first = self.moved.len();
            for asked in asked {
                self.ask(asked, rank);
            }
            let (network, found) = (
                &mut *self.network,
                self.moved.get(first..).unwrap_or_default(),
            );
            let ids = found.iter().map(|it| it.belief);
            network.nodes.write_in_order(ids, |_, node| {
                node.mark(Node::PENDING | Node::TOUCHED, true);
            });
            for doubtful in found {
                network.dependents(doubtful.belief).for_each(|it| {
                    let node = network.nodes.get(it.head);
                    if node.support == Some(it.justification) {
                        let asked = Asked {
                            belief: it.head,
                            may_keep: false,
                        };
                        queue.push(node.rank, asked);
                    }
                });
            }
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

    /// Notes a belief as doubtful, unless its support keeps it or another one does.
    fn ask(&mut self, asked: Asked, rank: u32) {
        let (belief, node) = (asked.belief, *self.network.nodes.get(asked.belief));
        if asked.may_keep && self.keeps(node) {
            return;
        }
        let may_stand = !node.is(Node::REFUTED) && (asked.may_keep || node.is(Node::SEVERAL));
        if may_stand {
            if let Some(other) = self.network.other_support(belief, node, rank) {
                self.network.nodes.get_mut(belief).support = Some(other);
                return;
            }
            self.may_stand.push(belief);
        }
        self.moved.push(Moved {
            belief,
            before: node,
        });
    }

    /// Whether the support of a belief still gives what it did.
    fn keeps(&self, node: Node) -> bool {
        let support = node.support.filter(|_| !node.is(Node::REFUTED));
        support.is_some_and(|it| self.network.value(it) >= node.label)
    }

    /// Settles the doubtful and what gains, strongest first.
    fn settle(&mut self) {
        let mut candidates = Candidates::new();
        for belief in std::mem::take(&mut self.may_stand) {
            self.offer_best(belief, &mut candidates);
        }
        for belief in &self.seeds.beliefs {
            if !self.network.nodes.get(*belief).is(Node::PENDING) {
                self.offer_best(*belief, &mut candidates);
            }
        }
        for id in &self.seeds.justifications {
            let (justification, head) = (*id, self.network.head_of(*id));
            let dependent = Dependent {
                justification,
                head,
            };
            self.offer(dependent, &mut candidates);
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

    /// What is in doubt still is OUT.
    fn drop_doubtful(&mut self) {
        self.moved.sort_by_key(|it| it.belief);
        let ids = self.moved.iter().map(|it| it.belief);
        let open_is_in = self.open_is_in;
        self.network.nodes.write_in_order(ids, |_, node| {
            if node.is(Node::PENDING) {
                node.mark(Node::PENDING, false);
                (node.label, node.support, node.rank) = (Label::OUT, None, 0);
            }
            if open_is_in {
                node.mark(Node::OPEN, node.label.is_in());
            }
        });
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
            let supported = self.network.dependents(belief).filter_map(|it| {
                let node = self.network.nodes.get(it.head);
                let lags = node.support == Some(it.justification) && node.rank <= rank;
                (lags && !node.is(Node::PENDING)).then_some(it.head)
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
    fn offer(&mut self, it: Dependent, candidates: &mut Candidates) {
        let (id, head) = (it.justification, it.head);
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
        self.network.dependents(belief).for_each(|it| {
            if gained
                || self
                    .network
                    .nodes
                    .get(it.head)
                    .is(Node::PENDING | Node::WAITING)
            {
                asking.push(it);
            }
        });
        for it in asking.drain(..) {
            self.offer(it, candidates);
        }
        self.asking = asking;
    }
}
