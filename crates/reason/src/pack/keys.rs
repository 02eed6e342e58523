//! Items by a digest: what is found by what it says, in a memory of any size.
//!
//! Most of them are in a table, sorted, that is looked up where it lies: 20 bytes each, shared by
//! all snapshots. What came and went since is in a map beside it, and goes into the table once
//! there is enough of it: amortised O(1) an item.

use std::io;

use super::{Bytes, Packer, Rows, Unpacker, u32_at};
use crate::arena::Slot;
use crate::state::ById;

/// A digest: nobody finds two things with the same.
pub(crate) type Key = [u8; 16];

/// A key, and the slot of the item.
const ROW: usize = size_of::<Key>() + size_of::<u32>();

/// How much may be beside the table before it goes into it.
const RECENT_MIN: usize = 1 << 14;

/// Rows that are passed over in the first step of a search.
const STEP: usize = 64;

/// Items by digest.
#[derive(Debug, Clone)]
pub(crate) struct Keys<I> {
    base: Rows<ROW>,
    /// What differs from the base: nothing stands for what was taken out.
    recent: ById<Key, Option<I>>,
}

impl<I> Default for Keys<I> {
    fn default() -> Self {
        Self {
            base: Rows::default(),
            recent: ById::default(),
        }
    }
}

impl<I: Slot> Keys<I> {
    pub(crate) fn get(&self, key: &Key) -> Option<I> {
        match self.recent.get(key) {
            Some(found) => *found,
            None => self.find_in_base(key).map(item_of),
        }
    }

    pub(crate) fn insert(&mut self, key: Key, item: I) {
        self.recent.insert_mut(key, Some(item));
        if self.recent.size() >= RECENT_MIN.max(self.base.len() / 2) {
            *self = Self {
                base: Rows::of(Bytes::new(self.rows().into_flattened()))
                    .expect("rows have their width"),
                recent: ById::default(),
            };
        }
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        if self.find_in_base(key).is_some() {
            self.recent.insert_mut(*key, None);
        } else {
            self.recent.remove_mut(key);
        }
    }

    /// The items, in no order.
    pub(crate) fn items(&self) -> impl Iterator<Item = I> + '_ {
        let of_base = self.base.as_rows().iter();
        let of_base = of_base.filter(|row| self.recent.get(&key_of(row)).is_none());
        let recent = self.recent.values().filter_map(|it| *it);
        of_base.map(item_of).chain(recent)
    }

    /// The row of a key in the table. Digests are spread evenly, so that its place is nearly known.
    fn find_in_base(&self, key: &Key) -> Option<&[u8; ROW]> {
        let rows = self.base.as_rows();
        let (front, _) = key.split_first_chunk().expect("a key has 16 bytes");
        let part = u128::from(u64::from_be_bytes(*front)) * rows.len() as u128;
        let near = usize::try_from(part >> 64).unwrap_or(usize::MAX);
        let is_before = |place: usize| rows.get(place).is_some_and(|row| key_of(row) < *key);
        let (mut low, mut high, mut step) = (near, near, STEP);
        while low > 0 && !is_before(low) {
            low = low.saturating_sub(step);
            step *= 2;
        }
        step = STEP;
        while is_before(high) {
            high = (high + step).min(rows.len());
            step *= 2;
        }
        let among = rows.get(low..high.saturating_add(1).min(rows.len()))?;
        among.get(among.binary_search_by_key(key, key_of).ok()?)
    }

    /// Every key with its item, sorted.
    fn rows(&self) -> Vec<[u8; ROW]> {
        let recent = self.recent.iter().map(|(key, item)| (*key, *item));
        let mut recent: Vec<(Key, Option<I>)> = recent.collect();
        recent.sort_unstable_by_key(|(key, _)| *key);
        let mut rows = Vec::with_capacity(self.base.len() + recent.len());
        let mut base = self.base.as_rows().iter().peekable();
        for (key, item) in recent {
            while let Some(row) = base.next_if(|row| key_of(row) < key) {
                rows.push(*row);
            }
            base.next_if(|row| key_of(row) == key);
            rows.extend(item.map(|item| row_of(&key, item)));
        }
        rows.extend(base);
        rows
    }

    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        if self.recent.is_empty() {
            return to.body(self.base.as_rows().as_flattened());
        }
        to.body(self.rows().as_flattened())
    }

    pub(crate) fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self {
            base: Rows::of(from.body()?)?,
            recent: ById::default(),
        })
    }
}

fn key_of(row: &[u8; ROW]) -> Key {
    let (key, _) = row.split_first_chunk().expect("a row begins with its key");
    *key
}

fn item_of<I: Slot>(row: &[u8; ROW]) -> I {
    I::at(u32_at(row, size_of::<Key>()) as usize)
}

fn row_of<I: Slot>(key: &Key, item: I) -> [u8; ROW] {
    let mut row = [0; ROW];
    let (front, back) = row.split_at_mut(key.len());
    front.copy_from_slice(key);
    let slot = u32::try_from(item.slot()).expect("fewer than u32::MAX items");
    back.copy_from_slice(&slot.to_le_bytes());
    row
}

/// The digest of some parts, in which no two lists of parts look alike.
pub(crate) fn key(parts: &[&[u8]]) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut key = Key::default();
    hasher.finalize_xof().fill(&mut key);
    key
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use immune_model::BeliefId;
    use proptest::prelude::*;

    use super::*;

    fn packed_again(keys: &Keys<BeliefId>) -> Keys<BeliefId> {
        let mut bytes = Vec::new();
        let mut packer = Packer::new(&mut bytes);
        keys.pack(&mut packer).unwrap();
        packer.finish().unwrap();
        let bytes = Bytes::new(bytes);
        let mut unpacker = Unpacker::new(&bytes).unwrap();
        let keys = Keys::unpack(&mut unpacker).unwrap();
        assert!(unpacker.is_done());
        keys
    }

    #[test]
    fn many_keys_are_found_in_the_table_and_beside_it() {
        let mut keys = Keys::default();
        let n = 3 * RECENT_MIN + 100;
        let key_at = |it: usize| key(&[&it.to_le_bytes()]);
        for it in 0..n {
            keys.insert(key_at(it), BeliefId::from_index(it));
        }
        assert!(keys.base.len() >= RECENT_MIN && !keys.recent.is_empty());
        for it in (0..n).step_by(7) {
            keys.remove(&key_at(it));
        }
        let again = packed_again(&keys);
        for keys in [&keys, &again] {
            for it in 0..n + 100 {
                let wanted = (it < n && it % 7 > 0).then(|| BeliefId::from_index(it));
                assert_eq!(keys.get(&key_at(it)), wanted);
            }
            assert_eq!(keys.items().count(), n - n.div_ceil(7));
        }
        // Keys that are not spread are found too.
        let mut ends = Keys::default();
        for it in 0..RECENT_MIN {
            let mut low = Key::default();
            low[8..].copy_from_slice(&it.to_be_bytes());
            ends.insert(low, BeliefId::from_index(it));
        }
        assert_eq!(ends.get(&Key::default()), Some(BeliefId::from_index(0)));
        let mut last = Key::default();
        last[8..].copy_from_slice(&(RECENT_MIN - 1).to_be_bytes());
        assert_eq!(ends.get(&last), Some(BeliefId::from_index(RECENT_MIN - 1)));
        assert_eq!(ends.get(&[255; 16]), None);
    }

    proptest! {
        #[test]
        fn keys_are_a_map_however_often_they_are_packed(
            steps in prop::collection::vec((any::<u8>(), prop::option::weighted(0.7, 0..99_usize), prop::bool::weighted(0.1)), 0..200),
        ) {
            let (mut keys, mut twin) = (Keys::default(), BTreeMap::new());
            for (word, item, pack) in steps {
                let key = super::key(&[&[word % 32]]);
                if let Some(item) = item.map(BeliefId::from_index) {
                    keys.insert(key, item);
                    twin.insert(key, item);
                } else {
                    keys.remove(&key);
                    twin.remove(&key);
                }
                if pack {
                    keys = packed_again(&keys);
                }
                for word in 0..32 {
                    let key = super::key(&[&[word]]);
                    prop_assert_eq!(keys.get(&key), twin.get(&key).copied());
                }
                let mut items: Vec<_> = keys.items().collect();
                let mut wanted: Vec<_> = twin.values().copied().collect();
                items.sort_unstable();
                wanted.sort_unstable();
                prop_assert_eq!(items, wanted);
            }
        }
    }
}
