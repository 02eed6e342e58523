//! Groups of sources that are mirrors of one another: each counts as one origin. For `copying`.

use std::sync::Arc;

use immune_model::SourceId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ledger::Said;
use crate::origins::Origin;
use crate::state::ById;

/// The groups of two sources and more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// The oldest source of the group that a source is in.
    first: ById<SourceId, SourceId>,
    /// The sources of a group, by its oldest, in order.
    members: ById<SourceId, Arc<[SourceId]>>,
}

impl Groups {
    /// The groups that these pairs make.
    pub(crate) fn of(pairs: impl Iterator<Item = (SourceId, SourceId)>) -> Self {
        let mut groups = Self::default();
        for (one, other) in pairs {
            groups.join(one, other);
        }
        groups
    }

    /// The oldest source of the group of a source; itself if it is in none.
    pub(crate) fn first_of(&self, source: SourceId) -> SourceId {
        self.first.get(&source).copied().unwrap_or(source)
    }

    /// The sources of the group that a source is in; none if it is in none.
    pub(crate) fn members_of(&self, source: SourceId) -> &[SourceId] {
        let first = self.first_of(source);
        self.members.get(&first).map_or(&[], |it| it)
    }

    /// The same, or the source alone.
    pub(crate) fn all_with(&self, source: SourceId) -> Vec<SourceId> {
        match self.members_of(source) {
            [] => vec![source],
            members => members.to_vec(),
        }
    }

    /// Whether two sources are one origin.
    pub(crate) fn is_one(&self, one: SourceId, other: SourceId) -> bool {
        self.first_of(one) == self.first_of(other)
    }

    /// Whose origin a statement has: that of the group, if its source is in one.
    pub(super) fn origin(&self, said: &Said) -> Origin {
        match self.first.get(&said.source) {
            Some(first) => Origin::Source(*first),
            None => said.origin,
        }
    }

    pub(super) fn join(&mut self, one: SourceId, other: SourceId) {
        let (first, second) = (self.first_of(one), self.first_of(other));
        if first == second {
            return;
        }
        let (first, second) = (first.min(second), first.max(second));
        let mut members = self.all_with(first);
        let more = self.all_with(second);
        for it in &more {
            self.first.insert_mut(*it, first);
        }
        self.first.insert_mut(first, first);
        members.extend(more);
        members.sort_unstable();
        self.members.remove_mut(&second);
        self.members.insert_mut(first, members.into());
    }

    /// Takes the group of a source apart, and puts together what these pairs still hold together.
    pub(super) fn split(
        &mut self,
        source: SourceId,
        pairs: impl Iterator<Item = (SourceId, SourceId)>,
    ) {
        let members: FxHashSet<SourceId> = self.members_of(source).iter().copied().collect();
        self.members.remove_mut(&self.first_of(source));
        for it in &members {
            self.first.remove_mut(it);
        }
        for (one, other) in pairs {
            if members.contains(&one) {
                self.join(one, other);
            }
        }
    }
}

/// How pairs hang together without some of them: whether the first source reaches the second.
pub(super) fn is_reached(
    from: SourceId,
    to: SourceId,
    pairs: impl Iterator<Item = (SourceId, SourceId)>,
) -> bool {
    let mut next: FxHashMap<SourceId, Vec<SourceId>> = FxHashMap::default();
    for (one, other) in pairs {
        next.entry(one).or_default().push(other);
        next.entry(other).or_default().push(one);
    }
    let mut seen = FxHashSet::from_iter([from]);
    let mut stack = vec![from];
    while let Some(it) = stack.pop() {
        if it == to {
            return true;
        }
        let more = next.get(&it).into_iter().flatten();
        stack.extend(more.copied().filter(|it| seen.insert(*it)));
    }
    false
}
