//! The sums with AVX-512: 64 products at once by VNNI, and eight rows' ones by VPOPCNTDQ.

use std::arch::x86_64::{
    __m512i, __mmask8, _MM_HINT_T0, _mm_prefetch, _mm256_storeu_si256, _mm512_add_epi32,
    _mm512_add_epi64, _mm512_cvtepi64_epi32, _mm512_dpbusd_epi32, _mm512_load_si512,
    _mm512_maskz_loadu_epi64, _mm512_popcnt_epi64, _mm512_reduce_add_epi32, _mm512_setzero_si512,
    _mm512_shuffle_i64x2, _mm512_slli_epi32, _mm512_slli_epi64, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use crate::code::{HIGH_BITS, Line, PLANES, Query};

/// Rows whose ones are added up together.
const TOGETHER: usize = 8;
/// Words of one register.
const WORDS: usize = 8;

/// Whether this processor has all of it.
pub(super) fn is_here() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vnni")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
}

#[target_feature(enable = "avx512f,avx512bw,avx512vpopcntdq")]
pub(super) fn signs(bits: &[u64], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_words = query.n_words();
    let planes = query.planes();
    for rows in rows.chunks(TOGETHER) {
        let mut sums = [_mm512_setzero_si512(); TOGETHER];
        for first in (0..n_words).step_by(WORDS) {
            let n_here = WORDS.min(n_words - first);
            let mask: __mmask8 = u8::MAX >> (WORDS - n_here);
            let plane = |place: usize| {
                let words = planes.get(place * n_words + first..).unwrap_or_default();
                masked(mask, words.get(..n_here).unwrap_or_default())
            };
            let planes: [__m512i; PLANES] = [plane(0), plane(1), plane(2), plane(3)];
            for (sum, row) in sums.iter_mut().zip(rows) {
                let at = super::first_word(*row, n_words) + first;
                let signs = masked(mask, bits.get(at..at + n_here).unwrap_or_default());
                let mut ones = _mm512_setzero_si512();
                for plane in planes.iter().rev() {
                    let differ = _mm512_popcnt_epi64(_mm512_xor_si512(signs, *plane));
                    ones = _mm512_add_epi64(_mm512_slli_epi64::<1>(ones), differ);
                }
                *sum = _mm512_add_epi64(*sum, ones);
            }
        }
        let mut totals = [0_i32; TOGETHER];
        let sums = _mm512_cvtepi64_epi32(each_total(&sums));
        // SAFETY: an array of eight numbers of 32 bits is 256 bits.
        unsafe { _mm256_storeu_si256(totals.as_mut_ptr().cast(), sums) };
        let totals = totals.iter().take(rows.len());
        out.extend(totals.map(|total| query.sign_sum(total.cast_unsigned())));
    }
}

/// Words of which the mask says how many there are.
#[inline]
#[target_feature(enable = "avx512f")]
fn masked(mask: __mmask8, words: &[u64]) -> __m512i {
    debug_assert_eq!(
        mask.count_ones() as usize,
        words.len(),
        "a bit for each word"
    );
    // SAFETY: what the mask leaves out is not read, and the rest is there.
    unsafe { _mm512_maskz_loadu_epi64(mask, words.as_ptr().cast()) }
}

/// The total of each register, in the register's place.
#[inline]
#[target_feature(enable = "avx512f")]
fn each_total(sums: &[__m512i; TOGETHER]) -> __m512i {
    let (pairs, _) = sums.as_chunks::<2>();
    let mut halves = pairs.iter().map(|[even, odd]| {
        let (low, high) = (
            _mm512_unpacklo_epi64(*even, *odd),
            _mm512_unpackhi_epi64(*even, *odd),
        );
        _mm512_add_epi64(low, high)
    });
    let mut half = || halves.next().unwrap_or(_mm512_setzero_si512());
    let halves = [half(), half(), half(), half()];
    let fold = |a, b| {
        let (even, odd) = (
            _mm512_shuffle_i64x2::<0b_10_00_10_00>(a, b),
            _mm512_shuffle_i64x2::<0b_11_01_11_01>(a, b),
        );
        _mm512_add_epi64(even, odd)
    };
    let [first, second, third, fourth] = halves;
    fold(fold(first, second), fold(third, fourth))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn dots(codes: &[Line], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_lines = query.n_words();
    let halves = query.halves();
    let levels = || halves.high.iter().zip(&halves.low);
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
        let (mut highs, mut lows) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (line, (high, low)) in lines.iter().zip(levels()) {
            // SAFETY: a line is 512 bits, and aligned to them.
            let codes = unsafe { _mm512_load_si512(line.0.as_ptr().cast()) };
            // SAFETY: as above.
            let high = unsafe { _mm512_load_si512(high.0.as_ptr().cast()) };
            // SAFETY: as above.
            let low = unsafe { _mm512_load_si512(low.0.as_ptr().cast()) };
            highs = _mm512_dpbusd_epi32(highs, codes, high);
            lows = _mm512_dpbusd_epi32(lows, codes, low);
        }
        let sums = _mm512_add_epi32(_mm512_slli_epi32::<HIGH_BITS>(highs), lows);
        out.push(_mm512_reduce_add_epi32(sums).wrapping_sub(halves.surplus));
    }
}
