//! Items by a digest: what is found by what it says, in a memory of any size.
//!
//! A state that was unpacked has a table of them, sorted, that is looked up where it lies; what
//! came and went since is in a map beside it. One that was folded from its log has the map only.

use std::io;

use super::{Packer, Rows, Unpacker, u32_at};
use crate::arena::Slot;
use crate::state::ById;

/// A digest: nobody finds two things with the same.
pub(crate) type Key = [u8; 16];

/// A key, and the slot of the item.
const ROW: usize = size_of::<Key>() + size_of::<u32>();

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
            None => self.base.find(key, key_of).map(item_of),
        }
    }

    pub(crate) fn insert(&mut self, key: Key, item: I) {
        self.recent.insert_mut(key, Some(item));
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        if self.base.find(key, key_of).is_some() {
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

    pub(crate) fn pack(&self, to: &mut Packer<'_>) -> io::Result<()> {
        if self.recent.is_empty() {
            return to.body(self.base.as_rows().as_flattened());
        }
        let of_base = self.base.as_rows().iter();
        let of_base = of_base.filter(|row| self.recent.get(&key_of(row)).is_none());
        let recent = self.recent.iter();
        let recent = recent.filter_map(|(key, item)| item.map(|item| row_of(key, item)));
        let mut rows: Vec<[u8; ROW]> = of_base.copied().chain(recent).collect();
        rows.sort_unstable();
        to.body(rows.as_flattened())
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
    use crate::pack::Bytes;

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
