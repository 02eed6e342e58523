//! Packed values: a state as bytes, and back.
//!
//! For `state::pack`, which says what a packed state holds, and for the arenas, columns and tables
//! in it. Nothing here touches a disk. Whoever keeps the bytes makes sure that they are those that
//! were written; here, bytes that are not are a plain `None` wherever they are read at once.
//!
//! Numbers are LEB128, so that small ones take a byte; what is looked up where it lies, without
//! being unpacked, has rows of a fixed width (`Rows`).

/// The packed form of a record is that of its fields, in the order that is written here.
macro_rules! records {
    ($($record:ident { $($field:ident)* })*) => {$(
        impl $crate::pack::Packed for $record {
            fn pack(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::pack::Packed::pack($field, out);)*
            }

            fn unpack(input: &mut $crate::pack::Input<'_>) -> Option<Self> {
                $(let $field = $crate::pack::Packed::unpack(input)?;)*
                Some(Self { $($field),* })
            }
        }
    )*};
}
pub(crate) use records;

mod items;
mod keys;
mod values;

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

pub(crate) use keys::{Keys, key};

/// Bytes that are shared: a part of them is cheap to hold.
#[derive(Clone, Default)]
pub struct Bytes {
    all: Arc<Vec<u8>>,
    part: Range<usize>,
}

impl Bytes {
    /// All of these.
    pub fn new(bytes: Vec<u8>) -> Self {
        let part = 0..bytes.len();
        Self {
            all: Arc::new(bytes),
            part,
        }
    }

    /// The part of them that is at these places, if there is one.
    pub fn part(&self, part: Range<usize>) -> Option<Self> {
        self.as_slice().get(part.clone())?;
        Some(Self {
            all: Arc::clone(&self.all),
            part: self.part.start + part.start..self.part.start + part.end,
        })
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.all
            .get(self.part.clone())
            .expect("a part was there when it was made")
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.part.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.part.is_empty()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.len())
    }
}

/// A value that has a packed form.
pub(crate) trait Packed: Sized {
    fn pack(&self, out: &mut Vec<u8>);

    /// The value that stands next, if what stands there is one.
    fn unpack(input: &mut Input<'_>) -> Option<Self>;
}

/// Bytes that are still to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number of values that follow; never more than there are bytes.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    fn text(&mut self) -> Option<&'a str> {
        let len = self.count()?;
        std::str::from_utf8(self.bytes(len)?).ok()
    }
}

fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    put_number(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

/// Writes a packed state: bodies as they come, and an index of them that is written last.
pub(crate) struct Packer<'a> {
    out: &'a mut dyn Write,
    index: Vec<u8>,
    body: Vec<u8>,
}

impl<'a> Packer<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            index: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A value that is read at once.
    pub(crate) fn note(&mut self, value: &impl Packed) {
        value.pack(&mut self.index);
    }

    /// A body that lies ready.
    pub(crate) fn body(&mut self, bytes: &[u8]) -> io::Result<()> {
        put_number(bytes.len() as u64, &mut self.index);
        self.out.write_all(bytes)
    }

    /// A body of values.
    pub(crate) fn values<'v, T: Packed + 'v>(
        &mut self,
        values: impl Iterator<Item = &'v T>,
    ) -> io::Result<()> {
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        for value in values {
            value.pack(&mut body);
        }
        let written = self.body(&body);
        self.body = body;
        written
    }

    /// The index, and its length.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.index)?;
        self.out.write_all(&(self.index.len() as u64).to_le_bytes())
    }
}

/// Reads what a [`Packer`] wrote, in the same order.
pub(crate) struct Unpacker<'a> {
    bytes: &'a Bytes,
    index: Input<'a>,
    at: usize,
    end: usize,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(bytes: &'a Bytes) -> Option<Self> {
        let (before, len) = bytes.as_slice().split_last_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let end = before.len().checked_sub(len)?;
        Some(Self {
            bytes,
            index: Input::new(before.get(end..)?),
            at: 0,
            end,
        })
    }

    pub(crate) fn noted<T: Packed>(&mut self) -> Option<T> {
        T::unpack(&mut self.index)
    }

    pub(crate) fn body(&mut self) -> Option<Bytes> {
        let len = usize::try_from(self.index.number()?).ok()?;
        let end = self.at.checked_add(len).filter(|end| *end <= self.end)?;
        let body = self.bytes.part(self.at..end)?;
        self.at = end;
        Some(body)
    }

    /// The values of a body.
    pub(crate) fn values<T: Packed, C: FromIterator<T>>(&mut self) -> Option<C> {
        let body = self.body()?;
        let mut input = Input::new(body.as_slice());
        std::iter::from_fn(|| (!input.is_empty()).then(|| T::unpack(&mut input))).collect()
    }

    /// Whether everything was read.
    pub(crate) fn is_done(&self) -> bool {
        self.index.is_empty() && self.at == self.end
    }
}

/// Rows of one width, looked up where they lie.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows<const WIDTH: usize> {
    bytes: Bytes,
}

impl<const WIDTH: usize> Rows<WIDTH> {
    pub(crate) fn of(bytes: Bytes) -> Option<Self> {
        let whole = bytes.len().is_multiple_of(WIDTH);
        whole.then_some(Self { bytes })
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / WIDTH
    }

    pub(crate) fn get(&self, place: usize) -> Option<&[u8; WIDTH]> {
        self.as_rows().get(place)
    }

    pub(crate) fn as_rows(&self) -> &[[u8; WIDTH]] {
        self.bytes.as_slice().as_chunks().0
    }

    /// The row whose key is this, in rows that are sorted by that key.
    pub(crate) fn find<K: Ord>(
        &self,
        key: &K,
        key_of: impl Fn(&[u8; WIDTH]) -> K,
    ) -> Option<&[u8; WIDTH]> {
        let rows = self.as_rows();
        rows.get(rows.binary_search_by_key(key, key_of).ok()?)
    }
}

/// The number that stands at this place of a row.
pub(crate) fn u32_at(row: &[u8], at: usize) -> u32 {
    let bytes = row.get(at..).and_then(<[u8]>::first_chunk);
    u32::from_le_bytes(*bytes.expect("a row has its width"))
}

/// The number that stands at this place of a row.
pub(crate) fn u64_at(row: &[u8], at: usize) -> u64 {
    let bytes = row.get(at..).and_then(<[u8]>::first_chunk);
    u64::from_le_bytes(*bytes.expect("a row has its width"))
}

/// The pairs of a map, in an order that does not depend on the map's.
pub(crate) fn pairs<'m, K: Packed + 'm, V: Packed + 'm>(
    to: &mut Packer<'_>,
    pairs: impl Iterator<Item = (&'m K, &'m V)>,
) -> io::Result<()> {
    let packed = pairs.map(|(key, value)| {
        let mut pair = Vec::new();
        key.pack(&mut pair);
        value.pack(&mut pair);
        pair
    });
    let mut packed: Vec<Vec<u8>> = packed.collect();
    packed.sort_unstable();
    to.body(&packed.concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_is_read_as_it_was_written(number: u64, signed: i64) {
            let mut bytes = Vec::new();
            number.pack(&mut bytes);
            signed.pack(&mut bytes);
            let mut input = Input::new(&bytes);
            prop_assert_eq!(u64::unpack(&mut input), Some(number));
            prop_assert_eq!(i64::unpack(&mut input), Some(signed));
            prop_assert!(input.is_empty());
        }

        #[test]
        fn bytes_of_any_kind_are_a_value_or_none(bytes: Vec<u8>) {
            let mut input = Input::new(&bytes);
            while Vec::<(u32, Option<i64>)>::unpack(&mut input).is_some() {}
            prop_assert!(Unpacker::new(&Bytes::new(bytes)).is_none_or(|mut it| it.body().is_none() || it.at <= it.end));
        }
    }
}
