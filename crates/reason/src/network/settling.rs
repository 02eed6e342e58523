//! Settling: labels for what is in doubt, and for what gains.
//!
//! This is Knuth's generalisation of Dijkstra's algorithm (1977): strongest first, each belief once,
//! since what a belief gives is never more than its label. All that is offered one label is settled
//! together, and then what rests on it is asked.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use immune_model::{BeliefId, JustificationId};

use super::update::Update;
use super::{Dependent, Label, Network, Node};

/// What may be settled next: the strongest first, and among equals what was found first, which
/// keeps ranks low.
type Candidates = BTreeMap<Reverse<Label>, Vec<(BeliefId, JustificationId)>>;

impl Network {
    /// Whether a justification gives nothing only as long as a premise is in doubt.
    fn is_waiting(&self, id: JustificationId) -> bool {
        let mut premises = self.premises_of(id).iter();
        self.allowed.get(id).cap.is_in() && premises.any(|it| self.nodes.get(*it).is(Node::PENDING))
    }
}

impl Update<'_> {
    /// Settles the doubtful and what gains, strongest first.
    pub(super) fn settle(&mut self) {
        let mut candidates = Candidates::new();
        self.ask_first();
        self.offer(&mut candidates);
        while let Some((Reverse(label), found)) = candidates.pop_first() {
            for (belief, by) in found {
                let before = *self.network.nodes.get(belief);
                if before.is(Node::PENDING) || label > before.label {
                    self.settle_one(belief, by, label);
                    self.ask_dependents(belief, label > before.label);
                }
            }
            self.offer(&mut candidates);
        }
        for belief in std::mem::take(&mut self.waiting) {
            self.network
                .nodes
                .get_mut(belief)
                .mark(Node::WAITING, false);
        }
    }

    /// Asks the justifications of the doubtful, and those whose facts moved.
    fn ask_first(&mut self) {
        let network = &*self.network;
        let doubtful = |it: &BeliefId| network.nodes.get(*it).is(Node::PENDING);
        let beliefs = self.seeds.beliefs.iter().filter(|it| !doubtful(it));
        let beliefs = self.may_stand.iter().chain(beliefs);
        let of_beliefs = beliefs.flat_map(|it| network.justifications_of(*it));
        let all = of_beliefs.chain(self.seeds.justifications.iter().copied());
        self.asking.clear();
        self.asking.extend(all.map(|justification| Dependent {
            justification,
            head: network.head_of(justification),
        }));
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

    /// Asks the dependents of a settled belief: the doubtful in any case, and what waits for a
    /// doubtful premise; others only if it gained.
    fn ask_dependents(&mut self, belief: BeliefId, gained: bool) {
        let network = &*self.network;
        let asking = &mut self.asking;
        network.dependents(belief).for_each(|it| {
            if gained || network.nodes.get(it.head).is(Node::PENDING | Node::WAITING) {
                asking.push(it);
            }
        });
    }

    /// Offers what those that are asked give their beliefs, where that is news; notes the belief
    /// where it can not be said yet.
    fn offer(&mut self, candidates: &mut Candidates) {
        let asking = std::mem::take(&mut self.asking);
        let justifications = asking.iter().map(|it| it.justification);
        self.network.weigh(justifications, &mut self.weighed);
        for (place, it) in asking.iter().enumerate() {
            let node = self.network.nodes.get(it.head);
            let given = self.weighed.given.get(place);
            let value = given.map_or(Label::OUT, |it| it.label);
            if node.is(Node::REFUTED) {
                continue;
            }
            if value.is_in() && (node.is(Node::PENDING) || value > node.label) {
                let of_value = candidates.entry(Reverse(value)).or_default();
                of_value.push((it.head, it.justification));
            } else if !value.is_in()
                && !node.is(Node::PENDING | Node::WAITING)
                && self.network.is_waiting(it.justification)
            {
                self.network
                    .nodes
                    .get_mut(it.head)
                    .mark(Node::WAITING, true);
                self.waiting.push(it.head);
            }
        }
        self.asking = asking;
        self.asking.clear();
    }
}
