//! The sums in plain code: what every other kernel is compared with.

use crate::code::{Line, PLANES, Query};

pub(super) fn signs(bits: &[u64], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_words = query.n_words();
    out.extend(rows.iter().map(|row| {
        let at = super::first_word(*row, n_words);
        let signs = bits.get(at..at + n_words).unwrap_or_default();
        query.sign_sum(differences(signs, query.planes()))
    }));
}

/// How often the signs differ from those of each plane, by the plane's weight.
#[expect(
    clippy::inline_always,
    reason = "inside a function with the feature, ones are counted by the processor"
)]
#[inline(always)]
pub(super) fn differences(signs: &[u64], planes: &[u64]) -> u32 {
    let planes = planes.chunks_exact(signs.len().max(1)).take(PLANES);
    (0..).zip(planes).fold(0, |sum, (weight, plane)| {
        let differ = signs.iter().zip(plane).map(|(a, b)| (a ^ b).count_ones());
        sum + (differ.sum::<u32>() << weight)
    })
}

pub(super) fn dots(codes: &[Line], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_lines = query.n_words();
    out.extend(rows.iter().map(|row| {
        let at = usize::from(*row) * n_lines;
        let lines = codes.get(at..at + n_lines).unwrap_or_default();
        let values = lines.iter().flat_map(|line| &line.0);
        let products = values
            .zip(query.levels())
            .map(|(code, level)| (i32::from(*code) - i32::from(Line::ZERO)) * i32::from(*level));
        products.fold(0, i32::wrapping_add)
    }));
}
