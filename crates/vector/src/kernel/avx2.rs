//! The sums with AVX2: sixteen products at once, and the processor's own count of ones.

use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch,
    _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepu8_epi16,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_sub_epi16,
};

use super::scalar;
use crate::code::{Line, Query};

#[target_feature(enable = "popcnt")]
pub(super) fn signs(bits: &[u64], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_words = query.n_words();
    out.extend(rows.iter().map(|row| {
        let at = super::first_word(*row, n_words);
        let signs = bits.get(at..at + n_words).unwrap_or_default();
        query.sign_sum(scalar::differences(signs, query.planes()))
    }));
}

#[target_feature(enable = "avx2")]
pub(super) fn dots(codes: &[Line], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_lines = query.n_words();
    let zero = _mm256_set1_epi16(i16::from(Line::ZERO));
    for (place, row) in rows.iter().enumerate() {
        let at = usize::from(*row) * n_lines;
        let lines = codes.get(at..at + n_lines).unwrap_or_default();
        if let Some(ahead) = rows.get(place + super::AHEAD) {
            let ahead = codes
                .get(usize::from(*ahead) * n_lines..)
                .unwrap_or_default();
            for line in ahead.iter().take(n_lines) {
                _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast());
            }
        }
        let mut sums = _mm256_setzero_si256();
        let parts = lines.iter().flat_map(|line| line.0.as_chunks::<16>().0);
        for (codes, levels) in parts.zip(query.levels().as_chunks::<16>().0) {
            // SAFETY: an array of 16 bytes is 128 bits.
            let codes = unsafe { _mm_loadu_si128(codes.as_ptr().cast()) };
            // SAFETY: an array of 16 numbers of 16 bits is 256 bits.
            let levels = unsafe { _mm256_loadu_si256(levels.as_ptr().cast()) };
            let codes = _mm256_sub_epi16(_mm256_cvtepu8_epi16(codes), zero);
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(codes, levels));
        }
        out.push(total(sums));
    }
}

#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i32 {
    let sums = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b_01_00_11_10>(sums));
    let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b_10_11_00_01>(sums));
    _mm_cvtsi128_si32(sums)
}
