//! The smallest set that meets every one of some sets. Called by `origins` only.
//!
//! Iterative deepening over the size, branching on the smallest set not met yet: exact, and quick
//! where there are few origins or many disjoint sets. NP-hard in general, hence the budget.

use std::collections::BTreeSet;

/// Origins, numbered within one question.
pub(super) type Set = BTreeSet<u32>;

/// A smallest set that meets each of `sets`, of at least `least` members; nothing if the budget
/// is spent before one is found. `steps` counts the branches.
pub(super) fn smallest(
    sets: &[Set],
    least: usize,
    budget: Option<u64>,
    steps: &mut u64,
) -> Option<Set> {
    let mut search = Search {
        sets,
        budget,
        steps,
    };
    let mut size = least.max(1);
    loop {
        let mut chosen = Set::new();
        match search.extend(&mut chosen, size) {
            Some(true) => return Some(chosen),
            Some(false) => size += 1,
            None => return None,
        }
    }
}

struct Search<'a> {
    sets: &'a [Set],
    budget: Option<u64>,
    steps: &'a mut u64,
}

impl Search<'_> {
    /// Whether `chosen` can be completed with at most `left` more; nothing if the budget is spent.
    fn extend(&mut self, chosen: &mut Set, left: usize) -> Option<bool> {
        *self.steps += 1;
        if self.budget.is_some_and(|budget| *self.steps > budget) {
            return None;
        }
        let unmet = self.sets.iter();
        let unmet: Vec<&Set> = unmet.filter(|set| set.is_disjoint(chosen)).collect();
        let Some(next) = unmet.iter().min_by_key(|set| set.len()) else {
            return Some(true);
        };
        if left == 1 {
            // The last one has to be in all of them.
            let in_all = |it: &&u32| unmet.iter().all(|set| set.contains(it));
            let last = next.iter().find(in_all);
            chosen.extend(last);
            return Some(last.is_some());
        }
        if left == 0 || self.needed(chosen) > left {
            return Some(false);
        }
        for origin in next.iter().copied().collect::<Vec<_>>() {
            chosen.insert(origin);
            if self.extend(chosen, left - 1)? {
                return Some(true);
            }
            chosen.remove(&origin);
        }
        Some(false)
    }

    /// Pairwise disjoint sets that are not met yet need a member each: a lower bound.
    fn needed(&self, chosen: &Set) -> usize {
        let mut spent = Set::new();
        let mut needed = 0;
        for set in self.sets {
            if set.is_disjoint(chosen) && set.is_disjoint(&spent) {
                spent.extend(set);
                needed += 1;
            }
        }
        needed
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn brute_force(sets: &[Set]) -> usize {
        let subsets = 0_u32..1 << 10;
        let meets = |mask: &u32| {
            sets.iter()
                .all(|set| set.iter().any(|it| mask & (1 << it) != 0))
        };
        subsets.filter(meets).map(u32::count_ones).min().unwrap() as usize
    }

    proptest! {
        #[test]
        fn it_is_as_small_as_brute_force_finds(
            sets in proptest::collection::vec(proptest::collection::btree_set(0..10_u32, 1..5), 0..12),
        ) {
            let found = smallest(&sets, 0, None, &mut 0).unwrap();
            prop_assert!(sets.iter().all(|set| !set.is_disjoint(&found)));
            prop_assert_eq!(found.len(), brute_force(&sets));
        }
    }

    #[test]
    fn a_spent_budget_is_said() {
        let sets: Vec<Set> = (0..8).map(|it| Set::from([it * 2, it * 2 + 1])).collect();
        assert_eq!(smallest(&sets, 0, Some(3), &mut 0), None);
    }
}
