//! Keeping the two wider models up: OPEN (without closing facts) and EVER (without refuting ones
//! too). Called by `update`, once the labels are settled.
//!
//! IN implies OPEN and OPEN implies EVER, so that what is looked at is only what is in the wider
//! model and not in the narrower one: what was closed, or fell. There, what a loss reaches is
//! taken out, and grown again from what is left (delete and re-derive; Gupta, Mumick and
//! Subrahmanian, 1993).

use immune_model::{BeliefId, JustificationId};

use super::update::Update;
use super::{Allowed, Dependent, Network, Node};

/// A model with the one that it contains.
#[derive(Clone, Copy)]
struct Level {
    node: u8,
    allowed: u8,
    /// Whether a refuted belief may stand in it.
    of_refuted: bool,
}

const OPEN: Level = Level {
    node: Node::OPEN,
    allowed: Allowed::OPEN,
    of_refuted: false,
};

const EVER: Level = Level {
    node: Node::EVER,
    allowed: Allowed::WRITTEN,
    of_refuted: true,
};

impl Level {
    /// Whether the narrower model settles it.
    fn is_implied(self, node: &Node) -> bool {
        node.label.is_in() || (self.node == Node::EVER && node.is(Node::OPEN))
    }
}

impl Network {
    fn gives(&self, id: JustificationId, level: Level) -> bool {
        let mut premises = self.premises_of(id).iter();
        self.allowed.get(id).is(level.allowed)
            && premises.all(|it| self.nodes.get(*it).is(level.node))
    }

    fn is_given(&self, belief: BeliefId, level: Level) -> bool {
        let may_stand = level.of_refuted || !self.nodes.get(belief).is(Node::REFUTED);
        let mut by = self.justifications_of(belief);
        may_stand && by.any(|it| self.gives(it, level))
    }
}

impl Update<'_> {
    /// Brings OPEN and EVER up to date, where the labels do not say all: see [`Network::update`].
    pub(super) fn levels(&mut self) {
        if !self.open_is_in {
            let heads = self.seeds.justifications.iter();
            let heads = heads.map(|it| self.network.head_of(*it));
            let moved = self.moved.iter().map(|it| it.belief);
            let asked = heads.chain(self.seeds.beliefs.iter().copied()).chain(moved);
            let asked: Vec<BeliefId> = asked.collect();
            let lost = self.take_out(&asked, OPEN);
            self.grow(lost.iter().chain(&asked), OPEN);
        }
        // EVER is lost only when something is undone, and won only when something is written.
        let written = self.seeds.written.iter();
        let asked: Vec<BeliefId> = written.map(|it| self.network.head_of(*it)).collect();
        let is_undone = |it: &JustificationId| !self.network.allowed.get(*it).is(Allowed::WRITTEN);
        let lost = if self.seeds.written.iter().any(is_undone) {
            self.take_out(&asked, EVER)
        } else {
            Vec::new()
        };
        self.grow(lost.iter().chain(&asked), EVER);
    }

    /// Takes beliefs out of a model, and all that they may have supported there.
    fn take_out(&mut self, beliefs: &[BeliefId], level: Level) -> Vec<BeliefId> {
        let mut lost = Vec::new();
        let mut stack = beliefs.to_vec();
        while let Some(belief) = stack.pop() {
            let node = self.network.nodes.get(belief);
            if !node.is(level.node) || level.is_implied(node) {
                continue;
            }
            self.touch(belief).mark(level.node, false);
            lost.push(belief);
            stack.extend(self.network.heads_on(belief));
        }
        lost
    }

    /// Puts beliefs that stand in a model into it, and what they support there.
    fn grow<'b>(&mut self, beliefs: impl Iterator<Item = &'b BeliefId>, level: Level) {
        let mut standing: Vec<BeliefId> = Vec::new();
        for belief in beliefs {
            if !self.network.nodes.get(*belief).is(level.node) {
                self.stand(*belief, level, &mut standing);
            }
        }
        while let Some(belief) = standing.pop() {
            let dependents = self.network.dependents(belief);
            let allowed = |it: &Dependent| {
                let allowed = self.network.allowed.get(it.justification);
                allowed.is(level.allowed)
            };
            let heads: Vec<BeliefId> = dependents.filter(allowed).map(|it| it.head).collect();
            for head in heads {
                self.stand(head, level, &mut standing);
            }
        }
    }

    /// Puts a belief into a model, if it stands there and is not in it.
    fn stand(&mut self, belief: BeliefId, level: Level, standing: &mut Vec<BeliefId>) {
        let node = self.network.nodes.get(belief);
        if node.is(level.node) {
            return;
        }
        if level.is_implied(node) || self.network.is_given(belief, level) {
            self.touch(belief).mark(level.node, true);
            standing.push(belief);
        }
    }
}
