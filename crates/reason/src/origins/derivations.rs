//! The minimal derivations of a belief, each as the set of its origins: what an assumption-based
//! truth maintenance system calls a label (de Kleer 1986). Called by `origins` only.
//!
//! Where many sources say the same, this is a set for each of them, and everything about them is
//! read off at once. Where premises with many derivations meet there may be too many sets to write
//! down; then nothing is answered, and derivations are looked for one by one.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::hitting::Set;
use super::proofs::{Ground, Proofs};

/// Steps for each justification, and the least that is tried: a step is a set that is made or
/// compared.
const STEPS_EACH: u64 = 16;
const STEPS_LEAST: u64 = 4_096;

/// Sets of which none is in another.
#[derive(Default)]
struct Label {
    sets: Vec<Option<Vec<u32>>>,
    /// The sets of one member.
    singles: FxHashSet<u32>,
    /// The larger sets that hold a member.
    holding: FxHashMap<u32, Vec<usize>>,
}

impl Label {
    fn sets(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.sets.iter().flatten()
    }

    /// Takes up a sorted set unless one that is there is in it; whether it did.
    fn insert(&mut self, set: Vec<u32>, steps: &mut u64) -> bool {
        *steps += 1;
        if set.iter().any(|it| self.singles.contains(it)) {
            return false;
        }
        for held in set.iter().filter_map(|it| self.holding.get(it)) {
            for place in held {
                *steps += 1;
                let known = self.sets.get(*place).and_then(Option::as_ref);
                if known.is_some_and(|known| is_within(known, &set)) {
                    return false;
                }
            }
        }
        let larger = set.first().and_then(|it| self.holding.get(it));
        for place in larger.into_iter().flatten() {
            *steps += 1;
            let slot = self.sets.get_mut(*place);
            if let Some(slot) = slot
                && slot.as_ref().is_some_and(|known| is_within(&set, known))
            {
                *slot = None;
            }
        }
        if let [single] = *set {
            self.singles.insert(single);
        } else {
            for member in &set {
                let held = self.holding.entry(*member).or_default();
                held.push(self.sets.len());
            }
        }
        self.sets.push(Some(set));
        true
    }
}

/// Justifications that are to be looked at, each once at a time.
struct Waiting {
    queue: VecDeque<usize>,
    is_in: Vec<bool>,
}

impl Waiting {
    fn push(&mut self, place: usize) {
        if let Some(is_in) = self.is_in.get_mut(place)
            && !std::mem::replace(is_in, true)
        {
            self.queue.push_back(place);
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let place = self.queue.pop_front()?;
        if let Some(is_in) = self.is_in.get_mut(place) {
            *is_in = false;
        }
        Some(place)
    }
}

impl Proofs {
    /// The minimal derivations of what is in question, as sets of origins; nothing if there are too
    /// many to write down.
    pub(super) fn derivations(&self) -> Option<Vec<Set>> {
        let n_justifications = self.justifications.len();
        let mut left = (STEPS_EACH * n_justifications as u64).max(STEPS_LEAST);
        let mut labels: Vec<Label> = Vec::new();
        labels.resize_with(self.members.len(), Label::default);
        let mut waiting = Waiting {
            queue: VecDeque::new(),
            is_in: vec![false; n_justifications],
        };
        // Those that were found last are nearest to the ground.
        (0..n_justifications).rev().for_each(|it| waiting.push(it));
        while let Some(place) = waiting.pop() {
            let ground = self.justifications.get(place)?;
            let product = ground.product(&labels, left)?;
            let label = labels.get_mut(ground.head)?;
            let (mut steps, mut is_news) = (product.len() as u64, false);
            for set in product {
                is_news |= label.insert(set, &mut steps);
            }
            left = left.checked_sub(steps)?;
            if is_news {
                let dependents = self.dependents.get(ground.head);
                dependents
                    .into_iter()
                    .flatten()
                    .for_each(|it| waiting.push(*it));
            }
        }
        let sets = labels.first()?.sets();
        Some(sets.map(|it| it.iter().copied().collect()).collect())
    }
}

impl Ground {
    /// Each way in which its premises are derived together; nothing if there are more than `most`.
    fn product(&self, labels: &[Label], most: u64) -> Option<Vec<Vec<u32>>> {
        let mut own = self.origins.clone();
        own.sort_unstable();
        own.dedup();
        let mut product = vec![own];
        for belief in &self.beliefs {
            let label = labels.get(*belief)?;
            let n_ways = product.len() as u64 * label.sets.len() as u64;
            if n_ways > most {
                return None;
            }
            let joined = product
                .iter()
                .flat_map(|one| label.sets().map(|it| union(one, it)));
            product = joined.collect();
        }
        Some(product)
    }
}

/// Both of two sorted sets.
fn union(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut both = [one, other].concat();
    both.sort_unstable();
    both.dedup();
    both
}

/// Whether a sorted set is part of another.
fn is_within(part: &[u32], whole: &[u32]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|it| whole.any(|other| other == it))
}
