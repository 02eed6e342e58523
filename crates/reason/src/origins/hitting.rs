//! The smallest set that meets every one of some sets. Called by `origins` and by the
//! question of what takes a belief down.
//!
//! What stands in a set alone is forced, and sets that share nothing are solved apart. Within a
//! part: iterative deepening over the size, branching on the smallest set not met yet: exact, and quick
//! where there are few origins or many disjoint sets. NP-hard in general, hence the budget.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

/// Origins, numbered within one question.
pub(crate) type Set = BTreeSet<u32>;

/// A smallest set that meets each of `sets`, which are not empty; it has at least `least` members.
/// `steps` counts the branches; once the budget is spent, the size that is proven to be needed.
pub(crate) fn smallest(
    sets: &[Set],
    least: usize,
    budget: Option<u64>,
    steps: &mut u64,
) -> Result<Set, usize> {
    let parts = Parts::of(sets);
    let is_one = parts.forced.is_empty() && parts.apart.len() == 1;
    let mut chosen = parts.forced;
    let (mut needed, mut is_spent) = (chosen.len(), false);
    for sets in &parts.apart {
        let mut search = Search {
            sets,
            budget,
            steps,
        };
        let mut size = search.needed(&Set::new());
        if is_one {
            size = size.max(least);
        }
        let mut found = Set::new();
        loop {
            match search.extend(&mut found, size) {
                Some(true) => break,
                Some(false) => size += 1,
                None => {
                    is_spent = true;
                    break;
                }
            }
        }
        needed += size;
        chosen.extend(found);
    }
    if is_spent { Err(needed) } else { Ok(chosen) }
}

/// Sets as far as they have to do with each other.
struct Parts<'a> {
    /// What is in a set alone has to be in every answer.
    forced: Set,
    /// The sets that this does not meet, in groups that share no member.
    apart: Vec<Vec<&'a Set>>,
}

impl<'a> Parts<'a> {
    fn of(sets: &'a [Set]) -> Self {
        let singles = sets.iter().filter(|it| it.len() == 1);
        let forced: Set = singles.flatten().copied().collect();
        let unmet = sets.iter().filter(|it| it.is_disjoint(&forced));
        let unmet: Vec<&Set> = unmet.collect();
        // Each set is in the group of the first one that shares a member with it.
        let mut group: Vec<usize> = (0..unmet.len()).collect();
        let mut holder: FxHashMap<u32, usize> = FxHashMap::default();
        for (place, set) in unmet.iter().enumerate() {
            for member in *set {
                let other = *holder.entry(*member).or_insert(place);
                let (one, other) = (root(&mut group, place), root(&mut group, other));
                if let Some(slot) = group.get_mut(one.max(other)) {
                    *slot = one.min(other);
                }
            }
        }
        let mut apart: BTreeMap<usize, Vec<&Set>> = BTreeMap::new();
        for (place, set) in unmet.into_iter().enumerate() {
            apart.entry(root(&mut group, place)).or_default().push(set);
        }
        Self {
            forced,
            apart: apart.into_values().collect(),
        }
    }
}

/// The first of a group, shortening the way to it.
fn root(group: &mut [usize], mut place: usize) -> usize {
    while let Some(next) = group.get(place).copied().filter(|it| *it != place) {
        let after = group.get(next).copied().unwrap_or(next);
        if let Some(slot) = group.get_mut(place) {
            *slot = after;
        }
        place = next;
    }
    place
}

/// A set that meets each of `sets` and weighs least, with its weight; of equals one that needs no
/// more steps. Nothing if the budget is spent.
pub(crate) fn lightest(
    sets: &[Set],
    weights: &[u64],
    budget: u64,
    steps: &mut u64,
) -> Option<(Set, u64)> {
    let parts = Parts::of(sets);
    let weight = |it: &u32| weights.get(*it as usize).copied().unwrap_or(0);
    let mut lightest = parts.forced.iter().map(weight).sum();
    let mut chosen = parts.forced;
    for sets in &parts.apart {
        let mut search = Lightest {
            sets,
            weights,
            budget,
            steps,
            best: None,
        };
        search.extend(&mut Set::new(), 0)?;
        let (found, weight) = search.best?;
        chosen.extend(found);
        lightest += weight;
    }
    Some((chosen, lightest))
}

struct Lightest<'a> {
    sets: &'a [&'a Set],
    weights: &'a [u64],
    budget: u64,
    steps: &'a mut u64,
    best: Option<(Set, u64)>,
}

impl Lightest<'_> {
    fn weight(&self, origin: u32) -> u64 {
        self.weights.get(origin as usize).copied().unwrap_or(0)
    }

    /// Completes `chosen`, keeping the best; nothing if the budget is spent.
    fn extend(&mut self, chosen: &mut Set, weight: u64) -> Option<()> {
        *self.steps += 1;
        if *self.steps > self.budget {
            return None;
        }
        let is_worse = |it: u64| self.best.as_ref().is_some_and(|(_, best)| it >= *best);
        let unmet = self.sets.iter().copied();
        let unmet: Vec<&Set> = unmet.filter(|set| set.is_disjoint(chosen)).collect();
        if is_worse(weight + self.needed(&unmet)) {
            return Some(());
        }
        let Some(next) = unmet.iter().min_by_key(|set| set.len()) else {
            self.best = Some((chosen.clone(), weight));
            return Some(());
        };
        let mut branches: Vec<u32> = next.iter().copied().collect();
        branches.sort_by_key(|it| self.weight(*it));
        for origin in branches {
            chosen.insert(origin);
            self.extend(chosen, weight + self.weight(origin))?;
            chosen.remove(&origin);
        }
        Some(())
    }

    /// Pairwise disjoint sets need their lightest member each: a lower bound.
    fn needed(&self, unmet: &[&Set]) -> u64 {
        let mut spent = Set::new();
        let mut needed = 0;
        for set in unmet {
            if set.is_disjoint(&spent) {
                spent.extend(*set);
                needed += set.iter().map(|it| self.weight(*it)).min().unwrap_or(0);
            }
        }
        needed
    }
}

struct Search<'a> {
    sets: &'a [&'a Set],
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
        let unmet = self.sets.iter().copied();
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
                spent.extend(*set);
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

    proptest! {
        #[test]
        fn it_is_as_light_as_brute_force_finds(
            sets in proptest::collection::vec(proptest::collection::btree_set(0..10_u32, 1..5), 0..12),
            weights in proptest::collection::vec(0..20_u64, 10),
        ) {
            let (found, weight) = lightest(&sets, &weights, u64::MAX, &mut 0).unwrap();
            let of = |set: &mut dyn Iterator<Item = u32>| -> u64 {
                set.map(|it| weights[it as usize]).sum()
            };
            prop_assert!(sets.iter().all(|set| !set.is_disjoint(&found)));
            prop_assert_eq!(of(&mut found.iter().copied()), weight);
            let members = |mask: u32| (0..10).filter(move |it| mask & (1 << it) != 0);
            let meets = |mask: &u32| sets.iter().all(|set| members(*mask).any(|it| set.contains(&it)));
            let masks = (0_u32..1 << 10).filter(meets);
            let least = masks.map(|mask| of(&mut members(mask))).min().unwrap();
            prop_assert_eq!(weight, least);
        }
    }

    #[test]
    fn a_spent_budget_is_said() {
        let sets: Vec<Set> = (0..8).map(|it| Set::from([it * 2, it * 2 + 1])).collect();
        assert_eq!(lightest(&sets, &[1; 16], 3, &mut 0), None);
    }

    #[test]
    fn a_spent_budget_is_said_where_they_are_counted() {
        let sets: Vec<Set> = (0..8).map(|it| Set::from([it * 2, it * 2 + 1])).collect();
        assert_eq!(smallest(&sets, 0, Some(3), &mut 0), Err(8));
    }
}
