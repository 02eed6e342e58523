//! The sums with NEON: eight products at once, and ones counted a byte at a time.

use std::arch::aarch64::{
    vaddlvq_u8, vaddq_s32, vaddq_u8, vaddvq_s32, vcntq_u8, vdupq_n_s16, vdupq_n_s32, vdupq_n_u8,
    veorq_u8, vget_high_s16, vget_low_s16, vld1_u8, vld1q_s16, vld1q_u8, vmlal_s16, vmovl_u8,
    vreinterpretq_s16_u16, vshlq_n_u8, vsubq_s16,
};

use super::scalar;
use crate::code::{Line, PLANES, Query};

pub(super) fn signs(bits: &[u64], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_words = query.n_words();
    let planes = query.planes();
    // Words in pairs; an odd one is counted apart.
    let n_even = n_words / 2 * 2;
    for row in rows {
        let at = super::first_word(*row, n_words);
        let signs = bits.get(at..at + n_words).unwrap_or_default();
        let (even, odd) = signs.split_at(n_even);
        let mut sum = 0;
        for (place, pair) in even.as_chunks::<2>().0.iter().enumerate() {
            // SAFETY: two words are 128 bits, and NEON is there on every such processor.
            let ones = unsafe {
                let signs = vld1q_u8(pair.as_ptr().cast());
                let mut ones = vdupq_n_u8(0);
                for plane in (0..PLANES).rev() {
                    let from = plane * n_words + place * 2;
                    let words = planes.get(from..from + 2).unwrap_or(&[0, 0]);
                    let plane = vld1q_u8(words.as_ptr().cast());
                    ones = vaddq_u8(vshlq_n_u8::<1>(ones), vcntq_u8(veorq_u8(signs, plane)));
                }
                vaddlvq_u8(ones)
            };
            sum += u32::from(ones);
        }
        if let [word] = odd {
            let last = |plane: usize| planes.get(plane * n_words + n_even).copied().unwrap_or(0);
            sum += scalar::differences(&[*word], &[last(0), last(1), last(2), last(3)]);
        }
        out.push(query.sign_sum(sum));
    }
}

pub(super) fn dots(codes: &[Line], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
    let n_lines = query.n_words();
    for row in rows {
        let at = usize::from(*row) * n_lines;
        let lines = codes.get(at..at + n_lines).unwrap_or_default();
        let parts = lines.iter().flat_map(|line| line.0.as_chunks::<8>().0);
        // SAFETY: an array of eight bytes is 64 bits, one of eight numbers of 16 bits is 128, and
        // NEON is there on every such processor.
        let sum = unsafe {
            let zero = vdupq_n_s16(i16::from(Line::ZERO));
            let (mut lows, mut highs) = (vdupq_n_s32(0), vdupq_n_s32(0));
            for (codes, levels) in parts.zip(query.levels().as_chunks::<8>().0) {
                let codes = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(codes.as_ptr())));
                let codes = vsubq_s16(codes, zero);
                let levels = vld1q_s16(levels.as_ptr());
                lows = vmlal_s16(lows, vget_low_s16(codes), vget_low_s16(levels));
                highs = vmlal_s16(highs, vget_high_s16(codes), vget_high_s16(levels));
            }
            vaddvq_s32(vaddq_s32(lows, highs))
        };
        out.push(sum);
    }
}
