//! Paths in a directed graph: the nodes that all of them share, and the fewest that meet them all.
//! Called by `choke` only; it knows nothing of memories.

use std::collections::VecDeque;

/// A directed graph: for each node the nodes after it.
#[derive(Debug, Clone, Default)]
pub(super) struct Net {
    pub(super) next: Vec<Vec<usize>>,
}

/// The fewest nodes that meet every path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meeting {
    /// The nodes; empty if the budget was spent.
    pub(super) nodes: Vec<usize>,
    /// How many they are, or at least are.
    pub(super) size: usize,
    /// Whether it is that many.
    pub(super) exact: bool,
}

impl Net {
    fn after(&self, node: usize) -> &[usize] {
        self.next.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    /// A shortest path, its ends included; nothing if there is none.
    fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before: Vec<Option<usize>> = vec![None; self.next.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                let mut path = vec![to];
                path.extend(
                    std::iter::successors(Some(to), |it| {
                        let previous = before.get(*it).copied().flatten();
                        previous.filter(|_| *it != from)
                    })
                    .skip(1),
                );
                path.reverse();
                return Some(path);
            }
            for next in self.after(node) {
                if let Some(slot) = before.get_mut(*next).filter(|it| it.is_none())
                    && *next != from
                {
                    *slot = Some(node);
                    queue.push_back(*next);
                }
            }
        }
        None
    }

    /// The nodes between the ends that lie on every path, in the order of the paths: the
    /// dominators. Walks one path, and from each of its nodes all that leaves it, to see how far
    /// on it comes back.
    pub(super) fn on_every_path(&self, from: usize, to: usize) -> Vec<usize> {
        let Some(path) = self.path(from, to) else {
            return Vec::new();
        };
        let mut step_of: Vec<Option<usize>> = vec![None; self.next.len()];
        for (step, node) in path.iter().enumerate() {
            if let Some(slot) = step_of.get_mut(*node) {
                *slot = Some(step);
            }
        }
        let mut seen = vec![false; self.next.len()];
        let mut furthest = 0;
        let mut shared = Vec::new();
        for (step, node) in path.iter().enumerate() {
            if step == furthest && *node != from && *node != to {
                shared.push(*node);
            }
            let mut stack = vec![*node];
            while let Some(node) = stack.pop() {
                for next in self.after(node) {
                    if let Some(step) = step_of.get(*next).copied().flatten() {
                        furthest = furthest.max(step);
                    } else {
                        let seen = seen.get_mut(*next);
                        if seen.is_some_and(|it| !std::mem::replace(it, true)) {
                            stack.push(*next);
                        }
                    }
                }
            }
        }
        shared
    }

    /// The fewest nodes for which `may` holds that meet every path; nothing if some path has none
    /// of them. By flows through nodes that let one unit pass each (Menger's theorem).
    pub(super) fn meeting(
        &self,
        (from, to): (usize, usize),
        may: impl Fn(usize) -> bool,
        mut budget: u64,
    ) -> Option<Meeting> {
        let may = |node: usize| node != from && node != to && may(node);
        if self.is_open(from, to, may) {
            return None;
        }
        let mut flow = Flow::of(self, may);
        let mut size = 0;
        while let Some(path) = flow.augmenting(out(from), inside(to), &mut budget) {
            flow.send(&path);
            size += 1;
        }
        if budget == 0 {
            let (nodes, exact) = (Vec::new(), false);
            return Some(Meeting { nodes, size, exact });
        }
        let reached = flow.reached(out(from));
        let is = |it: usize| reached.get(it).copied().unwrap_or_default();
        let cut = (0..self.next.len()).filter(|it| may(*it) && is(inside(*it)) && !is(out(*it)));
        Some(Meeting {
            nodes: cut.collect(),
            size,
            exact: true,
        })
    }

    /// Whether some path has no node between that may be taken.
    fn is_open(&self, from: usize, to: usize, may: impl Fn(usize) -> bool) -> bool {
        let mut seen = vec![false; self.next.len()];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            for next in self.after(node) {
                if *next == to {
                    return true;
                }
                if let Some(seen) = seen.get_mut(*next).filter(|it| !**it && !may(*next)) {
                    *seen = true;
                    stack.push(*next);
                }
            }
        }
        false
    }
}

/// The side of a node at which paths come in.
fn inside(node: usize) -> usize {
    node * 2
}

/// The side at which they leave.
fn out(node: usize) -> usize {
    node * 2 + 1
}

/// What may still pass, along each edge and back.
struct Flow {
    /// For each side, its edges: pairs of an edge and its reverse are 2k and 2k + 1.
    of: Vec<Vec<usize>>,
    to: Vec<usize>,
    left: Vec<u32>,
}

impl Flow {
    fn of(net: &Net, may: impl Fn(usize) -> bool) -> Self {
        let mut flow = Self {
            of: vec![Vec::new(); net.next.len() * 2],
            to: Vec::new(),
            left: Vec::new(),
        };
        for (node, next) in net.next.iter().enumerate() {
            let through = if may(node) { 1 } else { u32::MAX };
            flow.join(inside(node), out(node), through);
            for next in next {
                flow.join(out(node), inside(*next), u32::MAX);
            }
        }
        flow
    }

    fn join(&mut self, from: usize, to: usize, left: u32) {
        for (side, to, left) in [(from, to, left), (to, from, 0)] {
            if let Some(edges) = self.of.get_mut(side) {
                edges.push(self.to.len());
            }
            self.to.push(to);
            self.left.push(left);
        }
    }

    /// The edges of a shortest path along which more may pass; nothing if there is none, or the
    /// budget is spent.
    fn augmenting(&self, from: usize, to: usize, budget: &mut u64) -> Option<Vec<usize>> {
        let mut by: Vec<Option<usize>> = vec![None; self.of.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(side) = queue.pop_front() {
            if side == to {
                let edge_to = |side: usize| by.get(side).copied().flatten();
                let back = |edge: &usize| edge_to(*self.to.get(*edge ^ 1)?);
                return Some(std::iter::successors(edge_to(to), back).collect());
            }
            for (edge, next) in self.leaving(side) {
                *budget = budget.saturating_sub(1);
                if let Some(slot) = by.get_mut(next).filter(|it| it.is_none())
                    && next != from
                {
                    *slot = Some(edge);
                    queue.push_back(next);
                }
            }
            if *budget == 0 {
                return None;
            }
        }
        None
    }

    fn leaving(&self, side: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let edges = self.of.get(side).into_iter().flatten().copied();
        let open = edges.filter(|it| self.left.get(*it).is_some_and(|left| *left > 0));
        open.filter_map(|it| Some((it, *self.to.get(it)?)))
    }

    fn send(&mut self, path: &[usize]) {
        for edge in path {
            for (edge, more) in [(*edge, false), (*edge ^ 1, true)] {
                if let Some(left) = self.left.get_mut(edge).filter(|it| **it != u32::MAX) {
                    *left = if more { *left + 1 } else { *left - 1 };
                }
            }
        }
    }

    fn reached(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.of.len()];
        let mut stack = vec![from];
        while let Some(side) = stack.pop() {
            let seen = reached.get_mut(side);
            if seen.is_some_and(|it| !std::mem::replace(it, true)) {
                stack.extend(self.leaving(side).map(|(_, next)| next));
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn connected(net: &Net, (from, to): (usize, usize), without: u32) -> bool {
        let mut seen = without | 1 << from;
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            for next in &net.next[node] {
                if *next == to {
                    return true;
                }
                if seen & (1 << next) == 0 {
                    seen |= 1 << next;
                    stack.push(*next);
                }
            }
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn shared_nodes_and_smallest_cuts_are_what_brute_force_finds(
            edges in proptest::collection::vec((0..10_usize, 0..10_usize), 0..25),
            fixed in 0..1024_u32,
        ) {
            let mut net = Net { next: vec![Vec::new(); 10] };
            for (from, to) in edges {
                net.next[from].push(to);
            }
            let ends = (0, 9);
            let between = 1..9_usize;
            let is_there = connected(&net, ends, 0);
            let mut shared = net.on_every_path(0, 9);
            shared.sort_unstable();
            let expected: Vec<usize> = between.clone()
                .filter(|it| is_there && !connected(&net, ends, 1 << it))
                .collect();
            prop_assert_eq!(shared, expected);

            let may = |it: usize| fixed & (1 << it) == 0;
            let allowed = |mask: &u32| (0..10).all(|it| mask & (1 << it) == 0 || (between.contains(&it) && may(it)));
            let cuts = (0..1024_u32).filter(allowed).filter(|it| !connected(&net, ends, *it));
            let least = cuts.map(u32::count_ones).min().map(|it| it as usize);
            let found = net.meeting(ends, may, u64::MAX);
            prop_assert_eq!(found.as_ref().map(|it| it.size), least);
            if let Some(found) = found {
                let mask = found.nodes.iter().fold(0, |mask, it| mask | 1 << it);
                prop_assert!(found.exact && found.nodes.len() == found.size);
                prop_assert!(allowed(&mask) && !connected(&net, ends, mask));
            }
        }
    }

    #[test]
    fn a_spent_budget_is_a_lower_bound() {
        let mut net = Net {
            next: vec![Vec::new(); 12],
        };
        for node in 1..11 {
            net.next[0].push(node);
            net.next[node].push(11);
        }
        let found = net.meeting((0, 11), |_| true, 60).unwrap();
        assert!(!found.exact && found.size < 10, "{found:?}");
    }
}
