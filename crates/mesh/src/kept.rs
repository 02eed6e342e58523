//! What a mesh learned as bytes, and back: what is usual, who carried what, what was said lately.
//!
//! The facts are not among it: those are the log's. Whoever keeps the bytes checks that they are
//! those that were written, by this [`VERSION`](crate::VERSION); bytes that are none change nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use immune_model::Instant;

use crate::baseline::Baseline;
use crate::common::Common;
use crate::mesh::{Lately, Mesh};
use crate::spread::{Beside, Carried, Spread};

impl Mesh {
    /// What was learned, as bytes.
    pub fn learned(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.baselines.keep(&mut out);
        self.of_all.keep(&mut out);
        self.calls.keep(&mut out);
        self.cited.keep(&mut out);
        self.common.keep(&mut out);
        self.spread.keep(&mut out);
        self.lately.keep(&mut out);
        self.usual.keep(&mut out);
        self.seen.keep(&mut out);
        self.told.keep(&mut out);
        out
    }

    /// Takes up what was learned before; whether these bytes are that.
    pub fn learn_again(&mut self, bytes: &[u8]) -> bool {
        let mut again = self.clone();
        let mut rest = bytes;
        let taken = again.take_learned(&mut rest);
        let is_whole = taken.is_some() && rest.is_empty();
        if is_whole {
            *self = again;
        }
        is_whole
    }

    fn take_learned(&mut self, rest: &mut &[u8]) -> Option<()> {
        self.baselines = Kept::take(rest)?;
        self.of_all = Kept::take(rest)?;
        self.calls = Kept::take(rest)?;
        self.cited = Kept::take(rest)?;
        self.common = Kept::take(rest)?;
        self.spread = Kept::take(rest)?;
        self.lately = Kept::take(rest)?;
        self.usual = Kept::take(rest)?;
        self.seen = Kept::take(rest)?;
        self.told = Kept::take(rest)?;
        Some(())
    }
}

/// Something that is kept.
trait Kept: Sized {
    fn keep(&self, out: &mut Vec<u8>);

    /// Takes it off the front of the bytes.
    fn take(rest: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Kept for $number {
            fn keep(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn take(rest: &mut &[u8]) -> Option<Self> {
                let (bytes, after) = rest.split_first_chunk()?;
                *rest = after;
                Some(Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 i64 }

impl Kept for usize {
    fn keep(&self, out: &mut Vec<u8>) {
        (*self as u64).keep(out);
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        Self::try_from(u64::take(rest)?).ok()
    }
}

macro_rules! lists {
    ($($list:ident $item:ident $(: $bound:ident)?;)*) => {$(
        impl<$item: Kept $(+ $bound)?> Kept for $list<$item> {
            fn keep(&self, out: &mut Vec<u8>) {
                (self.len() as u64).keep(out);
                for it in self {
                    it.keep(out);
                }
            }

            fn take(rest: &mut &[u8]) -> Option<Self> {
                let n = u64::take(rest)?;
                // Each takes a byte or more: whoever claims more gets no memory for them.
                (n <= rest.len() as u64).then_some(())?;
                (0..n).map(|_| $item::take(rest)).collect()
            }
        }
    )*};
}

lists! {
    Vec T;
    VecDeque T;
    BTreeSet T: Ord;
}

impl<K: Kept + Ord, V: Kept> Kept for BTreeMap<K, V> {
    fn keep(&self, out: &mut Vec<u8>) {
        (self.len() as u64).keep(out);
        for (key, value) in self {
            key.keep(out);
            value.keep(out);
        }
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        let n = u64::take(rest)?;
        (n <= rest.len() as u64).then_some(())?;
        (0..n)
            .map(|_| Some((K::take(rest)?, V::take(rest)?)))
            .collect()
    }
}

impl<A: Kept, B: Kept> Kept for (A, B) {
    fn keep(&self, out: &mut Vec<u8>) {
        self.0.keep(out);
        self.1.keep(out);
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        Some((A::take(rest)?, B::take(rest)?))
    }
}

impl<T: Kept> Kept for Option<T> {
    fn keep(&self, out: &mut Vec<u8>) {
        u8::from(self.is_some()).keep(out);
        if let Some(value) = self {
            value.keep(out);
        }
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        match u8::take(rest)? {
            0 => Some(None),
            1 => T::take(rest).map(Some),
            _ => None,
        }
    }
}

impl Kept for String {
    fn keep(&self, out: &mut Vec<u8>) {
        (self.len() as u64).keep(out);
        out.extend(self.as_bytes());
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        let n = usize::try_from(u64::take(rest)?).ok()?;
        let (text, after) = rest.split_at_checked(n)?;
        *rest = after;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }
}

impl Kept for Instant {
    fn keep(&self, out: &mut Vec<u8>) {
        self.micros().keep(out);
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        Self::from_micros(i64::take(rest)?)
    }
}

impl Kept for Beside {
    fn keep(&self, out: &mut Vec<u8>) {
        u8::from(*self == Self::OtherWords).keep(out);
    }

    fn take(rest: &mut &[u8]) -> Option<Self> {
        match u8::take(rest)? {
            0 => Some(Self::Nothing),
            1 => Some(Self::OtherWords),
            _ => None,
        }
    }
}

/// Parts that are kept one after the other.
macro_rules! records {
    ($($record:ident { $($part:ident)* })*) => {$(
        impl Kept for $record {
            fn keep(&self, out: &mut Vec<u8>) {
                let Self { $($part),* } = self;
                $($part.keep(out);)*
            }

            fn take(rest: &mut &[u8]) -> Option<Self> {
                Some(Self { $($part: Kept::take(rest)?),* })
            }
        }
    )*};
}

records! {
    Baseline { scores anchor }
    Carried { agent hops from beside at }
    Spread { names numbers prints order }
    Common { texts counts }
    Lately { at hashes letters }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agent, Exchange, Message, Origin, Purpose};

    fn observed() -> Mesh {
        let mut mesh = Mesh::default();
        for (second, agent) in (0..).zip(["ann", "bob", "cat"]) {
            let text = "The quarterly figures are in the folder that finance shares with \
                everybody who asks for it, and the notes of the meeting lie beside them.";
            let said = format!("I looked into it. {text} Let me know.");
            let mail = Message {
                origin: Origin::Outside,
                purpose: Purpose::Found,
                label: "mail",
                text,
            };
            let exchange = Exchange {
                at: Instant::from_seconds(second).unwrap(),
                agent: Agent {
                    name: agent,
                    identity: agent,
                },
                canaries: &[],
                input: &[mail],
                output: &[&said],
                tool_calls: &[],
            };
            mesh.observe(&exchange).unwrap();
        }
        mesh
    }

    #[test]
    fn what_was_learned_is_learned_again() {
        let mesh = observed();
        let bytes = mesh.learned();
        let mut again = Mesh::default();
        assert!(again.learn_again(&bytes));
        assert_eq!(again.learned(), bytes);
        assert_eq!(again.baseline("ann"), mesh.baseline("ann"));
    }

    #[test]
    fn bytes_that_are_none_change_nothing() {
        let bytes = observed().learned();
        let mut mesh = Mesh::default();
        let empty = mesh.learned();
        for cut in 0..bytes.len() {
            assert!(!mesh.learn_again(&bytes[..cut]));
        }
        assert!(!mesh.learn_again(&[bytes.as_slice(), &[0]].concat()));
        assert!(!mesh.learn_again(&[0xff; 64]));
        assert_eq!(mesh.learned(), empty);
    }
}
