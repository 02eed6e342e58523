//! The two sums that a search spends its time on, for each kind of processor.
//!
//! Called by `search` only. `signs` compares one-bit codes with a query, `dots` multiplies codes of
//! eight bits with it. Invariant: every kernel gives the integers that [`Kernel::Scalar`] gives,
//! bit for bit, so that an answer does not depend on the machine.
//!
//! Here and in the modules below is all `unsafe` code of the workspace: loads through pointers,
//! each of an array whose length the types or the line before it state, and calls of functions
//! that need a feature, each after the processor was asked for it.

#![expect(unsafe_code, reason = "the instructions that this is about need it")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(test)]
mod tests;

use crate::block::sign_lines;
use crate::code::{LINE_WORDS, Line, Query, Words};

/// Rows that are asked of the memory before they are multiplied.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 6;

/// Which instructions a search uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernel {
    /// Plain code, on every machine.
    Scalar,
    /// x86-64 with AVX2 and POPCNT.
    Avx2,
    /// x86-64 with AVX-512, VNNI and VPOPCNTDQ.
    Avx512,
    /// AArch64; every such processor has it.
    Neon,
}

impl Kernel {
    /// The fastest that this processor has.
    pub fn best() -> Self {
        let mut kernels = Self::ALL.into_iter().rev();
        kernels.find(|it| it.is_here()).unwrap_or(Self::Scalar)
    }

    /// Those that this processor has; the plain one first.
    pub fn here() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|it| it.is_here())
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512 VNNI",
            Self::Neon => "NEON",
        }
    }

    const ALL: [Self; 4] = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
    fn is_here(self) -> bool {
        match self {
            Self::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => avx512::is_here(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            _ => false,
        }
    }

    /// For each of `rows`, how its signs fall together with those of the query's levels: the
    /// sum, over the dimensions, of sign times level, from `-15 d` to `15 d`.
    ///
    /// `lines` holds the signs of all rows of a block, `rows` are places in it.
    pub(crate) fn signs(self, lines: &[Words], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
        let n_lines = sign_lines(query.n_words());
        assert!(
            rows.iter()
                .all(|row| (usize::from(*row) + 1) * n_lines <= lines.len()),
            "every row is in the block"
        );
        let bits = words(lines);
        out.clear();
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                assert!(self.is_here(), "the processor has the features");
                // SAFETY: the features were asked for.
                unsafe { avx512::signs(bits, rows, query, out) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                assert!(self.is_here(), "the processor has the features");
                // SAFETY: the features were asked for.
                unsafe { avx2::signs(bits, rows, query, out) }
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => neon::signs(bits, rows, query, out),
            _ => scalar::signs(bits, rows, query, out),
        }
    }

    /// For each of `rows`, the product of its code and the query's, wrapping as 32 bits do; the
    /// query's largest number is such that the sum itself fits.
    ///
    /// `codes` holds the codes of all rows of a block, `rows` are places in it.
    pub(crate) fn dots(self, codes: &[Line], rows: &[u16], query: &Query, out: &mut Vec<i32>) {
        let n_lines = query.n_words();
        assert!(
            rows.iter()
                .all(|row| (usize::from(*row) + 1) * n_lines <= codes.len()),
            "every row is in the block"
        );
        out.clear();
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                assert!(self.is_here(), "the processor has the features");
                // SAFETY: the features were asked for.
                unsafe { avx512::dots(codes, rows, query, out) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                assert!(self.is_here(), "the processor has the features");
                // SAFETY: the features were asked for.
                unsafe { avx2::dots(codes, rows, query, out) }
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => neon::dots(codes, rows, query, out),
            _ => scalar::dots(codes, rows, query, out),
        }
    }
}

/// The words of lines, one after another.
fn words(lines: &[Words]) -> &[u64] {
    // SAFETY: a line is so many words, without anything between or behind them.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * LINE_WORDS) }
}

/// Where the signs of a row begin.
#[inline]
fn first_word(row: u16, n_words: usize) -> usize {
    usize::from(row) * sign_lines(n_words) * LINE_WORDS
}

/// Asks the memory for what is looked at soon.
#[inline]
pub(crate) fn fetch<T>(soon: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(soon) = soon {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every processor of this kind has the instruction, and the place is one.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(soon).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}
