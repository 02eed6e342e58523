//! The network of support: which justification rests on which beliefs, and what stands. Nothing of texts,
//! sources or times: what a cascade of any size reads and writes, about 100 bytes a belief.
//!
//! `State` says what each justification may give at most ([`Facts`]); [`Network::update`] keeps the
//! least fixpoints up over what these change. Nothing else writes a node.

mod column;
mod doubt;
mod levels;
mod pack;
mod settling;
#[cfg(test)]
mod tests;
mod update;

use std::sync::Arc;

use immune_model::{BeliefId, JustificationId, Status, Trust};

use crate::arena::Slot;
pub(crate) use column::Column;
use column::{Run, Runs};
pub(crate) use update::{Moved, Seeds};

/// How many dependents may be linked one by one before they are laid out anew.
const LINKED_MIN: usize = 4096;

/// A place in a list that is threaded through a column: appending is O(1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EdgeId(std::num::NonZeroU32);

impl Slot for EdgeId {
    fn slot(self) -> usize {
        self.0.get() as usize - 1
    }

    fn at(slot: usize) -> Self {
        let number = u32::try_from(slot + 1).ok();
        Self(
            number
                .and_then(std::num::NonZeroU32::new)
                .expect("fewer than u32::MAX edges"),
        )
    }
}

/// In which of the three least models a belief stands (semantics.md 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Levels {
    /// With neither refuting nor closing facts.
    pub(crate) ever: bool,
    /// Without closing facts.
    pub(crate) open: bool,
    /// With all facts.
    pub(crate) in_now: bool,
}

impl Levels {
    pub(crate) const ALL: Self = Self {
        ever: true,
        open: true,
        in_now: true,
    };

    /// What rests on a flagged source or observation: it had support, and a refutation took it.
    pub(crate) const FLAGGED: Self = Self {
        ever: true,
        open: false,
        in_now: false,
    };

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            ever: self.ever && other.ever,
            open: self.open && other.open,
            in_now: self.in_now && other.in_now,
        }
    }

    /// The status of what is neither refuted nor closed itself.
    pub(crate) fn status_of_dependent(self) -> Status {
        if !self.ever {
            Status::Unsupported
        } else if !self.open {
            Status::Revoked
        } else if self.in_now {
            Status::Active
        } else {
            Status::Stale
        }
    }
}

/// What the facts about a justification itself allow: its own closings, the source or agent
/// behind it, the observations among its premises. Its beliefs are not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    /// The most that it can give; nothing when it is closed, or an observation is.
    pub(crate) cap: Option<Trust>,
    /// Whether it counts once closing facts are left out.
    pub(crate) open: bool,
    /// Whether it was not undone.
    pub(crate) written: bool,
}

/// Strength and IN in one number: 0 is OUT, one more than the thousandths is IN. The least
/// fixpoint of max over min in this order is both fixpoints at once, since a threshold of a
/// max-min value is the Boolean one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Label(u16);

impl Label {
    const OUT: Self = Self(0);

    fn of(strength: Option<Trust>) -> Self {
        strength.map_or(Self::OUT, |it| Self(it.thousandths() + 1))
    }

    fn is_in(self) -> bool {
        self != Self::OUT
    }

    fn strength(self) -> Trust {
        let thousandths = self.0.saturating_sub(1);
        Trust::from_thousandths(thousandths).expect("a label was made from a strength")
    }
}

/// A belief.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// The justification by which it stands with this label: along these, nothing supports itself.
    support: Option<JustificationId>,
    /// More than that of every premise of `support`; 0 when OUT.
    rank: u32,
    label: Label,
    status: StatusByte,
    marks: u8,
}

/// A status in one byte, `unsupported` by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StatusByte(Status);

impl Default for StatusByte {
    fn default() -> Self {
        Self(Status::Unsupported)
    }
}

impl Node {
    const EVER: u8 = 1;
    const OPEN: u8 = 2;
    const REFUTED: u8 = 4;
    /// Its justifications use different words.
    const MANY_WORDS: u8 = 8;
    /// Its support is in question, within an update.
    const PENDING: u8 = 16;
    /// It is noted as moved, within an update.
    const TOUCHED: u8 = 32;
    /// A justification of it waits for a doubtful premise, within an update.
    const WAITING: u8 = 64;
    /// More than one justification was ever written for it.
    const SEVERAL: u8 = 128;

    fn is(&self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    fn mark(&mut self, mark: u8, on: bool) {
        if on {
            self.marks |= mark;
        } else {
            self.marks &= !mark;
        }
    }

    pub(crate) fn status(&self) -> Status {
        self.status.0
    }

    pub(crate) fn is_refuted(&self) -> bool {
        self.is(Self::REFUTED)
    }

    pub(crate) fn strength(&self) -> Trust {
        self.label.strength()
    }

    pub(crate) fn levels(&self) -> Levels {
        Levels {
            ever: self.is(Self::EVER),
            open: self.is(Self::OPEN),
            in_now: self.label.is_in(),
        }
    }
}

/// Where the lists of a belief start.
#[derive(Debug, Clone, Copy, Default)]
struct Lists {
    justifications: Option<JustificationId>,
    dependents: Option<EdgeId>,
    uses: Option<EdgeId>,
}

/// A justification: what never changes about it.
#[derive(Debug, Clone, Copy, Default)]
struct Ground {
    head: Option<BeliefId>,
    /// The one before it of the same belief.
    previous: Option<JustificationId>,
    premises: Run,
}

impl Ground {
    fn head(&self) -> BeliefId {
        self.head.expect("a justification was pushed with its head")
    }
}

/// What the facts about a justification allow. Apart from [`Ground`], so that a flag that closes
/// many copies little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Allowed {
    cap: Label,
    marks: u8,
}

impl Allowed {
    const OPEN: u8 = 1;
    const WRITTEN: u8 = 2;

    fn of(facts: Facts) -> Self {
        Self {
            cap: Label::of(facts.cap),
            marks: u8::from(facts.open) * Self::OPEN + u8::from(facts.written) * Self::WRITTEN,
        }
    }

    fn is(self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    /// It would count if it were not closed.
    fn is_closed(self) -> bool {
        self.is(Self::OPEN) && !self.cap.is_in()
    }
}

/// A justification that has a belief as a premise, with the belief that it supports: a cascade
/// goes on there without reading the justification.
#[derive(Debug, Clone, Copy)]
struct Dependent {
    justification: JustificationId,
    head: BeliefId,
}

/// A dependent of a belief, and the next one.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    dependent: Option<Dependent>,
    next: Option<EdgeId>,
}

/// The dependents that were there when it was laid out, side by side, newest first.
#[derive(Debug, Default)]
struct Base {
    starts: Vec<u32>,
    dependents: Vec<Dependent>,
}

impl Base {
    fn of(&self, belief: BeliefId) -> &[Dependent] {
        let bound = |place: usize| self.starts.get(place).map(|it| *it as usize);
        let range = bound(belief.index()).zip(bound(belief.index() + 1));
        range
            .and_then(|(first, end)| self.dependents.get(first..end))
            .unwrap_or_default()
    }
}

/// All beliefs and justifications of a memory. A clone is a snapshot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    nodes: Column<BeliefId, Node>,
    lists: Column<BeliefId, Lists>,
    grounds: Column<JustificationId, Ground>,
    allowed: Column<JustificationId, Allowed>,
    premises: Runs<BeliefId>,
    base: Arc<Base>,
    links: Column<EdgeId, Link>,
    /// Justifications that are closed and would count otherwise.
    n_closed: usize,
    /// Whether there was none in the last update and is none now: then OPEN is IN.
    open_is_in: bool,
    /// Beliefs whose justifications use different words.
    n_many_words: usize,
}

impl Network {
    /// A belief without any justification.
    pub(crate) fn push_belief(&mut self) {
        self.nodes.push(Node::default());
        self.lists.push(Lists::default());
    }

    /// A justification with the beliefs among its premises; it gives nothing until its facts are
    /// set and the network is updated.
    pub(crate) fn push_justification(&mut self, head: BeliefId, premises: &[BeliefId]) {
        let previous = self.lists.get(head).justifications;
        let premises_run = self.premises.push(premises);
        let id = self.grounds.push(Ground {
            head: Some(head),
            previous,
            premises: premises_run,
        });
        self.allowed.push(Allowed::default());
        self.lists.get_mut(head).justifications = Some(id);
        if previous.is_some() && !self.nodes.get(head).is(Node::SEVERAL) {
            self.nodes.get_mut(head).mark(Node::SEVERAL, true);
        }
        for premise in premises {
            let next = self.lists.get(*premise).dependents;
            let edge = self.links.push(Link {
                dependent: Some(Dependent {
                    justification: id,
                    head,
                }),
                next,
            });
            self.lists.get_mut(*premise).dependents = Some(edge);
        }
    }

    /// Lays the dependents out side by side, once there are enough that are not: amortised O(1) a
    /// dependent.
    pub(crate) fn lay_out(&mut self) {
        if self.links.len() >= LINKED_MIN.max(self.base.dependents.len() / 2) {
            self.lay_out_now();
        }
    }

    fn lay_out_now(&mut self) {
        let n = self.nodes.len();
        let ids = || (0..self.grounds.len()).map(JustificationId::from_index);
        let mut starts = vec![0_u32; n + 1];
        for id in ids() {
            for premise in self.premises_of(id) {
                if let Some(count) = starts.get_mut(premise.index() + 1) {
                    *count += 1;
                }
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let filler = Dependent {
            justification: JustificationId::from_index(0),
            head: BeliefId::from_index(0),
        };
        let mut dependents = vec![filler; total as usize];
        let mut free = starts.clone();
        for id in ids().rev() {
            let head = self.head_of(id);
            for premise in self.premises_of(id) {
                let place = free.get_mut(premise.index());
                let place = place.expect("every premise is a belief of the network");
                if let Some(slot) = dependents.get_mut(*place as usize) {
                    *slot = Dependent {
                        justification: id,
                        head,
                    };
                }
                *place += 1;
            }
        }
        for belief in (0..n).map(BeliefId::from_index) {
            if self.lists.get(belief).dependents.is_some() {
                self.lists.get_mut(belief).dependents = None;
            }
        }
        self.base = Arc::new(Base { starts, dependents });
        self.links = Column::default();
    }

    pub(crate) fn find(&self, belief: BeliefId) -> Option<&Node> {
        self.nodes.find(belief)
    }

    pub(crate) fn get(&self, belief: BeliefId) -> &Node {
        self.nodes.get(belief)
    }

    /// Sets the statuses of beliefs, each once and in order.
    pub(crate) fn set_statuses(&mut self, statuses: &[(BeliefId, Status)]) {
        let mut of = statuses.iter().map(|(_, status)| *status);
        let ids = statuses.iter().map(|(belief, _)| *belief);
        self.nodes.write_in_order(ids, |_, node| {
            node.status = of.next().map_or(node.status, StatusByte);
        });
    }

    /// Every justification that was ever written for a belief, newest first.
    #[inline]
    pub(crate) fn justifications_of(
        &self,
        belief: BeliefId,
    ) -> impl Iterator<Item = JustificationId> + '_ {
        let last = self.lists.find(belief).and_then(|it| it.justifications);
        std::iter::successors(last, |it| self.grounds.get(*it).previous)
    }

    /// The justifications that have a belief as a premise, newest first.
    #[inline]
    pub(crate) fn dependents_of(
        &self,
        belief: BeliefId,
    ) -> impl Iterator<Item = JustificationId> + use<'_> {
        self.dependents(belief).map(|it| it.justification)
    }

    /// The beliefs that the dependents of a belief support, one for each of these.
    #[inline]
    pub(crate) fn heads_on(&self, belief: BeliefId) -> impl Iterator<Item = BeliefId> + use<'_> {
        self.dependents(belief).map(|it| it.head)
    }

    #[inline]
    fn dependents(&self, belief: BeliefId) -> impl Iterator<Item = Dependent> + use<'_> {
        let linked = if self.links.len() == 0 {
            None
        } else {
            self.lists.find(belief).and_then(|it| it.dependents)
        };
        std::iter::successors(linked, |it| self.links.get(*it).next)
            .filter_map(|it| self.links.get(it).dependent)
            .chain(self.base.of(belief).iter().copied())
    }

    /// Adds the dependents of a belief to others.
    #[inline]
    fn extend_with_dependents(&self, dependents: &mut Vec<Dependent>, belief: BeliefId) {
        if self.links.len() > 0 {
            dependents.extend(self.dependents(belief));
        } else {
            dependents.extend_from_slice(self.base.of(belief));
        }
    }

    /// The beliefs among the premises of a justification.
    pub(crate) fn premises_of(&self, id: JustificationId) -> &[BeliefId] {
        self.premises.get(self.grounds.get(id).premises)
    }

    /// The belief that a justification supports.
    #[inline]
    pub(crate) fn head_of(&self, id: JustificationId) -> BeliefId {
        self.grounds.get(id).head()
    }

    /// Where the list of decisions on a belief starts.
    pub(crate) fn uses_of(&self, belief: BeliefId) -> Option<EdgeId> {
        self.lists.find(belief).and_then(|it| it.uses)
    }

    pub(crate) fn set_uses(&mut self, belief: BeliefId, first: EdgeId) {
        self.lists.get_mut(belief).uses = Some(first);
    }

    /// Whether its justifications use different words.
    pub(crate) fn has_many_words(&self, belief: BeliefId) -> bool {
        self.nodes.get(belief).is(Node::MANY_WORDS)
    }

    /// Whether any belief's justifications use different words.
    pub(crate) fn has_words_to_choose(&self) -> bool {
        self.n_many_words > 0
    }

    /// Notes that the justifications of a belief use different words.
    pub(crate) fn note_words(&mut self, belief: BeliefId) {
        if !self.nodes.get(belief).is(Node::MANY_WORDS) {
            self.nodes.get_mut(belief).mark(Node::MANY_WORDS, true);
            self.n_many_words += 1;
        }
    }

    /// What is known of a justification when a flag takes it away: nothing else about it matters.
    pub(crate) fn facts_under_flag(&self, id: JustificationId) -> Facts {
        Facts {
            cap: None,
            open: false,
            written: self.allowed.get(id).is(Allowed::WRITTEN),
        }
    }

    /// Sets what the facts about a justification allow, and notes what moved.
    pub(crate) fn set_facts(&mut self, id: JustificationId, facts: Facts, moved: &mut Seeds) {
        let (before, after) = (*self.allowed.get(id), Allowed::of(facts));
        if before == after {
            return;
        }
        self.n_closed += usize::from(after.is_closed());
        self.n_closed -= usize::from(before.is_closed());
        *self.allowed.get_mut(id) = after;
        moved.justifications.push(id);
        if before.is(Allowed::WRITTEN) != after.is(Allowed::WRITTEN) {
            moved.written.push(id);
        }
    }

    /// Sets whether a belief is refuted, and notes if that moved.
    pub(crate) fn set_refuted(&mut self, belief: BeliefId, refuted: bool, moved: &mut Seeds) {
        if self.nodes.get(belief).is(Node::REFUTED) != refuted {
            self.nodes.get_mut(belief).mark(Node::REFUTED, refuted);
            moved.beliefs.push(belief);
        }
    }

    /// The id that the next justification gets.
    pub(crate) fn next_justification(&self) -> JustificationId {
        JustificationId::at(self.grounds.len())
    }

    /// What a justification gives its belief now; 0 if a premise does not stand.
    pub(crate) fn strength_given_by(&self, id: JustificationId) -> Trust {
        self.value(id).strength()
    }

    /// Bytes that the network takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.lists.bytes()
            + self.grounds.bytes()
            + self.allowed.bytes()
            + self.premises.bytes()
            + self.links.bytes()
            + self.base.starts.capacity() * size_of::<u32>()
            + self.base.dependents.capacity() * size_of::<Dependent>()
    }
}
