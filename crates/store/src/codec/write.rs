//! The writing half of the codec: CBOR into a vector, content sealed on the way.
//!
//! For `fields` and `events` only. The invariant: no two sealed parts of the log share a key and
//! a nonce, because each event makes its own keys and counts its sealed parts.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use immune_model::Item;
use minicbor::Encoder;

use super::ContentKey;
use crate::chain::join;

/// Starts the associated data of every sealed part; the number of the event's kind follows.
const ASSOCIATED: &[u8; 22] = b"immune content, form 1";

/// Why an encoder's result is unwrapped.
const TAKES_ALL: &str = "a vector takes every byte";

/// The body of one entry in the making.
pub(super) struct Writer<'r> {
    body: Vec<u8>,
    seq: u64,
    number: u32,
    n_sealed: u32,
    keys: Vec<ContentKey>,
    fill_random: &'r mut dyn FnMut(&mut [u8]),
}

impl<'r> Writer<'r> {
    /// An empty body for the event at `seq`, whose kind has this number.
    pub(super) fn new(seq: u64, number: u32, fill_random: &'r mut dyn FnMut(&mut [u8])) -> Self {
        Self {
            body: Vec::with_capacity(256),
            seq,
            number,
            n_sealed: 0,
            keys: Vec::new(),
            fill_random,
        }
    }

    /// The body, and its keys in the order of their items.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<ContentKey>) {
        self.keys.sort_unstable_by_key(|key| key.item);
        let distinct = self.keys.is_sorted_by(|one, next| one.item < next.item);
        assert!(distinct, "an event gives an item its content once");
        (self.body, self.keys)
    }

    /// The start of an array of this many values.
    pub(super) fn array(&mut self, len: usize) {
        Encoder::new(&mut self.body)
            .array(len as u64)
            .expect(TAKES_ALL);
    }

    /// A whole number.
    pub(super) fn number(&mut self, value: i64) {
        Encoder::new(&mut self.body).i64(value).expect(TAKES_ALL);
    }

    /// A text.
    pub(super) fn text(&mut self, value: &str) {
        Encoder::new(&mut self.body).str(value).expect(TAKES_ALL);
    }

    /// Nothing.
    pub(super) fn null(&mut self) {
        Encoder::new(&mut self.body).null().expect(TAKES_ALL);
    }

    /// What `write` writes, sealed with a fresh key of `item`.
    pub(super) fn sealed(&mut self, item: Item, write: impl FnOnce(&mut Self)) {
        let place = self.n_sealed;
        self.n_sealed += 1;
        let body = std::mem::take(&mut self.body);
        write(self);
        assert_eq!(self.n_sealed, place + 1, "sealed parts do not nest");
        let mut content = std::mem::replace(&mut self.body, body);

        let mut key = [0; 32];
        (self.fill_random)(&mut key);
        XChaCha20Poly1305::new(&key.into())
            .encrypt_in_place(
                &nonce(self.seq, place),
                &associated(self.number),
                &mut content,
            )
            .expect("content is far below the 256 GiB that one key seals");
        self.keys.push(ContentKey { item, key });
        Encoder::new(&mut self.body)
            .bytes(&content)
            .expect(TAKES_ALL);
    }
}

/// The nonce of a sealed part: the entry, and how many sealed parts come before in it.
pub(super) fn nonce(seq: u64, place: u32) -> XNonce {
    join::<24>(&[&seq.to_be_bytes(), &place.to_be_bytes()]).into()
}

/// The associated data of a sealed part: content of one kind of event opens in no other.
pub(super) fn associated(number: u32) -> [u8; 26] {
    join(&[ASSOCIATED, &number.to_be_bytes()])
}
