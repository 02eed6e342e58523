//! What is kept of the mesh beside the store, as bytes and back. For `live`.
//!
//! Whoever keeps them checks that they are those that were written; bytes that are none are nothing.

use immune_model::{Handle, Instant, RunId};
use minicbor::Decoder;
use minicbor::bytes::ByteSlice;

/// What is kept.
pub(super) struct Kept<'a> {
    /// Recent calls: whose, which, and when.
    pub(super) calls: Vec<(Handle, u64, Instant)>,
    /// Who was observed lately, when, and in which run.
    pub(super) exchanges: Vec<(Handle, Instant, Option<RunId>)>,
    /// What the mesh learned, in its own form.
    pub(super) learned: &'a [u8],
}

/// The same in words and numbers: moments are microseconds since 1970.
type Plain<'a> = (
    Vec<(&'a str, u64, i64)>,
    Vec<(&'a str, i64, Option<&'a str>)>,
    &'a ByteSlice,
);

pub(super) fn packed(kept: &Kept<'_>) -> Vec<u8> {
    let calls = kept.calls.iter();
    let calls = calls.map(|(identity, id, at)| (identity.as_str(), *id, at.micros()));
    let exchanges = kept.exchanges.iter();
    let exchanges = exchanges.map(|(agent, at, run)| {
        let run = run.as_ref().map(RunId::as_str);
        (agent.as_str(), at.micros(), run)
    });
    let plain: Plain<'_> = (calls.collect(), exchanges.collect(), kept.learned.into());
    minicbor::to_vec(plain).expect("a vector takes every byte")
}

pub(super) fn unpacked(bytes: &[u8]) -> Option<Kept<'_>> {
    let mut input = Decoder::new(bytes);
    let (calls, exchanges, learned): Plain<'_> = input.decode().ok()?;
    (input.position() == bytes.len()).then_some(())?;
    let calls = calls.into_iter().map(|(identity, id, at)| {
        let identity = Handle::new(identity).ok()?;
        Some((identity, id, Instant::from_micros(at)?))
    });
    let exchanges = exchanges.into_iter().map(|(agent, at, run)| {
        let agent = Handle::new(agent).ok()?;
        let run = run.map(RunId::new).transpose().ok()?;
        Some((agent, Instant::from_micros(at)?, run))
    });
    Some(Kept {
        calls: calls.collect::<Option<_>>()?,
        exchanges: exchanges.collect::<Option<_>>()?,
        learned,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call() -> impl Strategy<Value = (Handle, u64, Instant)> {
        let at = (-1_000_000_000_i64..i64::from(u32::MAX)).prop_map(Instant::from_seconds);
        ("[a-z]{1,8}", any::<u64>(), at)
            .prop_map(|(name, id, at)| (Handle::new(&name).unwrap(), id, at.unwrap()))
    }

    fn exchange() -> impl Strategy<Value = (Handle, Instant, Option<RunId>)> {
        (call(), proptest::option::of("run_[0-9]{1,3}"))
            .prop_map(|((agent, _, at), run)| (agent, at, run.map(|it| RunId::new(&it).unwrap())))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_packed_is_unpacked_and_what_is_cut_or_changed_is_nothing_or_another(
            calls in prop::collection::vec(call(), 0..5),
            exchanges in prop::collection::vec(exchange(), 0..5),
            learned in prop::collection::vec(any::<u8>(), 0..40),
            byte in any::<u8>(),
        ) {
            let kept = Kept { calls, exchanges, learned: &learned };
            let mut bytes = packed(&kept);
            let again = unpacked(&bytes).unwrap();
            prop_assert_eq!(&again.calls, &kept.calls);
            prop_assert_eq!(&again.exchanges, &kept.exchanges);
            prop_assert_eq!(again.learned, kept.learned);
            for cut in 0..bytes.len() {
                prop_assert!(unpacked(&bytes[..cut]).is_none());
            }
            for place in 0..bytes.len() {
                let right = std::mem::replace(&mut bytes[place], byte);
                let _ = unpacked(&bytes);
                bytes[place] = right;
            }
            bytes.push(byte);
            prop_assert!(unpacked(&bytes).is_none());
        }
    }

    #[test]
    fn a_length_that_no_bytes_follow_takes_no_memory() {
        let many = [0x83, 0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert!(unpacked(&many).is_none());
        let text = [
            0x83, 0x81, 0x83, 0x7b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        ];
        assert!(unpacked(&text).is_none());
        assert!(unpacked(&[0x9f; 64]).is_none());
    }
}
