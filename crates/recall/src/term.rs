//! The key of the dictionary: a term, in place when it is short. Called by `index` only.
//!
//! Nearly all terms fit in 22 bytes. Kept in place they spare an allocation each and, when a
//! text is added, one walk to cold memory per token. Invariant: equality and hash are those of
//! the bytes, so a borrowed term finds its key.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

/// Bytes kept in place: what fits beside the length without making the key larger.
const INLINE_BYTES: usize = 22;

/// A term as the dictionary keeps it.
#[derive(Debug, Clone)]
pub(crate) enum Term {
    Inline {
        length: u8,
        bytes: [u8; INLINE_BYTES],
    },
    Heap(Box<[u8]>),
}

impl Term {
    /// The bytes of the term.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { length, bytes } => bytes
                .get(..usize::from(*length))
                .expect("the length is that of what was put in"),
            Self::Heap(bytes) => bytes,
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Inline { .. } => 0,
            Self::Heap(bytes) => bytes.len(),
        }
    }
}

impl From<&[u8]> for Term {
    fn from(term: &[u8]) -> Self {
        let mut bytes = [0; INLINE_BYTES];
        match bytes.get_mut(..term.len()) {
            Some(place) => {
                place.copy_from_slice(term);
                Self::Inline {
                    length: term.len() as u8,
                    bytes,
                }
            }
            None => Self::Heap(term.into()),
        }
    }
}

impl Borrow<[u8]> for Term {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_term_of_any_length_is_found_by_its_bytes() {
        assert_eq!(size_of::<Term>(), 24);
        for length in 0..=40 {
            let text = "x".repeat(length);
            let kept = HashMap::from([(Term::from(text.as_bytes()), length)]);
            assert_eq!(kept.get(text.as_bytes()), Some(&length));
        }
    }
}
