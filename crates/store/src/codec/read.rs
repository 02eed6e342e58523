//! The reading half of the codec: CBOR from a slice, content opened on the way.
//!
//! For `fields` and `events` only. The invariant: any bytes whatever give a value or a named
//! error, in time and memory that are linear in their number.

use chacha20poly1305::XChaCha20Poly1305;
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use immune_model::Item;
use minicbor::Decoder;
use minicbor::data::Type;

use super::write::{associated, nonce};
use super::{ContentKey, DecodeError};
use crate::Entry;

/// The unread part of a body, or of content that was sealed in one.
pub(super) struct Reader<'a> {
    input: Decoder<'a>,
    seq: u64,
    number: u32,
    n_sealed: u32,
    keys: &'a [ContentKey],
}

impl<'a> Reader<'a> {
    /// The body of this entry.
    pub(super) fn new(entry: &'a Entry) -> Self {
        Self {
            input: Decoder::new(&entry.body),
            seq: entry.seq,
            number: 0,
            n_sealed: 0,
            keys: &entry.keys,
        }
    }

    /// What follows belongs to an event whose kind has this number.
    pub(super) fn of_event(&mut self, number: u32) {
        self.number = number;
    }

    /// Nothing may be left.
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        match self.bytes_left() {
            0 => Ok(()),
            found => Err(DecodeError::Trailing {
                seq: self.seq,
                found,
            }),
        }
    }

    /// How many bytes are unread: more values than that cannot follow.
    pub(super) fn bytes_left(&self) -> usize {
        self.input
            .input()
            .len()
            .saturating_sub(self.input.position())
    }

    /// The start of an array, which has to have this many values.
    pub(super) fn array(&mut self, len: usize) -> Result<(), DecodeError> {
        let found = self.array_len()?;
        if found == len {
            return Ok(());
        }
        Err(self.malformed(format!("{found} values stand where {len} belong")))
    }

    /// The start of an array of any length.
    pub(super) fn array_len(&mut self) -> Result<usize, DecodeError> {
        let len = self.input.array().map_err(|error| self.cbor(&error))?;
        len.and_then(|len| usize::try_from(len).ok())
            .ok_or_else(|| self.malformed("an array has no length".to_owned()))
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Result<i64, DecodeError> {
        self.input.i64().map_err(|error| self.cbor(&error))
    }

    /// A text.
    pub(super) fn text(&mut self) -> Result<&'a str, DecodeError> {
        self.input.str().map_err(|error| self.cbor(&error))
    }

    /// Whether nothing stands here; if so, it is read.
    pub(super) fn null(&mut self) -> Result<bool, DecodeError> {
        let is_null = self.input.datatype().map_err(|error| self.cbor(&error))? == Type::Null;
        if is_null {
            self.input.null().map_err(|error| self.cbor(&error))?;
        }
        Ok(is_null)
    }

    /// What `read` makes of the content of `item` that is sealed here.
    pub(super) fn sealed<T>(
        &mut self,
        item: Item,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let seq = self.seq;
        let mut content = self
            .input
            .bytes()
            .map_err(|error| self.cbor(&error))?
            .to_vec();
        let key = self
            .keys
            .binary_search_by_key(&item, |key| key.item)
            .ok()
            .and_then(|place| self.keys.get(place))
            .ok_or(DecodeError::NoKey { seq, item })?;
        XChaCha20Poly1305::new(&key.key.into())
            .decrypt_in_place(
                &nonce(seq, self.n_sealed),
                &associated(self.number),
                &mut content,
            )
            .map_err(|_| DecodeError::WrongKey { seq, item })?;
        self.n_sealed += 1;

        let mut inside = Reader {
            input: Decoder::new(&content),
            seq,
            number: self.number,
            n_sealed: 0,
            keys: &[],
        };
        let value = read(&mut inside)?;
        inside.finish()?;
        Ok(value)
    }

    /// The error that the bytes are no event.
    pub(super) fn malformed(&self, reason: String) -> DecodeError {
        DecodeError::Malformed {
            seq: self.seq,
            reason,
        }
    }

    /// The error that a value is none that an event can hold.
    pub(super) fn value(&self, reason: &impl ToString) -> DecodeError {
        DecodeError::Value {
            seq: self.seq,
            reason: reason.to_string(),
        }
    }

    /// The error that a kind of event is not known.
    pub(super) fn unknown_event(&self, number: u32) -> DecodeError {
        DecodeError::UnknownEvent {
            seq: self.seq,
            number,
        }
    }

    fn cbor(&self, error: &minicbor::decode::Error) -> DecodeError {
        self.malformed(error.to_string())
    }
}
