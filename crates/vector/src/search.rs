//! One search: signs, codes of eight bits, vectors; each over what the step before left.
//!
//! Called by `index` only. Invariant: `floor` is a lower bound of the product of the `k`-th best
//! row, so what lies surely below it is out. It only rises, and each row is counted in it once.

mod floor;

use std::cmp::Ordering;
use std::sync::Arc;

use immune_model::limits::VECTORS_READ_MAX;

use crate::block::{Block, ROWS, sign_lines};
use crate::code::{Query, WORD_DIMS};
use crate::error::SearchError;
use crate::exact;
use crate::kernel::{self, Kernel};
use floor::Floor;

/// Up to so many eligible rows, signs save less than they cost.
const ROWS_WITHOUT_SIGNS: usize = 1000;
/// Below so many dimensions, signs say too little.
const SIGNS_DIMS_MIN: usize = WORD_DIMS;
/// Of 64 rows, so many are looked at one after another.
const GUESSED: u32 = 16;
/// Blocks of which what is looked at is asked of the memory beforehand.
const AHEAD: usize = 3;
/// Rows of other blocks whose codes are.
const ROWS_AHEAD: usize = 16;
/// The likeliest of the rows that are left by the signs, whose codes raise the floor before the
/// others are looked at; or so many as are asked for, if that is more.
const PROBES: usize = 64;

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number.
    pub row: u32,
    /// Its product with the query; the cosine, if both are of length 1.
    pub score: f32,
}

/// What a search did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Eligible rows that have a vector.
    pub n_eligible: usize,
    /// Those of them whose signs were looked at.
    pub n_by_signs: usize,
    /// Those whose codes of eight bits were.
    pub n_by_codes: usize,
    /// Those whose vector was read.
    pub n_read: usize,
}

/// The answer to a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best rows, best first.
    pub hits: Vec<Hit>,
    /// What it took.
    pub work: Work,
    /// Whether the best were told apart. They are not where more vectors lie next to each other
    /// than a search reads; then the hits are the best of those that were read.
    pub is_settled: bool,
}

/// What is searched for.
pub(crate) struct Asked<'a> {
    pub(crate) vector: &'a [f32],
    pub(crate) code: &'a Query,
    pub(crate) k: usize,
    pub(crate) eligible: &'a [u64],
    pub(crate) kernel: Kernel,
}

pub(crate) fn search<E>(
    blocks: &[Arc<Block>],
    asked: &Asked<'_>,
    read: impl FnMut(u32, &mut [f32]) -> Result<(), E>,
) -> Result<Found, SearchError<E>> {
    let mut search = Search::new(blocks, asked);
    if asked.k == 0 || search.work.n_eligible == 0 {
        return Ok(Found {
            hits: Vec::new(),
            work: search.work,
            is_settled: true,
        });
    }
    let has_signs = search.work.n_eligible > ROWS_WITHOUT_SIGNS.max(asked.k)
        && asked.vector.len() >= SIGNS_DIMS_MIN;
    if has_signs {
        search.by_signs();
    } else {
        search.by_codes();
    }
    search.by_vectors(read)
}

/// A row that signs did not rule out.
#[derive(Debug, Clone, Copy)]
struct Likely {
    /// What its product is most likely not above.
    above: f32,
    row: u32,
}

/// A row that codes did not rule out.
#[derive(Debug, Clone, Copy)]
struct Near {
    /// What its product is surely not above.
    above: f32,
    row: u32,
}

struct Search<'a> {
    blocks: &'a [Arc<Block>],
    asked: &'a Asked<'a>,
    floor: Floor,
    likely: Vec<Likely>,
    near: Vec<Near>,
    work: Work,
    /// Places in a block, and sums for them: kept to be filled again.
    places: Vec<u16>,
    sums: Vec<i32>,
}

impl<'a> Search<'a> {
    fn new(blocks: &'a [Arc<Block>], asked: &'a Asked<'a>) -> Self {
        let mut search = Self {
            blocks,
            asked,
            floor: Floor::new(asked.k),
            likely: Vec::new(),
            near: Vec::with_capacity(ROWS),
            work: Work::default(),
            places: Vec::with_capacity(ROWS),
            sums: Vec::with_capacity(ROWS),
        };
        let words = blocks.iter().flat_map(|it| &it.filled).zip(asked.eligible);
        search.work.n_eligible = words.map(|(a, b)| (a & b).count_ones() as usize).sum();
        search
    }

    /// Looks at the signs of every eligible row, and at the codes of what they leave.
    fn by_signs(&mut self) {
        (0..AHEAD).for_each(|number| self.fetch_signs(number));
        let n_probes = PROBES.max(self.asked.k);
        let mut n_next = ROWS.max(n_probes);
        for (number, block) in self.blocks.iter().enumerate() {
            self.take_places(number, block);
            self.fetch_signs(number + AHEAD);
            self.work.n_by_signs += self.places.len();
            self.sign_block(number, block);
            if self.likely.len() >= n_next {
                self.probe(n_probes);
                n_next = (2 * self.likely.len()).max(4 * ROWS);
            }
        }
        self.probe(n_probes);
        let likely = std::mem::take(&mut self.likely);
        self.codes_of(&likely);
    }

    /// Looks at the codes of every eligible row.
    fn by_codes(&mut self) {
        let above = f32::INFINITY;
        let mut all = Vec::with_capacity(self.work.n_eligible);
        for (number, block) in self.blocks.iter().enumerate() {
            self.take_places(number, block);
            let first = (number * ROWS) as u32;
            let rows = self.places.iter().map(|it| first + u32::from(*it));
            all.extend(rows.map(|row| Likely { above, row }));
        }
        self.codes_of(&all);
    }

    /// The places of a block's eligible rows.
    fn take_places(&mut self, number: usize, block: &Block) {
        self.places.clear();
        let words = self.asked.eligible.get(number * block.filled.len()..);
        let words = block.filled.iter().zip(words.unwrap_or_default());
        for (base, (filled, eligible)) in (0..).step_by(64).zip(words) {
            let mut left = filled & eligible;
            if left == u64::MAX {
                self.places.extend(base..base + 64);
                continue;
            }
            while left != 0 {
                self.places.push(base + left.trailing_zeros() as u16);
                left &= left - 1;
            }
        }
    }

    /// Asks the memory for the signs of a block's eligible rows, where they are too few for the
    /// processor to guess them.
    fn fetch_signs(&self, number: usize) {
        let Some(block) = self.blocks.get(number) else {
            return;
        };
        let n_lines = sign_lines(self.asked.code.n_words());
        let words = self.asked.eligible.get(number * block.filled.len()..);
        let words = block.filled.iter().zip(words.unwrap_or_default());
        for (base, (filled, eligible)) in (0..).step_by(64).zip(words) {
            let mut left = filled & eligible;
            if left.count_ones() > GUESSED {
                continue;
            }
            while left != 0 {
                let row: usize = base + left.trailing_zeros() as usize;
                left &= left - 1;
                for line in block.signs.iter().skip(row * n_lines).take(n_lines) {
                    kernel::fetch(Some(line));
                }
                kernel::fetch(block.estimates.get(row));
            }
        }
    }

    /// Asks the memory for the codes of some rows.
    fn fetch_codes(&self, likely: &[Likely]) {
        let n_lines = self.asked.code.n_words();
        for it in likely {
            let place = it.row as usize % ROWS;
            let Some(block) = self.blocks.get(it.row as usize / ROWS) else {
                continue;
            };
            for line in block.lines.iter().skip(place * n_lines).take(n_lines) {
                kernel::fetch(Some(line));
            }
            kernel::fetch(block.scales.get(place));
        }
    }

    fn sign_block(&mut self, number: usize, block: &Block) {
        let query = self.asked.code;
        let kernel = self.asked.kernel;
        kernel.signs(&block.signs, &self.places, query, &mut self.sums);
        let first = (number * ROWS) as u32;
        let n_words = query.n_words();
        let floor = self.floor.value();
        for (place, sum) in self.places.iter().zip(&self.sums) {
            let estimate = block.estimate(usize::from(*place), n_words);
            let above = query.above_signs(estimate, *sum);
            if above >= floor {
                let row = first + u32::from(*place);
                self.likely.push(Likely { above, row });
            }
        }
    }

    /// Looks at the codes of the likeliest rows, and drops what lies below the floor then.
    fn probe(&mut self, n_probes: usize) {
        let mut bounds: Vec<f32> = self.likely.iter().map(|it| it.above).collect();
        let Some(place) = n_probes.min(bounds.len()).checked_sub(1) else {
            return;
        };
        let (_, least, _) = bounds.select_nth_unstable_by(place, |a, b| b.total_cmp(a));
        let least = *least;
        let mut n_wanted = n_probes;
        let mut likeliest = Vec::with_capacity(n_probes);
        self.likely.retain(|it| {
            let is_probe = n_wanted > 0 && it.above >= least;
            if is_probe {
                n_wanted -= 1;
                likeliest.push(*it);
            }
            !is_probe
        });
        self.codes_of(&likeliest);
        let floor = self.floor.value();
        self.likely.retain(|it| it.above >= floor);
    }

    /// Looks at the codes of some rows, which are in order.
    fn codes_of(&mut self, likely: &[Likely]) {
        let (mut end, mut n_fetched) = (0, 0);
        for of_block in likely.chunk_by(|a, b| a.row as usize / ROWS == b.row as usize / ROWS) {
            end += of_block.len();
            let soon = likely.len().min(end + ROWS_AHEAD);
            self.fetch_codes(likely.get(n_fetched.max(end)..soon).unwrap_or_default());
            n_fetched = soon;
            let number = of_block.first().map_or(0, |it| it.row as usize / ROWS);
            let Some(block) = self.blocks.get(number) else {
                continue;
            };
            let floor = self.floor.value();
            let left = of_block.iter().filter(|it| it.above >= floor);
            self.places.clear();
            self.places
                .extend(left.map(|it| (it.row as usize % ROWS) as u16));
            self.code_places(number, block);
        }
    }

    fn code_places(&mut self, number: usize, block: &Block) {
        let query = self.asked.code;
        let kernel = self.asked.kernel;
        kernel.dots(&block.lines, &self.places, query, &mut self.sums);
        self.work.n_by_codes += self.places.len();
        let first = (number * ROWS) as u32;
        for (place, sum) in self.places.iter().zip(&self.sums) {
            let scale = block.scales.get(usize::from(*place)).copied();
            let (below, above) = query.around(scale.unwrap_or_default(), *sum);
            if above >= self.floor.value() {
                self.floor.raise(below);
                let row = first + u32::from(*place);
                self.near.push(Near { above, row });
            }
        }
    }

    /// Reads vectors, the nearest first, until what is left lies below the `k`-th best.
    fn by_vectors<E>(
        mut self,
        mut read: impl FnMut(u32, &mut [f32]) -> Result<(), E>,
    ) -> Result<Found, SearchError<E>> {
        let floor = self.floor.value();
        self.near.retain(|it| it.above >= floor);
        let best_first = |a: &Near, b: &Near| b.above.total_cmp(&a.above).then(a.row.cmp(&b.row));
        self.near.sort_unstable_by(best_first);
        let k = self.asked.k;
        let n_read_max = VECTORS_READ_MAX.max(k);
        let mut hits: Vec<Hit> = Vec::new();
        let mut vector = vec![0.0; self.asked.vector.len()];
        let mut is_settled = true;
        for near in &self.near {
            let worst = hits.get(k - 1).map_or(f32::NEG_INFINITY, |it| it.score);
            if near.above < worst {
                break;
            }
            if self.work.n_read == n_read_max {
                is_settled = false;
                break;
            }
            self.work.n_read += 1;
            read(near.row, &mut vector).map_err(SearchError::Read)?;
            let score = exact::dot(&vector, self.asked.vector);
            let hit = Hit {
                row: near.row,
                score,
            };
            let place = hits.partition_point(|it| better(*it, hit) == Ordering::Less);
            if place < k {
                hits.insert(place, hit);
                hits.truncate(k);
            }
        }
        Ok(Found {
            hits,
            work: self.work,
            is_settled,
        })
    }
}

/// Better first; of equal ones, the row that was added first.
fn better(a: Hit, b: Hit) -> Ordering {
    b.score.total_cmp(&a.score).then(a.row.cmp(&b.row))
}
