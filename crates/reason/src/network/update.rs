//! Keeping labels up: which beliefs are IN, and how strongly, over what a change affects.
//!
//! A label is the max-min value of a belief (semantics.md 4); that it is not 0 is IN. Each belief
//! that is IN keeps one justification as its support, with a rank above those of its premises,
//! so that along supports nothing rests on itself.
//!
//! A change is followed in two passes: `doubt` finds what can not keep its label by what is known
//! to keep theirs, and `settling` finds new labels for that, and for what gains. What is in doubt
//! at the end is OUT. Circular support dies with its last ground, since a circle in doubt settles
//! from nothing.
//!
//! Only the doubtful, what gains, their dependents and those dependents' premises are read. What
//! costs is to wait for memory. So both passes go through many beliefs at once, in short loops in
//! which no read and no branch waits for the read before it, and where there is a choice in the
//! order of ids, which is how beliefs lie in memory.

use immune_model::{BeliefId, JustificationId};

use super::column::Run;
use super::{Dependent, Label, Network, Node};

/// How many premises are read before one is looked at.
const PREMISES_AT_ONCE: usize = 8;

/// What a change starts from: only what moved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seeds {
    /// Justifications whose facts moved.
    pub(crate) justifications: Vec<JustificationId>,
    /// Beliefs that were refuted, or are no more.
    pub(crate) beliefs: Vec<BeliefId>,
    /// The justifications among these that were written or undone.
    pub(crate) written: Vec<JustificationId>,
}

impl Seeds {
    /// Whether nothing moved.
    pub(crate) fn is_empty(&self) -> bool {
        self.justifications.is_empty() && self.beliefs.is_empty() && self.written.is_empty()
    }
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
    pub(super) may_stand: Vec<BeliefId>,
    /// What waits for a doubtful premise.
    pub(super) waiting: Vec<BeliefId>,
    /// Dependents that are gone through next.
    pub(super) asking: Vec<Dependent>,
    /// What justifications give, as they were weighed last.
    pub(super) weighed: Weighed,
}

/// What a justification gives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// Nothing while a premise is OUT or in doubt.
    pub(super) label: Label,
    /// The highest rank of its premises, if it gives anything.
    pub(super) rank: u32,
}

/// What many justifications give, one after the other.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    read: Vec<(Label, Run)>,
    pub(super) given: Vec<Given>,
}

impl Node {
    /// Its label, if that is not in doubt.
    fn sure(&self) -> Label {
        Label(self.label.0 * u16::from(!self.is(Self::PENDING)))
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
            weighed: Weighed::default(),
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

    /// What a justification gives now.
    pub(super) fn value(&self, id: JustificationId) -> Label {
        let cap = self.allowed.get(id).cap;
        self.given(cap, self.premises_of(id)).label
    }

    /// What a justification with this cap and these premises gives now.
    fn given(&self, cap: Label, premises: &[BeliefId]) -> Given {
        let mut given = Given {
            label: cap,
            rank: 0,
        };
        for premises in premises.chunks(PREMISES_AT_ONCE) {
            if !given.label.is_in() {
                break;
            }
            for premise in premises {
                let node = self.nodes.get(*premise);
                given.label = given.label.min(node.sure());
                given.rank = given.rank.max(node.rank);
            }
        }
        given
    }

    /// What each of these gives now.
    pub(super) fn weigh(&self, ids: impl Iterator<Item = JustificationId>, weighed: &mut Weighed) {
        weighed.read.clear();
        weighed.given.clear();
        let read = ids.map(|it| (self.allowed.get(it).cap, self.grounds.get(it).premises));
        weighed.read.extend(read);
        let read = weighed.read.iter();
        let given = read.map(|(cap, premises)| self.given(*cap, self.premises.get(*premises)));
        weighed.given.extend(given);
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
}
