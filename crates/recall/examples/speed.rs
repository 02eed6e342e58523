//! How fast and how large the index is, on synthetic facts. Run by hand:
//!
//! ```console
//! $ cargo run --release -p immune-recall --example speed -- 100000 7
//! ```
//!
//! The two numbers are the documents and the seed. Facts are drawn from a vocabulary of which a
//! few words are very frequent, as in real text; one document in ten is refused.

#![expect(clippy::print_stdout, reason = "its output is the point of it")]

use std::time::{Duration, Instant};

use immune_recall::{Admission, Index, Limits};

const QUERIES: usize = 500;
const LIMITS: Limits = Limits {
    hits_max: 10,
    excluded_max: 100,
};

/// A small generator of numbers (xorshift), so that a seed gives the same texts everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    /// A word; small numbers are drawn far more often.
    fn word(&mut self, n_words: u64) -> String {
        let most = 1 + self.below(n_words);
        let most = 1 + self.below(most);
        format!("w{}", self.below(most))
    }

    fn fact(&mut self, n: u32, n_words: u64) -> String {
        let mut words: Vec<String> = (0..10).map(|_| self.word(n_words)).collect();
        words.push(format!("supplier{} is paid to account", n % 5_000));
        words.push(format!("no-{n}"));
        words.join(" ")
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).copied().unwrap_or_default()
}

fn report(name: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let ms = |percent| percentile(&took, percent).as_secs_f64() * 1_000.0;
    println!("{name:<34} p50 {:>8.3} ms   p95 {:>8.3} ms", ms(50), ms(95));
}

fn time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let made = work();
    (made, start.elapsed())
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|n| n.parse().ok());
    let n_documents: u32 = numbers.next().map_or(100_000, |n: u64| n as u32);
    let seed = numbers.next().unwrap_or(7);
    let n_words = 50_000;
    let mut random = Random(seed.max(1));
    let texts: Vec<String> = (0..n_documents).map(|n| random.fact(n, n_words)).collect();

    let (index, took) = time(|| {
        let mut index = Index::new();
        for (document, text) in (0..).zip(&texts) {
            index.add(document, text);
        }
        index
    });
    let per_document = index.heap_bytes() / texts.len().max(1);
    let per_second = f64::from(n_documents) / took.as_secs_f64();
    println!("documents                          {n_documents}, seed {seed}");
    println!("added                              {per_second:.0} documents/s");
    println!("memory                             {per_document} bytes/document");

    let refused: Vec<bool> = texts.iter().map(|_| random.below(10) == 0).collect();
    let is_refused = |document: u32| refused.get(document as usize).copied().unwrap_or(true);
    let verdict = |document: u32| {
        if is_refused(document) {
            Admission::Refused
        } else {
            Admission::Eligible
        }
    };
    let (admitted, took) = time(|| index.admit(&verdict));
    report("verdicts on all documents", vec![took]);

    let (mut rare, mut frequent, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..QUERIES {
        let named = format!(
            "supplier{} {} {}",
            random.below(5_000),
            random.word(n_words),
            random.word(n_words)
        );
        rare.push(time(|| index.search_admitted(&named, &admitted, LIMITS)).1);
        alone.push(time(|| index.search(&named, &|d| !is_refused(d), LIMITS)).1);
        let common = format!("account paid {}", random.word(n_words));
        frequent.push(time(|| index.search_admitted(&common, &admitted, LIMITS)).1);
    }
    report("3 words, verdicts kept", rare);
    report("3 words, verdicts asked anew", alone);
    report("3 words, 2 of them in every text", frequent);
}
