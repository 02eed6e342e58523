//! What is kept of a vector for scanning, and what a query is made into.
//!
//! Called by `block` and `search`. Of a row: one sign a dimension, with two numbers that make an
//! estimate of them and say how far off it is; and one number of eight bits a dimension, with a
//! scale and the length of what the rounding lost. Invariant: a code depends on its vector alone,
//! on every machine alike, and the bounds hold for it: that of the eight bits always (Cauchy and
//! Schwarz), that of the signs but for a chance that [`SPREAD`] sets.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "dimensions are few thousand, sums fit in 31 bits, and codes are not below 0"
)]

use crate::error::VectorError;
use crate::rotation::Rotation;
use immune_model::limits::VECTOR_DIMENSIONS_MAX;

/// Dimensions of one word of signs, and of one line of codes.
pub(crate) const WORD_DIMS: usize = 64;
/// Bits of a query's levels when it is compared with signs.
pub(crate) const PLANES: usize = 4;
/// The largest level of a query when it is compared with signs; levels are odd.
const LEVEL_MAX: f64 = 15.0;
/// The width of a level, by the standard deviation: the best for sixteen levels of a normal
/// distribution (Max, "Quantizing for minimum distortion", 1960, table II).
const LEVEL_WIDTH: f64 = 0.3352;
/// What rounding to those levels loses of a query's length, in the scale of the row's own spread;
/// a query that loses more widens its bounds by as much.
const LOST: f64 = 0.11;
/// How many standard deviations an estimate by signs is trusted to be off at most. A neighbour
/// is lost beyond it: with a normal distribution, one of 150,000.
const SPREAD: f64 = 4.35;
/// The lower bits of a query's numbers when it is multiplied with codes of eight bits.
pub(crate) const HIGH_BITS: u32 = 7;
/// The largest of a query's numbers, in two halves of eight bits.
const NUMBER_MAX: u32 = 127 << HIGH_BITS;
/// The longest a vector may be: 1, but for the rounding of whoever normalised it.
const LENGTH_MAX: f64 = 1.001;

/// 64 numbers of eight bits, in one line of the processor's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u8; WORD_DIMS]);

impl Line {
    /// The byte that stands for 0.
    pub(crate) const ZERO: u8 = 128;
    /// 64 times 0.
    pub(crate) const EMPTY: Self = Self([Self::ZERO; WORD_DIMS]);
}

/// The words of eight times 64 dimensions, in one line of the processor's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Words(pub(crate) [u64; LINE_WORDS]);

/// Words of one line.
pub(crate) const LINE_WORDS: usize = 8;

/// How signs estimate a product: `factor` times the sum of signs and query, give or take some
/// `spread`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) factor: f32,
    pub(crate) spread: f32,
}

impl Estimate {
    pub(crate) fn to_word(self) -> u64 {
        u64::from(self.factor.to_bits()) | u64::from(self.spread.to_bits()) << 32
    }

    pub(crate) fn of_word(word: u64) -> Self {
        Self {
            factor: f32::from_bits(word as u32),
            spread: f32::from_bits((word >> 32) as u32),
        }
    }
}

/// What the codes of eight bits stand for: `scale` times each number, and no more than `lost`
/// of length beside it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Scale {
    pub(crate) scale: f32,
    pub(crate) lost: f32,
}

/// What is kept of one vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Code {
    pub(crate) signs: Vec<u64>,
    pub(crate) estimate: Estimate,
    pub(crate) lines: Vec<Line>,
    pub(crate) scale: Scale,
}

/// Makes codes of vectors of some dimensions.
#[derive(Debug, Clone)]
pub(crate) struct Coder {
    n_dims: usize,
    rotation: Rotation,
}

impl Coder {
    pub(crate) fn new(n_dims: usize) -> Result<Self, VectorError> {
        if n_dims == 0 || n_dims > VECTOR_DIMENSIONS_MAX {
            return Err(VectorError::Dimensions { n_dims });
        }
        Ok(Self {
            n_dims,
            rotation: Rotation::new(n_dims),
        })
    }

    pub(crate) fn n_dims(&self) -> usize {
        self.n_dims
    }

    /// Words of signs of one row, and lines of its codes.
    pub(crate) fn n_words(&self) -> usize {
        self.n_dims.div_ceil(WORD_DIMS)
    }

    /// The code of a vector, which is no longer than 1.
    pub(crate) fn code(&self, vector: &[f32]) -> Result<Code, VectorError> {
        let rotated = self.rotated(vector)?;
        let (lines, scale) = numbers(&rotated, self.n_words());
        Ok(Code {
            signs: signs(&rotated, self.n_words(), |value| value < 0.0),
            estimate: estimate(&rotated),
            lines,
            scale,
        })
    }

    /// What a vector is compared as.
    pub(crate) fn query(&self, vector: &[f32]) -> Result<Query, VectorError> {
        let rotated = self.rotated(vector)?;
        Ok(Query::new(&rotated, self.n_words()))
    }

    fn rotated(&self, vector: &[f32]) -> Result<Vec<f32>, VectorError> {
        if vector.len() != self.n_dims {
            return Err(VectorError::OtherDimensions {
                n_dims: self.n_dims,
                found: vector.len(),
            });
        }
        let length = length(vector);
        if !length.is_finite() {
            return Err(VectorError::NotFinite);
        }
        if length > LENGTH_MAX {
            return Err(VectorError::TooLong { length });
        }
        let mut vector = vector.to_vec();
        self.rotation.apply(&mut vector);
        Ok(vector)
    }
}

fn length(vector: &[f32]) -> f64 {
    vector
        .iter()
        .map(|it| f64::from(*it) * f64::from(*it))
        .sum::<f64>()
        .sqrt()
}

/// One bit a dimension, in words.
fn signs(values: &[f32], n_words: usize, is_set: impl Fn(f32) -> bool) -> Vec<u64> {
    let word = |values: &[f32]| {
        let bits = (0..)
            .zip(values)
            .map(|(bit, value)| u64::from(is_set(*value)) << bit);
        bits.fold(0, |word, bit| word | bit)
    };
    let mut words: Vec<u64> = values.chunks(WORD_DIMS).map(word).collect();
    words.resize(n_words, 0);
    words
}

/// The estimate of RaBitQ (Gao and Long, SIGMOD 2024, theorem 3.2): for a query q and the signs s
/// of a row x, `|x|² / |x|₁ · <s, q>` has the mean `<x, q>`, and what it is off by behaves like one
/// coordinate of a random direction of d - 1 dimensions, times the length below and that of q.
fn estimate(rotated: &[f32]) -> Estimate {
    let length = length(rotated);
    let sum: f64 = rotated.iter().map(|it| f64::from(it.abs())).sum();
    if sum == 0.0 {
        return Estimate::default();
    }
    let n_dims = rotated.len() as f64;
    let square = length * length;
    let factor = square / sum;
    let beside = (factor * factor * n_dims - square).max(0.0) / (n_dims - 1.0).max(1.0);
    let lost = factor * LOST;
    Estimate {
        factor: factor as f32,
        spread: (beside + lost * lost).sqrt() as f32,
    }
}

/// The vector in numbers of eight bits.
fn numbers(rotated: &[f32], n_lines: usize) -> (Vec<Line>, Scale) {
    let mut lines = vec![Line::EMPTY; n_lines];
    let most = rotated.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
    let scale = most / 127.0;
    // A vector of numbers so small that their inverse is none counts as zero.
    let inverse = 1.0 / scale;
    if !inverse.is_finite() {
        let lost = above(length(rotated));
        return (lines, Scale { scale: 0.0, lost });
    }
    let mut lost = 0.0;
    let codes = lines.iter_mut().flat_map(|line| &mut line.0);
    for (code, value) in codes.zip(rotated) {
        // Rounds to the nearest: from 1 to 255, where 128 is 0.
        *code = (value * inverse + 128.5) as u8;
        let kept = f64::from(scale) * (f64::from(*code) - f64::from(Line::ZERO));
        let beside = f64::from(*value) - kept;
        lost += beside * beside;
    }
    let lost = above(lost.sqrt());
    (lines, Scale { scale, lost })
}

/// A number of single precision that is not below `value`.
fn above(value: f64) -> f32 {
    (value as f32).next_up()
}

/// The levels of a query in two halves, for products of bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone)]
pub(crate) struct Halves {
    pub(crate) high: Vec<Levels>,
    pub(crate) low: Vec<Levels>,
    /// What is too much in a sum over bytes where 128 stands for 0.
    pub(crate) surplus: i32,
}

/// 64 halves of levels, in one line of the processor's cache.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Levels(pub(crate) [i8; WORD_DIMS]);

#[cfg(target_arch = "x86_64")]
impl Halves {
    fn new(levels: &[i16]) -> Self {
        let high = |level: i16| (level + (1 << (HIGH_BITS - 1))) >> HIGH_BITS;
        let low = |level: i16| level - (high(level) << HIGH_BITS);
        let (lines, _) = levels.as_chunks::<WORD_DIMS>();
        let total = levels
            .iter()
            .map(|it| i32::from(*it))
            .fold(0, i32::wrapping_add);
        Self {
            high: lines
                .iter()
                .map(|it| Levels(it.map(|it| high(it) as i8)))
                .collect(),
            low: lines
                .iter()
                .map(|it| Levels(it.map(|it| low(it) as i8)))
                .collect(),
            surplus: total.wrapping_mul(i32::from(Line::ZERO)),
        }
    }
}

/// A vector that rows are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    n_words: usize,
    n_dims: usize,
    /// For signs: the bits of each level, a plane after another.
    planes: Vec<u64>,
    /// What half a level is.
    level: f32,
    /// What a row's spread is multiplied with.
    spread: f32,
    /// For codes of eight bits: whole numbers, zeros behind the dimensions.
    levels: Vec<i16>,
    #[cfg(target_arch = "x86_64")]
    halves: Halves,
    /// What one level is.
    step: f64,
    /// How far off the product of codes may be for what the row lost, and beside it.
    off_by_lost: f64,
    off: f64,
}

impl Query {
    fn new(rotated: &[f32], n_words: usize) -> Self {
        let n_dims = rotated.len();
        let length = length(rotated);
        let (planes, level, lost_by_signs) = levels(rotated, length, n_words);
        let wider = if length > 0.0 {
            (lost_by_signs / length / LOST).max(1.0)
        } else {
            1.0
        };
        let most = rotated.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        let number_max = NUMBER_MAX.min(i32::MAX.unsigned_abs() / 127 / n_dims as u32);
        let step = f64::from(most) / f64::from(number_max);
        let mut lost = 0.0;
        let inverse = if step > 0.0 { 1.0 / step } else { 0.0 };
        let mut whole = |value: f32| {
            // Rounds to the nearest: what is cut off is above 0.
            let number = (f64::from(value) * inverse + 32_768.5) as i32 - 32_768;
            let beside = f64::from(value) - f64::from(number) * step;
            lost += beside * beside;
            number as i16
        };
        let mut levels: Vec<i16> = rotated.iter().map(|it| whole(*it)).collect();
        let lost = lost.sqrt();
        // What sums of single precision may be off: that of the product, those of the two
        // rotations, and the two numbers that come out.
        let rounding = (n_dims as f64 / 16.0 + 160.0) * f64::from(f32::EPSILON);
        levels.resize(n_words * WORD_DIMS, 0);
        Self {
            n_words,
            n_dims,
            planes,
            level,
            spread: (SPREAD * wider * length) as f32,
            #[cfg(target_arch = "x86_64")]
            halves: Halves::new(&levels),
            levels,
            step,
            off_by_lost: length + lost,
            off: LENGTH_MAX * (lost + length * rounding),
        }
    }

    pub(crate) fn n_words(&self) -> usize {
        self.n_words
    }

    pub(crate) fn planes(&self) -> &[u64] {
        &self.planes
    }

    pub(crate) fn levels(&self) -> &[i16] {
        &self.levels
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn halves(&self) -> &Halves {
        &self.halves
    }

    /// The sum of signs and levels, of how often they differ by the weight of the plane.
    #[inline]
    pub(crate) fn sign_sum(&self, differ: u32) -> i32 {
        LEVEL_MAX as i32 * self.n_dims as i32 - 2 * differ.cast_signed()
    }

    /// What a row's product is not above, but for the chance that [`SPREAD`] names.
    #[inline]
    pub(crate) fn above_signs(&self, estimate: Estimate, sign_sum: i32) -> f32 {
        let likely = estimate.factor * (self.level * sign_sum as f32);
        likely + estimate.spread * self.spread
    }

    /// What a row's product is surely between.
    #[inline]
    pub(crate) fn around(&self, scale: Scale, dot: i32) -> (f32, f32) {
        let likely = f64::from(scale.scale) * self.step * f64::from(dot);
        let off = f64::from(scale.lost) * self.off_by_lost + self.off;
        ((likely - off) as f32, (likely + off) as f32)
    }
}

/// Sixteen odd levels a dimension, as planes of bits; half of what lies between two; and the
/// length that rounding to them lost.
fn levels(rotated: &[f32], length: f64, n_words: usize) -> (Vec<u64>, f32, f64) {
    let width = LEVEL_WIDTH * length / (rotated.len() as f64).sqrt();
    let level = (width / 2.0) as f32;
    let mut lost = 0.0;
    let inverse = if width > 0.0 { 1.0 / width } else { 0.0 };
    let mut nearest = |value: f32| {
        let place = (f64::from(value) * inverse + 8.0).clamp(0.0, LEVEL_MAX) as u8;
        let kept = f64::from(level) * (2.0 * f64::from(place) - LEVEL_MAX);
        let beside = f64::from(value) - kept;
        lost += beside * beside;
        place
    };
    let chosen: Vec<u8> = rotated.iter().map(|it| nearest(*it)).collect();
    // A bit is set where the level's sign is minus, as with the rows.
    let plane = |weight: u8| {
        let word = |of_word: &[u8]| {
            let bits = (0..)
                .zip(of_word)
                .map(|(bit, it)| u64::from(it >> weight & 1 == 0) << bit);
            bits.fold(0_u64, |word, bit| word | bit)
        };
        let mut words: Vec<u64> = chosen.chunks(WORD_DIMS).map(word).collect();
        words.resize(n_words, 0);
        words
    };
    let planes = (0..PLANES as u8).flat_map(plane).collect();
    (planes, level, lost.sqrt())
}
