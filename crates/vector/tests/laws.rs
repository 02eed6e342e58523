//! What a caller may rely on, through the public interface alone, with every kernel that is here.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what tests share may fail as tests do"
)]

use std::convert::Infallible;

use immune_vector::{Bitmap, Found, Hit, Index, Kernel, SearchError, VectorError, Vectors, dot};
use proptest::prelude::*;

/// An index with its vectors, as whoever uses both has them.
#[derive(Clone)]
struct Both {
    index: Index,
    vectors: Vectors,
}

impl Both {
    fn new(n_dims: usize) -> Self {
        Self {
            index: Index::new(n_dims).unwrap(),
            vectors: Vectors::new(n_dims),
        }
    }

    fn of(vectors: &[Vec<f32>]) -> Self {
        let mut both = Self::new(vectors[0].len());
        for vector in vectors {
            both.add(Some(vector));
        }
        both
    }

    fn add(&mut self, vector: Option<&[f32]>) {
        let row = self.index.len();
        self.index.add(row, vector).unwrap();
        self.vectors.add(row, vector);
    }

    fn search(&self, kernel: Kernel, query: &[f32], k: usize, eligible: &Bitmap) -> Found {
        let (words, read) = (eligible.words(), self.vectors.read());
        self.index.search_by(kernel, query, k, words, read).unwrap()
    }

    /// Every product, sorted: what a search is for.
    fn plain(&self, query: &[f32], k: usize, eligible: &Bitmap) -> Vec<Hit> {
        let rows = eligible.iter().filter(|row| self.index.is_filled(*row));
        let hit = |row| Hit {
            row,
            score: dot(self.vectors.find(row).unwrap(), query),
        };
        let mut hits: Vec<Hit> = rows.map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
        hits.truncate(k);
        hits
    }

    /// Compares all kernels with plain products; the answer.
    fn check(&self, query: &[f32], k: usize, eligible: &Bitmap) -> Found {
        let found = self.search(Kernel::Scalar, query, k, eligible);
        for kernel in Kernel::here() {
            let same = self.search(kernel, query, k, eligible);
            assert_eq!(same, found, "{}", kernel.name());
        }
        assert_eq!(found.hits, self.plain(query, k, eligible));
        assert!(found.is_settled);
        found
    }
}

/// Numbers that look random (xorshift), in vectors of length one around some middles.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn number(&mut self) -> f32 {
        let uniform = |random: &mut Self| f32::from(random.below(1 << 15) as u16) / 32_768.0;
        (0..4).map(|_| uniform(self)).sum::<f32>() - 2.0
    }

    fn vectors(&mut self, n: usize, n_dims: usize, n_middles: usize) -> Vec<Vec<f32>> {
        let mut vector = |of: f32| {
            (0..n_dims)
                .map(|_| of * self.number())
                .collect::<Vec<f32>>()
        };
        let middles: Vec<_> = (0..n_middles).map(|_| vector(1.0)).collect();
        let one = |place: usize| {
            let beside = vector(0.6);
            normalised(
                middles[place % n_middles]
                    .iter()
                    .zip(beside)
                    .map(|(a, b)| a + b),
            )
        };
        (0..n).map(one).collect()
    }
}

fn normalised(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut vector: Vec<f32> = values.collect();
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    for value in &mut vector {
        *value /= length;
    }
    vector
}

fn many(quick: usize, slow: usize) -> usize {
    if std::env::var_os("IMMUNE_SLOW").is_some() {
        slow
    } else {
        quick
    }
}

#[test]
fn the_nearest_of_many_are_found_whoever_is_eligible() {
    let mut random = Random(5);
    for n_dims in [16, 64, 100, 384, 512] {
        let vectors = random.vectors(many(4_000, 40_000), n_dims, 50);
        let both = Both::of(&vectors);
        let n = both.index.len();
        for round in 0..many(3, 30) {
            let query = vectors[random.below(vectors.len())].clone();
            for share in [1, 2, 7, 100] {
                let eligible: Bitmap = (0..n).filter(|_| random.below(share) == 0).collect();
                both.check(&query, 10, &eligible);
                both.check(&query, 1 + round, &eligible);
            }
            // The nearest of all have just been quarantined.
            let mut left = Bitmap::up_to(n);
            let nearest = both.plain(&query, 300, &left);
            for hit in nearest {
                left.remove(hit.row);
            }
            let found = both.check(&query, 10, &left);
            assert_eq!(found.hits.len(), 10);
        }
    }
}

#[test]
fn signs_leave_few_codes_and_codes_few_vectors() {
    let vectors = Random(7).vectors(20_000, 384, 40);
    let both = Both::of(&vectors);
    let found = both.check(&vectors[3], 10, &Bitmap::up_to(20_000));
    let work = found.work;
    assert_eq!((work.n_eligible, work.n_by_signs), (20_000, 20_000));
    assert!(work.n_by_codes < 2_000, "{work:?}");
    assert!(work.n_read < 100, "{work:?}");
}

#[test]
fn few_rows_are_compared_by_their_codes_at_once() {
    let vectors = Random(9).vectors(3_000, 128, 10);
    let both = Both::of(&vectors);
    let eligible: Bitmap = (0..3_000).step_by(10).collect();
    let work = both.check(&vectors[0], 5, &eligible).work;
    assert_eq!((work.n_by_signs, work.n_by_codes), (0, 300));
}

#[test]
fn there_are_as_many_hits_as_eligible_vectors_up_to_k() {
    let both = Both::of(&Random(3).vectors(2_000, 64, 5));
    let query = both.vectors.find(1).unwrap();
    for n in [0, 1, 5, 9, 10, 11, 1_500] {
        let eligible: Bitmap = (0..n).map(|it| it * 7 % 2_000).collect();
        let n_hits = both.check(query, 10, &eligible).hits.len();
        assert_eq!(n_hits, eligible.count().min(10));
    }
    assert_eq!(both.check(query, 0, &Bitmap::up_to(2_000)).hits, []);
    assert_eq!(
        both.check(query, 5_000, &Bitmap::up_to(9_000)).hits.len(),
        2_000
    );
}

#[test]
fn of_equal_vectors_the_first_come_first_and_reading_ends() {
    let same = [0.125; 64];
    let both = Both::of(&vec![same.to_vec(); 6_000]);
    for kernel in Kernel::here() {
        let found = both.search(kernel, &same, 10, &Bitmap::up_to(6_000));
        let rows: Vec<u32> = found.hits.iter().map(|it| it.row).collect();
        assert_eq!(rows, (0..10).collect::<Vec<u32>>());
        assert!(!found.is_settled, "six thousand vectors that are the same");
        assert_eq!(found.work.n_read, 4_096);
    }
}

#[test]
fn a_vector_of_zeros_and_a_query_of_zeros_are_like_others() {
    let mut vectors = Random(1).vectors(1_500, 64, 5);
    vectors[700] = vec![0.0; 64];
    let both = Both::of(&vectors);
    both.check(&vectors[3], 1_500, &Bitmap::up_to(1_500));
    both.check(&[0.0; 64], 10, &Bitmap::up_to(1_500));
}

#[test]
fn what_is_no_vector_of_the_index_is_refused() {
    assert_eq!(
        Index::new(0).unwrap_err(),
        VectorError::Dimensions { n_dims: 0 }
    );
    assert!(Index::new(1 << 20).is_err());
    let mut index = Index::new(2).unwrap();
    let other = VectorError::OtherDimensions {
        n_dims: 2,
        found: 3,
    };
    assert_eq!(index.add(0, Some(&[1.0, 0.0, 0.0])), Err(other.clone()));
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(index.add(0, Some(&[0.0, bad])), Err(VectorError::NotFinite));
    }
    assert!(matches!(
        index.add(0, Some(&[3.0, 4.0])),
        Err(VectorError::TooLong { .. })
    ));
    assert!(index.is_empty(), "what is refused adds no row");
    let read = |_, _: &mut [f32]| Ok::<(), Infallible>(());
    let refused = index.search(&[0.0; 3], 1, &[], read);
    assert!(matches!(refused, Err(SearchError::Query(found)) if found == other));
}

#[test]
fn a_vector_that_cannot_be_read_is_an_error_and_no_gap() {
    let vectors = Random(1).vectors(50, 8, 5);
    let index = Both::of(&vectors).index;
    let found = index.search(&vectors[0], 3, Bitmap::up_to(50).words(), |_, _| {
        Err("gone")
    });
    assert!(matches!(found, Err(SearchError::Read("gone"))));
}

#[test]
fn fifty_thousand_changes_of_trust_are_seen_by_the_next_search() {
    let vectors = Random(5).vectors(60_000, 64, 300);
    let both = Both::of(&vectors);
    let mut eligible = Bitmap::up_to(60_000);
    let before = both.check(&vectors[9], 10, &eligible);
    (0..50_000).for_each(|row| eligible.remove(row));
    let after = both.check(&vectors[9], 10, &eligible);
    assert!(before.hits.iter().any(|it| it.row < 50_000));
    assert!(after.hits.iter().all(|it| it.row >= 50_000));
    assert_eq!(after.hits.len(), 10);
}

fn packed(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.pack(&mut bytes).unwrap();
    bytes
}

/// The bytes of one index, for ever and on every machine: whoever changes a code gives
/// [`immune_vector::VERSION`] the next number.
#[test]
fn a_version_has_one_form() {
    let mut both = Both::new(100);
    for vector in Random(5).vectors(1_030, 100, 7) {
        both.add(Some(&vector));
    }
    both.add(None);
    both.index.erase(3);
    let bytes = packed(&both.index);
    // The sum of Fowler, Noll and Vo, of 64 bits.
    let fold = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold);
    assert_eq!(
        (bytes.len(), sum, immune_vector::VERSION),
        (206_720, 6_053_116_838_573_301_057, 1)
    );
}

/// What may happen to an index.
#[derive(Debug, Clone)]
enum Step {
    Add(Vec<f32>),
    Wait,
    Fill(usize, Vec<f32>),
    Erase(usize),
    Flip(usize),
    Pack,
    Search(Vec<f32>, usize),
}

fn step(n_dims: usize) -> impl Strategy<Value = Step> {
    let numbers = prop::collection::vec(-1.0_f32..1.0, n_dims);
    let vector = numbers.prop_map(|it| {
        let length = it.iter().map(|it| it * it).sum::<f32>().sqrt().max(1e-3);
        it.iter().map(|it| it / length).collect::<Vec<f32>>()
    });
    let place = 0_usize..2_000;
    prop_oneof![
        3 => vector.clone().prop_map(Step::Add),
        1 => Just(Step::Wait),
        1 => (place.clone(), vector.clone()).prop_map(|(at, it)| Step::Fill(at, it)),
        1 => place.clone().prop_map(Step::Erase),
        3 => place.prop_map(Step::Flip),
        1 => Just(Step::Pack),
        2 => (vector, 1_usize..20).prop_map(|(it, k)| Step::Search(it, k)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(many(24, 400) as u32))]

    /// The law of the crate: whatever happened, a search finds what plain products find among
    /// the eligible, with every kernel; and a snapshot answers as it did.
    #[test]
    fn a_search_equals_plain_products_over_the_eligible(
        (n_dims, steps) in prop::sample::select(vec![3, 64, 70, 130])
            .prop_flat_map(|n_dims| (Just(n_dims), prop::collection::vec(step(n_dims), 1..60))),
        n_before in prop::sample::select(vec![0, 1, 1_020, 1_500]),
    ) {
        let mut both = Both::new(n_dims);
        for vector in Random(n_before as u64 + 1).vectors(n_before, n_dims, 9) {
            both.add(Some(&vector));
        }
        let mut eligible = Bitmap::up_to(2_000);
        let mut kept: Option<(Both, Bitmap, Vec<f32>, Found)> = None;
        for step in steps {
            let n = (both.index.len() as usize).max(1);
            match step {
                Step::Add(vector) => both.add(Some(&vector)),
                Step::Wait => both.add(None),
                Step::Fill(at, vector) => {
                    let row = (at % n) as u32;
                    let was_waiting = both.index.is_waiting(row);
                    prop_assert_eq!(both.index.fill(row, &vector).unwrap(), was_waiting);
                    if was_waiting {
                        both.vectors.put(row, &vector);
                    }
                }
                Step::Erase(at) => {
                    let row = (at % n) as u32;
                    both.index.erase(row);
                    prop_assert!(!both.index.is_filled(row) && !both.index.is_waiting(row));
                    prop_assert!(!both.index.fill(row, &vec![0.0; n_dims]).unwrap());
                }
                Step::Flip(at) => {
                    let row = (at % n) as u32;
                    if eligible.has(row) { eligible.remove(row) } else { eligible.insert(row) }
                }
                Step::Pack => {
                    let bytes = packed(&both.index);
                    let cut = bytes.get(..bytes.len() - 1).unwrap();
                    prop_assert!(Index::unpack(cut).is_none());
                    both.index = Index::unpack(&bytes).unwrap();
                    prop_assert_eq!(packed(&both.index), bytes);
                }
                Step::Search(query, k) => {
                    let found = both.check(&query, k, &eligible);
                    if kept.is_none() {
                        kept = Some((both.clone(), eligible.clone(), query, found));
                    }
                }
            }
            let filled = (0..both.index.len()).filter(|row| both.index.is_filled(*row)).count();
            prop_assert_eq!(both.index.n_filled() as usize, filled);
        }
        if let Some((both, eligible, query, found)) = kept {
            prop_assert_eq!(both.check(&query, found.hits.len(), &eligible).hits, found.hits);
        }
    }

    /// An erased row leaves nothing behind: the bytes are those of an index that never had it.
    #[test]
    fn erasing_leaves_the_bytes_of_nothing(at in 0_u32..40, seed in 1_u64..1_000) {
        let vectors = Random(seed).vectors(40, 70, 3);
        let mut had = Both::of(&vectors).index;
        let mut never = Index::new(70).unwrap();
        for (row, vector) in (0..).zip(&vectors) {
            never.add(row, (row != at).then_some(&vector[..])).unwrap();
        }
        had.erase(at);
        never.erase(at);
        prop_assert_eq!(packed(&had), packed(&never));
    }
}
