//! The `k`-th largest of the numbers so far.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A number that has an order.
#[derive(Debug, Clone, Copy)]
struct Ordered(f32);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The `k` largest numbers, of which the least counts.
#[derive(Debug)]
pub(super) struct Floor {
    k: usize,
    largest: BinaryHeap<Reverse<Ordered>>,
    value: f32,
}

impl Floor {
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            largest: BinaryHeap::new(),
            value: f32::NEG_INFINITY,
        }
    }

    /// The `k`-th largest; below everything as long as there are fewer.
    #[inline]
    pub(super) fn value(&self) -> f32 {
        self.value
    }

    pub(super) fn raise(&mut self, by: f32) {
        if by <= self.value {
            return;
        }
        if self.largest.len() == self.k {
            self.largest.pop();
        }
        self.largest.push(Reverse(Ordered(by)));
        if self.largest.len() == self.k
            && let Some(Reverse(Ordered(least))) = self.largest.peek()
        {
            self.value = *least;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_kth_largest(
            k in 1_usize..8,
            values in prop::collection::vec(-3.0_f32..3.0, 0..40),
        ) {
            let mut floor = Floor::new(k);
            for value in &values {
                floor.raise(*value);
            }
            let mut sorted = values;
            sorted.sort_by(|a, b| b.total_cmp(a));
            let kth = sorted.get(k - 1).copied().unwrap_or(f32::NEG_INFINITY);
            prop_assert!(floor.value().total_cmp(&kth).is_eq());
        }
    }
}
