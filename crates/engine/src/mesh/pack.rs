//! What is kept of the mesh beside the store, as bytes and back. For `live`.
//!
//! Whoever keeps them checks that they are those that were written; bytes that are none are nothing.

use immune_model::{Handle, Instant, RunId};

/// What is kept.
pub(super) struct Kept<'a> {
    /// Recent calls: whose, which, and when.
    pub(super) calls: Vec<(Handle, u64, Instant)>,
    /// Who was observed lately, when, and in which run.
    pub(super) exchanges: Vec<(Handle, Instant, Option<RunId>)>,
    /// What the mesh learned, in its own form.
    pub(super) learned: &'a [u8],
}

pub(super) fn packed(kept: &Kept<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    put_number(&mut out, kept.calls.len() as u64);
    for (identity, id, at) in &kept.calls {
        put_text(&mut out, identity.as_str());
        put_number(&mut out, *id);
        put_number(&mut out, at.micros().cast_unsigned());
    }
    put_number(&mut out, kept.exchanges.len() as u64);
    for (agent, at, run) in &kept.exchanges {
        put_text(&mut out, agent.as_str());
        put_number(&mut out, at.micros().cast_unsigned());
        // No run has an empty name.
        put_text(&mut out, run.as_ref().map_or("", RunId::as_str));
    }
    out.extend(kept.learned);
    out
}

pub(super) fn unpacked(bytes: &[u8]) -> Option<Kept<'_>> {
    let mut rest = bytes;
    let mut calls = Vec::new();
    for _ in 0..number(&mut rest)? {
        let identity = Handle::new(text(&mut rest)?).ok()?;
        calls.push((identity, number(&mut rest)?, instant(&mut rest)?));
    }
    let mut exchanges = Vec::new();
    for _ in 0..number(&mut rest)? {
        let agent = Handle::new(text(&mut rest)?).ok()?;
        let at = instant(&mut rest)?;
        let run = match text(&mut rest)? {
            "" => None,
            run => Some(RunId::new(run).ok()?),
        };
        exchanges.push((agent, at, run));
    }
    Some(Kept {
        calls,
        exchanges,
        learned: rest,
    })
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u64::from_le_bytes(*bytes))
}

fn instant(rest: &mut &[u8]) -> Option<Instant> {
    Instant::from_micros(number(rest)?.cast_signed())
}

fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let len = usize::try_from(number(rest)?).ok()?;
    let (text, after) = rest.split_at_checked(len)?;
    *rest = after;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_and_what_is_cut_is_nothing() {
        let (ann, at) = (
            Handle::new("ann").unwrap(),
            Instant::from_seconds(7).unwrap(),
        );
        let run = RunId::new("run_1").unwrap();
        let kept = Kept {
            calls: vec![(ann.clone(), u64::MAX, at)],
            exchanges: vec![
                (ann.clone(), at, Some(run.clone())),
                (ann.clone(), at, None),
            ],
            learned: b"words",
        };
        let bytes = packed(&kept);
        let again = unpacked(&bytes).unwrap();
        assert_eq!(again.calls, kept.calls);
        assert_eq!(again.exchanges, kept.exchanges);
        assert_eq!(again.learned, kept.learned);
        for cut in 0..bytes.len() - kept.learned.len() {
            assert!(unpacked(&bytes[..cut]).is_none());
        }
    }
}
