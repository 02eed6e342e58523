//! An index as bytes, and back: so that opening need not read every vector.
//!
//! Called by `index` only. Whoever keeps the bytes makes sure that they are those that were
//! written, by this [`VERSION`]: bytes of a wrong length are none, others are not found out.
//!
//! Everything is little-endian: the dimensions and the number of rows, four bytes each; then for
//! each block of 1,024 rows, of which the last may have fewer: which have a vector and which were
//! erased, a bit for each of 1,024; the scales, and before them the estimates where the signs leave
//! no room for them, twice four bytes for each row; the signs, in whole lines of eight words of 64
//! dimensions, of which the last word is the estimate where there is room; the codes of eight bits.

use std::io::{self, Write};
use std::sync::Arc;

use crate::block::{Block, ROW_WORDS, ROWS, has_room, sign_lines};
use crate::code::{Estimate, LINE_WORDS, Line, Scale, WORD_DIMS, Words};

/// The version of the codes and of the packed form: another one whenever a vector has another
/// code than before, or an index other bytes.
pub const VERSION: u32 = 1;

pub(crate) fn pack(
    out: &mut dyn Write,
    n_dims: usize,
    n_rows: u32,
    blocks: &[Arc<Block>],
) -> io::Result<()> {
    let n_dims = u32::try_from(n_dims).expect("dimensions are limited");
    out.write_all(&n_dims.to_le_bytes())?;
    out.write_all(&n_rows.to_le_bytes())?;
    let mut bytes = Vec::new();
    for block in blocks {
        bytes.clear();
        let bits = block.filled.iter().chain(&block.erased);
        bytes.extend(bits.flat_map(|it| it.to_le_bytes()));
        let of_estimate = |it: &Estimate| [it.factor, it.spread];
        bytes.extend(floats(block.estimates.iter().flat_map(of_estimate)));
        bytes.extend(floats(
            block.scales.iter().flat_map(|it| [it.scale, it.lost]),
        ));
        let signs = block.signs.iter().flat_map(|it| it.0);
        bytes.extend(signs.flat_map(u64::to_le_bytes));
        for line in &block.lines {
            bytes.extend_from_slice(&line.0);
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

pub(crate) fn unpack(bytes: &[u8]) -> Option<(usize, u32, Vec<Block>)> {
    let mut left = bytes;
    let [n_dims, n_rows] = [take(&mut left, 4)?, take(&mut left, 4)?];
    let [n_dims, n_rows] =
        [n_dims, n_rows].map(|it| it.first_chunk().map(|it| u32::from_le_bytes(*it)));
    let (n_dims, n_rows) = (n_dims? as usize, n_rows?);
    let n_words = n_dims.div_ceil(WORD_DIMS);
    let mut blocks = Vec::new();
    let mut n_left = n_rows as usize;
    while n_left > 0 {
        let n_here = n_left.min(ROWS);
        blocks.push(block(&mut left, n_here, n_words)?);
        n_left -= n_here;
    }
    left.is_empty().then_some((n_dims, n_rows, blocks))
}

fn block(left: &mut &[u8], n_rows: usize, n_words: usize) -> Option<Block> {
    let mut bits = || -> Option<[u64; ROW_WORDS]> {
        words(take(left, 8 * ROW_WORDS)?)
            .collect::<Vec<_>>()
            .try_into()
            .ok()
    };
    let (filled, erased) = (bits()?, bits()?);
    let n_estimates = if has_room(n_words) { 0 } else { n_rows };
    let estimates = pairs(take(left, 8 * n_estimates)?);
    let scales = pairs(take(left, 8 * n_rows)?);
    let n_signs = LINE_WORDS * sign_lines(n_words) * n_rows;
    let (signs, _) = take(left, 8 * n_signs)?.as_chunks::<{ 8 * LINE_WORDS }>();
    let (lines, _) = take(left, WORD_DIMS * n_words * n_rows)?.as_chunks();
    Some(Block {
        filled,
        erased,
        estimates: estimates
            .map(|[factor, spread]| Estimate { factor, spread })
            .collect(),
        scales: scales.map(|[scale, lost]| Scale { scale, lost }).collect(),
        signs: signs.iter().map(line_of_words).collect(),
        lines: lines.iter().map(|line| Line(*line)).collect(),
    })
}

fn line_of_words(bytes: &[u8; 8 * LINE_WORDS]) -> Words {
    let (chunks, _) = bytes.as_chunks();
    let mut line = Words::default();
    for (word, bytes) in line.0.iter_mut().zip(chunks) {
        *word = u64::from_le_bytes(*bytes);
    }
    line
}

fn take<'b>(left: &mut &'b [u8], n_bytes: usize) -> Option<&'b [u8]> {
    let (taken, rest) = left.split_at_checked(n_bytes)?;
    *left = rest;
    Some(taken)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().map(|it| u64::from_le_bytes(*it))
}

fn pairs(bytes: &[u8]) -> impl Iterator<Item = [f32; 2]> + '_ {
    let (chunks, _) = bytes.as_chunks::<8>();
    chunks.iter().map(|[a, b, c, d, e, f, g, h]| {
        [[*a, *b, *c, *d], [*e, *f, *g, *h]].map(f32::from_le_bytes)
    })
}

fn floats(values: impl Iterator<Item = f32>) -> impl Iterator<Item = u8> {
    values.flat_map(f32::to_le_bytes)
}
